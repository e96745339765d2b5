"""Numbers that are typed or slid: what is wrong is explained, and an echo is no wish."""

from __future__ import annotations

import ipywidgets as widgets
from traitlets import TraitError

from treant_viz.live.entry import NumberField, range_of


class Purse:
    """Something that takes numbers from 0 on."""

    def __init__(self, value: float = 0.0, high: float = 240.0, step: float = 4.0) -> None:
        self.taken: list[float] = []
        bar = widgets.FloatSlider(description="budget", **range_of(0.0, high, step))
        self.field = NumberField(widgets.FloatText(description="budget (number)"), bar, self.put)
        self.field.show(value)
        self.taken.clear()

    def put(self, value: float) -> None:
        if value < 0:
            raise TraitError(f"budget: expected a number of at least 0, got {value}")
        self.taken.append(value)
        self.field.show(value)


def test_a_typed_number_is_not_pulled_to_a_whole_step_by_the_sliders_echo():
    purse = Purse()
    purse.field.box.value = 45
    assert purse.field.slider.value == 45
    purse.field.slider.value = 44.00000000000001  # what a browser reports: its slider stands at whole steps
    assert purse.taken == [45]
    assert purse.field.box.value == 45
    purse.field.slider.value = 48
    purse.field.slider.value = 44
    assert purse.taken == [45, 48, 44]
    assert purse.field.box.value == 44


def test_a_number_beyond_the_slider_makes_it_longer():
    purse = Purse()
    purse.field.box.value = 501
    assert (purse.taken, purse.field.slider.max, purse.field.slider.value) == ([501], 501, 501)


def test_what_is_refused_is_explained_and_mended():
    purse = Purse(8.0)
    purse.field.box.value = -5
    assert purse.taken == []
    assert "budget: expected a number of at least 0, got -5" in purse.field.note.value
    assert purse.field.slider.value == 8
    purse.field.box.value = 8
    assert purse.field.note.value == ""
    assert purse.taken == []

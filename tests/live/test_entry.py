"""Numbers that are typed or slid, and steps that play: what is wrong is explained, and an echo is no wish."""

from __future__ import annotations

import asyncio

import ipywidgets as widgets
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.live.entry import NumberField, range_of
from treant_viz.live.stepper import Stepper

TOY = tv.load_toy()


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


def test_a_control_that_proposes_what_cannot_be_goes_back_and_it_is_explained():
    tree = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y)
    ex = tv.explore_forest([tree.tree_], TOY.X, TOY.y, TOY.attacker)
    box = widgets.FloatText()
    ex.bind(box, "budget")
    before = ex.picture.value
    box.value = -1
    assert (box.value, ex.budget) == (1, 1)
    assert "budget: expected a finite number of at least 0" in ex.message.value
    assert ex.picture.value == before
    box.value = 2
    assert ex.budget == 2
    assert ex.message.value == ""


@pytest.mark.parametrize("row", [99, -1])
def test_rows_that_are_not_there_are_explained_beside_the_box(row):
    tree = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y)
    ex = tv.explore_forest([tree.tree_], TOY.X, TOY.y, TOY.attacker)
    [box] = [w for w in ex.box.children[0].children if w.description.startswith("row (number")]
    note = ex.box.children[0].children[3]
    box.value = row
    assert f"row: expected a number from 0 to 6, got {row}" in note.value
    assert ex.row == 2
    box.value = 3
    assert (ex.row, note.value) == (3, "")


class Walk:
    """Five steps, the last of which is 4."""

    def __init__(self) -> None:
        self.at, self.seen = 0, []
        tips = dict.fromkeys(("First", "Back", "Next", "Last"), "")
        self.stepper = Stepper(tips, widgets.IntSlider(), lambda: self.at, lambda: 4, self.go)
        self.stepper.pause = 0.001

    def go(self, step: int) -> None:
        self.at = step
        self.seen.append(step)


async def ended(walk: Walk) -> None:
    while walk.stepper.play.value:
        await asyncio.sleep(0.001)


def test_buttons_stop_at_the_ends():
    walk = Walk()
    for i in (1, 2, 3, 2, 1, 0):
        walk.stepper.buttons[i].click()
    assert walk.seen == [0, 1, 4, 4, 3, 0]


def test_it_plays_to_the_end_and_then_anew():
    walk = Walk()

    async def twice() -> None:
        for _ in range(2):
            walk.stepper.play.value = True
            assert walk.stepper.play.description == "Pause"
            await asyncio.wait_for(ended(walk), 10)
            assert walk.stepper.play.description == "Play"

    asyncio.run(twice())
    assert walk.seen == [1, 2, 3, 4, 0, 1, 2, 3, 4]


def test_it_can_be_paused():
    walk = Walk()

    async def a_while() -> None:
        walk.stepper.play.value = True
        walk.stepper.play.value = False
        await asyncio.sleep(0.02)

    asyncio.run(a_while())
    assert walk.seen == []


def test_without_a_loop_nothing_plays():
    walk = Walk()
    walk.stepper.play.value = True
    assert (walk.stepper.play.value, walk.seen) == (False, [])

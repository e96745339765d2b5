"""The budget of an attacker in a form: typed, so that it may be infinite, or slid."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError

from treant_viz.explore.base import WIDE
from treant_viz.explore.rule_fields import EntryError, note, number_in
from treant_viz.explore.rule_words import typed


class BudgetField:
    """A text box and a slider. `put` takes a new budget, or raises a TraitError, which is explained beside them."""

    def __init__(self, budget: float, put: Callable[[float], None]) -> None:
        self._put, self._shown = put, budget
        top = max(10.0, 2 * budget if math.isfinite(budget) else 0.0)
        look: dict[str, Any] = {"min": 0.0, "max": top, "step": top / 60 if top > 60 else 1.0, "style": WIDE}
        self.text = widgets.Text(description="budget", continuous_update=False, style=WIDE)
        self.slider = widgets.FloatSlider(description="budget (slider)", readout=False, **look)
        self.note = widgets.HTML()
        self.row = [self.text, self.slider, self.note]
        self.show(budget)
        self.text.observe(lambda change: self._typed(change["new"]), names="value")
        self.slider.observe(lambda change: self._slid(change["new"]), names="value")

    def show(self, budget: float) -> None:
        """Both controls at this budget; the slider grows if it must, and ends at its end for an infinite one."""
        self._shown = budget
        if math.isfinite(budget) and budget > self.slider.max:
            self.slider.max = budget
        self.slider.value = min(budget, self.slider.max)
        self.text.value, self.note.value = typed(budget), ""

    def _typed(self, text: str) -> None:
        try:
            value = number_in(text, "budget", "budget")
            self.note.value = ""
            if value != self._shown:
                self._put(value)
        except (EntryError, TraitError) as error:
            self.note.value = note(error)

    def _slid(self, value: float) -> None:
        if value != min(self._shown, self.slider.max):
            self._put(value)


__all__ = ["BudgetField"]

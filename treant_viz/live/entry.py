"""Numbers that a user types or slides. What is wrong is said beside them, and what was there before stays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError

from treant_viz.live.rule_words import typed
from treant_viz.viz.style.text import MINUS, for_html

WIDE: dict[str, Any] = {"description_width": "initial"}
GAP = "0.3em 1.2em"  # between the controls of a row


class EntryError(ValueError):
    """An entry that cannot be; `field` says where."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def number_in(text: str, field: str, label: str, empty: float | None = None) -> float:
    """What was typed as a number; nothing typed is `empty`, if that is allowed. Nothing is ever evaluated.

    A true minus, as pictures and words write it, is one too.

    >>> number_in(" -inf ", "pre", "applies from"), number_in("", "pre", "applies to", math.inf)
    (-inf, inf)
    >>> number_in("−1.5", "pre", "applies from")
    -1.5
    """
    said = text.strip()
    if not said and empty is not None:
        return empty
    try:
        value = float(said.replace(MINUS, "-"))
    except ValueError:
        value = math.nan
    if math.isnan(value):
        hint = " (or nothing: no bound)" if empty is not None else ""
        raise EntryError(field, f"{label}: expected a number such as 2 or 0.5{hint}, got {text!r}")
    return value


def note(text: object = "") -> str:
    """Words beside a field, as HTML."""
    return f'<span role="alert" style="color:#8A1C00">{for_html(text)}</span>' if str(text) else ""


def row_of(*controls: Any) -> widgets.HBox:
    """Controls side by side, in as many lines as they need."""
    return widgets.HBox(list(controls), layout=widgets.Layout(flex_flow="row wrap", grid_gap=GAP))


def range_of(low: float, high: float, step: float) -> dict[str, Any]:
    return {"min": low, "max": high, "step": step, "style": WIDE, "layout": widgets.Layout(width="22em")}


class NumberField:
    """A slider, a box beside it, and words. `put` takes a number, or raises a TraitError, which is explained.

    A browser's slider stands at whole steps only, and reports where it stands also if it was moved there by
    us: such an echo is no wish of the user's.
    """

    def __init__(self, box: Any, slider: Any, put: Callable[[Any], None]) -> None:
        self.box, self.slider, self._put = box, slider, put
        self.note = widgets.HTML()
        self.row = [slider, box, self.note]
        self._shown: float = slider.min
        box.observe(lambda change: self._typed(change["new"]), names="value")
        slider.observe(lambda change: self._slid(change["new"]), names="value")

    def show(self, value: float) -> None:
        """Both at this value; the slider grows if it must, and stands at its end for an infinite one."""
        self._shown = value
        if math.isfinite(value) and value > self.slider.max:
            self.slider.max = value
        self.slider.value = min(value, self.slider.max)
        self.box.value = typed(value) if isinstance(self.box, widgets.Text) else value
        self.note.value = ""

    def _typed(self, entry: Any) -> None:
        try:
            label = self.box.description.partition(" (")[0]
            value = number_in(entry, "number", label) if isinstance(entry, str) else entry
            self.note.value = ""
            if value != self._shown:
                self._put(value)
        except (EntryError, TraitError) as error:
            self.note.value = note(error)

    def _slid(self, value: float) -> None:
        ours = (min(self._shown, self.slider.max), self._stand())
        if not any(math.isclose(value, at, abs_tol=1e-9 * self.slider.step) for at in ours):
            self._put(value)

    def _stand(self) -> float:
        """Where a browser's slider stands for the value that is shown."""
        bar = self.slider
        at = min(self._shown, bar.max)
        return at if at == bar.max else bar.min + math.floor((at - bar.min) / bar.step + 0.5) * bar.step


def budget_bar(top: float) -> widgets.FloatSlider:
    """A slider from nothing to `top`."""
    step = top / 60 if top > 60 else 1.0
    return widgets.FloatSlider(description="budget", readout=False, **range_of(0.0, float(top), step))


def budget_text(budget: float, put: Callable[[float], None]) -> NumberField:
    """A budget that is typed as text, so that it may be infinite."""
    top = max(10.0, 2 * budget if math.isfinite(budget) else 0.0)
    look: dict[str, Any] = {"style": WIDE, "layout": widgets.Layout(width="14em"), "continuous_update": False}
    return NumberField(widgets.Text(description="budget (number)", **look), budget_bar(top), put)


__all__ = [
    "GAP",
    "WIDE",
    "EntryError",
    "NumberField",
    "budget_bar",
    "budget_text",
    "note",
    "number_in",
    "range_of",
    "row_of",
]

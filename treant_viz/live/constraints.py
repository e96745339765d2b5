"""explore_constraints: switch the constraints of a row off, and see what they protect."""

from __future__ import annotations

import math
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError, TraitType, observe, validate

from treant_viz.live.base import WIDE
from treant_viz.live.traced import TraceExplorer, place, sections
from treant_viz.trace.records import Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay
from treant_viz.viz.leaf_constraints.draw import apart
from treant_viz.viz.leaf_constraints.facts import bounds_of, checked_rows, telling_leaf, tree_of
from treant_viz.viz.split_search.draw import predicate
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.card import counted

FEW = 8  # rows that get a checkbox each; more are picked from a list
SAME = 1e-7  # losses that differ by less, of their size, are one loss


class ConstraintsExplorer(TraceExplorer):
    """State: `path` (the tree of the splits down to it), `off` (rows whose constraints are not used)."""

    path: Any = TraitType(None).tag(state=True)
    off: Any = TraitType(()).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self.boxes: dict[int, Any] = {}
        self.chosen: Any = None
        super().__init__(what, **state)
        self.rows = constrained_rows(self.trace)
        if self.path is None:
            self.path = telling_step(self.trace)
        steps = splits(self.trace) or [self.trace.steps[0]]
        picker = widgets.Dropdown(
            options=[(_label(s), s.path) for s in steps], description="the tree of", style=WIDE
        )
        self._open_above([[self.bind(picker, "path")], self._switches()], widgets.HTML())

    # controls

    def _switches(self) -> list[Any]:
        """One checkbox a row if they are few, else a list; and two buttons for all rows."""
        if not self.rows:
            return []
        every = widgets.Button(description="All off", tooltip="switch the constraints of all rows off")
        none = widgets.Button(description="All on", tooltip="let the constraints of all rows count")
        every.on_click(lambda _: self.set_trait("off", tuple(self.rows)))
        none.on_click(lambda _: self.set_trait("off", ()))
        return [*(self._checkboxes() if len(self.rows) <= FEW else self._list()), every, none]

    def _list(self) -> list[Any]:
        names = [(words, row) for row, words in self.rows.items()]
        look = widgets.Layout(width="32em", height="9em")
        chosen = widgets.SelectMultiple(
            options=names, description="constraints switched off", style=WIDE, layout=look, value=self.off
        )
        chosen.observe(lambda change: self.set_trait("off", change["new"]), names="value")
        self.chosen = chosen
        return [chosen]

    def _checkboxes(self) -> list[Any]:
        for row, words in self.rows.items():
            box = widgets.Checkbox(description=f"switch off {words}", value=row in self.off, indent=False)
            box.observe(lambda change, row=row: self._switch(row, change["new"]), names="value")
            self.boxes[row] = box
        return list(self.boxes.values())

    def _switch(self, row: int, off: bool) -> None:
        if off != (row in self.off):
            self.off = (*self.off, row) if off else tuple(r for r in self.off if r != row)

    @observe("off")
    def _follow(self, change: Any) -> None:
        """Checkboxes, or the list, show what is off."""
        if self.chosen is not None:
            self.chosen.value = self.off
        for row, box in self.boxes.items():
            box.value = row in self.off

    # state

    @validate("path")
    def _known(self, proposal: Any) -> str:
        paths = [s.path for s in splits(self.trace)] or [""]
        if proposal["value"] not in paths:
            raise TraitError(f"path: expected a node that was split, of {paths}, got {proposal['value']!r}")
        return str(proposal["value"])

    @validate("off")
    def _rows(self, proposal: Any) -> tuple[int, ...]:
        try:
            return tuple(sorted(checked_rows(proposal["value"], self.trace)))
        except (TypeError, ValueError):
            known = list(constrained_rows(self.trace))
            raise TraitError(
                f"off: expected rows that have constraints, of {known}, got {proposal['value']!r}"
            ) from None

    # picture and words

    def _display(self) -> ConstraintsDisplay:
        return ConstraintsDisplay.from_trace(self.trace, self.path, self.off)

    def code(self) -> str:
        return self._code(f"tv.ConstraintsDisplay.from_trace(trace, {self.path!r}, off={self.off!r})")

    def _notes(self) -> tuple[str]:
        shown = self.display
        assert isinstance(shown, ConstraintsDisplay)
        return (sections([("Loss under attack of this tree", said_losses(shown, bool(self.rows)))]),)


def said_losses(shown: ConstraintsDisplay, some: bool) -> list[str]:
    """L^A with all constraints, and without those that are off: the display's own numbers."""
    usual, attacked = _before_and_after(shown)
    held = sum(1 for b in shown.bounds.values() if b.count)
    leaves = counted(held, "leaf") if held == 1 else f"{held} leaves"
    if not some:
        return [f"L^A {attacked}. No row has constraints: the attacker never had a choice."]
    if not shown.off:
        return [f"L^A {attacked}. Constraints on {leaves}; switch a row off to see what they protect."]
    if usual == attacked:
        return [
            f"L^A {usual} → {attacked}: nothing changes. In this tree other constraints, or none, decide."
        ]
    return [f"L^A {usual} → {attacked}", _meaning(shown)]


def _before_and_after(shown: ConstraintsDisplay) -> tuple[str, str]:
    """Both losses in words: alike only if the losses are, but for the last digits of a computation."""
    a, b = shown.usual, shown.attacked
    if a is None or b is None:
        return "unknown" if a is None else number(a), "unknown" if b is None else number(b)
    if math.isclose(a, b, rel_tol=SAME, abs_tol=SAME):
        return number(a), number(a)
    return apart(a, b)


def _meaning(shown: ConstraintsDisplay) -> str:
    """What a change of L^A tells."""
    said = "Each leaf now takes the value nearest to the mean of its rows"
    if shown.usual is None or shown.attacked is None or shown.attacked > shown.usual:
        return (
            f"{said}, and the attacker gains by sending rows elsewhere: that is what the constraints prevent."
        )
    return (
        f"{said}, and here that is less: "
        "constraints keep the count true at every step, they need not be cheapest."
    )


def splits(trace: Trace) -> list[Step]:
    return [s for s in trace.steps if s.taken]


def telling_step(trace: Trace) -> str:
    """The first split that leaves some leaf kept from its best value, else the first with constraints."""
    held = [s for s in splits(trace) if s.split and (s.split.left_constraints or s.split.right_constraints)]
    for step in held:
        _, stands = tree_of(trace, step.path)
        leaf = telling_leaf({p: bounds_of(trace, p, stand, (), {}) for p, stand in stands.items()})
        if leaf is not None and leaf.bound:
            return step.path
    return held[0].path if held else ""


def constrained_rows(trace: Trace) -> dict[int, str]:
    """The rows that have constraints anywhere, and what to call them, in the order in which they got them."""
    origins: dict[int, list[str]] = {}
    labels: dict[int, float] = {}
    for c in (c for step in trace.steps for c in step.constraints):
        labels[c.row] = c.y
        if c.origin not in origins.setdefault(c.row, []):
            origins[c.row].append(c.origin)
    return {row: f"x{row} (y = {number(labels[row], 4)}), from {_places(origins[row])}" for row in origins}


def _places(origins: list[str]) -> str:
    more = f" and {len(origins) - 2} more" if len(origins) > 2 else ""
    return " and ".join(map(place, origins[:2])) + more


def _label(step: Step) -> str:
    where = place(step.path)
    if step.split is None or not step.taken:
        return f"{where}, which stays a leaf"
    s = step.split
    return f"{where}: {predicate(s.feature, s.threshold, s.test == '==')}"


def explore_constraints(model_or_trace: Any, **state: Any) -> ConstraintsExplorer:
    """Which predictions do constraints forbid, and what would the attacker gain without them?

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `path`
    (of a node that was split: its tree is shown), `off` (rows whose constraints are switched off).
    """
    return ConstraintsExplorer(model_or_trace, **state)


__all__ = ["ConstraintsExplorer", "explore_constraints"]

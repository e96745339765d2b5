"""explore_growth: step back and forth through the growth of a tree, and see why every node became what it is."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
import numpy as np
from traitlets import Bool, TraitError, TraitType, Unicode, observe, validate

from treant_viz.attacks import loss_under_attack
from treant_viz.explore.base import WIDE, slider
from treant_viz.explore.candidate_table import COLUMNS, table
from treant_viz.explore.growth_words import Losses, step_words
from treant_viz.explore.stepper import Stepper
from treant_viz.explore.traced import TraceExplorer, sections
from treant_viz.viz.tree import TreeDisplay

TIPS = {
    "First": "to the first step",
    "Back": "one step back",
    "Next": "one step on",
    "Last": "to the last step",
}
DEEP = ("predicate", "loss")  # what nodes say in a part of the tree that the frames fold away


class GrowthExplorer(TraceExplorer):
    """State: `step` (0 is the root's), `sort_by` and `ascending` of the table of candidates."""

    step: Any = TraitType(0).tag(state=True)
    sort_by = Unicode("loss_under_attack").tag(state=True)
    ascending = Bool(True).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self._order = widgets.ToggleButton()
        self._pictures: dict[int, tuple[TreeDisplay, str]] = {}
        self._counted: dict[int, Losses] = {}
        super().__init__(what, **state)
        kinds = ["predicate", "rows", "loss"]
        self._show = (*kinds, "constraints") if any(s.constraints for s in self.trace.steps) else tuple(kinds)
        self._losses = [self.trace.steps[0].leaf_loss, *(loss for _, loss in self.trace.losses())]
        self.bind(self._order, "ascending")
        self._said()
        columns = [(words, key) for key, words in COLUMNS.items()]
        sort = self.bind(widgets.Dropdown(options=columns, description="sort candidates by", style=WIDE), "sort_by")
        self._steps = self._stepper()
        self._open_above([self._steps.controls], widgets.HTML(), [sort, self._order], widgets.HTML())

    # controls

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.trace) - 1

    def _stepper(self) -> Stepper:
        names = [(f"{i + 1} of {len(self.trace)}: {s.path or 'root'}", i) for i, s in enumerate(self.trace.steps)]
        bar = self.bind(slider("step", names), "step")
        return Stepper(TIPS, bar, lambda: self.step, lambda: self.last, lambda i: self.set_trait("step", i))

    @observe("ascending")
    def _said(self, change: Any = None) -> None:
        self._order.description = "smallest first ▲" if self.ascending else "largest first ▼"

    # state

    @validate("step")
    def _known(self, proposal: Any) -> int:
        i = proposal["value"]
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i <= self.last:
            raise TraitError(f"step: expected a whole number from 0 to {self.last}, got {i!r}")
        return int(i)

    @validate("sort_by")
    def _column(self, proposal: Any) -> str:
        if proposal["value"] not in COLUMNS:
            raise TraitError(f"sort_by: expected one of {list(COLUMNS)}, got {proposal['value']!r}")
        return str(proposal["value"])

    # picture and words

    def _frame(self, i: int) -> tuple[TreeDisplay, str]:
        """The tree after step i and the call that makes it.

        Frames share one layout. What they fold away of a big tree is shown on the path to it, with few words a node.
        """
        if not self._pictures:
            call = f"tv.TreeDisplay.from_trace(trace, show={self._show!r}).frames()"
            frames: Any = TreeDisplay.from_trace(self.trace, show=self._show).frames()
            self._pictures = {d.steps - 1: (d, f"{call}[{k}]") for k, d in enumerate(frames)}
        if i not in self._pictures:
            path = self.trace.steps[i].path
            shown = TreeDisplay.from_trace(self.trace, step=path, show=DEEP, focus=path)
            call = f"tv.TreeDisplay.from_trace(trace, step={path!r}, show={DEEP!r}, focus={path!r})"
            self._pictures[i] = shown, call
        return self._pictures[i]

    def _display(self) -> TreeDisplay:
        return self._frame(self.step)[0]

    def code(self) -> str:
        return self._code(self._frame(self.step)[1])

    @property
    def losses(self) -> Losses:
        """L and L^A of the tree so far."""
        i = self.step
        if i not in self._counted:
            sure = self.trace.options.get("attack_invariance", True)
            self._counted[i] = Losses(
                self._loss(0.0), self._losses[i + 1], self._losses[i], None if sure else self._loss(None)
            )
        return self._counted[i]

    def _loss(self, budget: float | None) -> float | None:
        """The loss of the tree so far on its rows, under this budget or the attacker's own; unknown with weights."""
        t, A = self.trace, self.trace.attacker
        if t.options.get("weight") is not None:
            return None
        rows = t.steps[0].data.rows
        A = A if budget is None else A.with_budget(budget)
        return loss_under_attack(self._display().tree, t.X.iloc[rows], t.y[rows], A, t.loss.name)

    def _notes(self) -> tuple[str, str]:
        words = sections(step_words(self.trace, self.step, self.losses))
        return words, table(self.trace.steps[self.step], self.sort_by, self.ascending)


def explore_growth(model_or_trace: Any, **state: Any) -> GrowthExplorer:
    """Step through the growth of a tree: the tree so far, what the attacker does, constraints, all candidates.

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `step` (0 to the
    number of steps less one), `sort_by` (a column of the candidates, such as "loss_under_attack"), `ascending`.
    """
    return GrowthExplorer(model_or_trace, **state)


__all__ = ["GrowthExplorer", "explore_growth"]

"""explore_split: drag a threshold, change the budget, and see which rows the attacker owns."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets
import numpy as np
from traitlets import Any as AnyTrait
from traitlets import Float, TraitError, validate

from treant_viz.attacker import Attacker
from treant_viz.explore.base import WIDE, Explorer, budget_controls, slider
from treant_viz.explore.problem import Problem, problem_of
from treant_viz.viz.display import Display
from treant_viz.viz.ternary_partition import TernaryPartitionDisplay
from treant_viz.viz.text import name, number


class SplitExplorer(Explorer):
    """State: `feature`, `threshold` (one of the feature's values), `budget`."""

    feature = AnyTrait().tag(state=True)
    threshold = AnyTrait().tag(state=True)
    budget = Float().tag(state=True)

    def __init__(self, problem: Problem, **state: Any) -> None:
        self.problem, self.trace_at = problem, problem.stumps()
        columns = list(problem.X.columns)
        self._picker = widgets.Dropdown(options=[(name(c), c) for c in columns], description="feature", style=WIDE)
        self._bar = slider("threshold", [0])
        super().__init__(**{"budget": problem.attacker.budget} | state)
        if self.feature is None:
            best = self.trace_at(self.budget).at("").split
            self.feature = columns[0] if best is None else best.feature
        self._values(reset=self.threshold is None)
        self.observe(lambda change: self._values(reset=True), names="feature")
        self.bind(self._picker, "feature")
        self.bind(self._bar, "threshold")
        top = max(2 * problem.attacker.budget, self.budget, 1.0)
        self._open([self._picker, self._bar], budget_controls(self, top))

    def _values(self, *, reset: bool) -> None:
        """The slider stops at the values of the feature; a new feature starts at its best one."""
        values = sorted(self.problem.X[self.feature].unique().tolist())
        with self.hold_trait_notifications():
            self._bar.options = [(number(v) if not isinstance(v, str) else name(v), v) for v in values]
            if reset or self.threshold not in values:
                self.threshold = self._best(values)
            self._bar.value = self.threshold

    def _best(self, values: list[Any]) -> Any:
        c = self.trace_at(self.budget).at("").candidates
        if c is None:
            return values[0]
        mine = [i for i, f in enumerate(c.feature) if f == self.feature]
        return c.threshold[min(mine, key=lambda i: c.loss_under_attack[i])] if mine else values[0]

    @validate("feature")
    def _known(self, proposal: Any) -> Any:
        if proposal["value"] not in list(self.problem.X.columns):
            raise TraitError(f"feature: expected one of {list(self.problem.X.columns)}, got {proposal['value']!r}")
        return proposal["value"]

    @validate("threshold")
    def _value(self, proposal: Any) -> Any:
        if isinstance(proposal["value"], np.generic):
            proposal["value"] = proposal["value"].item()
        if self.feature is not None and proposal["value"] not in self.problem.X[self.feature].unique().tolist():
            raise TraitError(f"threshold: expected a value of {self.feature!r} in the data, got {proposal['value']!r}")
        return proposal["value"]

    @validate("budget")
    def _budget(self, proposal: Any) -> float:
        if not proposal["value"] >= 0:
            raise TraitError(f"budget: expected a number of at least 0, got {proposal['value']!r}")
        return float(proposal["value"])

    def _display(self) -> Display:
        return TernaryPartitionDisplay.from_trace(self.trace_at(self.budget), "", self.feature, self.threshold)

    def code(self) -> str:
        kind = "TreantClassifier" if self.problem.binary else "TreantRegressor"
        return (
            "# X, y, attacker: your rows, labels and attacker\n"
            f"A = attacker.with_budget({number(self.budget)})\n"
            f"m = tv.{kind}(A, {self.problem.loss!r}, max_depth=1, min_samples_split=2).fit(X, y)\n"
            f"tv.TernaryPartitionDisplay.from_trace(m.trace_, feature={self.feature!r}, threshold={self.threshold!r})"
        )


def explore_split(
    what: Any, y: Any = None, attacker: Attacker | None = None, *, loss: str | None = None, **state: Any
) -> SplitExplorer:
    """Drag a threshold: which rows are surely left, surely right, up to the attacker?

    `what`: a fitted TreantClassifier or TreantRegressor, a data set as the loaders return it, or rows with `y` and
    `attacker`. State to begin with: `feature`, `threshold`, `budget`.
    """
    return SplitExplorer(problem_of(what, y, attacker, loss), **state)


__all__ = ["SplitExplorer", "explore_split"]

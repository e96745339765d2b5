"""explore_split: drag a threshold, change the budget, and see which rows the attacker owns, and how to plan for it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import ipywidgets as widgets
import numpy as np
from traitlets import Any as AnyTrait
from traitlets import Float, TraitError, TraitType, validate

from treant_viz.attacker import Attacker
from treant_viz.explore.base import WIDE, Explorer, budget_controls, slider
from treant_viz.explore.entry import NumberField, range_of
from treant_viz.explore.problem import Problem, predictions, problem_of
from treant_viz.viz.robust_split import RobustSplitDisplay
from treant_viz.viz.ternary_partition import TernaryPartitionDisplay
from treant_viz.viz.text import name, number

VIEWS = {
    "partition": "who is unknown",
    "standard": "standard plan",
    "four-case": "four-case plan",
    "robust": "robust plan",
}
LEAVES = {"y_l": "left leaf y_l", "y_r": "right leaf y_r"}
MOST_KEPT = 64  # displays

Shown = TernaryPartitionDisplay | RobustSplitDisplay


class SplitExplorer(Explorer):
    """State: `feature`, `threshold` (one of the feature's values), `budget`, `view`, and the leaves `y_l`, `y_r`.

    `view` is "partition", or a plan: "standard", "four-case", "robust". Leaves are those of the plan while they are
    None; the partition always has its own.
    """

    feature: Any = TraitType(None).tag(state=True)
    threshold: Any = TraitType(None).tag(state=True)
    budget = Float().tag(state=True)
    view: Any = TraitType("partition").tag(state=True)
    y_l = AnyTrait(None).tag(state=True)
    y_r = AnyTrait(None).tag(state=True)

    def __init__(self, problem: Problem, **state: Any) -> None:
        self.problem, self.trace_at = problem, problem.stumps()
        self.range = predictions(problem.y, problem.binary)
        self._made = lru_cache(maxsize=MOST_KEPT)(self._make)
        columns = list(problem.X.columns)
        self._picker = widgets.Dropdown(options=[(name(c), c) for c in columns], description="feature", style=WIDE)
        self._bar = slider("threshold", [0])
        self._leaves = {trait: self._leaf(trait) for trait in LEAVES}
        given = {trait: value for trait, value in state.items() if value is not None}
        super().__init__(**{"budget": problem.attacker.budget} | given)
        if self.feature is None:
            self.feature = self._telling(columns)[0]
        self._values(reset=self.threshold is None)
        self.observe(lambda change: self._values(reset=True), names="feature")
        self.bind(self._picker, "feature")
        self.bind(self._bar, "threshold")
        top = max(2 * problem.attacker.budget, self.budget, 1.0)
        self._open([self._picker, self._bar], budget_controls(self, top), [self._views()], self._leaf_row())

    # controls

    def _views(self) -> Any:
        views = [(words, view) for view, words in VIEWS.items()]
        look: Any = WIDE | {"button_width": "9.5em"}
        return self.bind(widgets.ToggleButtons(options=views, description="view", style=look), "view")

    def _leaf(self, trait: str) -> NumberField:
        """A slider and a box for a leaf; they stand at the plan's own one while none is set."""
        bar = widgets.FloatSlider(description=LEAVES[trait], readout=False, **range_of(*self.range))
        look = widgets.Layout(width="15em")
        box = widgets.FloatText(description=f"{LEAVES[trait]} (number)", step=self.range[2], style=WIDE, layout=look)
        return NumberField(box, bar, lambda value: self.set_trait(trait, value))

    def _leaf_row(self) -> list[Any]:
        own = widgets.Button(description="the plan's own leaves", layout=widgets.Layout(width="auto"))
        own.on_click(lambda button: self._own_leaves())
        self._row = [control for field in self._leaves.values() for control in field.row] + [own]
        return self._row

    def _own_leaves(self) -> None:
        with self.hold_trait_notifications():
            self.y_l = self.y_r = None

    def _values(self, *, reset: bool) -> None:
        """The slider stops at the values of the feature; a new feature starts at the one that tells most."""
        values = sorted(self.problem.X[self.feature].unique().tolist())
        with self.hold_trait_notifications():
            self._bar.options = [(number(v) if not isinstance(v, str) else name(v), v) for v in values]
            if reset or self.threshold not in values:
                self.threshold = self._telling([self.feature], values[0])[1]
            self._bar.value = self.threshold

    def _telling(self, features: list[Any], other: Any = None) -> tuple[Any, Any]:
        """The test that an unaware learner likes best among those where the attacker has a say; else, among all."""
        c = self.trace_at(self.budget).at("").candidates
        mine = [] if c is None else [i for i, f in enumerate(c.feature) if f in features]
        if c is None or not mine:
            return features[0], other
        i = min(mine, key=lambda i: (c.unknown[i] == 0, c.plain_loss[i]))
        return c.feature[i], c.threshold[i]

    # what is refused

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

    @validate("view")
    def _a_view(self, proposal: Any) -> str:
        if proposal["value"] not in list(VIEWS):
            raise TraitError(f"view: expected one of {list(VIEWS)}, got {proposal['value']!r}")
        return str(proposal["value"])

    @validate("y_l", "y_r")
    def _a_leaf(self, proposal: Any) -> float | None:
        value, (low, high, _) = proposal["value"], self.range
        if value is None:
            return None
        real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not real or not math.isfinite(value) or not low <= value <= high:
            said = f"expected None or a number from {number(low)} to {number(high)}, got {value!r}"
            raise TraitError(f"{proposal['trait'].name}: {said}")
        return float(value)

    # what is shown

    def _display(self) -> Shown:
        return self._made(*(getattr(self, trait) for trait in ("feature", "threshold", "budget", "view", *LEAVES)))

    def _make(self, feature: Any, threshold: Any, budget: float, view: Any, y_l: Any, y_r: Any) -> Shown:
        trace = self.trace_at(budget)
        if view == "partition":
            return TernaryPartitionDisplay.from_trace(trace, "", feature, threshold)
        return RobustSplitDisplay.from_trace(trace, "", view, y_l, y_r, feature, threshold)

    def _draw(self) -> None:
        super()._draw()
        for control in self._row:
            control.layout.display = "none" if self.view == "partition" else ""
        for trait, field in self._leaves.items():
            leaf = getattr(self.display, trait)
            field.slider.min = min(field.slider.min, leaf)
            field.show(leaf)

    def code(self) -> str:
        kind = "TreantClassifier" if self.problem.binary else "TreantRegressor"
        display, more = "TernaryPartitionDisplay", ""
        if self.view != "partition":
            given = {"mode": self.view, "y_l": self.y_l, "y_r": self.y_r}
            display = "RobustSplitDisplay"
            more = "".join(f", {what}={value!r}" for what, value in given.items() if value is not None)
        return (
            "# X, y, attacker: your rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"m = tv.{kind}(A, {self.problem.loss!r}, max_depth=1, min_samples_split=2).fit(X, y)\n"
            f"tv.{display}.from_trace(m.trace_, feature={self.feature!r}, threshold={self.threshold!r}{more})"
        )


def explore_split(
    what: Any, y: Any = None, attacker: Attacker | None = None, *, loss: str | None = None, **state: Any
) -> SplitExplorer:
    """Drag a threshold: which rows are surely left, surely right, up to the attacker, and what do plans cost?

    `what`: a fitted TreantClassifier or TreantRegressor, a data set as the loaders return it, or rows with `y` and
    `attacker`. State to begin with: `feature`, `threshold`, `budget`, `view` ("partition", "standard", "four-case",
    "robust"), and for plans other leaves than their own: `y_l`, `y_r`.
    """
    return SplitExplorer(problem_of(what, y, attacker, loss), **state)


__all__ = ["SplitExplorer", "explore_split"]

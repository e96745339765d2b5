"""explore_split: drag a threshold: which rows are the attacker's at this budget, and how to plan for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from traitlets import Any as AnyTrait
from traitlets import Float, TraitError, TraitType, Unicode, validate

from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.explore.base import LiveExplorer, filled
from treant_viz.live.problem import Problem, predictions, problem_of
from treant_viz.trace.what_if import leaves_tried, split_states
from treant_viz.trace.what_if_records import FeatureStates
from treant_viz.viz.display import Display
from treant_viz.viz.robust_split.display import RobustSplitDisplay
from treant_viz.viz.robust_split.live_facts import plan_columns, split_facts
from treant_viz.viz.style.text import number
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

VIEWS = ("partition", "standard", "four-case", "robust")
FEW_COINS = 4  # of the cheapest rule: a budget that is smaller leaves nothing to play with


class SplitExplorer(LiveExplorer):
    """State: `feature`, `threshold` (a number, or one of the categories), `budget`, `view`, the leaves `y_l`
    and `y_r`, and `row`, the one that is lit (or None).

    `view` is the plan for the leaves: "standard", "four-case" or "robust"; "partition" plans robustly too,
    and its static picture is that of the partition. Leaves are those of the plan while they are None.
    """

    picture = "split"
    feature: Any = TraitType(None).tag(state=True)
    threshold: Any = TraitType(None).tag(state=True)
    budget = Float().tag(state=True)
    view = Unicode("partition").tag(state=True)
    y_l = AnyTrait(None).tag(state=True)
    y_r = AnyTrait(None).tag(state=True)
    row = AnyTrait(None).tag(state=True)

    def __init__(self, problem: Problem, **state: Any) -> None:
        self.problem = problem
        self.columns = list(problem.X.columns)
        costs = [rule.cost for rule in problem.attacker.rules]
        self.top = max(problem.attacker.budget, FEW_COINS * min(costs, default=0.0))
        self._states: dict[Any, FeatureStates] = {}
        self._trace_at = problem.stumps()
        given = {trait: value for trait, value in state.items() if value is not None}
        self.top = max(self.top, _a_budget(given.get("budget", 0.0)))
        super().__init__(**{"budget": problem.attacker.budget} | given)
        if self.feature is None:
            self.feature = self._most_informative()
        if self.threshold is None:
            self.threshold = self._first(self.feature)
        self.threshold = self._value({"value": self.threshold})  # of a feature that is known by now
        self.observe(self._another_feature, names="feature")
        self.observe(self._more_budget, names="budget")
        self._open()

    # what is worked out

    def states(self, feature: Any) -> FeatureStates:
        """A test on a feature in all its states, kept once worked out."""
        if feature not in self._states:
            p = self.problem
            self._states[feature] = split_states(p.X, p.y, p.attacker, p.loss, feature, self.top)
        return self._states[feature]

    def _most_informative(self) -> Any:
        """The attacked feature with the best test under attack; the first column if none is attacked."""
        touched = [c for c in self.columns if c in self.problem.attacker.features]
        found = [(self.states(c).first(self.problem.attacker.budget)[1:], i) for i, c in enumerate(touched)]
        return touched[min(found)[1]] if found else self.columns[0]

    def _first(self, feature: Any) -> Any:
        return self.states(feature).first(self.budget)[0]

    def _another_feature(self, change: Any) -> None:
        """A threshold of another feature means nothing here."""
        self.threshold = self._first(self.feature)
        self._facts_for(self.feature)

    def _more_budget(self, change: Any) -> None:
        """Beyond what has been worked out, all is worked out again."""
        if change["new"] > self.top:
            self.top = change["new"]
            self._states.clear()
            self._send(self.facts())

    def _facts_for(self, feature: Any) -> None:
        if str(self.columns.index(feature)) not in self.sent["tables"]:
            self._send(self.facts())

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        return self._facts(self.feature)

    def _facts(self, feature: Any) -> dict[str, Any]:
        p, states = self.problem, [self.states(feature)]
        return split_facts(self.columns, p.attacker.features, p.y, p.loss, states, p.attacker.budget)

    def page_facts(self) -> dict[str, Any]:
        """The shown feature, and as many others as a page should hold, attacked ones first."""
        attacked = self.problem.attacker.features
        rest = (c for c in sorted(self.columns, key=lambda c: c not in attacked) if c != self.feature)
        return filled(self.facts(), "tables", (self._facts(c)["tables"] for c in rest))

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The table of a feature, by its place."""
        return self._facts(self._column(question.get("feature")))

    def _column(self, place: Any) -> Any:
        """A feature, which the browser knows by its place."""
        known = [str(i) for i in range(len(self.columns))]
        if str(place) not in known:
            raise ValueError(
                f"feature: expected the place of a feature, 0 to {len(known) - 1}, got {place!r}"
            )
        return self.columns[int(place)]

    def _to_browser(self) -> dict[str, Any]:
        names = ("threshold", "budget", "row", "y_l", "y_r")
        plan = "robust" if self.view == "partition" else self.view
        shown = {name: getattr(self, name) for name in names} | {"tried": self._tried()}
        return {"feature": str(self.columns.index(self.feature)), "plan": plan, **shown}

    def _tried(self) -> dict[str, Any] | None:
        """What the leaves typed in cost in the present state; they are dropped when the state changes."""
        if self.y_l is None and self.y_r is None:
            return None
        states = self.states(self.feature)
        own = states.leaves(self.budget, self.threshold, robust=self.view in ("partition", "robust"))
        y_l, y_r = (a if b is None else b for a, b in zip(own, (self.y_l, self.y_r), strict=True))
        columns = plan_columns(leaves_tried(states, self.budget, self.threshold, y_l, y_r))
        return {name: column[0] for name, column in columns.items()}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        self.feature = self._column(state.get("feature"))
        with self.hold_trait_notifications():
            if state["plan"] != self._to_browser()["plan"]:
                self.view = state["plan"]
            self.threshold = self._value({"value": state.get("threshold")})
            for name in ("budget", "row", "y_l", "y_r"):
                self.set_trait(name, state.get(name))

    # what is refused

    @validate("feature")
    def _known(self, proposal: Any) -> Any:
        if proposal["value"] not in self.columns:
            raise TraitError(f"feature: expected one of {self.columns}, got {proposal['value']!r}")
        return proposal["value"]

    @validate("threshold")
    def _value(self, proposal: Any) -> Any:
        value = proposal["value"]
        value = value.item() if isinstance(value, np.generic) else value
        if self.feature is not None and not self._fits(value):
            raise TraitError(f"threshold: expected {self._expected()}, got {value!r}")
        return float(value) if isinstance(value, int) and self._categories() is None else value

    def _categories(self) -> tuple[Any, ...] | None:
        return None if self.feature is None else self.states(self.feature).categories

    def _fits(self, value: Any) -> bool:
        if (known := self._categories()) is not None:
            return value in known
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        return real and math.isfinite(value)

    def _expected(self) -> str:
        known = self._categories()
        if known is not None:
            return f"a category of {self.feature!r}: {', '.join(map(repr, known[:8]))}"
        return f"a finite number for {self.feature!r}"

    @validate("budget")
    def _budget(self, proposal: Any) -> float:
        return _a_budget(proposal["value"])

    @validate("view")
    def _a_view(self, proposal: Any) -> str:
        if proposal["value"] not in VIEWS:
            raise TraitError(f"view: expected one of {list(VIEWS)}, got {proposal['value']!r}")
        return str(proposal["value"])

    @validate("y_l", "y_r")
    def _a_leaf(self, proposal: Any) -> float | None:
        value, what = proposal["value"], proposal["trait"].name
        if value is None:
            return None
        low, high, _ = predictions(self.problem.y, self.problem.binary)
        real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not real or not low <= value <= high:
            raise TraitError(
                f"{what}: expected None or a number from {number(low)} to {number(high)}, got {value!r}"
            )
        return float(value)

    @validate("row")
    def _a_row(self, proposal: Any) -> int | None:
        row, n = proposal["value"], len(self.problem.y)
        if row is None:
            return None
        if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise TraitError(f"row: expected None or a row from 0 to {n - 1}, got {row!r}")
        return int(row)

    # what it leaves behind

    @property
    def display(self) -> Display:
        trace = self._trace_at(self.budget)
        if self.view == "partition":
            return TernaryPartitionDisplay.from_trace(trace, "", self.feature, self.threshold)
        mode: Any = self.view
        y_l, y_r = self._leaves()
        return RobustSplitDisplay.from_trace(trace, "", mode, y_l, y_r, self.feature, self.threshold)

    def _leaves(self) -> tuple[float | None, float | None]:
        """The leaves of the static picture: a trace has robust ones only for thresholds that a fit tries."""
        own = (
            self.states(self.feature).leaves(self.budget, self.threshold)
            if self.view == "robust"
            else (None, None)
        )
        return own[0] if self.y_l is None else self.y_l, own[1] if self.y_r is None else self.y_r

    def code(self) -> str:
        kind = "TreantClassifier" if self.problem.binary else "TreantRegressor"
        given = {"feature": self.feature, "threshold": self.threshold}
        display = "TernaryPartitionDisplay"
        if self.view != "partition":
            display, (y_l, y_r) = "RobustSplitDisplay", self._leaves()
            given = {"mode": self.view, "y_l": y_l, "y_r": y_r} | given
        more = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        return (
            "# X, y, attacker: your rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"m = tv.{kind}(A, {self.problem.loss!r}, max_depth=1, min_samples_split=2).fit(X, y)\n"
            f"tv.{display}.from_trace(m.trace_, {more})"
        )


def _a_budget(value: Any) -> float:
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not 0 <= value < math.inf:
        raise TraitError(f"budget: expected a finite number of at least 0, got {value!r}")
    return float(value)


def explore_split(
    what: Any, y: Any = None, attacker: Attacker | None = None, *, loss: str | None = None, **state: Any
) -> SplitExplorer:
    """Drag a threshold: which rows are surely left, surely right, up to the attacker, and what do plans cost?

    `what`: a fitted TreantClassifier or TreantRegressor, a data set as the loaders return it, or rows with
    `y` and `attacker`. State to begin with: `feature`, `threshold`, `budget`, `row`, `view` ("partition",
    "standard", "four-case", "robust"), and for plans other leaves than their own: `y_l`, `y_r`.
    """
    return SplitExplorer(problem_of(what, y, attacker, loss), **state)


def of_display(display: TernaryPartitionDisplay | RobustSplitDisplay) -> SplitExplorer:
    """The live sister of a picture of a test, if all rows came to it with nothing spent: at the root."""
    source = display.source or {}
    if source.get("path") or ("trace" in source and source["trace"].options.get("weight") is not None):
        raise ValueError("display: expected a test at the root of a tree, of rows without weights")
    given = [source["trace"]] if "trace" in source else [source[n] for n in ("X", "y", "attacker", "loss")]
    problem = problem_of(*given)
    state = {"feature": display.feature, "threshold": display.threshold}
    if isinstance(display, RobustSplitDisplay):
        own = {"y_l": display.y_l, "y_r": display.y_r} if display.by_hand else {}
        return SplitExplorer(problem, view=display.mode, **state, **own)
    return SplitExplorer(problem, view="partition" if display.leaves == "robust" else "standard", **state)


__all__ = ["SplitExplorer", "explore_split", "of_display"]

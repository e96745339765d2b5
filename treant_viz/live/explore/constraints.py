"""explore_constraints: what leaves may not predict, which rows that protects, and what happens without it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from traitlets import TraitError, TraitType, validate

from treant_viz.live.explore.base import LiveExplorer
from treant_viz.live.problem import trace_of
from treant_viz.trace.trace import Trace
from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay
from treant_viz.viz.leaf_constraints.live_facts import Trees, constraints_facts, state_of
from treant_viz.viz.leaf_constraints.switches import Made, checked_off, whole_rows
from treant_viz.viz.leaf_constraints.trials import key_of, tabulated_trials, trial


class ConstraintsExplorer(LiveExplorer):
    """State: `path` (the tree of the splits down to it; None is the whole tree), the `leaf` of it that is
    shown, `off` (rows whose constraints are not used, or pairs of a row and the path of the split that made
    them), and `row`, the one that is lit (or None).
    """

    picture = "constraints"
    path: Any = TraitType(None).tag(state=True)
    leaf: Any = TraitType(None).tag(state=True)
    off: Any = TraitType(()).tag(state=True)
    row: Any = TraitType(None).tag(state=True)

    def __init__(self, what: Any, names: Mapping[int, str] | None = None, **state: Any) -> None:
        self.trace = trace_of(what)
        self._given = "" if isinstance(what, Trace) else "trace = model.trace_\n"
        self.trees = Trees(self.trace, names)
        self.rows = list(dict.fromkeys(row for row, _ in self.trees.made))
        super().__init__(**{"path": self.trees.first()} | state)
        if self.leaf is None:
            self.leaf = self.trees.most_informative(self.path)
        self.observe(self._another_tree, names="path")
        self._open()

    def _another_tree(self, change: Any) -> None:
        """If the new tree lacks the leaf, show the one that its constraints bind most."""
        if self.leaf not in self.trees.tree(self.path)[1]:
            self.leaf = self.trees.most_informative(self.path)

    @property
    def _off(self) -> frozenset[Made]:
        return checked_off(self.off, self.trace)

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        """All trees and leaves; if not every choice of constraints, those that matter and the present one."""
        facts = constraints_facts(self.trees, self._off)
        states = [self._at(state["off"]) for state in facts["states"]]
        taken = len(json.dumps(facts))
        return facts | {"trials": tabulated_trials(self.trees, states, self.path, taken)}

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The state in which these, named by their places, are off; or what a prediction would cause."""
        off = self._at(question.get("off"))
        if "leaf" not in question:
            return {"states": [state_of(self.trees, off)]}
        try:
            path = self._known({"value": question.get("path")})
        except TraitError as error:
            raise ValueError(str(error)) from None
        leaves, leaf = list(self.trees.tree(path)[1]), question["leaf"]
        if leaf not in leaves:
            raise ValueError(f"leaf: expected a leaf of this tree, of {leaves}, got {leaf!r}")
        return {"trials": {key_of(self.trees, path, leaf, off): trial(self.trees, path, leaf, off)}}

    def _at(self, places: Any) -> list[Made]:
        last = len(self.trees.made) - 1
        if not isinstance(places, list) or not all(type(i) is int and 0 <= i <= last for i in places):
            raise ValueError(f"off: expected a list of places from 0 to {last}, got {places!r}")
        return [self.trees.made[i] for i in places]

    def _to_browser(self) -> dict[str, Any]:
        return self.state | {"off": sorted(self.trees.made.index(m) for m in self._off)}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        off = whole_rows(self._at(state.get("off", [])), self.trace)
        super()._from_browser({**state, "off": off})

    # what is refused

    @validate("path")
    def _known(self, proposal: Any) -> str | None:
        path, known = proposal["value"], self.trees.splits
        if path is not None and path not in known:
            raise TraitError(f"path: expected None or a node that was split, of {known}, got {path!r}")
        return None if path is None else str(path)

    @validate("leaf")
    def _a_leaf(self, proposal: Any) -> str:
        leaf, known = proposal["value"], list(self.trees.tree(self.path)[1])
        if leaf not in known:
            raise TraitError(f"leaf: expected a leaf of this tree, of {known}, got {leaf!r}")
        return str(leaf)

    @validate("off")
    def _rows(self, proposal: Any) -> tuple[Any, ...]:
        try:
            return tuple(whole_rows(checked_off(proposal["value"], self.trace), self.trace))
        except (TypeError, ValueError):
            text = f"off: expected rows that have constraints, of {self.rows}, got {proposal['value']!r}"
            raise TraitError(text) from None

    @validate("row")
    def _a_row(self, proposal: Any) -> int | None:
        row = proposal["value"]
        if row is None:
            return None
        if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or row not in self.rows:
            raise TraitError(f"row: expected None or a row that has constraints, of {self.rows}, got {row!r}")
        return int(row)

    # what it leaves behind

    @property
    def display(self) -> ConstraintsDisplay:
        return ConstraintsDisplay.from_trace(self.trace, self.path, self.off, names=self.trees.names)

    def code(self) -> str:
        head = "# model: your fitted tree\n" if self._given else "# trace: your trace\n"
        names = f", names={self.trees.names!r}" if self.trees.names else ""
        call = f"tv.ConstraintsDisplay.from_trace(trace, {self.path!r}, off={self.off!r}{names})"
        return f"{head}{self._given}{call}"


def explore_constraints(model_or_trace: Any, **state: Any) -> ConstraintsExplorer:
    """Which predictions do constraints forbid, whom do they protect, and what would happen without them?

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `path`
    (of a node that was split: its tree is shown; None is the whole tree), `leaf` (of that tree), `off` (rows
    whose constraints are switched off, or pairs of a row and the path of a split), `row` (to be lit).
    """
    return ConstraintsExplorer(model_or_trace, **state)


def of_display(display: ConstraintsDisplay) -> ConstraintsExplorer:
    """The live sister of a static picture."""
    source = dict(display.source or {})
    return ConstraintsExplorer(source.pop("trace"), **source)


__all__ = ["ConstraintsExplorer", "explore_constraints", "of_display"]

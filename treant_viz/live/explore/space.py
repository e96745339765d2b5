"""explore_space: a tree in the plane of two features, and what the attacker can make of each row there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from traitlets import TraitError, TraitType, validate

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import nodes
from treant_viz.live.explore.base import ROOM, LiveExplorer, as_many_as_fit, letters
from treant_viz.live.explore.row_explorer import a_budget, a_row, finite, most_coins, named
from treant_viz.viz.feature_space.display import FeatureSpaceDisplay, planes_of, rows_in, span_of
from treant_viz.viz.feature_space.live_facts import space_facts
from treant_viz.viz.feature_space.planes import best_plane, given_plane

LISTED = 1000  # rows that the picture knows
MOST_PLANES = 12  # that a page holds, if there is room


class SpaceExplorer(LiveExplorer):
    """State: `features`, the two that are shown, `row` (its place in X, or None), `budget`."""

    picture = "space"
    features: Any = TraitType(None).tag(state=True)
    row: Any = TraitType(None).tag(state=True)
    budget: Any = TraitType(0.0).tag(state=True)

    def __init__(
        self, tree: Any, X: Any, y: Any, attacker: Attacker, rows: Any, fixed: Any, **state: Any
    ) -> None:
        self.tree, self.X, self.y, self.attacker = tree, X, y, finite(attacker)
        self.fixed = dict(fixed or {})
        self._given = planes_of(tree, X, y, attacker, self.fixed)
        self._rows = rows
        self.listed = rows_in(rows, len(self._given.M))[:LISTED]
        self._seen: list[tuple[int, int]] = []
        budget = a_budget(state.pop("budget", None), attacker.budget)
        self._reach(most_coins(attacker, budget))
        features, row = state.pop("features", None), state.pop("row", None)
        if features is None:
            features = [self._given.schema.names[f] for f in best_plane(self._given, self.listed)]
        super().__init__(budget=budget, features=features, row=row, **state)
        self.observe(self._follow, names=["features", "budget"])
        self._open()

    # what is worked out

    def _reach(self, top: float) -> None:
        """Attacks up to this budget."""
        self.data = replace(self._given, attacker=self.attacker.with_budget(top))

    @property
    def pair(self) -> tuple[int, int]:
        """The columns of the two features."""
        return given_plane(self.data.schema, self.features)

    def _follow(self, change: Any) -> None:
        if self.budget > self.data.attacker.budget:
            self._reach(self.budget)
            self._send(self.facts())
        if "{},{}".format(*self.pair) not in self.sent["planes"]:
            self._send(self.facts())

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        """The planes that were looked at."""
        self._seen = list(dict.fromkeys([*self._seen, self.pair]))
        return self._facts(self._seen, len(self.listed))

    def _facts(self, pairs: Sequence[tuple[int, int]], count: int) -> dict[str, Any]:
        at = self.listed[:count]
        if self.row is not None and self.row not in at:
            at = [*at[:-1], self.row]
        names = [named(self.X, r) for r in at]
        return space_facts(self.data, at, names, pairs, self.attacker.budget, span_of(self.data))

    def page_facts(self) -> dict[str, Any]:
        """The present plane with as many rows as a page should hold, and other planes while there is room."""
        facts, count = as_many_as_fit(lambda count: self._facts([self.pair], count), len(self.listed))
        for pair in self._other_planes():
            more = self._facts([pair], count)["planes"]
            if letters(facts) + letters(more) > ROOM:
                break
            facts["planes"] |= more
        return facts

    def _other_planes(self) -> list[tuple[int, int]]:
        """Pairs of features that the tree tests, attacked ones first."""
        schema = self.data.schema
        tested = {schema.index(u.feature) for _, u in nodes(self.data.t)}
        often = [f for f in self.data.order()[0] if f in tested]
        pairs = [p for p in combinations(often, 2) if not all(schema.columns[f].categorical for f in p)]
        return [p for p in pairs if p != self.pair][: MOST_PLANES - 1]

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """One more plane."""
        names, pair = self.data.schema.names, question.get("features")
        if not isinstance(pair, list) or not all(isinstance(f, int) and 0 <= f < len(names) for f in pair):
            raise ValueError(f"features: expected two places from 0 to {len(names) - 1}, got {pair!r}")
        self._allowed([names[f] for f in pair])
        self._seen = list(dict.fromkeys([*self._seen, (pair[0], pair[1])]))
        return self.facts()

    def _to_browser(self) -> dict[str, Any]:
        return {"x": self.pair[0], "y": self.pair[1], "row": self.row, "budget": self.budget}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        names = self.data.schema.names
        features = [names[state[k]] for k in "xy"] if "x" in state and "y" in state else self.features
        with self.hold_trait_notifications():
            for name, value in ({**state, "features": features}).items():
                if name in ("features", "row", "budget"):
                    self.set_trait(name, value)

    # what is refused

    def _allowed(self, features: Any) -> tuple[Any, Any]:
        pair = given_plane(self.data.schema, features)
        names = self.data.schema.names
        still = {self.data.schema.index(f, who="fixed:") for f in self.fixed}
        if held := still & set(pair):
            raise ValueError(f"features: {names[min(held)]!r} is held still by fixed, so it cannot be shown")
        return names[pair[0]], names[pair[1]]

    @validate("features")
    def _two(self, proposal: Any) -> tuple[Any, Any]:
        try:
            return self._allowed(proposal["value"])
        except (ValueError, KeyError, TypeError) as error:
            raise TraitError(str(error.args[0])) from None

    @validate("row")
    def _a_row(self, proposal: Any) -> int | None:
        value = proposal["value"]
        if value is None:
            return None
        row = a_row(value, len(self.data.M))
        if row not in self.listed:
            raise TraitError(f"row: expected one of the {len(self.listed)} rows that are shown, got {row}")
        return row

    @validate("budget")
    def _coins(self, proposal: Any) -> float:
        return a_budget(proposal["value"])

    # what it leaves behind

    @property
    def display(self) -> FeatureSpaceDisplay:
        A, fixed = self.attacker.with_budget(self.budget), self.fixed or None
        return FeatureSpaceDisplay.from_tree(
            self.tree, self.X, self.y, A, self.features, rows=self.listed, fixed=fixed
        )

    def code(self) -> str:
        rows = (
            ""
            if self._rows is None and len(self.listed) == len(self.data.M)
            else f", rows={self._rows_text()}"
        )
        fixed = f", fixed={self.fixed!r}" if self.fixed else ""
        return (
            "# tree, X, y, attacker: your tree, rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"tv.FeatureSpaceDisplay.from_tree(tree, X, y, A, {list(self.features)!r}{rows}{fixed})"
        )

    def _rows_text(self) -> str:
        at = self.listed
        return f"range({len(at)})" if at == list(range(len(at))) else repr(at)


def explore_space(
    tree: Any, X: Any, y: Any, attacker: Attacker, *, rows: Any = None, fixed: Any = None, **state: Any
) -> SpaceExplorer:
    """Look at a tree in the plane of two features: its regions, and what the attacker can make of each row.

    `tree`: a Leaf or a Node, or a fitted tree of ours or of scikit-learn. `rows`: places of those to show,
    None is the first thousand. `fixed`: values at which other features stand still, else medians and most
    frequent categories. State to begin with: `features` (two; None is the plane in which attacks do most),
    `row`, `budget`.
    """
    return SpaceExplorer(tree, X, y, attacker, rows, fixed, **state)


def of_display(display: FeatureSpaceDisplay) -> SpaceExplorer:
    """The live sister of a static picture."""
    return SpaceExplorer(features=display.features, **dict(display.source or {}))


__all__ = ["SpaceExplorer", "explore_space", "of_display"]

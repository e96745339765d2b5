"""The attacker on a table: least costs per distinct value, and a ledger of what has been spent.

This is what makes `reachable` of `reference` fast: not a set of reachable instances for every row, but a
least cost for every distinct value. Every feature answers the same three questions, per code (distinct value)
of its column: what does it cost to get to the left or right of a test, which tests can be crossed with the
budget that is left, and what remains of all this inside a box. What was spent on a row so far is kept as a
short number, `spent_id`: the place of that sum in the ledger.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from treant_viz.core.attacker.reach import NumericReach, reach_categories, reach_numbers
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.table import Schema, Table

Retest = Literal["uncorrupted", "none", "all"]
Thresholds = Literal["data", "reachable"]
OPEN = (-math.inf, math.inf)


class SideCosts(NamedTuple):
    """The least costs of being left, and right, of a test; infinite: out of reach."""

    left: np.ndarray
    right: np.ndarray


class FeatureReach(Protocol):
    """What the attacker can do with one feature inside the box that earlier tests on it left open."""

    @property
    def attacked(self) -> bool: ...

    @property
    def entry(self) -> np.ndarray | None:
        """Least cost per code of being in the box at all; None: nothing."""

    def costs(self, v: int) -> SideCosts:
        """Least cost per code of passing the test at code v to the left, and to the right."""

    def narrowed(self, v: int, left: bool) -> FeatureReach:
        """The same inside the box that this side of the test leaves."""


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A feature that no affordable rule touches: a row is where its value is."""

    codes: np.ndarray
    categorical: bool
    attacked: bool = False
    entry: None = None

    def costs(self, v: int) -> SideCosts:
        here = self.codes == v if self.categorical else self.codes <= v
        return SideCosts(np.where(here, 0.0, math.inf), np.where(here, math.inf, 0.0))

    def narrowed(self, v: int, left: bool) -> Fixed:
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Shifted:
    """A numeric feature under attack, inside the box (low, high]."""

    reach: NumericReach
    edges: np.ndarray  # [2, level * code]: the first threshold v with z <= v for some, for every reachable z
    box: tuple[float, float] = OPEN
    entry: np.ndarray | None = None
    attacked: bool = True

    @classmethod
    def within(cls, reach: NumericReach, box: tuple[float, float]) -> Shifted:
        inside = reach.bounded(*box)
        edges = np.stack([np.searchsorted(reach.values, ends.ravel()) for ends in (inside.low, inside.high)])
        entry = None if box == OPEN else reach.cost_within(*box)
        return cls(reach, edges, box, entry)

    def costs(self, v: int) -> SideCosts:
        low, high = self.box
        t = self.reach.values[v]
        if self.box == OPEN:
            return SideCosts(self.reach.cost_below(t), self.reach.cost_above(t))
        within = self.reach.cost_within
        return SideCosts(within(low, min(high, t)), within(max(low, t), high))

    def narrowed(self, v: int, left: bool) -> Shifted:
        low, high = self.box
        t = float(self.reach.values[v])
        return Shifted.within(self.reach, (low, min(high, t)) if left else (max(low, t), high))

    def ends(self, codes: np.ndarray, spent_id: np.ndarray, budgets_left: np.ndarray) -> np.ndarray:
        """[2, row]: the first threshold code a row can be left of, and the first it cannot be right of."""
        if self.entry is None:
            level = self.reach.level(budgets_left)[spent_id]
        else:
            level = self.reach.level(budgets_left[spent_id] + self.entry[codes])
        return self.edges.take(level * len(self.reach.values) + codes, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Swapped:
    """A categorical feature under attack, inside the set `allowed` of categories."""

    cost: np.ndarray
    allowed: np.ndarray
    entry: np.ndarray | None = None
    attacked: bool = True

    def costs(self, v: int) -> SideCosts:
        others = self.allowed.copy()
        others[v] = False
        left = self.cost[:, v] if self.allowed[v] else np.full(len(self.cost), math.inf)
        return SideCosts(left, self.cost[:, others].min(axis=1, initial=math.inf))

    def narrowed(self, v: int, left: bool) -> Swapped:
        only = np.arange(len(self.cost)) == v
        allowed = self.allowed & (only if left else ~only)
        return replace(self, allowed=allowed, entry=self.cost[:, allowed].min(axis=1, initial=math.inf))

    def reached(self, budgets_left: np.ndarray) -> np.ndarray:
        """[spent_id, code, code]: which categories are within reach once so much has been spent."""
        budget = budgets_left[:, None] + (0.0 if self.entry is None else self.entry[None, :])
        return (self.cost <= budget[:, :, None]) & self.allowed


class AttackerOnTable:
    """A on a table. `retest` says which features may be tested again on a path.

    `thresholds` says where: at values of the data, or also at the ends of what they can reach (see
    `solvers.thresholds`). These ends are then values of `self.table`, the table to work on.
    """

    def __init__(
        self,
        attacker: Attacker,
        table: Table,
        retest: Retest = "uncorrupted",
        thresholds: Thresholds = "data",
    ) -> None:
        self.attacker, self.retest, self.thresholds = attacker, retest, thresholds
        self.limit, self.table = attacker.limit, table
        self.features = self._features()
        if thresholds == "reachable":
            self.table = table.with_values(self._ends())
            self.features = self._features()
        self.attacked = np.array([r.attacked for r in self.features], dtype=bool)
        self._open_ledger()

    def _features(self) -> tuple[FeatureReach, ...]:
        rules = rules_by_column(self.attacker, self.table.schema)
        return tuple(
            _feature_reach(self.table, f, rules.get(f, []), self.limit) for f in range(self.table.width)
        )

    def _ends(self) -> dict[int, np.ndarray]:
        """By column: the ends of what its values reach, for every amount spent, between its extreme values.

        (All rows are on one side of a threshold elsewhere, at home: no leaves gain anything from it.)
        """
        shifted = {f: r.reach for f, r in enumerate(self.features) if isinstance(r, Shifted)}
        ends = {f: np.unique(np.concatenate([r.low, r.high])) for f, r in shifted.items()}
        return {f: e[(e > shifted[f].values[0]) & (e < shifted[f].values[-1])] for f, e in ends.items()}

    def _open_ledger(self) -> None:
        self._ids = {0.0: 0}
        self.spends = self._sorted = np.zeros(1)
        self._numbers = np.zeros(1, dtype=np.int64)
        self.budgets_left = np.array([self.limit])

    def afresh(self) -> AttackerOnTable:
        """The same attacker with an empty ledger, for another run (or another thread)."""
        fresh = copy(self)
        fresh._open_ledger()
        return fresh

    def ids(self, spent: np.ndarray) -> np.ndarray:
        """The ledger's numbers of these sums; new sums are entered."""
        known = np.searchsorted(self._sorted, spent)
        if (self._sorted.take(known, mode="clip") == spent).all():
            return self._numbers.take(known)
        sums, where = np.unique(spent, return_inverse=True)
        short = [self._ids.setdefault(float(f"{s:.12g}"), len(self._ids)) for s in sums]
        if len(self._ids) > len(self.spends):
            self.spends = np.array(list(self._ids))
            self.budgets_left = self.limit - self.spends
            self._numbers = np.argsort(self.spends)
            self._sorted = self.spends[self._numbers]
        return np.array(short, dtype=np.int64)[where]

    def split_costs(self, reach: FeatureReach, v: int, codes: np.ndarray, spent_id: np.ndarray) -> SideCosts:
        """All that will have been spent on each row once it is left, or right, of the test."""
        left, right = reach.costs(v)
        spent = self.spends[spent_id] if reach.entry is None else self.spends[spent_id] - reach.entry[codes]
        return SideCosts(self._within(spent + left[codes]), self._within(spent + right[codes]))

    def _within(self, total: np.ndarray) -> np.ndarray:
        return np.where(total <= self.limit, total, math.inf)

    def barred_below(self, f: int) -> bool:
        """May feature f not be tested again below a node that tests it?"""
        return self.retest == "none" or (self.retest == "uncorrupted" and bool(self.attacked[f]))


def rules_by_column(attacker: Attacker, schema: Schema) -> dict[int, list[Rule]]:
    """The rules by column; unknown features and rules of the wrong kind are refused."""
    out: dict[int, list[Rule]] = {}
    for rule in attacker.rules:
        f = schema.index(rule.feature, who="attacker: the rule's feature")
        column = schema.columns[f]
        if rule.categorical != column.categorical:
            kind, holds = ("categorical", "numbers") if rule.categorical else ("numeric", "categories")
            raise ValueError(
                f"attacker: the rule on {rule.feature!r} is {kind}, but the column holds {holds}"
            )
        out.setdefault(f, []).append(rule)
    return out


def rule_categories(attacker: Attacker | None, index: Callable[[Any], int]) -> dict[int, list[Any]]:
    """The categories that rules name, by column: they belong to the column even if no row has them."""
    out: dict[int, list[Any]] = {}
    for rule in attacker.rules if attacker else ():
        if rule.categorical:
            out.setdefault(index(rule.feature), []).extend([*sorted(rule.pre or (), key=str), rule.becomes])
    return out


def _feature_reach(table: Table, f: int, rules: list[Rule], limit: float) -> FeatureReach:
    column, values = table.schema.columns[f], table.values[f]
    still = Fixed(np.arange(len(values)), column.categorical)
    rules = [r for r in rules if r.cost <= limit]
    if not rules:
        return still
    if column.categories is not None:
        cost = reach_categories(column.categories, rules).cost
        return Swapped(cost, np.ones(len(cost), dtype=bool)) if (cost <= limit).sum() > len(cost) else still
    reach = reach_numbers(values, rules, limit)
    return Shifted.within(reach, OPEN) if len(reach.costs) > 1 else still

"""Rows before a test, seen through one feature: what the attacker can still make of each, and so who is
surely left (L), surely right (R), or up to the attacker (U).

>>> import numpy as np
>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> attacker = Attacker([Rule(0, cost=1, delta=(-1, 1))], 1)
>>> toy = NodeRows.of(np.array([[-7.0], [1.0], [3.0]]), [-2, 0, 2], attacker, 0, "sse")
>>> toy.ends[0].tolist(), toy.ends[1].tolist()
([-8.0, 0.0, 2.0], [-6.0, 2.0, 4.0])
>>> toy.part(1.0).letters
'LUR'
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.core.attacker.on_table import SideCosts, rule_categories, rules_by_column
from treant_viz.core.attacker.reach import NumericReach, reach_categories, reach_numbers
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.losses import Loss, get_loss
from treant_viz.core.partition import sent_left, ternary_partition
from treant_viz.core.table import Column, Schema
from treant_viz.trace.trace import Trace
from treant_viz.viz.style.palette import Role

ROLES: tuple[Role, Role, Role] = ("left", "unknown", "right")
OPEN = (-math.inf, math.inf)
Intervals = tuple[tuple[float, float], ...]


class Part(NamedTuple):
    """Per row (or per threshold and row): can it be left, can it be right, is it left if nobody attacks."""

    can_left: np.ndarray
    can_right: np.ndarray
    unattacked: np.ndarray

    @property
    def side(self) -> np.ndarray:
        """0 left, 1 unknown, 2 right."""
        return np.where(self.can_left & self.can_right, 1, np.where(self.can_left, 0, 2))

    @property
    def letters(self) -> str:
        return "".join("LUR"[s] for s in self.side)


@dataclass(frozen=True, eq=False)
class NodeRows:
    """Rows of a node. `value` holds numbers, or places among the column's categories; `spent` what each has
    cost.

    `box` is what tests on this feature higher up leave open: (low, high], or the categories still allowed.
    """

    column: Column
    rows: np.ndarray
    value: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    spent: np.ndarray
    limit: float
    rules: tuple[Rule, ...]
    loss: Loss
    box: Any = OPEN

    @classmethod
    def at(cls, trace: Trace, path: str, feature: Any) -> NodeRows:
        """The rows of a step of a trace."""
        step, f = trace.at(path), trace.schema.index(feature)
        column, rows = trace.schema.columns[f], step.data.rows
        weight = trace.options.get("weight")
        w = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=float)[rows]
        rules = tuple(rules_by_column(trace.attacker, trace.schema).get(f, ()))
        value = _coded(column, trace.X.iloc[:, f])[rows]
        box = _box(trace, path, column) if rules else _whole(column)
        limit, spent = trace.attacker.limit, step.data.spent
        return cls(column, rows, value, trace.y[rows], w, spent, limit, rules, trace.loss, box)

    @classmethod
    def of(cls, X: Any, y: Any, attacker: Attacker, feature: Any, loss: str) -> NodeRows:
        """The rows of data on which nothing has been spent yet."""
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
        schema = Schema.of(X)
        schema = schema.with_categories(rule_categories(attacker, schema.index))
        f = schema.index(feature)
        column, labels = schema.columns[f], _labels(y, len(X))
        value = _coded(column, X.iloc[:, f] if isinstance(X, pd.DataFrame) else np.asarray(X)[:, f])
        rules = tuple(rules_by_column(attacker, schema).get(f, ()))
        measure = get_loss(loss, binary=bool(np.isin(labels, (0.0, 1.0)).all()))
        n = len(labels)
        unspent, ones, limit = np.zeros(n), np.ones(n), attacker.limit
        return cls(column, np.arange(n), value, labels, ones, unspent, limit, rules, measure, _whole(column))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def categories(self) -> tuple[Any, ...]:
        return self.column.categories or ()

    def part(self, v: Any) -> Part:
        """Definition "Ternary Partitioning" at v: a number, a category's place, or a column of these."""
        if not self.column.categorical:
            low, high = self.ends
            return Part(low <= v, high > v, self.value <= v)
        here = self.reached[:, np.asarray(v, dtype=int).ravel()].T.reshape(*np.shape(v)[:-1], -1)
        return Part(here, self.reached.sum(axis=1) > here, self.value == v)

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest number that each row can still be given."""
        values, code = np.unique(self.value, return_inverse=True)
        reach = reach_numbers(values, self.rules, self.limit, cuts=[x for x in self.box if math.isfinite(x)])
        inside, level = reach.bounded(*self.box), reach.level(self._budget_left(reach, code))
        return inside.low[level, code], inside.high[level, code]

    def _budget_left(self, reach: NumericReach, code: np.ndarray) -> np.ndarray:
        """What is left to spend on this feature: what entering the box has cost was spent on it already."""
        entry = 0.0 if self.box == OPEN else reach.cost_within(*self.box)[code]
        return self.limit - self.spent + entry

    def pieces(self, *, whole: bool = True) -> list[Intervals]:
        """The intervals that each row can be moved to; if not `whole`, moves far off are cut short."""
        values, code = np.unique(self.value, return_inverse=True)
        cuts = [x for x in self.box if math.isfinite(x)]
        reach = reach_numbers(values, self.rules, self.limit, cuts, whole=whole)
        pairs = list(zip(code.tolist(), self._budget_left(reach, code).tolist(), strict=True))
        found = {pair: tuple(_inside(reach.pieces_of(*pair), self.box)) for pair in dict.fromkeys(pairs)}
        return [found[pair] for pair in pairs]

    def crossing(self, v: Any) -> np.ndarray:
        """Per row, the least cost of getting to the other side of v; infinite if the budget is too small."""
        if self.column.categorical:
            cost = self._category_costs()
            others = np.isin(np.arange(len(self.categories)), list(self.box)) & (np.arange(len(cost)) != v)
            left, right = cost[:, v], cost[:, others].min(axis=1, initial=math.inf)
            code, entry = self.value, self._category_entry(cost)
        else:
            values, code = np.unique(self.value, return_inverse=True)
            reach = reach_numbers(values, self.rules, self.limit, [v, *filter(math.isfinite, self.box)])
            low, high = self.box
            left, right = reach.cost_within(low, min(high, v)), reach.cost_within(max(low, v), high)
            entry = np.zeros(len(values)) if self.box == OPEN else reach.cost_within(*self.box)
        part = self.part(v)
        cost = np.where(part.unattacked, right[code], left[code]) - entry[code]
        return np.where(part.can_left & part.can_right, cost, math.inf)

    @cached_property
    def reached(self) -> np.ndarray:
        """[row, category]: which categories each row can still be given."""
        cost = self._category_costs()
        budget_left = self.limit - self.spent + self._category_entry(cost)[self.value]
        return (cost[self.value] <= budget_left[:, None]) & np.isin(np.arange(len(cost)), list(self.box))

    def _category_costs(self) -> np.ndarray:
        n = len(self.categories)
        return reach_categories(self.categories, self.rules).cost[:n, :n]

    def _category_entry(self, cost: np.ndarray) -> np.ndarray:
        """What it has cost each category to be among those that the tests above allow."""
        return cost[:, sorted(self.box)].min(axis=1, initial=math.inf)


def standard_leaves(rows: NodeRows, unattacked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What an unaware learner would predict: the mean of each side, or of all rows if a side is empty."""
    all_ = np.average(rows.y, weights=rows.weight)
    sides = (unattacked, ~unattacked)
    masses = [side @ rows.weight for side in sides]
    sums = [side @ (rows.weight * rows.y) for side in sides]
    p_l, p_r = (np.where(m > 0, s / np.maximum(m, 1e-300), all_) for m, s in zip(masses, sums, strict=True))
    return p_l, p_r


def losses(rows: NodeRows, part: Part, y_l: Any, y_r: Any) -> tuple[np.ndarray, np.ndarray]:
    """Per row: its loss if nobody attacks, and the worst that the attacker can make of it."""
    hurt_l, hurt_r = rows.loss.ell(y_l, rows.y), rows.loss.ell(y_r, rows.y)
    worst = np.where(
        part.can_left & part.can_right, np.maximum(hurt_l, hurt_r), np.where(part.can_left, hurt_l, hurt_r)
    )
    return rows.weight * np.where(part.unattacked, hurt_l, hurt_r), rows.weight * worst


def worse_left(rows: NodeRows, part: Part, y_l: float, y_r: float) -> np.ndarray:
    """Definition "Robust Splitting": who ends left if the attacker does the worst there is."""
    left, right = (np.where(can, 0.0, math.inf) for can in (part.can_left, part.can_right))
    worse = rows.loss.worse_on_left(y_l, y_r, rows.y)
    return sent_left(ternary_partition(SideCosts(left, right)), worse, part.unattacked)


def threshold_in(rows: NodeRows, threshold: Any) -> tuple[Any, float | int]:
    """A threshold as the user knows it, and as a number: itself, or the category's place."""
    if not rows.column.categorical:
        if isinstance(threshold, (bool, str)) or not np.isscalar(threshold) or not math.isfinite(threshold):  # type: ignore[arg-type]
            raise ValueError(
                f"threshold: feature {rows.column.name!r} needs a finite number, got {threshold!r}"
            )
        return float(threshold), float(threshold)  # type: ignore[arg-type]
    if threshold not in rows.categories:
        known = ", ".join(map(repr, rows.categories[:8]))
        raise ValueError(
            f"threshold: {threshold!r} is no category of {rows.column.name!r}; there are {known}"
        )
    return threshold, rows.categories.index(threshold)


def _coded(column: Column, x: Any) -> np.ndarray:
    """A column as numbers; a category as its place."""
    return (
        Schema((column,))
        .matrix(pd.DataFrame({column.name: x}))[:, 0]
        .astype(int if column.categorical else float)
    )


def _labels(y: Any, n: int) -> np.ndarray:
    try:
        labels = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("y: expected numbers (classes as 0 and 1)") from None
    if labels.shape != (n,) or not np.isfinite(labels).all():
        raise ValueError(
            f"y: expected {n} finite labels, one a row of X, got an array of shape {labels.shape}"
        )
    if not n:
        raise ValueError("X: expected at least one row, got none")
    return labels


def _whole(column: Column) -> Any:
    return frozenset(range(len(column.categories))) if column.categories is not None else OPEN


def _box(trace: Trace, path: str, column: Column) -> Any:
    """What the tests on this feature along the path leave open."""
    box = _whole(column)
    for i, step in enumerate(path):
        split = trace.at(path[:i]).split
        if split is not None and split.feature == column.name:
            box = _narrowed(box, column, split.threshold, step == "l")
    return box


def _narrowed(box: Any, column: Column, v: Any, left: bool) -> Any:
    if column.categories is not None:
        only = {column.categories.index(v)}
        return box & only if left else box - only
    return (box[0], min(box[1], v)) if left else (max(box[0], v), box[1])


def _inside(pieces: Iterable[tuple[float, float]], box: tuple[float, float]) -> Iterable[tuple[float, float]]:
    """The parts of closed intervals within (low, high]."""
    return ((max(float(a), box[0]), min(float(b), box[1])) for a, b in pieces if b > box[0] and a <= box[1])


__all__ = [
    "ROLES",
    "Intervals",
    "NodeRows",
    "Part",
    "losses",
    "standard_leaves",
    "threshold_in",
    "worse_left",
]  # fmt: skip

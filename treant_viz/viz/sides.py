"""Rows before a test, seen through one feature: what the attacker can still make of each, and so who is L, U or R.

>>> import numpy as np
>>> from treant_viz.attacker import Attacker, Rule
>>> toy = Rows.of(np.array([[-7.0], [1.0], [3.0]]), [-2, 0, 2], Attacker([Rule(0, cost=1, delta=(-1, 1))], 1), 0, "sse")
>>> toy.ends[0].tolist(), toy.ends[1].tolist()
([-8.0, 0.0, 2.0], [-6.0, 2.0, 4.0])
>>> toy.part(1.0).letters
'LUR'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacker import Attacker, Rule
from treant_viz.bound import rule_categories, rules_by_column
from treant_viz.losses import Loss, get_loss
from treant_viz.reach import NumericReach, reach_categories, reach_numbers
from treant_viz.table import Column, Schema
from treant_viz.trace import Trace
from treant_viz.viz.palette import Role

ROLES: tuple[Role, Role, Role] = ("left", "unknown", "right")
OPEN = (-math.inf, math.inf)


class Part(NamedTuple):
    """Per row (or per threshold and row): can it be left, can it be right, is it left by nature."""

    can_left: np.ndarray
    can_right: np.ndarray
    home_left: np.ndarray

    @property
    def side(self) -> np.ndarray:
        """0 left, 1 unknown, 2 right."""
        return np.where(self.can_left & self.can_right, 1, np.where(self.can_left, 0, 2))

    @property
    def letters(self) -> str:
        return "".join("LUR"[s] for s in self.side)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a node. `value` holds numbers, or places among the column's categories; `spent` what each has cost.

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
    def at(cls, trace: Trace, path: str, feature: Any) -> Rows:
        """The rows of a step of a trace."""
        step, f = trace.at(path), trace.schema.index(feature)
        column, rows = trace.schema.columns[f], step.data.rows
        weight = trace.options.get("weight")
        w = np.ones(len(rows)) if weight is None else np.asarray(weight, dtype=float)[rows]
        rules = tuple(rules_by_column(trace.attacker, trace.schema).get(f, ()))
        value = _coded(column, trace.X.iloc[:, f])[rows]
        box = _box(trace, path, column) if rules else _whole(column)
        return cls(column, rows, value, trace.y[rows], w, step.data.spent, trace.attacker.limit, rules, trace.loss, box)

    @classmethod
    def of(cls, X: Any, y: Any, attacker: Attacker, feature: Any, loss: str) -> Rows:
        """The rows of data on which nothing has been spent yet."""
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
        schema = Schema.of(X)
        schema = schema.with_categories(rule_categories(attacker, schema.index))
        f = schema.index(feature)
        column, labels = schema.columns[f], _labels(y, len(X))
        value = _coded(column, X.iloc[:, f] if isinstance(X, pd.DataFrame) else np.asarray(X)[:, f])
        rules = tuple(rules_by_column(attacker, schema).get(f, ()))
        how = get_loss(loss, binary=bool(np.isin(labels, (0.0, 1.0)).all()))
        n = len(labels)
        return cls(
            column, np.arange(n), value, labels, np.ones(n), np.zeros(n), attacker.limit, rules, how, _whole(column)
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def categories(self) -> tuple[Any, ...]:
        return self.column.categories or ()

    def part(self, v: Any) -> Part:
        """Definition "Ternary Partitioning" at v: a number, a category's place, or a column [threshold, 1] of them."""
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
        inside, level = reach.bounded(*self.box), reach.level(self._purse(reach, code))
        return inside.low[level, code], inside.high[level, code]

    def _purse(self, reach: NumericReach, code: np.ndarray) -> np.ndarray:
        """What is left to spend on this feature: what entering the box has cost was spent on it already."""
        entry = 0.0 if self.box == OPEN else reach.cost_within(*self.box)[code]
        return self.limit - self.spent + entry

    def pieces(self, i: Sequence[int]) -> list[tuple[tuple[float, float], ...]]:
        """The intervals that each of these rows can be moved to."""
        values, code = np.unique(self.value[i], return_inverse=True)
        reach = reach_numbers(values, self.rules, self.limit, whole=True)
        purse = self.limit - self.spent[i] + (0.0 if self.box == OPEN else reach.cost_within(*self.box)[code])
        reached = (reach.pieces_of(c, p) for c, p in zip(code, purse, strict=True))
        return [tuple(_inside(found, self.box)) for found in reached]

    @cached_property
    def reached(self) -> np.ndarray:
        """[row, category]: which categories each row can still be given."""
        cost = reach_categories(self.categories, self.rules).cost[: len(self.categories), : len(self.categories)]
        allowed = np.isin(np.arange(len(self.categories)), list(self.box))
        entry = cost[:, allowed].min(axis=1, initial=math.inf)
        purse = self.limit - self.spent + entry[self.value]
        return (cost[self.value] <= purse[:, None]) & allowed


def standard_leaves(rows: Rows, home_left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What an unaware learner would predict: the mean of either side, or of all rows where a side is empty."""
    all_ = np.average(rows.y, weights=rows.weight)
    sides = (home_left, ~home_left)
    masses = [side @ rows.weight for side in sides]
    sums = [side @ (rows.weight * rows.y) for side in sides]
    p_l, p_r = (np.where(m > 0, s / np.maximum(m, 1e-300), all_) for m, s in zip(masses, sums, strict=True))
    return p_l, p_r


def losses(rows: Rows, part: Part, y_l: Any, y_r: Any) -> tuple[np.ndarray, np.ndarray]:
    """Per row: its loss if nobody attacks, and the worst that the attacker can make of it."""
    hurt_l, hurt_r = rows.loss.ell(y_l, rows.y), rows.loss.ell(y_r, rows.y)
    worst = np.where(
        part.can_left & part.can_right, np.maximum(hurt_l, hurt_r), np.where(part.can_left, hurt_l, hurt_r)
    )
    return rows.weight * np.where(part.home_left, hurt_l, hurt_r), rows.weight * worst


def threshold_in(rows: Rows, threshold: Any) -> tuple[Any, float | int]:
    """A threshold as the user knows it, and as a number: itself, or the category's place."""
    if not rows.column.categorical:
        if isinstance(threshold, (bool, str)) or not np.isscalar(threshold) or not math.isfinite(threshold):  # type: ignore[arg-type]
            raise ValueError(f"threshold: feature {rows.column.name!r} needs a finite number, got {threshold!r}")
        return float(threshold), float(threshold)  # type: ignore[arg-type]
    if threshold not in rows.categories:
        known = ", ".join(map(repr, rows.categories[:8]))
        raise ValueError(f"threshold: {threshold!r} is no category of {rows.column.name!r}; there are {known}")
    return threshold, rows.categories.index(threshold)


def _coded(column: Column, x: Any) -> np.ndarray:
    """A column as numbers; a category as its place."""
    return Schema((column,)).matrix(pd.DataFrame({column.name: x}))[:, 0].astype(int if column.categorical else float)


def _labels(y: Any, n: int) -> np.ndarray:
    try:
        labels = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("y: expected numbers (classes as 0 and 1)") from None
    if labels.shape != (n,) or not np.isfinite(labels).all():
        raise ValueError(f"y: expected {n} finite labels, one a row of X, got an array of shape {labels.shape}")
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


__all__ = ["ROLES", "Part", "Rows", "losses", "standard_leaves", "threshold_in"]

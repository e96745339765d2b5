"""Constraints that keep attack invariance: generation, propagation, and what they leave open to a leaf.

A constraint says ell(t(x), y) <= gamma or >= gamma. gamma always is the loss of some prediction on (x, y), and we keep
that prediction, `at`: so ell(p, y) <= ell(at, y) turns into bounds on p without any rounding, and `at` itself always
satisfies it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treant_viz.bound import BoundAttacker
from treant_viz.losses import Loss, Pieces, Sense
from treant_viz.partition import Data, Fork


@dataclass(frozen=True, slots=True)
class Constraint:
    """ell(t(x), y) <= or >= gamma, for one row x that can get here for `spent`. It came from the split at `origin`."""

    row: int
    y: float
    sense: Sense
    gamma: float
    at: float
    spent: float
    origin: str

    def allowed(self, loss: Loss) -> Pieces:
        """The predictions that satisfy it."""
        return loss.allowed(self.sense, self.y, self.at)

    def __str__(self) -> str:
        return f"row {self.row}: loss {self.sense} {self.gamma:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """C at a node, column by column. `most` marks the sense <=; `origin` counts into `origins`."""

    row: np.ndarray
    most: np.ndarray
    at: np.ndarray
    kid: np.ndarray
    origin: np.ndarray
    origins: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Constraints:
        i, f = np.empty(0, dtype=np.int64), np.empty(0)
        return cls(i, i.astype(bool), f, i, i)

    def __len__(self) -> int:
        return len(self.row)

    def take(self, which: np.ndarray, kid: np.ndarray) -> Constraints:
        return Constraints(self.row[which], self.most[which], self.at[which], kid, self.origin[which], self.origins)

    def plus(self, row: np.ndarray, most: np.ndarray, at: np.ndarray, kid: np.ndarray, origin: str) -> Constraints:
        columns = ((self.row, row), (self.most, most), (self.at, at), (self.kid, kid))
        row, most, at, kid = (np.concatenate(pair) for pair in columns)
        place = np.concatenate([self.origin, np.full(len(row) - len(self), len(self.origins))])
        return Constraints(row, most, at, kid, place, (*self.origins, origin))

    def records(self, D: Data, A: BoundAttacker, loss: Loss) -> list[Constraint]:
        """One plain record a constraint."""
        y = D.sample.y[self.row]
        gamma = loss.ell(self.at, y)
        columns = (self.row, y, self.most, gamma, self.at, A.spends[self.kid], self.origin)
        return [
            Constraint(r, yy, "<=" if m else ">=", g, a, s, self.origins[o])
            for r, yy, m, g, a, s, o in zip(*(c.tolist() for c in columns), strict=True)
        ]


def split_constraints(
    D: Data, A: BoundAttacker, C: Constraints, loss: Loss, f: int, v: int, y_l: float, y_r: float,
    branches: Fork, left: np.ndarray, path: str,
) -> tuple[Constraints, Constraints]:  # fmt: skip
    """Definition "Constraints Propagation and Generation": C_L and C_R."""
    unknown = branches.partition.unknown
    if not len(C) and not unknown.any():
        return C, C
    reach = D.reach(A, f)
    own = A.split_costs(reach, v, D.sample.table.codes[C.row, f], C.kid)
    row, sent_left = D.rows[unknown], left[unknown]
    tie = loss.worse_on_left(y_l, y_r, D.sample.y[row]) == 0
    spared = np.where(sent_left, y_r, y_l)  # the leaf that hurts less; of two that hurt the same, one's own
    sides = []
    for cost, mine, most, y in (
        (own[0], branches.left_cost, ~sent_left, y_l),
        (own[1], branches.right_cost, sent_left, y_r),
    ):
        at = np.where(tie, y, spared)
        ok = np.isfinite(cost)
        inherited = C.take(ok, A.ids(cost[ok]) if reach.attacked else C.kid[ok])
        new = inherited.plus(row, most, at, A.ids(mine[unknown]), path) if len(row) else inherited
        sides.append(new)
    return sides[0], sides[1]


def bounds(C: Constraints, y: np.ndarray, loss: Loss) -> tuple[float, float]:
    """The interval that C leaves to a prediction, for labels 0/1 (each constraint is a half-line)."""
    up = rising(C, y)
    return float(C.at[up].max(initial=loss.low)), float(C.at[~up].min(initial=loss.high))


def rising(C: Constraints, y: np.ndarray) -> np.ndarray:
    """Labels 0/1: which constraints ask for p >= at (the others ask for p <= at)."""
    return C.most == (y[C.row] > 0.5)


def feasible_set(constraints: Iterable[tuple[Sense, float, float]], loss: Loss) -> Pieces:
    """What all constraints (sense, y, at) leave to a prediction: closed intervals in order.

    >>> from treant_viz.losses import SSE
    >>> feasible_set([(">=", 0.0, -1.5), ("<=", 2.0, 4.0)], SSE)
    ((1.5, 4.0),)
    """
    low, high, gaps = loss.low, loss.high, []
    for sense, y, at in constraints:
        pieces = loss.allowed(sense, y, at)
        if len(pieces) == 1:
            low, high = max(low, pieces[0][0]), min(high, pieces[0][1])
        else:
            gaps.append((pieces[0][1], pieces[1][0]))
    return _without(low, high, gaps)


def _without(low: float, high: float, gaps: list[tuple[float, float]]) -> Pieces:
    """[low, high] minus the open intervals `gaps`."""
    out = []
    for a, b in sorted(gaps):
        if a >= low:
            out.append((low, min(a, high)))
        low = max(low, b)
        if low > high:
            return tuple(p for p in out if p[0] <= p[1])
    out.append((low, high))
    return tuple(p for p in out if p[0] <= p[1])


def nearest(pieces: Pieces, p: float) -> float:
    """The point of a feasible set that is closest to p (the lower one if two are)."""
    points = [min(max(p, a), b) for a, b in pieces]
    return min(points, key=lambda q: abs(q - p), default=math.nan)

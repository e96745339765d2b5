"""Constraints that keep attack invariance: generation, propagation, and what they leave open to a leaf.

This is `split_constraints` of `reference`, with all constraints of a node in a few arrays (paper, section
"Attack Invariance", Definition "Constraints Propagation and Generation").

A constraint says ell(t(x), y) <= gamma or >= gamma. gamma always is the loss of some prediction on (x, y),
and we keep that prediction, `at`: so ell(p, y) <= ell(at, y) turns into bounds on p without any rounding, and
`at` itself always satisfies it. What one constraint allows is said in `losses` (`Loss.allowed`); what all of
them allow, here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, SideCosts
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss, Pieces, Sense
from treant_viz.core.partition import RobustSplit, Stump


@dataclass(frozen=True, slots=True)
class Constraint:
    """ell(t(x), y) <= or >= gamma, for row x that can get here for `spent`; made by the split at `origin`."""

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
    """C at a node, column by column. `most` marks the sense <=; `origin` is an index into `origins`.

    `spent_id` is the number, in the attacker's ledger, of what it costs to bring the row here.
    """

    row: np.ndarray
    most: np.ndarray
    at: np.ndarray
    spent_id: np.ndarray
    origin: np.ndarray
    origins: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Constraints:
        i, f = np.empty(0, dtype=np.int64), np.empty(0)
        return cls(i, i.astype(bool), f, i, i)

    def __len__(self) -> int:
        return len(self.row)

    def costs(self, D: Data, A: AttackerOnTable, f: int, v: int) -> SideCosts:
        """Per constraint: all that will have been spent once its row is left, or right, of x_f <= v."""
        return A.split_costs(D.reach(A, f), v, D.sample.table.codes[self.row, f], self.spent_id)

    def within(self, cost: np.ndarray, A: AttackerOnTable) -> Constraints:
        """Those whose rows can come to a side, which costs them so much; the others say nothing there."""
        kept = np.isfinite(cost)
        row, most, at, origin = (column[kept] for column in (self.row, self.most, self.at, self.origin))
        return Constraints(row, most, at, A.ids(cost[kept]), origin, self.origins)

    def plus(
        self, row: np.ndarray, most: np.ndarray, at: np.ndarray, spent_id: np.ndarray, origin: str
    ) -> Constraints:
        """With new ones from the split at `origin`."""
        if not len(row):
            return self
        columns = ((self.row, row), (self.most, most), (self.at, at), (self.spent_id, spent_id))
        row, most, at, spent_id = (np.concatenate(pair) for pair in columns)
        place = np.concatenate([self.origin, np.full(len(row) - len(self), len(self.origins))])
        return Constraints(row, most, at, spent_id, place, (*self.origins, origin))

    def records(self, D: Data, A: AttackerOnTable, loss: Loss) -> list[Constraint]:
        """One plain record a constraint."""
        y = D.sample.y[self.row]
        gamma = loss.ell(self.at, y)
        columns = (self.row, y, self.most, gamma, self.at, A.spends[self.spent_id], self.origin)
        return [
            Constraint(r, yy, "<=" if m else ">=", g, a, s, self.origins[o])
            for r, yy, m, g, a, s, o in zip(*(c.tolist() for c in columns), strict=True)
        ]


def split_constraints(
    D: Data, A: AttackerOnTable, C: Constraints, stump: Stump, split: RobustSplit, loss: Loss, path: str
) -> tuple[Constraints, Constraints]:
    """Definition "Constraints Propagation and Generation": C_L and C_R."""
    unknown = split.partition.unknown
    if not len(C) and not unknown.any():
        return C, C
    costs = C.costs(D, A, stump.f, stump.v)
    row, left = D.rows[unknown], split.left[unknown]
    tie = loss.worse_on_left(stump.y_l, stump.y_r, D.sample.y[row]) == 0
    spared = np.where(left, stump.y_r, stump.y_l)  # gamma: the loss of the leaf that hurts less
    at_l, at_r = np.where(tie, stump.y_l, spared), np.where(tie, stump.y_r, spared)
    C_l = C.within(costs.left, A).plus(row, ~left, at_l, A.ids(split.costs.left[unknown]), path)
    C_r = C.within(costs.right, A).plus(row, left, at_r, A.ids(split.costs.right[unknown]), path)
    return C_l, C_r


def bounds(C: Constraints, y: np.ndarray, loss: Loss) -> tuple[float, float]:
    """The interval that C leaves to a prediction, for labels 0/1 (each constraint is a half-line)."""
    up = rising(C, y)
    return float(C.at[up].max(initial=loss.low)), float(C.at[~up].min(initial=loss.high))


def rising(C: Constraints, y: np.ndarray) -> np.ndarray:
    """Labels 0/1: which constraints ask for p >= at (the others ask for p <= at)."""
    return C.most == (y[C.row] > 0.5)


def feasible_set(constraints: Iterable[tuple[Sense, float, float]], loss: Loss) -> Pieces:
    """What all constraints (sense, y, at) leave to a prediction: closed intervals in order.

    >>> from treant_viz.core.losses import SSE
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

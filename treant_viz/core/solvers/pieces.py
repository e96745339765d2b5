"""What constraints leave open to the leaves of candidates, for real labels: unions of closed intervals.

This is `feasible` of `reference`, for all candidates at once.
What one constraint leaves open is said in `losses.Loss.allowed`: ell <= gamma an interval, ell >= gamma all
but the open interval of the predictions that are too close to the label. Either has `at` as one of its ends.
So of all gaps with the same `at` that lie on the same side of it, the longest covers the others; and for all
candidates at once the longest in reach is a running maximum (`candidates.ConstraintReach`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, feasible_set
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss, Pieces
from treant_viz.core.solvers.candidates import Bins, ConstraintReach, Tally


class AllPieces(NamedTuple):
    """Intervals as [side, piece, candidate], in rising order; there are `some` of them."""

    low: np.ndarray
    high: np.ndarray

    @property
    def some(self) -> np.ndarray:
        return (self.low <= self.high) & (self.low < np.inf)


def all_pieces(D: Data, A: AttackerOnTable, C: Constraints, bins: Bins, T: Tally) -> AllPieces:
    """The feasible predictions of either leaf of all candidates."""
    if not len(C):
        ends = np.full((2, 1, len(T)), np.inf)
        return AllPieces(-ends, ends)
    y = D.sample.y[C.row]
    mirror = 2 * y - C.at
    near, far = np.minimum(C.at, mirror), np.maximum(C.at, mirror)
    most, gap = np.flatnonzero(C.most), np.flatnonzero(~C.most & (near < far))
    upward = C.at[gap] == near[gap]
    ends, group = np.unique(np.column_stack([C.at[gap], upward]), axis=0, return_inverse=True)
    found = (
        ConstraintReach(D, A, C, bins)
        .tightest(
            np.concatenate([most, most, gap]),
            np.concatenate([np.zeros(len(most), int), np.ones(len(most), int), 2 + group.reshape(-1)]),
            np.concatenate([near[most], -far[most], np.where(upward, far[gap], -near[gap])]),
            2 + len(ends),
            T,
        )
        .swapaxes(0, 1)
    )
    at, up = ends[:, :1], ends[:, 1:] > 0
    low, high, length = found[:, 0], -found[:, 1], found[:, 2:]
    there = length > -np.inf
    begin = np.where(there, np.where(up, at, -length), np.inf)
    return _without(low, high, begin, np.where(there, np.where(up, length, at), np.inf))


def _without(low: np.ndarray, high: np.ndarray, begin: np.ndarray, end: np.ndarray) -> AllPieces:
    """[low, high] minus open gaps, given as [side, gap, candidate]; gaps that begin at inf are none."""
    order = np.argsort(begin, axis=1, kind="stable")
    begin, end = np.take_along_axis(begin, order, 1), np.take_along_axis(end, order, 1)
    ends = np.concatenate([low[:, None], end], axis=1)
    lows = np.maximum.accumulate(ends, axis=1)
    highs = np.minimum(np.concatenate([begin, high[:, None]], axis=1), high[:, None])
    return AllPieces(lows, highs)


def candidate_pieces(
    D: Data, A: AttackerOnTable, C: Constraints, f: int, v: int, loss: Loss
) -> tuple[Pieces, Pieces]:
    """The same for one candidate (f, v): what the constraints that can come to either leaf leave."""
    if not len(C):
        return ((loss.low, loss.high),), ((loss.low, loss.high),)
    left, right = (open_to(D, C, np.isfinite(cost), loss) for cost in C.costs(D, A, f, v))
    return left, right


def open_to(D: Data, C: Constraints, which: np.ndarray, loss: Loss) -> Pieces:
    """What some of the constraints leave to a prediction."""
    asked = np.column_stack([C.most[which], D.sample.y[C.row[which]], C.at[which]])
    distinct = np.unique(asked, axis=0).tolist() if len(asked) else []
    return feasible_set((("<=" if most else ">=", y, at) for most, y, at in distinct), loss)

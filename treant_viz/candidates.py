"""All candidates (f, v) of a node at once: the masses of their ternary partitions, and the bounds that C puts on them.

A row can be left of threshold v from the code `first` on and cannot be right of it from the code `last` on (without an
attack both are its own code): so the masses left, unknown and right of *every* threshold are cumulative sums. The same
holds for constraints, with a running maximum in place of the sum. Categories are counted one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treant_viz.bound import BoundAttacker, Shifted, Swapped
from treant_viz.constraints import Constraints, rising
from treant_viz.losses import Loss
from treant_viz.partition import Data, mass


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """One entry a candidate, in the order of features and thresholds; masses are [candidate, moment]."""

    feature: np.ndarray
    code: np.ndarray
    left: np.ndarray
    unknown: np.ndarray
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.feature)

    def take(self, which: np.ndarray) -> Tally:
        return Tally(*(getattr(self, n)[which] for n in ("feature", "code", "left", "unknown", "right")))


class Grid:
    """The bins (distinct values) that occur in D, feature by feature, and where any code falls among them."""

    def __init__(self, D: Data) -> None:
        S = D.sample
        masses = S.bin_masses(D.rows)
        present = mass(masses) > 0
        self.bins = np.flatnonzero(present)
        self.masses = masses[self.bins]
        self.feature = S.feature_of_bin[self.bins]
        self.categorical = S.categorical_bin[self.bins]
        self.offset = S.offset
        self.before = np.zeros(len(present) + 1, dtype=np.int64)  # how many present bins lie before each bin
        np.cumsum(present, out=self.before[1:])
        self.start = self.before[self.offset]  # where each feature begins among the present bins

    def segment(self, f: int) -> slice:
        return slice(self.start[f], self.start[f + 1])

    def place(self, f: int, codes: np.ndarray) -> np.ndarray:
        """The first present threshold at or above each code, counted within the feature."""
        return self.before[codes + self.offset[f]] - self.start[f]


def tally(D: Data, A: BoundAttacker, features: np.ndarray, grid: Grid) -> Tally:
    """The partition masses of every candidate on `features` (a mask over all features) that can part anything."""
    total = D.sample.total(D.rows)
    sure = may = left_by_nature(grid, total)
    if (A.attacked & features).any():
        sure, may = sure.copy(), sure.copy()
        for f in np.flatnonzero(A.attacked & features):
            _attacked(D, A, int(f), grid, sure[grid.segment(f)], may[grid.segment(f)])
    crumb = 1e-12 * mass(total)  # sums of weights are rounded: less than this is nothing
    keep = np.flatnonzero(features[grid.feature] & (mass(sure) < mass(total) - crumb) & (mass(may) > crumb))
    sure, may, feature = sure[keep], may[keep], grid.feature[keep]
    unknown, right = _no_debt(may - sure, crumb), _no_debt(total - may, crumb)
    return Tally(feature, grid.bins[keep] - grid.offset[feature], sure, unknown, right)


def _no_debt(masses: np.ndarray, crumb: float) -> np.ndarray:
    """Masses that are nothing but rounding become nothing."""
    if masses.dtype.kind == "f":
        masses[mass(masses) <= crumb] = 0.0
        if masses.shape[1] == 2:
            np.maximum(masses, 0.0, out=masses)
    return masses


def left_by_nature(grid: Grid, total: np.ndarray) -> np.ndarray:
    """The masses left of every present threshold if nobody attacks (for a category: the masses in it)."""
    below = np.cumsum(grid.masses, axis=0) - grid.feature[:, None] * total
    return np.where(grid.categorical[:, None], grid.masses, below)


def _attacked(D: Data, A: BoundAttacker, f: int, grid: Grid, sure: np.ndarray, may: np.ndarray) -> None:
    """Fill in the masses surely left and possibly left of each threshold of an attacked feature."""
    reach, codes, S = D.reach(A, f), D.codes(f), D.sample
    if isinstance(reach, Shifted):
        for ends, out in zip(reach.ends(codes, D.kid, A.purses), (may, sure), strict=True):
            steps = S.masses(grid.place(f, ends), D.rows, len(out) + 1)
            np.cumsum(steps[:-1], axis=0, out=out)
    elif isinstance(reach, Swapped):
        reached = reach.reached(A.purses).reshape(-1, len(reach.cost))
        masses = S.masses(D.kid * len(reach.cost) + codes, D.rows, len(reached))
        present = grid.bins[grid.segment(f)] - grid.offset[f]
        alone = reached & (reached.sum(axis=1, keepdims=True) == 1)
        may[:] = (reached.T.astype(float) @ masses)[present]
        sure[:] = (alone.T.astype(float) @ masses)[present]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """For labels 0/1: the interval that C leaves to either leaf of each candidate."""

    left_low: np.ndarray
    left_high: np.ndarray
    right_low: np.ndarray
    right_high: np.ndarray


def candidate_bounds(D: Data, A: BoundAttacker, C: Constraints, loss: Loss, grid: Grid, T: Tally) -> Bounds:
    """The tightest constraints among those that can reach either side, for every candidate."""
    slots = _slots(D, A, C, grid)
    up = rising(C, D.sample.y)
    which = grid.before[T.code + grid.offset[T.feature]] + T.feature
    lows = _tightest(D, A, C, grid, slots, np.flatnonzero(up), loss.low, 1.0)
    highs = _tightest(D, A, C, grid, slots, np.flatnonzero(~up), loss.high, -1.0)
    return Bounds(lows[0][which], highs[0][which], lows[1][which], highs[1][which])


def _slots(D: Data, A: BoundAttacker, C: Constraints, grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """[constraint, feature]: from which slot on it reaches left, and from which on no longer right.

    A feature's slots are its present thresholds and one more, for "never".
    """
    width = np.arange(D.sample.table.width)
    codes = D.sample.table.codes[C.row]
    first = grid.before[codes + grid.offset[:-1]] + width
    last = first.copy() if A.attacked.any() else first
    for f in np.flatnonzero(A.attacked):
        reach = D.reach(A, int(f))
        if isinstance(reach, Shifted):
            for ends, out in zip(reach.ends(codes[:, f], C.kid, A.purses), (first, last), strict=True):
                out[:, f] = grid.before[ends + grid.offset[f]] + f
    return first, last


def _tightest(
    D: Data, A: BoundAttacker, C: Constraints, grid: Grid, slots: tuple[np.ndarray, np.ndarray],
    which: np.ndarray, default: float, sign: float,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Per slot the largest (sign 1) or smallest (sign -1) `at` of the constraints that reach left, and right.

    Bounds are compared by rank and features kept apart by multiples of the number of ranks: integers, so nothing is
    rounded. Of equal places the last assignment stays, hence the order by rank.
    """
    size = len(grid.bins) + D.sample.table.width
    if not len(which):
        return np.full(size, default), np.full(size, default)
    levels, rank = np.unique(sign * C.at[which], return_inverse=True)
    order = np.argsort(rank, kind="stable")
    which, rank = which[order], rank[order] + 1
    n = len(levels) + 1
    width = D.sample.table.width
    feature = np.repeat(np.arange(width), np.diff(grid.start) + 1)
    left, right = feature * n, (width - 1 - feature) * n
    left_base, right_base = left.copy(), right.copy()
    left[slots[0][which].ravel()] = (rank[:, None] + np.arange(width) * n).ravel()
    right[slots[1][which].ravel()] = (rank[:, None] + np.arange(width)[::-1] * n).ravel()
    left = np.maximum.accumulate(left) - left_base
    right[:-1] = np.maximum.accumulate(right[::-1])[::-1][1:]
    right = np.maximum(right - right_base, 0)
    for f, column in enumerate(D.sample.table.schema.columns):
        if column.categorical:
            seen = slice(grid.start[f] + f, grid.start[f + 1] + f)
            left[seen], right[seen] = _categories(D, A, C, grid, f, which, rank)
    values = np.append(default, sign * levels)
    return values[left], values[right]


def _categories(
    D: Data, A: BoundAttacker, C: Constraints, grid: Grid, f: int, which: np.ndarray, rank: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The highest rank among the constraints that can be, or can be other than, each present category."""
    reach, codes = D.reach(A, f), D.sample.table.codes[C.row[which], f]
    size = len(D.sample.table.values[f])
    if isinstance(reach, Swapped):
        reached, place = reach.reached(A.purses).reshape(-1, size), C.kid[which] * size + codes
    else:
        reached, place = np.eye(size, dtype=bool), codes
    best = np.zeros(len(reached), dtype=np.int64)
    best[place] = rank
    held = np.flatnonzero(best)
    here = reached[held][:, grid.bins[grid.segment(f)] - grid.offset[f]]
    elsewhere = reached[held].sum(axis=1, keepdims=True) > here
    rank_of = best[held][:, None]
    return (here * rank_of).max(axis=0, initial=0), (elsewhere * rank_of).max(axis=0, initial=0)

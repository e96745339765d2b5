"""All candidates (f, v) of a node at once: the masses of their partitions, and the bounds C puts on them.

Where `best_stump` of `reference` partitions the rows anew for every candidate, here they are counted once.

A row can be left of threshold v from the code `first` on and cannot be right of it from the code `last` on
(without an attack both are its own code): so the masses left, unknown and right of *every* threshold are
cumulative sums. The same holds for constraints, with a running maximum in place of the sum. Categories are
counted one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, Shifted, Swapped
from treant_viz.core.constraints import Constraints, rising
from treant_viz.core.data import Data, mass
from treant_viz.core.losses import Loss
from treant_viz.core.solvers.thresholds import turning_points


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """One entry per candidate, by feature, then by threshold; `masses` is [part, candidate, moment]."""

    feature: np.ndarray
    code: np.ndarray
    masses: np.ndarray

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def left(self) -> np.ndarray:
        return self.masses[0]

    @property
    def right(self) -> np.ndarray:
        return self.masses[1]

    @property
    def unknown(self) -> np.ndarray:
        return self.masses[2]

    def take(self, which: np.ndarray) -> Tally:
        return Tally(self.feature[which], self.code[which], self.masses[:, which])


class Bins:
    """The bins (distinct values) at which D may be split, by feature, and where any code falls among them.

    They are those that occur in D, and those that are `offered` besides.
    """

    def __init__(self, D: Data, offered: np.ndarray | None = None) -> None:
        S = D.sample
        masses = S.bin_masses(D.rows)
        occurs = mass(masses) > 0
        if offered is not None:
            occurs |= offered
        self.present = np.flatnonzero(occurs)
        self.masses = masses[self.present]
        self.feature = S.feature_of_bin[self.present]
        self.categorical = S.categorical_bin[self.present]
        self.offset = S.offset
        self.before = np.zeros(len(occurs) + 1, dtype=np.int64)  # how many present bins lie before each bin
        np.cumsum(occurs, out=self.before[1:])
        self.start = self.before[self.offset]  # where each feature begins among the present bins

    @classmethod
    def at(cls, D: Data, A: AttackerOnTable, C: Constraints) -> Bins:
        """Those that the attacker's `thresholds` ask for."""
        return cls(D, turning_points(D, A, C) if A.thresholds == "reachable" else None)

    def segment(self, f: Any) -> slice:
        return slice(self.start[f], self.start[f + 1])

    def place(self, f: int, codes: np.ndarray) -> np.ndarray:
        """The first present threshold at or above each code, counted within the feature."""
        return self.before[codes + self.offset[f]] - self.start[f]


def tally(D: Data, A: AttackerOnTable, features: np.ndarray, bins: Bins) -> Tally:
    """The partition masses of every candidate on `features` (a mask) that can part anything."""
    total = D.sample.total(D.rows)
    sure = may = unattacked_masses(bins, total)
    if (A.attacked & features).any():
        sure, may = sure.copy(), sure.copy()
        for f in np.flatnonzero(A.attacked & features):
            _attacked(D, A, int(f), bins, sure[bins.segment(f)], may[bins.segment(f)])
    tolerance = 1e-12 * mass(total)  # sums of weights are rounded: less than this is nothing
    parts = (mass(sure) < mass(total) - tolerance) & (mass(may) > tolerance)
    keep = np.flatnonzero(features[bins.feature] & parts)
    sure, may, feature = sure[keep], may[keep], bins.feature[keep]
    masses = np.stack([sure, total - may, may - sure])
    if masses.dtype.kind == "f":
        _clear_rounding(masses, tolerance)
    return Tally(feature, bins.present[keep] - bins.offset[feature], masses)


def _clear_rounding(masses: np.ndarray, tolerance: np.ndarray) -> None:
    """Masses (of either label) that are nothing but rounding become 0."""
    gone = masses <= tolerance if masses.shape[-1] == 2 else mass(masses) <= tolerance
    masses[gone] = 0.0


def unattacked_masses(bins: Bins, total: np.ndarray) -> np.ndarray:
    """The masses left of every present threshold if nobody attacks (for a category: the masses in it)."""
    below = np.cumsum(bins.masses, axis=0) - bins.feature[:, None] * total
    return np.where(bins.categorical[:, None], bins.masses, below)


def _attacked(D: Data, A: AttackerOnTable, f: int, bins: Bins, sure: np.ndarray, may: np.ndarray) -> None:
    """Fill in the masses surely left and possibly left of each threshold of an attacked feature."""
    reach, codes, S = D.reach(A, f), D.codes(f), D.sample
    if isinstance(reach, Shifted):
        size = len(sure) + 1
        places = bins.place(f, reach.ends(codes, D.spent_id, A.budgets_left))
        places[1] += size
        steps = S.masses(places, D.rows, 2 * size).reshape(2, size, -1)
        may[:], sure[:] = steps.cumsum(axis=1)[:, :-1]
    elif isinstance(reach, Swapped):
        reached = reach.reached(A.budgets_left).reshape(-1, len(reach.cost))
        masses = S.masses(D.spent_id * len(reach.cost) + codes, D.rows, len(reached))
        present = bins.present[bins.segment(f)] - bins.offset[f]
        alone = reached & (reached.sum(axis=1, keepdims=True) == 1)
        may[:] = (reached.T.astype(float) @ masses)[present]
        sure[:] = (alone.T.astype(float) @ masses)[present]


class Bounds(NamedTuple):
    """For labels 0/1: the intervals that C leaves to the leaves of each candidate, as [side, candidate]."""

    low: np.ndarray
    high: np.ndarray


def candidate_bounds(D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, bins: Bins, T: Tally) -> Bounds:
    """The tightest constraints among those that can reach either side, for every candidate."""
    reach = ConstraintReach(D, A, C, bins)
    up = rising(C, D.sample.y)
    at = bins.before[T.code + bins.offset[T.feature]] + T.feature
    low = reach.tightest(np.flatnonzero(up), loss.low, 1.0)
    high = reach.tightest(np.flatnonzero(~up), loss.high, -1.0)
    return Bounds(low[:, at], high[:, at])


class ConstraintReach:
    """Which constraints reach which side of which threshold.

    A feature's slots are its present thresholds, and one for "never".
    """

    def __init__(self, D: Data, A: AttackerOnTable, C: Constraints, bins: Bins) -> None:
        self.D, self.A, self.C, self.bins = D, A, C, bins
        self.width = np.arange(D.sample.table.width)
        self.codes = D.sample.table.codes.take(C.row, axis=0)
        self.feature = np.repeat(self.width, np.diff(bins.start) + 1)
        self.first = bins.before[self.codes + bins.offset[:-1]] + self.width  # from here on it reaches left
        self.last = self.first  # from here on it does not reach right
        if A.attacked.any():
            self.last = self.first.copy()
            for f in np.flatnonzero(A.attacked):
                self._attacked(int(f))

    def _attacked(self, f: int) -> None:
        reach = self.D.reach(self.A, f)
        if isinstance(reach, Shifted):
            ends = reach.ends(self.codes[:, f], self.C.spent_id, self.A.budgets_left)
            for codes, out in zip(ends, (self.first, self.last), strict=True):
                out[:, f] = self.bins.before[codes + self.bins.offset[f]] + f

    def tightest(self, which: np.ndarray, default: float, sign: float) -> np.ndarray:
        """[side, slot]: the largest (sign 1) or smallest (-1) `at` among the constraints in reach."""
        if not len(which):
            return np.full((2, len(self.feature)), default)
        levels, rank = np.unique(sign * self.C.at[which], return_inverse=True)
        order = np.argsort(rank, kind="stable")
        ranks = self._ranks(which[order], rank[order] + 1, len(levels) + 1)
        return np.append(default, sign * levels)[ranks]

    def _ranks(self, which: np.ndarray, rank: np.ndarray, n: int) -> np.ndarray:
        """The highest rank in reach, by running maximum; 0 is none.

        Features are kept apart by multiples of n: whole numbers, so nothing is rounded. Where several
        constraints fall into one slot the last assignment stays: hence they come in the order of their ranks.
        """
        up, down = self.width * n, self.width[::-1] * n
        left, right = up[self.feature], down[self.feature]
        out = np.empty((2, len(left)), dtype=np.int64)
        out[0], out[1] = -left, -right
        left[self.first[which].ravel()] = (rank[:, None] + up).ravel()
        right[self.last[which].ravel()] = (rank[:, None] + down).ravel()
        out[0] += np.maximum.accumulate(left)
        out[1, :-1] += np.maximum.accumulate(right[::-1])[-2::-1]
        for f in np.flatnonzero(self.D.sample.categorical):
            seen = slice(self.bins.start[f] + f, self.bins.start[f + 1] + f)
            out[:, seen] = self._categories(int(f), which, rank)
        return np.maximum(out, 0, out=out)

    def _categories(self, f: int, which: np.ndarray, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The highest rank among the constraints that can be, or can be other than, each present category."""
        reach, codes = self.D.reach(self.A, f), self.codes[which, f]
        present = self.bins.present[self.bins.segment(f)] - self.bins.offset[f]
        size = len(self.D.sample.table.values[f])
        if not isinstance(reach, Swapped):
            return _here_and_elsewhere(codes, rank, size, present)
        reached = reach.reached(self.A.budgets_left).reshape(-1, size)
        best = np.zeros(len(reached), dtype=np.int64)
        best[self.C.spent_id[which] * size + codes] = rank
        some = np.flatnonzero(best)
        here = reached[some][:, present]
        elsewhere = reached[some].sum(axis=1, keepdims=True) > here
        of = best[some][:, None]
        return (here * of).max(axis=0, initial=0), (elsewhere * of).max(axis=0, initial=0)


def _here_and_elsewhere(
    codes: np.ndarray, rank: np.ndarray, size: int, present: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For constraints that stay in their category: the highest rank in each present one, and elsewhere."""
    best = np.zeros(size, dtype=np.int64)
    best[codes] = rank
    top = int(best.argmax())
    here, elsewhere = best[present], np.full(len(present), best[top])
    best[top] = 0
    elsewhere[present == top] = best.max()
    return here, elsewhere

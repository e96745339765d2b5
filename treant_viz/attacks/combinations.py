"""All affordable points of a row's problem, scored at once.

A point is a combination of cells, one per attacked feature. With a 0/1 matrix of points by leaves for each
half of the features, the scores of all pairs of half-points are one matrix product: what plain enumeration
does, at the speed of linear algebra.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.row_problem import RowProblem, Solution

FEW = 4_000  # combinations of cells, affordable or not, that are all listed
MANY = 1_000_000  # half-points that are not listed


class Combinations(NamedTuple):
    """Combinations of cells of some features, one a row: what each costs, and its cells."""

    cost: np.ndarray
    cells: np.ndarray


def combine(costs: Sequence[np.ndarray], limit: float) -> Combinations | None:
    """All affordable combinations, the cheapest first; None if they are too many."""
    total, cells = np.zeros(1), np.zeros((1, 0), dtype=np.int64)
    for cost in costs:
        if len(total) * len(cost) > MANY:
            return None
        sums = total[:, None] + cost
        i, j = np.nonzero(sums <= limit)
        total, cells = sums[i, j], np.column_stack([cells[i], j])
    order = np.argsort(total, kind="stable")
    return Combinations(total[order], cells[order])


def count_affordable(costs: Sequence[np.ndarray], limit: float) -> int:
    """How many combinations of one cell per feature are within the limit, counted feature by feature.

    >>> count_affordable([np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0])], 2.0)
    5
    """
    ways = Counter({0.0: 1})
    for cells in costs:
        more: Counter[float] = Counter()
        for (spent, n), (cost, m) in itertools.product(ways.items(), Counter(cells.tolist()).items()):
            if cost <= limit - spent:
                more[spent + cost] += n * m
        ways = more
    return ways.total()


def best_combinations(
    score: np.ndarray, cost: np.ndarray, limits: Sequence[float], tolerance: float
) -> list[int]:
    """For each limit on the cost the place of the best score, among equals of the cheapest."""
    out = []
    for limit in limits:
        within = np.where(cost <= limit, score, -math.inf)
        ties = (within >= within.max() - tolerance).nonzero()[0]
        out.append(int(ties[cost[ties].argmin()]))
    return out


class Scored(NamedTuple):
    """Points with their scores and costs; `cells` says what the point at some place is made of."""

    score: np.ndarray
    cost: np.ndarray
    cells: Callable[[int], tuple[int, ...]]


class AllCombinations:
    """All affordable points of a problem."""

    p: RowProblem

    def scored(self) -> Scored:
        raise NotImplementedError

    def best(self, limits: Sequence[float]) -> list[Solution]:
        """Score all points; for each limit the best, among equals the cheapest."""
        score, cost, cells = self.scored()
        picks = best_combinations(score, cost, limits, self.p.tolerance)
        return [Solution(float(score[k]), cells(k), float(cost[k]), float(score[k])) for k in picks]


class ListedCombinations(AllCombinations):
    """The affordable points of a small problem, one by one."""

    def __init__(self, p: RowProblem, limit: float) -> None:
        self.p = p
        total = p.costs[0]
        for cost in p.costs[1:]:
            total = total[..., None] + cost
        self.cells = (total <= limit).nonzero()
        self.cost = total[self.cells]
        self.count = float(len(self.cost))

    def work(self, most: float) -> float:
        """Points times leaves."""
        return self.count * len(self.p.value)

    def scored(self) -> Scored:
        still = self.p.members[0][self.cells[0]]
        for members, cells in zip(self.p.members[1:], self.cells[1:], strict=True):
            still &= members[cells]
        return Scored(still @ self.p.value, self.cost, lambda k: tuple(int(c[k]) for c in self.cells))


class Halves(AllCombinations):
    """The affordable points of a problem as pairs of points over two halves of the features."""

    def __init__(self, p: RowProblem, limit: float) -> None:
        self.p, self.limit = p, limit
        self.sides: tuple[list[int], list[int]] = ([], [])
        sizes = [1, 1]
        for f in sorted(range(len(p.costs)), key=lambda f: -len(p.costs[f])):
            side = int(sizes[1] < sizes[0])
            self.sides[side].append(f)
            sizes[side] *= len(p.costs[f])
        halves = [combine([p.costs[f] for f in side], limit) for side in self.sides]
        none = Combinations(np.zeros(0), np.zeros((0, 0), dtype=np.int64))
        self.many = None in halves
        self.a, self.b = (half or none for half in halves)

    @cached_property
    def count(self) -> float:
        """How many points there are; infinite if not even the halves can be listed."""
        if self.many:
            return math.inf
        return float(np.searchsorted(self.b.cost, self.limit - self.a.cost, side="right").sum())

    def work(self, most: float) -> float:
        """Points times leaves; infinite if a half alone has more than `most`."""
        if self.many or (len(self.a.cost) + len(self.b.cost)) * len(self.p.value) > most:
            return math.inf
        return self.count * len(self.p.value)

    def scored(self) -> Scored:
        """Every affordable pair of half-points, a slice of the first half at a time."""
        left, right = (
            self._open(side, points) for side, points in zip(self.sides, (self.a, self.b), strict=True)
        )
        left *= self.p.value
        parts = []
        for rows in _slices(self.a.cost):
            last = np.searchsorted(self.b.cost, self.limit - self.a.cost[rows.start], side="right")
            score, cost = left[rows] @ right[:last].T, self.a.cost[rows, None] + self.b.cost[:last]
            i, j = np.nonzero(cost <= self.limit)
            parts.append((score[i, j], cost[i, j], i + rows.start, j))
        s, c, i, j = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Scored(s, c, lambda k: self._cells(i[k], j[k]))

    def _open(self, side: Sequence[int], points: Combinations) -> np.ndarray:
        """[point, leaf]: 1 where the point leaves the leaf open."""
        out = np.ones((len(points.cost), len(self.p.value)))
        for f, cells in zip(side, points.cells.T, strict=True):
            out *= self.p.members[f][cells]
        return out

    def _cells(self, i: int, j: int) -> tuple[int, ...]:
        chosen = dict(zip(self.sides[0], self.a.cells[i], strict=True)) | dict(
            zip(self.sides[1], self.b.cells[j], strict=True)
        )
        return tuple(int(chosen[f]) for f in range(len(self.p.costs)))


def all_combinations(p: RowProblem, limit: float) -> ListedCombinations | Halves:
    """The affordable points of a problem, one by one if they are few."""
    return ListedCombinations(p, limit) if math.prod(map(len, p.costs)) <= FEW else Halves(p, limit)


def _slices(costs: np.ndarray, most: int = 16) -> list[slice]:
    """Runs of equal costs (they are sorted), or 16 runs of similar ones."""
    ends = np.flatnonzero(np.diff(costs)) + 1
    if len(ends) >= most:
        ends = ends[np.linspace(0, len(ends) - 1, most - 1).astype(int)]
    marks = [0, *ends.tolist(), len(costs)]
    return [slice(a, b) for a, b in itertools.pairwise(marks)]

"""The cheapest attack on one row that takes the sum of leaves beyond a border: exactly, or between bounds.

The search is that for the greatest sum (`search.py`) with the cost as its objective: all affordable
combinations at once if they are few, else depth first. What settling some features costs at least, once the
border is to be passed, is bounded by the least budget with which each tree's best reachable leaf would do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.combinations import Scored, all_combinations
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution
from treant_viz.attacks.search import DENSE, Descent, Partial

HAIR = 1 - 1e-9  # costs that differ by less are equal


class Goal(NamedTuple):
    """Sums of at least `sure` pass the border; those of at least `near` do if `passes` says so.

    `passes` takes choices of cells and their sums.
    """

    near: float
    sure: float
    passes: Callable[[Sequence[tuple[int, ...]], Sequence[float]], np.ndarray]


class Evasion(NamedTuple):
    """No attack that costs less than `at_least` passes the border; the one with these cells does, at `cost`.

    None: no attack is known that does, and the cost is infinite.
    """

    at_least: float
    cost: float
    cells: tuple[int, ...] | None


NEVER = Evasion(math.inf, math.inf, None)


def cheapest(p: RowProblem, limit: float, goal: Goal, stop: RowLimits) -> Evasion:
    """The cheapest attack within the limit on the cost; of equally cheap ones the one that goes farthest."""
    points = all_combinations(p, limit)
    if points.work(DENSE) <= DENSE and stop.affords(points.count):
        return pick(points.scored(), goal, stop)
    return CostDescent(p, limit, goal, stop).least()


def pick(points: Scored, goal: Goal, stop: RowLimits) -> Evasion:
    """The cheapest point that passes the border; those too near to tell are asked about, in this order."""
    score, cost, cells = points
    sure = score >= goal.sure
    least = float(cost[sure].min(initial=math.inf))
    unsure = np.flatnonzero((score >= goal.near) & ~sure & (cost < least))
    for part in _growing(unsure[np.argsort(cost[unsure], kind="stable")]):
        if stop.struck:
            known = pick(Scored(np.where(sure, score, -math.inf), cost, cells), goal, RowLimits())
            return known._replace(at_least=float(cost[part[0]]))
        passed = goal.passes([cells(k) for k in part.tolist()], score[part].tolist())
        if passed.any():
            k = int(part[np.argmax(passed)])
            return Evasion(float(cost[k]), float(cost[k]), cells(k))
    if least == math.inf:
        return NEVER
    best = int(np.argmax(np.where(sure & (cost <= least), score, -math.inf)))
    return Evasion(least, least, cells(best))


def _growing(places: np.ndarray) -> Iterator[np.ndarray]:
    """One place, then four, then sixteen, and so on up to 1,024 at a time."""
    size = 1
    while len(places):
        yield places[:size]
        places, size = places[size:], min(4 * size, 1024)


class CostDescent(Descent):
    """Depth first for the least cost. What points promise is minus the least cost that they may end with."""

    def __init__(self, p: RowProblem, limit: float, goal: Goal, stop: RowLimits) -> None:
        self.goal, self.levels = goal, list[np.ndarray]()
        super().__init__(p, limit, stop)
        self.doubt = math.inf  # from this cost on, the model was not asked: a limit struck
        self.best = Solution(-math.inf, (), math.inf, -math.inf)

    @property
    def bar(self) -> float:
        return -self.best.cost * HAIR

    def least(self) -> Evasion:
        """The cheapest attack; if a limit strikes, the cheapest one found and what none undercuts."""
        promised, cost = self._descend(), self.best.cost
        return Evasion(min(cost, -promised, self.doubt), cost, self.best.cells or None)

    def _promise(self, still: np.ndarray, depth: int, cost: np.ndarray) -> np.ndarray:
        """Minus the least cost with which each tree's best leaf within reach would pass the border."""
        levels = self._levels(depth)
        low, high = np.zeros(len(cost), dtype=np.int64), np.full(len(cost), len(levels))
        while (open_ := np.flatnonzero(low < high)).size:
            middle = (low[open_] + high[open_]) // 2
            enough = self._bound(still[open_], self.need[depth], levels[middle]) >= self.goal.near
            high[open_[enough]], low[open_[~enough]] = middle[enough], middle[~enough] + 1
        total = cost + np.append(levels, math.inf)[low]
        return np.where(total <= self.limit, -total, -math.inf)

    def _levels(self, depth: int) -> np.ndarray:
        """What any leaf can still cost, once so many features are settled, in rising order."""
        if not self.levels:
            self.levels = [np.unique(need[need <= self.limit]) for need in self.need]
        return self.levels[depth]

    def _finish(self, points: Partial, still: np.ndarray, cost: np.ndarray) -> None:
        depth = points.cells.shape[1]
        ends = self._open(self.order[depth:], self.tail.cells).astype(float)
        score = (still * self.p.value) @ ends.T
        a, b = np.nonzero((cost <= self.limit) & (cost < -self.bar) & (score >= self.goal.near))
        found = pick(
            Scored(score[a, b], cost[a, b], lambda k: self._whole(points.cells[a[k]], self.tail.cells[b[k]])),
            self.goal,
            self.stop,
        )
        if found.at_least < found.cost:
            self.doubt = min(self.doubt, found.at_least)
        if found.cells is not None:
            self.best = Solution(-found.cost, found.cells, found.cost, -found.cost)

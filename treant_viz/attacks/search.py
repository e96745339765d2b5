"""The exact search on one row: a cell per attacked feature, within the budget, for the greatest leaves.

If few combinations of cells are affordable, all are scored at once (`combinations.py`). If there are too
many, boxes of them are cut in two until their bounds are attained (`boxes.py`). Where leaves are no boxes, as
with tests on categories, features are settled one after the other, depth first, many combinations at a time
and the most promising first. What settling some features can still lead to is bounded by the best leaf of
each tree that they and the budget left allow; what promises no more than the best attack found so far is
dropped. The last few features are again scored at once. A `Watcher` may look on; it is told of whole blocks,
so that a search that nobody watches is no slower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.boxes import box_search
from treant_viz.attacks.combinations import Combinations, all_combinations, combine
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution

EASY = 1_000_000  # combinations, affordable or not, times leaves: a small problem, which never needs boxes
DENSE = 30_000_000  # affordable points times leaves that are scored in one go, before boxes are tried
BLOCK = 2_000_000  # the same for one step of the descent
TAIL = 300  # points over the last features


def solve(p: RowProblem, limits: Sequence[float], stop: RowLimits) -> list[Solution]:
    """The best attack for each limit on the cost (given in rising order)."""
    size = math.prod(map(len, p.costs)) * len(p.value)
    small = size <= EASY
    binding = sum(c.max() for c in p.costs) > limits[0]  # the budget does not pay for all features
    boxes = None if small or size <= DENSE or binding else box_search(p, stop)
    if boxes is None:
        points = all_combinations(p, limits[-1])
        if points.work(DENSE) <= DENSE and stop.affords(points.count):
            return points.best(limits)
        boxes = None if small else box_search(p, stop)
    if boxes is not None:
        return [boxes.best(limit) for limit in limits]
    return [Descent(p, limit, stop).run() for limit in limits]


class Partial(NamedTuple):
    """Points over the first features in order, best bound first."""

    cells: np.ndarray
    cost: np.ndarray
    bound: np.ndarray


class Watcher:
    """Looks on at searches; this one does nothing. Points are told of by the search's own arrays."""

    def begins(self, search: Descent) -> None:
        """A search begins; perhaps the second one, below the cost that the first one found."""

    def branched(
        self, parents: Partial, i: np.ndarray, j: np.ndarray, cost: np.ndarray, bound: np.ndarray
    ) -> None:
        """Points i were settled on cell j of the next feature; a bound up to the bar is cut at once."""

    def dropped(self, layer: Partial, first: int) -> None:
        """The points of a layer from this one on are cut: the bar has risen since they were put there."""

    def scored(self, points: Partial, cost: np.ndarray, score: np.ndarray) -> None:
        """[point, tail]: the last features were settled in all ways; out of the budget is -infinity."""


UNWATCHED = Watcher()


class Descent:
    """Feature by feature, depth first. Attacks worth no more than `floor` are of no interest.

    `one_by_one`: a single point and a single feature at a time, as in a textbook; the same is found.
    """

    def __init__(
        self,
        p: RowProblem,
        limit: float,
        stop: RowLimits,
        floor: float = -math.inf,
        *,
        watch: Watcher = UNWATCHED,
        one_by_one: bool = False,
    ) -> None:
        self.p, self.limit, self.stop, self.floor = p, limit, stop, floor
        self.watch, self.one_by_one = watch, one_by_one
        self.block, self.most_in_tail = (1, 1) if one_by_one else (BLOCK, TAIL)
        self.best = Solution(p.score(p.unattacked), p.unattacked, 0.0, math.inf)
        self.entry = np.array([_entry(m, c) for m, c in zip(p.members, p.costs, strict=True)])
        self.order = self._order()
        behind = np.cumsum(self.entry[self.order][::-1], axis=0)[::-1]
        self.need = np.vstack([behind, np.zeros(len(p.value))])  # per leaf, once k features are settled
        self.tail = self._tail()
        self.stack = [Partial(np.zeros((1, 0), dtype=np.int64), np.zeros(1), self._root_bound())]

    def _order(self) -> list[int]:
        """First the features whose settling lowers the greatest bound most."""
        parts = zip(self.p.members, self.p.costs, strict=True)
        bounds = [
            self._bound(m, self._entry_without(f), self.limit - c).max() for f, (m, c) in enumerate(parts)
        ]
        return [int(f) for f in np.argsort(bounds, kind="stable")]

    def _entry_without(self, f: int) -> np.ndarray:
        """Of each leaf, the least cost on all features but f."""
        return self.entry[:f].sum(axis=0) + self.entry[f + 1 :].sum(axis=0)

    def _tail(self) -> Combinations:
        """The points over the last features: as many features as keep them few."""
        tail = Combinations(np.zeros(1), np.zeros((1, 0), dtype=np.int64))
        for k in reversed(range(len(self.order))):
            more = combine([self.p.costs[f] for f in self.order[k:]], self.limit)
            if more is None or len(more.cost) > self.most_in_tail:
                break
            tail = more
        return tail

    def _root_bound(self) -> np.ndarray:
        return self._promise(np.ones((1, len(self.p.value)), dtype=bool), 0, np.zeros(1))

    def _promise(self, still: np.ndarray, depth: int, cost: np.ndarray) -> np.ndarray:
        """Per point over the first features: what it can still lead to, the greater the better."""
        return self._bound(still, self.need[depth], self.limit - cost)

    def _bound(self, still: np.ndarray, need: np.ndarray, budget_left: np.ndarray) -> np.ndarray:
        """Per point: from each tree the best of the leaves still open that the budget left can pay for."""
        values = np.where(still & (need <= budget_left[:, None]), self.p.value, -math.inf)
        return np.maximum.reduceat(values, self.p.first, axis=1).sum(axis=1)

    @property
    def bar(self) -> float:
        """What a point must promise more than to be worth a look."""
        return max(self.best.value, self.floor) + self.p.tolerance

    def run(self) -> Solution:
        self.watch.begins(self)
        if (promised := self._descend()) > self.bar:
            return self.best._replace(bound=promised)
        return self._cheapest(self.best._replace(bound=self.best.value))

    def _descend(self) -> float:
        """Until nothing is left to look at, or a limit strikes: then what the rest still promises."""
        while self.stack and not self.stop.struck:
            points = self._take()
            if points is not None and not self._go_on(points):
                self.stack.append(points)
                self.stop.strike()
        return max((float(part.bound.max()) for part in self.stack if len(part.bound)), default=-math.inf)

    def _take(self) -> Partial | None:
        """The most promising points of the deepest layer; the others wait."""
        layer = self.stack.pop()
        worthy = int(np.searchsorted(-layer.bound, -self.bar))
        if worthy < len(layer.bound):
            self.watch.dropped(layer, worthy)
        if not worthy:
            return None
        depth = layer.cells.shape[1]
        wide = len(self.tail.cost) if self._at_tail(depth) else len(self.p.costs[self.order[depth]])
        n = min(worthy, max(1, self.block // (wide * len(self.p.value))))
        if n < worthy:
            self.stack.append(Partial(*(a[n:worthy] for a in layer)))
        return Partial(*(a[:n] for a in layer))

    def _at_tail(self, depth: int) -> bool:
        return depth + self.tail.cells.shape[1] == len(self.order)

    def _go_on(self, points: Partial) -> bool:
        """Settle one more feature, or all that are left; False if the limit on nodes does not afford that."""
        depth = points.cells.shape[1]
        tail = self._at_tail(depth)
        more = self.tail.cost if tail else self.p.costs[self.order[depth]]
        cost = points.cost[:, None] + more
        i, j = np.nonzero(cost <= self.limit)
        if not self.stop.affords(len(i)):
            return False
        still = self._open(self.order[:depth], points.cells)
        if tail:
            self._finish(points, still, cost)
        else:
            self._settle(points, still, i, j, cost[i, j])
        return True

    def _open(self, features: Sequence[int], cells: np.ndarray) -> np.ndarray:
        """[point, leaf]: the leaves that these cells leave open."""
        still = np.ones((len(cells), len(self.p.value)), dtype=bool)
        for f, c in zip(features, cells.T, strict=True):
            still &= self.p.members[f][c]
        return still

    def _settle(
        self, points: Partial, still: np.ndarray, i: np.ndarray, j: np.ndarray, cost: np.ndarray
    ) -> None:
        depth = points.cells.shape[1]
        bound = self._promise(still[i] & self.p.members[self.order[depth]][j], depth + 1, cost)
        self.watch.branched(points, i, j, cost, bound)
        worthy = np.flatnonzero(bound > self.bar)
        k = worthy[np.argsort(-bound[worthy], kind="stable")]
        self.stack.append(Partial(np.column_stack([points.cells[i[k]], j[k]]), cost[k], bound[k]))

    def _finish(self, points: Partial, still: np.ndarray, cost: np.ndarray) -> None:
        """Score all ways to settle the last features."""
        depth = points.cells.shape[1]
        ends = self._open(self.order[depth:], self.tail.cells).astype(float)
        score = np.where(cost <= self.limit, (still * self.p.value) @ ends.T, -math.inf)
        self.watch.scored(points, cost, score)
        top = score.max()
        if top > self.bar:
            ties = np.argwhere(score >= top - self.p.tolerance)
            a, b = ties[np.argmin(cost[tuple(ties.T)])]
            cells = self._whole(points.cells[a], self.tail.cells[b])
            self.best = Solution(float(score[a, b]), cells, float(cost[a, b]), math.inf)

    def _whole(self, first: np.ndarray, last: np.ndarray) -> tuple[int, ...]:
        """Cells of the first features in order and of those of the tail, as a choice for each feature."""
        cells = np.empty(len(self.order), dtype=np.int64)
        cells[self.order] = np.concatenate([first, last])
        return tuple(cells.tolist())

    def _cheapest(self, found: Solution) -> Solution:
        """Among equally good attacks the cheapest: search again below the cost found."""
        if found.cost == 0 or found.value < self.floor:
            return found
        floor = found.value - 2 * self.p.tolerance
        other = Descent(
            self.p,
            found.cost * (1 - 1e-9),
            self.stop,
            floor,
            watch=self.watch,
            one_by_one=self.one_by_one,
        ).run()
        return other._replace(bound=found.bound) if other.value > floor else found


def _entry(members: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Per leaf: the least cost of a cell that belongs to it."""
    return np.where(members, costs[:, None], math.inf).min(axis=0)

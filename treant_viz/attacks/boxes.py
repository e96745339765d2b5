"""The exact search on one row, for many attackable features with wide reach: boxes that are cut in two.

A box says for each feature from which cell to which. Its bound is what the leaves that meet it can add up to,
group by group (`leaf_groups.py`). If the best leaves of all groups have a cell of each feature in common, the
bound is attained, and the box is done. If not, it is cut where they disagree most: some groups want to be on
one side, some on the other, and both halves promise less. Boxes that promise most come first, many at a time;
what promises no more than the best attack known is dropped. A good one is looked for beforehand (`climb.py`).
"""

from __future__ import annotations

import heapq
import itertools
import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.climb import Climb
from treant_viz.attacks.leaf_groups import LeafGroups, Sides, sides_of
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution

BATCH = 512  # boxes that are cut together
WISHES = 2_000_000  # groups of trees times features times boxes that are looked at together
WIDEST = 400  # cells of a feature
HAIR = 1 - 1e-9


def box_search(p: RowProblem, stop: RowLimits) -> BoxSearch | None:
    """A search of boxes, if the problem is one for it: features in runs of cells, not too many a feature."""
    if max(map(len, p.costs)) > WIDEST:
        return None
    sides = sides_of(p)
    return None if sides is None else BoxSearch(p, sides, stop)


class Box(NamedTuple):
    """Many boxes: the cells of each feature, [box, feature], the leaves open, the bound; best bound first."""

    low: np.ndarray
    high: np.ndarray
    state: np.ndarray
    bound: np.ndarray

    def at(self, places: np.ndarray | slice) -> Box:
        return Box(*(a[places] for a in self))


class BoxSearch:
    """All limits on the cost, one after the other, with the same tables."""

    def __init__(self, p: RowProblem, sides: Sides, stop: RowLimits) -> None:
        self.p, self.sides, self.stop = p, sides, stop
        self.features = np.arange(len(p.costs))
        self.cheapest = [_least_between(c) for c in p.costs]
        self.cost_of_leaf = np.sum(
            [np.where(m, c[:, None], math.inf).min(axis=0) for m, c in zip(p.members, p.costs, strict=True)],
            axis=0,
        )

    @cached_property
    def groups(self) -> LeafGroups:
        return LeafGroups(self.p, self.sides)

    def best(self, limit: float) -> Solution:
        """The best attack within the limit; among equals the cheapest."""
        found = Climb(self.p, self.groups, limit, self.stop).best()
        found, promised = self._search(limit, found, -math.inf)
        if promised > found.value + self.p.tolerance:
            return found._replace(bound=promised)
        found = found._replace(bound=found.value)
        floor = found.value - 2 * self.p.tolerance
        while found.cost > 0 and not self.stop.struck:
            nothing = Solution(-math.inf, (), math.inf, math.inf)
            other, _ = self._search(found.cost * HAIR, nothing, floor)
            if other.value <= floor:
                break
            found = other._replace(bound=found.bound)
        return found

    def _search(self, limit: float, best: Solution, floor: float) -> tuple[Solution, float]:
        """The best attack, and what the boxes promise that a limit has left over (-infinity: there are none).

        Attacks worth no more than `floor` are of no interest.
        """
        todo, ticket = list[tuple[float, int, Box]](), itertools.count()
        self._push(todo, ticket, self._whole(limit), max(best.value, floor) + self.p.tolerance)
        while todo and not self.stop.struck:
            boxes = self._take(todo, ticket)
            best, rest, cuts = self._look(boxes, limit, best)
            bar = max(best.value, floor) + self.p.tolerance
            if not self.stop.affords(2 * len(cuts)):
                self._push(todo, ticket, rest, bar)
                self.stop.strike()
                break
            self._push(todo, ticket, self._halves(rest, cuts, limit), bar)
            while todo and -todo[0][0] <= bar:
                heapq.heappop(todo)
        return best, -todo[0][0] if todo else -math.inf

    def _whole(self, limit: float) -> Box:
        """One box of everything."""
        shape = (1, len(self.features))
        state = self.groups.state((self.cost_of_leaf <= limit)[None])
        return Box(
            np.zeros(shape, dtype=np.int64), self.groups.sizes[None] - 1, state, self.groups.bound(state)
        )

    @staticmethod
    def _push(
        todo: list[tuple[float, int, Box]], ticket: itertools.count[int], boxes: Box, bar: float
    ) -> None:
        worthy = np.flatnonzero(boxes.bound > bar)
        if len(worthy):
            boxes = boxes.at(worthy[np.argsort(-boxes.bound[worthy], kind="stable")])
            heapq.heappush(todo, (-float(boxes.bound[0]), next(ticket), boxes))

    def _take(self, todo: list[tuple[float, int, Box]], ticket: itertools.count[int]) -> Box:
        """The most promising boxes."""
        width = len(self.groups.units) * len(self.features)
        taken, room = list[Box](), max(1, min(BATCH, WISHES // width))
        while todo and room:
            _, _, boxes = heapq.heappop(todo)
            taken.append(boxes.at(slice(0, room)))
            if len(boxes.bound) > room:
                rest = boxes.at(slice(room, None))
                heapq.heappush(todo, (-float(rest.bound[0]), next(ticket), rest))
            room -= len(taken[-1].bound)
        return Box(*(np.concatenate(part) for part in zip(*taken, strict=True)))

    def _look(self, boxes: Box, limit: float, best: Solution) -> tuple[Solution, Box, np.ndarray]:
        """Boxes whose bound is attained are done; for the others the cells after which they are cut."""
        low, high = self.groups.wishes(boxes.state)
        first = np.maximum(low.max(axis=1), boxes.low)
        last = np.minimum(high.min(axis=1), boxes.high)
        agreed = (first <= last).all(axis=1)
        costs = np.full(first.shape, math.inf)
        costs[agreed] = self._costs(first[agreed], last[agreed])
        total = costs.sum(axis=1)
        best = self._better(best, boxes.bound, total, first, last, limit)
        todo = np.flatnonzero(~(total <= limit))
        cuts = self._disagreement(low[todo], high[todo])
        dear = agreed[todo]
        cuts[dear] = self._price(boxes.at(todo[dear]), costs[todo[dear]], first[todo[dear]], last[todo[dear]])
        return best, boxes.at(todo), cuts

    def _better(
        self,
        best: Solution,
        bound: np.ndarray,
        cost: np.ndarray,
        first: np.ndarray,
        last: np.ndarray,
        limit: float,
    ) -> Solution:
        """The best of the boxes that are done, if it is better than what is known."""
        done = np.flatnonzero(cost <= limit)
        if not len(done) or bound[done].max() <= best.value + self.p.tolerance:
            return best
        ties = done[bound[done] >= bound[done].max() - self.p.tolerance]
        k = ties[np.argmin(cost[ties])]
        pairs = zip(self.p.costs, first[k].tolist(), last[k].tolist(), strict=True)
        cells = tuple(a + int(np.argmin(c[a : b + 1])) for c, a, b in pairs)
        return Solution(self.p.score(cells), cells, float(cost[k]), math.inf)

    def _costs(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """[box, feature]: the least cost of a cell between two."""
        return np.column_stack([t[low[:, f], high[:, f]] for f, t in enumerate(self.cheapest)])

    def _disagreement(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The cells after which most groups want to be on the other side of some that do not."""
        n, width = len(low), len(self.groups.feature)
        at = (np.arange(n) * width)[:, None, None] + self.groups.start
        count = [
            np.bincount((at + side).ravel(), minlength=n * width).reshape(n, width) for side in (low, high)
        ]
        starts, ends = (np.cumsum(c, axis=1) for c in count)
        units = low.shape[1]
        before = units * self.groups.feature  # every unit starts and ends once a feature
        left, right = ends - before, units - (starts - before)
        return np.argmax(np.minimum(left, right) + 1e-3 * (left * right), axis=1)

    def _price(self, boxes: Box, costs: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """For boxes whose best point is too dear: the cells that part it from what is cheaper."""
        f = np.argmax(costs - self._costs(boxes.low, boxes.high), axis=1)
        out = np.zeros(len(f), dtype=np.int64)
        for k, g in enumerate(f.tolist()):
            a, b = int(boxes.low[k, g]), int(boxes.high[k, g])
            cheap = a + int(np.argmin(self.p.costs[g][a : b + 1]))
            cut = first[k, g] - 1 if cheap < first[k, g] else last[k, g]
            out[k] = self.groups.start[g] + cut
        return out

    def _halves(self, boxes: Box, cuts: np.ndarray, limit: float) -> Box:
        """Both halves of each box that the budget can pay for."""
        f = self.groups.feature[cuts]
        cell, row = cuts - self.groups.start[f], np.arange(len(cuts))
        high, low = boxes.high.copy(), boxes.low.copy()
        high[row, f], low[row, f] = cell, cell + 1
        out = Box(
            np.concatenate([boxes.low, low]),
            np.concatenate([high, boxes.high]),
            np.concatenate(
                [boxes.state & self.groups.below[cuts], boxes.state & self.groups.above[cuts + 1]]
            ),
            np.zeros(2 * len(cuts)),
        )
        out = out.at(self._costs(out.low, out.high).sum(axis=1) <= limit)
        return out._replace(bound=self.groups.bound(out.state))


def _least_between(costs: np.ndarray) -> np.ndarray:
    """[from, to]: the least cost of a cell between these two; infinite if there is none."""
    n = len(costs)
    table = np.where(np.arange(n)[:, None] <= np.arange(n), costs, math.inf)
    return np.minimum.accumulate(table, axis=1)

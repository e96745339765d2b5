"""A good attack on one row before the search: one feature at a time is changed for the best, until none is.

Several climbs go on at the same time, each from its own start. Where the budget does not pay for all
features, a climb soon has spent it all; so some features are given back and it goes on, a few times over.
"""

from __future__ import annotations

import math

import numpy as np

from treant_viz.attacks.leaf_groups import LeafGroups
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution

CLIMBS = 8
SWEEPS = 8  # over all features, until no climb gets any further
RETURNS = 12  # times that features are given back
START = 0.5  # how much chance has to say in the first sweep, as a share of the differences


class Climb:
    """Points, one a climb: a cell per feature, what they cost, and the sums of their leaves."""

    def __init__(self, p: RowProblem, groups: LeafGroups, limit: float, stop: RowLimits) -> None:
        self.p, self.groups, self.limit, self.stop = p, groups, limit, stop
        self.random, self.features = np.random.default_rng(0), np.arange(len(p.costs))
        self.masks = groups.below & groups.above
        self.all = groups.state(np.ones((1, len(p.value)), dtype=bool))
        self.cells = np.tile(p.unattacked, (CLIMBS, 1))
        self.value = np.full(CLIMBS, p.score(p.unattacked))

    def best(self) -> Solution:
        """The best point found; the unattacked row if nothing is better."""
        self._sweep(START)
        for _ in range(SWEEPS):
            if not self._sweep().any():
                break
        if sum(float(c.max()) for c in self.p.costs) > self.limit:
            for _ in range(RETURNS):
                self._give_back()
        choice = tuple(self.cells[int(np.argmax(self.value))].tolist())
        score, cost = self.p.score(choice), float(self._costs(np.array([choice]))[0])
        known = Solution(self.p.score(self.p.unattacked), self.p.unattacked, 0.0, math.inf)
        better = score > known.value + self.p.tolerance and cost <= self.limit
        return Solution(score, choice, cost, math.inf) if better else known

    def _sweep(self, chance: float = 0.0) -> np.ndarray:
        """Each feature once, in any order; which climbs got further?"""
        before = self.value
        for f in self.random.permutation(self.features).tolist():
            if not self.stop.struck:
                self._improve(f, chance)
        return np.asarray(self.value > before + self.p.tolerance)

    def _improve(self, f: int, chance: float) -> None:
        """The best cell of a feature, the others being as they are. By chance another; never in climb 0."""
        first, n = self.groups.start[f], self.groups.sizes[f]
        others = np.delete(self.groups.start + self.cells, f, axis=1)
        rest = np.bitwise_and.reduce(self.masks[others], axis=1) if others.size else self.all
        states = rest[:, None] & self.masks[first : first + n]
        worth = self.groups.bound(states.reshape(-1, states.shape[2])).reshape(len(rest), n)
        worth = np.broadcast_to(worth, (CLIMBS, n))
        spent = (self._costs(self.cells) - self.p.costs[f][self.cells[:, f]])[:, None] + self.p.costs[f]
        payable = (spent <= self.limit) & (worth > -math.inf)
        span = np.ptp(np.where(payable, worth, self.value[:, None]), axis=1, keepdims=True)
        noise = chance * span * self.random.random(worth.shape)
        noise[0] = 0.0
        k = np.argmax(np.where(payable, worth + noise, -math.inf), axis=1)
        self.cells = self.cells.copy()
        self.cells[:, f], self.value = k, worth[np.arange(CLIMBS), k]

    def _give_back(self) -> None:
        """Two features of each climb are as they were; where that leads no higher, all is as before."""
        cells, value = self.cells, self.value
        self.cells = cells.copy()
        for _ in range(2):
            f = self.random.integers(len(self.features), size=CLIMBS)
            self.cells[np.arange(CLIMBS), f] = np.array(self.p.unattacked)[f]
        self._sweep()
        worse = self.value < value
        self.cells[worse], self.value = cells[worse], np.maximum(value, self.value)

    def _costs(self, cells: np.ndarray) -> np.ndarray:
        return np.asarray(sum(c[k] for c, k in zip(self.p.costs, cells.T, strict=True)))

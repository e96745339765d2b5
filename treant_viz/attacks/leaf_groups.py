"""Trees in groups: for any set of leaves still open, what the best ones that go together add up to.

A bound that takes each tree's best leaf forgets that these leaves may exclude each other. Here trees that get
in each other's way share a group, and a table knows the answer for all sets of open leaves of the group: a
set is a number of a few bits. So a whole search state is one such number a group, settling a feature is one
`and`, and a bound is one look into each table.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.row_problem import RowProblem

BITS = 12  # leaves of a group; a tree with more has several units, of which the best counts
MOST_LEAVES = 2_500  # with more, trees are not compared with each other, and groups are small
SMALL = 8  # leaves of a small group


class Sides(NamedTuple):
    """[leaf, feature]: the first and the last cell of a feature with which a row can be in a leaf."""

    low: np.ndarray
    high: np.ndarray


def sides_of(p: RowProblem) -> Sides | None:
    """The sides of the leaves, if they are runs of cells; None if a test parts cells otherwise."""
    low = np.column_stack([m.argmax(axis=0) for m in p.members])
    high = np.column_stack([len(m) - 1 - m[::-1].argmax(axis=0) for m in p.members])
    counts = np.column_stack([m.sum(axis=0) for m in p.members])
    return Sides(low, high) if (high - low + 1 == counts).all() else None


class Combos(NamedTuple):
    """Leaves of a group that go together, one of each tree: their bits, their sum and their common sides."""

    bits: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def joined(self, other: Combos) -> Combos:
        """With every leaf of another tree that goes with them."""
        low = np.maximum(self.low[:, None], other.low)
        high = np.minimum(self.high[:, None], other.high)
        i, j = np.nonzero((low <= high).all(axis=2))
        return Combos(self.bits[i] | other.bits[j], self.value[i] + other.value[j], low[i, j], high[i, j])


class LeafGroups:
    """The tables of all groups. States are [point, unit]: the leaves still open, as bits.

    `blocks` is the place of each group's first unit. Cells of all features stand in one row; `start` is the
    place of each feature's first. Leaves with a cell up to this one are `below`, from this one on `above`.
    """

    def __init__(self, p: RowProblem, sides: Sides) -> None:
        self.p, self.sides = p, sides
        self.bits = BITS if len(p.value) <= MOST_LEAVES else min(BITS, SMALL)
        self.sizes = np.array([len(c) for c in p.costs])
        self.start = np.cumsum(self.sizes) - self.sizes
        counts = np.diff(np.append(p.first, len(p.value)))
        groups = self._groups(counts)
        leaves = [np.concatenate([p.first[t] + np.arange(counts[t]) for t in g]) for g in groups]
        parts = [np.array_split(u, math.ceil(len(u) / self.bits)) for u in leaves]
        self.blocks = np.cumsum([0] + [len(part) for part in parts[:-1]])
        self.units = [u for part in parts for u in part]
        self.unit_starts = np.cumsum([0] + [len(u) for u in self.units[:-1]])
        self.bit = np.concatenate([1 << np.arange(len(u)) for u in self.units])
        self._fill([groups[k] for k, part in enumerate(parts) for _ in part])
        low, high = sides
        cells = [np.arange(n)[:, None] for n in self.sizes]
        self.below = np.concatenate([self.state(low[:, f] <= c) for f, c in enumerate(cells)])
        self.above = np.concatenate([self.state(high[:, f] >= c) for f, c in enumerate(cells)])

    @cached_property
    def feature(self) -> np.ndarray:
        """Which feature a cell belongs to."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def state(self, open_: np.ndarray) -> np.ndarray:
        """[point, leaf] as a state."""
        order = np.concatenate(self.units)
        return np.add.reduceat(open_[:, order] * self.bit, self.unit_starts, axis=1).astype(np.int32)

    def bound(self, state: np.ndarray) -> np.ndarray:
        """Per point what the leaves still open can add up to at most; -infinity if a group has none left."""
        values = self.best[state + self.offset]
        if len(self.blocks) < len(self.units):
            values = np.maximum.reduceat(values, self.blocks, axis=1)
        return np.asarray(values.sum(axis=1))

    def wishes(self, state: np.ndarray) -> Sides:
        """[point, unit, feature]: the sides of each group's best leaves; a unit without them has no wish."""
        place = state + self.offset
        combo = self.combo[place]
        low, high = self.low[combo], self.high[combo]
        if len(self.blocks) < len(self.units):
            value = self.best[place]
            best = np.maximum.reduceat(value, self.blocks, axis=1)
            idle = value < np.repeat(best, np.diff(np.append(self.blocks, len(self.units))), axis=1)
            low[idle], high[idle] = 0, self.sizes - 1
        return Sides(low, high)

    def _groups(self, counts: np.ndarray) -> list[list[int]]:
        """Great trees first; each takes in those most in the way of its group, while there is room."""
        quarrel, free, out = self._quarrel(), np.ones(len(counts), dtype=bool), []
        for t in np.argsort(-counts, kind="stable").tolist():
            if not free[t]:
                continue
            free[t], group, room, sum_ = False, [t], self.bits - counts[t], quarrel[t].copy()
            while (fits := free & (counts <= room)).any():
                u = int(np.argmax(np.where(fits, sum_, -1.0)))
                free[u], room = False, room - counts[u]
                group.append(u)
                sum_ += quarrel[u]
            out.append(group)
        return out

    def _quarrel(self) -> np.ndarray:
        """[tree, tree]: how much the best leaves of the one cost the other."""
        first, value = self.p.first, self.p.value
        if len(value) > MOST_LEAVES:
            return np.zeros((len(first), len(first)))
        together = np.ones((len(value), len(value)), dtype=bool)
        for low, high in zip(self.sides.low.T, self.sides.high.T, strict=True):
            meets = low[:, None] <= high
            together &= meets & meets.T
        pairs = np.where(together, value[:, None] + value, -math.inf)
        best = np.maximum.reduceat(np.maximum.reduceat(pairs, first, axis=0), first, axis=1)
        alone = np.maximum.reduceat(value, first)
        return np.asarray(alone[:, None] + alone - best)

    def _fill(self, trees: list[list[int]]) -> None:
        """The tables: combinations of leaves at their own place, then the best of all subsets everywhere."""
        n = len(self.units)
        self.offset = np.arange(n) << self.bits
        best, combo = np.full((n, 1 << self.bits), -math.inf), np.zeros((n, 1 << self.bits), dtype=np.int32)
        known: list[Combos] = []
        for k, (leaves, group) in enumerate(zip(self.units, trees, strict=True)):
            c = self._combos(leaves, group)
            best[k, c.bits] = c.value
            combo[k, c.bits] = sum(len(e.value) for e in known) + np.arange(len(c.value))
            known.append(c)
        for b in range(self.bits):
            values, places = best.reshape(n, -1, 2, 1 << b), combo.reshape(n, -1, 2, 1 << b)
            better = values[:, :, 0] > values[:, :, 1]
            np.copyto(values[:, :, 1], values[:, :, 0], where=better)
            np.copyto(places[:, :, 1], places[:, :, 0], where=better)
        self.best, self.combo = best.ravel(), combo.ravel()
        self.low, self.high = (np.concatenate([getattr(c, s) for c in known]) for s in ("low", "high"))

    def _combos(self, leaves: np.ndarray, trees: list[int]) -> Combos:
        bits = 1 << np.arange(len(leaves))
        own = np.searchsorted(self.p.first, leaves, side="right") - 1
        parts = []
        for t in trees:
            here = own == t
            u = leaves[here]
            parts.append(Combos(bits[here], self.p.value[u], self.sides.low[u], self.sides.high[u]))
        out = parts[0]
        for part in parts[1:]:
            out = out.joined(part)
        return out

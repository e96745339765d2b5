"""Which leaves of which trees a row can be brought to, and at what least cost: all rows and trees at once.

A leaf is reachable iff the sum over features of the least cost of entering its side is within the budget. All pairs
(row, node) go down the trees together, one level at a time: a test on a feature that no rule touches sends a pair one
way; a test on an attacked one may send it both ways, as far as the budget goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treant_viz.attack_cells import Grid
from treant_viz.attack_moves import Moves


class Sides:
    """The side of every node on one feature: which cells a row can have there."""

    def __init__(self, grid: Grid, f: int) -> None:
        self.axis, self.ordered, size = grid.axes[f], grid.axes[f].ordered, grid.axes[f].size
        if self.ordered:
            self.low, self.high = grid.ranges(f)
            length = self.high - self.low + 1
            level = np.frexp(np.maximum(length, 1))[1] - 1
            self.first = level * (size + 1) + np.where(length > 0, self.low, size)
            self.second = level * (size + 1) + np.where(length > 0, self.high + 1 - (1 << level), size)
        else:
            self.sets, place = np.unique(grid.sets(f), axis=0, return_inverse=True)
            self.first = self.second = place.ravel()

    @property
    def width(self) -> int:
        """How many numbers `costs` has for a value."""
        return self.axis.size.bit_length() * (self.axis.size + 1) if self.ordered else len(self.sets)

    def costs(self, m: Moves) -> np.ndarray:
        """[value, place]: at `first` and `second` of a node stand what entering its side costs; the less counts."""
        if self.ordered:
            return m.floor.reshape(len(m.values), -1)
        return np.stack([m.cost[:, s].min(axis=1, initial=math.inf) for s in self.sets], axis=1)

    def members(self, nodes: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """[cell, node]: does the cell belong to the node's side?"""
        if self.ordered:
            c = cells[:, None]
            return (c >= self.low[nodes]) & (c <= self.high[nodes])
        return self.sets[self.first[nodes]][:, cells].T


class Box:
    """The sides on an attacked feature, and what entering them costs some rows."""

    def __init__(self, sides: Sides, m: Moves) -> None:
        self.sides, self.moves, self.members = sides, m, sides.members
        self.stride = sides.width
        self.table = sides.costs(m).ravel()
        self.known: dict[tuple[int, float], tuple[np.ndarray, np.ndarray]] = {}

    def cost(self, rows: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """The least cost of bringing each row's value into each node's side."""
        start = self.moves.codes[rows] * self.stride
        cost = self.table[start + self.sides.first[nodes]]
        return np.minimum(cost, self.table[start + self.sides.second[nodes]]) if self.sides.ordered else cost

    def cells_within(self, code: int, limit: float) -> tuple[np.ndarray, np.ndarray]:
        """The cells that a value can be brought to, and their costs."""
        if (code, limit) not in self.known:
            cells = (self.moves.cost[code] <= limit).nonzero()[0]
            self.known[code, limit] = cells, self.moves.cost[code, cells]
        return self.known[code, limit]

    def nearest_cells(self, nodes: np.ndarray) -> np.ndarray:
        """For each row the cheapest cell of a node's side, among equals the one nearest to its own."""
        m = self.moves
        pairs, where = np.unique(np.column_stack([m.codes, nodes]), axis=0, return_inverse=True)
        cells = np.arange(m.axis.size)
        cost = np.where(self.members(pairs[:, 1], cells), m.cost[pairs[:, 0]].T, math.inf)
        own = np.argmin(m.cost[pairs[:, 0]], axis=1)
        far = np.where(cost <= cost.min(axis=0), np.abs(cells[:, None] - own), m.axis.size)
        return np.argmin(far, axis=0)[where.ravel()]


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Pairs of a row and a leaf within its reach, sorted by row and leaf; row i's are those from start[i] on."""

    row: np.ndarray
    leaf: np.ndarray
    cost: np.ndarray
    start: np.ndarray


def reached_leaves(grid: Grid, boxes: list[Box], cells: np.ndarray, limit: float) -> Reached:
    """All leaves within reach of some rows, given by their cells; the boxes are these rows'."""
    roots, n = grid.nodes.roots, len(cells)
    row, node = np.repeat(np.arange(n), len(roots)), np.tile(roots, n)
    cost, done = np.zeros(len(row)), []
    while len(row):
        leaf = grid.nodes.feature[node] < 0
        done.append((row[leaf], node[leaf], cost[leaf]))
        row, node, cost = _down(grid, boxes, cells, row[~leaf], node[~leaf], cost[~leaf], limit)
    r, u, c = (np.concatenate(part) for part in zip(*done, strict=True)) if done else (np.zeros(0),) * 3
    order = np.lexsort((u, r))
    r, u, c = r[order].astype(np.int64), u[order].astype(np.int64), c[order]
    return Reached(r, u, c, np.searchsorted(r, np.arange(n + 1)))


def _down(
    grid: Grid, boxes: list[Box], cells: np.ndarray, row: np.ndarray, node: np.ndarray, cost: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One level down."""
    feature, parts = grid.nodes.feature[node], []
    fixed = np.ones(len(row), dtype=bool)
    for box in boxes:
        here = np.flatnonzero(feature == box.moves.f)
        fixed[here] = False
        parts += _both(grid, box, row[here], node[here], cost[here], limit)
    row, node, cost, feature = row[fixed], node[fixed], cost[fixed], feature[fixed]
    left = grid.goes_left(node, cells[row, feature])
    parts.append((row, np.where(left, grid.nodes.left[node], grid.nodes.right[node]), cost))
    r, u, c = (np.concatenate(part) for part in zip(*parts, strict=True))
    return r, u, c


def _both(
    grid: Grid, box: Box, row: np.ndarray, node: np.ndarray, cost: np.ndarray, limit: float
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """To both children of a test on an attacked feature, where the budget lasts."""
    out = []
    rest = cost - box.cost(row, node)
    for child in (grid.nodes.left[node], grid.nodes.right[node]):
        total = rest + box.cost(row, child)
        ok = total <= limit
        out.append((row[ok], child[ok], total[ok]))
    return out

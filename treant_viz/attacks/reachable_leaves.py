"""Which leaves of which trees each row can be brought to, at what least cost: all rows and trees at once.

A leaf is reachable iff the sum over features of the least cost of entering its side is within the budget. All
pairs (row, node) go down the trees together, one level at a time: a test on a feature that no rule touches
sends a pair one way; a test on an attacked one may send it both ways, as far as the budget goes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from treant_viz.attacks.cell_costs import CellCosts
from treant_viz.attacks.cells import CellGrid


class NodeSides:
    """The side of every node on one feature: which cells a row can have there."""

    def __init__(self, grid: CellGrid, f: int) -> None:
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

    def costs(self, m: CellCosts) -> np.ndarray:
        """[value, place]: a node's side costs what stands at its `first` or its `second` place: the less."""
        if self.ordered:
            return m.floor.reshape(len(m.values), -1)
        return np.stack([m.cost[:, s].min(axis=1, initial=math.inf) for s in self.sets], axis=1)

    def members(self, nodes: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """[cell, node]: does the cell belong to the node's side?"""
        if self.ordered:
            c = cells[:, None]
            return (c >= self.low[nodes]) & (c <= self.high[nodes])
        return self.sets[self.first[nodes]][:, cells].T


class CostsOfSides:
    """The sides of the nodes on an attacked feature, and what entering them costs some rows."""

    def __init__(self, sides: NodeSides, m: CellCosts) -> None:
        self.sides, self.to_cells, self.members = sides, m, sides.members
        self.stride = sides.width
        self.table = sides.costs(m).ravel()
        self.known: dict[tuple[int, float], tuple[np.ndarray, np.ndarray]] = {}

    def cost(self, rows: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """The least cost of bringing each row's value into each node's side."""
        start = self.to_cells.codes[rows] * self.stride
        cost = self.table[start + self.sides.first[nodes]]
        return np.minimum(cost, self.table[start + self.sides.second[nodes]]) if self.sides.ordered else cost

    def cells_within(self, code: int, limit: float) -> tuple[np.ndarray, np.ndarray]:
        """The cells that a value can be brought to, and their costs."""
        if (code, limit) not in self.known:
            cells = (self.to_cells.cost[code] <= limit).nonzero()[0]
            self.known[code, limit] = cells, self.to_cells.cost[code, cells]
        return self.known[code, limit]

    def nearest_cells(self, nodes: np.ndarray) -> np.ndarray:
        """For each row the cheapest cell of a node's side, among equals the nearest to its own."""
        m = self.to_cells
        pairs, where = np.unique(np.column_stack([m.codes, nodes]), axis=0, return_inverse=True)
        cells = np.arange(m.axis.size)
        cost = np.where(self.members(pairs[:, 1], cells), m.cost[pairs[:, 0]].T, math.inf)
        unattacked = np.argmin(m.cost[pairs[:, 0]], axis=1)
        far = np.where(cost <= cost.min(axis=0), np.abs(cells[:, None] - unattacked), m.axis.size)
        return np.argmin(far, axis=0)[where.ravel()]


@dataclass(frozen=True, slots=True, eq=False)
class ReachableLeaves:
    """Pairs of a row and a leaf in its reach, sorted by row and leaf; row i's begin at start[i]."""

    row: np.ndarray
    leaf: np.ndarray
    cost: np.ndarray
    start: np.ndarray


def reachable_leaves(
    grid: CellGrid, attacked: list[CostsOfSides], cells: np.ndarray, limit: float
) -> ReachableLeaves:
    """All leaves within reach of some rows; `attacked` says what their moves cost on each feature."""
    roots, n = grid.nodes.roots, len(cells)
    row, node = np.repeat(np.arange(n), len(roots)), np.tile(roots, n)
    cost, done = np.zeros(len(row)), []
    while len(row):
        leaf = grid.nodes.feature[node] < 0
        done.append((row[leaf], node[leaf], cost[leaf]))
        row, node, cost = _down(grid, attacked, cells, row[~leaf], node[~leaf], cost[~leaf], limit)
    r, u, c = (np.concatenate(part) for part in zip(*done, strict=True)) if done else (np.zeros(0),) * 3
    order = np.lexsort((u, r))
    r, u, c = r[order].astype(np.int64), u[order].astype(np.int64), c[order]
    return ReachableLeaves(r, u, c, np.searchsorted(r, np.arange(n + 1)))


def _down(
    grid: CellGrid,
    attacked: list[CostsOfSides],
    cells: np.ndarray,
    row: np.ndarray,
    node: np.ndarray,
    cost: np.ndarray,
    limit: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One level down."""
    feature, parts = grid.nodes.feature[node], []
    fixed = np.ones(len(row), dtype=bool)
    for sides in attacked:
        here = np.flatnonzero(feature == sides.to_cells.f)
        fixed[here] = False
        parts += _both(grid, sides, row[here], node[here], cost[here], limit)
    row, node, cost, feature = row[fixed], node[fixed], cost[fixed], feature[fixed]
    left = grid.goes_left(node, cells[row, feature])
    parts.append((row, np.where(left, grid.nodes.left[node], grid.nodes.right[node]), cost))
    r, u, c = (np.concatenate(part) for part in zip(*parts, strict=True))
    return r, u, c


def _both(
    grid: CellGrid, sides: CostsOfSides, row: np.ndarray, node: np.ndarray, cost: np.ndarray, limit: float
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """To both children of a test on an attacked feature, where the budget lasts."""
    out = []
    rest = cost - sides.cost(row, node)
    for child in (grid.nodes.left[node], grid.nodes.right[node]):
        total = rest + sides.cost(row, child)
        ok = total <= limit
        out.append((row[ok], child[ok], total[ok]))
    return out

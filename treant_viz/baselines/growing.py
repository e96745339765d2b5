"""The worst attack on an ensemble that grows tree by tree: what adversarial boosting needs in every round.

Each row keeps its affordable points (one cell per attacked feature) with the sum of leaves so far at each of
them. A new tree may cut cells in two, and with them the points; the parts inherit the sum, since no tree so
far told them apart. Then the new tree's leaf is added at every point. So a round costs a walk down one tree a
point, however many trees there are by then, and is as exact as an attack on the whole ensemble.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.cell_costs import CellCosts, affordable_rules, cell_costs, spending_limit
from treant_viz.attacks.cells import Axis, CellGrid
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.ensembles.ensemble import Ensemble, Nodes

ROWS = 256  # rows that are looked at together
MANY = 50_000_000  # points: more are not kept in memory


class TooManyCombinationsError(Exception):
    """The points would not fit into memory."""


class WorstRows(NamedTuple):
    """Per row: the attacked row (as a matrix has it), the sum of leaves it gets, and its cost."""

    M: np.ndarray
    value: np.ndarray
    cost: np.ndarray


class GrowingEnsemble:
    """Rows whose attacker wants sign * (sum of leaves) to be great, and an ensemble that grows."""

    def __init__(self, M: np.ndarray, sign: np.ndarray, attacker: Attacker) -> None:
        self.M, self.sign, self.attacker = M, sign, attacker
        self.limit = spending_limit(attacker)
        self.nodes: Nodes | None = None
        self.features: list[AttackedFeature] = []
        self.blocks: list[Block] = []

    def add(self, tree: Ensemble) -> None:
        """One more tree, as an ensemble of its own; its columns are those of the matrix."""
        if self.nodes is None:
            self._begin(tree)
        self.nodes = tree.nodes if self.nodes is None else Nodes.of([self.nodes, tree.nodes])
        grid = CellGrid(replace(tree, nodes=self.nodes), self.M)
        cuts = [feature.cut(grid, self.M, self.limit) for feature in self.features]
        walk, room = Walk(grid, [feature.f for feature in self.features]), MANY
        for block in self.blocks:
            for place, cut in enumerate(cuts):
                if cut is not None:
                    block.refine(place, cut, self.limit, room)
            block.add(walk)
            room -= len(block.row)

    def _begin(self, tree: Ensemble) -> None:
        rules = affordable_rules(self.attacker, tree.schema, self.limit)
        self.features = [
            AttackedFeature(f, rs, np.zeros(len(self.M), dtype=np.int64)) for f, rs in rules.items()
        ]
        rows = np.arange(len(self.M), dtype=np.int32)
        self.blocks = [Block(rows[i : i + ROWS], len(self.features)) for i in range(0, len(rows), ROWS)]

    def worst(self) -> WorstRows:
        """What hurts most, among equals the cheapest."""
        found = [block.best(self.sign) for block in self.blocks]
        cells, value, cost = (np.concatenate(part, axis=-1) for part in zip(*found, strict=True))
        M = self.M.copy()
        for feature, chosen in zip(self.features, cells, strict=True):
            feature.rewrite(M, chosen)
        return WorstRows(M, value, cost)


class Costs(NamedTuple):
    """The least cost of a row's entering a cell: rows know their line of the table by `codes`."""

    codes: np.ndarray
    table: np.ndarray

    def of(self, rows: np.ndarray, cells: np.ndarray) -> np.ndarray:
        return self.table.ravel().take(self.codes.take(rows) * self.table.shape[1] + cells)


class Cut(NamedTuple):
    """What a new tree makes of a feature's cells: `parts` of each old one, from the new cell `first` on."""

    first: np.ndarray
    parts: np.ndarray
    old: Costs
    new: Costs


@dataclass(eq=False)
class AttackedFeature:
    """One attacked feature: its cells as far as they are told apart by now, and what they cost."""

    f: int
    rules: tuple[Rule, ...]
    unattacked: np.ndarray  # the cell of each row
    axis: Axis | None = None
    to_cells: CellCosts | None = None
    costs: Costs = field(init=False)
    known: dict[tuple[int, float, float], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.costs = Costs(self.unattacked, np.zeros((1, 1)))

    def cut(self, grid: CellGrid, M: np.ndarray, limit: float) -> Cut | None:
        """Take over the grid's cells; None if they are the same as before."""
        axis, first = grid.axes[self.f], _first(self.axis, grid.axes[self.f])
        if not (grid.nodes.feature == self.f).any() or len(first) == axis.size:
            return None
        self.unattacked = grid.cells[:, self.f]
        self.to_cells = cell_costs(grid, M, self.f, self.rules, limit, np.dtype(float))
        still = np.where(np.eye(axis.size, dtype=bool), 0.0, math.inf)
        new = Costs(self.unattacked, still)
        if self.to_cells is not None:
            new = Costs(self.to_cells.codes, self.to_cells.cost)
        old, self.axis, self.costs = self.costs, axis, new
        return Cut(first[:-1], np.diff(first), old, new)

    def rewrite(self, M: np.ndarray, chosen: np.ndarray) -> None:
        """Give every row that leaves its cell a value of the chosen one."""
        m, moved = self.to_cells, np.flatnonzero(chosen != self.unattacked)
        if m is None or not len(moved):
            return
        pairs, where = np.unique(
            np.column_stack([m.codes[moved], chosen[moved]]), axis=0, return_inverse=True
        )
        values = [
            cell if m.column.categorical else self._inside(m, code, cell) for code, cell in pairs.tolist()
        ]
        M[moved, self.f] = np.array(values, dtype=float)[where.ravel()]

    def _inside(self, m: CellCosts, code: int, cell: int) -> float:
        """The value in a cell that a row gets there at the cell's cost; the same as long as the cell is."""
        key = (code, *m.axis.ends(cell))
        if key not in self.known:
            self.known[key] = float(m.path(code, cell)[-1].after)
        return self.known[key]


def _first(old: Axis | None, new: Axis) -> np.ndarray:
    """The first new cell of each old one, and the end. Before the first test all of a feature is one cell."""
    if old is None or old.cuts is None or new.cuts is None:
        ends = [0] if old is None else list(range(old.size - 1))
        return np.array([*ends, new.size - 1])
    return np.r_[0, np.searchsorted(new.cuts, old.cuts) + 1, new.size - 1]


class Walk:
    """The newest tree. `skip[u, row]`: where a row at node u gets by tests on features no rule touches."""

    def __init__(self, grid: CellGrid, attacked: list[int]) -> None:
        root, nodes = int(grid.nodes.roots[-1]), grid.nodes
        self.split, self.start, self.lefts = grid.split[root:], grid.start[root:], grid.lefts
        self.left, self.right, self.value = (
            nodes.left[root:] - root,
            nodes.right[root:] - root,
            nodes.value[root:],
        )
        place_of = np.full(len(grid.axes) + 1, -1)  # a leaf's feature is -1: the last
        place_of[attacked] = np.arange(len(attacked))
        self.place = place_of[nodes.feature[root:]]
        places = np.arange(len(self.place), dtype=np.int16 if len(self.place) < 1 << 15 else np.int32)
        self.skip = np.repeat(places, len(grid.cells)).reshape(len(places), -1)
        for level, _, _ in reversed(grid.depths):
            for u in level[level >= root] - root:
                if self.place[u] < 0:
                    left = self.goes_left(u, grid.cells[:, nodes.feature[root + u]])
                    self.skip[u] = np.where(left, self.skip[self.left[u]], self.skip[self.right[u]])

    def goes_left(self, u: int, cells: np.ndarray) -> np.ndarray:
        return cells <= self.split[u] if self.start[u] < 0 else self.lefts[self.start[u] + cells]

    def leaves(self, row: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """The leaf of every point; `cells` is [attacked feature, point]."""
        node = self.skip[0].take(row)
        todo = np.flatnonzero(self.place.take(node) >= 0)
        while len(todo):
            u = node.take(todo)
            c = cells[self.place.take(u), todo]
            left, start = c <= self.split.take(u), self.start.take(u)
            sets = np.flatnonzero(start >= 0)
            left[sets] = self.lefts.take(start[sets] + c[sets])
            child = np.where(left, self.left.take(u), self.right.take(u))
            there = self.skip.ravel().take(child * self.skip.shape[1] + row.take(todo))
            node[todo] = there
            todo = todo[self.place.take(there) >= 0]
        return node


class Block:
    """The points of some rows: whose they are, their cells, the sum of leaves so far, and what they cost."""

    def __init__(self, rows: np.ndarray, width: int) -> None:
        self.rows = self.row = rows
        self.cells = np.zeros((width, len(rows)), dtype=np.int32)
        self.value, self.spent = np.zeros(len(rows)), np.zeros(len(rows))

    def refine(self, place: int, cut: Cut, limit: float, room: int) -> None:
        """Cut the points along with the cells of one feature, and drop those that have become too dear."""
        cell = self.cells[place]
        count = cut.parts.take(cell)
        if count.sum() > room:
            raise TooManyCombinationsError(f"more than {MANY:,} points")
        if (count == 1).all():
            self.cells[place] = cut.first.take(cell)
            return
        origin = np.repeat(np.arange(len(count)), count)
        part = np.arange(len(origin)) - np.repeat(np.cumsum(count) - count, count)
        new = cut.first.take(cell).take(origin) + part
        rest = self.spent - cut.old.of(self.row, cell)
        spent = rest.take(origin) + cut.new.of(self.row.take(origin), new)
        kept = np.flatnonzero(spent <= limit)
        origin = origin.take(kept)
        self.row, self.value, self.spent = self.row.take(origin), self.value.take(origin), spent.take(kept)
        self.cells = self.cells.take(origin, axis=1)
        self.cells[place] = new.take(kept)

    def add(self, walk: Walk) -> None:
        """The newest tree's leaf at every point."""
        self.value += walk.value.take(walk.leaves(self.row, self.cells))

    def best(self, sign: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per row: the cells, the value and the cost of its best point, among equals the cheapest."""
        score = sign.take(self.row) * self.value
        top = np.maximum.reduceat(score, np.searchsorted(self.row, self.rows))
        bar = (top - 1e-12 * (1.0 + np.abs(top))).take(self.row - self.rows[0])
        tied = np.flatnonzero(score >= bar)
        order = tied[np.lexsort((self.spent[tied], self.row[tied]))]
        chosen = order[np.r_[True, np.diff(self.row[order]) > 0]]
        return self.cells[:, chosen], self.value[chosen], self.spent[chosen]

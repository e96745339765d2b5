"""A model under attack, some rows at a time: their cells, the leaves in reach, and what can be gained."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from treant_viz.attacks.cell_costs import CellCosts, affordable_rules, cell_costs, spending_limit
from treant_viz.attacks.cells import CellGrid
from treant_viz.attacks.moves import Move
from treant_viz.attacks.reachable_leaves import CostsOfSides, NodeSides, reachable_leaves
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import raw_columns
from treant_viz.ensembles.ensemble import Ensemble

PAIRS = 100_000  # pairs of rows and trees that go down the trees together
TABLE = 8_000_000  # costs of cells that are kept at the same time


class AttackedModel:
    """A model on some rows under an attacker, whose budget is the greatest of interest."""

    def __init__(self, form: Ensemble, X: Any, attacker: Attacker) -> None:
        self.form, self.limit, self.M = form, spending_limit(attacker), form.matrix(X)
        self.grid = CellGrid(form, self.M)
        self.kinds = [np.asarray(x[:0]).dtype for x in raw_columns(X)]
        self.rules = affordable_rules(attacker, form.schema, self.limit)
        self.sides = {f: NodeSides(self.grid, f) for f in self.rules}

    @property
    def n_trees(self) -> int:
        return len(self.grid.nodes.roots)

    @cached_property
    def batch_size(self) -> int:
        """How many rows to look at together."""
        widest = max((s.width for s in self.sides.values()), default=1)
        return max(1, min(PAIRS // self.n_trees, TABLE // widest))

    def side_costs(self, rows: np.ndarray) -> list[CostsOfSides]:
        """What entering the sides of nodes costs these rows, for each feature where any of them can move."""
        found: list[CellCosts | None] = [
            cell_costs(self.grid, self.M[rows], f, rules, self.limit, self.kinds[f])
            for f, rules in self.rules.items()
        ]
        return [CostsOfSides(self.sides[costs.f], costs) for costs in found if costs is not None]


class Batch:
    """Some rows with the leaves in their reach. The attacker wants sign * (sum of leaves) to be great.

    Arrays by row and tree: `best` is each tree's best leaf in reach, `unattacked` the one without an attack;
    where none is better, there is nothing to search, and `open` is False.
    """

    def __init__(self, model: AttackedModel, rows: np.ndarray, sign: np.ndarray, limit: float) -> None:
        self.grid, self.rows, self.sign = model.grid, rows, sign
        self.cells = self.grid.cells[rows]
        self.attacked = model.side_costs(rows)
        self.unattacked_cells = self.cells[:, [sides.to_cells.f for sides in self.attacked]]
        self.reached = reachable_leaves(self.grid, self.attacked, self.cells, limit)
        self._compare((len(rows), model.n_trees))

    def _compare(self, shape: tuple[int, int]) -> None:
        leaf = self.reached.leaf
        self.value = self.sign[self.reached.row] * self.grid.nodes.value[leaf]
        place = self.reached.row * shape[1] + self.grid.tree_of[leaf]
        self.counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        first = np.cumsum(self.counts.ravel()) - self.counts.ravel()
        self.best = np.maximum.reduceat(self.value, first).reshape(shape)
        self.unattacked = self.value[self.reached.cost == 0].reshape(shape)
        greatest = np.maximum(np.abs(self.best), np.abs(self.unattacked))
        size = 1.0 + abs(self.grid.form.base / self.grid.form.scale) + greatest.sum(axis=1)
        self.tolerance = self.grid.form.rounding * size
        self.open = (self.best - self.unattacked).sum(axis=1) > self.tolerance

    def cells_in(self, leaves: np.ndarray) -> np.ndarray:
        """[row, attacked feature]: the cheapest cells by which each row gets into its leaf of these."""
        cells = self.unattacked_cells.copy()
        for place, sides in enumerate(self.attacked):
            cells[:, place] = sides.nearest_cells(leaves)
        return cells

    def moves(self, i: int, cells: np.ndarray) -> tuple[Move, ...]:
        """The cheapest moves of row i into these cells, one per attacked feature."""
        out: list[Move] = []
        for sides, cell, now in zip(
            self.attacked, cells.tolist(), self.unattacked_cells[i].tolist(), strict=True
        ):
            if cell != now:
                out += sides.to_cells.path(int(sides.to_cells.codes[i]), cell)
        return tuple(out)


def batch_of_one(form: Ensemble, row: Any, attacker: Attacker) -> Batch:
    """A table of one row, with all leaves that the attacker can bring it to."""
    model = AttackedModel(form, row, attacker)
    return Batch(model, np.zeros(1, dtype=np.int64), np.ones(1), model.limit)

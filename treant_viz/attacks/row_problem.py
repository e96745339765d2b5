"""What is left to decide on one row: a cell per attacked feature, so that the leaves add up to the most.

Only trees with several leaves in the row's reach matter; the others add the same whatever the attacker does.
And cells of a feature that no leaf in reach tells apart count as one, at the least cost among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.batch import Batch
from treant_viz.attacks.reachable_leaves import CostsOfSides


class Solution(NamedTuple):
    """The best value found, the choice for each feature, what it costs, and what no attack exceeds."""

    value: float
    cells: tuple[int, ...]
    cost: float
    bound: float


class CellRuns:
    """One attacked feature of one row: runs of cells that no leaf in reach tells apart, each at a least cost.

    `members` is [run, leaf]; a feature is `open` if there is more than one run.
    """

    def __init__(
        self, sides: CostsOfSides, row: int, leaves: np.ndarray, limit: float, *, merge: bool = True
    ) -> None:
        self.all, self.all_costs = sides.cells_within(int(sides.to_cells.codes[row]), limit)
        self.open = len(self.all) > 1
        if self.open:
            self._tell_apart(sides.members(leaves, self.all), merge)

    def _tell_apart(self, members: np.ndarray, merge: bool) -> None:
        differs = (members[1:] != members[:-1]).any(axis=1) | (not merge)
        self.start = np.append(0, differs.nonzero()[0] + 1)
        self.open = len(self.start) > 1
        self.members = members[self.start]
        self.costs = np.minimum.reduceat(self.all_costs, self.start)
        self.unattacked = int(self.costs.argmin())

    def cell(self, run: int, unattacked: int) -> int:
        """The cheapest cell of a run, among equals the one nearest to the unattacked row's."""
        ends = slice(self.start[run], self.start[run + 1] if run + 1 < len(self.start) else None)
        cells, costs = self.all[ends], self.all_costs[ends]
        return int(cells[np.lexsort((np.abs(cells - unattacked), costs))[0]])


@dataclass(eq=False)
class RowProblem:
    """Maximise the sum over trees of the value of the leaf that holds the chosen cells.

    Leaves are sorted by tree; `first` is the place of each tree's first leaf. `members[f]` is [cell, leaf],
    `costs[f]` the cost of each cell; not attacking is `unattacked` (a cell per feature) and costs nothing.
    `tolerance` is what rounding may do to a sum of leaves; `rest` is what the other trees add. `features`
    says which of the row's `unattacked_cells` each feature's runs of cells are about.
    """

    value: np.ndarray
    first: np.ndarray
    tolerance: float
    rest: float
    unattacked_cells: np.ndarray
    features: tuple[tuple[int, CellRuns], ...]

    def __post_init__(self) -> None:
        self.members = tuple(runs.members for _, runs in self.features)
        self.costs = tuple(runs.costs for _, runs in self.features)
        self.unattacked = tuple(runs.unattacked for _, runs in self.features)

    def score(self, choice: Sequence[int]) -> float:
        """The sum of the leaves' values for a choice of cells."""
        inside = np.logical_and.reduce([m[c] for m, c in zip(self.members, choice, strict=True)])
        return float(self.value[inside].sum())

    def cells(self, choice: Sequence[int]) -> np.ndarray:
        """The row's cells after a choice, one per attacked feature."""
        out = self.unattacked_cells.copy()
        for (place, runs), c in zip(self.features, choice, strict=True):
            if c != runs.unattacked:
                out[place] = runs.cell(c, out[place])
        return out


def row_problem(batch: Batch, i: int, limit: float) -> RowProblem:
    """The problem of row i: the trees with several leaves in reach, and the cells that these tell apart."""
    reached, counts = batch.reached, batch.counts[i]
    several = counts > 1
    places = np.arange(reached.start[i], reached.start[i + 1])[np.repeat(several, counts)]
    runs = [CellRuns(sides, i, reached.leaf[places], limit) for sides in batch.attacked]
    return RowProblem(
        value=batch.value[places],
        first=_starts(counts[several]),
        tolerance=float(batch.tolerance[i]),
        rest=float(batch.unattacked[i][~several].sum()),
        unattacked_cells=batch.unattacked_cells[i],
        features=tuple((place, r) for place, r in enumerate(runs) if r.open),
    )


def whole_row_problem(batch: Batch, i: int, limit: float) -> RowProblem:
    """The same for cross-checks: all cells, and all leaves that the features out of reach leave open."""
    grid = batch.grid
    leaves = np.flatnonzero(grid.nodes.feature < 0)
    codes = [int(sides.to_cells.codes[i]) for sides in batch.attacked]
    open_ = [p for p, s in enumerate(batch.attacked) if len(s.cells_within(codes[p], limit)[0]) > 1]
    for f in set(range(len(grid.axes))) - {batch.attacked[p].to_cells.f for p in open_}:
        leaves = leaves[grid.inside(f, leaves, int(batch.cells[i, f]))]
    return RowProblem(
        value=batch.sign[i] * grid.nodes.value[leaves],
        first=_starts(np.bincount(grid.tree_of[leaves])),
        tolerance=float(batch.tolerance[i]),
        rest=0.0,
        unattacked_cells=batch.unattacked_cells[i],
        features=tuple((p, CellRuns(batch.attacked[p], i, leaves, limit, merge=False)) for p in open_),
    )


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) - counts

"""One row's problem: only the leaves within its reach, and per feature only cells that some of these tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from treant_viz.attack_leaves import Box
from treant_viz.attack_points import Problem

if TYPE_CHECKING:
    from treant_viz.attack_engine import Chunk


class Task:
    """One row's problem: the trees with several leaves in reach, and the cells that these leaves tell apart.

    The other trees add `rest` to the value, whatever the attacker does.
    """

    def __init__(self, chunk: Chunk, k: int, limit: float) -> None:
        counts = chunk.counts[k]
        several = counts > 1
        places = np.arange(chunk.reached.start[k], chunk.reached.start[k + 1])[np.repeat(several, counts)]
        self.rest = float(chunk.clean[k][~several].sum())
        self.home = chunk.home[k]
        slots = [Slot(box, k, chunk.reached.leaf[places], limit) for box in chunk.boxes]
        self.slots = [(i, s) for i, s in enumerate(slots) if s.open]
        self.problem = self._problem(chunk.value[places], counts[several], float(chunk.tolerance[k]))

    def _problem(self, values: np.ndarray, counts: np.ndarray, tolerance: float) -> Problem:
        slots = [s for _, s in self.slots]
        members, costs, home = ([getattr(s, name) for s in slots] for name in ("members", "costs", "home"))
        return Problem(values, np.cumsum(counts) - counts, tuple(members), tuple(costs), tuple(home), tolerance)

    def cells(self, chosen: Sequence[int]) -> np.ndarray:
        """The cells behind a solution's choice, one per attacked feature."""
        out = self.home.copy()
        for (i, s), c in zip(self.slots, chosen, strict=True):
            if c != s.home:
                out[i] = s.cell(c, out[i])
        return out


class Slot:
    """One attacked feature of one row: runs of cells that no leaf in reach tells apart, each at its least cost."""

    def __init__(self, box: Box, row: int, leaves: np.ndarray, limit: float, *, merge: bool = True) -> None:
        self.all, self.all_costs = box.cells_within(int(box.moves.codes[row]), limit)
        self.open = len(self.all) > 1
        if self.open:
            self._tell_apart(box.members(leaves, self.all), merge)

    def _tell_apart(self, members: np.ndarray, merge: bool) -> None:
        differs = (members[1:] != members[:-1]).any(axis=1) | (not merge)
        self.start = np.append(0, differs.nonzero()[0] + 1)
        self.open = len(self.start) > 1
        self.members = members[self.start]
        self.costs = np.minimum.reduceat(self.all_costs, self.start)
        self.home = int(self.costs.argmin())

    def cell(self, run: int, own: int) -> int:
        """The cheapest cell of a run, among equals the one nearest to the row's own."""
        ends = slice(self.start[run], self.start[run + 1] if run + 1 < len(self.start) else None)
        cells, costs = self.all[ends], self.all_costs[ends]
        return int(cells[np.lexsort((np.abs(cells - own), costs))[0]])

"""The cells between a model's tests, and which of them each node of the model lets in.

A model cannot tell apart two values of a feature that lie in the same cell: between two thresholds, or the
same category; missing values are a cell of their own, the last. So an attack is a choice of one cell per
feature.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treant_viz.ensembles.ensemble import BY_THRESHOLD, TO_LEFT, ZERO, Ensemble, Nodes

ZERO_CUTS = (float(np.nextafter(-ZERO, -math.inf)), ZERO)


@dataclass(frozen=True, eq=False)
class Axis:
    """One feature's cells: cell i is (cuts[i-1], cuts[i]], or category i; the last cell is "missing".

    `ordered`: every test sends the cells up to `split` to the left, and nothing is missing.
    """

    cuts: np.ndarray | None
    size: int
    ordered: bool

    def cells(self, x: np.ndarray) -> np.ndarray:
        """The cell of each number or category code."""
        missing = np.isnan(x)
        known = np.where(missing, 0.0, x)
        inside = (
            known.astype(np.int64) if self.cuts is None else np.searchsorted(self.cuts, known, side="left")
        )
        return np.where(missing, self.size - 1, inside)

    def ends(self, cell: int) -> tuple[float, float]:
        """The least and the greatest number in a cell."""
        assert self.cuts is not None
        low = np.nextafter(self.cuts[cell - 1], math.inf) if cell > 0 else -math.inf
        return float(low), float(self.cuts[cell]) if cell < len(self.cuts) else math.inf


class CellGrid:
    """The cells of all features, and each node's test in terms of them."""

    def __init__(self, form: Ensemble, M: np.ndarray) -> None:
        self.form, self.nodes = form, form.nodes
        self.axes = tuple(_axis(form, f, bool(np.isnan(M[:, f]).any())) for f in range(M.shape[1]))
        self.cells = np.column_stack([a.cells(M[:, f]) for f, a in enumerate(self.axes)]).astype(np.int64)
        n = len(self.nodes.feature)
        self.split = np.zeros(n, dtype=np.int64)
        self.start = np.full(n, -1, dtype=np.int64)  # where a test's set begins in `lefts`; -1: see `split`
        lefts, filled = [np.zeros(0, dtype=bool)], 0
        for f, axis in enumerate(self.axes):
            tests = np.flatnonzero(self.nodes.feature == f)
            if axis.ordered:
                self.split[tests] = np.searchsorted(_cuts(axis), self.nodes.threshold[tests])
                continue
            sets = _left_sets(self.nodes, axis, tests)
            self.start[tests] = filled + axis.size * np.arange(len(tests))
            lefts.append(sets.ravel())
            filled += sets.size
        self.lefts = np.concatenate(lefts)
        self.depths = list(_levels(self.nodes))
        self._sides: dict[int, Any] = {}

    @cached_property
    def tree_of(self) -> np.ndarray:
        """Which tree a node belongs to."""
        return np.searchsorted(self.nodes.roots, np.arange(len(self.nodes.feature)), side="right") - 1

    def goes_left(self, u: np.ndarray, cell: np.ndarray) -> np.ndarray:
        """Does a value in this cell of its feature pass the test of node u?"""
        left = cell <= self.split[u]
        sets = np.flatnonzero(self.start[u] >= 0)
        if len(sets):
            left[sets] = self.lefts[self.start[u[sets]] + cell[sets]]
        return left

    def inside(self, f: int, nodes: np.ndarray, cell: int) -> np.ndarray:
        """Can a row with this cell of feature f be in these nodes?"""
        if f not in self._sides:
            self._sides[f] = self.ranges(f) if self.axes[f].ordered else self.sets(f)
        side = self._sides[f]
        return (
            (side[0][nodes] <= cell) & (cell <= side[1][nodes])
            if isinstance(side, tuple)
            else side[nodes, cell]
        )

    def ranges(self, f: int) -> tuple[np.ndarray, np.ndarray]:
        """For an ordered feature: the first and the last cell with which a row can be in each node."""
        low = np.zeros(len(self.nodes.feature), dtype=np.int64)
        high = np.full(len(low), self.axes[f].size - 2, dtype=np.int64)
        for u, left, right in self.depths:
            here = self.nodes.feature[u] == f
            low[left], high[right] = low[u], high[u]
            high[left] = np.where(here, np.minimum(high[u], self.split[u]), high[u])
            low[right] = np.where(here, np.maximum(low[u], self.split[u] + 1), low[u])
        return low, high

    def sets(self, f: int) -> np.ndarray:
        """For any other feature: [node, cell], with which cells a row can be in each node."""
        size = self.axes[f].size
        out = np.ones((len(self.nodes.feature), size), dtype=bool)
        for u, left, right in self.depths:
            out[left], out[right] = out[u], out[u]
            here = self.nodes.feature[u] == f
            passes = self.lefts[self.start[u[here]][:, None] + np.arange(size)]
            out[left[here]] &= passes
            out[right[here]] &= ~passes
        return out


def _axis(form: Ensemble, f: int, holes: bool) -> Axis:
    categories = form.schema.columns[f].categories
    if categories is not None:
        return Axis(None, len(categories) + 1, ordered=False)
    tests = form.nodes.feature == f
    odd = bool((form.nodes.zero[tests] != BY_THRESHOLD).any())
    cuts = np.unique(form.nodes.threshold[tests])
    if odd:
        cuts = np.unique([*cuts, *ZERO_CUTS])
    return Axis(cuts, len(cuts) + 2, ordered=not odd and not holes)


def _cuts(axis: Axis) -> np.ndarray:
    assert axis.cuts is not None
    return axis.cuts


def _left_sets(nodes: Nodes, axis: Axis, tests: np.ndarray) -> np.ndarray:
    """[test, cell]: what each test sends to the left."""
    out = np.zeros((len(tests), axis.size), dtype=bool)
    if axis.cuts is None:
        for row, u in enumerate(tests):
            out[row, [c for c in nodes.members[int(u)] if 0 <= c < axis.size - 1]] = True
    else:
        out[:, :-1] = np.arange(axis.size - 1) <= np.searchsorted(axis.cuts, nodes.threshold[tests])[:, None]
        odd = np.flatnonzero(nodes.zero[tests] != BY_THRESHOLD)
        below, last = np.searchsorted(axis.cuts, ZERO_CUTS)
        out[odd, below + 1 : last + 1] = (nodes.zero[tests][odd] == TO_LEFT)[:, None]
    out[:, -1] = nodes.missing_left[tests]
    return out


def _levels(nodes: Nodes) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The inner nodes of all trees by depth, with their children."""
    u = nodes.roots
    while len(u := u[nodes.feature[u] >= 0]):
        yield u, nodes.left[u], nodes.right[u]
        u = np.concatenate([nodes.left[u], nodes.right[u]])

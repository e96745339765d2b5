"""What the attacker pays on one feature: the least cost of bringing each distinct value into each cell."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from treant_viz.attacks.cells import Axis, CellGrid
from treant_viz.attacks.moves import Move, shifts, swaps
from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.reach import CategoricalReach, NumericReach, reach_categories, reach_numbers
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.table import Column, Schema


def checked_attacker(A: object) -> Attacker:
    if not isinstance(A, Attacker):
        raise TypeError(f"A: expected an Attacker, got {A!r}")
    return A


def spending_limit(attacker: Attacker) -> float:
    """What may be spent; never infinite, because what is out of reach costs infinity."""
    return min(attacker.limit, sys.float_info.max)


def affordable_rules(attacker: Attacker, schema: Schema, limit: float) -> dict[int, tuple[Rule, ...]]:
    """By column: the rules that can be paid for at least once."""
    rules = {
        f: tuple(r for r in rs if r.cost <= limit)
        for f, rs in sorted(rules_by_column(attacker, schema).items())
    }
    return {f: rs for f, rs in rules.items() if rs}


@dataclass(frozen=True, eq=False)
class CellCosts:
    """One attacked feature: `cost[i, j]` is the least cost of bringing value i into cell j.

    `values` are the distinct ones; `codes` says for each row which of them is its own.
    """

    f: int
    axis: Axis
    column: Column
    rules: tuple[Rule, ...]
    values: np.ndarray
    codes: np.ndarray
    cost: np.ndarray
    reach: NumericReach | CategoricalReach
    kind: np.dtype
    paths: dict[tuple[int, int], tuple[Move, ...]] = field(default_factory=dict)

    def path(self, code: int, cell: int) -> tuple[Move, ...]:
        """The cheapest moves from a value into a cell; the last one says where in it."""
        if (code, cell) not in self.paths:
            self.paths[code, cell] = self._path(code, cell)
        return self.paths[code, cell]

    def _path(self, code: int, cell: int) -> tuple[Move, ...]:
        if isinstance(self.reach, CategoricalReach):
            return tuple(swaps(self.reach, self.rules, code, cell))
        low, high = self.axis.ends(cell)
        return tuple(shifts(self.reach, self.rules, code, float(self.cost[code, cell]), low, high, self.kind))

    @cached_property
    def floor(self) -> np.ndarray:
        """[value, level, cell]: the least cost among 2^level cells from this one on; padded by infinity."""
        n, size = self.cost.shape
        levels = max(1, size.bit_length())
        out = np.full((n, levels, size + 1), math.inf)
        out[:, 0, :size] = self.cost
        for k in range(1, levels):
            half = 1 << (k - 1)
            out[:, k] = out[:, k - 1]
            out[:, k, :-half] = np.minimum(out[:, k - 1, :-half], out[:, k - 1, half:])
        return out


def cell_costs(
    grid: CellGrid, M: np.ndarray, f: int, rules: Sequence[Rule], limit: float, kind: np.dtype
) -> CellCosts | None:
    """What affordable rules on feature f do for the rows of M; None if they bring no value into another cell.

    `kind` is the type of the column.
    """
    axis, column = grid.axes[f], grid.form.schema.columns[f]
    values, codes = np.unique(M[:, f], return_inverse=True)
    make = _numeric if axis.cuts is not None else _categorical
    cost, reach = make(axis, column, values, rules, limit)
    cost = np.where(cost <= limit, cost, math.inf)
    if (np.isfinite(cost).sum(axis=1) <= 1).all():
        return None
    return CellCosts(f, axis, column, tuple(rules), values, codes.ravel(), cost, reach, kind)


def _numeric(
    axis: Axis, column: Column, values: np.ndarray, rules: Sequence[Rule], limit: float
) -> tuple[np.ndarray, NumericReach]:
    assert axis.cuts is not None
    known = values[~np.isnan(values)]
    reach = reach_numbers(known, rules, limit, cuts=axis.cuts.tolist())
    cost = np.full((len(values), axis.size), math.inf)
    cost[len(known) :, -1] = 0.0
    for c, (owner, low, high) in zip(reach.costs[::-1], reach.pieces[::-1], strict=True):
        first, last = (np.searchsorted(axis.cuts, ends, side="left") for ends in (low, high))
        edge = np.zeros((len(known), axis.size), dtype=np.int64)
        np.add.at(edge, (owner, first), 1)
        np.add.at(edge, (owner, last + 1), -1)
        cost[: len(known), :-1][np.cumsum(edge, axis=1)[:, :-1] > 0] = c
    return cost, reach


def _categorical(
    axis: Axis, column: Column, values: np.ndarray, rules: Sequence[Rule], limit: float
) -> tuple[np.ndarray, CategoricalReach]:
    assert column.categories is not None
    reach = reach_categories(column.categories, rules)
    here = values[~np.isnan(values)].astype(np.int64)
    n = axis.size - 1
    beyond = np.flatnonzero((reach.cost[here, n:] <= limit).any(axis=0))
    if len(beyond):
        name = reach.categories[n + int(beyond[0])]
        raise ValueError(
            f"attacker: a rule turns values of column {column.name!r} into {name!r}, "
            "a category the model does not know"
        )
    cost = np.full((len(values), axis.size), math.inf)
    cost[: len(here), :n] = reach.cost[here, :n]
    cost[len(here) :, -1] = 0.0
    return cost, CategoricalReach(reach.categories, reach.cost[here])

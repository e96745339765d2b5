"""The cells between a model's thresholds, and what bringing one row into each of them costs at least."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacks.batch import AttackedModel
from treant_viz.attacks.combinations import count_affordable
from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.viz.attack_path.rows import ROWS, harm


class Strip(NamedTuple):
    """One attacked feature of one row: its cells in order, their least costs, and the row's own one.

    Cells of numbers lie between `cuts`; `names` are categories. What is out of reach costs infinity.
    """

    feature: str | int
    value: Any
    cuts: tuple[float, ...]
    names: tuple[Any, ...] | None
    own: int
    costs: tuple[float, ...]

    @property
    def reach(self) -> tuple[int, ...]:
        """The cells in reach."""
        return tuple(i for i, c in enumerate(self.costs) if math.isfinite(c))


class RowCells(NamedTuple):
    """All attacked features of a row, and how many combinations of cells the budget can pay for."""

    strips: tuple[Strip, ...]
    affordable: int

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(len(s.reach) for s in self.strips)

    @property
    def product(self) -> int:
        """Combinations of cells that are in reach one by one."""
        return math.prod(self.counts)

    @property
    def every(self) -> int:
        """Combinations of all cells, in reach or not."""
        return math.prod(len(s.costs) for s in self.strips)


def cells_of(model: Any, x: Any, attacker: Attacker) -> RowCells:
    """The cells of every feature that an affordable rule touches, in the order of the columns."""
    row = one_row(x)
    form = common_form(model, row, attacker)
    attacked = AttackedModel(form, row, attacker)
    known = {
        s.to_cells.f: s.to_cells.cost[int(s.to_cells.codes[0])] for s in attacked.side_costs(np.arange(1))
    }
    strips = tuple(_strip(attacked, row, f, known.get(f)) for f in attacked.rules)
    paid = [np.array(s.costs)[list(s.reach)] for s in strips]
    return RowCells(strips, count_affordable(paid, attacked.limit))


def _strip(attacked: AttackedModel, row: Any, f: int, costs: np.ndarray | None) -> Strip:
    """A feature's cells; the last one of the grid, for missing values, is left out if the value is known."""
    axis, column = attacked.grid.axes[f], attacked.form.schema.columns[f]
    own = int(attacked.grid.cells[0, f])
    size = axis.size - (own < axis.size - 1)
    paid = np.where(np.arange(size) == own, 0.0, math.inf) if costs is None else costs[:size]
    cuts = () if axis.cuts is None else tuple(axis.cuts.tolist())
    given = row.iloc[0, f] if isinstance(row, pd.DataFrame) else row[0, f]
    value = given.item() if isinstance(given, np.generic) else given
    return Strip(column.name, value, cuts, column.categories, own, tuple(paid.tolist()))


def telling_row(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> int:
    """Of the first rows that the attacker hurts, the place of the one with most combinations in reach."""
    return telling_rows(model, X, y, attacker, loss)[0]


def telling_rows(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> list[int]:
    """The places of the first rows: those that the attacker hurts first, most combinations in reach first."""
    some = X[:ROWS]
    hurt = harm(model, some, y[:ROWS], attacker, loss) > 0
    attacked = AttackedModel(common_form(model, some, attacker), some, attacker)
    sizes = np.zeros(len(some))
    for sides in attacked.side_costs(np.arange(len(some))):
        costs = sides.to_cells
        sizes += np.log(np.isfinite(costs.cost).sum(axis=1))[costs.codes]
    return np.lexsort((-sizes, ~hurt)).tolist()


__all__ = ["RowCells", "Strip", "cells_of", "telling_row", "telling_rows"]

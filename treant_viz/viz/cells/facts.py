"""The cells between a model's thresholds, and what bringing one row into each of them costs at least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacks.batch import AttackedModel
from treant_viz.attacks.cell_costs import CellCosts
from treant_viz.attacks.combinations import count_affordable
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.moves import HAIR
from treant_viz.attacks.tables import moved, one_row, some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.viz.attack_path.rows import ROWS, harm

PLANES = 4  # planes of two features that are drawn side by side, for the choices of the others


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


class Combination(NamedTuple):
    """A cell of each feature that has a choice: what they cost together, and what the model says there."""

    cells: tuple[int, ...]
    cost: float
    score: float
    loss: float


class RowCells(NamedTuple):
    """All attacked features of a row, those with most cells in reach first; how many combinations of cells
    the budget can pay for; those that are drawn; and the least and the greatest score of the model.
    """

    strips: tuple[Strip, ...]
    affordable: int
    cases: tuple[Combination, ...]
    scores: tuple[float, float]
    limit: float

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(len(s.reach) for s in self.strips)

    @property
    def moving(self) -> tuple[Strip, ...]:
        """The features that have a choice."""
        return tuple(s for s in self.strips if len(s.reach) > 1)

    @property
    def product(self) -> int:
        """Combinations of cells that are in reach one by one."""
        return math.prod(self.counts)

    @property
    def every(self) -> int:
        """Combinations of all cells, in reach or not."""
        return math.prod(len(s.costs) for s in self.strips)

    @property
    def worst(self) -> Combination:
        """Of the combinations drawn that the budget pays for, the one that hurts most, and costs least."""
        return max((c for c in self.cases if c.cost <= self.limit), key=lambda c: (c.loss, -c.cost))


def cells_of(model: Any, x: Any, y: Any, attacker: Attacker) -> RowCells:
    """The cells of every feature that an affordable rule touches."""
    row = one_row(x)
    form = common_form(model, row, attacker)
    attacked = AttackedModel(form, row, attacker)
    known = {s.to_cells.f: s.to_cells for s in attacked.side_costs(np.arange(1))}
    made = [(_strip(attacked, row, f, known.get(f)), known.get(f)) for f in attacked.rules]
    made.sort(key=lambda pair: -len(pair[0].reach))
    strips = tuple(strip for strip, _ in made)
    paid = [np.array(s.costs)[list(s.reach)] for s in strips]
    rows = LabelledRows(form, row, [y], None)
    cases = _cases([(s, c) for s, c in made if c is not None and len(s.reach) > 1], rows, row)
    return RowCells(strips, count_affordable(paid, attacked.limit), cases, rows.range, attacked.limit * HAIR)


def _cases(
    choices: Sequence[tuple[Strip, CellCosts]], rows: LabelledRows, row: Any
) -> tuple[Combination, ...]:
    """Every combination that is drawn: of the first two features, and of the others if there are few."""
    sizes = [len(s.reach) for s, _ in choices]
    few = math.prod(sizes[2:]) <= PLANES
    reach = [s.reach if k < 2 or few else (s.own,) for k, (s, _) in enumerate(choices)]
    made = list(product(*reach))
    moves = [
        [m for cell, (s, c) in zip(cells, choices, strict=True) if cell != s.own
         for m in c.path(int(c.codes[0]), cell)]
        for cells in made
    ]  # fmt: skip
    scores = rows.form.scores(moved(some_rows(row, [0] * len(made)), rows.form.schema, moves))
    losses = rows.ell(scores, np.repeat(rows.y, len(made)))
    costs = [sum(s.costs[i] for i, (s, _) in zip(cells, choices, strict=True)) for cells in made]
    return tuple(map(Combination, made, costs, scores.tolist(), losses.tolist()))


def _strip(attacked: AttackedModel, row: Any, f: int, known: CellCosts | None) -> Strip:
    """A feature's cells; the last one of the grid, for missing values, is left out if the value is known."""
    axis, column = attacked.grid.axes[f], attacked.form.schema.columns[f]
    own = int(attacked.grid.cells[0, f])
    size = axis.size - (own < axis.size - 1)
    paid = np.where(np.arange(size) == own, 0.0, math.inf)
    if known is not None:
        paid = known.cost[int(known.codes[0])][:size]
    cuts = () if axis.cuts is None else tuple(axis.cuts.tolist())
    given = row.iloc[0, f] if isinstance(row, pd.DataFrame) else row[0, f]
    value = given.item() if isinstance(given, np.generic) else given
    return Strip(column.name, value, cuts, column.categories, own, tuple(paid.tolist()))


def most_informative_row(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> int:
    """Of the first rows that the attacker hurts, the place of the one with most combinations in reach."""
    return most_informative_rows(model, X, y, attacker, loss)[0]


def most_informative_rows(
    model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None
) -> list[int]:
    """The places of the first rows: those that the attacker hurts first, most combinations in reach first,
    and of equals those that are hurt most.
    """
    some = X[:ROWS]
    hurt = harm(model, some, y[:ROWS], attacker, loss)
    attacked = AttackedModel(common_form(model, some, attacker), some, attacker)
    sizes = np.zeros(len(some))
    for sides in attacked.side_costs(np.arange(len(some))):
        costs = sides.to_cells
        sizes += np.log(np.isfinite(costs.cost).sum(axis=1))[costs.codes]
    return np.lexsort((-hurt, -sizes, hurt <= 0)).tolist()


__all__ = ["Combination", "RowCells", "Strip", "cells_of", "most_informative_row", "most_informative_rows"]

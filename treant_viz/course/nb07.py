"""For notebook 07: how large the search for the worst attack on a row is, and what the bound saves of it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.combinations import count_affordable
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, row_problem
from treant_viz.attacks.search import Descent
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form

PATIENCE = 10**9  # combinations, after which the count is given up


class SearchSize(NamedTuple):
    """One row: combinations of cells in reach feature by feature, within the budget, and looked at."""

    combinations: int
    affordable: int
    looked_at: int


def search_size(model: Any, X: Any, y: Any, A: Attacker) -> SearchSize:
    """Count for one row of data (X with one row, y with one label) what the depth-first search has to look
    at.

    Cells that no leaf in reach tells apart count as one. `looked_at` includes combinations of the first few
    features, from which the search goes on or turns back.
    """
    if len(X) != 1:
        raise ValueError(f"X: expected one row, got {len(X)}")
    p, limit = _problem(model, X, y, A)
    if p is None:
        return SearchSize(1, 1, 0)
    stop = RowLimits(nodes=PATIENCE)
    Descent(p, limit, stop).run()
    looked_at = PATIENCE - int(stop.nodes)
    return SearchSize(math.prod(len(c) for c in p.costs), count_affordable(p.costs, limit), looked_at)


def _problem(model: Any, X: Any, y: Any, A: Attacker) -> tuple[RowProblem | None, float]:
    """The row's problem as `attack` puts it; None if no tree has a worse leaf in reach."""
    form = common_form(model, X, A)
    attacked = AttackedModel(form, X, A)
    upwards, _ = LabelledRows(form, X, y, "margin").directions()
    batch = Batch(attacked, np.arange(1), np.where(upwards, 1.0, -1.0), attacked.limit)
    return (row_problem(batch, 0, attacked.limit) if batch.open[0] else None), attacked.limit


__all__ = ["SearchSize", "search_size"]

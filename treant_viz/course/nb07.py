"""For notebook 07: how large the search for the worst attack on one row is, and what the bound saves of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attack_case import Case
from treant_viz.attack_engine import Chunk, Engine
from treant_viz.attack_points import Clock, Problem
from treant_viz.attack_search import Descent
from treant_viz.attack_task import Task
from treant_viz.attacker import Attacker
from treant_viz.ensembles import ensemble

PATIENCE = 10**9  # combinations, after which the count is given up


class SearchSize(NamedTuple):
    """One row: combinations of cells in reach of single features, those within the budget, and those looked at."""

    combinations: int
    affordable: int
    looked_at: int


def search_size(model: Any, X: Any, y: Any, A: Attacker) -> SearchSize:
    """Count for one row of data (X with one row, y with one label) what the depth-first search has to look at.

    Cells that no leaf in reach tells apart count as one. `looked_at` includes combinations of the first few features,
    from which the search goes on or turns back.
    """
    if len(X) != 1:
        raise ValueError(f"X: expected one row, got {len(X)}")
    p, limit = _problem(model, X, y, A)
    if p is None:
        return SearchSize(1, 1, 0)
    clock = Clock(nodes=PATIENCE)
    Descent(p, limit, clock).run()
    looked_at = PATIENCE - int(clock.nodes)
    return SearchSize(math.prod(len(c) for c in p.costs), _affordable(p.costs, limit), looked_at)


def _affordable(costs: Iterable[np.ndarray], limit: float) -> int:
    """How many ways there are to choose a cell per feature within the limit: counted by cost, feature by feature."""
    ways = Counter({0.0: 1})
    for cells in costs:
        more: Counter[float] = Counter()
        for spent, n in ways.items():
            for cost in cells[cells <= limit - spent].tolist():
                more[spent + cost] += n
        ways = more
    return ways.total()


def _problem(model: Any, X: Any, y: Any, A: Attacker) -> tuple[Problem | None, float]:
    """The row's problem as `attack` puts it; None if no tree has a worse leaf in reach, so that nothing is searched."""
    form = ensemble(model, X, A)
    case = Case(form, X, y, "margin")
    engine = Engine(form, X, A)
    sign = np.where(case.directions()[0], 1.0, -1.0)
    chunk = Chunk(engine, np.arange(1), sign, engine.limit)
    return (Task(chunk, 0, engine.limit).problem if chunk.open[0] else None), engine.limit


__all__ = ["SearchSize", "search_size"]

"""Stored results by test rows, all of them or those without a twin, and the 42 cells of the paper's table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.results import Results
from treant_viz.experiments.schema import BEYOND, DATASETS, METHODS
from treant_viz.experiments.store import Store

KNOWN = ("ab", "treant-none", "treant")  # the strongest of the paper, as published and as described
PROTOCOL = "authors"
MANY_TWINS = "wine"  # the data set on which it matters whether they are counted
Section = Iterator[str]


class ResultCell(NamedTuple):
    """A cell: a data set, the budget of training and attack, and a measure."""

    dataset: str
    budget: int
    metric: str


CASES = [ResultCell(d, k, m) for d in DATASETS for k in BUDGETS[d] for m in METRICS]


class StoredResults:
    """Stored results on some test rows: on all, or on those without a twin."""

    def __init__(self, what: str, store: Store) -> None:
        self.what, self.store = what, store
        self.results = Results(store.table())

    def value(self, method: str, case: ResultCell, end: str = "") -> float | None:
        """The mean over seeds of a model trained for the budget that it is attacked with; `end` "_low" or
        "_high": of its bootstrap interval.
        """
        key = (case.dataset, PROTOCOL, method, self.trained(method, case.budget), case.budget)
        found = self.results.means.get(key)
        return None if found is None else float(found[case.metric + end])

    def trained(self, method: str, budget: int) -> int:
        """The training budget of a model that is attacked with this one."""
        return budget if METHODS[method].aware else 0

    @cached_property
    def methods(self) -> list[str]:
        """Those of which anything is there."""
        wanted = ("rf", "gbdt", *KNOWN, *BEYOND)
        return [m for m in wanted if any(self.value(m, case) is not None for case in CASES)]


def where_fair(sets: Sequence[StoredResults], case: ResultCell) -> StoredResults:
    """Where a cell is looked up if remembering does not count: wine is judged without twins."""
    return sets[-1] if case.dataset == MANY_TWINS else sets[0]


def without_twins_of_wine(sets: Sequence[StoredResults]) -> Results:
    """All results, those on wine without twins in place of those on all of its rows."""
    every, distinct = (rows.results.rows for rows in (sets[0], sets[-1]))
    wine, others = (
        distinct[distinct["dataset"] == MANY_TWINS],
        every[every["dataset"] != MANY_TWINS],
    )
    return Results(pd.concat([others, wine], ignore_index=True))


__all__ = [
    "CASES",
    "KNOWN",
    "MANY_TWINS",
    "PROTOCOL",
    "ResultCell",
    "Section",
    "StoredResults",
    "where_fair",
    "without_twins_of_wine",
]

"""The second part of the audit: what the paper does not have, beside what it has.

Learners that the paper does not know (`schema.BEYOND`), on all test rows and on those without a twin in
training, trained for and attacked with the same budget. Only results that are stored are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.mixed import mixed
from treant_viz.experiments.report.regression import regression
from treant_viz.experiments.report.results import Results, paper_table
from treant_viz.experiments.report.tables import TextTable, mcnemar_cells
from treant_viz.experiments.schema import BEYOND, DATASETS, METHODS, Job
from treant_viz.experiments.store import Store

KNOWN = ("ab", "treant-none", "treant")  # the strongest of the paper, as published and as described
OURS = "treant-boost"
PROTOCOL = "authors"
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
        """The mean over seeds of a model trained for the budget that it is attacked with."""
        key = (case.dataset, PROTOCOL, method, self.trained(method, case.budget), case.budget)
        found = self.results.means.get(key)
        return None if found is None else float(found[case.metric + end])

    def all_of(self, method: str) -> dict[ResultCell, float]:
        """Every value that is there."""
        return {case: v for case in CASES if (v := self.value(method, case)) is not None}

    def trained(self, method: str, budget: int) -> int:
        """The training budget of a model that is attacked with this one."""
        return budget if METHODS[method].aware else 0

    @cached_property
    def methods(self) -> list[str]:
        """Those of which anything is there."""
        wanted = ("rf", "gbdt", *KNOWN, *BEYOND)
        return [m for m in wanted if self.all_of(m)]


def beyond(store: Store) -> Section:
    """All of it, if there is anything to tell."""
    told = [*learners(store), *mixed(store), *regression(store)]
    if told:
        yield from ("", "# Beyond the paper", "", *told[:-1])  # the last line is empty


def learners(store: Store) -> Section:
    """Classifiers that the paper does not have, beside those it has."""
    every = StoredResults("all", store)
    if not set(BEYOND) & set(every.methods):
        return
    sets = [every]
    if (store.folder / "distinct").is_dir():
        sets.append(StoredResults("no twins", Store(store.folder / "distinct")))
    yield from _head(every)
    yield from _in_how_many(sets)
    yield from _twins(sets)
    yield from _intervals(sets)
    yield from _row_by_row(sets)
    yield from _all_cells(sets)


def _head(every: StoredResults) -> Section:
    yield (
        "Models trained for, and attacked with, the same budget, protocol `authors`, means over seeds. Rows "
        "are all test rows, or those without a twin: an identical row in training, for which remembering is "
        "enough (23.5 % of wine's test rows, 0.1 % of census', 0.4 % of credit's)."
    )
    yield ""
    yield from (f"- **{METHODS[m].label}** (`{m}`): {METHODS[m].what}" for m in BEYOND if m in every.methods)
    yield ""
    if set(BEYOND[:3]) <= set(every.methods):
        yield files("treant_viz.experiments.report").joinpath("beyond.md").read_text(encoding="utf-8")


def _in_how_many(sets: Sequence[StoredResults]) -> Section:
    """Our boosted trees against everybody, cell by cell."""
    if OURS not in sets[0].methods:
        return
    yield f"## {METHODS[OURS].label} against the others"
    yield ""
    lines = []
    for rows in sets:
        for name, other in _others(rows):
            mine = rows.all_of(OURS)
            if gaps := [(mine[case] - v, case) for case, v in other.items() if case in mine]:
                least, where = min(gaps)
                good = sum(gap >= 0 for gap, _ in gaps)
                place = f"{least:+.3f} ({where.dataset}, {where.budget}, {where.metric})"
                lines.append([rows.what, name, f"{good} of {len(gaps)}", place])
    yield TextTable(["rows", "against", "at least as good in", "its worst cell"], lines).markdown()
    yield ""


def _others(rows: StoredResults) -> Iterator[tuple[str, dict[ResultCell, float]]]:
    if rows.what == "all":
        yield "RF-TREANT as printed", _printed()
    for method in rows.methods:
        if method != OURS:
            yield f"{METHODS[method].label} (`{method}`)", rows.all_of(method)


def _printed() -> dict[ResultCell, float]:
    table = paper_table()
    mine = table[table["method"] == "RF-TREANT"]
    return {ResultCell(r["dataset"], r["budget"], r["metric"]): r["value"] for r in mine.to_dict("records")}


def _twins(sets: Sequence[StoredResults]) -> Section:
    """What remembering is worth."""
    if len(sets) < 2:
        return
    yield "## What twins do to each method"
    yield ""
    yield "Attacked with the largest budget: all rows, rows without twins, and what the twins were worth."
    yield ""
    lines = []
    for d in DATASETS:
        for m in sets[0].methods:
            pairs = [[rows.value(m, ResultCell(d, max(BUDGETS[d]), k)) for rows in sets] for k in METRICS]
            shown = [f"{a:.3f} / {b:.3f} ({a - b:+.3f})" for a, b in pairs if a is not None and b is not None]
            if len(shown) == len(METRICS):
                lines.append([d, METHODS[m].label, *shown])
    yield TextTable(["data", "method", *METRICS], lines).markdown()
    yield ""


def _intervals(sets: Sequence[StoredResults]) -> Section:
    """Values with the ends of their intervals."""
    yield "## With bootstrap intervals"
    yield ""
    yield "Attacked with the largest budget; 95 % intervals, of test rows drawn again, averaged over seeds."
    yield ""
    lines = []
    for d in DATASETS:
        for rows in sets:
            for m in rows.methods:
                cases = [ResultCell(d, max(BUDGETS[d]), k) for k in METRICS]
                if rows.value(m, cases[0]) is not None:
                    lines.append([d, rows.what, METHODS[m].label, *(_interval(rows, m, c) for c in cases)])
    yield TextTable(["data", "rows", "method", *METRICS], lines).markdown()
    yield ""


def _interval(rows: StoredResults, method: str, case: ResultCell) -> str:
    value, low, high = (rows.value(method, case, end) for end in ("", "_low", "_high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _row_by_row(sets: Sequence[StoredResults]) -> Section:
    """Our boosted trees against the strongest others by McNemar's test."""
    if OURS not in sets[0].methods:
        return
    yield f"## {METHODS[OURS].label} against others, row by row (McNemar's test, seed 0)"
    yield ""
    lines = []
    for rows in sets:
        kept = rows.store.correct()
        for d in DATASETS:
            for other in (m for m in rows.methods if m not in ("rf", "gbdt", OURS)):
                for k in BUDGETS[d]:
                    a, b = (kept.get(Job(d, PROTOCOL, m, rows.trained(m, k), 0)) for m in (OURS, other))
                    if a and b:
                        lines.append([d, rows.what, str(k), METHODS[other].label, *mcnemar_cells(a, b)])
    head = ["data", "rows", "budget", "other", "only boosted right", "only the other right", "statistic", "p"]
    yield TextTable(head, lines).markdown()
    yield ""


def _all_cells(sets: Sequence[StoredResults]) -> Section:
    """Everything, cell by cell, beside the best that the paper prints."""
    yield "## Every cell"
    yield ""
    table = paper_table()
    best = table.groupby(["dataset", "budget", "metric"])["value"].max().to_dict()
    lines = []
    for case in CASES:
        for rows in sets:
            values = [rows.value(m, case) for m in sets[0].methods]
            if any(v is not None for v in values):
                printed = f"{best[case]:.3f}" if rows is sets[0] else ""
                shown = ["" if v is None else f"{v:.3f}" for v in values]
                lines.append([case.dataset, str(case.budget), case.metric, rows.what, printed, *shown])
    head = ["data", "budget", "measure", "rows", "best that the paper prints"]
    yield TextTable([*head, *(METHODS[m].label for m in sets[0].methods)], lines).markdown()
    yield ""


__all__ = ["beyond"]

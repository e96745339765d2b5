"""The second part of the audit: what the paper does not have, beside what it has.

Learners that the paper does not know (`schema.BEYOND`), on all test rows and on those without a twin in
training, trained for and attacked with the same budget. Only results that are stored are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.mixed import mixed
from treant_viz.experiments.report.regression import regression
from treant_viz.experiments.report.results import paper_table
from treant_viz.experiments.report.rows import CASES, PROTOCOL, ResultCell, Section, StoredResults
from treant_viz.experiments.report.standing import standing
from treant_viz.experiments.report.tables import TextTable, mcnemar_cells
from treant_viz.experiments.report.twins import twins_of_claims, twins_of_methods
from treant_viz.experiments.schema import BEYOND, DATASETS, METHODS, Job
from treant_viz.experiments.store import Store

OURS = ("treant-boost", "treant-tuned")


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
    yield from standing(sets)
    yield from twins_of_methods(sets)
    yield from twins_of_claims(sets)
    yield from _intervals(sets)
    for ours in OURS:
        yield from _row_by_row(ours, sets)
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


def _intervals(sets: Sequence[StoredResults]) -> Section:
    """Values with the ends of their intervals."""
    yield "## With bootstrap intervals"
    yield ""
    yield (
        "Trained for and attacked with the same budget; 95 % intervals, of test rows drawn again, averaged "
        "over seeds."
    )
    yield ""
    lines = []
    for d, k in dict.fromkeys(case[:2] for case in CASES):
        cases = [ResultCell(d, k, metric) for metric in METRICS]
        for rows in sets:
            for m in rows.methods:
                if rows.value(m, cases[0]) is not None:
                    shown = [_interval(rows, m, c) for c in cases]
                    lines.append([d, str(k), rows.what, METHODS[m].label, *shown])
    yield TextTable(["data", "budget", "rows", "method", *METRICS], lines).markdown()
    yield ""


def _interval(rows: StoredResults, method: str, case: ResultCell) -> str:
    value, low, high = (rows.value(method, case, end) for end in ("", "_low", "_high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _row_by_row(ours: str, sets: Sequence[StoredResults]) -> Section:
    """A learner of ours against the strongest others by McNemar's test."""
    lines = []
    for rows in sets:
        kept = rows.store.correct()
        for d in DATASETS:
            for other in (m for m in rows.methods if m not in ("rf", "gbdt", ours)):
                for k in BUDGETS[d]:
                    a, b = (kept.get(Job(d, PROTOCOL, m, rows.trained(m, k), 0)) for m in (ours, other))
                    if a and b:
                        lines.append([d, rows.what, str(k), METHODS[other].label, *mcnemar_cells(a, b)])
    if not lines:
        return
    label = METHODS[ours].label
    yield f"## {label} against others, row by row (McNemar's test, seed 0)"
    yield ""
    head = [
        "data",
        "rows",
        "budget",
        "other",
        f"only {label} right",
        "only the other right",
        "statistic",
        "p",
    ]
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

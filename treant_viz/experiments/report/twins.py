"""Of the second part of the audit: what twins do to each method, and to each claim of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.claims import CLAIMS, Judge
from treant_viz.experiments.report.results import VIEWS
from treant_viz.experiments.report.rows import (
    PROTOCOL,
    ResultCell,
    Section,
    StoredResults,
    without_twins_of_wine,
)
from treant_viz.experiments.report.tables import TextTable
from treant_viz.experiments.schema import DATASETS, METHODS


def twins_of_methods(sets: Sequence[StoredResults]) -> Section:
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


def twins_of_claims(sets: Sequence[StoredResults]) -> Section:
    """The verdicts on the paper's claims with and without wine's twins, and numbers where they change."""
    if len(sets) < 2:
        return
    fair = without_twins_of_wine(sets)
    views = [v for v in VIEWS if v.protocol == PROTOCOL and fair.ready(v) == DATASETS]
    views = [v for v in views if sets[0].results.ready(v) == DATASETS]
    if not views:
        return
    yield "## What twins do to each claim"
    yield ""
    yield "The claims of the first part, judged on all rows, and with wine judged without twins."
    yield ""
    lines, told = [], []
    for i, (sentence, judged) in enumerate(CLAIMS, 1):
        cells = []
        for view in views:
            before, after = (judged(Judge(results, view)) for results in (sets[0].results, fair))
            cells += [before.verdict, after.verdict]
            if before.verdict != after.verdict:
                told.append(f"- {i}, {view.name}: {before.numbers}; without twins {after.numbers}")
        lines.append([f"{i}. {sentence}", *cells])
    head = [f"{view.name}{end}" for view in views for end in ("", ", without twins")]
    yield TextTable(["claim", *head], lines).markdown()
    yield ""
    yield f"{len(told)} of {len(CLAIMS) * len(views)} verdicts change{':' if told else '.'}"
    yield ""
    yield from told
    yield ""


__all__ = ["twins_of_claims", "twins_of_methods"]

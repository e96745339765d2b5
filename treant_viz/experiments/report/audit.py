"""figures/AUDIT.md, made from stored results: the table cell by cell, the text claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.experiments.report.beyond import beyond
from treant_viz.experiments.report.claims import CLAIMS, Judge
from treant_viz.experiments.report.results import VIEWS, Reading, Results, compared, within
from treant_viz.experiments.report.tables import TextTable, listed, mcnemar_cells
from treant_viz.experiments.schema import BEYOND, DATASETS, EFFECT, Effect, Job, effects
from treant_viz.experiments.store import Store

Section = Iterator[str]


def audit(store: Store) -> str:
    """The whole text."""
    results = Results(store.table())
    parts = (
        _head(results),
        _summary(results),
        _claims(results),
        _differences(store, results),
        _mcnemar(store),
    )
    body = [line for part in parts for line in part]
    return "\n".join([*body, *_cells(results), *beyond(store)]) + "\n"


def _head(results: Results) -> Section:
    rows = results.rows[~results.rows["method"].isin(BEYOND)]
    yield "# Reproduction audit"
    yield ""
    yield (
        "Made by `treant-viz figures` from `figures/results/`; `treant-viz experiments` made "
        "those. Do not edit."
    )
    yield ""
    yield f"- {len(rows)} measured rows, {rows[KEYS].drop_duplicates().shape[0]} models"
    yield f"- made with {' / '.join(sorted(rows['versions'].unique()))}"
    yield f"- {' / '.join(sorted(rows['scale'].unique()))}"
    yield ""
    yield "Three ways to read the paper:"
    yield ""
    yield from (
        f"- **{v.name}**: {v.what} (protocol `{v.protocol}`, RT is `{v.rt}`, RF-TREANT is `{v.treant}`)"
        for v in VIEWS
    )
    yield ""


KEYS = [*Job._fields]


def _summary(results: Results) -> Section:
    yield "## The table of results in short"
    yield ""
    lines = []
    for view in filter(results.ready, VIEWS):
        cells = compared(results, view)
        for method, tolerance in (("RF-TREANT", 0.015), ("RF-TREANT", 0.03), ("AB", 0.04), ("RT", 0.04)):
            near, total, worst = within(cells, [method], tolerance)
            lines.append([view.name, method, str(tolerance), f"{near} of {total}", f"{worst:.3f}"])
    yield TextTable(
        ["view", "method", "tolerance", "cells within it", "largest difference"], lines
    ).markdown()
    yield ""
    yield from _far_off(results)


def _far_off(results: Results, most: float = 0.04) -> Section:
    """The cells of the first view that do not match."""
    if not results.ready(VIEWS[0]):
        return
    cells = compared(results)
    far = cells[cells["difference"].abs() > most]
    yield f"{len(far)} of {len(cells)} cells of the view **{VIEWS[0].name}** are off by more than {most}:"
    yield ""
    yield listed(far).markdown()
    yield ""


def _claims(results: Results) -> Section:
    yield "## What the text claims"
    yield ""
    yield (
        "Verdicts: yes from 90 % of the cases on, mostly from 70 % on, else no; or by the "
        "bound beside the numbers."
    )
    yield ""
    judges = [Judge(results, view) for view in VIEWS if results.ready(view) == DATASETS]
    for i, (sentence, judged) in enumerate(CLAIMS, 1):
        yield f"**{i}. {sentence}**"
        yield ""
        if not judges:
            yield "- not judged: results of all three data sets are needed"
        for judge in judges:
            found = judged(judge)
            yield f"- {judge.view.name}: **{found.verdict}**. {found.numbers}"
        yield ""


def _differences(store: Store, results: Results) -> Section:
    yield "## What differs between the text and what produced the numbers"
    yield ""
    yield (
        "One thing changed at a time; ROC AUC of a model trained for, and attacked with, the largest budget."
    )
    yield ""
    yield differences(store, results).markdown()
    yield ""
    yield from _notes()


def differences(store: Store, results: Results) -> TextTable:
    """What the text says, what was done, and what each difference does to ROC AUC."""
    name = "effects.csv"
    known = store.frame(name, EFFECT).to_dict("records") if (store.folder / name).exists() else []
    measured: dict[str, Any] = {r["effect"]: r for r in known}
    lines = [
        _effect(e, measured[e.name], results) for e in effects() if e.name in measured and _base(e, results)
    ]
    lines += [line for d in DATASETS for line in _variants(results, d)]
    head = [
        "difference",
        "the text",
        "what was done",
        "as the text",
        "as done",
        "effect",
        "clean: text",
        "clean: done",
    ]
    return TextTable(head, lines)


def _base(effect: Effect, results: Results) -> dict[str, Any] | None:
    """The stored run that an effect changes: its ROC AUC attacked and clean."""
    rows = results.rows
    job = effect.base
    mine = rows[(rows[KEYS] == pd.Series(job._asdict())).all(axis=1)].set_index("test_budget")
    if mine.empty:
        return None
    return {"roc_auc": mine.at[job.train_budget, "roc_auc"], "clean_roc_auc": mine.at[0, "roc_auc"]}


def _effect(effect: Effect, other: Any, results: Results) -> list[str]:
    base = _base(effect, results)
    assert base is not None
    text, done = (base, other) if effect.base.protocol == "paper" else (other, base)
    who = f"{effect.name} ({effect.base.method})"
    return [
        who,
        effect.text,
        effect.done,
        *_numbers(text["roc_auc"], done["roc_auc"], text["clean_roc_auc"], done["clean_roc_auc"]),
    ]


def _numbers(text: float, done: float, clean_text: float, clean_done: float) -> list[str]:
    return [f"{text:.3f}", f"{done:.3f}", f"{done - text:+.3f}", f"{clean_text:.3f}", f"{clean_done:.3f}"]


VARIANTS = (
    ("treant", "treant-none", "features barred below a test", "corrupted ones", "every used one"),
    (
        "rt",
        "rt-slips",
        "robust trees, both slips",
        "four cases; categories by ==",
        "empty cases passed over; by <=",
    ),
    (
        "rt",
        "rt-empty",
        "robust trees, empty cases",
        "all four cases count",
        "cases with an empty side passed over",
    ),
    ("rt", "rt-alphabet", "robust trees, categories", "unknown rows follow ==", "unknown rows follow <="),
)


def _variants(results: Results, dataset: str) -> Iterator[list[str]]:
    """Differences that were run as separate methods."""
    K = max(BUDGETS[dataset])
    for text, done, what, as_written, as_run in VARIANTS:
        keys = [(dataset, "authors", m, K, k) for m in (text, done) for k in (K, 0)]
        if all(key in results.means for key in keys):
            a, clean_a, b, clean_b = (results.means[key]["roc_auc"] for key in keys)
            yield [f"{what}, {dataset}", as_written, as_run, *_numbers(a, b, clean_a, clean_b)]


def _notes() -> Section:
    yield files("treant_viz.experiments.report").joinpath("notes.md").read_text(encoding="utf-8")


def _mcnemar(store: Store) -> Section:
    yield "## RF-TREANT against AB, row by row (McNemar's test, with continuity correction, seed 0)"
    yield ""
    yield row_by_row(store).markdown()
    yield ""


def row_by_row(store: Store, views: Iterable[Reading] = VIEWS) -> TextTable:
    """RF-TREANT against adversarial boosting by McNemar's test (the paper reports none)."""
    kept, lines = store.correct(), []
    for view in views:
        for d in DATASETS:
            for k in BUDGETS[d]:
                pair = [kept.get(Job(d, view.protocol, m, k, 0)) for m in (view.treant, "ab")]
                if pair[0] and pair[1]:
                    lines.append([view.name, d, str(k), *mcnemar_cells(pair[0], pair[1])])
    return TextTable(
        ["view", "data", "budget", "only RF-TREANT right", "only AB right", "statistic", "p"], lines
    )


def _cells(results: Results) -> Section:
    yield "## The table, cell by cell"
    for view in filter(results.ready, VIEWS):
        yield ""
        yield f"### {view.name}"
        yield ""
        yield listed(compared(results, view)).markdown()


__all__ = ["audit", "differences", "row_by_row"]

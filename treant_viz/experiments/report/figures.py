"""Every figure and table of the paper, drawn again from stored results in seconds.

Each maker yields pictures (a file name and a display) or texts (a file name and what goes into it). The
paper's three figures and the heat maps can be had one by one: `impact_figure`, `max_train_figure`,
`max_test_figure`, `heat_map`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report import tables
from treant_viz.experiments.report.audit import audit
from treant_viz.experiments.report.beyond_curves import beyond_figure
from treant_viz.experiments.report.results import VIEWS, Reading, Results, compared, paper_table
from treant_viz.experiments.schema import DATASETS, METHODS, PROTOCOLS, USUAL
from treant_viz.experiments.store import Store
from treant_viz.viz.audit.display import AuditDisplay
from treant_viz.viz.display import Display
from treant_viz.viz.security_curve.display import SecurityCurveDisplay
from treant_viz.viz.security_curve.facts import STEADY, curves_of, listed
from treant_viz.viz.train_test.display import TrainTestHeatmapDisplay

FORMATS = ("svg", "pdf", "png")
ENDING = {"as published": "", "as described": "-described", "protocol paper": "-paper"}
AWARE = ("RF-TREANT", "AB", "RT")
Made = Iterator[tuple[str, Display | str]]
SPELLED = {
    "ab": "Adversarial boosting (AB)",
    "rt": "Robust trees (RT) as the paper's text describes them",
    "rt-slips": "Robust trees (RT) as published",
    "treant": "RF-TREANT as the paper's text describes it",
    "treant-none": "RF-TREANT as published",
}
MAKERS: dict[str, Callable[[Store], Made]] = {}


def maker(name: str) -> Callable[[Callable[[Store], Made]], Callable[[Store], Made]]:
    """Mark a function that makes the figures of a name."""

    def mark(make: Callable[[Store], Made]) -> Callable[[Store], Made]:
        MAKERS[name] = make
        return make

    return mark


def write_figures(
    store: Store, out: Path, names: Iterable[str] | None = None, formats: Sequence[str] = ("svg",)
) -> Iterator[Path]:
    """Make the figures asked for; yields every file written."""
    out.mkdir(parents=True, exist_ok=True)
    for name in names or MAKERS:
        for stem, made in MAKERS[name](store):
            (out / stem).parent.mkdir(exist_ok=True)
            if isinstance(made, str):
                (out / stem).write_text(made, encoding="utf-8", newline="\n")
                yield out / stem
            else:
                yield from (made.save(out / f"{stem}.{kind}") for kind in formats)


def _ready(store: Store) -> Iterator[tuple[Results, Reading]]:
    """The views that the stored results cover for at least one data set."""
    results = Results(store.table())
    return ((results, view) for view in VIEWS if results.ready(view))


@maker("toy")
def toy(store: Store) -> Made:
    """The paper's overview figure, panels (a) to (e)."""
    from treant_viz.experiments.toy import toy_display

    yield "toy", toy_display()


@maker("hero")
def hero(store: Store) -> Made:
    """The picture at the top of the README: the toy's tests on p, one after the other."""
    from treant_viz.experiments.toy import moving_split

    yield "hero.svg", moving_split()


@maker("gallery")
def gallery(store: Store) -> Made:
    """Every picture with the code that makes it, as a page."""
    from treant_viz.experiments.report.gallery import gallery

    yield from gallery()


@maker("attack")
def attack(store: Store) -> Made:
    """The attacker's impact on RF and GBDT."""
    for results, view in _ready(store):
        if view.name != "as described":  # the same runs as those as published
            yield f"attack{ENDING[view.name]}", impact_figure(results, view)


def impact_figure(
    results: Results,
    view: Reading = VIEWS[0],
    *,
    compare: Sequence[str] = AWARE[:1],
    metrics: Sequence[str] = METRICS,
) -> SecurityCurveDisplay:
    """The paper's figure "The impact of the attacker on RF and GBDT", and beside them what withstands."""
    frame = curves(results, view, ("RF", "GBDT"), train=0, metrics=metrics)
    note = "RF and GBDT know no attacker"
    takeaway = f"{note}: both fall on every data set and by every measure" if _all_fall(frame) else ""
    if compare:
        robust = curves(results, view, compare, metrics=metrics)
        level = all(c.span <= STEADY for c in curves_of(robust))
        what = f"{listed(compare)} hardly move{'s' * (len(compare) == 1)}"
        takeaway = f"RF and GBDT fall on every data set, {what}" if takeaway and level else takeaway
        note = (
            f"{note}; {listed(compare)} {'is' if len(compare) == 1 else 'are'} trained for the largest budget"
        )
        frame = pd.concat([frame, robust], ignore_index=True)
    return SecurityCurveDisplay.from_curve(frame, takeaway=takeaway, note=_note(note, view), focus=compare)


def _all_fall(frame: pd.DataFrame) -> bool:
    """Does every curve fall visibly?"""
    return all(c.fall > STEADY for c in curves_of(frame))


@maker("max-train")
def max_train(store: Store) -> Made:
    """Security evaluation curves of models trained for the largest budget."""
    for results, view in _ready(store):
        yield f"max-train{ENDING[view.name]}", max_train_figure(results, view)


def max_train_figure(
    results: Results, view: Reading = VIEWS[0], *, metrics: Sequence[str] = METRICS
) -> SecurityCurveDisplay:
    """The paper's figure of all test budgets at the maximum training budget, its printed numbers hollow."""
    top = {d: float(max(BUDGETS[d])) for d in DATASETS}
    note = _note("All models are trained for the largest budget", view)
    return SecurityCurveDisplay.from_curve(
        curves(results, view, AWARE, metrics=metrics), train_budgets=top, paper=printed(), note=note
    )


@maker("max-test")
def max_test(store: Store) -> Made:
    """The other way round: models trained for every budget, attacked with the largest."""
    for results, view in _ready(store):
        yield f"max-test{ENDING[view.name]}", max_test_figure(results, view)


def max_test_figure(
    results: Results, view: Reading = VIEWS[0], *, metrics: Sequence[str] = METRICS
) -> SecurityCurveDisplay:
    """The paper's figure of all training budgets at the maximum test budget, its printed numbers hollow."""
    frame = curves(results, view, AWARE, dual=True, metrics=metrics)
    note = _note("All models are attacked with the largest budget", view)
    return SecurityCurveDisplay.from_curve(
        frame, x="training budget", paper=printed(), takeaway=_ahead(frame), note=note, focus=AWARE[:1]
    )


@maker("slides")
def slides(store: Store) -> Made:
    """The three figures of curves by ROC AUC alone: three panels that can be read from afar."""
    for results, view in _ready(store):
        if view == VIEWS[0]:
            one = METRICS[-1:]
            yield "attack-slide", impact_figure(results, view, metrics=one)
            yield "max-train-slide", max_train_figure(results, view, metrics=one)
            yield "max-test-slide", max_test_figure(results, view, metrics=one)


def _note(what: str, view: Reading) -> str:
    """For the subtitle: what all models have in common, and which reading of the paper is shown, if not the
    published one.
    """
    return ". ".join(filter(None, [view.name.capitalize() if ENDING[view.name] else "", what]))


def _ahead(frame: pd.DataFrame, who: str = AWARE[0]) -> str:
    """In how many panels and training budgets a method is best, or tied for it."""
    wide = frame.pivot(index=["dataset", "metric", "budget"], columns="model", values="value")
    wins, total = int((wide[who] >= wide.max(axis=1)).sum()), len(wide)
    if wins == total:
        return f"Whatever budget it was trained for, {who} withstands the strongest attacker best"
    return f"Against the strongest attacker {who} does best in {wins} of {total} cases"


def curves(
    results: Results, view: Reading, labels: Sequence[str], train: int | None = None, *, dual: bool = False,
    metrics: Sequence[str] = METRICS,
) -> pd.DataFrame:  # fmt: skip
    """Tidy lines for pictures: by test budget at the largest training budget, or the other way round."""
    lines = []
    for d in results.ready(view):
        top = max(BUDGETS[d])
        for metric in metrics:
            for label in labels:
                for k in BUDGETS[d] if dual else (0, *BUDGETS[d]):
                    pair = (k, top) if dual else (top if train is None else train, k)
                    v = [
                        results.value(view, d, label, *pair, f"{metric}{end}")
                        for end in ("", "_low", "_high")
                    ]
                    lines.append((d, label, k, metric, *v))
    return pd.DataFrame(lines, columns=["dataset", "model", "budget", "metric", "value", "low", "high"])


def printed() -> pd.DataFrame:
    """What the paper prints for models trained for, and attacked with, the largest budget."""
    table = paper_table().rename(columns={"method": "model"})
    top = table["dataset"].map({d: max(k) for d, k in BUDGETS.items()})
    return table[table["budget"] == top]


@maker("heatmaps")
def heatmaps(store: Store) -> Made:
    """Training budget against test budget, a figure a method and protocol."""
    results = Results(store.table())
    there = set(results.rows[["protocol", "method"]].itertuples(index=False, name=None))
    for protocol in PROTOCOLS:
        for method in USUAL[protocol]:
            if METHODS[method].aware and (protocol, method) in there:
                ending = "" if protocol == "authors" else "-paper"
                yield f"heatmap-{method}{ending}", heat_map(results, method, protocol)


def heat_map(results: Results, method: str, protocol: str = "authors") -> TrainTestHeatmapDisplay:
    """What methods that train against an attacker lose of ROC AUC if they were trained for another budget, on
    every data set; all maps have one scale.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol: expected one of {list(PROTOCOLS)}, got {protocol!r}")
    known = [m for m in USUAL[protocol] if METHODS[m].aware]
    if method not in known:
        raise ValueError(f"method: expected one of {known}, got {method!r}")
    rows = results.rows
    aware = rows[rows["method"].isin({m for p in PROTOCOLS for m in USUAL[p] if METHODS[m].aware})]
    mine = aware[(aware["method"] == method) & (aware["protocol"] == protocol)]
    ordered = mine.sort_values("dataset", key=lambda c: c.map(DATASETS.index), kind="stable")
    frame = ordered.assign(panel=ordered["dataset"], value=ordered["roc_auc"])
    ends = aware.groupby(["protocol", "dataset", "method", "train_budget", "test_budget"])["roc_auc"].mean()
    scale = (float(ends.min()), float(ends.max()))
    return TrainTestHeatmapDisplay.from_results(
        frame, model=SPELLED.get(method, METHODS[method].label), scale=scale
    )


@maker("table")
def table(store: Store) -> Made:
    """The big table: paper, ours, difference."""
    for results, view in _ready(store):
        cells = compared(results, view)
        name = f"table-results{ENDING[view.name]}"
        yield f"{name}.csv", cells.round(6).to_csv(index=False, lineterminator="\n")
        caption = f"Each cell: paper / ours (difference). {view.name}: {view.what}."
        yield f"{name}.md", f"{caption}\n\n{tables.wide(cells).markdown()}\n"
        yield f"{name}.tex", tables.wide(cells).latex(caption)


@maker("datasets")
def datasets(store: Store) -> Made:
    """The table of data sets."""
    frame = tables.dataset_table()
    yield "table-datasets.csv", frame.to_csv(index=False, lineterminator="\n")
    yield "table-datasets.md", tables.as_grid(frame).markdown() + "\n"
    yield "table-datasets.tex", tables.as_grid(frame).latex("Data sets: as printed in the paper, and counted")


@maker("cells")
def cells(store: Store) -> Made:
    """The big table as a picture: which cells agree with the paper's."""
    for results, view in _ready(store):
        shown = AuditDisplay.from_cells(compared(results, view), view=view.name)
        yield f"cells{ENDING[view.name]}", shown


@maker("beyond")
def beyond(store: Store) -> Made:
    """Curves of learners that the paper does not have, if they are stored."""
    if shown := beyond_figure(store):
        yield "beyond", shown


@maker("audit")
def the_audit(store: Store) -> Made:
    """Paper and runs compared: cells, claims, differences."""
    yield "AUDIT.md", audit(store)


__all__ = [
    "FORMATS",
    "MAKERS",
    "curves",
    "heat_map",
    "impact_figure",
    "max_test_figure",
    "max_train_figure",
    "printed",
    "write_figures",
]

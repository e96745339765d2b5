"""Stored results: means over seeds, by data set, protocol, method, training and test budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from io import StringIO
from typing import Any, NamedTuple

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.datasets.shipped import shipped
from treant_viz.evaluation import METRICS
from treant_viz.experiments.schema import DATASETS, MEASURES
from treant_viz.experiments.store import Store

KEY = ["dataset", "protocol", "method", "train_budget", "test_budget"]
TABLE_METHODS = ("AB", "RT", "RF-TREANT")


class Reading(NamedTuple):
    """A way to read the paper: a protocol, and which of our methods stand for its RT and its RF-TREANT."""

    name: str
    what: str
    protocol: str
    rt: str
    treant: str

    def method(self, label: str) -> str:
        """Our name of a method of the paper."""
        known = {"RF": "rf", "GBDT": "gbdt", "AB": "ab", "RT": self.rt, "RF-TREANT": self.treant}
        return known[label]


VIEWS = (
    Reading(
        "as published", "the authors' data and programs, slips included", "authors", "rt-slips", "treant-none"
    ),
    Reading("as described", "the authors' data, methods as the text has them", "authors", "rt", "treant"),
    Reading("protocol paper", "UCI's data, methods and tuning as the text has them", "paper", "rt", "treant"),
)


@dataclass(frozen=True, eq=False)
class Results:
    """A table of `Store.table()`, averaged over seeds."""

    rows: pd.DataFrame

    @cached_property
    def means(self) -> dict[Any, dict[Any, Any]]:
        """By key: every measure and the ends of its interval, averaged over seeds."""
        return self.rows.groupby(KEY)[list(MEASURES)].mean().to_dict("index")

    @cached_property
    def spread(self) -> dict[Any, dict[Any, Any]]:
        """By key: the standard deviation of every measure over seeds, and `seeds`, their number."""
        grouped = self.rows.groupby(KEY)
        return grouped[list(METRICS)].std().assign(seeds=grouped["seed"].nunique()).to_dict("index")

    def has(self, view: Reading, dataset: str, label: str, train: int | None = None) -> bool:
        train = train if train is not None else 0 if label in ("RF", "GBDT") else max(BUDGETS[dataset])
        return (dataset, view.protocol, view.method(label), train, 0) in self.means

    def value(self, view: Reading, dataset: str, label: str, train: int, test: int, metric: str) -> float:
        """The mean over seeds; a KeyError says which result is missing."""
        key = (dataset, view.protocol, view.method(label), train, test)
        try:
            return float(self.means[key][metric])
        except KeyError:
            raise KeyError(f"no result for {dict(zip(KEY, key, strict=True))}") from None

    def curves(self, view: Reading = VIEWS[0]) -> pd.DataFrame:
        """Every line of a view, tidy: the columns of `security_curve`, and `dataset` and `train_budget`."""
        labels = {view.method(label): label for label in ("RF", "GBDT", *TABLE_METHODS)}
        lines = []
        for (dataset, protocol, method, train, test), v in self.means.items():
            if protocol == view.protocol and method in labels:
                lines += [
                    (dataset, labels[method], train, test, m, v[m], v[f"{m}_low"], v[f"{m}_high"])
                    for m in METRICS
                ]
        columns = ["dataset", "model", "train_budget", "budget", "metric", "value", "low", "high"]
        order = {"dataset": DATASETS, "model": ("RF-TREANT", "AB", "RT", "RF", "GBDT"), "metric": METRICS}
        return pd.DataFrame(lines, columns=columns).sort_values(
            columns[:5], key=lambda c: c.map(order[c.name].index) if c.name in order else c, ignore_index=True
        )

    def ready(self, view: Reading) -> tuple[str, ...]:
        """The data sets for which all that the view's figures show is there."""
        return tuple(d for d in DATASETS if self._ready(view, d))

    def _ready(self, view: Reading, dataset: str) -> bool:
        unaware = all(self.has(view, dataset, m) for m in ("RF", "GBDT"))
        return unaware and all(self.has(view, dataset, m, k) for m in TABLE_METHODS for k in BUDGETS[dataset])


def load_results(*, distinct: bool = False) -> Results:
    """The results that come with the package: every protocol, data set, method, training and test budget.

    `distinct`: judged on the test rows without an identical row in training (see `tv.twins`).
    """
    folder = shipped("results")
    return Results(Store(folder / "distinct" if distinct else folder).table())


def paper_table() -> pd.DataFrame:
    """The table of results as printed in the paper ("Comparison of adversarial learning techniques ..."),
    tidy.

    >>> t = paper_table()
    >>> rt = t.query("dataset == 'wine' and budget == 60 and method == 'RT' and metric == 'roc_auc'")
    >>> len(t), rt.value.item()
    (126, 0.522)
    """
    text = files("treant_viz.experiments.report").joinpath("paper_table.csv").read_text(encoding="utf-8")
    wide = pd.read_csv(StringIO(text))
    names = {"accuracy": "accuracy", "macro_f1": "f1_macro", "roc_auc": "roc_auc"}
    lines: list[tuple[Any, ...]] = []
    for row in wide.to_dict("records"):
        for method in TABLE_METHODS:
            column = method.replace("-", "_")
            lines += [
                (row["dataset"], row["budget"], method, m, row[f"{column}_{names[m]}"]) for m in METRICS
            ]
    return pd.DataFrame(lines, columns=["dataset", "budget", "method", "metric", "value"])


def compared(results: Results, view: Reading = VIEWS[0]) -> pd.DataFrame:
    """The paper's cells beside ours: paper, ours, difference; for several seeds their number and spread."""
    lines = []
    table = paper_table()
    for row in table[table["dataset"].isin(results.ready(view))].to_dict("records"):
        budget = row["budget"]
        ours = results.value(view, row["dataset"], row["method"], budget, budget, row["metric"])
        key = (row["dataset"], view.protocol, view.method(row["method"]), budget, budget)
        spread = results.spread[key]
        lines.append((*row.values(), ours, ours - row["value"], spread["seeds"], spread[row["metric"]]))
    columns = ["dataset", "budget", "method", "metric", "paper", "ours", "difference", "seeds", "spread"]
    return pd.DataFrame(lines, columns=columns)


def within(cells: pd.DataFrame, methods: Iterable[str], tolerance: float) -> tuple[int, int, float]:
    """How many cells of some methods are within the tolerance, of how many, and the largest difference."""
    off = cells[cells["method"].isin(list(methods))]["difference"].abs()
    return int((off <= tolerance).sum()), len(off), float(off.max())


__all__ = [
    "TABLE_METHODS",
    "VIEWS",
    "Reading",
    "Results",
    "compared",
    "load_results",
    "paper_table",
    "within",
]

"""Of the second part of the audit: labels that are numbers, and how far off predictions are under attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import pandas as pd

from treant_viz.datasets.shipped import shipped
from treant_viz.datasets.threats import REGRESSION_BUDGETS
from treant_viz.experiments.report.tables import TextTable
from treant_viz.experiments.schema import COLUMNS_OF_REGRESSION, REGRESSION, REGRESSORS
from treant_viz.experiments.store import Store

OURS, RIVAL = "treant-forest", "drop-forest"
WHAT = {
    "quality": "wine quality, 3 to 9, under the paper's attacker of wine",
    "diabetes": "how far diabetes has come in a year (25 to 346), under patients who state less weight, rest "
    "before blood pressure is taken and fast before blood is drawn",
}
HEAD = (
    "Root of the mean squared error / mean absolute error, under the exact attack; means over seeds, and for "
    "the first also the standard deviation. Every seed has a split of its own, 60-20-20. Depth and rate are "
    "chosen on validation rows without twins: attacked ones for TREANT, which is trained for the budget that "
    "it is attacked with (for the largest in the column without attack)."
)


class Errors:
    """The stored errors on some test rows of one table: on all of them, or on those without a twin."""

    def __init__(self, dataset: str, rows: str, table: pd.DataFrame) -> None:
        self.dataset, self.rows = dataset, rows
        self.table = table[table["rows"] == rows]
        self.budgets = REGRESSION_BUDGETS[dataset]

    def of(self, method: str, budget: int) -> pd.DataFrame:
        """By seed: the errors of a model under attack, trained for this budget if it knows any."""
        trained = (budget or max(self.budgets)) if REGRESSORS[method].aware else 0
        t = self.table
        mine = (t["method"] == method) & (t["test_budget"] == budget) & (t["train_budget"] == trained)
        return t[mine].set_index("seed")[["rmse", "mae"]]

    @cached_property
    def methods(self) -> list[str]:
        """Those that are there at every budget."""
        return [m for m in REGRESSORS if all(len(self.of(m, b)) for b in (0, *self.budgets))]

    def rmse(self, method: str, budget: int) -> float:
        return float(self.of(method, budget)["rmse"].mean())


def load_errors(dataset: str, rows: str = "all") -> pd.DataFrame:
    """Of the regressions that come with the package: root mean squared errors, by model and budget.

    `rows`: "all" test rows, or those with "no twins".

    >>> load_errors("quality").loc["mean"].round(2).to_dict()
    {0: 0.88, 20: 0.88, 60: 0.88, 120: 0.88}
    """
    [found] = [e for e in _stored(Store(shipped("results")), dataset) if e.rows == rows]
    values = {REGRESSORS[m].label: {b: found.rmse(m, b) for b in (0, *found.budgets)} for m in found.methods}
    return pd.DataFrame.from_dict(values, "index")


def regression(store: Store) -> Iterator[str]:
    """All of it, if there is anything to tell."""
    found = [e for dataset in REGRESSION_BUDGETS for e in _stored(store, dataset) if e.methods]
    if not found:
        return
    yield "## When labels are numbers"
    yield ""
    yield HEAD
    yield ""
    used = {m for errors in found for m in errors.methods}
    yield from (f"- **{kind.label}** (`{m}`): {kind.what}" for m, kind in REGRESSORS.items() if m in used)
    yield ""
    for errors in found:
        yield from _section(errors)


def _stored(store: Store, dataset: str) -> list[Errors]:
    path = store.path(REGRESSION, dataset)
    if not path.exists():
        return []
    table = store.frame(path.name, COLUMNS_OF_REGRESSION)
    return [Errors(dataset, rows, table) for rows in ("all", "no twins") if (table["rows"] == rows).any()]


def _section(errors: Errors) -> Iterator[str]:
    few = "" if errors.rows == "all" else ", test rows without a twin in training"
    seeds = errors.table["seed"].nunique()
    yield f"**{errors.dataset}**{few}: {WHAT[errors.dataset]} ({_count(seeds, 'seed')})"
    yield ""
    head = ["model", "not attacked", *map(str, errors.budgets)]
    lines = [[REGRESSORS[m].label, *(_cell(errors.of(m, b)) for b in (0, *errors.budgets))]
             for m in errors.methods]  # fmt: skip
    yield TextTable(head, lines).markdown()
    yield ""
    yield " ".join(_verdict(errors, max(errors.budgets)))
    yield ""


def _cell(found: pd.DataFrame) -> str:
    rmse, mae = found["rmse"], found["mae"]
    spread = f" ± {_short(rmse.std(), rmse.mean())}" if len(found) > 1 else ""
    return f"{_short(rmse.mean())}{spread} / {_short(mae.mean())}"


def _short(value: float, beside: float | None = None) -> str:
    """Three digits behind the point for small errors, one for large ones; as many as its neighbour has.

    >>> _short(0.71834), _short(59.7653), _short(2.442, beside=59.7653)
    ('0.718', '59.8', '2.4')
    """
    return f"{value:.3f}" if (value if beside is None else beside) < 10 else f"{value:.1f}"


def _verdict(errors: Errors, budget: int) -> Iterator[str]:
    """What the numbers say about the strongest attacker, counted from them."""
    values = {m: errors.rmse(m, budget) for m in errors.methods}
    best = min(values, key=values.__getitem__)
    yield f"Attacked with {budget}, {REGRESSORS[best].label} is off least ({_short(values[best])})."
    if "mean" in values:
        worse = [REGRESSORS[m].label for m, v in values.items() if v > values["mean"]]
        yield f"Worse than predicting the mean: {_listed(worse)}."
    if {OURS, RIVAL} <= set(values):
        yield from _against(errors, budget, values[OURS])


def _against(errors: Errors, budget: int, size: float) -> Iterator[str]:
    """The robust forest and the one that drops what can be attacked, split by split."""
    gaps = (errors.of(OURS, budget)["rmse"] - errors.of(RIVAL, budget)["rmse"]).dropna()
    if len(gaps):
        mean = float(gaps.mean())
        better = f"is better than {REGRESSORS[RIVAL].label} in {(gaps < 0).sum()} of {len(gaps)} splits"
        by = f"{_short(abs(mean), size)} {'less' if mean < 0 else 'more'}"
        yield f"{REGRESSORS[OURS].label} {better}; its error is {by} on average."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "none"


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


__all__ = ["load_errors", "regression"]

"""Rows attacked in a second: three data sets, four kinds of models, the search beside the MILP.

(veritas knows boxes alone, neither budgets nor rules: see `hard.py` for those.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from treant_viz.attacks.attack import attack
from treant_viz.bench.measure import Result
from treant_viz.datasets.records import Dataset
from treant_viz.estimators.trees import TreantForestClassifier

DEPTH = 8
PATIENCE = 3.0  # seconds that the MILP has for a row


def bench_rates(
    data: Mapping[str, Dataset], trees: int, rows: int | None, milp_rows: int
) -> Iterator[Result]:
    """A line for each data set and kind of model."""
    for name, d in data.items():
        for kind, make in KINDS.items():
            if kind == "LightGBM" and not find_spec("lightgbm"):
                continue
            model = make(d, trees)
            ours, _ = _rate(model, d, np.arange(len(d.X_test[:rows])))
            some = np.linspace(0, len(d.X_test[:rows]) - 1, milp_rows).astype(int)
            theirs, solved = _rate(model, d, some, method="milp", time_limit=PATIENCE * milp_rows)
            note = f"{len(d.X_test[:rows])} rows, budget {d.attacker.budget:g}; MILP {theirs:.3g} a second"
            note += f" ({solved} of {milp_rows} rows solved)"
            behind = {"search": ours, "milp": theirs}
            yield Result("attack", f"{name}, {kind}: rows a second", ours, "", note=note, behind=behind)


def _rate(model: Any, data: Dataset, rows: np.ndarray, **options: Any) -> tuple[float, int]:
    """Rows solved in a CPU second, and how many they are. (Limits on time are by the clock on the wall.)"""
    X, y = data.X_test.iloc[rows], data.y_test[rows]
    start = time.process_time()
    found = attack(model, X, y, data.attacker, **options)
    solved = int(found.exact.sum())
    return solved / max(time.process_time() - start, 1e-9), solved


def encoded(model: Any, data: Dataset) -> Any:
    """A model behind an encoder of all columns that are not numbers, fitted."""
    words = [c for c in data.X_train.columns if data.X_train[c].dtype.kind not in "biuf"]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    before = make_column_transformer((encoder, words), remainder="passthrough")
    return (make_pipeline(before, model) if words else model).fit(data.X_train, data.y_train)


def _lightgbm(data: Dataset, trees: int) -> Any:
    from treant_viz.baselines import GBDTBaseline

    return GBDTBaseline(n_estimators=trees).fit(data.X_train, data.y_train)


def _treant(data: Dataset, trees: int) -> Any:
    forest = TreantForestClassifier(
        trees, attacker=data.attacker, max_depth=DEPTH, loss="sse", random_state=0
    )
    return forest.fit(data.X_train, data.y_train)


KINDS: dict[str, Callable[[Dataset, int], Any]] = {
    "scikit-learn forest": lambda d, n: encoded(
        RandomForestClassifier(n, max_depth=DEPTH, random_state=0), d
    ),
    "histograms": lambda d, n: encoded(HistGradientBoostingClassifier(max_iter=n, random_state=0), d),
    "TREANT forest": _treant,
    "LightGBM": _lightgbm,
}

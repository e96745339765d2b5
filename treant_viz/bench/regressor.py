"""How fast a regression tree grows: `TreantRegressor` against scikit-learn's tree, and as the rows grow.

The data are generated: wine's columns and threat model; as labels qualities from 3 to 9, or numbers of which
none occurs twice. Attacked with the largest budget, depth 8, at least 20 rows to split.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from treant_viz.bench.measure import Result, Workload, exponent, interleaved
from treant_viz.bench.synthetic import Generated, wine_quality_like
from treant_viz.core.tree import walk
from treant_viz.estimators.trees import TreantRegressor

OPTIONS: dict[str, Any] = {"max_depth": 8, "min_samples_split": 20, "random_state": 0}


def bench_regressor(plan: Workload) -> Iterator[Result]:
    """The ratio for each number of rows, and the exponent of our time against the rows."""
    for rounded, labels in ((True, "labels 3 to 9"), (False, "no label twice")):
        data = {n: wine_quality_like(n, rounded=rounded) for n in plan.regressor_rows}
        found = {n: _times(d, plan.regressor_rounds) for n, d in data.items()}
        for n, (ours, peer, nodes) in found.items():
            note = f"{ours:.3g} s, {nodes} nodes; scikit-learn {1e3 * peer:.1f} ms; stretch 20"
            behind = {"ours": ours, "scikit-learn": peer}
            what = f"{n:,} rows, {labels}: times scikit-learn"
            yield Result("regressor", what, ours / peer, "x", "<=", 60, note, behind)
        slope = exponent(list(found), [ours for ours, _, _ in found.values()])
        yield Result("regressor", f"{labels}: exponent of time against rows", slope, "", "<=", 1.2)


def _times(data: Generated, rounds: int) -> tuple[float, float, int]:
    """Seconds of ours and of the peer, which take turns; and how many nodes ours has."""
    model, coded = TreantRegressor(data.attacker, **OPTIONS), np.asarray(data.coded)
    runs = {
        "ours": lambda: model.fit(data.X, data.y),
        "peer": lambda: DecisionTreeRegressor(**OPTIONS).fit(coded, data.y),
    }
    times = interleaved(runs, rounds)
    return times["ours"], times["peer"], sum(1 for _ in walk(model.tree_))


__all__ = ["bench_regressor"]

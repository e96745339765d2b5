"""What thresholds="reachable" changes: the loss under attack on training rows, ROC AUC on validation rows.

The data are the paper's (protocol "authors"); the attacker has the median or the largest budget, in training
as in the attack; the loss is the squared error. Validation rows that also stand in the training data are left
out: whoever remembers rows would look good on them. No test row is looked at.

What was found (seed 0; training L^A a row, then attacked ROC AUC; "data" -> "reachable"):

                             tree                               20 trees
    wine, budget 60          the same tree                      the same trees
    wine, budget 120         the same tree                      the same trees
    census, budget 60        .1075 -> .1052, .885 -> .887       .1044 -> .1020, .897 -> .898
    census, budget 120       .1122 -> .1121, .877 -> .876       .1078 -> .1088, .892 -> .890
    credit, budget 30        .1434 -> .1434, .703 -> .702       .1381 -> .1381, .739 -> .739
    credit, budget 60        .1434 -> .1434, .703 -> .703       .1383 -> .1383, .738 -> .738

A single stump is never worse for more thresholds; a greedy tree may be. On the paper's data they hardly
matter: values are many, so that one of them is mostly close by. Only on census does anything move. Over three
seeds of the forest, L^A falls by .0020 to .0034 at budget 60, and AUC stays where it is (-.0002 to +.0008);
at budget 120 L^A rises by .0007 to .0019, and AUC falls by .0017 to .0020. So "data", which is the paper,
stays the default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.bench.measure import Result, Workload
from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets import Dataset, load_census, load_credit, load_wine
from treant_viz.datasets.twins import twins
from treant_viz.estimators.trees import TreantClassifier, TreantForestClassifier
from treant_viz.evaluation import evaluate

KINDS = ("data", "reachable")
LOADERS = {"wine": load_wine, "census": load_census, "credit": load_credit}


def bench_thresholds(plan: Workload) -> Iterator[Result]:
    """A tree of depth 8 and a forest of such trees, with either kind of thresholds, at two budgets."""
    for name in plan.threshold_data:
        data = LOADERS[name]("authors")
        valid = ~twins(data.X_valid, data.X_train)
        for budget in (data.budgets[(len(data.budgets) - 1) // 2], data.budgets[-1]):
            attacker = data.attacker.with_budget(budget)
            for trees, seed in ((1, 0), *((plan.threshold_trees, s) for s in range(plan.threshold_seeds))):
                who = "tree" if trees == 1 else f"{trees} trees, seed {seed}"
                models = {kind: _model(trees, attacker, kind, seed) for kind in KINDS}
                yield from _results(f"{name}, budget {budget}, {who}", models, data, valid, attacker)


def _results(
    what: str, models: dict[str, Any], data: Dataset, valid: np.ndarray, attacker: Attacker
) -> Iterator[Result]:
    """The gain in either measure."""
    for model in models.values():
        model.fit(data.X_train, data.y_train)
    X, y = data.X_valid[valid], data.y_valid[valid]
    loss = {k: loss_under_attack(m, data.X_train, data.y_train, attacker) for k, m in models.items()}
    auc = {k: evaluate(m, X, y, attacker)["roc_auc"] for k, m in models.items()}
    for measure, of, scale in (("training L^A", loss, len(data.y_train)), ("validation AUC", auc, 1)):
        a, b = (of[kind] / scale for kind in KINDS)
        note = f"{KINDS[0]} {a:.5f}, {KINDS[1]} {b:.5f}"
        yield Result("thresholds", f"{what}: {measure}", b - a, "", note=note, behind=of)


def _model(trees: int, attacker: Attacker, kind: str, seed: int) -> Any:
    options: dict[str, Any] = {"attacker": attacker, "loss": "sse", "random_state": seed, "thresholds": kind}
    return TreantClassifier(**options) if trees == 1 else TreantForestClassifier(trees, **options)


__all__ = ["bench_thresholds"]

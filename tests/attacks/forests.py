"""Forests whose attackers have many features within reach, and the problems that their rows pose."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import treant_viz as tv
from tests.attacks.problems import frame, small_forest, to_attacker
from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.row_problem import RowProblem, row_problem
from treant_viz.ensembles.common_form import common_form


def fitted(n_trees: int = 30, width: int = 6, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, width))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) / 2 > 0).astype(int)
    return RandomForestClassifier(n_trees, max_depth=6, random_state=seed).fit(X, y), X, y


def wide(n: int, eps: float = 0.4) -> tv.Attacker:
    return tv.Attacker.linf(eps, range(n))


def problems(model, X, A, sign: float = 1.0) -> list[RowProblem]:
    """Those of the rows that a greater (or a smaller) score gains from."""
    form = common_form(model, X, A)
    attacked = AttackedModel(form, X, A)
    batch = Batch(attacked, np.arange(len(X)), np.full(len(X), sign), attacked.limit)
    return [row_problem(batch, i, attacked.limit) for i in np.flatnonzero(batch.open)]


def random_problems(seeds):
    for seed in seeds:
        _, kinds, trees, rules, budget, rows = small_forest(seed)
        if "c" not in kinds:
            A = to_attacker(rules, budget)
            yield from ((p, A.limit) for p in problems(trees, frame(rows, kinds), A))

"""The attack on an ensemble that grows is the attack on the ensemble."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.baselines.samples import RULES, as_rules, small, truncated
from treant_viz.attacks.attack import attack
from treant_viz.baselines import (
    GBDTBaseline,
)
from treant_viz.baselines.adversarial import NewestTree
from treant_viz.baselines.growing import GrowingEnsemble

lgb = pytest.importorskip("lightgbm")


@pytest.mark.parametrize("budget", [0, 1, 3, np.inf])
def test_the_attack_on_a_growing_ensemble_is_the_attack_on_the_ensemble(budget, data):
    """Round by round the worst scores and costs of `attack` on all trees so far, and rows that fetch them."""
    X, y, A = data
    X, labels, A = X[:150], 2.0 * y[:150] - 1, A.with_budget(budget)
    m = GBDTBaseline(n_estimators=6, num_leaves=16).fit(*data[:2])
    M = m._schema.matrix(X)
    points = GrowingEnsemble(M, -labels, A)
    for rounds in range(1, 7):
        model = truncated(m.booster_, rounds)
        points.add(m._form(NewestTree(model), A))
        worst, expected = points.worst(), attack(model, X, labels, A, "margin")
        np.testing.assert_allclose(worst.value, expected.scores, atol=1e-12)
        np.testing.assert_allclose(worst.cost, expected.costs)
        np.testing.assert_allclose(model.predict(m._frame(worst.M)), expected.scores, atol=1e-12)
        assert (worst.M != M).any() == (budget > 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_attack_on_a_growing_ensemble_is_the_best_of_all_attacks(seed):
    """Against plain enumeration over whole numbers, with rules whose preconditions matter."""
    X, y = small(seed, 60)
    A = tv.Attacker(as_rules(RULES), 3)
    m = GBDTBaseline(n_estimators=4, num_leaves=6).fit(pd.concat([X] * 5, ignore_index=True), np.tile(y, 5))
    points = GrowingEnsemble(m._schema.matrix(X), 1.0 - 2 * y, A)
    for rounds in range(1, 5):
        points.add(m._form(NewestTree(truncated(m.booster_, rounds)), A))
    worst = points.worst().value
    for i, x in enumerate(X.itertuples(index=False)):
        all_ = pd.DataFrame(list(oracles.attacks(tuple(x), RULES, 3)), columns=list("pqc"))
        scores = m.booster_.predict(m._frame(m._schema.matrix(all_)))
        assert worst[i] == pytest.approx(scores.min() if y[i] else scores.max())

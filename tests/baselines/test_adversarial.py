"""Adversarial boosting, round by round."""

from __future__ import annotations

import numpy as np
import pytest

from tests.baselines.samples import large, truncated
from treant_viz.attacks.attack import attack
from treant_viz.baselines import (
    AdversarialBoosting,
    GBDTBaseline,
    adversarial,
    growing,
)
from treant_viz.evaluation import evaluate

lgb = pytest.importorskip("lightgbm")


def test_every_round_trains_on_clean_rows_and_the_worst_under_the_model_so_far(data, monkeypatch):
    X, y, A = data
    seen = []
    data_of = AdversarialBoosting._data

    def spy(self, settings, M, labels, weight, like=None):
        seen.append((M, labels))
        return data_of(self, settings, M, labels, weight, like)

    monkeypatch.setattr(AdversarialBoosting, "_data", spy)
    m = AdversarialBoosting(A, n_estimators=4, num_leaves=8).fit(X, y)
    clean, labels = seen[0]
    np.testing.assert_array_equal(clean, m._schema.matrix(X))
    assert len(seen) == 4 and m.best_round_ == m.booster_.num_trees() == 4 and len(m.valid_losses_) == 0
    for rounds, (M, both) in enumerate(seen[1:], 1):
        np.testing.assert_array_equal(M[: len(X)], clean)
        np.testing.assert_array_equal(both, np.r_[labels, labels])
        model = truncated(m.booster_, rounds)
        expected = attack(model, X, 2 * y - 1, A, "margin").scores
        np.testing.assert_allclose(model.predict(m._frame(M[len(X) :])), expected)


def test_the_round_with_the_least_validation_loss_is_kept(data, monkeypatch):
    """The loss of round r is model r's on clean rows and on copies attacked under model r - 1."""
    X, y, A = data
    V, v = large(1, 200)
    seen = []
    loss_of = adversarial.AttackedRows.loss
    monkeypatch.setattr(
        adversarial.AttackedRows, "loss", lambda self, b: seen.append((b, self.both[0])) or loss_of(self, b)
    )
    m = AdversarialBoosting(A, n_estimators=10, learning_rate=0.6).fit(X, y, V, v)
    assert m.best_round_ == np.argmin(m.valid_losses_) + 1 == m.booster_.num_trees()
    assert m.best_round_ < 10 == len(m.valid_losses_)
    np.testing.assert_array_equal(m.booster_.predict(V), seen[m.best_round_ - 1][0].predict(V))
    labels, before = 2 * v - 1, None
    for loss, (model, M) in zip(m.valid_losses_, seen):
        rows = m._frame(M)
        assert loss == pytest.approx(np.mean((model.predict(rows) - np.resize(labels, len(M))) ** 2))
        assert len(M) == len(V) * (1 if before is None else 2)
        if before is not None:
            expected = attack(before, V, labels, A, "margin").scores
            np.testing.assert_allclose(before.predict(rows[len(V) :]), expected)
        before = model


def test_adversarial_boosting_is_more_robust_than_boosting(data):
    X, y, A = data
    V, v = large(2, 200)
    plain, robust = GBDTBaseline(n_estimators=30).fit(X, y), AdversarialBoosting(A, n_estimators=30).fit(X, y)
    assert evaluate(robust, V, v, A)["roc_auc"] > evaluate(plain, V, v, A)["roc_auc"] + 0.02


def test_thresholds_lie_between_values_of_the_clean_rows(data):
    """So trees cannot tell attacked rows by values that no clean row has."""
    X, y, A = data
    tests = AdversarialBoosting(A, n_estimators=15).fit(X, y).booster_.trees_to_dataframe()
    cuts = tests[(tests.split_feature == "p")].threshold.astype(float)
    grid = np.sort(X.p.unique())
    middles = (grid[1:] + grid[:-1]) / 2
    assert len(cuts) and all(np.abs(middles - c).min() < 1e-9 or abs(c) < 1e-30 for c in cuts)


def test_too_many_points_fall_back_on_plain_attacks(data, monkeypatch):
    X, y, A = data
    monkeypatch.setattr(growing, "MANY", 0)
    m = AdversarialBoosting(A, n_estimators=4, num_leaves=8).fit(X[:150], y[:150])
    assert m.booster_.num_trees() == 4 and m.score(X, y) > 0.6


def test_nobody_attacks_and_rounds_are_shown(data, capsys):
    X, y, _ = data
    m = AdversarialBoosting(n_estimators=3, verbose=1).fit(X, y)
    assert "rounds" in capsys.readouterr().err and m.score(X, y) > 0.6

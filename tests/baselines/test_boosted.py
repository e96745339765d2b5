"""Random forest and gradient boosting: LightGBM as it is, and what attacks on it find."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import treant_viz as tv
from tests.baselines.samples import BOOSTED
from treant_viz.attacks.attack import attack
from treant_viz.baselines import (
    AdversarialBoosting,
    GBDTBaseline,
    RandomForestBaseline,
)

lgb = pytest.importorskip("lightgbm")


def test_gradient_boosting_is_lightgbms_with_the_papers_parameters(data):
    X, y, _ = data
    m = GBDTBaseline(n_estimators=20).fit(X, y)
    options = {
        "objective": "regression",
        "learning_rate": 0.05,
        "num_leaves": 256,
        "max_depth": 8,
        "verbosity": -1,
    }
    plain = lgb.train(options | {"num_threads": 1}, lgb.Dataset(X, 2 * y - 1), 20)
    np.testing.assert_allclose(m.booster_.predict(X), plain.predict(X), atol=1e-12)
    np.testing.assert_allclose(
        m.predict_proba(X)[:, 1], np.clip((1 + plain.predict(X)) / 2, 0, 1), atol=1e-12
    )
    np.testing.assert_array_equal(m.predict(X), (plain.predict(X) >= 0).astype(int))
    assert m.get_params() == {
        "n_estimators": 20, "learning_rate": 0.05, "num_leaves": 256, "max_depth": 8, "random_state": None,
        "n_jobs": None,
    }  # fmt: skip
    assert (
        GBDTBaseline().n_estimators
        == AdversarialBoosting().n_estimators
        == RandomForestBaseline().n_estimators
        == 100
    )


def test_the_random_forest_averages_trees_on_samples(data):
    X, y, _ = data
    m = RandomForestBaseline(n_estimators=7, random_state=0).fit(X, y)
    settings = m.booster_.params
    assert (settings["boosting"], settings["objective"]) == ("rf", "regression")
    assert (settings["bagging_fraction"], settings["bagging_freq"], settings["feature_fraction"]) == (
        0.8,
        1,
        0.8,
    )
    assert m.booster_.num_trees() == 7
    trees = [m.booster_.predict(X, start_iteration=i, num_iteration=1) for i in range(7)]
    np.testing.assert_allclose(m.booster_.predict(X), np.mean(trees, axis=0))
    same, other = (
        RandomForestBaseline(n_estimators=7, random_state=s).fit(X, y).predict_proba(X) for s in (0, 1)
    )
    np.testing.assert_array_equal(same, m.predict_proba(X))
    assert not np.array_equal(other, same)


@pytest.mark.parametrize("kind", BOOSTED)
def test_labels_and_columns_of_all_kinds(kind, data):
    X, y, _ = data
    words, text = np.where(y == 1, "yes", "no"), X.astype({"c": object})
    m, t = (
        kind(n_estimators=5, random_state=0).fit(X, words),
        kind(n_estimators=5, random_state=0).fit(text, words),
    )
    assert m.classes_.tolist() == ["no", "yes"] and set(m.predict(X)) == {"no", "yes"}
    np.testing.assert_array_equal(m.predict_proba(X), t.predict_proba(text))
    np.testing.assert_array_equal(m.predict_proba(X), m.predict_proba(text))
    bare = kind(n_estimators=5, random_state=0).fit(text.to_numpy(), words)
    np.testing.assert_array_equal(bare.predict_proba(text.to_numpy()), m.predict_proba(X))
    odd = X.set_axis(["p [g/l]", "q: {x}", "c"], axis=1)
    np.testing.assert_array_equal(
        kind(n_estimators=5, random_state=0).fit(odd, y).predict_proba(odd), m.predict_proba(X)
    )
    assert clone(m).get_params() == m.get_params() and not hasattr(clone(m), "booster_")


@pytest.mark.parametrize("kind", BOOSTED)
def test_attacks_on_a_baseline_are_those_on_its_booster(kind, data):
    X, y, A = data
    m = kind(n_estimators=6, num_leaves=8, random_state=0).fit(X, y)
    X, y = X[:60], y[:60]
    found, raw = attack(m, X, y, A, "margin"), attack(m.booster_, X, 2 * y - 1, A, "margin")
    np.testing.assert_allclose(found.scores, (1 + raw.scores) / 2)
    np.testing.assert_allclose(found.scores, (1 + m.booster_.predict(found.X_adv)) / 2)
    np.testing.assert_array_equal(found.costs, raw.costs)
    assert (found.costs > 0).any()
    exhaustive = attack(m, X[:8], y[:8], A, "margin", method="exhaustive")
    np.testing.assert_allclose(exhaustive.scores, found.scores[:8])
    losses = attack(m, X, y, A).losses
    assert (losses >= (found.scores - y) ** 2 - 1e-12).all()


def test_attacks_on_baselines_of_unnamed_columns(data):
    X, y, A = data
    M = X[["p", "q"]].to_numpy()
    named = tv.Attacker([r for r in A.rules if r.feature != "c"], 3)
    numbered = tv.Attacker([tv.Rule("pq".index(r.feature), r.cost, r.pre, r.delta) for r in named.rules], 3)
    frame = X[["p", "q"]]
    a = attack(GBDTBaseline(n_estimators=5).fit(M, y), M, y, numbered, "margin")
    b = attack(GBDTBaseline(n_estimators=5).fit(frame, y), frame, y, named, "margin")
    np.testing.assert_array_equal(a.scores, b.scores)


def test_a_category_that_only_a_rule_names_is_unknown_to_the_model(data):
    X, y, _ = data
    A = tv.Attacker([tv.Rule("c", 1, pre={"red"}, becomes="grey")], 1)
    m = GBDTBaseline(n_estimators=5).fit(X, y)
    found = attack(m, X, y, A, "margin")
    unknown = X.assign(c=X.c.cat.set_categories(["blue", "green"]))
    np.testing.assert_allclose(
        found.scores[found.costs > 0], (1 + m.booster_.predict(unknown)[found.costs > 0]) / 2
    )
    with pytest.raises(ValueError, match="unknown category 'grey'"):
        m.predict(X.assign(c="grey"))
    robust = AdversarialBoosting(A, n_estimators=4).fit(X, y)
    assert attack(robust, X, y, A).exact.all()


def test_weights_count(data):
    X, y, _ = data
    w = np.where(np.arange(len(X)) < 100, 0.0, 1.0)
    for kind in (GBDTBaseline, AdversarialBoosting):
        a = kind(n_estimators=5).fit(X, y, sample_weight=w).predict_proba(X)
        b = kind(n_estimators=5).fit(X[100:], y[100:]).predict_proba(X)
        np.testing.assert_allclose(a, b)
        assert not np.allclose(a, kind(n_estimators=5).fit(X, y, sample_weight=1 + 5.0 * y).predict_proba(X))

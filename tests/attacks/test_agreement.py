"""The attack against brute force, on random problems and every kind of model; its three methods agree."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import (
    Random,
    check_all,
    frame,
    log,
    mean_of,
    square,
)
from treant_viz.attacks.attack import attack
from treant_viz.bench.boxes import box_optimum

lgb = pytest.importorskip("lightgbm")


ensemble = pytest.importorskip("sklearn.ensemble")


@pytest.mark.parametrize("seed", range(100))
def test_hand_built_forests_agree_with_brute_force(seed):
    R = Random(seed)
    kinds = R.one_of("nn", "nc", "nnc", "ncn", "nnn")
    trees = [R.tree(kinds, int(R.rng.integers(1, 5))) for _ in range(int(R.rng.integers(1, 6)))]
    y = R.rng.integers(-4, 5, size=3) / 4
    check_all(trees if len(trees) > 1 else trees[0], mean_of(trees), R, kinds, R.rows(kinds, 3), y, square)


SKLEARN = [
    lambda s: ensemble.RandomForestClassifier(4, max_depth=4, random_state=s),
    lambda s: ensemble.RandomForestRegressor(4, max_depth=4, random_state=s),
    lambda s: ensemble.ExtraTreesClassifier(4, max_depth=4, random_state=s),
    lambda s: ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=s),
    lambda s: ensemble.GradientBoostingRegressor(n_estimators=4, max_depth=3, random_state=s),
]


@pytest.mark.parametrize("seed", range(100))
def test_scikit_learn_forests_agree_with_brute_force(seed):
    R = Random(1000 + seed)
    kinds = R.one_of("nn", "nnn")
    train, rows = frame(R.rows(kinds, 60), kinds), R.rows(kinds, 3)
    labels = R.rng.integers(0, 2, size=60)
    which = seed % len(SKLEARN)
    model = SKLEARN[which](seed).fit(train, labels if which in (0, 2, 3) else labels + R.rng.normal(size=60))
    if which in (0, 2, 3):
        y, ell, scores = R.rng.integers(0, 2, size=3), log, lambda X: model.predict_proba(X)[:, 1]
    else:
        y, ell, scores = R.rng.normal(size=3), square, model.predict
    if which == 2:  # extra trees cut anywhere: whole numbers do not meet every cell
        model.estimators_ = [round_thresholds(t) for t in model.estimators_]
    check_all(model, scores, R, kinds, rows, y, ell)


def round_thresholds(t):
    t.tree_.threshold[:] = np.round(t.tree_.threshold)
    return t


@pytest.mark.parametrize("seed", range(100))
def test_lightgbm_forests_agree_with_brute_force(seed):
    R = Random(2000 + seed)
    kinds = R.one_of("nn", "nc", "nnc", "cn")
    train, rows = frame(R.rows(kinds, 80), kinds), R.rows(kinds, 3)
    binary = bool(R.rng.integers(2))
    options = {
        "objective": "binary" if binary else "regression",
        "boosting": R.one_of("gbdt", "rf"),
        "num_leaves": 8,
        "min_data_in_leaf": 2,
        "min_data_per_group": 2,
        "cat_smooth": 1,
        "bagging_freq": 1,
        "bagging_fraction": 0.8,
        "zero_as_missing": R.one_of(False, False, True),
        "use_missing": R.one_of(True, True, False),
        "max_cat_to_onehot": R.one_of(1, 4),
        "verbose": -1,
        "seed": seed,
        "num_threads": 1,
    }
    if R.one_of(True, False):
        train.loc[R.rng.random(80) < 0.2, "f0"] = np.nan
        rows = [(math.nan, *r[1:]) if i == 0 else r for i, r in enumerate(rows)]
    labels = R.rng.integers(0, 2, size=80) if binary else R.rng.normal(size=80)
    model = lgb.train(options, lgb.Dataset(train, labels), 4)
    y = R.rng.integers(0, 2, size=3) if binary else R.rng.normal(size=3)
    check_all(model, model.predict, R, kinds, rows, y, log if binary else square)


def test_veritas_agrees_on_a_forest():
    """With a budget for one rule only, the attacked rows are a few boxes: what veritas can answer."""
    veritas = pytest.importorskip("veritas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) > 0).astype(int)
    forest = ensemble.RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    A = tv.Attacker([tv.Rule(f, 1, delta=(-0.4, 0.3)) for f in range(3)], 1)
    ours = attack(forest, X[:40], y[:40], A).scores
    trees = veritas.get_addtree(forest, silent=True)
    for i in range(40):
        boxes = [{f: (X[i, f] - 0.4, X[i, f] + 0.3)} for f in range(3)]
        found = [box_optimum(veritas, trees, X[i], box, least=bool(y[i])) for box in boxes]
        worst = min(found) if y[i] else max(found)
        assert ours[i] == pytest.approx(worst / 30 + 0.5, abs=1e-5)


def test_veritas_moves_no_feature_that_is_fixed():
    """A threshold between a value and the next number of 32 bits: the value itself is left of it."""
    veritas = pytest.importorskip("veritas")
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    forest = ensemble.RandomForestClassifier(1, max_depth=1, bootstrap=False, random_state=0).fit(X, y)
    stump = forest.estimators_[0].tree_
    stump.threshold[0] = (1.0 + float(np.nextafter(np.float32(1), np.float32(2)))) / 2
    trees = veritas.get_addtree(forest, silent=True)
    fixed, loose = (box_optimum(veritas, trees, X[1], box, least=False) for box in ({}, {0: (1.0, 1.1)}))
    assert (fixed + 0.5, loose + 0.5) == (forest.predict_proba(X[1:2])[0, 1], 1.0) == (0.0, 1.0)

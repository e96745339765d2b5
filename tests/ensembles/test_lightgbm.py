"""LightGBM's boosters in common form say what they say: thresholds, zeros, holes and categories."""

from __future__ import annotations

import gc

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.ensembles.samples import NO_ATTACKER, numbers, scores_in_common_form
from treant_viz.attacks.attack import attack
from treant_viz.ensembles import lightgbm as lightgbm_reader

lgb = pytest.importorskip("lightgbm")


def mixed(n: int = 400, seed: int = 0, holes: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n) * (rng.random(n) < 0.7),
            "word": pd.Categorical(rng.choice(["u", "v", "w", "x", "y"], n)),
            "code": rng.choice([0, 3, 7, 9], n),
            "with space": rng.integers(0, 30, n),
        }
    )
    y = X["number"].to_numpy() + X["word"].isin(["u", "w"]) + X["code"].isin([3, 9]) + rng.normal(size=n) > 1
    if holes:
        X.loc[rng.random(n) < 0.2, "number"] = np.nan
        X.loc[rng.random(n) < 0.1, "word"] = np.nan
    return X, y.to_numpy().astype(float)


QUIET = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 3, "num_leaves": 12, "cat_smooth": 1, "seed": 0}

OPTIONS = [
    {"objective": "regression"},
    {"objective": "regression", "zero_as_missing": True},
    {"objective": "regression", "use_missing": False},
    {"objective": "regression", "reg_sqrt": True},
    {"objective": "regression", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
    {"objective": "binary"},
    {"objective": "binary", "sigmoid": 0.7, "max_cat_to_onehot": 1},
    {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
    {"objective": "binary", "boosting": "dart"},
    {"objective": "cross_entropy"},
    {"objective": "poisson"},
    {"objective": "regression_l1"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: " ".join(map(str, o.values())))
@pytest.mark.parametrize("holes", [False, True], ids=["full", "holes"])
def test_lightgbm_boosters_say_what_they_say(options, holes):
    X, y = mixed(holes=holes)
    model = lgb.train(QUIET | options, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8)
    assert scores_in_common_form(model, X) == pytest.approx(model.predict(X), rel=1e-9, abs=1e-12)
    other, _ = mixed(seed=1)
    assert scores_in_common_form(model, other) == pytest.approx(model.predict(other), rel=1e-9, abs=1e-12)


def test_lightgbm_thresholds_and_zeros_are_met_exactly():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 2)), 1)
    model = lgb.train(QUIET | {"zero_as_missing": True}, lgb.Dataset(X, X[:, 0] * X[:, 1]), 5)
    dump = model.trees_to_dataframe()
    cuts = dump["threshold"].dropna().astype(float).unique()
    tiny = float(np.float32(1e-35))
    zeros = [0.0, tiny, -tiny, np.nextafter(tiny, 1), np.nextafter(-tiny, -1), 1e-30, -1e-30]
    Z = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), zeros])
    Z = np.column_stack([np.repeat(Z, 3), np.tile([0.0, 1.0, -1.0], len(Z))])
    assert scores_in_common_form(model, Z) == pytest.approx(model.predict(Z), rel=1e-9, abs=1e-12)


def test_lightgbm_uses_the_best_iteration_it_would_predict_with():
    X, y = mixed()
    data = lgb.Dataset(X, y, categorical_feature=["word", "code"])
    held, truth = mixed(seed=2)
    valid = lgb.Dataset(held, truth, reference=data)
    model = lgb.train(
        QUIET | {"learning_rate": 0.5}, data, 40, [valid], callbacks=[lgb.early_stopping(2, verbose=False)]
    )
    assert 0 < model.best_iteration < 40
    assert scores_in_common_form(model, X) == pytest.approx(model.predict(X), rel=1e-9)


def test_categories_of_lightgbm_are_attacked_by_name_or_by_code():
    X, y = mixed(holes=False)
    model = lgb.train(
        QUIET | {"objective": "binary"}, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8
    )
    A = tv.Attacker([tv.Rule("word", 1, pre={"u", "v"}, becomes="x"), tv.Rule("code", 1, becomes=3)], 2)
    result = attack(model, X, y, A)
    assert result.losses == pytest.approx(attack(model, X, y, A, method="exhaustive").losses)
    assert (result.X_adv.dtypes == X.dtypes).all()
    assert set(result.X_adv["word"]) <= set("uvwxy")
    assert (result.X_adv["code"] != X["code"]).any()
    with pytest.raises(ValueError, match="is numeric, but the column holds categories"):
        attack(model, X, y, tv.Attacker([tv.Rule("code", 1, delta=(0, 1))], 1))


def test_a_category_lightgbm_never_saw_counts_as_missing():
    X, y = mixed(holes=False)
    model = lgb.train(QUIET, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8)
    result = attack(model, X, y, tv.Attacker([tv.Rule("word", 1, becomes="new")], 1))
    assert "new" in set(result.X_adv["word"])
    assert result.scores == pytest.approx(model.predict(result.X_adv))


def test_frames_that_do_not_fit_a_booster_are_refused():
    X, y = mixed(holes=False)
    model = lgb.train(QUIET, lgb.Dataset(X, y), 2)
    with pytest.raises(ValueError, match="dtype category"):
        attack(model, X.assign(word=1.0), y, NO_ATTACKER)
    with pytest.raises(ValueError, match="in this order"):
        attack(model, X.rename(columns={"number": "figure"}), y, NO_ATTACKER)
    with pytest.raises(ValueError, match="has 3 columns"):
        attack(model, X[["number", "word", "code"]], y, NO_ATTACKER)


def test_a_booster_is_parsed_once_and_anew_after_it_has_changed(monkeypatch):
    """Changed by one leaf, by one tree more, and by one less."""
    X, y = numbers()
    quiet = {"objective": "binary", "verbose": -1, "num_threads": 1, "num_leaves": 8}
    booster = lgb.train(quiet, lgb.Dataset(X, y, free_raw_data=False), 4, keep_training_booster=True)
    parsed, dump = [], lgb.Booster.dump_model
    monkeypatch.setattr(lgb.Booster, "dump_model", lambda b: parsed.append(1) or dump(b))
    changes = [
        lambda: None,
        lambda: booster.set_leaf_output(1, 2, 0.5),
        booster.update,
        booster.rollback_one_iter,
    ]
    for n, change in enumerate(changes, start=1):
        change()
        for _ in range(3):
            assert scores_in_common_form(booster, X) == pytest.approx(booster.predict(X), abs=1e-9)
        assert len(parsed) == n


def test_parsed_trees_are_forgotten_with_their_booster():
    X, y = numbers()

    def seen() -> int:
        booster = lgb.train({"verbose": -1, "num_threads": 1}, lgb.Dataset(X, y), 2)
        scores_in_common_form(booster, X)
        return len(lightgbm_reader.PARSED)

    most = seen()
    gc.collect()
    assert len(lightgbm_reader.PARSED) < most

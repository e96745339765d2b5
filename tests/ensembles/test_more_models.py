"""Forests, extra trees, histograms, isolation, XGBoost, CatBoost: their common form says what they say."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.ensembles.samples import numbers, scores_in_common_form
from treant_viz.ensembles.common_form import common_form

sk = pytest.importorskip("sklearn.ensemble")

HEAVY = {"xgboost": "XGBoost", "catboost": "CatBoost"}


def hist(**options):
    return sk.HistGradientBoostingClassifier(max_iter=8, max_leaf_nodes=8, random_state=0, **options)


def xgb(name="XGBClassifier", **options):
    import xgboost

    given = {"n_estimators": 8, "max_depth": 4, "random_state": 0, "n_jobs": 1}
    return getattr(xgboost, name)(**given | options)


def cat(name="CatBoostClassifier", **options):
    import catboost

    given = {"iterations": 8, "depth": 4, "random_seed": 0, "thread_count": 1, "verbose": 0}
    return getattr(catboost, name)(**given | options, allow_writing_files=False)


MODELS = {
    "forest": lambda: sk.RandomForestClassifier(6, max_depth=4, random_state=0),
    "extra trees": lambda: sk.ExtraTreesClassifier(6, max_depth=4, random_state=0),
    "extra trees, regression": lambda: sk.ExtraTreesRegressor(6, max_depth=4, random_state=0),
    "boosting": lambda: sk.GradientBoostingClassifier(n_estimators=6, random_state=0),
    "histograms": hist,
    "histograms, regression": lambda: sk.HistGradientBoostingRegressor(max_iter=8, random_state=0),
    "histograms, poisson": lambda: sk.HistGradientBoostingRegressor(
        loss="poisson", max_iter=8, random_state=0
    ),
    "isolation": lambda: sk.IsolationForest(n_estimators=6, max_samples=12, random_state=0),
    "isolation, some features": lambda: sk.IsolationForest(
        n_estimators=6, max_samples=12, max_features=2, contamination=0.2, random_state=0
    ),
    "xgboost": xgb,
    "xgboost, many trees": lambda: xgb(n_estimators=100, learning_rate=0.3),
    "xgboost, forest": lambda: xgb("XGBRFClassifier", subsample=0.8),
    "xgboost, regression": lambda: xgb("XGBRegressor"),
    "xgboost, poisson": lambda: xgb("XGBRegressor", objective="count:poisson"),
    "xgboost, raw": lambda: xgb("XGBRegressor", objective="binary:logitraw"),
    "catboost": cat,
    "catboost, leaf by leaf": lambda: cat(grow_policy="Lossguide"),
    "catboost, level by level": lambda: cat(grow_policy="Depthwise"),
    "catboost, regression": lambda: cat("CatBoostRegressor"),
    "catboost, poisson": lambda: cat("CatBoostRegressor", loss_function="Poisson"),
    "catboost, nan is most": lambda: cat(nan_mode="Max"),
}
MISSING = [k for k in MODELS if "isolation" not in k and k != "boosting"]


def made(kind: str):
    library = kind.split(",")[0]
    if library in HEAVY and not find_spec(library):
        pytest.skip(f"{HEAVY[library]} is not installed")
    return MODELS[kind]()


def own(model, X) -> np.ndarray:
    """The model's own scores."""
    if isinstance(model, sk.IsolationForest):
        return model.decision_function(X) + 0.5
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else np.ravel(model.predict(X))


def precision(model) -> float:
    return 1e-5 if type(model).__module__.startswith("xgboost") else 1e-9


def around_the_thresholds(model, X) -> pd.DataFrame:
    """For each feature rows on its thresholds, and on the numbers beside them in 64 and in 32 bits."""
    nodes, parts = common_form(model, X).nodes, []
    for f, name in enumerate(X.columns):
        cuts = np.unique(nodes.threshold[nodes.feature == f])
        cuts = cuts[np.abs(cuts) < 1e30]
        short = cuts.astype(np.float32)
        near = [cuts, short, *(np.nextafter(short, np.float32(s)) for s in (-np.inf, np.inf))]
        near += [np.nextafter(cuts, s) for s in (-np.inf, np.inf)]
        values = np.concatenate(near).astype(float)
        rows = X.iloc[np.arange(len(values)) % len(X)].astype(float).copy()
        rows[name] = values
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(2))
def test_scores_are_the_models_own_to_the_last_bit_of_a_threshold(kind, seed):
    X, y = numbers(seed=seed)
    model = made(kind).fit(X.astype(float), y)
    near = around_the_thresholds(model, X.astype(float))
    assert len(near) > 40
    for rows in (X.astype(float), near):
        assert scores_in_common_form(model, rows) == pytest.approx(own(model, rows), abs=precision(model))


@pytest.mark.parametrize("kind", MISSING)
def test_missing_values_have_the_side_that_the_model_gives_them(kind):
    X, y = numbers()
    X = X.astype(float).mask(np.random.default_rng(0).random(X.shape) < 0.2)
    model = made(kind).fit(X, y)
    assert scores_in_common_form(model, X) == pytest.approx(own(model, X), abs=precision(model))


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(2))
def test_attacks_are_those_of_plain_enumeration(kind, seed):
    """On columns as they are, and in 32 bits; the model itself scores what enumeration tries."""
    X, y = numbers(seed=seed)
    X = X.astype(np.float32 if seed % 2 else float)
    model = made(kind).fit(X, y)
    A = tv.Attacker(
        [
            tv.Rule("a", 1, delta=(-0.2, 0.2)),
            tv.Rule("b c", 2, delta=(0, 1)),
            tv.Rule("d", 1, delta=(-1e4, 1e4)),
        ],
        2,
    )
    rows = X.iloc[:8]
    labels = np.where(y[:8] > 0, 1, -1) if isinstance(model, sk.IsolationForest) else y[:8]
    found = tv.attack(model, rows, labels, A, "margin")
    tried = tv.attack(model, rows, labels, A, "margin", method="exhaustive")
    assert found.exact.all()
    assert found.losses == pytest.approx(tried.losses, abs=precision(model))
    assert found.scores == pytest.approx(own(model, found.X_adv), abs=1e-12)


@pytest.mark.parametrize(
    "kind", [k for k in MODELS if "regression" not in k and "poisson" not in k and "raw" not in k]
)
def test_the_cost_of_evasion_is_that_of_plain_enumeration(kind):
    """Per budget, enumeration finds an attack that changes what the model predicts, or none."""
    X, y = numbers()
    model = made(kind).fit(X.astype(float), y)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-0.2, 0.2)), tv.Rule("b c", 1, delta=(-1, 1))], 3)
    rows = X.astype(float).iloc[:25]
    costs, said = tv.evasion_cost(model, rows, A), np.ravel(model.predict(rows))
    assert 1 <= (costs < np.inf).sum() < len(rows)
    for b in (0, 1, 2, 3):
        tried = tv.attack(model, rows, said, A.with_budget(b), "margin", method="exhaustive").X_adv
        changed = np.ravel(model.predict(tried)) != said
        assert (changed == (costs <= b)).all()


def test_a_booster_of_xgboost_that_was_stopped_early_and_a_bare_one():
    pytest.importorskip("xgboost", reason="XGBoost is not installed")
    X, y = numbers()
    X = X.astype(float)
    model = xgb(n_estimators=60, learning_rate=1.0, early_stopping_rounds=2)
    model.fit(X[:200], y[:200], eval_set=[(X[200:], y[200:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert scores_in_common_form(model, X) == pytest.approx(own(model, X), abs=1e-5)
    booster = model.get_booster()
    assert scores_in_common_form(booster, X) == pytest.approx(booster.inplace_predict(X), abs=1e-5)


def refused():
    X, y = numbers()
    X, several = X.astype(float), np.arange(len(y)) % 3
    yield "hist, not fitted", lambda: (hist(), X), "is not fitted"
    yield "hist, three classes", lambda: (hist().fit(X, several), X), "two classes"
    yield "isolation, not fitted", lambda: (sk.IsolationForest(), X), "is not fitted"
    yield "xgboost, not fitted", lambda: (xgb(), X), "is not fitted"
    yield "xgboost, three classes", lambda: (xgb().fit(X, several), X), "two classes"
    yield "xgboost, linear", lambda: (xgb(booster="gblinear").fit(X, y), X), "only boosted trees"
    yield "xgboost, hinge", lambda: (xgb(objective="binary:hinge").fit(X, y), X), "binary:hinge"
    yield "xgboost, missing", lambda: (xgb(missing=0.0).fit(X, y), X), "missing values must be nan"
    yield "xgboost, other names", lambda: (xgb().fit(X, y), X.set_axis(list("xyz"), axis=1)), "the columns"
    yield "xgboost, width", lambda: (xgb().fit(X.to_numpy(), y), X.to_numpy()[:, :2]), "3"
    coded = X.assign(d=pd.Categorical(X["b c"].astype(int) % 4))
    yield "xgboost, categories", lambda: (xgb(enable_categorical=True).fit(coded, y), X), "categorical"
    yield "catboost, not fitted", lambda: (cat(), X), "is not fitted"
    yield "catboost, three classes", lambda: (cat().fit(X, several), X), "two classes|MultiClass"
    text = X.assign(d=np.where(y > 0, "u", "v"))
    yield "catboost, categories", lambda: (cat(cat_features=["d"]).fit(text, y), X), "encode them before"
    yield "catboost, width", lambda: (cat().fit(X.to_numpy(), y), X.to_numpy()[:, :2]), "3"


@pytest.mark.parametrize(
    ("what", "make", "match"), [*refused()], ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_cannot_be_attacked_is_refused_with_the_reason(what, make, match):
    library = what.split(",")[0]
    if library in HEAVY and not find_spec(library):
        pytest.skip(f"{HEAVY[library]} is not installed")
    model, X = make()
    with pytest.raises((ValueError, TypeError), match=match):
        common_form(model, X)


def test_heavy_libraries_are_not_imported_for_other_models():
    """Nor is a model of theirs a reason to import one that is not there."""
    code = "import sys, treant_viz as tv; tv.attack; print([m for m in sys.argv[1:] if m in sys.modules])"
    run = [sys.executable, "-c", code, *HEAVY]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip() == "[]"

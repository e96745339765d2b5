"""Models as JSON: exact round trips, damaged files refused, no pickle and no eval."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treant_viz as tv
from tests.strategies import problems
from treant_viz.core.tree import to_text

INF = math.inf
FEWER = settings(max_examples=settings().max_examples // 5)
MODELS = [
    tv.TreantClassifier,
    tv.TreantRegressor,
    tv.TreantForestClassifier,
    tv.TreantForestRegressor,
    tv.TreantBoostClassifier,
    tv.MixedForestClassifier,
]


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "größe [m²]": rng.normal(size=n),
            "名前": rng.choice(["ä\"b'c", "\n", "日本", ""], n),
            "zone": pd.Categorical(rng.integers(1, 4, n)),
            "flag": rng.random(n) < 0.5,
            "tiny": rng.normal(size=n) * 1e-300,
        }
    )
    return X, (rng.random(n) + 0.3 * X["flag"] + 0.2 * (X["zone"] == 2) > 0.7).to_numpy()


ATTACKER = tv.Attacker(
    [
        tv.Rule("größe [m²]", 0.1, pre=(-INF, 0.5), delta=(0, 0.3)),
        tv.Rule("名前", 2, pre={"日本"}, becomes="not in the data"),
        tv.Rule("zone", 1, becomes=3),
    ],
    INF,
)


def fitted(kind, **options):
    X, y = data()
    forest = {"n_estimators": 3} if "n_estimators" in kind().get_params() else {}
    options = (
        {"attacker": ATTACKER, "min_samples_split": 2, "max_depth": 6, "random_state": 3} | forest | options
    )
    return kind(**options).fit(X, y), X


def scores(m, X):
    return m.predict_proba(X) if hasattr(m, "predict_proba") else m.predict(X)


def same_bits(a, b):
    assert a.dtype == b.dtype
    assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("kind", MODELS)
def test_round_trip(kind, tmp_path):
    m, X = fitted(kind)
    assert "<=" in str(m.to_dict()) and "==" in str(m.to_dict()), "the model tests numbers and categories"
    m.to_json(tmp_path / "m.json")
    back = kind.from_json(tmp_path / "m.json")
    same_bits(scores(back, X), scores(m, X))
    same_bits(back.predict(X), m.predict(X))
    assert back.get_params() == m.get_params()
    assert back.schema_ == m.schema_
    assert back.n_features_in_ == m.n_features_in_ == 5
    assert back.feature_names_in_.tolist() == m.feature_names_in_.tolist() == list(X.columns)
    assert [to_text(t) for t in back._trees()] == [to_text(t) for t in m._trees()], "with losses and sizes"
    assert back.to_dict() == m.to_dict()
    assert clone(back).get_params() == m.get_params()


@pytest.mark.parametrize("kind", MODELS)
def test_files_are_plain_json(kind, tmp_path):
    m, _ = fitted(kind)
    m.to_json(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text(encoding="utf-8")
    doc = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert (doc["format"], doc["version"], doc["class"]) == ("treant_viz.model", 1, kind.__name__)
    assert "日本" in text and "größe [m²]" in text
    m.to_json(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == text, "same model, same bytes"
    again, _ = fitted(kind)
    again.to_json(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == text, "same fit, same bytes"


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"],
        ["", "ü" * 50],
        [False, True],
        [-1, 1],
        [5, 7],
        np.array([5, 7], dtype=np.int8),
        np.array([0.0, 1.0], dtype=np.float32),
        np.array(["b", "a"], dtype=object),
        np.array([True, False], dtype=object),
        pd.Series(["b", "a"]),
        pd.Series(["b", "a"], dtype="category"),
        pd.Series([1, 0], dtype="Int64"),
    ],
    ids=str,
)
def test_classes_keep_their_type(labels, tmp_path):
    X = pd.DataFrame({"x": [0.0, 1, 2, 3]})
    y = pd.Series(labels).repeat(2) if isinstance(labels, pd.Series) else np.repeat(labels, 2)
    m = tv.TreantClassifier(min_samples_split=2).fit(X, y)
    m.to_json(tmp_path / "m.json")
    back = tv.TreantClassifier.from_json(tmp_path / "m.json")
    assert back.classes_.dtype == m.classes_.dtype
    assert back.classes_.tolist() == m.classes_.tolist()
    assert [type(v) for v in back.classes_] == [type(v) for v in m.classes_]
    assert back.predict(X).tolist() == m.predict(X).tolist() == list(y)


def test_models_of_plain_arrays(tmp_path):
    X = np.array([[0.1], [0.1 + 1e-16], [0.3], [1 / 3]])
    m = tv.TreantRegressor(tv.Attacker([tv.Rule(0, 1, delta=(0, 1e-3))], 1), min_samples_split=2).fit(
        X, [0, 0, 1, 2.5]
    )
    m.to_json(tmp_path / "m.json")
    back = tv.TreantRegressor.from_json(tmp_path / "m.json")
    assert not hasattr(back, "feature_names_in_")
    assert back.tree_ == m.tree_
    same_bits(back.predict(X), m.predict(X))


def test_odd_parameters(tmp_path):
    X, y = data()
    m = tv.TreantForestClassifier(
        n_estimators=np.int64(2), max_samples=np.float64(0.5), max_features="sqrt", max_depth=None, verbose=0,
        random_state=np.random.RandomState(0), attack_invariance=np.True_, n_jobs=1,
    ).fit(X, y)  # fmt: skip
    m.to_json(tmp_path / "m.json")
    back = tv.TreantForestClassifier.from_json(tmp_path / "m.json")
    expected = m.get_params() | {"random_state": None}
    assert back.get_params() == expected, "all but a random state that is no seed"
    assert type(back.n_estimators) is int
    same_bits(back.predict_proba(X), m.predict_proba(X))


@FEWER
@given(problems(binary=True, max_rows=10), st.sampled_from(["sse", "log"]))
def test_any_classifier_survives(tmp_path_factory, p, loss):
    path = tmp_path_factory.mktemp("model") / "m.json"
    m = tv.TreantClassifier(p.attacker, loss, min_samples_split=2).fit(p.frame, p.y)
    m.to_json(path)
    back = tv.TreantClassifier.from_json(path)
    same_bits(back.predict_proba(p.frame), m.predict_proba(p.frame))
    assert back.to_dict() == m.to_dict()
    assert back.attacker == p.attacker


@FEWER
@given(problems(binary=False, max_rows=10), st.floats(-1e90, 1e90))
def test_any_regressor_survives(tmp_path_factory, p, scale):
    path = tmp_path_factory.mktemp("model") / "m.json"
    y = np.array(p.y) * scale / 3
    m = tv.TreantRegressor(None, min_samples_split=2).fit(p.frame, y)
    m.to_json(path)
    same_bits(tv.TreantRegressor.from_json(path).predict(p.frame), m.predict(p.frame))


def test_a_model_from_a_file_says_that_it_has_no_trace(tmp_path):
    m, _ = fitted(tv.TreantClassifier)
    m.to_json(tmp_path / "m.json")
    back = tv.TreantClassifier.from_json(tmp_path / "m.json")
    with pytest.raises(
        AttributeError, match="trace_: this model was read from a file, which does not hold its training"
    ):
        _ = back.trace_
    assert not hasattr(back, "trace_")
    forest, _ = fitted(tv.TreantForestRegressor)
    forest.to_json(tmp_path / "f.json")
    member = tv.TreantForestRegressor.from_json(tmp_path / "f.json").estimators_[0]
    with pytest.raises(AttributeError, match="read from a file"):
        _ = member.trace_


def test_a_model_from_a_file_can_be_fitted_again(tmp_path):
    m, X = fitted(tv.TreantForestClassifier)
    m.to_json(tmp_path / "m.json")
    back = tv.TreantForestClassifier.from_json(tmp_path / "m.json")
    _, y = data()
    same_bits(back.fit(X, y).predict_proba(X), m.predict_proba(X))
    assert len(back.estimators_[0].trace_) > 1

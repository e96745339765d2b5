"""The estimators among scikit-learn's tools: on every kind of table and label, with weights, as forests."""

from __future__ import annotations

import inspect
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import treant_viz as tv
from treant_viz.core.tree import depth, nodes, to_text

FEWER = settings(max_examples=settings().max_examples // 5)
TREES = [tv.TreantClassifier, tv.TreantRegressor]
FORESTS = [tv.TreantForestClassifier, tv.TreantForestRegressor]
MODELS = TREES + FORESTS


def make(kind, **options):
    few = {"n_estimators": 3} if kind in FORESTS else {}
    return kind(**{"min_samples_split": 2, "max_depth": 3, "random_state": 0, **few, **options})


def people(n=80, seed=0):
    """Text, category, bool, whole and real columns; the label depends on all but the last."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "job": rng.choice(["cook", "clerk", "nurse"], n),
            "town": pd.Categorical(rng.choice(["A", "B", "C"], n), ["C", "B", "A", "unused"]),
            "owner": rng.random(n) < 0.5,
            "age": rng.integers(18, 80, n),
            "noise": rng.normal(size=n),
        }
    )
    score = (
        (X["job"] == "cook") * 2
        + (X["town"] == "B")
        + X["owner"]
        + (X["age"] > 50) * 2
        + rng.normal(size=n) / 3
    )
    return X, (score > 2.5).astype(int).to_numpy()


ATTACKER = tv.Attacker(
    [tv.Rule("age", 1, pre=(30, np.inf), delta=(-5, 5)), tv.Rule("job", 1, pre={"cook"}, becomes="clerk")], 1
)
X, Y = people()


@cache
def grown(kind, **options):
    """A model on these people, under attack, made once: no test may change it."""
    return make(kind, attacker=ATTACKER, **options).fit(X, Y)


def trees_of(m):
    return [m.tree_] if hasattr(m, "tree_") else [e.tree_ for e in m.estimators_]


# The public face

TREE_FACE = {
    "attacker": None, "solver": "exact", "attack_invariance": True, "max_depth": 8, "min_samples_split": 20,
    "max_features": None, "retest": "uncorrupted", "random_state": None, "thresholds": "data",
}  # fmt: skip
FOREST_FACE = TREE_FACE | {
    "n_estimators": 100,
    "max_samples": 0.8,
    "max_features": 0.8,
    "n_jobs": None,
    "verbose": 0,
}


@pytest.mark.parametrize(
    ("kind", "face"),
    [
        (tv.TreantClassifier, TREE_FACE | {"loss": "log"}),
        (tv.TreantRegressor, TREE_FACE | {"loss": "sse"}),
        (tv.TreantForestClassifier, FOREST_FACE | {"loss": "log"}),
        (tv.TreantForestRegressor, FOREST_FACE | {"loss": "sse"}),
    ],
)
def test_constructors(kind, face):
    parameters = inspect.signature(kind).parameters
    assert {n: p.default for n, p in parameters.items()} == face
    assert kind().get_params() == face
    first = (
        ["n_estimators", "max_samples", "max_features", "n_jobs"] if kind in FORESTS else ["attacker", "loss"]
    )
    assert list(parameters)[: len(first)] == first
    assert is_classifier(kind()) == ("Classifier" in kind.__name__)
    assert is_regressor(kind()) == ("Regressor" in kind.__name__)


@pytest.mark.parametrize("kind", MODELS)
def test_clone_and_set_params(kind):
    other = {"attacker": ATTACKER, "loss": "sse", "solver": "slsqp", "attack_invariance": False}
    other |= {
        "max_depth": None,
        "min_samples_split": 7,
        "max_features": 2,
        "retest": "all",
        "random_state": 5,
    }
    m = kind(**other)
    twin = clone(m)
    assert {k: twin.get_params()[k] for k in other} == other
    assert twin.attacker == ATTACKER
    assert kind().set_params(**other).get_params() == m.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        m.set_params(depth=3)


@pytest.mark.parametrize("kind", MODELS)
def test_printing(kind):
    assert repr(kind()) == f"{kind.__name__}()"
    shown = repr(make(kind, attacker=ATTACKER))
    assert "Attacker([Rule(feature='age'" in shown
    assert kind.__name__ in grown(kind)._repr_html_()


# Kinds of tables


@pytest.mark.parametrize("kind", MODELS)
def test_data_frames_arrays_and_lists_give_the_same_model(kind):
    numbers = X[["owner", "age", "noise"]].astype(float)
    A = tv.Attacker([tv.Rule(1, 1, delta=(-5, 5))], 1)
    tables = [
        numbers,
        numbers.to_numpy(),
        numbers.to_numpy(object),
        numbers.to_numpy().tolist(),
        numbers.astype(object),
    ]
    named = make(kind, attacker=A).fit(numbers, Y)
    for table in tables:
        m = make(kind, attacker=A).fit(table, Y)
        assert m.predict(table).tolist() == named.predict(numbers).tolist()
        assert [by_name(t, numbers.columns) for t in trees_of(m)] == [to_text(t) for t in trees_of(named)]


def by_name(t, names) -> str:
    """The text of a tree that knows its features by place only."""
    text = to_text(t)
    for i, name in enumerate(names):
        text = text.replace(f"x[{i}]", name)
    return text


@pytest.mark.parametrize("kind", MODELS)
def test_text_columns_in_lists_and_object_arrays(kind):
    named = grown(kind)
    by_place = tv.Attacker(
        [tv.Rule(3, 1, pre=(30, np.inf), delta=(-5, 5)), tv.Rule(0, 1, {"cook"}, becomes="clerk")], 1
    )
    rows = X.astype(object).to_numpy()
    for table in (rows, rows.tolist(), list(map(tuple, rows.tolist()))):
        m = make(kind, attacker=by_place).fit(table, Y)
        assert m.predict(table).tolist() == named.predict(X).tolist()
    assert make(kind, attacker=by_place).fit(X, Y).predict(X).tolist() == named.predict(X).tolist(), (
        "index, frame"
    )


def test_every_kind_of_column_is_used():
    m = make(tv.TreantClassifier, max_depth=6).fit(X, Y)
    tests = {n.feature: n.test for _, n in nodes(m.tree_)}
    assert {"job": "==", "town": "==", "owner": "<=", "age": "<="}.items() <= tests.items()
    assert m.score(X, Y) > 0.9
    assert m.feature_names_in_.tolist() == list(X.columns)


def test_equivalent_columns_give_equal_trees():
    """Text or categories, whole numbers or floats: the tree is the same."""
    other = X.assign(
        job=X["job"].astype("category"),
        town=X["town"].astype(str),
        owner=X["owner"].astype(int),
        age=X["age"].astype("float32"),
    )
    a, b = (make(tv.TreantClassifier, attacker=ATTACKER, max_depth=6).fit(t, Y) for t in (X, other))
    assert a.predict_proba(X).tolist() == b.predict_proba(other).tolist()
    assert a.predict_proba(other).tolist() == b.predict_proba(X).tolist()


def test_the_type_of_a_column_does_not_depend_on_the_first_row():
    """Whichever row comes first, digits among text are text."""
    codes = pd.Series(["1", "2", "x", "x", "1", "2"], dtype=object)
    y = [0, 0, 1, 1, 0, 0]
    for shift in range(6):
        rolled, labels = np.roll(codes, shift), np.roll(y, shift)
        m = make(tv.TreantClassifier).fit(pd.DataFrame({"c": rolled}), labels)
        assert m.tree_ == tv.Node("c", "x", tv.Leaf(1.0), tv.Leaf(0.0))


@pytest.mark.parametrize("kind", MODELS)
def test_fit_and_predict_leave_the_data_alone(kind):
    table, labels, weight = X.copy(), Y.copy(), np.linspace(0, 1, len(Y))
    m = make(kind, attacker=ATTACKER).fit(table, labels, weight)
    m.predict(table)
    pd.testing.assert_frame_equal(table, X)
    assert labels.tolist() == Y.tolist()
    assert weight.tolist() == np.linspace(0, 1, len(Y)).tolist()


# Labels


@pytest.mark.parametrize("kind", [tv.TreantClassifier, tv.TreantForestClassifier])
@pytest.mark.parametrize("loss", ["log", "sse"])
@pytest.mark.parametrize(
    "labels",
    [("no", "yes"), (False, True), (-1, 1), (5, 7), (0.0, 1.0), (np.uint8(3), np.uint8(9)), ("ß", "ä")],
    ids=str,
)
def test_any_two_labels(kind, loss, labels):
    plain = grown(kind, loss=loss)
    y = np.array(labels)[Y]
    for given_as in (y, y.tolist(), pd.Series(y), pd.Series(y).astype("category"), y.astype(object)):
        m = make(kind, loss=loss, attacker=ATTACKER).fit(X, given_as)
        assert m.classes_.tolist() == list(labels)
        assert m.predict_proba(X).tolist() == plain.predict_proba(X).tolist()
        assert m.predict(X).tolist() == [labels[i] for i in plain.predict(X)]


def test_probabilities():
    p = make(tv.TreantClassifier).fit(X, Y).predict_proba(X)
    assert p.shape == (len(X), 2)
    assert np.allclose(p.sum(axis=1), 1)
    even = make(tv.TreantClassifier, max_depth=0).fit([[0], [0]], ["a", "b"])
    assert even.predict_proba([[0]]).tolist() == [[0.5, 0.5]]
    assert even.predict([[0]]) == ["b"], "one half is the second class"


# scikit-learn's tools


@pytest.mark.parametrize("kind", MODELS)
def test_pipeline_and_cross_validation(kind):
    turn = make_column_transformer(
        (OneHotEncoder(), ["job", "town"]), (StandardScaler(), ["age"]), sparse_threshold=0
    )
    piped = make_pipeline(turn, make(kind))
    values = cross_val_score(piped, X, Y, cv=3)
    assert values.shape == (3,) and np.isfinite(values).all()
    assert piped.fit(X, Y).score(X, Y) > 0.3
    assert np.isfinite(cross_val_score(make(kind, attacker=ATTACKER), X, Y, cv=3)).all()
    weight = {piped.steps[-1][0] + "__sample_weight": np.arange(len(Y))}
    assert piped.fit(X, Y, **weight).predict(X).shape == Y.shape


@pytest.mark.parametrize("kind", MODELS)
def test_grid_search(kind):
    grid = {"attacker": [None, ATTACKER, ATTACKER.with_budget(2)], "max_depth": [0, 3]}
    search = GridSearchCV(make(kind), grid, cv=2, error_score="raise").fit(X, Y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_params_["max_depth"] == 3
    assert search.predict(X).shape == Y.shape


def test_grid_search_over_a_pipelines_options():
    piped = make_pipeline(StandardScaler(), make(tv.TreantClassifier))
    grid = {"treantclassifier__loss": ["log", "sse"], "treantclassifier__retest": ["none", "all"]}
    numbers = X[["owner", "age", "noise"]]
    search = GridSearchCV(piped, grid, cv=2, error_score="raise", n_jobs=2).fit(numbers, Y)
    assert set(search.best_params_) == set(grid)


# Options


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("limit", [0, 1, 2, None])
def test_max_depth(kind, limit):
    m = make(kind, max_depth=limit).fit(X, Y)
    depths = [depth(t) for t in trees_of(m)]
    assert max(depths) == limit if limit is not None else max(depths) > 3


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("least", [2, 30, 1000])
def test_min_samples_split(kind, least):
    m = make(kind, min_samples_split=least, max_depth=6).fit(X, Y)
    members = [m] if kind in TREES else m.estimators_
    for member in members:
        split = [len(s.data) for s in member.trace_.steps if s.taken]
        small = [s.reason for s in member.trace_.steps if len(s.data) < least]
        assert min(split, default=least) >= least
        assert set(small) <= {"too deep or too few rows"}
    assert least < 1000 or all(isinstance(t, tv.Leaf) for t in trees_of(m))


@pytest.mark.parametrize(
    ("max_features", "looked_at"),
    [(None, 5), (1, 1), (3, 3), (1.0, 5), (0.5, 2), (0.01, 1), ("sqrt", 2), ("log2", 2), (np.int64(4), 4)],
)
def test_max_features_counts_features_per_node(max_features, looked_at):
    m = make(tv.TreantClassifier, max_features=max_features, max_depth=5).fit(X, Y)
    asked = [set(s.candidates.feature) for s in m.trace_.steps if s.candidates is not None]
    assert max(map(len, asked)) == looked_at, "fewer where a feature has one value left"
    assert len(asked[0]) == looked_at
    if looked_at == 1:
        assert len(set().union(*asked)) > 1, "drawn anew at every node"


def test_random_state_decides_what_is_drawn():
    def tree(seed):
        return make(tv.TreantClassifier, max_features=1, max_depth=5, random_state=seed).fit(X, Y).tree_

    assert tree(1) == tree(1) == tree(np.int64(1))
    assert len({tree(s) for s in range(5)}) > 1
    assert tree(np.random.RandomState(1)) == tree(np.random.RandomState(1))
    shared = np.random.RandomState(1)
    assert len({tree(shared) for _ in range(5)}) > 1, "a generator goes on from fit to fit"
    assert len({tree(None) for _ in range(8)}) > 1


def test_random_state_changes_nothing_where_nothing_is_drawn():
    assert len({make(tv.TreantClassifier, random_state=s).fit(X, Y).tree_ for s in (0, 1, None)}) == 1

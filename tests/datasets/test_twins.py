"""Twins: which test rows have an identical training row, counted the slow way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from tests.datasets.parts import BOTH, EVERY, LOADERS

ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.sampled_from([0.0, 0.5])), max_size=12)


@given(ROWS, ROWS)
def test_a_twin_is_equal_in_every_column(rows, known):
    X, K = (pd.DataFrame(r, columns=["n", "c", "x"]) for r in (rows, known))
    expected = [any(all(a == b for a, b in zip(r, k)) for k in known) for r in rows]
    assert tv.twins(X, K).tolist() == expected
    categories = (
        X.assign(c=pd.Categorical(X["c"], ["b", "a"])),
        K.assign(c=pd.Categorical(K["c"], list("abz"))),
    )
    assert tv.twins(*categories).tolist() == expected, "categories in another order are the same text"


def test_twins_of_arrays_and_of_nothing():
    X = np.array([[1.0, -0.0], [2.0, 1.0]])
    assert tv.twins(X, [[1, 0], [1, 1]]).tolist() == [True, False]
    assert tv.twins(X, X[:0]).tolist() == [False, False]
    assert tv.twins(X[:0], X).tolist() == []


def test_other_columns_are_refused():
    X = pd.DataFrame({"a": [1], "b": [2]})
    with pytest.raises(ValueError, match="known: expected the columns of X, a, b, got b, a"):
        tv.twins(X, X[["b", "a"]])


@EVERY
@BOTH
def test_distinct_leaves_out_twins_and_nothing_else(name, protocol):
    every, distinct = LOADERS[name](protocol), LOADERS[name](protocol, distinct=True)
    pd.testing.assert_frame_equal(distinct.X_train, every.X_train)
    assert distinct.y_train.tolist() == every.y_train.tolist()
    known = {tuple(row) for row in every.X_train.astype(object).to_numpy().tolist()}
    for part in ("valid", "test"):
        X, y = getattr(every, f"X_{part}"), getattr(every, f"y_{part}")
        kept = [i for i, row in enumerate(X.astype(object).to_numpy().tolist()) if tuple(row) not in known]
        assert 0 < len(kept) < len(X)
        pd.testing.assert_frame_equal(getattr(distinct, f"X_{part}"), X.iloc[kept].reset_index(drop=True))
        assert getattr(distinct, f"y_{part}").tolist() == y[kept].tolist()
    assert (distinct.attacker, distinct.budgets) == (every.attacker, every.budgets)


@pytest.mark.parametrize(("name", "share"), [("wine", 23.5), ("census", 0.1), ("credit", 0.4)])
def test_how_many_of_the_authors_test_rows_are_twins(name, share):
    data = LOADERS[name]("authors")
    assert round(100 * tv.twins(data.X_test, data.X_train).mean(), 1) == share


def test_a_model_that_remembers_looks_better_on_twins():
    """Why it matters: the nearest training row answers for the test row."""
    neighbours = pytest.importorskip("sklearn.neighbors")
    wine = tv.load_wine("authors")
    twin = tv.twins(wine.X_test, wine.X_train)
    memory = neighbours.KNeighborsClassifier(1).fit(wine.X_train, wine.y_train)
    right = memory.predict(wine.X_test) == wine.y_test
    assert right[twin].mean() > right[~twin].mean() + 0.2


def test_distinct_is_true_or_false():
    with pytest.raises(ValueError, match="distinct: expected True or False, got 'yes'"):
        tv.load_wine(distinct="yes")

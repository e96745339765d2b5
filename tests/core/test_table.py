"""Columns: told apart by all their values, coded by their distinct values, and back."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from treant_viz.core.table import Column, Schema, Table, as_table
from treant_viz.estimators.fitting import frame, make_table

FEWER = settings(max_examples=settings().max_examples * 2 // 5)


def kinds(X) -> list[bool]:
    return [c.categorical for c in Schema.of(X).columns]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "float32", "float64", "bool", "Int64", "Float64", "boolean"]
)
def test_number_types(dtype):
    values = [1, 0, 1] if dtype.startswith("bool") else [3, 1, 2]
    X = pd.DataFrame({"a": pd.array(values, dtype=dtype)})
    assert Schema.of(X).columns == (Column("a"),)
    assert Schema.of(X).matrix(X).tolist() == [[float(v)] for v in values]


@pytest.mark.parametrize("dtype", [object, "str", "string", "category"])
def test_text_types(dtype):
    X = pd.DataFrame({"a": pd.Series(["b", "a", "b"], dtype=dtype)})
    assert Schema.of(X).columns == (Column("a", ("a", "b")),)
    assert Schema.of(X).matrix(X).tolist() == [[1], [0], [1]]


def test_numbers_in_object_columns():
    X = pd.DataFrame(
        {"a": pd.Series([1, 2.5, True, Fraction(1, 4), Decimal("0.5"), np.float32(3)], dtype=object)}
    )
    assert kinds(X) == [False]
    assert Schema.of(X).matrix(X).ravel().tolist() == [1, 2.5, 1, 0.25, 0.5, 3]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_first_row_does_not_decide(place):
    """A number among text is found wherever it stands; digits in text stay text."""
    values = ["1", "2", "x"]
    assert kinds(pd.DataFrame({"a": values})) == [True]
    assert kinds(pd.DataFrame({"a": ["1", "2", "3"]})) == [True]
    mixed = [*values]
    mixed[place] = 7
    with pytest.raises(ValueError, match="'a' mixes text and numbers"):
        Schema.of(pd.DataFrame({"a": pd.Series(mixed, dtype=object)}))


def test_lists_keep_text_and_numbers_apart():
    rows = [[1, "a", True], [2.5, "b", False]]
    assert (
        kinds(rows)
        == kinds(tuple(map(tuple, rows)))
        == kinds(np.array(rows, dtype=object))
        == [False, True, False]
    )
    assert Schema.of(rows).matrix(rows).tolist() == [[1, 0, 1], [2.5, 1, 0]]
    assert Schema.of(rows).names == (0, 1, 2)


def test_arrays_of_text_are_text():
    A = np.array([["1", "a"], ["2", "b"]])
    assert kinds(A) == [True, True]
    assert Schema.of(A).columns[0].categories == ("1", "2")


def test_anything_that_makes_an_array_is_a_table():
    class Lazy:
        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0]], dtype=dtype)

    assert as_table(Lazy()).tolist() == [[1, 2]]


def test_names_that_are_no_text_count_as_places():
    X = pd.DataFrame(np.zeros((1, 2)), columns=[5, 7])
    assert Schema.of(X).names == (0, 1)


def test_categories_keep_their_order_and_unused_ones_stay_known():
    X = pd.DataFrame({"size": pd.Categorical(["m", "s"], ["s", "m", "l"], ordered=True)})
    schema = Schema.of(X)
    assert schema.columns[0].categories == ("s", "m", "l")
    assert schema.matrix(pd.DataFrame({"size": ["l", "s"]})).ravel().tolist() == [2, 0]
    other_order = pd.DataFrame({"size": pd.Categorical(["l", "s"], ["l", "s"])})
    assert schema.matrix(other_order).ravel().tolist() == [2, 0]


def test_categories_may_be_numbers():
    X = pd.DataFrame({"zone": pd.Categorical(np.array([30, 10, 30]))})
    schema = Schema.of(X)
    assert schema.columns[0].categories == (10, 30)
    assert all(type(c) is int for c in schema.columns[0].categories)
    assert schema.matrix(pd.DataFrame({"zone": [30, 10]})).ravel().tolist() == [1, 0]
    with pytest.raises(ValueError, match="'zone': unknown category 20; known are 10, 30"):
        schema.matrix(pd.DataFrame({"zone": [20]}))


def test_categories_that_only_rules_name_are_known():
    X = pd.DataFrame({"c": ["a", "b"], "n": [1, 2]})
    A = tv.Attacker([tv.Rule("c", 1, pre={"z"}, becomes="y"), tv.Rule("c", 1, becomes="a")], 1)
    assert make_table(X, A).schema.columns == (Column("c", ("a", "b", "z", "y")), Column("n"))
    assert make_table(X, None).schema.columns == (Column("c", ("a", "b")), Column("n"))


def test_features_by_name_and_by_place():
    schema = Schema.of(pd.DataFrame({"p": [1], "q": [2]}))
    assert schema.index("q") == schema.index(1) == schema.index(np.int64(1)) == 1
    for unknown in ("r", 2, -1):
        with pytest.raises(
            ValueError, match=rf"feature {unknown!r} is not a column; the columns are 'p', 'q'"
        ):
            schema.index(unknown)


def test_long_lists_are_cut_short_in_messages():
    schema = Schema.of(pd.DataFrame(np.zeros((1, 50)), columns=[f"c{i}" for i in range(50)]))
    with pytest.raises(ValueError, match=r"'c11', \.\.\. \(50 in all\)$"):
        schema.index("x")


def test_other_columns_are_refused():
    schema = Schema.of(pd.DataFrame({"p": [1], "q": [2]}))
    with pytest.raises(ValueError, match="3 columns, but 2 are expected: 'p', 'q'"):
        schema.matrix(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="columns 'q', 'p', but 'p', 'q' are expected, in this order"):
        schema.matrix(pd.DataFrame({"q": [1], "p": [2]}))


cells = {"number": st.floats(-1e6, 1e6), "text": st.text(max_size=3)}


@st.composite
def frames(draw):
    n = draw(st.integers(1, 6))
    columns = draw(st.lists(st.sampled_from(["number", "text"]), min_size=1, max_size=3))
    return pd.DataFrame(
        {f"{i}": pd.Series([draw(cells[k]) for _ in range(n)], dtype=float if k == "number" else object)
         for i, k in enumerate(columns)}
    )  # fmt: skip


@FEWER
@given(frames())
def test_coding_loses_nothing(X):
    table = Table.of(X, Schema.of(X))
    assert frame(table).to_numpy(object).tolist() == X.to_numpy(object).tolist()
    for f, column in enumerate(table.schema.columns):
        shown = [table.threshold(f, code) for code in table.codes[:, f]]
        assert shown == X.iloc[:, f].tolist()
        assert all(type(v) is (str if column.categorical else float) for v in shown)
        if not column.categorical:
            assert table.values[f].tolist() == sorted(set(X.iloc[:, f]))
    assert len(table) == len(X) and table.width == X.shape[1]

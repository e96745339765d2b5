"""Rewritten tables: kinds, columns and types stay what they were where the values fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.fitted import table
from treant_viz.attacks.attack import attack
from treant_viz.attacks.tables import one_row, rewritten

ensemble = pytest.importorskip("sklearn.ensemble")


def test_tables_keep_their_type_columns_and_dtypes():
    X = pd.DataFrame(
        {"n": [1, 2, 3], "c": pd.Categorical(["u", "v", "u"]), "t": ["x", "y", "x"]}, index=[5, 6, 7]
    )
    tree = tv.Node(
        "n", 4, tv.Node("c", "v", tv.Leaf(0.1), tv.Leaf(0.2)), tv.Node("t", "y", tv.Leaf(0.5), tv.Leaf(0.9))
    )
    rules = [tv.Rule("n", 1, delta=(0, 2)), tv.Rule("c", 1, becomes="v"), tv.Rule("t", 1, becomes="y")]
    result = attack(tree, X, [1, 1, 0], tv.Attacker(rules, 2))
    assert (result.X_adv.dtypes == X.dtypes).all()
    assert list(result.X_adv.index) == [5, 6, 7]
    assert result.X_adv.values.tolist() == [[1, "v", "x"], [2, "v", "y"], [5, "u", "x"]]


def test_a_column_of_whole_numbers_becomes_real_only_if_it_must():
    tree = tv.Node(0, 1.2, tv.Leaf(0.0), tv.Node(0, 1.7, tv.Leaf(1.0), tv.Leaf(0.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    assert attack(tree, np.array([[1]]), [0], A).X_adv.dtype == float
    wide = tv.Node(0, 1.2, tv.Leaf(0.0), tv.Leaf(1.0))
    assert attack(wide, np.array([[1]]), [0], A).X_adv.tolist() == [[2]]
    assert attack(wide, np.array([[1]]), [0], A).X_adv.dtype == np.array([[1]]).dtype


def test_32_bit_columns_stay_32_bit():
    X, y = table()
    small = X.to_numpy(np.float32)
    A = tv.Attacker([tv.Rule(0, 2, delta=(-0.5, 0.5)), tv.Rule(1, 1, delta=(0, 1))], 3)
    forest = ensemble.RandomForestClassifier(7, max_depth=4, random_state=0).fit(small, y)
    result = attack(forest, small, y, A)
    assert result.X_adv.dtype == np.float32
    assert sum(map(bool, result.moves)) > 20


def test_text_arrays_grow_as_long_as_they_must():
    tree = tv.Node(0, "a", tv.Leaf(0.0), tv.Leaf(1.0))
    A = tv.Attacker([tv.Rule(0, 1, becomes="longer")], 1)
    assert attack(tree, np.array([["a"], ["b"]]), [0, 0], A).X_adv.tolist() == [["longer"], ["b"]]


@pytest.mark.parametrize(
    "x", [{"a": 1, "b": 2}, pd.Series({"a": 1, "b": 2}), pd.DataFrame({"a": [1], "b": [2]}), [1, 2], [[1, 2]]]
)
def test_one_row_may_come_in_many_forms(x):
    assert np.asarray(one_row(x)).tolist() == [[1, 2]]


@pytest.mark.parametrize("x", [np.zeros((2, 3)), pd.DataFrame({"a": [1, 2]}), np.zeros((1, 2, 3))])
def test_more_or_less_than_one_row_is_refused(x):
    with pytest.raises(ValueError, match="x: expected one row"):
        one_row(x)


def test_the_original_table_is_left_alone():
    X = pd.DataFrame({"a": [1.0, 2.0]})
    assert rewritten(X, {0: {1: 5.0}})["a"].tolist() == [1.0, 5.0]
    assert X["a"].tolist() == [1.0, 2.0]

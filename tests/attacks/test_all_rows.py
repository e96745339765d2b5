"""Row by row and batch by batch: single trees, both directions, rows that gain nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import treant_viz as tv
from tests.attacks.problems import (
    STUMP,
    row,
    shifts,
    step,
)
from treant_viz.attacks.attack import attack


def test_a_value_on_the_threshold_is_left_and_the_full_budget_may_be_spent():
    A = tv.Attacker([tv.Rule(0, 3, delta=(-1, 0.5))], 3)
    X = np.array([[1.0], [2.0], [np.nextafter(2.0, 3)], [0.5], [0.500001]])
    result = attack(STUMP, X, np.array([0, 1, 1, 0, 0]), A)
    assert result.scores.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert result.costs.tolist() == [3.0, 3.0, 0.0, 0.0, 3.0]
    assert attack(STUMP, X, np.array([0, 1, 1, 0, 0]), A.with_budget(2.999)).costs.sum() == 0


def test_nothing_is_attacked_where_nothing_is_gained():
    tree = tv.Node(0, 1.0, tv.Leaf(0.5), tv.Leaf(0.5))
    result = attack(tree, [[1.0]], [0], tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 5))
    assert result.moves == ((),)
    assert result.costs[0] == 0
    assert result.X_adv.tolist() == [[1.0]]


def test_both_directions_are_tried_for_real_labels():
    tree = tv.Node(0, 0.0, tv.Leaf(-3.0), tv.Node(0, 2.0, tv.Leaf(0.0), tv.Leaf(2.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-2, 2))], 1)
    result = attack(tree, [[1.0], [1.0]], [0.0, -1.0], A)
    assert result.scores.tolist() == [-3.0, 2.0]
    assert result.losses.tolist() == [9.0, 9.0]
    forest = attack([tree, tree], [[1.0], [1.0]], [0.0, -1.0], A)
    assert forest.losses.tolist() == [9.0, 9.0]
    assert attack(tree, [[1.0], [1.0]], [1.0, -1.0], A, loss="margin").scores.tolist() == [-3.0, 2.0]


def test_of_equal_attacks_to_both_sides_the_greater_score_is_reported():
    tree = tv.Node("f0", -1.0, tv.Leaf(-1.0), tv.Node("f0", 1.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    assert attack(tree, row(0), [0.0], tv.Attacker(shifts(1), 1)).scores.tolist() == [1.0]
    dear = [tv.Rule("f0", 1, delta=(-2, 0)), tv.Rule("f0", 2, delta=(0, 2))]
    assert attack(tree, row(0), [0.0], tv.Attacker(dear, 2)).scores.tolist() == [-1.0], (
        "unless the other is cheaper"
    )


def test_a_single_tree_needs_no_search_and_knows_no_limit():
    tree = tv.Node("f0", 1.0, tv.Leaf(0.0), step(1, 2.0))
    for limits in ({"node_limit": 0}, {"time_limit": 0}):
        result = attack(tree, row(0, 0), [0.0], tv.Attacker(shifts(1, 1), 2), **limits)
        assert result.exact.all()
        assert result.losses.tolist() == [4.0]


@pytest.mark.parametrize("method", ["exact", "exhaustive", "milp"])
def test_an_attacked_column_may_be_missing_in_all_rows(method):
    X, y = np.array([[0, 1], [1, 2], [2, 3], [math.nan, 4]]), [0, 0, 1, 1]
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    result = attack(model, X[3:], y[3:], tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1), method=method)
    np.testing.assert_array_equal(result.X_adv, X[3:])
    assert result.exact.all()

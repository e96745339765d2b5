"""Traps that other implementations of the algorithm fell into, one test each (DESIGN.md, section 7)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.strategies import to_oracle
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, split_constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import SSE
from treant_viz.core.partition import Stump, robust_split
from treant_viz.core.tree import leaves, nodes
from treant_viz.estimators.fitting import make_table


def training_loss(m) -> float:
    return sum(leaf.loss for _, leaf in leaves(m.tree_))


def test_each_side_of_a_constraint_is_charged_its_own_cost():
    """Charging both the cost of the side the row was sent to: the tree would claim 0.5556 and lose 1.1111."""
    X, y = np.array([[2, 2], [1, 1], [1, 0]], dtype=float), np.array([0.0, -1.0, -2.0])
    A = tv.Attacker([tv.Rule(0, 1, delta=(1, 1)), tv.Rule(1, 1, delta=(-1, -1))], 1)
    rules = [("num", 0, 1, -np.inf, np.inf, 1, 1), ("num", 1, 1, -np.inf, np.inf, -1, -1)]
    m = tv.TreantRegressor(A, max_depth=2, min_samples_split=2).fit(X, y)
    rows = [tuple(map(int, r)) for r in X]

    true = oracles.loss_under_attack(to_oracle(m.tree_), rows, y, rules, 1, "sse")
    assert training_loss(m) == pytest.approx(true, abs=1e-9)


def test_a_corrupted_feature_is_not_tested_twice_on_a_path_unless_lifted():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 30, (200, 2)).astype(float)
    y = ((X[:, 0] > 10) & (X[:, 0] < 20)) ^ ((X[:, 1] > 5) & (X[:, 1] < 25))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 2)

    def tests_on_paths(retest):
        m = tv.TreantClassifier(A, retest=retest, min_samples_split=2, max_depth=5).fit(X, y)
        paths = {path: node.feature for path, node in nodes(m.tree_)}
        return [[paths[path[:i]] for i in range(len(path))] for path, _ in leaves(m.tree_)]

    assert max(p.count(0) for p in tests_on_paths("uncorrupted")) == 1
    assert max(p.count(1) for p in tests_on_paths("uncorrupted")) > 1, "uncorrupted features may be"
    assert max(max(p.count(0), p.count(1)) for p in tests_on_paths("none")) == 1
    assert max(p.count(0) for p in tests_on_paths("all")) > 1


def test_ends_of_every_rule_on_the_feature_count():
    """[0,10] by up to +4 and [2,3] by +10, budget for two: 0 -> 2 -> 12 must be found."""
    A = tv.Attacker([tv.Rule("f", 1, (0, 10), (0, 4)), tv.Rule("f", 1, (2, 3), (10, 10))], 2)
    assert A.cost_above("f", [0.0], 11.5).tolist() == [2.0]
    assert any(piece.low <= 12 <= piece.high for piece in A.reachable("f", 0.0))
    t = tv.Node("f", 11.0, tv.Leaf(0.0), tv.Leaf(1.0))
    assert tv.loss_under_attack(t, pd.DataFrame({"f": [0.0]}), np.array([0.0]), A) == 1.0


def test_a_rule_is_an_interval_of_shifts():
    A = tv.Attacker([tv.Rule("f", 1, delta=(-1, 4))], 1)
    assert A.reachable("f", 0.0) == ((-1.0, 4.0),)


def test_spent_cost_is_counted_once():
    """Two features, one coin each, a budget of two: both can be crossed."""
    t = tv.Node("a", 0.0, tv.Leaf(0.0), tv.Node("b", 0.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    A = tv.Attacker([tv.Rule("a", 1, delta=(0, 1)), tv.Rule("b", 1, delta=(0, 1))], 2)
    X = pd.DataFrame({"a": [0.0], "b": [0.0]})
    assert tv.loss_under_attack(t, X, np.array([0.0]), A) == 1.0
    assert tv.loss_under_attack(t, X, np.array([0.0]), A.with_budget(1)) == 0.0


def test_a_tie_keeps_the_row_at_home():
    """By symmetry both leaves hurt the middle row the same: it stays on its side (right of 0), unattacked."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 0.5, 1.0])
    A = tv.Attacker([tv.Rule(0, 1, pre=(1, 1), delta=(-1, 1))], 1)
    split = tv.TreantRegressor(A, max_depth=1, min_samples_split=2).fit(X, y).trace_.at("").split
    assert (split.threshold, split.partition.unknown.tolist()) == (0.0, [1])
    assert (split.y_l, split.y_r) == pytest.approx((1 / 6, 5 / 6), abs=1e-12)
    assert split.right.rows.tolist() == [1, 2]
    assert split.right.spent.tolist() == [0.0, 0.0]


def test_categorical_unknowns_are_routed_by_equality():
    X = pd.DataFrame({"c": ["a", "b", "c", "a"]})
    A = tv.Attacker([tv.Rule("c", 1, pre={"c"}, becomes="a")], 1)
    c = (
        tv.TreantRegressor(A, max_depth=1, min_samples_split=2)
        .fit(X, [0.0, 1.0, 1.0, 0.0])
        .trace_.at("")
        .candidates
    )
    by = {c.threshold[i]: (c.left[i], c.unknown[i], c.right[i]) for i in range(len(c))}
    assert by == {"a": (2, 1, 1), "b": (1, 0, 3), "c": (0, 1, 3)}


def test_leaves_are_optimised_not_inherited_from_the_parents_split():
    toy = tv.load_toy()
    m = tv.TreantRegressor(toy.attacker, max_depth=1, min_samples_split=2).fit(toy.X, toy.y)
    for (path, leaf), rows in zip(leaves(m.tree_), ([0, 1], [2, 3, 4, 5, 6])):
        assert leaf.prediction == pytest.approx(toy.y[rows].mean()), path


def test_no_leaf_is_empty():
    rng = np.random.default_rng(3)
    for seed in range(20):
        X, y = rng.integers(0, 4, (12, 2)).astype(float), rng.integers(0, 2, 12)
        if len(set(y)) < 2:
            continue
        A = tv.Attacker([tv.Rule(0, 1, delta=(-2, 2)), tv.Rule(1, 1, delta=(-1, 1))], 2)
        m = tv.TreantClassifier(A, min_samples_split=2, random_state=seed).fit(X, y)
        assert all(leaf.size > 0 for _, leaf in leaves(m.tree_))


def test_fits_can_be_repeated_and_do_not_touch_the_global_random_state():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    np.random.seed(7)
    before = np.random.get_state()[1].copy()
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    one, two = (tv.TreantClassifier(A, max_features=2, random_state=5).fit(X, y).tree_ for _ in range(2))
    assert one == two
    assert (np.random.get_state()[1] == before).all()


def test_a_tie_within_rounding_constrains_neither_leaf_out_of_its_own_feasible_set():
    """Losses that differ in the last bit only: each side's constraint must still allow that side's leaf."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, 0.1, 1.0])
    A = tv.Attacker([tv.Rule(0, 1, pre=(1, 1), delta=(0, 1))], 1)
    table = make_table(X, A)
    bound, D = AttackerOnTable(A, table), Data.root(Sample(table, y, binary=False))
    y_r = 0.7
    y_l = float(np.nextafter(2 * 0.1 - y_r, np.inf))
    stump = Stump(0, 1, y_l, y_r, 0.0)
    split = robust_split(D, bound, stump, SSE)
    assert split.left.tolist() == [True, True, False], "the tie stays where it is unattacked"
    sides = split_constraints(D, bound, Constraints.none(), stump, split, SSE, "")
    for C, leaf in zip(sides, (y_l, y_r)):
        (c,) = C.records(D, bound, SSE)
        assert any(a <= leaf <= b for a, b in c.allowed(SSE)), c

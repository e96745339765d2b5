"""The front door: budgets, the worst leaves of one row, bad input, light imports."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.attacks.fitted import EITHER, MODELS, table
from tests.attacks.problems import (
    INF,
    STUMP,
    Random,
    frame,
    small_forest,
    to_attacker,
    to_plain,
)
from treant_viz.attacks.attack import attack, attack_budgets, loss_under_attack, worst_leaves

lgb = pytest.importorskip("lightgbm")


ensemble = pytest.importorskip("sklearn.ensemble")


@pytest.mark.parametrize("seed", range(10))
def test_one_run_serves_all_budgets(seed):
    R, kinds, trees, rules, _, rows = small_forest(5000 + seed)
    X, y, A = frame(rows, kinds), R.rng.normal(size=4), to_attacker(rules, 0)
    budgets = [3, 0, 7, 1]
    results = attack_budgets(trees, X, y, A, budgets)
    assert list(results) == budgets
    for b in budgets:
        alone = attack(trees, X, y, A.with_budget(b))
        assert results[b].losses == pytest.approx(alone.losses)
        assert results[b].costs == pytest.approx(alone.costs)
    ordered = np.array([results[b].losses for b in sorted(budgets)])
    assert (np.diff(ordered, axis=0) >= -1e-12).all()


@pytest.mark.parametrize("seed", range(60))
def test_worst_leaves_are_those_of_brute_force(seed):
    R = Random(6000 + seed)
    kinds = R.one_of("nn", "nc", "nnc")
    tree, rules, budget = R.tree(kinds, 4), R.rules(kinds, 3), int(R.rng.integers(0, 5))
    (x,) = R.rows(kinds, 1)
    y = float(R.rng.integers(0, 3)) / 2
    plain = to_plain(tree)
    top, paths = oracles.worst(plain, x, y, rules, budget, "sse")
    A, X = to_attacker(rules, budget), frame([x], kinds)
    assert worst_leaves(tree, X, y, A) == paths
    assert worst_leaves(tree, dict(zip(X.columns, x)), y, A) == paths
    assert worst_leaves(tree, pd.Series(dict(zip(X.columns, x))), y, A) == paths
    assert loss_under_attack(tree, X, [y], A) == pytest.approx(top)


def test_ties_give_all_worst_leaves():
    tree = tv.Node(0, 1.0, tv.Leaf(-1.0), tv.Node(0, 2.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    assert worst_leaves(tree, [1.5], 0.0, A) == {"l", "rr"}
    assert worst_leaves(tree, np.array([[1.5]]), 0.0, A.with_budget(0)) == {"rl"}


def test_leaves_of_infinite_loss_are_the_worst():
    tree = tv.Node(0, 1.0, tv.Leaf(0.0), tv.Node(0, 2.0, tv.Leaf(0.5), tv.Leaf(0.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    assert worst_leaves(tree, [1.5], 1.0, A, loss="log") == {"l", "rr"}
    assert worst_leaves(tree, [1.5], 0.0, A, loss="log") == {"rl"}


def test_leaves_that_differ_by_rounding_alone_are_both_the_worst():
    tree = tv.Node(0, 1.0, tv.Leaf(0.1 + 0.2), tv.Leaf(-0.3))
    assert worst_leaves(tree, [1.0], 0.0, tv.Attacker([tv.Rule(0, 1, delta=(0, 1))], 1)) == {"l", "r"}


def test_worst_leaves_of_a_fitted_estimator_are_those_of_its_tree(toy, toy_model):
    for x, y in zip(toy.X.to_dict("records"), toy.y, strict=True):
        assert worst_leaves(toy_model, x, y, toy.attacker) == worst_leaves(
            toy_model.tree_, x, y, toy.attacker
        )


def test_worst_leaves_asks_for_a_tree():
    with pytest.raises(TypeError, match=r"tree: expected a Leaf or a Node, .*got int"):
        worst_leaves(3, [1.5], 1.0, tv.Attacker([], 1))


def test_the_toys_stumps_have_the_papers_losses():
    toy = tv.load_toy()
    assert (
        loss_under_attack(tv.Node("p", 1.0, tv.Leaf(-1.0), tv.Leaf(2.0)), toy.X, toy.y, toy.attacker) == 5.0
    )
    robust = tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
    assert loss_under_attack(robust, toy.X, toy.y, toy.attacker) == pytest.approx(3.7)


@pytest.mark.parametrize("name", MODELS)
def test_budget_0_gives_exactly_the_clean_scores(name):
    X, y = table()
    result = attack(MODELS[name], X, y, EITHER.with_budget(0))
    assert np.array_equal(result.scores, result.clean_scores)
    assert result.X_adv.equals(X)
    assert result.exact.all()


@pytest.mark.parametrize("name", MODELS)
def test_an_infinite_budget_reaches_all_there_is(name):
    X, y = table()
    result = attack(MODELS[name], X, y, EITHER.with_budget(INF))
    rich = attack(MODELS[name], X, y, EITHER.with_budget(10_000))
    assert result.exact.all()
    assert np.isfinite(result.costs).all()
    assert result.losses == pytest.approx(rich.losses)
    assert result.costs == pytest.approx(rich.costs)


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_table_has_an_empty_result(name):
    X, y = table()
    result = attack(MODELS[name], X[:0], y[:0], EITHER)
    assert len(result.scores) == len(result.moves) == 0
    assert list(result.X_adv.columns) == ["a", "b"]
    assert loss_under_attack(MODELS[name], X[:0], y[:0], EITHER) == 0.0


@pytest.mark.parametrize("name", ["forest", "boosting", "lightgbm"])
def test_other_columns_are_refused(name):
    X, y = table()
    with pytest.raises(ValueError, match="in this order"):
        attack(MODELS[name], X[["b", "a"]], y, EITHER)
    with pytest.raises(ValueError, match="columns"):
        attack(MODELS[name], X[["a"]], y, EITHER)
    with pytest.raises(ValueError, match="'zzz' is not a column"):
        attack(MODELS[name], X, y, tv.Attacker([tv.Rule("zzz", 1, delta=(0, 1))], 1))


def test_a_named_tree_finds_its_columns_in_any_order():
    X, y = table()
    straight, swapped = (attack(MODELS["tree"], X[c], y, EITHER).losses for c in (["a", "b"], ["b", "a"]))
    assert np.array_equal(straight, swapped)
    with pytest.raises(ValueError, match="'b' is not a column"):
        attack(MODELS["tree"], X[["a"]], y, tv.Attacker([], 1))


def test_unseen_categories_are_refused():
    X = pd.DataFrame({"c": pd.Categorical(["u", "v"] * 20), "d": np.arange(40.0)})
    model = lgb.train({"min_data_in_leaf": 2, "verbose": -1}, lgb.Dataset(X, np.arange(40) % 2), 2)
    other = pd.DataFrame({"c": pd.Categorical(["u", "w"]), "d": [1.0, 2.0]})
    with pytest.raises(ValueError, match="unknown category 'w'"):
        attack(model, other, [0, 1], tv.Attacker([], 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": "nobody"}, "A: expected an Attacker"),
        ({"y": [0, 1]}, "y: expected 60 labels"),
        ({"y": np.full(60, 7)}, "the model's classes are"),
        ({"loss": "hinge"}, "loss: expected 'sse' or 'log'"),
        ({"method": "guess"}, "method: expected 'exact'"),
        ({"time_limit": -1}, "time_limit: expected None or"),
        ({"node_limit": math.nan}, "node_limit: expected None or"),
        ({"progress": "loud"}, "progress: expected None, True or"),
        ({"model": 7}, "model: expected a tree"),
        ({"model": ensemble.RandomForestClassifier()}, "not fitted"),
        ({"X": np.zeros(60)}, "X: expected a table"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = table()
    given = {"model": MODELS["forest"], "X": X, "y": y, "A": EITHER} | change
    with pytest.raises((ValueError, TypeError), match=message):
        attack(**given)


def test_bad_input_of_other_kinds_is_named():
    X, y = table()
    with pytest.raises(ValueError, match="needs labels 0 and 1"):
        attack(STUMP, [[0.0]], [2], EITHER.with_budget(0), loss="log")
    with pytest.raises(ValueError, match="scores are probabilities"):
        attack(tv.Leaf(3.0), [[0.0]], [1], tv.Attacker([], 1), loss="log")
    with pytest.raises(TypeError, match="y: expected numbers"):
        attack(STUMP, [[0.0]], ["yes"], tv.Attacker([], 1))
    with pytest.raises(ValueError, match="budgets: expected at least one"):
        attack_budgets(MODELS["forest"], X, y, EITHER, [])
    with pytest.raises(ValueError, match="'exhaustive' needs a finite budget"):
        attack(MODELS["forest"], X, y, EITHER.with_budget(INF), method="exhaustive")
    with pytest.raises(TypeError, match="tree: expected a Leaf or a Node"):
        worst_leaves(MODELS["forest"], X[:1], 0, EITHER)
    with pytest.raises(ValueError, match="x: expected one row"):
        worst_leaves(MODELS["tree"], X, 0, EITHER)
    with pytest.raises(ValueError, match="is numeric, but the column holds categories"):
        frame_ = pd.DataFrame({"c": ["u", "v"]})
        attack(tv.Leaf(0.0), frame_, [0, 0], tv.Attacker([tv.Rule("c", 1, delta=(0, 1))], 1))


def test_attacking_imports_neither_scikit_learn_nor_lightgbm():
    libraries = "('sklearn', 'lightgbm')"
    code = f"import sys, treant_viz.attacks.attack; print([m for m in {libraries} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_of_two_directions_that_hurt_as_much_the_cheaper_one_is_taken():
    """Squared errors of 100 up and down, equal but for rounding."""
    tree = tv.Node(0, 0.0, tv.Leaf(-10.0), tv.Node(0, 1.0, tv.Leaf(0.0), tv.Leaf(10.0 * (1 + 1e-15))))
    rules = [tv.Rule(0, 2, delta=(0, 1)), tv.Rule(0, 1, delta=(-1, 0))]
    for trees in (tree, [tree, tree]):
        result = attack(trees, [[1.0]], [0.0], tv.Attacker(rules, 2))
        assert result.losses == pytest.approx([100.0]) and result.costs.tolist() == [1.0]


def test_a_test_for_a_category_that_no_row_has_sends_rows_to_the_right():
    tree = tv.Node("c", "violet", tv.Leaf(0.0), tv.Leaf(1.0), "==")
    X = pd.DataFrame({"c": ["red", "blue"]})
    A = tv.Attacker([tv.Rule("c", 1, pre={"red"}, becomes="blue")], 1)
    assert attack(tree, X, [1.0, 0.0], A).losses.tolist() == [0.0, 1.0]

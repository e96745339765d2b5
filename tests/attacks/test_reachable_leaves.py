"""The leaves within reach of a row, and the batch of rows that they are worked out for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.attacks.problems import Random, brute_force, frame, to_attacker, to_plain
from treant_viz.attacks.batch import AttackedModel, Batch, batch_of_one
from treant_viz.attacks.cells import CellGrid
from treant_viz.attacks.reachable_leaves import reachable_leaves
from treant_viz.ensembles.common_form import common_form

TREE = tv.Node("a", 1.0, tv.Leaf(0.0), tv.Node("b", 1.0, tv.Leaf(1.0), tv.Leaf(2.0)))
RULES = [tv.Rule("a", 2, delta=(0, 2)), tv.Rule("b", 3, delta=(0, 2))]


def paths_with_costs(tree, X, A) -> dict[str, float]:
    form = common_form(tree, X, A)
    reached = batch_of_one(form, X, A).reached
    return {form.paths[u]: c for u, c in zip(reached.leaf.tolist(), reached.cost.tolist())}


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(0, {"l": 0}), (2, {"l": 0, "rl": 2}), (4, {"l": 0, "rl": 2}), (5, {"l": 0, "rl": 2, "rr": 5})],
)
def test_a_leaf_costs_the_sum_over_its_features(budget, expected):
    X = pd.DataFrame({"a": [0.0], "b": [0.0]})
    assert paths_with_costs(TREE, X, tv.Attacker(RULES, budget)) == expected


@pytest.mark.parametrize("seed", range(30))
def test_leaves_and_their_costs_are_those_of_brute_force(seed):
    R = Random(7000 + seed)
    kinds = R.one_of("nn", "nc", "nnc")
    tree, rules, budget = R.tree(kinds, 4), R.rules(kinds, 3), int(R.rng.integers(0, 5))
    (x,) = R.rows(kinds, 1)
    expected: dict[str, float] = {}
    for z, cost in brute_force(x, rules, budget).items():
        path, _ = oracles.land(to_plain(tree), z)
        expected[path] = min(cost, expected.get(path, np.inf))
    assert paths_with_costs(tree, frame([x], kinds), to_attacker(rules, budget)) == pytest.approx(expected)


def test_without_moves_every_row_has_one_leaf_in_each_tree():
    X = pd.DataFrame({"a": [0.0, 2.0, 2.0], "b": [0.0, 0.0, 5.0]})
    form = common_form([TREE, tv.Node("b", 2.0, tv.Leaf(3.0), tv.Leaf(4.0))], X)
    grid = CellGrid(form, form.matrix(X))
    reached = reachable_leaves(grid, [], grid.cells, 0.0)
    assert reached.row.tolist() == [0, 0, 1, 1, 2, 2]
    assert form.nodes.value[reached.leaf].tolist() == [0, 3, 1, 3, 2, 4]
    assert reached.start.tolist() == [0, 2, 4, 6]


def test_a_batch_knows_which_rows_have_something_to_gain():
    """Upwards only the first row gains; downwards none does, for it cannot go back."""
    X, A = pd.DataFrame({"a": [0.0, 9.0], "b": [0.0, 9.0]}), tv.Attacker(RULES, 5)
    model = AttackedModel(common_form(TREE, X, A), X, A)
    upwards = Batch(model, np.arange(2), np.ones(2), model.limit)
    assert upwards.unattacked.tolist() == [[0.0], [2.0]]
    assert upwards.best.tolist() == [[2.0], [2.0]]
    assert upwards.open.tolist() == [True, False]
    downwards = Batch(model, np.arange(2), -np.ones(2), model.limit)
    assert downwards.best.tolist() == [[0.0], [-2.0]]
    assert downwards.open.tolist() == [False, False]


def test_the_way_into_a_leaf_is_the_cheapest_and_touches_no_other_feature():
    X, A = pd.DataFrame({"a": [0.0], "b": [0.0]}), tv.Attacker(RULES, 5)
    form = common_form(TREE, X, A)
    batch = batch_of_one(form, X, A)
    ways = {
        form.paths[u]: [m.rule.feature for m in batch.moves(0, batch.cells_in(np.array([u]))[0])]
        for u in batch.reached.leaf.tolist()
    }
    assert ways == {"l": [], "rl": ["a"], "rr": ["a", "b"]}

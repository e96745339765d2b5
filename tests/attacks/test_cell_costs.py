"""What the attacker pays to bring a value into a cell, and the moves that do it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.problems import INF
from treant_viz.attacks.cell_costs import CellCosts, affordable_rules, cell_costs, spending_limit
from treant_viz.attacks.cells import CellGrid
from treant_viz.core.table import Schema
from treant_viz.ensembles.common_form import common_form

LADDER = tv.Node(
    "a", 1.0, tv.Leaf(0.0), tv.Node("a", 2.0, tv.Leaf(1.0), tv.Leaf(2.0))
)  # two cuts, three cells


def costs_of(tree, X: pd.DataFrame, A: tv.Attacker) -> CellCosts | None:
    form, limit = common_form(tree, X, A), spending_limit(A)
    M = form.matrix(X)
    rules = affordable_rules(A, form.schema, limit)[0]
    return cell_costs(CellGrid(form, M), M, 0, rules, limit, np.dtype(float))


def test_each_step_up_the_ladder_costs_one_more():
    A = tv.Attacker([tv.Rule("a", 3, delta=(0, 1))], 6)
    found = costs_of(LADDER, pd.DataFrame({"a": [0.5, 2.0, 0.5]}), A)
    assert found.values.tolist() == [0.5, 2.0]
    assert found.codes.tolist() == [0, 1, 0]
    assert found.cost[:, :3].tolist() == [[0, 3, 6], [INF, 0, 3]]


def test_what_the_budget_cannot_pay_for_costs_infinity():
    A = tv.Attacker([tv.Rule("a", 3, delta=(0, 1))], 5)
    found = costs_of(LADDER, pd.DataFrame({"a": [0.5]}), A)
    assert found.cost[:, :3].tolist() == [[0, 3, INF]]


def test_categories_cost_what_the_cheapest_chain_of_rules_costs():
    tree = tv.Node("c", "red", tv.Leaf(0.0), tv.Leaf(1.0))
    X = pd.DataFrame({"c": pd.Categorical(["red"], ["red", "green", "blue"])})
    rules = [tv.Rule("c", 1, pre={"red"}, becomes="green"), tv.Rule("c", 1, pre={"green"}, becomes="blue")]
    found = costs_of(tree, X, tv.Attacker([*rules, tv.Rule("c", 5, becomes="blue")], 5))
    assert found.cost[0, :3].tolist() == [0, 1, 2]
    assert [m.rule for m in found.path(0, 2)] == rules


def test_rules_that_lead_nowhere_new_are_not_worth_a_table():
    A = tv.Attacker([tv.Rule("a", 1, delta=(0, 0.5))], 1)
    assert costs_of(LADDER, pd.DataFrame({"a": [5.0, -7.0]}), A) is None


def test_a_path_costs_what_the_table_says_and_ends_in_the_cell():
    A = tv.Attacker([tv.Rule("a", 2, delta=(-1, 1))], 4)
    found = costs_of(LADDER, pd.DataFrame({"a": [0.5, 2.5]}), A)
    for code, cell in zip(*np.nonzero(np.isfinite(found.cost))):
        moves = found.path(int(code), int(cell))
        assert sum(m.rule.cost for m in moves) == found.cost[code, cell]
        end = moves[-1].after if moves else found.values[code]
        low, high = found.axis.ends(int(cell))
        assert low <= end <= high


def test_the_floor_is_the_least_cost_of_so_many_cells():
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1))], 2)
    found = costs_of(LADDER, pd.DataFrame({"a": [0.5]}), A)
    for level in range(found.floor.shape[1]):
        for cell in range(3):
            within = found.cost[0, cell : cell + 2**level]
            assert found.floor[0, level, cell] == within.min()


def test_rules_that_nobody_can_pay_for_are_left_out():
    X = pd.DataFrame({"a": [0.0], "b": [0.0]})
    A = tv.Attacker(
        [tv.Rule("a", 9, delta=(0, 1)), tv.Rule("b", 9, delta=(0, 1)), tv.Rule("b", 1, delta=(0, 1))], 2
    )
    assert affordable_rules(A, Schema.of(X), spending_limit(A)) == {1: (A.rules[2],)}


@pytest.mark.parametrize("budget", [0, 2.5, INF])
def test_what_may_be_spent_is_finite(budget):
    limit = spending_limit(tv.Attacker([], budget))
    assert np.isfinite(limit)
    assert limit >= min(budget, 1e300)

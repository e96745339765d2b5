"""The paper's plain enumeration: one representative of each cell, the cheapest first."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.attacks.attack import attack
from treant_viz.attacks.exhaustive import Route, attacks, categorical_routes, numeric_routes


def test_each_cell_is_entered_once_by_its_cheapest_route():
    rules = [tv.Rule("a", 1, delta=(0, 1)), tv.Rule("a", 5, delta=(0, 9))]
    found = numeric_routes(0.5, rules, np.array([1.0, 2.0, 3.0]), 5.0)
    assert [r.cost for r in found] == [0, 1, 2, 3]
    assert all(m.rule is rules[0] for r in found for m in r.moves)


def test_categories_are_chained():
    rules = [tv.Rule("c", 1, pre={"a"}, becomes="b"), tv.Rule("c", 1, pre={"b"}, becomes="c")]
    assert [(r.cost, len(r.moves)) for r in categorical_routes("a", rules, 2.0)] == [(0, 0), (1, 1), (2, 2)]
    assert len(categorical_routes("a", rules, 1.0)) == 2


def test_combinations_stay_within_the_limit():
    routes = [[Route(0.0, ()), Route(2.0, ())], [Route(0.0, ()), Route(2.0, ())]]
    assert [r.cost for r in attacks(routes, 3.0)] == [0, 2, 2]


def test_a_value_worth_having_only_for_the_next_rule_is_found():
    """From 0 the first rule may stop anywhere in [0, 4]; only in [2, 3] does the second one take over."""
    tree = tv.Node(0, 11.5, tv.Leaf(0.0), tv.Leaf(1.0))
    rules = [tv.Rule(0, 1, pre=(0, 10), delta=(0, 4)), tv.Rule(0, 1, pre=(2, 3), delta=(10, 10))]
    result = attack(tree, [[0.0]], [0], tv.Attacker(rules, 2), method="exhaustive")
    assert result.scores.tolist() == [1.0]
    assert [m.rule for m in result.moves[0]] == rules


def test_it_refuses_to_go_on_for_ever():
    endless = tv.Attacker([tv.Rule(0, 1, delta=(0, 1))], np.inf)
    with pytest.raises(ValueError, match="'exhaustive' needs a finite budget"):
        attack(tv.Node(0, 1.0, tv.Leaf(0.0), tv.Leaf(1.0)), [[0.0]], [0], endless, method="exhaustive")

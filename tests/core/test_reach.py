"""What the attacker can reach and at what least cost: worked examples, and brute force on whole numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from tests import oracles
from tests.strategies import COLOURS, category_rules, number_rules, problems, to_rule
from treant_viz import Attacker, Rule
from treant_viz.core.attacker.on_table import AttackerOnTable, Swapped
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import LOG
from treant_viz.core.partition import Stump, robust_split
from treant_viz.core.tree import to_text
from treant_viz.estimators.fitting import make_table

INF = math.inf

# Worked examples


def test_a_chain_over_another_rules_precondition():
    """Section 7 of the design: 0 -> 2 -> 12 is missed if only a rule's own ends count as cut points."""
    A = Attacker([Rule("f", 1, pre=(0, 10), delta=(0, 4)), Rule("f", 1, pre=(2, 3), delta=(10, 10))], 2)
    assert A.reachable("f", 0) == ((0, 8), (12, 13))
    assert A.reachable("f", 0, budget=1) == ((0, 4),)
    assert A.cost_above("f", [0], 4) == [2]
    assert A.cost_above("f", [0], 11.5) == [2]
    assert A.cost_above("f", [0], 13) == [INF]
    assert A.cost_above("f", [2, 3.5], 11.5).tolist() == [1, INF]


def test_single_shifts_do_not_open_what_lies_between():
    A = Attacker([Rule("f", 1, pre=(0, 10), delta=(4, 4)), Rule("f", 1, pre=(2, 3), delta=(10, 10))], 2)
    assert A.reachable("f", 0) == ((0, 0), (4, 4), (8, 8))
    assert A.cost_above("f", [0], 8) == [INF]


def test_an_interval_of_shifts_is_more_than_its_ends():
    A = Attacker([Rule("f", 1, delta=(-2, 3))], 1)
    assert A.reachable("f", 10) == ((8, 13),)
    assert A.cost_below("f", [10, 11, 8], 9).tolist() == [1, 1, 0]
    forced = Attacker([Rule("f", 1, delta=(2, 3))], 1)
    assert forced.reachable("f", 10) == ((10, 10), (12, 13))


def test_several_rules_on_a_feature_cheapest_first():
    A = Attacker([Rule("f", 2, delta=(0, 3)), Rule("f", 1, delta=(0, 1)), Rule("g", 1, delta=(0, 100))], 5)
    assert [A.cost_above("f", [0], v)[0] for v in (0, 1, 2, 3, 5, 6, 7)] == [1, 2, 2, 3, 4, 5, INF]
    assert A.features == ("f", "g")
    assert len(A.rules_on("f")) == 2


def test_preconditions_are_closed_at_both_ends():
    A = Attacker([Rule("f", 1, pre=(2, 3), delta=(10, 10))], 1)
    assert A.cost_above("f", [1.999, 2, 3, 3.001], 5).tolist() == [INF, 1, 1, INF]


def test_a_threshold_itself_is_below():
    A = Attacker([Rule("f", 1, delta=(-1, 1))], 1)
    assert A.cost_below("f", [5, 6, 6.001], 5).tolist() == [0, 1, INF]
    assert A.cost_above("f", [5, 4, 4.001], 5).tolist() == [1, INF, 1]


def test_infinite_ends():
    down = Attacker([Rule("f", 1, pre=(-INF, 4), delta=(-INF, 0))], 1)
    assert down.reachable("f", 3) == ((-INF, 3),)
    assert down.reachable("f", 5) == ((5, 5),)
    assert down.cost_below("f", [3, 5], -1e300).tolist() == [1, INF]
    anywhere = Attacker([Rule("f", 2, delta=(-INF, INF))], 2)
    assert anywhere.reachable("f", 0) == ((-INF, INF),)
    assert anywhere.cost_above("f", [0], 1e12).tolist() == [2]
    beyond = Attacker([Rule("f", 1, pre=(7, INF), delta=(2, INF))], 1)
    assert beyond.reachable("f", 7) == ((7, 7), (9, INF))
    assert str(beyond.rules[0]) == "[7, inf) -f->_1 [2, inf)"


# Budgets


def test_cost_equal_to_the_budget_is_affordable():
    A = Attacker([Rule("f", 3, delta=(0, 1)), Rule("c", 3, becomes="x")], 3)
    assert A.cost_above("f", [0], 0).tolist() == [3]
    assert A.cost_equal("c", ["y"], "x").tolist() == [3]
    less = A.with_budget(math.nextafter(3, 0) * (1 - 1e-6))
    assert less.cost_above("f", [0], 0).tolist() == [INF]
    assert less.cost_equal("c", ["y"], "x").tolist() == [INF]


@pytest.mark.parametrize("n", [3, 6, 7, 9, 11])
def test_float_costs_hit_a_budget_exactly(n):
    """0.1 + 0.1 + 0.1 is more than 0.3 in floats; it is within the budget all the same."""
    budget = float(f"0.{n}") if n < 10 else n / 10
    A = Attacker([Rule("f", 0.1, delta=(0, 1)), Rule("c", 0.1, pre={0}, becomes=1)], budget)
    assert A.reachable("f", 0) == ((0, n),)
    assert A.cost_above("f", [0], n - 1) == pytest.approx([n / 10])
    assert A.cost_above("f", [0], n) == [INF]
    assert A.with_budget(budget - 0.01).reachable("f", 0) == ((0, n - 1),)


def test_float_costs_over_two_features_hit_a_budget_exactly():
    """a > 0 costs 0.1 and then b > 0 costs 0.2: in floats more than 0.3 together, yet within the budget."""
    A = Attacker([Rule("a", 0.1, delta=(0, 1)), Rule("b", 0.2, delta=(0, 1))], 0.3)
    table = make_table(pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 1.0]}), A)
    D, bound = Data.root(Sample(table, np.zeros(2), True)), AttackerOnTable(A, table)
    right = robust_split(D, bound, Stump(0, 0, y_l=0.0, y_r=1.0, loss=0.0), LOG).D_r
    assert right.costs(bound, 1, 0).right == pytest.approx([0.3, 0])


def test_no_budget_no_move():
    A = Attacker([Rule("f", 1, delta=(-5, 5)), Rule("c", 1, becomes="x")], 0)
    assert A.reachable("f", 3) == ((3, 3),)
    assert A.reachable("c", "y") == {"y"}


def test_an_infinite_budget_pays_for_any_number_of_steps():
    A = Attacker([Rule("f", 1, delta=(-1, 1))], INF)
    assert A.cost_above("f", [0, 5], 10).tolist() == [11, 6]
    assert A.cost_below("f", [0], -3).tolist() == [3]
    bounded = Attacker([Rule("f", 1, pre=(0, 5), delta=(0, 1))], INF)
    assert bounded.reachable("f", 0) == ((0, 6),)
    assert bounded.cost_above("f", [0], 6).tolist() == [INF]


def test_an_infinite_budget_without_bounds_is_refused_with_a_reason(monkeypatch):
    monkeypatch.setattr("treant_viz.core.attacker.reach.MAX_LEVELS", 300)  # 10,000 take seconds
    A = Attacker([Rule("f", 1, delta=(-1, 1))], INF)
    with pytest.raises(ValueError, match=r"'f' open new values at more than 300 .*smaller budget"):
        A.reachable("f", 0)


def test_an_infinite_budget_does_not_make_the_impossible_possible():
    A = Attacker([Rule("c", 1, pre={"a"}, becomes="b")], INF)
    assert A.reachable("c", "a") == {"a", "b"}
    assert A.reachable("c", "b") == {"b"}
    assert A.cost_equal("c", ["a", "b", "c"], "c").tolist() == [INF, INF, 0]
    X, y = pd.DataFrame({"c": ["a", "b", "c", "c"]}), np.array([0, 0, 1, 1])
    m = tv.TreantClassifier(A, min_samples_split=2).fit(X, y)
    assert m.predict_proba(X)[:, 1].tolist() == [0, 0, 1, 1]


def test_an_infinite_budget_makes_an_attacked_feature_useless():
    A = Attacker([Rule("f", 1, delta=(-1, 1))], INF)
    X, y = pd.DataFrame({"f": [0.0, 1, 2, 30], "g": [0.0, 0, 1, 1]}), np.array([0, 0, 1, 1])
    free = tv.TreantClassifier(A, min_samples_split=2).fit(X, y)
    assert free.predict_proba(X)[:, 1].tolist() == [0, 0, 1, 1]
    assert free.tree_.feature == "g"
    stuck = tv.TreantClassifier(A, min_samples_split=2).fit(X[["f"]], y)
    assert isinstance(stuck.tree_, tv.Leaf)


# Categories


def test_chains_of_categories():
    A = Attacker(
        [
            Rule("c", 1, pre={"a"}, becomes="b"),
            Rule("c", 2, pre={"b"}, becomes="d"),
            Rule("c", 4, becomes="d"),
        ],
        4,
    )
    assert A.cost_equal("c", ["a", "b", "d", "z"], "d").tolist() == [3, 2, 0, 4]
    assert A.cost_unequal("c", ["a", "b", "d", "z"], "b").tolist() == [0, 2, 0, 0]
    assert A.cost_unequal("c", ["d"], "d").tolist() == [INF]
    assert A.reachable("c", "a") == {"a", "b", "d"}
    assert A.reachable("c", "a", budget=2) == {"a", "b"}
    assert A.reachable("untouched", "a") == {"a"}
    assert A.reachable("untouched", 3) == ((3, 3),)


# Brute force

FEWER = settings(max_examples=settings().max_examples * 2 // 5)
whole = st.integers(-2, 6)
budgets = st.integers(0, 6)


def least(costs):
    return min(costs, default=INF)


@FEWER
@given(
    st.lists(number_rules(0), min_size=1, max_size=4),
    budgets,
    st.lists(whole, min_size=1, max_size=5),
    st.data(),
)
def test_numeric_costs_equal_brute_force(rules, budget, x, data):
    v = data.draw(st.integers(-16, 24)) / 2
    A = Attacker([to_rule(r) for r in rules], budget)
    reached = [oracles.attacks((value,), rules, budget) for value in x]
    assert A.cost_below("f0", x, v).tolist() == [least(c for (z,), c in r.items() if z <= v) for r in reached]
    assert A.cost_above("f0", x, v).tolist() == [least(c for (z,), c in r.items() if z > v) for r in reached]


@FEWER
@given(st.lists(number_rules(0), min_size=1, max_size=4), budgets, whole)
def test_reachable_intervals_hold_the_whole_numbers_of_brute_force(rules, budget, x):
    found = Attacker([to_rule(r) for r in rules], budget).reachable("f0", x)
    numbers = {z for z in range(-oracles.WALL, oracles.WALL + 1) if any(a <= z <= b for a, b in found)}
    assert numbers == {z for (z,) in oracles.attacks((x,), rules, budget)}
    assert all(a <= b for a, b in found)
    assert all(b < c for (_, b), (c, _) in pairwise(found)), "in order, and apart"
    assert all(float(end).is_integer() for piece in found for end in piece)


@FEWER
@given(
    st.lists(number_rules(0), min_size=1, max_size=3),
    budgets,
    st.lists(whole, min_size=1, max_size=4),
    st.data(),
)
def test_costs_in_tenths_are_a_tenth_of_whole_costs(rules, budget, x, data):
    """Sums of floats are rounded, decisions are not: 0.1 * 3 is within 0.3."""
    v = data.draw(st.integers(-8, 12))
    tenths = [(kind, f, cost / 10, *rest) for kind, f, cost, *rest in rules]
    A, T = Attacker([to_rule(r) for r in rules], budget), Attacker([to_rule(r) for r in tenths], budget / 10)
    assert T.cost_below("f0", x, v) == pytest.approx(A.cost_below("f0", x, v) / 10)
    assert T.cost_above("f0", x, v) == pytest.approx(A.cost_above("f0", x, v) / 10)
    assert T.reachable("f0", x[0]) == A.reachable("f0", x[0])


@FEWER
@given(problems(binary=True))
def test_trees_do_not_mind_the_unit_of_costs(p):
    """Costs that add up over features: 0.1 + 0.2 is within 0.3."""
    tenths = Attacker(
        [to_rule((kind, f, cost / 10, *rest)) for kind, f, cost, *rest in p.rules], p.budget / 10
    )
    whole, parts = (
        tv.TreantClassifier(A, min_samples_split=2).fit(p.frame, p.y) for A in (p.attacker, tenths)
    )
    assert to_text(parts.tree_) == to_text(whole.tree_)


colours = st.sampled_from(COLOURS)


@FEWER
@given(st.lists(category_rules(0), min_size=1, max_size=5), budgets, st.lists(colours, min_size=1), colours)
def test_categorical_costs_equal_brute_force(rules, budget, x, v):
    A = Attacker([to_rule(r) for r in rules], budget)
    reached = [oracles.attacks((value,), rules, budget) for value in x]
    assert A.cost_equal("f0", x, v).tolist() == [r.get((v,), INF) for r in reached]
    assert A.cost_unequal("f0", x, v).tolist() == [
        least(c for (z,), c in r.items() if z != v) for r in reached
    ]
    assert A.reachable("f0", x[0]) == {z for (z,) in reached[0]}


@FEWER
@given(st.lists(number_rules(0), min_size=1, max_size=3), st.lists(whole, min_size=1, max_size=3), st.data())
def test_an_infinite_budget_equals_a_large_one(rules, x, data):
    v = data.draw(st.integers(-8, 12))
    A = Attacker([to_rule(r) for r in rules], INF)
    rich = A.with_budget(1000)
    assert A.cost_below("f0", x, v).tolist() == rich.cost_below("f0", x, v).tolist()
    assert A.cost_above("f0", x, v).tolist() == rich.cost_above("f0", x, v).tolist()


def test_inside_a_box_of_categories_what_it_took_to_get_there_is_not_paid_twice():
    """red -> blue -> green at 1 each; red was brought into the box {blue, green} for 1, and has 1 left."""
    cost = np.array([[0.0, 1.0, 2.0], [np.inf, 0.0, 1.0], [np.inf, np.inf, 0.0]])
    box = Swapped(cost, np.ones(3, dtype=bool)).narrowed(0, left=False)
    spent_nothing, spent_1 = box.reached(np.array([2.0, 1.0]))
    assert spent_1.tolist() == [[False, True, True], [False, True, True], [False, False, True]]
    assert box.reached(np.array([0.0]))[0, 0].tolist() == [False, True, False]
    assert spent_nothing[0].tolist() == [False, True, True]

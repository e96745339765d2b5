"""Ways through a tree: costs, worst leaves, moves and invariance are those of brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import treant_viz as tv
from tests import oracles
from tests.strategies import COLOURS, problems, to_oracle
from treant_viz.core.tree import Leaf, Node, leaves, replaced
from treant_viz.viz.attack_path.display import AttackPathDisplay
from treant_viz.viz.attack_path.facts import invariance, replaced_leaf, ways


@st.composite
def trees(draw, kinds, depth=3):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return Leaf(float(draw(st.integers(0, 4))) / 4)
    f = draw(st.integers(0, len(kinds) - 1))
    v = draw(st.sampled_from(COLOURS)) if kinds[f] == "cat" else float(draw(st.integers(-1, 5)))
    return Node(f"f{f}", v, draw(trees(kinds, depth - 1)), draw(trees(kinds, depth - 1)))


@settings(max_examples=60, deadline=None)
@given(st.data(), problems())
def test_reach_costs_and_worst_leaves_are_those_of_brute_force(data, problem):
    tree = data.draw(trees(problem.kinds))
    x, y = problem.X[0], problem.y[0]
    found = ways(tree, problem.frame.iloc[[0]], y, problem.attacker)
    cheapest: dict[str, float] = {}
    for z, cost in oracles.attacks(x, problem.rules, problem.budget).items():
        path, _ = oracles.land(to_oracle(tree), z)
        cheapest[path] = min(cost, cheapest.get(path, math.inf))
    assert {path: a.cost for path, a in found.attacks.items()} == pytest.approx(cheapest)
    top, worst = oracles.worst(to_oracle(tree), x, y, problem.rules, problem.budget, "sse")
    assert found.worst == worst == tv.worst_leaves(tree, problem.frame.iloc[[0]], y, problem.attacker)
    assert found.losses[found.best] == pytest.approx(top)
    assert found.home == oracles.land(to_oracle(tree), x)[0]


@settings(max_examples=60, deadline=None)
@given(st.data(), problems())
def test_every_move_obeys_its_rule_and_leads_into_the_leaf(data, problem):
    tree = data.draw(trees(problem.kinds))
    found = ways(tree, problem.frame.iloc[[0]], problem.y[0], problem.attacker)
    for leaf, attack in found.attacks.items():
        z = list(problem.X[0])
        for move, stop in zip(attack.moves, attack.stops[1:], strict=True):
            assert z[move.column] == move.before
            assert any(_applies(rule, move) for rule in problem.rules if rule[1] == move.column)
            z[move.column] = move.after
            assert oracles.land(to_oracle(tree), tuple(z))[0] == stop
        assert attack.stops[-1] == leaf
        assert (
            sum(m.cost for m in attack.moves) == pytest.approx(attack.cost) and attack.cost <= problem.budget
        )
        paid = [m for moves in found.coins(attack).values() for m in moves]
        assert sorted(paid, key=str) == sorted(attack.moves, key=str)


def _applies(rule, move) -> bool:
    if rule[0] == "cat":
        return (rule[3] is None or move.before in rule[3]) and move.after == rule[4] and move.cost == rule[2]
    _, _, cost, a, b, dl, du = rule
    inside = a - 1e-9 <= move.before <= b + 1e-9 and dl - 1e-9 <= move.after - move.before <= du + 1e-9
    return inside and move.cost == cost


def test_two_tests_on_one_feature_are_entered_as_a_box_not_test_by_test():
    tree = Node("p", 1.0, Leaf(0.0), Node("p", 3.0, Leaf(1.0), Leaf(2.0)))
    A = tv.Attacker([tv.Rule("p", cost=1, delta=(5, 5))], 1)
    found = ways(tree, {"p": 0.0}, 0, A)
    assert set(found.attacks) == {"l", "rr"}  # a step of 5 jumps over (1, 3]


@pytest.mark.parametrize("loss", ["sse", "log"])
def test_the_attack_that_is_played_is_the_one_of_tv_attack(loss):
    wine = tv.load_wine()
    model = DecisionTreeClassifier(max_depth=6, random_state=0, min_samples_leaf=5).fit(
        wine.X_train, wine.y_train
    )
    X, y = wine.X_test[:20], np.asarray(wine.y_test[:20])
    result = tv.attack(model, X, y, wine.attacker, loss)
    for i in range(len(X)):
        d = AttackPathDisplay.from_model(model, X.iloc[i], y[i], wine.attacker, loss=loss)
        s = d.scenes[0]
        assert s.attack.cost == pytest.approx(result.costs[i])
        assert s.ways.losses[s.attack.leaf] == pytest.approx(result.losses[i])
        assert s.ways.losses[s.ways.home] == pytest.approx(result.clean_losses[i])
        assert sum(m.cost for m in s.attack.moves) == pytest.approx(sum(r.rule.cost for r in result.moves[i]))


@settings(max_examples=40, deadline=None)
@given(st.data(), problems(binary=False))
def test_invariance_follows_the_definition(data, problem):
    tree = data.draw(trees(problem.kinds, 2))
    leaf = data.draw(st.sampled_from([path for path, _ in leaves(tree)]))
    v = "red" if problem.kinds[0] == "cat" else 2.0
    after = replaced(tree, leaf, Node("f0", v, *(Leaf(data.draw(st.integers(-2, 3))) for _ in range(2))))
    x, y = problem.frame.iloc[[0]], problem.y[0]
    one, two = (ways(t, x, y, problem.attacker) for t in (tree, after))
    assert replaced_leaf(tree, after) == leaf
    _, old = oracles.worst(to_oracle(tree), problem.X[0], y, problem.rules, problem.budget, "sse")
    _, new = oracles.worst(to_oracle(after), problem.X[0], y, problem.rules, problem.budget, "sse")
    meets = bool(new & {leaf + "l", leaf + "r"})
    if old == {leaf}:
        assert invariance(one, two, leaf) == ("kept" if meets else "broken")
    assert (invariance(one, two, leaf) == "kept") == meets

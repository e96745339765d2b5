"""The moves that lead into a cell: chained rules, rounded costs, the nearest end, 32-bit columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import treant_viz as tv
from tests.attacks.problems import (
    STUMP,
    row,
    shifts,
    step,
)
from treant_viz.attacks.attack import attack
from treant_viz.attacks.leaf_attacks import LeafAttacks
from treant_viz.attacks.moves import _before, fitting


def test_three_times_a_tenth_is_within_three_tenths():
    A = tv.Attacker([tv.Rule(0, 0.1, delta=(0, 1))], 0.3)
    result = attack(STUMP, [[-1.9]], [0], A)
    assert result.scores.tolist() == [1.0]
    assert [s.amount for s in result.moves[0]] == pytest.approx([1, 1, 1], abs=0.11)


def test_rules_chain_through_each_others_preconditions():
    A = tv.Attacker([tv.Rule(0, 1, pre=(0, 10), delta=(4, 4)), tv.Rule(0, 1, pre=(2, 3), delta=(10, 10))], 2)
    tree = tv.Node(0, 11.5, tv.Leaf(0.0), tv.Leaf(1.0))
    assert attack(tree, [[0.0]], [0], A).scores[0] == 0.0
    wide = tv.Attacker(
        [tv.Rule(0, 1, pre=(0, 10), delta=(0, 4)), tv.Rule(0, 1, pre=(2, 3), delta=(10, 10))], 2
    )
    result = attack(tree, [[0.0]], [0], wide)
    assert result.scores[0] == 1.0
    assert [s.rule for s in result.moves[0]] == list(wide.rules)
    assert attack(tree, [[0.0]], [0], wide, method="exhaustive").scores[0] == 1.0


def test_what_a_rule_used_once_starts_from_was_reached_without_it():
    """4 is 2 + 2, and either rule could come last, were the first one not used up by then."""
    rules = [tv.Rule("f0", 1, delta=(2, 2), once=True), tv.Rule("f0", 1, pre=(2, 2), delta=(2, 2))]
    result = attack(step(0, 1.0, at=3.0), row(0), [0.0], tv.Attacker(rules, 2))
    assert [m.rule for m in result.moves[0]] == rules
    assert result.X_adv["f0"].tolist() == [4.0]


def test_an_attack_goes_no_further_than_it_must():
    """Behind the threshold 1 are two cells that no leaf within reach tells apart: the nearer one is taken."""
    hidden = tv.Node("f1", 0.0, step(0, 5.0, at=-3.0), tv.Leaf(0.0))
    trees = [tv.Node("f0", 1.0, tv.Leaf(1.0), tv.Leaf(0.0)), hidden]
    result = attack(trees, row(5, 9), [-1.0], tv.Attacker(shifts(1, by=20.0), 1))
    assert result.X_adv["f0"].tolist() == [1.0]


def test_of_two_ways_into_a_cell_the_nearer_end_is_taken():
    A = tv.Attacker([tv.Rule("f0", 1, delta=d) for d in ((8, 9), (4, 5))], 1)
    assert attack(step(0, 1.0, at=2.0), row(0), [0.0], A).X_adv["f0"].tolist() == [4.0]
    assert attack(step(0, -1.0, at=2.0), row(0), [0.0], A).X_adv["f0"].tolist() == [4.0]


def test_a_category_that_no_row_has_is_never_met():
    tree = tv.Node("c", "purple", tv.Leaf(1.0), tv.Leaf(0.0), "==")
    X = pd.DataFrame({"c": ["red", "green"]})
    result = attack(tree, X, [0.0, 0.0], tv.Attacker([tv.Rule("c", 1, pre={"red"}, becomes="green")], 1))
    assert result.losses.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(20))
def test_32_bits_stay_32_bits(seed):
    """Also where a rule only leads between two numbers of 32 bits; the model agrees with what is claimed."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4)).astype(np.float32)
    y, step = rng.integers(2, size=40), float(rng.choice([0.1, 0.3, 1e-3, 7.3]))
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    A = tv.Attacker([tv.Rule(0, 1, delta=(step, step)), tv.Rule(1, 1, delta=(-step, step))], 2)
    result = attack(model, X, y, A)
    assert result.X_adv.dtype == np.float32
    np.testing.assert_allclose(model.predict_proba(result.X_adv)[:, 1], result.scores, atol=1e-12)
    moved = np.abs(result.X_adv.astype(float) - X)
    assert (moved[:, 2] == 0).all()
    assert (moved[:, :2].sum(axis=1) <= 2 * step + 1e-6 * np.abs(X).max()).all()


def test_a_column_of_32_bits_holds_the_next_number_up_if_the_nearest_is_out_of_the_cell():
    up = float(np.nextafter(np.float32(0.1), np.float32(1)))
    low = np.float64(np.float32(0.1)) + 1e-9
    assert float(np.float32(low)) < low < up
    assert fitting(low, up, 0.0, np.dtype("float32")) == up


def test_the_value_before_a_shift_is_an_end_of_the_piece_or_a_round_number():
    assert _before(0.0, 10.0, -1.0, 3.3) == 0.0
    assert _before(0.0, 10.0, 2.6, 11.0) == 10.0
    assert _before(0.0, 10.0, 2.6, 3.7) == 3.0


def test_leaves_that_cost_three_tenths_are_within_three_tenths():
    tree = tv.Node("p", 2.5, tv.Leaf(0.0), tv.Leaf(1.0))
    A = tv.Attacker([tv.Rule("p", 0.1, delta=(0, 1))], 0.3)
    found = LeafAttacks(tree, pd.DataFrame({"p": [0.0]}), [0.0], A, "sse")
    assert found.cost.tolist() == [0.0, pytest.approx(0.3)]
    for budget, worst in ((0.3, 1), (0.1 + 0.1 + 0.1, 1), (0.29, 0)):
        assert found.best(budget).tolist() == [worst] and found.worst(budget).tolist() == [float(worst)]
        assert found.worst_leaves(0, budget) == ({"r"} if worst else {"l"})


def test_every_row_has_its_own_worst_attack():
    """Of leaves that hurt as much the cheapest; where none hurts more, the row stays."""
    tree = tv.Node("p", 0.5, tv.Leaf(1.0), tv.Node("p", 1.5, tv.Leaf(0.0), tv.Leaf(1.0)))
    A = tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 2)
    found = LeafAttacks(tree, pd.DataFrame({"p": [1.0, 1.5, 2.0]}), [0.0, 1.0, 0.0], A, "sse")
    best = found.best(2)
    assert found.row[best].tolist() == [0, 1, 2]
    assert found.leaf[best].tolist() == [0, 1, 2] and found.cost[best].tolist() == [1.0, 0.0, 0.0]
    assert found.worst(2).tolist() == [1.0, 1.0, 1.0]

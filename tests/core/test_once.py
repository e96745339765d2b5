"""Rules that may be used once, and distances made of them: brute force on whole numbers, files, words."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import treant_viz as tv
from tests import oracles
from treant_viz.core.attacker.reach import MAX_ONCE
from treant_viz.core.reference import grow
from treant_viz.core.tree import leaves

INF = math.inf


def random_rules(rng: np.random.Generator) -> tuple[list[tuple], set[int]]:
    """One to four rules on one feature with even ends, and the places of those that may be used once."""
    rules = []
    for _ in range(rng.integers(1, 5)):
        a, b = np.sort(2 * rng.integers(-3, 5, 2)).tolist()
        dl, du = np.sort(2 * rng.integers(-3, 4, 2)).tolist()
        a, b = (a if rng.random() < 0.5 else -INF), (b if rng.random() < 0.5 else INF)
        rules.append(("num", 0, int(rng.integers(1, 4)), a, b, dl, du))
    return rules, {i for i in range(len(rules)) if rng.random() < 0.6}


def to_attacker(rules, once, budget: float) -> tv.Attacker:
    made = [
        tv.Rule(f"f{f}", cost, pre=(a, b), delta=(dl, du), once=i in once)
        for i, (_, f, cost, a, b, dl, du) in enumerate(rules)
    ]
    return tv.Attacker(made, budget)


@pytest.mark.parametrize("seed", range(0, 300, 30))
def test_costs_equal_brute_force(seed):
    for s in range(seed, seed + 30):
        rng = np.random.default_rng(s)
        (rules, once), budget = random_rules(rng), int(rng.integers(1, 8))
        A, X = to_attacker(rules, once, budget), (2 * rng.integers(-3, 5, 2)).tolist()
        tried = [oracles.attacks_with_once((x,), rules, once, budget) for x in X]
        for v in 2 * rng.integers(-7, 8, 4):
            below = [min((c for (z,), c in t.items() if z <= v), default=INF) for t in tried]
            above = [min((c for (z,), c in t.items() if z > v), default=INF) for t in tried]
            assert A.cost_below("f0", X, v).tolist() == below, (s, X, v)
            assert A.cost_above("f0", X, v).tolist() == above, (s, X, v)


def test_a_rule_that_may_be_used_once_is_not_chained():
    A = tv.Attacker([tv.Rule("f", 1, delta=(-1, 1), once=True)], 5)
    assert A.reachable("f", 0) == ((-1, 1),)
    both = tv.Attacker([*A.rules, tv.Rule("f", 1, delta=(0, 3))], 3)
    assert both.reachable("f", 0) == ((-1, 9),)
    assert both.cost_above("f", [0], 7.5).tolist() == [3]
    twice = tv.Attacker([*A.rules, *A.rules], 5)
    assert twice.reachable("f", 0) == ((-2, 2),)


def test_of_categories_nothing_changes():
    """A chain that ends in a category twice is never the cheapest."""
    rules = [("a", "b", 1), ("b", "c", 1), ("a", "c", 3)]
    costs = [
        tv.Attacker([tv.Rule("f", c, pre=a, becomes=b, once=o) for a, b, c in rules], 9).cost_equal(
            "f", ["a", "b", "c"], "c"
        )
        for o in (False, True)
    ]
    assert costs[0].tolist() == costs[1].tolist() == [2, 1, 0]


def test_too_many_of_them_are_refused():
    A = tv.Attacker([tv.Rule("f", 1, delta=(0, i + 1), once=True) for i in range(MAX_ONCE + 1)], 3)
    with pytest.raises(ValueError, match=f"at most {MAX_ONCE} of them may be once=True, got {MAX_ONCE + 1}"):
        A.reachable("f", 0)


def test_files_say_so_and_only_then(tmp_path):
    plain, once = tv.Rule("f", 1, delta=(0, 1)), tv.Rule("f", 1, delta=(0, 1), once=True)
    A = tv.Attacker([plain, once], 3)
    A.to_json(tmp_path / "a.json")
    assert tv.Attacker.from_json(tmp_path / "a.json") == A
    rules = json.loads((tmp_path / "a.json").read_text())["rules"]
    assert ["once" in r for r in rules] == [False, True]
    assert plain != once
    assert str(once) == str(plain) + ", once"


def test_files_with_something_else_are_refused():
    doc = tv.Attacker([tv.Rule("f", 1, delta=(0, 1), once=True)], 3).to_dict()
    doc["rules"][0]["once"] = 1
    with pytest.raises(ValueError, match='"once" must be'):
        tv.Attacker.from_dict(doc)
    with pytest.raises(TypeError, match="once of the rule on 'f': expected True or False, got 'yes'"):
        tv.Rule("f", 1, delta=(0, 1), once="yes")


def test_the_paper_in_one_file_has_no_such_rules():
    A = tv.Attacker([tv.Rule(0, 1, delta=(0, 1), once=True)], 3)
    with pytest.raises(ValueError, match="the paper's rules"):
        grow([(0,), (1,)], [0, 1], A)


def test_models_trained_against_them_claim_their_loss_under_attack():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (60, 3)).astype(float)
    y = (X[:, 0] + X[:, 1] > 8).astype(float)
    A = tv.Attacker([tv.Rule(f, 1, delta=(-2, 2), once=True) for f in range(2)], 4)
    chained = tv.Attacker([tv.Rule(f, 1, delta=(-2, 2)) for f in range(2)], 4)
    m = tv.TreantRegressor(A, max_depth=4, min_samples_split=2).fit(X, y)
    claimed = sum(leaf.loss for _, leaf in leaves(m.tree_))
    assert claimed == pytest.approx(tv.loss_under_attack(m, X, y, A))
    assert tv.loss_under_attack(m, X, y, A) < tv.loss_under_attack(m, X, y, chained)


# distances


def test_presets_are_rules():
    assert str(tv.Attacker.linf({"p": 0.5, "q": 1}).rules[1]) == "(-inf, inf) -q->_1 [-1, 1], once"
    assert tv.Attacker.linf(0.5, ["p", "q"]).budget == 2
    assert tv.Attacker.l0(2, list("pqr")).budget == 2
    assert tv.Attacker.l1(2.0, ["p"], steps=8).reachable("p", 1.0) == ((-1, 3),)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: tv.Attacker.linf(0.5), TypeError, "features: expected the features"),
        (lambda: tv.Attacker.linf(0.5, "alcohol"), TypeError, "features: expected the features"),
        (lambda: tv.Attacker.linf({"p": 1}, ["p"]), ValueError, "features: eps names them already"),
        (
            lambda: tv.Attacker.linf({"p": -1}),
            ValueError,
            "eps of feature 'p': expected a finite number above 0",
        ),
        (lambda: tv.Attacker.linf(0, ["p"]), ValueError, "eps: expected a finite number above 0"),
        (
            lambda: tv.Attacker.l1(1, ["p"], steps=0),
            ValueError,
            "steps: expected a whole number of at least 1",
        ),
        (
            lambda: tv.Attacker.l1(1, ["p"], steps=2.5),
            ValueError,
            r"steps: expected a whole number of at least 1, got 2\.5",
        ),
        (
            lambda: tv.Attacker.l1(1, ["p"], steps=True),
            ValueError,
            "steps: expected a whole number of at least 1, got True",
        ),
        (lambda: tv.Attacker.l0(-1, ["p"]), ValueError, "budget: expected a number of at least 0"),
    ],
)
def test_what_they_cannot_be_made_of_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()

"""The search of boxes finds what all other searches find; bounds of groups of trees are bounds."""

from __future__ import annotations

import math

import pytest

import treant_viz as tv
from tests.attacks.forests import fitted, problems, random_problems, wide
from tests.attacks.problems import COLOURS, frame, step
from treant_viz.attacks import search
from treant_viz.attacks.attack import attack
from treant_viz.attacks.boxes import box_search
from treant_viz.attacks.leaf_groups import sides_of
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.search import Descent


@pytest.fixture
def always_boxes(monkeypatch):
    monkeypatch.setattr(search, "EASY", 0)
    monkeypatch.setattr(search, "DENSE", 0)


@pytest.mark.parametrize("bits", [2, 4, 12])
def test_boxes_find_what_the_descent_finds(bits, monkeypatch):
    """Within every budget, ties at the least cost included; groups of few leaves and of many."""
    monkeypatch.setattr("treant_viz.attacks.leaf_groups.BITS", bits)
    seen = 0
    for p, limit in random_problems(range(5000, 5040)):
        for share in (1.0, 0.5):
            boxes, descent = box_search(p, RowLimits()), Descent(p, share * limit, RowLimits())
            found, known = boxes.best(share * limit), descent.run()
            assert found.value == pytest.approx(known.value)
            assert found.cost == pytest.approx(known.cost)
            assert found.bound == pytest.approx(found.value)
            assert p.score(found.cells) == found.value
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("budget", [1, 2, 3, 4])
def test_boxes_agree_with_mixed_integer_programming(budget, always_boxes):
    forest, X, y = fitted(8, 4)
    A = wide(4).with_budget(budget)
    ours, theirs = (attack(forest, X[:6], y[:6], A, method=m) for m in ("exact", "milp"))
    assert ours.exact.all()
    assert ours.losses == pytest.approx(theirs.losses)


def test_boxes_agree_with_veritas():
    veritas = pytest.importorskip("veritas")
    from treant_viz.bench.boxes import box_optimum

    forest, X, y = fitted(30, 6)
    ours = attack(forest, X[:12], y[:12], wide(6))
    trees = veritas.get_addtree(forest, silent=True)
    for i in range(12):
        box = {f: (X[i, f] - 0.4, X[i, f] + 0.4) for f in range(6)}
        theirs = box_optimum(veritas, trees, X[i], box, least=bool(y[i])) / 30 + 0.5
        assert ours.scores[i] == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("budget", [2, 6])
def test_more_features_never_find_less_even_if_a_limit_strikes_at_once(budget):
    """The climb alone is as good as with fewer features, on every row."""
    forest, X, y = fitted(40, 8)
    losses = [
        attack(forest, X[:15], y[:15], wide(n).with_budget(budget), node_limit=1).losses.sum()
        for n in (2, 4, 6, 8)
    ]
    assert losses == sorted(losses)


@pytest.mark.parametrize("nodes", [0, 1, 4, 10])
def test_a_struck_search_of_boxes_has_honest_bounds(nodes, always_boxes):
    forest, X, y = fitted(30, 6)
    truth = attack(forest, X[:10], y[:10], wide(6))
    struck = attack(forest, X[:10], y[:10], wide(6), node_limit=nodes)
    assert truth.exact.all()
    assert (~struck.exact).any()
    assert (struck.lower <= truth.losses + 1e-9).all()
    assert (truth.losses <= struck.upper + 1e-9).all()
    assert struck.losses[struck.exact] == pytest.approx(truth.losses[struck.exact])


def test_leaves_that_are_no_boxes_are_left_to_the_descent(always_boxes):
    """Two categories go right, and between them in order is the one that goes left."""
    trees = [tv.Node("f0", c, tv.Leaf(v), tv.Leaf(-v)) for c, v in zip(COLOURS, (0.25, 1, -0.5, 2))]
    rules = [tv.Rule("f0", 1, becomes=c) for c in COLOURS] + [tv.Rule("f1", 1, delta=(-4, 4))]
    X, A = frame([("red", 4.0), ("grey", 2.0)], "cn"), tv.Attacker(rules, 2)
    trees += [step(1, 0.5, 5.0), step(1, -0.75, 3.0)]
    for y in (-1.0, 1.0):
        found = problems(trees, X, A, sign=-y)
        assert found
        assert all(sides_of(p) is box_search(p, RowLimits()) is None for p in found)
        exact, tried = (attack(trees, X, [y, y], A, method=m) for m in ("exact", "exhaustive"))
        assert exact.losses == pytest.approx(tried.losses)


def test_many_features_with_wide_reach_are_searched_to_the_end():
    """Eight features, all combinations of which are far too many, and as good as with any other start."""
    forest, X, y = fitted(50, 8)
    result = attack(forest, X[:5], y[:5], wide(8, 0.6))
    sizes = [math.prod(map(len, p.costs)) for p in problems(forest, X[:5], wide(8, 0.6))]
    assert max(sizes) > 1e8
    assert result.exact.all()

"""The search of boxes finds what all other searches find; bounds of groups of trees are bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import treant_viz as tv
from tests.attacks.problems import COLOURS, frame, small_forest, step, to_attacker
from treant_viz.attacks import search
from treant_viz.attacks.attack import attack
from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.boxes import box_search
from treant_viz.attacks.climb import Climb
from treant_viz.attacks.leaf_groups import LeafGroups, sides_of
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, row_problem
from treant_viz.attacks.search import Descent
from treant_viz.ensembles.common_form import common_form


def fitted(n_trees: int = 30, width: int = 6, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, width))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) / 2 > 0).astype(int)
    return RandomForestClassifier(n_trees, max_depth=6, random_state=seed).fit(X, y), X, y


def wide(n: int, eps: float = 0.4) -> tv.Attacker:
    return tv.Attacker.linf(eps, range(n))


def problems(model, X, A, sign: float = 1.0) -> list[RowProblem]:
    """Those of the rows that a greater (or a smaller) score gains from."""
    form = common_form(model, X, A)
    attacked = AttackedModel(form, X, A)
    batch = Batch(attacked, np.arange(len(X)), np.full(len(X), sign), attacked.limit)
    return [row_problem(batch, i, attacked.limit) for i in np.flatnonzero(batch.open)]


def random_problems(seeds):
    for seed in seeds:
        _, kinds, trees, rules, budget, rows = small_forest(seed)
        if "c" not in kinds:
            A = to_attacker(rules, budget)
            yield from ((p, A.limit) for p in problems(trees, frame(rows, kinds), A))


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


def test_every_bound_is_one_and_that_of_a_single_point_is_its_sum():
    for p, limit in itertools.islice(random_problems(range(5100, 5110)), 12):
        groups = LeafGroups(p, sides_of(p))
        root = groups.bound(groups.state(np.ones((1, len(p.value)), dtype=bool)))[0]
        best = np.maximum.reduceat(p.value, p.first).sum()
        masks = groups.below & groups.above
        sums = []
        for cells in itertools.product(*(range(len(c)) for c in p.costs)):
            if sum(c[k] for c, k in zip(p.costs, cells, strict=True)) > limit:
                continue  # some tree may have no leaf there
            state = np.bitwise_and.reduce(masks[groups.start + np.array(cells)], axis=0)
            sums.append(p.score(cells))
            assert groups.bound(state[None])[0] == pytest.approx(sums[-1])
        assert max(sums) - 1e-9 <= root <= best + 1e-9


def test_groups_bound_closer_than_single_trees():
    p = problems(fitted()[0], fitted()[1][:1], wide(6), sign=-1.0)[0]
    groups = LeafGroups(p, sides_of(p))
    root = groups.bound(groups.state(np.ones((1, len(p.value)), dtype=bool)))[0]
    assert root < np.maximum.reduceat(p.value, p.first).sum() - 0.1


@pytest.mark.parametrize("budget", [2, 6])
def test_more_features_never_find_less_even_if_a_limit_strikes_at_once(budget):
    """The climb alone is as good as with fewer features, on every row."""
    forest, X, y = fitted(40, 8)
    losses = [
        attack(forest, X[:15], y[:15], wide(n).with_budget(budget), node_limit=1).losses.sum()
        for n in (2, 4, 6, 8)
    ]
    assert losses == sorted(losses)


@pytest.mark.parametrize("budget", [2, 4, 6])
def test_the_climb_stays_within_the_budget_and_finds_most_of_what_there_is(budget):
    forest, X, _ = fitted()
    limit, gained, possible = budget * (1 + 1e-9), 0.0, 0.0
    for p in problems(forest, X[:10], wide(6).with_budget(budget)):
        boxes = box_search(p, RowLimits())
        start, best = Climb(p, boxes.groups, limit, RowLimits()).best(), boxes.best(limit)
        assert start.cost <= limit
        assert start.value == p.score(start.cells) <= best.value + 1e-9
        gained, possible = gained + start.value, possible + best.value
        unattacked = p.score(p.unattacked)
        gained, possible = gained - unattacked, possible - unattacked
    assert gained >= 0.95 * possible


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

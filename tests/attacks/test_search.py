"""The search on one row: every way through it finds the same, whatever the costs."""

from __future__ import annotations

import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.problems import (
    INF,
    NAMES,
    SEARCHES,
    check_rows,
    forest,
    frame,
    mean_of,
    row,
    shifts,
    small_forest,
    square,
    step,
    to_attacker,
    worst,
)
from treant_viz.attacks import search
from treant_viz.attacks.attack import attack
from treant_viz.attacks.batch import batch_of_one
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import row_problem
from treant_viz.attacks.search import Descent, Watcher
from treant_viz.ensembles.common_form import common_form


@pytest.mark.parametrize("way", ["forced_halves", "forced_descent", "forced_boxes"])
@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_search_agrees_with_brute_force(seed, way, request):
    request.getfixturevalue(way)
    R, kinds, trees, rules, budget, rows = small_forest(3000 + seed)
    y = R.rng.integers(-4, 5, size=4) / 4
    result = attack(trees, frame(rows, kinds), y, to_attacker(rules, budget))
    assert result.exact.all()
    check_rows(result, mean_of(trees), kinds, rows, y, rules, budget, square)


@pytest.mark.parametrize("scale", [1.0, 2.0**30, 2.0**-3])
def test_attacks_that_differ_by_rounding_are_equal_at_any_scale(scale):
    """0.1 + 0.2 is a little more than 0.3, but not worth twice the price."""
    trees = [step(0, 0.1 * scale), step(0, 0.2 * scale), step(1, 0.3 * scale)]
    result = attack(trees, row(0, 0), [-scale], tv.Attacker(shifts(2, 1), 2))
    assert result.costs.tolist() == [1.0]
    assert result.exact.all()
    assert result.scores[0] == pytest.approx(0.1 * scale)


@pytest.mark.parametrize("way", SEARCHES)
def test_rules_of_many_different_costs(way, monkeypatch):
    """Every feature in steps of its own price, so that hardly two attacks cost the same."""
    for name, value in SEARCHES[way].items():
        monkeypatch.setattr(f"treant_viz.attacks.{name}", value)
    prices = (1.0, 1.13, 1.29, 1.51)
    rules = [("num", f, c, -INF, INF, -2, 2) for f, c in enumerate(prices)]
    A = tv.Attacker(shifts(*prices), 4.5)
    for seed in range(5):
        trees, rng = forest(seed, 5)
        X, y = 2.0 * rng.integers(0, 6, (2, 4)), rng.integers(-2, 3, 2) / 2
        result = attack(trees, pd.DataFrame(X, columns=NAMES), y, A)
        for i in range(2):
            loss, cost = worst(trees, tuple(map(int, X[i])), y[i], rules, 4.5)
            assert (result.losses[i], result.costs[i]) == pytest.approx((loss, cost), abs=1e-9)


class Steps(Watcher):
    """A search on the first row of a table: how many points it settled at once, and what they promised."""

    def __init__(self, trees, X, A, **options) -> None:
        self.points, self.made, self.bounds = [], [], {}
        self.p = row_problem(batch_of_one(common_form(trees, X, A), X, A), 0, A.limit)
        Descent(self.p, A.limit, RowLimits(), watch=self, **options).run()

    def branched(self, parents, i, j, cost, bound):
        self.points.append(len(parents.cost))
        self.made.append(len(cost))
        self.bounds |= {(*parents.cells[a].tolist(), b): c for a, b, c in zip(i, j.tolist(), bound.tolist())}


def test_what_is_paid_for_one_feature_is_not_there_for_the_next():
    """Two steps of 1 cost 2 each, and the budget is 3: bought or not, the first one leaves a promise of 1."""
    seen = Steps([step(0, 1.0), step(1, 1.0)], row(0, 0), tv.Attacker(shifts(2, 2), 3), one_by_one=True)
    assert seen.bounds[0,] == seen.bounds[1,] == 1.0


def test_points_are_settled_one_by_one_or_as_many_at_once_as_a_block_holds(monkeypatch):
    (trees, _), X, A = forest(1, 4), row(4, 4, 6, 2), tv.Attacker(shifts(1, 1, 1, 1), 4)
    assert set(Steps(trees, X, A, one_by_one=True).points) == {1}
    monkeypatch.setattr(search, "TAIL", 1)
    monkeypatch.setattr(search, "BLOCK", 400)
    seen = Steps(trees, X, A)
    assert max(seen.points) > 1
    for points, made in zip(seen.points, seen.made, strict=True):
        assert points == 1 or made * len(seen.p.value) <= 400

"""Combinations of cells come cheapest first; all who search them find the best, and the cheapest of those."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import row, shifts, step
from tests.attacks.test_row_problem import A
from tests.attacks.test_row_problem import batch as small_batch
from treant_viz.attacks.batch import batch_of_one
from treant_viz.attacks.combinations import Halves, ListedCombinations, combine
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.milp import solve_milp
from treant_viz.attacks.row_problem import RowProblem, row_problem, whole_row_problem
from treant_viz.attacks.search import Descent, solve
from treant_viz.ensembles.common_form import common_form


def solved(p: RowProblem, how: str, limit: float):
    if how == "descent":
        return Descent(p, limit, RowLimits()).run()
    if how == "milp":
        return solve_milp(p, [limit], RowLimits())[0]
    if how == "solve":
        return solve(p, [limit], RowLimits())[0]
    return (ListedCombinations if how == "listed" else Halves)(p, limit).best([limit])[0]


@pytest.mark.parametrize("make", [row_problem, whole_row_problem])
@pytest.mark.parametrize("how", ["listed", "halves", "descent", "milp", "solve"])
@pytest.mark.parametrize(("limit", "value", "cost"), [(0, 8.0, 0), (1, 8.0, 0), (2, 11.0, 2), (3, 11.0, 2)])
def test_every_solver_finds_the_best_and_the_cheapest(make, how, limit, value, cost):
    """f0 gains 2 in one tree and loses 2 in another: only f1 is worth its price."""
    p = make(small_batch(), 0, A.limit)
    found = solved(p, how, limit)
    assert p.rest + found.value == pytest.approx(value)
    assert p.rest + found.bound == pytest.approx(value)
    assert how == "milp" or found.cost == cost


def test_combinations_come_cheapest_first_and_within_the_limit():
    points = combine([np.array([0.0, 2.0]), np.array([0.0, 1.0, 5.0])], 3.0)
    assert points.cost.tolist() == [0, 1, 2, 3]
    assert points.cells.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_too_many_combinations_are_not_listed(monkeypatch):
    monkeypatch.setattr("treant_viz.attacks.combinations.MANY", 5)
    assert combine([np.zeros(2), np.zeros(3)], 1.0) is None


def test_the_features_are_cut_into_halves_of_about_as_many_combinations():
    """Listed are 10 and 9 for all 90, so that the points of a problem are seldom too many."""
    X, attacker = row(0, 0, 0), tv.Attacker(shifts(1, 1, 1, by=20), 3)
    trees = [step(f, 1.0, at) for f, cuts in enumerate((9, 2, 2)) for at in range(1, cuts + 1)]
    p = row_problem(batch_of_one(common_form(trees, X, attacker), X, attacker), 0, attacker.limit)
    assert [len(c) for c in p.costs] == [10, 3, 3]
    points = Halves(p, attacker.limit)
    assert sorted((len(points.a.cost), len(points.b.cost))) == [9, 10]
    assert points.count == 90

"""What is left to decide on one row, worked out by hand on three small trees; and its points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import row, shifts, step
from treant_viz.attacks.batch import AttackedModel, Batch, batch_of_one
from treant_viz.attacks.combinations import Halves, Listed, combine
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.milp import solve_milp
from treant_viz.attacks.row_problem import RowProblem, row_problem, whole_row_problem
from treant_viz.attacks.search import Descent, solve
from treant_viz.ensembles.common_form import common_form

TREES = [step(0, 2.0), step(1, 3.0), step(2, 7.0), tv.Node("f0", 1.0, tv.Leaf(1.0), tv.Leaf(-1.0))]
A = tv.Attacker(shifts(1, 2, 9), 3)


def batch() -> Batch:
    X = row(0, 0, 5)
    model = AttackedModel(common_form(TREES, X, A), X, A)
    return Batch(model, np.zeros(1, dtype=np.int64), np.ones(1), model.limit)


def test_trees_out_of_reach_only_add_their_rest():
    p = row_problem(batch(), 0, A.limit)
    assert p.rest == 7.0  # the third tree, whose feature costs too much
    assert p.value.tolist() == [0, 2, 0, 3, 1, -1]
    assert p.first.tolist() == [0, 2, 4]
    assert [c.tolist() for c in p.costs] == [[0, 1], [0, 2]]
    assert p.unattacked == (0, 0)


def test_cells_that_no_leaf_tells_apart_count_as_one():
    """A fifth tree cuts f0 far away, where no affordable attack gets."""
    X = row(0, 0, 5)
    far = tv.Node("f1", -50.0, tv.Node("f0", 1.5, tv.Leaf(4.0), tv.Leaf(5.0)), tv.Leaf(0.0))
    model = AttackedModel(common_form([*TREES, far], X, A), X, A)
    p = row_problem(Batch(model, np.zeros(1, dtype=np.int64), np.ones(1), model.limit), 0, A.limit)
    assert len(model.grid.axes[0].cuts) == 2
    assert [len(c) for c in p.costs] == [2, 2]
    assert p.cells((1, 0)).tolist() == [1, 1]  # the nearer of the two cells beyond the cut; f1 stays


def test_the_score_is_the_sum_of_the_leaves_chosen():
    p = row_problem(batch(), 0, A.limit)
    assert [p.score(c) for c in itertools.product(range(2), repeat=2)] == [1.0, 4.0, 1.0, 4.0]


def solved(p: RowProblem, how: str, limit: float):
    if how == "descent":
        return Descent(p, limit, RowLimits()).run()
    if how == "milp":
        return solve_milp(p, [limit], RowLimits())[0]
    if how == "solve":
        return solve(p, [limit], RowLimits())[0]
    return (Listed if how == "listed" else Halves)(p, limit).best([limit])[0]


@pytest.mark.parametrize("make", [row_problem, whole_row_problem])
@pytest.mark.parametrize("how", ["listed", "halves", "descent", "milp", "solve"])
@pytest.mark.parametrize(("limit", "value", "cost"), [(0, 8.0, 0), (1, 8.0, 0), (2, 11.0, 2), (3, 11.0, 2)])
def test_every_solver_finds_the_best_and_the_cheapest(make, how, limit, value, cost):
    """f0 gains 2 in one tree and loses 2 in another: only f1 is worth its price."""
    p = make(batch(), 0, A.limit)
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

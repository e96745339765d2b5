"""The cheapest attack beyond a border: of points near to it the model is asked, the cheapest first."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import row, shifts, step
from treant_viz.attacks.batch import batch_of_one
from treant_viz.attacks.cheapest import NEVER, CostDescent, Evasion, Goal, _growing, cheapest, pick
from treant_viz.attacks.combinations import Scored
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, row_problem
from treant_viz.ensembles.common_form import common_form


def points(*score_and_cost: tuple[float, float]) -> Scored:
    score, cost = np.array(score_and_cost, dtype=float).T
    return Scored(score, cost, lambda k: (k,))


def goal(near: float, sure: float, *passing: int) -> tuple[Goal, list[int]]:
    """A border that these of the points near to it pass; and a list of those that were asked about."""
    asked: list[int] = []

    def passes(choices, sums):
        asked.extend(cells[0] for cells in choices)
        return np.array([cells[0] in passing for cells in choices])

    return Goal(near, sure, passes), asked


def test_the_cheapest_of_those_near_the_border_that_pass_is_picked():
    border, asked = goal(1.0, 2.0, 1)
    assert pick(points((1, 1), (1, 2), (2, 3)), border, RowLimits()) == Evasion(2.0, 2.0, (1,))
    assert asked == [0, 1]


def test_of_equally_cheap_points_one_that_surely_passes_is_picked_and_nothing_is_asked():
    border, asked = goal(1.0, 2.0, 0)
    assert pick(points((1, 2), (2, 2), (3, 2)), border, RowLimits()) == Evasion(2.0, 2.0, (2,))
    assert asked == []


def test_where_none_passes_none_is_picked():
    border, asked = goal(1.0, 2.0)
    assert pick(points((0, 0), (1, 1), (1, 2)), border, RowLimits()) == NEVER
    assert asked == [1, 2]


def test_the_model_is_asked_of_one_point_then_of_ever_more_up_to_1024():
    parts = list(_growing(np.arange(3000)))
    assert [len(part) for part in parts] == [1, 4, 16, 64, 256, 1024, 1024, 611]
    assert np.concatenate(parts).tolist() == list(range(3000))


def problem() -> tuple[RowProblem, float]:
    """Three steps of 1, 2 and 4, at costs of 1, 2 and 3; the budget is 5."""
    X, A = row(0, 0, 0), tv.Attacker(shifts(1, 2, 3), 5)
    trees = [step(0, 1.0), step(1, 2.0), step(2, 4.0)]
    batch = batch_of_one(common_form(trees, X, A), X, A)
    return row_problem(batch, 0, A.limit), A.limit


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(
    ("border", "cost", "cells"),
    [
        (1, 1, (1, 0, 0)),
        (2, 2, (0, 1, 0)),
        (3, 3, (0, 0, 1)),
        (5, 4, (1, 0, 1)),
        (6, 5, (0, 1, 1)),
        (7, math.inf, None),
    ],
)
def test_the_least_that_takes_the_sum_to_a_border(border, cost, cells, dense, monkeypatch):
    """Of the two ways to spend 3 the one that goes farther; to get to 7 is beyond the budget."""
    monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", 1e9 if dense else 0)
    p, limit = problem()
    found = cheapest(p, limit, goal(border, border)[0], RowLimits())
    assert found == Evasion(cost, cost, cells)


def test_a_point_promises_the_least_cost_with_which_each_tree_alone_would_do():
    """A sum of 6 takes a leaf that costs 3; what is spent already comes on top."""
    p, limit = problem()
    search = CostDescent(p, limit, goal(6.0, 6.0)[0], RowLimits())
    everything = np.ones((3, len(p.value)), dtype=bool)
    assert search._promise(everything, 0, np.array([0.0, 1.0, 4.0])).tolist() == [-3.0, -4.0, -math.inf]

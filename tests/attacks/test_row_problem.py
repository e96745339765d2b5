"""What is left to decide on one row, worked out by hand on three small trees; and its points."""

from __future__ import annotations

import itertools

import numpy as np

import treant_viz as tv
from tests.attacks.problems import row, shifts, step
from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.row_problem import row_problem
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

"""Labels and losses: in which direction a score hurts."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.problems import (
    row,
    shifts,
)
from treant_viz.attacks.attack import attack
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.ensembles.common_form import common_form


@pytest.mark.parametrize(("y", "score"), [(0.0, 1.0), (-2.0, 1.0), (0.5, -1.0)])
def test_the_margin_of_a_label_0_is_attacked_upwards(y, score):
    tree = tv.Node("f0", -1.0, tv.Leaf(-1.0), tv.Node("f0", 1.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    result = attack(tree, row(0), [y], tv.Attacker(shifts(1), 1), "margin")
    assert result.scores.tolist() == [score]
    assert result.losses.tolist() == [1.0]


def directions(tree, y, loss=None):
    X = np.zeros((len(y), 1))
    up, down = LabelledRows(common_form(tree, X), X, y, loss).directions()
    return list(zip(up.tolist(), down.tolist()))


def test_a_squared_error_is_hurt_in_both_directions_unless_the_label_lies_outside():
    tree = tv.Node(0, 0.0, tv.Leaf(-1.0), tv.Leaf(1.0))
    assert directions(tree, [0.0, -1.0, 1.0, 5.0]) == [
        (True, True),
        (True, False),
        (False, True),
        (False, True),
    ]


def test_a_margin_is_hurt_in_one_direction_only():
    tree = tv.Node(0, 0.0, tv.Leaf(-1.0), tv.Leaf(1.0))
    assert directions(tree, [-1.0, 0.0, 1.0], "margin") == [(True, False), (True, False), (False, True)]


def test_log_loss_takes_probabilities_only():
    with pytest.raises(ValueError, match="scores are probabilities"):
        directions(tv.Leaf(1.5), [1.0], "log")
    assert directions(tv.Leaf(0.5), [1.0, 0.0], "log") == [(False, True), (True, False)]


def test_scores_lie_between_the_means_of_the_least_and_the_greatest_leaves():
    trees = [tv.Node(0, 0.0, tv.Leaf(-1.0), tv.Leaf(1.0)), tv.Node(0, 0.0, tv.Leaf(3.0), tv.Leaf(5.0))]
    X = np.zeros((1, 1))
    assert LabelledRows(common_form(trees, X), X, [0.0], None).range == (1.0, 3.0)

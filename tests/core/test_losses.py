"""Losses: sums, inverses and what a bound on the loss leaves, each against the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests import oracles
from treant_viz.core.losses import BINARY_SSE, LOG, SSE

LOSSES = pytest.mark.parametrize("loss", [SSE, BINARY_SSE, LOG], ids=["sse", "sse 0/1", "log"])
BINARY = pytest.mark.parametrize("loss", [BINARY_SSE, LOG], ids=["sse 0/1", "log"])
PREDICTIONS = (0.0, 0.25, 0.5, 0.75, 1.0)


@LOSSES
def test_a_rows_loss_is_that_of_the_definition(loss):
    for p, y in itertools.product(PREDICTIONS, (0.0, 1.0)):
        assert loss.ell(p, y) == pytest.approx(oracles.ell(loss.name, p, y))
    assert loss.ell(np.array(PREDICTIONS), 1.0) == pytest.approx(
        [oracles.ell(loss.name, p, 1) for p in PREDICTIONS]
    )


@BINARY
def test_a_leafs_loss_is_the_sum_of_its_rows(loss):
    masses = np.array([[3.0, 0.0], [0.0, 2.0], [2.0, 5.0], [0.0, 0.0]])
    for p in (0.25, 0.5, 0.75):
        rows = [n0 * oracles.ell(loss.name, p, 0) + n1 * oracles.ell(loss.name, p, 1) for n0, n1 in masses]
        assert loss.of_leaf(masses, p) == pytest.approx(rows)
    assert [loss.of_masses(2.0, 0.0, 0.0), loss.of_masses(0.0, 2.0, 1.0)] == [0.0, 0.0], (
        "a pure leaf costs nothing"
    )


@LOSSES
def test_the_worse_leaf_is_the_one_with_the_greater_loss(loss):
    labels = np.array([0.0, 1.0]) if loss.binary else np.array([-1.0, 0.0, 0.5, 1.0])
    for y_l, y_r in itertools.product(PREDICTIONS, repeat=2):
        hurt = [(oracles.ell(loss.name, y_l, y), oracles.ell(loss.name, y_r, y)) for y in labels]
        assert loss.worse_on_left(y_l, y_r, labels).tolist() == [int(a > b) - int(a < b) for a, b in hurt]


def test_leaves_that_differ_by_rounding_hurt_the_same():
    assert SSE.worse_on_left(0.1 + 0.2, 0.3, np.array([5.0])).tolist() == [0]
    assert SSE.worse_on_left(0.1, 0.1 + 1e-9, np.array([5.0])).tolist() == [1]


@LOSSES
@pytest.mark.parametrize("sense", ["<=", ">="])
def test_what_a_bound_on_the_loss_leaves_to_the_prediction(loss, sense):
    """Every point of a grid is in one of the pieces iff its loss keeps the bound."""
    points = np.linspace(0, 1, 41) if loss.binary else np.linspace(-3, 4, 57)
    for y, at in itertools.product((0.0, 1.0), PREDICTIONS):
        bound = oracles.ell(loss.name, at, y)
        pieces = loss.allowed(sense, y, at)
        for p in points:
            mine = oracles.ell(loss.name, p, y)
            keeps = mine <= bound + 1e-12 if sense == "<=" else mine >= bound - 1e-12
            assert any(a <= p <= b for a, b in pieces) == keeps, (y, at, p)


@LOSSES
@pytest.mark.parametrize("y", [0.0, 1.0])
def test_a_loss_has_a_prediction(loss, y):
    """`at` is the inverse of `ell`, on the side below y (for classes: on the other class's side)."""
    for gamma in (0.0, 0.01, 0.25, 0.64, 1.0):
        p = loss.at(gamma, y)
        assert loss.ell(p, y) == pytest.approx(gamma)
        assert p <= y if y == 1 or not loss.binary else p >= y
    far = loss.at(1e6, y)
    assert far == (y - 1000 if not loss.binary else 1 - y), "predictions stay between `low` and `high`"


@LOSSES
@pytest.mark.parametrize("gamma", [-1e-9, math.nan])
def test_a_loss_is_at_least_0(loss, gamma):
    with pytest.raises(ValueError, match="a loss is at least 0"):
        loss.at(gamma, 1.0)

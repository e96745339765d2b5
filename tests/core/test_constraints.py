"""Constraints: what they leave to a leaf, and which of them a split hands to which child."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, bounds, feasible_set, nearest, split_constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import BINARY_SSE, SSE
from treant_viz.core.partition import Stump, robust_split
from treant_viz.estimators.fitting import make_table

TOY = tv.load_toy()
gaps = st.lists(
    st.tuples(st.sampled_from(["<=", ">="]), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 1.5, 2.0])),
    max_size=3,
)


@given(gaps, st.floats(-5, 5))
def test_feasible_set_is_what_all_constraints_allow(gap, q):
    pieces = feasible_set([(s, float(y), y - r) for s, y, r in gap], SSE)
    near_an_end = any(abs(q - e) < 1e-9 for piece in pieces for e in piece)
    if not near_an_end:
        assert any(a <= q <= b for a, b in pieces) == all(
            abs(q - y) <= r if s == "<=" else abs(q - y) >= r for s, y, r in gap
        )


def test_the_nearest_feasible_point_lies_in_the_nearer_interval():
    two = ((-np.inf, -1.0), (2.0, np.inf))
    assert [nearest(two, p) for p in (-3.0, 0.0, 0.5, 1.0, 7.0)] == [-3.0, -1.0, -1.0, 2.0, 7.0]
    assert np.isnan(nearest((), 0.0)), "nothing is allowed"


def at_the_toys_root():
    """The root of the toy, where x2 (p = 1, label 0) can cross p <= 1 for the whole budget."""
    table = make_table(TOY.X, TOY.attacker)
    A = AttackerOnTable(TOY.attacker, table)
    D, C, stump = Data.root(Sample(table, TOY.y, False)), Constraints.none(), Stump(0, 2, -1.5, 1.6, 3.7)
    children = split_constraints(D, A, C, stump, robust_split(D, A, stump, SSE), SSE, "")
    return [c.records(D, A, SSE) for c in children]


def test_generation_one_of_either_sense_with_the_cost_of_its_own_side():
    """x2 is sent right: its loss is >= 2.25 there, reached for 1, and <= 2.25 on the left, for nothing."""
    (left,), (right,) = at_the_toys_root()
    assert (left.row, left.sense, left.gamma, left.at, left.spent) == (2, "<=", 2.25, -1.5, 0.0)
    assert (right.row, right.sense, right.gamma, right.at, right.spent) == (2, ">=", 2.25, -1.5, 1.0)


@pytest.mark.parametrize(
    ("row", "spent", "left", "right"),
    [
        (0, 0.0, [0.0], []),  # x0 has p = -7: far left
        (3, 0.0, [], [0.0]),  # x3 has p = 3: a step to 2 is not enough
        (2, 0.0, [0.0], [1.0]),  # x2 has p = 1: it can cross
        (2, 1.0, [1.0], []),  # but not if all was spent on the way
    ],
)
def test_propagation_to_the_children_that_the_row_can_reach(row, spent, left, right):
    table = make_table(TOY.X, TOY.attacker)
    A = AttackerOnTable(TOY.attacker, table)
    D = Data(Sample(table, TOY.y, False), np.array([0, 1, 3, 4]), np.zeros(4, dtype=np.int64))
    one = np.array([row]), np.array([True]), np.array([0.5]), A.ids(np.array([spent]))
    C, stump = Constraints.none().plus(*one, "l"), Stump(0, 2, -1.5, 2.0, 0.0)
    sides = split_constraints(D, A, C, stump, robust_split(D, A, stump, SSE), SSE, "lr")
    assert [[c.spent for c in side.records(D, A, SSE)] for side in sides] == [left, right]
    assert {c.origin for side in sides for c in side.records(D, A, SSE)} == {"l"}


def test_labels_01_leave_an_interval():
    """<= on a 1 and >= on a 0 ask for more, the others for less."""
    most, at = np.array([True, False, True, False]), np.array([0.25, 0.5, 0.75, 1.0])
    y, zeros = np.array([1.0, 0.0, 0.0, 1.0]), np.zeros(4, dtype=np.int64)
    C = Constraints(np.arange(4), most, at, zeros, zeros, ("",))
    assert bounds(C, y, BINARY_SSE) == (0.5, 0.75)
    assert bounds(Constraints.none(), y, BINARY_SSE) == (0.0, 1.0)

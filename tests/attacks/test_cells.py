"""The cells between a model's tests, and which of them each node lets in."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.attacks.cells import CellGrid
from treant_viz.ensembles.common_form import common_form

NUMBERS = tv.Node("a", 1.0, tv.Leaf(0.0), tv.Node("a", 4.0, tv.Leaf(1.0), tv.Leaf(2.0)))
COLOURS = tv.Node("c", "red", tv.Leaf(0.0), tv.Leaf(1.0))


def grid_of(tree, X: pd.DataFrame) -> CellGrid:
    form = common_form(tree, X)
    return CellGrid(form, form.matrix(X))


def test_a_threshold_belongs_to_the_cell_on_its_left():
    grid = grid_of(NUMBERS, pd.DataFrame({"a": [-3.0, 1.0, np.nextafter(1.0, 2), 4.0, 9.0]}))
    assert grid.cells[:, 0].tolist() == [0, 0, 1, 1, 2]


def test_a_cell_ends_where_the_next_one_begins():
    (axis,) = grid_of(NUMBERS, pd.DataFrame({"a": [0.0]})).axes
    assert axis.ends(0) == (-math.inf, 1.0)
    assert axis.ends(1) == (np.nextafter(1.0, math.inf), 4.0)
    assert axis.ends(2) == (np.nextafter(4.0, math.inf), math.inf)


def test_missing_values_have_the_last_cell():
    (axis,) = grid_of(NUMBERS, pd.DataFrame({"a": [0.0]})).axes
    assert axis.cells(np.array([math.nan, 0.0])).tolist() == [axis.size - 1, 0]


def test_the_cells_of_a_numeric_node_are_a_range():
    """In the order of the nodes: the root, its left leaf, the inner node, and its two leaves."""
    grid = grid_of(NUMBERS, pd.DataFrame({"a": [0.0]}))
    low, high = grid.ranges(0)
    assert list(zip(low.tolist(), high.tolist())) == [(0, 2), (0, 0), (1, 2), (1, 1), (2, 2)]


def test_the_cells_of_a_categorical_node_are_a_set():
    X = pd.DataFrame({"c": pd.Categorical(["red", "green"], ["red", "green", "blue"])})
    sets = grid_of(COLOURS, X).sets(0)
    assert sets[:, :3].tolist() == [[True, True, True], [True, False, False], [False, True, True]]


@pytest.mark.parametrize("tree", [NUMBERS, COLOURS])
def test_nodes_let_in_the_rows_that_get_there(tree):
    """Down the tree by `goes_left`, or straight by `inside`: the same leaf."""
    X = pd.DataFrame({"a": [0.0, 2.0, 5.0], "c": pd.Categorical(["red", "green", "red"])})
    grid = grid_of(tree, X)
    f = next(f for f in grid.nodes.feature if f >= 0)
    leaves = np.flatnonzero(grid.nodes.feature < 0)
    for cells in grid.cells:
        u = np.zeros(1, dtype=np.int64)
        while grid.nodes.feature[u[0]] >= 0:
            left = grid.goes_left(u, cells[[f]])
            u = np.where(left, grid.nodes.left[u], grid.nodes.right[u])
        assert leaves[grid.inside(f, leaves, int(cells[f]))].tolist() == u.tolist()

"""explore_constraints: Python and the hand set one state; what cannot be is refused."""

from __future__ import annotations

import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.hand import by_hand
from treant_viz.live import explore_constraints


@pytest.fixture
def ex(toy_model):
    return explore_constraints(toy_model)


def test_python_and_the_hand_set_one_state(ex):
    ex.off = [2]
    assert ex.display.title == "Without the constraints of x2 the loss under attack goes from 3 to 3.75"
    assert ex.off == (2,) and ex.widget.state["off"] == [0]
    by_hand(ex, off=[], path="", leaf="r", row=2)
    assert ex.state == {"path": "", "leaf": "r", "off": (), "row": 2}
    by_hand(ex, path=None, leaf="lr", off=[0])
    assert ex.state == {"path": None, "leaf": "lr", "off": (2,), "row": 2}


def test_another_tree_has_a_leaf_of_its_own(ex):
    ex.path = ""
    assert ex.leaf in ("l", "r") and ex.widget.state["leaf"] == ex.leaf
    ex.leaf = "l"
    ex.path = "r"
    assert ex.leaf == "l"  # it is there, too


def test_state_to_begin_with(toy_model):
    ex = explore_constraints(toy_model.trace_, path="", off=2, leaf="r", row=2)
    assert ex.widget.state == {"path": "", "leaf": "r", "off": [0], "row": 2}
    assert explore_constraints(toy_model, path=None).path is None


def test_one_split_alone_may_be_switched_off(twice):
    ex = explore_constraints(twice)
    row = next(r for r in ex.rows if sum(m[0] == r for m in ex.trees.made) > 1)
    mine = [m for m in ex.trees.made if m[0] == row]
    ex.off = [mine[0]]
    assert ex.off == (mine[0],) and ex.widget.state["off"] == [ex.trees.made.index(mine[0])]
    by_hand(ex, off=[ex.trees.made.index(m) for m in mine])
    assert ex.off == (row,)
    other = ex.display
    ex.off = mine[0]
    assert other.off != ex.display.off and "(from " in ex.display.off[0]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("path", "rl", r"path: expected None or a node that was split, of \['', 'l', 'r'\], got 'rl'"),
        ("path", 3, "path: .* got 3"),
        ("leaf", "r", r"leaf: expected a leaf of this tree, of \['l', 'rl', 'rr'\], got 'r'"),
        ("leaf", None, "leaf: .* got None"),
        ("off", [5], r"off: expected rows that have constraints, of \[2\], got \[5\]"),
        ("off", "x2", "off: .* got 'x2'"),
        ("off", None, "off: .* got None"),
        ("off", [True], r"off: .* got \[True\]"),
        ("off", [(2, "r")], r"off: .* got \[\(2, 'r'\)\]"),
        ("row", 5, r"row: expected None or a row that has constraints, of \[2\], got 5"),
        ("row", True, "row: .* got True"),
    ],
)
def test_bad_state_is_refused_and_the_last_good_one_stays(ex, name, value, said):
    state, told = ex.state, ex.widget.state
    with pytest.raises(TraitError, match=said):
        setattr(ex, name, value)
    assert ex.state == state and ex.widget.state == told


def test_what_the_browser_may_not_set_is_put_back(ex):
    state = ex.state
    for bad in ({"off": [9]}, {"off": "all"}, {"path": "rl"}, {"leaf": "r"}, {"row": "x2"}):
        by_hand(ex, **bad)
        assert ex.state == state and ex.widget.state["off"] == []


def test_other_things_than_trees_are_refused(toy_model):
    with pytest.raises(TypeError, match="got DataFrame"):
        explore_constraints(tv.load_toy().X)
    with pytest.raises(TypeError, match="'of' cannot be set"):
        explore_constraints(toy_model, of=(2,))

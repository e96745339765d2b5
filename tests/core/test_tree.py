"""Trees as values: paths, traversals, prediction, text and JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from tests import oracles
from tests.strategies import COLOURS, to_oracle
from treant_viz import Leaf, Node
from treant_viz.core.tree import (
    at,
    depth,
    from_dict,
    leaves,
    nodes,
    predict,
    replaced,
    to_dict,
    to_text,
    walk,
)

FEWER = settings(max_examples=settings().max_examples * 2 // 5)
TREE = Node("p", 1.0, Leaf(-1.5), Node("colour", "red", Node("p", -2.0, Leaf(0.0), Leaf(1.0)), Leaf(2.0)))


def test_paths():
    assert [path for path, _ in walk(TREE)] == ["", "l", "r", "rl", "rll", "rlr", "rr"]
    assert [path for path, _ in leaves(TREE)] == ["l", "rll", "rlr", "rr"]
    assert [(path, n.predicate) for path, n in nodes(TREE)] == [
        ("", "p <= 1"),
        ("r", "colour == red"),
        ("rl", "p <= -2"),
    ]
    assert all(at(TREE, path) is u for path, u in walk(TREE))
    assert depth(TREE) == 3
    assert depth(Leaf(0)) == 0


@pytest.mark.parametrize("path", ["ll", "x", "rrr", "rx"])
def test_paths_that_lead_nowhere(path):
    with pytest.raises(KeyError, match=f"path '{path}': there is nothing at"):
        at(TREE, path)


def test_replacing_makes_a_new_tree():
    new = replaced(TREE, "rl", Leaf(7.0))
    assert at(new, "rl") == Leaf(7.0)
    assert at(new, "rr") is at(TREE, "rr")
    assert at(TREE, "rl") == Node("p", -2.0, Leaf(0.0), Leaf(1.0))
    assert replaced(TREE, "", Leaf(1.0)) == Leaf(1.0)
    with pytest.raises(KeyError, match="below a leaf"):
        replaced(TREE, "ll", Leaf(1.0))


def test_trees_cannot_be_changed():
    with pytest.raises(AttributeError):
        TREE.threshold = 3.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="test: expected '<=' or '==', got '<'"):
        Node("p", 1.0, Leaf(0), Leaf(1), "<")  # type: ignore[arg-type]


def test_text_form():
    assert to_text(TREE) == (
        "p <= 1\n"
        "├─ yes: -1.5\n"
        "└─ no:  colour == red\n"
        "        ├─ yes: p <= -2\n"
        "        │       ├─ yes: 0\n"
        "        │       └─ no:  1\n"
        "        └─ no:  2"
    )
    assert to_text(Leaf(0.25, 1.5, 1)) == "0.25   (1 row, loss 1.5)"
    assert to_text(Node(3, 0.1 + 0.2, Leaf(1 / 3, 2.0, 7), Leaf(1))) == (
        "x[3] <= 0.3\n├─ yes: 0.333333   (7 rows, loss 2)\n└─ no:  1"
    )


def test_prediction_at_thresholds_and_categories():
    X = pd.DataFrame({"p": [1.0, 1.0001, 1.5, 5], "colour": ["red", "red", "blue", "red"]})
    assert predict(TREE, X).tolist() == [-1.5, 1, 2, 1]


def test_a_test_must_fit_its_column():
    X = pd.DataFrame({"p": ["a"], "colour": ["red"]})
    with pytest.raises(ValueError, match=r"tree: the test 'p <= 1' does not fit column 'p' of categories"):
        predict(TREE, X)
    with pytest.raises(ValueError, match=r"tree: feature 'p' is not a column; the columns are 'q'"):
        predict(TREE, pd.DataFrame({"q": [1.0]}))


numbers = st.floats(allow_nan=False, allow_infinity=False)
made = st.builds(Leaf, numbers) | st.builds(Leaf, numbers, numbers, st.integers(0, 9))
trees = st.recursive(
    made,
    lambda t: st.builds(Node, st.text(min_size=1) | st.integers(0, 5), numbers | st.text(), t, t),
    max_leaves=12,
)


@FEWER
@given(trees)
def test_json_round_trip(t):
    back = from_dict(json.loads(json.dumps(to_dict(t), allow_nan=False)))
    assert back == t
    assert to_text(back) == to_text(t), "with losses and sizes"


@pytest.mark.parametrize(
    ("d", "message"),
    [
        (None, "tree: expected an object, got None"),
        ({}, 'tree: "feature" is missing'),
        ({"prediction": "1"}, 'tree: "prediction": expected a finite number'),
        ({"feature": 1.5}, 'tree: "feature" must be text or a whole number'),
        ({"feature": "p", "test": "<="}, 'tree: "threshold" is missing'),
        ({"feature": "p", "test": "<=", "threshold": "a"}, 'tree: "threshold" must be'),
        ({"feature": "p", "test": "==", "threshold": None}, 'tree: "threshold" must be'),
        ({"feature": "p", "test": "<=", "threshold": 1.0}, "tree: left: expected an object, got None"),
        (
            {
                "feature": "p",
                "test": "<",
                "threshold": 1.0,
                "left": {"prediction": 1},
                "right": {"prediction": 1},
            },
            "test: expected '<=' or '=='",
        ),
    ],
)
def test_damaged_trees_are_refused_with_the_place(d, message):
    with pytest.raises(ValueError, match=message):
        from_dict(d)


@st.composite
def small_trees(draw, depth=3):
    if depth == 0 or draw(st.booleans()):
        return Leaf(float(draw(st.integers(-3, 3))))
    left, right = draw(small_trees(depth - 1)), draw(small_trees(depth - 1))
    if draw(st.booleans()):
        return Node("f0", float(draw(st.integers(0, 4))), left, right)
    return Node("f1", draw(st.sampled_from(COLOURS)), left, right)


@FEWER
@given(small_trees(), st.lists(st.tuples(st.integers(0, 4), st.sampled_from(COLOURS)), min_size=1))
def test_prediction_equals_walking_down_row_by_row(t, rows):
    X = pd.DataFrame({"f0": [float(x) for x, _ in rows], "f1": pd.Categorical([c for _, c in rows], COLOURS)})
    assert predict(t, X).tolist() == [oracles.land(to_oracle(t), x)[1] for x in rows]


def test_trees_of_plain_arrays_name_features_by_place():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 2.0]])
    m = tv.TreantRegressor(min_samples_split=2).fit(X, [0.0, 1.0, 1.0])
    assert m.tree_ == Node(1, 1.0, Leaf(0.0), Leaf(1.0))
    assert to_text(m.tree_).startswith("x[1] <= 1\n")


def test_a_test_for_a_category_that_the_table_does_not_have_sends_all_rows_to_the_right():
    tree = Node("c", "violet", Leaf(0.0), Leaf(1.0), "==")
    assert predict(tree, pd.DataFrame({"c": ["red", "blue"]})).tolist() == [1.0, 1.0]

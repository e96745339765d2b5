"""Trees: lambda(y) and sigma(f, v, t_l, t_r), immutable, with paths ("" the root, "l", "rl", ...) for names.

>>> t = Node("p", 1.0, Leaf(-1.5), Node("q", 3.0, Leaf(1.5), Leaf(2.0)))
>>> print(to_text(t))
p <= 1
├─ yes: -1.5
└─ no:  q <= 3
        ├─ yes: 1.5
        └─ no:  2
>>> [(path, leaf.prediction) for path, leaf in leaves(t)]
[('l', -1.5), ('rl', 1.5), ('rr', 2.0)]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from treant_viz.core import serial
from treant_viz.core.table import Schema

Test = Literal["<=", "=="]
MOST_LEVELS = 200  # of tests, in a tree that is read


@dataclass(frozen=True, slots=True)
class Leaf:
    """lambda(prediction). A grown leaf also knows its training loss and how many rows ended in it."""

    prediction: float
    loss: float | None = field(default=None, compare=False)
    size: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Node:
    """sigma(feature, threshold, left, right): left if x_f <= threshold, of a category if x_f == threshold."""

    feature: str | int
    threshold: Any
    left: Tree
    right: Tree
    test: Test | None = None

    def __post_init__(self) -> None:
        if self.test is None:
            object.__setattr__(self, "test", "==" if isinstance(self.threshold, str) else "<=")
        if self.test not in ("<=", "=="):
            raise ValueError(f"test: expected '<=' or '==', got {self.test!r}")

    @property
    def predicate(self) -> str:
        shown = _plain(self.threshold) if self.test == "==" else f"{self.threshold:.6g}"
        name = _plain(self.feature) if isinstance(self.feature, str) else f"x[{self.feature}]"
        return f"{name} {self.test} {shown}"


def _plain(text: Any) -> str:
    """A name as it is if it fits in a line of text, in quotes if it does not."""
    plain = str(text)
    return plain if plain.isprintable() and plain.strip() == plain != "" else repr(plain)


Tree = Leaf | Node


def walk(t: Tree, path: str = "") -> Iterator[tuple[str, Tree]]:
    """All nodes and leaves with their paths, parents first, left before right."""
    yield path, t
    if isinstance(t, Node):
        yield from walk(t.left, path + "l")
        yield from walk(t.right, path + "r")


def leaves(t: Tree) -> Iterator[tuple[str, Leaf]]:
    """The leaves with their paths, from left to right."""
    return ((path, u) for path, u in walk(t) if isinstance(u, Leaf))


def nodes(t: Tree) -> Iterator[tuple[str, Node]]:
    """The inner nodes with their paths."""
    return ((path, u) for path, u in walk(t) if isinstance(u, Node))


def at(t: Tree, path: str) -> Tree:
    """The node or leaf at a path."""
    for i, step in enumerate(path):
        if isinstance(t, Leaf) or step not in "lr":
            raise KeyError(f"path {path!r}: there is nothing at {path[: i + 1]!r}")
        t = t.left if step == "l" else t.right
    return t


def replaced(t: Tree, path: str, new: Tree) -> Tree:
    """The tree with what stands at the path replaced."""
    if not path:
        return new
    if isinstance(t, Leaf):
        raise KeyError(f"there is nothing at {path!r} below a leaf")
    if path[0] == "l":
        return Node(t.feature, t.threshold, replaced(t.left, path[1:], new), t.right, t.test)
    return Node(t.feature, t.threshold, t.left, replaced(t.right, path[1:], new), t.test)


def depth(t: Tree) -> int:
    return max(len(path) for path, _ in leaves(t))


def threshold_number(node: Node, schema: Schema) -> tuple[int, float]:
    """The column of a node's feature, and its threshold as it stands in `Schema.matrix`."""
    f = schema.index(node.feature, who="tree: feature")
    categories = schema.columns[f].categories
    if (categories is not None) != (node.test == "=="):
        kind = "numbers" if categories is None else "categories"
        raise ValueError(f"tree: the test {node.predicate!r} does not fit column {node.feature!r} of {kind}")
    if categories is None:
        return f, float(node.threshold)
    return f, float(categories.index(node.threshold)) if node.threshold in categories else -1.0


def goes_left(node: Node, M: np.ndarray, rows: np.ndarray, schema: Schema) -> np.ndarray:
    """Which of these rows of a matrix (see `Schema.matrix`) pass a node's test."""
    f, v = threshold_number(node, schema)
    x = M[rows, f]
    return x == v if node.test == "==" else x <= v


def landing(t: Tree, M: np.ndarray, schema: Schema) -> Iterator[tuple[str, Leaf, np.ndarray]]:
    """For each leaf: its path, itself, and the rows of the matrix that fall into it."""
    todo = [("", t, np.arange(len(M)))]
    while todo:
        path, u, rows = todo.pop()
        if isinstance(u, Leaf):
            yield path, u, rows
        else:
            left = goes_left(u, M, rows, schema)
            todo += [(path + "r", u.right, rows[~left]), (path + "l", u.left, rows[left])]


def predict(t: Tree, X: Any, schema: Schema | None = None) -> np.ndarray:
    """t(x) for every row."""
    schema = schema or Schema.of(X)
    M = schema.matrix(X)
    out = np.empty(len(M))
    for _, leaf, rows in landing(t, M, schema):
        out[rows] = leaf.prediction
    return out


def to_text(t: Tree) -> str:
    """The tree in a terminal: stable, one line a node or leaf."""
    return "\n".join(_lines(t))


def _lines(t: Tree) -> Iterator[str]:
    if isinstance(t, Leaf):
        rows = [] if t.size is None else [f"{t.size} row{'s' * (t.size != 1)}"]
        known = rows if t.loss is None else [*rows, f"loss {t.loss:.6g}"]
        note = f"   ({', '.join(known)})" if known else ""
        yield f"{t.prediction:.6g}{note}"
        return
    yield t.predicate
    for branch, edge, gap in ((t.left, "├─ yes: ", "│       "), (t.right, "└─ no:  ", "        ")):
        first, *rest = _lines(branch)
        yield edge + first
        yield from (gap + line for line in rest)


def to_dict(t: Tree) -> serial.Json:
    """Plain JSON values."""
    if isinstance(t, Leaf):
        return {"prediction": t.prediction, "loss": t.loss, "size": t.size}
    test = {"feature": t.feature, "test": t.test, "threshold": t.threshold}
    return test | {"left": to_dict(t.left), "right": to_dict(t.right)}


def from_dict(d: object, where: str = "tree") -> Tree:
    """What `to_dict` wrote, checked."""
    with serial.reading(where):
        return _tree_in(d, where, 0)


def _tree_in(d: object, where: str, level: int) -> Tree:
    if level > MOST_LEVELS:
        raise ValueError(f"more than {MOST_LEVELS} levels of tests")
    if not isinstance(d, dict):
        raise ValueError(f"{where}: expected an object, got {serial.shown(d)}")
    if "prediction" in d:
        return _leaf_in(d, where)
    feature = serial.field(d, "feature", (str, int), where)
    test = serial.field(d, "test", str, where)
    threshold = _threshold_in(d, test, where)
    left = _tree_in(d.get("left"), f"{where}: left", level + 1)
    right = _tree_in(d.get("right"), f"{where}: right", level + 1)
    return Node(feature, threshold, left, right, test)


def _leaf_in(d: serial.Json, where: str) -> Leaf:
    prediction = serial.number_in(d["prediction"], f'{where}: "prediction"')
    loss = None if d.get("loss") is None else serial.finite_in(d["loss"], f'{where}: "loss"')
    size = None if d.get("size") is None else serial.whole_in(d["size"], f'{where}: "size"', 0, sys.maxsize)
    return Leaf(prediction, loss, size)


def _threshold_in(d: serial.Json, test: str, where: str) -> str | int | float:
    """A number that a float can hold; of a test on categories, text too."""
    if test not in ("<=", "=="):
        raise ValueError(f"{where}: test: expected '<=' or '==', got {serial.shown(test)}")
    threshold: str | int | float = serial.field(
        d, "threshold", (str, int, float) if test == "==" else (int, float), where
    )
    if not isinstance(threshold, str):
        serial.finite_in(threshold, f'{where}: "threshold"')
    return threshold

"""What is known of each node of a tree, read from a tree, from a trace or from a model: numbers, nothing
drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.constraints import Constraint, feasible_set
from treant_viz.core.losses import Pieces
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Node, Tree, landing, leaves, walk
from treant_viz.trace.records import NodeData, SplitRecord, Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.style.text import name, number

BINS = 8
FEW, MANY = 6, 20  # rows whose labels are drawn one by one; from which on rows are no longer named


class LabelCounts(NamedTuple):
    """How many rows have which label: by class, or in equal bins from `low` to `high`."""

    counts: tuple[int, ...]
    classes: tuple[str, str] | None = None
    low: float = math.nan
    high: float = math.nan


class Flow(NamedTuple):
    """The rows that come to a node from its parent. `unknown` are the attacker's: those whose side they
    choose at the parent, and those that they pushed further up; `pushed` of them are pushed at the parent,
    for `costs` each.
    """

    sure: int
    unknown: int = 0
    pushed: int = 0
    costs: tuple[float, ...] = ()
    who: str = ""  # the row's name, if one alone is pushed
    absent: int = 0  # of few rows, those that would come here if nobody attacked

    @property
    def rows(self) -> int:
        return self.sure + self.unknown


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a node; None is unknown. `loss` is that of one leaf here, `split_loss` that of the
    stump.

    `parts` counts the rows that surely go left, are the attacker's, surely go right; None if nobody attacks.
    `flow` is how the rows come here, `feasible` what the constraints allow a leaf to predict (None if there
    are none), on a number line from `ends[0]` to `ends[1]`, `few` the label of each row and whether it was
    pushed, if few, and `named` their names. `wanted` is what it would predict if the constraints did not
    forbid it, `demand` what they say instead, in lines.
    """

    rows: int | None = None
    parts: tuple[int, int, int] | None = None
    loss: float | None = None
    split_loss: float | None = None
    constraints: int | None = None
    labels: LabelCounts | None = None
    flow: Flow | None = None
    feasible: Pieces | None = None
    ends: tuple[float, float] = (0.0, 1.0)
    few: tuple[tuple[float, bool], ...] = ()
    named: tuple[str, ...] = ()
    wanted: float | None = None
    demand: tuple[str, ...] = ()


def from_tree(tree: Tree) -> dict[str, Facts]:
    """The leaves' own sizes and losses; a node has the rows of its leaves."""
    known = {path: Facts(leaf.size, loss=leaf.loss) for path, leaf in leaves(tree)}
    for path, node in reversed(list(walk(tree))):
        if isinstance(node, Node):
            below = known[path + "l"].rows, known[path + "r"].rows
            known[path] = Facts(None if None in below else sum(below))  # type: ignore[arg-type]
    return with_flows(known)


def with_flows(known: Mapping[str, Facts]) -> dict[str, Facts]:
    """Nobody is pushed: all rows of a node come to it of themselves."""
    return {p: f if f.rows is None or not p else replace(f, flow=Flow(f.rows)) for p, f in known.items()}


def row_name(label: Any) -> str:
    """A row as pictures call it: x2, if it has no name of its own.

    >>> row_name(2), row_name("Ada")
    ('x2', 'Ada')
    """
    return label if isinstance(label, str) else f"x{label}"


def attacked(trace: Trace) -> bool:
    """Was the tree grown against somebody who can do anything at all?"""
    return bool(trace.attacker.rules) and trace.attacker.budget > 0


def from_trace(trace: Trace, steps: int) -> dict[str, Facts]:
    """All nodes of the tree after this step, leaves that wait for their turn included."""
    reader = Reader(trace)
    out: dict[str, Facts] = {}
    for step in trace.steps[:steps]:
        out[step.path] = reader.node(step)
        if step.split is not None and step.taken:
            out |= reader.children(step.path, step.split)
    flows = {
        c: f
        for s in trace.steps[:steps]
        if s.split is not None and s.taken
        for c, f in reader.flows(s, s.split)
    }
    for path, rows in absent(trace, steps):
        flows[path] = flows[path]._replace(absent=rows)
    return {path: replace(f, flow=flows.get(path)) for path, f in out.items()}


def absent(trace: Trace, steps: int) -> Iterator[tuple[str, int]]:
    """Where rows would come if nobody attacked, but do not; only of few rows."""
    if len(trace.y) >= MANY:
        return
    schema, here = Schema.of(trace.X), dict[str, set[int]]()
    for s in trace.steps[:steps]:
        if s.split is not None and s.taken:
            here |= {s.path + "l": set(s.split.left.rows), s.path + "r": set(s.split.right.rows)}
    *_, (_, tree) = list(trace.trees())[:steps]
    for end, _, rows in landing(tree, schema.matrix(trace.X), schema):
        for depth in range(1, len(end) + 1):
            yield end[:depth], len(set(rows) - here[end[:depth]])


class Reader:
    """Reads facts from a trace; the bins of labels are the same at every node."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        weight = trace.options.get("weight")
        self.weight = np.ones(len(trace.y)) if weight is None else np.asarray(weight, dtype=float)
        low, high = float(trace.y.min()), float(trace.y.max())
        self.low, self.high = (low, high) if low < high else (low - 0.5, high + 0.5)
        loss, margin = trace.loss, 0.25 * (self.high - self.low)
        self.ends = (0.0, 1.0) if loss.binary else (self.low - margin, self.high + margin)

    def node(self, step: Step) -> Facts:
        rows, labels, split = len(step.data), self.labels(step.data.rows), step.split
        if split is None or not step.taken:
            known = Facts(rows, None, step.leaf_loss, None, len(step.constraints), labels)
            return self.as_leaf(known, step.constraints, step.data)
        p = split.partition
        parts = (len(p.left), len(p.unknown), len(p.right)) if attacked(self.trace) else None
        return Facts(rows, parts, step.leaf_loss, split.loss_under_attack, len(step.constraints), labels)

    def children(self, path: str, split: SplitRecord) -> dict[str, Facts]:
        sides = {"l": (split.left, split.y_l, split.left_constraints)}
        sides["r"] = (split.right, split.y_r, split.right_constraints)
        return {
            path + s: self.as_leaf(self.waiting(data, p, C), C, data) for s, (data, p, C) in sides.items()
        }

    def waiting(self, data: NodeData, prediction: float, C: tuple[Constraint, ...]) -> Facts:
        """A leaf whose turn is still to come."""
        return Facts(len(data), None, self.loss(prediction, data.rows), None, len(C), self.labels(data.rows))

    def as_leaf(self, known: Facts, C: tuple[Constraint, ...], data: NodeData) -> Facts:
        """What only a leaf shows: its feasible set, and the labels of its rows if they are few."""
        feasible = feasible_set([(c.sense, c.y, c.at) for c in C], self.trace.loss) if C else None
        few: tuple[tuple[float, bool], ...] = ()
        if len(data) <= FEW:
            rows = zip(data.rows, data.spent, strict=True)
            few = tuple((float(self.trace.y[r]), bool(k > 0)) for r, k in rows)
        named = tuple(name(row_name(self.trace.X.index[r]), 10) for r in data.rows) if few else ()
        wanted, demand = self._forbidden(C, data)
        known = replace(known, feasible=feasible, few=few, named=named, ends=self.ends)
        return replace(known, wanted=wanted, demand=demand)

    def _forbidden(self, C: tuple[Constraint, ...], data: NodeData) -> tuple[float | None, tuple[str, ...]]:
        """The mean that the rows alone ask for, if constraints forbid it, and which do."""
        if not C or not self.weight[data.rows].sum() > 0:
            return None, ()
        mean = float(np.average(self.trace.y[data.rows], weights=self.weight[data.rows]))
        inside = [any(a <= mean <= b for a, b in c.allowed(self.trace.loss)) for c in C]
        binding = [c for c, fine in zip(C, inside, strict=True) if not fine]
        if len(binding) != 1:
            return (mean, (f"{len(binding)} constraints forbid it",)) if binding else (None, ())
        [c] = binding
        who = name(row_name(self.trace.X.index[c.row]), 14)
        if c.sense == "<=":
            return mean, (f"{who} may lose at most", f"{number(c.gamma)}, or it is sent here")
        return mean, (f"{who} must lose at least", f"{number(c.gamma)}, as planned above")

    def flows(self, step: Step, split: SplitRecord) -> Iterator[tuple[str, Flow]]:
        """How the rows of a step come to its two children."""
        before = dict(zip(step.data.rows.tolist(), step.data.spent.tolist(), strict=True))
        unknown = set(split.partition.unknown.tolist())
        for side, data in (("l", split.left), ("r", split.right)):
            spent = dict(zip(data.rows.tolist(), data.spent.tolist(), strict=True))
            theirs = [r for r, k in spent.items() if r in unknown or k > 0]
            paid = {r: spent[r] - before[r] for r in theirs if spent[r] > before[r]}
            who = row_name(self.trace.X.index[next(iter(paid))]) if len(paid) == 1 else ""
            costs = tuple(sorted(set(paid.values())))
            yield step.path + side, Flow(len(data) - len(theirs), len(theirs), len(paid), costs, who)

    def loss(self, prediction: float, rows: np.ndarray) -> float:
        return float(np.sum(self.weight[rows] * self.trace.loss.ell(prediction, self.trace.y[rows])))

    def labels(self, rows: np.ndarray) -> LabelCounts:
        y = self.trace.y[rows]
        if self.trace.loss.binary:
            return LabelCounts((int((y < 0.5).sum()), int((y > 0.5).sum())), ("0", "1"))
        counts, _ = np.histogram(y, bins=BINS, range=(self.low, self.high))
        return LabelCounts(tuple(counts.tolist()), None, self.low, self.high)


def from_sklearn(model: Any) -> tuple[Tree, dict[str, Facts]]:
    """The tree of a fitted DecisionTreeClassifier (two classes) or DecisionTreeRegressor, and what it
    tells.
    """
    t, classes = model.tree_, getattr(model, "classes_", None)
    if t.n_outputs != 1 or (classes is not None and len(classes) > 2):
        raise ValueError(
            f"model: expected one output and at most two classes, got {type(model).__name__} with more"
        )
    names = getattr(model, "feature_names_in_", None)
    facts: dict[str, Facts] = {}

    def grown(i: int, path: str) -> Tree:
        facts[path] = _sklearn_facts(model, i)
        if t.children_left[i] < 0:
            return Leaf(_sklearn_value(model, i), facts[path].loss, facts[path].rows)
        f = int(t.feature[i])
        left, right = grown(int(t.children_left[i]), path + "l"), grown(int(t.children_right[i]), path + "r")
        return Node(f if names is None else str(names[f]), float(t.threshold[i]), left, right, "<=")

    tree = grown(0, "")
    return tree, with_flows(facts)


def _sklearn_value(model: Any, i: int) -> float:
    """The prediction of a node: its value, for classes the share of the second one."""
    value = model.tree_.value[i, 0]
    if not hasattr(model, "classes_"):
        return float(value[0])
    return float(value[-1] / value.sum()) if len(value) == 2 else float(model.classes_[0] == 1)


def _sklearn_facts(model: Any, i: int) -> Facts:
    t, rows = model.tree_, int(model.tree_.n_node_samples[i])
    left, right = int(t.children_left[i]), int(t.children_right[i])
    loss = _sklearn_loss(model, i)
    after = None if left < 0 or loss is None else sum(_sklearn_loss(model, j) or 0.0 for j in (left, right))
    return Facts(rows, None, loss, after, None, _sklearn_labels(model, i))


def _sklearn_loss(model: Any, i: int) -> float | None:
    """The loss of the node as a leaf, a sum over its rows: squared error, or log-loss where the criterion
    is that.
    """
    share = {
        "squared_error": 1.0,
        "friedman_mse": 1.0,
        "gini": 0.5,
        "entropy": math.log(2),
        "log_loss": math.log(2),
    }
    factor = share.get(model.criterion)
    return (
        None
        if factor is None
        else float(factor * model.tree_.impurity[i] * model.tree_.weighted_n_node_samples[i])
    )


def _sklearn_labels(model: Any, i: int) -> LabelCounts | None:
    """The classes of the rows in a node; a regression tree does not keep its labels, nor do weights give
    counts.
    """
    t = model.tree_
    if len(getattr(model, "classes_", ())) != 2 or t.weighted_n_node_samples[i] != t.n_node_samples[i]:
        return None
    second = round(_sklearn_value(model, i) * int(t.n_node_samples[i]))
    return LabelCounts(
        (int(t.n_node_samples[i]) - second, second), (str(model.classes_[0]), str(model.classes_[1]))
    )


__all__ = [
    "MANY",
    "Facts",
    "Flow",
    "LabelCounts",
    "Reader",
    "attacked",
    "from_sklearn",
    "from_trace",
    "from_tree",
]

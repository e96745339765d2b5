"""Models in one common form: flat trees whose leaf values add up to a score, whoever trained them.

A model's raw score is base + scale * (the sum of one leaf value per tree), and its score is a rising function of
that (`link`): the mean of the leaves for a forest, the sigmoid of the sum for boosted classifiers. Every node sends a
set of values to the left: the numbers up to a threshold, or some categories; where the model says so, missing values
and zeros have a side of their own. `ensemble` takes a bare tree, a list of them, our estimators, scikit-learn's trees,
forests and gradient boosting, LightGBM's boosters, and any model with a method `common_form(X, attacker)` of its own;
it imports neither of the two libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz.attacker import Attacker
from treant_viz.bound import rule_categories
from treant_viz.table import Schema, column_names, raw_columns
from treant_viz.tree import Leaf, Node, Tree, predict, threshold_number, walk

Scores = Callable[[Any], np.ndarray]
BY_THRESHOLD, TO_RIGHT, TO_LEFT = -1, 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of all trees, one after the other; a leaf has feature -1. Children are places in these arrays."""

    feature: np.ndarray
    threshold: np.ndarray  # of a test on numbers: left if x_f <= threshold
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    missing_left: np.ndarray  # does a missing value go left?
    zero: np.ndarray  # where a zero goes: by threshold, to the right, to the left
    members: Mapping[int, frozenset[int]]  # the codes of the categories that a test on categories sends left
    roots: np.ndarray

    @classmethod
    def of(cls, trees: Iterable[Nodes]) -> Nodes:
        """Several trees as one."""
        parts = list(trees)
        start = np.cumsum([0] + [len(p.feature) for p in parts[:-1]])
        names = ("feature", "threshold", "value", "missing_left", "zero")
        joined = {k: np.concatenate([getattr(p, k) for p in parts]) for k in names}
        moved = {k: [getattr(p, k) + s for p, s in zip(parts, start, strict=True)] for k in ("left", "right", "roots")}
        members = {u + int(s): m for p, s in zip(parts, start, strict=True) for u, m in p.members.items()}
        return cls(**joined, **{k: np.concatenate(v) for k, v in moved.items()}, members=members)

    @classmethod
    def tree(
        cls,
        feature: Any,
        threshold: Any,
        left: Any,
        right: Any,
        value: Any,
        missing_left: Any = False,
        zero: Any = BY_THRESHOLD,
        members: Mapping[int, frozenset[int]] | None = None,
    ) -> Nodes:
        """One tree from its columns; the root comes first."""
        n = len(feature)
        return cls(
            np.asarray(feature, dtype=np.int64),
            np.asarray(threshold, dtype=float),
            np.asarray(left, dtype=np.int64),
            np.asarray(right, dtype=np.int64),
            np.asarray(value, dtype=float),
            np.broadcast_to(np.asarray(missing_left, dtype=bool), n),
            np.broadcast_to(np.asarray(zero, dtype=np.int8), n),
            members or {},
            np.zeros(1, dtype=np.int64),
        )


def identity(raw: np.ndarray) -> np.ndarray:
    return np.asarray(raw)


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """A model in common form. `scores` asks the model itself; `paths` names the leaves of a bare tree."""

    schema: Schema
    nodes: Nodes
    scores: Scores
    base: float = 0.0
    scale: float = 1.0
    link: Callable[[np.ndarray], np.ndarray] = identity
    classes: tuple[Any, Any] | None = None
    loss: Literal["sse", "log"] = "sse"
    missing: bool = False
    paths: tuple[str, ...] = ()

    def matrix(self, X: Any) -> np.ndarray:
        """X as numbers, categories as codes; missing values stay missing where the model takes them."""
        if not self.missing:
            return self.schema.matrix(X)
        data = raw_columns(X)
        holes = np.column_stack([pd.isna(np.asarray(x)) for x in data]) if data else np.zeros((0, 0), dtype=bool)
        if not holes.any():
            return self.schema.matrix(X)
        M = self.schema.matrix(_filled(X, holes, self.schema))
        return np.where(holes, np.nan, M)


def _filled(X: Any, holes: np.ndarray, schema: Schema) -> pd.DataFrame:
    """Something in every hole, so that the rest can be read."""
    frame = pd.DataFrame(X).copy()
    for j in map(int, np.flatnonzero(holes.any(axis=0))):
        categories = schema.columns[j].categories
        column = np.asarray(raw_columns(frame)[j], dtype=object).copy()
        column[holes[:, j]] = 0.0 if categories is None else categories[0]
        frame.isetitem(j, column)
    return frame


def ensemble(model: Any, X: Any, attacker: Attacker | None = None) -> Ensemble:
    """The common form of a model, for the columns of X and the categories that the attacker's rules name."""
    if isinstance(model, (Leaf, Node)):
        return _bare_trees([model], X, attacker)
    if isinstance(model, (list, tuple)) and model and all(isinstance(t, (Leaf, Node)) for t in model):
        return _bare_trees(model, X, attacker)
    if hasattr(model, "common_form"):
        return model.common_form(X, attacker)
    if hasattr(model, "schema_"):
        return _own_estimator(model)
    home = type(model).__module__.partition(".")[0]
    if home == "lightgbm":
        from treant_viz.ensembles_lightgbm import from_lightgbm

        return from_lightgbm(model, X, attacker)
    if home == "sklearn" or hasattr(model, "n_features_in_"):
        from treant_viz.ensembles_sklearn import from_sklearn

        return from_sklearn(model, X)
    raise TypeError(
        "model: expected a tree (Leaf or Node), a list of trees, a fitted estimator of this package, a tree, forest or "
        f"gradient boosting of scikit-learn, or a LightGBM booster; got {_unfitted(model)}"
    )


def _unfitted(model: Any) -> str:
    name = type(model).__name__
    return f"a {name} that is not fitted" if hasattr(model, "fit") else f"{name}: {model!r:.80}"


def _bare_trees(trees: Sequence[Tree], X: Any, attacker: Attacker | None) -> Ensemble:
    """Trees on the columns of X; their own categories and those of the rules belong to the columns."""
    plain = Schema.of(X)
    extra = rule_categories(attacker, lambda f: plain.index(f, who="attacker: the rule's feature"))
    for t in trees:
        for _, node in walk(t):
            if isinstance(node, Node) and node.test == "==":
                extra.setdefault(plain.index(node.feature, who="tree: feature"), []).append(node.threshold)
    schema = Schema.of(X, {f: c for f, c in extra.items() if plain.columns[f].categorical})
    return _forest(trees, schema, lambda Z: np.mean([predict(t, Z, schema) for t in trees], axis=0))


def _own_estimator(model: Any) -> Ensemble:
    members = getattr(model, "estimators_", None)
    trees = [model.tree_] if members is None else [m.tree_ for m in members]
    if not hasattr(model, "classes_"):
        return _forest(trees, model.schema_, lambda Z: np.asarray(model.predict(Z)))
    form = _forest(trees, model.schema_, lambda Z: np.asarray(model.predict_proba(Z))[:, 1])
    return replace(form, classes=two_classes(model), loss=getattr(model, "loss", "sse"))


def _forest(trees: Sequence[Tree], schema: Schema, scores: Scores) -> Ensemble:
    """A forest's score is the mean of its trees' leaf values."""
    nodes = Nodes.of(_flat(t, schema) for t in trees)
    paths = tuple(path for t in trees for path, _ in walk(t))
    return Ensemble(schema, nodes, scores, scale=1.0 / len(trees), paths=paths)


def _flat(t: Tree, schema: Schema) -> Nodes:
    """A bare tree as arrays, in the order of `walk`."""
    walked = list(walk(t))
    place = {path: i for i, (path, _) in enumerate(walked)}
    n = len(walked)
    feature, threshold, value = np.full(n, -1), np.full(n, np.nan), np.full(n, np.nan)
    left, right = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    members = {}
    for i, (path, u) in enumerate(walked):
        if isinstance(u, Leaf):
            value[i] = u.prediction
            continue
        feature[i], threshold[i] = threshold_number(u, schema)
        left[i], right[i] = place[path + "l"], place[path + "r"]
        if u.test == "==":
            members[i] = frozenset([int(threshold[i])])
    return Nodes.tree(feature, threshold, left, right, value, members=members)


def two_classes(model: Any) -> tuple[Any, Any]:
    """The two labels of a classifier."""
    labels = getattr(model, "classes_", None)
    if labels is None or isinstance(labels, list) or len(labels) != 2:
        shown = "several outputs" if isinstance(labels, list) else f"the classes {np.asarray(labels).tolist()}"
        raise ValueError(f"model: only classifiers with two classes can be attacked; this one has {shown}")
    return labels[0], labels[1]


def check_names(expected: Sequence[str] | None, X: Any) -> None:
    """Refuse a data frame whose columns are not those that the model was fitted on."""
    given = column_names(X)
    if expected is not None and given is not None and given != tuple(expected):
        raise ValueError(
            f"X has the columns {', '.join(given[:12])}, but the model was fitted on {', '.join(expected[:12])}, "
            "in this order"
        )

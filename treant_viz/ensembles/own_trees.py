"""Our own trees and forests in common form: bare trees, lists of them, and fitted estimators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from treant_viz.core.attacker.on_table import rule_categories
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Node, Tree, predict, threshold_number, walk
from treant_viz.ensembles.ensemble import Ensemble, Nodes, Scores, two_classes


def from_trees(trees: Sequence[Tree], X: Any, attacker: Attacker | None) -> Ensemble:
    """Trees on the columns of X; their own categories and those of the rules belong to the columns."""
    plain = Schema.of(X)
    extra = rule_categories(attacker, lambda f: plain.index(f, who="attacker: the rule's feature"))
    for t in trees:
        for _, node in walk(t):
            if isinstance(node, Node) and node.test == "==":
                extra.setdefault(plain.index(node.feature, who="tree: feature"), []).append(node.threshold)
    schema = Schema.of(X, {f: c for f, c in extra.items() if plain.columns[f].categorical})
    return _forest(trees, schema, lambda Z: np.mean([predict(t, Z, schema) for t in trees], axis=0))


def from_estimator(model: Any) -> Ensemble:
    """A fitted tree, forest or boosted classifier of this package."""
    boosted = getattr(model, "trees_", None)
    members = getattr(model, "estimators_", None)
    trees = boosted or ([model.tree_] if members is None else [m.tree_ for m in members])
    if not hasattr(model, "classes_"):
        return _forest(trees, model.schema_, lambda Z: np.asarray(model.predict(Z)))
    weights = getattr(model, "tree_weights_", None)
    form = _forest(trees, model.schema_, lambda Z: np.asarray(model.predict_proba(Z))[:, 1], weights)
    if boosted:  # the log-odds are the sum of the leaves
        form = replace(form, scale=1.0, link=expit)
    loss: Literal["sse", "log"] = "log" if boosted else getattr(model, "loss", "sse")
    return replace(form, classes=two_classes(model), loss=loss, predict=model.predict)


def _forest(
    trees: Sequence[Tree], schema: Schema, scores: Scores, weights: np.ndarray | None = None
) -> Ensemble:
    """A forest's score is the mean of its trees' leaf values; some trees may count more than others."""
    share = np.ones(len(trees)) if weights is None else weights / weights.mean()
    nodes = Nodes.of(_flat(t, schema, s) for t, s in zip(trees, share, strict=True))
    paths = tuple(path for t in trees for path, _ in walk(t))
    return Ensemble(schema, nodes, scores, scale=1.0 / len(trees), paths=paths)


def _flat(t: Tree, schema: Schema, share: float) -> Nodes:
    """A bare tree as arrays, in the order of `walk`; its leaves count for so much."""
    walked = list(walk(t))
    place = {path: i for i, (path, _) in enumerate(walked)}
    n = len(walked)
    feature, threshold, value = np.full(n, -1), np.full(n, np.nan), np.full(n, np.nan)
    left, right = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    members = {}
    for i, (path, u) in enumerate(walked):
        if isinstance(u, Leaf):
            value[i] = share * u.prediction
            continue
        feature[i], threshold[i] = threshold_number(u, schema)
        left[i], right[i] = place[path + "l"], place[path + "r"]
        if u.test == "==":
            members[i] = frozenset([int(threshold[i])])
    return Nodes.tree(feature, threshold, left, right, value, members=members)

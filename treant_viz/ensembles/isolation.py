"""scikit-learn's IsolationForest in common form: a row that ends deep in random trees is no outlier.

Its classes are -1 (outlier) and 1. The score is 0.5 + `decision_function`: 0.5 where the class changes, as
for other classifiers; it is no probability.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treant_viz.ensembles.ensemble import Ensemble, Nodes, as_fitted, float64_cut, number_schema, own_predict


def from_isolation(model: Any, X: Any) -> Ensemble:
    """A fitted IsolationForest."""
    if not hasattr(model, "estimators_"):
        raise ValueError(f"model: this {type(model).__name__} is not fitted")
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    nodes = Nodes.of(_flat(t.tree_, np.asarray(features)) for t, features in pairs)
    scale = 1.0 / (len(model.estimators_) * float(average_depth(np.array([model._max_samples]))[0]))
    form = Ensemble(
        number_schema(model, X),
        nodes,
        lambda Z: 0.5 + model.decision_function(as_fitted(model, Z)),
        scale=scale,
        link=lambda raw: 0.5 - np.exp2(-np.asarray(raw)) - float(model.offset_),
    )
    return replace(form, classes=(-1, 1), predict=own_predict(model))


def average_depth(n: np.ndarray) -> np.ndarray:
    """How deep a row ends on average in a random tree of n rows.

    >>> average_depth(np.array([1, 2, 3])).round(3).tolist()
    [0.0, 1.0, 1.207]
    """
    many = np.maximum(n, 3).astype(float)
    depth = 2.0 * (np.log(many - 1.0) + np.euler_gamma) - 2.0 * (many - 1.0) / many
    return np.where(n > 2, depth, np.where(n == 2, 1.0, 0.0))


def _flat(t: Any, features: np.ndarray) -> Nodes:
    """A tree on some of the features; a leaf says how deep a row is isolated that ends there."""
    leaf = t.children_left < 0
    depth = np.zeros(t.node_count)
    for u in np.flatnonzero(~leaf):  # parents come first
        depth[[t.children_left[u], t.children_right[u]]] = depth[u] + 1
    return Nodes.tree(
        np.where(leaf, -1, features[np.where(leaf, 0, t.feature)]),
        float64_cut(t.threshold),
        t.children_left,
        t.children_right,
        depth + average_depth(t.n_node_samples),
    )

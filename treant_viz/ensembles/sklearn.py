"""scikit-learn's trees, forests and gradient boosting in common form.

scikit-learn rounds data to 32 bits before it compares: float32(x) <= threshold. Rounding never reverses an
order, so that is the same as x <= cut for one number `cut`, found here exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit

from treant_viz.core.table import Schema
from treant_viz.ensembles.ensemble import (
    Ensemble,
    Nodes,
    as_fitted,
    float64_cut,
    number_schema,
    own_predict,
    two_classes,
)

TREES = ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
FORESTS = ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor")
BOOSTED = ("GradientBoostingClassifier", "GradientBoostingRegressor")


def from_sklearn(model: Any, X: Any) -> Ensemble:
    """A fitted tree, forest or gradient boosting; other models are refused."""
    kind = next((c.__name__ for c in type(model).__mro__ if c.__name__ in TREES + FORESTS + BOOSTED), None)
    if kind is None:
        raise TypeError(
            f"model: {type(model).__name__} cannot be attacked; of scikit-learn's models DecisionTree*, "
            "ExtraTree*, RandomForest*, ExtraTrees*, *GradientBoosting* and IsolationForest can, "
            "also at the end of a Pipeline"
        )
    if not hasattr(model, "tree_") and not hasattr(model, "estimators_"):
        raise ValueError(f"model: this {type(model).__name__} is not fitted")
    schema = number_schema(model, X)
    if kind in BOOSTED:
        return _boosted(model, schema)
    if getattr(model, "n_outputs_", 1) != 1:
        raise ValueError(f"model: one output is expected, but this one has {model.n_outputs_}")
    trees = [model] if kind in TREES else list(model.estimators_)
    return _averaged(model, trees, schema)


def _averaged(model: Any, trees: Sequence[Any], schema: Schema) -> Ensemble:
    if not hasattr(model, "classes_"):
        nodes = Nodes.of(_flat(t.tree_, t.tree_.value[:, 0, 0]) for t in trees)
        form = Ensemble(schema, nodes, lambda Z: np.asarray(model.predict(as_fitted(model, Z)), dtype=float))
    else:
        nodes = Nodes.of(_flat(t.tree_, _share(t.tree_.value[:, 0, :])) for t in trees)
        form = Ensemble(schema, nodes, lambda Z: np.asarray(model.predict_proba(as_fitted(model, Z)))[:, 1])
        form = replace(form, classes=two_classes(model), loss="log", predict=own_predict(model))
    return replace(form, scale=1.0 / len(trees), missing=True)


def _share(counts: np.ndarray) -> np.ndarray:
    """The share of the second class."""
    return counts[:, -1] / counts.sum(axis=1) if counts.shape[1] == 2 else counts[:, 0]


def _boosted(model: Any, schema: Schema) -> Ensemble:
    """init + rate * sum of leaves; a classifier's score is the sigmoid of that."""
    classes = two_classes(model) if hasattr(model, "classes_") else None
    if model.estimators_.shape[1] != 1:
        raise ValueError("model: only classifiers with two classes can be attacked; this one has more")
    if not _constant(model.init_):
        raise ValueError(f"model: gradient boosting must start from a constant, but init is {model.init_!r}")
    trees = [t.tree_ for t in model.estimators_[:, 0]]
    nodes = Nodes.of(_flat(t, t.value[:, 0, 0]) for t in trees)
    rate = float(model.learning_rate)
    origin = np.zeros((1, len(schema.columns)), dtype=np.float32)
    with_names = _named(model, origin)
    raw = float((model.predict(with_names) if classes is None else model.decision_function(with_names))[0])
    base = raw - rate * sum(float(t.predict(origin)[0, 0]) for t in trees)
    if classes is None:
        return Ensemble(schema, nodes, lambda Z: np.asarray(model.predict(as_fitted(model, Z))), base, rate)
    steep = 2.0 if model.loss == "exponential" else 1.0
    form = Ensemble(
        schema, nodes, lambda Z: np.asarray(model.predict_proba(as_fitted(model, Z)))[:, 1], base, rate
    )
    form = replace(form, link=lambda raw: expit(steep * np.asarray(raw)), predict=own_predict(model))
    return replace(form, classes=classes, loss="log")


def _constant(init: Any) -> bool:
    random = getattr(init, "strategy", None) in ("stratified", "uniform")
    return isinstance(init, str) or (type(init).__name__.startswith("Dummy") and not random)


def _named(model: Any, M: np.ndarray) -> Any:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return M
    import pandas as pd

    return pd.DataFrame(M, columns=names)


def _flat(t: Any, value: np.ndarray) -> Nodes:
    leaf = t.children_left < 0
    feature = np.where(leaf, -1, t.feature)
    return Nodes.tree(
        feature,
        float64_cut(t.threshold),
        t.children_left,
        t.children_right,
        value,
        t.missing_go_to_left.astype(bool),
    )

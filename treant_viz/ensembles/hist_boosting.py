"""scikit-learn's HistGradientBoosting in common form: thresholds in 64 bits, missing values with a side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit

from treant_viz.ensembles.ensemble import (
    LARGEST,
    Ensemble,
    Nodes,
    as_fitted,
    identity,
    number_schema,
    own_predict,
    two_classes,
)

LINKS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "squared_error": identity,
    "absolute_error": identity,
    "quantile": identity,
    "poisson": np.exp,
    "gamma": np.exp,
}


def from_hist_boosting(model: Any, X: Any) -> Ensemble:
    """A fitted HistGradientBoostingClassifier of two classes, or a regressor; no categorical features."""
    if not hasattr(model, "_predictors"):
        raise ValueError(f"model: this {type(model).__name__} is not fitted")
    if model.is_categorical_ is not None and np.any(model.is_categorical_):
        raise ValueError(
            "model: HistGradientBoosting with categorical features cannot be attacked: encode them before"
        )
    classes = two_classes(model) if hasattr(model, "classes_") else None
    nodes = Nodes.of(_flat(trees[0].nodes) for trees in model._predictors)
    base = float(np.ravel(model._baseline_prediction)[0])
    schema = number_schema(model, X)
    if classes is None:
        return Ensemble(schema, nodes, own_predict(model), base, link=LINKS[model.loss], missing=True)
    form = Ensemble(schema, nodes, lambda Z: model.predict_proba(as_fitted(model, Z))[:, 1], base, link=expit)
    return replace(form, missing=True, loss="log", classes=classes, predict=own_predict(model))


def _flat(nodes: np.ndarray) -> Nodes:
    """A tree; a threshold that lets all but missing values through is the greatest number."""
    leaf = nodes["is_leaf"].astype(bool)
    return Nodes.tree(
        np.where(leaf, -1, nodes["feature_idx"]),
        np.minimum(nodes["num_threshold"], LARGEST),
        nodes["left"],
        nodes["right"],
        nodes["value"],
        nodes["missing_go_to_left"].astype(bool),
    )

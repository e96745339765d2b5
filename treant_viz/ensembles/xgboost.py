"""XGBoost's boosters in common form, read from their JSON.

XGBoost rounds data to 32 bits and sends them left if they are less than a threshold of 32 bits; a missing
value has a side of its own. It adds leaves up in 32 bits, too: sums are right to that many digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy.special import expit, logit

from treant_viz.core.table import Column, Schema, column_names, raw_columns
from treant_viz.ensembles.ensemble import (
    Ensemble,
    Nodes,
    check_names,
    float64_cut,
    identity,
    own_predict,
    two_classes,
)

Link = Callable[[np.ndarray], np.ndarray]
IDENTITY = (
    "reg:squarederror",
    "reg:absoluteerror",
    "reg:pseudohubererror",
    "reg:quantileerror",
    "binary:logitraw",
)


def from_xgboost(model: Any, X: Any) -> Ensemble:
    """A Booster, XGBClassifier, XGBRegressor or one of XGBoost's forests."""
    booster, names, n_trees = _booster(model)
    learner = json.loads(booster.save_raw(raw_format="json"))["learner"]
    trees = _trees(learner)[:n_trees]
    link, start, loss = _link(learner["objective"]["name"])
    nodes = Nodes.of(_flat(t) for t in trees)
    form = Ensemble(_schema(names, booster.num_features(), X), nodes, _scores(model, booster), link=link)
    raw = np.array([learner["learner_model_param"]["base_score"].strip("[]")], dtype=np.float32)
    base = float(start(raw)[0])
    form = replace(form, base=base, loss=loss, missing=True, rounding=(len(trees) + 2) * 2.0**-23)
    if not hasattr(model, "classes_"):
        return replace(form, classes=(0, 1) if loss == "log" else None)
    return replace(form, classes=two_classes(model), predict=own_predict(model))


def _booster(model: Any) -> tuple[Any, list[str] | None, int | None]:
    """The booster, the names of its columns, and how many of its trees count (None: all)."""
    if hasattr(model, "save_raw"):
        return model, model.feature_names, None
    if not hasattr(model, "get_booster"):
        raise TypeError(
            f"model: a {type(model).__name__} cannot be attacked: expected a booster or an estimator"
        )
    if not model.__sklearn_is_fitted__():
        raise ValueError(f"model: this {type(model).__name__} is not fitted")
    if model.missing is not None and not np.isnan(model.missing):
        raise ValueError(
            f"model: missing values must be nan, but this model takes {model.missing!r} for missing"
        )
    booster = model.get_booster()
    try:
        rounds = model.best_iteration + 1
    except AttributeError:  # it was not stopped early
        return booster, booster.feature_names, None
    return booster, booster.feature_names, rounds * (model.num_parallel_tree or 1)


def _scores(model: Any, booster: Any) -> Callable[[Any], np.ndarray]:
    if hasattr(model, "predict_proba"):
        return lambda Z: np.asarray(model.predict_proba(Z), dtype=float)[:, 1]
    own = model.predict if model is not booster else booster.inplace_predict
    return lambda Z: np.asarray(own(Z), dtype=float)


def _trees(learner: dict[str, Any]) -> list[dict[str, Any]]:
    gradient, shape = learner["gradient_booster"], learner["learner_model_param"]
    if gradient["name"] != "gbtree":
        raise ValueError(
            f"model: only boosted trees (gbtree) can be attacked; this booster is {gradient['name']!r}"
        )
    if int(shape["num_class"]) > 1 or int(shape["num_target"]) > 1:
        raise ValueError(
            f"model: only two classes or one output can be attacked, but this one has "
            f"{max(int(shape['num_class']), int(shape['num_target']))}"
        )
    trees: list[dict[str, Any]] = gradient["model"]["trees"]
    if any(any(t["split_type"]) for t in trees):
        raise ValueError("model: XGBoost with categorical features cannot be attacked: encode them before")
    return trees


def _link(objective: str) -> tuple[Link, Link, Literal["sse", "log"]]:
    """What the booster makes of the sum, what it makes of its base score, and the loss that goes with it."""
    if objective in ("binary:logistic", "reg:logistic"):
        return expit, logit, "log" if objective == "binary:logistic" else "sse"
    if objective in ("count:poisson", "reg:gamma", "reg:tweedie"):
        return np.exp, np.log, "sse"
    if objective in IDENTITY:
        return identity, identity, "sse"
    raise ValueError(f"model: boosters with the objective {objective!r} cannot be attacked")


def _schema(trained: list[str] | None, width: int, X: Any) -> Schema:
    check_names(trained, X)
    given = column_names(X)
    if len(raw_columns(X)) != width:
        raise ValueError(f"X has {len(raw_columns(X))} columns, but the model was fitted on {width}")
    return Schema(tuple(Column(n) for n in (given or trained or range(width))))


def _flat(t: dict[str, Any]) -> Nodes:
    left, right = (np.array(t[side]) for side in ("left_children", "right_children"))
    split, leaf = np.array(t["split_conditions"], dtype=np.float32), left < 0
    less = float64_cut(np.nextafter(split, np.float32(-np.inf)))  # x < split
    return Nodes.tree(
        np.where(leaf, -1, t["split_indices"]),
        less,
        left,
        right,
        split,
        np.array(t["default_left"], dtype=bool),
    )

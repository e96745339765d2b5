"""CatBoost's models in common form, read from their JSON.

CatBoost rounds data to 32 bits and asks whether they are greater than a border. Its usual trees are
oblivious: all nodes of a level ask the same, and the answers are the bits of the leaf's place, the first one
the least.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from treant_viz.core.table import Column, Schema, column_names, raw_columns
from treant_viz.ensembles.ensemble import Ensemble, Nodes, check_names, float64_cut, identity, two_classes

Json = dict[str, Any]
EXP = ("Poisson", "Tweedie")


def from_catboost(model: Any, X: Any) -> Ensemble:
    """A fitted CatBoost, CatBoostClassifier or CatBoostRegressor, on numbers."""
    if not model.is_fitted():
        raise ValueError(f"model: this {type(model).__name__} is not fitted")
    doc = _json(model)
    _refuse(doc)
    features = doc["features_info"]["float_features"]
    missing = [f.get("nan_value_treatment") != "AsTrue" for f in features]
    place = [f["flat_feature_index"] for f in features]
    trees = doc["oblivious_trees"] if "oblivious_trees" in doc else doc["trees"]
    nodes = Nodes.of(_flat(_nested(t), place, missing) for t in trees)
    scale, base = doc["scale_and_bias"]
    link, loss = _link(_objective(doc), classifier=hasattr(model, "predict_proba"))
    form = Ensemble(_schema(model, X), nodes, _scores(model, loss), float(np.ravel(base)[0]), float(scale))
    form = replace(form, link=link, loss=loss, missing=True)
    if loss != "log":
        return form
    classes = two_classes(model)
    return replace(form, classes=classes, predict=lambda Z: np.ravel(model.predict(Z)))


def _json(model: Any) -> Json:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        doc: Json = json.loads(path.read_text("utf-8"))
    return doc


def _refuse(doc: Json) -> None:
    others = [k for k in doc["features_info"] if k != "float_features" and doc["features_info"][k]]
    if others:
        raise ValueError(
            f"model: CatBoost with {others[0].replace('_', ' ')} cannot be attacked: encode them before"
        )
    if len(np.ravel(doc["scale_and_bias"][1])) > 1:
        raise ValueError("model: only two classes or one output can be attacked; this model has more")


def _objective(doc: Json) -> str:
    params = doc["model_info"]["params"]
    params = json.loads(params) if isinstance(params, str) else params
    return str(params["loss_function"]["type"])


def _link(
    objective: str, classifier: bool
) -> tuple[Callable[[np.ndarray], np.ndarray], Literal["sse", "log"]]:
    if classifier:
        if objective not in ("Logloss", "CrossEntropy"):
            raise ValueError(f"model: classifiers with the loss function {objective!r} cannot be attacked")
        return expit, "log"
    return (np.exp if objective in EXP else identity), "sse"


def _scores(model: Any, loss: str) -> Callable[[Any], np.ndarray]:
    if loss == "log":
        return lambda Z: np.asarray(model.predict_proba(Z))[:, 1]
    return lambda Z: np.ravel(model.predict(Z)).astype(float)


def _schema(model: Any, X: Any) -> Schema:
    trained, given, width = list(model.feature_names_), column_names(X), len(raw_columns(X))
    if trained != [str(i) for i in range(len(trained))]:
        check_names(trained, X)
    if width != len(trained):
        raise ValueError(f"X has {width} columns, but the model was fitted on {len(trained)}")
    return Schema(tuple(Column(n) for n in (given or range(width))))


def _nested(t: Json) -> Json:
    """An oblivious tree, node by node."""
    if "leaf_values" not in t:
        return t

    def below(splits: Sequence[Json], place: int) -> Json:
        if not splits:
            return {"value": t["leaf_values"][place]}
        bit = 1 << (len(splits) - 1)  # the last split is asked first: its answer is the greatest bit
        left, right = (below(splits[:-1], p) for p in (place, place + bit))
        return {"split": splits[-1], "left": left, "right": right}

    return below(t["splits"] or [], 0)


def _flat(root: Json, place: Sequence[int], missing: Sequence[bool]) -> Nodes:
    walked, todo = [], [root]
    while todo:
        u = todo.pop()
        walked.append(u)
        todo += [u[side] for side in ("right", "left") if side in u]
    at = {id(u): i for i, u in enumerate(walked)}
    asked = [u["split"]["float_feature_index"] if "split" in u else -1 for u in walked]
    border = np.array([u["split"]["border"] if "split" in u else np.nan for u in walked], dtype=np.float32)
    return Nodes.tree(
        [place[f] if f >= 0 else -1 for f in asked],
        float64_cut(border),
        [at[id(u["left"])] if "split" in u else 0 for u in walked],
        [at[id(u["right"])] if "split" in u else 0 for u in walked],
        [u.get("value", np.nan) for u in walked],
        [f >= 0 and missing[f] for f in asked],
    )

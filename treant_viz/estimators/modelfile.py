"""Models as JSON: no pickle, exact round trips, damaged or newer files refused.

Format "treant_viz.model", version 1: `class`, `params` (the constructor's), `columns` (name, categories),
`classes` (None for regressors), `trees` (nested tests and leaves), and a checksum of all this.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from treant_viz.core import serial
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.serial import shown
from treant_viz.core.table import Schema
from treant_viz.core.tree import Node, Tree, from_dict, threshold_number, to_dict, walk
from treant_viz.estimators import validation
from treant_viz.trace.json_values import check_rules, schema_in, schema_out

FORMAT_VERSION = 1


class ModelFile(BaseEstimator):
    """`to_json` and `from_json` for estimators with `schema_`, and `tree_` or `estimators_`."""

    schema_: Schema
    _leaf_range = (-sys.float_info.max, sys.float_info.max)

    def _check_options(self) -> None:
        raise NotImplementedError

    def _trees(self) -> list[Tree]:
        raise NotImplementedError

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        raise NotImplementedError

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model without its training data; what is read predicts the same, bit by bit."""
        serial.write(self.to_dict(), path)

    def to_dict(self) -> serial.Json:
        """Plain JSON values."""
        check_is_fitted(self)
        body = {
            "class": type(self).__name__,
            "params": {k: _param_out(v) for k, v in self.get_params(deep=False).items()},
            "columns": schema_out(self.schema_),
            "classes": _classes_out(getattr(self, "classes_", None)),
            "trees": [to_dict(t) for t in self._trees()],
        }
        return serial.document("model", FORMAT_VERSION, body, sealed=True)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model of this class; damaged or newer files are refused with the reason."""
        return cls.from_dict(serial.read(path), str(path))

    @classmethod
    def from_dict(cls, doc: object, where: str = "model") -> Self:
        """What `to_dict` gave, checked."""
        with serial.reading(where):
            body = serial.open_document(doc, "model", FORMAT_VERSION, where, sealed=True)
            if body.get("class") != cls.__name__:
                raise ValueError(f'expected "class": "{cls.__name__}", got {shown(body.get("class"))}')
            model = cls(**_params_in(serial.field(body, "params", dict, where)))
            model._check_options()
            model._restore(body, where)
            return model

    def _restore(self, body: serial.Json, where: str) -> None:
        """Everything is checked before anything is kept."""
        schema = schema_in(body.get("columns"), where)
        classes = _classes_in(body.get("classes"), is_classifier(self))
        trees = [
            _tree_in(t, schema, self._leaf_range, f"tree {i}")
            for i, t in enumerate(serial.field(body, "trees", list, where))
        ]
        _check_fit(self.get_params(deep=False), schema)
        self.schema_, self.n_features_in_ = schema, len(schema.columns)
        if isinstance(schema.names[0], str):
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        if classes is not None:
            self.classes_ = classes
        self._set_trees(trees, where)


def _check_fit(params: serial.Json, schema: Schema) -> None:
    """The options that only a fit looks at: those of a fitted model were good for one."""
    if params["attacker"] is not None:
        check_rules(params["attacker"], schema)
    validation.how_many(params["max_features"], len(schema.columns), "max_features", ("sqrt", "log2"))
    validation.how_many(params.get("max_samples"), sys.maxsize, "max_samples")
    if params["random_state"] is not None:
        serial.whole_in(params["random_state"], "random_state", 0, 2**32 - 1)
    if params.get("n_jobs") is not None:
        serial.whole_in(params["n_jobs"], "n_jobs", -sys.maxsize, sys.maxsize)


def _tree_in(d: object, schema: Schema, bounds: tuple[float, float], where: str) -> Tree:
    """A tree whose tests fit the columns and whose leaves predict what they may."""
    t = from_dict(d, where)
    with serial.reading(where):
        for path, u in walk(t):
            if isinstance(u, Node):
                _check_test(u, path, schema)
            elif not bounds[0] <= u.prediction <= bounds[1]:
                low, high = bounds
                raise ValueError(
                    f"the leaf at {path!r} predicts {u.prediction}, not between {low:g} and {high:g}"
                )
    return t


def _check_test(node: Node, path: str, schema: Schema) -> None:
    f, _ = threshold_number(node, schema)
    categories = schema.columns[f].categories
    if categories is not None and node.threshold not in categories:
        raise ValueError(
            f"the test at {path!r} asks for a category that its column lacks: {shown(node.threshold)}"
        )


def _param_out(value: Any) -> Any:
    """Constructor arguments as JSON; a random state that is no seed cannot be written and becomes None."""
    if isinstance(value, Attacker):
        return value.to_dict()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (bool, int, float, str)) else None


def _params_in(params: serial.Json) -> serial.Json:
    """What `_param_out` wrote: an attacker, and plain values."""
    out = {
        k: Attacker.from_dict(v) if k == "attacker" and isinstance(v, dict) else v for k, v in params.items()
    }
    if strange := [k for k, v in out.items() if isinstance(v, (dict, list))]:
        raise ValueError(f"{shown(strange[0])}: expected a plain value, got {shown(out[strange[0]])}")
    return out


def _classes_out(classes: np.ndarray | None) -> serial.Json | None:
    if classes is None:
        return None
    values = classes.tolist()
    if not all(isinstance(v, (str, bool, int, float)) for v in values):
        raise TypeError(f"classes: only text, numbers, True and False can be written, got {values!r}")
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "values": values}


def _classes_in(d: Any, expected: bool) -> np.ndarray | None:
    """The two classes in order, in an array of the type that they had; None for a regressor."""
    if not expected:
        if d is not None:
            raise ValueError(f'"classes" must be null for a regressor, got {shown(d)}')
        return None
    if not isinstance(d, dict):
        raise ValueError(f'"classes" must be an object, got {shown(d)}')
    dtype, values = serial.field(d, "dtype", str, '"classes"'), serial.field(d, "values", list, '"classes"')
    if len(values) != 2 or not all(isinstance(v, (str, bool, int, float)) for v in values):
        raise ValueError(f'"classes": expected two values, got {shown(values)}')
    if not re.fullmatch(r"object|[<>|=]?(b1|[iu][1248]|f[248]|U\d{1,4})", dtype):
        raise ValueError(f'"classes": the type {shown(dtype)} is not supported')
    classes = _typed(values, dtype)
    if isinstance(values[0], str) != isinstance(values[1], str) or not values[0] < values[1]:
        raise ValueError(f'"classes": expected two values in rising order, got {shown(values)}')
    return classes


def _typed(values: list[Any], dtype: str) -> np.ndarray:
    """The values in an array of this type, which must hold them exactly."""
    try:
        with np.errstate(over="ignore"):
            classes = np.array(values, dtype=object if dtype == "object" else np.dtype(dtype))
    except (TypeError, ValueError, OverflowError):
        classes = np.empty(0)
    if classes.tolist() != values:
        raise ValueError(f'"classes": {shown(values)} do not fit the type {shown(dtype)}')
    return classes

"""Models as JSON: no pickle, exact round trips, damaged or newer files refused.

Format "treant_viz.model", version 1: `class`, `params` (the constructor's), `columns` (name, categories), `classes`
(None for regressors), `trees` (nested tests and leaves), and a checksum of all this.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from treant_viz import serial
from treant_viz.attacker import Attacker
from treant_viz.table import Schema
from treant_viz.trace import schema_in, schema_out
from treant_viz.tree import Node, Tree, from_dict, threshold_number, to_dict, walk

FORMAT_VERSION = 1


class ModelFile(BaseEstimator):
    """`to_json` and `from_json` for estimators with `schema_`, and `tree_` or `estimators_`."""

    schema_: Schema

    def _check_options(self) -> None:
        raise NotImplementedError

    def _trees(self) -> list[Tree]:
        raise NotImplementedError

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        raise NotImplementedError

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model; it predicts the same after reading, bit by bit. The training data is not written."""
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
        body = serial.open_document(doc, "model", FORMAT_VERSION, where, sealed=True)
        if body.get("class") != cls.__name__:
            raise ValueError(f'{where}: expected "class": "{cls.__name__}", got {body.get("class")!r}')
        params = serial.field(body, "params", dict, where)
        try:
            model = cls(**{k: _param_in(v) for k, v in params.items()})
            model._check_options()
            model._restore(body, where)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{where}: {str(error).removeprefix(f'{where}: ')}") from error
        return model

    def _restore(self, body: serial.Json, where: str) -> None:
        self.schema_ = schema_in(body.get("columns"), where)
        self.n_features_in_ = len(self.schema_.columns)
        if all(isinstance(n, str) for n in self.schema_.names):
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        if is_classifier(self):
            self.classes_ = _classes_in(body.get("classes"))
        bounds = (0.0, 1.0) if is_classifier(self) else (-sys.float_info.max, sys.float_info.max)
        trees = serial.field(body, "trees", list, where)
        self._set_trees([_tree_in(t, self.schema_, bounds, f"{where}: tree {i}") for i, t in enumerate(trees)], where)


def _tree_in(d: object, schema: Schema, bounds: tuple[float, float], where: str) -> Tree:
    """A tree whose tests fit the columns and whose leaves predict what they may."""
    t = from_dict(d, where)
    for path, u in walk(t):
        if isinstance(u, Node):
            threshold_number(u, schema)
        elif not bounds[0] <= u.prediction <= bounds[1]:
            low, high = bounds
            raise ValueError(f"{where}: the leaf at {path!r} predicts {u.prediction}, not between {low:g} and {high:g}")
    return t


def _param_out(value: Any) -> Any:
    """Constructor arguments as JSON; a random state that is no seed cannot be written and becomes None."""
    if isinstance(value, Attacker):
        return value.to_dict()
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, (bool, int, float, str)) else None


def _param_in(value: Any) -> Any:
    return Attacker.from_dict(value) if isinstance(value, dict) else value


def _classes_out(classes: np.ndarray | None) -> serial.Json | None:
    if classes is None:
        return None
    values = classes.tolist()
    if not all(isinstance(v, (str, bool, int, float)) for v in values):
        raise TypeError(f"classes: only text, numbers, True and False can be written, got {values!r}")
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "values": values}


def _classes_in(d: Any) -> np.ndarray:
    """The two classes, in an array of the type that they had."""
    if not isinstance(d, dict):
        raise ValueError(f'"classes" must be an object, got {d!r}')
    dtype, values = serial.field(d, "dtype", str, '"classes"'), serial.field(d, "values", list, '"classes"')
    if len(values) != 2 or not all(isinstance(v, (str, bool, int, float)) for v in values):
        raise ValueError(f'"classes": expected two values, got {values!r}')
    if not re.fullmatch(r"object|[<>|=]?(b1|[iu][1248]|f[248]|U\d{1,4})", dtype):
        raise ValueError(f'"classes": the type {dtype!r} is not supported')
    classes = np.array(values, dtype=object if dtype == "object" else np.dtype(dtype))
    if classes.tolist() != values:
        raise ValueError(f'"classes": {values!r} do not fit the type {dtype!r}')
    return classes

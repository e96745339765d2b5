"""Models as JSON: no pickle, exact round trips, damaged or newer files refused.

Format "treant_viz.model", version 1: `class`, `params` (the constructor's), `columns` (name, categories), `classes`
(None for regressors), `trees` (nested tests and leaves), and a checksum of all this.
"""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from treant_viz import serial
from treant_viz.attacker import Attacker
from treant_viz.trace import schema_in
from treant_viz.tree import from_dict, to_dict

FORMAT_VERSION = 1


class ModelFile:
    """`to_json` and `from_json` for estimators with `schema_`, and `tree_` or `estimators_`."""

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model; it predicts the same after reading, bit by bit."""
        check_is_fitted(self)
        serial.write(self.to_dict(), path)

    def to_dict(self) -> serial.Json:
        """Plain JSON values."""
        columns = [{"name": c.name, "categories": _list(c.categories)} for c in self.schema_.columns]  # type: ignore[attr-defined]
        body = {
            "class": type(self).__name__,
            "params": {k: _param_out(v) for k, v in self.get_params(deep=False).items()},  # type: ignore[attr-defined]
            "columns": columns,
            "classes": _classes_out(getattr(self, "classes_", None)),
            "trees": [to_dict(t) for t in self._trees()],  # type: ignore[attr-defined]
        }
        return serial.document("model", FORMAT_VERSION, body, sealed=True)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model of this class."""
        return cls.from_dict(serial.read(path), str(path))

    @classmethod
    def from_dict(cls, doc: object, where: str = "model") -> Self:
        body = serial.open_document(doc, "model", FORMAT_VERSION, where, sealed=True)
        if body.get("class") != cls.__name__:
            raise ValueError(f'{where}: expected "class": "{cls.__name__}", got {body.get("class")!r}')
        params = serial.field(body, "params", dict, where)
        model = cls(**{k: _param_in(v, where) for k, v in params.items()})
        model._restore(body, where)
        return model

    def _restore(self, body: serial.Json, where: str) -> None:
        self.schema_ = schema_in(body.get("columns"), where)
        self.n_features_in_ = len(self.schema_.columns)
        if all(isinstance(n, str) for n in self.schema_.names):
            self.feature_names_in_ = np.array(self.schema_.names, dtype=object)
        if body.get("classes") is not None:
            self.classes_ = _classes_in(body["classes"], where)
        trees = serial.field(body, "trees", list, where)
        self._set_trees([from_dict(t, f"{where}: tree {i}") for i, t in enumerate(trees)], where)  # type: ignore[attr-defined]


def _list(values: Any) -> list[Any] | None:
    return None if values is None else [v.item() if isinstance(v, np.generic) else v for v in values]


def _param_out(value: Any) -> Any:
    """Constructor arguments as JSON; a random state that is no seed cannot be written and becomes None."""
    if isinstance(value, Attacker):
        return value.to_dict()
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, (bool, int, float, str)) else None


def _param_in(value: Any, where: str) -> Any:
    return Attacker.from_dict(value, f"{where}: attacker") if isinstance(value, dict) else value


def _classes_out(classes: np.ndarray | None) -> serial.Json | None:
    if classes is None:
        return None
    return {"dtype": "object" if classes.dtype.kind == "O" else classes.dtype.str, "values": classes.tolist()}


def _classes_in(d: Any, where: str) -> np.ndarray:
    dtype, values = (serial.field(d, k, t, f'{where}: "classes"') for k, t in (("dtype", str), ("values", list)))
    if dtype != "object" and np.dtype(dtype).kind not in "biufU":
        raise ValueError(f"{where}: classes of type {dtype!r} are not supported")
    return np.array(values, dtype=object if dtype == "object" else np.dtype(dtype))

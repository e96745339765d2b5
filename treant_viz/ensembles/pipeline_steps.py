"""What the steps of a pipeline make of a table's columns: which column each made one comes from.

Steps of which this is known, and which keep the order of numbers, can be undone; all others are refused by
name. Scalers take away a constant and divide by a positive one (or multiply and add): each is rounded once,
and rounding never turns an order around.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.core.table import Column, Schema, raw_columns

SCALERS = ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler")
ENCODERS = ("OneHotEncoder", "OrdinalEncoder")
KNOWN = (*ENCODERS, *SCALERS, "SimpleImputer", "ColumnTransformer", "Pipeline", "'passthrough'", "'drop'")
MIXED = ("PCA", "TruncatedSVD", "PolynomialFeatures", "Normalizer", "KernelPCA", "FastICA", "KNNImputer")
CURVED = ("PowerTransformer", "QuantileTransformer", "SplineTransformer", "KBinsDiscretizer")


class ColumnOrigin(NamedTuple):
    """Where a column comes from, and whether it was encoded or scaled on the way."""

    column: int
    encoded: bool = False
    scaled: bool = False


class ColumnTracker:
    """Follows columns through steps. `categories`: what encoders know of the columns that go to them."""

    def __init__(self) -> None:
        self.categories: dict[int, list[Any]] = {}
        self.computed: dict[int, str] = {}  # columns that a scaler or an imputer calculates with: its name
        self.odd: dict[int, str] = {}  # columns that cannot be numbers: why

    def after(self, step: Any, name: str, came: Sequence[ColumnOrigin]) -> list[ColumnOrigin]:
        """The columns that a step makes of these."""
        if step is None or isinstance(step, str):
            return [] if step == "drop" else list(came)
        kind = type(step).__name__ if type(step).__module__.startswith("sklearn.") else ""
        if kind == "Pipeline":
            for inner, part in step.steps:
                came = self.after(part, f"{name}__{inner}", came)
            return list(came)
        if kind == "ColumnTransformer":
            return self._columns(step, name, came)
        if kind == "FunctionTransformer" and step.func is None:
            return list(came)
        if kind in ENCODERS:
            return self._encoded(step, kind, name, came)
        if kind in SCALERS:
            self.computed |= dict.fromkeys((w.column for w in came if not w.encoded), name)
            return [w._replace(scaled=True) for w in came]
        if kind == "SimpleImputer":
            return self._filled(step, name, came)
        raise ValueError(
            f"model: step {name!r} of the pipeline ({type(step).__name__}) cannot be undone: "
            f"{_why(type(step).__name__)}; what can be undone: {', '.join(KNOWN)}"
        )

    def _columns(self, step: Any, name: str, came: Sequence[ColumnOrigin]) -> list[ColumnOrigin]:
        out: list[ColumnOrigin | None] = [None] * sum(s.stop - s.start for s in step.output_indices_.values())
        weights = step.transformer_weights or {}
        for part, transformer, _ in step.transformers_:
            here = [came[i] for i in step._transformer_to_input_indices[part]]
            if not here:
                continue
            if weights.get(part, 1) <= 0:
                why = f"step {name}__{part!r} has the weight {weights[part]:g}, which turns the order around"
                self.odd |= dict.fromkeys((w.column for w in here), why)
            elif part in weights:
                self.computed |= dict.fromkeys((w.column for w in here), f"{name}__{part}")
            out[step.output_indices_[part]] = self.after(transformer, f"{name}__{part}", here)
        return [w for w in out if w is not None]

    def _encoded(self, step: Any, kind: str, name: str, came: Sequence[ColumnOrigin]) -> list[ColumnOrigin]:
        for way, categories in zip(came, step.categories_, strict=True):
            if way.encoded:
                continue
            if way.scaled:
                raise ValueError(
                    f"model: step {name!r} of the pipeline ({kind}) encodes numbers that were scaled before: "
                    "which numbers of the table these were cannot be said"
                )
            self.categories.setdefault(way.column, []).extend(distinct(categories))
        copies = step._n_features_outs if kind == "OneHotEncoder" else [1] * len(came)
        return [w._replace(encoded=True) for w, n in zip(came, copies, strict=True) for _ in range(n)]

    def _filled(self, step: Any, name: str, came: Sequence[ColumnOrigin]) -> list[ColumnOrigin]:
        self.computed |= dict.fromkeys((w.column for w in came if not w.encoded), name)
        if not pd.isna(step.missing_values):
            why = f"step {name!r} fills in for {step.missing_values!r}, which breaks the order of numbers"
            self.odd |= dict.fromkeys((w.column for w in came), why)
        empty = np.zeros(len(came), dtype=bool) if step.keep_empty_features else _missing(step.statistics_)
        kept = [w for w, e in zip(came, empty, strict=True) if not e]
        flags = [] if step.indicator_ is None else [came[i] for i in step.indicator_.features_]
        return kept + [w._replace(scaled=True) for w in flags]

    def schema(self, X: Any, named: Mapping[int, Iterable[Any]]) -> Schema:
        """The columns of X. Those that are encoded are columns of categories, be these numbers or text."""
        plain = Schema.of(X)
        text = {f: c for f, c in named.items() if plain.columns[f].categorical}
        columns = plain.with_categories({f: c for f, c in text.items() if f not in self.categories}).columns
        return Schema(
            tuple(
                Column(c.name, tuple(dict.fromkeys(self.categories[f]))) if f in self.categories else c
                for f, c in enumerate(columns)
            )
        )

    def check_numbers(self, schema: Schema, X: Any, tested: set[int]) -> None:
        """Refuse columns of numbers on which steps depend in ways that cannot be undone exactly."""
        for f in sorted(tested):
            name, kind = schema.columns[f].name, raw_columns(X)[f].dtype
            if f in self.odd:
                raise ValueError(f"model: column {name!r} of the pipeline cannot be attacked: {self.odd[f]}")
            if f in self.computed and kind in (np.float32, np.float16):
                raise ValueError(
                    f"model: column {name!r} has numbers of {8 * kind.itemsize} bits, with which step "
                    f"{self.computed[f]!r} of the pipeline would calculate: make it float64"
                )


def _why(kind: str) -> str:
    if kind in MIXED:
        return "it mixes columns"
    if kind in CURVED:
        return "rounding may turn the order of numbers around"
    return "it is not known to keep columns apart and numbers in order"


def _missing(values: Any) -> np.ndarray:
    return np.asarray(pd.isna(np.asarray(values, dtype=object)), dtype=bool)


def distinct(values: Iterable[Any]) -> list[Any]:
    """What is not missing, as plain Python values, each once.

    >>> distinct([np.str_("b"), "a", None, np.int64(3), 3.0, "b"])
    ['b', 'a', 3]
    """
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    return list(dict.fromkeys(v for v in plain if not pd.isna(v)))

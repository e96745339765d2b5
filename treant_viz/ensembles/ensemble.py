"""Models in one common form: flat trees whose leaf values add up to a score, whoever trained them.

A model's raw score is base + scale * (the sum of one leaf value per tree), and its score is a rising function
of that (`link`): the mean of the leaves for a forest, the sigmoid of the sum for boosted classifiers. Every
node sends a set of values to the left: the numbers up to a threshold, or some categories; where the model
says so, missing values and zeros have a side of their own. `common_form.py` brings a model into this form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz.core.table import Column, Schema, column_names, raw_columns

Scores = Callable[[Any], np.ndarray]
LARGEST = float(np.finfo(float).max)
BY_THRESHOLD, TO_RIGHT, TO_LEFT = -1, 0, 1
ZERO = float(np.float32(1e-35))  # LightGBM takes what is no further from 0 than this for 0


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of all trees, one after the other; a leaf has feature -1. Children are places in arrays."""

    feature: np.ndarray
    threshold: np.ndarray  # of a test on numbers: left if x_f <= threshold
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    missing_left: np.ndarray  # does a missing value go left?
    zero: np.ndarray  # where a zero goes: by threshold, to the right, to the left
    members: Mapping[int, frozenset[int]]  # the codes of the categories that a test on categories sends left
    roots: np.ndarray

    @classmethod
    def of(cls, trees: Iterable[Nodes]) -> Nodes:
        """Several trees as one."""
        parts = list(trees)
        start = np.cumsum([0] + [len(p.feature) for p in parts[:-1]])
        names = ("feature", "threshold", "value", "missing_left", "zero")
        joined = {k: np.concatenate([getattr(p, k) for p in parts]) for k in names}
        moved = {
            k: [getattr(p, k) + s for p, s in zip(parts, start, strict=True)]
            for k in ("left", "right", "roots")
        }
        members = {u + int(s): m for p, s in zip(parts, start, strict=True) for u, m in p.members.items()}
        return cls(**joined, **{k: np.concatenate(v) for k, v in moved.items()}, members=members)

    @classmethod
    def tree(
        cls,
        feature: Any,
        threshold: Any,
        left: Any,
        right: Any,
        value: Any,
        missing_left: Any = False,
        zero: Any = BY_THRESHOLD,
        members: Mapping[int, frozenset[int]] | None = None,
    ) -> Nodes:
        """One tree from its columns; the root comes first."""
        n = len(feature)
        return cls(
            np.asarray(feature, dtype=np.int64),
            np.asarray(threshold, dtype=float),
            np.asarray(left, dtype=np.int64),
            np.asarray(right, dtype=np.int64),
            np.asarray(value, dtype=float),
            np.broadcast_to(np.asarray(missing_left, dtype=bool), n),
            np.broadcast_to(np.asarray(zero, dtype=np.int8), n),
            members or {},
            np.zeros(1, dtype=np.int64),
        )


def identity(raw: np.ndarray) -> np.ndarray:
    return np.asarray(raw)


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """A model in common form. `scores` and, of a classifier, `predict` ask the model itself; without one, the
    second class begins at a score of 0.5. `rounding` is what adding up leaves may get wrong, as a share of
    their size; `paths` names the leaves of a bare tree.
    """

    schema: Schema
    nodes: Nodes
    scores: Scores
    base: float = 0.0
    scale: float = 1.0
    link: Callable[[np.ndarray], np.ndarray] = identity
    classes: tuple[Any, Any] | None = None
    loss: Literal["sse", "log"] = "sse"
    missing: bool = False
    paths: tuple[str, ...] = ()
    predict: Callable[[Any], np.ndarray] | None = None
    rounding: float = 1e-12

    def score(self, total: np.ndarray) -> np.ndarray:
        """What the model says where the leaves of its trees add up to this."""
        return self.link(self.base + self.scale * total)

    def totals(self) -> tuple[float, float]:
        """The least and the greatest sum that any leaves could give."""
        leaf = self.nodes.feature < 0
        first = np.cumsum(leaf)[self.nodes.roots] - leaf[self.nodes.roots]
        least, most = (f.reduceat(self.nodes.value[leaf], first).sum() for f in (np.minimum, np.maximum))
        return float(least), float(most)

    def second_class(self, X: Any) -> np.ndarray:
        """Which rows a classifier puts into the second of its classes."""
        if self.predict is None or self.classes is None:
            return np.asarray(self.scores(X)) >= 0.5
        return np.asarray(self.predict(X)) == self.classes[1]

    def matrix(self, X: Any) -> np.ndarray:
        """X as numbers, categories as codes; missing values stay missing where the model takes them."""
        if not self.missing:
            return self.schema.matrix(X)
        data = raw_columns(X)
        holes = (
            np.column_stack([pd.isna(np.asarray(x)) for x in data]) if data else np.zeros((0, 0), dtype=bool)
        )
        if not holes.any():
            return self.schema.matrix(X)
        M = self.schema.matrix(_filled(X, holes, self.schema))
        return np.where(holes, np.nan, M)


def _filled(X: Any, holes: np.ndarray, schema: Schema) -> pd.DataFrame:
    """Something in every hole, so that the rest can be read."""
    frame = pd.DataFrame(X).copy()
    for j in map(int, np.flatnonzero(holes.any(axis=0))):
        categories = schema.columns[j].categories
        column = np.asarray(raw_columns(frame)[j], dtype=object).copy()
        column[holes[:, j]] = 0.0 if categories is None else categories[0]
        frame.isetitem(j, column)
    return frame


def two_classes(model: Any) -> tuple[Any, Any]:
    """The two labels of a classifier."""
    labels = getattr(model, "classes_", None)
    if labels is None or isinstance(labels, list) or len(labels) != 2:
        shown = (
            "several outputs" if isinstance(labels, list) else f"the classes {np.asarray(labels).tolist()}"
        )
        raise ValueError(f"model: only classifiers with two classes can be attacked; this one has {shown}")
    return labels[0], labels[1]


def check_names(expected: Sequence[str] | None, X: Any) -> None:
    """Refuse a data frame whose columns are not those that the model was fitted on."""
    given = column_names(X)
    if expected is not None and given is not None and given != tuple(expected):
        raise ValueError(
            f"X has the columns {', '.join(given[:12])}, "
            f"but the model was fitted on {', '.join(expected[:12])}, in this order"
        )


def number_schema(model: Any, X: Any) -> Schema:
    """The columns of a model that knows numbers alone, with the names of X where the model has none."""
    names = getattr(model, "feature_names_in_", None)
    check_names(None if names is None else [str(n) for n in names], X)
    given = column_names(X)
    width = int(model.n_features_in_)
    if len(raw_columns(X)) != width:
        raise ValueError(f"X has {len(raw_columns(X))} columns, but the model was fitted on {width}")
    shown: Sequence[str | int] = given or ([str(n) for n in names] if names is not None else range(width))
    return Schema(tuple(Column(n) for n in shown))


def as_fitted(model: Any, X: Any) -> Any:
    """X as the model wants it: without names if it was fitted without."""
    return X if hasattr(model, "feature_names_in_") or not hasattr(X, "to_numpy") else X.to_numpy()


def own_predict(model: Any) -> Scores:
    """What the model itself predicts."""
    return lambda Z: np.asarray(model.predict(as_fitted(model, Z)))


def float64_cut(threshold: np.ndarray) -> np.ndarray:
    """The largest number whose rounding to 32 bits is at most the threshold."""
    t = np.asarray(threshold, dtype=float)
    below = t.astype(np.float32)
    with np.errstate(over="ignore"):
        below = np.where(below > t, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
        middle = (below.astype(float) + above.astype(float)) / 2
        cut = np.where(middle.astype(np.float32) <= t, middle, np.nextafter(middle, -np.inf))
    return np.clip(cut, -LARGEST, LARGEST)  # beyond these is only infinity

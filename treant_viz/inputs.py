"""Checks of what users hand to the estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_feature_names, _check_n_features, column_or_1d

from treant_viz.table import column_names


def check_table(X: Any) -> None:
    """A table with rows and columns; sparse ones are refused."""
    if issparse(X):
        raise TypeError("X: sparse input is not supported; expected a dense array or a data frame (X.toarray() makes one)")
    shape = np.shape(X)
    if len(shape) != 2:
        raise ValueError(
            f"X: expected a table (2 dimensions), got {len(shape)}. Reshape your data: X.reshape(-1, 1) if it is one "
            "feature, X.reshape(1, -1) if it is one row"
        )
    if shape[0] == 0:
        raise ValueError(f"X: found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required")
    if shape[1] == 0:
        raise ValueError(f"X: 0 feature(s) (shape={shape}) while a minimum of 1 is required")


def check_columns(model: Any, X: Any, *, reset: bool) -> None:
    """Names and number of the columns, as scikit-learn has it; duplicate names are refused."""
    column_names(X)
    _check_feature_names(model, X, reset=reset)
    _check_n_features(model, X if hasattr(X, "shape") else np.asarray(X), reset=reset)


def check_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The two classes in order, and the labels as 0/1."""
    labels = _column(y, n)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        raise ValueError(f"y: two classes are needed, but all {n} labels are {classes[0]!r}: only one class")
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(labels)}: "
            f"y has {len(classes)} classes"
        )
    return classes, codes.astype(float)


def check_targets(y: Any, n: int) -> np.ndarray:
    """Finite numbers, one a row."""
    values = _column(y, n)
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"y: expected numbers, got {values[:3].tolist()!r}, ...") from None
    return numbers


def _column(y: Any, n: int) -> np.ndarray:
    if y is None:
        raise ValueError("y: requires y to be passed, but the target y is None")
    values = column_or_1d(y, warn=True)
    if len(values) != n:
        raise ValueError(f"y: {len(values)} labels for {n} rows: found input variables with inconsistent numbers of samples")
    if np.iscomplexobj(values):
        raise ValueError("Complex data not supported: y")
    if pd.isna(values).any():
        raise ValueError("y: Input y contains NaN")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("y: Input y contains infinity")
    return values


def check_weights(weight: Any, n: int) -> np.ndarray | None:
    """None, or one finite weight of at least 0 a row, not all of them 0."""
    if weight is None:
        return None
    values = np.full(n, weight, dtype=float) if np.isscalar(weight) else np.asarray(weight, dtype=float)
    if values.shape != (n,):
        raise ValueError(f"sample_weight: Sample weights must be 1D array or scalar, one of {n} rows; got shape {values.shape}")
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ValueError("sample_weight: expected finite numbers of at least 0, not all of them 0")
    return values

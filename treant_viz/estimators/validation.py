"""Checks of what users hand to the estimators: a refusal names the argument, what was given and expected."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from treant_viz.core.checks import LARGEST, is_whole
from treant_viz.core.table import as_table, column_names


def keep_options(estimator: object, given: dict[str, Any]) -> None:
    """Keeps the arguments of an `__init__` (its `locals()`) as they are: so scikit-learn wants them."""
    vars(estimator).update({k: v for k, v in given.items() if k not in ("self", "__class__")})


def check_table(X: Any) -> pd.DataFrame | np.ndarray:
    """A table with rows and columns; sparse ones are refused."""
    if issparse(X):
        raise TypeError(
            "X: sparse input is not supported; expected a dense array or a data frame (X.toarray() makes one)"
        )
    X = as_table(X)
    for n, what in zip(X.shape, ("sample(s)", "feature(s)"), strict=True):
        if n == 0:
            raise ValueError(f"X: found 0 {what} (shape={X.shape}) while a minimum of 1 is required.")
    return X


def check_columns(model: Any, X: pd.DataFrame | np.ndarray, *, reset: bool) -> None:
    """Names and number of the columns, as scikit-learn has it; duplicate names are refused."""
    column_names(X)
    validate_data(model, X, reset=reset, skip_check_array=True)


def check_rows(
    X: Any, y: Any, weight: Any
) -> tuple[pd.DataFrame | np.ndarray, np.ndarray, np.ndarray | None]:
    """X, y and weights that belong together. Rows of weight 0 are left out, their categories stay known."""
    X = check_table(X)
    y, w = _column(y, len(X)), check_weights(weight, len(X))
    if w is not None and not w.all():
        kept = np.flatnonzero(w)
        X, y, w = _kept(X, kept), y[kept], w[kept]
    if len(X) == 1:
        raise ValueError(
            "X: expected at least two rows to learn from, got one sample (n_samples=1 of weight above zero)"
        )
    return X, y, w


def _kept(X: pd.DataFrame | np.ndarray, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
    """Some of the rows; columns of text know the categories of all rows."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "biufc":
        return X[rows]
    table = pd.DataFrame(X)
    columns = dict(enumerate(_kept_column(x, rows) for _, x in table.items()))
    return pd.DataFrame(columns, index=table.index[rows]).set_axis(table.columns, axis=1)


def _kept_column(x: pd.Series, rows: np.ndarray) -> pd.Series:
    """Categories that no row of the kept ones has come last: they change nothing about what is learnt."""
    some = x.iloc[rows]
    if isinstance(x.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(x.dtype):
        return some
    used, known = ({v for v in values if isinstance(v, str)} for values in (some, x))
    if not used or any(
        not isinstance(v, str) for v in some.dropna()
    ):  # numbers, or a mixture: judged elsewhere
        return some
    return some.astype(pd.CategoricalDtype([*sorted(used), *sorted(known - used)]))


def check_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two classes in order, and the labels as 0/1."""
    try:
        with warnings.catch_warnings():  # scikit-learn's guesses about what is refused anyway
            warnings.simplefilter("ignore")
            check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise ValueError(
            f"y: expected labels of one kind, but text and numbers are mixed: {y[:3].tolist()!r}, ..."
        ) from None
    except ValueError as error:
        raise ValueError(f"y: expected two classes. {error}") from None
    if len(classes) == 1:
        raise ValueError(
            f"y: expected two classes, but all {len(y)} labels are {classes.tolist()[0]!r}: only one class"
        )
    if len(classes) > 2:
        raise ValueError(
            f"y: expected two classes, got {len(classes)}: {classes[:5].tolist()!r}. Only binary "
            f"classification is supported. The type of the target is {type_of_target(y)}"
        )
    return classes, codes.astype(float)


def check_targets(y: np.ndarray) -> np.ndarray:
    """Finite numbers whose squares can be summed."""
    text = [v for v in y.tolist() if isinstance(v, (str, bytes))] if y.dtype.kind in "OUS" else []
    try:
        numbers = y.astype(float)
    except (TypeError, ValueError, OverflowError):
        text = text or y[:1].tolist()
    if text:
        raise ValueError(f"y: expected numbers, got {text[0]!r}")
    if not np.isfinite(numbers).all():
        raise ValueError("y: expected finite numbers. Input y contains infinity")
    if np.abs(numbers).max() > LARGEST:
        raise ValueError(
            f"y: expected numbers of at most {LARGEST:g}, for squares are summed; got {numbers.max():g}"
        )
    return numbers


def _column(y: Any, n: int) -> np.ndarray:
    if y is None:
        raise ValueError("y: expected one label a row: requires y to be passed, but the target y is None")
    values = np.asarray(column_or_1d(y, warn=True))
    if len(values) != n:
        raise ValueError(
            f"y: expected one label for each of {n} rows, got {len(values)}: found input variables with "
            "inconsistent numbers of samples"
        )
    if np.iscomplexobj(values):
        raise ValueError("Complex data not supported: y")
    if pd.isna(values).any():
        raise ValueError("y: expected a label for every row. Input y contains NaN")
    if values.dtype.kind == "O" and all(
        isinstance(v, (bool, int, float, np.bool_, np.number)) for v in values
    ):
        values = np.array(values.tolist())  # numbers, or True and False, in a column of objects
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("y: expected finite labels. Input y contains infinity")
    return values


def check_weights(weight: Any, n: int) -> np.ndarray | None:
    """None, or one finite weight of at least 0 a row, not all of them 0."""
    if weight is None:
        return None
    try:
        values = np.full(n, weight, dtype=float) if np.isscalar(weight) else np.asarray(weight, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight: expected {n} numbers, got {weight!r}") from None
    if values.shape != (n,):
        raise ValueError(
            f"sample_weight: expected one number for each of {n} rows, got shape {values.shape}: "
            "Sample weights must be 1D array or scalar"
        )
    wrong = values[~(np.isfinite(values) & (values >= 0))]
    if len(wrong):
        raise ValueError(f"sample_weight: expected finite numbers of at least 0, got {float(wrong[0])!r}")
    if values.max() > LARGEST:
        raise ValueError(f"sample_weight: expected numbers of at most {LARGEST:g}, got {values.max():g}")
    if not values.any():
        raise ValueError("sample_weight: expected at least one weight above zero, but all of them are zero")
    return values


def how_many(value: Any, n: int, name: str, words: Sequence[str] = ()) -> int:
    """A number, or a share, of n things; None means all of them.

    >>> how_many(0.29, 100, "max_samples"), how_many("sqrt", 10, "max_features", ("sqrt", "log2"))
    (29, 3)
    """
    if value is None:
        return n
    if isinstance(value, str) and value in words:
        return max(1, int(np.sqrt(n) if value == "sqrt" else np.log2(n)))
    if is_whole(value) and 1 <= value <= n:
        return int(value)
    if isinstance(value, (float, np.floating)) and 0 < value <= 1:
        return max(1, int(float(value) * n + 1e-9))  # 0.29 * 100 is 28.999...
    others = "".join(f", {w!r}" for w in words)
    raise ValueError(
        f"{name}: expected a whole number from 1 to {n}, a share in (0, 1]{others} or None, got {value!r}"
    )

"""Rows rewritten by an attack: the same kind of table, columns and types as before wherever the values fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

Changes = Mapping[int, Mapping[int, Any]]  # column -> row -> new value


def rewritten(X: Any, changes: Changes) -> Any:
    """A copy of X with some values replaced."""
    if isinstance(X, pd.DataFrame):
        out = X.copy()
        for f, new in changes.items():
            out.isetitem(f, _series(X.iloc[:, f], new).array)
        return out
    table = np.array(X)
    for f, new in changes.items():
        column = _array(table[:, f], new)
        table = table.astype(np.result_type(table.dtype, column.dtype), copy=False)
        table[:, f] = column
    return table


def _series(column: pd.Series, new: Mapping[int, Any]) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        known = set(column.cat.categories)
        column = column.cat.add_categories([v for v in dict.fromkeys(new.values()) if v not in known])
    elif pd.api.types.is_numeric_dtype(column.dtype):
        return pd.Series(_array(column.to_numpy(), new), index=column.index, name=column.name)
    out = column.copy()
    out.iloc[list(new)] = list(new.values())
    return out


def _array(column: np.ndarray, new: Mapping[int, Any]) -> np.ndarray:
    """Numbers stay of their type if it holds the new ones; text grows as long as it must."""
    if column.dtype.kind not in "biuf":
        values = np.asarray(list(new.values()), dtype=object if column.dtype.kind == "O" else None)
        out = column.astype(np.result_type(column.dtype, values.dtype))
        out[list(new)] = values
        return out
    wide = column.astype(float)
    wide[list(new)] = list(new.values())
    with np.errstate(invalid="ignore", over="ignore"):
        same = wide.astype(column.dtype)
    return same if np.array_equal(same.astype(float), wide, equal_nan=True) else wide

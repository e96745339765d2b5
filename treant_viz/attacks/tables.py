"""Tables as the caller gave them: a row as a table, some rows of one, and rows rewritten by an attack.

A rewritten table is of the same kind, with the same columns, and of the same types wherever the values fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.attacks.moves import Move
from treant_viz.core.table import Schema

Changes = Mapping[int, Mapping[int, Any]]  # column -> row -> new value


def one_row(x: Any) -> pd.DataFrame | np.ndarray:
    """A mapping, a Series, a data frame of one row or a list of values as a table."""
    if isinstance(x, (Mapping, pd.Series)):
        return pd.DataFrame({k: [v] for k, v in x.items()})
    rows = x if isinstance(x, pd.DataFrame) else np.atleast_2d(np.asarray(x))
    if len(rows) != 1 or rows.ndim != 2:
        raise ValueError(
            f"x: expected one row (a mapping, a Series or a data frame of one row), got {len(rows)} rows"
        )
    return rows


def some_rows(X: Any, places: list[int]) -> Any:
    """The rows at some places."""
    return X.iloc[places] if isinstance(X, pd.DataFrame) else X[places]


def moved(X: Any, schema: Schema, moves: Iterable[Sequence[Move]]) -> Any:
    """A copy of X after each row's moves."""
    changes: dict[int, dict[int, Any]] = {}
    for row, path in enumerate(moves):
        for move in path:
            changes.setdefault(schema.index(move.rule.feature), {})[row] = move.after
    return rewritten(X, changes)


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

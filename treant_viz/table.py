"""Columns of numbers and of categories, told apart by what they hold, and coded by their distinct values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name (or its index, where the data has no names) and, if it is categorical, its categories."""

    name: str | int
    categories: tuple[Any, ...] | None = None

    @property
    def categorical(self) -> bool:
        return self.categories is not None


@dataclass(frozen=True)
class Schema:
    """The columns a table, a tree or a model speaks of."""

    columns: tuple[Column, ...]

    @cached_property
    def _places(self) -> dict[str | int, int]:
        return {c.name: i for i, c in enumerate(self.columns)}

    @property
    def names(self) -> tuple[str | int, ...]:
        return tuple(c.name for c in self.columns)

    def index(self, feature: Any, who: str = "feature") -> int:
        """The place of a feature given by name or by index."""
        if feature in self._places:
            return self._places[feature]
        if isinstance(feature, (int, np.integer)) and 0 <= feature < len(self.columns):
            return int(feature)
        raise ValueError(f"{who} {feature!r} is not a column; the columns are {_some(self.names)}")

    def matrix(self, X: Any) -> np.ndarray:
        """X as numbers, a category as its place among the column's categories; what does not fit is refused."""
        data = raw_columns(X)
        if len(data) != len(self.columns):
            raise ValueError(f"X has {len(data)} columns, but {len(self.columns)} are expected: {_some(self.names)}")
        self._check_names(X)
        return np.column_stack([_numbers(c, x) for c, x in zip(self.columns, data, strict=True)])

    def _check_names(self, X: Any) -> None:
        given = column_names(X)
        if given is not None and isinstance(self.names[0], str) and given != self.names:
            raise ValueError(f"X has the columns {_some(given)}, but {_some(self.names)} are expected, in this order")

    @classmethod
    def of(cls, X: Any, extra: Mapping[int, Iterable[Any]] | None = None) -> Schema:
        """The schema of data: text and `category` columns are categorical. `extra`: more categories by column."""
        data = raw_columns(X)
        names = column_names(X) or tuple(range(len(data)))
        extra = extra or {}
        return cls(tuple(Column(n, _categories(n, x, extra.get(i, ()))) for i, (n, x) in enumerate(zip(names, data))))


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names of a data frame's columns, if they are text; duplicates are refused."""
    if not isinstance(X, pd.DataFrame) or not all(isinstance(c, str) for c in X.columns):
        return None
    names = tuple(map(str, X.columns))
    if len(set(names)) < len(names):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise ValueError(f"X: column names must differ, but {_some(twice)} appear more than once")
    return names


def raw_columns(X: Any) -> list[np.ndarray | pd.Series]:
    """The columns of a data frame or of anything two-dimensional."""
    if isinstance(X, pd.DataFrame):
        return [X.iloc[:, j] for j in range(X.shape[1])]
    A = np.asarray(X)
    if A.ndim != 2:
        raise ValueError(f"X: expected a table (2 dimensions), got {A.ndim} dimension(s); reshape your data")
    return [A[:, j] for j in range(A.shape[1])]


def _categories(name: str | int, x: np.ndarray | pd.Series, extra: Iterable[Any]) -> tuple[Any, ...] | None:
    """None for numbers. Looks at every value, never at the first row alone."""
    if isinstance(x.dtype, pd.CategoricalDtype):
        found: Sequence[Any] = list(x.dtype.categories)
    elif pd.api.types.is_numeric_dtype(x.dtype):
        return None
    else:
        values = pd.unique(pd.Series(x))
        text = [isinstance(v, str) for v in values if not _missing(v)]
        if not any(text):
            return None
        if not all(text):
            raise ValueError(f"column {name!r} mixes text and numbers: make it one or the other")
        found = sorted(v for v in values if not _missing(v))
    return tuple(dict.fromkeys([*found, *extra]))


def _missing(v: Any) -> bool:
    return v is None or v is pd.NA or v is pd.NaT or (isinstance(v, float) and v != v)


def _numbers(column: Column, x: np.ndarray | pd.Series) -> np.ndarray:
    if column.categories is None:
        return _finite(column.name, _floats(column, x))
    codes = pd.Index(column.categories, dtype=object).get_indexer(pd.Index(np.asarray(x, dtype=object)))
    if (codes < 0).any():
        wrong = np.asarray(x, dtype=object)[int(np.argmax(codes < 0))]
        _refuse_category(column, wrong)
    return codes.astype(float)


def _refuse_category(column: Column, value: Any) -> None:
    if _missing(value):
        raise ValueError(f"column {column.name!r} contains NaN: fill or drop missing values first")
    if isinstance(value, (int, float, np.number)):
        raise ValueError(f"column {column.name!r} is categorical, but holds the number {value!r}")
    raise ValueError(f"column {column.name!r}: unknown category {value!r}; known are {_some(column.categories or ())}")


def _floats(column: Column, x: np.ndarray | pd.Series) -> np.ndarray:
    if isinstance(x.dtype, pd.CategoricalDtype):
        raise ValueError(f"column {column.name!r} is numeric, but holds categories")
    if np.issubdtype(np.asarray(x).dtype, np.complexfloating):
        raise ValueError(f"Complex data not supported: column {column.name!r}")
    try:
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        pass
    for value in x:
        if isinstance(value, str):
            raise ValueError(f"column {column.name!r} is numeric, but holds the text {value!r}")
        if not _missing(value) and not isinstance(value, (int, float, np.number)):
            raise TypeError(f"column {column.name!r}: argument must be a string or a real number, not {value!r}")
    return pd.to_numeric(pd.Series(x), errors="coerce").to_numpy(float)


def _finite(name: str | int, x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        what = "NaN: fill or drop missing values first" if np.isnan(x).any() else "infinity: only finite numbers work"
        raise ValueError(f"column {name!r} contains {what}")
    return x


def _some(names: Iterable[Any], most: int = 12) -> str:
    names = list(names)
    more = f", ... ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


@dataclass(frozen=True, eq=False)
class Table:
    """Data coded by distinct values: row i has the value `values[f][codes[i, f]]` in feature f."""

    schema: Schema
    codes: np.ndarray
    values: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, X: Any, schema: Schema) -> Table:
        M = schema.matrix(X)
        columns, values = [], []
        for j, column in enumerate(schema.columns):
            if column.categories is not None:
                columns.append(M[:, j].astype(np.int64))
                values.append(np.arange(len(column.categories), dtype=float))
            else:
                v, codes = np.unique(M[:, j], return_inverse=True)
                columns.append(codes.astype(np.int64))
                values.append(v + 0.0)
        return cls(schema, np.column_stack(columns), tuple(values))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        return self.codes.shape[1]

    @cached_property
    def matrix(self) -> np.ndarray:
        """The values themselves (categories as codes)."""
        return np.column_stack([v[c] for v, c in zip(self.values, self.codes.T, strict=True)])

    def threshold(self, f: int, code: int) -> Any:
        """The value behind a code, as a plain Python number or category."""
        categories = self.schema.columns[f].categories
        return float(self.values[f][code]) if categories is None else categories[code]

"""Columns of numbers and of categories, told apart by what they hold, and coded by their distinct values.

`reference` looks at the values of each row (`passes`); here whatever depends on a value is worked out once
for all rows that share it, and looked up by its code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name (its index, where the data has no names) and, if it is categorical, its categories."""

    name: str | int
    categories: tuple[Any, ...] | None = None

    @property
    def categorical(self) -> bool:
        return self.categories is not None

    @property
    def test(self) -> Literal["<=", "=="]:
        """How a tree asks about it."""
        return "<=" if self.categories is None else "=="


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
        """X as numbers, a category as its place among the column's; what does not fit is refused."""
        X = as_table(X)
        if X.shape[1] != len(self.columns):
            raise ValueError(
                f"X has {X.shape[1]} columns, but {len(self.columns)} are expected: {_some(self.names)}"
            )
        self._check_names(X)
        if _all_numbers(X) and all(c.categories is None for c in self.columns):
            numbers = np.array(X, dtype=float, order="C")  # as the columns beside each other below
            if np.isfinite(numbers).all():
                return numbers
        data = raw_columns(X)
        return np.column_stack([_numbers(c, x) for c, x in zip(self.columns, data, strict=True)])

    def _check_names(self, X: Any) -> None:
        given = column_names(X)
        if given is not None and isinstance(self.names[0], str) and given != self.names:
            raise ValueError(
                f"X has the columns {_some(given)}, but {_some(self.names)} are expected, in this order"
            )

    @classmethod
    def of(cls, X: Any, extra: Mapping[int, Iterable[Any]] | None = None) -> Schema:
        """The schema of data: text and `category` columns are categorical; `extra`: more categories."""
        data = raw_columns(X)
        names: Iterable[str | int] = column_names(X) or range(len(data))
        found = cls(tuple(Column(n, _categories(n, x)) for n, x in zip(names, data, strict=True)))
        return found.with_categories(extra or {})

    def with_categories(self, extra: Mapping[int, Iterable[Any]]) -> Schema:
        """The same columns; the categorical ones, by place, also know these categories."""
        return Schema(tuple(_extended(c, extra.get(i, ())) for i, c in enumerate(self.columns)))


def _extended(column: Column, extra: Iterable[Any]) -> Column:
    more = tuple(dict.fromkeys([*(column.categories or ()), *extra]))
    return column if column.categories is None else replace(column, categories=more)


def column_names(X: Any) -> tuple[str, ...] | None:
    """The names of a data frame's columns, if they are text; duplicates are refused, whatever they are."""
    if not isinstance(X, pd.DataFrame):
        return None
    if not X.columns.is_unique:
        twice = sorted(X.columns[X.columns.duplicated()].unique(), key=str)
        raise ValueError(f"X: column names must differ, but {_some(twice)} appear more than once")
    return tuple(map(str, X.columns)) if all(isinstance(c, str) for c in X.columns) else None


def raw_columns(X: Any) -> list[np.ndarray | pd.Series]:
    """The columns of a data frame or of anything two-dimensional."""
    X = as_table(X)
    if isinstance(X, pd.DataFrame):
        return [x for _, x in X.items()]
    return [X[:, j] for j in range(X.shape[1])]


def _all_numbers(X: pd.DataFrame | np.ndarray) -> bool:
    """Plain numbers everywhere: they can be taken all at once."""
    kinds = set(X.dtypes) if isinstance(X, pd.DataFrame) else {X.dtype}
    return all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds)


def as_table(X: Any) -> pd.DataFrame | np.ndarray:
    """A data frame as it is, anything else as an array of two dimensions; lists may mix text and numbers.

    >>> as_table([[1, "a"], [2, "b"]]).tolist()
    [[1, 'a'], [2, 'b']]
    """
    if isinstance(X, pd.DataFrame):
        return X
    try:
        A = np.asarray(X)
        if A.dtype.kind in "US" and not isinstance(X, np.ndarray):
            A = np.array(X, dtype=object)  # numpy has turned numbers into text
    except ValueError:
        raise ValueError("X: expected a table (2 dimensions), but its rows differ in length") from None
    if A.ndim != 2:
        raise ValueError(
            f"X: expected a table (2 dimensions), got {A.ndim} dimension(s). Reshape your data: "
            "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row"
        )
    return A


def _categories(name: str | int, x: np.ndarray | pd.Series) -> tuple[Any, ...] | None:
    """None for numbers. Looks at every value, never at the first row alone."""
    if isinstance(x.dtype, pd.CategoricalDtype):
        return tuple(_category(name, c) for c in x.dtype.categories)
    if pd.api.types.is_numeric_dtype(x.dtype):
        return None
    values = _distinct(name, x)
    text = [isinstance(v, str) for v in values]
    if not any(text):
        return None
    if not all(text):
        strange = values[text.index(False)]
        raise ValueError(
            f"column {name!r} mixes text and numbers, such as {strange!r}: make it one or the other"
        )
    return tuple(sorted(map(str, values)))


def _category(name: str | int, value: Any) -> Any:
    """A category as a plain Python value that JSON can hold."""
    plain = value.item() if isinstance(value, np.generic) else value
    good = isinstance(plain, str) or (
        _is_real(plain) and not isinstance(plain, bool) and math.isfinite(plain)
    )
    if not good:
        raise ValueError(
            f"column {name!r}: a category must be text or a finite number, got {plain!r}; "
            ".astype(str) makes text of it"
        )
    return plain


def _distinct(name: str | int, x: np.ndarray | pd.Series) -> list[Any]:
    """The distinct values of a column, but for missing ones; what is neither text nor a number is refused."""
    try:
        values = [v for v in pd.unique(pd.Series(x)) if not _missing(v)]
    except TypeError:  # not hashable
        values = list(x)
    for v in values:
        if np.iscomplexobj(v):
            raise ValueError(f"Complex data not supported: column {name!r} holds {v!r}")
        if not isinstance(v, str) and not _is_real(v):
            raise TypeError(f"column {name!r}: argument must be a string or a real number, not {v!r}")
    return values


def _is_real(v: Any) -> bool:
    return isinstance(v, (Real, Decimal, np.bool_)) and not isinstance(v, np.timedelta64)


def _missing(v: Any) -> bool:
    return v is None or v is pd.NA or v is pd.NaT or (isinstance(v, (float, np.floating)) and bool(v != v))


def _numbers(column: Column, x: np.ndarray | pd.Series) -> np.ndarray:
    if column.categories is None:
        return _finite(column.name, _floats(column, x))
    codes: np.ndarray
    kinds: Any
    if isinstance(x.dtype, pd.CategoricalDtype):
        codes, kinds = x.cat.codes.to_numpy(), x.dtype.categories
    else:
        codes, kinds = pd.factorize(np.asarray(x, dtype=object) if isinstance(x, np.ndarray) else x)
    known = pd.Index(column.categories, dtype=object).get_indexer(pd.Index(kinds, dtype=object))
    places = np.append(known, -1)[codes]  # what is missing has the code -1
    if (places < 0).any():
        _refuse_category(column, np.asarray(x, dtype=object)[int(np.argmax(places < 0))])
    return places.astype(float)


def _refuse_category(column: Column, value: Any) -> None:
    if _missing(value):
        raise ValueError(f"column {column.name!r} contains NaN: fill or drop missing values first")
    if isinstance(value, (int, float, np.number)) and all(
        isinstance(c, str) for c in column.categories or ()
    ):
        raise ValueError(f"column {column.name!r} is categorical, but holds the number {value!r}")
    raise ValueError(
        f"column {column.name!r}: unknown category {value!r}; known are {_some(column.categories or ())}"
    )


def _floats(column: Column, x: np.ndarray | pd.Series) -> np.ndarray:
    if isinstance(x.dtype, pd.CategoricalDtype):
        raise ValueError(f"column {column.name!r} is numeric, but holds categories")
    if pd.api.types.is_numeric_dtype(x.dtype) and not pd.api.types.is_complex_dtype(x.dtype):
        return pd.Series(x).to_numpy(dtype=float, na_value=math.nan)
    for v in _distinct(column.name, x):
        if isinstance(v, str):
            raise ValueError(f"column {column.name!r} is numeric, but holds the text {v!r}")
    try:
        return np.asarray(x, dtype=float)
    except (TypeError, OverflowError):  # pd.NA, or whole numbers beyond all floats
        return np.array([math.nan if _missing(v) else _float(v) for v in x], dtype=float)


def _float(v: Any) -> float:
    try:
        return float(v)
    except OverflowError:
        return math.inf


def _finite(name: str | int, x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all():
        what = (
            "NaN: fill or drop missing values first"
            if np.isnan(x).any()
            else "infinity: only finite numbers work"
        )
        raise ValueError(f"column {name!r} contains {what}")
    return x


def _some(names: Iterable[Any], most: int = 12) -> str:
    names = list(names)
    more = f", ... ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def plain_arrays(state: Mapping[str, Any]) -> dict[str, Any]:
    """Plain views: joblib hands workers large arrays as files mapped into memory, whose slices are slow."""
    return {k: np.asarray(v) if isinstance(v, np.ndarray) else v for k, v in state.items()}


@dataclass(frozen=True, eq=False)
class Table:
    """Data coded by distinct values: row i has the value `values[f][codes[i, f]]` in feature f.

    The sorted `values[f]` are also what a test on f may have as its threshold. They are the values that rows
    have, unless more were added as thresholds (`with_values`).
    """

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

    def with_values(self, more: Mapping[int, np.ndarray]) -> Table:
        """The same rows; columns of numbers, by place, also know these values, which no row need have."""
        values, codes = list(self.values), self.codes.copy()
        for f, extra in more.items():
            values[f] = np.unique(np.concatenate([self.values[f], extra + 0.0]))
            codes[:, f] = np.searchsorted(values[f], self.values[f])[self.codes[:, f]]
        return Table(self.schema, codes, tuple(values))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(plain_arrays(state))

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

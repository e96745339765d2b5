"""scikit-learn's pipelines in common form: encoders and scalers in front of any tree model.

A model behind a pipeline asks about columns that the steps before it made. Each of them comes from one column
of the table, so that a test on it is a test on that column. Of numbers, imputers and scalers keep the order,
rounding included: some number of 64 bits is the last one that goes left, and bisection over all such numbers
finds it. Of categories the steps are asked what they make of each. So the steps' own `transform` has the word
everywhere; what is assumed of them stands in `pipeline_steps.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core.attacker.on_table import rule_categories
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Column, Schema, raw_columns
from treant_viz.ensembles.ensemble import (
    BY_THRESHOLD,
    LARGEST,
    TO_LEFT,
    ZERO,
    Ensemble,
    Nodes,
    check_names,
)
from treant_viz.ensembles.pipeline_steps import ColumnOrigin, ColumnTracker, distinct

FARTHEST = 1e150  # between minus this and this the last number is looked for that goes left
Reader = Callable[[Any, Any, Attacker | None], Ensemble]


def from_pipeline(model: Any, X: Any, attacker: Attacker | None, read: Reader) -> Ensemble:
    """A fitted Pipeline; `read` brings the model at its end into common form."""
    if not model.__sklearn_is_fitted__():
        raise ValueError("model: this Pipeline is not fitted")
    names = getattr(model, "feature_names_in_", None)
    check_names(None if names is None else [str(n) for n in names], X)
    width, given = getattr(model, "n_features_in_", len(raw_columns(X))), len(raw_columns(X))
    if given != width:
        raise ValueError(f"X has {given} columns, but the model was fitted on {width}")
    before = model[:-1] if len(model.steps) > 1 else None
    ways = ColumnTracker()
    ends = [ColumnOrigin(f) for f in range(given)]
    for name, step in model.steps[:-1]:
        ends = ways.after(step, name, ends)
    probe = Probe(before, X, ways.schema(X, _named(X, attacker)))
    probe = replace(probe, schema=probe.with_unknown(_named(X, attacker)))
    last = model.steps[-1][1]
    if probe.sparse() and type(last).__module__.startswith("xgboost"):
        raise ValueError(
            "model: XGBoost takes the zeros of a sparse table for missing values: "
            "encode with sparse_output=False or set sparse_threshold=0"
        )
    inner = read(last, probe.table_of_one(), None)
    nodes = Translation(probe, ways, ends, inner).nodes()
    return replace(
        inner,
        schema=probe.schema,
        nodes=nodes,
        scores=_behind(before, inner.scores),
        predict=None if inner.predict is None else _behind(before, inner.predict),
        missing=True,
        paths=(),
    )


def _behind(before: Any, ask: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    return ask if before is None else lambda Z: ask(before.transform(Z))


def _named(X: Any, attacker: Attacker | None) -> dict[int, list[Any]]:
    plain = Schema.of(X)
    return rule_categories(attacker, lambda f: plain.index(f, who="attacker: the rule's feature"))


@dataclass(frozen=True)
class Probe:
    """Asks the steps before the model what they make of values: columns apart, so all at the same time."""

    before: Any
    X: Any
    schema: Schema

    def transformed(self, values: Mapping[int, Sequence[Any] | np.ndarray]) -> np.ndarray:
        """[place, made column]: the first value of each column, the second, and so on; at least one row."""
        Z = self._made(values)
        return np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=float)

    def sparse(self) -> bool:
        return hasattr(self._made({}), "toarray")

    def table_of_one(self) -> Any:
        """One row as the model gets it."""
        Z = self._made({})
        return Z.toarray() if hasattr(Z, "toarray") else Z

    def _made(self, values: Mapping[int, Sequence[Any] | np.ndarray]) -> Any:
        n = max((len(v) for v in values.values()), default=1)
        columns = [self._column(f, values.get(f, ()), n) for f in range(len(self.schema.columns))]
        table = self._table(columns)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return table if self.before is None else self.before.transform(table)

    def _table(self, columns: list[np.ndarray]) -> Any:
        if isinstance(self.X, pd.DataFrame):
            frame = pd.DataFrame(dict(enumerate(columns)))
            return frame.set_axis(self.X.columns, axis=1)
        text = any(c.dtype == object for c in columns)
        return np.column_stack([c.astype(object) if text else c for c in columns])

    def _column(self, f: int, values: Sequence[Any] | np.ndarray, n: int) -> np.ndarray:
        """These values, and as many more of any kind as there must be rows."""
        categories = self.schema.columns[f].categories
        filler = 0.0 if categories is None else next(iter(categories), 0.0)
        words = any(isinstance(c, str) for c in categories or ())
        if words or (categories is not None and raw_columns(self.X)[f].dtype == object):
            out = np.empty(n, dtype=object)
            out[:] = [*values, *[filler] * (n - len(values))]
            return out
        rest = np.full(n - len(values), filler, dtype=float)
        return np.concatenate([np.asarray(values, dtype=float), rest])

    def with_unknown(self, named: Mapping[int, Sequence[Any]]) -> Schema:
        """Categories of X or of rules that no encoder knows belong to a column if its encoder takes them."""
        columns = list(self.schema.columns)
        for f, column in enumerate(columns):
            known = column.categories
            if known is None:
                continue
            more = [
                v
                for v in distinct([*pd.unique(raw_columns(self.X)[f]), *named.get(f, ())])
                if v not in set(known)
            ]
            wider = replace(column, categories=(*known, *more))
            if more and self._takes(f, wider, more):
                columns[f] = wider
        return Schema(tuple(columns))

    def _takes(self, f: int, wider: Column, values: Sequence[Any]) -> bool:
        columns = (*self.schema.columns[:f], wider, *self.schema.columns[f + 1 :])
        try:
            replace(self, schema=Schema(columns)).transformed({f: values})
        except (ValueError, TypeError):
            return False
        return True


class Translation:
    """The nodes of the model at the end as tests on the columns of the table."""

    def __init__(
        self, probe: Probe, ways: ColumnTracker, ends: Sequence[ColumnOrigin], inner: Ensemble
    ) -> None:
        self.probe, self.ways, self.schema, self.inner = probe, ways, probe.schema, inner
        if len(ends) != len(inner.schema.columns):
            raise ValueError(
                f"model: the pipeline makes {len(inner.schema.columns)} columns, but {len(ends)} are expected"
            )
        if inner.nodes.members:
            raise ValueError(
                "model: a model with categorical features cannot be attacked behind a pipeline: "
                "encode them before"
            )
        asked = inner.nodes.feature
        self.tests = np.flatnonzero(asked >= 0)
        source = np.array([w.column for w in ends], dtype=np.int64)
        self.feature = np.where(asked >= 0, source[np.maximum(asked, 0)], -1)

    def nodes(self) -> Nodes:
        old = self.inner.nodes
        numeric = [f for f, c in enumerate(self.schema.columns) if c.categories is None]
        by_number = self.tests[np.isin(self.feature[self.tests], numeric)]
        self.ways.check_numbers(self.schema, self.probe.X, set(self.feature[by_number].tolist()))
        if (old.zero[by_number] != BY_THRESHOLD).any():
            raise ValueError("model: LightGBM with zero_as_missing cannot be attacked behind a pipeline")
        threshold = np.full(len(old.feature), np.nan)
        threshold[by_number] = self._last_to_left(by_number)
        return replace(
            old,
            feature=self.feature,
            threshold=threshold,
            missing_left=self._missing(),
            zero=np.full(len(old.feature), BY_THRESHOLD, dtype=np.int8),
            members=self._members(),
        )

    def _last_to_left(self, tests: np.ndarray) -> np.ndarray:
        """For each test the greatest number that goes left: bisection over all numbers of 64 bits."""
        asked = np.column_stack([self.inner.nodes.feature[tests], self.inner.nodes.threshold[tests]])
        pairs, where = np.unique(asked, axis=0, return_inverse=True)
        made, cut = pairs[:, 0].astype(np.int64), pairs[:, 1]
        column = np.zeros(len(pairs), dtype=np.int64)
        column[where.ravel()] = self.feature[tests]
        by_column = {int(f): np.flatnonzero(column == f) for f in np.unique(column)}

        def left(x: np.ndarray) -> np.ndarray:
            Z, out = self.probe.transformed({f: x[at] for f, at in by_column.items()}), np.zeros(len(x), bool)
            for at in by_column.values():
                out[at] = Z[np.arange(len(at)), made[at]] <= cut[at]
            return out

        n = len(pairs)
        low, high = (np.full(n, _place(np.array([s * FARTHEST]))[0]) for s in (-1, 1))
        never, always = ~left(_number(low)), left(_number(high))
        while (low + 1 < high).any():
            middle = (low >> 1) + (high >> 1) + (low & high & 1)
            passes = left(_number(middle))
            low, high = np.where(passes, middle, low), np.where(passes, high, middle)
        return np.where(always, LARGEST, np.where(never, -LARGEST, _number(low)))[where.ravel()]

    def _members(self) -> dict[int, frozenset[int]]:
        """For each test on a column of categories the codes of those that go left."""
        groups = {f: c.categories for f, c in enumerate(self.schema.columns) if c.categories is not None}
        Z, out = self.probe.transformed(groups), dict[int, frozenset[int]]()
        for f, categories in groups.items():
            for u in self.tests[self.feature[self.tests] == f].tolist():
                sides = self._left(
                    np.full(len(categories), u), Z[: len(categories), self.inner.nodes.feature[u]]
                )
                out[u] = frozenset(np.flatnonzero(sides).tolist())
        return out

    def _missing(self) -> np.ndarray:
        """Where missing values go, in columns that have some; None and nan must go the same way."""
        out, data = np.zeros(len(self.feature), dtype=bool), raw_columns(self.probe.X)
        for f in np.unique(self.feature[self.tests]).tolist():
            holes = {type(v): v for v in np.asarray(data[f], dtype=object)[np.asarray(pd.isna(data[f]))]}
            if not holes:
                continue
            tests = self.tests[self.feature[self.tests] == f]
            Z = self.probe.transformed({f: list(holes.values())})[:, self.inner.nodes.feature[tests]]
            name = self.schema.columns[f].name
            if np.isnan(Z).any() and not self.inner.missing:
                raise ValueError(f"column {name!r} contains NaN: fill or drop missing values first")
            sides = np.array([self._left(tests, z) for z in Z])
            if (sides != sides[0]).any():
                raise ValueError(
                    f"column {name!r}: the pipeline tells apart kinds of missing values: use one"
                )
            out[tests] = sides[0]
        return out

    def _left(self, u: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Do the tests u of the model send these made values left?"""
        old = self.inner.nodes
        with np.errstate(invalid="ignore"):
            by_zero = (old.zero[u] != BY_THRESHOLD) & (np.abs(z) <= ZERO)
            known = np.where(by_zero, old.zero[u] == TO_LEFT, z <= old.threshold[u])
        return np.where(np.isnan(z), old.missing_left[u], known)


def _place(x: np.ndarray) -> np.ndarray:
    """The place of numbers among all numbers of 64 bits, in order; that of 0 is 0."""
    bits = np.asarray(x, dtype=float).view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _number(place: np.ndarray) -> np.ndarray:
    """The number at a place.

    >>> _number(_place(np.array([-1.5, 0.0, 0.1]))).tolist()
    [-1.5, 0.0, 0.1]
    """
    bits = np.where(place < 0, np.iinfo(np.int64).min - place, place)
    return np.ascontiguousarray(bits).view(float)

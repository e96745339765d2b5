"""The rows on which a form shows what an attacker reaches: the user's own, or a few made-up values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core import serial
from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.table import Schema
from treant_viz.datasets import load_toy
from treant_viz.live.problem import problem_of
from treant_viz.viz.rule.facts import ValueStages, reach

NO_RULES = "x"  # the feature that is shown if there are neither data nor rules
OTHER = "any other"
MANY = 200  # rows that are searched for one that can be moved far


@dataclass(frozen=True, eq=False)
class FormRows:
    """Rows and labels, either of which may be missing. What is made up stays, whatever rules become."""

    X: pd.DataFrame | None = None
    y: np.ndarray | None = None
    schema: Schema | None = None
    given: dict[Any, list[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.X) if self.X is not None else max(map(len, self.given.values()), default=1)

    def keys(self, attacker: Attacker) -> list[Any]:
        """The features there are: columns, or those that rules and values name."""
        if self.schema is not None:
            return list(self.schema.names)
        return list(dict.fromkeys([*self.given, *attacker.features])) or [NO_RULES]

    def key(self, feature: Any, attacker: Attacker) -> Any:
        """A feature by its name in the data."""
        if self.schema is not None:
            return self.schema.names[self.schema.index(feature)]
        if feature not in (known := self.keys(attacker)):
            raise ValueError(f"feature: expected one that a rule names, {known}, got {feature!r}")
        return feature

    def named(self, attacker: Attacker) -> Attacker:
        """The same attacker, every feature under its name here."""
        rules = [replace(r, feature=self.key(r.feature, attacker)) for r in attacker.rules]
        return Attacker(rules, attacker.budget)

    def check(self, attacker: Attacker) -> None:
        """Refuse rules that do not fit the columns, all of them at once."""
        if self.schema is not None:
            serial.each([partial(self._fits, i, rule) for i, rule in enumerate(attacker.rules)])

    def _fits(self, i: int, rule: Rule) -> None:
        assert self.schema is not None
        with serial.reading(f"rule {i}"):
            rules_by_column(Attacker([rule], 1.0), self.schema)

    def categories(self, key: Any, attacker: Attacker) -> list[Any] | None:
        """Those in the data, then those that rules name; None for numbers."""
        rules = [r for r in attacker.rules if self.key(r.feature, attacker) == key]
        known: Sequence[Any] | None = None
        if self.schema is not None:
            known = self.schema.columns[self.schema.index(key)].categories
        elif any(r.categorical for r in rules) or OTHER in self.given.get(key, ()):
            known = [v for v in self.given.get(key, ()) if v != OTHER]
        named = [c for r in rules if r.categorical for c in (*(r.pre or ()), r.becomes)]
        return (
            None if known is None else [_plain(c) for c in dict.fromkeys([*known, *sorted(named, key=str)])]
        )

    def values(self, key: Any, attacker: Attacker) -> list[Any]:
        """Of all rows; made-up ones are made once."""
        if self.X is not None and self.schema is not None:
            return [_plain(v) for v in self.X.iloc[:, self.schema.index(key)].tolist()]
        if key not in self.given:
            self.given[key] = _made_up(attacker.rules_on(key))
        return self.given[key]

    def value(self, i: int, key: Any, attacker: Attacker) -> Any:
        if self.X is not None and self.schema is not None:
            return _plain(self.X.iloc[i, self.schema.index(key)])
        values = self.values(key, attacker)
        return values[min(i, len(values) - 1)]

    def label(self, i: int) -> str:
        """What a row is called: by its name if it has one of its own."""
        if self.X is None:
            return "a value"
        name = self.X.index[i]
        return name if isinstance(name, str) else f"x{i}"

    def reaches(self, i: int, attacker: Attacker) -> list[tuple[int, ValueStages]]:
        """What becomes of a row, by the places of the features that rules touch."""
        A, keys = self.named(attacker), self.keys(attacker)
        return [(keys.index(k), reach(A, k, self.value(i, k, A))) for k in A.features]

    def first_moved(self, key: Any, attacker: Attacker) -> int:
        """A row to begin with: one that can be moved far."""
        A, values = self.named(attacker), self.values(key, attacker)[:MANY]
        spread = {x: _spread(reach(A, key, x)) for x in dict.fromkeys(values)}
        return max(range(len(values)), key=lambda i: (spread[values[i]], -i), default=0)

    def moves(self, i: int, key: Any, attacker: Attacker) -> bool:
        """Whether the attacker can make anything else of a row's value."""
        return len(reach(attacker, key, self.value(i, key, attacker)).stages) > 1


def _spread(found: ValueStages) -> float:
    pieces = found.stages[-1].pieces
    width = pieces[-1][1] - pieces[0][0] if isinstance(pieces[0], tuple) else len(pieces)
    return float(min(width, 1e300))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _made_up(rules: Sequence[Rule]) -> list[Any]:
    """Values around an end of what rules apply to, a change apart; or every category that a rule names."""
    if any(r.categorical for r in rules):
        return [*sorted({c for r in rules for c in (*(r.pre or ()), r.becomes)}, key=str), OTHER]
    at = next((e for r in rules for e in (r.pre.high, r.pre.low) if math.isfinite(e)), 0.0)
    step = max((abs(d) for r in rules for d in r.delta if math.isfinite(d) and d), default=1.0)
    return [round(at + k * step, 9) for k in (-2, -1, 0, 1, 2)]


def rows_of(X: Any, y: Any, attacker: Attacker | None) -> tuple[FormRows, Attacker]:
    """Rows and attacker: given, or of a data set or a fitted tree; with nothing given, the toy's rule."""
    if attacker is not None and not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    toy = load_toy()
    if X is None:
        return FormRows(), attacker or toy.attacker
    if attacker is None and y is None and isinstance(X, pd.DataFrame) and X.equals(toy.X):
        X = toy
    bare = y is None and isinstance(X, (pd.DataFrame, np.ndarray, list))
    P = problem_of(X, np.zeros(len(X)) if bare else y, attacker or Attacker([], 1.0) if bare else attacker)
    return FormRows(P.X, None if bare else P.y, Schema.of(P.X)), attacker or P.attacker


__all__ = ["FormRows", "rows_of"]

"""The rows on which a form shows what an attacker reaches: the user's own, or a few made-up values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.datasets import load_toy
from treant_viz.live.problem import problem_of
from treant_viz.live.rule_words import attacker_code, reach_in_words
from treant_viz.viz.split_search.draw import feature_name
from treant_viz.viz.style.text import for_html
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST_CATEGORIES = 6  # in words
NO_RULES = "x"  # the feature that is shown if there are neither data nor rules
OTHER = "any other"


@dataclass(frozen=True, eq=False)
class ReachRows:
    """Rows and labels, either of which may be missing."""

    X: pd.DataFrame | None
    y: np.ndarray | None
    loss: str
    schema: Schema | None

    def names(self, attacker: Attacker) -> Sequence[Any]:
        """The features there are: columns, or those that rules name."""
        return self.schema.names if self.schema is not None else attacker.features or (NO_RULES,)

    def named(self, feature: Any, attacker: Attacker) -> Any:
        """A feature by its name in the data."""
        if self.schema is not None:
            return self.schema.names[self.schema.index(feature)]
        if feature not in self.names(attacker):
            raise ValueError(
                f"feature: expected one that a rule names, {list(attacker.features)}, got {feature!r}"
            )
        return feature

    def check(self, attacker: Attacker) -> None:
        """Refuse rules that do not fit the columns."""
        if self.schema is not None:
            rules_by_column(attacker, self.schema)

    def categories(self, feature: Any, attacker: Attacker) -> list[Any]:
        """Those in the data, then those that rules name."""
        known: Sequence[Any] = ()
        if self.schema is not None:
            known = self.schema.columns[self.schema.index(feature)].categories or ()
        told = [
            c for r in self._on(feature, attacker).rules if r.categorical for c in (*(r.pre or ()), r.becomes)
        ]
        return list(dict.fromkeys([*known, *sorted(told, key=str)]))

    def display(self, attacker: Attacker, feature: Any) -> TernaryPartitionDisplay:
        """The rows by a feature; the test is at the middle of its values or at a category a rule aims at."""
        if self.X is None:
            A, column = self._on(feature, attacker), self._column(feature, attacker)
            X, shown = column.to_frame(), column.name
        else:
            X, A, shown, column = self.X, attacker, feature, self._column(feature, attacker)
        y = np.zeros(len(X)) if self.y is None else self.y
        return TernaryPartitionDisplay.from_data(
            X, y, A, shown, self._threshold(feature, attacker), self.loss
        )

    def words(self, attacker: Attacker, feature: Any) -> str:
        """What the attacker can make of a few values of a feature, as HTML."""
        A, column = self._on(feature, attacker), self._column(feature, attacker)
        if self._categorical(feature, attacker):
            told = [c for r in A.rules for c in sorted(r.pre or (), key=str)]
            values = list(dict.fromkeys([*told, *column.value_counts().index.tolist()]))[:MOST_CATEGORIES]
        else:
            values = sorted({float(column.min()), self._threshold(feature, attacker), float(column.max())})
        who = feature if self.schema is not None else _name(feature)
        lines = "".join(f"<li>{for_html(line)}</li>" for line in reach_in_words(A, who, values))
        unlabelled = "" if self.y is not None else "<p>No labels are given, so all losses are 0.</p>"
        return f"<p><b>{for_html(feature_name(feature))} with this budget</b></p><ul>{lines}</ul>{unlabelled}"

    def code(self, attacker: Attacker, feature: Any) -> str:
        """Python that makes the same picture."""
        column = self._column(feature, attacker)
        head = f"A = {attacker_code(attacker)}\n"
        who, shown, y = "A", feature, "y"
        if self.X is None:
            shown = column.name
            made_up = f"X = pd.DataFrame({{{shown!r}: {column.tolist()!r}}})  # made up\n"
            head = f"import pandas as pd\n{head}{made_up}"
            if self._on(feature, attacker) != attacker:
                who, head = "only", f"{head}only = {attacker_code(self._on(feature, attacker))}\n"
        else:
            head = f"# X: your rows{'' if self.y is None else '; y: their labels'}\n{head}"
        if self.y is None:
            y = "[0] * len(X)"
        call = f"X, {y}, {who}, {shown!r}, {self._threshold(feature, attacker)!r}, loss={self.loss!r}"
        return f"{head}tv.TernaryPartitionDisplay.from_data({call})"

    def _column(self, feature: Any, attacker: Attacker) -> pd.Series:
        if self.X is not None and self.schema is not None:
            return self.X.iloc[:, self.schema.index(feature)]
        A = self._on(feature, attacker)
        made = _made_up_categories(A) if self._categorical(feature, A) else _made_up_numbers(A)
        return pd.Series(made, name=_name(feature))

    def _categorical(self, feature: Any, attacker: Attacker) -> bool:
        if self.schema is not None:
            return self.schema.columns[self.schema.index(feature)].categorical
        return any(r.categorical for r in attacker.rules if _name(r.feature) == _name(feature))

    def _threshold(self, feature: Any, attacker: Attacker) -> Any:
        """The median, if there are values beyond it; a category a rule aims at, or the most common one."""
        column = self._column(feature, attacker)
        if self._categorical(feature, attacker):
            found = next((r.becomes for r in self._on(feature, attacker).rules), column.mode().iloc[0])
            return found.item() if isinstance(found, np.generic) else found
        values = np.sort(column.to_numpy(dtype=float))
        below = values[values < values[-1]]
        return float(min(values[(len(values) - 1) // 2], below[-1] if len(below) else values[-1]))

    def _on(self, feature: Any, attacker: Attacker) -> Attacker:
        """The attacker's rules on a feature, under the name that the feature has here."""
        place = self.schema.index if self.schema is not None else lambda f: f
        mine = [r for r in attacker.rules if place(r.feature) == place(feature)]
        name = feature if self.schema is not None else _name(feature)
        return Attacker([replace(r, feature=name) for r in mine], attacker.budget)


def rows_of(X: Any, y: Any, attacker: Attacker | None) -> tuple[ReachRows, Attacker]:
    """Rows and attacker: given, or of a data set or a fitted tree; with nothing given, the toy's rule."""
    if attacker is not None and not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    toy = load_toy()
    if X is None:
        return ReachRows(None, None, "sse", None), attacker or toy.attacker
    if attacker is None and y is None and isinstance(X, pd.DataFrame) and X.equals(toy.X):
        X = toy
    if isinstance(X, (pd.DataFrame, np.ndarray, list)):
        told = y is not None
        P = problem_of(X, y if told else np.zeros(len(X)), attacker or Attacker([], 1.0))
    else:
        told, P = True, problem_of(X, y, attacker)
    return ReachRows(P.X, P.y if told else None, P.loss, Schema.of(P.X)), attacker or P.attacker


def _name(feature: Any) -> str:
    return feature if isinstance(feature, str) else feature_name(feature)


def _made_up_numbers(attacker: Attacker) -> list[float]:
    """Values around the ends of what rules apply to, a change apart."""
    ends = {e for r in attacker.rules for e in r.pre if math.isfinite(e)} or {0.0}
    changes = [abs(d) for r in attacker.rules for d in r.delta if math.isfinite(d) and d]
    step = max(changes, default=1.0)
    return sorted({e + k * step for e in sorted(ends)[:3] for k in (-2, -1, 0, 1, 2)})


def _made_up_categories(attacker: Attacker) -> list[Any]:
    """Every category that a rule names, and one that none does."""
    told = {c for r in attacker.rules for c in (*(r.pre or ()), r.becomes)}
    return [*sorted(told, key=str), OTHER]


__all__ = ["ReachRows", "rows_of"]

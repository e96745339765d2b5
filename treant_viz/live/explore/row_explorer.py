"""What explorers of one row share: its place and a budget as their state, and checks of both and of steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from traitlets import TraitError, TraitType, validate

from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.explore.base import LiveExplorer

VERDICT = -1  # the step after the last one
FEW_COINS = 4  # of the cheapest rule: a budget that is smaller leaves nothing to play with


class RowExplorer(LiveExplorer):
    """State: `row`, its place in X, and `budget`."""

    X: Any
    row: Any = TraitType(0).tag(state=True)
    budget: Any = TraitType(0.0).tag(state=True)

    def named(self, row: int) -> str:
        """What displays call the row."""
        return named(self.X, row)

    @property
    def row_as_code(self) -> str:
        return f"X.iloc[[{self.row}]]" if isinstance(self.X, pd.DataFrame) else f"X[{self.row}]"

    def asked_row(self, question: Mapping[str, Any]) -> int:
        """The row that the browser asks for."""
        try:
            return a_row(question.get("row"), len(self.X))
        except TraitError as error:
            raise ValueError(str(error)) from None

    @validate("row")
    def _a_row(self, proposal: Any) -> int:
        return a_row(proposal["value"], len(self.X))

    @validate("budget")
    def _a_budget(self, proposal: Any) -> float:
        return a_budget(proposal["value"])


def labelled(X: Any, y: Any) -> tuple[Any, np.ndarray, str]:
    """Rows, their labels as an array, and how code reads one of them from what was given."""
    rows, labels = X if isinstance(X, pd.DataFrame) else np.asarray(X), np.asarray(y)
    if labels.shape != (len(rows),) or not len(rows):
        raise ValueError(f"y: expected one label per row of X ({len(rows)}, at least 1), got {labels.shape}")
    return rows, labels, "y.iloc[{}]" if isinstance(y, pd.Series) else "y[{}]"


def made_from(display: Any) -> dict[str, Any]:
    """What a picture of one row was made from, the row as a table of one and its label."""
    given = dict(display.source or {})
    X = pd.DataFrame(one_row(given.pop("x"))).set_axis([display.label])
    return {"X": X, "y": np.array([given.pop("y")]), **given}


def named(X: Any, row: int) -> str:
    """What displays call a row."""
    name = X.index[row] if isinstance(X, pd.DataFrame) else row
    return name if isinstance(name, str) else f"row {name}"


def whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def a_row(value: Any, n: int) -> int:
    if not whole(value) or not 0 <= value < n:
        raise TraitError(f"row: expected a number from 0 to {n - 1}, got {value!r}")
    return int(value)


def a_step(trait: str, value: Any, last: int) -> int:
    """A number of moves; None is the verdict."""
    if value is None:
        return VERDICT
    if whole(value) and -1 <= value <= last:
        return int(value)
    raise TraitError(f"{trait}: expected a number from 0 to {last}, or -1 (verdict), got {value!r}")


def a_budget(value: Any, default: float | None = None) -> float:
    value = default if value is None else value
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not 0 <= value < math.inf:
        raise TraitError(f"budget: expected a finite number of at least 0, got {value!r}")
    return float(value)


def finite(attacker: Any) -> Attacker:
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    if math.isinf(attacker.budget):
        raise ValueError(
            "attacker: expected a finite budget, as its coins are counted; see attacker.with_budget"
        )
    return attacker


def most_coins(attacker: Attacker, budget: float) -> float:
    """The greatest budget to be played with."""
    costs = [rule.cost for rule in attacker.rules]
    return max(attacker.budget, FEW_COINS * min(costs, default=0.0), budget)


__all__ = [
    "VERDICT", "RowExplorer", "a_budget", "a_row", "a_step", "finite", "labelled", "made_from", "most_coins",
    "named",
]  # fmt: skip

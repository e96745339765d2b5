"""What the explorers of attacks on rows share: rows with labels, and checks of a row, a budget, a step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from traitlets import TraitError

from treant_viz.core.attacker.rules import Attacker

VERDICT = -1  # the step after the last one
FEW_COINS = 4  # of the cheapest rule: a budget that is smaller leaves nothing to play with
ROOM = 290_000  # letters of facts that a page may hold


def labelled(X: Any, y: Any) -> tuple[Any, np.ndarray, str]:
    """Rows, their labels as an array, and how code reads one of them from what was given."""
    rows, labels = X if isinstance(X, pd.DataFrame) else np.asarray(X), np.asarray(y)
    if labels.shape != (len(rows),) or not len(rows):
        raise ValueError(f"y: expected one label per row of X ({len(rows)}, at least 1), got {labels.shape}")
    return rows, labels, "y.iloc[{}]" if isinstance(y, pd.Series) else "y[{}]"


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
    """So many moves; None is the verdict."""
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
    "ROOM", "VERDICT", "a_budget", "a_row", "a_step", "finite", "labelled", "most_coins", "named",
]  # fmt: skip

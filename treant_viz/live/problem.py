"""What an explorer is about: rows, labels, an attacker and a loss, from a fitted tree or given one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core.attacker.rules import Attacker
from treant_viz.trace.trace import Trace
from treant_viz.trace.what_if import stump_trace


@dataclass(frozen=True, eq=False)
class Problem:
    """A training set under attack."""

    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker
    loss: str
    binary: bool

    def stumps(self) -> Callable[[float], Trace]:
        """By budget: the trace of the best stump, kept once made."""

        @lru_cache(maxsize=64)
        def best(budget: float) -> Trace:
            return stump_trace(self.X, self.y, self.attacker.with_budget(budget), self.loss)

        return best


def predictions(y: np.ndarray, binary: bool) -> tuple[float, float, float]:
    """For sliders: the least prediction, the greatest, a step; without bounds, those of labels and more."""
    if binary:
        return 0.0, 1.0, 0.01
    low, high = float(y.min()), float(y.max())
    room = (high - low) / 2 or 1.0
    step = 10.0 ** math.floor(math.log10(4 * room)) / 10
    return step * math.floor((low - room) / step), step * math.ceil((high + room) / step), step


def problem_of(
    what: Any, y: Any = None, attacker: Attacker | None = None, loss: str | None = None
) -> Problem:
    """From a fitted tree of ours, a trace, a data set, or rows, labels and an attacker."""
    if isinstance(what, Trace) or hasattr(what, "trace_"):
        t = trace_of(what)
        return Problem(t.X, t.y, t.attacker, t.loss.name, t.loss.binary)
    if hasattr(what, "X_train"):
        what, y, attacker = what.X_train, what.y_train, attacker or what.attacker
    elif hasattr(what, "attacker") and hasattr(what, "X"):
        what, y, attacker = what.X, what.y, attacker or what.attacker
    if y is None or attacker is None:
        raise TypeError("expected a fitted tree, a data set, or X with y and attacker; got X alone")
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    X = what if isinstance(what, pd.DataFrame) else pd.DataFrame(np.asarray(what))
    labels = np.asarray(y)
    binary = len(np.unique(labels)) == 2 and bool(np.isin(labels, (0, 1)).all())
    return Problem(X, labels, attacker, loss or ("log" if binary else "sse"), binary)


def trace_of(what: Any) -> Trace:
    """A trace as it is, or that of a fitted tree (recorded once, here)."""
    if isinstance(what, Trace):
        return what
    if not hasattr(type(what), "trace_"):
        raise TypeError(
            f"expected a fitted TreantClassifier or TreantRegressor, or a Trace; got {type(what).__name__}"
        )
    trace: Trace = what.trace_
    return trace


__all__ = ["Problem", "predictions", "problem_of", "trace_of"]

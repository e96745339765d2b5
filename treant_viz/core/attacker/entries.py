"""What may stand in a rule: features, costs, intervals, categories; all else is refused with its name."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.serial import shown


class Interval(NamedTuple):
    """A closed interval; its ends may be infinite."""

    low: float
    high: float

    def __str__(self) -> str:
        left = "(" if self.low == -math.inf else "["
        right = ")" if self.high == math.inf else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}"


EVERYTHING = Interval(-math.inf, math.inf)


def feature(feature: Any) -> str | int:
    if isinstance(feature, bool) or not isinstance(feature, (str, int, np.integer)):
        raise TypeError(f"feature: expected a column name or an index, got {shown(feature)}")
    if isinstance(feature, str):
        return str(feature)
    if not 0 <= feature <= sys.maxsize:
        raise ValueError(f"feature: an index counts from 0, got {shown(feature)}")
    return int(feature)


def flag(x: object, what: str) -> bool:
    if not isinstance(x, (bool, np.bool_)):
        raise TypeError(f"{what}: expected True or False, got {shown(x)}")
    return bool(x)


def number(x: object, what: str) -> float:
    try:
        value = float(x)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what}: expected a number, got {shown(x)}") from None
    except OverflowError:
        raise ValueError(f"{what}: expected a number that a float can hold, got {shown(x)}") from None
    if math.isnan(value):
        raise ValueError(f"{what}: expected a number, got nan")
    return value


def positive(x: object, what: str) -> float:
    value = number(x, what)
    if not 0 < value < math.inf:
        raise ValueError(f"{what}: expected a finite number above 0, got {shown(x)}")
    return value


def budget(x: object) -> float:
    value = number(x, "budget")
    if value < 0:
        raise ValueError(f"budget: expected a number of at least 0 (it may be infinite), got {shown(x)}")
    return value


def interval(ends: Any, what: str) -> Interval:
    if ends is None:
        return EVERYTHING
    if isinstance(ends, str) or not isinstance(ends, Collection) or len(ends) != 2:
        raise TypeError(f"{what}: expected two numbers (low, high), got {shown(ends)}")
    low, high = (number(e, what) for e in ends)
    if low > high:
        raise ValueError(f"{what}: the low end {low:g} is above the high end {high:g}")
    if low == math.inf or high == -math.inf:
        raise ValueError(f"{what}: [{low:g}, {high:g}] holds no number")
    return Interval(low, high)


def categories(pre: Any, what: str) -> frozenset[Any] | None:
    if pre is None:
        return None
    if isinstance(pre, str):
        return frozenset([pre])
    if not isinstance(pre, Collection) or not pre or isinstance(pre, Interval):
        raise TypeError(f"{what}: expected a set of categories, got {shown(pre)}")
    return frozenset(category(c, what) for c in pre)


def category(c: Any, what: str) -> str | float:
    """Text or a finite number, as plain Python has it."""
    plain = c.item() if isinstance(c, np.generic) else c
    number = (
        isinstance(plain, (int, float)) and not isinstance(plain, bool) and abs(plain) <= sys.float_info.max
    )
    if not number and not isinstance(plain, str):
        raise TypeError(f"{what}: a category is text or a finite number, got {shown(c)}")
    return plain


def numbers(x: Sequence[float], feature: object) -> np.ndarray:
    try:
        values = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"values of feature {shown(feature)}: expected numbers, got {shown(x)}") from None
    if not np.isfinite(values).all():
        raise ValueError(f"values of feature {shown(feature)}: expected finite numbers, got {shown(x)}")
    return values

"""Options that must be what they should be: a clear error otherwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

LARGEST = 1e100  # of labels and weights: their products must not overflow


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> None:
    """One of a few words or values."""
    if not any(isinstance(value, (type(c), np.bool_)) and value == c for c in choices):
        raise ValueError(f"{name}: expected {' or '.join(map(repr, choices))}, got {value!r}")


def check_whole(value: Any, name: str, low: int, high: int | None = None, *, none: bool = False) -> None:
    """A whole number within bounds."""
    if value is None and none:
        return
    if not is_whole(value) or value < low or (high is not None and value > high):
        upper = f" and at most {high}" if high is not None else ""
        raise ValueError(
            f"{name}: expected a whole number of at least {low}{upper}{' or None' * none}, got {value!r}"
        )


def check_number(value: Any, name: str, below: float = math.inf) -> None:
    """A number above 0, and below some other one."""
    if not _is_real(value) or not 0 < value < below:
        upper = "" if below == math.inf else f" and below {below:g}"
        raise ValueError(f"{name}: expected a finite number above 0{upper}, got {value!r}")


def check_share(value: Any, name: str) -> None:
    """A number from 0 to 1."""
    if not _is_real(value) or not 0 <= value <= 1:
        raise ValueError(f"{name}: expected a number from 0 to 1, got {value!r}")


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)

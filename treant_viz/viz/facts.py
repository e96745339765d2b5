"""What facts for the browser share: numbers short enough for a page, and names.

>>> exact(0.1 + 0.2), exact(float("inf")), exact(3.0)
(0.3, None, 3)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]
LOSSES = {"sse": "squared error", "log": "log-loss"}


def shown(feature: Any) -> str:
    """A column's name, or for data without names its place."""
    return feature if isinstance(feature, str) else f"x[{feature}]"


def exacts(column: Iterable[float]) -> list[float | None]:
    return [exact(x) for x in column]


def exact(x: float) -> float | None:
    """Twelve digits, more than any reader or test needs; whole numbers without a point."""
    if not math.isfinite(x):
        return None
    short = float(f"{float(x):.12g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


__all__ = ["LOSSES", "Json", "exact", "exacts", "shown"]

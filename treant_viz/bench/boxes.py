"""Boxes as a question for veritas: the greatest or the least that a model says between two ends a feature."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np


def box_optimum(
    veritas: Any,
    trees: Any,
    x: np.ndarray,
    moved: Mapping[int, tuple[float, float]],
    *,
    least: bool,
    seconds: float = math.inf,
) -> float:
    """The least or the greatest that veritas finds in a box around x: some features between two ends.

    Its intervals are of doubles and open above. So an end is closed by the very next double: with the next
    number of 32 bits instead, a feature that must not move could cross a threshold close by. scikit-learn
    rounds to 32 bits before it compares, so x is rounded here. nan: not found in so many CPU seconds.
    """
    start = time.process_time()
    fixed = np.asarray(x, dtype=np.float32).astype(float)
    ends = [moved.get(f, (v, v)) for f, v in enumerate(fixed.tolist())]
    box = [veritas.Interval(low, float(np.nextafter(high, np.inf))) for low, high in ends]
    kind = veritas.HeuristicType.MIN_OUTPUT if least else veritas.HeuristicType.MAX_OUTPUT
    config = veritas.Config(kind)
    config.stop_when_optimal = True
    search = config.get_search(trees, box)
    while not search.is_optimal():
        if time.process_time() - start > seconds:
            return math.nan
        search.step_for(min(10.0, seconds), 100)
    return float(search.get_solution(0).output)

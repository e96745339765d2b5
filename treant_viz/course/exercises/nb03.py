"""Exercises of notebook 03: the ternary partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from treant_viz.course.exercises.judge import a_number, called, exercise
from treant_viz.datasets import load_toy


def unknown(feature: str, threshold: float, budget: float) -> set[str]:
    """The rows of the toy that the attacker can move across a test."""
    toy = load_toy()
    A, x = toy.attacker.with_budget(budget), toy.X[feature].tolist()
    both = np.isfinite(A.cost_below(feature, x, threshold)) & np.isfinite(A.cost_above(feature, x, threshold))
    return set(toy.X.index[both])


@exercise(
    "03.1",
    hints=(
        "Write down p - 1 and p + 1 for every row. For which thresholds is this row unknown?",
        "Look for a gap between the intervals of neighbouring rows: at which value does the interval of x1 "
        "end, and at which does that of x2 begin?",
    ),
    praise="Every threshold from -4 up to, but not including, 0 will do. No value of p in "
    "the data lies there: "
    "keep this in mind until notebook 04.",
)
def threshold_without_unknown_rows(answer: Any) -> str | None:
    """A threshold on p that separates the rows of the toy and leaves none of them unknown at budget 1."""
    threshold, p = a_number(answer), load_toy().X["p"]
    if (p <= threshold).all() or (p > threshold).all():
        return "That threshold sends all rows to the same side."
    if not (left := sorted(unknown("p", threshold, 1.0))):
        return None
    edge = " Mind the edge: a value equal to the threshold passes the test." if _on_edge(p, threshold) else ""
    return f"At p <= {threshold:g} the attacker can send {' and '.join(left)} either way.{edge}"


def _on_edge(p: Any, threshold: float) -> bool:
    """Whether some row, moved by one coin, lands exactly on the threshold."""
    return bool((abs(p - threshold) == 1.0).any())


CASES = [
    (1.0, 1.0),
    (3.0, 1.0),
    (1.9, 1.0),
    (0.0, 0.0),
    (5.0, 1.0),
    (-1.0, 4.0),
    (2.0, 1.0),
    (2.5, 1.0),
]  # x, radius


@exercise(
    "03.2",
    hints=(
        "The attacker can turn x into anything between x - radius and x + radius. Compare both ends with v.",
        "Which of the two ends tells you that a value is surely left? Which one that it is surely right?",
    ),
    praise="You have just written the ternary partition, for an attacker who can shift a "
    "value by up to a radius.",
)
def side_of_a_value(answer: Any) -> str | None:
    """A function (x, v, radius) that says "left", "unknown" or "right"."""
    for x, radius in CASES:
        v = 2.0
        right = "left" if x + radius <= v else "right" if x - radius > v else "unknown"
        given = called(answer, x, v, radius)
        if given not in ("left", "unknown", "right"):
            return f'The function should return "left", "unknown" or "right", not {given!r}.'
        if given != right:
            edge = (
                " Mind the edge: a value equal to v passes the test x <= v."
                if v in (x + radius, x - radius)
                else ""
            )
            return f"For x = {x:g}, v = {v:g}, radius = {radius:g} it says {given!r}, which is wrong.{edge}"
    return None

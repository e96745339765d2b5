"""Exercises of notebook 03: the ternary partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from treant_viz.course.exercises.judge import a_set, called, exercise
from treant_viz.datasets import load_toy


def unknown(feature: str, threshold: float, budget: float) -> set[str]:
    """The toy's rows that are the attacker's."""
    toy = load_toy()
    A, x = toy.attacker.with_budget(budget), toy.X[feature].tolist()
    both = np.isfinite(A.cost_below(feature, x, threshold)) & np.isfinite(A.cost_above(feature, x, threshold))
    return set(toy.X.index[both])


@exercise(
    "03.1",
    hints=(
        "A row is unknown if what the attacker can make of its value lies on both sides of the line.",
        "Write down [p - 3, p + 3] for every row. Which of these intervals hold 1 and something above 1?",
    ),
    praise="Four rows share p = 3, so one more coin of budget hands all of them to the attacker at once.",
)
def unknown_with_three_coins(answer: Any) -> str | None:
    """Which rows of the toy are unknown at p <= 1 if the budget is 3?"""
    given, right = a_set(answer), unknown("p", 1.0, 3.0)
    if given == right:
        return None
    if strange := given - set(load_toy().X.index):
        return f"{sorted(map(str, strange))[0]} is no row of the toy: rows are called x0 to x6."
    if given == unknown("p", 1.0, 1.0):
        return "That is the answer for a budget of 1: with 3 the rule can be applied three times."
    if missing := right - given:
        return f"{len(missing)} more row{'s' * (len(missing) != 1)} can be moved across the line."
    return "At least one of these rows stays on its side, whatever the attacker does."


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
        "The attacker can make anything between x - radius and x + radius of x. Compare both ends with v.",
        "Which of the two ends decides whether a value is surely left? Which one whether it is surely right?",
    ),
    praise="That is the definition of ternary partitioning for one rule that may shift a value "
    "by up to a radius.",
)
def side_of_a_value(answer: Any) -> str | None:
    """A function (x, v, radius) that says "L", "U" or "R"."""
    for x, radius in CASES:
        v = 2.0
        right = "L" if x + radius <= v else "R" if x - radius > v else "U"
        given = called(answer, x, v, radius)
        if given not in ("L", "U", "R"):
            return f'The function should return "L", "U" or "R", not {given!r}.'
        if given != right:
            edge = (
                " Mind the edge: a value equal to v passes the test x <= v."
                if v in (x + radius, x - radius)
                else ""
            )
            return f"For x = {x:g}, v = {v:g}, radius = {radius:g} it says {given!r}, which is wrong.{edge}"
    return None

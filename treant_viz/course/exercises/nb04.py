"""Exercises of notebook 04: the robust split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from treant_viz.core.losses import SSE
from treant_viz.core.solvers.real import best_pair
from treant_viz.course.exercises.judge import called, exercise, numbers, same

FREE = ((-math.inf, math.inf),)


def _best(
    left: Sequence[float], right: Sequence[float], unknown: Sequence[float]
) -> tuple[float, float, float]:
    """Equation 2 for squared error: the best leaves and their loss under attack."""
    moments = [np.array([len(y), np.sum(y), np.sum(np.square(y))], dtype=float) for y in (left, right)]
    u = np.sort(np.asarray(unknown, dtype=float))
    return best_pair(moments[0], moments[1], u, np.ones(len(u)), FREE, FREE)


def _around_mean(y: Sequence[float]) -> float:
    return float(np.sum(np.square(np.asarray(y) - np.mean(y))))


@exercise(
    "04.1",
    hints=(
        "Guess where the row with label 2 is sent, take the mean of each side, and check your guess.",
        "The left leaf hurts a row more if its label lies above the middle of the two leaves. Is 2 above it?",
    ),
    praise="The middle of the two leaves, 2.33, lies above the label 2: it is sent right, as was guessed.",
)
def best_leaves(answer: Any) -> str | None:
    """The best leaves for labels 0, 0 surely left, 6, 6 surely right, 2 unknown."""
    y_l, y_r = numbers(answer, 2)
    right_l, right_r, _ = _best([0, 0], [6, 6], [2])
    if same(y_l, right_l) and same(y_r, right_r):
        return None
    if same(y_l, right_r) and same(y_r, right_l):
        return "The two leaves are the wrong way round: the answer is (y_l, y_r)."
    if same(y_l, 2 / 3) and same(y_r, 6):
        return "These are the means if the unknown row goes left. Check: would the attacker send it there?"
    if same(y_l, 0) and same(y_r, 6):
        return "The unknown row must count in one of the two leaves, and in yours it counts in neither."
    if same(y_l, 2 / 3) and same(y_r, 14 / 3):
        return "The unknown row is counted in both leaves: it can be in one place only."
    which = "left" if not same(y_l, right_l) else "right"
    return f"The {which} leaf is not right yet."


ASKED = [  # label, left leaf, right leaf
    (0.0, -1.5, 1.6), (0.0, -2.0, 1.0), (3.0, 0.0, 4.0), (1.0, 4.0, 0.0),
    (0.0, -1.5, 1.5), (2.0, 1.0, 1.0), (0.0, 3.0, 1.0),
]  # fmt: skip


@exercise(
    "04.2",
    hints=(
        "Compare the two losses, (y_l - y) ** 2 and (y_r - y) ** 2. The attacker wants the larger one.",
        "There are three cases in the definition. What happens if the two losses are equal?",
    ),
    praise="That is the definition of robust splitting for an unknown row. The threshold plays no part "
    "in it, except when both leaves hurt equally.",
)
def where_it_is_sent(answer: Any) -> str | None:
    """A function (y, y_l, y_r, unattacked) that says "left" or "right"."""
    for (y, y_l, y_r), unattacked in product(ASKED, ("left", "right")):
        worse = int(SSE.worse_on_left(y_l, y_r, np.array([y]))[0])
        right = unattacked if worse == 0 else "left" if worse > 0 else "right"
        given = called(answer, y, y_l, y_r, unattacked)
        if not isinstance(given, str) or given not in ("left", "right"):
            return f'The function should return "left" or "right", not {given!r}.'
        if given != right:
            tie = " Both leaves hurt this row equally, so the attacker keeps the coin." if worse == 0 else ""
            return (
                f"For y = {y:g}, leaves {y_l:g} and {y_r:g}, unattacked {unattacked!r} it says {given!r}, "
                f"which is wrong.{tie}"
            )
    return None


@exercise(
    "04.3",
    hints=(
        "A side with a zeros and b ones has the squared error a * b / (a + b) around its mean.",
        "All four unknown rows go left if nobody attacks, so two of the four cases are the same as "
        "the other two. The attacker of Equation 2 sends 0s and 1s to different sides.",
    ),
    praise="The estimate is 40 % too low, and no choice of leaves can make it true.",
)
def estimate_and_least(answer: Any) -> str | None:
    """The estimate of the four cases and the least L^A: three 0s left, three 1s right; 0, 0, 1, 1 unknown."""
    estimate, least = numbers(answer, 2)
    left, right, unknown = [0.0] * 3, [1.0] * 3, [0.0, 0.0, 1.0, 1.0]
    cases = [
        _around_mean(left + unknown) + _around_mean(right),
        _around_mean(left) + _around_mean(right + unknown),
    ]
    true_estimate, true_least = max(cases), _best(left, right, unknown)[2]
    if same(estimate, true_estimate) and same(least, true_least):
        return None
    if same(estimate, true_least) and same(least, true_estimate):
        return "The other way round: the estimate comes first."
    if not same(estimate, true_estimate):
        return (
            "The estimate is not right yet. Write down the labels on both sides for each of the four cases."
        )
    if same(least, true_estimate):
        return "That would be true if the attacker had to treat all unknown rows alike."
    if same(least, _with_leaves(2 / 7, 1.0)):
        return "That is L^A of the standard leaves, 2/7 and 1. Other leaves are better."
    return f"The least L^A is {'greater' if least < true_least else 'smaller'} than that."


def _with_leaves(y_l: float, y_r: float) -> float:
    """L^A in the last exercise."""
    sure = 3 * SSE.ell(y_l, 0.0) + 3 * SSE.ell(y_r, 1.0)
    return float(sure + 2 * sum(max(SSE.ell(y_l, y), SSE.ell(y_r, y)) for y in (0.0, 1.0)))

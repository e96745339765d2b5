"""Exercises of notebook 12: an ensemble that knows it is attacked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.course.exercises.judge import Wrong, called, exercise, numbers, same

VOTES = (
    [[0.8, 0.6, 0.4], [-0.8, 0.6, 0.4], [0.8, -0.4, -0.4]],
    [[1.0, 2.0], [0.5, -1.0]],
    [[0.3, -0.2, 0.1, 0.4], [0.3, -0.5, -0.4, 0.9], [-0.6, 0.2, 0.1, 0.1]],
    [[0.7]],
)


@exercise(
    "12.1",
    hints=(
        "One of the two numbers needs the smallest entry of each column, the other the sum of each line.",
        "`votes.min(axis=0)` goes down the columns, `votes.sum(axis=1)` along the lines. Then one more step.",
    ),
    praise="First the smallest, then the sum: a bound. First the sum, then the smallest: the truth. The "
    "first needs no attack on the ensemble, only one look at each tree.",
)
def bound_and_margin(answer: Any) -> str | None:
    """A function of an array with a line for each attack and a column for each tree."""
    for lines in VOTES:
        votes = np.array(lines)
        given = numbers(called(answer, votes.copy()), 2)
        bound, exact = votes.min(axis=0).sum(), votes.sum(axis=1).min()
        if same(given[0], bound) and same(given[1], exact):
            continue
        case = f"For the table {lines}"
        if same(given[1], bound) and same(given[0], exact):
            return f"{case} both numbers are right, but the bound comes first."
        if same(given[0], votes.min(axis=1).sum()):
            return (
                f"{case} your bound takes the smallest entry of each line, so of each attack, not each tree."
            )
        if same(given[1], votes.sum(axis=1)[0]):
            return f"{case} your second number is the margin without an attack, in the first line."
        if same(given[1], votes.min()):
            return f"{case} your second number is the smallest single entry: all trees see the same attack."
        which = "second" if same(given[0], bound) else "first"
        return f"{case} the {which} number is wrong."
    return None


SHARES = (0, 25, 50, 75, 100)
FORESTS = (
    ([0.80, 0.84, 0.83, 0.81, 0.78], [0.40, 0.45, 0.60, 0.70, 0.77]),
    ([0.90, 0.89, 0.86, 0.84, 0.80], [0.50, 0.66, 0.70, 0.71, 0.79]),
)
OFTEN = (0.0, 0.05, 0.2, 0.5, 1.0)


@exercise(
    "12.2",
    hints=(
        "On a share `often` of the days the line `attacked` counts, on all others the line `unattacked`.",
        "Weigh the two Series and add them up; `.idxmax()` then says where the largest value stands.",
    ),
    praise="Robust trees pay off even if attacks are rare, because an attack costs a standard tree so much "
    "more than robustness costs on a quiet day.",
)
def best_share_of_robust_trees(answer: Any) -> str | None:
    """A function of two Series and of how often somebody attacks."""
    for quiet, stormy in FORESTS:
        unattacked, attacked = pd.Series(quiet, SHARES), pd.Series(stormy, SHARES)
        for often in OFTEN:
            given = called(answer, unattacked.copy(), attacked.copy(), often)
            if isinstance(given, (pd.Series, np.ndarray, list, tuple, bool, str)):
                raise Wrong(f"One share is expected, such as 25, your function returned {given!r}.")
            days = (1 - often) * unattacked + often * attacked
            if given == days.idxmax():
                continue
            case = f"With an attack on {often:.0%} of the days"
            if given == days.argmax():
                return f"{case} you return the place in the line, not the share that stands there."
            if same(given, days.max()):
                return f"{case} you return the ROC AUC; the share that has it is asked for."
            if given == (often * unattacked + (1 - often) * attacked).idxmax():
                return f"{case} you weigh the quiet days as if they were the attacked ones."
            return f"{case} {given} is not the best of the shares {list(SHARES)}."
    return None


REACHES: tuple[tuple[list[float], list[float]], ...] = (
    ([-8, -6, 0, 2, 2], [-6, -4, 2, 4, 4]),
    ([1.5, 0.0], [3.0, 9.5]),
    ([2.0, 5.0, 7.0], [4.0, 5.0, 8.0]),
)


def changes(lows: Sequence[float], highs: Sequence[float]) -> list[float]:
    """Thresholds at which the parts are others than just before, found by trying them all."""

    def parts(v: float) -> list[str]:
        spans = zip(lows, highs, strict=True)
        return ["right" if low > v else "left" if high <= v else "unknown" for low, high in spans]

    return [v for v in sorted({*lows, *highs}) if parts(v) != parts(v - 1e-6)]


def _turn(v: float, lows: Sequence[float], highs: Sequence[float]) -> str:
    """What becomes of a row at a threshold where something changes."""
    if (v, v) in zip(lows, highs, strict=True):
        return "changes sides"
    return "becomes unknown" if v in lows else "stops being unknown"


@exercise(
    "12.3",
    hints=(
        "At which threshold does a row that can go from low to high become unknown, and where does that end?",
        "Both ends of every row count. A set has each of them once, and `sorted` makes a list of it.",
    ),
    praise="Between two neighbours of this list every row stays where it is, so no threshold there can have "
    "another loss under attack.",
)
def thresholds_that_matter(answer: Any) -> str | None:
    """A function of the lower and the upper ends of what rows can reach."""
    for lows, highs in REACHES:
        given = called(answer, list(lows), list(highs))
        if not isinstance(given, (list, tuple, np.ndarray)):
            raise Wrong(f"A list of thresholds is expected, your function returned {type(given).__name__}.")
        found, right = [float(v) for v in given], changes(lows, highs)
        if found == right:
            continue
        case = f"For the lower ends {lows} and the upper ends {highs}"
        if set(found) == set(right):
            return f"{case} the thresholds are right, but they are not sorted, or not each of them once."
        if missing := sorted(set(right) - set(found)):
            what = _turn(missing[0], lows, highs)
            return f"{case} some are missing: at {missing[0]:g}, for example, a row {what}."
        strange = min(set(found) - set(right))
        return f"{case} nothing changes at {strange:g}: compare the partitions just before and there."
    return None

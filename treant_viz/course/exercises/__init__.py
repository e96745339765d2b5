"""Exercises that check themselves: `check` judges an answer, `hint` helps, and neither gives it away.

>>> check("03.1", ...)
Exercise 03.1: no answer yet.
>>> check("03.1", 1)
Exercise 03.1: not yet. At p <= 1 the attacker can send x2 either way.
Hint 1 of 2: Write down p - 1 and p + 1 for every row. For which thresholds is this row unknown?
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from treant_viz.course.exercises.judge import EXERCISES, Exercise, Verdict
from treant_viz.course.exercises.progress import Progress, progress_in, remember

_GIVEN: Counter[str] = Counter()  # how many hints each exercise has given


def check(key: str, answer: Any) -> Verdict:
    """Judge an answer to an exercise. A wrong one gets an explanation and the next hint."""
    verdict = _find(key).judged(answer)
    if verdict.answered:
        remember(key, bool(verdict))
    if verdict or not verdict.answered:
        return verdict
    given = hint(key)
    number, count = _GIVEN[key], len(_find(key).hints)
    return replace(verdict, message=f"{verdict.message}\nHint {number} of {count}: {given}")


def hint(key: str, number: int | None = None) -> str:
    """A hint for an exercise: the next one, or the one with this number. The last one says most."""
    hints = _find(key).hints
    if number is None:
        number = _GIVEN[key] = min(_GIVEN[key] + 1, len(hints))
    if number not in range(1, len(hints) + 1):
        raise ValueError(f"number: expected a number from 1 to {len(hints)}, got {number!r}")
    return hints[number - 1]


def progress() -> Progress:
    """What you have solved so far, in all notebooks of this folder."""
    return progress_in(list(every()))


def every() -> dict[str, Exercise]:
    """All exercises by key, in order."""
    for module in iter_modules(__path__):
        if module.name.startswith("nb"):
            import_module(f"{__name__}.{module.name}")
    return dict(sorted(EXERCISES.items()))


def _find(key: str) -> Exercise:
    known = every()
    if key not in known:
        raise ValueError(f"key: expected one of {list(known)}, got {key!r}")
    return known[key]


__all__ = ["Exercise", "Verdict", "check", "every", "hint", "progress"]

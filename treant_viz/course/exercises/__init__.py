"""Exercises that check themselves: `check` judges an answer, `hint` helps, and neither gives it away.

>>> check("03.1", ...)
Exercise 03.1: no answer yet.
Hint 1 of 2: Write down p - 1 and p + 1 for every row. For which thresholds is this row unknown?
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from treant_viz.course.exercises.judge import EXERCISES, Exercise, Verdict


def check(key: str, answer: Any) -> Verdict:
    """Judge an answer to an exercise. A wrong one gets an explanation and a hint."""
    return _find(key).judged(answer)


def hint(key: str, number: int = 1) -> str:
    """A hint for an exercise; number 1 gives away least, the last one most."""
    hints = _find(key).hints
    if number not in range(1, len(hints) + 1):
        raise ValueError(f"number: expected a number from 1 to {len(hints)}, got {number!r}")
    return hints[number - 1]


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


__all__ = ["Exercise", "Verdict", "check", "every", "hint"]

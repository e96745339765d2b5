"""What an exercise is, and how answers are compared.

An exercise is a function that takes the answer and returns what is wrong with it in words, or None if it is
right. It works out the truth with the package itself, and its words never give the answer away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Judge = Callable[[Any], str | None]


@dataclass(frozen=True)
class Verdict:
    """What became of an answer; a stub that nobody has touched is no answer."""

    key: str
    ok: bool
    message: str
    answered: bool = True

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"Exercise {self.key}: {self.message}"


@dataclass(frozen=True)
class Exercise:
    """A question: its judge, hints (the first says least), and what is worth knowing once it is solved."""

    key: str
    judge: Judge
    hints: tuple[str, ...]
    praise: str

    def judged(self, answer: Any) -> Verdict:
        """Right, or what is wrong, or that there is no answer yet."""
        try:
            wrong = NO_ANSWER if answer is ... else self.judge(answer)
        except Unanswered:
            wrong = NO_ANSWER
        except Wrong as found:
            wrong = str(found)
        if wrong is None:
            return Verdict(self.key, True, f"right. {self.praise}")
        if wrong is NO_ANSWER:
            return Verdict(self.key, False, NO_ANSWER, answered=False)
        return Verdict(self.key, False, f"not yet. {wrong}")


NO_ANSWER = "no answer yet."


class Unanswered(Exception):  # noqa: N818
    """What was handed in is still the stub."""


class Wrong(Exception):  # noqa: N818
    """An answer that cannot be right; the message says why."""


EXERCISES: dict[str, Exercise] = {}


def exercise(key: str, *, hints: Iterable[str], praise: str) -> Callable[[Judge], Judge]:
    """Register a judge."""

    def register(judge: Judge) -> Judge:
        EXERCISES[key] = Exercise(key, judge, tuple(hints), praise)
        return judge

    return register


# what answers must be before they can be judged


def a_number(answer: Any) -> float:
    """The answer as a finite number; anything else gets advice."""
    if isinstance(answer, (bool, str)) or not isinstance(answer, (int, float, np.number)):
        raise Wrong(f"A number is expected, not {_kind(answer)}.")
    if not math.isfinite(answer):
        raise Wrong("A finite number is expected.")
    return float(answer)


def a_set(answer: Any) -> set[Any]:
    """Some things in any order, given as a set, a list or a tuple."""
    if isinstance(answer, (set, frozenset, list, tuple)):
        return set(answer)
    raise Wrong(f'A set is expected, such as {{"a", "b"}}, not {_kind(answer)}.')


def numbers(answer: Any, count: int) -> tuple[float, ...]:
    """A tuple or list of exactly this many numbers."""
    if not isinstance(answer, (tuple, list, np.ndarray)) or len(answer) != count:
        raise Wrong(f"{count} numbers are expected, such as ({', '.join('0' * count)}), not {_kind(answer)}.")
    return tuple(a_number(x) for x in answer)


def called(answer: Any, *arguments: Any) -> Any:
    """What the student's function returns; one that is not written yet, or that fails, gets a message."""
    if not callable(answer):
        raise Wrong(f"A function is expected, not {_kind(answer)}.")
    try:
        found = answer(*arguments)
    except Exception as error:
        raise Wrong(f"Your function fails: {type(error).__name__}: {error}") from error
    if found is ...:
        raise Unanswered
    if found is None:
        raise Wrong("Your function does not return anything: is there a return?")
    return found


def same(a: float, b: float) -> bool:
    """Equal but for rounding; three digits are enough."""
    return math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-6)


def _kind(answer: Any) -> str:
    return f"{type(answer).__name__} {answer!r}"[:60]


__all__ = [
    "EXERCISES",
    "Exercise",
    "Unanswered",
    "Verdict",
    "Wrong",
    "a_number",
    "a_set",
    "called",
    "exercise",
    "numbers",
    "same",
]

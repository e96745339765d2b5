"""Answers to the exercises of notebook 00."""

from __future__ import annotations

from tests.course.exercises.cases import Case

CASES = {
    "00.1": Case(
        right=[
            {"x1"},
            ["x1"],
            "x1",
        ],  # p = -5 by up to 1 is [-6, -4]; -7 becomes at most -6, and 1 at least 0
        wrong=[
            ({"x2"}, "the row they can move across p <= 1"),
            ({"x0"}, "is missing from your answer"),
            ({"x0", "x1"}, "stays on its side"),
            (set(), "One bar does reach both sides"),
            ({"x9"}, "x9 is no row of the toy"),
            (1, "A set is expected"),
        ],
    ),
    "00.2": Case(
        right=[
            41,
            41.0,
            1 + 0 + 4 + 4 * 9,
        ],  # x0: (-1+2)^2, x1: 0, x2: 2^2, x3 to x6 on the left: (-1-2)^2 each
        wrong=[
            (5, "with one coin for each row"),
            (2, "if nobody attacks"),
            (14, "two coins for *each* row"),
            (36, "second coin puts within reach"),
            (38, "x2 is still within reach"),
            (20, "Add up seven squares"),
            ("41", "A number is expected"),
        ],
    ),
}

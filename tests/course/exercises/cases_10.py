"""Answers to the exercises of notebook 10."""

from __future__ import annotations

import numpy as np

from tests.course.exercises.cases import Case


def statistic(b, c):
    return (max(b, c) - min(b, c) - 1) ** 2 / (b + c)


CASES = {
    "10.1": Case(
        right=[7, np.int64(7), 7.0],  # counted with awk in figures/table-results.csv
        wrong=[
            (2, "where ours is lower"),  # wine at 60: accuracy and F1
            (12, "for once the spread"),
            (35, "how many are *not* beyond it"),
            (7 / 42, "not their share"),
            (20, "larger than 2 * spread"),
            ([7], "A number is expected"),
        ],
    ),
    "10.2": Case(
        right=[38, np.int64(38)],  # the paper prints four minus signs: -1.3, -0.6, -0.4 and -1.0 %
        wrong=[
            (36, "A tie is at least as good"),  # +0.0 % twice
            (4, "how many cells RF-TREANT loses"),
            (34, "the count in our runs"),
            (42, "against RT alone"),
            (38 / 42, "not their share"),
            (14, "line by line"),
            ("38", "A number is expected"),
        ],
    ),
    "10.3": Case(
        right=[statistic, lambda b, c: (abs(b - c) - 1) ** 2 / (b + c)],  # 15 and 5: 81 / 20 = 4.05
        wrong=[
            (lambda b, c: (b - c) ** 2 / (b + c), "left out the correction"),
            (
                lambda b, c: (b - c - 1) ** 2 / (b + c),
                "For (5, 15) it is wrong: the difference counts without its sign",
            ),
            (lambda b, c: (abs(b - c) - 1) / (b + c), "the square is missing"),
            (lambda b, c: (abs(b - c) - 1) ** 2, "For (15, 5) it returns 81, which is wrong"),
            (lambda b, c: "4.05", "A number is expected"),
            (lambda b, c: ..., "does not return anything yet"),
            (4.05, "A function is expected"),
        ],
    ),
}

"""Answers to the exercises of notebook 10."""

from __future__ import annotations

import numpy as np

from tests.course.exercises.cases import Case


def least_lead(n):
    """In another way: the square root of 3.84 n, one more for the correction, then up to the right parity."""
    lead = int((3.84 * n) ** 0.5 + 1) + 1
    return lead + (lead - n) % 2


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
        right=[least_lead],  # 20: (10 - 1)^2 / 20 = 4.05, (8 - 1)^2 / 20 = 2.45; so 10
        wrong=[
            (lambda n: int((3.84 * n) ** 0.5) + 2, "both are even, or both odd"),
            (lambda n: n % 2, "With this lead the statistic is only"),
            (lambda n: least_lead(n) + 2, "A smaller lead is enough"),
            (lambda n: "10", "A number is expected"),
            (lambda n: None, "does not return anything"),
            (10, "A function is expected"),
        ],
    ),
}

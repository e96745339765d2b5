"""Answers to the exercises of notebook 11."""

from __future__ import annotations

import numpy as np

from tests.course.exercises.cases import Case


def untouched(features, attacker):
    touched = {rule.feature for rule in attacker.rules}
    return [f for f in features if f not in touched]


CASES = {
    "11.1": Case(
        right=[untouched, lambda f, a: tuple(x for x in f if x not in a.features)],
        wrong=[
            (lambda f, a: [x for x in f if x in a.features], "those that are touched"),
            (lambda f, a: sorted(untouched(f, a)), "their order is not that of the list"),
            (lambda f, a: set(untouched(f, a)), "A list of features is expected"),
            (lambda f, a: f, "which is wrong"),
            (lambda f, a: None, "does not return anything"),
            (["q"], "A function is expected"),
        ],
    ),
    "11.2": Case(
        right=[32, np.int64(32), 32.0],  # counted with awk over figures/results: 11 on wine, 12, 9
        wrong=[
            (10, "RF-TREANT is behind"),
            (32 / 42, "not their share"),
            (1000, "the larger one of the other two"),
            ([32], "A number is expected"),
        ],
    ),
    "11.3": Case(
        right=[lambda v, a, b, d: a <= v < b + d, lambda v, a, b, d: np.bool_(a <= v) & np.bool_(v < b + d)],
        wrong=[
            (lambda v, a, b, d: a <= v <= b + d, "ends at 11.5 at most, which is still on the left"),
            (lambda v, a, b, d: v < b + d, "the rule only begins at"),
            (lambda v, a, b, d: a <= v <= b, "where does the last step end?"),
            (lambda v, a, b, d: a < v < b + d, "which is wrong"),
            (lambda v, a, b, d: 1, "True or False is expected"),
            (lambda v, a, b, d: None, "does not return anything"),
        ],
    ),
}

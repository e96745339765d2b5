"""Answers to the exercises of notebook 08."""

from __future__ import annotations

from statistics import mean

from tests.course.exercises.cases import Case


def worst(reachable, label):
    return sorted(reachable)[0 if label else -1]


CASES = {
    "08.1": Case(
        right=[worst, lambda r, label: -max(-s for s in r) if label == 1 else max(r)],
        wrong=[
            (lambda r, label: max(r) if label == 1 else min(r), "That is the kindest score"),
            (lambda r, label: min(r), "For the scores [0.6, 0.3, 0.8] and the label 0"),
            (lambda r, label: r[0], "the first score in the list"),
            (lambda r, label: mean(r), "does not take an average"),
            (lambda r, label: 0.0, "none of the scores"),
            (lambda r, label: ..., "does not return anything yet"),
            (lambda r: min(r), "Your function fails: TypeError"),
            (0.3, "A function is expected"),
        ],
    ),
    "08.2": Case(
        right=[4 / 6, 0.667, 0.67],  # by hand: of 3 * 2 pairs, 0.35 loses both of its own
        wrong=[
            (1.0, "if an attacker moved none"),
            (5 / 6, "The bad wines are attacked too"),
            (0.6, "That is the accuracy under attack"),
            (4, "share of all pairs"),
            (0.5, "Not the share of pairs"),
            ("4/6", "A number is expected"),
        ],
    ),
    "08.3": Case(
        right=[289 / 42, 6.88, 6.9],  # by hand: (18 - 1)^2 = 289
        wrong=[
            (324 / 42, "the correction is missing"),
            (289 / 300, "not by all rows"),
            (17 / 42, "squared before it is divided"),
            (0.0087, "looks like a p-value"),
            (12.0, "which rows are b and c"),
            ([6.88], "A number is expected"),
        ],
    ),
}

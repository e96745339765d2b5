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
            (lambda r, label: max(r) if label == 1 else min(r), "the attacker likes least"),
            (lambda r, label: min(r), "For the scores [0.6, 0.3, 0.8] and the label 0"),
            (lambda r, label: r[0], "the first score in the list"),
            (lambda r, label: mean(r), "does not take an average"),
            (lambda r, label: 0.0, "none of the scores"),
            (lambda r, label: None, "does not return anything"),
            (lambda r: min(r), "Your function fails: TypeError"),
            (0.3, "A function is expected"),
        ],
    ),
    "08.2": Case(
        right=[4 / 6, 0.667, 0.67],  # by hand: of 3 * 2 pairs, 0.35 loses both of its own
        wrong=[
            (1.0, "That is the ROC AUC without attack"),
            (5 / 6, "The bad wines are attacked too"),
            (0.6, "That is the accuracy under attack"),
            (4, "share of all pairs"),
            (0.5, "not the share of pairs"),
            ("4/6", "A number is expected"),
        ],
    ),
    "08.3": Case(
        # c = b + 18: the statistic is 17^2 / (2b + 18), and b is from 0 to 180 - 78
        right=[(289 / 222, 289 / 18), [1.30, 16.06], (1.3, 16.1)],
        wrong=[
            ((289 / 18, 289 / 222), "the smallest value comes first"),
            ((324 / 222, 18.0), "the correction is missing"),
            ((0, 289 / 18), "The largest value is right"),
            ((289 / 222, 289 / 20), "The smallest value is right"),
            ((2, 3), "Neither of the two"),
            (1.3, "2 numbers are expected"),
        ],
    ),
}

"""Answers to the exercises of notebook 01."""

from __future__ import annotations

import numpy as np

from tests.course.exercises.cases import Case


def leaf_loss(y):
    """The loss of the best leaf, from sums and sums of squares alone."""
    return sum(v * v for v in y) - sum(y) ** 2 / len(y)


def split_loss(x, y, v):
    return leaf_loss([b for a, b in zip(x, y) if a <= v]) + leaf_loss([b for a, b in zip(x, y) if a > v])


def sloppy(x, y, v):
    return np.var(y[x < v]) * (x < v).sum() + np.var(y[x >= v]) * (x >= v).sum()


CASES = {
    "01.1": Case(
        right=[(-1.5, 1.6, 3.7), [-3 / 2, 8 / 5, 0.5 + 3.2]],  # by hand: 2 * 0.25, then 1.6^2 + 4 * 0.4^2
        wrong=[
            ((1.6, -1.5, 3.7), "the wrong way round"),
            ((-1, 2, 2), "leaves of the test p <= 1"),
            ((-1.5, 2, 0.5), "The left leaf is right"),
            ((-1, 1.6, 3.7), "The right leaf is right"),
            ((-1.5, 1.6, 3.7 / 7), "sum over the rows, not their mean"),
            ((-1.5, 1.6, 3.2), "all seven rows"),
            ((0, 0, 0), "Neither leaf is the mean"),
            ((-1.5, 1.6), "3 numbers are expected"),
        ],
    ),
    "01.2": Case(
        right=[
            split_loss,
            lambda x, y, v: np.var(y[x <= v]) * (x <= v).sum() + np.var(y[x > v]) * (x > v).sum(),
        ],
        wrong=[
            (sloppy, "Mind the edge"),
            (lambda x, y, v: split_loss(x, y, v) / len(y), "L is their sum"),
            (lambda x, y, v: leaf_loss(y), "one leaf for all rows"),
            (lambda x, y, v: leaf_loss(y[x <= v]), "left side only"),
            (lambda x, y, v: leaf_loss(y[x > v]), "right side only"),
            (lambda x, y, v: 1.0, "it returns 1, which is wrong"),
            (lambda x, y, v: None, "does not return anything"),
            (lambda x, y: 0.0, "Your function fails: TypeError"),
            (2.0, "A function is expected"),
            (lambda x, y, v: "2", "A number is expected"),
        ],
    ),
    "01.3": Case(
        right=[(0.75, 2.2493), [3 / 4, np.log(256 / 27)]],  # -3 log(3/4) - log(1/4) = 8 log 2 - 3 log 3
        wrong=[
            ((0.25, 2.2493), "1 is a good wine"),
            ((3, 2.2493), "from 0 to 1"),
            ((0.5, 2.7726), "Another prediction has a smaller loss"),
            ((0.75, 0.5623), "not their mean"),
            ((0.75, 3.2451), "natural logarithms"),
            ((0.75, 0.75), "That is the squared error"),
            ((0.75, 1.0), "Three times -log(s)"),
            (0.75, "2 numbers are expected"),
        ],
    ),
}

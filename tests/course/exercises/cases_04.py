"""Answers to the exercises of notebook 04."""

from __future__ import annotations

from fractions import Fraction

from tests.course.exercises.cases import Case


def sent(y, y_l, y_r, unattacked):
    if (y_l - y) ** 2 == (y_r - y) ** 2:
        return unattacked
    return "left" if (y_l - y) ** 2 > (y_r - y) ** 2 else "right"


def by_middle(y, y_l, y_r, unattacked):
    """The same by another way: the farther leaf hurts more."""
    far_l, far_r = abs(y - y_l), abs(y - y_r)
    return unattacked if far_l == far_r else ("left", "right")[far_l < far_r]


def spread(zeros, ones):
    """The squared error of 0s and 1s around their mean, exactly."""
    mean = Fraction(ones, zeros + ones)
    return float(zeros * mean**2 + ones * (1 - mean) ** 2)


CASES = {
    "04.1": Case(
        right=[
            (0, 14 / 3),
            [0, 4.667],
            (0.0, (2 + 6 + 6) / 3),
        ],  # 2 is below the middle, 7/3, so it goes right
        wrong=[
            ((14 / 3, 0), "wrong way round"),
            ((2 / 3, 6), "would the attacker send it there"),
            ((0, 6), "must count in one of the two leaves"),
            ((2 / 3, 14 / 3), "counted in both leaves"),
            ((1, 14 / 3), "The left leaf is not right"),
            ((0, 5), "The right leaf is not right"),
            (4.667, "2 numbers are expected"),
        ],
    ),
    "04.2": Case(
        right=[sent, by_middle],
        wrong=[
            (
                lambda y, y_l, y_r, unattacked: unattacked,
                "leaves -1.5 and 1.6, unattacked 'left' it says 'left'",
            ),
            (
                lambda y, y_l, y_r, unattacked: "left" if (y_l - y) ** 2 > (y_r - y) ** 2 else "right",
                "keeps the coin",
            ),
            (
                lambda y, y_l, y_r, unattacked: "left" if (y_l - y) ** 2 < (y_r - y) ** 2 else "right",
                "which is wrong",
            ),
            (lambda y, y_l, y_r, unattacked: y_l > y_r, 'return "left" or "right"'),
            (lambda y, y_l, y_r, unattacked: None, "does not return anything"),
            (lambda y, y_l, y_r: "left", "Your function fails: TypeError"),
            ("right", "A function is expected"),
        ],
    ),
    "04.3": Case(
        # one mixed side in each case: five 0s and two 1s, or two and five; the worst sends 0s right and 1s
        # left
        right=[(spread(5, 2), spread(3, 2) + spread(2, 3)), (10 / 7, 2.4), [1.429, 2.4]],
        wrong=[
            ((2.4, 10 / 7), "the estimate comes first"),
            ((2.0, 2.4), "labels on both sides"),
            ((10 / 7, 10 / 7), "treat all unknown rows alike"),
            ((10 / 7, 3 * (2 / 7) ** 2 + 2 * 1 + 2 * (5 / 7) ** 2), "standard leaves, 2/7 and 1"),
            ((10 / 7, 2.0), "greater than that"),
            ((10 / 7, 2.5), "smaller than that"),
            (2.4, "2 numbers are expected"),
        ],
    ),
}

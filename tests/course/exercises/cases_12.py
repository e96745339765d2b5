"""Answers to the exercises of notebook 12."""

from __future__ import annotations

import numpy as np

from tests.course.exercises.cases import Case


def margins(votes):
    return votes.min(axis=0).sum(), votes.sum(axis=1).min()


def by_hand(votes):
    lines = votes.tolist()
    return [sum(min(line[t] for line in lines) for t in range(len(lines[0]))), min(map(sum, lines))]


def best_share(unattacked, attacked, often):
    return ((1 - often) * unattacked + often * attacked).idxmax()


def turning_points(lows, highs):
    return sorted({*lows, *highs})


CASES = {
    "12.1": Case(
        right=[margins, by_hand],
        wrong=[
            (lambda v: margins(v)[::-1], "the bound comes first"),
            (lambda v: (v.min(axis=1).sum(), v.sum(axis=1).min()), "of each attack, not each tree"),
            (lambda v: (v.min(axis=0).sum(), v[0].sum()), "the margin without an attack"),
            (lambda v: (v.min(axis=0).sum(), v.min()), "all trees see the same attack"),
            (lambda v: (v.max(axis=0).sum(), v.sum(axis=1).min()), "the first number is wrong"),
            (lambda v: (v.min(axis=0).sum(), v.sum(axis=1).max() - 9), "the second number is wrong"),
            (lambda v: v.sum(axis=1).min(), "2 numbers are expected"),
            (lambda v: None, "is there a return"),
            ((-1.6, 0.0), "A function is expected"),
        ],
    ),
    "12.2": Case(
        right=[best_share, lambda a, b, s: np.int64(best_share(a, b, s))],
        wrong=[
            (lambda a, b, s: best_share(b, a, s), "as if they were the attacked ones"),
            (lambda a, b, s: ((1 - s) * a + s * b).argmax(), "the place in the line"),
            (lambda a, b, s: ((1 - s) * a + s * b).max(), "you return the ROC AUC"),
            (lambda a, b, s: a.idxmax(), "is not the best of the shares"),
            (lambda a, b, s: (1 - s) * a + s * b, "One share is expected"),
        ],
    ),
    "12.3": Case(
        right=[turning_points, lambda lows, highs: np.unique([lows, highs])],
        wrong=[
            (lambda lows, highs: [*lows, *highs], "not each of them once"),
            (lambda lows, highs: sorted({*lows, *highs} - {5.0}), "a row changes sides"),
            (lambda lows, highs: sorted(set(lows)), "stops being unknown"),
            (lambda lows, highs: sorted(set(highs)), "becomes unknown"),
            (lambda lows, highs: [*turning_points(lows, highs), 99.0], "nothing changes at 99"),
            (lambda lows, highs: {*lows, *highs}, "A list of thresholds is expected"),
        ],
    ),
}

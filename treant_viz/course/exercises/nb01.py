"""Exercises of notebook 01: trees and the greedy loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treant_viz.core.losses import LOG
from treant_viz.course.exercises.judge import a_number, called, exercise, numbers, same
from treant_viz.datasets import load_toy


def _squares(y: np.ndarray) -> float:
    """The loss of the best leaf for these labels."""
    return float(((y - y.mean()) ** 2).sum())


def _stump(feature: str, threshold: float) -> tuple[float, float, float]:
    """Both leaves and the loss of the toy's best stump with this test."""
    toy = load_toy()
    left = toy.X[feature].to_numpy() <= threshold
    y_l, y_r = toy.y[left], toy.y[~left]
    return float(y_l.mean()), float(y_r.mean()), _squares(y_l) + _squares(y_r)


@exercise(
    "01.1",
    hints=(
        "Which rows have q <= 2? Write down the labels on the left and on the right. The best "
        "leaf is their mean.",
        "Labels -2, -1 go left and 0, 2, 2, 2, 2 go right. Subtract the mean of the side, "
        "square, add up all seven.",
    ),
    praise="These two predictions will come back: they are the leaves of the paper's robust "
    "stump in panel (c).",
)
def leaves_of_a_test(answer: Any) -> str | None:
    """The leaves and the loss of the best stump with the test q <= 2."""
    y_l, y_r, loss = numbers(answer, 3)
    right = _stump("q", 2.0)
    good = same(y_l, right[0]), same(y_r, right[1])
    if all(good):
        return None if same(loss, right[2]) else _wrong_sum(loss, right[2])
    if same(y_l, right[1]) and same(y_r, right[0]):
        return "You have the two leaves the wrong way round: rows with q <= 2 go left."
    other = _stump("p", 1.0)
    if same(y_l, other[0]) and same(y_r, other[1]):
        return "Those are the leaves of the test p <= 1. Look at q: on which side is x2 now?"
    if any(good):
        return f"The {'left' if good[0] else 'right'} leaf is right, the other one is not."
    return "Neither leaf is the mean of its labels. Begin with the rows that go left."


def _wrong_sum(given: float, right: float) -> str:
    if same(given, right / len(load_toy().y)):
        return "Both leaves are right, but L is the sum over the rows, not their mean."
    return "Both leaves are right, but the loss is not. Add up the squares of all seven rows."


def _split_loss(x: np.ndarray, y: np.ndarray, v: float) -> float:
    return _squares(y[x <= v]) + _squares(y[x > v])


def _cases() -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Values, labels, threshold: the toy, a line between two values, values out of order."""
    toy = load_toy()
    p, q = (toy.X[f].to_numpy(dtype=float) for f in ("p", "q"))
    mixed = np.array([4.0, 1.0, 3.0, 2.0]), np.array([1.0, 5.0, 2.0, 9.0])
    return [(p, toy.y, 0.0), (p, toy.y, 1.0), (q, toy.y, 3.0), (*mixed, 2.0), (*mixed, 2.5)]


MISTAKES: dict[str, Callable[[np.ndarray, np.ndarray, float], float]] = {
    "Mind the edge: a value equal to v passes the test x <= v.": lambda x, y, v: (
        _squares(y[x < v]) + _squares(y[x >= v])
    ),
    "That is the mean over the rows; L is their sum.": lambda x, y, v: _split_loss(x, y, v) / len(y),
    "That is the loss of one leaf for all rows. Each side has a mean of its own.": lambda x, y, v: _squares(
        y
    ),
    "That is the left side only.": lambda x, y, v: _squares(y[x <= v]),
    "That is the right side only.": lambda x, y, v: _squares(y[x > v]),
}


@exercise(
    "01.2",
    hints=(
        "`y[x <= v]` are the labels that go left. What is the best prediction for them?",
        "For each side: subtract the mean of its labels, square, sum up. Then add the two sides.",
    ),
    praise="The best stump has the smallest of these over all features and thresholds: lines 2 and 3 "
    "of Algorithm 2.",
)
def loss_of_a_split(answer: Any) -> str | None:
    """A function (x, y, v) that returns the loss of the best stump x <= v."""
    for x, y, v in _cases():
        given = a_number(called(answer, x.copy(), y.copy(), v))
        if not same(given, _split_loss(x, y, v)):
            where = (
                f"For x = {x.tolist()}, y = {y.tolist()} and v = {v:g} it returns "
                f"{given:.4g}, which is wrong."
            )
            return " ".join(
                [where, *(message for message, f in MISTAKES.items() if same(given, f(x, y, v)))][:2]
            )
    return None


@exercise(
    "01.3",
    hints=(
        "The best leaf is still the mean of its labels 1, 1, 1, 0.",
        "With the prediction s, a good wine costs -log(s) and a bad one -log(1 - s) (natural "
        "logarithm). Add up four.",
    ),
    praise="One wine out of four causes more than half of the loss: the one about which the leaf is wrong.",
)
def three_good_one_poor(answer: Any) -> str | None:
    """The best prediction for labels 1, 1, 1, 0 under log-loss, and its loss."""
    share, loss = numbers(answer, 2)
    best = 0.75
    right = float(LOG.of_masses(1.0, 3.0, best))
    if not 0.0 <= share <= 1.0:
        return "The prediction is a probability: a number from 0 to 1."
    if same(share, 1.0 - best):
        return "A prediction is the probability of a 1, and 1 is a good wine."
    if not same(share, best):
        return "Another prediction has a smaller loss. What is the mean of the labels?"
    messages = {
        right / 4: "L is the sum over the four wines, not their mean.",
        right / np.log(2.0): "Use natural logarithms.",
    }
    messages[4 * best * (1 - best)] = "That is the squared error. The log-loss is asked for."
    hint = next(
        (message for wrong, message in messages.items() if same(loss, wrong)),
        "Three times -log(s), and once -log(1 - s), where s is the prediction.",
    )
    return None if same(loss, right) else f"The prediction is right, but the loss is not. {hint}"

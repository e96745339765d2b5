"""Answers to the exercises of notebook 05."""

from __future__ import annotations

from tests.course.exercises.cases import Case


def best_legal(mean, y, gamma):
    radius = gamma**0.5
    if abs(mean - y) >= radius:
        return mean
    return y + radius if mean > y else y - radius


def by_search(mean, y, gamma):
    """The nearest of many legal predictions on a fine grid."""
    grid = (i / 2000 for i in range(-20000, 20001))
    return min((p for p in grid if (p - y) ** 2 >= gamma), key=lambda p: abs(p - mean))


CASES = {
    "05.1": Case(
        right=[(-0.5, 2.5), [-0.5, 2.5]],  # losses 9 and 2.25: at least 2.25 is at least 1.5 away from 1
        wrong=[
            ((-2, 4), "You took the larger loss"),
            ((-1.25, 3.25), "*square* of the distance"),
            ((-1.5, 1.5), "centred at the label"),
            ((2.5, -0.5), "lower end comes first"),
            ((0, 1), "not the ends"),
            (1.5, "2 numbers are expected"),
            (("a", "b"), "A number is expected"),
        ],
    ),
    "05.2": Case(
        right=[best_legal, by_search],
        wrong=[
            (lambda mean, y, gamma: mean, "which is forbidden"),
            (lambda mean, y, gamma: y + gamma**0.5, "the mean itself is legal"),
            (
                lambda mean, y, gamma: mean if abs(mean - y) >= gamma**0.5 else y + gamma**0.5,
                "nearer to the mean",
            ),
            (lambda mean, y, gamma: max(mean, y + gamma), "nearer to the mean"),
            (lambda mean, y, gamma: "1.5", "A number is expected"),
            (lambda mean, y, gamma: None, "does not return anything"),
            (1.5, "A function is expected"),
        ],
    ),
    "05.3": Case(
        right=[(2, 3), [2.0, 3.0]],  # 2 coins for q; to be right of the root costs x2 one more
        wrong=[
            ((3, 3), "charges both constraints"),
            ((2, 2), "For one of the two, the attacker has already paid"),
            ((3, 2), "The other way round"),
            ((1, 2), "cannot get to both children"),
            ((2, 4), "not the *least* budget"),
            (3, "2 numbers are expected"),
        ],
    ),
}

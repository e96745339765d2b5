"""Answers to the exercises of notebook 06."""

from __future__ import annotations

import treant_viz as tv
from tests.course.exercises.cases import Case
from treant_viz.core.tree import leaves


def claimed(model):
    return sum(leaf.loss for _, leaf in leaves(model.tree_))


def honest(model, X, y):
    return abs(claimed(model) - tv.loss_under_attack(model, X, y, model.attacker)) < 1e-6


def plainly(model, X, y):
    """The mistake: nobody attacks."""
    return abs(claimed(model) - ((model.predict(X) - y) ** 2).sum()) < 1e-6


def from_attacks(model, X, y):
    """Another way: let every row be attacked and add up."""
    return bool(abs(claimed(model) - tv.attack(model, X, y, model.attacker).losses.sum()) < 1e-6)


CASES = {
    "06.1": Case(
        right=[
            2,
            2.0,
        ],  # q <= 2, q <= 1, q <= 3: nobody moves q, and only x2 (0) and x3 (2) share a leaf, with 1
        wrong=[
            (2.5, "grown against a budget of 1"),
            (6, "plain tree"),  # x0 and x1 move one leaf on (1 each), x2 to the leaf 2 (4)
            (
                38.25,
                "exchanged the two",
            ),  # x2 in the leaf 1.5, and x3 to x6 (2) all brought to -1: 2.25 + 4 * 9
            (3, "Grow the tree first"),
            ("2", "A number is expected"),
            (float("nan"), "A finite number is expected"),
        ],
    ),
    "06.2": Case(
        right=[honest, from_attacks],
        wrong=[
            (plainly, "Do you compare with the loss *under attack*"),
            (lambda model, X, y: True, "whose leaves claim less than it loses"),
            (lambda model, X, y: False, "which is honest"),
            (lambda model, X, y: claimed(model), "should return True or False"),
            (lambda model, X, y: model.nothing, "Your function fails: AttributeError"),
            (lambda model, X, y: ..., "does not return anything yet"),
        ],
    ),
    "06.3": Case(
        right=[5, 5.0],  # 1 + 5 = 6 is above 5, 1 + 4 = 5 is not
        wrong=[
            (9, "You added up three moves"),
            (4, "5 <= 5 goes left"),
            (2, "Too few coins"),
            (6, "Fewer coins are enough"),
            ([5], "A number is expected"),
        ],
    ),
}

"""Exercises of notebook 00: the tour."""

from __future__ import annotations

from typing import Any

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.tree import Leaf, Node
from treant_viz.course.exercises.judge import a_number, a_set, exercise, same
from treant_viz.course.exercises.nb03 import unknown
from treant_viz.datasets import load_toy


@exercise(
    "00.1",
    hints=(
        "The attacker can move a row across the threshold if its bar reaches both sides of it.",
        "By hand: for every row write down p - 1 and p + 1. Are both on the same side of -5?",
    ),
    praise="Each threshold puts other rows at risk: those that lie close to it.",
)
def owned_at_minus_five(answer: Any) -> str | None:
    """Which rows of the toy can the attacker move across p <= -5?"""
    given, right = a_set({answer} if isinstance(answer, str) else answer), unknown("p", -5.0, 1.0)
    if given == right:
        return None
    if strange := given - set(load_toy().X.index):
        return f"{sorted(map(str, strange))[0]} is no row of the toy: rows are called x0 to x6."
    if given == unknown("p", 1.0, 1.0):
        return "That is the row they can move across p <= 1. Drag the threshold to -5."
    if not given:
        return (
            "One bar does reach both sides: a row whose p is exactly -5 passes the test "
            "p <= -5, but can be raised."
        )
    if right - given:
        return "One row whose bar reaches both sides is missing from your answer."
    return "At least one of these rows stays on its side, whatever the attacker does."


def _loss_of_the_stump(budget: float) -> float:
    """L^A of panel (b)."""
    toy = load_toy()
    return loss_under_attack(
        Node("p", 1.0, Leaf(-1.0), Leaf(2.0)), toy.X, toy.y, toy.attacker.with_budget(budget)
    )


@exercise(
    "00.2",
    hints=(
        "Which rows can the attacker move across the threshold with two coins? For each of them take "
        "the larger of its two losses.",
        "x3 to x6 have p = 3. Two coins bring them down to p = 1, which passes the test p <= 1.",
    ),
    praise="One more coin for each row makes L^A eight times as large: four rows were only "
    "just out of reach.",
)
def two_coins(answer: Any) -> str | None:
    """The loss under attack of the stump p <= 1 with leaves -1 and 2 if the budget is 2."""
    given = a_number(answer)
    right, one, none = (_loss_of_the_stump(budget) for budget in (2.0, 1.0, 0.0))
    if same(given, right):
        return None
    messages = {
        none: "That is the loss if nobody attacks.",
        one: "That is the loss under attack with one coin for each row.",
        one + 9.0: "The attacker has two coins for *each* row, so they can treat all rows with "
        "the same p alike.",
        right
        - one: "These are the rows that the second coin puts within reach. Add the losses of the other rows.",
        right - 3.0: "x2 is still within reach, and the right leaf is the worse one for it.",
    }
    for wrong, message in messages.items():
        if same(given, wrong):
            return message
    return "Add up seven squares (prediction - label)^2: for a row that can be moved, the larger of the two."

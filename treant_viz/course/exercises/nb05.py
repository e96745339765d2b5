"""Exercises of notebook 05: attack invariance and constraints."""

from __future__ import annotations

import math
from typing import Any

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.losses import SSE
from treant_viz.course.exercises.judge import Wrong, a_number, called, exercise, numbers, same
from treant_viz.datasets import load_toy

Y, Y_L, Y_R = 1.0, -2.0, 2.5  # a row's label, and the leaves of its stump


def _hole(distance: float, middle: float = Y) -> tuple[float, float]:
    return middle - distance, middle + distance


def _alike(given: tuple[float, ...], wanted: tuple[float, ...]) -> bool:
    return all(map(same, given, wanted))


@exercise(
    "05.1",
    hints=(
        "First find out in which leaf the row is hurt more: it is sent there. The bound is "
        "its loss in the other leaf.",
        "The smaller of the two losses is gamma. Which predictions cost the row less than gamma?",
    ),
    praise="The bound is the smaller of the two losses, so the leaf to which the row was "
    "sent is legal from the start.",
)
def forbidden_interval(answer: Any) -> str | None:
    """Which predictions does the >= constraint of a row with label 1 forbid, if the leaves are -2 and 2.5?"""
    given, spared = numbers(answer, 2), min(Y_L, Y_R, key=lambda p: SSE.ell(p, Y))
    gamma, larger = (sorted(SSE.ell(p, Y) for p in (Y_L, Y_R)))[:2]
    if _alike(given, SSE.allowed("<=", Y, spared)[0]):
        return None
    if given[0] >= given[1]:
        return "The lower end comes first, then the upper one."
    if _alike(given, _hole(math.sqrt(larger))):
        return "You took the larger loss as the bound: that would forbid more than necessary."
    if _alike(given, _hole(gamma)):
        return "You have the bound on the loss, but the loss is the *square* of the distance to the label."
    if _alike(given, _hole(math.sqrt(gamma), 0.0)):
        return "The width is right, but the interval must be centred at the label of the row, which is not 0."
    return "These are not the ends of the forbidden interval."


LEAVES = [
    (1.0, 0.0, 2.25),
    (1.6, 0.0, 2.25),
    (-1.0, 0.0, 2.25),
    (2.5, 2.0, 1.0),
    (1.0, 3.0, 2.0),
    (4.0, 3.0, 1.0),
]


@exercise(
    "05.2",
    hints=(
        "A squared error of at least gamma: the prediction is at least the square root of gamma away from y.",
        "If the mean is far enough from y, it is legal itself. If not, go to the edge of "
        "the forbidden interval on "
        "the same side of y as the mean.",
    ),
    praise="A leaf's squared error grows with the distance from its mean, so the nearest legal "
    "value is the best one.",
)
def nearest_legal_value(answer: Any) -> str | None:
    """A function (mean, y, gamma): the prediction nearest to the mean with (prediction - y)^2 >= gamma."""
    for mean, y, gamma in LEAVES:
        given = a_number(called(answer, mean, y, gamma))
        case, radius = (
            f"For mean = {mean:g}, y = {y:g}, gamma = {gamma:g} it says {given:.4g}",
            math.sqrt(gamma),
        )
        right = mean if abs(mean - y) >= radius else y + math.copysign(radius, mean - y)
        if same(given, right):
            continue
        if (given - y) ** 2 < gamma * (1 - 1e-3):
            return f"{case}, which is forbidden: its squared error on y is below gamma."
        if right == mean:
            return f"{case}, but the mean itself is legal here."
        return f"{case}: legal, but another legal prediction is nearer to the mean."
    return None


def _least_budgets() -> tuple[float, float]:
    """What x2 has to spend to be left, or right, of p <= 1 and then on the far side of q <= 3."""
    A = Attacker([*load_toy().attacker.rules, Rule("q", 2, delta=(-1, 1))], budget=100)
    p, q = (float(v) for v in load_toy().X.loc["x2"].to_numpy())
    further = A.cost_above("q", [q], 3)[0]
    return A.cost_below("p", [p], 1)[0] + further, A.cost_above("p", [p], 1)[0] + further


@exercise(
    "05.3",
    hints=(
        "A constraint reaches a child if its row can. What does the attacker have to pay "
        "to bring x2 to q > 3?",
        "Add what it cost to bring x2 to that leaf in the first place: look at the notes on its "
        "two constraints.",
    ),
    praise="Each constraint has its own note. With the same note on both, one of them would be "
    "lost too early.",
)
def budgets_of_both_constraints(answer: Any) -> str | None:
    """From which budget on x2's constraint reaches both children of q <= 3: left leaf, right leaf."""
    given, right = numbers(answer, 2), _least_budgets()
    if _alike(given, right):
        return None
    if _alike(given, right[::-1]):
        return "The other way round: on which side of the root is x2 if nobody attacks?"
    if _alike(given, (right[1], right[1])):
        return "That charges both constraints for the move to the right. Where is x2 if nobody moves it?"
    if _alike(given, (right[0], right[0])):
        return "For one of the two, the attacker has already paid to bring x2 to its leaf."
    if given[0] < right[0]:
        raise Wrong("With the first of these budgets x2 cannot get to both children of the left leaf.")
    return "At least one of the two is not the *least* budget, or it is not enough."

"""Exercises of notebook 02: the attacker."""

from __future__ import annotations

import math
from typing import Any

from treant_viz.attacks.attack import attack
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.tree import Leaf, Node
from treant_viz.course.exercises.judge import Wrong, a_number, exercise, same
from treant_viz.datasets import load_toy


@exercise(
    "02.1",
    hints=(
        "Go step by step. Before each step ask: does the rule still apply to the value I have now?",
        "The last step starts inside [0, 5]. What is the best place to start it from, and can "
        "the attacker get there from 4?",
    ),
    praise="First to the edge of the precondition, then beyond it: no budget, however large, leads further.",
)
def greatest_value(answer: Any) -> str | None:
    """The greatest value that three uses of a rule on [0, 5], which adds up to 2, can make of 4."""
    given = a_number(answer)
    A = Attacker([Rule("x", cost=1, pre=(0, 5), delta=(0, 2))], budget=3)
    right = A.reachable("x", 4)[-1].high
    if same(given, right):
        return None
    if same(given, 4 + 3 * 2):
        return (
            "Three full steps are more than the rule allows: it applies only while the value lies in [0, 5]."
        )
    if same(given, 4 + 2):
        return (
            "One full step leads there, but then the rule does not apply any more. The step "
            "need not be a full one."
        )
    if same(given, 5):
        return "The attacker gets there, and the rule still applies there."
    return (
        f"{given:g} is too "
        f"{'small: there is a way further' if given < right else 'large: the rule stops before that'}."
    )


@exercise(
    "02.2",
    hints=(
        "Two rules, one for each feature. What must their costs and the budget be, so that the "
        "attacker can pay for only one of them?",
        'A rule that adds anything: tv.Rule("p", cost=1, delta=(-float("inf"), float("inf"))).',
    ),
    praise="An attacker who may change so many features at will is known as an L0 "
    "attacker; the budget counts the features.",
)
def one_of_two(answer: Any) -> str | None:
    """An attacker who can change p or q to anything, but not both."""
    if not isinstance(answer, Attacker):
        raise Wrong(f"An attacker is expected: tv.Attacker([...], budget=...), not {type(answer).__name__}.")
    for f in ("p", "q"):
        if wrong := _not_at_will(answer, f):
            return wrong
    costs = [max(_cost(answer, f, x) for x in STARTS) for f in ("p", "q")]
    return "The attacker can pay for changing both features of a row." if sum(costs) <= answer.limit else None


STARTS = (-7.0, 0.0, 1.0, 3.0, 100.0)


def _not_at_will(A: Attacker, f: str) -> str | None:
    """Why this feature cannot be changed to anything."""
    rules = A.rules_on(f)
    if not rules:
        return f"The attacker has no rule on {f}."
    if any(rule.categorical for rule in rules):
        return f"{f} is a number, so its rule needs delta=(..., ...)."
    if min(rule.cost for rule in rules) > A.limit:
        return f"The budget does not suffice for the rule on {f}."
    if all(A.reachable(f, x) == ((-math.inf, math.inf),) for x in STARTS):
        return None
    return f"There are values that the attacker cannot give to {f}: 'whatever they like' has no bounds."


def _cost(A: Attacker, f: str, x: float) -> float:
    """The least cost of a change beyond all measure, up or down."""
    up, down = A.cost_above(f, [x], 1e9)[0], A.cost_below(f, [x], -1e9)[0]
    return float(min(up, down))


ON_Q = Node("q", 2.0, Leaf(-1.5), Leaf(1.6))
BOTH = Attacker([Rule(f, cost=1, delta=(-1, 1)) for f in ("p", "q")], budget=2)


@exercise(
    "02.3",
    hints=(
        "Two coins on q change it by up to 2. Which rows can be brought to the other side of q <= 2?",
        "Every row can be moved. Compare its loss on its own side with the loss on the other side; "
        "the attacker takes the larger.",
    ),
    praise="A tree is only ever safe against a given attacker: with one more rule, the better "
    "stump becomes the worse one.",
)
def loss_against_both_rules(answer: Any) -> str | None:
    """L^A of the stump on q, if the attacker may change p and q and has two coins."""
    given, toy = a_number(answer), load_toy()
    losses = {budget: attack(ON_Q, toy.X, toy.y, BOTH.with_budget(budget)).losses for budget in (0, 1, 2)}
    right = float(losses[2].sum())
    if same(given, right):
        return None
    if same(given, losses[0].sum()):
        return "That is the loss if q cannot be changed. Now it can."
    if same(given, losses[1].sum()):
        return "That is the answer for one coin. With two they can change q by up to 2."
    if same(given, right - losses[2][2] + 1.5**2):
        return "The attacker does not move a row that is hurt more where it is."
    if same(given, right - 3 * losses[2][3]):
        return (
            "Coins are not shared between rows: what can be done to one of four equal labels "
            "can be done to all of them."
        )
    return f"L^A is {'greater' if given < right else 'smaller'} than that. Take the rows one by one."

"""Exercises of notebook 07: attacking ensembles exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from treant_viz.course.exercises.judge import a_number, called, exercise, same
from treant_viz.datasets import load_wine

ALCOHOL, ACIDITY = (9.3, 10.4), (0.33, 0.3)  # a wine's value, and the edge of the leaf's box


def _costs() -> tuple[float, float]:
    """Least costs of alcohol above its edge and of volatile acidity at or below its own."""
    A = load_wine().attacker
    above = A.cost_above("alcohol", [ALCOHOL[0]], ALCOHOL[1])
    below = A.cost_below("volatile_acidity", [ACIDITY[0]], ACIDITY[1])
    return float(above[0]), float(below[0])


@exercise(
    "07.1",
    hints=(
        "Take the features one by one: how often must its rule be used until the value fits, and "
        "what does that cost?",
        "Alcohol rises by at most 0.5 a time and must end above 10.4, volatile acidity falls by "
        "at most 0.1 a time.",
    ),
    praise="One such sum for each leaf, and you have attacked a single tree exactly.",
)
def cost_of_a_box(answer: Any) -> str | None:
    """What does it cost to enter a leaf's box?"""
    given, (alcohol, acidity) = a_number(answer), _costs()
    if same(given, alcohol + acidity):
        return None
    if same(given, max(alcohol, acidity)) or same(given, min(alcohol, acidity)):
        return "That pays for one side of the box. All sides must fit at once, and their costs add up."
    if same(given, 20 + 30):
        return "One use of each rule is not enough: how far does a single use bring the alcohol?"
    if given in (20, 40):
        return "Volatile acidity has to move too, and alcohol must end above the edge of the box."
    return f"{'More' if given > alcohol + acidity else 'Less'} than the least cost."


REACHABLE = (
    [[0.1, 0.9], [0.2, 0.7], [0.3, 0.7]],
    [[0.5], [0.2, 0.4, 0.3]],
    [[0.8, 0.6]],
    [[0.1], [0.2], [0.9, 0.0, 0.3]],
)


@exercise(
    "07.2",
    hints=(
        "Look at one tree alone: what is the highest prediction that the attacker can reach?",
        "Now let every tree predict the most it can, and combine these predictions as a forest does.",
    ),
    praise="There need not be an attack that achieves it, since different trees may ask "
    "for different changes. But no "
    "attack exceeds it.",
)
def bound_of_a_forest(answer: Any) -> str | None:
    """A function of the leaves in reach, tree by tree, that gives what no attack exceeds."""
    for leaves in REACHABLE:
        given = a_number(called(answer, [list(one) for one in leaves]))
        best = [max(one) for one in leaves]
        if same(given, float(np.mean(best))):
            continue
        return f"For the leaves {leaves} it says {given:g}. {_advice(given, leaves, best)}"
    return None


def _advice(given: float, leaves: list[list[float]], best: list[float]) -> str:
    if same(given, sum(best)):
        return "A forest's score is the mean of its trees, not their sum."
    if same(given, max(best)):
        return "That is the highest prediction of a single tree; the others count as well."
    if same(given, float(np.mean([np.mean(one) for one in leaves]))):
        return "The attacker chooses the leaf that suits them, not the average one."
    if same(given, float(np.mean([min(one) for one in leaves]))):
        return "That is the best case for us: with the label 0 the attacker wants high scores."
    return "Either some attack could do more than that, or the bound is larger than necessary."


THRESHOLDS = (3, 4, 2, 0)


@exercise(
    "07.3",
    hints=(
        "Draw a line and put three marks on it: into how many pieces is it divided?",
        "A feature that is never tested is still one cell. Numbers of cells multiply over the features.",
    ),
    praise="A few more thresholds per feature multiply up quickly: this is why plain enumeration explodes.",
)
def combinations_of_cells(answer: Any) -> str | None:
    """How many combinations of cells are there for 3, 4, 2 and 0 thresholds?"""
    given, cells = a_number(answer), [n + 1 for n in THRESHOLDS]
    if same(given, float(np.prod(cells))):
        return None
    if given == 0:
        return "A feature without any threshold has one cell, not none: the whole line."
    if same(given, float(np.prod([n for n in THRESHOLDS if n]))):
        return "That multiplies the numbers of thresholds. Cells are the intervals between and beside them."
    if given in (sum(cells), sum(THRESHOLDS)):
        return (
            "Every cell of one feature can be combined with every cell of another: "
            "multiply instead of adding."
        )
    return f"There are {'fewer' if given > np.prod(cells) else 'more'}."

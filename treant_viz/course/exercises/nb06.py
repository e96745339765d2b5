"""Exercises of notebook 06: the full algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.tree import leaves
from treant_viz.course.exercises.judge import a_number, called, exercise, same
from treant_viz.datasets import load_toy
from treant_viz.estimators.trees import TreantRegressor


def _grown(budget: float) -> TreantRegressor:
    """The toy's tree against an attacker with this budget."""
    toy = load_toy()
    return TreantRegressor(toy.attacker.with_budget(budget), min_samples_split=2).fit(toy.X, toy.y)


def _lost(model: TreantRegressor, budget: float) -> float:
    """What a tree loses on the toy's rows under attack with this budget."""
    toy = load_toy()
    return loss_under_attack(model, toy.X, toy.y, toy.attacker.with_budget(budget))


@exercise(
    "06.1",
    hints=(
        "toy.attacker.with_budget(2) is the attacker to grow against.",
        "Fit a TreantRegressor with that attacker; then give tv.loss_under_attack the model and "
        "toy.attacker.",
    ),
    praise="Less than the tree grown against budget 1! The stronger attacker scares the "
    "algorithm away from p.",
)
def grown_against_two_coins(answer: Any) -> str | None:
    """L^A at budget 1 of the toy's tree that was grown against budget 2."""
    given = a_number(answer)
    if same(given, _lost(_grown(2), 1)):
        return None
    if same(given, _lost(_grown(1), 1)):
        return "That is the tree grown against a budget of 1."
    if same(given, _lost(_grown(1), 2)):
        return "You have exchanged the two: grow against a budget of 2, attack with a budget of 1."
    if same(given, _lost(_grown(0), 1)):
        return "That is the plain tree, grown against nobody."
    return "Grow the tree first (fit), then attack it: both are one call each."


def _trees() -> Iterator[tuple[str, TreantRegressor, Any, bool]]:
    """Fitted trees of the toy, what they are, their rows, and whether their leaves tell the truth."""
    toy, twins = load_toy(), load_toy().X.assign(q=[1.0, 1.0, 3.0, 3.0, 4.0, 4.0, 4.0])
    tables = {"the toy": toy.X, "the twins": twins}
    for (name, X), kept, depth in product(tables.items(), (True, False), (1, 2)):
        model = TreantRegressor(toy.attacker, "sse", "exact", kept, depth, min_samples_split=2).fit(X, toy.y)
        claimed = sum(leaf.loss or 0.0 for _, leaf in leaves(model.tree_))
        what = f"the tree of {name}, depth {depth}, {'with' if kept else 'without'} attack invariance"
        yield what, model, X, same(claimed, loss_under_attack(model, X, toy.y, toy.attacker))


@exercise(
    "06.2",
    hints=(
        "You need two numbers: what the leaves claim, and what tv.loss_under_attack says. Both "
        "are in the cells above.",
        "Sums in another order differ in their last digits, so compare the two numbers with a "
        "small tolerance.",
    ),
    praise="With attack invariance every tree passes this test; without it, some do by luck.",
)
def honest_trees(answer: Any) -> str | None:
    """A function (model, X, y): do the leaves' losses add up to the loss under attack?"""
    for what, model, X, right in _trees():
        given = called(answer, model, X, load_toy().y)
        if not isinstance(given, (bool, np.bool_)):
            return f"The function should return True or False, not {given!r}."
        if given and not right:
            return f"It says True for {what}, whose leaves claim less than it loses."
        if right and not given:
            asked = "Do you compare with the loss *under attack*, and is there room for rounding?"
            return f"It says False for {what}, which is honest. {asked}"
    return None


def _cost_beyond(threshold: float, from_: float = 1.0) -> float:
    """What it costs to bring p beyond a threshold with the toy's rule."""
    return float(load_toy().attacker.with_budget(100).cost_above("p", [from_], threshold)[0])


@exercise(
    "06.3",
    hints=(
        "The attacker changes the row, then the row goes through the tree. Which value of p do "
        "they need at the end?",
        "p must be above 5 (5 itself is not enough). How many steps of at most 1 is that, from 1?",
    ),
    praise="One move passes all three tests. Adding up the costs test by test would have said 9.",
)
def least_budget_for_three_tests(answer: Any) -> str | None:
    """The least budget with which p = 1 passes p <= 1, p <= 3 and p <= 5 on the right."""
    given, right = a_number(answer), _cost_beyond(5.0)
    if same(given, right):
        return None
    if same(given, sum(map(_cost_beyond, (1.0, 3.0, 5.0)))):
        return (
            "You added up three moves, but it is the same p each time: the longest of them passes all tests."
        )
    if same(given, right - 1):
        return "That brings p to 5 exactly, and 5 <= 5 goes left."
    return "Too few coins: p does not get that far." if given < right else "Fewer coins are enough."

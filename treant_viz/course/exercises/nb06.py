"""Exercises of notebook 06: the full algorithm."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.tree import leaves
from treant_viz.course.exercises.judge import Wrong, a_number, a_set, called, exercise, same
from treant_viz.course.own_treant import Strange, plan_of, side_of
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


BUDGETS = (0, 1, 2, 3)


@exercise(
    "06.1",
    hints=(
        "Grow a tree against toy.attacker.with_budget(K) for each K, and attack each with toy.attacker.",
        "tv.loss_under_attack(model, toy.X, toy.y, toy.attacker) is the loss to compare. "
        "More than one budget "
        "may lead to the smallest.",
    ),
    praise="Expecting a stronger attacker pays off here even against the weaker one: "
    "it drives the greedy algorithm away from p at the root, and q is safe.",
)
def best_training_budgets(answer: Any) -> str | None:
    """The training budgets whose trees lose least on the toy at budget 1."""
    given, losses = a_set(answer), {K: _lost(_grown(K), 1) for K in BUDGETS}
    right = {K for K in BUDGETS if same(losses[K], min(losses.values()))}
    if given == right:
        return None
    if strange := given - set(BUDGETS):
        return f"{min(map(str, strange))} is not one of the four training budgets."
    if given == {1}:
        return "A natural guess, since this tree knows its attacker best. Now attack all four trees."
    if given == {K for K in BUDGETS if same(_lost(_grown(K), 0), 0)}:
        return "These trees lose nothing if nobody attacks. Attack them with budget 1."
    if given < right:
        return "Another budget does just as well."
    return "At least one of these trees loses more than necessary at budget 1."


ROWS = 3


@exercise(
    "06.2",
    hints=(
        "The attacker can move only one row across p <= 1. Without it there is nothing to be wrong about.",
        "One row surely on each side of p <= 1 completes the set. Which row on the left "
        "leaves room for a test "
        "on q that separates it from x2?",
    ),
    praise="Three rows are enough for a claim of 0 and a true loss of 4: it does not take "
    "bad luck or big data.",
)
def rows_that_break_the_promise(answer: Any) -> str | None:
    """Three rows of the changed toy whose tree without attack invariance claims less than it loses."""
    given, toy = a_set({answer} if isinstance(answer, str) else answer), load_toy()
    names = list(toy.X.index)
    if strange := given - set(names):
        return f"{min(map(str, strange))} is no row of the changed toy: rows are called x0 to x6."
    if len(given) != ROWS:
        return f"Three rows are asked for, not {len(given)}."
    claimed, true = _claim([name in given for name in names])
    return None if true > claimed + 1e-6 else f"The tree of these rows claims {claimed:g}, and that is true."


def _claim(kept: list[bool]) -> tuple[float, float]:
    """What the tree of some of these rows claims without attack invariance, and what it loses."""
    toy = load_toy()
    X, y = toy.X.assign(q=[1.0, 1.0, 3.0, 3.0, 4.0, 4.0, 4.0])[kept], toy.y[kept]
    model = TreantRegressor(toy.attacker, attack_invariance=False, min_samples_split=2).fit(X, y)
    claimed = sum(leaf.loss or 0.0 for _, leaf in leaves(model.tree_))
    return claimed, loss_under_attack(model, X, y, toy.attacker)


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


@exercise(
    "06.4",
    hints=(
        "A cost is infinite if the attacker cannot get the row to that side. When is a row surely left?",
        "Unknown means that both costs are finite. It does not matter which of the two is 0.",
    ),
    praise="Two costs are all that the ternary partition needs, however many rules there are.",
)
def group_by_costs(answer: Any) -> str | None:
    """A function of two costs that says "left", "right" or "unknown"."""
    for to_left, to_right in (
        (0.0, inf),
        (inf, 0.0),
        (0.0, 1.0),
        (1.0, 0.0),
        (3.0, inf),
        (inf, 2.0),
        (2.0, 2.0),
    ):
        right = "unknown" if max(to_left, to_right) < inf else "left" if to_left < inf else "right"
        try:
            given = side_of(lambda *costs: called(answer, *costs), to_left, to_right)
        except Strange as strange:
            raise Wrong(str(strange)) from None
        if given != right:
            why = {
                "unknown": "The attacker can afford both sides, so the row is theirs to send.",
                "left": "The right side cannot be reached, at any cost.",
                "right": "The left side cannot be reached, at any cost.",
            }[right]
            return f"side({to_left:g}, {to_right:g}) is {given!r}, which is wrong. {why}"
    return None


LABELS, LEAVES = (0.0, 1.0, -2.0, 3.0), ((-1.5, 1.6), (-1.5, 1.5), (1.0, 1.0), (2.0, -1.0), (0.0, 4.0))


@exercise(
    "06.5",
    hints=(
        "First the half: the leaf where the row loses more; if both are equal, the side it is on anyway.",
        "Where the row is sent it must lose at least gamma, on the other side at most gamma. Gamma is its "
        "loss in the leaf where it is not.",
    ),
    praise="These few lines are both halves of the paper: robust splitting, and the constraints that keep "
    "its plan true.",
)
def plan_for_an_unknown_row(answer: Any) -> str | None:
    """A function (y, y_l, y_r, unattacked) that returns the half, both senses and gamma."""
    for y, (y_l, y_r), unattacked in product(LABELS, LEAVES, ("left", "right")):
        try:
            given = plan_of(lambda *args: called(answer, *args), y, y_l, y_r, unattacked)
        except Strange as strange:
            raise Wrong(str(strange)) from None
        if wrong := _wrong_plan(given, y, y_l, y_r, unattacked):
            return f"plan({y:g}, {y_l:g}, {y_r:g}, {unattacked!r}): {wrong}"
    return None


def _wrong_plan(
    given: tuple[str, str, str, float], y: float, y_l: float, y_r: float, unattacked: str
) -> str | None:
    """What is wrong with the plan for one row."""
    half, sense_l, sense_r, gamma = given
    on_left, on_right = (y_l - y) ** 2, (y_r - y) ** 2
    tie = same(on_left, on_right)
    if half != (unattacked if tie else "left" if on_left > on_right else "right"):
        return (
            "both leaves hurt this row equally, so the attacker keeps the coin."
            if tie
            else f"the half is wrong: the row loses {on_left:g} on the left and {on_right:g} on the right."
        )
    if sense_l == sense_r:
        return "one side gets an upper bound, the other a lower bound."
    if sense_l != (">=" if half == "left" else "<="):
        return 'the two senses are swapped: "at least" belongs where the row is sent.'
    if not same(gamma, min(on_left, on_right)):
        return "gamma is the smaller one of the two losses: what the row loses where it is not sent."
    return None

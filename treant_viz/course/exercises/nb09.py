"""Exercises of notebook 09: security curves."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.course.exercises.judge import a_number, called, exercise, numbers
from treant_viz.datasets import BUDGETS
from treant_viz.experiments.report.results import VIEWS, Results, load_results


@cache
def _results() -> Results:
    return load_results()


def _auc(dataset: str, label: str, train: int, test: int) -> float:
    return _results().value(VIEWS[0], dataset, label, train, test, "roc_auc")


def _change(label: str, budget: int) -> float:
    """The change on wine in per cent, from nobody to an attacker with a budget."""
    return 100 * (_auc("wine", label, 0, budget) / _auc("wine", label, 0, 0) - 1)


@exercise(
    "09.1",
    hints=(
        "Per cent of the unattacked value: the new value divided by the old one, less 1, times 100.",
        "Take the lines of `plain` for wine, GBDT and roc_auc; the two values are those at the "
        "budgets 0 and 60.",
    ),
    praise="The paper prints this number, -40.6 %, as one end of a range. The other end, "
    "-25.8 %, is not wine's but credit's, though the text speaks of wine.",
)
def fall_at_half_of_the_budget(answer: Any) -> str | None:
    """The change of GBDT's ROC AUC on wine at half of the budget, in per cent."""
    given, right = a_number(answer), _change("GBDT", 60)
    if abs(given - right) <= 0.1:
        return None
    if abs(given + right) <= 0.1:
        return "The size is right, the sign is not: the value falls."
    if abs(given - right / 100) <= 0.001:
        return "Nearly: give it in per cent, that is, times 100."
    return _another_number(given) or "Look up the two values again, and compare their ratio with 1."


def _another_number(given: float) -> str | None:
    """What a wrong number is the right number of."""
    points = 100 * (_auc("wine", "GBDT", 0, 60) - _auc("wine", "GBDT", 0, 0))
    if min(abs(abs(given) - abs(points)), abs(100 * abs(given) - abs(points))) <= 0.1:
        return (
            "That is the difference of the two values. Per cent of the unattacked value means: divide by it."
        )
    if abs(given - _change("RF", 60)) <= 0.1:
        return "That is the fall of RF. The question is about GBDT."
    if abs(given - _change("GBDT", 120)) <= 0.1:
        return "That is the fall at the largest budget; half of it is asked for."
    return None


def _first_ahead(dataset: str, rival: str) -> float:
    """The smallest test budget at which RF-TREANT is ahead, all trained for the largest."""
    top = max(BUDGETS[dataset])
    budgets = (0, *BUDGETS[dataset])
    return next(k for k in budgets if _auc(dataset, "RF-TREANT", top, k) > _auc(dataset, rival, top, k))


SETS = ("census", "wine", "credit")


@exercise(
    "09.2",
    hints=(
        "Follow the two lines in the bottom row of the figure, from left to right: where does "
        "one cross the other?",
        "A table with a column for each model helps: `aware` pivoted on dataset and budget, for "
        "the metric roc_auc.",
    ),
    praise="Below these budgets AB is the better choice. RF-TREANT pays off against stronger attackers.",
)
def where_the_curves_cross(answer: Any) -> str | None:
    """The smallest test budgets at which RF-TREANT is ahead of AB."""
    given = numbers(answer, 3)
    for dataset, k in zip(SETS, given, strict=True):
        if k not in (0, *BUDGETS[dataset]):
            return (
                f"{k:g} is no test budget of {dataset}: those are {[0, *BUDGETS[dataset]]}. "
                "Budgets are in coins."
            )
    right = tuple(float(_first_ahead(d, "AB")) for d in SETS)
    if given == right:
        return None
    if given == tuple(float(_first_ahead(d, "RT")) for d in SETS):
        return "At these budgets RF-TREANT gets ahead of RT. The question is about AB."
    wrong = [d for d, a, b in zip(SETS, given, right, strict=True) if a != b]
    early = given[SETS.index(wrong[0])] < right[SETS.index(wrong[0])]
    why = "AB is still ahead there" if early else "there is a smaller one"
    return f"{len(wrong)} of the three {'is' if len(wrong) == 1 else 'are'} not right. On {wrong[0]}, {why}."


def _tables() -> list[pd.DataFrame]:
    """Made so that each typical mistake picks another row in one of them."""
    late = pd.DataFrame(
        [[0.72, 0.6, 0.3], [0.9, 0.6, 0.5], [0.85, 0.8, 0.6], [0.7, 0.7, 0.65]], [10, 20, 40, 60], [0, 40, 60]
    )
    early = pd.DataFrame([[0.75, 0.7, 0.6], [0.95, 0.9, 0.45], [0.7, 0.7, 0.5]], [10, 30, 40], [0, 30, 40])
    rng = np.random.default_rng(0)
    random = [
        pd.DataFrame(rng.uniform(0.3, 0.9, (4, 5)), [30, 60, 90, 120], [0, 30, 60, 90, 120]) for _ in range(5)
    ]
    return [late, early, *random]


@exercise(
    "09.3",
    hints=(
        "Two steps: first one number for each row (its worst cell), then the row whose number is largest.",
        "A data frame gives the least of each row (mind the axis), a series the label of its largest value.",
    ),
    praise="This rule is called maximin. If you know how likely each attacker is, you can do better.",
)
def careful_choice(answer: Any) -> str | None:
    """A function from a table to the training budget whose worst case is best."""
    for table in _tables():
        given, right = called(answer, table.copy()), table.index[table.to_numpy().min(axis=1).argmax()]
        if not np.isscalar(given) or isinstance(given, str):
            return f"The function should return one training budget, not {type(given).__name__}."
        if given not in table.index:
            return (
                f"It returns {given!r}, which is not in the index: {list(table.index)} are the "
                "training budgets."
            )
        if given != right:
            return _other_rule(table, given)
    return None


def _other_rule(table: pd.DataFrame, given: Any) -> str:
    """What a wrong row is best at."""
    if given == table.min(axis=1).idxmin():
        return "For one table it takes the row whose worst case is the *worst* of all."
    if given == table.mean(axis=1).idxmax():
        return "For one table it takes the row with the best mean; the worst case counts, not the mean."
    if given == table.max(axis=1).idxmax():
        return (
            "For one table it takes the row with the best single cell; that is the hope, not the worst case."
        )
    return "For one table there is a row with a better worst case than the one it returns."

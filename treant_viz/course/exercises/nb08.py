"""Exercises of notebook 08: wine, end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from treant_viz.course.exercises.judge import a_number, called, exercise, numbers, same
from treant_viz.evaluation import mcnemar

ROWS = (
    ([0.6, 0.3, 0.8], 1), ([0.6, 0.3, 0.8], 0), ([0.4], 1), ([0.4], 0), ([0.45, 0.9], 0), ([0.7, 0.65], 1),
)  # fmt: skip


@exercise(
    "08.1",
    hints=(
        "Put yourself in the attacker's place: the label is 1. Would you rather see a high score "
        "or a low one?",
        "The attacker makes good wines look bad and bad wines look good. Which end of the list do they "
        "choose for each?",
    ),
    praise="One number per row is enough: accuracy, F1 and ROC AUC under attack are all made from these.",
)
def score_that_counts(answer: Any) -> str | None:
    """A function (reachable, label) that gives the score that counts under attack."""
    for reachable, label in ROWS:
        given = a_number(called(answer, list(reachable), label))
        worst, kind = (min(reachable), max(reachable)) if label == 1 else (max(reachable), min(reachable))
        if same(given, worst):
            continue
        case = f"For the scores {reachable} and the label {label} it says {given:g}."
        if same(given, kind):
            return f"{case} That is the score the attacker likes least for this label."
        if same(given, reachable[0]):
            return f"{case} That is the first score in the list, but the attacker may prefer another one."
        if same(given, float(np.mean(reachable))):
            return f"{case} The attacker does not take an average, but chooses."
        return f"{case} That is none of the scores that the attacker would choose."
    return None


GOOD, BAD = ((0.9, 0.6, 0.55), (0.7, 0.55, 0.35)), ((0.45, 0.2), (0.5, 0.4))  # clean, worst


def _auc(good: Sequence[float], bad: Sequence[float]) -> float:
    return float(roc_auc_score([1] * len(good) + [0] * len(bad), [*good, *bad]))


@exercise(
    "08.2",
    hints=(
        "Take every pair of a good and a bad wine: which of the two has the greater score once "
        "both are attacked?",
        "There are six pairs. Use the worst scores of both good and bad wines, and count the pairs in "
        "which the good wine is ahead.",
    ),
    praise="Without attack all six pairs are in order. Two of them are lost, both because "
    "of the good wine whose score falls to 0.35.",
)
def auc_under_attack(answer: Any) -> str | None:
    """The ROC AUC of five wines under attack."""
    given = a_number(answer)
    if same(given, _auc(GOOD[1], BAD[1])) or given in (0.67, 0.667):
        return None
    if same(given, _auc(GOOD[0], BAD[0])):
        return (
            "That is the ROC AUC without attack: use the worst scores, of the good wines and of the bad ones."
        )
    if same(given, _auc(GOOD[1], BAD[0])) or given in (0.83, 0.833):
        return "The bad wines are attacked too: use their worst scores as well."
    right = [s >= 0.5 for s in GOOD[1]] + [s < 0.5 for s in BAD[1]]
    if same(given, float(np.mean(right))):
        return "That is the accuracy under attack. ROC AUC counts pairs, not wines."
    if same(given, round(_auc(GOOD[1], BAD[1]) * 6)):
        return "That many pairs are in order; ROC AUC is their share of all pairs."
    return "That is not the share of pairs in which the good wine has the higher score."


TESTED, FIRST, SECOND = 300, 180, 198  # rows, and how many of them each model gets right


def _statistic(both: int) -> float:
    """McNemar's statistic if so many rows are right for both models."""
    first = [True] * FIRST + [False] * (TESTED - FIRST)
    second = [True] * both + [False] * (FIRST - both) + [True] * (SECOND - both)
    return mcnemar(first, second + [False] * (TESTED - len(second))).statistic


@exercise(
    "08.3",
    hints=(
        "If b rows are right for the first model only and c for the second only, what is c - b?",
        "The statistic is largest if b + c is smallest. Can b be 0? And how large can b be: how many rows "
        "must be right for both models?",
    ),
    praise="The same two accuracies can mean anything from pure chance to a clear "
    "difference. From 3.84 on the "
    "p-value is below 0.05: so compare models row by row.",
)
def range_of_the_statistic(answer: Any) -> str | None:
    """The smallest and largest statistic for models that are right on 180 and 198 of 300 rows."""
    given = numbers(answer, 2)
    all_right = [_statistic(both) for both in range(FIRST + SECOND - TESTED, FIRST + 1)]
    low, high = min(all_right), max(all_right)
    if _about(given[0], low) and _about(given[1], high):
        return None
    if _about(given[0], high) and _about(given[1], low):
        return "The other way round: the smallest value comes first."
    gap = SECOND - FIRST
    if any(_about(x, y / (gap - 1) ** 2 * gap**2) for x, y in zip(given, (low, high), strict=True)):
        return "Nearly: the correction is missing, 1 is taken off the difference before it is squared."
    if _about(given[1], high):
        return (
            "The largest value is right. For the smallest one, as many rows as possible must be in dispute."
        )
    if _about(given[0], low):
        return "The smallest value is right. For the largest one, as few rows as possible must be in dispute."
    return "Neither of the two is right yet. How few rows can be in dispute, and how many?"


def _about(given: float, right: float) -> bool:
    """Equal to two digits after the point, or to three in all."""
    return same(given, right) or same(given, round(right, 2)) or same(given, round(right, 1))

"""Exercises of notebook 08: wine, end to end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from treant_viz.course.exercises.judge import a_number, called, exercise, same
from treant_viz.evaluation import mcnemar

ROWS = (
    ([0.6, 0.3, 0.8], 1), ([0.6, 0.3, 0.8], 0), ([0.4], 1), ([0.4], 0), ([0.45, 0.9], 0), ([0.7, 0.65], 1),
)  # fmt: skip


@exercise(
    "08.1",
    hints=(
        "Put yourself in the attacker's place: the label is 1. Would you rather see a high score "
        "or a low one?",
        "The attacker makes good wines look bad and bad ones look good. Which end of the list is "
        "taken for either?",
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
            return f"{case} That is the kindest score: what would the attacker like best for this label?"
        if same(given, reachable[0]):
            return f"{case} That is the first score in the list, wherever the attacker would like to go."
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
        "There are six pairs. Use worst scores for the good wines and for the bad ones, and "
        "count the pairs in order.",
    ),
    praise="Good wines sink and bad ones rise: a pair can be lost although neither wine crosses 0.5.",
)
def auc_under_attack(answer: Any) -> str | None:
    """The ROC AUC of five wines under attack."""
    given = a_number(answer)
    if same(given, _auc(GOOD[1], BAD[1])) or given in (0.67, 0.667):
        return None
    if same(given, _auc(GOOD[0], BAD[0])):
        return (
            "That is what it would be if an attacker moved none, or only the bad wines. They "
            "move all of them."
        )
    if same(given, _auc(GOOD[1], BAD[0])) or given in (0.83, 0.833):
        return "The bad wines are attacked too: use their worst scores as well."
    right = [s >= 0.5 for s in GOOD[1]] + [s < 0.5 for s in BAD[1]]
    if same(given, float(np.mean(right))):
        return "That is the accuracy under attack. ROC AUC counts pairs, not wines."
    if same(given, round(_auc(GOOD[1], BAD[1]) * 6)):
        return "That many pairs are in order; ROC AUC is their share of all pairs."
    return "Not the share of pairs in which the good wine comes out ahead."


BOTH, NEITHER, FIRST, SECOND = 160, 98, 30, 12


def _statistic() -> float:
    first = [True] * (BOTH + FIRST) + [False] * (NEITHER + SECOND)
    second = [True] * BOTH + [False] * (FIRST + NEITHER) + [True] * SECOND
    return mcnemar(first, second).statistic


@exercise(
    "08.3",
    hints=(
        "Only the rows in dispute count: those that exactly one of the two models gets right.",
        "With b and c rows in dispute: the difference without its sign, less 1, squared, divided "
        "by their sum.",
    ),
    praise="The 258 rows on which the models agree play no part. From 3.84 on, p is below 0.05.",
)
def mcnemar_statistic(answer: Any) -> str | None:
    """McNemar's statistic for 30 against 12 rows in dispute."""
    given, right, gap = a_number(answer), _statistic(), FIRST - SECOND
    if same(given, right) or same(given, round(right, 2)) or same(given, round(right, 1)):
        return None
    if same(given, gap**2 / (FIRST + SECOND)):
        return "Nearly: the correction is missing, 1 is taken off the difference before it is squared."
    if same(given, (gap - 1) ** 2 / (BOTH + NEITHER + FIRST + SECOND)):
        return "It is divided by the rows in dispute, not by all rows."
    if same(given, (gap - 1) / (FIRST + SECOND)):
        return "The difference is squared before it is divided."
    if 0 <= given < 0.05:
        return "That looks like a p-value; the statistic is asked for."
    return "Look at the formula above: which rows are b and c?"

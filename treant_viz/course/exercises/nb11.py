"""Exercises of notebook 11: why not just drop the features?"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.course.exercises.judge import Wrong, a_number, called, exercise
from treant_viz.experiments.report.results import load_results

MEASURES = ["accuracy", "macro_f1", "roc_auc"]
DROPPING = ["drop-rf", "drop-gbdt"]
ATTACKERS: tuple[tuple[list[str], list[Rule], list[str]], ...] = (
    (["p", "q"], [Rule("p", 1, delta=(-1, 1))], ["q"]),
    (
        ["sugar", "alcohol", "pH", "density"],
        [Rule("alcohol", 20, delta=(0, 1)), Rule("alcohol", 5, delta=(0, 0.1)), Rule("pH", 1, delta=(0, 1))],
        ["sugar", "density"],
    ),
    (["a", "b"], [Rule("b", 1, becomes="x"), Rule("a", 1, becomes="y")], []),
    (["c", "a", "b"], [], ["c", "a", "b"]),
)


@exercise(
    "11.1",
    hints=(
        "First collect the features of all rules, then keep those that are not among them.",
        "A list comprehension over `features` with a condition keeps their order.",
    ),
    praise="A model that looks only at these features cannot be attacked, whatever the budget is. The price "
    "is all that the others say.",
)
def untouched_features(answer: Any) -> str | None:
    """A function of a list of features and an attacker."""
    for features, rules, right in ATTACKERS:
        given = called(answer, list(features), Attacker(rules, 10))
        if not isinstance(given, (list, tuple)):
            raise Wrong(f"A list of features is expected, your function returned {type(given).__name__}.")
        if list(given) == right:
            continue
        touched = [f for f in features if f not in right]
        case = f"For the features {features} and rules on {touched}"
        if list(given) == touched:
            return f"{case} you return those that are touched: the others are asked for."
        if sorted(map(str, given)) == sorted(right):
            return f"{case} the features are right, but their order is not that of the list."
        return f"{case} it returns {list(given)}, which is wrong."
    return None


@cache
def _cells() -> pd.DataFrame:
    """A line for each data set, budget and measure, a column for each method."""
    rows = load_results().rows
    rows = rows[(rows["protocol"] == "authors") & rows["method"].isin([*DROPPING, "treant"])]
    fair = rows[(rows["method"] != "treant") | (rows["train_budget"] == rows["test_budget"])]
    means = fair.groupby(["dataset", "test_budget", "method"])[MEASURES].mean().unstack("method").dropna()
    return pd.concat({m: means[m] for m in MEASURES}).round(6)  # as in the notebook: ties are ties


@exercise(
    "11.2",
    hints=(
        "`table.stack(0)` makes one line of each data set, budget and measure. Its columns are the methods.",
        "The better of two columns is a maximum along a line: `.max(axis=1)`. Then compare and count.",
    ),
    praise="Twelve of these are the twelve cells of census. On the other two data sets it is a close race, "
    "and on wine it depends on which rows are counted, as you will see below.",
)
def better_than_dropping(answer: Any) -> str | None:
    """In how many cells is RF-TREANT at least as good as both models that drop features?"""
    given, cells = a_number(answer), _cells()
    mine, rivals = cells["treant"], cells[DROPPING]
    right = int((mine >= rivals.max(axis=1)).sum())
    if given == right:
        return None
    if 0 < given < 1:
        return "The number of cells is asked for, not their share."
    mistakes = {
        len(cells) - right: "That is in how many cells RF-TREANT is behind.",
        int(
            (mine >= rivals.min(axis=1)).sum()
        ): "That is against the worse one of the two: take the maximum.",
        int((mine >= rivals["drop-rf"]).sum()): "That is against the forest alone; boosting counts, too.",
        int((mine >= rivals["drop-gbdt"]).sum()): "That is against boosting alone; the forest counts, too.",
    }
    return mistakes.get(int(given), "Compare the column of RF-TREANT with the larger one of the other two.")


RULES = ((0.0, 11.0, 0.5), (2.0, 3.0, 0.25), (-1.0, 4.0, 2.0))


def _truth(v: float, start: float, end: float, step: float) -> bool:
    """Is there a value, not above v, that one step brings above it?"""
    return any(x <= v < x + step for x in (start, min(v, end), end) if start <= x <= end)


@exercise(
    "11.3",
    hints=(
        "Think of the last step, the one that crosses the line: where does it begin, and where can it end?",
        "It begins at some x with start <= x <= end and x <= v, and it must end above v: x + step > v. For "
        "which v is there such an x?",
    ),
    praise="Below the start no row can be moved, and from end + step on no row arrives: these tests are as "
    "safe as those on an untouched feature. A robust tree finds them by itself.",
)
def crossable_tests(answer: Any) -> str | None:
    """A function of a threshold and a rule's start, end and step."""
    for start, end, step in RULES:
        marks = (start - 1, start, (start + end) / 2, end, end + step / 2, end + step, end + step + 1)
        for v in marks:
            given = called(answer, v, start, end, step)
            if not isinstance(given, (bool, np.bool_)):
                raise Wrong(f"True or False is expected, your function returned {given!r}.")
            if bool(given) == _truth(v, start, end, step):
                continue
            case = f"For x <= {v:g} and a rule from {start:g} to {end:g} with steps of {step:g}"
            if v < start:
                return f"{case} no row on the left can be moved: the rule only begins at {start:g}."
            if v == end + step:
                return f"{case} the last step ends at {v:g} at most, which is still on the left."
            if v > end:
                who = "no row can" if given else "some row can"
                return f"{case} {who}: where does the last step end?"
            return f"{case} it returns {given}, which is wrong."
    return None

"""Exercises of notebook 10: the reproduction audit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.course.exercises.judge import a_number, called, exercise, same
from treant_viz.evaluation import mcnemar
from treant_viz.experiments.report.results import compared, load_results, paper_table


@cache
def _cells() -> pd.DataFrame:
    return compared(load_results())


@exercise(
    "10.1",
    hints=(
        "Keep the rows of `cells` whose method is RF-TREANT, then compare two columns. Which sign may the "
        "difference have?",
        "Comparing two columns gives True and False, and a sum over these counts the True ones.",
    ),
    praise="And that is not even many. If the paper's run were just one more run of ours, "
    "chance alone would put "
    "about nine of 42 cells that far off: a standard deviation of only three runs is itself uncertain.",
)
def beyond_twice_the_spread(answer: Any) -> str | None:
    """How many cells of RF-TREANT differ by more than twice the spread over seeds?"""
    given, cells = a_number(answer), _cells()
    mine = cells[cells["method"] == "RF-TREANT"]
    off = mine["difference"].abs() / mine["spread"]
    if given == (off > 2).sum():
        return None
    mistakes = {
        int((mine["difference"] > 2 * mine["spread"]).sum()): "You missed those where ours is lower: "
        "take the absolute value of the difference.",
        int((off > 1).sum()): "That is for once the spread; twice the spread is asked for.",
        int((off <= 2).sum()): "That is how many are *not* beyond it.",
    }
    if 0 < given < 1:
        return "The number of cells is asked for, not their share."
    return mistakes.get(
        int(given), "Count the cells of RF-TREANT whose difference is larger than 2 * spread."
    )


def _ahead(table: pd.DataFrame, rivals: list[str], *, ties: bool = True) -> int:
    best = table[rivals].max(axis=1)
    return int((table["RF-TREANT"] >= best).sum() if ties else (table["RF-TREANT"] > best).sum())


def _wide(tidy: pd.DataFrame, value: str) -> pd.DataFrame:
    return tidy.pivot(index=["dataset", "budget", "metric"], columns="method", values=value)


@exercise(
    "10.2",
    hints=(
        "For every line of `table`, compare RF-TREANT with the larger one of AB and RT. A tie is "
        "good enough.",
        "The better competitor of every line is a maximum over two columns; then compare two "
        "columns and count.",
    ),
    praise="All but four, none of them at a large budget: by the paper's own numbers, "
    '"basically for all" is fair.',
)
def ahead_in_print(answer: Any) -> str | None:
    """In how many printed cells is RF-TREANT at least as good as both competitors?"""
    given, table = a_number(answer), _wide(paper_table(), "value")
    right = _ahead(table, ["AB", "RT"])
    if given == right:
        return None
    mistakes = {
        _ahead(table, ["AB", "RT"], ties=False): "A tie is at least as good, too.",
        len(table) - right: "That is how many cells RF-TREANT loses.",
        _ahead(
            _wide(_cells(), "ours"), ["AB", "RT"]
        ): "That is the count in our runs. The question is about the paper's own numbers.",
        _ahead(table, ["RT"]): "That is true against RT alone; AB counts as well.",
    }
    if 0 < given <= 1:
        return "The number of cells is asked for, not their share."
    return mistakes.get(
        int(given), "Compare the column RF-TREANT with the larger one of the other two, line by line."
    )


COUNTS = [(15, 5), (5, 15), (93, 84), (10, 9), (222, 25)]


def _truth(only_a: int, only_b: int) -> float:
    """The package's own test, on as many rows."""
    first = np.array([True] * only_a + [False] * only_b)
    return mcnemar(first, ~first).statistic


@exercise(
    "10.3",
    hints=(
        "The formula is in the text above: b and c are the two arguments.",
        "Mind the order: the difference without its sign, then less 1, then the square; the "
        "division comes last.",
    ),
    praise="Rows that both models get right, or both get wrong, do not count: they say nothing about which "
    "one is better.",
)
def mcnemar_statistic(answer: Any) -> str | None:
    """A function of the two counts."""
    for a, b in COUNTS:
        given, right = a_number(called(answer, a, b)), _truth(a, b)
        if same(given, right):
            continue
        if same(given, (a - b) ** 2 / (a + b)):
            return f"For ({a}, {b}) you left out the correction: 1 is taken off before squaring."
        if same(given, (a - b - 1) ** 2 / (a + b)):
            return f"For ({a}, {b}) it is wrong: the difference counts without its sign."
        if same(given, abs(abs(a - b) - 1) / (a + b)):
            return f"For ({a}, {b}) the square is missing."
        return f"For ({a}, {b}) it returns {given:.4g}, which is wrong."
    return None

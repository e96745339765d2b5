"""Exercises of notebook 10: the reproduction audit."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.course.exercises.judge import a_number, called, exercise
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


DISPUTED, CRITICAL = (20, 50, 177, 247, 1000), 3.84


def _statistic(lead: int, disputed: int) -> float:
    """The package's own test, on the rows that only one of two models gets right."""
    only_a = (disputed + lead) // 2
    first = np.array([True] * only_a + [False] * (disputed - only_a))
    return mcnemar(first, ~first).statistic


def _least_lead(disputed: int) -> int:
    """The smallest lead that chance does not explain."""
    leads = range(disputed % 2, disputed + 1, 2)
    return next(lead for lead in leads if _statistic(lead, disputed) > CRITICAL)


@exercise(
    "10.3",
    hints=(
        "The lead is |b - c|, and b + c is given. Which leads are possible if b + c is 20? And if it is 177?",
        "Begin with the smallest possible lead, 0 or 1, and go up in steps of 2 until the statistic is "
        "above 3.84.",
    ),
    praise="With 177 wines in dispute, as at budget 60, the lead would have to be 29. It is 9: nothing that "
    "chance could not do.",
)
def least_lead_that_counts(answer: Any) -> str | None:
    """A function of the number of disputed rows that gives the smallest lead beyond chance."""
    for disputed in DISPUTED:
        given, right = a_number(called(answer, disputed)), _least_lead(disputed)
        if given == right:
            continue
        told = f"For {disputed} disputed rows it says {given:g}."
        if given % 2 != disputed % 2:
            return f"{told} No b and c have this sum and this difference: both are even, or both odd."
        if given < right:
            return f"{told} With this lead the statistic is only {_statistic(int(given), disputed):.3g}."
        return f"{told} A smaller lead is enough."
    return None

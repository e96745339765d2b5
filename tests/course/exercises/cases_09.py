"""Answers to the exercises of notebook 09."""

from __future__ import annotations

from tests.course.exercises.cases import Case


def safest(table):
    """The largest of the rows' smallest values, without pandas' own words for it."""
    best, found = None, None
    for budget, row in table.iterrows():
        worst = sorted(row)[0]
        if best is None or worst > best:
            best, found = worst, budget
    return found


CASES = {
    "09.1": Case(
        right=[-40.6, -40.61],  # as the paper prints it
        wrong=[
            (40.6, "the sign is not"),
            (-0.406, "give it in per cent"),
            (-34.4, "difference of the two values"),  # 0.848 to 0.504
            (-0.344, "difference of the two values"),
            (-31.7, "That is the fall of RF"),  # 0.833 to 0.569
            (-63.6, "at the largest budget"),  # 0.848 to 0.308
            (-25.8, "Look up the two values again"),  # credit's
            ("-40.6 %", "A number is expected"),
        ],
    ),
    "09.2": Case(
        right=[
            (30, 60, 10),
            [30.0, 60.0, 10.0],
        ],  # read off the stored tables: .892 > .888, .798 > .786, .745 > .707
        wrong=[
            ((30, 20, 10), "The question is about AB"),
            ((30, 40, 10), "1 of the three is not right. On wine, AB is still ahead"),
            ((60, 60, 30), "2 of the three are not right. On census, there is a smaller one"),
            ((0.25, 0.5, 0.17), "Budgets are in coins"),
            ((60, 30, 10), "30 is no test budget of wine"),
            (60, "3 numbers are expected"),
            ((..., ..., ...), "A number is expected"),
        ],
    ),
    "09.3": Case(
        right=[safest, lambda table: table.min(axis=1).idxmax()],
        wrong=[
            (lambda table: table.mean(axis=1).idxmax(), "the best mean"),
            (lambda table: table.max(axis=1).idxmax(), "that is the hope"),
            (lambda table: table.min(axis=1).idxmin(), "the *worst* of all"),
            (lambda table: table.index[-1], "a row with a better worst case"),
            (lambda table: table.min(axis=1).max(), "which is not in the index"),
            (lambda table: table.min(axis=1), "one training budget, not Series"),
            (lambda table: None, "does not return anything"),
            (120, "A function is expected"),
        ],
    ),
}

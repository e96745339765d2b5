"""Answers to the exercises of notebook 07."""

from __future__ import annotations

from statistics import mean

from tests.course.exercises.cases import Case

CASES = {
    "07.1": Case(
        right=[90, 90.0],  # by hand: 9.3, 9.8, 10.3, 10.8 is three times 20; 0.33, 0.3 is once 30
        wrong=[
            (60, "pays for one side of the box"),
            (30, "pays for one side of the box"),
            (50, "One use of each rule is not enough"),
            (40, "Volatile acidity has to move too"),
            (70, "Less than the least cost"),
            (120, "More than the least cost"),
            ("90", "A number is expected"),
        ],
    ),
    "07.2": Case(
        right=[lambda trees: mean(max(t) for t in trees), lambda trees: sum(map(max, trees)) / len(trees)],
        wrong=[
            (lambda trees: sum(max(t) for t in trees), "the mean of its trees, not their sum"),
            (lambda trees: max(max(t) for t in trees), "the highest prediction of a single tree"),
            (lambda trees: mean(mean(t) for t in trees), "not the average one"),
            (lambda trees: mean(min(t) for t in trees), "the attacker wants high scores"),
            (lambda trees: 0.75, "larger than necessary"),
            (lambda trees: None, "does not return anything"),
            (lambda trees: [max(t) for t in trees], "A number is expected"),
            (0.77, "A function is expected"),
        ],
    ),
    "07.3": Case(
        right=[60],  # 4 * 5 * 3 * 1
        wrong=[
            (0, "has one cell, not none"),
            (24, "intervals between and beside"),
            (13, "multiply instead of adding"),
            (9, "multiply instead of adding"),
            (120, "There are fewer"),
            (20, "There are more"),
            ({60}, "A number is expected"),
        ],
    ),
}

"""Answers to the exercises of notebook 03."""

from __future__ import annotations

from tests.course.exercises.cases import Case


def side(x, v, radius):
    if x + radius <= v:
        return "L"
    return "R" if x - radius > v else "U"


CASES = {
    "03.1": Case(
        right=[{"x2", "x3", "x4", "x5", "x6"}, ["x6", "x5", "x4", "x3", "x2"]],  # p = 1 and p = 3, by up to 3
        wrong=[
            ({"x2"}, "answer for a budget of 1"),
            ({"x2", "x3"}, "3 more rows can be moved"),
            ({"x0", "x1", "x2", "x3", "x4", "x5", "x6"}, "stays on its side"),
            ({"x7"}, "x7 is no row of the toy"),
            ("x2", "A set is expected"),
        ],
    ),
    "03.2": Case(
        right=[side],
        wrong=[
            (lambda x, v, radius: "L" if x <= v else "R", "For x = 3, v = 2, radius = 1"),
            (lambda x, v, radius: "L" if x + radius < v else "R" if x - radius > v else "U", "Mind the edge"),
            (lambda x, v, radius: x <= v, 'return "L", "U" or "R"'),
            (lambda x, v, radius: ..., "does not return anything yet"),
            (lambda x, v: "L", "Your function fails: TypeError"),
            ("U", "A function is expected"),
        ],
    ),
}

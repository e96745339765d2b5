"""Answers to the exercises of notebook 03."""

from __future__ import annotations

from tests.course.exercises.cases import Case


def side(x, v, radius):
    if x + radius <= v:
        return "left"
    return "right" if x - radius > v else "unknown"


CASES = {
    "03.1": Case(
        # p +- 1 are [-8, -6], [-6, -4], [0, 2], [2, 4]: the only gap is from -4 to just below 0
        right=[-4, -4.0, -2, -0.5],
        wrong=[
            (-5, "can send x1 either way"),
            (1, "can send x2 either way"),
            (0, "can send x2 either way. Mind the edge"),
            (2, "can send x3 and x4 and x5 and x6 either way. Mind the edge"),
            (-8, "all rows to the same side"),
            (3, "all rows to the same side"),
            ({"x1"}, "A number is expected"),
        ],
    ),
    "03.2": Case(
        right=[side],
        wrong=[
            (lambda x, v, radius: "left" if x <= v else "right", "For x = 3, v = 2, radius = 1"),
            (
                lambda x, v, radius: "left" if x + radius < v else "right" if x - radius > v else "unknown",
                "Mind the edge",
            ),
            (lambda x, v, radius: x <= v, 'return "left", "unknown" or "right"'),
            (lambda x, v, radius: None, "does not return anything"),
            (lambda x, v: "left", "Your function fails: TypeError"),
            ("unknown", "A function is expected"),
        ],
    ),
}

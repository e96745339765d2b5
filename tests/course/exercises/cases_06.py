"""Answers to the exercises of notebook 06."""

from __future__ import annotations

from math import inf

from tests.course.exercises.cases import Case


def side(to_left, to_right):
    return {(True, True): "unknown", (True, False): "left"}.get((to_left < inf, to_right < inf), "right")


def plan(y, y_l, y_r, unattacked):
    """By distances in place of squares."""
    on_left, on_right = abs(y_l - y), abs(y_r - y)
    left = on_left > on_right or (on_left == on_right and unattacked == "left")
    return ("left", ">=", "<=", on_right**2) if left else ("right", "<=", ">=", on_left**2)


def swapped(*args):
    half, sense_l, sense_r, gamma = plan(*args)
    return half, sense_r, sense_l, gamma


CASES = {
    "06.1": Case(
        # budgets 2 and 3: q <= 2, q <= 1, q <= 3; nobody moves q, and only x2 (0) and x3 (2) share a leaf: 2.
        # budget 1: 2.5 (panel (e) with the left leaf split); 0: x0 and x1 move one leaf on, x2 to leaf 2: 6
        right=[{2, 3}, [3, 2], {2.0, 3.0}],
        wrong=[
            ({1}, "attack all four trees"),
            ({0}, "lose nothing if nobody attacks"),
            ({2}, "Another budget does just as well"),
            ({1, 2, 3}, "loses more than necessary"),
            ({2, 3, 4}, "4 is not one of the four"),
            (2, "A set is expected"),
        ],
    ),
    "06.2": Case(
        # leaves -1 and 1 hurt x2 alike, so it stays left and gets a leaf 0 there; the leaf 2 of x3 costs it 4
        right=[{"x1", "x2", "x3"}, ["x3", "x1", "x2"]],
        wrong=[
            ({"x0", "x2", "x3"}, "and that is true"),
            ({"x1", "x3", "x4"}, "claims 0, and that is true"),
            ({"x1", "x2"}, "Three rows are asked for, not 2"),
            ({"x1", "x2", "x9"}, "x9 is no row of the changed toy"),
            ("x2", "Three rows are asked for"),
            (3, "A set is expected"),
        ],
    ),
    "06.3": Case(
        right=[5, 5.0],  # 1 + 5 = 6 is above 5, 1 + 4 = 5 is not
        wrong=[
            (9, "You added up three moves"),
            (4, "5 <= 5 goes left"),
            (2, "Too few coins"),
            (6, "Fewer coins are enough"),
            ([5], "A number is expected"),
        ],
    ),
    "06.4": Case(
        right=[side, lambda a, b: "unknown" if a + b < inf else "left" if b == inf else "right"],
        wrong=[
            (lambda a, b: "left" if a == 0 else "right", "The attacker can afford both sides"),
            (lambda a, b: side(b, a), "The right side cannot be reached"),
            (lambda a, b: "unknown" if min(a, b) > 0 else side(a, b), "The right side cannot be reached"),
            (lambda a, b: "l", 'expected "left", "right" or "unknown"'),
            (lambda a, b: None, "does not return anything"),
            ("left", "A function is expected"),
        ],
    ),
    "06.5": Case(
        right=[plan],
        wrong=[
            (swapped, "the two senses are swapped"),
            (
                lambda *args: (*plan(*args)[:3], max((args[1] - args[0]) ** 2, (args[2] - args[0]) ** 2)),
                "smaller",
            ),
            (lambda *args: (args[3], *plan(*args)[1:]), "the half is wrong: the row loses"),
            (lambda y, y_l, y_r, un: plan(y, y_l, y_r, "left"), "the attacker keeps the coin"),
            (lambda *args: (plan(*args)[0], ">=", ">=", 0), "an upper bound, the other a lower bound"),
            (lambda *args: plan(*args)[0], "expected ("),
            (lambda y: 1 / 0, "Your function fails: TypeError"),
        ],
    ),
}

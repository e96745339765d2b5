"""Answers to the exercises of notebook 02."""

from __future__ import annotations

import math

import treant_viz as tv
from tests.course.exercises.cases import Case

FREE = (-math.inf, math.inf)


def attacker(delta=FREE, costs=(1, 1), budget=1, pre=None):
    rules = [tv.Rule(f, cost=k, delta=delta, pre=pre) for f, k in zip("pq", costs, strict=True)]
    return tv.Attacker(rules, budget)


CASES = {
    "02.1": Case(
        right=[7, 7.0],  # 4 -> 5 -> 7, where the rule has ended
        wrong=[
            (10, "Three full steps"),
            (6, "need not be a full one"),
            (5, "the rule still applies there"),
            (6.5, "too small"),
            (9, "too large"),
            ("7", "A number is expected"),
        ],
    ),
    "02.2": Case(
        right=[attacker(), attacker(costs=(2, 3), budget=4), attacker(costs=(5, 5), budget=9)],
        wrong=[
            (attacker(budget=2), "The attacker can pay for changing both"),
            (attacker(delta=(-1, 1)), "values that the attacker cannot give to p"),
            (attacker(pre=(0, 10)), "values that the attacker cannot give to p"),
            (attacker(delta=(0, math.inf)), "values that the attacker cannot give to p"),
            (tv.Attacker([tv.Rule("p", cost=1, delta=FREE)], 1), "no rule on q"),
            (attacker(costs=(1, 3), budget=2), "does not suffice for the rule on q"),
            (tv.Attacker([tv.Rule("p", cost=1, becomes="anything")], 1), "p is a number"),
            (tv.Rule("p", cost=1, delta=FREE), "An attacker is expected"),
        ],
    ),
    "02.3": Case(
        # x0, x1 go right, x2 stays there, x3 to x6 go left
        right=[71.28, (1.6 + 2) ** 2 + (1.6 + 1) ** 2 + 1.6**2 + 4 * (-1.5 - 2) ** 2],
        wrong=[
            (3.7, "if q cannot be changed"),
            (0.25 + 6.76 + 2.56 + 12.25 + 3 * 0.16, "answer for one coin"),
            (12.96 + 6.76 + 2.25 + 49, "hurt more where it is"),
            (12.96 + 6.76 + 2.56 + 12.25, "not shared between rows"),
            (41, "greater than that"),
            (100, "smaller than that"),
            ({"x2"}, "A number is expected"),
        ],
    ),
}

"""The attacker's moves: single applications of a rule, and the cheapest ones from a value into a cell.

What values can be reached at what cost is known (`treant_viz.core.attacker.reach`). So the moves are found
backwards, from the cell to the value: which rule can have been the last, and from where?
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.core.attacker.reach import CategoricalReach, NumericReach, without
from treant_viz.core.attacker.rules import Rule

HAIR = 1 + 1e-9  # sums of costs are rounded


@dataclass(frozen=True, slots=True)
class Move:
    """One application of a rule: the value before and after."""

    rule: Rule
    before: Any
    after: Any

    @property
    def amount(self) -> float | None:
        """What a numeric rule added, within its [dl, du] to the last digit; None for a categorical one."""
        if self.rule.categorical:
            return None
        low, high = self.rule.delta
        return min(max(self.after - self.before, low), high)

    def __str__(self) -> str:
        change = "" if self.amount is None else f" ({self.amount:+.6g})"
        values = f"{_show(self.before)} -> {_show(self.after)}"
        return f"{self.rule.feature}: {values}{change}, cost {self.rule.cost:g}"


def _show(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def swaps(reach: CategoricalReach, rules: Sequence[Rule], code: int, cell: int) -> list[Move]:
    """The cheapest moves from a category to another: backwards along a shortest path."""
    names, cost, moves = reach.categories, reach.cost[code], []
    while cost[cell] > 0:
        rule, source = next(
            (r, k)
            for r in rules
            for k in range(len(names))
            if r.becomes == names[cell]
            and (r.pre is None or names[k] in r.pre)
            and cost[k] + r.cost <= cost[cell] * HAIR
            and k != cell
        )
        moves.append(Move(rule, names[source], names[cell]))
        cell = source
    return moves[::-1]


def shifts(
    reach: NumericReach,
    rules: Sequence[Rule],
    code: int,
    cost: float,
    low: float,
    high: float,
    kind: np.dtype,
) -> list[Move]:
    """The cheapest moves from a number into the cell [low, high]: backwards, until nothing is spent."""
    start = float(reach.values[code])
    inside = [
        (max(a, low), min(b, high)) for a, b in reach.pieces_of(code, cost * HAIR) if b >= low and a <= high
    ]
    z = fitting(*min(inside, key=lambda p: max(p[0] - start, start - p[1])), start, kind)
    shown, moves = _short(z, low, high, kind), list[Move]()
    while cost > 0:
        rule, before = _source(reach, rules, code, cost, z)
        if rule.once:
            reach, rules = reach.without[rule], without(tuple(rules), rule)
        moves.append(Move(rule, before, z if moves else shown))
        cost, z = _left_over(cost, rule), before
    return moves[::-1]


def fitting(low: float, high: float, near: float, kind: np.dtype) -> float:
    """The roundest number of [low, high], or one close by that a column of that type can hold as it is."""
    z = roundest(low, high, near)
    if kind.kind != "f":
        return z
    with np.errstate(over="ignore"):
        short = kind.type(z)
        close = (short, np.nextafter(short, kind.type(-math.inf)), np.nextafter(short, kind.type(math.inf)))
    return next((c for c in map(float, close) if low <= c <= high), z)


def _short(z: float, low: float, high: float, kind: np.dtype) -> float:
    """z to the last digit of the column's type, if that is still in the cell [low, high]."""
    with np.errstate(over="ignore"):
        short = float(kind.type(z)) if kind.kind == "f" else z
    return short if low <= short <= high and math.isfinite(short) else z


def _left_over(cost: float, rule: Rule) -> float:
    left = cost - rule.cost
    return left if left > 1e-9 * cost else 0.0


def _source(
    reach: NumericReach, rules: Sequence[Rule], code: int, cost: float, z: float
) -> tuple[Rule, float]:
    """A rule, and a value from which it reaches z, within the rest of the cost; the longest shifts first."""
    for rule in rules:
        if rule.cost > cost * HAIR:
            continue
        (a, b), (dl, du) = rule.pre, rule.delta
        source = reach.without[rule] if rule.once else reach
        for lo, hi in source.pieces_of(code, _left_over(cost, rule) * HAIR):
            lo, hi = max(lo, a), min(hi, b)
            if lo <= hi and lo + dl <= z <= hi + du:
                return rule, _before(float(lo), float(hi), z - du, z - dl)
    raise AssertionError("a reachable value has a rule that reaches it")


def _before(lo: float, hi: float, least: float, most: float) -> float:
    """A value of [lo, hi] in [least, most]; these two are rounded, so an end of [lo, hi] is as good."""
    least, most = min(max(least, lo), hi), min(max(most, lo), hi)
    return hi if most == hi else lo if least == lo else roundest(least, most, near=hi)


def roundest(low: float, high: float, near: float) -> float:
    """The number of [low, high] with the fewest decimals; among those, the one nearest to `near`.

    >>> roundest(11.3000001, 11.4, near=11.0), roundest(0.5, 7.5, near=0.2), roundest(2.0, 2.0, near=0.0)
    (11.4, 1.0, 2.0)
    """
    if low <= near <= high:
        return near
    target = float(min(max(near, low), high))
    for decimals in range(16):
        unit = 10.0**-decimals
        for place in (round(target / unit), math.floor(target / unit), math.ceil(target / unit)):
            candidate = round(place * unit, decimals)
            if low <= candidate <= high:
                return candidate
    return target

"""What the rules on one feature can make of some values, for how much: read from the attacker, nothing
drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from treant_viz.core.attacker.rules import Attacker, Rule

LEVELS = 6  # costs that are drawn


class Stage(NamedTuple):
    """What a value can become for `cost`: intervals of numbers, or categories."""

    cost: float
    pieces: tuple[Any, ...]


class Lane(NamedTuple):
    """A value and what it can become, from the least cost to the most; the first stage costs nothing."""

    value: Any
    stages: tuple[Stage, ...]


def lanes(attacker: Attacker, feature: Any, values: Sequence[Any]) -> tuple[Lane, ...]:
    """One lane a value: its stages within the budget, a few at most."""
    return tuple(Lane(v, _stages(attacker, feature, v)) for v in values)


def _stages(attacker: Attacker, feature: Any, value: Any) -> tuple[Stage, ...]:
    out: list[Stage] = []
    for cost in costs(attacker.rules_on(feature), attacker.budget):
        found = attacker.reachable(feature, value, cost)
        pieces = tuple(sorted(found, key=str)) if isinstance(found, frozenset) else tuple(map(tuple, found))
        if not out or pieces != out[-1].pieces:
            out.append(Stage(cost, pieces))
    return tuple(out)


def costs(rules: Sequence[Rule], budget: float) -> list[float]:
    """What can be paid with these rules, from nothing on, within the budget: the least sums.

    >>> costs((Rule("p", 1, delta=(-1, 1)), Rule("p", 2.5, delta=(3, 3))), 3)
    [0.0, 1.0, 2.0, 2.5, 3.0]
    """
    sums = {0.0}
    for _ in range(LEVELS - 1):
        sums |= {round(a + r.cost, 9) for a in sums for r in rules}
        sums = set(sorted(s for s in sums if s <= budget)[:LEVELS])
    return sorted(sums)


def examples(rules: Sequence[Rule]) -> list[Any]:
    """Values that show what the rules on a feature do: inside a precondition, at its ends, and outside it."""
    if rules[0].categorical:
        named = {c for r in rules for c in (r.pre or ())} | {r.becomes for r in rules}
        return sorted(named, key=str)[:8]
    ends = [(e, side) for r in rules for e, side in ((r.pre.high, 1), (r.pre.low, -1)) if math.isfinite(e)]
    step = max(abs(e) for r in rules for e in r.delta if math.isfinite(e)) or 1.0
    if not ends:
        return [0]
    (at, outwards), places = ends[0], (-3, -1, 0, 1)
    found = sorted(round(at + k * outwards * step, 9) for k in places)
    return [v for v in found if v >= 0 or at]  # where a rule begins at 0, nothing is below it


__all__ = ["Lane", "Stage", "costs", "examples", "lanes"]

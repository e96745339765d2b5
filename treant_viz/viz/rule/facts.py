"""What the rules on one feature can make of some values, for how much: read from the attacker, nothing
drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.attacker.reach import reach_numbers
from treant_viz.core.attacker.rules import Attacker, Rule

LEVELS, MOST = 6, 12  # costs, and categories, that are drawn


class Stage(NamedTuple):
    """What a value can become for `cost`: intervals of numbers, or categories."""

    cost: float
    pieces: tuple[Any, ...]

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest number."""
        return self.pieces[0][0], self.pieces[-1][1]


class Lane(NamedTuple):
    """A value and what it can become, from the least cost to the most; the first stage costs nothing."""

    value: Any
    stages: tuple[Stage, ...]

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest number that the value can become."""
        return self.stages[-1].reach

    @property
    def changes(self) -> list[tuple[float, Any]]:
        """The other categories that it can become, each with its least cost."""
        pairs = zip(self.stages, self.stages[1:], strict=False)
        return [(after.cost, c) for before, after in pairs for c in after.pieces if c not in before.pieces]


class ValueStages(NamedTuple):
    """All stages of a value. `whole`: no more of the budget opens anything; else only `followed` of it was
    looked at, as the steps that it pays for are too many.
    """

    stages: tuple[Stage, ...]
    whole: bool
    followed: float


def lanes(attacker: Attacker, feature: Any, values: Sequence[Any]) -> tuple[Lane, ...]:
    """One lane a value: its first stages within the budget, and the last."""
    return tuple(Lane(v, _few(reach(attacker, feature, v).stages)) for v in values)


def too_dear(attacker: Attacker, feature: Any, value: Any) -> Stage | None:
    """What a number could become for the next payment, if the budget were enough for it.

    >>> too_dear(Attacker([Rule("p", 50, delta=(0, 2))], 60), "p", 0)
    Stage(cost=100.0, pieces=((0.0, 4.0),))
    """
    rules = attacker.rules_on(feature)
    if (
        isinstance(value, str)
        or not rules
        or math.isinf(attacker.budget)
        or any(r.categorical for r in rules)
    ):
        return None
    rich = attacker.with_budget(attacker.budget + max(r.cost for r in rules))
    more = (stage for stage in reach(rich, feature, value).stages if stage.cost > attacker.limit)
    here = reach(attacker, feature, value).stages[-1].reach
    return next((stage for stage in more if stage.reach != here), None)


def _few(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return stages if len(stages) <= LEVELS else (*stages[: LEVELS - 1], stages[-1])


def reach(attacker: Attacker, feature: Any, value: Any) -> ValueStages:
    """What the attacker can make of a value, and for what least cost, at once also for an endless budget.

    >>> reach(Attacker([Rule("p", 2, delta=(0, 1))], math.inf), "p", 5).followed
    400.0
    """
    rules = attacker.rules_on(feature)
    if isinstance(value, str) or any(r.categorical for r in rules):
        return ValueStages(_categories(attacker, feature, value), True, attacker.budget)
    x = float(value)
    if not rules:
        return ValueStages((Stage(0.0, ((x, x),)),), True, attacker.budget)
    limit = min(attacker.limit, _steps(len(rules)) * min(r.cost for r in rules))
    found = reach_numbers(np.array([x]), rules, limit, whole=True)
    stages = [Stage(float(c), _pieces(found.pieces_of(0, c))) for c in found.costs]
    settled = stages[-1].cost + max(r.cost for r in rules) <= limit  # all further steps were tried in vain
    return ValueStages(tuple(stages), settled or limit == attacker.limit, float(min(limit, attacker.budget)))


def _steps(rules: int) -> int:
    """So many steps that all sums of costs within them are some thousands at most."""
    return next(n for n in (200, 60, 20, 8, 4, 2, 1) if n == 1 or math.comb(n + rules, rules) <= 4000)


def _pieces(found: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(low), float(high)) for low, high in found)


def _categories(attacker: Attacker, feature: Any, value: Any) -> tuple[Stage, ...]:
    known = sorted(attacker.reachable(feature, value), key=str)
    price = {c: float(attacker.cost_equal(feature, [value], c)[0]) for c in known}
    within = ((cost, tuple(c for c in known if price[c] <= cost)) for cost in sorted(set(price.values())))
    return tuple(Stage(cost, pieces) for cost, pieces in within)


def everywhere(rules: Sequence[Rule]) -> bool:
    """Do all rules apply to every number alike?"""
    return all(not r.categorical and math.isinf(r.pre[0]) and math.isinf(r.pre[1]) for r in rules)


def applies(rules: Sequence[Rule], value: Any) -> bool:
    """Can some rule change a value, if there is money for it?"""
    if not rules:
        return False
    rich = Attacker(rules, max(r.cost for r in rules))
    return len(reach(rich, rules[0].feature, value).stages) > 1


def touched(rules: Sequence[Rule], known: Iterable[Any]) -> int:
    """How many of some values the rules can change."""
    return sum(n for v, n in Counter(known).items() if applies(rules, v))


def examples(
    rules: Sequence[Rule], known: Iterable[Any] | None = None, attacker: Attacker | None = None
) -> list[Any]:
    """Values that show what the rules on a feature do: inside a precondition, at its ends, and outside it; of
    the values of some rows, if they are given, the most usual one that can be changed; better one that does
    not end just where a rule does, so that one sees which of the two it is that ends.
    """
    if rules[0].categorical:
        named = {c for r in rules for c in (r.pre or ())} | {r.becomes for r in rules}
        here = named if known is None else named & set(known) | {r.becomes for r in rules}
        return sorted(here, key=str)[:MOST]
    if known is not None:
        usual = list(islice((v for v, _ in Counter(known).most_common() if applies(rules, v)), MOST))
        edges = {e for r in rules for e in r.pre}

        def apart(v: Any) -> bool:
            return attacker is None or not edges & set(reach(attacker, rules[0].feature, v).stages[-1].reach)

        return sorted(usual, key=apart, reverse=True)[:1]
    ends = [(e, side) for r in rules for e, side in ((r.pre.high, 1), (r.pre.low, -1)) if math.isfinite(e)]
    step = max(abs(e) for r in rules for e in r.delta if math.isfinite(e)) or 1.0
    if not ends:
        return [0]
    (at, outwards), places = ends[0], (-3, 0, 1)
    found = sorted(round(at + k * outwards * step, 9) for k in places)
    return [v for v in found if v >= 0 or at]  # where a rule begins at 0, nothing is below it


__all__ = [
    "Lane",
    "Stage",
    "ValueStages",
    "applies",
    "everywhere",
    "examples",
    "lanes",
    "reach",
    "too_dear",
    "touched",
]

"""What the attacker can make of a value, and at what least cost: exactly, for all distinct values at once.

This is `reachable` of `reference` feature by feature, with intervals instead of single values.

Rules touch one feature each, so costs add up over features and each feature can be looked at alone. The
values reachable at a given cost are a union of closed intervals: start from {x}; a rule turns a set S into (S
intersected with [a,b]) + [dl,du]. We keep that union for every cost at which it grows. A rule that may be
used only once turns what the other rules reach, so that is kept as well.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import shortest_path

MAX_LEVELS = 10_000
MAX_ONCE = 8  # rules on a feature that may be used once: every subset of them is looked at


class Intervals(NamedTuple):
    """Disjoint closed intervals, sorted by owner (the index of the value they start from) and place."""

    owner: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class NumericReach:
    """For each distinct value (columns) and each cost at which something new comes into reach (rows).

    `without`: by each rule that may be used only once, what the other rules reach.
    """

    values: np.ndarray
    costs: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pieces: tuple[Intervals, ...]
    without: Mapping[Any, NumericReach] = field(default_factory=dict)

    def level(self, budget_left: np.ndarray | float) -> np.ndarray:
        """The last cost level that a budget_left affords; -1 if not even standing still."""
        return np.searchsorted(self.costs, budget_left, side="right") - 1

    def cost_below(self, v: float) -> np.ndarray:
        """Least cost to get from each value to one <= v."""
        return self._first(self.low > v)

    def cost_above(self, v: float) -> np.ndarray:
        """Least cost to get from each value to one > v."""
        return self._first(self.high <= v)

    def cost_within(self, low: float, high: float) -> np.ndarray:
        """Least cost to get from each value into the box (low, high]."""
        cost = np.full(len(self.values), math.inf)
        for c, (owner, lo, hi) in zip(self.costs[::-1], self.pieces[::-1], strict=True):
            cost[owner[(hi > low) & (lo <= high)]] = c
        return cost

    def bounded(self, low: float, high: float) -> NumericReach:
        """The part of every reachable set inside the box (low, high]; nothing there is (inf, -inf)."""
        inside = [_clip(p, np.nextafter(low, math.inf), high) for p in self.pieces]
        return _ends(self.values, self.costs, inside)

    def pieces_of(self, i: int, budget_left: float) -> Iterator[tuple[float, float]]:
        """The intervals that value i can reach with a budget_left."""
        owner, low, high = self.pieces[int(self.level(budget_left))]
        return zip(low[owner == i], high[owner == i], strict=True)

    def _first(self, not_yet: np.ndarray) -> np.ndarray:
        return np.append(self.costs, math.inf)[not_yet.sum(axis=0)]


def reach_numbers(
    values: np.ndarray, rules: Sequence[Any], limit: float, cuts: Sequence[float] = (), *, whole: bool = False
) -> NumericReach:
    """Everything within `limit` of each of the sorted distinct `values`; `whole`: without a `_window`."""
    values = np.asarray(values, dtype=float)
    window = (-math.inf, math.inf) if whole else _window(values, rules, cuts)
    if (n := sum(r.once for r in rules)) > MAX_ONCE:
        raise ValueError(
            f"the rules on feature {rules[0].feature!r}: at most {MAX_ONCE} of them may be once=True, got {n}"
        )
    return _reach(values, tuple(rules), limit, window, {})


def without(rules: tuple[Any, ...], rule: Any) -> tuple[Any, ...]:
    """The other rules."""
    place = rules.index(rule)
    return rules[:place] + rules[place + 1 :]


def _reach(
    values: np.ndarray,
    rules: tuple[Any, ...],
    limit: float,
    window: tuple[float, float],
    known: dict[tuple[Any, ...], NumericReach],
) -> NumericReach:
    """`known`: what some of the rules reach; what is found on the way is added."""
    if rules not in known:
        others = {r: _reach(values, without(rules, r), limit, window, known) for r in rules if r.once}
        costs, sets = _levels(values, rules, others, limit, window)
        known[rules] = replace(_ends(values, np.array(costs), sets), without=others)
    return known[rules]


def _levels(
    values: np.ndarray,
    rules: tuple[Any, ...],
    others: Mapping[Any, NumericReach],
    limit: float,
    window: tuple[float, float],
) -> tuple[list[float], list[Intervals]]:
    """The costs at which something new comes into reach, and all that is in reach then."""
    costs, sets = [0.0], [Intervals(np.arange(len(values)), values, values)]
    todo, ticket = list[Arrival](), itertools.count()

    def follow(rule: Any, cost: float, found: Intervals) -> None:
        heapq.heappush(todo, Arrival(_round(cost + rule.cost), next(ticket), rule, found))

    for r in rules:
        before = zip(others[r].costs, others[r].pieces, strict=True) if r.once else [(0.0, sets[0])]
        for cost, found in before:
            follow(r, float(cost), found)
    while todo and (cost := todo[0].cost) <= limit:
        merged = _merge([sets[-1], *_arrivals(todo, cost, window)])
        if not _same(merged, sets[-1]):
            costs.append(cost)
            sets.append(merged)
            _check_levels(len(costs), rules[0].feature)
            for r in rules:
                if not r.once:
                    follow(r, cost, merged)
    return costs, sets


class Arrival(NamedTuple):
    """What a rule makes of a set comes into reach at this cost; the ticket puts equals in order."""

    cost: float
    ticket: int
    rule: Any
    found: Intervals


def _arrivals(todo: list[Arrival], cost: float, window: tuple[float, float]) -> Iterator[Intervals]:
    """What comes into reach at just this cost, each time by one more rule."""
    while todo and todo[0].cost == cost:
        _, _, rule, found = heapq.heappop(todo)
        yield _clip(_apply(rule, found), *window)


def _window(values: np.ndarray, rules: Sequence[Any], cuts: Sequence[float]) -> tuple[float, float]:
    """How far out to look.

    Moves beyond all values, cuts and ends of rules, and back, are cut short: they open nothing that a move
    closer by does not, for steps far out can be reordered to stay near.
    """
    ends = np.array([e for r in rules for e in (*r.pre, *r.delta)], dtype=float).reshape(-1, 2, 2)
    marks = np.concatenate([values, np.asarray(cuts, dtype=float), ends[:, 0].ravel()])
    marks, steps = marks[np.isfinite(marks)], ends[:, 1].ravel()
    margin = 2 * np.abs(steps[np.isfinite(steps)]).max(initial=1.0)
    low, high = marks.min(initial=0.0) - margin, marks.max(initial=0.0) + margin
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


def _round(cost: float) -> float:
    """Costs that differ by rounding only are one level."""
    return float(f"{cost:.12g}")


def _check_levels(n: int, feature: object) -> None:
    if n > MAX_LEVELS:
        raise ValueError(
            f"the rules on feature {feature!r} open new values at more than {MAX_LEVELS} different costs "
            "within the budget; give a smaller budget, or larger costs or changes"
        )


def _apply(rule: Any, p: Intervals) -> Intervals:
    """(S intersected with [a,b]) + [dl,du]."""
    owner, low, high = _clip(p, *rule.pre)
    return Intervals(owner, low + rule.delta[0], high + rule.delta[1])


def _clip(p: Intervals, low: float, high: float) -> Intervals:
    keep = (p.high >= low) & (p.low <= high)
    return Intervals(p.owner[keep], np.maximum(p.low[keep], low), np.minimum(p.high[keep], high))


def _merge(parts: Sequence[Intervals]) -> Intervals:
    """Union, owner by owner: a new piece starts where a low end lies above all high ends before it."""
    owner, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((low, owner))
    owner, low, high = owner[order], low[order], high[order]
    levels, rank = np.unique(high, return_inverse=True)
    run = np.maximum.accumulate(owner * len(levels) + rank)
    high = levels[run % max(len(levels), 1)]
    start = np.ones(len(owner), dtype=bool)
    start[1:] = (owner[1:] != owner[:-1]) | (low[1:] > high[:-1])
    last = np.append(start[1:], True)[: len(owner)]
    return Intervals(owner[start], low[start], high[last])


def _same(a: Intervals, b: Intervals) -> bool:
    return all(np.array_equal(s, t) for s, t in zip(a, b, strict=True))


def _ends(values: np.ndarray, costs: np.ndarray, sets: Sequence[Intervals]) -> NumericReach:
    low = np.full((len(sets), len(values)), math.inf)
    high = np.full((len(sets), len(values)), -math.inf)
    for row, p in enumerate(sets):
        low[row, p.owner[::-1]] = p.low[::-1]
        high[row, p.owner] = p.high
    return NumericReach(values, costs, low, high, tuple(sets))


@dataclass(frozen=True, slots=True, eq=False)
class CategoricalReach:
    """Least costs between categories: cost[i, j] turns category i into category j."""

    categories: tuple[Any, ...]
    cost: np.ndarray

    def reachable(self, x: Any, limit: float) -> frozenset[Any]:
        near = self.cost[self.categories.index(x)] <= limit
        return frozenset(c for c, ok in zip(self.categories, near, strict=True) if ok)

    def costs_to(self, x: Sequence[Any], targets: Collection[Any], limit: float) -> np.ndarray:
        """Least cost from each category of x into the set of targets."""
        places = {c: i for i, c in enumerate(self.categories)}
        columns = [places[t] for t in targets]
        best = self.cost[:, columns].min(axis=1, initial=math.inf)[[places[c] for c in x]]
        return np.where(best <= limit, best, math.inf)


def reach_categories(categories: Sequence[Any], rules: Sequence[Any]) -> CategoricalReach:
    """Shortest paths over the categories given and those that rules name."""
    named = [c for r in rules for c in [*sorted(r.pre or (), key=str), r.becomes]]
    all_ = tuple(dict.fromkeys([*categories, *named]))
    place = {c: i for i, c in enumerate(all_)}
    step = np.full((len(all_), len(all_)), math.inf)
    for r in rules:
        rows = range(len(all_)) if r.pre is None else [place[c] for c in r.pre]
        column = place[r.becomes]
        step[rows, column] = np.minimum(step[rows, column], r.cost)
    np.fill_diagonal(step, 0.0)
    return CategoricalReach(all_, shortest_path(step, method="D"))

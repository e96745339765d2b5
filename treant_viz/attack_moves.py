"""What the attacker can do with one feature: the least cost from each distinct value to each cell, and the steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treant_viz.attack_cells import Axis, Grid
from treant_viz.attacker import Rule
from treant_viz.reach import CategoricalReach, NumericReach, reach_categories, reach_numbers
from treant_viz.table import Column

HAIR = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Step:
    """One application of a rule: the value before and after."""

    rule: Rule
    before: Any
    after: Any

    @property
    def amount(self) -> float | None:
        """What a numeric rule added, within the rule's [dl, du] to the last digit; None for a categorical one."""
        if self.rule.categorical:
            return None
        low, high = self.rule.delta
        return min(max(self.after - self.before, low), high)

    def __str__(self) -> str:
        change = "" if self.amount is None else f" ({self.amount:+.6g})"
        return f"{self.rule.feature}: {_show(self.before)} -> {_show(self.after)}{change}, cost {self.rule.cost:g}"


def _show(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class Moves:
    """One attacked feature: `cost[i, j]` is the least cost from value i to cell j; rows know their value by `codes`."""

    f: int
    axis: Axis
    column: Column
    rules: tuple[Rule, ...]
    values: np.ndarray
    codes: np.ndarray
    cost: np.ndarray
    reach: NumericReach | CategoricalReach
    kind: np.dtype
    paths: dict[tuple[int, int], tuple[Step, ...]] = field(default_factory=dict)

    def path(self, code: int, cell: int) -> tuple[Step, ...]:
        """The cheapest steps from a value into a cell; the last one says where in it."""
        if (code, cell) not in self.paths:
            self.paths[code, cell] = self._path(code, cell)
        return self.paths[code, cell]

    def _path(self, code: int, cell: int) -> tuple[Step, ...]:
        if isinstance(self.reach, CategoricalReach):
            return tuple(_swaps(self.reach, self.rules, code, cell))
        low, high = self.axis.ends(cell)
        return tuple(_shifts(self.reach, self.rules, code, float(self.cost[code, cell]), low, high, self.kind))

    @cached_property
    def floor(self) -> np.ndarray:
        """[value, level, cell]: the least cost among 2^level cells from this one on; padded by infinity."""
        n, size = self.cost.shape
        levels = max(1, size.bit_length())
        out = np.full((n, levels, size + 1), math.inf)
        out[:, 0, :size] = self.cost
        for k in range(1, levels):
            half = 1 << (k - 1)
            out[:, k] = out[:, k - 1]
            out[:, k, :-half] = np.minimum(out[:, k - 1, :-half], out[:, k - 1, half:])
        return out


def moves(grid: Grid, M: np.ndarray, f: int, rules: Sequence[Rule], limit: float, kind: np.dtype) -> Moves | None:
    """None if no affordable rule takes any row's value to another cell. `kind`: the type of the column."""
    rules = tuple(r for r in rules if r.cost <= limit)
    if not rules or not len(M):
        return None
    axis, column = grid.axes[f], grid.form.schema.columns[f]
    values, codes = np.unique(M[:, f], return_inverse=True)
    make = _numeric if axis.cuts is not None else _categorical
    cost, reach = make(axis, column, values, rules, limit)
    cost = np.where(cost <= limit, cost, math.inf)
    if (np.isfinite(cost).sum(axis=1) <= 1).all():
        return None
    return Moves(f, axis, column, rules, values, codes.ravel(), cost, reach, kind)


def _numeric(
    axis: Axis, column: Column, values: np.ndarray, rules: Sequence[Rule], limit: float
) -> tuple[np.ndarray, NumericReach]:
    assert axis.cuts is not None
    known = values[~np.isnan(values)]
    reach = reach_numbers(known, rules, limit, cuts=axis.cuts.tolist())
    cost = np.full((len(values), axis.size), math.inf)
    cost[len(known) :, -1] = 0.0
    for c, (owner, low, high) in zip(reach.costs[::-1], reach.pieces[::-1], strict=True):
        first, last = (np.searchsorted(axis.cuts, ends, side="left") for ends in (low, high))
        edge = np.zeros((len(known), axis.size), dtype=np.int64)
        np.add.at(edge, (owner, first), 1)
        np.add.at(edge, (owner, last + 1), -1)
        cost[: len(known), :-1][np.cumsum(edge, axis=1)[:, :-1] > 0] = c
    return cost, reach


def _categorical(
    axis: Axis, column: Column, values: np.ndarray, rules: Sequence[Rule], limit: float
) -> tuple[np.ndarray, CategoricalReach]:
    assert column.categories is not None
    reach = reach_categories(column.categories, rules)
    here = values[~np.isnan(values)].astype(np.int64)
    n = axis.size - 1
    beyond = np.flatnonzero((reach.cost[here, n:] <= limit).any(axis=0))
    if len(beyond):
        name = reach.categories[n + int(beyond[0])]
        raise ValueError(
            f"attacker: a rule turns values of column {column.name!r} into {name!r}, a category the model does not know"
        )
    cost = np.full((len(values), axis.size), math.inf)
    cost[: len(here), :n] = reach.cost[here, :n]
    cost[len(here) :, -1] = 0.0
    return cost, CategoricalReach(reach.categories, reach.cost[here])


def _swaps(reach: CategoricalReach, rules: Sequence[Rule], code: int, cell: int) -> list[Step]:
    """Backwards along a shortest path over the categories."""
    names, cost, steps = reach.categories, reach.cost[code], []
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
        steps.append(Step(rule, names[source], names[cell]))
        cell = source
    return steps[::-1]


def _shifts(
    reach: NumericReach, rules: Sequence[Rule], code: int, cost: float, low: float, high: float, kind: np.dtype
) -> list[Step]:
    """Backwards from the cell [low, high]: which rule led here, from where, until nothing is spent."""
    start = float(reach.values[code])
    inside = [(max(a, low), min(b, high)) for a, b in reach.pieces_of(code, cost * HAIR) if b >= low and a <= high]
    z = fitting(*min(inside, key=lambda p: max(p[0] - start, start - p[1])), start, kind)
    steps = []
    while cost > 0:
        rule, before = _source(reach, rules, code, cost, z)
        steps.append(Step(rule, before, z))
        cost, z = _left_over(cost, rule), before
    return steps[::-1]


def fitting(low: float, high: float, near: float, kind: np.dtype) -> float:
    """The roundest number of [low, high], rounded to 32 bits if the column has that type and that leads not out."""
    z = roundest(low, high, near)
    short = float(kind.type(z)) if kind.kind == "f" else z
    return short if low <= short <= high else z


def _left_over(cost: float, rule: Rule) -> float:
    left = cost - rule.cost
    return left if left > 1e-9 * cost else 0.0


def _source(reach: NumericReach, rules: Sequence[Rule], code: int, cost: float, z: float) -> tuple[Rule, float]:
    """A rule and a value before it, within the rest of the cost, from which the rule reaches z; full steps first."""
    for rule in rules:
        if rule.cost > cost * HAIR:
            continue
        (a, b), (dl, du) = rule.pre, rule.delta
        for lo, hi in reach.pieces_of(code, _left_over(cost, rule) * HAIR):
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

"""The attacker A = (R, K): rewriting rules and a budget (paper, "Attacker Model").

A rule [a,b] -f->_k [dl,du] lets the attacker add any amount in [dl,du] to feature f while it lies in [a,b],
at cost k. A categorical rule turns one of some categories into another. Rules may be applied again and again,
in any order, until the budget K is spent. What that reaches, and at what least cost, is worked out in `reach`
(`reachable` of `reference` applies the rules one by one).

>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> print(A)
Attacker with budget 1:
  (-inf, inf) -p->_1 [-1, 1]
>>> A.reachable("p", 3)
(Interval(low=2.0, high=4.0),)
>>> A.cost_below("p", [1, 2, 3], 1).tolist(), A.cost_above("p", [0, 1], 1).tolist()
([0.0, 1.0, inf], [inf, 1.0])
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core import serial
from treant_viz.core.attacker.reach import CategoricalReach, NumericReach, reach_categories, reach_numbers
from treant_viz.core.serial import shown

FORMAT_VERSION = 1


class Interval(NamedTuple):
    """A closed interval; its ends may be infinite."""

    low: float
    high: float

    def __str__(self) -> str:
        left = "(" if self.low == -math.inf else "["
        right = ")" if self.high == math.inf else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}"


EVERYTHING = Interval(-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Rule:
    """[a,b] -f->_k [dl,du], or its categorical kin: one of `pre` becomes `becomes`, at cost k.

    Leave `pre` out if the rule always applies.

    >>> print(Rule("alcohol", cost=20, pre=(0, 11), delta=(0, 0.5)))
    [0, 11] -alcohol->_20 [0, 0.5]
    >>> print(Rule("marital_status", cost=1, pre={"Divorced", "Separated"}, becomes="Never-married"))
    {Divorced, Separated} -marital_status->_1 Never-married
    """

    feature: Any
    cost: float
    pre: Any = None
    delta: Any = None
    becomes: Any = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "feature", _feature(self.feature))
        put(self, "cost", _positive(self.cost, f"cost of the rule on {shown(self.feature)}"))
        if (self.delta is None) == (self.becomes is None):
            raise ValueError(
                f"the rule on {shown(self.feature)} needs either delta=(dl, du) (a numeric rule) or "
                "becomes=... (a categorical rule); "
                f"got delta={shown(self.delta)} and becomes={shown(self.becomes)}"
            )
        if self.becomes is None:
            put(self, "pre", _interval(self.pre, f"pre of the rule on {shown(self.feature)}"))
            put(self, "delta", _interval(self.delta, f"delta of the rule on {shown(self.feature)}"))
        else:
            put(self, "becomes", _category(self.becomes, f"becomes of the rule on {shown(self.feature)}"))
            put(self, "pre", _categories(self.pre, f"pre of the rule on {shown(self.feature)}"))

    @property
    def categorical(self) -> bool:
        return self.becomes is not None

    def __str__(self) -> str:
        arrow = f"-{self.feature}->_{self.cost:g}"
        if not self.categorical:
            return f"{self.pre} {arrow} {self.delta}"
        pre = "any" if self.pre is None else "{" + ", ".join(sorted(map(str, self.pre))) + "}"
        return f"{pre} {arrow} {self.becomes}"

    def to_dict(self) -> serial.Json:
        out: serial.Json = {"feature": self.feature, "cost": self.cost}
        if not self.categorical:
            numbers = {"pre": self.pre, "delta": self.delta}
            return out | {k: [serial.number_out(x) for x in v] for k, v in numbers.items()}
        pre = None if self.pre is None else sorted(self.pre, key=str)
        return out | {"pre": pre, "becomes": self.becomes}

    @classmethod
    def from_dict(cls, d: object, where: str = "rule") -> Rule:
        with serial.reading(where):
            return cls._checked(d, where)

    @classmethod
    def _checked(cls, d: object, where: str) -> Rule:
        if not isinstance(d, dict):
            raise ValueError(f"{where}: expected an object, got {shown(d)}")
        cost_of = f"cost of the rule on {shown(d.get('feature'))}"
        given = [k for k in ("pre", "delta", "becomes") if d.get(k) is not None]
        readers: list[Callable[[], Any]] = [
            lambda: _feature(serial.field(d, "feature", (str, int), where)),
            lambda: _positive(serial.number_in(d.get("cost"), '"cost"'), cost_of),
            lambda: _only_known(d, where),
        ]
        readers += [partial(_entry, d, k, where) for k in given]
        feature, cost, _, *entries = serial.each(readers)
        return cls(feature, cost, **dict(zip(given, entries, strict=True)))


@dataclass(frozen=True)
class Attacker:
    """A = (R, K). Features are named by column name or by index."""

    rules: tuple[Rule, ...]
    budget: float

    def __init__(self, rules: Iterable[Rule], budget: float) -> None:
        if isinstance(rules, (Rule, str)) or not isinstance(rules, Iterable):
            raise TypeError(f"rules: expected a list of Rule objects, got {shown(rules)}")
        rules = tuple(rules)
        if wrong := [r for r in rules if not isinstance(r, Rule)]:
            raise TypeError(f"rules: expected Rule objects, got {shown(wrong[0])}")
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "budget", _budget(budget))
        kinds: dict[Any, bool] = {}
        for r in rules:
            if kinds.setdefault(r.feature, r.categorical) != r.categorical:
                raise ValueError(f"rules: feature {shown(r.feature)} has both numeric and categorical rules")

    def __str__(self) -> str:
        lines = [f"Attacker with budget {self.budget:g}:"] + [f"  {rule}" for rule in self.rules]
        return "\n".join(lines if self.rules else [*lines, "  (no rules)"])

    def __repr__(self) -> str:
        return f"Attacker([{', '.join(map(repr, self.rules))}], budget={self.budget:g})"

    @property
    def features(self) -> tuple[Any, ...]:
        """The features some rule touches, in the order of the rules."""
        return tuple(dict.fromkeys(r.feature for r in self.rules))

    def rules_on(self, feature: Hashable) -> tuple[Rule, ...]:
        return tuple(r for r in self.rules if r.feature == feature)

    @property
    def limit(self) -> float:
        """K with a hair's breadth for rounding: three times 0.1 is within a budget of 0.3.

        It is finite even if K is not: what costs infinitely much is out of reach for everyone.
        """
        return min(self.budget * (1 + 1e-9), sys.float_info.max)

    def with_budget(self, budget: float) -> Attacker:
        """The same rules under another budget."""
        return Attacker(self.rules, budget)

    def reachable(self, feature: Hashable, x: Any, budget: float | None = None) -> Any:
        """What the attacker can make of the value x: closed intervals in order, or a set of categories."""
        A = self if budget is None else self.with_budget(budget)
        rules = A.rules_on(feature)
        if any(r.categorical for r in rules) or (not rules and isinstance(x, str)):
            return reach_categories([x], rules).reachable(x, A.limit)
        reach = reach_numbers(_numbers([x], feature), rules, A.limit, whole=True)
        return tuple(Interval(float(lo), float(hi)) for lo, hi in reach.pieces_of(0, A.limit))

    def cost_below(self, feature: Hashable, x: Sequence[float], v: float) -> np.ndarray:
        """Least cost to get x_f <= v for each value of x; infinite if the budget does not reach."""
        reach, where = self._numeric(feature, x, v)
        return reach.cost_below(v)[where]

    def cost_above(self, feature: Hashable, x: Sequence[float], v: float) -> np.ndarray:
        """Least cost to get x_f > v for each value of x; infinite if the budget does not reach."""
        reach, where = self._numeric(feature, x, v)
        return reach.cost_above(v)[where]

    def _numeric(self, feature: Hashable, x: Sequence[float], v: float) -> tuple[NumericReach, np.ndarray]:
        rules = self.rules_on(feature)
        if any(r.categorical for r in rules):
            raise ValueError(
                f"feature {shown(feature)} is categorical for this attacker: "
                "ask for cost_equal or cost_unequal"
            )
        values, where = np.unique(_numbers(x, feature), return_inverse=True)
        return reach_numbers(values, rules, self.limit, cuts=[float(v)]), where

    def cost_equal(self, feature: Hashable, x: Sequence[Any], v: Any) -> np.ndarray:
        """Least cost to turn each category of x into v; infinite if the budget does not reach."""
        return self._categorical(feature, x, v).costs_to(x, {v}, self.limit)

    def cost_unequal(self, feature: Hashable, x: Sequence[Any], v: Any) -> np.ndarray:
        """Least cost to turn each category of x into another one than v; infinite if out of reach."""
        reach = self._categorical(feature, x, v)
        return reach.costs_to(x, set(reach.categories) - {v}, self.limit)

    def _categorical(self, feature: Hashable, x: Sequence[Any], v: Any) -> CategoricalReach:
        if not all(r.categorical for r in self.rules_on(feature)):
            raise ValueError(
                f"feature {shown(feature)} is numeric for this attacker: ask for cost_below, cost_above"
            )
        return reach_categories([*dict.fromkeys(x), v], self.rules_on(feature))

    def to_dict(self) -> serial.Json:
        body = {"budget": serial.number_out(self.budget), "rules": [r.to_dict() for r in self.rules]}
        return serial.document("attacker", FORMAT_VERSION, body)

    @classmethod
    def from_dict(cls, doc: object, where: str = "attacker") -> Attacker:
        with serial.reading(where):
            body = serial.open_document(doc, "attacker", FORMAT_VERSION, where)
            rules = serial.field(body, "rules", list, where)
            readers: list[Callable[[], Any]] = [
                lambda: _budget(serial.number_in(body.get("budget"), '"budget"'))
            ]
            readers += [partial(Rule.from_dict, r, f"rule {i}") for i, r in enumerate(rules)]
            budget, *read = serial.each(readers)
            return cls(read, budget)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the documented JSON format (see CONTRIBUTING.md, "File formats")."""
        serial.write(self.to_dict(), path)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Attacker:
        """Read what `to_json` wrote; damaged or newer files are refused with the reason."""
        return cls.from_dict(serial.read(path), str(path))


def _feature(feature: Any) -> str | int:
    if isinstance(feature, bool) or not isinstance(feature, (str, int, np.integer)):
        raise TypeError(f"feature: expected a column name or an index, got {shown(feature)}")
    if isinstance(feature, str):
        return str(feature)
    if not 0 <= feature <= sys.maxsize:
        raise ValueError(f"feature: an index counts from 0, got {shown(feature)}")
    return int(feature)


def _number(x: object, what: str) -> float:
    try:
        value = float(x)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{what}: expected a number, got {shown(x)}") from None
    except OverflowError:
        raise ValueError(f"{what}: expected a number that a float can hold, got {shown(x)}") from None
    if math.isnan(value):
        raise ValueError(f"{what}: expected a number, got nan")
    return value


def _positive(x: object, what: str) -> float:
    value = _number(x, what)
    if not 0 < value < math.inf:
        raise ValueError(f"{what}: expected a finite number above 0, got {shown(x)}")
    return value


def _budget(x: object) -> float:
    value = _number(x, "budget")
    if value < 0:
        raise ValueError(f"budget: expected a number of at least 0 (it may be infinite), got {shown(x)}")
    return value


def _interval(ends: Any, what: str) -> Interval:
    if ends is None:
        return EVERYTHING
    if isinstance(ends, str) or not isinstance(ends, Collection) or len(ends) != 2:
        raise TypeError(f"{what}: expected two numbers (low, high), got {shown(ends)}")
    low, high = (_number(e, what) for e in ends)
    if low > high:
        raise ValueError(f"{what}: the low end {low:g} is above the high end {high:g}")
    if low == math.inf or high == -math.inf:
        raise ValueError(f"{what}: [{low:g}, {high:g}] holds no number")
    return Interval(low, high)


def _only_known(d: serial.Json, where: str) -> None:
    if unknown := set(d) - {"feature", "cost", "pre", "delta", "becomes"}:
        raise ValueError(f"{where}: unknown entries {shown(sorted(unknown))}")


def _entry(d: serial.Json, name: str, where: str) -> Any:
    """What the entry "pre", "delta" or "becomes" of a rule in a file says."""
    if name == "becomes":
        return d[name]
    if d.get("becomes") is not None:
        return serial.field(d, name, list, where)
    if not isinstance(d[name], list) or len(d[name]) != 2:
        raise ValueError(f'"{name}": expected two numbers [low, high], got {shown(d[name])}')
    ends = [serial.number_in(v, f'"{name}"') for v in d[name]]
    return _interval(ends, f"{name} of the rule on {shown(d.get('feature'))}")


def _categories(pre: Any, what: str) -> frozenset[Any] | None:
    if pre is None:
        return None
    if isinstance(pre, str):
        return frozenset([pre])
    if not isinstance(pre, Collection) or not pre or isinstance(pre, Interval):
        raise TypeError(f"{what}: expected a set of categories, got {shown(pre)}")
    return frozenset(_category(c, what) for c in pre)


def _category(c: Any, what: str) -> str | float:
    """Text or a finite number, as plain Python has it."""
    plain = c.item() if isinstance(c, np.generic) else c
    number = (
        isinstance(plain, (int, float)) and not isinstance(plain, bool) and abs(plain) <= sys.float_info.max
    )
    if not number and not isinstance(plain, str):
        raise TypeError(f"{what}: a category is text or a finite number, got {shown(c)}")
    return plain


def _numbers(x: Sequence[float], feature: object) -> np.ndarray:
    try:
        values = np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"values of feature {shown(feature)}: expected numbers, got {shown(x)}") from None
    if not np.isfinite(values).all():
        raise ValueError(f"values of feature {shown(feature)}: expected finite numbers, got {shown(x)}")
    return values


NO_ATTACKER = Attacker([], 0.0)

__all__ = ["NO_ATTACKER", "Attacker", "Interval", "Rule"]

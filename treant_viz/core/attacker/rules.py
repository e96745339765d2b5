"""The attacker A = (R, K): rewriting rules and a budget (paper, "Attacker Model").

A rule [a,b] -f->_k [dl,du] lets the attacker add any amount in [dl,du] to feature f while it lies in [a,b],
at cost k. A categorical rule turns one of some categories into another. Rules may be applied again and again
(one with once=True: once), in any order, until the budget K is spent. What that reaches, and at what least
cost, is worked out in `reach` (`reachable` of `reference` applies the rules one by one).

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
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from treant_viz.core import serial
from treant_viz.core.attacker import entries
from treant_viz.core.attacker.entries import Interval
from treant_viz.core.attacker.reach import CategoricalReach, NumericReach, reach_categories, reach_numbers
from treant_viz.core.serial import shown

FORMAT_VERSION = 1
Distances = float | Mapping[Any, float]


@dataclass(frozen=True, slots=True)
class Rule:
    """[a,b] -f->_k [dl,du], or its categorical kin: one of `pre` becomes `becomes`, at cost k.

    Leave `pre` out if the rule always applies. `once`: it may be used at most once on a row; the paper has no
    such rules. (The cheapest way from one category to another uses no rule twice anyway.)

    >>> print(Rule("alcohol", cost=20, pre=(0, 11), delta=(0, 0.5)))
    [0, 11] -alcohol->_20 [0, 0.5]
    >>> print(Rule("marital_status", cost=1, pre={"Divorced", "Separated"}, becomes="Never-married"))
    {Divorced, Separated} -marital_status->_1 Never-married
    >>> print(Rule("p", cost=1, delta=(-1, 1), once=True))
    (-inf, inf) -p->_1 [-1, 1], once
    """

    feature: Any
    cost: float
    pre: Any = None
    delta: Any = None
    becomes: Any = None
    once: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "feature", entries.feature(self.feature))
        put(self, "once", entries.flag(self.once, f"once of the rule on {shown(self.feature)}"))
        put(self, "cost", entries.positive(self.cost, f"cost of the rule on {shown(self.feature)}"))
        if (self.delta is None) == (self.becomes is None):
            raise ValueError(
                f"the rule on {shown(self.feature)} needs either delta=(dl, du) (a numeric rule) or "
                "becomes=... (a categorical rule); "
                f"got delta={shown(self.delta)} and becomes={shown(self.becomes)}"
            )
        if self.becomes is None:
            put(self, "pre", entries.interval(self.pre, f"pre of the rule on {shown(self.feature)}"))
            put(self, "delta", entries.interval(self.delta, f"delta of the rule on {shown(self.feature)}"))
        else:
            becomes = entries.category(self.becomes, f"becomes of the rule on {shown(self.feature)}")
            put(self, "becomes", becomes)
            put(self, "pre", entries.categories(self.pre, f"pre of the rule on {shown(self.feature)}"))

    @property
    def categorical(self) -> bool:
        return self.becomes is not None

    def __str__(self) -> str:
        arrow, end = f"-{self.feature}->_{self.cost:g}", ", once" if self.once else ""
        if not self.categorical:
            return f"{self.pre} {arrow} {self.delta}{end}"
        pre = "any" if self.pre is None else "{" + ", ".join(sorted(map(str, self.pre))) + "}"
        return f"{pre} {arrow} {self.becomes}{end}"

    def to_dict(self) -> serial.Json:
        out: serial.Json = {"feature": self.feature, "cost": self.cost}
        out |= {"once": True} if self.once else {}
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
        given = [k for k in ("pre", "delta", "becomes", "once") if d.get(k) is not None]
        readers: list[Callable[[], Any]] = [
            lambda: entries.feature(serial.field(d, "feature", (str, int), where)),
            lambda: entries.positive(serial.number_in(d.get("cost"), '"cost"'), cost_of),
            lambda: _only_known(d, where),
        ]
        readers += [partial(_entry, d, k, where) for k in given]
        feature, cost, _, *rest = serial.each(readers)
        return cls(feature, cost, **dict(zip(given, rest, strict=True)))


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
        object.__setattr__(self, "budget", entries.budget(budget))
        kinds: dict[Any, bool] = {}
        for r in rules:
            if kinds.setdefault(r.feature, r.categorical) != r.categorical:
                raise ValueError(f"rules: feature {shown(r.feature)} has both numeric and categorical rules")

    @classmethod
    def linf(cls, eps: Distances, features: Iterable[Any] | None = None) -> Attacker:
        """All within an L-infinity distance: every feature may change by up to `eps`, all of them at once.

        `eps`: a number for all `features`, or a mapping of features to numbers. One rule a feature, which may
        be used once; each change costs 1 and the budget pays for all, so that `evasion_cost` counts changes.

        >>> print(Attacker.linf(0.5, ["p", "q"]))
        Attacker with budget 2:
          (-inf, inf) -p->_1 [-0.5, 0.5], once
          (-inf, inf) -q->_1 [-0.5, 0.5], once
        """
        reach = _by_feature(eps, features, "eps")
        return cls([Rule(f, 1, delta=(-e, e), once=True) for f, e in reach.items()], len(reach))

    @classmethod
    def l0(cls, k: int, features: Iterable[Any]) -> Attacker:
        """All within an L0 distance: any change of at most `k` of the features; each costs 1.

        >>> print(Attacker.l0(1, ["p"]))
        Attacker with budget 1:
          (-inf, inf) -p->_1 (-inf, inf)
        """
        named = _by_feature(1.0, features, "k")
        return cls([Rule(f, 1, delta=(-math.inf, math.inf)) for f in named], k)

    @classmethod
    def l1(cls, eps: float, features: Iterable[Any], steps: int = 100) -> Attacker:
        """All within an L1 distance, nearly: changes that add up to `eps`, paid for in `steps` equal steps.

        A change costs its size, rounded up to whole steps. So no attack changes more than `eps`, and all
        that change at most `eps` minus a step a feature are there: the more steps, the closer.

        >>> print(Attacker.l1(1.0, ["p"], steps=4))
        Attacker with budget 1:
          (-inf, inf) -p->_0.25 [-0.25, 0.25]
        """
        if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
            raise ValueError(f"steps: expected a whole number of at least 1, got {shown(steps)}")
        step = {f: e / int(steps) for f, e in _by_feature(eps, features, "eps").items()}
        return cls([Rule(f, d, delta=(-d, d)) for f, d in step.items()], eps)

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
        reach = reach_numbers(entries.numbers([x], feature), rules, A.limit, whole=True)
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
        values, where = np.unique(entries.numbers(x, feature), return_inverse=True)
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
                lambda: entries.budget(serial.number_in(body.get("budget"), '"budget"'))
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


def _by_feature(eps: Distances, features: Iterable[Any] | None, what: str) -> dict[Any, float]:
    """A distance for each feature."""
    if isinstance(eps, Mapping):
        if features is not None:
            raise ValueError(f"features: {what} names them already, got {shown(features)}")
        return {f: entries.positive(e, f"{what} of feature {shown(f)}") for f, e in eps.items()}
    if features is None or isinstance(features, str) or not isinstance(features, Iterable):
        raise TypeError(f"features: expected the features that may change, got {shown(features)}")
    return dict.fromkeys(features, entries.positive(eps, what))


def _only_known(d: serial.Json, where: str) -> None:
    if unknown := set(d) - {"feature", "cost", "pre", "delta", "becomes", "once"}:
        raise ValueError(f"{where}: unknown entries {shown(sorted(unknown))}")


def _entry(d: serial.Json, name: str, where: str) -> Any:
    """What the entry "pre", "delta", "becomes" or "once" of a rule in a file says."""
    if name == "once":
        return serial.field(d, name, bool, where)
    if name == "becomes":
        return d[name]
    if d.get("becomes") is not None:
        return serial.field(d, name, list, where)
    if not isinstance(d[name], list) or len(d[name]) != 2:
        raise ValueError(f'"{name}": expected two numbers [low, high], got {shown(d[name])}')
    ends = [serial.number_in(v, f'"{name}"') for v in d[name]]
    return entries.interval(ends, f"{name} of the rule on {shown(d.get('feature'))}")


NO_ATTACKER = Attacker([], 0.0)

__all__ = ["NO_ATTACKER", "Attacker", "Interval", "Rule"]

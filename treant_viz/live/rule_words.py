"""Rules in words and as code, numbers as one types them, and what the attacker can make of a value.

>>> rule_in_words(Rule("alcohol", cost=20, pre=(0, 11), delta=(0, 0.5)))
'alcohol may change by 0 to 0.5 while it is between 0 and 11, at cost 20'
>>> rule_in_words(Rule("status", cost=1, pre={"Divorced", "Separated"}, becomes="Single"))
'status may turn from Divorced or Separated into Single, at cost 1'
>>> print(rule_code(Rule("p", cost=1, pre=(2, math.inf), delta=(-1, 1))))
tv.Rule('p', cost=1, pre=(2, float('inf')), delta=(-1, 1))
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from treant_viz.core.attacker.rules import Attacker, Interval, Rule
from treant_viz.viz.split_search.draw import feature_name
from treant_viz.viz.style.text import name, value

FEW = 3  # categories that are named one by one


def typed(x: float) -> str:
    """A number as one would type it, to the last digit.

    >>> typed(20.0), typed(0.1), typed(-math.inf)
    ('20', '0.1', '-inf')
    """
    return str(int(x)) if float(x).is_integer() and abs(x) < 1e15 else repr(float(x))


def rule_in_words(rule: Rule) -> str:
    """A rule as a sentence without its full stop; names are shortened, not escaped."""
    who = feature_name(rule.feature)
    if rule.categorical:
        return f"{who} may turn from {_sources(rule)} into {name(rule.becomes)}, at cost {value(rule.cost)}"
    low, high = rule.delta
    by = value(low) if low == high else f"{value(low)} to {value(high)}"
    return f"{who} may change by {by} {_while(rule.pre)}, at cost {value(rule.cost)}"


def _sources(rule: Rule) -> str:
    """What a categorical rule turns into something else: the first few, and how many more."""
    if rule.pre is None:
        return "any category"
    told = [name(c) for c in sorted(rule.pre, key=str)]
    more = [f"{len(told) - FEW} more"] if len(told) > FEW else []
    return " or ".join(told[:FEW] + more)


def _while(pre: Interval) -> str:
    below, above = math.isinf(pre.low), math.isinf(pre.high)
    if below and above:
        return "whatever its value"
    if below or above:
        return f"while it is {'at most' if below else 'at least'} {value(pre.high if below else pre.low)}"
    return f"while it is between {value(pre.low)} and {value(pre.high)}"


def reach_in_words(attacker: Attacker, feature: Any, values: Iterable[Any]) -> Iterator[str]:
    """What the attacker can make of some values of a feature."""
    for x in values:
        reached = attacker.reachable(feature, x)
        if isinstance(reached, tuple):
            yield f"{value(x)} can become anything in {' or '.join(map(str, reached))}"
        else:
            others = sorted((name(c) for c in reached if c != x), key=str)
            yield f"{name(x)} can become {', '.join(others)}" if others else f"{name(x)} stays what it is"


def attacker_code(attacker: Attacker) -> str:
    """Python that makes this attacker."""
    rules = "".join(f"\n    {rule_code(r)}," for r in attacker.rules)
    return f"tv.Attacker([{rules}{chr(10) * bool(rules)}], budget={_literal(attacker.budget)})"


def rule_code(rule: Rule) -> str:
    """Python that makes this rule."""
    said = f"tv.Rule({rule.feature!r}, cost={_literal(rule.cost)}"
    if rule.categorical:
        pre = "" if rule.pre is None else f", pre={{{', '.join(repr(c) for c in sorted(rule.pre, key=str))}}}"
        return f"{said}{pre}, becomes={rule.becomes!r})"
    always = math.isinf(rule.pre.low) and math.isinf(rule.pre.high)
    pre = "" if always else f", pre={_pair(rule.pre)}"
    return f"{said}{pre}, delta={_pair(rule.delta)})"


def _pair(ends: Interval) -> str:
    return f"({_literal(ends.low)}, {_literal(ends.high)})"


def _literal(x: float) -> str:
    return typed(x) if math.isfinite(x) else f"float({str(x)!r})"


__all__ = ["attacker_code", "reach_in_words", "rule_code", "rule_in_words", "typed"]

"""Rules as text: as one types them on cards, and as the Python that makes them.

Of a card, all that is wrong is reported at once, each fault with its field.

`src/attacker/check.js` makes the same of the same cards where there is no Python (`tests/rule_cases.json`).

>>> number_in(" −1.5 ", "cost"), number_in("", "applies to", math.inf), number_in("∞", "applies to")
(-1.5, inf, inf)
>>> print(rule_code(Rule("p", cost=1, pre=(2, math.inf), delta=(-1, 1))))
tv.Rule('p', cost=1, pre=(2, float('inf')), delta=(-1, 1))
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from treant_viz.core.attacker.rules import Attacker, Interval, Rule
from treant_viz.core.serial import short

Card = Mapping[str, Any]
Faults = dict[str, str]
LABELS = {
    "cost": "cost",
    "low": "applies from",
    "high": "applies to",
    "least": "change from",
    "most": "change to",
}
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|∞)")


def number_in(text: Any, label: str, empty: float | None = None) -> float:
    """What was typed as a number; nothing typed is `empty`, if that is allowed. Nothing is ever evaluated."""
    typed_in = str(text).strip().replace("−", "-")
    if not typed_in and empty is not None:
        return empty
    if not _NUMBER.fullmatch(typed_in):
        hint = " (or nothing: no bound)" if empty is not None else ""
        raise ValueError(f"{label}: expected a number such as 2 or 0.5{hint}, got '{_typed(text)}'")
    return float(typed_in.replace("∞", "inf"))


def budget_in(text: Any) -> float:
    """A budget: at least 0, and it may be endless."""
    typed_in = str(text).strip().replace("−", "-")
    if not _NUMBER.fullmatch(typed_in) or typed_in.startswith("-"):
        raise ValueError(f"budget: expected a number of at least 0, or inf, got '{_typed(text)}'")
    return float(typed_in.replace("∞", "inf"))


def rule_in(card: Card, feature: Any, categorical: bool) -> tuple[Rule | None, Faults]:
    """The rule on a card; if something is wrong, None and words for each field."""
    faults: Faults = {}
    cost = _cost(card, faults)
    change = _swap(card, faults) if categorical else _move(card, faults)
    if not faults:
        try:
            return Rule(feature, cost, **change), faults
        except (TypeError, ValueError) as error:
            faults["rule"] = str(error)
    return None, faults


def _read(card: Card, field: str, faults: Faults, empty: float | None = None) -> float:
    try:
        return number_in(card.get(field, ""), LABELS[field], empty)
    except ValueError as error:
        faults[field] = str(error)
        return math.nan


def _cost(card: Card, faults: Faults) -> float:
    cost = _read(card, "cost", faults)
    if not math.isnan(cost) and not 0 < cost < math.inf:
        faults["cost"] = f"cost: expected a finite number above 0, got '{_typed(card['cost'])}'"
    return cost


def _move(card: Card, faults: Faults) -> dict[str, Any]:
    empty = {"low": -math.inf, "high": math.inf, "least": None, "most": None}
    read = {field: _read(card, field, faults, none) for field, none in empty.items()}
    for low, high in (("low", "high"), ("least", "most")):
        if read[low] > read[high]:
            text = (
                f"{LABELS[high]}: the low end {_typed(card[low])} is above the high end {_typed(card[high])}"
            )
            faults[high] = text
        elif read[low] == math.inf or read[high] == -math.inf:
            faults[high] = f"{LABELS[high]}: no number lies between these ends"
    return {"pre": (read["low"], read["high"]), "delta": (read["least"], read["most"])}


def _swap(card: Card, faults: Faults) -> dict[str, Any]:
    becomes = card.get("becomes")
    if becomes is None:
        faults["becomes"] = "becomes: choose the category that it turns into"
    return {"pre": set(card.get("pre") or ()) or None, "becomes": becomes}


def _typed(text: Any) -> str:
    return short(str(text).strip(), 40)


def typed(x: float) -> str:
    """A number as one would type it, to the last digit.

    >>> typed(20.0), typed(0.1), typed(-math.inf)
    ('20', '0.1', '-inf')
    """
    return str(int(x)) if float(x).is_integer() and abs(x) < 1e15 else repr(float(x))


def attacker_code(attacker: Attacker) -> str:
    """Python that makes this attacker."""
    rules = "".join(f"\n    {rule_code(r)}," for r in attacker.rules)
    return f"tv.Attacker([{rules}{chr(10) * bool(rules)}], budget={_literal(attacker.budget)})"


def rule_code(rule: Rule) -> str:
    """Python that makes this rule."""
    start, end = f"tv.Rule({rule.feature!r}, cost={_literal(rule.cost)}", ", once=True)" if rule.once else ")"
    if rule.categorical:
        pre = "" if rule.pre is None else f", pre={{{', '.join(repr(c) for c in sorted(rule.pre, key=str))}}}"
        return f"{start}{pre}, becomes={rule.becomes!r}{end}"
    always = math.isinf(rule.pre.low) and math.isinf(rule.pre.high)
    pre = "" if always else f", pre={_pair(rule.pre)}"
    return f"{start}{pre}, delta={_pair(rule.delta)}{end}"


def _pair(ends: Interval) -> str:
    return f"({_literal(ends.low)}, {_literal(ends.high)})"


def _literal(x: float) -> str:
    return typed(x) if math.isfinite(x) else f"float({str(x)!r})"


__all__ = ["attacker_code", "budget_in", "number_in", "rule_code", "rule_in", "typed"]

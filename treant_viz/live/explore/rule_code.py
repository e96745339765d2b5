"""Rules as code, and numbers as one types them.

>>> print(rule_code(Rule("p", cost=1, pre=(2, math.inf), delta=(-1, 1))))
tv.Rule('p', cost=1, pre=(2, float('inf')), delta=(-1, 1))
"""

from __future__ import annotations

import math

from treant_viz.core.attacker.rules import Attacker, Interval, Rule


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
    said, end = f"tv.Rule({rule.feature!r}, cost={_literal(rule.cost)}", ", once=True)" if rule.once else ")"
    if rule.categorical:
        pre = "" if rule.pre is None else f", pre={{{', '.join(repr(c) for c in sorted(rule.pre, key=str))}}}"
        return f"{said}{pre}, becomes={rule.becomes!r}{end}"
    always = math.isinf(rule.pre.low) and math.isinf(rule.pre.high)
    pre = "" if always else f", pre={_pair(rule.pre)}"
    return f"{said}{pre}, delta={_pair(rule.delta)}{end}"


def _pair(ends: Interval) -> str:
    return f"({_literal(ends.low)}, {_literal(ends.high)})"


def _literal(x: float) -> str:
    return typed(x) if math.isfinite(x) else f"float({str(x)!r})"


__all__ = ["attacker_code", "rule_code", "typed"]

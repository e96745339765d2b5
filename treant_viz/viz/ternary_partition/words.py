"""Words about a ternary partition: what rules allow, where else to look, what a line of losses says."""

from __future__ import annotations

from typing import Any

import numpy as np

from treant_viz.core.attacker.rules import Rule
from treant_viz.viz.attack_path.words import where_text
from treant_viz.viz.split_search.facts import LossLine, LossSteps
from treant_viz.viz.style.text import counted, names, number, predicate, value
from treant_viz.viz.ternary_partition.facts import NodeRows


def rules_in_words(rules: tuple[Rule, ...]) -> str:
    """What one step may do and costs; no more than two rules are told."""
    more = f" There are {len(rules) - 2} more rules." if len(rules) > 2 else ""
    return " ".join(map(_rule_in_words, rules[:2])) + more


def _rule_in_words(rule: Rule) -> str:
    """A rule on numbers in a sentence.

    >>> _rule_in_words(Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5)))
    'For 20 they add up to 0.5 to a value from 0 to 11.'
    >>> _rule_in_words(Rule("p", 1, delta=(-1, 1)))
    'For 1 they move a value by up to 1.'
    """
    low, high = rule.delta
    far, place = value(max(abs(low), abs(high))), where_text(*rule.pre)
    where = "" if place == "anywhere" else f" {place}"
    if low == 0:
        change = f"add up to {far} to a value{where}"
    elif high == 0:
        change = f"take up to {far} off a value{where}"
    else:
        change = (
            f"move a value{where} by {f'up to {far}' if -low == high else f'{value(low)} to {value(high)}'}"
        )
    return f"For {number(rule.cost)} they {change}."


def elsewhere_on(rows: NodeRows, v: Any, steps: LossSteps | None) -> str:
    """The threshold of the same feature at which most rows are the attacker's, if it is not this one."""
    if steps is not None:
        k = int(np.argmax(steps.unknown))
        n, where = int(steps.unknown[k]), float(steps.at[k])
        t: Any = where
    else:
        sizes = [int((rows.part(k).side == 1).sum()) for k in range(len(rows.categories))]
        k = int(np.argmax(sizes))
        n, where, t = sizes[k], float(k), rows.categories[k]
    if not n or where == v:
        return ""
    test = predicate(rows.column.name, t, rows.column.categorical)
    return f"At {test} the attacker would decide for {n:,} of {counted(len(rows), 'row')}."


def line_in_words(line: LossLine) -> str:
    k, j = line.best, line.standard
    return (
        f"Of {counted(len(line), 'threshold')}, "
        f"the least L is {number(line.plain[j])} at {_value(line, j)} and the "
        f"least Lᴬ is {number(line.attacked[k])} at {_value(line, k)}."
    )


def _value(line: LossLine, i: int) -> str:
    return names(line.thresholds, 24)[line.thresholds[i]] if line.categorical else value(line.thresholds[i])


def line_lines(line: LossLine | None) -> list[str]:
    if line is None or not len(line):
        return []
    if len(line) > 12:
        return [line_in_words(line)]
    pairs = zip(line.plain, line.attacked, strict=True)
    return [f"{line.predicate(i)}: L = {number(a)}, Lᴬ = {number(b)}" for i, (a, b) in enumerate(pairs)]


__all__ = ["elsewhere_on", "line_in_words", "line_lines", "rules_in_words"]

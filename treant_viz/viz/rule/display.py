"""A rule as a picture: where it applies, what it makes of a value, and what it costs to use it again and
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.viz.attack_path.words import where_said
from treant_viz.viz.display import Display
from treant_viz.viz.rule import facts
from treant_viz.viz.rule.draw import draw_categories, draw_numbers
from treant_viz.viz.rule.facts import Lane
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number, value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleDisplay(Display):
    """The rules on one feature, and what they make of some values within the budget."""

    feature: Any
    rules: tuple[Rule, ...]
    budget: float
    lanes: tuple[Lane, ...]
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_attacker(
        cls, attacker: Attacker, feature: Any = None, *, values: Sequence[Any] | None = None
    ) -> RuleDisplay:
        """The rules on `feature` (by default on the first that has one), shown on `values` (by default at the
        ends of where they apply, and beyond). Values may be given for a feature that no rule touches.
        """
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        feature = _feature(attacker, feature, needed=values is None)
        rules = attacker.rules_on(feature)
        shown = facts.examples(rules) if values is None else list(values)
        if not shown:
            raise ValueError("values: expected at least one value, got none")
        source = {"attacker": attacker, "feature": feature, "values": shown}
        return cls(feature, rules, attacker.budget, facts.lanes(attacker, feature, shown), source)

    @property
    def numeric(self) -> bool:
        return isinstance(self.lanes[0].stages[0].pieces[0], tuple)

    @property
    def title(self) -> str:
        """What the attacker may do to the feature, from the value that they can change most."""
        who = name(self.feature)
        if not self.rules:
            return f"No rule changes {who}: the attacker can do nothing to it"
        best = max(self.lanes, key=_span)
        if len(best.stages) == 1:
            return (
                f"With {number(self.budget)} to spend, the attacker can change none of these values of {who}"
            )
        cost = number(best.stages[-1].cost)
        if self.numeric:
            low, high = best.stages[-1].pieces[0][0], best.stages[-1].pieces[-1][1]
            bold = "" if len(best.stages[-1].pieces) == 1 else "in bold "
            return (
                f"For up to {cost} the attacker turns {who} = {value(best.value)} into anything "
                f"{bold}from {value(low)} to {value(high)}"
            )
        others = [name(c, 20) for c in best.stages[-1].pieces if c != best.value]
        return (
            f"For up to {cost} the attacker turns {who} = {name(best.value, 20)} into {' or '.join(others)}"
        )

    @property
    def subtitle(self) -> str:
        stuck = any(len(lane.stages) == 1 for lane in self.lanes)
        if self.numeric:
            words = "The dot is the value, a bar all that it can become, the coin what that costs at least."
            return words + (" A dot alone: no rule applies there." if stuck else "")
        words = "An arrow is what a value can become, the coin what that costs at least."
        return words + (" No arrow: no rule applies." if stuck else "")

    @property
    def alt_text(self) -> str:
        told = "; ".join(self.texts) or "none"
        words = [f"The rules on {name(self.feature)}: {told}; budget {number(self.budget)}."]
        for lane in self.lanes:
            if len(lane.stages) == 1:
                words.append(f"{value(lane.value)} stays what it is.")
            words.extend(
                f"For {number(stage.cost)}, {value(lane.value)} becomes {self._pieces(stage.pieces)}."
                for stage in lane.stages[1:]
            )
        return " ".join(words)

    def _pieces(self, pieces: tuple[Any, ...]) -> str:
        if not self.numeric:
            return ", ".join(name(p, 20) for p in pieces)
        return " or ".join(value(a) if a == b else f"{value(a)} to {value(b)}" for a, b in pieces)

    @property
    def texts(self) -> list[str]:
        """Every rule in words."""
        return [_words(r) for r in self.rules]

    def _draw(self, pen: Pen, target: Target) -> None:
        (draw_numbers if self.numeric else draw_categories)(self, pen, target)


def _feature(attacker: Attacker, feature: Any, needed: bool) -> Any:
    """The feature that is asked for, or the first with a rule; with rules on it, if they are needed."""
    known = attacker.features
    if not known and (needed or feature is None):
        raise ValueError("attacker: expected one with rules, got one that has none")
    if needed and feature is not None and feature not in known:
        raise ValueError(f"feature: no rule is on {feature!r}; rules are on {', '.join(map(repr, known))}")
    return known[0] if feature is None else feature


def _span(lane: Lane) -> float:
    last = lane.stages[-1].pieces
    return float(last[-1][1] - last[0][0]) if last and isinstance(last[0], tuple) else float(len(last))


def _words(rule: Rule) -> str:
    """A rule in words.

    >>> _words(Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5)))
    'from 0 to 11: change by 0 to 0.5 for 20'
    """
    cost = number(rule.cost) + ", once" * rule.once
    if rule.categorical:
        pre = "anything" if rule.pre is None else " or ".join(name(c, 20) for c in sorted(rule.pre, key=str))
        return f"{pre} becomes {name(rule.becomes, 20)} for {cost}"
    low, high = rule.pre
    where = where_said(low, high)
    by = value(rule.delta[0]) if rule.delta[0] == rule.delta[1] else " to ".join(map(value, rule.delta))
    return f"{where}: change by {by} for {cost}"


__all__ = ["RuleDisplay"]

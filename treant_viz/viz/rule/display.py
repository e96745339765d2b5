"""A rule as a picture: where it applies, what it makes of a value, and what it costs to use it again and
again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.viz.attack_path.words import rule_text
from treant_viz.viz.display import Display
from treant_viz.viz.rule import facts
from treant_viz.viz.rule.categories import draw_categories
from treant_viz.viz.rule.draw import draw_numbers
from treant_viz.viz.rule.facts import Lane, Stage
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number, value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RuleDisplay(Display):
    """The rules on one feature, and what they make of some values within the budget. `relative`: the rules
    apply to every value alike, and the line shows how far one is moved. `too_dear`: the next thing that each
    value could become, if there were money for it.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> display = tv.RuleDisplay.from_attacker(wine.attacker.with_budget(60), "alcohol", X=wine.X_train)
    >>> display.title
    'For 60, the attacker can raise alcohol from 9.4 to 10.9'
    """

    feature: Any
    rules: tuple[Rule, ...]
    budget: float
    lanes: tuple[Lane, ...]
    relative: bool = False
    too_dear: tuple[Stage | None, ...] = ()
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_attacker(
        cls,
        attacker: Attacker,
        feature: Any = None,
        *,
        values: Sequence[Any] | None = None,
        X: pd.DataFrame | None = None,
    ) -> RuleDisplay:
        """The rules on `feature`, shown on `values` (by default at the ends of where they apply, and beyond).

        The default feature is the first with a rule on numbers, or with rows `X` the one whose rules apply to
        most of them. Values may be given for a feature that no rule touches.
        """
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        feature = _feature(attacker, feature, X, needed=values is None)
        rules = attacker.rules_on(feature)
        shown = list(values or ())
        if values is None:
            shown = facts.examples(rules, None if X is None else X[feature], attacker)
        if not shown:
            raise ValueError("values: expected at least one value, got none")
        relative = values is None and X is None and facts.everywhere(rules)
        source = {"attacker": attacker, "feature": feature, "values": shown}
        lanes = facts.lanes(attacker, feature, shown)
        dear = tuple(facts.too_dear(attacker, feature, v) for v in shown)
        return cls(feature, rules, attacker.budget, lanes, relative, dear, source)

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
        if not self.numeric:
            return _of_categories(self.lanes)
        start = f"For {number(best.stages[-1].cost)}, the attacker can"
        low, high = best.reach
        here, least, most = (value(v) for v in (best.value, low, high))
        if self.relative and (0.0 in (low, high) or low == -high):
            most = value(max(-low, high))
            verb = "raise or lower" if low == -high else "raise" if high else "lower"
            return f"{start} {verb} any {who} by up to {most}"
        if len(best.stages[-1].pieces) == 1 and best.value in (low, high):
            return f"{start} {'raise' if high > best.value else 'lower'} {who} from {here} to " + (
                most if high > best.value else least
            )
        only = "" if len(best.stages[-1].pieces) == 1 else ", though not everything between"
        return f"{start} move {who} = {here} to values from {least} to {most}{only}"

    @property
    def subtitle(self) -> str:
        money = number(self.budget)
        if self.numeric and len(self.rules) == 1:
            return f"The rule: {self.sentences[0]}. The attacker may spend {money} on one row."
        price = "each coin is one payment" if self.numeric else "a coin is the price of a change"
        return f"The attacker may spend {money} on one row; {price}."

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
        return [rule_text(r) for r in self.rules]

    @property
    def sentences(self) -> list[str]:
        """Every rule on numbers in words, and where it applies."""
        where = f"while {name(self.feature)} is "
        return [where * (not facts.everywhere([r])) + rule_text(r) for r in self.rules]

    def outcome(self, lane: Lane) -> str:
        """Why nothing can become of a value."""
        applies = facts.applies(self.rules, lane.value)
        return f"{number(self.budget)} is not enough" if applies else "no rule applies here"

    def _draw(self, pen: Pen, target: Target) -> None:
        (draw_numbers if self.numeric else draw_categories)(self, pen, target)


def _feature(attacker: Attacker, feature: Any, X: pd.DataFrame | None, needed: bool) -> Any:
    """The feature that is asked for, or one that says much; with rules on it, if they are needed."""
    known = attacker.features
    if not known and (needed or feature is None):
        raise ValueError("attacker: expected one with rules, got one that has none")
    if needed and feature is not None and feature not in known:
        raise ValueError(f"feature: no rule is on {feature!r}; rules are on {', '.join(map(repr, known))}")
    if feature is not None:
        return feature
    if X is not None:
        return max(known, key=lambda f: facts.touched(attacker.rules_on(f), X[f]))
    numbers = (f for f in known if not any(r.categorical for r in attacker.rules_on(f)))
    return next(numbers, known[0])


def _span(lane: Lane) -> float:
    if not isinstance(lane.stages[-1].pieces[0], tuple):
        return float(len(lane.stages[-1].pieces))
    low, high = lane.reach
    return math.inf if math.isinf(low) or math.isinf(high) else high - low


def _of_categories(lanes: Sequence[Lane]) -> str:
    """Who can become what: in one sentence for all that become the same for the same price.

    >>> _of_categories([Lane(c, (facts.Stage(0, (c,)), facts.Stage(1, ("N", c)))) for c in "AB"])
    'A and B can become N, for 1 each'
    """
    changes = [(lane.value, *lane.changes) for lane in lanes if len(lane.stages) > 1]
    who = [name(v, 20) for v, *rest in changes if rest == list(changes[0][1:])]
    first = changes[0][1:]
    becomes = " or ".join(name(c, 20) for _, c in first)
    price = " to ".join(dict.fromkeys(number(cost) for cost in (first[0][0], first[-1][0])))
    if len(who) > 3:
        who = [*who[:2], f"{len(who) - 2} more"]
    phrase = who[0] if len(who) == 1 else f"{', '.join(who[:-1])} and {who[-1]}"
    return f"{phrase} can become {becomes}, for {price}{' each' * (len(who) > 1)}"


__all__ = ["RuleDisplay"]

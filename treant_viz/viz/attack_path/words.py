"""The words of pictures of attacks: moves, titles, descriptions; users' names are made fit to be drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treant_viz.core.attacker.rules import Rule
from treant_viz.core.tree import Node, nodes
from treant_viz.viz.attack_path.facts import AppliedRule, Attack, Invariance, RowAttacks
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.style.text import MINUS, counted, name, number, value

LONGEST = 20  # letters of a feature or a category on a coin


def condition(node: Node, longest: int = 24) -> str:
    """A test in one line."""
    end = name(node.threshold, longest) if node.test == "==" else value(node.threshold)
    return f"{feature_text(node.feature, longest)} {'=' if node.test == '==' else '≤'} {end}"


def rule_text(rule: Rule, priced: bool = True) -> str:
    """What a rule allows, in words, and its price.

    >>> rule_text(Rule("p", 1, delta=(-1, 1))), rule_text(Rule("p", 2, pre=(0, 11), delta=(0, 0.5)))
    ('raise or lower by up to 1, for 1 each time', 'from 0 to 11, raise by up to 0.5, for 2 each time')
    >>> rule_text(Rule("f", 1, delta=(2, 2))), rule_text(Rule("f", 1, delta=(1, 3), once=True))
    ('raise by 2, for 1 each time', 'change by +1 to +3, for 1, only once')
    """
    often = ", only once" if rule.once else "" if rule.categorical else " each time"
    price = f", for {number(rule.cost)}{often}" if priced else ""
    if rule.categorical:
        start = "anything" if rule.pre is None else " or ".join(sorted(name(c, 14) for c in rule.pre))
        return f"{start} becomes {name(rule.becomes, 16)}{price}"
    where = "" if all(map(math.isinf, rule.pre)) else f"{where_text(*rule.pre)}, "
    return f"{where}{_change(*rule.delta)}{price}"


def _change(low: float, high: float) -> str:
    """By how much a rule moves a value."""
    if low == high:
        return f"{'raise' if low > 0 else 'lower'} by {value(abs(low))}"
    if low == -high or 0.0 in (low, high):
        way = "raise or lower" if low == -high else "raise" if high else "lower"
        return f"{way} by up to {value(max(-low, high))}"
    return f"change by {_signed(low)} to {_signed(high)}"


def where_text(low: float, high: float) -> str:
    """Where a rule applies.

    >>> where_text(0, 11), where_text(25, math.inf), where_text(-math.inf, 3), where_text(-math.inf, math.inf)
    ('from 0 to 11', 'from 25 on', 'up to 3', 'anywhere')
    """
    if math.isinf(low):
        return "anywhere" if math.isinf(high) else f"up to {value(high)}"
    return f"from {value(low)} on" if math.isinf(high) else f"from {value(low)} to {value(high)}"


def _signed(v: float) -> str:
    return f"+{value(v)}" if v > 0 else value(v)


def feature_text(feature: str | int, longest: int = LONGEST) -> str:
    return name(feature, longest) if isinstance(feature, str) else f"x[{feature}]"


def value_text(given: object, longest: int = LONGEST) -> str:
    return value(given) if isinstance(given, float) else name(given, longest)


def spent(moves: Sequence[AppliedRule]) -> float:
    return sum(m.cost for m in moves)


def change_lines(moves: Sequence[AppliedRule]) -> tuple[str, ...]:
    """What some moves do to a feature, in one line or two.

    >>> change_lines([AppliedRule(0, "p", 1.0, 2.0, 1.0, 1.0)])
    ('p +1',)
    >>> change_lines([AppliedRule(0, "p", 1.0, 2.0, 1.0, 1.0), AppliedRule(0, "p", 2.0, 2.5, 0.5, 1.0)])
    ('p +1.5', 'in 2 steps')
    >>> change_lines([AppliedRule(3, "marital_status", "Divorced", "Never-married", None, 1.0)])
    ('marital_status', '→ Never-married')
    """
    feature, last = feature_text(moves[0].feature), moves[-1]
    if last.amount is None:
        short = f"{feature} → {name(last.after, LONGEST)}"
        return (short,) if len(short) <= 16 else (feature, f"→ {name(last.after, LONGEST)}")
    total = number(sum(m.amount or 0.0 for m in moves))
    head = f"{feature} {total if total.startswith(MINUS) else '+' + total}"
    return (head,) if len(moves) == 1 else (head, f"in {len(moves)} steps")


def bill(moves: Sequence[AppliedRule]) -> str:
    """The same with the cost: "p +1, cost 1"."""
    return f"{' '.join(change_lines(moves))}, cost {number(spent(moves))}"


def move_text(move: AppliedRule) -> str:
    """One move in a sentence: "p 1 → 2 (+1), cost 1"."""
    amount = "" if move.amount is None else f" ({_signed(move.amount)})"
    change = f"{feature_text(move.feature)} {value_text(move.before)} → {value_text(move.after)}"
    return f"{change}{amount}, cost {number(move.cost)}"


def aim(ways: RowAttacks, leaf: str) -> str:
    """What the way to a leaf crosses: "q ≤ 3" or "2 tests"."""
    found = ways.crossings(leaf)
    return condition(found[0].node) if len(found) == 1 else counted(len(found), "test")


def loss_text(ways: RowAttacks, leaf: str) -> str:
    return number(ways.losses[leaf])


def row_lines(label: str, ways: RowAttacks) -> tuple[str, str]:
    """Who is attacked: the name and the true label, then the values that some test asks for: first those of
    the ways that the row takes by itself and under attack.
    """
    tests, ends = dict(nodes(ways.tree)), (ways.best, ways.home)
    first = [node.feature for path, node in tests.items() if any(end.startswith(path) for end in ends)]
    moved = [m.feature for a in ways.attacks.values() for m in a.moves]
    asked = dict.fromkeys([*first, *moved, *(node.feature for node in tests.values())])
    values = (f"{feature_text(f)} = {value_text(ways.row[f])}" for f in asked if f in ways.row)
    return f"{label}, true label {label_text(ways.label)}", ", ".join(values)


def label_text(label: Any, longest: int = 20) -> str:
    """A label as it is drawn.

    >>> label_text(np.float64(2.0)), label_text("good"), label_text(np.int64(1))
    ('2', 'good', '1')
    """
    return value_text(label.item() if isinstance(label, np.generic) else label, longest)


def attack_title(label: str, ways: RowAttacks, shown: str) -> str:
    """The takeaway for one tree."""
    home, others, what = loss_text(ways, ways.home), ways.ranked(), LOSSES[ways.loss]
    if not others:
        return (
            f"With {number(ways.budget)} to spend, the attacker cannot move {label} to another leaf: "
            f"its {what} stays {home}"
        )
    if shown != ways.home:
        cost, grows = number(ways.attacks[shown].cost), ways.losses[shown] >= ways.losses[ways.home]
        change = f"its {what} {'grows' if grows else 'falls'} from {home} to {loss_text(ways, shown)}"
        return f"For {cost}, the attacker pushes {label} across {aim(ways, shown)}: {change}"
    if len(ways.worst) > 1:
        return f"Moving {label} gains the attacker nothing: its leaf is as bad as any in reach, {what} {home}"
    most = number(max(ways.losses[leaf] for leaf in others))
    return (
        f"The attacker leaves {label} alone: its own leaf is the worst in reach, {what} {home}, "
        f"elsewhere at most {most}"
    )


def invariance_title(
    label: str, before: RowAttacks, after: RowAttacks, leaf: str, verdict: Invariance
) -> str:
    """The takeaway for a tree before and after one more split."""
    new = [path for path in after.attacks if path.startswith(leaf)]
    most = max((after.losses[path] for path in new), default=None)
    what = LOSSES[after.loss]
    if verdict == "kept":
        tie = ", as bad as staying" if after.home in after.worst and after.home not in new else ""
        return (
            f"Attack invariance holds for {label}: one of the two new leaves is its worst, "
            f"{what} {number(most)}{tie}"
        )
    if verdict == "silent":
        return f"The new split is of no concern to the attack on {label}: its worst leaf is another one"
    left = "out of reach" if most is None else f"at most {number(most)}"
    return (
        f"The new split breaks attack invariance for {label}: its worst leaf is now another one "
        f"({what} {loss_text(after, after.best)}; the new leaves: {left})"
    )


def step_title(label: str, ways: RowAttacks, attack: Attack, step: int) -> str:
    """The takeaway after some moves of an attack."""
    if step == 0:
        leaf = number(ways.predictions[ways.home])
        return (
            f"Without an attack, {label} ends in the leaf that predicts {leaf}: "
            f"{LOSSES[ways.loss]} {loss_text(ways, ways.home)}"
        )
    so_far = attack.until(step)
    leaf, left = so_far.leaf, number(ways.budget - so_far.cost)
    where = f"the leaf predicts {number(ways.predictions[leaf])}, loss {loss_text(ways, leaf)}"
    return (
        f"Move {min(step, len(attack.moves))} of {len(attack.moves)}: "
        f"{move_text(so_far.moves[-1])}; {where}, "
        f"{left} left to spend"
    )


def described(label: str, ways: RowAttacks, attack: Attack, verdict: bool = True) -> str:
    """A tree and an attack in sentences; without the verdict, as long as the attack is under way."""
    home, worst = (
        number(ways.predictions[ways.home]),
        (number(ways.predictions[p]) for p in sorted(ways.worst)),
    )
    reach = f", of which {label} can be brought to {len(ways.attacks)}" if verdict else ""
    phrase = f"The tree has {_leaves(len(ways.losses))}{reach}."
    about, values = row_lines(label, ways)
    phrase = f"{about}: {values}. {phrase}" if values else f"{about}. {phrase}"
    phrase += f" Without an attack it ends in the leaf {home}, loss {loss_text(ways, ways.home)}."
    if verdict:
        where = f"{'the leaf' if len(ways.worst) == 1 else 'the leaves'} {', '.join(worst)}"
        phrase += f" The most it can lose is {loss_text(ways, ways.best)}, in {where}."
    if attack.moves:
        moves = "; ".join(map(move_text, attack.moves))
        phrase += f" The attack shown: {moves}; they spend {number(attack.cost)} of {number(ways.budget)}."
    return phrase


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n} leaves"


def listed(ways: RowAttacks, attack: Attack, verdict: bool = True) -> Iterator[str]:
    """The numbers that are drawn: with the verdict a line for each leaf in reach and one for the others; the
    budget.
    """
    for leaf in sorted(ways.attacks) if verdict else ():
        marks = [m for m, yes in (("home", leaf == ways.home), ("worst", leaf in ways.worst)) if yes]
        known = [f"prediction {number(ways.predictions[leaf])}", f"loss {loss_text(ways, leaf)}"]
        known += [
            f"cost {number(ways.attacks[leaf].cost)}",
            *marks,
            *map(bill, ways.attacks[leaf].by_feature),
        ]
        yield f"{leaf or 'root'}: {'; '.join(known)}"
    beyond = len(ways.losses) - len(ways.attacks)
    if verdict and beyond:
        yield f"{_leaves(beyond)} out of reach"
    left = number(ways.budget - attack.cost)
    yield f"budget {number(ways.budget)}, spent {number(attack.cost)}, left {left}"


__all__ = [
    "LOSSES",
    "attack_title",
    "bill",
    "change_lines",
    "condition",
    "described",
    "feature_text",
    "invariance_title",
    "label_text",
    "listed",
    "loss_text",
    "row_lines",
    "rule_text",
    "step_title",
    "value_text",
    "where_text",
]

"""The words of pictures of attacks: moves, titles, descriptions; users' names are made fit to be drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from treant_viz.core.attacker.rules import Rule
from treant_viz.core.tree import Node
from treant_viz.viz.attack_path.facts import Attack, Invariance, Move, Ways
from treant_viz.viz.style.text import MINUS, counted, name, number, value

LONGEST = 20  # letters of a feature or a category on a coin
LOSSES = {"sse": "squared error", "log": "log-loss"}


def condition(node: Node, longest: int = 24) -> str:
    """A test in one line."""
    end = name(node.threshold, longest) if node.test == "==" else value(node.threshold)
    return f"{feature_said(node.feature, longest)} {'=' if node.test == '==' else '≤'} {end}"


def rule_said(rule: Rule) -> str:
    """What a rule allows, in words.

    >>> rule_said(Rule("p", 1, delta=(-1, 1))), rule_said(Rule("p", 2, pre=(0, 11), delta=(0, 0.5)))
    ('raise or lower by up to 1, for 1 each time', 'from 0 to 11, raise by up to 0.5, for 2 each time')
    >>> rule_said(Rule("f", 1, delta=(2, 2))), rule_said(Rule("f", 1, delta=(1, 3)))
    ('raise by 2, for 1 each time', 'change by +1 to +3, for 1 each time')
    """
    price = f"for {number(rule.cost)}"
    if rule.categorical:
        start = "anything" if rule.pre is None else " or ".join(sorted(name(c, 14) for c in rule.pre))
        return f"{start} becomes {name(rule.becomes, 16)}, {price}"
    where = "" if all(map(math.isinf, rule.pre)) else f"{where_said(*rule.pre)}, "
    return f"{where}{_change(*rule.delta)}, {price} each time"


def _change(low: float, high: float) -> str:
    """By how much a rule moves a value."""
    if low == high:
        return f"{'raise' if low > 0 else 'lower'} by {value(abs(low))}"
    if low == -high or 0.0 in (low, high):
        way = "raise or lower" if low == -high else "raise" if high else "lower"
        return f"{way} by up to {value(max(-low, high))}"
    return f"change by {_signed(low)} to {_signed(high)}"


def where_said(low: float, high: float) -> str:
    """Where a rule applies.

    >>> where_said(0, 11), where_said(25, math.inf), where_said(-math.inf, 3), where_said(-math.inf, math.inf)
    ('from 0 to 11', 'from 25 on', 'up to 3', 'anywhere')
    """
    if math.isinf(low):
        return "anywhere" if math.isinf(high) else f"up to {value(high)}"
    return f"from {value(low)} on" if math.isinf(high) else f"from {value(low)} to {value(high)}"


def _signed(v: float) -> str:
    return f"+{value(v)}" if v > 0 else value(v)


def feature_said(feature: str | int, longest: int = LONGEST) -> str:
    return name(feature, longest) if isinstance(feature, str) else f"x[{feature}]"


def value_said(given: object, longest: int = LONGEST) -> str:
    return value(given) if isinstance(given, float) else name(given, longest)


def spent(moves: Sequence[Move]) -> float:
    return sum(m.cost for m in moves)


def change_lines(moves: Sequence[Move]) -> tuple[str, ...]:
    """What some moves do to a feature, in one line or two.

    >>> change_lines([Move(0, "p", 1.0, 2.0, 1.0, 1.0)])
    ('p +1',)
    >>> change_lines([Move(0, "p", 1.0, 2.0, 1.0, 1.0), Move(0, "p", 2.0, 2.5, 0.5, 1.0)])
    ('p +1.5', 'in 2 steps')
    >>> change_lines([Move(3, "marital_status", "Divorced", "Never-married", None, 1.0)])
    ('marital_status', '→ Never-married')
    """
    feature, last = feature_said(moves[0].feature), moves[-1]
    if last.amount is None:
        short = f"{feature} → {name(last.after, LONGEST)}"
        return (short,) if len(short) <= 16 else (feature, f"→ {name(last.after, LONGEST)}")
    total = number(sum(m.amount or 0.0 for m in moves))
    head = f"{feature} {total if total.startswith(MINUS) else '+' + total}"
    return (head,) if len(moves) == 1 else (head, f"in {len(moves)} steps")


def bill(moves: Sequence[Move]) -> str:
    """The same with the cost: "p +1, cost 1"."""
    return f"{' '.join(change_lines(moves))}, cost {number(spent(moves))}"


def move_said(move: Move) -> str:
    """One move in a sentence: "p 1 → 2 (+1), cost 1"."""
    amount = "" if move.amount is None else f" ({_signed(move.amount)})"
    change = f"{feature_said(move.feature)} {value_said(move.before)} → {value_said(move.after)}"
    return f"{change}{amount}, cost {number(move.cost)}"


def aim(ways: Ways, leaf: str) -> str:
    """What the way to a leaf crosses: "the root", "q ≤ 3" or "2 tests"."""
    found = ways.crossings(leaf)
    if len(found) != 1:
        return counted(len(found), "test")
    return "the root" if len(found[0].path) == 1 else condition(found[0].node)


def loss_said(ways: Ways, leaf: str) -> str:
    return number(ways.losses[leaf])


def attack_title(label: str, ways: Ways, shown: str) -> str:
    """The takeaway for one tree."""
    home, others, what = loss_said(ways, ways.home), ways.ranked(), LOSSES[ways.loss]
    if not others:
        return f"{label} cannot leave its leaf within the budget of {number(ways.budget)}: {what} {home}"
    if shown != ways.home:
        cost = number(ways.attacks[shown].cost)
        gain = f"{what} {home} → {loss_said(ways, shown)}"
        return f"{label} spends {cost} of {number(ways.budget)} to cross {aim(ways, shown)}: {gain}"
    if len(ways.worst) > 1:
        return f"Moving gains nothing: {label} already stands in a leaf that hurts most, {what} {home}"
    most = number(max(ways.losses[leaf] for leaf in others))
    return f"{label} stands where it hurts most: {what} {home}, at most {most} in any other leaf in reach"


def invariance_title(label: str, before: Ways, after: Ways, leaf: str, verdict: Invariance) -> str:
    """The takeaway for a tree before and after one more split."""
    new = [path for path in after.attacks if path.startswith(leaf)]
    most = max((after.losses[path] for path in new), default=None)
    if verdict == "kept":
        tie = ", as much as staying" if after.home in after.worst and after.home not in new else ""
        return (
            f"Attack invariance is kept for {label}: "
            f"a new leaf hurts most, {LOSSES[after.loss]} {number(most)}{tie}"
        )
    if verdict == "silent":
        where = "replaced leaf is not the one that hurts it most"
        return f"Attack invariance asks nothing of {label}: the {where}"
    now = "staying" if after.best == after.home else "another leaf"
    left = "out of reach" if most is None else number(most)
    return (
        f"Attack invariance is broken for {label}: {now} now hurts more ({loss_said(after, after.best)}) "
        f"than the new leaves ({left})"
    )


def step_title(label: str, ways: Ways, attack: Attack, step: int) -> str:
    """The takeaway after so many moves of an attack."""
    if step == 0:
        leaf = number(ways.predictions[ways.home])
        return (
            f"By itself {label} falls into the leaf {leaf}: {LOSSES[ways.loss]} {loss_said(ways, ways.home)}"
        )
    so_far = attack.until(step)
    leaf, left = so_far.leaf, number(ways.budget - so_far.cost)
    where = f"leaf {number(ways.predictions[leaf])}, loss {loss_said(ways, leaf)}"
    return (
        f"Move {min(step, len(attack.moves))} of {len(attack.moves)}: "
        f"{move_said(so_far.moves[-1])}; {where}, "
        f"budget left {left}"
    )


def described(label: str, ways: Ways, attack: Attack, verdict: bool = True) -> str:
    """A tree and an attack in sentences; without the verdict, as long as the attack is under way."""
    home, worst = (
        number(ways.predictions[ways.home]),
        (number(ways.predictions[p]) for p in sorted(ways.worst)),
    )
    reach = f", of which {label} can be brought to {len(ways.attacks)}" if verdict else ""
    said = f"The tree has {_leaves(len(ways.losses))}{reach}."
    said += f" By itself {label} falls into the leaf {home}, loss {loss_said(ways, ways.home)}."
    if verdict:
        where = f"{'the leaf' if len(ways.worst) == 1 else 'the leaves'} {', '.join(worst)}"
        said += f" The most it can lose is {loss_said(ways, ways.best)}, in {where}."
    if attack.moves:
        moves = "; ".join(map(move_said, attack.moves))
        said += f" The attack shown: {moves}; it spends {number(attack.cost)} of {number(ways.budget)}."
    return said


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n} leaves"


def listed(ways: Ways, attack: Attack, verdict: bool = True) -> Iterator[str]:
    """The numbers that are drawn: with the verdict a line for each leaf in reach and one for the others; the
    budget.
    """
    for leaf in sorted(ways.attacks) if verdict else ():
        marks = [m for m, yes in (("home", leaf == ways.home), ("worst", leaf in ways.worst)) if yes]
        known = [f"prediction {number(ways.predictions[leaf])}", f"loss {loss_said(ways, leaf)}"]
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
    "feature_said",
    "invariance_title",
    "listed",
    "loss_said",
    "rule_said",
    "step_title",
    "value_said",
    "where_said",
]

"""The words of certificates: takeaways that are true whatever was found, and descriptions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from treant_viz.viz.attack_path.words import label_text, move_text, rule_text, spent
from treant_viz.viz.certificate.facts import RowCertificate
from treant_viz.viz.certificate.table_facts import TableCertificate
from treant_viz.viz.style.text import counted, feature_name, names, number, value

Range = tuple[int, int]


def labels_text(labels: Sequence[Any]) -> list[str]:
    """Classes as they are drawn, no two alike.

    >>> labels_text([0, 1.0]), labels_text(["y" * 30 + "es", "y" * 30 + "no"])
    (['0', '1'], ['yyyyyyyyyyyy…yyyyyes', 'yyyyyyyyyyyy…yyyyyno'])
    """
    plain = [label_text(label, 200) for label in labels]
    short = names(plain, 20)
    return [short[p] for p in plain]


def apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart.

    >>> apart(0.37, 0.514), apart(0.5, 0.49999), apart(2.0, 2.0)
    (('0.37', '0.514'), ('0.5', '0.49999'), ('2', '2'))
    """
    digits = next((d for d in range(3, 17) if number(a, d) != number(b, d)), 3)
    return number(a, digits), number(b, digits)


def percent(k: int, n: int) -> str:
    """A share in percent; all and nothing are only what is all and nothing.

    >>> percent(1, 3), percent(9_999, 10_000), percent(0, 5), percent(5, 5), percent(0, 0)
    ('33.3 %', '99.99 %', '0 %', '100 %', '0 %')
    """
    share = 100 * k / n if n else 0.0
    digits = next((d for d in range(3, 17) if number(share, d) != "100" or k == n), 3)
    return f"{number(share, digits)} %"


# one row


def predictions(c: RowCertificate) -> tuple[str, str]:
    """What is predicted before and after the attack."""
    if c.classes is not None:
        first, second = labels_text(c.classes)
        return tuple(first if p == c.classes[0] else second for p in (c.prediction, c.becomes))  # type: ignore
    return apart(c.scores[0], c.scores[-1] if c.falls else c.scores[0])


def row_title(label: str, c: RowCertificate) -> str:
    """How much it takes; bounds where no more is known."""
    start = label.startswith("row ")  # ours, not a name that somebody chose
    low, before = value(c.safe_below), predictions(c)[0]
    if c.safe_below == math.inf:
        stays = f" by more than {number(c.tolerance)}" if c.tolerance else f": it stays {before}"
        changes = "moves" if c.classes is None else "changes"
        return f"{_no_attack(c.budget)} {changes} the prediction for {label}{stays}"
    certain = f"{'Row ' + label[4:] if start else label} is safe below {low}"
    if not c.falls:
        if c.safe_below > 0:
            return f"{certain}; the search was stopped before it could tell what more money does"
        return f"The search was stopped before anything was certain about {label}"
    hit = f"for {value(c.changes_at)}, the attacker {change(c)}"
    if c.exact:
        return f"{certain}: {hit}"
    if c.safe_below > 0:
        return f"{certain}, and {hit}; between the two, the search was stopped early"
    return f"{hit[0].upper()}{hit[1:]}; the search was stopped early: it may take less"


def _no_attack(budget: float) -> str:
    return f"No attack for {value(budget)}" if math.isfinite(budget) else "No attack, whatever it costs,"


def change(c: RowCertificate) -> str:
    """What the attack does to the prediction."""
    before, after = predictions(c)
    verb = "moves" if c.classes is None else "changes"
    more = f", by more than {number(c.tolerance)}" if c.tolerance else ""
    return f"{verb} its prediction from {before} to {after}{more}"


def what(c: RowCertificate) -> str:
    """What a model's word is called."""
    return "prediction" if c.classes is None else "score"


def attack_text(c: RowCertificate) -> str:
    """Which attack is drawn."""
    if c.falls:
        return "the cheapest attack" if c.exact else "the cheapest attack that was found"
    if not c.moves:
        return "no attack"
    return "the attack that gets farthest" if c.farthest else "the attack that gets farthest of those found"


def border_text(c: RowCertificate) -> str:
    """Where the prediction changes."""
    if c.classes is not None:
        return "where the prediction changes, 0.5"
    if not c.tolerance:
        return "the prediction itself, which any move changes"
    return f"{number(c.tolerance)} away from the prediction"


def row_lines(label: str, c: RowCertificate) -> Iterator[str]:
    """The numbers that are drawn."""
    yield f"{label}: {what(c)} {number(c.scores[0], 4)}, predicted {predictions(c)[0]}"
    if c.safe_below == math.inf:
        yield f"no attack within the budget {value(c.budget)} changes it"
    else:
        known = f"changes at {value(c.changes_at)}" if c.falls else "no attack is known that changes it"
        yield f"safe below {value(c.safe_below)}; {known}; budget {value(c.budget)}"
    for m, score in zip(c.moves, c.scores[1:], strict=True):
        yield f"{move_text(m)}: {what(c)} {number(score, 4)}"
    if c.moves:
        yield f"{attack_text(c)} spends {value(spent(c.moves))}"


# a table


def between(r: Range) -> str:
    """A count that may be known only between bounds.

    >>> between((3, 3)), between((1, 4)), between((0, 4))
    ('3', '1 to 4', 'at most 4')
    """
    low, high = r
    return f"{low:,}" if low == high else f"{low:,} to {high:,}" if low else f"at most {high:,}"


def table_title(c: TableCertificate) -> str:
    """How many rows change, and which loss would hurt the attacker most."""
    n, (low, high) = c.every.at_stake, c.every.fallen
    if not n:
        return f"The model gets none of {counted(c.every.n, 'row')} right: there is nothing to attack"
    things = f"the {counted(n, 'right prediction')}" if c.labelled else counted(n, "prediction")
    verb = "changes" if c.classes else "moves"
    by = f" by more than {number(c.tolerance)}" if c.tolerance else ""
    if not high:
        return f"{_no_attack(c.budget)} {verb} any of {things}{by}"
    start = f"For {value(c.budget)}" if math.isfinite(c.budget) else "With no limit on costs"
    phrase = f"{start}, the attacker {verb} {between((low, high))} of {things}{by}"
    return f"{phrase}; the search was stopped early" if low != high else f"{phrase}{_blame(c)}"


def _blame(c: TableCertificate) -> str:
    """Which loss would save most rows, if that is certain."""
    if not c.payers or any(low != high for low, high in (c.fallen, *(p.fallen for p in c.payers))):
        return ""
    fallen, least = c.fallen[0], min(p.fallen[0] for p in c.payers)
    some = c.blamed < c.every.n
    if not fallen:
        return ""
    if least == fallen:
        which = "rule" if c.payers[0].rule else "feature"
        return f"; losing any one {which} saves none{f' of the first {c.blamed:,} rows' * some}"
    left = f"only {least:,}" if least else "none"
    among = f" of {fallen:,} among the first {c.blamed:,} rows" if some else ""
    return f"; without {_lost(c, least)}, {left}{among}"


def _lost(c: TableCertificate, least: int) -> str:
    """What the attacker would have to lose; of many that are as good, how many they are."""
    called, best = payer_names(c), [p for p in c.payers if p.fallen[0] == least]
    if len(best) > 2:
        return f"any one of {len(best)} {'rules' if best[0].rule else 'features'}"
    one = [f"the rule “{called[id(p)]}”" if p.rule else f"rules on {called[id(p)]}" for p in best]
    return ", or without ".join(one)


def feature_names(c: TableCertificate, longest: int = 24) -> dict[int, str]:
    """By payer (its id): the feature, short; no two features look alike."""
    plain = {id(p): feature_name(p.feature, 200) for p in c.payers}
    short = names(plain.values(), longest)
    return {key: short[feature] for key, feature in plain.items()}


def rule_names(c: TableCertificate, longest: int = 48) -> dict[int, str]:
    """By payer (its id): what a single rule allows, with its price where only that tells rules apart; no two
    rules on a feature look alike. Empty for whole features.
    """
    out = {id(p): "" for p in c.payers}
    for feature in dict.fromkeys(p.feature for p in c.payers if p.rule is not None):
        mine = [(id(p), p.rule) for p in c.payers if p.feature == feature and p.rule is not None]
        plain = {key: rule_text(rule, priced=False) for key, rule in mine}
        if len(set(plain.values())) < len(mine):
            plain = {key: rule_text(rule) for key, rule in mine}
        short = names(plain.values(), longest)
        out |= {key: short[phrase] for key, phrase in plain.items()}
    return out


def payer_names(c: TableCertificate) -> dict[int, str]:
    """By payer (its id): the feature, or the feature and what the rule allows."""
    rules = rule_names(c)
    return {
        key: f"{phrase}: {rules[key]}" if rules[key] else phrase for key, phrase in feature_names(c).items()
    }


def table_lines(c: TableCertificate) -> Iterator[str]:
    """The numbers that are drawn."""
    for g, phrase in zip((c.every, *c.classes), group_names(c), strict=True):
        fell, at = between(g.fallen), number(c.budget)
        yield f"{phrase}: {g.at_stake:,} of {g.n:,} at stake, {fell} change within a budget of {at}"
    called = payer_names(c)
    first = f"of the first {c.blamed:,} rows" if c.blamed < c.every.n else "of all rows"
    for p in c.payers:
        yield (
            f"{called[id(p)]}: {number(p.paid, 4)} of {number(c.paid, 4)} paid, "
            f"in {counted(p.uses, 'attack')}; {first}, {between(p.fallen)} change without it, "
            f"{between(c.fallen)} with it"
        )


def group_names(c: TableCertificate) -> list[str]:
    """What the lines are called: all rows first."""
    kind = "label" if c.labelled else "predicted"
    return ["all rows", *(f"{kind} {phrase}" for phrase in labels_text([g.label for g in c.classes]))]


__all__ = [
    "apart", "attack_text", "between", "border_text", "change", "feature_names", "group_names",
    "labels_text", "payer_names", "percent", "predictions", "row_lines", "row_title", "rule_names",
    "table_lines", "table_title", "what",
]  # fmt: skip

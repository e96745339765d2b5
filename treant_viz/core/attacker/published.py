"""The format in which the paper's authors published their rules, read safely.

There, a feature has a list of rules such as {"pre": "(0, np.inf)", "post": 0.5, "cost": 20, "is_numerical":
true}: `post` is the farthest change, so that any change between 0 and `post` is allowed. Preconditions are
Python expressions in text. They are parsed by a small grammar: tuples of numbers, `np.inf`, `-np.inf`, and
quoted categories; nothing is evaluated.

>>> parse_pre("(0, np.inf)"), parse_pre("('Divorced', 'Separated')"), parse_pre("('Never-worked')")
((0.0, inf), ('Divorced', 'Separated'), ('Never-worked',))
"""

from __future__ import annotations

import math
import os
import re
from functools import partial
from typing import Any

from treant_viz.core import serial
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.serial import shown

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?(?:(?:np\.|numpy\.|math\.)?inf\b|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?))"""
    r"""|'(?P<single>[^'\\]*)'|"(?P<double>[^"\\]*)")\s*(?:,|$)"""
)


def read_published_rules(path: str | os.PathLike[str], budget: float) -> Attacker:
    """An attacker from a published rule file, with the budget given (the files have none)."""
    return published_rules(serial.read(path), str(path), budget)


def published_rules(doc: object, where: str, budget: float) -> Attacker:
    """The same from the content of a file, already parsed; `where` is its name."""
    with serial.reading(where):
        if not isinstance(doc, dict) or not isinstance(doc.get("attacks"), list):
            raise ValueError('expected an object with a list "attacks"')
        read = serial.each([partial(_entry, e, f"attack {i}") for i, e in enumerate(doc["attacks"])])
        return Attacker([rule for rules in read for rule in rules], budget)


def _entry(entry: object, where: str) -> list[Rule]:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: expected an object of features, got {shown(entry)}")
    rules = [(f, r) for f in entry for r in serial.field(entry, f, list, where)]
    return serial.each([partial(_rule, f, r, where) for f, r in rules])


def _rule(feature: str, d: Any, where: str) -> Rule:
    where = f"{where}, feature {shown(feature)}"
    if not isinstance(d, dict):
        raise ValueError(f"{where}: expected an object, got {shown(d)}")
    cost = serial.number_in(d.get("cost"), f'{where}: "cost"')
    numeric, text = serial.field(d, "is_numerical", bool, where), serial.field(d, "pre", str, where)
    change = _change(d, where, numeric)
    with serial.reading(where):
        pre = parse_pre(text)
        if {isinstance(v, str) for v in pre} != {not numeric}:
            raise ValueError(
                f"precondition {shown(text)}: expected {'numbers' if numeric else 'quoted categories'}"
            )
        return Rule(feature, cost, pre, **change)


def _change(d: serial.Json, where: str, numeric: bool) -> serial.Json:
    if not numeric:
        return {"becomes": serial.field(d, "post", str, where)}
    post = serial.number_in(d.get("post"), f'{where}: "post"')
    return {"delta": (min(post, 0.0), max(post, 0.0))}


def parse_pre(text: str) -> tuple[Any, ...]:
    """A parenthesised list of numbers or of quoted categories."""
    inner = text.strip()
    if not (inner.startswith("(") and inner.endswith(")")):
        raise ValueError(
            f"precondition: expected something like (0, np.inf) or ('A', 'B'), got {shown(text)}"
        )
    inner, at, out = inner[1:-1].strip(), 0, []
    while at < len(inner):
        token = _TOKEN.match(inner, at)
        if token is None:
            raise ValueError(f"precondition {shown(text)}: cannot read {shown(inner[at:])}")
        out.append(_value(token))
        at = token.end()
    return tuple(out)


def _value(token: re.Match[str]) -> float | str:
    number = token["number"]
    if number is None:
        return token["single"] if token["single"] is not None else token["double"]
    if number.endswith("inf"):
        return -math.inf if number.startswith("-") else math.inf
    return float(number)

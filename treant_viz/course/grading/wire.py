"""Answers as plain JSON: numbers, words, collections, arrays, attackers; a function is a number to call.

What cannot be told like that (an open file, a class of the student's own) becomes the name of its type.
Nothing that a student hands in is ever unpickled or evaluated.

>>> decode(encode({("x2", 1.5)}), call=None) == {("x2", 1.5)}
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treant_viz.core.attacker.rules import Attacker

Keep = Callable[[Any], int]
Call = Callable[[int, tuple[Any, ...]], Any]
GROUPS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
LONGEST = 100_000  # things in one collection


class Opaque:
    """Stands for a thing that could not be told; it is of the wrong kind for every exercise."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def encode(thing: Any, keep: Keep | None = None) -> Any:
    """Something that `json.dumps` takes; `keep` stores a function and returns its number."""
    if isinstance(thing, np.generic):
        thing = thing.item()
    if thing is None or type(thing) in (bool, int, float, str):
        return thing
    if thing is ...:
        return {"nothing": True}
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "biuf" and thing.size <= LONGEST:
        return {"array": thing.tolist()}
    name = type(thing).__name__
    if type(thing) in GROUPS.values() and len(thing) <= LONGEST:
        return {name: [encode(x, keep) for x in thing]}
    if type(thing) is dict and len(thing) <= LONGEST:
        return {name: [[encode(k, keep), encode(v, keep)] for k, v in thing.items()]}
    if isinstance(thing, Attacker):
        return {"attacker": thing.to_dict()}
    if callable(thing) and keep is not None:
        return {"function": keep(thing)}
    return {"opaque": name[:100]}


def decode(data: Any, call: Call | None) -> Any:
    """The thing itself, as far as it could be told; functions are called by `call(number, arguments)`."""
    if data is None or isinstance(data, (bool, int, float, str)):
        return data
    if not isinstance(data, dict) or len(data) != 1:
        raise ValueError(f"answer: expected what `encode` writes, got {str(data)[:80]}")
    ((kind, value),) = data.items()
    if kind == "nothing":
        return ...
    if kind == "array":
        return np.array(value)
    if kind in GROUPS:
        return GROUPS[kind](decode(x, call) for x in value)
    if kind == "dict":
        return {decode(k, call): decode(v, call) for k, v in value}
    if kind == "attacker":
        return Attacker.from_dict(value)
    if kind == "function" and call is not None:
        return lambda *arguments: call(int(value), arguments)
    return Opaque(str(value)[:100])


__all__ = ["Opaque", "decode", "encode"]

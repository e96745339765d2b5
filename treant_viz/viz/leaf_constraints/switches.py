"""Constraints that are switched off: all of a row, or those that one split made of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from treant_viz.trace.trace import Trace

Made = tuple[int, str]  # a row, and the path of the split that made its constraints: one for either child


def made_by_splits(trace: Trace) -> list[Made]:
    """All that splits made of rows, in the order in which it came up."""
    return list(dict.fromkeys((c.row, c.origin) for step in trace.steps for c in step.constraints))


def checked_off(off: Any, trace: Trace) -> frozenset[Made]:
    """What is switched off: rows, or pairs of a row and the path of the split that made its constraints."""
    made = made_by_splits(trace)
    one = isinstance(off, (int, str)) or (isinstance(off, tuple) and tuple(map(type, off)) == (int, str))
    out: set[Made] = set()
    for given in [off] if one else list(off):
        pair = tuple(given) if isinstance(given, (tuple, list)) else None
        found = [m for m in made if m == pair or (pair is None and m[0] == given)]
        if not found or isinstance(given, bool):
            some = ", ".join(str(row) for row in sorted({row for row, _ in made})[:8]) or "none"
            raise ValueError(f"off: expected rows that have constraints ({some}), got {given!r}")
        out.update(found)
    return frozenset(out)


def whole_rows(off: Collection[Made], trace: Trace) -> list[Any]:
    """The same in few words: a row if all its constraints are off, else pairs."""
    made = made_by_splits(trace)
    full = {row for row, _ in off if all(m in off for m in made if m[0] == row)}
    return [*sorted(full), *sorted(m for m in off if m[0] not in full)]


__all__ = ["Made", "checked_off", "made_by_splits", "whole_rows"]

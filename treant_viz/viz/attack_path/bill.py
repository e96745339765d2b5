"""The bill of an attack: its moves in lines that can stand beside a picture, each with what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from treant_viz.viz.attack_path.facts import AppliedRule
from treant_viz.viz.attack_path.words import feature_text, spent, value_text
from treant_viz.viz.style.text import names

MOST = 7  # lines of moves


class BillLine(NamedTuple):
    """A line of the bill: its words, what it costs, and how many moves have been made when it is over."""

    words: str
    cost: float
    moves: int


def bill_lines(moves: Sequence[AppliedRule]) -> list[BillLine]:
    """Move by move if they are few, else feature by feature, and what is left in one line."""
    short = names([m.feature for m in moves if isinstance(m.feature, str)], 22)
    runs = [[m] for m in moves]
    if len(runs) > MOST:
        runs = [list(run) for _, run in groupby(moves, key=lambda m: m.column)]
    out: list[BillLine] = []
    for run in runs:
        done = len(run) + (out[-1].moves if out else 0)
        out.append(BillLine(_change(run, short), spent(run), done))
    if len(out) <= MOST:
        return out
    rest = moves[out[MOST - 2].moves :]
    return [*out[: MOST - 1], BillLine(f"{len(rest)} more moves", spent(rest), len(moves))]


def _change(run: Sequence[AppliedRule], short: dict[Any, str]) -> str:
    """ "alcohol 8.9 → 9.4", of several moves from the first value to the last."""
    feature = short.get(run[0].feature) or feature_text(run[0].feature)
    steps = f" in {len(run)} moves" if len(run) > 1 else ""
    return f"{feature} {value_text(run[0].before, 14)} → {value_text(run[-1].after, 14)}{steps}"


__all__ = ["BillLine", "bill_lines"]

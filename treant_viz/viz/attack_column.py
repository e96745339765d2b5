"""A feature that an attack changes, and its moves in feature space: from value to value, across the thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from treant_viz.viz import lettering
from treant_viz.viz.attack_facts import Crossing, Move
from treant_viz.viz.attack_ink import DASHES
from treant_viz.viz.attack_words import feature_said, value_said
from treant_viz.viz.canvas import SMALL, Ink
from treant_viz.viz.card import LINE
from treant_viz.viz.layout import Box
from treant_viz.viz.text import number
from treant_viz.viz.tree_ink import Placed

WIDTH, SHORT = 190.0, 16  # least width of a column; letters of a category


@dataclass(frozen=True, slots=True)
class Column:
    """A feature that an attack changes: its moves, and the tests on it that are crossed."""

    moves: tuple[Move, ...]
    crossed: tuple[Crossing, ...]

    @property
    def head(self) -> str:
        return feature_said(self.moves[0].feature, 26)

    @property
    def numeric(self) -> bool:
        return self.moves[0].amount is not None

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last value, in words."""
        before, after = self.moves[0].before, self.moves[-1].after
        return value_said(before, SHORT), value_said(after, SHORT)

    @property
    def width(self) -> float:
        words = sum(self.pads) if self.numeric else sum(lettering.width(s, SMALL) for s in self.ends)
        return max(WIDTH, words + 90.0, lettering.width(self.head, SMALL, bold=True))

    @property
    def cuts(self) -> list[float]:
        """The thresholds that are crossed, in order."""
        return sorted({float(c.node.threshold) for c in self.crossed})

    @property
    def pads(self) -> tuple[float, float]:
        """What the words beside a number line take, on the left and on the right."""
        ends = self.ends if self.moves[0].before <= self.moves[-1].after else self.ends[::-1]
        sides = [lettering.width(f"L ≤ {number(v)}", SMALL) + 5.0 for v in self.cuts] if len(self.cuts) == 1 else [0.0]
        left, right = (max(lettering.width(s, SMALL) + 10.0, *sides) for s in ends)
        return left, right


def draw_column(ink: Ink, placed: Placed, column: Column, box: Box, gid: str) -> None:
    """The feature's name, and its way from the first value to the last."""
    head(ink, placed, box, column.head)
    draw = _number_line if column.numeric else _categories
    draw(ink, placed, column, box, gid)


def say(ink: Ink, placed: Placed, x: float, y: float, said: str, role: str, **look: Any) -> Any:
    """Small words in the drawing."""
    look = dict[str, Any](fontsize=placed.letters(SMALL), va="center", zorder=5) | look
    return ink.text(placed.ax, x, y, said, role, **look)


def head(ink: Ink, placed: Placed, box: Box, said: str) -> None:
    say(ink, placed, box.left, box.top - 12.0, said, "strip head", weight="bold")


def _number_line(ink: Ink, placed: Placed, column: Column, box: Box, gid: str) -> None:
    """From value to value in dashed arrows, across the thresholds."""
    values = [column.moves[0].before, *(m.after for m in column.moves)]
    first, last = column.ends
    backward, y = values[-1] < values[0], box.top - 38.0
    low, high = min(*values, *column.cuts), max(*values, *column.cuts)
    unit = (box.width - sum(column.pads)) / ((high - low) or 1.0)
    at = [box.left + column.pads[0] + unit * (v - low) for v in values]
    _thresholds(ink, placed, [(box.left + column.pads[0] + unit * (v - low), v) for v in column.cuts], y)
    _hops(ink, placed, at, y, gid)
    for x, said, right in ((at[0], first, backward), (at[-1], last, not backward)):
        say(ink, placed, x + (9.0 if right else -9.0), y, said, "value", ha="left" if right else "right")
    ax = placed.ax
    look: dict[str, Any] = {"color": ink.palette.ink, "zorder": 6, "linestyle": "none", "markersize": 8 * placed.scale}
    ink.keep("before", ax.plot(at[:1], [y], marker="o", markerfacecolor=ink.palette.background, **look)[0])
    ink.keep("after", ax.plot(at[1:], [y] * (len(at) - 1), marker="o", **look)[0])


def _thresholds(ink: Ink, placed: Placed, cuts: Sequence[tuple[float, float]], y: float) -> None:
    """A line at each threshold; its two sides in words below, or just the value if there are several."""
    several, free = len(cuts) > 1, [-math.inf, -math.inf]
    for x, v in cuts:
        look: dict[str, Any] = {"color": ink.palette.ink, "linewidth": 2.0 * placed.scale, "zorder": 4}
        ink.keep("threshold", placed.ax.plot([x, x], [y - 17.0, y + 13.0], **look)[0])
        wide = lettering.width(number(v), SMALL)
        row = next((k for k, end in enumerate(free) if x - wide / 2 > end), None)
        if several and row is not None:
            say(ink, placed, x, y - 26.0 - 14.0 * row, number(v), "threshold value", ha="center")
            free[row] = x + wide / 2 + 6.0
        if not several:
            say(ink, placed, x - 5.0, y - 20.0, f"L ≤ {number(v)}", "threshold value", ha="right")
            say(ink, placed, x + 5.0, y - 20.0, f"R > {number(v)}", "threshold value", ha="left")


def _hops(ink: Ink, placed: Placed, at: Sequence[float], y: float, gid: str) -> None:
    """A dashed arrow for each move."""
    for i, (a, b) in enumerate(pairwise(at)):
        _arrow(ink, placed, a, b, y, f"hop-{gid}-{i}", last=i == len(at) - 2)


def _arrow(ink: Ink, placed: Placed, a: float, b: float, y: float, gid: str, last: bool = True) -> None:
    look: dict[str, Any] = {"color": ink.palette.attacker, "linewidth": 2.2 * placed.scale, "zorder": 5}
    line = placed.ax.plot([a, b], [y, y], linestyle=DASHES, **look)[0]
    ink.keep("move", line, gid)
    tip = b - (6.0 if b > a else -6.0)
    back = tip - (1.0 if b > a else -1.0)
    if abs(b - a) < 20.0 and not last:
        return
    look = {"color": ink.palette.attacker, "linewidth": 0.5, "zorder": 5, "mutation_scale": 13 * placed.scale}
    tip_drawn = FancyArrowPatch((back, y), (tip, y), arrowstyle="-|>", shrinkA=0, shrinkB=0, **look)
    ink.patch(placed.ax, tip_drawn, "move head", f"{gid}-head")


def _categories(ink: Ink, placed: Placed, column: Column, box: Box, gid: str) -> None:
    """From category to category in dashed arrows; below, the tests that are crossed."""
    y, (first, last) = box.top - 40.0, column.ends
    wide = [lettering.width(s, SMALL) + 14.0 for s in (first, last)]
    left, right = box.left, box.left + box.width - wide[1]
    _arrow(ink, placed, left + wide[0], right + 4.0, y, f"hop-{gid}-0")
    for x, said, w, role in ((left, first, wide[0], "before"), (right, last, wide[1], "after")):
        frame = FancyBboxPatch((x, y - 12.0), w, 24.0, boxstyle="round,pad=0,rounding_size=6", zorder=6)
        frame.set(facecolor=ink.palette.background, edgecolor=ink.palette.ink, linewidth=1.6 * placed.scale)
        ink.patch(placed.ax, frame, role)
        say(ink, placed, x + w / 2, y, said, "value", ha="center", zorder=7)
    if len(column.moves) > 1:
        middle = (left + wide[0] + right) / 2
        say(ink, placed, middle, y + 10.0, f"{len(column.moves)} steps", "steps", ha="center")
    for k, (path, node, _) in enumerate(column.crossed[:2]):
        sign = "=" if path[-1] == "l" else "≠"
        said = f"{'L' if path[-1] == 'l' else 'R'}: now {sign} {value_said(node.threshold, SHORT)}"
        say(ink, placed, left, y - 26.0 - k * LINE * SMALL, said, "threshold value")


__all__ = ["WIDTH", "Column", "draw_column", "head", "say"]

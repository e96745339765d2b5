"""A tree under attack with who is attacked and the budget beside its root; or two such trees side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from treant_viz.viz.attack_path.tree import PlayedTree, draw_tree
from treant_viz.viz.attack_path.words import loss_text, row_lines
from treant_viz.viz.style import typeface
from treant_viz.viz.style.heading import HINTING
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.layout import LayoutBox

GAP, HEADING, EDGE = 40.0, 30.0, 16.0  # between two trees, above each of them, at the margins
ABOVE, BELOW = 48.0, 12.0  # room over the root, for what stands beside it, and under the leaves
LINE, BUDGET, WHO = 17.0, 120.0, 300.0  # height of a line; widths of the budget and of a row's card


def needed(scenes: Sequence[PlayedTree]) -> tuple[float, float]:
    """The room of the whole drawing, in points."""
    wide = max(*(s.place.width + 2 * EDGE for s in scenes), 400.0)
    tall = max(s.place.height for s in scenes) + ABOVE + BELOW + HEADING * (len(scenes) > 1)
    return len(scenes) * (wide + GAP) - GAP, tall


def draw(scenes: Sequence[PlayedTree], label: str, pen: Pen, target: Target) -> None:
    """One tree, or two side by side."""
    paper = sheet(target, pen, *needed(scenes), most=1.3)
    each = (paper.width - GAP * (len(scenes) - 1)) / len(scenes)
    over = HEADING * (len(scenes) > 1)
    for i, s in enumerate(scenes):
        left, gid = i * (each + GAP), f"{i}-" if len(scenes) > 1 else ""
        if over:
            paper.text(left + EDGE, paper.height - 20.0, s.heading, "heading", size=HEAD, bold=True)
        room = LayoutBox(left + EDGE, BELOW, each - 2 * EDGE, paper.height - over - ABOVE - BELOW)
        root = draw_tree(paper, s, room, gid)[""]
        _beside(paper, s, label, room, root, gid)
    if over:
        x = each + GAP / 2
        paper.line([x, x], [10.0, paper.height - 10.0], "between", color=pen.palette.faint)


def _beside(paper: Sheet, s: PlayedTree, label: str, room: LayoutBox, root: LayoutBox, gid: str) -> None:
    """Who is attacked on the roomier side of the root, what they may spend on the other."""
    west, east = root.left - room.left, room.right - root.right
    wide = min(WHO, max(west, east) - 34.0)
    left = root.left - 30.0 - wide if west >= east else root.right + 30.0
    head, values = row_lines(label, s.ways)
    lines = _pairs(values, wide - 20.0) if values else []
    widths = [typeface.width(head, BODY, bold=True), *(typeface.width(line, SMALL) for line in lines)]
    left, wide = (left + wide - max(widths) - 20.0 if west >= east else left), max(widths) + 20.0
    tall = 14.0 + LINE * (1 + len(lines))
    p, bottom = paper.pen.palette, root.bottom + 2.0
    look: dict[str, Any] = {
        "boxstyle": "round,pad=0,rounding_size=8",
        "facecolor": p.panel,
        "edgecolor": p.soft,
        "zorder": 3,
    }
    card = FancyBboxPatch((left, bottom), wide, tall, linewidth=1.4 * paper.scale, **look)
    paper.pen.patch(paper.ax, card, "row", f"{gid}row")
    y = bottom + tall - 19.0
    paper.text(left + 10.0, y, head, "row head", size=BODY, bold=True)
    for k, line in enumerate(lines):
        paper.text(left + 10.0, y - LINE * (k + 1), line, "row values", size=SMALL, color=p.soft)
    ends = (left + wide, root.left) if west >= east else (left, root.right)
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 15 * paper.scale, "color": p.soft}
    arrow |= {"linewidth": 2.0 * paper.scale, "shrinkA": 0, "shrinkB": 0}
    way = FancyArrowPatch((ends[0], root.y), (ends[1], root.y), **arrow)
    paper.pen.patch(paper.ax, way, "row way", f"{gid}row-way")
    free = room.right - root.right if west >= east else root.left - room.left
    _budget(paper, s, room, min(free - 24.0, room.width - wide - 60.0), west >= east, root.top + ABOVE, gid)


def _pairs(values: str, room: float) -> list[str]:
    """Features with their values in two lines, no pair broken unless it is longer than a line."""
    lines = [""]
    for pair in values.split(", "):
        longer = f"{lines[-1]}, {pair}" if lines[-1] else pair
        if lines[-1] and typeface.width(longer, SMALL) > room - 14.0:
            lines[-1] += ","
            lines.append(pair)
        else:
            lines[-1] = longer
    lines = [part for line in lines for part in typeface.wrapped(line, room, SMALL)]
    return lines if len(lines) <= 2 else [lines[0], lines[1].rstrip(",") + " …"]


def _budget(
    paper: Sheet, s: PlayedTree, room: LayoutBox, free: float, right: bool, top: float, gid: str
) -> None:
    """A bar as long as the budget in the upper corner, and what is spent of it: gold is spent, a piece for
    each move, hollow is left. The words stand beside it, or below it if there is no room.
    """
    p, total, cost = paper.pen.palette, s.ways.budget, s.attack.cost
    words = [(f"budget: {number(cost)} of {number(total)} spent", "budget", p.ink)]
    if not s.attack.moves and s.step is None:
        words += [(phrase, "best move", p.soft) for phrase in _instead(s)]
    widths = [typeface.width(phrase, SMALL) * HINTING for phrase, *_ in words]
    beside = BUDGET + 10.0 + max(widths) <= free
    wide = BUDGET + 10.0 + max(widths) if beside else max(BUDGET, *widths)
    left = room.right - wide if right else room.left
    _bar(paper, s, left, top - 24.0, gid)
    x, y = (left + BUDGET + 10.0, top - 22.5) if beside else (left, top - 39.0)
    for k, (phrase, role, color) in enumerate(words):
        paper.text(x, y - LINE * k, phrase, role, size=SMALL, color=color)


def _bar(paper: Sheet, s: PlayedTree, left: float, y: float, gid: str) -> None:
    p, total = paper.pen.palette, s.ways.budget
    whole, x = (total if math.isfinite(total) else 2 * s.attack.cost) or 1.0, left
    for i, move in enumerate(s.attack.moves):
        wide = BUDGET * move.cost / whole
        piece = Rectangle((x, y), wide, 12.0, facecolor=p.coin, edgecolor=p.coin_edge, zorder=4)
        paper.pen.patch(paper.ax, piece, "spent", f"{gid}spent-{i}")
        x += wide
    if left + BUDGET - x > 1e-6 * BUDGET and total:
        rest = Rectangle((x, y), left + BUDGET - x, 12.0, facecolor=p.panel, edgecolor=p.soft, zorder=3)
        paper.pen.patch(paper.ax, rest, "left over", f"{gid}left-over")


def _instead(s: PlayedTree) -> list[str]:
    """Nothing is changed; what the best move would do."""
    ranked = s.ways.ranked()
    if not ranked:
        return ["no other leaf is in reach"]
    return [f"{number(s.ways.attacks[ranked[0]].cost)} would buy loss {loss_text(s.ways, ranked[0])}"]


__all__ = ["draw", "needed"]

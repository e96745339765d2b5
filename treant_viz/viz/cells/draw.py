"""How cells are drawn: on the left a strip of boxes for each feature that can leave its cell, all of one
width; on the right what they multiply to, `combinations`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Circle, Rectangle

from treant_viz.viz.cells.combinations import combinations, fill_of
from treant_viz.viz.cells.facts import Strip
from treant_viz.viz.cells.single import draw_single
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import feature_name, name, names, number, value
from treant_viz.viz.style.typeface import width, wrapped

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

LEFT, RIGHT, COUNT = 150.0, 336.0, 56.0  # points: names, combinations, how many cells
LEAST, MOST, LABELLED = 40.0, 124.0, 62.0  # the height of a line; the least one with words under its boxes
STRIPS = 9  # features that are drawn
WIDEST, COIN, EDGE, TALL = 96.0, 25.0, 22.0, 38.0  # of a box, of a coin, of the margins; height of a box
FOOT = 46.0  # points below the strips, for the features without a choice


class ShownCells(NamedTuple):
    """The cells of a strip that are drawn, and how many are left out on each side."""

    cells: tuple[int, ...]
    before: int
    after: int


class StripColumn(NamedTuple):
    """Where the strips lie: from the left, how wide a box is, and the greatest cost of all."""

    left: float
    box: float
    dearest: float


def draw(d: CellsDisplay, pen: Pen, target: Target) -> None:
    """A line a feature, the combinations beside them, and below them what could not be drawn."""
    choices = [s for s in d.strips if len(s.reach) > 1]
    shown, rest = choices[:STRIPS], choices[STRIPS:]
    tall = LEAST * max(len(shown), 1) + FOOT + 40.0
    paper = sheet(target, pen, 880.0, max(tall, 280.0) if len(choices) == 1 else tall, most=1.0)
    if not shown:
        words = "no affordable rule" if not d.strips else "no other cell within reach"
        paper.text(paper.width / 2, paper.height / 2, words, "nothing", size=HEAD, ha="center")
        return
    windows = [window(s) for s in shown]
    if len(choices) == 1:
        draw_single(paper, d, shown[0], windows[0].cells, FOOT)
        _rest(paper, d, rest)
        return
    room = paper.width - LEFT - EDGE - COUNT - RIGHT
    box = min(WIDEST, room / max(len(w.cells) for w in windows))
    dearest = d.limit if math.isfinite(d.limit) else max(s.costs[i] for s in shown for i in s.reach)
    left = LEFT + EDGE
    column = StripColumn(left, box, dearest or 1.0)
    tall = min(MOST, (paper.height - FOOT - 24.0) / len(shown))
    called = names([feature_name(s.feature) for s in shown], 20)
    top = (paper.height + FOOT + tall * len(shown)) / 2 - 6.0
    for k, (s, w) in enumerate(zip(shown, windows, strict=True)):
        y = top - tall * (k + 0.5)
        _strip(paper, s, w, y, column, k)
        if tall >= LABELLED:
            _under(paper, s, w, y - TALL / 2 - 5.0, column)
        _beside(paper, s, called[feature_name(s.feature)], y, left - LEFT)
        end = column.left + box * max(len(w.cells) for w in windows)
        _count(paper, len(s.reach), y, end + COUNT, first=k == 0)
    _first(paper, d, shown[0], windows[0], top - tall / 2 + TALL / 2 + 7.0, column)
    _rest(paper, d, rest)
    size = (RIGHT - 48.0, paper.height - FOOT)
    combinations(paper, d, shown, (paper.width - RIGHT + 26.0, FOOT), size)


def window(s: Strip) -> ShownCells:
    """All cells in reach with a neighbour on each side; of categories, which have no order, those in reach
    alone.
    """
    if s.names is not None:
        order = (s.own, *(i for i in s.reach if i != s.own))
        return ShownCells(order, 0, len(s.costs) - len(order))
    first, last = max(s.reach[0] - 1, 0), min(s.reach[-1] + 1, len(s.costs) - 1)
    return ShownCells(tuple(range(first, last + 1)), first, len(s.costs) - 1 - last)


def _first(paper: Sheet, d: CellsDisplay, s: Strip, w: ShownCells, y: float, column: StripColumn) -> None:
    """Above the first strip, what a ring is and what a grey box is."""
    p = paper.pen.palette
    taken: list[tuple[float, float]] = []
    marks = [(w.cells.index(s.own), f"{d.label} is here", True)]
    out, here = f"out of reach for {number(d.budget)}", w.cells.index(s.own)
    marks += [(i, out, False) for i, c in enumerate(w.cells) if c not in s.reach]
    for i, words, bold in marks:
        side = 0 if bold else 1 if i > here else -1  # outwards, away from the row
        wide = width(words, SMALL, bold=bold)
        x = column.left + (i + 0.5 - 0.5 * side) * column.box - wide * (1 - side) / 2
        if all(x > b + 6.0 or x + wide < a - 6.0 for a, b in taken):
            taken.append((x, x + wide))
            color = p.ink if bold else p.soft
            paper.text(x, y, words, "mark", size=SMALL, bold=bold, color=color)


def _rest(paper: Sheet, d: CellsDisplay, more: Sequence[Strip]) -> None:
    """In a line at the foot: features that are not drawn, and those that cannot leave their cell."""
    words = (
        [f"and {len(more)} more features: × {' × '.join(str(len(s.reach)) for s in more)}"] if more else []
    )
    if still := [feature_name(s.feature) for s in d.strips if len(s.reach) < 2]:
        called = list(names(still, 22).values())
        listed = ", ".join(called[:4]) + (f" and {len(called) - 4} more" if len(called) > 4 else "")
        words.append(f"No other cell within reach: {listed}")
    roles = ["more features"] * bool(more) + ["still"] * bool(still)
    for k, (line, role) in enumerate(zip(reversed(words), reversed(roles), strict=True)):
        text = wrapped(line, paper.width - 2 * EDGE, SMALL)[0]
        paper.text(EDGE, 14.0 + 17.0 * k, text, role, size=SMALL, color=paper.pen.palette.soft)


def _beside(paper: Sheet, s: Strip, called: str, y: float, x: float) -> None:
    now = name(s.value, 18) if s.names is not None else value(s.value)
    paper.text(x, y + 3.0, called, "feature", bold=True)
    paper.text(x, y - 16.0, f"= {now}", "own value", size=SMALL, color=paper.pen.palette.soft)


def _count(paper: Sheet, n: int, y: float, x: float, *, first: bool) -> None:
    look: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
    paper.text(x, y, f"{'' if first else '× '}{n}", "count", size=HEAD, bold=True, **look)


def _strip(paper: Sheet, s: Strip, w: ShownCells, y: float, column: StripColumn, k: int) -> None:
    left, box = column.left, column.box
    for i, cell in enumerate(w.cells):
        _box(paper, s.costs[cell], column, (left + i * box, y - TALL / 2), f"{k}-{cell}")
    for at, cost, wide in _coins(s, w, box):
        if wide * box >= _coin_width(cost):
            gid = f"coin-{k}-{at:g}"
            parts.coin(paper.pen, paper.ax, left + at * box, y, cost, scale=paper.scale, gid=gid)
    here, p = w.cells.index(s.own), paper.pen.palette
    look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 2.4 * paper.scale}
    ring = Circle((left + (here + 0.5) * box, y), max(4.0, min(7.0, 0.32 * box)), zorder=7, **look)
    paper.pen.patch(paper.ax, ring, "own cell", f"own-{k}")


def _box(paper: Sheet, cost: float, column: StripColumn, corner: tuple[float, float], gid: str) -> None:
    """Gold, the deeper the dearer, alike in all strips; what is out of reach is grey, its edge dashed."""
    p, reached = paper.pen.palette, math.isfinite(cost)
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.soft, "linestyle": (0, (3, 3)), "zorder": 3}
    if reached:
        look = {"facecolor": fill_of(p, cost / column.dearest), "edgecolor": p.coin_edge, "zorder": 4}
    part = Rectangle(corner, column.box, TALL, linewidth=1.0 * paper.scale, **look)
    paper.pen.patch(paper.ax, part, "reached" if reached else "out of reach", f"cell-{gid}")


def _coin_width(cost: float) -> float:
    return COIN + 7.0 * max(0, len(number(cost)) - 2)


def _coins(s: Strip, w: ShownCells, box: float) -> Iterator[tuple[float, float, int]]:
    """Where coins stand, in boxes from the left, their costs, and how many boxes each is for: one, or, where
    boxes are narrow, all neighbours of the same cost.
    """
    costs = [s.costs[cell] for cell in w.cells]
    each = box >= max(_coin_width(c) for c in costs if c < math.inf)
    start = 0
    for i in range(1, len(costs) + 1):
        if i == len(costs) or costs[i] != costs[start] or each:
            if 0 < costs[start] < math.inf:
                yield (start + i) / 2, costs[start], i - start
            start = i


def _under(paper: Sheet, s: Strip, w: ShownCells, y: float, column: StripColumn) -> None:
    """Thresholds under the borders, or names under the boxes: those next to the row first, as many as fit."""
    left, box = column.left, column.box
    here = w.cells.index(s.own)
    if s.names is not None:
        marks = [(left + (i + 0.5) * box, _category(s, c, box), abs(i - here + 0.0))
                 for i, c in enumerate(w.cells)]  # fmt: skip
    else:
        ends = [(i, c) for i, c in enumerate(w.cells) if c < len(s.cuts) and i + 1 < len(w.cells)]
        marks = [(left + (i + 1) * box, value(s.cuts[c]), abs(i + 0.5 - here)) for i, c in ends]
    for x, words in _fitting(sorted(marks, key=lambda m: m[2])):
        look: dict[str, Any] = {"ha": "center", "va": "top", "color": paper.pen.palette.ink}
        paper.text(x, y, words, "threshold" if s.names is None else "category", size=SMALL, **look)


def _category(s: Strip, cell: int, box: float) -> str:
    """As much of a name as fits below its box."""
    assert s.names is not None
    if cell >= len(s.names):
        return "missing"
    fitting = (n for n in range(28, 5, -1) if width(name(s.names[cell], n), SMALL) <= box - 4.0)
    return name(s.names[cell], next(fitting, 5))


def _fitting(marks: Sequence[tuple[float, str, float]]) -> list[tuple[float, str]]:
    """As many labels as can stand side by side, the first ones first."""
    taken: list[tuple[float, float]] = []
    out = []
    for x, words, _ in marks:
        half = width(words, SMALL) / 2 + 2.0
        if all(x + half <= a or x - half >= b for a, b in taken):
            taken.append((x - half, x + half))
            out.append((x, words))
    return out


__all__ = ["ShownCells", "draw", "window"]

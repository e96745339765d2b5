"""How cells are drawn: a strip of boxes for each feature, all of one width, and counts that multiply."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Circle, Rectangle

from treant_viz.viz.cells.facts import Strip
from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import feature_name, name, names, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

LEFT, RIGHT, REST = 178.0, 212.0, 40.0  # the columns beside the strips, and a stub for cells further away
LEAST, MOST, LABELLED = 40.0, 92.0, 50.0  # the height of a line; the least one with words under its boxes
STRIPS = 9  # features that are drawn
WIDEST, COIN, EDGE = 100.0, 25.0, 22.0  # of a box, of a coin, of the margins


class Window(NamedTuple):
    """The cells of a strip that are drawn, and how many are left out on each side."""

    cells: tuple[int, ...]
    before: int
    after: int


def draw(d: CellsDisplay, pen: Pen, target: Target) -> None:
    """A line a feature; below them what could not be drawn."""
    shown, rest = d.strips[:STRIPS], d.strips[STRIPS:]
    paper = sheet(target, pen, 880.0, LEAST * max(len(shown), 1) + 62.0, most=1.2)
    if not shown:
        paper.text(paper.width / 2, paper.height / 2, "no affordable rule", "nothing", size=HEAD, ha="center")
        return
    windows = [window(s) for s in shown]
    room = paper.width - LEFT - RIGHT - 2 * REST
    box = min(WIDEST, room / max(len(w.cells) for w in windows))
    tall = min(MOST, (paper.height - 62.0) / len(shown))
    called = names([feature_name(s.feature) for s in shown], 20)
    top, product = (paper.height + tall * len(shown)) / 2, 1
    _heads(paper, top + 6.0)
    for k, (s, w) in enumerate(zip(shown, windows, strict=True)):
        y, product = top - tall * (k + 0.5), product * len(s.reach)
        _strip(paper, s, w, y, box, k)
        if tall >= LABELLED:
            _under(paper, s, w, y - 19.0, box)
        _beside(paper, s, called[feature_name(s.feature)], y)
        _count(paper, len(s.reach), product, y, first=k == 0)
    if rest:
        words = f"and {len(rest)} more features: × {' × '.join(str(len(s.reach)) for s in rest)}"
        paper.text(EDGE, 10.0, words, "more features", size=SMALL, color=pen.palette.soft)


def window(s: Strip) -> Window:
    """All cells in reach with a neighbour on each side; categories in reach first: they have no order."""
    if s.names is not None:
        others = [i for i in range(len(s.costs)) if i not in s.reach]
        order = [s.own, *(i for i in s.reach if i != s.own), *others[:1]]
        return Window(tuple(order), 0, max(0, len(others) - 1))
    first, last = max(s.reach[0] - 1, 0), min(s.reach[-1] + 1, len(s.costs) - 1)
    return Window(tuple(range(first, last + 1)), first, len(s.costs) - 1 - last)


def _heads(paper: Sheet, y: float) -> None:
    look: dict[str, Any] = {"size": SMALL, "color": paper.pen.palette.soft, "ha": "right"}
    paper.text(paper.width - RIGHT + 60.0, y, "in reach", "head", **look)
    paper.text(paper.width - EDGE, y, "combinations", "head", **look)


def _beside(paper: Sheet, s: Strip, called: str, y: float) -> None:
    now = name(s.value, 18) if s.names is not None else value(s.value)
    paper.text(EDGE, y + 3.0, called, "feature", bold=True)
    paper.text(EDGE, y - 14.0, f"= {now}", "own value", size=SMALL, color=paper.pen.palette.soft)


def _count(paper: Sheet, n: int, product: int, y: float, *, first: bool) -> None:
    from treant_viz.viz.cells.display import count

    sign = "" if first else "× "
    look: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
    paper.text(paper.width - RIGHT + 60.0, y, f"{sign}{n}", "count", size=HEAD, bold=True, **look)
    paper.text(paper.width - EDGE, y, f"= {count(product)}", "product", size=HEAD, **look)


def _strip(paper: Sheet, s: Strip, w: Window, y: float, box: float, k: int) -> None:
    left, tall = LEFT + REST, min(30.0, 0.75 * COIN + 8.0)
    for side, n, x in (("before", w.before, left - REST), ("after", w.after, left + box * len(w.cells))):
        if n:
            words = f"+ {n}"
            paper.text(x + REST / 2, y, words, "left out", size=SMALL, color=paper.pen.palette.soft,
                       ha="center", va="center_baseline", gid=f"{side}-{k}")  # fmt: skip
    for i, cell in enumerate(w.cells):
        _box(paper, s, cell, (left + i * box, y - tall / 2), (box, tall), f"{k}-{cell}")
    for at, cost, wide in _coins(s, w, box):
        if wide * box >= _coin_width(cost):
            parts.coin(
                paper.pen, paper.ax, left + at * box, y, cost, scale=paper.scale, gid=f"coin-{k}-{at:g}"
            )
    here = w.cells.index(s.own)
    p = paper.pen.palette
    look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 2.2 * paper.scale}
    ring = Circle((left + (here + 0.5) * box, y), min(6.0, 0.32 * box), zorder=7, **look)
    paper.pen.patch(paper.ax, ring, "own cell", f"own-{k}")


def _box(
    paper: Sheet, s: Strip, cell: int, corner: tuple[float, float], size: tuple[float, float], gid: str
) -> None:
    """Gold, the deeper the dearer; what is out of reach is pale."""
    p, cost = paper.pen.palette, s.costs[cell]
    dearest = max((s.costs[i] for i in s.reach), default=0.0) or 1.0
    reached = math.isfinite(cost)
    fill = mixed(p.background, p.coin, 0.10 + 0.45 * cost / dearest) if reached else p.panel
    edge = p.coin_edge if reached else p.faint
    part = Rectangle(
        corner, *size, facecolor=fill, edgecolor=edge, linewidth=0.9 * paper.scale, zorder=3 + reached
    )
    paper.pen.patch(paper.ax, part, "reached" if reached else "out of reach", f"cell-{gid}")


def _coin_width(cost: float) -> float:
    return COIN + 7.0 * max(0, len(number(cost)) - 2)


def _coins(s: Strip, w: Window, box: float) -> Iterator[tuple[float, float, int]]:
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


def _under(paper: Sheet, s: Strip, w: Window, y: float, box: float) -> None:
    """Thresholds under the borders, or names under the boxes: those next to the row first, as many as fit."""
    left = LEFT + REST
    here = w.cells.index(s.own)
    if s.names is not None:
        marks = [
            (left + (i + 0.5) * box, _category(s, c), abs(float(i - here))) for i, c in enumerate(w.cells)
        ]
    else:
        ends = [(i, c) for i, c in enumerate(w.cells) if c < len(s.cuts)]
        marks = [(left + (i + 1) * box, value(s.cuts[c]), abs(i + 0.5 - here)) for i, c in ends]
    for x, words in _fitting(sorted(marks, key=lambda m: m[2])):
        look: dict[str, Any] = {"ha": "center", "va": "top", "color": paper.pen.palette.soft}
        paper.text(x, y, words, "threshold" if s.names is None else "category", size=SMALL, **look)


def _category(s: Strip, cell: int) -> str:
    assert s.names is not None
    return name(s.names[cell], 14) if cell < len(s.names) else "missing"


def _fitting(marks: Sequence[tuple[float, str, float]]) -> list[tuple[float, str]]:
    """As many labels as can stand side by side, the first ones first."""
    taken: list[tuple[float, float]] = []
    out = []
    for x, words, _ in marks:
        half = width(words, SMALL) / 2 + 4.0
        if all(x + half <= a or x - half >= b for a, b in taken):
            taken.append((x - half, x + half))
            out.append((x, words))
    return out


__all__ = ["Window", "draw", "window"]

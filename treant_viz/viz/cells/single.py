"""A row of which only one feature can leave its cell: its cells side by side, and below how many combinations
there were if more features were like it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Circle, PathPatch, Rectangle
from matplotlib.path import Path

from treant_viz.viz.cells.combinations import count, fill_of
from treant_viz.viz.cells.facts import Strip
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import counted, feature_name, name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

EDGE, TALL = 22.0, 72.0  # points: beside all, height of a cell
MOST, DOT, BETWEEN = 1024, 4.6, 26.0  # squares of a block, the size of one, between blocks


def draw_single(paper: Sheet, d: CellsDisplay, s: Strip, cells: tuple[int, ...], foot: float) -> None:
    """The strip, where the row is, the thresholds; below, what several such features would make."""
    box, y = (paper.width - 2 * EDGE) / len(cells), paper.height - 34.0 - TALL
    for k, cell in enumerate(cells):
        _cell(paper, d, s.costs[cell], (EDGE + k * box, y), box, f"0-{cell}")
    p, here = paper.pen.palette, EDGE + (cells.index(s.own) + 0.5) * box
    look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 3.0 * paper.scale}
    paper.pen.patch(paper.ax, Circle((here, y + TALL / 2), 9.0, zorder=7, **look), "own cell", "own-0")
    _marks(paper, d, s, cells, box, y + TALL + 10.0)
    _ends(paper, s, cells, box, y - 8.0)
    _growth(paper, len(s.reach), feature_name(s.feature), y - 72.0, foot)


def _cell(
    paper: Sheet, d: CellsDisplay, cost: float, corner: tuple[float, float], wide: float, gid: str
) -> None:
    p, reached = paper.pen.palette, cost < math.inf
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.soft, "linestyle": (0, (3, 3)), "zorder": 3}
    if reached:
        share = cost / (d.limit or 1.0) if d.limit < math.inf else 0.5
        look = {"facecolor": fill_of(p, share), "edgecolor": p.coin_edge, "zorder": 4}
    part = Rectangle(corner, wide, TALL, linewidth=1.2 * paper.scale, **look)
    paper.pen.patch(paper.ax, part, "reached" if reached else "out of reach", f"cell-{gid}")
    if reached and cost:
        middle = (corner[0] + wide / 2, corner[1] + TALL / 2)
        parts.coin(paper.pen, paper.ax, *middle, cost, scale=1.25 * paper.scale, gid=f"coin-{gid}")


def _marks(paper: Sheet, d: CellsDisplay, s: Strip, cells: tuple[int, ...], box: float, y: float) -> None:
    """Above the cells: where the row is, and which cells are out of reach."""
    now = name(s.value, 18) if s.names is not None else value(s.value)
    called, out = name(feature_name(s.feature), 20), f"out of reach for {number(d.budget)}"
    marks = [(cells.index(s.own), f"{d.label} is here: {called} = {now}", True)]
    marks += [(k, out, False) for k, cell in enumerate(cells) if cell not in s.reach]
    taken: list[tuple[float, float]] = []
    for k, words, bold in marks:
        half = width(words, BODY, bold=bold) * 1.04 / 2
        x = min(max(EDGE + (k + 0.5) * box, EDGE + half), paper.width - EDGE - half)
        if all(x - half > b + 6.0 or x + half < a - 6.0 for a, b in taken):
            taken.append((x - half, x + half))
            color = paper.pen.palette.ink if bold else paper.pen.palette.soft
            paper.text(x, y, words, "mark", size=BODY, bold=bold, color=color, ha="center")


def _ends(paper: Sheet, s: Strip, cells: tuple[int, ...], box: float, y: float) -> None:
    """What the model asks, under the borders, or names under the cells; as many as can stand side by side."""
    if s.names is None:
        called, role = name(feature_name(s.feature), 16), "threshold"
        marks = [(k + 1.0, f"{called} ≤ {value(s.cuts[c])}?") for k, c in enumerate(cells[:-1])]
    else:
        role = "category"
        known = [name(s.names[c], 16) if c < len(s.names) else "missing" for c in cells]
        marks = [(k + 0.5, words) for k, words in enumerate(known)]
    taken = -math.inf
    for k, words in marks:
        half = width(words, BODY) / 2 + 3.0
        if k * box - half >= taken:
            taken = k * box + half
            paper.text(EDGE + k * box, y, words, role, size=BODY, ha="center", va="top")


def _growth(paper: Sheet, n: int, who: str, top: float, foot: float) -> None:
    """One block of squares for one such feature, one for two and so on: a square is a combination."""
    words = f"Cells of several features multiply. If more features were like {name(who, 20)}:"
    paper.text(EDGE, top, words, "multiply", size=HEAD, bold=True)
    shown = list(_powers(n, paper.width - 2 * EDGE))
    x, floor = EDGE, foot + 44.0
    for features in shown:
        total = n**features
        columns, wide = _columns(total), _wide(total, features)
        _block(paper, total, columns, x + (wide - DOT * columns) / 2, floor, f"{features}")
        middle = x + wide / 2
        paper.text(middle, floor - 18.0, count(total), "combinations", size=BODY, bold=True, ha="center")
        said = counted(features, "feature") if features in (shown[0], shown[-1]) else str(features)
        paper.text(middle, floor - 36.0, said, "features", size=SMALL, ha="center",
                   color=paper.pen.palette.soft)  # fmt: skip
        x += wide + BETWEEN
    more = shown[-1] + 1 if shown[-1] >= 10 else 10
    said = f"{more} features: {count(n**more)}"
    if x + width(said, BODY) <= paper.width - EDGE and more not in shown:
        paper.text(x, floor - 18.0, said, "more", size=BODY)


def _powers(n: int, room: float) -> Iterator[int]:
    """How many features, as long as their blocks can stand side by side."""
    used = 0.0
    for features in range(1, 11):
        used += _wide(n**features, features) + BETWEEN
        if features > 1 and (n**features > MOST or used - BETWEEN > room):
            return
        yield features


def _columns(total: int) -> int:
    """Squares side by side: a block of full lines, if there is one about as high as it is wide."""
    least = math.ceil(math.sqrt(total))
    return next((c for c in range(least, 2 * least) if total % c == 0), least)


def _wide(total: int, features: int) -> float:
    said = counted(features, "feature") if features in (1, 10) else ""
    return max(DOT * _columns(total), width(count(total), BODY, bold=True), width(said, SMALL))


def _block(paper: Sheet, total: int, columns: int, x: float, y: float, gid: str) -> None:
    """So many squares, all of one size; the last line need not be full."""
    p, (lines, rest) = paper.pen.palette, divmod(total, columns)
    pieces = [(0, columns, lines)] * bool(lines) + [(lines, rest, 1)] * bool(rest)
    points: list[tuple[float, float]] = []
    for line, across, down in pieces:
        a, b = (x, y + DOT * line), (x + DOT * across, y + DOT * (line + down))
        points += [a, (b[0], a[1]), b, (a[0], b[1]), a]
        lines_x = [(x + DOT * i, a[1], x + DOT * i, b[1]) for i in range(1, across)]
        lines_y = [(a[0], a[1] + DOT * i, b[0], a[1] + DOT * i) for i in range(1, down)]
        ends = [q for c in (*lines_x, *lines_y) for q in ((c[0], c[1]), (c[2], c[3]))]
        if ends:
            grid = PathPatch(Path(ends, [Path.MOVETO, Path.LINETO] * (len(ends) // 2)), zorder=4)
            grid.set(edgecolor=p.background, linewidth=0.7 * paper.scale, facecolor="none")
            paper.pen.patch(paper.ax, grid, "grid")
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(pieces)
    paper.shape(points, codes, "block", facecolor=p.coin, edgecolor="none", zorder=3, gid=f"block-{gid}")


__all__ = ["draw_single"]

"""A row of which only one feature can leave its cell: its cells on one wide axis, to scale if possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Circle, Rectangle

from treant_viz.viz.cells.combinations import count, fill_of
from treant_viz.viz.cells.facts import Strip
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import counted, feature_name, name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

EDGE, TALL, LEAST = 22.0, 104.0, 44.0  # points: beside all, height of a cell, its least width
BEYOND = 0.3  # of the span, that is drawn of a cell without an end


class Laid(NamedTuple):
    """Cells from left to right: where each begins and the last one ends, and where the row stands."""

    cells: tuple[int, ...]
    edges: tuple[float, ...]
    here: float


def draw_single(paper: Sheet, d: CellsDisplay, s: Strip, cells: tuple[int, ...], foot: float) -> None:
    """The strip, where the row is, the thresholds; below, what several such features would make."""
    wide, y = paper.width - 2 * EDGE, foot + (paper.height - foot) / 2 - 36.0
    at = laid(s, cells, wide)
    for k, cell in enumerate(at.cells):
        _cell(paper, d, s.costs[cell], (EDGE + at.edges[k], y), at.edges[k + 1] - at.edges[k], f"0-{cell}")
    p, n = paper.pen.palette, len(s.reach)
    look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 3.0 * paper.scale}
    paper.pen.patch(
        paper.ax, Circle((EDGE + at.here, y + TALL / 2), 9.0, zorder=7, **look), "own cell", "own-0"
    )
    _marks(paper, d, s, at, y + TALL + 10.0)
    _ends(paper, s, at, y - 8.0)
    now = name(s.value, 18) if s.names is not None else value(s.value)
    called = name(feature_name(s.feature), 28)
    paper.text(EDGE, y - 52.0, called, "feature", size=HEAD, bold=True)
    far = EDGE + width(called, HEAD, bold=True) * 1.04 + 8.0
    paper.text(far, y - 52.0, f"= {now} in {d.label}", "own value", size=HEAD, color=p.soft)
    paper.text(EDGE, y + TALL + 48.0, f"{counted(n, 'cell')} to try", "count", size=HEAD, bold=True)
    words = f"The cells of several features multiply: with a second feature like this one, {n} × {n} = "
    words += f"{count(n * n)} combinations; with ten, {count(n**10)}."
    paper.text(EDGE, y - 92.0, words, "multiply", size=BODY)


def laid(s: Strip, cells: tuple[int, ...], wide: float) -> Laid:
    """Numbers to scale, with a part of a cell that has no end; categories, and cells that would be too narrow
    for a coin, all of one width.
    """
    even = [wide * k / len(cells) for k in range(len(cells) + 1)]
    middle = (cells.index(s.own) + 0.5) * wide / len(cells)
    if s.names is None and s.cuts and s.own <= len(s.cuts):
        x = float(s.value)
        ends = [s.cuts[c] for c in cells[:-1]]
        low = s.cuts[cells[0] - 1] if cells[0] else None
        high = s.cuts[cells[-1]] if cells[-1] < len(s.cuts) else None
        known = [v for v in (low, *ends, high, x) if v is not None]
        span = (max(known) - min(known)) or 1.0
        low = min(known) - BEYOND * span if low is None else low
        high = max(known) + BEYOND * span if high is None else high
        edges = [wide * (v - low) / (high - low) for v in (low, *ends, high)]
        if min(b - a for a, b in pairwise(edges)) >= LEAST:
            return Laid(cells, tuple(edges), wide * (x - low) / (high - low))
    return Laid(cells, tuple(even), middle)


def _cell(
    paper: Sheet, d: CellsDisplay, cost: float, corner: tuple[float, float], wide: float, gid: str
) -> None:
    p, reached = paper.pen.palette, cost < float("inf")
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.soft, "linestyle": (0, (3, 3)), "zorder": 3}
    if reached:
        share = cost / (d.limit or 1.0) if d.limit < float("inf") else 0.5
        look = {"facecolor": fill_of(p, share), "edgecolor": p.coin_edge, "zorder": 4}
    part = Rectangle(corner, wide, TALL, linewidth=1.2 * paper.scale, **look)
    paper.pen.patch(paper.ax, part, "reached" if reached else "out of reach", f"cell-{gid}")
    if reached and cost:
        middle = (corner[0] + wide / 2, corner[1] + TALL / 2)
        parts.coin(paper.pen, paper.ax, *middle, cost, scale=1.25 * paper.scale, gid=f"coin-{gid}")


def _marks(paper: Sheet, d: CellsDisplay, s: Strip, at: Laid, y: float) -> None:
    """Above the cells: where the row is, and which cells are out of reach."""
    p, out = paper.pen.palette, f"out of reach for {number(d.budget)}"
    words = f"{d.label} is here"
    half = width(words, BODY, bold=True) * 1.04 / 2
    x = min(max(EDGE + at.here, EDGE + half), paper.width - EDGE - half)
    paper.text(x, y, words, "mark", size=BODY, bold=True, ha="center")
    taken = [(x - half, x + half)]
    for k, cell in enumerate(at.cells):
        if cell in s.reach:
            continue
        middle, half = EDGE + (at.edges[k] + at.edges[k + 1]) / 2, width(out, BODY) * 1.04 / 2
        middle = min(max(middle, EDGE + half), paper.width - EDGE - half)
        if all(middle - half > b + 6.0 or middle + half < a - 6.0 for a, b in taken):
            taken.append((middle - half, middle + half))
            paper.text(middle, y, out, "mark", size=BODY, color=p.soft, ha="center")


def _ends(paper: Sheet, s: Strip, at: Laid, y: float) -> None:
    """Thresholds under the borders, or names under the cells; as many as can stand side by side."""
    marks: Sequence[tuple[float, str]]
    if s.names is None:
        marks = [(e, value(s.cuts[c])) for c, e in zip(at.cells, at.edges[1:-1], strict=False)]
    else:
        known = [name(s.names[c], 16) if c < len(s.names) else "missing" for c in at.cells]
        marks = [((a + b) / 2, w) for (a, b), w in zip(pairwise(at.edges), known, strict=True)]
    taken = -1e9
    for x, words in marks:
        half = width(words, BODY) / 2 + 3.0
        if x - half >= taken:
            taken = x + half
            role = "threshold" if s.names is None else "category"
            paper.text(EDGE + x, y, words, role, size=BODY, ha="center", va="top")


__all__ = ["Laid", "draw_single", "laid"]

"""Drawing an audit: quiet numbers where ours and the paper's agree, colour where they do not, one bar."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import MINUS, names, number

if TYPE_CHECKING:
    from treant_viz.viz.audit.display import AuditDisplay, Cell

LEFT, GAP, ABOVE, BELOW = 104.0, 12.0, 66.0, 30.0  # points around the methods
BAR = (24.0, 0.3, 66.0)  # room, width in columns, room for its numbers
FULL = 5.0  # tolerances: from here on a colour is at its strongest, in every figure
HIGHER, LOWER = "#2E8BA8", "#C8543B"  # ours is more, ours is less
STEPS = 81


def draw_cells(d: AuditDisplay, pen: Pen, target: Target) -> None:
    wide = float(len(d.metrics))
    columns = [(LEFT if j == 0 else GAP, wide, 0.0) for j in range(len(d.methods))]
    [row] = placed(target, pen, [(ABOVE, 1.0, BELOW)], [*columns, BAR])
    short = names(d.methods, 16)
    for j, (ax, method) in enumerate(zip(row, d.methods, strict=False)):
        _block(d, pen, ax, method, short[method], first=j == 0)
    _bar(d, pen, row[-1])


def shade(d: AuditDisplay, pen: Pen, difference: float) -> str:
    """No colour within the tolerance; beyond it the more, the farther off."""
    size = abs(difference)
    if size <= d.tolerance + 1e-9:
        return pen.palette.panel
    share = min(1.0, 0.35 + 0.65 * (size / d.tolerance - 1) / (FULL - 1))
    return mixed(pen.palette.panel, HIGHER if difference > 0 else LOWER, share)


def told(difference: float, tolerance: float = 0.0) -> str:
    """A difference with its sign; with one more digit where it seems to be just the tolerance.

    >>> told(0.0571), told(-0.0857), told(-0.0001), told(0.0402, 0.04)
    ('+0.057', '−0.086', '0', '+0.0402')
    """
    text = f"{difference:+.3f}"
    if abs(float(text)) == tolerance and tolerance:
        text = f"{difference:+.4f}"
    return "0" if float(text) == 0 else text.replace("-", MINUS)


def _block(d: AuditDisplay, pen: Pen, ax: Axes, method: str, head: str, *, first: bool) -> None:
    """All cells of a method."""
    rows = list(d.rows)
    for cell in (c for c in d.cells if c.method == method):
        _cell(d, pen, ax, cell, rows.index(cell.row))
    ax.set_xlim(-0.5, len(d.metrics) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    pen.style(ax, spines=())
    ax.tick_params(length=0)
    pen.ticks(ax, "y", range(len(rows)), list(d.rows.values()) if first else [""] * len(rows))
    measures = names([c.measure for c in d.cells], 12)
    found = {c.metric: measures[c.measure] for c in d.cells}
    pen.ticks(ax, "x", range(len(d.metrics)), [found[m] for m in d.metrics])
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for i, (above, below) in enumerate(pairwise(rows)):
        if above[0] != below[0]:
            pen.keep("rule", ax.axhline(i + 0.5, color=pen.palette.soft, linewidth=1.2))
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
    for role, words, up, bold in (("method", head, 43, True), ("verdict", d.verdict(method), 25, False)):
        pen.keep(role, ax.annotate(words, (0.0, 1.0), (4, up), **look, **pen.type(BODY, bold=bold)))


def _cell(d: AuditDisplay, pen: Pen, ax: Axes, cell: Cell, i: int) -> None:
    off, fill = d.off(cell), shade(d, pen, cell.difference)
    j = d.metrics.index(cell.metric)
    gid = f"cell-{cell.method}-{cell.where}-{cell.metric}"
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": pen.palette.background, "linewidth": 1.5}
    pen.patch(ax, Rectangle((j - 0.5, i - 0.5), 1, 1, **look), "off" if off else "near", gid)
    color = pen.palette.on(fill) if off else pen.palette.soft
    place: dict[str, Any] = {"ha": "center", "va": "center"}
    pen.text(
        ax,
        j,
        i,
        told(cell.difference, d.tolerance if off else 0.0),
        "number",
        **pen.type(SMALL, bold=off, color=color),
        **place,
    )


def _bar(d: AuditDisplay, pen: Pen, ax: Axes) -> None:
    """What the colours mean, the same for every table of this tolerance."""
    end = FULL * d.tolerance
    edges = np.linspace(-end, end, STEPS + 1)
    for a, b in pairwise(edges):
        color = shade(d, pen, float((a + b) / 2))
        pen.patch(ax, Rectangle((0, a), 1, end - a, facecolor=color, edgecolor="none"), "bar")
    ax.set_xlim(0, 1)
    ax.set_ylim(-end, end)
    pen.style(ax, spines=())
    ax.yaxis.tick_right()
    ax.tick_params(length=0)
    at = [-end, -d.tolerance, 0.0, d.tolerance, end]
    words = [
        f"{MINUS}{number(end)}",
        f"{MINUS}{number(d.tolerance)}",
        "0",
        f"+{number(d.tolerance)}",
        f"+{number(end)}",
    ]
    pen.ticks(ax, "x", [], [])
    pen.ticks(ax, "y", at, words)
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", **pen.type(SMALL)}
    pen.keep("bar name", ax.annotate("ours is higher", (0.0, 1.0), (-14, 6), va="bottom", **look))
    pen.keep("bar name", ax.annotate("ours is lower", (0.0, 0.0), (-14, -6), va="top", **look))


__all__ = ["draw_cells", "shade", "told"]

"""Drawing heat maps: squares in the colour of their value, with the number; one bar for all of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import MINUS, names, number
from treant_viz.viz.train_test.facts import Panel

if TYPE_CHECKING:
    from treant_viz.viz.train_test.display import TrainTestHeatmapDisplay

LEFT, INNER, RIGHT = 66.0, 44.0, 8.0  # points beside a map: left of the first, left of others, right
ABOVE, BELOW = 52.0, 46.0
BAR = (26.0, 0.34, 62.0)  # room, width in cells, room for its numbers
STEPS = 64  # colours of the bar


def draw_maps(d: TrainTestHeatmapDisplay, pen: Pen, target: Target) -> None:
    columns = [(LEFT if j == 0 else INNER, float(len(p.test)), RIGHT) for j, p in enumerate(d.panels)]
    [row] = placed(target, pen, [(ABOVE, 1.0, BELOW)], [*columns, BAR])
    heads = names([p.title for p in d.panels])
    for ax, panel in zip(row, d.panels, strict=False):
        _map(d, pen, ax, panel, heads[panel.title] if panel.title else "", first=ax is row[0])
    _bar(d, pen, row[-1])


def shade(d: TrainTestHeatmapDisplay, pen: Pen, value: float) -> str:
    """The colour of a value, the same in all maps of the scale."""
    low, high = d.scale
    return to_hex(colormaps[pen.palette.measure]((value - low) / (high - low or 1.0))).upper()


def _map(d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes, panel: Panel, head: str, *, first: bool) -> None:
    for k, t, value in panel.cells:
        _cell(d, pen, ax, panel, (k, t), value)
    ax.set_xlim(-0.5, len(panel.test) - 0.5)
    ax.set_ylim(-0.5, len(panel.train) - 0.5)
    pen.style(ax, xlabel="test budget", ylabel="training budget" if first else "", spines=())
    pen.ticks(ax, "x", range(len(panel.test)), [number(b) for b in panel.test])
    pen.ticks(ax, "y", range(len(panel.train)), [number(b) for b in panel.train])
    ax.tick_params(length=0)
    look: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom"}
    if head:
        pen.text(ax, 0.0, 1.02, head, "panel", ha="left", **pen.type(BODY, bold=True), **look)
    if first:
        _diagonal(pen, ax, panel)


def _diagonal(pen: Pen, ax: Axes, panel: Panel) -> None:
    """The name of the framed cells, with a line down to the last of them."""
    same = [(panel.test.index(k), i) for i, k in enumerate(panel.train) if k in panel.test]
    if not same:
        return
    x, top = same[-1][0], len(panel.train) - 0.5
    soft = pen.palette.soft
    look: dict[str, Any] = {
        "textcoords": "offset points",
        "ha": "right",
        "va": "bottom",
        "annotation_clip": False,
    }
    line = {"arrowstyle": "-", "color": soft, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    pen.keep("diagonal line", ax.annotate("", (x, top), (0, 26), arrowprops=line, **look))
    words = ax.annotate(
        "trained for just this attacker", (x + 0.5, top), (0, 28), **pen.type(SMALL, color=soft), **look
    )
    pen.keep("diagonal", words)


def _cell(
    d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes, panel: Panel, at: tuple[float, float], value: float
) -> None:
    """A square in the colour of its value, with the number; trained for just this attacker: a frame."""
    i, j, same = panel.train.index(at[0]), panel.test.index(at[1]), at[0] == at[1]
    color = shade(d, pen, value)
    edge = pen.palette.ink if same else pen.palette.background
    look: dict[str, Any] = {"facecolor": color, "edgecolor": edge, "linewidth": 3.0 if same else 1.0}
    gid = f"cell-{panel.title}-{number(at[0])}-{number(at[1])}"
    pen.patch(ax, Rectangle((j - 0.5, i - 0.5), 1, 1, zorder=2 if same else 1, **look), "cell", gid)
    words = f"{value:.3f}".replace("-", MINUS)
    place: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3}
    pen.text(ax, j, i, words, "value", **pen.type(SMALL, bold=same, color=pen.palette.on(color)), **place)


def _bar(d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes) -> None:
    """What the colours mean."""
    low, high = d.scale
    ends = np.linspace(low, high if high > low else low + 1.0, STEPS + 1)
    for a, b in pairwise(ends):
        color = shade(d, pen, float((a + b) / 2))
        up = ends[-1] - a  # each covers the rest: no seams between them
        pen.patch(ax, Rectangle((0, a), 1, up, facecolor=color, edgecolor="none"), "bar")
    ax.set_xlim(0, 1)
    ax.set_ylim(ends[0], ends[-1])
    pen.style(ax, spines=())
    ax.yaxis.tick_right()
    ax.locator_params(axis="y", nbins=6)
    at = [t for t in ax.get_yticks() if ends[0] <= t <= ends[-1]]
    pen.ticks(ax, "x", [], [])
    pen.ticks(ax, "y", at, [number(t) for t in at])
    ax.set_ylim(ends[0], ends[-1])
    look: dict[str, Any] = {"transform": ax.transAxes, "ha": "left", "va": "bottom"}
    pen.text(ax, 0.0, 1.02, d.measure, "bar name", **pen.type(SMALL), **look)


__all__ = ["draw_maps", "shade"]

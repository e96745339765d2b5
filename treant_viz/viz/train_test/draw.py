"""Drawing heat maps: the right model for each attacker in a frame, and what the others lose to it; one bar
for all of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.patches import Rectangle

from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import MINUS, names, number
from treant_viz.viz.train_test.facts import Cost, Panel

if TYPE_CHECKING:
    from treant_viz.viz.train_test.display import TrainTestHeatmapDisplay

LEFT, INNER, RIGHT = 66.0, 38.0, 4.0  # points beside a map: left of the first, left of others, right
ABOVE, BELOW = 32.0, 46.0
BAR = (24.0, 0.34, 58.0)  # room, width in cells, room for its numbers
LIFT = 0.6  # small losses are lifted, so that they can be told from none
STEPS, SHARE = 64, 0.4  # colours of the bar; how much of the height it takes


def draw_maps(d: TrainTestHeatmapDisplay, pen: Pen, target: Target) -> None:
    columns = [(LEFT if j == 0 else INNER, float(len(p.test)), RIGHT) for j, p in enumerate(d.panels)]
    [row] = placed(target, pen, [(ABOVE, 1.0, BELOW)], [*columns, BAR] if d.most > 0 else columns)
    heads = names([p.title for p in d.panels])
    for ax, panel in zip(row, d.panels, strict=False):
        _map(d, pen, ax, panel, heads[panel.title] if panel.title else "", first=ax is row[0])
    if d.most > 0:
        _bar(d, pen, row[-1])


def shade(d: TrainTestHeatmapDisplay, pen: Pen, lost: float) -> str:
    """The colour of a loss, the same in all maps of the scale."""
    low, high = d.scale
    p = pen.palette
    colors = LinearSegmentedColormap.from_list("lost", [p.panel, p.steep, p.deep, mixed(p.deep, p.ink, 0.5)])
    return to_hex(colors(min(1.0, max(0.0, lost) / (high - low or 1.0)) ** LIFT)).upper()


def told(lost: float) -> str:
    """A difference in two digits after the point.

    >>> told(0.278), told(-0.032), told(0.014), told(0.004)
    ('−0.28', '+0.03', '−0.01', '0')
    """
    text = f"{abs(lost):.2f}"
    return "0" if float(text) == 0 else f"{MINUS if lost > 0 else '+'}{text}"


def _map(d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes, panel: Panel, head: str, *, first: bool) -> None:
    cost = {(c.train, c.test): c for c in panel.costs}
    for k, t, value in panel.cells:
        _cell(d, pen, ax, panel, (k, t), value, cost.get((k, t)))
    ax.set_xlim(-0.5, len(panel.test) - 0.5)
    ax.set_ylim(-0.5, len(panel.train) - 0.5)
    pen.style(
        ax, xlabel="attacked with a budget of", ylabel="trained for a budget of" if first else "", spines=()
    )
    pen.ticks(ax, "x", range(len(panel.test)), [number(b) for b in panel.test])
    pen.ticks(ax, "y", range(len(panel.train)), [number(b) for b in panel.train])
    ax.tick_params(length=0)
    look: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom"}
    if head:
        pen.text(ax, 0.0, 1.02, head, "panel", ha="left", **pen.type(BODY, bold=True), **look)


def _cell(
    d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes, panel: Panel, at: tuple[float, float], value: float,
    cost: Cost | None,
) -> None:  # fmt: skip
    """The right model for an attacker: its value, in a frame. Any other: what it loses, as a colour too.
    Where no right model is known, just the value.
    """
    i, j = panel.train.index(at[0]), panel.test.index(at[1])
    right = cost is not None and cost.train == cost.right
    color = shade(d, pen, cost.lost if cost else 0.0)
    edge = pen.palette.ink if right else pen.palette.background
    look: dict[str, Any] = {"facecolor": color, "edgecolor": edge, "linewidth": 1.8 if right else 1.0}
    look["clip_on"] = not right  # a frame is whole at the edge of the map, too
    gid = f"cell-{panel.title}-{number(at[0])}-{number(at[1])}"
    pen.patch(ax, Rectangle((j - 0.5, i - 0.5), 1, 1, zorder=2 if right else 1, **look), "cell", gid)
    plain = cost is None or right
    dearest = (panel.title, *at) in d.dearest
    words = f"{value:.2f}".replace("-", MINUS)
    if cost is not None and not right:
        words = told(cost.lost)
    bold = right or dearest
    place: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 3}
    look = pen.type(BODY if right else SMALL, bold=bold, color=pen.palette.on(color))
    pen.text(ax, j, i, words, "value" if plain else "lost", **look, **place)


def _bar(d: TrainTestHeatmapDisplay, pen: Pen, ax: Axes) -> None:
    """What the colours mean, up to the most that is lost in this figure."""
    ends = np.linspace(0.0, d.most, STEPS + 1)
    for a, b in pairwise(ends):
        color = shade(d, pen, float((a + b) / 2))
        up = ends[-1] - a  # each covers the rest: no seams between them
        pen.patch(ax, Rectangle((0, a), 1, up, facecolor=color, edgecolor="none"), "bar")
    ax.set_xlim(0, 1)
    ax.set_ylim(0.0, d.most / SHARE)
    pen.style(ax, spines=())
    ax.yaxis.tick_right()
    ax.tick_params(length=0)
    pen.ticks(ax, "x", [], [])
    pen.ticks(ax, "y", [0.0, d.most], ["0", f"{MINUS}{number(d.most, 2)}"])
    look: dict[str, Any] = {"transform": ax.transAxes, "ha": "left", "va": "bottom"}
    pen.text(ax, 0.0, SHARE + 0.02, "change", "bar name", **pen.type(SMALL), **look)


__all__ = ["draw_maps", "shade", "told"]

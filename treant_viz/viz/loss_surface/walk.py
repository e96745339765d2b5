"""Drawing a run of SLSQP on the map: a line through its points, numbered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from treant_viz.viz.loss_surface.facts import LeafPair
from treant_viz.viz.style.pen import SMALL, Pen

if TYPE_CHECKING:
    from treant_viz.viz.loss_surface.display import LossSurfaceDisplay


def draw_walk(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """The run: a line through its points, numbered beside them; points close together share a box."""
    if not d.run:
        return
    xs, ys = [p.y_l for p in d.run], [p.y_r for p in d.run]
    ax.plot(xs, ys, color=pen.palette.background, linewidth=4.5, zorder=4)
    pen.keep("walk", ax.plot(xs, ys, color=pen.palette.ink, linewidth=2.0, zorder=5)[0])
    look: dict[str, Any] = {
        "color": pen.palette.ink,
        "markeredgecolor": pen.palette.background,
        "markersize": 7.0,
    }
    pen.keep("iterates", ax.plot(xs, ys, "s", linestyle="none", zorder=6, **look)[0])
    for place, numbers in _clusters(d):
        _number(d, pen, ax, place, numbers)


def _clusters(d: LossSurfaceDisplay) -> list[tuple[LeafPair, list[int]]]:
    """Points of the run with the numbers of all that lie close by."""
    low, high = d.frame[0]
    near, found = 0.07 * (high - low), list[tuple[LeafPair, list[int]]]()
    for i, p in enumerate(d.run):
        shown = _held(p, low, high)
        close = [n for q, n in found if math.dist(shown, _held(q, low, high)) < near]
        if close:
            close[0].append(i)
        else:
            found.append((p, [i]))
    return found


def _held(p: LeafPair, low: float, high: float) -> tuple[float, float]:
    """A point, or the place on the edge of the plot that is nearest to it."""
    return min(max(p.y_l, low), high), min(max(p.y_r, low), high)


def _number(d: LossSurfaceDisplay, pen: Pen, ax: Axes, p: LeafPair, numbers: list[int]) -> None:
    low, high = d.frame[0]
    x, y = _held(p, low, high)
    outside = (x, y) != (p.y_l, p.y_r)
    box = {"boxstyle": "round,pad=0.22", "facecolor": pen.palette.background, "edgecolor": pen.palette.ink}
    look: dict[str, Any] = {
        "bbox": box,
        "ha": "center",
        "va": "center",
    }
    arrow = (
        {"arrowstyle": "-|>", "color": pen.palette.ink, "linewidth": 2.0, "shrinkB": 0.0} if outside else None
    )
    look |= pen.type(SMALL) | {"textcoords": "offset points", "arrowprops": arrow, "zorder": 9}
    note = ax.annotate(_numbers(numbers), (x, y), _away(d, p), **look)
    pen.keep("off the plot" if outside else "number", note)


def _away(d: LossSurfaceDisplay, p: LeafPair) -> tuple[float, float]:
    """How far the number of a point stands from it, in points: towards the middle of the map."""
    low, high = d.frame[0]
    (x, y), middle = _held(p, low, high), (low + high) / 2
    long = (40.0, 30.0) if (x, y) != (p.y_l, p.y_r) else (20.0, 20.0)
    return (-long[0] if x > middle else long[0]), (-long[1] if y > middle else long[1])


def number_places(d: LossSurfaceDisplay) -> list[tuple[float, float, float, float]]:
    """Where the numbers of a run stand: x and y on the map, and how many points from there."""
    low, high = d.frame[0]
    return [(*_held(p, low, high), *_away(d, p)) for p, _ in _clusters(d)]


def _numbers(numbers: list[int]) -> str:
    """Runs of numbers in short.

    >>> _numbers([0, 2, 3, 4, 7])
    '0, 2–4, 7'
    """
    runs: list[list[int]] = []
    for i in numbers:
        if runs and i == runs[-1][-1] + 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}–{r[-1]}" for r in runs)


__all__ = ["draw_walk", "number_places"]

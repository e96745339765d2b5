"""Drawing many rows along a number: a histogram of all by side, and below it some, one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.pen import SMALL, Pen
from treant_viz.viz.style.text import counted
from treant_viz.viz.ternary_partition.bars import Kind, boxes, draw_bars
from treant_viz.viz.ternary_partition.scale import ValueAxis

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST_BARS = 48
FEW = {"left": 4, "unknown": 7, "right": 4}  # of many rows: so many are drawn one by one
CROWD, FOOT = 0.6, 0.66  # below, some rows one by one; above, a histogram of all
MOST_TICKS = 3  # of columns too low to be seen: so many say how many rows they hold


def draw_crowd(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis) -> dict[Role, float]:
    """Many rows; returns how high those of each side stand that are drawn one by one."""
    most = _histogram(d, pen, ax, scale)
    groups = {role: kinds for role, kinds in _sample(d).items() if kinds}
    kinds = [k for found in groups.values() for k in found]
    pitch = CROWD / (len(kinds) + 0.5 * (len(groups) - 1))
    at: list[float] = []
    middle: dict[Role, float] = {}
    top = CROWD
    for role, found in groups.items():
        at += [top - pitch * (i + 0.5) for i in range(len(found))]
        middle[role] = top - pitch * len(found) / 2
        top -= pitch * (len(found) + 0.5)
    draw_bars(pen, ax, scale, kinds, at, 0.36 * pitch)
    pen.style(ax, spines=())
    ax.axhline(FOOT, color=pen.palette.soft, linewidth=1.0, zorder=4)
    ax.tick_params(axis="y", length=0)
    pen.ticks(ax, "y", [FOOT, 0.98], ["0", counted(most, "row")])
    ax.set_ylim(-0.02, 1.0)
    return middle


def _sample(d: TernaryPartitionDisplay) -> dict[Role, list[Kind]]:
    """Some rows to draw one by one: those nearest to the line that cannot cross it, and some that can."""
    counts: dict[tuple[float, int, Any], int] = {}
    for i, pieces in zip(d.shown, d.whiskers, strict=True):
        what = (float(d.value[i]), int(d.side[i]), pieces)
        counts[what] = counts.get(what, 0) + 1
    kinds = [Kind(*what, n) for what, n in sorted(counts.items(), key=lambda item: item[0][:2])]
    out: dict[Role, list[Kind]] = {}
    for s, role in enumerate(ROLES):
        mine, few = [k for k in kinds if k.side == s], FEW[role]
        if role == "left":
            out[role] = mine[-few:]
        elif role == "right":
            out[role] = mine[:few]
        else:
            places = np.unique(np.linspace(0, len(mine) - 1, min(few, len(mine))).round().astype(int))
            out[role] = [mine[i] for i in places]
    return out


def _histogram(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis) -> int:
    """How many rows of each side are in each bin, as stacked bars. Returns the most in a bin."""
    ends = scale.to(np.array([scale.low, scale.high]))
    at, v = scale.to(d.value), float(scale.to(d.threshold))
    left, right, place = columns(at, ends) or bins(at, v, ends)
    counts = np.stack([np.bincount(place[d.side == s], minlength=len(left)) for s in range(3)])
    most = int(counts.sum(axis=0).max())
    heights = (0.98 - FOOT) * counts / most
    tops = FOOT + np.cumsum(heights, axis=0)
    left, right = scale.back(left), scale.back(right)
    for s, role in enumerate(ROLES):
        full = np.flatnonzero(counts[s])
        shape = np.stack([left, tops[s] - heights[s], right, tops[s]], axis=1)
        boxes(pen, ax, role, f"bar {role}", shape[full], muted=role != "unknown")
        low = full[counts[s][full] < 0.02 * most]
        _low(pen, ax, role, (left + right)[low] / 2, counts[s][low], tops[-1][low])
    return most


def _low(pen: Pen, ax: Axes, role: Role, at: np.ndarray, rows: np.ndarray, top: np.ndarray) -> None:
    """Columns too low to be seen: a tick below them, and if they are few, how many rows they hold."""
    if not len(at):
        return
    ticks = np.stack([at, np.full(len(at), FOOT - 0.025), np.full(len(at), FOOT)], axis=1)
    color = pen.palette.branch(role).color
    pen.keep(f"tick {role}", ax.vlines(*ticks.T, color=color, linewidth=2.0, zorder=4))
    if len(at) <= MOST_TICKS:
        look = pen.type(SMALL, color=pen.palette.words(role)) | {"ha": "center", "va": "bottom"}
        for x, n, y in zip(at.tolist(), rows.tolist(), top.tolist(), strict=True):
            pen.text(ax, x, y + 0.01, f"{n:,}", "tick words", zorder=5, **look)


def columns(value: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """One bin for each value, with the value in its middle; none if they are too many or too close.

    >>> [x.tolist() for x in columns(np.array([1.0, 3.0, 3.0]), np.array([0.0, 4.0]))]
    [[0.925, 2.925], [1.075, 3.075], [0, 1, 1]]
    """
    found, place = np.unique(value, return_inverse=True)
    gap = float(np.diff(found).min(initial=math.inf))
    room = float(ends[1] - ends[0])
    if len(found) > MOST_BARS / 2 or gap < room / MOST_BARS:
        return None
    half = min(0.36 * gap, 0.9 * room / MOST_BARS)
    return found - half, found + half, place


def bins(
    value: np.ndarray, v: float, ends: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Left and right ends of bins, and the bin of each value: no bin crosses v, and v itself is left."""
    a, b = (value.min(), value.max()) if ends is None else ends
    low, high = min(float(value.min()), v), max(float(value.max()), v)
    width = float(b - a) / MOST_BARS or 1.0
    first = math.floor(round((low - v) / width, 9)) - 1
    place = np.ceil(np.round((value - v) / width, 9)).astype(int) - first - 1
    place = np.where(value > v, np.maximum(place, -first), np.minimum(place, -first - 1))
    last = max(int(place.max()), math.ceil((high - v) / width) - first - 1)
    edges = v + width * np.arange(first, last + first + 2)
    return edges[:-1], edges[1:], place


__all__ = ["CROWD", "FOOT", "bins", "columns", "draw_crowd"]

"""Drawing a ternary partition along numbers: whiskers that the test crosses or not, a histogram if rows are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from treant_viz.viz.canvas import BODY, SMALL, Ink, Target, panels
from treant_viz.viz.loss_lines import LossLine, draw_line, feature_name, line_keys
from treant_viz.viz.palette import Role
from treant_viz.viz.sides import ROLES
from treant_viz.viz.text import number

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition import TernaryPartitionDisplay

HALF = 0.24  # half the height of a whisker, in rows
TALL = 8.0  # the height of the histogram, in rows
SLIVER = 0.15  # the least height of a bar of the histogram, in rows
HEAD = 1.0  # rows between the first row and the words above it
MOST_BARS = 40


def draw_numbers(d: TernaryPartitionDisplay, ink: Ink, target: Target) -> None:
    n, many = len(d.shown), len(d.rows) > len(d.shown)
    (main, side), (strip, key) = panels(target, ink, heights=(d.main_height, 1.8), widths=(3.6, 1.0), gap=0.05)
    limits = _limits(d)
    _rows(d, ink, main, limits)
    marks: list[tuple[float, str]] = [*enumerate(f"x{d.rows[i]}  y = {number(d.y[i], 4)}" for i in d.shown)]
    marks += _histogram(d, ink, main, n + 0.9 + TALL) if many else []
    ink.ticks(main, "y", [at for at, _ in marks], [said for _, said in marks])
    main.set_ylim(n + 1.0 + TALL if many else n - 0.4, -HEAD - 0.6)
    draw_margin(d, ink, side, d.main_height)
    _strip(d, ink, strip, key)
    for ax in (main, strip):
        ax.set_xlim(limits)
        ink.keep("threshold", ax.axvline(d.threshold, color=ink.palette.ink, linewidth=2.6, zorder=3))
    _sides_of_line(d, ink, main)


def _limits(d: TernaryPartitionDisplay) -> tuple[float, float]:
    """All values and v, and whiskers as far as half the range beyond."""
    low, high = min(float(d.value.min()), d.threshold), max(float(d.value.max()), d.threshold)
    room = 0.5 * (high - low) or 1.0
    ends = [e for pieces in d.whiskers for piece in pieces for e in piece]
    far_low, far_high = max(min([low, *ends]), low - room), min(max([high, *ends]), high + room)
    margin = 0.04 * (far_high - far_low) or 1.0
    return far_low - margin, far_high + margin


def _rows(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, limits: tuple[float, float]) -> None:
    """One row each: whisker, dot, letter."""
    shown = np.array(d.shown)
    _whiskers(d, ink, ax, limits)
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 8.0, "color": ink.palette.ink, "zorder": 5}
    ink.keep("dot", ax.plot(d.value[shown], np.arange(len(shown)), **look)[0])
    for y, s in enumerate(d.side[shown].tolist()):
        letter = ink.palette.branch(ROLES[s]).letter
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "left", "va": "center", "weight": "bold"}
        ink.text(ax, 1.008, y, letter, "letter", fontsize=SMALL, **place)
    at_edge = d.threshold < limits[0] + 0.08 * (limits[1] - limits[0])
    for y in np.flatnonzero(d.value[shown] == d.threshold).tolist():
        _on_the_line(ink, ax, d.threshold, y, 1 if at_edge else -1)
    ink.style(ax, spines=("bottom",))
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelbottom=False)


def _on_the_line(ink: Ink, ax: Axes, x: float, y: int, step: int) -> None:
    """A dot exactly on v is on the left side: "<=" beside it."""
    p = ink.palette
    box: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 0.8, "pad": 1.2}
    place: dict[str, Any] = {"xytext": (9 * step, 0), "textcoords": "offset points", "va": "center", "zorder": 6}
    place["ha"] = "left" if step > 0 else "right"
    said = ax.annotate("<=", (x, y), fontsize=SMALL, color=p.ink, bbox=box, parse_math=False, **place)
    ink.keep("on the line", said)


def _whiskers(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, limits: tuple[float, float]) -> None:
    side = d.side[list(d.shown)]
    for s, role in enumerate(ROLES):
        rows = np.flatnonzero(side == s).tolist()
        found = [(y, *_cut(piece, limits)) for y in rows for piece in d.whiskers[y] if piece[0] < piece[1]]
        boxes(ink, ax, role, f"whisker {role}", [(a, y - HALF, b, y + HALF) for y, a, b in found])
    _beyond(d, ink, ax, limits)


def boxes(ink: Ink, ax: Axes, branch: Role, role: str, ends: Sequence[Sequence[float]] | np.ndarray) -> None:
    """Rectangles (left, low, right, high) of a branch as a single shape: its texture is made once."""
    if not len(ends):
        return
    left, low, right, high = np.asarray(ends, dtype=float).T
    corners = np.stack([left, low, right, low, right, high, left, high], axis=1).reshape(-1, 4, 2)
    ink.keep(role, ax.add_artist(PathPatch(Path.make_compound_path_from_polys(corners), **ink.fill(branch))))


def _cut(piece: tuple[float, float], limits: tuple[float, float]) -> tuple[float, float]:
    return max(piece[0], limits[0]), min(piece[1], limits[1])


def _beyond(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, limits: tuple[float, float]) -> None:
    """Arrow heads where whiskers leave the picture."""
    for end, marker, at in ((0, "<", limits[0]), (1, ">", limits[1])):
        rows = [y for y, found in enumerate(d.whiskers) for p in found if (p[end] < at if end == 0 else p[end] > at)]
        if rows:
            look: dict[str, Any] = {
                "linestyle": "",
                "marker": marker,
                "markersize": 8.0,
                "color": ink.palette.ink,
                "clip_on": False,
            }
            ink.keep("beyond", ax.plot([at] * len(rows), rows, **look)[0])


def _histogram(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, floor: float) -> list[tuple[float, str]]:
    """How many rows of each side there are, bin by bin, stacked; no bar is too low to be seen. Returns its ticks."""
    left, right, place = _bins(d.value, float(d.threshold))
    counts = np.stack([np.bincount(place[d.side == s], minlength=len(left)) for s in range(3)])
    most = int(counts.sum(axis=0).max())
    heights = np.where(counts > 0, np.maximum(TALL * counts / most, SLIVER), 0.0)
    tops = floor - np.cumsum(heights, axis=0)
    for s, role in enumerate(ROLES):
        low, high = tops[s] + heights[s], tops[s]
        full = np.flatnonzero(counts[s])
        boxes(ink, ax, role, f"bar {role}", np.stack([left, low, right, high], axis=1)[full])
    said = f"above: {len(d.shown)} rows one by one; here: all {len(d.rows):,}"
    ink.text(
        ax, 0.995, floor - TALL - 0.3, said, "note", transform=ax.get_yaxis_transform(), ha="right", fontsize=SMALL
    )
    return [(floor - TALL * t / most, f"{t:,} rows") for t in sorted({0, most // 2, most})]


def _bins(value: np.ndarray, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Left and right ends of bins, and the bin of each value: no bin crosses v, and v itself lies left of it."""
    low, high = min(float(value.min()), v), max(float(value.max()), v)
    width = (high - low) / MOST_BARS or 1.0
    first = math.floor(round((low - v) / width, 9)) - 1
    place = np.ceil(np.round((value - v) / width, 9)).astype(int) - first - 1
    place = np.where(value > v, np.maximum(place, -first), np.minimum(place, -first - 1))
    edges = v + width * np.arange(first, int(place.max()) + first + 2)
    return edges[:-1], edges[1:], place


def _strip(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, key: Axes) -> None:
    """L and L^A against v."""
    ink.style(ax, xlabel=feature_name(d.feature, 60), ylabel="loss")
    key.set_axis_off()
    if d.line is None or not len(d.line):
        ink.text(ax, 0.5, 0.5, "no candidates here", "note", transform=ax.transAxes, ha="center", va="center")
        ax.set_yticks([])
        return
    draw_line(ink, ax, d.line, np.asarray(d.line.thresholds, dtype=float))
    ax.margins(y=0.18)
    draw_key(d, d.line, ink, key)


def draw_key(d: TernaryPartitionDisplay, line: LossLine, ink: Ink, ax: Axes, top: float = 0.98) -> None:
    """The losses at v, and what stands for what, from `top` down."""
    k, height = line.find(d.threshold), 1.8 if d.categories is None else d.main_height
    if k is not None:
        said = f"at this v:  L = {number(line.plain[k], 5)},\nL^A = {number(line.attacked[k], 5)}"
        ink.text(ax, 0.1, top, said, "current", transform=ax.transAxes, va="top", fontsize=SMALL)
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.06, top - 0.55 / height), "borderaxespad": 0.0}
    keys = line_keys(ink.palette, f"L^A, {d.leaves} leaves", tied=bool(line.tied.any()), bare=line)
    ink.legend(ax, keys, handlelength=2.0, **where)


def _sides_of_line(d: TernaryPartitionDisplay, ink: Ink, ax: Axes) -> None:
    """Above the rows: what lies on either side of v."""
    v = number(d.threshold)
    for said, ha, step in ((f"left: <= {v}", "right", -8), (f"right: > {v}", "left", 8)):
        place: dict[str, Any] = {"xytext": (step, 0), "textcoords": "offset points", "ha": ha, "va": "center"}
        look: dict[str, Any] = {"fontsize": BODY, "color": ink.palette.ink, "parse_math": False}
        ink.keep("side of the line", ax.annotate(said, (d.threshold, -HEAD), **look | place))


def draw_margin(d: TernaryPartitionDisplay, ink: Ink, ax: Axes, height: float) -> None:
    """Counts and losses of L, U, R; `height` is that of the axes in inches."""
    ax.set_axis_off()
    ax.set_xlim(0, 1)
    ax.set_ylim(max(height, 2.6), 0)
    words = {"left": "left for sure", "unknown": "unknown", "right": "right for sure"}
    for k, (role, n, loss) in enumerate(zip(ROLES, d.counts, d.sums, strict=True)):
        y = 0.05 + 0.64 * k
        ink.bar(ax, 0.1, y, 0.13, 0.44, role, "swatch")
        said = f"{ink.palette.branch(role).letter}  {words[role]}"
        ink.text(ax, 0.28, y + 0.11, said, "group", weight="bold", va="center")
        rows = f"{n:,} row{'s' * (n != 1)}, loss {number(loss, 4)}"
        ink.text(ax, 0.28, y + 0.36, rows, "group sum", fontsize=SMALL, va="center")
    said = f"{d.leaves} leaves {number(d.y_l, 3)} | {number(d.y_r, 3)}\nL^A = {number(sum(d.sums), 5)}"
    ink.text(ax, 0.1, 2.26, said, "leaves", fontsize=SMALL, va="center", linespacing=1.4)


__all__ = ["boxes", "draw_key", "draw_margin", "draw_numbers"]

"""The ink of the loss surface: contours, creases, forbidden ground, and a walk with numbered steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon, Rectangle

from treant_viz.losses import Pieces
from treant_viz.viz.canvas import SMALL, Ink, Target, panels
from treant_viz.viz.surface import Point
from treant_viz.viz.text import number

if TYPE_CHECKING:
    from treant_viz.viz.loss_surface import LossSurfaceDisplay

GRID, LEVELS = 120, 10
CREASE = (0, (5, 2))


def draw(d: LossSurfaceDisplay, ink: Ink, target: Target) -> None:
    """The surface on the left; on the right a key and the loss by iteration, or two slices."""
    [[ax, side]] = panels(target, ink, widths=(1.0, 0.72), gap=0.16)
    low, high = d.frame
    _contours(d, ink, ax)
    _forbidden(d, ink, ax)
    _creases(d, ink, ax)
    _walk(d, ink, ax)
    _optima(d, ink, ax)
    ink.style(ax, xlabel="y_l, prediction of the left leaf", ylabel="y_r, prediction of the right leaf")
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    side.set_axis_off()
    ink.legend(side, _keys(d, ink), loc="upper left", bbox_to_anchor=(-0.02, 1.02), borderaxespad=0.0)
    chart = side.inset_axes((0.1, 0.0, 0.9, 0.56))
    ink.axes.append(chart)
    (_losses if d.run else _slices)(d, ink, chart)


def _contours(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    low, high = d.frame
    edge = 0.004 if d.surface.loss.binary else 0.0
    grid = np.linspace(low + edge, high - edge, GRID)
    values = d.surface.value(grid, grid[:, None])
    bottom, top = float(values.min()), float(np.quantile(values, 0.97))
    levels = np.unique(bottom + max(top - bottom, 1e-9) * np.linspace(0.0, 1.0, LEVELS + 1) ** 1.7)
    drawn = ax.contourf(grid, grid, values, levels=levels, cmap=ink.palette.loss, extend="max", zorder=0)
    drawn.set(edgecolor="white", linewidth=0.3)
    ink.keep("contours", drawn)
    _ladder(ink, ax.inset_axes((1.03, 0.0, 0.035, 1.0)), drawn, levels)


def _ladder(ink: Ink, key: Axes, drawn: Any, levels: np.ndarray) -> None:
    """What the colours mean: a rung from each level to the next, and an arrow for all that is higher."""
    ink.axes.append(key)
    n, colours = len(levels) - 1, drawn.get_facecolor()
    corners = [[(0, i), (1, i), (1, i + 1), (0, i + 1)] for i in range(n)] + [[(0, n), (1, n), (0.5, n + 0.5)]]
    ink.keep("levels", key.add_collection(PolyCollection(corners, facecolors=colours)))
    outline = Polygon([(0, 0), (1, 0), (1, n), (0.5, n + 0.5), (0, n)], fill=False, edgecolor=ink.palette.soft)
    ink.patch(key, outline, "levels")
    ink.style(key, spines=())
    key.set(xlim=(0, 1), ylim=(0, n + 0.5), xticks=[])
    key.tick_params(axis="y", left=False, labelleft=False, right=True, labelright=True)
    ink.ticks(key, "y", list(range(0, n + 1, 2)), [number(float(f"{v:.3g}")) for v in levels[::2]])
    key.set_title("L^A", fontsize=SMALL, color=ink.palette.ink, parse_math=False)


def _forbidden(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    """Forbidden ground is pale and hatched; what is allowed has a thick border."""
    low, high = d.frame
    p, s = ink.palette, d.surface
    gaps_l, gaps_r = (list(_gaps(pieces, low, high)) for pieces in (s.allowed_l, s.allowed_r))
    inside = [(max(a, low), min(b, high)) for a, b in s.allowed_l if b >= low and a <= high]
    boxes = [(g, (low, high)) for g in gaps_l] + [(piece, g) for piece in inside for g in gaps_r]
    look: dict[str, Any] = {"facecolor": to_rgba(p.background, 0.7), "edgecolor": p.soft, "hatch": "xx", "linewidth": 0}
    for (a, b), (c, e) in boxes:
        ink.patch(ax, Rectangle((a, c), b - a, e - c, zorder=1, **look), "forbidden")
    for a, b in s.allowed_l if boxes else ():
        for c, e in s.allowed_r:
            far = 2 * high - low
            corner, size = (max(a, -far), max(c, -far)), (min(b, far) - max(a, -far), min(e, far) - max(c, -far))
            outline = Rectangle(corner, *size, fill=False, edgecolor=p.feasible, linewidth=4.0, zorder=2)
            ink.patch(ax, outline, "feasible")


def _gaps(pieces: Pieces, low: float, high: float) -> Iterator[tuple[float, float]]:
    """What lies between low and high and in no piece."""
    for a, b in pieces:
        if min(a, high) > low:
            yield low, min(a, high)
        low = max(low, b)
    if low < high:
        yield low, high


def _creases(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    low, high = d.frame
    for total in d.surface.creases():
        ys = (low, high) if total is None else (total - low, total - high)
        under: dict[str, Any] = {"color": ink.palette.background, "linewidth": 3.2, "alpha": 0.75, "zorder": 3}
        ax.plot((low, high), ys, **under)
        over: dict[str, Any] = {"color": ink.palette.ink, "linewidth": 1.4, "linestyle": CREASE, "zorder": 3}
        ink.keep("crease", ax.plot((low, high), ys, **over)[0])


def _optima(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    look: dict[str, Any] = {"color": "white", "markeredgecolor": "black", "linestyle": "none", "zorder": 8}
    low, high = d.frame
    same = d.optimum is not None and math.dist(d.plain[:2], d.optimum[:2]) < 0.02 * (high - low)
    marks = (("plain", d.plain, "o", 30.0 if same else 13.0), ("optimum", d.optimum, "*", 22.0))
    for role, p, marker, size in marks:
        if p is not None:
            drawn = ax.plot([p.y_l], [p.y_r], marker=marker, markersize=size, markeredgewidth=1.6, **look)[0]
            ink.keep(role, drawn)
    if d.start is not None and not d.run:
        ink.keep("start", ax.plot([d.start.y_l], [d.start.y_r], marker="s", markersize=11.0, **look)[0])


def _walk(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    """The run: a line through its points, and their numbers beside them; points close together share a box."""
    if not d.run:
        return
    xs, ys = [p.y_l for p in d.run], [p.y_r for p in d.run]
    ax.plot(xs, ys, color=ink.palette.background, linewidth=4.5, zorder=4)
    ink.keep("walk", ax.plot(xs, ys, color=ink.palette.ink, linewidth=2.0, zorder=5)[0])
    look: dict[str, Any] = {"color": ink.palette.ink, "markeredgecolor": ink.palette.background, "markersize": 7.0}
    ink.keep("iterates", ax.plot(xs, ys, "s", linestyle="none", zorder=6, **look)[0])
    for place, numbers in _clusters(d):
        _number(d, ink, ax, place, numbers)


def _clusters(d: LossSurfaceDisplay) -> list[tuple[Point, list[int]]]:
    """Points of the run with the numbers of all that lie close by."""
    low, high = d.frame
    near, found = 0.07 * (high - low), list[tuple[Point, list[int]]]()
    for i, p in enumerate(d.run):
        shown = _held(p, low, high)
        close = [n for q, n in found if math.dist(shown, _held(q, low, high)) < near]
        if close:
            close[0].append(i)
        else:
            found.append((p, [i]))
    return found


def _held(p: Point, low: float, high: float) -> tuple[float, float]:
    """A point, or the place on the edge of the plot that is nearest to it."""
    return min(max(p.y_l, low), high), min(max(p.y_r, low), high)


def _number(d: LossSurfaceDisplay, ink: Ink, ax: Axes, p: Point, numbers: list[int]) -> None:
    low, high = d.frame
    x, y = _held(p, low, high)
    outside = (x, y) != (p.y_l, p.y_r)
    middle = (low + high) / 2
    right, up = (-1 if x > middle else 1), (-1 if y > middle else 1)
    box = {"boxstyle": "round,pad=0.22", "facecolor": ink.palette.background, "edgecolor": ink.palette.ink}
    look: dict[str, Any] = {"fontsize": SMALL, "color": ink.palette.ink, "bbox": box, "ha": "center", "va": "center"}
    arrow = {"arrowstyle": "-|>", "color": ink.palette.ink, "linewidth": 2.0, "shrinkB": 0.0} if outside else None
    away = (right * 40.0, up * 30.0) if outside else (right * 20.0, up * 20.0)
    look |= {"textcoords": "offset points", "arrowprops": arrow, "zorder": 9, "parse_math": False}
    said = ax.annotate(_numbers(numbers), (x, y), away, **look)
    ink.keep("off the plot" if outside else "number", said)


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


def _keys(d: LossSurfaceDisplay, ink: Ink) -> list[Any]:
    """The legend, with the numbers that a student wants to compare."""
    p = ink.palette
    mark: dict[str, Any] = {"color": "white", "markeredgecolor": "black" if p.ink == "#000000" else p.ink}
    mark |= {"linestyle": "none", "markeredgewidth": 1.6}
    keys: list[Any] = []
    if d.optimum is not None:
        keys.append(Line2D([], [], marker="*", markersize=16, label=f"exact optimum: {_told(d.optimum)}", **mark))
    keys.append(Line2D([], [], marker="o", markersize=11, label=f"plain optimum: {_told(d.plain)}", **mark))
    if d.run:
        walk: dict[str, Any] = {"color": p.ink, "marker": "s", "markersize": 7, "linewidth": 2}
        keys.append(Line2D([], [], label=f"SLSQP, ends at {_told(d.run[-1])}", **walk))
    elif d.start is not None:
        keys.append(Line2D([], [], marker="s", markersize=9, label=f"start: {_told(d.start)}", **mark))
    if d.surface.creases():
        keys.append(Line2D([], [], color=p.ink, linestyle=CREASE, label="crease: an unknown row changes sides"))
    if "forbidden" in ink.artists:
        keys.append(Patch(facecolor=p.background, edgecolor=p.soft, hatch="xx", label="forbidden by a constraint"))
        keys.append(Line2D([], [], color=p.feasible, linewidth=4, label="border of what is allowed"))
    return keys


def _told(p: Point) -> str:
    return f"({number(round(p.y_l, 6), 4)}, {number(round(p.y_r, 6), 4)}), L^A = {number(round(p.loss, 6), 4)}"


def _losses(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    """Loss by iteration; points that break a constraint are crosses."""
    p, losses = ink.palette, [q.loss for q in d.run]
    legal = [d.surface.feasible(q.y_l, q.y_r) for q in d.run]
    ink.keep("loss by iteration", ax.plot(range(len(losses)), losses, color=p.ink, linewidth=1.6, zorder=2)[0])
    for want, marker, role, said in ((True, "s", "legal", "allowed"), (False, "X", "illegal", "breaks a constraint")):
        at = [i for i, ok in enumerate(legal) if ok is want]
        if at:
            dots: dict[str, Any] = {"color": p.ink, "markersize": 8 if want else 10, "linestyle": "none"}
            dots |= {"markeredgecolor": p.background, "label": said, "zorder": 3}
            ink.keep(role, ax.plot(at, [losses[i] for i in at], marker, **dots)[0])
    handles = [artist for role in ("legal", "illegal") for artist in ink.artists.get(role, ())]
    if d.optimum is not None:
        line: dict[str, Any] = {"color": p.feasible, "linewidth": 3, "label": f"optimum, {number(d.optimum.loss, 4)}"}
        handles.append(ink.keep("optimum loss", ax.axhline(d.optimum.loss, zorder=1, **line)))
    finite = [x for x in losses if math.isfinite(x)]
    ax.set_ylim(bottom=0.0, top=1.35 * max(finite, default=1.0) or 1.0)
    ink.style(ax, xlabel="iteration of SLSQP", ylabel="L^A")
    ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    ink.legend(ax, handles, loc="upper right", ncols=2, borderaxespad=0.0, columnspacing=1.0, handletextpad=0.4)


def _slices(d: LossSurfaceDisplay, ink: Ink, ax: Axes) -> None:
    """Two cuts through the optimum: one leaf moves, the other stays."""
    low, high = d.frame
    at = d.optimum or d.plain
    grid = np.linspace(low, high, 241)[1:-1]
    cuts = (
        ("left", f"y_l moves, y_r = {number(round(at.y_r, 6), 4)}", "-", d.surface.value(grid, at.y_r)),
        ("right", f"y_r moves, y_l = {number(round(at.y_l, 6), 4)}", "--", d.surface.value(at.y_l, grid)),
    )
    lines = []
    for role, said, dash, values in cuts:
        colour = ink.palette.left if role == "left" else ink.palette.right
        look: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": 2.5, "label": said}
        lines.append(ink.keep("slice", ax.plot(grid, values, **look)[0]))
    top = max(float(np.quantile(c[3], 0.9)) for c in cuts)
    ax.set_ylim(bottom=0.0, top=1.5 * top or 1.0)
    ax.set_xlim(low, high)
    ink.style(ax, xlabel="prediction of the leaf that moves", ylabel="L^A")
    ink.legend(ax, lines, loc="upper right", borderaxespad=0.0)


__all__ = ["draw"]

"""Drawing the loss surface: contours around the two best pairs, creases, forbidden ground, and names where
there is room for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_hex, to_rgba
from matplotlib.patches import Rectangle

from treant_viz.core.losses import Pieces
from treant_viz.viz.loss_surface.facts import LeafPair, round_levels
from treant_viz.viz.loss_surface.places import Place, Room, beside, extent
from treant_viz.viz.loss_surface.side import draw_side
from treant_viz.viz.loss_surface.walk import draw_walk, number_places
from treant_viz.viz.style.palette import contrast, mixed
from treant_viz.viz.style.pen import HEAD, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import number

if TYPE_CHECKING:
    from treant_viz.viz.loss_surface.display import LossSurfaceDisplay

GRID = 160
CREASE = (0, (5, 3))
NAMED, NUMBERED = 3, 4  # creases that are named, contours that have a number


class Map(NamedTuple):
    """The axes of the map, what is free on them, and the colour of each loss."""

    ax: Axes
    room: Room
    norm: BoundaryNorm
    colors: Any

    def at(self, x: Any, y: Any) -> np.ndarray:
        """Places in points, (n, 2)."""
        (a, b), (c, e) = self.ax.get_xlim(), self.ax.get_ylim()
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        return np.column_stack([(x - a) / (b - a) * self.room.wide, (y - c) / (e - c) * self.room.high])

    def color(self, loss: float) -> str:
        """The fill where the loss is this."""
        return to_hex(self.colors(self.norm(loss))).upper()


def draw(d: LossSurfaceDisplay, pen: Pen, target: Target) -> None:
    """The map on the left; on the right the loss along the run, from ring to star, or on two cuts."""
    ((ax, side),) = placed(target, pen, [(36.0, 1.0, 48.0)], [(72.0, 1.0, 14.0), (58.0, 0.92, 40.0)])
    across, up = d.frame
    ax.set(xlim=across, ylim=up, aspect="equal")
    ax.apply_aspect()
    made = _contours(d, pen, ax)
    _forbidden(d, pen, ax)
    _creases(d, pen, ax)
    draw_walk(d, pen, ax)
    _marks(d, pen, ax)
    _names(d, pen, made)
    pen.style(ax, xlabel="prediction of the left leaf", ylabel="prediction of the right leaf", spines=())
    ax.tick_params(length=0)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda v, _: number(v))
        axis.get_major_locator().set_params(nbins=5)  # type: ignore[call-arg]
    _key(pen, made)
    draw_side(d, pen, side)


def _values(d: LossSurfaceDisplay) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The loss on a grid."""
    edge = 0.004 if d.surface.loss.binary else 0.0
    across, up = (np.linspace(a, b, GRID) for a, b in d.frame)
    if edge:  # log-loss is infinite at 0 and 1
        across, up = (np.clip(grid, edge, 1 - edge) for grid in (across, up))
    return across, up, d.surface.value(across, up[:, None])


def _contours(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> Map:
    """A fill that is stronger where more is lost, and thin lines at round losses, some between the optima."""
    p, (across, up, values) = pen.palette, _values(d)
    marks = None if d.optimum is None or d.run else (d.optimum.loss, d.plain.loss)
    lines_at = round_levels(values, between=marks)
    levels = np.unique([float(values.min()), *lines_at])
    colors = LinearSegmentedColormap.from_list("loss", p.loss)
    norm = BoundaryNorm(levels, 256, extend="max")
    look: dict[str, Any] = {"levels": levels, "cmap": colors, "norm": norm, "extend": "max", "zorder": 0}
    pen.keep("contours", ax.contourf(across, up, values, **look))
    quiet = mixed(p.steep, p.soft, 0.5)
    lines = ax.contour(across, up, values, levels=lines_at, colors=quiet, linewidths=0.9, zorder=0.5)
    pen.keep("contour lines", lines)
    return Map(ax, Room.of(ax), norm, colors)


def _key(pen: Pen, m: Map) -> None:
    """What the colours mean, over the map."""
    ax, p = m.ax, pen.palette
    look: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom"}
    pen.text(ax, 0.0, 1.03, "Loss under attack", "map head", **pen.type(HEAD, bold=True), **look)
    low, top = number(float(m.norm.boundaries[0])), f"{number(float(m.norm.boundaries[-1]))} and more"
    wide, more = 1.0 / m.room.wide, extent(top, SMALL)[0]
    pen.text(ax, 1.0, 1.03, top, "key", ha="right", **pen.type(SMALL, color=p.soft), **look)
    right, long = 1.0 - (more + 6) * wide, 72.0 * wide
    share, high = np.linspace(0, 1, 9), 12.0 / m.room.high
    for k, s in enumerate(share):
        box = Rectangle((right - long + k * long / 9, 1.035), long - k * long / 9, high, clip_on=False)
        box.set(transform=ax.transAxes, facecolor=m.colors(s), edgecolor="none")
        pen.patch(ax, box, "key")
    frame = Rectangle((right - long, 1.035), long, high, fill=False, edgecolor=p.soft, linewidth=0.8)
    frame.set(transform=ax.transAxes, clip_on=False)
    pen.patch(ax, frame, "key")
    at = right - long - 6 * wide
    pen.text(ax, at, 1.03, low, "key", ha="right", **pen.type(SMALL, color=p.soft), **look)


def _forbidden(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Forbidden ground is pale and hatched; what is allowed has a green border."""
    low, high = d.frame[0]  # where anything is forbidden, both axes have the same range
    p, s = pen.palette, d.surface
    gaps_l, gaps_r = (list(_gaps(pieces, low, high)) for pieces in (s.allowed_l, s.allowed_r))
    inside = [(max(a, low), min(b, high)) for a, b in s.allowed_l if b >= low and a <= high]
    boxes = [(g, (low, high)) for g in gaps_l] + [(piece, g) for piece in inside for g in gaps_r]
    look: dict[str, Any] = {"facecolor": to_rgba(p.background, 0.78), "edgecolor": p.faint, "hatch": "xx"}
    for (a, b), (c, e) in boxes:
        patch = Rectangle((a, c), b - a, e - c, zorder=1, linewidth=0, **look)
        pen.patch(ax, patch, "forbidden")
    if boxes:
        (a, b), (c, e) = max(boxes, key=lambda box: (box[0][1] - box[0][0]) * (box[1][1] - box[1][0]))
        if b - a > 0.2 * (high - low):
            look = pen.type(SMALL, bold=True, color=p.soft) | {"ha": "center", "zorder": 3}
            look["bbox"] = {"boxstyle": "round,pad=0.2", "facecolor": p.background, "edgecolor": "none"}
            pen.text(ax, (a + b) / 2, c + 0.05 * (e - c), "forbidden", "forbidden words", **look)
    for a, b in s.allowed_l if boxes else ():
        for c, e in s.allowed_r:
            far = 2 * high - low
            corner = max(a, -far), max(c, -far)
            size = min(b, far) - corner[0], min(e, far) - corner[1]
            outline = Rectangle(corner, *size, fill=False, edgecolor=p.feasible, linewidth=3.0, zorder=2)
            pen.patch(ax, outline, "feasible")


def _gaps(pieces: Pieces, low: float, high: float) -> Iterator[tuple[float, float]]:
    """What lies between low and high and in no piece."""
    for a, b in pieces:
        if min(a, high) > low:
            yield low, min(a, high)
        low = max(low, b)
    if low < high:
        yield low, high


def _creases(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Dashed lines where rows lose the same on both sides."""
    (a, b), _ = d.frame
    for total in d.surface.creases():
        ys = (a, b) if total is None else (total - a, total - b)
        look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 1.3, "linestyle": CREASE, "zorder": 3}
        pen.keep("crease", ax.plot((a, b), ys, scalex=False, scaley=False, **look)[0])


def _marks(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """A star on the best pair, a line along all of them if they are many; a ring on what is best if nobody
    attacks.
    """
    p = pen.palette
    look: dict[str, Any] = {"linestyle": "none", "zorder": 8, "markeredgewidth": 1.8, "clip_on": False}
    if d.segment is not None:
        xs, ys = [q.y_l for q in d.segment], [q.y_r for q in d.segment]
        ax.plot(xs, ys, color=p.background, linewidth=10.0, zorder=7, solid_capstyle="round")
        line = ax.plot(xs, ys, color=p.attack, linewidth=6.0, zorder=7, solid_capstyle="round")[0]
        pen.keep("optimum segment", line)
    if d.moves and not d.run and d.optimum is not None:
        xs, ys = [d.plain.y_l, d.optimum.y_l], [d.plain.y_r, d.optimum.y_r]
        pen.keep("way", ax.plot(xs, ys, color=p.ink, linewidth=1.8, zorder=4)[0])
    ring = look | {"markerfacecolor": p.background if d.moves else "none", "markeredgecolor": p.ink}
    size = 15.0 if d.moves else 26.0
    pen.keep("plain", ax.plot([d.plain.y_l], [d.plain.y_r], "o", markersize=size, **ring)[0])
    if d.optimum is not None:
        star = look | {"markerfacecolor": p.attack, "markeredgecolor": p.background, "markersize": 25.0}
        pen.keep("optimum", ax.plot([d.optimum.y_l], [d.optimum.y_r], "*", **star)[0])
    if d.start is not None and not d.run:
        box = look | {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markersize": 10.0}
        pen.keep("start", ax.plot([d.start.y_l], [d.start.y_r], "s", **box)[0])


def _names(d: LossSurfaceDisplay, pen: Pen, m: Map) -> None:
    """The names of marks and creases and the values of contours, each where it covers nothing."""
    named = list(_named(d))
    _keep_clear(d, m, [p for p, *_ in named])
    for p, words, role in named:
        _note(d, pen, m, p, words, role)
    _crease_names(d, pen, m)
    _contour_values(d, pen, m)


def _named(d: LossSurfaceDisplay) -> Iterator[tuple[LeafPair, str, str]]:
    """Marks, what they are called, and as what."""
    if d.optimum is not None:
        words = f"best under attack: {number(d.optimum.loss)}"
        if not d.moves:
            words = f"best, attacked or not\n{number(d.optimum.loss)} under attack"
        yield d.optimum, words, "optimum name"
    if d.moves or d.optimum is None:
        yield d.plain, f"best if nobody attacks\n{number(d.plain.loss)} under attack", "plain name"
    if d.start is not None and not d.run:
        yield d.start, "start", "start name"


def _keep_clear(d: LossSurfaceDisplay, m: Map, named: list[LeafPair]) -> None:
    """No words on marks, on a run, on the way between both optima, on a segment or on creases."""
    m.room.keep_clear(map(tuple, m.at([q.y_l for q in d.run], [q.y_r for q in d.run])), 8.0)
    if d.run:
        xs, ys, right, up = np.array(number_places(d)).T
        m.room.keep_clear(map(tuple, m.at(xs, ys) + np.column_stack([right, up])), 15.0)
    m.room.keep_clear(map(tuple, m.at([p.y_l for p in named], [p.y_r for p in named])), 13.0)
    lines = [(*d.segment, 6.0)] if d.segment is not None else []
    if d.moves and d.optimum is not None and not d.run:
        lines.append((d.plain, d.optimum, 4.0))
    for p, q, around in lines:
        m.room.keep_clear(
            map(tuple, m.at(np.linspace(p.y_l, q.y_l, 60), np.linspace(p.y_r, q.y_r, 60))), around
        )
    (a, b), (c, e) = d.frame
    xs = np.linspace(a, b, 120)
    for total in d.surface.creases():
        ys = xs if total is None else total - xs
        keep = (ys >= c) & (ys <= e)
        m.room.keep_clear(map(tuple, m.at(xs[keep], ys[keep])), 3.0)


def _note(d: LossSurfaceDisplay, pen: Pen, m: Map, p: LeafPair, words: str, role: str) -> None:
    """Words beside a point, on ground of the map's own colour."""
    wide, high = extent(words, SMALL, bold=True)
    here = tuple(m.at([p.y_l], [p.y_r])[0])
    places = [place for away in (15.0, 34.0, 56.0) for place in beside(here, wide, high, away)]
    x, y = m.room.put(places, wide, high)
    if (x, y) not in places[: len(places) // 3]:
        end = min(max(here[0], x - wide / 2 - 2), x + wide / 2 + 2), y
        if end[0] == here[0]:
            end = here[0], y + (high / 2 if here[1] > y else -high / 2)
        _leader(pen, m, here, end)
    _words(d, pen, m, (x, y), words, role, bold=True)


def _leader(pen: Pen, m: Map, a: Place, b: Place) -> None:
    """A line from a mark to a name that stands far from it."""
    xs, ys = (np.array([a, b]) / (m.room.wide, m.room.high)).T
    look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 1.0, "zorder": 3.5}
    pen.keep("leader", m.ax.plot(xs, ys, transform=m.ax.transAxes, **look)[0])


def _words(d: LossSurfaceDisplay, pen: Pen, m: Map, place: Place, words: str, role: str, **look: Any) -> None:
    """Words whose middle is here, on the colour that the map has there."""
    x, y = place[0] / m.room.wide, place[1] / m.room.high
    (a, b), (c, e) = d.frame
    half = 0.5 * extent(words, SMALL, bold=True)[0] / m.room.wide
    across = np.clip([x, x - half, x + half], 0.0, 1.0)
    fill, *ends = (m.color(float(d.surface.value(a + s * (b - a), c + y * (e - c)))) for s in across)
    p = pen.palette
    seen = role == "optimum name" and min(contrast(p.attack, f) for f in (fill, *ends)) >= 4.5
    look["color"] = p.attack if seen else p.ink
    style: dict[str, Any] = {"ha": "center", "va": "center", "transform": m.ax.transAxes, "zorder": 7}
    pad = 0.5 if role == "contour value" else 1.5  # contours break where words stand
    style["bbox"] = {"facecolor": fill, "edgecolor": "none", "pad": pad, "alpha": 0.85}
    rotation = {k: look.pop(k) for k in ("rotation", "rotation_mode") if k in look}
    pen.text(m.ax, x, y, words, role, **pen.type(SMALL, **look), **style, **rotation, linespacing=0.95)


def _crease_names(d: LossSurfaceDisplay, pen: Pen, m: Map) -> None:
    """What a crease is, along it or beside it, if they are few and there is room."""
    found = d.surface.creases()
    (a, b), (c, e) = d.frame
    xs = np.linspace(a, b, 60)
    for total in found if len(found) <= NAMED + 1 else ():
        ys = xs if total is None else total - xs
        keep = (ys > c) & (ys < e)
        if keep.sum() < 2:
            continue
        for words, sides in _crease_words(total, ordered=b <= c):
            place, turn = _crease_place(m, m.at(xs[keep], ys[keep]), words, 1 if total is None else -1, sides)
            if place is not None:
                _words(d, pen, m, place, words, "crease name", **turn)


def _crease_words(total: float | None, *, ordered: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What is so on a crease, or, where the left leaf says less everywhere, on either side of it."""
    if total is None:
        yield "both leaves say the same", (-1, 1)
    elif ordered:
        yield f"label {number(total / 2)} is sent right", (1,)
        yield f"label {number(total / 2)} is sent left", (-1,)
    else:
        yield f"label {number(total / 2)} loses the same on both sides", (-1, 1)


def _crease_place(
    m: Map, line: np.ndarray, words: str, slope: int, sides: tuple[int, ...]
) -> tuple[Place | None, dict[str, Any]]:
    """Where words about a line at 45 degrees stand, and how they are turned; None: there is no room."""
    wide, high = extent(words, SMALL)
    off = (high / 2 + 5) / np.sqrt(2)
    for side in sides:
        free = [
            p for p in line + off * np.array([-slope * side, side]) if _along(m.room, p, wide, high, slope)
        ]
        if free:
            x, y = map(float, free[len(free) // 2])
            m.room.take(x, y, (wide + high) / np.sqrt(2), (wide + high) / np.sqrt(2))
            return (x, y), {"rotation": 45.0 * slope, "rotation_mode": "anchor"}
    for side in reversed(sides):  # level, to the right of the line or to its left
        for p in line + side * np.array([wide / 2 + 10, -slope * 2.0]):
            if m.room.clear(p[0], p[1], wide, high):
                m.room.take(p[0], p[1], wide, high)
                return (float(p[0]), float(p[1])), {}
    return None, {}


def _along(room: Room, middle: np.ndarray, wide: float, high: float, slope: int) -> bool:
    """Is there room for words that run up or down at 45 degrees around a place?"""
    steps = np.linspace(-wide / 2, wide / 2, 9) / np.sqrt(2)
    box = 0.45 * high
    return all(room.clear(middle[0] + s, middle[1] + slope * s, box, box) for s in steps)


def _contour_values(d: LossSurfaceDisplay, pen: Pen, m: Map) -> None:
    """The loss on some lines that have room for it, as far to the right as can be."""
    [lines] = pen.artists["contour lines"]
    every = -(-len(lines.levels) // NUMBERED)  # type: ignore[attr-defined]
    for level, paths in list(zip(lines.levels, lines.allsegs, strict=True))[::every]:  # type: ignore[attr-defined]
        words = number(level)
        wide, high = extent(words, SMALL)
        places = np.vstack([m.at(*path.T) for path in paths] or [np.empty((0, 2))])
        free = [p for p in places if m.room.clear(p[0], p[1], wide + 8, high + 6)]
        if free:
            x, y = max(free, key=_corner(m.room))
            m.room.take(x, y, wide + 8, high + 6)
            _words(d, pen, m, (float(x), float(y)), words, "contour value")


def _corner(room: Room) -> Any:
    """How close to the ray from the middle to the upper right a place is."""
    return lambda p: -abs((p[0] / room.wide - 0.5) - (p[1] / room.high - 0.5)) + 0.2 * (p[0] > room.wide / 2)


__all__ = ["draw"]

"""Drawing the loss surface: thin contours, creases, forbidden ground, the best pairs, a walk with numbered
steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from matplotlib.patches import Rectangle
from matplotlib.transforms import offset_copy

from treant_viz.core.losses import Pieces
from treant_viz.viz.loss_surface.facts import Point, round_levels
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import number
from treant_viz.viz.style.typeface import FAMILY, width

if TYPE_CHECKING:
    from treant_viz.viz.loss_surface.display import LossSurfaceDisplay

GRID = 160
CREASE = (0, (5, 3))
NAMED = 3  # creases that are named


def draw(d: LossSurfaceDisplay, pen: Pen, target: Target) -> None:
    """The surface on the left; on the right the loss along the run, or two cuts through the optimum."""
    ((ax, side),) = placed(target, pen, [(36.0, 1.0, 48.0)], [(72.0, 1.0, 14.0), (58.0, 0.92, 30.0)])
    across, up = d.frame
    ax.set(xlim=across, ylim=up, aspect="equal")
    _contours(d, pen, ax)
    _forbidden(d, pen, ax)
    _creases(d, pen, ax)
    _walk(d, pen, ax)
    _optima(d, pen, ax)
    pen.style(ax, xlabel="prediction of the left leaf", ylabel="prediction of the right leaf")
    words = "Loss at each step of SLSQP" if d.run else "On the straight way from ring to star"
    if not d.run and not d.moves:
        words = "Two cuts through the best point"
    look = pen.type(HEAD, bold=True) | {"transform": side.transAxes, "va": "bottom"}
    pen.text(side, 0.0, 1.15 if not d.run and not d.moves else 1.03, words, "panel head", **look)
    (_losses if d.run else _way if d.moves else _slices)(d, pen, side)
    for axis in (ax.xaxis, ax.yaxis, *([] if d.moves and not d.run else [side.xaxis]), side.yaxis):
        axis.set_major_formatter(lambda v, _: number(v))


def _contours(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """A quiet fill, darker where more is lost, and thin lines with their values on them."""
    p, edge = pen.palette, 0.004 if d.surface.loss.binary else 0.0
    across, up = (np.linspace(a, b, GRID) for a, b in d.frame)
    if edge:  # log-loss is infinite at 0 and 1
        across, up = (np.clip(grid, edge, 1 - edge) for grid in (across, up))
    values = d.surface.value(across, up[:, None])
    lines_at = round_levels(values)
    levels = np.unique([float(values.min()), *lines_at])
    quiet = LinearSegmentedColormap.from_list("quiet", [p.background, mixed(p.background, p.soft, 0.42)])
    pen.keep("contours", ax.contourf(across, up, values, levels=levels, cmap=quiet, extend="max", zorder=0))
    lines = ax.contour(across, up, values, levels=lines_at, colors=p.soft, linewidths=0.9, zorder=0.5)
    pen.keep("contour lines", lines)
    for words in ax.clabel(lines, levels=lines_at[:5], fmt=number, fontsize=SMALL, colors=p.ink, zorder=2.5):
        words.set(family=list(FAMILY), parse_math=False)
        pen.keep("contour value", words)


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
    """Dashed lines where rows lose the same on both sides, each with its name if they are few."""
    (a, b), (c, e) = d.frame
    found = d.surface.creases()
    for total in found:
        ys = (a, b) if total is None else (total - a, total - b)
        look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 1.5, "linestyle": CREASE, "zorder": 3}
        pen.keep("crease", ax.plot((a, b), ys, scalex=False, scaley=False, **look)[0])
        ends = (max(a, c), min(b, e)) if total is None else (max(a, total - e), min(b, total - c))
        if ends[1] - ends[0] < 0.45 * (b - a) or len(found) > NAMED + 1:
            continue
        words = "both leaves say the same" if total is None else f"y = {number(total / 2)}: same loss on both"
        half = (0.36 * width(words, SMALL) / size_of(ax)[0] + 0.06) * (b - a)
        at = np.linspace(ends[0] + half, max(ends[1] - half, ends[0] + half), 9)
        xy = np.column_stack([at, at if total is None else total - at])
        points = np.array([p[:2] for p in (d.optimum, d.plain, d.start, *d.run) if p is not None])
        away = np.hypot(*(xy[:, None] - points).transpose(2, 0, 1)).min(axis=1)
        x = float(at[int(np.argmax(away))])  # where the words are far from all points
        style = pen.type(SMALL) | {"rotation": 45 if total is None else -45, "rotation_mode": "anchor"}
        style |= {"ha": "center", "va": "top", "zorder": 3}
        style["bbox"] = {"facecolor": pen.palette.background, "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
        pen.text(ax, x, x if total is None else total - x, words, "crease name", **style)


def _note(pen: Pen, ax: Axes, p: Point, words: str, role: str, up: int) -> None:
    """Words beside a point, on quiet ground, towards the middle of the plot."""
    (a, b), (c, e), figure = ax.get_xlim(), ax.get_ylim(), ax.get_figure(root=True)
    side = -1 if p.y_l > (a + b) / 2 else 1
    near = 0.1 * (e - c)
    up = -1 if p.y_r > e - near else 1 if p.y_r < c + near else up
    place = offset_copy(ax.transData, figure, 14.0 * side, 13.0 * up, units="points")
    ground = {"boxstyle": "round,pad=0.1", "facecolor": pen.palette.background, "edgecolor": "none"}
    ha = "left" if side > 0 else "right"
    look: dict[str, Any] = {"ha": ha, "va": "center", "transform": place, "zorder": 9}
    look |= {"bbox": ground | {"alpha": 0.75}}
    color = pen.palette.attack if role == "optimum name" else pen.palette.ink
    pen.text(ax, p.y_l, p.y_r, words, role, **pen.type(SMALL, bold=True, color=color) | look)


def _optima(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """A star on the best pair, a line along all of them if they are many; a ring on what is best if nobody
    attacks.
    """
    p = pen.palette
    look: dict[str, Any] = {"linestyle": "none", "zorder": 8, "markeredgewidth": 1.8, "clip_on": False}
    same = not d.moves
    if d.segment is not None:
        xs, ys = [q.y_l for q in d.segment], [q.y_r for q in d.segment]
        ax.plot(xs, ys, color=p.background, linewidth=10.0, zorder=7, solid_capstyle="round")
        line = ax.plot(xs, ys, color=p.attack, linewidth=6.0, zorder=7, solid_capstyle="round")[0]
        pen.keep("optimum segment", line)
    if not same and not d.run and d.optimum is not None:
        xs, ys = [d.plain.y_l, d.optimum.y_l], [d.plain.y_r, d.optimum.y_r]
        pen.keep("way", ax.plot(xs, ys, color=p.ink, linewidth=1.4, zorder=4)[0])
    ring = look | {"markerfacecolor": "none" if same else p.background, "markeredgecolor": p.ink}
    size = 24.0 if same else 13.0
    pen.keep("plain", ax.plot([d.plain.y_l], [d.plain.y_r], "o", markersize=size, **ring)[0])
    under = d.optimum is None or d.plain.y_r <= d.optimum.y_r
    if not same:
        words = f"best if nobody attacks: {number(d.plain.loss)}"
        _note(pen, ax, d.plain, words, "plain name", -3 if d.run else -1 if under else 1)
    if d.optimum is not None:
        star = look | {"markerfacecolor": p.attack, "markeredgecolor": p.background, "markersize": 22.0}
        pen.keep("optimum", ax.plot([d.optimum.y_l], [d.optimum.y_r], "*", **star)[0])
        words = f"best{', attacked or not' if same else ' under attack'}: {number(d.optimum.loss)}"
        _note(pen, ax, d.optimum, words, "optimum name", 1 if under else -1)
    if d.start is not None and not d.run:
        box = look | {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markersize": 10.0}
        pen.keep("start", ax.plot([d.start.y_l], [d.start.y_r], "s", **box)[0])
        _note(pen, ax, d.start, "start", "start name", -1)


def _walk(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
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


def _clusters(d: LossSurfaceDisplay) -> list[tuple[Point, list[int]]]:
    """Points of the run with the numbers of all that lie close by."""
    low, high = d.frame[0]
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


def _number(d: LossSurfaceDisplay, pen: Pen, ax: Axes, p: Point, numbers: list[int]) -> None:
    low, high = d.frame[0]
    x, y = _held(p, low, high)
    outside = (x, y) != (p.y_l, p.y_r)
    middle = (low + high) / 2
    right, up = (-1 if x > middle else 1), (-1 if y > middle else 1)
    box = {"boxstyle": "round,pad=0.22", "facecolor": pen.palette.background, "edgecolor": pen.palette.ink}
    look: dict[str, Any] = {
        "bbox": box,
        "ha": "center",
        "va": "center",
    }
    arrow = (
        {"arrowstyle": "-|>", "color": pen.palette.ink, "linewidth": 2.0, "shrinkB": 0.0} if outside else None
    )
    away = (right * 40.0, up * 30.0) if outside else (right * 20.0, up * 20.0)
    look |= pen.type(SMALL) | {"textcoords": "offset points", "arrowprops": arrow, "zorder": 9}
    said = ax.annotate(_numbers(numbers), (x, y), away, **look)
    pen.keep("off the plot" if outside else "number", said)


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


def _losses(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Loss by step; points that break a constraint are crosses, the optimum is a green line."""
    p, losses = pen.palette, [q.loss for q in d.run]
    legal = [d.surface.feasible(q.y_l, q.y_r) for q in d.run]
    line = ax.plot(range(len(losses)), losses, color=p.ink, linewidth=1.6, zorder=2)[0]
    pen.keep("loss by iteration", line)
    for want, marker, role in ((True, "s", "legal"), (False, "X", "illegal")):
        at = [i for i, ok in enumerate(legal) if ok is want]
        if at:
            dots: dict[str, Any] = {"color": p.ink, "markersize": 9 if want else 11, "linestyle": "none"}
            dots |= {"markeredgecolor": p.background, "zorder": 3, "clip_on": False}
            pen.keep(role, ax.plot(at, [losses[i] for i in at], marker, **dots)[0])
    finite = [x for x in losses if math.isfinite(x)]
    top = 1.3 * max(finite, default=1.0) or 1.0
    ax.set(ylim=(0.0, top), xlim=(-0.3, max(len(losses) - 1, 1) + 0.3))
    across = ax.get_yaxis_transform()
    if d.optimum is not None:
        pen.keep("optimum loss", ax.axhline(d.optimum.loss, zorder=1, color=p.feasible, linewidth=3))
        look = pen.type(SMALL, bold=True) | {"transform": across, "ha": "right", "va": "bottom"}
        pen.text(
            ax,
            0.99,
            d.optimum.loss + 0.015 * top,
            f"optimum {number(d.optimum.loss)}",
            "optimum words",
            **look,
        )
    words = "squares obey all constraints" + "; crosses break one" * (not all(legal))
    look = pen.type(SMALL, color=p.soft) | {"transform": ax.transAxes, "va": "top"}
    pen.text(ax, 0.02, 0.99, words, "chart words", **look)
    pen.style(ax, xlabel="step of SLSQP", ylabel="loss under attack")
    ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]


def _way(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Both losses along the way from what is best if nobody attacks to what is best under attack."""
    a, b, p = d.plain, d.optimum, pen.palette
    assert b is not None
    t = np.linspace(0.0, 1.0, 241)
    pairs = a.y_l + (b.y_l - a.y_l) * t, a.y_r + (b.y_r - a.y_r) * t
    usual = d.surface.unattacked(*pairs)
    lines = (("way attacked", d.surface.value(*pairs), p.attack, 4.0, "loss under attack"),
             ("way unattacked", usual, p.ink, 1.8, "loss if nobody attacks"))  # fmt: skip
    finite = np.concatenate([v[np.isfinite(v)] for _, v, *_ in lines])
    low, high = float(finite.min()), float(finite.max())
    room = 0.18 * ((high - low) or 1.0)
    for k, (role, values, color, thick, words) in enumerate(lines):
        pen.keep(role, ax.plot(t, values, color=color, linewidth=thick, zorder=3)[0])
        look = pen.type(SMALL, bold=True, color=color)
        some = values[70:171][np.isfinite(values[70:171])]
        if len(some):
            y = float(some.min() if k else some.max()) + 0.15 * room * (-1 if k else 1)
            pen.text(ax, 0.5, y, words, "way name", ha="center", va="top" if k else "bottom", **look)
        for x, v, ha in ((0.0, values[0], "left"), (1.0, values[-1], "right")):
            if math.isfinite(v):
                up = 0.25 * room * (-1 if k else 1)
                pen.text(
                    ax, x, v + up, number(float(v)), "way end", ha=ha, va="top" if k else "bottom", **look
                )
    ax.set(ylim=(low - 1.4 * room, high + 1.4 * room), xlim=(-0.06, 1.06))
    star, ring = (f"({number(round(q.y_l, 6))}, {number(round(q.y_r, 6))})" for q in (b, a))
    pen.ticks(ax, "x", [0, 1], [f"ring {ring}:\nbest if nobody attacks", f"star {star}:\nbest under attack"])
    first, last = ax.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    ax.tick_params(axis="x", length=0)
    pen.style(ax, ylabel="loss")


def _slices(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Two cuts through the best point: one leaf moves, the other stays."""
    spans, p, at = d.frame, pen.palette, d.optimum or d.plain
    grids = [np.linspace(low, high, 481)[1:-1] for low, high in spans]
    losses = d.surface.value(grids[0], at.y_r), d.surface.value(at.y_l, grids[1])
    cuts = (("left", "right", at.y_r, "-", grids[0], losses[0]),
            ("right", "left", at.y_l, (0, (4, 1.6)), grids[1], losses[1]))  # fmt: skip
    top = max(float(np.quantile(c[5], 0.9)) for c in cuts) or 1.0
    for k, (role, other, still, dash, grid, values) in enumerate(cuts):
        look: dict[str, Any] = {"color": getattr(p, role), "linestyle": dash, "linewidth": 2.6}
        pen.keep("slice", ax.plot(grid, values, **look)[0])
        line = "dashed" if k else "solid"
        words = f"{line}: the {role} leaf moves, the {other} one says {number(round(still, 6))}"
        style = pen.type(SMALL, bold=True, color=p.words(role)) | {"transform": ax.transAxes, "va": "top"}  # type: ignore[arg-type]
        pen.text(ax, 0.0, 1.12 - 0.065 * k, words, "slice name", **style)
    room = 0.1 * (top - at.loss) or 0.1 * abs(at.loss) or 1.0
    ax.set(ylim=(at.loss - room, top + room), xlim=(min(a for a, _ in spans), max(b for _, b in spans)))
    ax.plot([at.y_l, at.y_r], [at.loss] * 2, "o", color=p.ink, markersize=7, zorder=5)
    pen.style(ax, xlabel="prediction of the leaf that moves", ylabel="loss under attack")


__all__ = ["draw"]

"""Drawing feature space: regions by what they predict, true boxes and lines of reach, rows, arrows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.transforms import offset_copy

from treant_viz.viz.feature_space.facts import Box, Extent, Region, Span
from treant_viz.viz.style import typeface
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, panels
from treant_viz.viz.style.text import name, number

if TYPE_CHECKING:
    from treant_viz.viz.feature_space.display import FeatureSpaceDisplay, Instance

ZOOM = (0.02, 0.9)  # of many rows, the part of the axes that is shown where nothing else happens
SLOT = 0.36  # half the width of a category
LINE = 780.0  # points of the words below the plane
BAND, THIN = 11.0, 2.0  # points: what is in reach along one feature, of a row that is hurt and of others


def draw(d: FeatureSpaceDisplay, pen: Pen, target: Target) -> None:
    """The plane, and beside it the scale of predictions and labels."""
    [[ax, key]] = panels(target, pen, widths=(1.0, 0.028), gap=0.03)
    frame = _frame(d)
    for region in d.regions:
        for rectangle in _rectangles(region, frame):
            _region(d, pen, ax, region, rectangle)
    _borders(d, pen, ax, frame)
    _others(d, pen, ax)
    for i in d.instances:
        _boxes(pen, ax, i, frame, d)
    ax.set(xlim=frame.x, ylim=frame.y)
    for i in d.instances:
        _move(pen, ax, i, d)
    _marks(d, pen, ax, frame)
    for region in d.regions:
        _prediction(d, pen, ax, region, frame)
    first, second = names_of(d)
    pen.style(ax, xlabel=first, ylabel=second)
    for axis, categories in zip("xy", d.categories, strict=True):
        if categories is not None:
            pen.ticks(ax, axis, list(range(len(categories))), [name(c, 16) for c in categories],
                      **({"rotation": 30, "ha": "right"} if axis == "x" else {}))  # fmt: skip
        else:
            getattr(ax, f"{axis}axis").set_major_formatter(lambda v, _: number(v, 6))
    lines = [d.counts() + _beyond(d, frame), *(typeface.wrapped(d.slice(), LINE, SMALL) if d.slice() else [])]
    ax.set_xlabel("\n".join([first, *lines]), **pen.type(SMALL))
    _key(d, pen, key)


def _beyond(d: FeatureSpaceDisplay, frame: Box) -> str:
    """Rows that lie outside the part of the plane that is shown."""
    low, high = (np.array([frame.x[k], frame.y[k]]) for k in (0, 1))
    n = int(((d.others < low) | (d.others > high)).any(axis=1).sum()) if len(d.others) else 0
    return f"; {n:,} of them beyond the edges" if n else ""


def names_of(d: FeatureSpaceDisplay) -> tuple[str, str]:
    return name(d.features[0]), name(d.features[1])


def fill(d: FeatureSpaceDisplay, pen: Pen, v: float) -> str:
    """The colour of a prediction, and of a label."""
    low, high = d.span
    return pen.palette.prediction((v - low) / ((high - low) or 1.0))


def _key(d: FeatureSpaceDisplay, pen: Pen, ax: Axes) -> None:
    """The scale of predictions and labels."""
    low, high = d.span
    steps = np.linspace(low, high, 65)
    for a, b in pairwise(steps):
        look: dict[str, Any] = {"facecolor": fill(d, pen, (a + b) / 2), "edgecolor": "none"}
        pen.patch(ax, Rectangle((0.0, a), 1.0, b - a, **look), "scale")
    pen.style(ax, spines=())
    ax.set(xlim=(0.0, 1.0), ylim=(low, high) if high > low else (low - 0.5, low + 0.5), xticks=[])
    ax.yaxis.tick_right()
    ax.yaxis.set_major_formatter(lambda v, _: number(v))
    ax.yaxis.set_label_position("right")
    pen.style(ax, ylabel="predicted (regions), true label (dots)", spines=())


def _frame(d: FeatureSpaceDisplay) -> Box:
    """The part of the plane that is shown: all points, boxes and borders that are finite."""
    spans = []
    for k in (0, 1):
        categories = d.categories[k]
        if categories is not None:
            spans.append((-0.6, len(categories) - 0.4))
            continue
        marks = [v for i in d.instances for v in (i.at[k], *(e for b in i.boxes for e in b[k]))]
        marks += [e for r in d.regions for e in (r.x, r.y)[k]]
        marks += np.quantile(d.others[:, k], ZOOM).tolist() if len(d.others) else []
        known = [m for m in marks if math.isfinite(m)] or [0.0]
        low, high = min(known), max(known)
        room = 0.09 * (high - low) or 1.0  # a single value is shown with a unit on either side
        spans.append((low - room, high + room))
    return Box(spans[0], spans[1])


def _spans(extent: Extent, frame: Span) -> Iterator[Span]:
    """An extent as spans of the axis: neighbouring categories are joined."""
    if not isinstance(extent, frozenset):
        yield max(extent[0], frame[0]), min(extent[1], frame[1])
        return
    places = sorted(extent)
    starts = [p for p in places if p - 1 not in extent]
    for a in starts:
        b = next(p for p in places if p >= a and p + 1 not in extent)
        yield max(a - 0.5, frame[0]), min(b + 0.5, frame[1])


def _rectangles(region: Region, frame: Box) -> list[Box]:
    boxes = (Box(x, y) for x in _spans(region.x, frame.x) for y in _spans(region.y, frame.y))
    return [b for b in boxes if b.x[0] < b.x[1] and b.y[0] < b.y[1]]


def _region(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, region: Region, box: Box) -> None:
    color = fill(d, pen, region.prediction)
    look: dict[str, Any] = {"facecolor": color, "edgecolor": color, "linewidth": 0.6, "zorder": 0}
    pen.patch(ax, Rectangle((box.x[0], box.y[0]), box.x[1] - box.x[0], box.y[1] - box.y[0], **look), "region")


def borders(d: FeatureSpaceDisplay, frame: Box) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where the prediction changes: between regions that say the same there is no border."""
    boxes = [(r.prediction, b) for r in d.regions for b in _rectangles(r, frame)]
    cuts = [sorted({e for _, b in boxes for e in b[k]}) for k in (0, 1)]
    middles = [[(a + b) / 2 for a, b in pairwise(c)] for c in cuts]

    def said(x: float, y: float) -> float:
        return next(p for p, b in boxes if b.x[0] <= x <= b.x[1] and b.y[0] <= y <= b.y[1])

    cells = [[said(x, y) for y in middles[1]] for x in middles[0]]
    out = []
    for i in range(len(cells)):
        for j in range(len(cells[i])):
            if i and cells[i - 1][j] != cells[i][j]:
                out.append(((cuts[0][i], cuts[1][j]), (cuts[0][i], cuts[1][j + 1])))
            if j and cells[i][j - 1] != cells[i][j]:
                out.append(((cuts[0][i], cuts[1][j]), (cuts[0][i + 1], cuts[1][j])))
    return out


def _borders(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, frame: Box) -> None:
    look: dict[str, Any] = {
        "colors": pen.palette.ink,
        "linewidths": 2.4,
        "zorder": 4,
        "capstyle": "projecting",
    }
    pen.keep("border", ax.add_collection(LineCollection(borders(d, frame), **look), autolim=False))


def _others(d: FeatureSpaceDisplay, pen: Pen, ax: Axes) -> None:
    """Rows that are not told of: dots in the shade of their label; who is hurt has a ring."""
    if not len(d.others):
        return
    p, points = pen.palette, d.others + np.column_stack([_jitter(d, k, len(d.others)) for k in (0, 1)])
    shades = [fill(d, pen, v) for v in d.others_label]
    edges = [p.unknown if hit else p.background for hit in d.others_hit]
    wide = np.where(d.others_hit, 1.8, 0.8)
    look: dict[str, Any] = {
        "s": 34,
        "facecolors": shades,
        "edgecolors": edges,
        "linewidths": wide,
        "zorder": 1,
    }
    pen.keep("others", ax.scatter(points[:, 0], points[:, 1], **look))


def _jitter(d: FeatureSpaceDisplay, k: int, n: int) -> np.ndarray:
    """Rows of one category stand side by side."""
    return np.zeros(n) if d.categories[k] is None else (np.arange(n) * 0.6180339887 % 1.0 - 0.5) * 1.4 * SLOT


def _place(d: FeatureSpaceDisplay, i: Instance, at: tuple[float, float]) -> tuple[float, float]:
    """Where a point is drawn: categories have room for rows side by side."""
    shift = [0.0 if c is None else (i.rows[0] * 0.6180339887 % 1.0 - 0.5) * 1.4 * SLOT for c in d.categories]
    return at[0] + shift[0], at[1] + shift[1]


def _boxes(pen: Pen, ax: Axes, i: Instance, frame: Box, d: FeatureSpaceDisplay) -> None:
    """What the attacker can reach, as large as it is: a line where a feature cannot change, a point where
    none can. Who is hurt has a hatched band; others a thin line with caps, which no border has.
    """
    hurt, role = i.moved_to is not None, "box at risk" if i.at_risk else "box"
    x, y = _place(d, i, i.at)
    dx, dy = x - i.at[0], y - i.at[1]
    for b in i.boxes:
        (x0, x1), (y0, y1) = ((max(b[k][0], frame[k][0]), min(b[k][1], frame[k][1])) for k in (0, 1))
        size = (x1 - x0, y1 - y0)
        if min(size) > 0.0 or not any(size):
            _area(pen, ax, (x0 + dx, y0 + dy), size, role, hurt)
        else:
            _line(pen, ax, (x0 + dx, x1 + dx), (y0 + dy, y1 + dy), role, hurt)


def _area(pen: Pen, ax: Axes, corner: Span, size: Span, role: str, hurt: bool) -> None:
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": pen.palette.ink, "linewidth": 1.4, "zorder": 3}
    pen.patch(ax, Rectangle(corner, *size, **look | (pen.fill("unknown") if hurt else {})), role)


def _line(pen: Pen, ax: Axes, x: Span, y: Span, role: str, hurt: bool) -> None:
    """A band along one feature: a line whose width is only ink."""
    p = pen.palette
    if not hurt:
        cap = "|" if y[0] == y[1] else "_"
        for color, more in ((p.background, 2.4), (p.ink, 0.0)):
            size: dict[str, Any] = {
                "markersize": 13 + more,
                "markeredgewidth": THIN + more,
                "linewidth": THIN + more,
            }
            pen.keep("caps", ax.plot(x, y, color=color, marker=cap, zorder=2.5, **size)[0])
        pen.patch(ax, Rectangle((x[0], y[0]), x[1] - x[0], y[1] - y[0], fill=False, linewidth=0), role)
        return
    band: dict[str, Any] = {"solid_capstyle": "butt", "zorder": 5}
    ax.plot(x, y, color=p.background, linewidth=BAND + 3.0, **band)
    ax.plot(x, y, color=p.tint("unknown", 0.35), linewidth=BAND, **band)
    dashes: dict[str, Any] = {"linestyle": (0, (0.25, 0.35)), "linewidth": BAND, "color": p.unknown}
    pen.keep("stripes", ax.plot(x, y, zorder=5.1, **dashes)[0])
    pen.patch(ax, Rectangle((x[0], y[0]), x[1] - x[0], y[1] - y[0], fill=False, linewidth=0), role)


def _move(pen: Pen, ax: Axes, i: Instance, d: FeatureSpaceDisplay) -> None:
    """A straight arrow from the row to where the worst move ends, which is a ring."""
    if i.moved_to is None:
        return
    p, end = pen.palette, _place(d, i, i.moved_to)
    for color, wide, role in ((p.background, 6.0, "move casing"), (p.attacker, 2.8, "move")):
        look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 20, "linewidth": wide, "color": color}
        look |= {"shrinkA": 0, "shrinkB": 6, "zorder": 6}
        pen.patch(ax, FancyArrowPatch(_place(d, i, i.at), end, **look), role)
    ring: dict[str, Any] = {"markerfacecolor": fill(d, pen, i.label), "markeredgecolor": p.unknown}
    pen.keep("end", ax.plot(*([v] for v in end), "o", markersize=10, markeredgewidth=3, zorder=7, **ring)[0])


def _marks(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, frame: Box) -> None:
    """The rows that are told of: a dot in the shade of the label, and beside it what the attack does."""
    for i in d.instances:
        x, y = _place(d, i, i.at)
        ax.plot([x], [y], "o", markersize=15, color=pen.palette.background, zorder=6.5)
        look: dict[str, Any] = {"markerfacecolor": fill(d, pen, i.label), "markeredgecolor": pen.palette.ink}
        look |= {"markeredgewidth": 1.8, "linestyle": "none", "zorder": 7}
        pen.keep("instance", ax.plot([x], [y], "o", markersize=11, **look)[0])
        _told(pen, ax, i, x, y, x > frame.x[0] + 0.72 * (frame.x[1] - frame.x[0]))


def _told(pen: Pen, ax: Axes, i: Instance, x: float, y: float, leftwards: bool) -> None:
    """Above a row that is hurt, below others, so that two in a line do not meet."""
    hurt, side = i.moved_to is not None, -1 if leftwards else 1
    words = f"{name(i.name, 18)}: true {number(i.label)}, predicted {number(i.before)}"
    words += f" → {number(i.after)}" if hurt else ""
    ground = {"boxstyle": "round,pad=0.18", "facecolor": pen.palette.background, "edgecolor": "none"}
    put = pen.type(SMALL, bold=hurt) | {"zorder": 8, "bbox": ground | {"alpha": 0.94}}
    put |= {"ha": "right" if leftwards else "left", "va": "bottom" if hurt else "top"}
    pen.text(
        ax, x, y, words, "label", **put | {"transform": _beside(ax, -6.0 * side, 13.0 if hurt else -13.0)}
    )
    if hurt:
        far = side * (typeface.width(words, SMALL, bold=True) + 16.0)
        coin(pen, ax, x, y, i.cost, transform=_beside(ax, far, 20.0), zorder=9)


def _beside(ax: Axes, dx: float, dy: float) -> Any:
    return offset_copy(ax.transData, ax.get_figure(root=True), dx, dy, units="points")


def _ends(d: FeatureSpaceDisplay, i: Instance) -> Iterator[tuple[float, float]]:
    """Where a row is drawn, and both ends and the middle of each of its boxes."""
    x, y = _place(d, i, i.at)
    dx, dy = x - i.at[0], y - i.at[1]
    yield x, y
    for b in i.boxes:
        for s in (0.0, 0.5, 1.0):
            yield b.x[0] + s * (b.x[1] - b.x[0]) + dx, b.y[0] + s * (b.y[1] - b.y[0]) + dy


def _prediction(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, region: Region, frame: Box) -> None:
    """The prediction of a region, where it is farthest from all rows; small regions go without."""
    full = [frame[k][1] - frame[k][0] for k in (0, 1)]
    enough = (0.09 * full[0], 0.08 * full[1])
    boxes = [b for b in _rectangles(region, frame) if all(b[k][1] - b[k][0] > enough[k] for k in (0, 1))]
    if not boxes:
        return
    big = max(boxes, key=lambda b: (b.x[1] - b.x[0]) * (b.y[1] - b.y[0]))
    taken = [p for i in d.instances for p in _ends(d, i)]
    taken += [(float(x), float(y)) for x, y in d.others]
    across, down = (0.5, 0.25, 0.75, 0.12, 0.88), (0.5, 0.75, 0.25, 0.88, 0.12, 0.62, 0.38)
    spots = [
        (big.x[0] + u * (big.x[1] - big.x[0]), big.y[0] + v * (big.y[1] - big.y[0]))
        for u in across
        for v in down
    ]
    edge = (0.05 * full[0], 0.04 * full[1])
    inner = [
        s for s in spots if all(min(s[k] - big[k][0], big[k][1] - s[k]) > edge[k] for k in (0, 1))
    ] or spots[:1]

    def room(spot: tuple[float, float]) -> float:
        gaps = (math.hypot((spot[0] - p[0]) / full[0], 0.7 * (spot[1] - p[1]) / full[1]) for p in taken)
        return min(0.15, min(gaps, default=1.0))

    x, y = max(inner, key=room)
    ground = fill(d, pen, region.prediction)
    color = pen.palette.on(ground)
    under = {"facecolor": ground, "edgecolor": "none", "pad": 1.5}
    look: dict[str, Any] = pen.type(BODY, bold=True, color=color) | {
        "ha": "center",
        "va": "center",
        "zorder": 5,
        "bbox": under,
    }
    pen.text(ax, x, y, f"ŷ = {number(region.prediction)}", "prediction", **look)


__all__ = ["borders", "draw", "fill"]

"""The ink of feature space: tinted regions with their predictions, boxes, instances and arrows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle

from treant_viz.viz.canvas import BODY, SMALL, Ink, Target, panels
from treant_viz.viz.plane import Box, Extent, Region, Span
from treant_viz.viz.text import name, number

if TYPE_CHECKING:
    from treant_viz.viz.feature_space import FeatureSpaceDisplay, Instance

MARKERS = ("o", "s", "^", "D")
NAMED = 12  # rows with their names beside them
SLOT = 0.36  # half the width of a category


def draw(d: FeatureSpaceDisplay, ink: Ink, target: Target) -> None:
    """Everything in one plane; the key beside it."""
    [[ax]] = panels(target, ink)
    frame = _frame(d)
    for region in d.regions:
        for rectangle in _rectangles(region, frame):
            _tint(d, ink, ax, region, rectangle)
    _others(d, ink, ax)
    for i in d.instances:
        _boxes(ink, ax, i, frame, d)
    for i in d.instances:
        _move(ink, ax, i, d)
    _marks(d, ink, ax)
    for region in d.regions:
        _prediction(d, ink, ax, region, frame)
    ink.style(ax, xlabel=name(d.features[0]), ylabel=name(d.features[1]))
    ax.set(xlim=frame.x, ylim=frame.y)
    for axis, categories in zip("xy", d.categories, strict=True):
        if categories is not None:
            ink.ticks(ax, axis, list(range(len(categories))), [name(c, 16) for c in categories],
                      **({"rotation": 30, "ha": "right"} if axis == "x" else {}))  # fmt: skip
    ink.legend(ax, _keys(d, ink), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


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
        marks += np.quantile(d.others[:, k], (0.01, 0.99)).tolist() if len(d.others) else []
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


def _tint(d: FeatureSpaceDisplay, ink: Ink, ax: Axes, region: Region, box: Box) -> None:
    said = [r.prediction for r in d.regions]
    share = (region.prediction - min(said)) / ((max(said) - min(said)) or 1.0)
    p = ink.palette
    pure = np.array(to_rgb(p.left)) * (1 - share) + np.array(to_rgb(p.right)) * share
    corner, size = (box.x[0], box.y[0]), (box.x[1] - box.x[0], box.y[1] - box.y[0])
    tint: dict[str, Any] = {"facecolor": _mixed(ink, pure, 0.22), "linewidth": 0.0, "zorder": 0}
    ink.patch(ax, Rectangle(corner, *size, **tint), "region")
    line: dict[str, Any] = {"fill": False, "edgecolor": p.soft, "linewidth": 1.8, "zorder": 5}
    ink.patch(ax, Rectangle(corner, *size, **line), "border")


def _others(d: FeatureSpaceDisplay, ink: Ink, ax: Axes) -> None:
    if len(d.others):
        points = d.others + np.column_stack([_jitter(d, k, len(d.others)) for k in (0, 1)])
        look: dict[str, Any] = {"color": ink.palette.soft, "markersize": 2.2, "linestyle": "none", "alpha": 0.45}
        ink.keep("others", ax.plot(points[:, 0], points[:, 1], ".", zorder=1, **look)[0])


def _jitter(d: FeatureSpaceDisplay, k: int, n: int) -> np.ndarray:
    """Rows of one category stand side by side."""
    return np.zeros(n) if d.categories[k] is None else (np.arange(n) * 0.6180339887 % 1.0 - 0.5) * 1.4 * SLOT


def _place(d: FeatureSpaceDisplay, i: Instance, at: tuple[float, float]) -> tuple[float, float]:
    """Where a point is drawn: categories have room for rows side by side."""
    shift = [0.0 if c is None else (i.rows[0] * 0.6180339887 % 1.0 - 0.5) * 1.4 * SLOT for c in d.categories]
    return at[0] + shift[0], at[1] + shift[1]


def _boxes(ink: Ink, ax: Axes, i: Instance, frame: Box, d: FeatureSpaceDisplay) -> None:
    """What the attacker can reach, as one shape: all outlines, then all insides; a thin bar if it has no width."""
    p, role, z = ink.palette, "box at risk" if i.at_risk else "box", 3 if i.at_risk else 2
    x, y = _place(d, i, i.at)
    sides = [[_wide(b[k], frame[k], (x - i.at[0], y - i.at[1])[k]) for k in (0, 1)] for b in i.boxes]
    edge: dict[str, Any] = {"fill": False, "edgecolor": p.ink if i.at_risk else p.soft, "zorder": z}
    edge |= {"linewidth": 4.0 if i.at_risk else 1.6, "linestyle": "-" if i.at_risk else ":"}
    inside: dict[str, Any] = {"facecolor": _mixed(ink, p.unknown, 0.4 if i.at_risk else 0.15), "zorder": z}
    for look, kept in ((edge, "outline"), (inside | {"linewidth": 0.0}, role)):
        for (x0, x1), (y0, y1) in sides:
            ink.patch(ax, Rectangle((x0, y0), x1 - x0, y1 - y0, **look), kept)


def _mixed(ink: Ink, colour: Any, share: float) -> tuple[float, float, float]:
    """A colour thinned with the background."""
    mixed = share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(ink.palette.background))
    red, green, blue = mixed.tolist()
    return red, green, blue


def _wide(span: Span, frame: Span, shift: float) -> Span:
    least = 0.008 * (frame[1] - frame[0])
    low, high = max(span[0], frame[0]) + shift, min(span[1], frame[1]) + shift
    return (low, high) if high - low > 2 * least else ((low + high) / 2 - least, (low + high) / 2 + least)


def _move(ink: Ink, ax: Axes, i: Instance, d: FeatureSpaceDisplay) -> None:
    if i.moved_to is None:
        return
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 16, "linestyle": "--", "linewidth": 1.8, "zorder": 6}
    look |= {"connectionstyle": "arc3,rad=-0.35", "color": ink.palette.attacker, "shrinkA": 0, "shrinkB": 0}
    ink.patch(ax, FancyArrowPatch(_place(d, i, i.at), _place(d, i, i.moved_to), **look), "move")


def _marks(d: FeatureSpaceDisplay, ink: Ink, ax: Axes) -> None:
    """Instances: names and labels beside them if they are few, else a shape or a number for each label."""
    labels = sorted({i.label for i in d.instances})
    named, shaped = sum(len(i.rows) for i in d.instances) <= NAMED, len(labels) <= len(MARKERS)
    for i in d.instances:
        x, y = _place(d, i, i.at)
        marker = MARKERS[labels.index(i.label)] if shaped else "o"
        look: dict[str, Any] = {"color": ink.palette.ink, "markeredgecolor": ink.palette.background, "zorder": 7}
        ink.keep("instance", ax.plot([x], [y], marker, markersize=9 if named else 7, linestyle="none", **look)[0])
        said = f"{_rows(i.rows)}: {number(i.label, 4)}" if named else "" if shaped else number(i.label, 3)
        if said:
            put: dict[str, Any] = {"xytext": (0, -10), "textcoords": "offset points", "ha": "center", "va": "top"}
            put["bbox"] = {
                "boxstyle": "round,pad=0.1",
                "facecolor": ink.palette.background,
                "linewidth": 0,
                "alpha": 0.8,
            }
            put |= {"fontsize": SMALL, "color": ink.palette.ink, "zorder": 8, "parse_math": False}
            ink.keep("label", ax.annotate(said, (x, y), **put))


def _rows(rows: tuple[int, ...]) -> str:
    """Names of rows in short: x4–x6 if they follow one another."""
    if len(rows) == 1:
        return f"x{rows[0]}"
    follow = rows[-1] - rows[0] == len(rows) - 1
    return f"x{rows[0]}–x{rows[-1]}" if follow else f"x{rows[0]} and {len(rows) - 1} more"


def _prediction(d: FeatureSpaceDisplay, ink: Ink, ax: Axes, region: Region, frame: Box) -> None:
    """The prediction of a region, where it is farthest from all instances; small regions go without."""
    full = [frame[k][1] - frame[k][0] for k in (0, 1)]
    enough = (0.07 * full[0], 0.08 * full[1])
    boxes = [b for b in _rectangles(region, frame) if all(b[k][1] - b[k][0] > enough[k] for k in (0, 1))]
    if not boxes:
        return
    big = max(boxes, key=lambda b: (b.x[1] - b.x[0]) * (b.y[1] - b.y[0]))
    taken = [p for i in d.instances for p in (i.at, *((b.x[s], b.y[s]) for b in i.boxes for s in (0, 1)))]
    spots = [(big.x[0] + u * (big.x[1] - big.x[0]), big.y[0] + v * (big.y[1] - big.y[0]))
             for u in (0.5, 0.25, 0.75, 0.12, 0.88) for v in (0.5, 0.75, 0.25, 0.88, 0.12)]  # fmt: skip
    edge = (0.05 * full[0], 0.04 * full[1])
    inner = [s for s in spots if all(min(s[k] - big[k][0], big[k][1] - s[k]) > edge[k] for k in (0, 1))] or spots[:1]

    def room(spot: tuple[float, float]) -> float:
        gaps = (math.hypot((spot[0] - p[0]) / full[0], 0.7 * (spot[1] - p[1]) / full[1]) for p in taken)
        return min(0.15, min(gaps, default=1.0))

    box = {"boxstyle": "round,pad=0.25", "facecolor": ink.palette.background, "edgecolor": ink.palette.soft}
    x, y = max(inner, key=room)
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": BODY, "weight": "bold", "bbox": box}
    ink.text(ax, x, y, number(region.prediction, 3), "prediction", zorder=5, **look)


def _keys(d: FeatureSpaceDisplay, ink: Ink) -> list[Any]:
    p = ink.palette
    labels = sorted({i.label for i in d.instances})
    dot: dict[str, Any] = {"color": p.ink, "linestyle": "none", "markersize": 9}
    keys: list[Any] = [
        Line2D([], [], marker=MARKERS[k], label=f"label {number(v, 4)}", **dot)
        for k, v in enumerate(labels if len(labels) <= len(MARKERS) else ())
    ]
    risky, safe = (_mixed(ink, p.unknown, share) for share in (0.4, 0.15))
    if any(i.at_risk for i in d.instances):
        keys.append(Patch(facecolor=risky, edgecolor=p.ink, linewidth=2, label="reachable: at risk"))
    if not all(i.at_risk for i in d.instances):
        keys.append(Patch(facecolor=safe, edgecolor=p.soft, linestyle=":", label="reachable: safe"))
    if any(i.moved_to for i in d.instances):
        keys.append(Line2D([], [], color=p.attacker, linestyle="--", marker=">", label="attack"))
    keys.append(Patch(facecolor=p.background, edgecolor=p.soft, label="prediction of\nthe region"))
    if len(d.others):
        keys.append(Line2D([], [], color=p.soft, linestyle="none", marker=".", label="other rows"))
    return keys


__all__ = ["draw"]

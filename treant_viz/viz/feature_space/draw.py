"""Drawing feature space: regions by what they predict, and the borders between them; `rows` draws the rows.

Regions are shaded lightly, so that ink and dots of every shade stand out from all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from treant_viz.viz.feature_space.dots import groups, numbered, share
from treant_viz.viz.feature_space.facts import Extent, PlaneBox, Region, Span
from treant_viz.viz.feature_space.rows import dots_of, draw_rows
from treant_viz.viz.feature_space.view import PlaneView, gap
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import name, number

if TYPE_CHECKING:
    from treant_viz.viz.feature_space.display import FeatureSpaceDisplay

ZOOM = (0.02, 0.9)  # of many rows, the part of the axes that is shown where nothing else happens
ABOVE, BELOW, RIGHT = 34.0, 82.0, 26.0  # points around the plane
SIDE, LISTED, ENTRY = 214.0, 5, 58.0  # room for a list of pushes, how many it holds, the height of one
DEEPEST, PALEST, MOST = "#5B7FAE", 0.03, 0.66  # what regions are mixed with: so much at the ends of the scale
WITHIN = 0.14  # of the plane, that is shown beyond the outermost border
DOT = 9.0  # points across, in the key


def draw(d: FeatureSpaceDisplay, pen: Pen, target: Target) -> None:
    """The plane, above it what dots mean, and below it one line about the slice."""
    frame = frame_of(d)
    left = _left(d, frame)
    wide = size_of(target)[0]
    told = bool(d.slice(_beyond(d, frame)))
    below = (
        BELOW
        - 24.0 * (not told)
        + max((0.5 * typeface.width(name(c, 16), SMALL) for c in d.categories[0] or ()), default=0.0)
    )
    [[ax]] = placed(target, pen, [(ABOVE, 1.0, below)], [(left, 1.0, SIDE if _sided(d) else RIGHT)])
    ax.set(xlim=frame.x, ylim=frame.y)
    view = PlaneView.of(pen, ax, frame)
    for region in d.regions:
        for rectangle in _rectangles(region, frame):
            _region(d, pen, ax, region, rectangle)
    _borders(d, pen, ax, frame)
    taken = draw_rows(d, view, borders(d, frame))
    for region in d.regions:
        _prediction(d, view, region, taken)
    _axes(d, pen, ax)
    _key(d, view)
    if _sided(d):
        _pushes(d, view)
    look = pen.type(SMALL, color=pen.palette.soft) | {"va": "bottom", "clip_on": False}
    words = d.slice(_beyond(d, frame), lambda text: typeface.width(text, SMALL) <= wide - 48.0)
    if words:
        where = _corner(ax, 24.0 - left, 10.0 - below)
        pen.text(ax, 0.0, 0.0, words, "slice", **look | {"transform": where})


def _sided(d: FeatureSpaceDisplay) -> bool:
    """Are the rows so many that a list has to say where they are pushed?"""
    return bool(d.pushes) and not numbered(d)


def _pushes(d: FeatureSpaceDisplay, view: PlaneView) -> None:
    """Right of the plane: from which prediction to which rows are pushed, each with a bar as long as they are
    many.
    """
    pen, ax = view.pen, view.ax
    p, most = pen.palette, d.pushes[0].rows
    fits = min(LISTED, max(1, int((view.size[1] - 40.0) / ENTRY)))

    def write(words: str, down: float, role: str, **look: Any) -> None:
        put = pen.type(look.pop("size", SMALL), **look) | {"va": "top", "clip_on": False}
        pen.text(ax, 1.0, 1.0, words, role, **put | {"transform": _corner(ax, 22.0, -down)})

    write("Where they are pushed", -2.0, "push head", bold=True, size=BODY)
    for k, push in enumerate(d.pushes[:fits]):
        down = 28.0 + ENTRY * k
        long = (SIDE - 50.0) * push.rows / most / view.size[0]
        bar: dict[str, Any] = {
            "color": p.unknown,
            "linewidth": 9.0,
            "solid_capstyle": "butt",
            "clip_on": False,
        }
        pen.keep(
            "push", ax.plot([1.0, 1.0 + long], [1.0, 1.0], transform=_corner(ax, 22.0, -down - 4.0), **bar)[0]
        )
        write(f"{push.rows:,} rows, truly {number(push.label)}", down + 11.0, "push rows", bold=True)
        write(f"predicted {number(push.before)} → {number(push.after)}", down + 27.0, "push words")
    if rest := sum(push.rows for push in d.pushes[fits:]):
        write(f"and {rest:,} more", 28.0 + ENTRY * fits, "push more", color=p.soft)


def _left(d: FeatureSpaceDisplay, frame: PlaneBox) -> float:
    """Room for the numbers or names beside the plane."""
    categories = d.categories[1]
    words = [number(v, 6) for v in frame.y] if categories is None else [name(c, 16) for c in categories]
    return 40.0 + max(typeface.width(w, SMALL) for w in words)


def _axes(d: FeatureSpaceDisplay, pen: Pen, ax: Axes) -> None:
    """Ticks, and the features' names: one below, one above, where it can be read without turning the head."""
    first, second = names_of(d)
    pen.style(ax, xlabel=first)
    for axis, categories in zip("xy", d.categories, strict=True):
        if categories is not None:
            pen.ticks(ax, axis, list(range(len(categories))), [name(c, 16) for c in categories],
                      **({"rotation": 30, "ha": "right"} if axis == "x" else {}))  # fmt: skip
        else:
            line = getattr(ax, f"{axis}axis")
            line.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
            line.set_major_formatter(lambda v, _: number(v, 6))
    look = pen.type(BODY) | {"ha": "left", "va": "bottom", "clip_on": False}
    pen.text(ax, 0.0, 1.0, second, "up", **look | {"transform": _corner(ax, 0.0, 8.0)})


def _corner(ax: Axes, dx: float, dy: float) -> Any:
    """A transform for points of the plane in shares of it, moved by so many points."""
    return offset_copy(ax.transAxes, ax.get_figure(root=True), dx, dy, units="points")


def _beyond(d: FeatureSpaceDisplay, frame: PlaneBox) -> int:
    """How many rows lie outside the part of the plane that is shown."""
    low, high = (np.array([frame.x[k], frame.y[k]]) for k in (0, 1))
    return int(((d.others < low) | (d.others > high)).any(axis=1).sum()) if len(d.others) else 0


def names_of(d: FeatureSpaceDisplay) -> tuple[str, str]:
    return name(d.features[0]), name(d.features[1])


def ground(d: FeatureSpaceDisplay, pen: Pen, v: float) -> str:
    """The colour of a region: that of its prediction, light enough for ink."""
    p = pen.palette
    return mixed(p.background, DEEPEST, PALEST + (MOST - PALEST) * min(1.0, max(0.0, share(d, v))))


def _key(d: FeatureSpaceDisplay, view: PlaneView) -> None:
    """What the dots mean, above the plane on the right: from right to left, as each entry is measured; none
    where labels stand in the dots.
    """
    if numbered(d):
        return
    known = sorted({i.label for i in d.instances} | set(d.others_label.tolist()))
    if len(known) > 5:
        known = [d.span[0], (d.span[0] + d.span[1]) / 2, d.span[1]]
    entries: list[tuple[str, float | None]] = [(number(v), v) for v in known]
    if d.others_hit.any():
        entries.append(("can be pushed to a worse prediction", None))
    pen, ax, at = view.pen, view.ax, view.size[0]
    look = pen.type(SMALL) | {"va": "center_baseline", "clip_on": False}
    for words, v in reversed(entries):
        at -= typeface.width(words, SMALL) + 2.0
        pen.text(ax, 0.0, 1.0, words, "key", **look | {"transform": _corner(ax, at, 16.0)})
        at -= DOT
        _key_dot(d, pen, ax, at, v)
        at -= 18.0
    if known:
        several = any(g.rows > 1 for g in groups(d, view))
        words = f"{'larger dot: more rows;  ' * several}true label"
        at -= typeface.width(words, SMALL) - 6.0
        pen.text(ax, 0.0, 1.0, words, "key", **look | {"transform": _corner(ax, at, 16.0)})


def _key_dot(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, at: float, v: float | None) -> None:
    p = pen.palette
    face = "none" if v is None else p.prediction(share(d, v))
    look: dict[str, Any] = {"markerfacecolor": face, "markeredgecolor": p.unknown if v is None else p.ink}
    look |= {"markersize": DOT + (v is None), "markeredgewidth": 2.6 if v is None else 1.0, "clip_on": False}
    pen.keep("scale", ax.plot([0.0], [1.0], "o", transform=_corner(ax, at - 1.0, 17.0), **look)[0])


def frame_of(d: FeatureSpaceDisplay) -> PlaneBox:
    """The part of the plane that is shown: all that is told of, whoever is hurt, all borders."""
    spans = []
    for k in (0, 1):
        categories = d.categories[k]
        if categories is not None:
            spans.append((-0.6, len(categories) - 0.4))
            continue
        marks = [v for i in d.instances for v in (i.at[k], *(e for b in i.boxes for e in b[k]))]
        marks += [e for r in d.regions for e in (r.x, r.y)[k]] + d.others[d.others_hit, k].tolist()
        marks += np.quantile(d.others[:, k], ZOOM).tolist() if len(d.others) else []
        known = [m for m in marks if math.isfinite(m)] or [0.0]
        spans.append(_roomy(min(known), max(known), [m for r in d.regions for m in (r.x, r.y)[k]], k))
    return PlaneBox(spans[0], spans[1])


def _roomy(low: float, high: float, cuts: Sequence[float], k: int) -> Span:
    """Room around what is shown, for words and hops above it, and for the regions beyond the last borders; a
    single value is shown with a unit on either side.
    """
    if high == low:
        return low - 1.0, high + 1.0
    long = high - low
    before, after = (0.06, 0.06) if k == 0 else (0.13, 0.26)
    known = [c for c in cuts if math.isfinite(c)] or [(low + high) / 2]
    return (
        min(low - before * long, min(known) - WITHIN * long),
        max(high + after * long, max(known) + WITHIN * long),
    )


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


def _rectangles(region: Region, frame: PlaneBox) -> list[PlaneBox]:
    boxes = (PlaneBox(x, y) for x in _spans(region.x, frame.x) for y in _spans(region.y, frame.y))
    return [b for b in boxes if b.x[0] < b.x[1] and b.y[0] < b.y[1]]


def _region(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, region: Region, box: PlaneBox) -> None:
    color = ground(d, pen, region.prediction)
    look: dict[str, Any] = {"facecolor": color, "edgecolor": color, "linewidth": 0.6, "zorder": 0}
    pen.patch(ax, Rectangle((box.x[0], box.y[0]), box.x[1] - box.x[0], box.y[1] - box.y[0], **look), "region")


def borders(d: FeatureSpaceDisplay, frame: PlaneBox) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where the prediction changes: between regions that say the same there is no border."""
    boxes = [(r.prediction, b) for r in d.regions for b in _rectangles(r, frame)]
    cuts = [sorted({e for _, b in boxes for e in b[k]}) for k in (0, 1)]
    middles = [[(a + b) / 2 for a, b in pairwise(c)] for c in cuts]

    def prediction(x: float, y: float) -> float:
        return next(p for p, b in boxes if b.x[0] <= x <= b.x[1] and b.y[0] <= y <= b.y[1])

    cells = [[prediction(x, y) for y in middles[1]] for x in middles[0]]
    out = []
    for i in range(len(cells)):
        for j in range(len(cells[i])):
            if i and cells[i - 1][j] != cells[i][j]:
                out.append(((cuts[0][i], cuts[1][j]), (cuts[0][i], cuts[1][j + 1])))
            if j and cells[i][j - 1] != cells[i][j]:
                out.append(((cuts[0][i], cuts[1][j]), (cuts[0][i + 1], cuts[1][j])))
    return out


def _borders(d: FeatureSpaceDisplay, pen: Pen, ax: Axes, frame: PlaneBox) -> None:
    look: dict[str, Any] = {"colors": pen.palette.ink, "linewidths": 2.0, "zorder": 2.4}
    look |= {"capstyle": "projecting"}
    pen.keep("border", ax.add_collection(LineCollection(borders(d, frame), **look), autolim=False))


def _prediction(d: FeatureSpaceDisplay, view: PlaneView, region: Region, taken: list[PlaneBox]) -> None:
    """What a region predicts, in one line or two, where it is farthest from all rows and words; what is too
    small for that goes without.
    """
    ground_color = ground(d, view.pen, region.prediction)
    look = view.pen.type(HEAD, bold=True) | {"ha": "center", "va": "center", "zorder": 5}
    look |= {"bbox": {"facecolor": ground_color, "edgecolor": "none", "pad": 1.5}}
    for words in (f"predicts {number(region.prediction)}", f"predicts\n{number(region.prediction)}"):
        lines = words.split("\n")
        wide = max(typeface.width(line, HEAD, bold=True) for line in lines) + 12.0
        tall = (HEAD + 6.0) * len(lines) + 8.0
        boxes = [view.box(b) for b in _rectangles(region, view.frame)]
        boxes = [b for b in boxes if b.x[1] - b.x[0] > wide and b.y[1] - b.y[0] > tall]
        if boxes:
            x, y = view.back(*_quiet(d, view, boxes, (wide, tall), taken))
            view.pen.text(view.ax, x, y, words, "prediction", **look)
            return


def _quiet(
    d: FeatureSpaceDisplay, view: PlaneView, boxes: list[PlaneBox], size: Span, taken: list[PlaneBox]
) -> tuple[float, float]:
    """The middle of the place in the largest of some boxes that is farthest from rows and words."""
    big = max(boxes, key=lambda b: (b.x[1] - b.x[0]) * (b.y[1] - b.y[0]))
    ends = [(big[k][0] + size[k] / 2, big[k][1] - size[k] / 2) for k in (0, 1)]
    steps = sorted(np.linspace(0.0, 1.0, 9).tolist(), key=lambda s: abs(s - 0.5))
    spots = [
        tuple(a + s * (b - a) for s, (a, b) in zip(uv, ends, strict=True)) for uv in product(steps, steps)
    ]
    rows = [*taken, *(PlaneBox((x, x), (y, y)) for x, y in dots_of(d, view))]

    def room(spot: tuple[float, ...]) -> float:
        here = PlaneBox(*((spot[k] - size[k] / 2, spot[k] + size[k] / 2) for k in (0, 1)))
        return min([12.0, *(gap(here, other) for other in rows)])

    x, y = max(spots, key=room)
    return x, y


__all__ = ["borders", "draw", "frame_of", "ground"]

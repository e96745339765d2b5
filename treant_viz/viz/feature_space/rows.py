"""The rows in feature space: dots by their true label, what the attacker can make of a few, and their moves.

A hurt row stands on a hatched band (all that is in reach), and hops to where the attack leads, with the cost
on a coin. Everything but the dots themselves is laid out in points from the plane's lower left corner.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path

from treant_viz.viz.feature_space.dots import NAMED, Dots, groups, numbered, place, share
from treant_viz.viz.feature_space.facts import PlaneBox
from treant_viz.viz.feature_space.view import PlaneView, Point, around, common, nearest
from treant_viz.viz.style import typeface
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.style.text import name, number

if TYPE_CHECKING:
    from treant_viz.viz.feature_space.display import FeatureSpaceDisplay, Instance

BAND, SAFE = 17.0, 3.0  # points: what is in reach along one feature, of a row that is hurt and of others
RISE, FOOT = 24.0, 9.0  # of a hop above the band, and how far from the row it starts
TOLD = 11.0  # points across: an example
NUMBER, BROAD = 25.0, 26.0  # of a dot with its label in it, and of its band
LINE, FAR = 16.5, 22.0  # from line to line, and of words from their coin that have a leader
GHOST = 13.0  # points across, where a row would land
ALONG = (0.0, 15.0, -15.0, 32.0, -32.0, 50.0, -50.0)  # points that words are moved up or down from a coin


class Taken(NamedTuple):
    """What words should not cover: other words, bands and hops; borders; dots, and how much each matters."""

    boxes: list[PlaneBox]
    borders: list[PlaneBox]
    dots: list[tuple[Point, float]]


def draw_rows(
    d: FeatureSpaceDisplay, view: PlaneView, borders: Sequence[tuple[Point, Point]]
) -> list[PlaneBox]:
    """All rows; returns what their words and bands have taken, in points. Words keep clear of `borders`."""
    taken = [view.box(b) for i in d.instances for b in _moved(d, i)]
    taken = [PlaneBox((b.x[0] - 9, b.x[1] + 9), (b.y[0] - 10, b.y[1] + 10)) for b in taken]
    hops = [hop(d, view, i) for i in d.instances if i.moved_to is not None]
    taken += [b for h in hops for b in h.boxes]
    taken += _others(d, view, taken)
    lines = [view.box(PlaneBox((x0, x1), (y0, y1))) for (x0, y0), (x1, y1) in borders]
    for i in d.instances:
        _reach(d, view, i)
        _dot(d, view, i)
    for h in hops:
        _hop(view, h)
    here = Taken(taken, lines, list(_weights(d, view)))
    told: set[tuple[float, float]] = set()
    for i in sorted(d.instances, key=lambda i: -len(i.rows)):
        own = [h for h in hops if h.instance is i]
        if own and (i.before, i.after) not in told and len(told) < 2:
            told.add((i.before, i.after))
            taken.append(_told(d, view, own[0], here))
        else:
            box = _named(d, view, i, here)
            taken += [box] if box else []
    return taken


def dots_of(d: FeatureSpaceDisplay, view: PlaneView) -> list[Point]:
    """Where all dots stand, in points."""
    return [p for p, _ in _weights(d, view)]


def _weights(d: FeatureSpaceDisplay, view: PlaneView) -> Iterator[tuple[Point, float]]:
    """All dots, in points, and how bad it is to cover them."""
    yield from ((view.at(g.x, g.y), 200.0 if g.hit else 60.0) for g in groups(d, view))
    yield from ((view.at(*place(d, i, i.at)), 200.0) for i in d.instances)


def _others(d: FeatureSpaceDisplay, view: PlaneView, taken: list[PlaneBox]) -> list[PlaneBox]:
    """Pale dots in the shade of their label; who is hurt has a ring, and a number where several stand
    together.
    """
    p, pen, found = view.pen.palette, view.pen, sorted(groups(d, view), key=lambda g: (g.hit, -g.rows))
    if not found:
        return []
    look: dict[str, Any] = {
        "s": [g.across**2 for g in found],
        "facecolors": [to_rgba(p.prediction(share(d, g.label)), 0.85 if g.hit else 0.4) for g in found],
        "edgecolors": [to_rgba(p.unknown if g.hit else p.ink, 0.9 if g.hit else 0.5) for g in found],
        "linewidths": [2.0 if g.hit else 0.8 for g in found],
        "zorder": 3,
    }
    pen.keep("others", view.ax.scatter([g.x for g in found], [g.y for g in found], **look))
    return [_rows(d, view, g, taken) for g in found if g.hit and g.rows > 1]


def _rows(d: FeatureSpaceDisplay, view: PlaneView, g: Dots, taken: list[PlaneBox]) -> PlaneBox:
    """How many rows stand together: in their dot or, if that is small, right of it or, where something else
    is, left, above or below.
    """
    p, (x, y) = view.pen.palette, view.at(g.x, g.y)
    inside = typeface.width(str(g.rows), SMALL, bold=True) + 3.0 <= g.across
    words = f"{g.rows}"
    wide, far = typeface.width(words, SMALL, bold=True), g.across / 2 + 4.0
    places = [(x + far + wide / 2, y), (x - far - 10.0 - wide / 2, y), (x, y + far + 9.0), (x, y - far - 9.0)]
    places += [(x + 0.8 * far + wide / 2, y + up) for up in (far, -far, 1.8 * far)]
    spots = [around(spot, wide, 15.0) for spot in ([(x, y)] if inside else places)]
    box = min(spots, key=lambda b: sum(common(b, t) for t in taken))
    dark = inside and share(d, g.label) > 0.5
    put = view.pen.type(SMALL, bold=True, color=p.background if dark else p.words("unknown"))
    where = view.back(box.x[0], sum(box.y) / 2)
    view.pen.text(view.ax, *where, words, "rows", zorder=4, **put | {"va": "center_baseline"})
    return box


def _moved(d: FeatureSpaceDisplay, i: Instance) -> Iterator[PlaneBox]:
    """The boxes of a row where they are drawn, within the frame."""
    (x, y), (dx, dy) = i.at, place(d, i, (0.0, 0.0))
    for b in i.boxes or (PlaneBox((x, x), (y, y)),):
        yield PlaneBox((b.x[0] + dx, b.x[1] + dx), (b.y[0] + dy, b.y[1] + dy))


def _reach(d: FeatureSpaceDisplay, view: PlaneView, i: Instance) -> None:
    """What the attacker can reach, as large as it is: a band where a feature cannot change, whose width is
    only ink; nothing where none can. Of a row that nobody hurts, a plain line.
    """
    pen, hurt, role = view.pen, i.moved_to is not None, "box at risk" if i.at_risk else "box"
    fill = pen.fill("unknown") | {"linewidth": 1.2, "zorder": 2.2}
    plain: dict[str, Any] = {"facecolor": pen.palette.soft, "edgecolor": "none", "zorder": 2.1}
    for b in _moved(d, i):
        (x0, x1), (y0, y1) = (
            (max(b[k][0], view.frame[k][0]), min(b[k][1], view.frame[k][1])) for k in (0, 1)
        )
        pen.patch(view.ax, Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, linewidth=0), role)
        if (x0, y0) == (x1, y1):
            continue
        thick = ((BROAD if numbered(d) else BAND) if hurt else SAFE) / 2
        px, py = (thick / u for u in view.unit)
        px, py = px * (x0 == x1), py * (y0 == y1)
        look = fill if hurt else plain
        if not hurt and not (px or py):
            look = {"facecolor": "none", "edgecolor": pen.palette.soft, "linewidth": SAFE, "zorder": 2.1}
        band = Rectangle((x0 - px, y0 - py), x1 - x0 + 2 * px, y1 - y0 + 2 * py, **look)
        pen.patch(view.ax, band, "band" if hurt else "safe band")


def _dot(d: FeatureSpaceDisplay, view: PlaneView, i: Instance) -> None:
    p, (x, y), hurt = view.pen.palette, place(d, i, i.at), i.moved_to is not None
    fill, across = p.prediction(share(d, i.label)), NUMBER if numbered(d) else TOLD
    look: dict[str, Any] = {"markerfacecolor": fill, "linestyle": "none"}
    look |= {"markeredgecolor": p.unknown if hurt else p.ink, "markeredgewidth": 2.6 if hurt else 1.4}
    halo: dict[str, Any] = {"color": p.background, "linestyle": "none", "zorder": 6.5}
    view.ax.plot([x], [y], "o", markersize=across + 5.0, **halo)
    view.pen.keep("instance", view.ax.plot([x], [y], "o", markersize=across, zorder=7, **look)[0])
    if numbered(d):
        put = view.pen.type(SMALL, bold=True, color=p.on(fill)) | {"ha": "center", "va": "center_baseline"}
        view.pen.text(view.ax, x, y, number(i.label), "true label", zorder=7.5, **put)


class Hop(NamedTuple):
    """A move as it is drawn, in points: from the edge of a row's band over the top of an arc to its goal."""

    instance: Instance
    curve: tuple[Point, Point, Point]
    top: Point
    goal: Point

    @property
    def boxes(self) -> list[PlaneBox]:
        """The room that the coin and the arc take."""
        (a, b, c), steps = self.curve, (k / 8 for k in range(9))
        shares = [((1 - t) ** 2, 2 * t * (1 - t), t * t) for t in steps]
        arc = [tuple(p * a[k] + q * b[k] + r * c[k] for k in (0, 1)) for p, q, r in shares]
        return [around(self.top, 26.0, 26.0), *(around((x, y), 10.0, 10.0) for x, y in arc)]


def hop(d: FeatureSpaceDisplay, view: PlaneView, i: Instance) -> Hop:
    """Above the band; or below it, or beside one that goes up, where there is no room above."""
    assert i.moved_to is not None
    a, b = view.at(*place(d, i, i.at)), view.at(*place(d, i, i.moved_to))
    long = math.dist(a, b) or 1.0
    across, up = -(b[1] - a[1]) / long, (b[0] - a[0]) / long
    if up < -0.05 or (abs(up) <= 0.05 and across < 0.0):
        across, up = -across, -up
    rise, middle = max(RISE, 0.14 * long), ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    foot = NUMBER / 2 + 1.0 if numbered(d) else FOOT
    far = rise + foot + 14.0
    if middle[1] + up * far > view.size[1] or middle[0] + across * far > view.size[0]:
        across, up = -across, -up

    def lifted(point: Point, by: float) -> Point:
        return point[0] + across * by, point[1] + up * by

    curve = (lifted(a, foot), lifted(middle, foot + 2 * rise), lifted(b, FOOT))
    return Hop(i, curve, lifted(middle, foot + rise), b)


def _hop(view: PlaneView, h: Hop) -> None:
    """The arc with its coin, and a dashed ring where it lands: no row is there, but could be."""
    p, pen = view.pen.palette, view.pen
    curve = Path([view.back(*q) for q in h.curve], [1, 3, 3])
    for color, wide, role in ((p.background, 5.0, "move casing"), (p.attacker, 2.4, "move")):
        look: dict[str, Any] = {"mutation_scale": 16, "linewidth": wide, "color": color}
        look["arrowstyle"] = "-|>" if role == "move" else "-"
        pen.patch(view.ax, FancyArrowPatch(path=curve, zorder=6.2 + (role == "move") / 10, **look), role)
    end: dict[str, Any] = {
        "facecolors": p.background,
        "edgecolors": p.ink,
        "linewidths": 1.8,
        "zorder": 6,
    }
    x, y = view.back(*h.goal)
    pen.keep("end", view.ax.scatter([x], [y], s=[GHOST**2], linestyles=[(0, (1.8, 1.2))], **end))
    coin(pen, view.ax, *view.back(*h.top), h.instance.cost, zorder=9)


def _told(d: FeatureSpaceDisplay, view: PlaneView, h: Hop, taken: Taken) -> PlaneBox:
    """Beside the coin of a hop, who it is, and what the attack does: where fewest dots are covered."""
    i = h.instance
    lines = (
        f"{name(i.name, 18)}: predicted {number(i.before)} → {number(i.after)}",
        f"true label {number(i.label)}",
    )[: 1 if numbered(d) else 2]
    wide = max(typeface.width(w, SMALL, bold=not k) for k, w in enumerate(lines)) + 8.0
    tall, (x, y) = len(lines) * LINE + 2.0, h.top
    shifts = [(s * (wide / 2 + far), v) for far in (17.0, 34.0, 52.0) for v in ALONG for s in (1, -1)]
    shifts += [
        (s * wide / 2, v * (tall / 2 + far)) for far in (15.0, 34.0) for v in (1, -1) for s in (0, 1, -1)
    ]
    boxes = [around((x + dx, y + dy), wide, tall) for dx, dy in shifts]
    row = view.at(*place(d, i, i.at))
    way = -1.0 if h.goal[0] > row[0] else 1.0
    near = [(way * (wide / 2 + 14.0), v) for v in ALONG[:3]]  # beside the row itself, or below its band
    near += [(s * wide / 2, -tall / 2 - 14.0) for s in (-way, way, 0.0)]
    boxes += [around((row[0] + dx, row[1] + dy), wide, tall) for dx, dy in near]
    box = _best(view, boxes, taken, start=h.top)
    left, top = box.x[0] + 4.0, box.y[1] - 1.0
    if _covered(box, taken, None) > 0.0:
        _ground(view, box)
    if math.dist(row, nearest(box, row)) > FAR:
        _leader(view, h.top, box)
    for k, words in enumerate(lines):
        color = view.pen.palette.ink if k == 0 else view.pen.palette.soft
        put = view.pen.type(SMALL, bold=k == 0, color=color) | {"va": "top", "zorder": 8}
        view.pen.text(view.ax, *view.back(left, top - LINE * k), words, "label", **put)
    return box


def _leader(view: PlaneView, top: Point, box: PlaneBox) -> None:
    """From a coin to words that do not stand beside it."""
    end = nearest(box, top)
    if math.dist(top, end) > FAR:
        (x0, y0), (x1, y1) = view.back(*top), view.back(*end)
        view.pen.keep("leader", view.ax.plot([x0, x1], [y0, y1], color=view.pen.palette.ink, linewidth=1.0,
                                             zorder=7.6)[0])  # fmt: skip


def _ground(view: PlaneView, box: PlaneBox) -> None:
    """Quiet ground for words."""
    (x0, y0), (x1, y1) = view.back(box.x[0], box.y[0]), view.back(box.x[1], box.y[1])
    look: dict[str, Any] = {"facecolor": view.pen.palette.background, "edgecolor": "none", "alpha": 0.85}
    view.pen.patch(view.ax, Rectangle((x0, y0), x1 - x0, y1 - y0, zorder=7.5, **look), "ground")


def _named(d: FeatureSpaceDisplay, view: PlaneView, i: Instance, taken: Taken) -> PlaneBox | None:
    """A row's name, below it or above, where there is room."""
    words, (x, y) = name(i.name, 18), view.at(*place(d, i, i.at))
    wide = typeface.width(words, SMALL) + 4.0
    far = (BROAD if numbered(d) else BAND) / 2 + 10.0
    spots = [(x, y - far), (x, y + far), (x + wide / 2 + 12, y), (x - wide / 2 - 12, y)]
    box = _best(view, [around(spot, wide, LINE) for spot in spots], taken, own=(x, y))
    covers = sum(common(box, t) for t in taken.boxes) > 0.2 * wide * LINE
    if i.moved_to is None and (covers or len(d.instances) > NAMED):
        return None  # its dot has to do
    put = view.pen.type(SMALL) | {"ha": "center", "va": "center_baseline", "zorder": 8}
    at = ((box.x[0] + box.x[1]) / 2, (box.y[0] + box.y[1]) / 2)
    view.pen.text(view.ax, *view.back(*at), words, "label", **put)
    return box


def _best(
    view: PlaneView,
    boxes: list[PlaneBox],
    taken: Taken,
    own: Point | None = None,
    start: Point | None = None,
) -> PlaneBox:
    """The first of the boxes that cover least, better near the start; none leaves the plane."""

    def inside(b: PlaneBox) -> PlaneBox:
        shift = [max(3.0 - b[k][0], 0.0) - max(b[k][1] + 3.0 - view.size[k], 0.0) for k in (0, 1)]
        return PlaneBox(*((b[k][0] + shift[k], b[k][1] + shift[k]) for k in (0, 1)))

    def costs(b: PlaneBox) -> float:
        away = 0.0 if start is None else min(math.dist(start, nearest(b, start)), 50.0)
        return _covered(b, taken, own) + 0.5 * away

    return min(map(inside, boxes), key=costs)


def _covered(b: PlaneBox, taken: Taken, own: Point | None) -> float:
    """How much a box would cover: words, bands and hops by their area, dots and borders by their number."""
    words = sum(common(b, t) for t in taken.boxes)
    dots = sum(w for p, w in taken.dots if p != own and all(b[k][0] - 5 < p[k] < b[k][1] + 5 for k in (0, 1)))
    crossed = sum(
        all(q[1] > p[0] and q[0] < p[1] for p, q in zip(b, line, strict=True)) for line in taken.borders
    )
    return words + dots + 400.0 * crossed


__all__ = ["Hop", "dots_of", "draw_rows", "groups", "hop", "numbered", "share"]

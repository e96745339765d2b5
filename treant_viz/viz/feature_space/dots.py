"""Where the dots of feature space stand, how large they are, and whether labels are written in them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from treant_viz.viz.feature_space.facts import PlaneBox, Region
from treant_viz.viz.feature_space.view import PlaneView, Point
from treant_viz.viz.style.text import number

if TYPE_CHECKING:
    from treant_viz.viz.feature_space.display import FeatureSpaceDisplay, Instance

SLOT = 0.36  # half the width of a category
ONE, MANY, LEAST = 7.0, 28.0, 6.0  # points across: one row; at most, and at least, where many stand together
NAMED = 7  # rows that all have their names


def share(d: FeatureSpaceDisplay, v: float) -> float:
    """Where a prediction or a label lies on the scale."""
    low, high = d.span
    return (v - low) / ((high - low) or 1.0)


class Dots(NamedTuple):
    """Rows at one point with one label, where they are drawn, and whether the attacker hurts them."""

    x: float
    y: float
    label: float
    hit: bool
    rows: int
    across: float  # in points; its area is that of its rows


def groups(d: FeatureSpaceDisplay, view: PlaneView) -> list[Dots]:
    """Rows that are not told of, those at one point in one dot as large as they are many; dots of two labels
    stand above each other, or beside each other where a border is too close for that. None leaves its region.
    """
    found: dict[Point, dict[float, list[int]]] = {}
    for k, (x, y) in enumerate(d.others.tolist()):
        found.setdefault((x, y), {}).setdefault(float(d.others_label[k]), []).append(k)
    most = max((len(rows) for labels in found.values() for rows in labels.values()), default=1)
    one = min(ONE, MANY / math.sqrt(most))
    out = []
    for n, ((x, y), labels) in enumerate(sorted(found.items())):
        sizes = {v: max(LEAST, one * math.sqrt(len(rows))) for v, rows in sorted(labels.items())}
        spots = _spots(d, view, (x, y), n, list(sizes.values()))
        for (label, across), (px, py) in zip(sizes.items(), spots, strict=True):
            rows = labels[label]
            out.append(Dots(px, py, label, bool(d.others_hit[rows[0]]), len(rows), across))
    return out


def _spots(d: FeatureSpaceDisplay, view: PlaneView, at: Point, n: int, sizes: list[float]) -> list[Point]:
    """Where the dots of one point stand: on it, or as close to it as they are on its side of all borders."""
    far = [sum(sizes[:k]) + sizes[k] / 2 + 2.5 * k - (sum(sizes) + 2.5 * (len(sizes) - 1)) / 2
           for k in range(len(sizes))]  # fmt: skip
    home = next((r for r in d.regions if r.meets(PlaneBox((at[0], at[0]), (at[1], at[1])))), None)
    best: list[Point] = []
    for axis in (1, 0):
        shifts = [(f / view.unit[0] * (axis == 0), f / view.unit[1] * (axis == 1)) for f in far]
        best = [_kept(d, view, home, (at[0] + dx, at[1] + dy), size)
                for (dx, dy), size in zip(shifts, sizes, strict=True)]  # fmt: skip
        gaps = [math.dist(view.at(*p), view.at(*q)) for p, q in pairwise(best)]
        if all(g >= (a + b) / 2 for g, (a, b) in zip(gaps, pairwise(sizes), strict=True)):
            break
    return [(x + _slot(d, 0, n), y + _slot(d, 1, n)) for x, y in best]


def _kept(d: FeatureSpaceDisplay, view: PlaneView, home: Region | None, at: Point, size: float) -> Point:
    """A dot that would lie over a border of its region stands just inside."""
    out = []
    for k, extent in enumerate((home.x, home.y) if home else (None, None)):
        v, room = at[k], (size / 2 + 1.5) / view.unit[k]
        if extent is not None and not isinstance(extent, frozenset) and extent[1] - extent[0] > 2 * room:
            v = min(max(v, extent[0] + room), extent[1] - room)
        out.append(v)
    return out[0], out[1]


def numbered(d: FeatureSpaceDisplay) -> bool:
    """Are the rows so few that each has its label written in its dot?"""
    short = all(len(number(i.label)) <= 3 for i in d.instances)
    return short and not len(d.others) and len(d.instances) <= NAMED


def _slot(d: FeatureSpaceDisplay, k: int, n: int) -> float:
    """Along a category, there is room for rows side by side."""
    return 0.0 if d.categories[k] is None else (n * 0.6180339887 % 1.0 - 0.5) * 1.4 * SLOT


def place(d: FeatureSpaceDisplay, i: Instance, at: Point) -> Point:
    """Where a point is drawn: categories have room for rows side by side."""
    return at[0] + _slot(d, 0, i.rows[0]), at[1] + _slot(d, 1, i.rows[0])


__all__ = ["NAMED", "Dots", "groups", "numbered", "place", "share"]

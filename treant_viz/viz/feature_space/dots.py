"""Where the dots of feature space stand, how large they are, and whether labels are written in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

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
    stand side by side.
    """
    found: dict[Point, dict[float, list[int]]] = {}
    for k, (x, y) in enumerate(d.others.tolist()):
        found.setdefault((x, y), {}).setdefault(float(d.others_label[k]), []).append(k)
    most = max((len(rows) for labels in found.values() for rows in labels.values()), default=1)
    one = min(ONE, MANY / math.sqrt(most))
    out = []
    for n, ((x, y), labels) in enumerate(sorted(found.items())):
        dx, dy = (_slot(d, k, n) for k in (0, 1))
        sizes = {v: max(LEAST, one * math.sqrt(len(rows))) for v, rows in labels.items()}
        aside = -(sum(sizes.values()) + 2.5 * (len(sizes) - 1)) / 2
        for label, rows in sorted(labels.items()):
            at = x + dx + (aside + sizes[label] / 2) / view.unit[0]
            aside += sizes[label] + 2.5
            out.append(Dots(at, y + dy, label, bool(d.others_hit[rows[0]]), len(rows), sizes[label]))
    return out


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

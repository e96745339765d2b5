"""Room on a map: where words may stand without covering marks, lines or other words.

Everything is in points from the lower left corner of the axes.

>>> room = Room(200.0, 100.0)
>>> room.keep_clear([(50.0, 50.0)], 5.0)
>>> room.put([(50.0, 50.0), (120.0, 50.0)], 40.0, 14.0)
(120.0, 50.0)
>>> room.clear(120.0, 52.0, 10.0, 10.0), room.clear(20.0, 20.0, 10.0, 10.0)
(False, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.style.typeface import width

Place = tuple[float, float]
EDGE = 5.0  # points that stay free at the border
LINE = 1.25  # from line to line, in sizes


class Room:
    """Axes whose limits and shape are settled, and what is taken of them."""

    def __init__(self, wide: float, high: float) -> None:
        self.wide, self.high = wide, high
        self._boxes = np.empty((0, 4))  # left, lower, right, upper

    @classmethod
    def of(cls, ax: Axes) -> Room:
        box: Any = ax.get_window_extent()
        dot = ax.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
        return cls(float(box.width) / dot, float(box.height) / dot)

    def keep_clear(self, points: Iterable[Place], around: float) -> None:
        """Nothing may stand closer than this to these points."""
        xy = np.array([*points], dtype=float).reshape(-1, 2)
        self._boxes = np.vstack([self._boxes, np.column_stack([xy - around, xy + around])])

    def clear(self, x: float, y: float, wide: float, high: float) -> bool:
        """Is a box around a place within the axes and off all that is taken?"""
        return self._taken(x, y, wide, high) == 0 and self._inside(x, y, wide, high)

    def put(self, places: Sequence[Place], wide: float, high: float) -> Place:
        """The first of the places with room for a box, or the one that covers least; it is taken."""
        inside = [p for p in places if self._inside(p[0], p[1], wide, high)]
        found = min(inside or places, key=lambda p: self._taken(p[0], p[1], wide, high))
        self.take(found[0], found[1], wide, high)
        return found

    def take(self, x: float, y: float, wide: float, high: float) -> None:
        box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
        self._boxes = np.vstack([self._boxes, box])

    def _inside(self, x: float, y: float, wide: float, high: float) -> bool:
        across, up = wide / 2 + EDGE, high / 2 + EDGE
        return across <= x <= self.wide - across and up <= y <= self.high - up

    def _taken(self, x: float, y: float, wide: float, high: float) -> int:
        left, lower, right, upper = self._boxes.T
        across = (left < x + wide / 2) & (right > x - wide / 2)
        return int((across & (lower < y + high / 2) & (upper > y - high / 2)).sum())


def beside(at: Place, wide: float, high: float, away: float) -> list[Place]:
    """Middles of boxes around a point: right, left, above and below it, and at its corners."""
    (x, y), across, up = at, away + wide / 2, away + high / 2
    sides = [(x + across, y), (x - across, y)]
    near = 0.35 * wide
    slanting = [(x + s * (near + away), y + v * up) for v in (1, -1) for s in (1, -1)]
    return [*sides, *slanting, (x, y + up), (x, y - up)]


def extent(words: str, size: float, *, bold: bool = False) -> Place:
    """How wide and how high words are."""
    lines = words.split("\n")
    return max(width(line, size, bold=bold) for line in lines) * 1.04, LINE * size * len(lines)


__all__ = ["LINE", "Place", "Room", "beside", "extent"]

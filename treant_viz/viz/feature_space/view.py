"""A plane as it lies on the page, in points from its lower left corner, and boxes there."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes

from treant_viz.viz.feature_space.facts import PlaneBox
from treant_viz.viz.style.pen import Pen, size_of

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlaneView:
    """The axes, the part of the plane that they show, and how many points a unit is long."""

    pen: Pen
    ax: Axes
    frame: PlaneBox
    unit: Point

    @classmethod
    def of(cls, pen: Pen, ax: Axes, frame: PlaneBox) -> PlaneView:
        wide, tall = size_of(ax)
        return cls(pen, ax, frame, (wide / (frame.x[1] - frame.x[0]), tall / (frame.y[1] - frame.y[0])))

    def at(self, x: float, y: float) -> Point:
        return (x - self.frame.x[0]) * self.unit[0], (y - self.frame.y[0]) * self.unit[1]

    def back(self, x: float, y: float) -> Point:
        return x / self.unit[0] + self.frame.x[0], y / self.unit[1] + self.frame.y[0]

    def box(self, b: PlaneBox) -> PlaneBox:
        (x0, y0), (x1, y1) = self.at(b.x[0], b.y[0]), self.at(b.x[1], b.y[1])
        return PlaneBox((x0, x1), (y0, y1))

    @property
    def size(self) -> Point:
        x, y = self.frame
        return (x[1] - x[0]) * self.unit[0], (y[1] - y[0]) * self.unit[1]


def around(spot: Point, wide: float, tall: float) -> PlaneBox:
    """A box of this size with its middle there."""
    return PlaneBox((spot[0] - wide / 2, spot[0] + wide / 2), (spot[1] - tall / 2, spot[1] + tall / 2))


def common(a: PlaneBox, b: PlaneBox) -> float:
    """How much two boxes have in common."""
    x, y = (min(p[1], q[1]) - max(p[0], q[0]) for p, q in zip(a, b, strict=True))
    return x * y if x > 0.0 and y > 0.0 else 0.0


def nearest(b: PlaneBox, p: Point) -> Point:
    """The point of a box that is nearest to another."""
    return min(max(p[0], b.x[0]), b.x[1]), min(max(p[1], b.y[0]), b.y[1])


def gap(a: PlaneBox, b: PlaneBox) -> float:
    """How far two boxes are from each other; less than nothing if they overlap."""
    return max(max(q[0] - p[1], p[0] - q[1]) for p, q in zip(a, b, strict=True))


__all__ = ["PlaneView", "Point", "around", "common", "gap", "nearest"]

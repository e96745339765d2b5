"""Where the nodes of a tree stand: geometry only, nothing drawn.

A tidy layout in the manner of Reingold and Tilford: levels are aligned at the top, a parent stands in the
middle above its children, subtrees are as close as their contours allow, and a mirrored tree gives the
mirrored picture. It takes time linear in the number of nodes, because two contours are only compared as far
down as the shorter one goes.

>>> from treant_viz.core.tree import Leaf, Node
>>> place = layout(Node("p", 1.0, Leaf(-1.5), Leaf(1.6)), lambda path: (40.0, 20.0), across=10.0, down=30.0)
>>> place.width, place.height, place[""]
(90.0, 70.0, LayoutBox(left=25.0, bottom=50.0, width=40.0, height=20.0))
>>> place["r"]
LayoutBox(left=50.0, bottom=0.0, width=40.0, height=20.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from treant_viz.core.tree import Node, Tree, walk

Size = tuple[float, float]
Sizes = Callable[[str], Size] | Mapping[str, Size]


class LayoutBox(NamedTuple):
    """A rectangle; y grows upwards."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def top(self) -> float:
        return self.bottom + self.height

    @property
    def x(self) -> float:
        """The middle, from left to right."""
        return self.left + self.width / 2

    @property
    def y(self) -> float:
        """The middle, from bottom to top."""
        return self.bottom + self.height / 2

    def grown(self, by: float) -> LayoutBox:
        """The box with a margin around it (inside it, if negative)."""
        return LayoutBox(self.left - by, self.bottom - by, self.width + 2 * by, self.height + 2 * by)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A box for every path; all lie in [0, width] x [0, height]. `floors` is where each level ends, from
    the root.
    """

    boxes: Mapping[str, LayoutBox]
    floors: tuple[float, ...]
    width: float
    height: float

    def __getitem__(self, path: str) -> LayoutBox:
        return self.boxes[path]


def layout(tree: Tree, size: Sizes, *, across: float = 18.0, down: float = 46.0) -> Layout:
    """Boxes for all nodes: `size` gives (width, height) by path, `across` and `down` are the least gaps."""
    for label, gap in (("across", across), ("down", down)):
        if not 0 <= gap < math.inf:
            raise ValueError(f"{label}: expected a finite gap of at least 0, got {gap!r}")
    inner = {path: isinstance(node, Node) for path, node in walk(tree)}
    sizes = {path: _checked(size, path) for path in inner}
    x = _middles(inner, {path: w for path, (w, _) in sizes.items()}, across)
    start = min(x[path] - w / 2 for path, (w, _) in sizes.items())
    end = max(x[path] + w / 2 for path, (w, _) in sizes.items())
    tops, floors = _levels(sizes, down)
    boxes = {
        path: LayoutBox(x[path] - w / 2 - start, tops[len(path)] - h, w, h) for path, (w, h) in sizes.items()
    }
    return Layout(boxes, floors, end - start, tops[0])


def _checked(size: Sizes, path: str) -> Size:
    width, height = size[path] if isinstance(size, Mapping) else size(path)
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise ValueError(
            f"size: expected a finite width and height above 0 for {path!r}, got {(width, height)!r}"
        )
    return float(width), float(height)


def _levels(sizes: Mapping[str, Size], down: float) -> tuple[list[float], tuple[float, ...]]:
    """Where each level starts and ends, from the root down; the last one ends at 0."""
    tall = [0.0] * (1 + max(map(len, sizes)))
    for path, (_, height) in sizes.items():
        tall[len(path)] = max(tall[len(path)], height)
    tops, floors, y = [], [], sum(tall) + down * (len(tall) - 1)
    for height in tall:
        tops.append(y)
        floors.append(y - height)
        y -= height + down
    return tops, tuple(floors)


@dataclass(slots=True)
class _Contour:
    """The outline of a subtree, deepest level first; what is added to a whole side is kept apart."""

    left: list[float]
    right: list[float]
    left_shift: float = 0.0
    right_shift: float = 0.0

    def moved(self, by: float) -> None:
        self.left_shift += by
        self.right_shift += by

    def distance(self, other: _Contour, gap: float) -> float:
        """How far apart two roots must be so that no level overlaps; `other` is on the right."""
        levels = range(1, min(len(self.left), len(other.left)) + 1)
        overlap = max(self.right[-i] - other.left[-i] for i in levels)
        return overlap + self.right_shift - other.left_shift + gap

    def joined(self, other: _Contour) -> _Contour:
        """The outline of both, from the left side of this one and the right side of the other."""
        a, b = self, other
        if len(a.left) >= len(b.left):
            a.right[len(a.right) - len(b.right) :] = [v + b.right_shift - a.right_shift for v in b.right]
            return a
        b.left[len(b.left) - len(a.left) :] = [v + a.left_shift - b.left_shift for v in a.left]
        return b

    def under(self, width: float) -> _Contour:
        """The outline with a root on top, in the middle at 0."""
        self.left.append(-width / 2 - self.left_shift)
        self.right.append(width / 2 - self.right_shift)
        return self


def _middles(inner: Mapping[str, bool], widths: Mapping[str, float], gap: float) -> dict[str, float]:
    """Where the middle of each node is, the root's at 0."""
    contours: dict[str, _Contour] = {}
    apart: dict[str, float] = {}
    for path in reversed(list(inner)):
        if inner[path]:
            a, b = contours.pop(path + "l"), contours.pop(path + "r")
            apart[path] = a.distance(b, gap)
            a.moved(-apart[path] / 2)
            b.moved(apart[path] / 2)
            contours[path] = a.joined(b).under(widths[path])
        else:
            contours[path] = _Contour([-widths[path] / 2], [widths[path] / 2])
    x = {"": 0.0}
    for path, distance in ((p, apart[p]) for p in inner if inner[p]):
        x[path + "l"], x[path + "r"] = x[path] - distance / 2, x[path] + distance / 2
    return x


__all__ = ["Layout", "LayoutBox", "layout"]

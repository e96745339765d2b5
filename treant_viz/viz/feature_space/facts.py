"""A tree seen in the plane of two features: its regions, and what the attacker can reach there. Numbers,
nothing drawn.

Values are those of `Schema.matrix`: a category is its place. The other features stand still.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.reach import reach_categories, reach_numbers
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Node, Tree, threshold_number

Span = tuple[float, float]
Extent = Span | frozenset[int]  # (low, high] of numbers, or places of categories


class PlaneBox(NamedTuple):
    """A closed rectangle; a category is a span of no length at its place."""

    x: Span
    y: Span


@dataclass(frozen=True, slots=True)
class Region:
    """Where the tree makes one prediction: the extents in both features."""

    prediction: float
    x: Extent
    y: Extent

    def meets(self, box: PlaneBox) -> bool:
        return _meets(self.x, box.x) and _meets(self.y, box.y)


def _meets(extent: Extent, span: Span) -> bool:
    if isinstance(extent, frozenset):
        return int(span[0]) in extent
    return span[1] > extent[0] and span[0] <= extent[1]


def in_plane(t: Tree, row: np.ndarray, keep: Sequence[int], schema: Schema) -> Tree:
    """The tree once all features but those to keep have the values of a row; tests that decide nothing are
    gone.
    """
    if isinstance(t, Leaf):
        return Leaf(t.prediction)
    f, v = threshold_number(t, schema)
    if f not in keep:
        left = row[f] == v if t.test == "==" else row[f] <= v
        return in_plane(t.left if left else t.right, row, keep, schema)
    sides = (in_plane(u, row, keep, schema) for u in (t.left, t.right))
    left_, right_ = sides
    return left_ if left_ == right_ else Node(t.feature, t.threshold, left_, right_, t.test)


def regions(t: Tree, keep: Sequence[int], schema: Schema) -> tuple[Region, ...]:
    """The regions of a tree that tests these two features only."""
    return tuple(regions_by_path(t, keep, schema).values())


def regions_by_path(t: Tree, keep: Sequence[int], schema: Schema) -> dict[str, Region]:
    """The same with the path of each region's leaf; leaves that no point gets to have none."""
    return dict(_regions(t, "", [whole(schema, f) for f in keep], keep, schema))


def whole(schema: Schema, f: int) -> Extent:
    categories = schema.columns[f].categories
    return (-math.inf, math.inf) if categories is None else frozenset(range(len(categories)))


def _regions(
    t: Tree, path: str, extents: list[Extent], keep: Sequence[int], schema: Schema
) -> Iterator[tuple[str, Region]]:
    if isinstance(t, Leaf):
        yield path, Region(t.prediction, extents[0], extents[1])
        return
    f, v = threshold_number(t, schema)
    i = list(keep).index(f)
    for side, u in enumerate((t.left, t.right)):
        part = _cut(extents[i], v)[side]
        if part if isinstance(part, frozenset) else part[0] < part[1]:
            yield from _regions(u, path + "lr"[side], [*extents[:i], part, *extents[i + 1 :]], keep, schema)


def _cut(extent: Extent, v: float) -> tuple[Extent, Extent]:
    if isinstance(extent, frozenset):
        return extent & {int(v)}, extent - {int(v)}
    return (extent[0], min(extent[1], v)), (max(extent[0], v), extent[1])


@dataclass(slots=True, eq=False)
class PlaneReach:
    """What the attacker can make of points of the plane, within one budget for both features."""

    schema: Schema
    attacker: Attacker
    keep: tuple[int, int]
    _known: dict[tuple[int, float], list[tuple[float, list[Span]]]]

    @classmethod
    def of(cls, schema: Schema, attacker: Attacker, keep: tuple[int, int]) -> PlaneReach:
        return cls(schema, attacker, keep, {})

    def boxes(self, x: float, y: float) -> tuple[PlaneBox, ...]:
        """The boxes whose union can be reached: one for each way to divide the budget."""
        limit, out = self.attacker.limit, dict[PlaneBox, None]()
        across, up = self.levels(self.keep[0], x), self.levels(self.keep[1], y)
        for cost, spans in across:
            best = [s for c, s in up if cost + c <= limit][-1:]
            out |= {PlaneBox(a, b): None for a in spans for s in best for b in s}
        return tuple(b for b in out if not any(_inside(b, c) for c in out if c != b))

    def levels(self, f: int, value: float) -> list[tuple[float, list[Span]]]:
        """Costs within the budget, in order, and all that can be had at each."""
        if (f, value) not in self._known:
            rules = rules_by_column(self.attacker, self.schema).get(f, ())
            categories = self.schema.columns[f].categories
            found = (
                self._numbers(value, rules) if categories is None else self._places(value, categories, rules)
            )
            self._known[f, value] = found
        return self._known[f, value]

    def _numbers(self, value: float, rules: Any) -> list[tuple[float, list[Span]]]:
        reach = reach_numbers(np.array([value]), rules, self.attacker.limit, whole=True)
        pieces = ((float(c), p) for c, p in zip(reach.costs, reach.pieces, strict=True))
        return [(c, [(float(a), float(b)) for a, b in zip(p.low, p.high, strict=True)]) for c, p in pieces]

    def _places(self, value: float, categories: Sequence[Any], rules: Any) -> list[tuple[float, list[Span]]]:
        cost = reach_categories(categories, rules).cost[int(value), : len(categories)]
        levels = sorted({c for c in cost.tolist() if c <= self.attacker.limit})
        return [(c, [(float(j), float(j)) for j in np.flatnonzero(cost <= c)]) for c in levels]


def _inside(small: PlaneBox, big: PlaneBox) -> bool:
    return all(b[0] <= a[0] and a[1] <= b[1] for a, b in zip(small, big, strict=True))


def predictions_in(boxes: Iterable[PlaneBox], found: Sequence[Region]) -> frozenset[float]:
    """What the tree can be made to say."""
    return frozenset(r.prediction for b in boxes for r in found if r.meets(b))


def standing(
    schema: Schema, M: np.ndarray, keep: tuple[int, int], fixed: Mapping[Any, Any] | None
) -> np.ndarray:
    """The values of the features that stand still; those of the plane do not matter."""
    row = np.array([_middle(M[:, j], c.categorical) for j, c in enumerate(schema.columns)])
    for feature, value in (fixed or {}).items():
        f = schema.index(feature, who="fixed:")
        if f in keep:
            raise ValueError(f"fixed: {feature!r} is shown, so it cannot be held still")
        categories = schema.columns[f].categories
        if categories is not None and value not in categories:
            raise ValueError(f"fixed: {value!r} is no category of {feature!r}")
        row[f] = float(value) if categories is None else categories.index(value)
    return row


def _middle(x: np.ndarray, categorical: bool) -> float:
    return float(np.bincount(x.astype(int)).argmax()) if categorical else float(np.median(x))


__all__ = [
    "Extent",
    "PlaneBox",
    "PlaneReach",
    "Region",
    "Span",
    "in_plane",
    "predictions_in",
    "regions",
    "regions_by_path",
    "standing",
    "whole",
]

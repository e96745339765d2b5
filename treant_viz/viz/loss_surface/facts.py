"""L^A of one stump as a function of its two leaves, and the leaves that the constraints allow: numbers,
nothing drawn. What the live picture is given of it is in `live_facts.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.constraints import Constraint, feasible_set
from treant_viz.core.losses import Loss, Pieces
from treant_viz.trace.trace import Trace
from treant_viz.viz.ternary_partition.facts import NodeRows, threshold_in

LEVELS = 9  # contours of a landscape
MOST, BETWEEN = 8, 3.0  # round contours, and how many of them lie between the two best pairs
ZOOMS = 13  # each looks at a grid eight times as fine


Span = tuple[float, float]


class LabelMasses(NamedTuple):
    """Distinct labels and how much there is of each."""

    y: np.ndarray
    w: np.ndarray


class LeafPair(NamedTuple):
    """Two leaves and what they cost under attack."""

    y_l: float
    y_r: float
    loss: float


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The labels on either side and between them, the predictions allowed on either side, and (`home`) the
    labels on either side if nobody attacks.
    """

    loss: Loss
    left: LabelMasses
    unknown: LabelMasses
    right: LabelMasses
    allowed_l: Pieces
    allowed_r: Pieces
    home: tuple[LabelMasses, LabelMasses]

    @classmethod
    def at(
        cls, trace: Trace, path: str, feature: Any, threshold: Any, *, constrained: bool = True
    ) -> Surface:
        """The surface of a candidate at a step of a trace."""
        rows = NodeRows.at(trace, path, feature)
        _, v = threshold_in(rows, threshold)
        part = rows.part(v)
        side, stays = part.side, part.unattacked
        left, unknown, right = (_labels(rows.y[side == s], rows.weight[side == s]) for s in range(3))
        allowed_l, allowed_r = _allowed(trace, rows, v, trace.at(path).constraints if constrained else ())
        home_l, home_r = (_labels(rows.y[at], rows.weight[at]) for at in (stays, ~stays))
        return cls(trace.loss, left, unknown, right, allowed_l, allowed_r, (home_l, home_r))

    def value(self, y_l: Any, y_r: Any) -> np.ndarray:
        """L^A at (y_l, y_r), elementwise."""
        y_l, y_r = np.asarray(y_l, dtype=float), np.asarray(y_r, dtype=float)
        ell = self.loss.ell
        total = np.zeros(np.broadcast_shapes(y_l.shape, y_r.shape))
        for y, w in zip(*self.left, strict=True):
            total = total + w * ell(y_l, y)
        for y, w in zip(*self.right, strict=True):
            total = total + w * ell(y_r, y)
        for y, w in zip(*self.unknown, strict=True):
            total = total + w * np.maximum(ell(y_l, y), ell(y_r, y))
        return total

    def unattacked(self, y_l: Any, y_r: Any) -> np.ndarray:
        """L at (y_l, y_r), elementwise."""
        ell, sides = self.loss.ell, zip((y_l, y_r), self.home, strict=True)
        found = (
            w * ell(np.asarray(p, dtype=float), y) for p, group in sides for y, w in zip(*group, strict=True)
        )
        return np.asarray(sum(found))

    def point(self, y_l: float, y_r: float) -> LeafPair:
        return LeafPair(float(y_l), float(y_r), float(self.value(y_l, y_r)))

    def feasible(self, y_l: float, y_r: float, slack: float = 1e-6) -> bool:
        """Do both leaves satisfy the constraints, but for rounding?"""
        sides = ((y_l, self.allowed_l), (y_r, self.allowed_r))
        return all(any(a - slack <= p <= b + slack for a, b in pieces) for p, pieces in sides)

    def creases(self, most: int = 8) -> list[float | None]:
        """Where an unknown row hurts equally on both sides: None for the diagonal, s for y_l + y_r = s."""
        if not len(self.unknown.y):
            return []
        sums = [] if self.loss.binary else (2 * self.unknown.y).tolist()
        chosen = np.unique(np.linspace(0, len(sums) - 1, min(most, len(sums))).round().astype(int))
        return [None, *(sums[i] for i in chosen)]

    def span(self) -> tuple[float, float]:
        """Between the least and the greatest label, and the ends of what is allowed."""
        if self.loss.binary:
            return self.loss.low, self.loss.high
        ends = [e for pieces in (self.allowed_l, self.allowed_r) for piece in pieces for e in piece]
        marks = [*(y for group in (self.left, self.unknown, self.right) for y in group.y.tolist()), *ends]
        known = [m for m in marks if math.isfinite(m)]
        return min(known), max(known)

    def flat(self, p: LeafPair) -> tuple[Span, Span]:
        """How far either leaf can be moved from a best point, the other one staying, at no loss at all.

        A leaf that hurts some row more than the other does has one best value, so that best points are a
        single point or a segment along an axis.
        """
        low, high = self.span()
        if not self.loss.binary:  # beyond 2 high - low, a leaf loses more on any row than the other leaf does
            low, high = 2 * low - high, 2 * high - low
        low, high = min(low, p.y_l, p.y_r), max(high, p.y_l, p.y_r)
        limit = p.loss + 1e-11 * (1.0 + abs(p.loss))
        across = self._free(p.y_l, self.allowed_l, (low, high), lambda v: self.value(v, p.y_r) <= limit)
        up = self._free(p.y_r, self.allowed_r, (low, high), lambda v: self.value(p.y_l, v) <= limit)
        return across, up

    def _free(self, at: float, allowed: Pieces, span: Span, fine: Callable[[float], Any]) -> Span:
        """The part of the allowed piece around a value where nothing is lost: by halving, as losses are
        convex.
        """
        room = next(
            (piece for piece in _cut(allowed, *span) if piece[0] - 1e-9 <= at <= piece[1] + 1e-9), None
        )
        if room is None:
            return at, at
        ends = []
        for far in room:
            good, bad = at, far
            for _ in range(60 * (not fine(far))):
                middle = (good + bad) / 2
                good, bad = (middle, bad) if fine(middle) else (good, middle)
            ends.append(far if fine(far) else good)
        return ends[0], ends[1]

    def segment(self, best: LeafPair | None) -> tuple[LeafPair, LeafPair] | None:
        """The ends of the best pairs, if they are a segment and not a single point."""
        if best is None:
            return None
        (a, b), (c, d) = self.flat(best)
        low, high = self.span()
        if max(b - a, d - c) <= 1e-3 * ((high - low) or 1.0):
            return None
        if b - a > d - c:
            return LeafPair(a, best.y_r, best.loss), LeafPair(b, best.y_r, best.loss)
        return LeafPair(best.y_l, c, best.loss), LeafPair(best.y_l, d, best.loss)

    def lowest(self) -> LeafPair | None:
        """The least loss that is allowed, by closer and closer looks; None if nothing is allowed.

        On each pair of allowed intervals the surface is convex, so that looking closer around the best point
        is safe.
        """
        low, high = self.span()
        boxes = [(l_, r_) for l_ in _cut(self.allowed_l, low, high) for r_ in _cut(self.allowed_r, low, high)]
        return min((self._zoom(*box) for box in boxes), key=lambda p: p.loss, default=None)

    def _zoom(self, left: tuple[float, float], right: tuple[float, float]) -> LeafPair:
        (a, b), (c, d) = left, right
        best = LeafPair(a, c, math.inf)
        for _ in range(ZOOMS):
            x, y = np.linspace(a, b, 33), np.linspace(c, d, 33)
            values = self.value(x, y[:, None])
            i, j = np.unravel_index(int(np.argmin(values)), values.shape)
            if values[i, j] < best.loss:
                best = LeafPair(float(x[j]), float(y[i]), float(values[i, j]))
            (a, b), (c, d) = _around(x, int(j)), _around(y, int(i))
        return best


def misses(best: float, loss: float) -> bool:
    """Is a loss above the least one, by more than a solver's rounding?"""
    return loss > best * (1 + 1e-6) + 1e-6


def contour_levels(values: np.ndarray) -> np.ndarray:
    """Losses at which to draw contours: closer together near the bottom."""
    bottom, top = float(values.min()), float(np.quantile(values, 0.97))
    return np.unique(bottom + max(top - bottom, 1e-9) * np.linspace(0.0, 1.0, LEVELS + 1) ** 1.7)


def round_levels(values: np.ndarray, most: int = 8, between: Span | None = None) -> np.ndarray:
    """Losses at which to draw contours: round numbers, evenly apart; some of them `between` two losses, if
    these are given and not too close to each other.

    >>> round_levels(np.array([[3.7, 9.0], [20.0, 21.0]])).tolist()
    [5.0, 7.5, 10.0, 12.5, 15.0, 17.5, 20.0]
    >>> round_levels(np.array([[3.7, 9.0], [20.0, 21.0]]), between=(3.7, 5.0)).tolist()
    [4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5]
    """
    finite = values[np.isfinite(values)]
    bottom, top = float(finite.min()), float(np.quantile(finite, 0.97))
    raw = max(top - bottom, 1e-9) / most
    near = abs(between[1] - between[0]) / BETWEEN if between and math.isfinite(sum(between)) else 0.0
    if 0.1 * raw < near < raw:
        raw, most = near, MOST
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.floor(bottom / step) + 1
    return np.arange(first, min(math.floor(top / step) + 1, first + most)) * step


def _around(x: np.ndarray, j: int) -> tuple[float, float]:
    return float(x[max(j - 2, 0)]), float(x[min(j + 2, len(x) - 1)])


def _labels(y: np.ndarray, w: np.ndarray) -> LabelMasses:
    distinct, where = np.unique(y, return_inverse=True)
    found = LabelMasses(distinct, np.bincount(where, w, minlength=len(distinct)).astype(float))
    for column in found:
        column.flags.writeable = False
    return found


def _allowed(trace: Trace, rows: NodeRows, v: Any, C: tuple[Constraint, ...]) -> Iterator[Pieces]:
    """What the constraints that can get to a side leave open there: first the left side, then the right."""
    if not C:
        yield from [((trace.loss.low, trace.loss.high),)] * 2
        return
    place = np.array([c.row for c in C])
    values = trace.schema.matrix(trace.X)[place, trace.schema.index(rows.column.name)]
    spent, one = np.array([c.spent for c in C]), np.ones(len(C))
    own = replace(
        rows, rows=place, value=values.astype(rows.value.dtype), y=trace.y[place], weight=one, spent=spent
    )
    part = own.part(v)
    for can in (part.can_left, part.can_right):
        yield feasible_set([(c.sense, c.y, c.at) for c, ok in zip(C, can, strict=True) if ok], trace.loss)


def _cut(pieces: Pieces, low: float, high: float) -> list[tuple[float, float]]:
    """The parts of closed intervals inside [low, high]."""
    return [(max(a, low), min(b, high)) for a, b in pieces if b >= low and a <= high]


__all__ = ["LabelMasses", "LeafPair", "Surface", "contour_levels", "misses", "round_levels"]

"""Equation 2 for real labels over a half-plane: the best leaves of many stumps, each in a box of its own.

`optima` of `reference` tries every cut through the sorted labels of D_u; here the right one is searched for.

If y_l <= y_r, an unknown row is farther from y_l, and so sent left, iff its label lies above the middle
m = (y_l + y_r) / 2. So for the best loss with a given middle two quadratics are enough; as a function of m it
is convex, because the loss under attack is. Its slope at a label says on which side of it the optimum lies:
so halving the sorted labels (`unknown.SortedLabels.cut`) leads to the strip between two neighbours that holds
it. There, the attacker's choice being settled, the optimum is one of four points: the means of both sides,
clipped to what the leaves may predict; the best point with its middle on either edge of the strip; the best
point with y_l = y_r. The half-plane y_l >= y_r is the mirror image: here the leaves are called the lower and
the higher one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treant_viz.core.solvers.admissible import NOTHING
from treant_viz.core.solvers.unknown import Runs, SortedLabels

ROUNDING = 1e-12  # losses this close, relatively, are equal: of two points of one stump
NOISE = 1e-14  # of sums of squares: what is lost in the differences that losses are


class Pairs(NamedTuple):
    """Two predictions of many stumps, and their losses under attack."""

    y_l: np.ndarray
    y_r: np.ndarray
    loss: np.ndarray


class Boxes(NamedTuple):
    """Where the lower leaf (y between `a` and `b`) and the higher one (`c` and `d`) of a stump may be."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray


def no_worse_than(least: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Losses up to this are equal to the least."""
    return least + ROUNDING * np.abs(least) + NOISE * squares


def half_planes(sides: np.ndarray, labels: SortedLabels, runs: Runs, box: Boxes) -> Pairs:
    """The best lower and higher leaf in each box: unknown rows above the middle count for the lower one."""
    least = NOTHING * sides[:, 0].sum(axis=0)

    def dealt(below: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The masses (n, sum y) of both leaves; what is nothing but rounding is nothing."""
        both = sides[0, :2] + sides[2, :2] - below, sides[1, :2] + below
        return tuple(np.where(m[0] > least, m, 0.0) for m in both)  # type: ignore[return-value]

    with np.errstate(invalid="ignore", divide="ignore"):
        strip, below = labels.cut(runs, lambda m, below: _above(m, *dealt(below), box))
        lower, higher = dealt(below)
        edges = labels.edges[strip], labels.edges[strip + 1]
        points = [_means(lower, higher, *edges, box)]
        points += [_on_line(lower, higher, m, box) for m in edges]
        points += [_on_diagonal(lower, higher, box)]
        y, z, ok = (np.stack(column) for column in zip(*points, strict=True))
        value = y * (y * lower[0] - 2 * lower[1]) + z * (z * higher[0] - 2 * higher[1])
    squares = sides[:, 2].sum(axis=0)
    value = np.where(ok, value + squares, np.inf)
    good = value <= no_worse_than(value.min(axis=0), squares)
    first, i = good.argmax(axis=0), np.arange(len(strip))
    return Pairs(y[first, i], z[first, i], value[first, i])


def _above(m: np.ndarray, lower: np.ndarray, higher: np.ndarray, box: Boxes) -> np.ndarray:
    """Does the optimum have its middle above m? By the slope at m, to the right of it.

    If y is the best lower leaf with the middle m, it follows m at the rate of the bound that holds it back.
    A side without rows makes the loss flat: its leaf goes along with the other, as close as it may.
    """
    a, b, c, d = box
    low, high = np.maximum(a, 2 * m - d), np.minimum(np.minimum(b, 2 * m - c), m)
    free = (lower[1] + 2 * m * higher[0] - higher[1]) / (lower[0] + higher[0])
    y = np.minimum(np.maximum(free, low), high)
    pull, push = lower[0] * y - lower[1], higher[0] * (2 * m - y) - higher[1]
    rate_up = np.where(high == b, 0, np.where(high == m, 1, 2))
    rate = np.where(pull < push, rate_up, np.where(low == 2 * m - d, 2, 0))
    up = 2 * push + (pull - push) * rate < 0
    flat = (low <= free) & (free <= high)
    up = (up | (flat & (lower[0] == 0))) & ~(flat & (higher[0] == 0))
    return (m < np.maximum((a + c) / 2, a)) | (up & (m < np.minimum((b + d) / 2, d)))


Points = tuple[np.ndarray, np.ndarray, np.ndarray]


def _means(lower: np.ndarray, higher: np.ndarray, low: np.ndarray, high: np.ndarray, box: Boxes) -> Points:
    """The box-clipped means, and whether they lie in the strip.

    A side without rows goes along with the other.
    """
    a, b, c, d = box
    y, z = np.clip(lower[1] / lower[0], a, b), np.clip(higher[1] / higher[0], c, d)
    with_z = np.clip(z, np.maximum(a, 2 * low - z), np.minimum(np.minimum(b, 2 * high - z), z))
    y = np.where(lower[0] > 0, y, with_z)
    with_y = np.clip(y, np.maximum(np.maximum(c, 2 * low - y), y), np.minimum(d, 2 * high - y))
    z = np.where(higher[0] > 0, z, with_y)
    inside = (a <= y) & (y <= b) & (c <= z) & (z <= d)
    return y, z, inside & (y <= z) & (2 * low <= y + z) & (y + z <= 2 * high)


def _on_line(lower: np.ndarray, higher: np.ndarray, m: np.ndarray, box: Boxes) -> Points:
    """The best point with the middle m."""
    a, b, c, d = box
    low, high = np.maximum(a, 2 * m - d), np.minimum(np.minimum(b, 2 * m - c), m)
    y = np.clip((lower[1] + 2 * higher[0] * m - higher[1]) / (lower[0] + higher[0]), low, high)
    return y, np.clip(2 * m - y, c, d), (low <= high) & np.isfinite(m)


def _on_diagonal(lower: np.ndarray, higher: np.ndarray, box: Boxes) -> Points:
    """The best point with both leaves the same."""
    low, high = np.maximum(box.a, box.c), np.minimum(box.b, box.d)
    y = np.clip((lower[1] + higher[1]) / (lower[0] + higher[0]), low, high)
    return y, y, low <= high

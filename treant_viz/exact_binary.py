"""Equation 2 for labels 0/1, in closed form: the best leaf, and the best (y_l, y_r) of every candidate, subject to C.

Both losses are monotone on either label. If y_l <= y_r, the attacker hurts most by sending every unknown 1 left and every
unknown 0 right. So on that half-plane the objective is the sum of two one-leaf problems, whose optima are means clipped
to the leaves' intervals. If those come out crossed (y_l > y_r), convexity puts the optimum of the half-plane on the
diagonal, where both leaves are one. The other half-plane is its mirror image; the better half wins.
"""

from __future__ import annotations

import numpy as np

from treant_viz.bound import BoundAttacker
from treant_viz.candidates import Bounds, Grid, Tally, candidate_bounds, tally
from treant_viz.constraints import Constraints, bounds
from treant_viz.losses import Loss
from treant_viz.partition import Data, mass
from treant_viz.stumps import Stumps


def best_leaf(D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
    """argmin_y L(leaf y, D) subject to C, for labels 0/1: the mean, clipped. Returns (y, loss)."""
    n0, n1 = D.sample.total(D.rows).tolist()
    low, high = bounds(C, D.sample.y, loss)
    y = float(min(max(n1 / (n0 + n1), low), high))
    return y, float(loss.of_masses(n0, n1, y))


def best_stumps(D: Data, A: BoundAttacker, C: Constraints, loss: Loss, features: np.ndarray) -> Stumps:
    """The best (y_l, y_r) of all candidates at once, for labels 0/1."""
    grid = Grid(D)
    T = tally(D, A, features, grid)
    B = candidate_bounds(D, A, C, loss, grid, T) if len(C) and len(T) else None
    y_l, y_r = _clip(_mean(T.left), B, "left"), _clip(_mean(T.right), B, "right")
    value = loss.of_masses(*T.left.T, y_l) + loss.of_masses(*T.right.T, y_r)
    admissible = np.ones(len(T), dtype=bool)
    u = np.flatnonzero(mass(T.unknown) > 0)
    if len(u):
        y_l[u], y_r[u], value[u], admissible[u] = _with_unknown(T.take(u), B and _take(B, u), loss)
    return Stumps(T, y_l, y_r, value, admissible)


def _with_unknown(T: Tally, B: Bounds | None, loss: Loss) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Both halves of the plane, the better one kept: y_l, y_r, loss, and whether both children get rows."""
    ones, zeros = T.unknown * [0, 1], T.unknown * [1, 0]
    below = _half(T.left + ones, T.right + zeros, B, loss)
    above = _half(T.left + zeros, T.right + ones, B, loss, mirrored=True)
    flip = above[2] < below[2] - 1e-12 * (1 + np.abs(below[2]))
    return tuple(np.where(flip, a, b) for a, b in zip(above, below, strict=True))  # type: ignore[return-value]


def _half(
    left: np.ndarray, right: np.ndarray, B: Bounds | None, loss: Loss, *, mirrored: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The optimum over y_l <= y_r (mirrored: y_l >= y_r), with the unknown rows already counted where they hurt."""
    m_l, m_r = _mean(left), _mean(right)
    no_left, no_right = mass(left) == 0, mass(right) == 0
    y_l, y_r = _clip(np.where(no_left, m_r, m_l), B, "left"), _clip(np.where(no_right, m_l, m_r), B, "right")
    y_l, y_r = np.where(no_left, _clip(y_r, B, "left"), y_l), np.where(no_right, _clip(y_l, B, "right"), y_r)
    crossed = y_l < y_r if mirrored else y_l > y_r
    middle, possible = _both(_mean(left + right), B)
    y_l, y_r = np.where(crossed, middle, y_l), np.where(crossed, middle, y_r)
    value = loss.of_masses(*left.T, y_l) + loss.of_masses(*right.T, y_r)
    return y_l, y_r, np.where(crossed & ~possible, np.inf, value), ~no_left & ~no_right


def _mean(masses: np.ndarray) -> np.ndarray:
    """The share of ones; 0.5 where there is nothing (its loss is nothing too)."""
    n = masses[:, 0] + masses[:, 1]
    return np.divide(masses[:, 1], n, out=np.full(len(masses), 0.5), where=n > 0)


def _clip(y: np.ndarray, B: Bounds | None, side: str) -> np.ndarray:
    if B is None:
        return y
    return np.minimum(np.maximum(y, getattr(B, side + "_low")), getattr(B, side + "_high"))


def _both(y: np.ndarray, B: Bounds | None) -> tuple[np.ndarray, np.ndarray]:
    """y clipped to what both leaves may say, and whether there is such a thing."""
    if B is None:
        return y, np.ones(len(y), dtype=bool)
    low, high = np.maximum(B.left_low, B.right_low), np.minimum(B.left_high, B.right_high)
    return np.minimum(np.maximum(y, low), high), low <= high


def _take(B: Bounds, which: np.ndarray) -> Bounds:
    return Bounds(*(getattr(B, n)[which] for n in ("left_low", "left_high", "right_low", "right_high")))

"""Equation 2 for labels 0/1, in closed form: the best leaf, and the best (y_l, y_r) of every candidate.

This is `best_stump` of `reference` for labels 0/1, for all candidates of a node together.

Both losses are monotone on either label. If y_l <= y_r, the attacker hurts most by sending every unknown 1
left and every unknown 0 right. So on that half-plane the objective is the sum of two one-leaf problems, whose
optima are means clipped to the leaves' intervals. If those come out crossed (y_l > y_r), convexity puts the
optimum of the half-plane on the diagonal, where both leaves are one. The other half-plane is its mirror
image; the better half wins.
"""

from __future__ import annotations

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, bounds
from treant_viz.core.data import Data, mass
from treant_viz.core.losses import Loss
from treant_viz.core.solvers.candidates import Bins, Bounds, candidate_bounds, tally
from treant_viz.core.solvers.stumps import Stumps

TINY = 1e-300
ONES, ZEROS = np.array([0, 1]), np.array([1, 0])  # keep the ones of some masses, keep the zeros


def best_leaf(D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
    """argmin_y L(leaf y, D) subject to C, for labels 0/1: the mean, clipped. Returns (y, loss)."""
    n0, n1 = D.sample.total(D.rows).tolist()
    low, high = bounds(C, D.sample.y, loss) if len(C) else (loss.low, loss.high)
    y = float(min(max(n1 / (n0 + n1), low), high))
    return y, float(loss.of_masses(n0, n1, y))


def best_stumps(D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray) -> Stumps:
    """The best (y_l, y_r) of all candidates at once, for labels 0/1."""
    bins = Bins.at(D, A, C)
    T = tally(D, A, features, bins)
    B = candidate_bounds(D, A, C, loss, bins, T) if len(C) and len(T) else None
    y, value, admissible = best_leaves(T.masses, B, loss)
    return Stumps(T, y[0], y[1], value, admissible)


def best_leaves(
    masses: np.ndarray, B: Bounds | None, loss: Loss
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For any partitions, as masses [part, candidate, label]: y [side, candidate], loss, both get rows."""
    y, value = _without_unknown(masses[:2], B, loss)
    admissible = np.ones(masses.shape[1], dtype=bool)
    u = np.flatnonzero(mass(masses[2]) > 0)
    if len(u):
        some = None if B is None else Bounds(B.low[:, u], B.high[:, u])
        y[:, u], value[u], admissible[u] = _with_unknown(masses[:, u], some, loss)
    return y, value, admissible


def _without_unknown(sides: np.ndarray, B: Bounds | None, loss: Loss) -> tuple[np.ndarray, np.ndarray]:
    """No row is unknown: each leaf for itself. Arrays are [side, candidate, moment]."""
    y = _clip(_mean(sides), B)
    return y, loss.of_leaf(sides, y).sum(axis=0)


def _with_unknown(
    masses: np.ndarray, B: Bounds | None, loss: Loss
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The better of the two half-planes: y as [side, candidate], loss, and whether both children get rows."""
    L, R, U = masses
    ones, zeros = U * ONES, U * ZEROS
    sides = np.stack([L + ones, R + zeros, L + zeros, R + ones])
    sides = sides.reshape(2, 2, *L.shape)  # [half, side, candidate, label]
    y, value, both = _halves(sides, B, loss)
    flip = value[1] < value[0] * (1 - 1e-12) - 1e-12  # also where the first half offers nothing: infinity
    return np.where(flip, y[1], y[0]), np.where(flip, value[1], value[0]), np.where(flip, both[1], both[0])


def _halves(sides: np.ndarray, B: Bounds | None, loss: Loss) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The optima over y_l <= y_r and over y_l >= y_r, the unknown rows being counted where they hurt.

    y is [half, side, candidate]; the loss, and whether both children get rows, are [half, candidate].
    """
    y, empty = _mean(sides), mass(sides) == 0
    if empty.any():  # a side without rows goes along with the other
        y = _clip(np.where(empty, y[:, ::-1], y), B)
        y = np.where(empty, y[:, ::-1], y)
    y = _clip(y, B)
    gap = y[:, 0] - y[:, 1]
    gap[1] *= -1
    middle, possible = _both(_mean(sides[0, 0] + sides[0, 1]), B)
    y = np.where((gap > 0)[:, None], middle, y)
    value = loss.of_leaf(sides, y).sum(axis=1)
    if B is not None:
        value[(gap > 0) & ~possible] = np.inf
    return y, value, ~empty.any(axis=1)


def _mean(masses: np.ndarray) -> np.ndarray:
    """The share of ones; 0 where there is nothing (its loss is nothing too)."""
    return masses[..., 1] / np.maximum(mass(masses), TINY)


def _clip(y: np.ndarray, B: Bounds | None) -> np.ndarray:
    return y if B is None else np.minimum(np.maximum(y, B.low), B.high)


def _both(y: np.ndarray, B: Bounds | None) -> tuple[np.ndarray, np.ndarray | bool]:
    """y clipped to what both leaves may predict, and whether there is such a prediction."""
    if B is None:
        return y, True
    low, high = B.low.max(axis=0), B.high.min(axis=0)
    return np.minimum(np.maximum(y, low), high), low <= high

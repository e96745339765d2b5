"""Equation 2 for real labels and squared error: exact, by scanning break points.

This is `best_stump` of `reference` for real labels.

If y_l <= y_r, an unknown row is farther from y_l, and so sent left, iff its label lies above the middle (y_l
+ y_r) / 2. Sort the unknown labels u: between two neighbours the objective is a separable quadratic. It is
convex, so over a box its minimum is one of these: a box-clipped pair of means that lies in its own strip; the
best point of a line (y_l + y_r) / 2 = u_j; the best point of the diagonal. Constraints leave a union of
boxes: each is scanned. The half-plane y_l >= y_r is the mirror image.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, feasible_set, nearest
from treant_viz.core.data import Data, mass
from treant_viz.core.losses import Loss, Pieces
from treant_viz.core.partition import Stump, left_under_attack, ternary_partition
from treant_viz.core.solvers.candidates import Bins, Tally, tally
from treant_viz.core.solvers.stumps import Stumps


class Pair(NamedTuple):
    """Two predictions and the loss under attack of their stump."""

    y_l: float
    y_r: float
    loss: float


def best_leaf(D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
    """argmin_y L(leaf y, D) subject to C: the feasible point nearest to the mean."""
    n, s, _ = D.sample.total(D.rows)
    y = nearest(open_to(D, C, np.ones(len(C), dtype=bool), loss), float(s / n) + D.sample.shift)
    return y, float(np.sum(D.weights * (D.y - y) ** 2))


def best_stumps(D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray) -> Stumps:
    """All candidates; those that no attack and no constraint touches at once, the others one by one."""
    T = tally(D, A, features, Bins.at(D, A, C))
    with np.errstate(invalid="ignore", divide="ignore"):
        y_l, y_r = T.left[:, 1] / T.left[:, 0], T.right[:, 1] / T.right[:, 0]
    value = quadratic(T.left.T, y_l) + quadratic(T.right.T, y_r)
    y_l, y_r = y_l + D.sample.shift, y_r + D.sample.shift
    admissible, sure = np.ones(len(T), dtype=bool), surely_parted(T)
    for i in range(len(T)) if len(C) else np.flatnonzero(T.unknown[:, 0] > 0):
        f, v = int(T.feature[i]), int(T.code[i])
        y_l[i], y_r[i], value[i] = best = _candidate(D, A, C, loss, T, int(i))
        admissible[i] = sure[i] or parts_rows(D, A, Stump(f, v, *best), loss)
    return Stumps(T, y_l, y_r, np.maximum(value, 0.0), admissible)


def _shifted(pieces: Pieces, by: float) -> Pieces:
    return tuple((a - by, b - by) for a, b in pieces) if by else pieces


def _candidate(D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, T: Tally, i: int) -> Pair:
    f, v = int(T.feature[i]), int(T.code[i])
    left, right = candidate_pieces(D, A, C, f, v, loss)
    u, w = unknown_labels(D, A, f, v) if T.unknown[i, 0] > 0 else (np.empty(0), np.empty(0))
    shift = D.sample.shift
    left_from, right_from = _shifted(left, shift), _shifted(right, shift)
    y_l, y_r, value = best_pair(T.left[i], T.right[i], u - shift, w, left_from, right_from)
    return Pair(nearest(left, y_l + shift), nearest(right, y_r + shift), value)


def candidate_pieces(
    D: Data, A: AttackerOnTable, C: Constraints, f: int, v: int, loss: Loss
) -> tuple[Pieces, Pieces]:
    """The feasible predictions of either leaf of (f, v): what the constraints that can come there leave."""
    if not len(C):
        return ((loss.low, loss.high),), ((loss.low, loss.high),)
    left, right = (open_to(D, C, np.isfinite(cost), loss) for cost in C.costs(D, A, f, v))
    return left, right


def open_to(D: Data, C: Constraints, which: np.ndarray, loss: Loss) -> Pieces:
    """What some of the constraints leave to a prediction."""
    asked = np.column_stack([C.most[which], D.sample.y[C.row[which]], C.at[which]])
    distinct = np.unique(asked, axis=0).tolist() if len(asked) else []
    return feasible_set((("<=" if most else ">=", y, at) for most, y, at in distinct), loss)


def unknown_labels(D: Data, A: AttackerOnTable, f: int, v: int) -> tuple[np.ndarray, np.ndarray]:
    """The labels of D_u in order, and their weights."""
    rows = D.rows[ternary_partition(D.costs(A, f, v)).unknown]
    rows = rows[np.argsort(D.sample.y[rows], kind="stable")]
    return D.sample.y[rows], D.sample.weights(rows)


def surely_parted(T: Tally) -> np.ndarray:
    """Which candidates have rows on both sides whatever the attacker does."""
    return (mass(T.left) > 0) & (mass(T.right) > 0)


def parts_rows(D: Data, A: AttackerOnTable, stump: Stump, loss: Loss) -> bool:
    """Do both children get rows?"""
    left = left_under_attack(D, ternary_partition(D.costs(A, stump.f, stump.v)), stump, loss)
    return bool(left.any() and not left.all())


def quadratic(moments: np.ndarray, y: np.ndarray | float) -> np.ndarray:
    """Sum of (y - label)^2 from the moments n, sum, sum of squares; nothing costs nothing."""
    n, s, q = moments
    return np.where(n > 0, q - 2 * y * s + n * y * y, 0.0)


def best_pair(
    left: np.ndarray,
    right: np.ndarray,
    u: np.ndarray,
    w: np.ndarray,
    left_pieces: Pieces,
    right_pieces: Pieces,
) -> Pair:
    """The best (y_l, y_r): from moments of D_l and D_r, sorted labels of D_u, and both feasible sets."""
    if not len(u):
        y_l, y_r = (nearest(p, m[1] / m[0]) for p, m in ((left_pieces, left), (right_pieces, right)))
        return Pair(y_l, y_r, float(quadratic(left, y_l) + quadratic(right, y_r)))
    below = _half_plane(left, right, u, w, left_pieces, right_pieces)
    above = _half_plane(right, left, u, w, right_pieces, left_pieces)
    return below if below.loss <= above.loss * (1 + 1e-12) else Pair(above.y_r, above.y_l, above.loss)


def _half_plane(
    left: np.ndarray,
    right: np.ndarray,
    u: np.ndarray,
    w: np.ndarray,
    left_pieces: Pieces,
    right_pieces: Pieces,
) -> Pair:
    """The optimum over y_l <= y_r. Axes of the arrays: pairs of pieces, then strips or break points."""
    box = _boxes(left_pieces, right_pieces)[:, :, None]
    below = np.vstack([np.zeros(3), np.cumsum(np.column_stack([w, w * u, w * u * u]), axis=0)])
    L = (left + below[-1] - below).T  # strip j: the j lowest unknown labels are sent right
    R = (right + below).T
    edges = np.concatenate([[-np.inf], u, [np.inf]])
    strips = _least(L, R, *_in_strips(L, R, edges, box))
    L, R = L[:, :-1], R[:, :-1]
    lines = _least(L, R, *_on_lines(L, R, u, box))
    diagonal = _least(L[:, :1], R[:, :1], *_on_diagonal(L[:, :1], R[:, :1], box))
    return min(strips, lines, diagonal, key=lambda p: p.loss)


Found = tuple[np.ndarray, np.ndarray, np.ndarray]


def _boxes(left: Pieces, right: Pieces) -> np.ndarray:
    """All pairs of a left and a right piece: rows of low, high, low, high."""
    return np.array([(*p, *q) for p in left for q in right], dtype=float).reshape(-1, 4).T


def _in_strips(L: np.ndarray, R: np.ndarray, edges: np.ndarray, box: np.ndarray) -> Found:
    """The box-clipped means of every strip, where they lie in it.

    A side without rows goes along with the other.
    """
    a, b, c, d = box
    with np.errstate(invalid="ignore", divide="ignore"):
        y_l, y_r = np.clip(L[1] / L[0], a, b), np.clip(R[1] / R[0], c, d)
    low, high = 2 * edges[:-1], 2 * edges[1:]
    with_r = np.clip(y_r, np.maximum(a, low - y_r), np.minimum(np.minimum(b, high - y_r), y_r))
    y_l = np.where(L[0] > 0, y_l, with_r)
    with_l = np.clip(y_l, np.maximum(np.maximum(c, low - y_l), y_l), np.minimum(d, high - y_l))
    y_r = np.where(R[0] > 0, y_r, with_l)
    inside = (a <= y_l) & (y_l <= b) & (c <= y_r) & (y_r <= d)
    return y_l, y_r, inside & (y_l <= y_r) & (low <= y_l + y_r) & (y_l + y_r <= high)


def _on_lines(L: np.ndarray, R: np.ndarray, u: np.ndarray, box: np.ndarray) -> Found:
    """The best point of every line y_l + y_r = 2 u_j."""
    a, b, c, d = box
    low, high = np.maximum(a, 2 * u - d), np.minimum(np.minimum(b, 2 * u - c), u)
    y_l = np.clip((L[1] + 2 * R[0] * u - R[1]) / (L[0] + R[0]), low, high)
    return y_l, np.clip(2 * u - y_l, c, d), low <= high


def _on_diagonal(L: np.ndarray, R: np.ndarray, box: np.ndarray) -> Found:
    """The best point with y_l = y_r."""
    a, b, c, d = box
    low, high = np.maximum(a, c), np.minimum(b, d)
    y = np.clip((L[1] + R[1]) / (L[0] + R[0]), low, high)
    return y, y, low <= high


def _least(L: np.ndarray, R: np.ndarray, y_l: np.ndarray, y_r: np.ndarray, ok: np.ndarray) -> Pair:
    """The best of the points found."""
    with np.errstate(invalid="ignore"):
        value = np.where(ok, quadratic(L, y_l) + quadratic(R, y_r), np.inf)
    if not np.isfinite(value).any():
        return Pair(np.nan, np.nan, np.inf)
    i = np.unravel_index(int(np.argmin(value)), value.shape)
    return Pair(*(float(np.broadcast_to(x, value.shape)[i]) for x in (y_l, y_r, value)))

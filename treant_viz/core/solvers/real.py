"""Equation 2 for real labels and squared error: exact, for all candidates of a node together.

This is `best_stump` of `reference` for real labels.

Over one half-plane, y_l <= y_r or y_l >= y_r, and one box of leaves the problem is convex (`half_plane`). It
is posed here for every candidate in every box: constraints leave each leaf a union of intervals (`pieces`),
and every pair of them is a box. All boxes of all candidates are solved at once, and each takes its best.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, nearest
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss, Pieces
from treant_viz.core.solvers.admissible import all_part_rows
from treant_viz.core.solvers.candidates import Bins, tally
from treant_viz.core.solvers.half_plane import Boxes, Pairs, half_planes, no_worse_than
from treant_viz.core.solvers.pieces import AllPieces, all_pieces, open_to
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.solvers.unknown import Runs, SortedLabels, unknown_labels


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
    """The best (y_l, y_r) of all candidates at once, for real labels."""
    bins = Bins.at(D, A, C)
    T = tally(D, A, features, bins)
    labels, runs = unknown_labels(D, A, bins, T)
    pieces = all_pieces(D, A, C, bins, T)
    y_l, y_r, value = best_pairs(T.masses, labels, runs, pieces, D.sample.shift)
    N = Stumps(T, y_l, y_r, np.maximum(value, 0.0), np.ones(len(T), dtype=bool))
    return replace(N, admissible=all_part_rows(D, A, N, loss, bins, labels, runs))


def best_pair(
    left: np.ndarray,
    right: np.ndarray,
    u: np.ndarray,
    w: np.ndarray,
    left_pieces: Pieces,
    right_pieces: Pieces,
) -> Pair:
    """The best (y_l, y_r) of one stump: from moments of D_l and D_r, labels of D_u, both feasible sets."""
    size = max(len(left_pieces), len(right_pieces))
    padded = [[*p, *[(np.inf, -np.inf)] * (size - len(p))] for p in (left_pieces, right_pieces)]
    pieces = AllPieces(*np.moveaxis(np.array(padded, dtype=float).reshape(2, size, 1, 2), 3, 0))
    moments = np.array([w.sum(), (w * u).sum(), (w * u * u).sum()])
    all_of_u = Runs(np.array([0]), np.array([len(u)]))
    found = best_pairs(np.stack([left, right, moments])[:, None], SortedLabels(u, w), all_of_u, pieces)
    return Pair(*(float(column[0]) for column in found))


def best_pairs(
    masses: np.ndarray, labels: SortedLabels, runs: Runs, pieces: AllPieces, shift: float = 0.0
) -> Pairs:
    """The best leaves of many stumps: from masses [part, stump, moment], unknown labels and feasible sets.

    Masses and labels are those of y - shift; pieces and predictions are not shifted.
    """
    y_l, y_r, value = each_for_itself(masses, pieces, shift)
    possible = pieces.some.any(axis=1).all(axis=0)
    y_l[~possible], y_r[~possible], value[~possible] = np.nan, np.nan, np.inf
    u = np.flatnonzero((masses[2, :, 0] > 0) & possible)
    if len(u):
        of_u = AllPieces(pieces.low[:, :, u], pieces.high[:, :, u])
        runs_u = Runs(runs.start[u], runs.stop[u])
        y_l[u], y_r[u], value[u] = together(masses[:, u], labels, runs_u, of_u, shift)
    return Pairs(y_l, y_r, value)


def quadratic(moments: np.ndarray, y: np.ndarray | float) -> np.ndarray:
    """Sum of (y - label)^2 from the moments n, sum, sum of squares; nothing costs nothing."""
    n, s, q = moments
    return np.where(n > 0, q - 2 * y * s + n * y * y, 0.0)


def each_for_itself(masses: np.ndarray, pieces: AllPieces, shift: float) -> Pairs:
    """No row is unknown: each leaf says what is nearest to its mean. Masses are [part, candidate, moment]."""
    y, value = [], np.zeros(masses.shape[1])
    for moments, low, high, some in zip(masses[:2], *pieces, pieces.some, strict=True):
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = moments[:, 1] / moments[:, 0] + shift
            points = np.clip(mean, low, high)
        away = np.where(some, np.abs(points - mean), np.inf)
        y.append(points[away.argmin(axis=0), np.arange(len(mean))])
        value += quadratic(moments.T, y[-1] - shift)
    return Pairs(y[0], y[1], value)


def together(masses: np.ndarray, labels: SortedLabels, runs: Runs, pieces: AllPieces, shift: float) -> Pairs:
    """Some rows are unknown: the optimum of each stump over all of its boxes and both half-planes."""
    of, left, right = np.nonzero((pieces.some[0][:, None] & pieces.some[1][None]).transpose(2, 0, 1))
    lows, highs = pieces
    whole = np.stack([lows[0, left, of], highs[0, left, of], lows[1, right, of], highs[1, right, of]])
    box = whole - shift
    value, y = np.full((2, len(of)), np.inf), np.full((2, 2, len(of)), np.nan)
    mirrored = box[[2, 3, 0, 1]]
    parts = [np.flatnonzero(b[0] <= b[3]) for b in (box, mirrored)]  # there is a lower and a higher leaf
    some = np.concatenate(parts)
    half = np.repeat([0, 1], [len(p) for p in parts])
    boxes = Boxes(*np.concatenate([box[:, parts[0]], mirrored[:, parts[1]]], axis=1))
    found = half_planes(_sides(masses[:, of[some]], half), labels, Runs(*(r[of[some]] for r in runs)), boxes)
    lower, higher = found[:2]
    y[half, 0, some], y[half, 1, some] = np.where(half == 0, (lower, higher), (higher, lower))
    value[half, some] = found[2]
    half, i = _first_of_the_best(value, of, masses[:, :, 2].sum(axis=0))
    y_l, y_r = y[half, :, i].T + shift
    a, b, c, d = whole[:, i]  # which the shift may have rounded
    return Pairs(np.clip(y_l, a, b), np.clip(y_r, c, d), value[half, i])


def _sides(masses: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The masses by whom they bind: [lower leaf, higher leaf or unknown, moment, query]."""
    left, right, unknown = masses.transpose(0, 2, 1)
    return np.stack([np.where(half == 0, left, right), np.where(half == 0, right, left), unknown])


def _first_of_the_best(
    value: np.ndarray, of: np.ndarray, squares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each candidate the half-plane and the box with the least loss: the first, if equal."""
    each = np.arange(len(squares))
    starts = np.searchsorted(of, each)
    least = np.minimum.reduceat(value.min(axis=0), starts)
    good = value <= no_worse_than(least, squares)[of]
    first = np.minimum.reduceat(np.where(good, np.arange(len(of)), len(of) - 1), starts, axis=1)
    half = np.where(np.logical_or.reduceat(good[0], starts), 0, 1)
    return half, first[half, each]

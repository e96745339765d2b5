"""An observer that turns what the algorithms tell (`growth.Event`) into records (`records.Step`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treant_viz.bound import BoundAttacker
from treant_viz.candidates import Grid, Tally, left_by_nature, tally
from treant_viz.growth import Event, Split
from treant_viz.losses import Loss
from treant_viz.partition import Data, TernaryPartition, fork, mass
from treant_viz.records import Candidates, NodeData, SplitRecord, Step, frozen_array
from treant_viz.stumps import Stumps


class Recorder:
    """Keeps a record of every step."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.steps: list[Step] = []

    def __call__(self, e: Event) -> None:
        C = tuple(e.C.records(e.D, e.A, self.loss))
        candidates = None if e.stumps is None else record_candidates(e.D, e.A, e.stumps, self.loss)
        split = None if e.split is None else record_split(e.D, e.A, e.split, self.loss)
        data = record_data(e.D, e.A)
        self.steps.append(Step(e.path, data, C, e.leaf, e.leaf_loss, candidates, split, _reason(e)))


def _reason(e: Event) -> str:
    if e.taken:
        return "split"
    if e.stumps is None:
        return "too deep or too few rows"
    return "nothing to split" if e.split is None else "no gain"


def record_data(D: Data, A: BoundAttacker) -> NodeData:
    return NodeData(frozen_array(D.rows), frozen_array(A.spends[D.kid]))


def record_split(D: Data, A: BoundAttacker, s: Split, loss: Loss) -> SplitRecord:
    column = D.sample.table.schema.columns[s.f]
    parts = TernaryPartition(*(frozen_array(D.rows[m]) for m in s.branches.partition))
    natural = loss.ell(np.where(s.branches.left_by_nature, s.y_l, s.y_r), D.y)
    C_l, C_r = (tuple(C.records(D, A, loss)) for C in (s.C_l, s.C_r))
    return SplitRecord(
        column.name, D.sample.table.threshold(s.f, s.v), column.test, s.y_l, s.y_r,
        float(np.sum(_weights(D) * natural)), s.loss, parts, record_data(s.D_l, A), record_data(s.D_r, A), C_l, C_r,
    )  # fmt: skip


def _weights(D: Data) -> np.ndarray:
    return np.ones(len(D)) if D.sample.weight is None else D.sample.weight[D.rows]


def record_candidates(D: Data, A: BoundAttacker, N: Stumps, loss: Loss) -> Candidates:
    """Every candidate, with what an unaware learner would have made of it."""
    table = D.sample.table
    pairs = list(zip(N.tally.feature.tolist(), N.tally.code.tolist(), strict=True))
    names = tuple(table.schema.columns[f].name for f, _ in pairs)
    tests = tuple(table.schema.columns[f].test for f, _ in pairs)
    left, unknown, right = _row_counts(D, A, N.tally)
    looks = _by_masses(D, N, loss) if loss.binary else _by_rows(D, A, N, loss)
    natural, p_l, p_r, plain, attacked = (frozen_array(x, float) for x in looks)
    return Candidates(
        names, tests, tuple(table.threshold(f, v) for f, v in pairs), left, unknown, right,
        frozen_array(N.y_l), frozen_array(N.y_r), natural, frozen_array(N.loss), p_l, p_r, plain, attacked,
        frozen_array(N.tied()), frozen_array(N.admissible),
        N.status, N.iterates,
    )  # fmt: skip


def _row_counts(D: Data, A: BoundAttacker, T: Tally) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many rows lie left, unknown and right of each candidate, whatever they weigh."""
    if D.sample.weight is not None:
        counted = replace(D, sample=replace(D.sample, weight=None))
        features = np.isin(np.arange(D.sample.table.width), T.feature)
        T = _same(tally(counted, A, features, Grid(counted)), T)
    left, unknown, right = (frozen_array(mass(m), int) for m in (T.left, T.unknown, T.right))
    return left, unknown, right


def _same(counted: Tally, T: Tally) -> Tally:
    """The entries of `counted` that are candidates of T too."""
    width = int(max(counted.code.max(initial=0), T.code.max(initial=0))) + 1
    return counted.take(np.searchsorted(counted.feature * width + counted.code, T.feature * width + T.code))


Looks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _by_masses(D: Data, N: Stumps, loss: Loss) -> Looks:
    """Labels 0/1, all at once: natural loss; the unaware learner's leaves, their loss, and that under attack."""
    T, grid, total = N.tally, Grid(D), D.sample.total(D.rows)
    left = left_by_nature(grid, total)[grid.before[T.code + grid.offset[T.feature]]]
    right = total - left
    p_l, p_r = (
        np.where(mass(m) > 0, m[:, 1] / np.maximum(mass(m), 1e-300), total[1] / mass(total)) for m in (left, right)
    )
    natural = loss.of_leaf(left, N.y_l) + loss.of_leaf(right, N.y_r)
    plain = loss.of_leaf(left, p_l) + loss.of_leaf(right, p_r)
    sure = loss.of_leaf(T.left, p_l) + loss.of_leaf(T.right, p_r)
    ones, zeros = T.unknown * [0, 1], T.unknown * [1, 0]
    hurt = sum(np.maximum(loss.of_leaf(u, p_l), loss.of_leaf(u, p_r)) for u in (ones, zeros))
    return natural, p_l, p_r, plain, sure + hurt


def _by_rows(D: Data, A: BoundAttacker, N: Stumps, loss: Loss) -> Looks:
    """The same for real labels, candidate by candidate."""
    pairs = zip(N.tally.feature.tolist(), N.tally.code.tolist(), N.y_l.tolist(), N.y_r.tolist(), strict=True)
    looks = np.array([_look(D, A, loss, *pair) for pair in pairs], dtype=float).reshape(-1, 5)
    return tuple(looks.T)  # type: ignore[return-value]


def _look(D: Data, A: BoundAttacker, loss: Loss, f: int, v: int, y_l: float, y_r: float) -> tuple[float, ...]:
    branches, y, w = fork(D, A, f, v), D.y, _weights(D)
    parts, nature = branches.partition, branches.left_by_nature
    p_l, p_r = (float(np.average(y[m] if m.any() else y, weights=w[m] if m.any() else w)) for m in (nature, ~nature))
    hurt_l, hurt_r = loss.ell(p_l, y), loss.ell(p_r, y)
    worst = np.where(parts.left, hurt_l, np.where(parts.right, hurt_r, np.maximum(hurt_l, hurt_r)))
    natural = loss.ell(np.where(nature, y_l, y_r), y)
    plain = np.where(nature, hurt_l, hurt_r)
    return float(w @ natural), p_l, p_r, float(w @ plain), float(w @ worst)

"""An observer that turns events of the algorithms (`options.Event`) into records (`records.Step`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.data import Data, mass
from treant_viz.core.losses import Loss
from treant_viz.core.options import Event, Split
from treant_viz.core.partition import TernaryPartition, ternary_partition
from treant_viz.core.solvers.candidates import Bins, Tally, tally, unattacked_masses
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.trace.records import Candidates, NodeData, SplitRecord, Step, frozen_array


class Recorder:
    """Keeps a record of every step."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.steps: list[Step] = []

    def __call__(self, e: Event) -> None:
        C = tuple(e.C.records(e.D, e.A, self.loss))
        candidates = None if e.stumps is None else record_candidates(e, e.stumps, self.loss)
        split = None if e.split is None else record_split(e.D, e.A, e.split, self.loss)
        data = record_data(e.D, e.A)
        self.steps.append(Step(e.path, data, C, e.leaf, e.leaf_loss, candidates, split, _reason(e)))


def _reason(e: Event) -> str:
    if e.taken:
        return "split"
    if e.stumps is None:
        return "too deep or too few rows"
    return "nothing to split" if e.split is None else "no gain"


def record_data(D: Data, A: AttackerOnTable) -> NodeData:
    return NodeData(frozen_array(D.rows), frozen_array(A.spends[D.spent_id]))


def record_split(D: Data, A: AttackerOnTable, s: Split, loss: Loss) -> SplitRecord:
    stump, column = s.stump, D.sample.table.schema.columns[s.stump.f]
    parts = TernaryPartition(*(frozen_array(D.rows[m]) for m in s.robust.partition))
    unattacked = loss.ell(np.where(D.unattacked_left(stump.f, stump.v), stump.y_l, stump.y_r), D.y)
    C_l, C_r = (tuple(C.records(D, A, loss)) for C in (s.C_l, s.C_r))
    return SplitRecord(
        column.name,
        D.sample.table.threshold(stump.f, stump.v),
        column.test,
        stump.y_l,
        stump.y_r,
        float(np.sum(D.weights * unattacked)),
        stump.loss,
        parts,
        record_data(s.D_l, A),
        record_data(s.D_r, A),
        C_l,
        C_r,
    )


def record_candidates(e: Event, N: Stumps, loss: Loss) -> Candidates:
    """Every candidate, with what an unaware learner would have made of it."""
    D, table = e.D, e.D.sample.table
    pairs = list(zip(N.tally.feature.tolist(), N.tally.code.tolist(), strict=True))
    names = tuple(table.schema.columns[f].name for f, _ in pairs)
    tests = tuple(table.schema.columns[f].test for f, _ in pairs)
    left, unknown, right = _row_counts(e, N.tally)
    looks = _by_masses(e, N, loss) if loss.binary else _by_rows(D, e.A, N, loss)
    unattacked, p_l, p_r, plain, attacked = (frozen_array(x, float) for x in looks)
    return Candidates(
        names,
        tests,
        tuple(table.threshold(f, v) for f, v in pairs),
        left,
        unknown,
        right,
        frozen_array(N.y_l),
        frozen_array(N.y_r),
        unattacked,
        frozen_array(N.loss),
        p_l,
        p_r,
        plain,
        attacked,
        frozen_array(N.tied()),
        frozen_array(N.admissible),
        N.status,
        N.iterates,
    )


def _row_counts(e: Event, T: Tally) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many rows lie left, unknown and right of each candidate, whatever they weigh."""
    sample = e.D.sample
    if sample.weight is not None:
        counted = replace(e.D, sample=replace(sample, weight=None))
        features = np.isin(np.arange(sample.table.width), T.feature)
        T = _same_candidates(tally(counted, e.A, features, Bins.at(counted, e.A, e.C)), T)
    left, unknown, right = (frozen_array(mass(m), int) for m in (T.left, T.unknown, T.right))
    return left, unknown, right


def _same_candidates(counted: Tally, T: Tally) -> Tally:
    """The entries of `counted` that are candidates of T too."""
    width = int(max(counted.code.max(initial=0), T.code.max(initial=0))) + 1
    return counted.take(np.searchsorted(counted.feature * width + counted.code, T.feature * width + T.code))


Looks = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _by_masses(e: Event, N: Stumps, loss: Loss) -> Looks:
    """Labels 0/1, all at once: the loss if nobody attacks; an unaware learner's leaves and losses."""
    T, bins, total = N.tally, Bins.at(e.D, e.A, e.C), e.D.sample.total(e.D.rows)
    left = _swept(unattacked_masses(bins, total)[bins.before[T.code + bins.offset[T.feature]]], total)
    right = _swept(total - left, total)
    p_l, p_r = (
        np.where(mass(m) > 0, m[:, 1] / np.maximum(mass(m), 1e-300), total[1] / mass(total))
        for m in (left, right)
    )
    unattacked = loss.of_leaf(left, N.y_l) + loss.of_leaf(right, N.y_r)
    plain = loss.of_leaf(left, p_l) + loss.of_leaf(right, p_r)
    sure = loss.of_leaf(T.left, p_l) + loss.of_leaf(T.right, p_r)
    ones, zeros = T.unknown * [0, 1], T.unknown * [1, 0]
    hurt = sum(np.maximum(loss.of_leaf(u, p_l), loss.of_leaf(u, p_r)) for u in (ones, zeros))
    return unattacked, p_l, p_r, plain, sure + hurt


def _swept(masses: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Sums of weights are rounded: a trace of a label that a leaf rules out would cost infinitely much."""
    return np.where(masses > 1e-12 * mass(total), masses, 0)


def _by_rows(D: Data, A: AttackerOnTable, N: Stumps, loss: Loss) -> Looks:
    """The same for real labels, candidate by candidate."""
    pairs = zip(N.tally.feature.tolist(), N.tally.code.tolist(), N.y_l.tolist(), N.y_r.tolist(), strict=True)
    looks = np.array([_look(D, A, loss, *pair) for pair in pairs], dtype=float).reshape(-1, 5)
    return tuple(looks.T)  # type: ignore[return-value]


def _look(
    D: Data, A: AttackerOnTable, loss: Loss, f: int, v: int, y_l: float, y_r: float
) -> tuple[float, ...]:
    parts, here, y, w = ternary_partition(D.costs(A, f, v)), D.unattacked_left(f, v), D.y, D.weights
    p_l, p_r = (
        float(np.average(y[m] if m.any() else y, weights=w[m] if m.any() else w)) for m in (here, ~here)
    )
    hurt_l, hurt_r = loss.ell(p_l, y), loss.ell(p_r, y)
    worst = np.where(parts.left, hurt_l, np.where(parts.right, hurt_r, np.maximum(hurt_l, hurt_r)))
    unattacked = loss.ell(np.where(here, y_l, y_r), y)
    plain = np.where(here, hurt_l, hurt_r)
    return float(w @ unattacked), p_l, p_r, float(w @ plain), float(w @ worst)

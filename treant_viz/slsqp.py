"""Equation 2 as the paper solves it: scipy's SLSQP, one candidate after the other.

Kept for teaching and as a cross-check. It starts from the leaves of the unattacked split. Its status is never ignored:
it is recorded, and what comes back is first moved to the nearest feasible point, so that the loss reported is the true
loss of a stump that satisfies C. On a feasible set in two parts it can get stuck in the wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from treant_viz.bound import BoundAttacker
from treant_viz.candidates import Grid, tally
from treant_viz.constraints import Constraints, nearest
from treant_viz.exact_real import candidate_pieces, open_to, parts_rows
from treant_viz.losses import Loss, Pieces
from treant_viz.partition import Data, fork
from treant_viz.stumps import Stumps

EDGE = 1e-12  # log-loss is infinite at 0 and 1: the solver stays this far away


class Labels(NamedTuple):
    """Distinct labels and how much there is of each."""

    y: np.ndarray
    w: np.ndarray


@dataclass(frozen=True, slots=True)
class Problem:
    """min L(y_l, D_l) + L(y_r, D_r) + sum over D_u of the larger loss, subject to constraints (most, y, at)."""

    loss: Loss
    left: Labels
    unknown: Labels
    right: Labels
    on_left: np.ndarray
    on_right: np.ndarray

    def value(self, p: np.ndarray | tuple[float, float]) -> float:
        ell, (y_l, y_r) = self.loss.ell, p
        hurt = np.maximum(ell(y_l, self.unknown.y), ell(y_r, self.unknown.y))
        sides = self.left.w @ ell(y_l, self.left.y) + self.right.w @ ell(y_r, self.right.y)
        return float(sides + self.unknown.w @ hurt)

    def slacks(self, p: np.ndarray) -> np.ndarray:
        """At least 0 where a constraint holds."""
        return np.concatenate([_slack(self.loss, p[0], self.on_left), _slack(self.loss, p[1], self.on_right)])


def _slack(loss: Loss, p: float, constraints: np.ndarray) -> np.ndarray:
    most, y, at = constraints.T
    return np.where(most > 0, 1.0, -1.0) * (loss.ell(at, y) - loss.ell(p, y))


@dataclass(frozen=True, slots=True)
class Run:
    """What SLSQP did: where it ended, its loss there, its own verdict, and every iterate from the start on."""

    y_l: float
    y_r: float
    loss: float
    status: str
    iterates: tuple[tuple[float, float], ...]

    @property
    def walk(self) -> tuple[tuple[float, float], ...]:
        """The iterates, and where the end was moved to if it was not allowed (and anything is)."""
        end = np.array((self.y_l, self.y_r))
        moved = np.isfinite(end).all() and np.abs(end - self.iterates[-1]).max() > 1e-6
        return (*self.iterates, (self.y_l, self.y_r)) if moved else self.iterates


def run(problem: Problem, start: tuple[float, float], left: Pieces, right: Pieces) -> Run:
    """SLSQP from `start`; the end is moved to the nearest point of the feasible pieces."""
    low, high = (problem.loss.low + EDGE, problem.loss.high - EDGE)
    path = [np.clip(start, low, high)]
    constraints: list[dict[str, Any]] = []
    if len(problem.on_left) + len(problem.on_right):
        constraints = [{"type": "ineq", "fun": problem.slacks}]
    with np.errstate(all="ignore"):
        result = minimize(
            problem.value, path[0], method="SLSQP", bounds=[(low, high)] * 2, constraints=constraints,
            callback=lambda p: path.append(np.array(p)), options={"ftol": 1e-10, "maxiter": 200},
        )  # fmt: skip
    end = result.x if np.isfinite(result.x).all() else path[0]
    y_l, y_r = nearest(left, float(end[0])), nearest(right, float(end[1]))
    moved = max(abs(y_l - end[0]), abs(y_r - end[1]))
    note = "; moved to the nearest feasible point" if moved > 1e-6 else ""
    iterates = tuple((float(p), float(q)) for p, q in path)
    return Run(y_l, y_r, problem.value((y_l, y_r)), f"{result.status}: {result.message}{note}", iterates)


def problem_at(D: Data, A: BoundAttacker, C: Constraints, loss: Loss, f: int, v: int) -> Problem:
    """The optimisation problem of candidate (f, v)."""
    parts = fork(D, A, f, v).partition
    left, unknown, right = (_labels(D, mask) for mask in (parts.left, parts.unknown, parts.right))
    own = A.split_costs(D.reach(A, f), v, D.sample.table.codes[C.row, f], C.kid)
    on_left, on_right = (_asked(D, C, np.isfinite(cost)) for cost in own)
    return Problem(loss, left, unknown, right, on_left, on_right)


def _labels(D: Data, mask: np.ndarray) -> Labels:
    rows = D.rows[mask]
    y, where = np.unique(D.sample.y[rows], return_inverse=True)
    weights = None if D.sample.weight is None else D.sample.weight[rows]
    return Labels(y, np.bincount(where, weights, minlength=len(y)).astype(float))


def _asked(D: Data, C: Constraints, which: np.ndarray) -> np.ndarray:
    columns = np.column_stack([C.most[which].astype(float), D.sample.y[C.row[which]], C.at[which]])
    return np.unique(columns, axis=0) if len(columns) else columns


def best_stumps(
    D: Data, A: BoundAttacker, C: Constraints, loss: Loss, features: np.ndarray, tolerance: float
) -> Stumps:
    """Every candidate by its own run of SLSQP."""
    T = tally(D, A, features, Grid(D))
    runs = [solve_candidate(D, A, C, loss, int(f), int(v)) for f, v in zip(T.feature, T.code, strict=True)]
    y_l, y_r, value = (np.array([getattr(r, n) for r in runs], dtype=float) for n in ("y_l", "y_r", "loss"))
    admissible = np.array([parts_rows(D, A, loss, T, i, r.y_l, r.y_r) for i, r in enumerate(runs)], dtype=bool)
    status, iterates = tuple(r.status for r in runs), tuple(r.iterates for r in runs)
    return Stumps(T, y_l, y_r, value, admissible, tolerance, status, iterates)


def solve_candidate(
    D: Data, A: BoundAttacker, C: Constraints, loss: Loss, f: int, v: int, start: tuple[float, float] | None = None
) -> Run:
    """SLSQP on candidate (f, v), from the unattacked leaves unless told otherwise."""
    problem = problem_at(D, A, C, loss, f, v)
    return run(problem, start or _unattacked(D, A, f, v), *candidate_pieces(D, A, C, f, v, loss))


def _unattacked(D: Data, A: BoundAttacker, f: int, v: int) -> tuple[float, float]:
    """The means of the two sides if nobody attacks; of all rows for a side that is empty."""
    left = fork(D, A, f, v).left_by_nature
    w = np.ones(len(D)) if D.sample.weight is None else D.sample.weight[D.rows]
    means = [np.average(D.y[m], weights=w[m]) if m.any() else np.average(D.y, weights=w) for m in (left, ~left)]
    return float(means[0]), float(means[1])


def best_leaf(D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
    """The best leaf as a stump whose two sides are tied together: all rows on the left, nothing on the right."""
    everything = np.ones(len(D), dtype=bool)
    labels, nothing = _labels(D, everything), Labels(np.empty(0), np.empty(0))
    asked = _asked(D, C, np.ones(len(C), dtype=bool))
    problem = Problem(loss, labels, nothing, nothing, asked, asked[:0])
    mean = float(np.average(labels.y, weights=labels.w))
    feasible = open_to(D, C, np.ones(len(C), dtype=bool), loss)
    r = run(problem, (mean, mean), feasible, ((loss.low, loss.high),))
    return r.y_l, r.loss

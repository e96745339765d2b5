"""Equation 2 as the paper solves it: scipy's SLSQP, one candidate after the other.

This is `best_stump` of `reference` with the paper's own solver instead of the exact ones.

Kept for teaching and as a cross-check. It starts from the leaves of the unattacked split. Its status is never
ignored: it is recorded, and what comes back is first moved to the nearest feasible point, so that the loss
reported is the true loss of a stump that satisfies C. On a feasible set in two parts it can get stuck in the
wrong one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints, nearest
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss, Pieces
from treant_viz.core.partition import Stump, ternary_partition
from treant_viz.core.solvers.candidates import Bins, tally
from treant_viz.core.solvers.real import candidate_pieces, open_to, parts_rows, surely_parted
from treant_viz.core.solvers.stumps import Stumps

EDGE = 1e-12  # log-loss is infinite at 0 and 1: the solver stays this far away


class LabelWeights(NamedTuple):
    """Distinct labels and how much there is of each."""

    y: np.ndarray
    w: np.ndarray


@dataclass(frozen=True, slots=True)
class StumpProblem:
    """Equation 2 at a candidate: L(y_l, D_l) + L(y_r, D_r), and over D_u the sum of the larger losses.

    `on_left` and `on_right` are what the constraints ask of either leaf, as rows (most, y, at).
    """

    loss: Loss
    left: LabelWeights
    unknown: LabelWeights
    right: LabelWeights
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
    """What SLSQP did: where it ended, its loss there, its own verdict, and every iterate from the start."""

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


def run(problem: StumpProblem, start: tuple[float, float], left: Pieces, right: Pieces) -> Run:
    """SLSQP from `start`; the end is moved to the nearest point of the feasible pieces."""
    path = [np.clip(start, problem.loss.low + EDGE, problem.loss.high - EDGE)]
    result = _minimise(problem, path)
    end = result.x if np.isfinite(result.x).all() else path[0]
    y_l, y_r = nearest(left, float(end[0])), nearest(right, float(end[1]))
    moved = max(abs(y_l - end[0]), abs(y_r - end[1]))
    note = "; moved to the nearest feasible point" if moved > 1e-6 else ""
    iterates = tuple((float(p), float(q)) for p, q in path)
    return Run(y_l, y_r, problem.value((y_l, y_r)), f"{result.status}: {result.message}{note}", iterates)


def _minimise(problem: StumpProblem, path: list[np.ndarray]) -> Any:
    """scipy's own words on it; the iterates are added to `path`, which holds the start."""
    options: dict[str, Any] = {"options": {"ftol": 1e-10, "maxiter": 200}}
    options["bounds"] = [(problem.loss.low + EDGE, problem.loss.high - EDGE)] * 2
    if len(problem.on_left) + len(problem.on_right):
        options["constraints"] = [{"type": "ineq", "fun": problem.slacks}]
    with np.errstate(all="ignore"):
        return minimize(
            problem.value, path[0], method="SLSQP", callback=lambda p: path.append(np.array(p)), **options
        )


def problem_at(D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, f: int, v: int) -> StumpProblem:
    """The optimisation problem of candidate (f, v)."""
    parts = ternary_partition(D.costs(A, f, v))
    left, unknown, right = (_labels(D, mask) for mask in (parts.left, parts.unknown, parts.right))
    on_left, on_right = (_asked(D, C, np.isfinite(cost)) for cost in C.costs(D, A, f, v))
    return StumpProblem(loss, left, unknown, right, on_left, on_right)


def _labels(D: Data, mask: np.ndarray) -> LabelWeights:
    rows = D.rows[mask]
    y, where = np.unique(D.sample.y[rows], return_inverse=True)
    return LabelWeights(y, np.bincount(where, D.sample.weights(rows), minlength=len(y)))


def _asked(D: Data, C: Constraints, which: np.ndarray) -> np.ndarray:
    columns = np.column_stack([C.most[which].astype(float), D.sample.y[C.row[which]], C.at[which]])
    return np.unique(columns, axis=0) if len(columns) else columns


def best_stumps(
    D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray, tolerance: float
) -> Stumps:
    """Every candidate by its own run of SLSQP."""
    T = tally(D, A, features, Bins.at(D, A, C))
    pairs = list(zip(T.feature.tolist(), T.code.tolist(), strict=True))
    runs = [solve_candidate(D, A, C, loss, f, v) for f, v in pairs]
    stumps = [Stump(f, v, r.y_l, r.y_r, r.loss) for (f, v), r in zip(pairs, runs, strict=True)]
    y_l, y_r, value = (np.array([getattr(r, n) for r in runs], dtype=float) for n in ("y_l", "y_r", "loss"))
    admissible = surely_parted(T) | np.array([parts_rows(D, A, s, loss) for s in stumps], dtype=bool)
    status, iterates = tuple(r.status for r in runs), tuple(r.iterates for r in runs)
    return Stumps(T, y_l, y_r, value, admissible, tolerance, status, iterates)


def solve_candidate(
    D: Data,
    A: AttackerOnTable,
    C: Constraints,
    loss: Loss,
    f: int,
    v: int,
    start: tuple[float, float] | None = None,
) -> Run:
    """SLSQP on candidate (f, v), from the unattacked leaves unless told otherwise."""
    return solver_at(D, A, C, loss, f, v)(start)


def solver_at(
    D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, f: int, v: int
) -> Callable[[tuple[float, float] | None], Run]:
    """The same from many starts: the problem is set up once."""
    problem, pieces = problem_at(D, A, C, loss, f, v), candidate_pieces(D, A, C, f, v, loss)
    return lambda start: run(problem, start or _unattacked(D, f, v), *pieces)


def _unattacked(D: Data, f: int, v: int) -> tuple[float, float]:
    """The means of the two sides if nobody attacks; of all rows for a side that is empty."""
    left, everything = D.unattacked_left(f, v), np.ones(len(D), dtype=bool)
    sides = (m if m.any() else everything for m in (left, ~left))
    y_l, y_r = (float(np.average(D.y[m], weights=D.weights[m])) for m in sides)
    return y_l, y_r


def best_leaf(D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
    """The best leaf, as a stump with all rows on the left and nothing on the right."""
    everything = np.ones(len(D), dtype=bool)
    labels, nothing = _labels(D, everything), LabelWeights(np.empty(0), np.empty(0))
    asked = _asked(D, C, np.ones(len(C), dtype=bool))
    problem = StumpProblem(loss, labels, nothing, nothing, asked, asked[:0])
    mean = float(np.average(labels.y, weights=labels.w))
    feasible = open_to(D, C, np.ones(len(C), dtype=bool), loss)
    r = run(problem, (mean, mean), feasible, ((loss.low, loss.high),))
    return r.y_l, r.loss

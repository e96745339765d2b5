"""The attack as a mixed-integer program (after Kantchelian, Tygar and Joseph, "Evasion and Hardening of Tree
Ensemble Classifiers"), for cross-checks on small ensembles.

Variables: z[f, c] = 1 iff feature f ends in cell c, and l[j] = 1 iff the row ends in leaf j. Each feature is
in one cell, each tree in one leaf; a leaf is only taken if on every feature one of its cells is; the cells'
costs are within the budget. Maximise the sum of the leaves' values. (The original has a distance where we
have the costs of rules.)

So that the check is worth something, the program knows all cells in the attacker's reach and all leaves that
the untouched features leave open: which of them the budget can pay for is the solver's business.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution
from treant_viz.attacks.search import solve


def solve_milp(p: RowProblem, limits: Sequence[float], stop: RowLimits) -> list[Solution]:
    """For each limit on the cost any one of the best attacks; no attack where none gains anything."""
    return [_solve(p, limit, stop) for limit in limits]


def _solve(p: RowProblem, limit: float, stop: RowLimits) -> Solution:
    """The solver's answer is believed once the search agrees: some versions of it call an attack the best
    that is not, most of all after they have simplified the program, which is why they may not."""
    n_cells, n_leaves = sum(map(len, p.costs)), len(p.value)
    answer = milp(
        np.concatenate([np.zeros(n_cells), -p.value]),
        integrality=np.concatenate([np.ones(n_cells), np.zeros(n_leaves)]),
        bounds=Bounds(0, 1),
        constraints=_constraints(p, limit),
        options={"mip_rel_gap": 0.0, "presolve": False, "time_limit": stop.seconds} | _nodes(stop),
    )
    cells = _chosen(p, answer.x, limit)
    value, [checked] = p.score(cells), solve(p, [limit], stop)
    cost = sum(float(c[i]) for c, i in zip(p.costs, cells, strict=True))
    return Solution(value, cells, cost, max(checked.bound, value))


def _nodes(stop: RowLimits) -> dict[str, int]:
    return {} if stop.nodes == math.inf else {"node_limit": int(stop.nodes)}


def _constraints(p: RowProblem, limit: float) -> list[LinearConstraint]:
    sizes = [len(c) for c in p.costs]
    trees = np.diff(np.append(p.first, len(p.value)))
    each = csr_array(np.repeat(np.eye(len(sizes) + len(trees)), [*sizes, *trees], axis=1))
    taken = csr_array(
        np.vstack([np.hstack([_columns(p, f), -np.eye(len(p.value))]) for f in range(len(sizes))])
    )
    cost = csr_array(np.concatenate([*p.costs, np.zeros(len(p.value))])[None, :])
    return [
        LinearConstraint(each, 1, 1),
        LinearConstraint(taken, 0, np.inf),
        LinearConstraint(cost, -np.inf, limit),
    ]


def _columns(p: RowProblem, f: int) -> np.ndarray:
    """[leaf, cell of any feature]: 1 where the cell is one of feature f that belongs to the leaf."""
    blocks = [m.T * float(g == f) for g, m in enumerate(p.members)]
    return np.hstack(blocks)


def _chosen(p: RowProblem, x: np.ndarray | None, limit: float) -> tuple[int, ...]:
    """The cells with z = 1; where the solver has nothing to show or to gain, no attack."""
    if x is None:
        return p.unattacked
    ends = np.cumsum([len(c) for c in p.costs])
    cells = tuple(int(np.argmax(z)) for z in np.split(x[: ends[-1]], ends[:-1]))
    cost = sum(float(c[i]) for c, i in zip(p.costs, cells, strict=True))
    gain = p.score(cells) - p.score(p.unattacked)
    return cells if cost <= limit and gain > p.tolerance else p.unattacked

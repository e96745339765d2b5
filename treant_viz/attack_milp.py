"""The attack as a mixed-integer program (after Kantchelian, Tygar and Joseph, "Evasion and Hardening of Tree Ensemble
Classifiers"), for cross-checks on small ensembles.

Variables: z[f, c] = 1 iff feature f ends in cell c, and l[j] = 1 iff the row ends in leaf j. Each feature is in one
cell, each tree in one leaf; a leaf is only taken if on every feature one of its cells is; the cells' costs are within
the budget. Maximise the sum of the leaves' values. (The original has a distance where we have the costs of rules.)

So that the check is worth something, the program knows all cells in the attacker's reach and all leaves that the
untouched features leave open: which of them the budget can pay for is the solver's business.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_diag, csr_array

from treant_viz.attack_points import Clock, Problem, Solution
from treant_viz.attack_task import Slot, Task

if TYPE_CHECKING:
    from treant_viz.attack_engine import Chunk


class WholeTask(Task):
    """One row's problem as it stands, without a thought about which leaves are in reach."""

    def __init__(self, chunk: Chunk, k: int, limit: float) -> None:
        grid, boxes = chunk.grid, chunk.boxes
        leaves = np.flatnonzero(grid.nodes.feature < 0)
        free = [i for i, b in enumerate(boxes) if len(b.cells_within(int(b.moves.codes[k]), limit)[0]) > 1]
        for f in set(range(len(grid.axes))) - {boxes[i].moves.f for i in free}:
            leaves = leaves[grid.inside(f, leaves, int(chunk.cells[k, f]))]
        self.rest, self.home = 0.0, chunk.home[k]
        self.slots = [(i, Slot(boxes[i], k, leaves, limit, merge=False)) for i in free]
        counts = np.bincount(grid.tree_of[leaves])
        self.problem = self._problem(chunk.sign[k] * grid.nodes.value[leaves], counts, float(chunk.tolerance[k]))


def solve_milp(p: Problem, limits: Sequence[float], clock: Clock) -> list[Solution]:
    """The best attack for each limit on the cost. Among equally good attacks it takes any."""
    return [_solve(p, limit, clock) for limit in limits]


def _solve(p: Problem, limit: float, clock: Clock) -> Solution:
    n_cells, n_leaves = sum(map(len, p.costs)), len(p.value)
    options = {"mip_rel_gap": 0.0, "time_limit": clock.seconds} | _nodes(clock)
    answer = milp(
        np.concatenate([np.zeros(n_cells), -p.value]),
        integrality=np.concatenate([np.ones(n_cells), np.zeros(n_leaves)]),
        bounds=Bounds(0, 1),
        constraints=_constraints(p, limit),
        options=options,
    )
    cells = _chosen(p, answer.x, limit)
    value = p.score(cells)
    bound = value if answer.status == 0 else _bound(p, answer)
    cost = sum(float(c[i]) for c, i in zip(p.costs, cells, strict=True))
    return Solution(value, cells, cost, max(bound, value))


def _nodes(clock: Clock) -> dict[str, int]:
    return {} if clock.nodes == math.inf else {"node_limit": int(clock.nodes)}


def _constraints(p: Problem, limit: float) -> list[LinearConstraint]:
    sizes = [len(c) for c in p.costs]
    trees = np.diff(np.append(p.first, len(p.value)))
    one_cell = block_diag([np.ones((1, n)) for n in sizes])
    one_leaf = block_diag([np.ones((1, n)) for n in trees])
    each = block_diag([one_cell, one_leaf], format="csr")
    taken = csr_array(np.vstack([np.hstack([_columns(p, f), -np.eye(len(p.value))]) for f in range(len(sizes))]))
    cost = csr_array(np.concatenate([*p.costs, np.zeros(len(p.value))])[None, :])
    return [LinearConstraint(each, 1, 1), LinearConstraint(taken, 0, np.inf), LinearConstraint(cost, -np.inf, limit)]


def _columns(p: Problem, f: int) -> np.ndarray:
    """[leaf, cell of any feature]: 1 where the cell is one of feature f that belongs to the leaf."""
    blocks = [m.T * float(g == f) for g, m in enumerate(p.members)]
    return np.hstack(blocks)


def _chosen(p: Problem, x: np.ndarray | None, limit: float) -> tuple[int, ...]:
    """The cells with z = 1; where the solver has nothing to show, standing still."""
    if x is None:
        return p.clean
    ends = np.cumsum([len(c) for c in p.costs])
    cells = tuple(int(np.argmax(z)) for z in np.split(x[: ends[-1]], ends[:-1]))
    cost = sum(float(c[i]) for c, i in zip(p.costs, cells, strict=True))
    return cells if cost <= limit else p.clean


def _bound(p: Problem, answer: object) -> float:
    """What the solver had proved when it was stopped, or each tree's best leaf."""
    dual = getattr(answer, "mip_dual_bound", None)
    every = float(np.maximum.reduceat(p.value, p.first).sum())
    return every if dual is None or not np.isfinite(dual) else min(every, -float(dual))

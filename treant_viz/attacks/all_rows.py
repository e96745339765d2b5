"""The worst attack on every row, whichever search is used on the single rows.

Rows that gain nothing are told apart for many rows together: if no tree has a better leaf within reach, there
is nothing to search. A single tree needs no search either: its best leaf within reach is the answer. What
remains is one `RowProblem` a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.limits import Limits, RowLimits
from treant_viz.attacks.moves import Move
from treant_viz.attacks.result import AttackResult, attack_result
from treant_viz.attacks.row_problem import RowProblem, Solution, row_problem
from treant_viz.attacks.threads import one_thread


class RowSearch(NamedTuple):
    """How the problem of a batch's row is put, for the greatest limit, and solved for each limit."""

    problem: Callable[[Batch, int, float], RowProblem]
    solve: Callable[[RowProblem, Sequence[float], RowLimits], list[Solution]]


@dataclass(eq=False)
class Found:
    """By row: the sum of leaves under the worst attack found, what none exceeds, its cost and moves."""

    value: np.ndarray
    bound: np.ndarray
    cost: np.ndarray
    exact: np.ndarray
    moves: list[tuple[Move, ...]]

    @classmethod
    def nothing(cls, n: int) -> Found:
        return cls(np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n, dtype=bool), [()] * n)


def worst_attacks(
    rows: LabelledRows, model: AttackedModel, limits: Sequence[float], search: RowSearch, stop: Limits
) -> list[AttackResult]:
    """For each limit on the cost (in rising order) what hurts most, be it a greater or a smaller score.

    Rows that both can hurt are attacked twice: once upwards, and once more, after all the others, downwards.
    """
    up, down = rows.directions()
    both = np.flatnonzero(up & down)
    sign = np.r_[np.where(up, 1.0, -1.0), -np.ones(len(both))]
    found = greatest_sums(model, np.r_[np.arange(rows.n), both], sign, limits, search, stop)
    return [_result(rows, f, sign, both) for f in found]


def _result(rows: LabelledRows, found: Found, sign: np.ndarray, both: np.ndarray) -> AttackResult:
    """Of attacks in two directions on the same row: what hurts more, or as much for less."""
    n, y = rows.n, np.r_[rows.y, rows.y[both]]
    scores = rows.form.score(sign * found.value)
    losses, upper = (rows.ell(s, y) for s in (scores, rows.form.score(sign * found.bound)))
    upwards, downwards = losses[both], losses[n:]
    tie = np.abs(upwards - downwards) <= 1e-12 * (1.0 + np.abs(upwards))
    better = np.where(tie, found.cost[n:] < found.cost[both], downwards > upwards)
    chosen = np.arange(n)
    chosen[both[better]] = n + np.flatnonzero(better)
    upper[both] = np.maximum(upper[both], upper[n:])
    found.exact[both] &= found.exact[n:]
    moves = [found.moves[k] for k in chosen.tolist()]
    return attack_result(rows, moves, scores[chosen], found.cost[chosen], found.exact[:n], upper[:n])


def greatest_sums(
    model: AttackedModel,
    rows: np.ndarray,
    sign: np.ndarray,
    limits: Sequence[float],
    search: RowSearch,
    stop: Limits,
) -> list[Found]:
    """For each limit on the cost (in rising order) the greatest sign * (sum of leaves) of these rows."""
    found = [Found.nothing(len(rows)) for _ in limits]
    single_tree = model.n_trees == 1 and search.problem is row_problem
    for start in range(0, len(rows), model.batch_size):
        part = slice(start, start + model.batch_size)
        batch = Batch(model, rows[part], sign[part], limits[-1])
        for f in found:
            f.value[part] = f.bound[part] = batch.unattacked.sum(axis=1)
        if single_tree:
            _best_leaves(batch, start, limits, found)
        else:
            with one_thread():
                _row_by_row(batch, start, limits, found, search, stop)
    stop.tick(1.0)
    return found


def _best_leaves(batch: Batch, start: int, limits: Sequence[float], found: list[Found]) -> None:
    """A single tree: the best leaf within each limit, among equals the cheapest."""
    rows = slice(start, start + len(batch.rows))
    for limit, f in zip(limits, found, strict=True):
        k = _best_leaf(batch, limit)
        f.value[rows] = f.bound[rows] = batch.value[k]
        f.cost[rows] = batch.reached.cost[k]
        cells = batch.cells_in(batch.reached.leaf[k])
        for i in np.flatnonzero((cells != batch.unattacked_cells).any(axis=1)).tolist():
            f.moves[start + i] = batch.moves(i, cells[i])


def _best_leaf(batch: Batch, limit: float) -> np.ndarray:
    """The place of each row's best leaf among those reached."""
    row, cost = batch.reached.row, batch.reached.cost
    value = np.where(cost <= limit, batch.value, -math.inf)
    best = np.maximum.reduceat(value, batch.reached.start[:-1])
    tied = np.flatnonzero(value >= (best - batch.tolerance)[row])
    order = tied[np.lexsort((cost[tied], row[tied]))]
    return order[np.r_[True, np.diff(row[order]) > 0]]


def _row_by_row(
    batch: Batch,
    start: int,
    limits: Sequence[float],
    found: list[Found],
    search: RowSearch,
    stop: Limits,
) -> None:
    total = len(found[0].cost)
    for i in np.flatnonzero(batch.open).tolist():
        if stop.struck:
            _give_up(batch, i, start + i, found)
            continue
        problem = search.problem(batch, i, limits[-1])
        solutions = search.solve(problem, limits, stop.for_row(total - start - i))
        for f, solution in zip(found, solutions, strict=True):
            _put(f, start + i, problem, solution)
            f.moves[start + i] = batch.moves(i, problem.cells(solution.cells))
        stop.tick((start + i + 1) / total)


def _put(found: Found, row: int, problem: RowProblem, solution: Solution) -> None:
    found.value[row] = problem.rest + solution.value
    found.bound[row] = problem.rest + solution.bound
    found.cost[row] = solution.cost
    found.exact[row] = solution.bound <= solution.value + problem.tolerance


def _give_up(batch: Batch, i: int, row: int, found: list[Found]) -> None:
    """No time left for this row: all that is known is each tree's best leaf."""
    for f in found:
        f.bound[row] = batch.best[i].sum()
        f.exact[row] = False

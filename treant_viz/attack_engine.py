"""From a model, rows and an attacker to the worst attack on each row: what all methods share.

Rows that gain nothing are told apart for all rows together: if no tree has a better leaf within reach, there is
nothing to search. A single tree needs no search either. What remains is one `Problem` a row.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.attack_case import Case, Found
from treant_viz.attack_cells import Grid
from treant_viz.attack_leaves import Box, reached_leaves
from treant_viz.attack_moves import Step, moves
from treant_viz.attack_points import Clock, Problem, Solution
from treant_viz.attack_task import Task
from treant_viz.attacker import Attacker
from treant_viz.bound import rules_by_column
from treant_viz.ensembles import Ensemble
from treant_viz.table import raw_columns

CHUNK = 500_000  # pairs of rows and trees that go down the trees together
MOST = sys.float_info.max
Solver = Callable[[Problem, Sequence[float], Clock], list[Solution]]


def purse(attacker: Attacker) -> float:
    """What may be spent; never infinite, because what is out of reach costs infinity."""
    return min(attacker.limit, MOST)


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search must stop: at a moment, or after so many nodes in a row. `tick` is told which share is done."""

    deadline: float = math.inf
    nodes: float = math.inf
    tick: Callable[[float], None] = lambda share: None

    @property
    def struck(self) -> bool:
        return self.deadline < math.inf and time.monotonic() > self.deadline

    def clock(self, rows_left: int) -> Clock:
        """For one row: its fair share of the time left."""
        now = time.monotonic()
        return Clock(now + (self.deadline - now) / rows_left if self.deadline < math.inf else math.inf, self.nodes)

    def part(self, start: float, end: float) -> Limits:
        """The limits of a part of the work."""
        now = time.monotonic()
        deadline = now + (self.deadline - now) * (end - start) / (1.0 - start) if self.deadline < math.inf else math.inf
        return Limits(deadline, self.nodes, lambda share: self.tick(start + (end - start) * share))


@dataclass(eq=False)
class Outcome:
    """Per row: the sum of leaves under the worst attack found, what no attack exceeds, its cost, the cells it chose."""

    value: np.ndarray
    bound: np.ndarray
    cost: np.ndarray
    cells: np.ndarray  # [row, attacked feature]
    exact: np.ndarray

    def put(self, row: int, rest: float, s: Solution, cells: np.ndarray, tolerance: float) -> None:
        self.value[row], self.bound[row] = rest + s.value, rest + s.bound
        self.cost[row], self.cells[row] = s.cost, cells
        self.exact[row] = s.bound <= s.value + tolerance


def search(case: Case, engine: Engine, limits: Sequence[float], solver: Solver, stop: Limits) -> list[Found]:
    """For each limit on the cost (in rising order): what hurts most, be it a greater or a smaller score."""
    up, down = case.directions()
    sign = np.where(up, 1.0, -1.0)
    both = np.flatnonzero(up & down)
    share = case.n / (case.n + len(both))
    outcomes = engine.run(sign, np.arange(case.n), limits, solver, stop.part(0.0, share))
    if not len(both):
        return [_found(case, engine, out, sign, sign * out.bound) for out in outcomes]
    others = engine.run(-np.ones(case.n), both, limits, solver, stop.part(share, 1.0))
    return [_worse(case, engine, a, b, sign, both) for a, b in zip(outcomes, others, strict=True)]


def _found(case: Case, engine: Engine, out: Outcome, sign: np.ndarray, *bounds: np.ndarray) -> Found:
    moved = (out.cells != engine.home).any(axis=1)
    steps = [engine.steps(row, out.cells[row]) if moved[row] else () for row in range(case.n)]
    upper = np.max([case.ell(case.score(b), case.y) for b in bounds], axis=0)
    return Found(steps, case.score(sign * out.value), out.cost, upper, out.exact)


def _worse(case: Case, engine: Engine, out: Outcome, other: Outcome, sign: np.ndarray, both: np.ndarray) -> Found:
    """Of an attack towards greater scores and another towards smaller ones: what hurts more, or as much for less."""
    a, b = (case.ell(case.score(s * o.value), case.y)[both] for s, o in ((sign, out), (-1.0, other)))
    tie = np.abs(a - b) <= 1e-12 * (1.0 + np.abs(a))
    better = both[np.where(tie, other.cost[both] < out.cost[both], b > a)]
    bounds = sign * out.bound, np.where(np.isin(np.arange(case.n), both), -other.bound, sign * out.bound)
    out.exact[both] &= other.exact[both]
    for mine, theirs in ((out.value, other.value), (out.cost, other.cost), (out.cells, other.cells)):
        mine[better] = theirs[better]
    return _found(case, engine, out, np.where(np.isin(np.arange(case.n), better), -1.0, sign), *bounds)


class Engine:
    """A model on some rows under an attacker, whose budget is the greatest of interest."""

    def __init__(self, form: Ensemble, X: Any, attacker: Attacker) -> None:
        self.form, self.limit, self.M = form, purse(attacker), form.matrix(X)
        self.grid = Grid(form, self.M)
        rules = rules_by_column(attacker, form.schema)
        kinds = [np.asarray(x[:0]).dtype for x in raw_columns(X)]
        found = [moves(self.grid, self.M, f, rules[f], self.limit, kinds[f]) for f in sorted(rules)]
        self.boxes = [Box(self.grid, m) for m in found if m is not None]
        self.home = self.grid.cells[:, [b.moves.f for b in self.boxes]]

    def run(
        self, sign: np.ndarray, rows: np.ndarray, limits: Sequence[float], solver: Solver, stop: Limits
    ) -> list[Outcome]:
        """For each limit on the cost (in rising order): the greatest sign * (sum of leaves) of some rows."""
        n = len(self.M)
        outcomes = [
            Outcome(np.zeros(n), np.zeros(n), np.zeros(n), self.home.copy(), np.ones(n, dtype=bool)) for _ in limits
        ]
        size = max(1, CHUNK // len(self.grid.nodes.roots))
        for start in range(0, len(rows), size):
            chunk = Chunk(self, rows[start : start + size], sign, limits[-1])
            for out in outcomes:
                out.value[chunk.rows] = out.bound[chunk.rows] = chunk.clean.sum(axis=1)
            work = self._one_tree if len(self.grid.nodes.roots) == 1 else self._search
            done, share = start / len(rows), len(chunk.rows) / len(rows)
            work(chunk, limits, outcomes, solver, stop.part(done, done + share))
        stop.tick(1.0)
        return outcomes

    def leaves(self, row: int) -> np.ndarray:
        """The leaves within reach of one row."""
        return reached_leaves(self.grid, self.boxes, np.array([row]), self.limit).leaf

    def _one_tree(
        self, chunk: Chunk, limits: Sequence[float], outcomes: list[Outcome], solver: Solver, stop: Limits
    ) -> None:
        """Leaf by leaf: the best within the limit, among equals the cheapest."""
        for limit, out in zip(limits, outcomes, strict=True):
            k = chunk.best_leaves(limit)
            rows = chunk.rows
            out.value[rows] = out.bound[rows] = chunk.value[k]
            out.cost[rows] = chunk.reached.cost[k]
            for slot, box in enumerate(self.boxes):
                out.cells[rows, slot] = box.nearest_cell(rows, chunk.reached.leaf[k])

    def _search(
        self, chunk: Chunk, limits: Sequence[float], outcomes: list[Outcome], solver: Solver, stop: Limits
    ) -> None:
        for k in map(int, np.flatnonzero(chunk.open)):
            row = int(chunk.rows[k])
            if stop.struck:
                chunk.give_up(k, outcomes)
                continue
            task = Task(chunk, k, limits[-1])
            for out, s in zip(outcomes, solver(task.problem, limits, stop.clock(len(chunk.rows) - k)), strict=True):
                out.put(row, task.rest, s, task.cells(s.cells), task.problem.tolerance)
            stop.tick((k + 1) / len(chunk.rows))

    def steps(self, row: int, cells: np.ndarray) -> tuple[Step, ...]:
        """The steps that lead from a row's cells to these."""
        out: list[Step] = []
        for box, cell, home in zip(self.boxes, cells, self.home[row], strict=True):
            if cell != home:
                out += box.moves.path(int(box.moves.codes[row]), int(cell))
        return tuple(out)


class Chunk:
    """Some rows with the leaves in their reach, and what can be said of all of them at once."""

    def __init__(self, engine: Engine, rows: np.ndarray, sign: np.ndarray, limit: float) -> None:
        self.engine, self.rows = engine, rows
        grid, shape = engine.grid, (len(rows), len(engine.grid.nodes.roots))
        self.reached = reached_leaves(grid, engine.boxes, rows, limit)
        self.value = sign[self.reached.row] * grid.nodes.value[self.reached.leaf]
        self.local = np.searchsorted(rows, self.reached.row)
        place = self.local * shape[1] + grid.tree_of[self.reached.leaf]
        self.counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        first = np.cumsum(self.counts.ravel()) - self.counts.ravel()
        self.best = np.maximum.reduceat(self.value, first).reshape(shape)
        self.clean = self.value[self.reached.cost == 0].reshape(shape)
        self.tolerance = 1e-12 * (1.0 + np.maximum(np.abs(self.best), np.abs(self.clean)).sum(axis=1))
        self.open = (self.best - self.clean).sum(axis=1) > self.tolerance

    def best_leaves(self, limit: float) -> np.ndarray:
        """For a single tree: the place of each row's best affordable leaf."""
        value = np.where(self.reached.cost <= limit, self.value, -math.inf)
        row = self.local
        best = np.maximum.reduceat(value, self.reached.start[:-1])
        tied = np.flatnonzero(value >= (best - self.tolerance)[row])
        order = tied[np.lexsort((self.reached.cost[tied], row[tied]))]
        return order[np.r_[True, np.diff(row[order]) > 0]]

    def give_up(self, k: int, outcomes: list[Outcome]) -> None:
        """No time left for this row: all that is known is each tree's best leaf."""
        for out in outcomes:
            out.bound[self.rows[k]] = self.best[k].sum()
            out.exact[self.rows[k]] = False

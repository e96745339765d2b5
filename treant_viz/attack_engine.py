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
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attack_case import Case, Found
from treant_viz.attack_cells import Grid
from treant_viz.attack_leaves import Box, Sides, reached_leaves
from treant_viz.attack_moves import Moves, Step, moves
from treant_viz.attack_points import Clock, Problem, Solution
from treant_viz.attack_task import Task
from treant_viz.attacker import Attacker
from treant_viz.bound import rules_by_column
from treant_viz.ensembles import Ensemble
from treant_viz.table import raw_columns

CHUNK = 100_000  # pairs of rows and trees that go down the trees together
TABLE = 8_000_000  # costs of cells that are kept at the same time
MOST = sys.float_info.max
Solver = Callable[[Problem, Sequence[float], Clock], list[Solution]]


class Way(NamedTuple):
    """How a row's problem is put, and how it is solved."""

    task: type[Task]
    solve: Solver


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
    """Per row: the sum of leaves under the worst attack found, what no attack exceeds, its cost, and its steps."""

    value: np.ndarray
    bound: np.ndarray
    cost: np.ndarray
    exact: np.ndarray
    steps: list[tuple[Step, ...]]

    @classmethod
    def of(cls, n: int) -> Outcome:
        return cls(np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n, dtype=bool), [()] * n)

    def take(self, rows: np.ndarray, other: Outcome) -> None:
        """Replace some rows by those of another outcome."""
        self.value[rows], self.cost[rows] = other.value[rows], other.cost[rows]
        for row in rows.tolist():
            self.steps[row] = other.steps[row]


def search(case: Case, engine: Engine, limits: Sequence[float], way: Way, stop: Limits) -> list[Found]:
    """For each limit on the cost (in rising order): what hurts most, be it a greater or a smaller score."""
    up, down = case.directions()
    sign = np.where(up, 1.0, -1.0)
    both = np.flatnonzero(up & down)
    share = case.n / (case.n + len(both))
    outcomes = engine.run(sign, np.arange(case.n), limits, way, stop.part(0.0, share))
    if not len(both):
        return [_found(case, out, sign, sign * out.bound) for out in outcomes]
    others = engine.run(-np.ones(case.n), both, limits, way, stop.part(share, 1.0))
    return [_worse(case, a, b, sign, both) for a, b in zip(outcomes, others, strict=True)]


def _found(case: Case, out: Outcome, sign: np.ndarray, *bounds: np.ndarray) -> Found:
    upper = np.max([case.ell(case.score(b), case.y) for b in bounds], axis=0)
    return Found(out.steps, case.score(sign * out.value), out.cost, upper, out.exact)


def _worse(case: Case, out: Outcome, other: Outcome, sign: np.ndarray, both: np.ndarray) -> Found:
    """Of an attack towards greater scores and another towards smaller ones: what hurts more, or as much for less."""
    a, b = (case.ell(case.score(s * o.value), case.y)[both] for s, o in ((sign, out), (-1.0, other)))
    tie = np.abs(a - b) <= 1e-12 * (1.0 + np.abs(a))
    better = both[np.where(tie, other.cost[both] < out.cost[both], b > a)]
    bounds = sign * out.bound, np.where(np.isin(np.arange(case.n), both), -other.bound, sign * out.bound)
    out.exact[both] &= other.exact[both]
    out.take(better, other)
    return _found(case, out, np.where(np.isin(np.arange(case.n), better), -1.0, sign), *bounds)


def leaves_in_reach(engine: Engine) -> np.ndarray:
    """The leaves that the engine's first row can be brought to."""
    return Chunk(engine, np.zeros(1, dtype=np.int64), np.ones(len(engine.M)), engine.limit).reached.leaf


class Engine:
    """A model on some rows under an attacker, whose budget is the greatest of interest."""

    def __init__(self, form: Ensemble, X: Any, attacker: Attacker) -> None:
        self.form, self.limit, self.M = form, purse(attacker), form.matrix(X)
        self.grid = Grid(form, self.M)
        self.kinds = [np.asarray(x[:0]).dtype for x in raw_columns(X)]
        rules = rules_by_column(attacker, form.schema)
        self.rules = {f: rs for f, rs in sorted(rules.items()) if any(r.cost <= self.limit for r in rs)}
        self.sides = {f: Sides(self.grid, f) for f in self.rules}

    @cached_property
    def size(self) -> int:
        """How many rows to look at together."""
        widest = max((s.width for s in self.sides.values()), default=1)
        return max(1, min(CHUNK // len(self.grid.nodes.roots), TABLE // widest))

    def run(self, sign: np.ndarray, rows: np.ndarray, limits: Sequence[float], way: Way, stop: Limits) -> list[Outcome]:
        """For each limit on the cost (in rising order): the greatest sign * (sum of leaves) of some rows."""
        outcomes = [Outcome.of(len(self.M)) for _ in limits]
        leafwise = len(self.grid.nodes.roots) == 1 and way.task is Task
        for start in range(0, len(rows), self.size):
            chunk = Chunk(self, rows[start : start + self.size], sign, limits[-1])
            done, share = start / len(rows), len(chunk.rows) / len(rows)
            chunk.start(outcomes)
            if leafwise:
                chunk.leaf_by_leaf(limits, outcomes)
            else:
                chunk.search(limits, outcomes, way, stop.part(done, done + share))
        stop.tick(1.0)
        return outcomes


class Chunk:
    """Some rows with the leaves in their reach."""

    def __init__(self, engine: Engine, rows: np.ndarray, sign: np.ndarray, limit: float) -> None:
        self.engine, self.grid, self.rows, self.sign = engine, engine.grid, rows, sign[rows]
        self.cells = self.grid.cells[rows]
        found = [self._moves(f) for f in engine.rules]
        self.boxes = [Box(engine.sides[m.f], m) for m in found if m is not None]
        self.home = self.cells[:, [b.moves.f for b in self.boxes]]
        self.reached = reached_leaves(self.grid, self.boxes, self.cells, limit)
        self._compare((len(rows), len(self.grid.nodes.roots)))

    def _moves(self, f: int) -> Moves | None:
        e = self.engine
        return moves(e.grid, e.M[self.rows], f, e.rules[f], e.limit, e.kinds[f])

    def _compare(self, shape: tuple[int, int]) -> None:
        """Each tree's best leaf in reach with the one unattacked: where none is better, there is nothing to search."""
        leaf = self.reached.leaf
        self.value = self.sign[self.reached.row] * self.grid.nodes.value[leaf]
        place = self.reached.row * shape[1] + self.grid.tree_of[leaf]
        self.counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
        first = np.cumsum(self.counts.ravel()) - self.counts.ravel()
        self.best = np.maximum.reduceat(self.value, first).reshape(shape)
        self.clean = self.value[self.reached.cost == 0].reshape(shape)
        self.tolerance = 1e-12 * (1.0 + np.maximum(np.abs(self.best), np.abs(self.clean)).sum(axis=1))
        self.open = (self.best - self.clean).sum(axis=1) > self.tolerance

    def start(self, outcomes: list[Outcome]) -> None:
        """To begin with, nobody is attacked."""
        for out in outcomes:
            out.value[self.rows] = out.bound[self.rows] = self.clean.sum(axis=1)

    def leaf_by_leaf(self, limits: Sequence[float], outcomes: list[Outcome]) -> None:
        """A single tree: the best leaf within the limit, among equals the cheapest."""
        for limit, out in zip(limits, outcomes, strict=True):
            k = self._best_leaves(limit)
            out.value[self.rows] = out.bound[self.rows] = self.value[k]
            out.cost[self.rows] = self.reached.cost[k]
            cells = self.home.copy()
            for slot, box in enumerate(self.boxes):
                cells[:, slot] = box.nearest_cells(self.reached.leaf[k])
            for i in map(int, np.flatnonzero((cells != self.home).any(axis=1))):
                out.steps[self.rows[i]] = self.steps(i, cells[i])

    def _best_leaves(self, limit: float) -> np.ndarray:
        row = self.reached.row
        value = np.where(self.reached.cost <= limit, self.value, -math.inf)
        best = np.maximum.reduceat(value, self.reached.start[:-1])
        tied = np.flatnonzero(value >= (best - self.tolerance)[row])
        order = tied[np.lexsort((self.reached.cost[tied], row[tied]))]
        return order[np.r_[True, np.diff(row[order]) > 0]]

    def search(self, limits: Sequence[float], outcomes: list[Outcome], way: Way, stop: Limits) -> None:
        """Row by row."""
        for i in map(int, np.flatnonzero(self.open)):
            if stop.struck:
                self._give_up(i, outcomes)
                continue
            task = way.task(self, i, limits[-1])
            solutions = way.solve(task.problem, limits, stop.clock(len(self.rows) - i))
            for out, s in zip(outcomes, solutions, strict=True):
                self._put(out, i, task, s)
            stop.tick((i + 1) / len(self.rows))

    def _put(self, out: Outcome, i: int, task: Task, s: Solution) -> None:
        row = self.rows[i]
        out.value[row], out.bound[row], out.cost[row] = task.rest + s.value, task.rest + s.bound, s.cost
        out.exact[row] = s.bound <= s.value + task.problem.tolerance
        out.steps[row] = self.steps(i, task.cells(s.cells))

    def _give_up(self, i: int, outcomes: list[Outcome]) -> None:
        """No time left for this row: all that is known is each tree's best leaf."""
        for out in outcomes:
            out.bound[self.rows[i]] = self.best[i].sum()
            out.exact[self.rows[i]] = False

    def steps(self, i: int, cells: np.ndarray) -> tuple[Step, ...]:
        """The steps that lead from a row's cells to these."""
        out: list[Step] = []
        for box, cell, home in zip(self.boxes, cells.tolist(), self.home[i].tolist(), strict=True):
            if cell != home:
                out += box.moves.path(int(box.moves.codes[i]), cell)
        return tuple(out)

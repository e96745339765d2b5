"""From data and an attacker to a tree and its trace: what the estimators stand on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from treant_viz.core.algorithms import build_tree, treant
from treant_viz.core.attacker.on_table import AttackerOnTable, Retest, Thresholds, rule_categories
from treant_viz.core.attacker.rules import NO_ATTACKER, Attacker
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.options import Event, Options, ignore
from treant_viz.core.table import Schema, Table
from treant_viz.core.tree import Tree
from treant_viz.long_work import progress, working_for
from treant_viz.trace.recorder import Recorder
from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace

MAX_DEPTH = 200


@dataclass(frozen=True, eq=False)
class TrainingProblem:
    """A training set, the attacker on its table (None: nobody attacks), and the options of the growth."""

    sample: Sample
    attacker: AttackerOnTable | None
    options: Options

    def grow(
        self, seed: int, rows: np.ndarray | None = None, observe: Callable[[Event], None] = ignore
    ) -> Tree:
        """A tree on these rows (None: on all). The same seed grows the same tree."""
        return self.solve(Data.root(self.sample, rows), self.options.for_run(seed, observe))

    def solve(self, D: Data, options: Options) -> Tree:
        """Algorithm 3, or Algorithm 1 if nobody attacks."""
        if self.attacker is None:
            return build_tree(D, options)
        return treant(D, self.attacker.afresh(), Constraints.none(), options)

    def __sizeof__(self) -> int:
        """With the data: Dask then hands it to each worker once, rather than with every tree."""
        return object.__sizeof__(self) + self.sample.table.codes.nbytes

    def trace(self, seed: int, rows: np.ndarray | None = None) -> Trace:
        """The same growth again, watched."""
        recorder = Recorder(self.options.loss)
        self.grow(seed, rows, recorder)
        return Trace(
            X=frame(self.sample.table),
            y=frozen_array(self.sample.y),
            schema=self.sample.table.schema,
            attacker=self.attacker.attacker if self.attacker else NO_ATTACKER,
            loss=self.options.loss,
            options=self._options_out(),
            steps=tuple(recorder.steps),
        )

    def _options_out(self) -> dict[str, Any]:
        """The options as a trace keeps them, with what belongs to the attacker and to the data."""
        weight = None if self.sample.weight is None else self.sample.weight.tolist()
        A = self.attacker
        told = (
            {"thresholds": A.thresholds} if A and A.thresholds != "data" else {}
        )  # left out, as it long was
        return self.options.to_dict() | {"retest": A.retest if A else None, "weight": weight} | told


Grown = tuple[Tree, np.ndarray]


def grow_many(
    problem: TrainingProblem, seeds: Sequence[int], size: int, n_jobs: int | None, *, show: str
) -> Iterable[Grown]:
    """One tree for each seed, on `size` rows, by joblib's workers; each comes with its rows.

    `show`: a progress bar with this label.
    """
    jobs = (delayed(working_for)(os.getpid(), grow_one, problem, seed, size) for seed in seeds)
    return progress(_workers(n_jobs, one_by_one=bool(show))(jobs), len(seeds), show, show=bool(show))


def _workers(n_jobs: int | None, *, one_by_one: bool) -> Parallel:
    """They hand over tree by tree if wanted; back ends that cannot (multiprocessing, Ray) wait."""
    if one_by_one:
        with suppress(ValueError):
            return Parallel(n_jobs=n_jobs, return_as="generator")
    return Parallel(n_jobs=n_jobs)


def grow_one(problem: TrainingProblem, seed: int, size: int) -> Grown:
    """One tree of a forest: sample the rows (without replacement), then grow."""
    rows = draw_rows(seed, len(problem.sample.y), size)
    return problem.grow(seed, rows), rows


def draw_rows(seed: int, n: int, size: int) -> np.ndarray:
    """Some of n rows, in order."""
    if size >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng([seed, 1]).choice(n, size, replace=False))


def frame(table: Table) -> pd.DataFrame:
    """The table's values as a data frame, categories by name."""
    columns: dict[Any, Any] = {}
    for j, column in enumerate(table.schema.columns):
        values = table.matrix[:, j]
        names = column.categories
        columns[column.name] = values if names is None else [names[int(c)] for c in values]
    return pd.DataFrame(columns)


def make_table(X: Any, attacker: Attacker | None) -> Table:
    """X coded by its distinct values; categories that only rules name belong to their columns too."""
    found = Schema.of(X)
    named = rule_categories(attacker, lambda f: found.index(f, who="attacker: the rule's feature"))
    return Table.of(X, found.with_categories(named))


def bind(
    attacker: Attacker | None, table: Table, retest: Retest, thresholds: Thresholds = "data"
) -> AttackerOnTable | None:
    return None if attacker is None else AttackerOnTable(attacker, table, retest, thresholds)

"""From data and an attacker to a tree and its trace: what the estimators stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from treant_viz.algorithms import build_tree, treant
from treant_viz.attacker import Attacker
from treant_viz.bound import BoundAttacker, Retest, rule_categories
from treant_viz.constraints import Constraints
from treant_viz.growth import Event, Growth, ignore
from treant_viz.losses import Loss
from treant_viz.partition import Data, Sample
from treant_viz.progress import progress
from treant_viz.recorder import Recorder
from treant_viz.records import frozen_array
from treant_viz.solvers import get_solver
from treant_viz.table import Schema, Table
from treant_viz.trace import Trace
from treant_viz.tree import Tree

MAX_DEPTH = 200


@dataclass(frozen=True, eq=False)
class Problem:
    """A training set, an attacker bound to it (None: nobody attacks), and the options of the growth."""

    sample: Sample
    attacker: BoundAttacker | None
    loss: Loss
    solver: str
    attack_invariance: bool
    max_depth: int
    min_samples_split: int
    max_features: int | None

    def grow(self, seed: int, rows: np.ndarray | None = None, observe: Callable[[Event], None] = ignore) -> Tree:
        """Algorithm 3 on these rows (Algorithm 1 if nobody attacks). The same seed grows the same tree."""
        rng = np.random.default_rng(seed)
        how = Growth(
            self.loss, get_solver(self.solver), rng, self.attack_invariance, self.max_depth,
            self.min_samples_split, self.max_features, observe,
        )  # fmt: skip
        D = Data.root(self.sample, rows)
        if self.attacker is None:
            return build_tree(D, how)
        return treant(D, self.attacker.afresh(), Constraints.none(), how)

    def __sizeof__(self) -> int:
        """With the data: Dask then hands it to each worker once, rather than with every tree."""
        return object.__sizeof__(self) + self.sample.table.codes.nbytes

    def trace(self, seed: int, rows: np.ndarray | None = None) -> Trace:
        """The same growth again, watched."""
        recorder = Recorder(self.loss)
        self.grow(seed, rows, recorder)
        attacker = self.attacker.attacker if self.attacker else Attacker([], 0.0)
        table = self.sample.table
        return Trace(
            frame(table), frozen_array(self.sample.y), table.schema, attacker, self.loss,
            self._options(), tuple(recorder.steps),
        )  # fmt: skip

    def _options(self) -> dict[str, Any]:
        names = ("solver", "attack_invariance", "max_depth", "min_samples_split", "max_features")
        weight = None if self.sample.weight is None else self.sample.weight.tolist()
        retest = self.attacker.retest if self.attacker else None
        return {n: getattr(self, n) for n in names} | {"retest": retest, "weight": weight}


Grown = tuple[Tree, np.ndarray]


def grow_many(problem: Problem, seeds: Sequence[int], size: int, n_jobs: int | None, *, show: bool) -> Iterable[Grown]:
    """A tree a seed, each on `size` rows, by joblib's workers; with each tree its rows. `show`: a progress bar."""
    jobs = (delayed(grow_one)(problem, seed, size) for seed in seeds)
    return progress(_workers(n_jobs, one_by_one=show)(jobs), len(seeds), "trees", show=show)


def _workers(n_jobs: int | None, *, one_by_one: bool) -> Parallel:
    """They hand over tree by tree if wanted; a back end that cannot (multiprocessing, Ray) all trees at the end."""
    if one_by_one:
        with suppress(ValueError):
            return Parallel(n_jobs=n_jobs, return_as="generator")
    return Parallel(n_jobs=n_jobs)


def grow_one(problem: Problem, seed: int, size: int) -> Grown:
    """One tree of a forest: sample the rows (without replacement), then grow."""
    n = len(problem.sample.y)
    rows = np.sort(np.random.default_rng([seed, 1]).choice(n, size, replace=False)) if size < n else np.arange(n)
    return problem.grow(seed, rows), rows


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


def bind(attacker: Attacker | None, table: Table, retest: Retest) -> BoundAttacker | None:
    return None if attacker is None else BoundAttacker(attacker, table, retest)

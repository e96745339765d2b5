"""Robust trees: the four-case heuristic of Chen, Zhang, Boning and Hsieh (ICML 2019), as TREANT's authors ran
it.

A candidate split is judged by the worst of four cases: nobody attacks; all unknown rows swap sides; all go
left; all go right. Each case is scored by the squared error around its own two means. What differs from Chen
et al.: they perturb all features at once within a box, inside gradient boosting or an information-gain tree;
here the reach is that of rewriting rules and a budget, the loss is the squared error on labels 0/1, and the
trees form a bagged forest. Like theirs, it keeps no account of what was spent (every node fears the full
budget) and hands no constraints down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treant_viz.core import checks
from treant_viz.core.algorithms import treant
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import NO_ATTACKER, Attacker
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample, mass
from treant_viz.core.losses import Loss
from treant_viz.core.options import Options, Split
from treant_viz.core.partition import RobustSplit, Stump, TernaryPartition, ternary_partition
from treant_viz.core.solvers.binary import TINY, best_leaf
from treant_viz.core.solvers.candidates import Bins, tally, unattacked_masses
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.tree import Tree
from treant_viz.estimators import validation
from treant_viz.estimators.base import Forest, SingleTree, TreantEstimator, TwoClasses
from treant_viz.estimators.fitting import TrainingProblem


@dataclass(frozen=True, slots=True, eq=False)
class HandedDown(Data):
    """D below a split, and with it what a leaf on it predicts: the mean of the unattacked side."""

    prediction: float = 0.0


@dataclass(frozen=True, slots=True)
class FourCases:
    """The heuristic in the place of Equation 2. Constraints play no part.

    `skip_empty`: a case that leaves a side without rows does not count.
    """

    name: str = "exact"
    tolerance: float = 1e-9
    skip_empty: bool = False

    def best_leaf(self, D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
        """The mean: at the root that of all rows, further down the one that the split has handed down."""
        if not isinstance(D, HandedDown):
            return best_leaf(D, Constraints.none(), loss)
        n0, n1 = D.sample.total(D.rows).tolist()
        return D.prediction, float(loss.of_masses(n0, n1, D.prediction))

    def best_stumps(
        self, D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray
    ) -> Stumps:
        """Every candidate: the means of its unattacked sides, the squared error of the worst case."""
        bins, total = Bins(D), D.sample.total(D.rows)
        T = tally(D, A, features, bins)
        unattacked = unattacked_masses(bins, total)[bins.before[T.code + bins.offset[T.feature]]]
        swapped = T.left + (T.left + T.unknown - unattacked)  # the unknown rows change sides
        left = np.stack([unattacked, swapped, T.left + T.unknown, T.left])  # [case, candidate, label]
        sides = np.stack([left, total - left])
        y_l, y_r = _means(sides[:, 0])
        some = 1e-12 * mass(total)
        cases = _sse(sides).sum(axis=0)
        if self.skip_empty:
            cases[~np.all(mass(sides) > some, axis=0)] = 0.0
        return Stumps(T, y_l, y_r, cases.max(axis=0), np.all(mass(sides[:, 0]) > some, axis=0))


def _means(masses: np.ndarray) -> np.ndarray:
    return masses[..., 1] / np.maximum(mass(masses), TINY)


def _sse(masses: np.ndarray) -> np.ndarray:
    """The squared error of labels 0/1 around their mean."""
    return masses[..., 0] * masses[..., 1] / np.maximum(mass(masses), TINY)


@dataclass(frozen=True, slots=True)
class FourCaseSplit:
    """In the place of TSplit: rows follow their unattacked value, and take with them the mean of their side.

    `by_order`: repeat the authors' slip with categories (see `RobustTree`).
    """

    by_order: bool = False

    def __call__(
        self, D: Data, A: AttackerOnTable, C: Constraints, options: Options, path: str
    ) -> tuple[Split | None, Stumps]:
        N = options.solver.best_stumps(D, A, C, options.loss, options.features(D))
        stump = N.best()
        if stump is None:
            return None, N
        costs = D.costs(A, stump.f, stump.v)
        partition = ternary_partition(costs)
        left = D.unattacked_left(stump.f, stump.v)
        if self.by_order:
            left = _left_by_order(D, stump, partition, left)
        if left.all() or not left.any():
            return None, N
        D_l, D_r = (_handed_down(D, *side) for side in ((left, stump.y_l), (~left, stump.y_r)))
        return Split(stump, RobustSplit(costs, partition, left, D_l, D_r), C, C), N


def _handed_down(D: Data, rows: np.ndarray, prediction: float) -> HandedDown:
    return HandedDown(D.sample, D.rows[rows], D.spent_id[rows], prediction=prediction)


def _left_by_order(D: Data, stump: Stump, partition: TernaryPartition, left: np.ndarray) -> np.ndarray:
    """The authors' slip: unknown rows go left if their category comes before v in the alphabet, or is v."""
    categories = D.sample.table.schema.columns[stump.f].categories
    if categories is None:
        return left
    before = np.array([str(c) <= str(categories[stump.v]) for c in categories])
    return partition.left | (partition.unknown & before[D.codes(stump.f)])


@dataclass(frozen=True, eq=False)
class FourCaseProblem(TrainingProblem):
    """A training set under attack, to be solved by the four cases."""

    by_order: bool = False

    def solve(self, D: Data, options: Options) -> Tree:
        """The recursion of Algorithm 3, with the four cases in the place of TSplit."""
        A = self.attacker.afresh() if self.attacker else AttackerOnTable(NO_ATTACKER, self.sample.table)
        return treant(D, A, Constraints.none(), options, split=FourCaseSplit(self.by_order))


class FourCaseEstimator(TreantEstimator):
    """What is fixed, and what is added, in comparison with TREANT's options."""

    loss, solver, attack_invariance, retest = "sse", "exact", False, "all"
    categorical_by_order: bool
    skip_empty_cases: bool

    def _check_options(self) -> None:
        super()._check_options()
        checks.check_choice(self.categorical_by_order, "categorical_by_order", (True, False))
        checks.check_choice(self.skip_empty_cases, "skip_empty_cases", (True, False))

    def _make_options(self, loss: Loss) -> Options:
        return replace(super()._make_options(loss), solver=FourCases(skip_empty=bool(self.skip_empty_cases)))

    def _make_problem(
        self, sample: Sample, attacker: AttackerOnTable | None, options: Options
    ) -> TrainingProblem:
        return FourCaseProblem(sample, attacker, options, by_order=bool(self.categorical_by_order))


class RobustTree(TwoClasses, FourCaseEstimator, SingleTree):
    """A tree for two classes grown by the four-case heuristic (see the module for what differs from the
    original).

    Options as in TreantClassifier. `categorical_by_order=True` repeats a slip of TREANT's authors, to measure
    its effect: rows whose category the attacker may change are handed to the children by <= instead of ==.
    `skip_empty_cases=True` repeats what must have been another: a case that leaves a side without rows is
    passed over, as happens when the mean of no rows is "not a number". A feature of which the attacker owns
    every row then looks as if nobody attacked it, and the published numbers come out (`figures/AUDIT.md`).
    What `trace_` calls the loss under attack is the heuristic's guess of it.

    >>> from treant_viz import Attacker, Rule
    >>> A = Attacker([Rule(0, cost=1, delta=(-1, 1))], budget=1)
    >>> X, y = [[1, 0], [2, 0], [3, 1], [4, 1]], [0, 0, 1, 1]
    >>> RobustTree(A, min_samples_split=2).fit(X, y).tree_.predicate
    'x[1] <= 0'
    """

    def __init__(
        self,
        attacker: Attacker | None = None,
        max_depth: int | None = 8,
        min_samples_split: int = 20,
        max_features: Any = None,
        categorical_by_order: bool = False,
        skip_empty_cases: bool = False,
        random_state: Any = None,
    ) -> None:
        validation.keep_options(self, locals())


class RobustForest(TwoClasses, FourCaseEstimator, Forest):
    """A forest of robust trees, bagged as RF-TREANT is; its score is the mean of its trees'. `estimators_`
    holds them.

    Options as in RobustTree and TreantForestClassifier. Chen et al. boost their trees; TREANT's authors
    bagged them.
    """

    _tree_class = RobustTree

    def __init__(
        self,
        n_estimators: int = 100,
        max_samples: Any = 0.8,
        max_features: Any = 0.8,
        n_jobs: int | None = None,
        attacker: Attacker | None = None,
        max_depth: int | None = 8,
        min_samples_split: int = 20,
        categorical_by_order: bool = False,
        skip_empty_cases: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        validation.keep_options(self, locals())


__all__ = ["FourCases", "RobustForest", "RobustTree"]

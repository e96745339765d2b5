"""Robust trees: the four-case heuristic of Chen, Zhang, Boning and Hsieh (ICML 2019), as TREANT's authors ran it.

A candidate split is judged by the worst of four cases: nobody attacks; all unknown rows swap sides; all go left; all
go right. Each case is scored by the squared error around its own two means. What differs from Chen et al.: they perturb
all features at once within a box, inside gradient boosting or an information-gain tree; here the reach is that of
rewriting rules and a budget, the loss is the squared error on labels 0/1, and the trees form a bagged forest. Like
theirs, it keeps no account of what was spent (every node fears the full budget) and hands no constraints down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from treant_viz import inputs
from treant_viz.attacker import Attacker
from treant_viz.bound import BoundAttacker
from treant_viz.candidates import Grid, left_by_nature, tally
from treant_viz.constraints import Constraints
from treant_viz.estimators import _Classifies, _Forest, _SingleTree, _Treant
from treant_viz.exact_binary import TINY, best_leaf
from treant_viz.fitting import Problem
from treant_viz.growth import Event, Growth, Split, ignore, node
from treant_viz.losses import BINARY_SSE, Loss
from treant_viz.partition import Data, Fork, fork, mass
from treant_viz.stumps import Stumps
from treant_viz.tree import Leaf, Tree


@dataclass(frozen=True, slots=True)
class FourCases:
    """The heuristic in the place of Equation 2. Constraints play no part.

    `skip_empty`: a case that leaves a side without rows does not count.
    """

    tolerance: float = 1e-9
    skip_empty: bool = False

    def best_leaf(self, D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
        return best_leaf(D, Constraints.none(), loss)

    def best_stumps(self, D: Data, A: BoundAttacker, C: Constraints, loss: Loss, features: np.ndarray) -> Stumps:
        """Every candidate with the means of its clean sides, and the squared error of the worst of the four cases."""
        grid, total = Grid(D), D.sample.total(D.rows)
        T = tally(D, A, features, grid)
        home = left_by_nature(grid, total)[grid.before[T.code + grid.offset[T.feature]]]
        away = T.left + T.unknown - home  # the unknown rows that are right by nature
        left = np.stack([home, T.left + away, T.left + T.unknown, T.left])  # [case, candidate, label]
        sides = np.stack([left, total - left])
        y_l, y_r = _means(sides[:, 0])
        peopled = np.all(mass(sides[:, 0]) > 1e-12 * mass(total), axis=0)
        cases = _sse(sides).sum(axis=0)
        if self.skip_empty:
            cases[~np.all(mass(sides) > 1e-12 * mass(total), axis=0)] = 0.0
        return Stumps(T, y_l, y_r, cases.max(axis=0), np.asarray(peopled))


def _means(masses: np.ndarray) -> np.ndarray:
    return masses[..., 1] / np.maximum(mass(masses), TINY)


def _sse(masses: np.ndarray) -> np.ndarray:
    """The squared error of labels 0/1 around their mean."""
    return masses[..., 0] * masses[..., 1] / np.maximum(mass(masses), TINY)


def grow_robust(D: Data, A: BoundAttacker, how: Growth, y: float, by_order: bool, path: str = "") -> Tree:
    """Algorithm 1 with the four cases: rows follow their clean value, a leaf says the mean of its clean side."""
    n0, n1 = D.sample.total(D.rows).tolist()
    leaf_loss = float(BINARY_SSE.of_masses(n0, n1, y))
    t, N = _robust_split(D, A, how, by_order, path)
    better = how.better(t, leaf_loss)
    how.observe(Event(path, D, A, Constraints.none(), y, leaf_loss, N, t, better is not None))
    if better is None:
        return Leaf(y, leaf_loss, len(D))
    left = grow_robust(better.D_l, A, how, better.y_l, by_order, path + "l")
    right = grow_robust(better.D_r, A, how, better.y_r, by_order, path + "r")
    return node(D, better, left, right)


def _robust_split(
    D: Data, A: BoundAttacker, how: Growth, by_order: bool, path: str
) -> tuple[Split | None, Stumps | None]:
    if how.stops(D, path):
        return None, None
    free = Constraints.none()
    N = how.solver.best_stumps(D, A, free, how.loss, how.features(D))
    i = N.best()
    if i is None:
        return None, N
    f, v = int(N.tally.feature[i]), int(N.tally.code[i])
    branches = fork(D, A, f, v)
    left = _by_order(D, f, v, branches) if by_order else branches.left_by_nature
    if left.all() or not left.any():
        return None, N
    D_l, D_r = (Data(D.sample, D.rows[side], D.kid[side]) for side in (left, ~left))
    y_l, y_r, loss = float(N.y_l[i]), float(N.y_r[i]), float(N.loss[i])
    return Split(f, v, y_l, y_r, loss, branches, left, D_l, D_r, free, free), N


def _by_order(D: Data, f: int, v: int, branches: Fork) -> np.ndarray:
    """The authors' slip: unknown rows go left if their category comes before v in the alphabet, or is v."""
    categories = D.sample.table.schema.columns[f].categories
    if categories is None:
        return branches.left_by_nature
    before = np.array([str(c) <= str(categories[v]) for c in categories])
    left, _, unknown = branches.partition
    return left | (unknown & before[D.codes(f)])


@dataclass(frozen=True, eq=False)
class RobustProblem(Problem):
    """A training set under attack, to be solved by the four cases."""

    by_order: bool = False
    skip_empty: bool = False

    @classmethod
    def of(cls, p: Problem, by_order: bool, skip_empty: bool) -> RobustProblem:
        shared = {f.name: getattr(p, f.name) for f in fields(Problem)}
        return cls(**shared, by_order=by_order, skip_empty=skip_empty)

    def grow(self, seed: int, rows: np.ndarray | None = None, observe: Callable[[Event], None] = ignore) -> Tree:
        how = Growth(
            BINARY_SSE, FourCases(skip_empty=self.skip_empty), np.random.default_rng(seed), False, self.max_depth,
            self.min_samples_split, self.max_features, observe,
        )  # fmt: skip
        D = Data.root(self.sample, rows)
        A = self.attacker.afresh() if self.attacker else BoundAttacker(None, self.sample.table)
        return grow_robust(D, A, how, best_leaf(D, Constraints.none(), BINARY_SSE)[0], self.by_order)


class _Robust(_Treant):
    """What is fixed, and what is added, in comparison with TREANT's options."""

    loss, solver, attack_invariance, retest = "sse", "exact", False, "all"
    categorical_by_order: bool
    skip_empty_cases: bool

    def _check_options(self) -> None:
        super()._check_options()
        inputs.check_choice(self.categorical_by_order, "categorical_by_order", (True, False))
        inputs.check_choice(self.skip_empty_cases, "skip_empty_cases", (True, False))

    def _grow(self, problem: Problem) -> None:
        super()._grow(RobustProblem.of(problem, bool(self.categorical_by_order), bool(self.skip_empty_cases)))


class RobustTree(_Classifies, _Robust, _SingleTree):
    """A tree for two classes grown by the four-case heuristic (see the module for what differs from the original).

    Options as in TreantClassifier. `categorical_by_order=True` repeats a slip of TREANT's authors, to measure its
    effect: rows whose category the attacker may change are handed to the children by <= instead of ==.
    `skip_empty_cases=True` repeats what must have been another: a case that leaves a side without rows is passed over,
    as happens when the mean of no rows is "not a number". A feature of which the attacker owns every row then looks as
    if nobody attacked it, and the published numbers come out (`figures/AUDIT.md`). What `trace_` calls the loss under
    attack is the heuristic's guess of it.

    >>> from treant_viz import Attacker, Rule
    >>> A = Attacker([Rule(0, cost=1, delta=(-1, 1))], budget=1)
    >>> X, y = [[1, 0], [2, 0], [3, 1], [4, 1]], [0, 0, 1, 1]
    >>> RobustTree(A, min_samples_split=2).fit(X, y).tree_.predicate
    'x[1] <= 0'
    """

    def __init__(
        self, attacker: Attacker | None = None, max_depth: int | None = 8, min_samples_split: int = 20,
        max_features: Any = None, categorical_by_order: bool = False, skip_empty_cases: bool = False,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.attacker = attacker
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.categorical_by_order = categorical_by_order
        self.skip_empty_cases = skip_empty_cases
        self.random_state = random_state


class RobustForest(_Classifies, _Robust, _Forest):
    """A forest of robust trees, bagged as RF-TREANT is; its score is the mean of its trees'. `estimators_` holds them.

    Options as in RobustTree and TreantForestClassifier. Chen et al. boost their trees; TREANT's authors bagged them.
    """

    _tree_class = RobustTree

    def __init__(
        self, n_estimators: int = 100, max_samples: Any = 0.8, max_features: Any = 0.8, n_jobs: int | None = None,
        attacker: Attacker | None = None, max_depth: int | None = 8, min_samples_split: int = 20,
        categorical_by_order: bool = False, skip_empty_cases: bool = False, random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.attacker = attacker
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.categorical_by_order = categorical_by_order
        self.skip_empty_cases = skip_empty_cases
        self.random_state = random_state
        self.verbose = verbose


__all__ = ["FourCases", "RobustForest", "RobustTree"]

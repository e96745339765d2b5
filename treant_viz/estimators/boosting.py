"""Boosting that knows the attacker: every tree looks after the rows that the trees before it leave weak.

There is no such regressor. Bounds of a sum would carry over, from below and from above; but a row of a
regression is hurt in both directions, and the next tree would need a label that says how much is missing
under the attack it is about to face: two residuals a row, of which the attacker chooses one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from treant_viz.core import checks
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.data import Sample
from treant_viz.core.tree import Leaf, Node, Tree
from treant_viz.estimators import validation
from treant_viz.estimators.base import RealLabels, TwoClasses, draw_seeds
from treant_viz.estimators.fitting import TrainingProblem, draw_rows
from treant_viz.estimators.margins import Margins, Splits
from treant_viz.long_work import progress

SMOOTH = 0.02  # added to both shares of a leaf: a pure leaf is sure, but not infinitely
LEAST_WEIGHT = 1e-9  # of a row, the mean being 1: below it the core would take it for rounding


class TreantBoostClassifier(TwoClasses):
    """TREANT trees grown one after the other, each on the rows that are weak under attack so far.

    The score is the log-odds of the second class: the sum of the trees' leaves. For every row the sum of the
    worst leaves that the attacker can bring it to, tree by tree, is a lower bound m of its margin (the score
    towards its own class) under any attack. The next TREANT tree is grown with the rows weighted by
    1 / (1 + exp(m)), and a leaf with a share p of ones adds learning_rate * log((p + .02) / (1 - p + .02)).

    The bound is sound, because an attack brings the row into one leaf of each tree, and none of these is
    worse than the worst that can be reached if that tree stands alone. It is loose where trees disagree about
    which attack is the worst: each tree is charged with an attack of its own, and with the whole budget.
    `attack` finds what the attacker can really do; what is reported here is never better than that.

    The defaults were chosen on attacked validation rows without twins of the three data sets, one setting for
    all of them and for weak and strong attackers alike.

    Parameters
    ----------
    n_estimators : how many trees.
    learning_rate : by how much each of them counts.
    max_samples : the number or share of rows that each tree is grown on (drawn without replacement).
    max_features : features looked at per node: a number, a share, "sqrt", "log2", or None for all.
    attacker, solver, attack_invariance, max_depth, min_samples_split, retest : as in TreantClassifier.
    loss : what each tree minimises under attack: "sse" or "log". (The log-loss that `attack` and the losses
        below speak of is that of the whole model.)
    n_iter_no_change : stop when for so many trees the loss under attack of validation rows, taken from the
        training rows, has not become less, and keep the trees up to the best; None: grow all trees.
    validation_fraction : the share of these rows. Identical rows are taken together or not at all.
    random_state : seed of all sampling.
    verbose : 1 shows a progress bar.

    Attributes
    ----------
    trees_ : the trees; their leaves hold what they add to the log-odds.
    margin_bounds_ : by row given to `fit` (rows of weight zero left out), the bound m.
    valid_rows_ : which of these rows were kept for validation (a mask; all False without them).
    train_losses_, valid_losses_ : after every tree the mean log-loss at the bounds, which the log-loss under
        attack does not exceed (the second one is empty without validation rows).
    classes_, schema_, n_features_in_, feature_names_in_
    """

    trees_: list[Tree]
    n_estimators: int
    learning_rate: float
    max_samples: Any
    n_iter_no_change: int | None
    validation_fraction: float
    verbose: int
    _leaf_range = RealLabels._leaf_range

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.05,
        max_samples: Any = 0.8,
        max_features: Any = 0.4,
        attacker: Attacker | None = None,
        loss: str = "sse",
        solver: str = "exact",
        attack_invariance: bool = True,
        max_depth: int | None = 6,
        min_samples_split: int = 20,
        retest: str = "uncorrupted",
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        validation.keep_options(self, locals())

    def _check_options(self) -> None:
        super()._check_options()
        checks.check_whole(self.n_estimators, "n_estimators", 1)
        checks.check_whole(self.n_iter_no_change, "n_iter_no_change", 1, none=True)
        checks.check_number(self.learning_rate, "learning_rate")
        checks.check_number(self.validation_fraction, "validation_fraction", below=1)

    def _grow(self, problem: TrainingProblem) -> None:
        *seeds, last = draw_seeds(check_random_state(self.random_state), self.n_estimators + 1)
        self.valid_rows_ = self._held_back(problem.sample, last)
        margins, losses = Margins(problem.sample, problem.attacker), Losses(problem.sample, self.valid_rows_)
        self.trees_, best = [], np.zeros(0)
        trees = self._rounds(problem, margins, seeds)
        for t in progress(trees, self.n_estimators, "trees", show=bool(self.verbose)):
            self.trees_.append(t)
            losses.add(margins.bound)
            if self.n_iter_no_change is None or losses.best == len(self.trees_):
                best = margins.bound.copy()
            elif len(self.trees_) - losses.best >= self.n_iter_no_change:
                break
        self.margin_bounds_ = best
        self.train_losses_, self.valid_losses_ = np.array(losses.train), np.array(losses.valid)
        if self.n_iter_no_change is not None:
            del self.trees_[losses.best :]

    def _rounds(self, problem: TrainingProblem, margins: Margins, seeds: list[int]) -> Iterator[Tree]:
        """Tree by tree; the bounds are brought up to date with each."""
        given, known = (
            problem.sample.weights(np.arange(len(margins.bound))),
            np.flatnonzero(~self.valid_rows_),
        )
        size = validation.how_many(self.max_samples, len(known), "max_samples")
        for seed in seeds:
            weak = -np.logaddexp(0.0, margins.bound)  # logarithms, lest all rows of a sure model vanish
            weight = given * np.exp(weak - weak[known].max())
            weight = np.maximum(weight / weight[known].mean(), LEAST_WEIGHT)
            weighted = replace(problem, sample=replace(problem.sample, weight=weight))
            rows, splits = known[draw_rows(seed, len(known), size)], Splits()
            t = self._scored(weighted.grow(seed, rows, splits))
            margins.add(t, splits)
            yield t

    def _scored(self, t: Tree) -> Tree:
        """The tree with what it adds to the log-odds in place of its shares of ones."""
        if isinstance(t, Node):
            return replace(t, left=self._scored(t.left), right=self._scored(t.right))
        odds = (t.prediction + SMOOTH) / (1.0 - t.prediction + SMOOTH)
        return Leaf(self.learning_rate * math.log(odds), size=t.size)

    def _held_back(self, sample: Sample, seed: int) -> np.ndarray:
        """Which rows are kept for validation; identical rows stay together, so that none is known already."""
        valid = np.zeros(len(sample.y), dtype=bool)
        if self.n_iter_no_change is None:
            return valid
        kinds, kind = np.unique(sample.table.codes, axis=0, return_inverse=True)
        if len(kinds) < 2:
            raise ValueError("n_iter_no_change: expected two different rows, one of them to validate on")
        size = min(max(1, round(self.validation_fraction * len(kinds))), len(kinds) - 1)
        valid[np.isin(kind.ravel(), draw_rows(seed, len(kinds), size))] = True
        return valid

    def _together(self, values: np.ndarray) -> np.ndarray:
        """The probability behind the log-odds that the trees add up to."""
        return np.asarray(expit(values.sum(axis=0)))

    def decision_function(self, X: Any) -> np.ndarray:
        """The score: the log-odds of the second class."""
        return np.asarray(self._values(X).sum(axis=0))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    def _trees(self) -> list[Tree]:
        return self.trees_

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        if not 1 <= len(trees) <= self.n_estimators:
            raise ValueError(f"{where}: expected 1 to {self.n_estimators} trees, got {len(trees)}")
        self.trees_ = trees


class Losses:
    """After every tree the mean log-loss of some rows at the bounds of their margins, and of all others."""

    def __init__(self, sample: Sample, valid: np.ndarray) -> None:
        self.weight, self.mask = sample.weights(np.arange(len(sample.y))), valid
        self.train: list[float] = []
        self.valid: list[float] = []

    @property
    def best(self) -> int:
        """How many trees the least loss of the validation rows took."""
        return int(np.argmin(self.valid)) + 1

    def add(self, bound: np.ndarray) -> None:
        loss = np.logaddexp(0.0, -bound)
        for rows, out in ((~self.mask, self.train), (self.mask, self.valid)):
            if rows.any():
                out.append(float(np.average(loss[rows], weights=self.weight[rows])))


__all__ = ["TreantBoostClassifier"]

"""Forests of standard and TREANT trees: some for quiet days, some for when the attacker comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treant_viz.core import checks
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Tree
from treant_viz.estimators import validation
from treant_viz.estimators.base import Forest, TwoClasses, draw_seeds
from treant_viz.estimators.fitting import TrainingProblem
from treant_viz.estimators.trees import TreantClassifier


class MixedForestClassifier(TwoClasses, Forest):
    """A forest of which a share of the trees knows the attacker; its score is the weighted mean of all.

    Standard trees are better as long as nobody attacks, TREANT trees when somebody does; a mixture gives up a
    little of the one for some of the other. `robust_share=1` is a TreantForestClassifier, `robust_share=0`
    the same forest without an attacker.

    Options as in TreantForestClassifier, and:

    Parameters
    ----------
    robust_share : the share of TREANT trees, from 0 to 1 (their number is rounded).
    robust_weight : how much each of them counts, a standard tree counting 1.

    Attributes
    ----------
    estimators_ : the trees as TreantClassifiers: first those that know the attacker, then the standard ones.
    tree_weights_ : how much each tree counts.
    classes_, schema_, n_features_in_, feature_names_in_
    """

    _tree_class = TreantClassifier

    robust_share: float
    robust_weight: float

    def __init__(
        self,
        n_estimators: int = 100,
        robust_share: float = 0.5,
        robust_weight: float = 1.0,
        max_samples: Any = 0.8,
        max_features: Any = 0.8,
        n_jobs: int | None = None,
        attacker: Attacker | None = None,
        loss: str = "log",
        solver: str = "exact",
        attack_invariance: bool = True,
        max_depth: int | None = 8,
        min_samples_split: int = 20,
        retest: str = "uncorrupted",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        validation.keep_options(self, locals())

    def _check_options(self) -> None:
        super()._check_options()
        checks.check_number(self.robust_weight, "robust_weight")
        checks.check_share(self.robust_share, "robust_share")

    @property
    def _robust(self) -> int:
        """How many trees know the attacker."""
        return round(self.robust_share * self.n_estimators)

    @property
    def tree_weights_(self) -> np.ndarray:
        """How much each tree counts."""
        return np.where(np.arange(self.n_estimators) < self._robust, float(self.robust_weight), 1.0)

    def _grow(self, problem: TrainingProblem) -> None:
        seeds = draw_seeds(check_random_state(self.random_state), self.n_estimators)
        robust, standard = seeds[: self._robust], seeds[self._robust :]
        grown = [*self._members(problem, robust, "robust trees")]
        grown += self._members(replace(problem, attacker=None), standard, "standard trees")
        self._keep(grown)

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        super()._set_trees(trees, where)
        self._keep(self.estimators_)

    def _keep(self, members: list[TreantClassifier]) -> None:
        for standard in members[self._robust :]:
            standard.attacker = None
        self.estimators_ = members

    def _together(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(np.average(values, axis=0, weights=self.tree_weights_))


__all__ = ["MixedForestClassifier"]

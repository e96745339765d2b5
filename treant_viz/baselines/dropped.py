"""The trivial defence: drop every feature that some rule touches. What is left cannot be attacked.

Such a model is the same under every attack, whatever it costs; what it gives up is all that those features
say. Rules with preconditions leave tests that nobody can cross, and a robust learner may use them: only where
the data have such tests does it gain anything over this baseline.

The features are made constant while LightGBM trains, so that no tree can ask for them: the model is the one
of a table without them, and takes the same tables as all the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treant_viz.baselines.boosted import Boosted, GBDTBaseline, RandomForestBaseline
from treant_viz.core.attacker.rules import Attacker
from treant_viz.estimators import validation


class Dropping(Boosted):
    """What both have in common: the features they do not look at."""

    attacker: Attacker | None

    def _start(self, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        if self.attacker is not None and not isinstance(self.attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker or None, got {self.attacker!r}")
        M, labels, weight = super()._start(X, y, sample_weight)
        rules = self.attacker.rules if self.attacker else ()
        touched = sorted({self._schema.index(r.feature, who="attacker: the rule's feature") for r in rules})
        if len(touched) == M.shape[1]:
            raise ValueError("attacker: its rules touch every column, so that none is left to learn from")
        self.dropped_features_ = tuple(self._schema.names[f] for f in touched)
        M[:, touched] = 0.0
        return M, labels, weight


class DropRandomForest(Dropping, RandomForestBaseline):
    """A random forest that looks at no feature which some rule of `attacker` touches, whatever it costs.

    Options and attributes as in RandomForestBaseline, and `dropped_features_`: the features it ignores.
    """

    def __init__(
        self,
        attacker: Attacker | None = None,
        n_estimators: int = 100,
        max_samples: float = 0.8,
        max_features: float = 0.8,
        num_leaves: int = 256,
        max_depth: int | None = 8,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        validation.keep_options(self, locals())


class DropGBDT(Dropping, GBDTBaseline):
    """Gradient boosting that looks at no feature which some rule of `attacker` touches, whatever it costs.

    Options and attributes as in GBDTBaseline, and `dropped_features_`: the features it ignores.
    """

    def __init__(
        self,
        attacker: Attacker | None = None,
        n_estimators: int = 100,
        learning_rate: float = 0.05,
        num_leaves: int = 256,
        max_depth: int | None = 8,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        validation.keep_options(self, locals())


__all__ = ["DropGBDT", "DropRandomForest"]

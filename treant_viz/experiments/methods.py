"""The learners behind the names of the paper's methods, with the parameters of the published numbers.

>>> make("treant-none", None, seed=1).retest
'none'
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

from treant_viz.baselines import (
    AdversarialBoosting,
    DropGBDT,
    DropRandomForest,
    GBDTBaseline,
    RandomForestBaseline,
    RobustForest,
)
from treant_viz.core.attacker.rules import Attacker
from treant_viz.estimators.boosting import TreantBoostClassifier
from treant_viz.estimators.mixed import MixedForestClassifier
from treant_viz.estimators.trees import TreantForestClassifier
from treant_viz.experiments.schema import FULL


class Learner(NamedTuple):
    """The class that learns, and the options in which it differs from its defaults."""

    make: Callable[..., Any]
    options: dict[str, Any] = {}  # noqa: RUF012  (read only)


def treant_ensemble(attacker: Attacker | None, ensemble: str = "forest", **params: Any) -> Any:
    """A forest of TREANT trees, or boosted ones: what is chosen is a parameter like any other."""
    kinds = {"forest": TreantForestClassifier, "boosted": TreantBoostClassifier}
    return kinds[ensemble](attacker=attacker, **params)


LEARNERS = {
    "rf": Learner(RandomForestBaseline),
    "gbdt": Learner(GBDTBaseline),
    "ab": Learner(AdversarialBoosting),
    "rt": Learner(RobustForest),
    "rt-slips": Learner(RobustForest, {"skip_empty_cases": True, "categorical_by_order": True}),
    "rt-alphabet": Learner(RobustForest, {"categorical_by_order": True}),
    "rt-empty": Learner(RobustForest, {"skip_empty_cases": True}),
    "treant-none": Learner(TreantForestClassifier, {"loss": "sse", "retest": "none"}),
    "treant": Learner(TreantForestClassifier, {"loss": "sse", "retest": "uncorrupted"}),
    "drop-rf": Learner(DropRandomForest),
    "drop-gbdt": Learner(DropGBDT),
    "treant-boost": Learner(TreantBoostClassifier),
    "treant-tuned": Learner(treant_ensemble, {"loss": "sse", "retest": "uncorrupted"}),
    "mixed": Learner(MixedForestClassifier, {"loss": "sse"}),
}


def make(method: str, attacker: Attacker | None, seed: int, **params: Any) -> Any:
    """An unfitted model; `params` override the defaults (the authors' own)."""
    learner = LEARNERS[method]
    known = {"attacker": attacker} if "attacker" in signature(learner.make).parameters else {}
    return learner.make(**{"n_estimators": FULL.trees} | known | learner.options | params, random_state=seed)


def fit(model: Any, X: Any, y: Any, X_valid: Any, y_valid: Any) -> Any:
    """Fit; adversarial boosting looks at the validation rows too, to choose its round."""
    if isinstance(model, AdversarialBoosting):
        return model.fit(X, y, X_valid, y_valid)
    return model.fit(X, y)


__all__ = ["LEARNERS", "Learner", "fit", "make"]

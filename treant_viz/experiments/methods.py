"""The learners of the paper's evaluation by name, with the parameters that produced the published numbers.

>>> METHODS["ab"].label, METHODS["rf"].aware
('AB', False)
>>> make("treant-none", None, seed=1).retest
'none'
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from treant_viz.attacker import Attacker
from treant_viz.baselines import AdversarialBoosting, GBDTBaseline, RandomForestBaseline, RobustForest
from treant_viz.estimators import TreantForestClassifier

TREES = 100


class Method(NamedTuple):
    """A learner: its name in pictures, what it is, whether it trains against an attacker, and how it is made."""

    label: str
    what: str
    aware: bool
    make: Callable[..., Any]
    options: dict[str, Any]


METHODS = {
    "rf": Method("RF", "random forest", False, RandomForestBaseline, {}),
    "gbdt": Method("GBDT", "gradient boosting", False, GBDTBaseline, {}),
    "ab": Method("AB", "adversarial boosting", True, AdversarialBoosting, {}),
    "rt": Method("RT, mended", "robust trees, the four cases as they are meant", True, RobustForest, {}),
    "rt-slips": Method(
        "RT", "robust trees as the authors ran them", True, RobustForest,
        {"skip_empty_cases": True, "categorical_by_order": True},
    ),
    "rt-alphabet": Method(
        "RT, alphabet", "robust trees with one slip: categories by <=", True, RobustForest,
        {"categorical_by_order": True},
    ),
    "rt-empty": Method(
        "RT, no empty cases", "robust trees with one slip: cases with an empty side are passed over", True,
        RobustForest, {"skip_empty_cases": True},
    ),
    "treant-none": Method(
        "RF-TREANT", "TREANT as the authors ran it: no feature is tested twice on a path", True,
        TreantForestClassifier, {"loss": "sse", "retest": "none"},
    ),
    "treant": Method(
        "RF-TREANT, text", "TREANT as the text has it: no corrupted feature is tested twice on a path", True,
        TreantForestClassifier, {"loss": "sse", "retest": "uncorrupted"},
    ),
}  # fmt: skip


def make(method: str, attacker: Attacker | None, seed: int, **params: Any) -> Any:
    """An unfitted model; `params` override the defaults (the authors' own)."""
    m = METHODS[method]
    known = {"attacker": attacker} if m.aware else {}
    return m.make(**{"n_estimators": TREES} | known | m.options | params, random_state=seed)


def fit(model: Any, X: Any, y: Any, X_valid: Any, y_valid: Any) -> Any:
    """Fit; adversarial boosting looks at the validation rows too, to choose its round."""
    if isinstance(model, AdversarialBoosting):
        return model.fit(X, y, X_valid, y_valid)
    return model.fit(X, y)


__all__ = ["METHODS", "TREES", "Method", "fit", "make"]

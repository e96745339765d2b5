"""Any tree model in common form: who made it decides which reader it goes to.

A bare tree, a list of them, our estimators, scikit-learn's trees, forests and gradient boosting, LightGBM's
boosters, and any model with a method `common_form(X, attacker)` of its own. Neither library is imported.
"""

from __future__ import annotations

from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node
from treant_viz.ensembles.ensemble import Ensemble
from treant_viz.ensembles.lightgbm import from_lightgbm
from treant_viz.ensembles.own_trees import from_estimator, from_trees
from treant_viz.ensembles.sklearn import from_sklearn


def common_form(model: Any, X: Any, attacker: Attacker | None = None) -> Ensemble:
    """The common form of a model, for the columns of X and the categories that the attacker's rules name."""
    if isinstance(model, (Leaf, Node)):
        return from_trees([model], X, attacker)
    if isinstance(model, (list, tuple)) and model and all(isinstance(t, (Leaf, Node)) for t in model):
        return from_trees(model, X, attacker)
    if hasattr(model, "common_form"):
        return model.common_form(X, attacker)
    if hasattr(model, "schema_"):
        return from_estimator(model)
    home = type(model).__module__.partition(".")[0]
    if home == "lightgbm":
        return from_lightgbm(model, X, attacker)
    if home == "sklearn" or hasattr(model, "n_features_in_"):
        return from_sklearn(model, X)
    raise TypeError(
        "model: expected a tree (Leaf or Node), a list of trees, a fitted estimator of this package, a tree, "
        f"forest or gradient boosting of scikit-learn, or a LightGBM booster; got {_unfitted(model)}"
    )


def _unfitted(model: Any) -> str:
    name = type(model).__name__
    return f"a {name} that is not fitted" if hasattr(model, "fit") else f"{name}: {model!r:.80}"

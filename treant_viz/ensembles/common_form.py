"""Any tree model in common form: who made it decides which reader it goes to.

A bare tree, a list of them, our estimators, scikit-learn's trees, forests, boosted trees and isolation
forests, boosters of LightGBM, XGBoost and CatBoost, pipelines that end in one of these, and any model with a
method `common_form(X, attacker)` of its own. None of these libraries is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node
from treant_viz.ensembles.catboost import from_catboost
from treant_viz.ensembles.ensemble import Ensemble
from treant_viz.ensembles.hist_boosting import from_hist_boosting
from treant_viz.ensembles.isolation import from_isolation
from treant_viz.ensembles.lightgbm import from_lightgbm
from treant_viz.ensembles.own_trees import from_estimator, from_trees
from treant_viz.ensembles.pipelines import from_pipeline
from treant_viz.ensembles.sklearn import from_sklearn
from treant_viz.ensembles.xgboost import from_xgboost

NUMERIC: dict[str, Callable[[Any, Any], Ensemble]] = {  # models of numbers, by library or by class
    "xgboost": from_xgboost,
    "catboost": from_catboost,
    "BaseHistGradientBoosting": from_hist_boosting,
    "IsolationForest": from_isolation,
}


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
    kinds = {c.__name__ for c in type(model).__mro__}
    if "Pipeline" in kinds and home == "sklearn":
        return from_pipeline(model, X, attacker, common_form)
    for known, reader in NUMERIC.items():
        if known == home or known in kinds:
            return reader(model, X)
    if home == "sklearn" or hasattr(model, "n_features_in_"):
        return from_sklearn(model, X)
    raise TypeError(
        "model: expected a tree (Leaf or Node), a list of trees, a fitted estimator of this package, a tree, "
        "forest or boosted trees of scikit-learn, a model of LightGBM, XGBoost or CatBoost, or a pipeline "
        f"that ends in one of these; got {_unfitted(model)}"
    )


def _unfitted(model: Any) -> str:
    name = type(model).__name__
    return f"a {name} that is not fitted" if hasattr(model, "fit") else f"{name}: {model!r:.80}"

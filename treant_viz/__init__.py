"""treant_viz: teach, explore and reproduce "TREANT: Training Evasion-Aware Decision Trees".

>>> import treant_viz as tv
>>> toy = tv.load_toy()
>>> m = tv.TreantRegressor(attacker=toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
>>> tv.loss_under_attack(m, toy.X, toy.y, toy.attacker)
2.5
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Names are imported from their modules when first asked for, so that `import treant_viz` is quick.
_HOME = {
    "Attacker": "attacker",
    "Interval": "attacker",
    "Rule": "attacker",
    "read_published_rules": "rulefiles",
    "Leaf": "tree",
    "Node": "tree",
    "to_text": "tree",
    "TreantClassifier": "estimators",
    "TreantForestClassifier": "estimators",
    "TreantForestRegressor": "estimators",
    "TreantRegressor": "estimators",
    "Trace": "trace",
    "attack": "attacks",
    "loss_under_attack": "attacks",
    "worst_leaves": "attacks",
    "evaluate": "evaluation",
    "mcnemar": "evaluation",
    "security_curve": "evaluation",
    "load_census": "datasets",
    "load_credit": "datasets",
    "load_results": "experiments.results",
    "load_toy": "datasets",
    "load_wine": "datasets",
    "AttackPathDisplay": "viz",
    "AuditDisplay": "viz",
    "ConstraintsDisplay": "viz",
    "FeatureSpaceDisplay": "viz",
    "ForestVotesDisplay": "viz",
    "LossSurfaceDisplay": "viz",
    "RobustSplitDisplay": "viz",
    "SecurityCurveDisplay": "viz",
    "SplitSearchDisplay": "viz",
    "TernaryPartitionDisplay": "viz",
    "TrainTestHeatmapDisplay": "viz",
    "TreeDisplay": "viz",
    "build_attacker": "explore",
    "explore_attack": "explore",
    "explore_constraints": "explore",
    "explore_forest": "explore",
    "explore_growth": "explore",
    "explore_split": "explore",
    "explore_surface": "explore",
}

_MODULES = ("exercises",)

__all__ = sorted([*_HOME, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"treant_viz.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz' has no attribute {name!r}")
    value = getattr(import_module(f"treant_viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

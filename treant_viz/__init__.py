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
    "Attacker": "core.attacker.rules",
    "Interval": "core.attacker.rules",
    "Rule": "core.attacker.rules",
    "read_published_rules": "core.attacker.published",
    "Leaf": "core.tree",
    "Node": "core.tree",
    "to_text": "core.tree",
    "MixedForestClassifier": "estimators.mixed",
    "TreantBoostClassifier": "estimators.boosting",
    "TreantClassifier": "estimators.trees",
    "TreantForestClassifier": "estimators.trees",
    "TreantForestRegressor": "estimators.trees",
    "TreantRegressor": "estimators.trees",
    "Trace": "trace.trace",
    "attack": "attacks.attack",
    "certify": "attacks.evasion",
    "evasion_cost": "attacks.evasion",
    "loss_under_attack": "attacks.attack",
    "worst_leaves": "attacks.attack",
    "evaluate": "evaluation",
    "mcnemar": "evaluation",
    "security_curve": "evaluation",
    "load_census": "datasets",
    "load_credit": "datasets",
    "load_results": "experiments.report.results",
    "load_toy": "datasets",
    "load_wine": "datasets",
    "twins": "datasets",
    "AttackPathDisplay": "viz",
    "AuditDisplay": "viz",
    "BoundsDisplay": "viz",
    "CellsDisplay": "viz",
    "CertificateDisplay": "viz",
    "ConstraintsDisplay": "viz",
    "FeatureSpaceDisplay": "viz",
    "ForestVotesDisplay": "viz",
    "LossSurfaceDisplay": "viz",
    "RobustSplitDisplay": "viz",
    "RuleDisplay": "viz",
    "SecurityCurveDisplay": "viz",
    "SplitSearchDisplay": "viz",
    "TernaryPartitionDisplay": "viz",
    "TrainTestHeatmapDisplay": "viz",
    "TreeDisplay": "viz",
    "build_attacker": "live",
    "explore_attack": "live",
    "explore_certificate": "live",
    "explore_constraints": "live",
    "explore_curves": "live",
    "explore_forest": "live",
    "explore_growth": "live",
    "explore_search": "live",
    "explore_space": "live",
    "explore_split": "live",
    "explore_surface": "live",
}

_MODULES = {"exercises": "course.exercises"}

__all__ = sorted([*_HOME, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"treant_viz.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz' has no attribute {name!r}")
    value = getattr(import_module(f"treant_viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _live_page(display: Any, theme: str) -> str | None:
    """The page of a display as a live picture, by those who draw in the browser."""
    found: str | None = import_module("treant_viz.live.displays").page_of(display, theme)
    return found


import_module("treant_viz.viz.output.live_pages").made_by(_live_page)

"""Pictures: one display per concept of the paper. They read trees, traces and results, and never run the algorithm."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "AttackPathDisplay": "attack_path",
    "AuditDisplay": "audit_cells",
    "ConstraintsDisplay": "leaf_constraints",
    "FeatureSpaceDisplay": "feature_space",
    "ForestVotesDisplay": "forest_votes",
    "LossSurfaceDisplay": "loss_surface",
    "RobustSplitDisplay": "robust_split",
    "SecurityCurveDisplay": "security_curve",
    "SplitSearchDisplay": "split_search",
    "TernaryPartitionDisplay": "ternary_partition",
    "TrainTestHeatmapDisplay": "train_test",
    "TreeDisplay": "tree",
    "DARK": "palette",
    "LIGHT": "palette",
    "Palette": "palette",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz.viz' has no attribute {name!r}")
    value = getattr(import_module(f"treant_viz.viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value

"""Pictures: one display per concept of the paper.

They read trees, traces and results, and never run the algorithm.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "AttackPathDisplay": "attack_path.display",
    "AuditDisplay": "audit.display",
    "BoundsDisplay": "bounds.display",
    "CellsDisplay": "cells.display",
    "CertificateDisplay": "certificate.display",
    "ConstraintsDisplay": "leaf_constraints.display",
    "FeatureSpaceDisplay": "feature_space.display",
    "ForestVotesDisplay": "forest_votes.display",
    "LossSurfaceDisplay": "loss_surface.display",
    "RobustSplitDisplay": "robust_split.display",
    "RuleDisplay": "rule.display",
    "SecurityCurveDisplay": "security_curve.display",
    "SplitSearchDisplay": "split_search.display",
    "TernaryPartitionDisplay": "ternary_partition.display",
    "TrainTestHeatmapDisplay": "train_test.display",
    "TreeDisplay": "tree.display",
    "DARK": "style.palette",
    "LIGHT": "style.palette",
    "Palette": "style.palette",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz.viz' has no attribute {name!r}")
    value = getattr(import_module(f"treant_viz.viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value

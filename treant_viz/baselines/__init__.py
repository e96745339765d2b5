"""The paper's four competitors, with the estimators' interface: each module says what differs from its
original. And the trivial defence that the paper does not have: drop what can be attacked.

`RandomForestBaseline`, `GBDTBaseline`, `DropRandomForest`, `DropGBDT` and `AdversarialBoosting` need LightGBM
(the extra "experiments"), which is imported when they are fitted; `RobustTree` and `RobustForest` need
nothing but this package.
"""

from __future__ import annotations

from treant_viz.baselines.adversarial import AdversarialBoosting
from treant_viz.baselines.boosted import GBDTBaseline, RandomForestBaseline
from treant_viz.baselines.dropped import DropGBDT, DropRandomForest
from treant_viz.baselines.robust import RobustForest, RobustTree

__all__ = [
    "AdversarialBoosting",
    "DropGBDT",
    "DropRandomForest",
    "GBDTBaseline",
    "RandomForestBaseline",
    "RobustForest",
    "RobustTree",
]

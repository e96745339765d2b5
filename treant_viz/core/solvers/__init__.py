"""Equation 2: the best leaf, and the best (y_l, y_r) of every candidate, subject to C.

This is what makes `best_stump` of `reference` fast. "exact" is a closed form for labels 0/1 (`binary`) and a
scan of break points for real labels (`real`). "slsqp" is the numerical solver of the paper (`slsqp`), kept
for teaching and cross-checking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss
from treant_viz.core.solvers import binary as exact_binary
from treant_viz.core.solvers import real as exact_real
from treant_viz.core.solvers import slsqp
from treant_viz.core.solvers.stumps import Stumps


class Solver(Protocol):
    """Equation 2. Losses closer than `tolerance` (relative) count as equal; traces keep its `name`."""

    @property
    def name(self) -> str: ...

    @property
    def tolerance(self) -> float: ...

    def best_leaf(self, D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
        """argmin_y L^A(leaf y, D) subject to C, and that loss."""

    def best_stumps(
        self, D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray
    ) -> Stumps:
        """Every candidate on `features` (a mask) with its best y_l, y_r subject to C."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The optimum itself."""

    name: str = "exact"
    tolerance: float = 1e-9

    def best_leaf(self, D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
        return (exact_binary if loss.binary else exact_real).best_leaf(D, C, loss)

    def best_stumps(
        self, D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray
    ) -> Stumps:
        return (exact_binary if loss.binary else exact_real).best_stumps(D, A, C, loss, features)


@dataclass(frozen=True, slots=True)
class Slsqp:
    """The paper's solver: scipy's SLSQP, started from the leaves of the unattacked split."""

    name: str = "slsqp"
    tolerance: float = 1e-6

    def best_leaf(self, D: Data, C: Constraints, loss: Loss) -> tuple[float, float]:
        return slsqp.best_leaf(D, C, loss)

    def best_stumps(
        self, D: Data, A: AttackerOnTable, C: Constraints, loss: Loss, features: np.ndarray
    ) -> Stumps:
        return slsqp.best_stumps(D, A, C, loss, features, self.tolerance)


def get_solver(name: str) -> Solver:
    if name not in ("exact", "slsqp"):
        raise ValueError(f"solver: expected 'exact' or 'slsqp', got {name!r}")
    return Exact() if name == "exact" else Slsqp()

"""How a tree is grown: the loss, the solver, when to stop, which features to look at, who watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treant_viz.bound import BoundAttacker
from treant_viz.constraints import Constraints
from treant_viz.losses import Loss
from treant_viz.partition import Data, Fork
from treant_viz.solvers import Solver
from treant_viz.stumps import Stumps
from treant_viz.tree import Node, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """What TSplit returns: the stump sigma(f, v, y_l, y_r), its loss under attack, and both children's D and C."""

    f: int
    v: int
    y_l: float
    y_r: float
    loss: float
    branches: Fork
    left: np.ndarray
    D_l: Data
    D_r: Data
    C_l: Constraints
    C_r: Constraints


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One call of TREANT, as it happened; observers get it and must not change it."""

    path: str
    D: Data
    A: BoundAttacker
    C: Constraints
    leaf: float
    leaf_loss: float
    stumps: Stumps | None
    split: Split | None
    taken: bool


def ignore(event: Event) -> None:
    """The observer that does nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """The options of a run. `max_features` counts the features looked at per node; None means all."""

    loss: Loss
    solver: Solver
    rng: np.random.Generator
    attack_invariance: bool = True
    max_depth: int = 8
    min_samples_split: int = 20
    max_features: int | None = None
    observe: Callable[[Event], None] = ignore

    def stops(self, D: Data, path: str) -> bool:
        """Too deep or too few rows to split."""
        return len(path) >= self.max_depth or len(D) < self.min_samples_split

    def features(self, D: Data) -> np.ndarray:
        """Which features this node may test, as a mask: not the barred ones; of the rest a sample."""
        allowed = np.ones(D.sample.table.width, dtype=bool)
        if D.barred:
            allowed[list(D.barred)] = False
        if self.max_features is not None and self.max_features < allowed.sum():
            chosen = self.rng.choice(np.flatnonzero(allowed), self.max_features, replace=False)
            allowed[:] = False
            allowed[chosen] = True
        return allowed

    def better(self, split: Split | None, leaf_loss: float) -> Split | None:
        """The split, if its loss is below the leaf's by more than rounding."""
        gains = split is not None and split.loss < leaf_loss * (1 - self.solver.tolerance)
        return split if gains else None


def node(D: Data, split: Split, left: Tree, right: Tree) -> Node:
    """sigma(f, v, t_l, t_r) in the words of the table's columns."""
    column = D.sample.table.schema.columns[split.f]
    return Node(column.name, D.sample.table.threshold(split.f, split.v), left, right, column.test)

"""How a tree is grown, in one record: loss, solver, when to stop, which features to look at, and who watches.

An estimator makes the record once; it goes unchanged through the training problem, the algorithms and the
trace. (`reference` has fewer options, and stops in `splits`.) Here is also what the algorithms hand on: a
`Split`, and an `Event` for the observer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss
from treant_viz.core.partition import RobustSplit, Stump
from treant_viz.core.solvers import Solver
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.tree import Node, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """What TSplit returns: the stump sigma(f, v, y_l, y_r), and D and C of both children."""

    stump: Stump
    robust: RobustSplit
    C_l: Constraints
    C_r: Constraints

    @property
    def D_l(self) -> Data:
        return self.robust.D_l

    @property
    def D_r(self) -> Data:
        return self.robust.D_r


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Event:
    """One call of Treant, as it happened; observers get it and must not change it."""

    path: str
    D: Data
    A: AttackerOnTable
    C: Constraints
    leaf: float
    leaf_loss: float
    stumps: Stumps | None
    split: Split | None
    taken: bool


def ignore(event: Event) -> None:
    """The observer that does nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """The options of a growth. `max_features` counts the features looked at per node; None means all.

    `rng` draws those features and `observe` is told of every call: both belong to a single run.
    """

    loss: Loss
    solver: Solver
    attack_invariance: bool = True
    max_depth: int = 8
    min_samples_split: int = 20
    max_features: int | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    observe: Callable[[Event], None] = ignore

    def to_dict(self) -> dict[str, Any]:
        """What a trace says of them."""
        names = ("attack_invariance", "max_depth", "min_samples_split", "max_features")
        return {"solver": self.solver.name} | {n: getattr(self, n) for n in names}

    def for_run(self, seed: int, observe: Callable[[Event], None] = ignore) -> Options:
        """The same options for one run: the same seed grows the same tree."""
        return replace(self, rng=np.random.default_rng(seed), observe=observe)

    def stops(self, D: Data, path: str) -> bool:
        """Too deep or too few rows to split."""
        return len(path) >= self.max_depth or len(D) < self.min_samples_split

    def features(self, D: Data) -> np.ndarray:
        """Which features this node may test, as a mask: all that are not barred, or a sample of these."""
        allowed = np.ones(D.sample.table.width, dtype=bool)
        if D.barred:
            allowed[list(D.barred)] = False
        if self.max_features is not None and self.max_features < allowed.sum():
            chosen = self.rng.choice(np.flatnonzero(allowed), self.max_features, replace=False)
            allowed[:] = False
            allowed[chosen] = True
        return allowed

    def gains(self, split: Split | None, leaf_loss: float) -> bool:
        """Is the split's loss below the leaf's by more than rounding?"""
        return split is not None and split.stump.loss < leaf_loss * (1 - self.solver.tolerance)


def node(D: Data, stump: Stump, left: Tree, right: Tree) -> Node:
    """sigma(f, v, t_l, t_r) in the words of the table's columns."""
    column = D.sample.table.schema.columns[stump.f]
    return Node(column.name, D.sample.table.threshold(stump.f, stump.v), left, right, column.test)

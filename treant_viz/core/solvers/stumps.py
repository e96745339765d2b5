"""N, the candidate stumps of a node, solved: what every solver returns, and how ties are decided (as by
`argmin` of `reference`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treant_viz.core.partition import Stump
from treant_viz.core.solvers.candidates import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Stumps:
    """Every candidate stump of a node: the partition's masses, its best leaves, its loss under attack.

    `admissible`: both children get rows. `status` and `iterates` are filled in by numerical solvers.
    """

    tally: Tally
    y_l: np.ndarray
    y_r: np.ndarray
    loss: np.ndarray
    admissible: np.ndarray
    tolerance: float = 1e-9
    status: tuple[str, ...] | None = None
    iterates: tuple[tuple[tuple[float, float], ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.loss)

    def at(self, i: int) -> Stump:
        """Candidate i as a record of its own."""
        f, v = int(self.tally.feature[i]), int(self.tally.code[i])
        return Stump(f, v, float(self.y_l[i]), float(self.y_r[i]), float(self.loss[i]))

    def best(self) -> Stump | None:
        """The least loss; ties (up to rounding) go to the first feature, then the first threshold."""
        tied = self.tied()
        return self.at(int(np.argmax(tied))) if tied.any() else None

    def tied(self) -> np.ndarray:
        """Which candidates are as good as the best, up to rounding (measured against the worst of them)."""
        loss = np.where(self.admissible, self.loss, np.inf)
        finite = loss[np.isfinite(loss)]
        if not len(finite):
            return np.zeros(len(loss), dtype=bool)
        return loss <= finite.min() + self.tolerance * finite.max()

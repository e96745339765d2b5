"""Candidate stumps of a node, solved: what every solver returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treant_viz.candidates import Tally


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

    def best(self) -> int | None:
        """The least loss; ties (up to rounding) go to the first feature, then the first threshold."""
        loss = np.where(self.admissible, self.loss, np.inf)
        if not len(loss) or not np.isfinite(least := loss.min()):
            return None
        return int(np.argmax(loss <= least + slack(least, self.tolerance)))


def slack(loss: float, tolerance: float) -> float:
    """Losses that differ by less are equal."""
    return tolerance * max(1.0, abs(loss))

"""A test on one feature in every state that it can be put into: each budget that matters, each threshold.

Budgets that matter are finitely many: the sums of costs at which something new comes into reach. Between two
of them, and between two neighbouring thresholds, nothing changes. So a table holds all there is to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Plans:
    """Leaves by threshold, and what they cost if nobody attacks (`loss`) and under attack.

    `flows` are the unknown rows by where they are unattacked and where the attacker sends them:
    [left to left, left to right, right to left, right to right] by threshold.
    """

    y_l: np.ndarray
    y_r: np.ndarray
    loss: np.ndarray
    loss_under_attack: np.ndarray
    flows: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class BudgetLevel:
    """What a budget of `cost` (and anything up to the next level) makes of the test, by threshold.

    Numbers: `low` and `high` are the ends of what each distinct value can become; the first threshold is
    -inf. Categories: `reach[i, j]` says whether category i can become j; thresholds are places among them.
    `cases` are the squared errors of the four cases, [case, threshold].
    """

    cost: float
    low: np.ndarray
    high: np.ndarray
    reach: np.ndarray
    thresholds: np.ndarray
    left: np.ndarray
    unknown: np.ndarray
    right: np.ndarray
    standard: Plans
    robust: Plans
    cases: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class FeatureStates:
    """One feature: its distinct values or categories, each row's place among them, the levels of the budget.

    `all_thresholds`: every threshold at which anything changes is there, not only a choice of them.
    """

    feature: str | int
    categories: tuple[Any, ...] | None
    values: np.ndarray
    codes: np.ndarray
    y: np.ndarray
    loss: str
    levels: tuple[BudgetLevel, ...]
    all_thresholds: bool

    def level_of(self, budget: float) -> BudgetLevel:
        """The last level that a budget affords."""
        costs = np.array([level.cost for level in self.levels])
        return self.levels[int(np.searchsorted(costs, budget * (1 + 1e-9), side="right")) - 1]

    def leaves(self, budget: float, threshold: Any, *, robust: bool = True) -> tuple[float, float]:
        """The leaves of a test: the best ones under attack, or the standard ones."""
        level = self.level_of(budget)
        if self.categories is not None:
            i = self.categories.index(threshold)
        else:
            i = int(np.searchsorted(level.thresholds, threshold, side="right")) - 1
        plan = level.robust if robust else level.standard
        return float(plan.y_l[i]), float(plan.y_r[i])

    def first(self, budget: float) -> tuple[Any, bool, float]:
        """The threshold to open with: the least loss under attack among those that leave rows unknown.

        If no threshold leaves any, all of them count. With it come: is no row unknown there, and the loss
        under attack.
        """
        level = self.level_of(budget)
        real = np.flatnonzero(level.thresholds > -np.inf)
        none_unknown, loss = level.unknown[real] == 0, level.robust.loss_under_attack[real]
        k = int(np.lexsort((level.standard.loss[real], loss.round(9), none_unknown))[0])
        t = level.thresholds[real[k]]
        named = float(t) if self.categories is None else self.categories[int(t)]
        return named, bool(none_unknown[k]), float(loss[k])


__all__ = ["BudgetLevel", "FeatureStates", "Plans"]

"""Ternary partition and robust split: who falls where when the attacker has a say ("Robust Splitting").

This is `ternary_partition` and `robust_split` of `reference`, for all rows of a node at once. Everybody who
asks who is left, right or unknown asks here: the algorithms, the solvers, the traces and the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, SideCosts
from treant_viz.core.data import Data
from treant_viz.core.losses import Loss


@dataclass(frozen=True, slots=True)
class Stump:
    """sigma(f, v, y_l, y_r), `v` being a code of feature f, and its loss under attack."""

    f: int
    v: int
    y_l: float
    y_r: float
    loss: float


class TernaryPartition(NamedTuple):
    """D_l, D_r and D_u, as masks over some rows or as the numbers of the rows."""

    left: np.ndarray
    right: np.ndarray
    unknown: np.ndarray


def ternary_partition(costs: SideCosts) -> TernaryPartition:
    """Definition "Ternary Partitioning", as masks, from what each row costs on either side (`Data.costs`).

    >>> costs = SideCosts(np.array([0.0, np.inf, 0.0]), np.array([np.inf, 0.0, 1.0]))
    >>> [part.tolist() for part in ternary_partition(costs)]
    [[True, False, False], [False, True, False], [False, False, True]]
    """
    can_left, can_right = np.isfinite(costs.left), np.isfinite(costs.right)
    return TernaryPartition(can_left & ~can_right, can_right & ~can_left, can_left & can_right)


def left_under_attack(D: Data, partition: TernaryPartition, stump: Stump, loss: Loss) -> np.ndarray:
    """Definition "Robust Splitting": the mask of D_L."""
    if not partition.unknown.any():
        return partition.left
    worse = loss.worse_on_left(stump.y_l, stump.y_r, D.y)
    return sent_left(partition, worse, D.unattacked_left(stump.f, stump.v))


def sent_left(partition: TernaryPartition, worse: np.ndarray, unattacked_left: np.ndarray) -> np.ndarray:
    """The same from masks alone: who is left after the attacker's choice.

    Unknown rows go where they are hurt more: `worse` is 1 for the left leaf, -1 for the right one. Where both
    leaves hurt a row the same (0), it stays where it is unattacked.
    """
    return partition.left | (partition.unknown & np.where(worse == 0, unattacked_left, worse > 0))


@dataclass(frozen=True, slots=True, eq=False)
class RobustSplit:
    """D_L and D_R, and what led to them: the test's costs and partition, and the mask of who went left."""

    costs: SideCosts
    partition: TernaryPartition
    left: np.ndarray
    D_l: Data
    D_r: Data


def robust_split(D: Data, A: AttackerOnTable, stump: Stump, loss: Loss) -> RobustSplit:
    """Definition "Robust Splitting": D_L and D_R, every row charged with the least cost of getting there."""
    costs = D.costs(A, stump.f, stump.v)
    partition = ternary_partition(costs)
    left = left_under_attack(D, partition, stump, loss)
    D_l = _child(D, A, stump, left, costs.left, is_left=True)
    D_r = _child(D, A, stump, ~left, costs.right, is_left=False)
    return RobustSplit(costs, partition, left, D_l, D_r)


def _child(
    D: Data, A: AttackerOnTable, stump: Stump, here: np.ndarray, cost: np.ndarray, *, is_left: bool
) -> Data:
    """One side of a split: its rows, what was spent on them, and which tests are still allowed below."""
    reach = D.reach(A, stump.f)
    spent_id = A.ids(cost[here]) if reach.attacked else D.spent_id[here]
    barred = D.barred | {stump.f} if A.barred_below(stump.f) else D.barred
    narrow = A.retest == "all" and reach.attacked
    boxes = {**D.boxes, stump.f: reach.narrowed(stump.v, is_left)} if narrow else D.boxes
    return Data(D.sample, D.rows[here], spent_id, barred, boxes)


def reached(D: Data, A: AttackerOnTable, stump: Stump) -> tuple[Data, Data]:
    """Everybody who can be left of the test, and all who can be right of it: unknown rows are in both."""
    costs = D.costs(A, stump.f, stump.v)
    left, right = (
        _child(D, A, stump, np.isfinite(cost), cost, is_left=is_left)
        for cost, is_left in ((costs.left, True), (costs.right, False))
    )
    return left, right

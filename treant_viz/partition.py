"""Ternary partitioning and robust splitting (paper, section "Robust Splitting")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from treant_viz.bound import BoundAttacker, FeatureReach
from treant_viz.losses import Loss
from treant_viz.table import Table, plain_arrays


@dataclass(frozen=True, eq=False)
class Sample:
    """The training data: a coded table, labels (0/1, or real), and weights if rows count differently."""

    table: Table
    y: np.ndarray
    binary: bool
    weight: np.ndarray | None = None

    offset: np.ndarray = field(init=False)
    feature_of_bin: np.ndarray = field(init=False)
    categorical: np.ndarray = field(init=False)
    categorical_bin: np.ndarray = field(init=False)
    shift: float = field(init=False)
    _label: np.ndarray = field(init=False)
    _keys: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        sizes = [len(v) for v in self.table.values]
        kinds = np.array([c.categorical for c in self.table.schema.columns])
        offset = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        label = self.y.astype(np.int64) if self.binary else np.empty(0, dtype=np.int64)
        bins = self.table.codes + offset[:-1]
        self.__dict__.update(
            offset=offset, feature_of_bin=np.repeat(np.arange(len(sizes)), sizes), categorical=kinds,
            categorical_bin=np.repeat(kinds, sizes), shift=0.0 if self.binary else _far_off(self.y),
            _label=label, _keys=2 * bins + label[:, None] if self.binary else bins,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(plain_arrays(state))

    @property
    def moments(self) -> int:
        """Columns of a mass table: n0, n1 for labels 0/1; n, sum y, sum y^2 of y - shift for real labels."""
        return 2 if self.binary else 3

    def bin_masses(self, rows: np.ndarray) -> np.ndarray:
        """The masses of every bin (a feature's distinct value), all features at once: [bin, moment]."""
        keys = self._keys.take(rows, axis=0)
        return self._count(keys.ravel(), rows, int(self.offset[-1]), np.repeat, keys.shape[1])

    def masses(self, places: np.ndarray, rows: np.ndarray, size: int) -> np.ndarray:
        """The masses of rows put into `size` places ([..., row]: each row may be put into several): [place, moment]."""
        keys = 2 * places + self._label[rows] if self.binary else places
        return self._count(keys.ravel(), rows, size, np.tile, keys.size // max(len(rows), 1))

    def total(self, rows: np.ndarray) -> np.ndarray:
        """The masses of all these rows together: [moment]."""
        if self.binary and self.weight is None:
            ones = int(self._label.take(rows).sum())
            return np.array([len(rows) - ones, ones])
        return self.masses(np.zeros(len(rows), dtype=np.int64), rows, 1)[0]

    def _count(
        self, keys: np.ndarray, rows: np.ndarray, size: int, spread: Callable[..., Any], times: int
    ) -> np.ndarray:
        if self.binary:
            weights = None if self.weight is None else spread(self.weight[rows], times)
            return np.bincount(keys, weights, minlength=2 * size).reshape(size, 2)
        w = np.ones(len(rows)) if self.weight is None else self.weight[rows]
        y = self.y[rows] - self.shift
        columns = (np.bincount(keys, spread(m, times), minlength=size) for m in (w, w * y, w * y * y))
        return np.column_stack(list(columns))


def _far_off(y: np.ndarray) -> float:
    """A label to count from, if labels lie so far from 0 that the sum of their squares would lose their differences."""
    mean = float(np.mean(y))
    return float(y[np.argmin(np.abs(y - mean))]) if abs(mean) > 16 * float(np.std(y)) else 0.0


def mass(masses: np.ndarray) -> np.ndarray:
    """How much there is, whatever its labels."""
    return masses[..., 0] + masses[..., 1] if masses.shape[-1] == 2 else masses[..., 0]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """D at a node: rows of the sample, each with the number of what was spent to bring it here (see `bound`)."""

    sample: Sample
    rows: np.ndarray
    kid: np.ndarray
    barred: frozenset[int] = frozenset()
    boxes: Mapping[int, FeatureReach] = field(default_factory=dict)

    @classmethod
    def root(cls, sample: Sample, rows: np.ndarray | None = None) -> Data:
        rows = np.arange(len(sample.y)) if rows is None else rows
        return cls(sample, rows, np.zeros(len(rows), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def y(self) -> np.ndarray:
        return self.sample.y[self.rows]

    def codes(self, f: int) -> np.ndarray:
        return self.sample.table.codes[self.rows, f]

    def reach(self, A: BoundAttacker, f: int) -> FeatureReach:
        """What A can do with feature f inside the box that the tests above have left open."""
        return self.boxes.get(f, A.features[f])


class TernaryPartition(NamedTuple):
    """D_l, D_r, D_u as rows of the sample, or as masks over D."""

    left: np.ndarray
    right: np.ndarray
    unknown: np.ndarray


class Fork(NamedTuple):
    """A test (f, v) before it is decided who goes where: cost of either side per row, and who is left by nature."""

    left_cost: np.ndarray
    right_cost: np.ndarray
    left_by_nature: np.ndarray

    @property
    def partition(self) -> TernaryPartition:
        """Definition "Ternary Partitioning", as masks."""
        can_left, can_right = np.isfinite(self.left_cost), np.isfinite(self.right_cost)
        return TernaryPartition(can_left & ~can_right, can_right & ~can_left, can_left & can_right)


def fork(D: Data, A: BoundAttacker, f: int, v: int) -> Fork:
    """The costs of test (f, v), v being a code of feature f, for every row of D."""
    codes = D.codes(f)
    nature = codes == v if D.sample.table.schema.columns[f].categorical else codes <= v
    return Fork(*A.split_costs(D.reach(A, f), v, codes, D.kid), nature)


def ternary_partition(D: Data, A: BoundAttacker, f: int, v: int) -> TernaryPartition:
    """Definition "Ternary Partitioning": D_l, D_r, D_u as rows of the sample."""
    return TernaryPartition(*(D.rows[mask] for mask in fork(D, A, f, v).partition))


def goes_left(branches: Fork, loss: Loss, y: np.ndarray, y_l: float, y_r: float) -> np.ndarray:
    """Definition "Robust Splitting": the mask of D_L. Unknown rows go where it hurts more; ties stay at home."""
    left, _, unknown = branches.partition
    if not unknown.any():
        return left
    worse = loss.worse_on_left(y_l, y_r, y)
    return left | (unknown & np.where(worse == 0, branches.left_by_nature, worse > 0))


def robust_split(D: Data, A: BoundAttacker, loss: Loss, f: int, v: int, y_l: float, y_r: float) -> tuple[Data, Data]:
    """Definition "Robust Splitting": D_L and D_R, each row charged with the least cost of getting there."""
    branches = fork(D, A, f, v)
    return children(D, A, f, v, branches, goes_left(branches, loss, D.y, y_l, y_r))


def children(D: Data, A: BoundAttacker, f: int, v: int, branches: Fork, left: np.ndarray) -> tuple[Data, Data]:
    """D_L and D_R once it is known who goes left."""
    return (
        child(D, A, f, v, left, branches.left_cost, is_left=True),
        child(D, A, f, v, ~left, branches.right_cost, is_left=False),
    )


def child(D: Data, A: BoundAttacker, f: int, v: int, here: np.ndarray, cost: np.ndarray, *, is_left: bool) -> Data:
    """One side of a split: its rows, what they have spent, and which tests are still allowed."""
    reach = D.reach(A, f)
    kid = A.ids(cost[here]) if reach.attacked else D.kid[here]
    barred = D.barred | {f} if A.barred_below(f) else D.barred
    narrow = A.retest == "all" and reach.attacked
    boxes = {**D.boxes, f: reach.narrowed(v, is_left)} if narrow else D.boxes
    return Data(D.sample, D.rows[here], kid, barred, boxes)

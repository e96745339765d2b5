"""D, the training data: coded by distinct values, so that masses of rows are counts over whole numbers.

What `reference` keeps as a list of rows, each with its label and with what was spent on it, is here a few
arrays: that is what makes the sums of every candidate at once cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, FeatureReach, SideCosts
from treant_viz.core.table import Table, plain_arrays


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
            offset=offset,
            feature_of_bin=np.repeat(np.arange(len(sizes)), sizes),
            categorical=kinds,
            categorical_bin=np.repeat(kinds, sizes),
            shift=0.0 if self.binary else _far_off(self.y),
            _label=label,
            _keys=2 * bins + label[:, None] if self.binary else bins,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(plain_arrays(state))

    @property
    def moments(self) -> int:
        """Columns of a mass table: n0, n1 for labels 0/1; n, sum y, sum y^2 of y - shift for real labels."""
        return 2 if self.binary else 3

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """How much each of these rows counts: 1, unless there are weights."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]

    def bin_masses(self, rows: np.ndarray) -> np.ndarray:
        """The masses of every bin (a feature's distinct value), all features at once: [bin, moment]."""
        keys = self._keys.take(rows, axis=0)
        return self._count(keys.ravel(), rows, int(self.offset[-1]), np.repeat, keys.shape[1])

    def masses(self, places: np.ndarray, rows: np.ndarray, size: int) -> np.ndarray:
        """The masses of rows put into `size` places: [place, moment].

        `places` is [..., row]: each row may be put into several.
        """
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
        w = self.weights(rows)
        y = self.y[rows] - self.shift
        columns = (np.bincount(keys, spread(m, times), minlength=size) for m in (w, w * y, w * y * y))
        return np.column_stack(list(columns))


def _far_off(y: np.ndarray) -> float:
    """A label to count from: squares of labels very far from 0 would lose the differences between them."""
    mean = float(np.mean(y))
    return float(y[np.argmin(np.abs(y - mean))]) if abs(mean) > 16 * float(np.std(y)) else 0.0


def mass(masses: np.ndarray) -> np.ndarray:
    """How much there is, whatever its labels."""
    return masses[..., 0] + masses[..., 1] if masses.shape[-1] == 2 else masses[..., 0]


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """D at a node: rows of the sample, and what the attacker has spent to bring each of them here.

    `spent_id` is the number of that sum in the attacker's ledger (see `on_table`). Features in `barred` may
    not be tested any more; `boxes` holds what earlier tests left open of features that may be tested again.
    """

    sample: Sample
    rows: np.ndarray
    spent_id: np.ndarray
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

    @property
    def weights(self) -> np.ndarray:
        return self.sample.weights(self.rows)

    def codes(self, f: int) -> np.ndarray:
        return self.sample.table.codes[self.rows, f]

    def reach(self, A: AttackerOnTable, f: int) -> FeatureReach:
        """What A can do with feature f inside the box that the tests above have left open."""
        return self.boxes.get(f, A.features[f])

    def costs(self, A: AttackerOnTable, f: int, v: int) -> SideCosts:
        """Per row: all that will have been spent once it is left, or right, of the test x_f <= v."""
        return A.split_costs(self.reach(A, f), v, self.codes(f), self.spent_id)

    def unattacked_left(self, f: int, v: int) -> np.ndarray:
        """Which rows pass the test if nobody attacks: x_f <= v, for a category x_f == v."""
        codes = self.codes(f)
        return codes == v if self.sample.table.schema.columns[f].categorical else codes <= v

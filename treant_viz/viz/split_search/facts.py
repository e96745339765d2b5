"""What a split search sees: L and Lᴬ of every test it tried, and both as functions of the threshold.

L is the loss of the standard leaves (the means of both sides) if nobody attacks. As a function of the
threshold it jumps at the values of the rows. Lᴬ also jumps where the end of what some row can reach passes
the line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from treant_viz.trace.records import Candidates, Step, frozen_array
from treant_viz.viz.style.text import feature_name, predicate
from treant_viz.viz.ternary_partition.facts import NodeRows, Part, losses, standard_leaves

FIRST = 3  # features, among which is that of the standard choice
MOST_CELLS = 3_000_000  # thresholds times rows that are worked out at once


@dataclass(frozen=True, slots=True, eq=False)
class LossLine:
    """A feature's candidates: thresholds (numbers or categories), L, Lᴬ, which share the least Lᴬ of all,
    which may be chosen (both children get rows), and the leaves that have Lᴬ ([side, candidate])."""

    feature: str | int
    thresholds: tuple[Any, ...]
    categorical: bool
    plain: np.ndarray
    attacked: np.ndarray
    tied: np.ndarray
    admissible: np.ndarray
    leaves: np.ndarray

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def best(self) -> int:
        """The place of the least Lᴬ that may be chosen."""
        return int(np.argmin(np.where(self.admissible, self.attacked, np.inf)))

    @property
    def standard(self) -> int:
        """The place of the least L."""
        return int(np.argmin(self.plain))

    def taken(self, which: Sequence[int]) -> LossLine:
        """Some of the candidates."""
        i = list(which)
        columns = (self.plain[i], self.attacked[i], self.tied[i], self.admissible[i], self.leaves[:, i])
        named = tuple(self.thresholds[k] for k in i)
        return LossLine(self.feature, named, self.categorical, *map(frozen_array, columns))

    def find(self, threshold: Any) -> int | None:
        """The place of a threshold among the candidates."""
        return self.thresholds.index(threshold) if threshold in self.thresholds else None

    def predicate(self, i: int) -> str:
        """The test, as it is drawn."""
        return predicate(self.feature, self.thresholds[i], self.categorical)


class LossSteps(NamedTuple):
    """L and Lᴬ over the threshold: both keep their heights from `at[i]` up to `at[i + 1]`; the first is -inf.

    `unknown` is how many rows the attacker decides for.
    """

    at: np.ndarray
    loss: np.ndarray
    attacked: np.ndarray
    unknown: np.ndarray


class ColumnTests(NamedTuple):
    """Tests at the thresholds `at`, worked out for kinds of rows: `part` is [threshold, kind]."""

    at: np.ndarray
    kinds: NodeRows
    part: Part
    sizes: np.ndarray

    @classmethod
    def of(cls, rows: NodeRows) -> ColumnTests:
        """All thresholds at which anything changes; evenly spaced ones among them if they are too many."""
        kinds, code = np.unique(
            np.column_stack([rows.value, *rows.ends, rows.y]), axis=0, return_inverse=True
        )
        value, low, high, y = kinds.T
        weight = np.bincount(code, rows.weight)
        cells = replace(rows, rows=value, value=value, y=y, weight=weight, spent=np.zeros(len(y)))
        ends = np.unique(kinds[:, :3])
        at = np.append(-math.inf, ends[np.isfinite(ends)])
        if len(at) * len(value) > MOST_CELLS:
            at = at[np.unique(np.linspace(0, len(at) - 1, max(2, MOST_CELLS // len(value))).astype(int))]
        t = at[:, None]
        return cls(at, cells, Part(low <= t, high > t, value <= t), np.bincount(code))

    def losses(self, y_l: np.ndarray, y_r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """L and Lᴬ of a pair of leaves for each threshold."""
        plain, attacked = losses(self.kinds, self.part, y_l[:, None], y_r[:, None])
        return plain.sum(axis=1), attacked.sum(axis=1)


def standard_steps(rows: NodeRows) -> LossSteps:
    """The stump that an unaware learner makes of each threshold: unattacked, and attacked."""
    stumps = ColumnTests.of(rows)
    plain, attacked = stumps.losses(*standard_leaves(stumps.kinds, stumps.part.unattacked))
    unknown = (stumps.part.can_left & stumps.part.can_right) @ stumps.sizes
    return LossSteps(*map(frozen_array, (stumps.at, plain, attacked, unknown)))


def robust_steps(rows: NodeRows, line: LossLine, step: Step) -> LossSteps:
    """The same with Lᴬ of the best leaves that the search found: at a threshold that it tried, the best there
    are.

    Between two of them these are its leaves for the one before or after, one leaf, or the standard leaves
    (unless constraints may forbid them), whichever lose least under attack.
    """
    stumps, known = ColumnTests.of(rows), standard_steps(rows)
    tried = np.array(line.thresholds, dtype=float)
    place = np.searchsorted(tried, stumps.at, side="right")
    found = [np.full(len(stumps.at), step.leaf_loss), *[known.attacked] * (not step.constraints)]
    near = (np.maximum(place - 1, 0), np.minimum(place, len(tried) - 1))
    found.extend(stumps.losses(*line.leaves[:, k])[1] for k in near)
    one_side = ~stumps.part.can_left.any(axis=1) | ~stumps.part.can_right.any(axis=1)
    attacked = np.where(one_side, step.leaf_loss, np.min(found, axis=0))
    exact = np.isin(stumps.at, tried)
    attacked[exact] = line.attacked[np.searchsorted(tried, stumps.at[exact])]
    return known._replace(attacked=frozen_array(attacked))


def recorded_lines(c: Candidates) -> Iterator[LossLine]:
    """The candidates of a trace, feature by feature."""
    for feature in dict.fromkeys(c.feature):
        line = recorded_line(c, feature)
        assert line is not None
        yield line


def recorded_line(c: Candidates, feature: Any) -> LossLine | None:
    """The candidates of a trace on one feature; None if there are none."""
    i = [k for k, f in enumerate(c.feature) if f == feature]
    if not i:
        return None
    tied = c.tied & bool(c.tied.sum() > 1)
    columns = (
        c.plain_loss[i],
        c.loss_under_attack[i],
        tied[i],
        c.admissible[i],
        np.stack([c.y_l[i], c.y_r[i]]),
    )
    parts = map(frozen_array, columns)
    return LossLine(feature, tuple(c.threshold[k] for k in i), c.test[i[0]] == "==", *parts)


def standard_line(rows: NodeRows, v: float) -> LossLine:
    """L and Lᴬ of the stump that an unaware learner would make of each threshold; v is among those shown."""
    values = np.unique(rows.value)
    shown = values if rows.column.categorical else values[:-1]
    most = max(2, MOST_CELLS // len(rows))
    if len(shown) > most:
        some = np.linspace(0, len(shown) - 1, most).astype(int)
        shown = shown[np.union1d(some, np.flatnonzero(shown == v))]
    part = rows.part(shown[:, None])
    y_l, y_r = (p[:, None] for p in standard_leaves(rows, part.unattacked))
    plain, attacked = (frozen_array(x.sum(axis=1)) for x in losses(rows, part, y_l, y_r))
    parted = frozen_array(~part.unattacked.all(axis=1))
    named = tuple(rows.categories[k] for k in shown) if rows.column.categorical else tuple(shown.tolist())
    leaves, line = frozen_array(np.stack([y_l[:, 0], y_r[:, 0]])), (named, rows.column.categorical)
    return LossLine(rows.column.name, *line, plain, attacked, _least(attacked), parted, leaves)


def _least(loss: np.ndarray) -> np.ndarray:
    finite = loss[np.isfinite(loss)]
    scale = 1e-9 * float(finite.max()) if len(finite) else 0.0
    tied = loss <= float(loss.min(initial=np.inf)) + scale
    return frozen_array(tied & bool(tied.sum() > 1), bool)


def choices_of(c: Candidates) -> tuple[int, list[int]]:
    """The standard choice, and the robust one with those that are as good (none if no test is admissible)."""
    finite = c.plain_loss[np.isfinite(c.plain_loss)]
    standard = int(np.argmax(c.plain_loss <= finite.min() + 1e-9 * finite.max())) if len(finite) else 0
    return standard, np.flatnonzero(c.tied).tolist()


def in_order(c: Candidates) -> tuple[LossLine, ...]:
    """The best features first; the feature of the standard choice is among the first few."""

    def least(line: LossLine) -> float:
        return float(line.attacked[line.best]) if line.admissible.any() else math.inf

    lines = sorted(recorded_lines(c), key=least)
    k = next(i for i, line in enumerate(lines) if line.feature == c.feature[choices_of(c)[0]])
    if k >= FIRST:
        lines.insert(FIRST - 1, lines.pop(k))
    return tuple(lines)


def limits(losses: Sequence[np.ndarray]) -> tuple[float, float]:
    """The ends of an axis of losses: it starts at 0 unless all are far from it; infinite ones run off."""
    values = np.concatenate([np.asarray(x, dtype=float).ravel() for x in losses])
    values = values[np.isfinite(values)]
    least, most = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.1 * (most - least) or 0.1 * abs(most) or 1.0
    return (least - 1.5 * room if least > 0.4 * most else 0.0), most + 1.5 * room


__all__ = ["FIRST", "LossLine", "LossSteps", "choices_of", "feature_name", "in_order", "limits", "predicate",
           "recorded_line", "recorded_lines", "robust_steps", "standard_line", "standard_steps"]  # fmt: skip

"""Does a trace that was read hang together? Whoever replays or draws it relies on every line of this.

Rows are rows of the data, tests are tests of its columns, what a child has is what its parent handed down,
losses are the losses of what is predicted. A trace in which they are not is damaged, and is refused as a
whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.core import checks, serial
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraint
from treant_viz.core.data import Data, Sample
from treant_viz.core.partition import ternary_partition
from treant_viz.trace.json_values import finites_in
from treant_viz.trace.records import Candidates, NodeData, SplitRecord, Step

REASONS = ("split", "no gain", "nothing to split", "too deep or too few rows")
LARGEST = 1e150  # of predictions of real labels: their squares must not overflow


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What the steps stand on: the data, the attacker bound to it, the loss."""

    sample: Sample
    attacker: AttackerOnTable
    loss: Any
    codes: tuple[dict[Any, int], ...]  # of the values of each column

    @classmethod
    def of(cls, sample: Sample, attacker: AttackerOnTable, loss: Any) -> Ground:
        table = sample.table
        known = (
            c.categories or values.tolist()
            for c, values in zip(table.schema.columns, table.values, strict=True)
        )
        return cls(sample, attacker, loss, tuple({v: i for i, v in enumerate(values)} for values in known))

    @property
    def bounds(self) -> tuple[float, float]:
        """What may be predicted."""
        return max(self.loss.low, -LARGEST), min(self.loss.high, LARGEST)


def check_options(options: Mapping[str, Any], rows: int) -> np.ndarray | None:
    """The options of the run, where they are written; and the weights among them."""
    known = {
        "solver": ("exact", "slsqp"),
        "attack_invariance": (True, False),
        "retest": (None, "uncorrupted", "none", "all"),
        "thresholds": (None, "data", "reachable"),
    }
    for name in known.keys() & options.keys():
        checks.check_choice(options[name], name, known[name])
    for name, low in (("max_depth", 0), ("min_samples_split", 2), ("max_features", 1)):
        checks.check_whole(options.get(name), name, low, none=True)
    if options.get("weight") is None:
        return None
    weight = finites_in(options["weight"], "weight")
    if len(weight) != rows or not ((weight > 0) & (weight <= checks.LARGEST)).all():
        raise ValueError(f"weight: expected {rows} numbers above 0 and at most {checks.LARGEST:g}")
    return weight


def check_labels(y: np.ndarray, rows: int, binary: bool) -> None:
    if len(y) != rows:
        raise ValueError(f"y: expected {rows} labels, got {len(y)}")
    if binary and not np.isin(y, (0, 1)).all():
        raise ValueError("y: expected the labels 0 and 1")
    if np.abs(y).max() > checks.LARGEST:
        raise ValueError(f"y: expected numbers of at most {checks.LARGEST:g}")


def check_steps(steps: Sequence[Step], ground: Ground) -> None:
    """Parents before children, left before right, none missing; and each step for itself."""
    waiting: list[tuple[str, NodeData | None, tuple[Constraint, ...]]] = [("", None, ())]
    for i, step in enumerate(steps):
        with serial.reading(f"step {i}"):
            if not waiting or step.path != waiting[-1][0]:
                expected = f"the path {waiting[-1][0]!r}" if waiting else "no more steps"
                raise ValueError(f"expected {expected}, got the path {serial.shown(step.path)}")
            _check_handed_down(step, *waiting.pop()[1:])
            _check_step(step, ground)
            waiting += reversed(list(_children(step)))
    if waiting:
        raise ValueError(f"steps: the step at {waiting[-1][0]!r} is missing")


def _children(step: Step) -> Iterator[tuple[str, NodeData, tuple[Constraint, ...]]]:
    if step.split is not None and step.taken:
        yield step.path + "l", step.split.left, step.split.left_constraints
        yield step.path + "r", step.split.right, step.split.right_constraints


def _check_handed_down(step: Step, data: NodeData | None, constraints: tuple[Constraint, ...]) -> None:
    if data is not None and not (_same(step.data.rows, data.rows) and _same(step.data.spent, data.spent)):
        raise ValueError("data: not the rows that the step above has handed down")
    if step.constraints != constraints:
        raise ValueError("constraints: not those that the step above has handed down")


def _check_step(step: Step, ground: Ground) -> None:
    if not len(step.data):
        raise ValueError("data: expected at least one row, got none")
    _check_data(step.data, ground)
    _check_leaf(step, ground)
    _check_allowed(step, ground)
    if step.reason not in REASONS:
        raise ValueError(
            f"reason: expected one of {', '.join(map(repr, REASONS))}, got {serial.shown(step.reason)}"
        )
    if (step.reason in ("split", "no gain")) != (step.split is not None):
        raise ValueError(
            f"the reason {step.reason!r} does not go with {'no' if step.split is None else 'a'} split"
        )
    if (step.reason == REASONS[-1]) != (step.candidates is None):
        found = "no" if step.candidates is None else "some"
        raise ValueError(f"the reason {step.reason!r} does not go with {found} candidates")
    if step.candidates is not None:
        _check_candidates(step.candidates, len(step.data), ground)
    if step.split is not None and step.candidates is not None:
        _check_split(step.split, step.candidates, step.data, ground)
        _check_partition(step.split, step.data, ground)
        _check_constraints(step.split.left_constraints, step.path, ground)
        _check_constraints(step.split.right_constraints, step.path, ground)


def _check_data(data: NodeData, ground: Ground) -> None:
    _check_rows(data.rows, ground)
    if not ((data.spent >= 0) & (data.spent <= ground.attacker.limit)).all():
        raise ValueError(
            f"spent: expected costs within the attacker's budget, got {serial.shown(data.spent.tolist())}"
        )


def _check_rows(rows: np.ndarray, ground: Ground) -> None:
    """Rows of the data, in rising order: none appears twice."""
    n = len(ground.sample.y)
    if len(rows) and (rows[-1] >= n or (np.diff(rows) <= 0).any()):
        raise ValueError(
            f"rows: expected numbers below {n} in rising order, got {serial.shown(rows.tolist())}"
        )


def _check_leaf(step: Step, ground: Ground) -> None:
    """The leaf predicts what it may, and its loss is the loss of that."""
    _check_predictions([step.leaf], "leaf", ground)
    y, w = ground.sample.y[step.data.rows], ground.sample.weights(step.data.rows)
    found, around = float(w @ ground.loss.ell(step.leaf, y)), float(w @ (y * y + step.leaf**2))
    if not np.isclose(found, step.leaf_loss, rtol=1e-6, atol=1e-9 * around):
        raise ValueError(
            f"leaf_loss: expected {found:.6g}, the loss of the leaf {step.leaf:.6g}, got {step.leaf_loss!r}"
        )


def _check_allowed(step: Step, ground: Ground) -> None:
    """The leaf keeps to the constraints: its distance from a label is at most (or at least) that of `at`."""
    at, y = (np.array([getattr(c, n) for c in step.constraints]) for n in ("at", "y"))
    most = np.array([c.sense == "<=" for c in step.constraints], dtype=bool)
    further = np.abs(step.leaf - y) - np.abs(at - y)
    if (np.where(most, further, -further) > 1e-6 * (1 + np.abs(y) + np.abs(at))).any():
        raise ValueError(f"leaf: {step.leaf:.6g} is not what the constraints allow")


def _check_predictions(values: Iterable[float], what: str, ground: Ground) -> None:
    low, high = ground.bounds
    if strange := [v for v in values if not low <= v <= high]:
        raise ValueError(f"{what}: expected predictions from {low:g} to {high:g}, got {strange[0]:g}")


def _check_candidates(c: Candidates, rows: int, ground: Ground) -> None:
    for feature, test, threshold in zip(c.feature, c.test, c.threshold, strict=True):
        _check_test(feature, test, threshold, ground)
    for name in ("y_l", "y_r", "plain_y_l", "plain_y_r"):
        _check_predictions(getattr(c, name).tolist(), name, ground)
    for name in ("loss", "loss_under_attack", "plain_loss", "plain_loss_under_attack"):
        _check_losses(getattr(c, name), name)
    if (c.left + c.unknown + c.right != rows).any():
        raise ValueError(f"candidates: left, unknown and right of a test are not {rows} rows together")
    if (c.tied & ~c.admissible).any():
        raise ValueError("candidates: one that is not admissible is among the best")


def _check_losses(values: np.ndarray, what: str) -> None:
    if len(values) and not values.min() >= -1e-6:
        raise ValueError(f"{what}: a loss is at least 0, got {float(values.min())!r}")


def _check_test(feature: str | int, test: str, threshold: Any, ground: Ground) -> None:
    """A test on a column, at a value that it has."""
    schema = ground.sample.table.schema
    f = schema.index(feature)
    column = schema.columns[f]
    if column.name != feature or column.test != test:
        name = serial.shown(column.name)
        raise ValueError(f"the test {test!r} on {serial.shown(feature)} does not fit the column {name}")
    if threshold not in ground.codes[f]:
        raise ValueError(
            f"threshold: {serial.shown(threshold)} is no value of {serial.shown(column.name)} in the data"
        )


def _check_split(s: SplitRecord, c: Candidates, data: NodeData, ground: Ground) -> None:
    """It is the first of the best candidates, and hands every row to one side."""
    if not c.tied.any():
        raise ValueError("split: none of the candidates is the best")
    i = int(np.argmax(c.tied))
    best = (c.feature[i], c.test[i], c.threshold[i], c.y_l[i], c.y_r[i], c.loss_under_attack[i])
    if (s.feature, s.test, s.threshold, s.y_l, s.y_r, s.loss_under_attack) != best:
        raise ValueError(
            f"split: {serial.shown(s.feature)} at {serial.shown(s.threshold)} is not the best candidate"
        )
    _check_losses(np.array([s.loss]), "loss of the split")
    if [len(p) for p in (s.partition.left, s.partition.unknown, s.partition.right)] != [
        c.left[i],
        c.unknown[i],
        c.right[i],
    ]:
        raise ValueError("split: the partition is not as large as the candidate says")
    for rows in (*s.partition, s.left.rows, s.right.rows):
        _check_rows(rows, ground)
    for parts in (s.partition, (s.left.rows, s.right.rows)):
        if not _same(np.sort(np.concatenate(parts)), data.rows):
            raise ValueError("split: its parts are not the rows of the step")
    for side, sure in ((s.left, s.partition.left), (s.right, s.partition.right)):
        _check_data(side, ground)
        if not np.isin(sure, side.rows).all():
            raise ValueError("split: a row that cannot be brought to the other side is there")


def _check_partition(s: SplitRecord, data: NodeData, ground: Ground) -> None:
    """Who is brought where, and for how much, is what the attacker can do with the data.

    If features are tested again although they are attacked, that depends on how the tree was grown, and is
    not asked.
    """
    A, f = ground.attacker, ground.sample.table.schema.index(s.feature)
    if A.retest == "all":
        return
    D = Data(ground.sample, data.rows, A.ids(data.spent))
    costs = D.costs(A, f, ground.codes[f][s.threshold])
    parts = ternary_partition(costs)
    if not all(_same(data.rows[mask], rows) for mask, rows in zip(parts, s.partition, strict=True)):
        raise ValueError("split: the partition is not what the attacker can make of the data")
    for side, cost in ((s.left, costs.left), (s.right, costs.right)):
        here = A.ids(cost[np.isin(data.rows, side.rows)])  # which may enter new sums into the ledger
        if not _same(A.spends[here], side.spent):
            raise ValueError("spent: not what it costs to bring the rows to their sides")


def _check_constraints(constraints: Sequence[Constraint], path: str, ground: Ground) -> None:
    for c in constraints:
        if c.row >= len(ground.sample.y) or c.y != ground.sample.y[c.row]:
            raise ValueError(f"constraint: the data has no row {c.row} with the label {c.y:g}")
        if not path.startswith(c.origin):
            raise ValueError(
                f"constraint: it comes from {serial.shown(c.origin)}, which is not above {path!r}"
            )
        if not 0 <= c.spent <= ground.attacker.limit:
            raise ValueError(
                f"constraint: spent: expected a cost within the attacker's budget, got {c.spent!r}"
            )
    _check_predictions([c.at for c in constraints], "constraint: at", ground)
    gamma, at, y = (np.array([getattr(c, n) for c in constraints]) for n in ("gamma", "at", "y"))
    if not np.isclose(gamma, ground.loss.ell(at, y), rtol=1e-9, atol=1e-300).all():
        raise ValueError("constraint: gamma is not the loss of the prediction it stands for")


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a, b))

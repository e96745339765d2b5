"""Immutable records of what the algorithms did: plain numbers and read-only arrays, for pictures and JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz.core import serial
from treant_viz.core.constraints import Constraint
from treant_viz.core.partition import TernaryPartition
from treant_viz.core.tree import Leaf, Node
from treant_viz.trace.json_values import (
    COLUMN_IN,
    check_lengths,
    finites_in,
    listed,
    relation_in,
    threshold_in,
    wholes_in,
)
from treant_viz.trace.json_values import frozen_array as frozen_array  # also for those who make records


@dataclass(frozen=True, slots=True, eq=False)
class NodeData:
    """D at a node: rows of the training data and what the attacker spent to bring each here."""

    rows: np.ndarray
    spent: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> serial.Json:
        return {"rows": self.rows.tolist(), "spent": self.spent.tolist()}

    @classmethod
    def from_dict(cls, d: serial.Json) -> NodeData:
        rows, spent = (serial.field(d, n, list, "data") for n in ("rows", "spent"))
        check_lengths({"rows": rows, "spent": spent})
        return cls(wholes_in(rows, "rows"), finites_in(spent, "spent"))


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Every candidate (f, v) of a node, in the order in which ties are decided.

    `y_l`, `y_r` are the best leaves under attack subject to C, `loss_under_attack` is what they cost, `loss`
    what the same stump costs if nobody attacks. `plain_*` is the stump an unaware learner would make of (f,
    v).
    """

    feature: tuple[str | int, ...]
    test: tuple[Literal["<=", "=="], ...]
    threshold: tuple[Any, ...]
    left: np.ndarray
    unknown: np.ndarray
    right: np.ndarray
    y_l: np.ndarray
    y_r: np.ndarray
    loss: np.ndarray
    loss_under_attack: np.ndarray
    plain_y_l: np.ndarray
    plain_y_r: np.ndarray
    plain_loss: np.ndarray
    plain_loss_under_attack: np.ndarray
    tied: np.ndarray
    admissible: np.ndarray
    status: tuple[str, ...] | None = None
    iterates: tuple[tuple[tuple[float, float], ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.feature)

    def to_frame(self) -> pd.DataFrame:
        """A table, one row a candidate."""
        names = [n for n in CANDIDATE_COLUMNS if getattr(self, n) is not None]
        return pd.DataFrame({n: list(getattr(self, n)) for n in names})

    def to_dict(self) -> serial.Json:
        columns = {n: getattr(self, n) for n in (*CANDIDATE_COLUMNS, "iterates")}
        return {n: _plain(c) for n, c in columns.items()}

    @classmethod
    def from_dict(cls, d: serial.Json) -> Candidates:
        columns: dict[str, Any] = {n: serial.field(d, n, list, "candidates") for n in CANDIDATE_COLUMNS[:-1]}
        columns |= {n: d[n] for n in ("status", "iterates") if d.get(n) is not None}
        columns = {n: COLUMN_IN[n](values, n) for n, values in columns.items()}
        check_lengths(columns)
        return cls(**columns)


CANDIDATE_COLUMNS = (
    "feature", "test", "threshold", "left", "unknown", "right", "y_l", "y_r", "loss", "loss_under_attack",
    "plain_y_l", "plain_y_r", "plain_loss", "plain_loss_under_attack", "tied", "admissible", "status",
)  # fmt: skip


def _plain(column: Any) -> Any:
    """Lists, as JSON has them, of plain numbers."""
    if isinstance(column, tuple):
        return [_plain(value) for value in column]
    if not isinstance(column, np.ndarray):
        return column
    return [serial.number_out(v) for v in column] if column.dtype.kind == "f" else column.tolist()


@dataclass(frozen=True, slots=True, eq=False)
class SplitRecord:
    """The chosen stump, the ternary partition it makes, and what both children are given."""

    feature: str | int
    threshold: Any
    test: str
    y_l: float
    y_r: float
    loss: float
    loss_under_attack: float
    partition: TernaryPartition
    left: NodeData
    right: NodeData
    left_constraints: tuple[Constraint, ...]
    right_constraints: tuple[Constraint, ...]

    @property
    def stump(self) -> Node:
        return Node(self.feature, self.threshold, Leaf(self.y_l), Leaf(self.y_r), self.test)  # type: ignore[arg-type]

    def to_dict(self) -> serial.Json:
        plain = {n: getattr(self, n) for n in _SPLIT_NUMBERS}
        parts = {n: getattr(self.partition, n).tolist() for n in TernaryPartition._fields}
        children = {"left": self.left.to_dict(), "right": self.right.to_dict()}
        handed = {n: constraints_out(getattr(self, n)) for n in ("left_constraints", "right_constraints")}
        return plain | {"partition": parts} | children | handed

    @classmethod
    def from_dict(cls, d: serial.Json) -> SplitRecord:
        made = {n: serial.field(d, n, dict, "split") for n in ("partition", "left", "right")}
        parts = TernaryPartition(*(wholes_in(made["partition"].get(n), n) for n in TernaryPartition._fields))
        left, right = (NodeData.from_dict(made[side]) for side in ("left", "right"))
        C_l, C_r = (constraints_in(d.get(n)) for n in ("left_constraints", "right_constraints"))
        feature = serial.field(d, "feature", (str, int), "split")
        threshold, test = threshold_in(d.get("threshold")), relation_in(d.get("test"))
        y_l, y_r, loss, attacked = (serial.finite_in(d.get(n), n) for n in _SPLIT_NUMBERS[3:])
        return cls(feature, threshold, test, y_l, y_r, loss, attacked, parts, left, right, C_l, C_r)


_SPLIT_NUMBERS = ("feature", "threshold", "test", "y_l", "y_r", "loss", "loss_under_attack")
_CONSTRAINT_FIELDS = ("row", "y", "sense", "gamma", "at", "spent", "origin")


def constraints_out(constraints: tuple[Constraint, ...]) -> list[list[Any]]:
    """Compact rows: row, y, sense, gamma, at, spent, origin (gamma may be infinite)."""
    return [_constraint_out(c) for c in constraints]


def _constraint_out(c: Constraint) -> list[Any]:
    return [serial.number_out(c.gamma) if n == "gamma" else getattr(c, n) for n in _CONSTRAINT_FIELDS]


def constraints_in(rows: Any) -> tuple[Constraint, ...]:
    return tuple(_constraint_in(values) for values in listed(rows, "constraints"))


def _constraint_in(values: Any) -> Constraint:
    if len(listed(values, "constraint")) != len(_CONSTRAINT_FIELDS):
        raise ValueError(f"constraint: expected {len(_CONSTRAINT_FIELDS)} values, got {serial.shown(values)}")
    row, y, sense, gamma, at, spent, origin = values
    if sense not in ("<=", ">=") or not isinstance(origin, str):
        raise ValueError(
            f"constraint: expected a sense and where it came from, got {serial.shown([sense, origin])}"
        )
    number = {n: serial.finite_in(v, n) for n, v in (("y", y), ("at", at), ("spent", spent))}
    gamma = serial.number_in(gamma, "gamma")
    return Constraint(
        serial.whole_in(row, "row", 0, sys.maxsize), sense=sense, gamma=gamma, origin=origin, **number
    )


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One call of TREANT. `reason` says why it made a node ("split") or a leaf."""

    path: str
    data: NodeData
    constraints: tuple[Constraint, ...]
    leaf: float
    leaf_loss: float
    candidates: Candidates | None
    split: SplitRecord | None
    reason: str

    @property
    def taken(self) -> bool:
        """Did the node split?"""
        return self.reason == "split"

    def __str__(self) -> str:
        return "\n".join(step_lines(self))

    def to_dict(self) -> serial.Json:
        return {
            "path": self.path,
            "data": self.data.to_dict(),
            "constraints": constraints_out(self.constraints),
            "leaf": self.leaf,
            "leaf_loss": self.leaf_loss,
            "candidates": None if self.candidates is None else self.candidates.to_dict(),
            "split": None if self.split is None else self.split.to_dict(),
            "reason": self.reason,
        }

    @classmethod
    def from_dict(cls, d: serial.Json) -> Step:
        path, reason = (serial.field(d, n, str, "step") for n in ("path", "reason"))
        found = {n: serial.field(d, n, (dict, type(None)), "step") for n in ("candidates", "split")}
        candidates = None if found["candidates"] is None else Candidates.from_dict(found["candidates"])
        split = None if found["split"] is None else SplitRecord.from_dict(found["split"])
        data, C = (
            NodeData.from_dict(serial.field(d, "data", dict, "step")),
            constraints_in(d.get("constraints")),
        )
        leaf, leaf_loss = (
            serial.finite_in(serial.field(d, n, (int, float), "step"), n) for n in ("leaf", "leaf_loss")
        )
        return cls(path, data, C, leaf, leaf_loss, candidates, split, reason)


SHOWN = 6  # constraints in the text form of a step


def step_lines(step: Step) -> Iterator[str]:
    """A step in a terminal."""
    indent = "  " * len(step.path)
    n = len(step.data)
    leaf = f"leaf {step.leaf:.6g}, loss {step.leaf_loss:.6g}"
    yield f"{indent}{step.path or 'root'}: {n} row{'s' * (n != 1)}, {leaf}"
    for c in step.constraints[:SHOWN]:
        yield f"{indent}  subject to {c} (from {c.origin or 'root'}, reached for {c.spent:g})"
    if len(step.constraints) > SHOWN:
        yield f"{indent}  subject to {len(step.constraints) - SHOWN} more"
    if step.split is None or not step.taken:
        yield f"{indent}  leaf: {step.reason}"
        return
    s = step.split
    sizes = ", ".join(f"{len(rows)} {name}" for name, rows in s.partition._asdict().items())
    yield f"{indent}  split {s.stump.predicate}: {sizes}; leaves {s.y_l:.6g} and {s.y_r:.6g}"
    yield f"{indent}  L = {s.loss:.6g}, L^A = {s.loss_under_attack:.6g}{_ties(step)}"


def _ties(step: Step) -> str:
    c = step.candidates
    if c is None or c.tied.sum() < 2:
        return ""
    others = np.flatnonzero(c.tied)[1:].tolist()
    tests = [
        Node(c.feature[i], c.threshold[i], Leaf(0.0), Leaf(0.0), c.test[i]).predicate for i in others[:3]
    ]
    return f"; tied with {', '.join(tests)}{' and more' * (len(others) > 3)}"

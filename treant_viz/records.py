"""Immutable records of what the algorithms did: plain numbers and read-only arrays, ready for pictures and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz import serial
from treant_viz.constraints import Constraint
from treant_viz.partition import TernaryPartition
from treant_viz.tree import Leaf, Node


def frozen_array(values: Any, dtype: type | None = None) -> np.ndarray:
    out = np.array(values, dtype=dtype)
    out.flags.writeable = False
    return out


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
        return cls(frozen_array(d["rows"], int), frozen_array(d["spent"], float))


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Every candidate (f, v) of a node, in the order in which ties are decided.

    `y_l`, `y_r` are the best leaves under attack subject to C, `loss_under_attack` is what they cost, `loss` what the
    same stump costs if nobody attacks. `plain_*` is the stump an unaware learner would make of (f, v).
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
        texts: dict[str, Any] = {n: tuple(d[n]) for n in ("feature", "test", "threshold")}
        status = None if d["status"] is None else tuple(d["status"])
        iterates = None if d["iterates"] is None else tuple(tuple((p, q) for p, q in run) for run in d["iterates"])
        numbers: dict[str, Any] = {n: _array_in(d[n], n) for n in CANDIDATE_COLUMNS if n not in (*texts, "status")}
        return cls(**texts, **numbers, status=status, iterates=iterates)


CANDIDATE_COLUMNS = (
    "feature", "test", "threshold", "left", "unknown", "right", "y_l", "y_r", "loss", "loss_under_attack",
    "plain_y_l", "plain_y_r", "plain_loss", "plain_loss_under_attack", "tied", "admissible", "status",
)  # fmt: skip


def _plain(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return column
    return [serial.number_out(v) for v in column] if column.dtype.kind == "f" else column.tolist()


def _array_in(values: list[Any], name: str) -> np.ndarray:
    """Numbers, in which infinity is written as text."""
    if name in ("tied", "admissible", "left", "unknown", "right"):
        return frozen_array(values, bool if name in ("tied", "admissible") else int)
    return frozen_array([serial.number_in(v, name) for v in values], float)


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
        parts = TernaryPartition(**{n: frozen_array(d["partition"][n], int) for n in TernaryPartition._fields})
        left, right = (NodeData.from_dict(d[side]) for side in ("left", "right"))
        C_l, C_r = (constraints_in(d[n]) for n in ("left_constraints", "right_constraints"))
        plain = {n: d[n] for n in _SPLIT_NUMBERS}
        return cls(**plain, partition=parts, left=left, right=right, left_constraints=C_l, right_constraints=C_r)


_SPLIT_NUMBERS = ("feature", "threshold", "test", "y_l", "y_r", "loss", "loss_under_attack")
_CONSTRAINT_FIELDS = ("row", "y", "sense", "gamma", "at", "spent", "origin")


def constraints_out(constraints: tuple[Constraint, ...]) -> list[list[Any]]:
    """Compact rows: row, y, sense, gamma, at, spent, origin (gamma may be infinite)."""
    return [[serial.number_out(v) if n == "gamma" else v for n, v in zip(_CONSTRAINT_FIELDS, values, strict=True)]
            for values in ([getattr(c, n) for n in _CONSTRAINT_FIELDS] for c in constraints)]  # fmt: skip


def constraints_in(rows: list[list[Any]]) -> tuple[Constraint, ...]:
    return tuple(Constraint(r, y, s, serial.number_in(g, "gamma"), a, k, o) for r, y, s, g, a, k, o in rows)


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
        candidates = None if d["candidates"] is None else Candidates.from_dict(d["candidates"])
        split = None if d["split"] is None else SplitRecord.from_dict(d["split"])
        C = constraints_in(d["constraints"])
        return cls(
            d["path"], NodeData.from_dict(d["data"]), C, d["leaf"], d["leaf_loss"], candidates, split, d["reason"]
        )


SHOWN = 6  # constraints in the text form of a step


def step_lines(step: Step) -> Iterator[str]:
    """A step in a terminal."""
    indent = "  " * len(step.path)
    n = len(step.data)
    yield f"{indent}{step.path or 'root'}: {n} row{'s' * (n != 1)}, leaf {step.leaf:.6g}, loss {step.leaf_loss:.6g}"
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
    tests = [Node(c.feature[i], c.threshold[i], Leaf(0.0), Leaf(0.0), c.test[i]).predicate for i in others[:3]]
    return f"; tied with {', '.join(tests)}{' and more' * (len(others) > 3)}"

"""What the algorithms did, node by node: enough to redraw every picture without running anything again.

The algorithms report what happens to an observer (`options.Event`); a `recorder` turns that into records
(`records.Step`), and a `Trace` is all of them together with the data, the attacker and the options.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core import serial
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.data import Sample
from treant_viz.core.losses import Loss, get_loss
from treant_viz.core.table import Column, Schema, Table
from treant_viz.core.tree import Leaf, Tree, replaced
from treant_viz.trace.check import Ground, check_labels, check_options, check_steps
from treant_viz.trace.json_values import check_rules, finites_in, listed, schema_in, schema_out
from treant_viz.trace.records import SplitRecord, Step, step_lines

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The steps of a run, parents before children, left before right; with data, attacker and options."""

    X: pd.DataFrame
    y: np.ndarray
    schema: Schema
    attacker: Attacker
    loss: Loss
    options: serial.Json
    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def at(self, path: str) -> Step:
        """The step at a path ("" is the root)."""
        for step in self.steps:
            if step.path == path:
                return step
        raise KeyError(f"path {path!r}: the trace has no such step")

    def attacker_on_table(self) -> AttackerOnTable:
        """The attacker on the table of the data, as it was for the run."""
        retest, thresholds = (self.options.get(name) for name in ("retest", "thresholds"))
        table = Table.of(self.X, self.schema)
        return AttackerOnTable(self.attacker, table, retest or "uncorrupted", thresholds or "data")

    def trees(self) -> Iterator[tuple[Step, Tree]]:
        """The tree after each step: a leaf replaced by a stump, or a leaf made final."""
        t: Tree = Leaf(self.steps[0].leaf)
        for step in self.steps:
            new = step.split.stump if step.split is not None and step.taken else Leaf(step.leaf)
            t = replaced(t, step.path, new)
            yield step, t

    def losses(self) -> Iterator[tuple[Step, float]]:
        """The loss under attack after each step as the algorithm counts it: a sum over the leaves."""
        total = self.steps[0].leaf_loss
        stood = {"": total}
        for step in self.steps:
            total -= stood.pop(step.path)
            if step.split is not None and step.taken:
                stood |= self._sides(step.path, step.split)
                total += stood[step.path + "l"] + stood[step.path + "r"]
            else:
                total += step.leaf_loss
            yield step, total

    def _sides(self, path: str, split: SplitRecord) -> dict[str, float]:
        sides = {"l": (split.left, split.y_l), "r": (split.right, split.y_r)}
        return {path + s: self._loss_of(p, data.rows) for s, (data, p) in sides.items()}

    def _loss_of(self, prediction: float, rows: np.ndarray) -> float:
        weight = self.options.get("weight")
        w = 1.0 if weight is None else np.asarray(weight)[rows]
        return float(np.sum(w * self.loss.ell(prediction, self.y[rows])))

    def __str__(self) -> str:
        return "\n".join(line for step in self.steps for line in step_lines(step))

    def to_dict(self) -> serial.Json:
        """Plain JSON values."""
        body = {
            "columns": schema_out(self.schema),
            "X": [self.X.iloc[:, j].tolist() for j in range(self.X.shape[1])],
            "y": self.y.tolist(),
            "attacker": self.attacker.to_dict(),
            "loss": self.loss.name,
            "binary": self.loss.binary,
            "options": self.options,
            "steps": [s.to_dict() for s in self.steps],
        }
        return serial.document("trace", FORMAT_VERSION, body)

    @classmethod
    def from_dict(cls, doc: object, where: str = "trace") -> Trace:
        """What `to_dict` gave, checked in full: a trace that is read can be replayed and drawn."""
        with serial.reading(where):
            body = serial.open_document(doc, "trace", FORMAT_VERSION, where)
        with serial.reading(where, "damaged: "):
            schema = schema_in(body.get("columns"), where)
            X = _data_in(body.get("X"), schema)
            y = finites_in(body.get("y"), "y")
            loss = _loss_in(body)
            attacker = Attacker.from_dict(body.get("attacker"))
            options = serial.field(body, "options", dict, where)
            steps = _steps_in(serial.field(body, "steps", list, where))
            trace = cls(X, y, schema, attacker, loss, options, steps)
            _check(trace)
            return trace

    def to_json(self, path: str | os.PathLike[str]) -> None:
        serial.write(self.to_dict(), path, indent=None)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Trace:
        return cls.from_dict(serial.read(path), str(path))


def _data_in(columns: Any, schema: Schema) -> pd.DataFrame:
    """The columns of the training data, each as long as the first."""
    if len(listed(columns, "X")) != len(schema.columns):
        raise ValueError(f"X: expected {len(schema.columns)} columns, got {len(columns)}")
    data = [_values_in(x, c) for x, c in zip(columns, schema.columns, strict=True)]
    if not len(data[0]) or len({len(x) for x in data}) > 1:
        raise ValueError(
            f"X: expected columns of the same length, with rows; got {serial.shown([len(x) for x in data])}"
        )
    return pd.DataFrame(dict(enumerate(data))).set_axis(list(schema.names), axis=1)


def _values_in(values: Any, column: Column) -> Any:
    what = f"X: column {serial.shown(column.name)}"
    if column.categories is None:
        return np.array(finites_in(values, what))
    known = set(column.categories)
    for v in listed(values, what):
        if isinstance(v, (bool, list, dict)) or v not in known:
            raise ValueError(f"{what}: {serial.shown(v)} is none of its categories")
    return values


def _loss_in(body: serial.Json) -> Loss:
    name, binary = serial.field(body, "loss", str, "trace"), serial.field(body, "binary", bool, "trace")
    with serial.reading("loss"):
        return get_loss(name, binary=binary)


def _steps_in(steps: list[Any]) -> tuple[Step, ...]:
    made = []
    for i, step in enumerate(steps):
        with serial.reading(f"step {i}"):
            made.append(Step.from_dict(step))
    return tuple(made)


def _check(trace: Trace) -> None:
    """The data, the attacker and the options fit together, and the steps are steps on them."""
    check_labels(trace.y, len(trace.X), trace.loss.binary)
    weight = check_options(trace.options, len(trace.X))
    check_rules(trace.attacker, trace.schema)
    A = trace.attacker_on_table()
    check_steps(trace.steps, Ground.of(Sample(A.table, trace.y, trace.loss.binary, weight), A, trace.loss))

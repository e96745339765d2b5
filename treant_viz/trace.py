"""What the algorithms did, node by node: enough to redraw every picture without running anything again.

The algorithms tell an observer what happens (`growth.Event`); a `recorder` turns that into records (`records.Step`),
and a `Trace` is all of them together with the data, the attacker and the options.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from treant_viz import serial
from treant_viz.attacker import Attacker
from treant_viz.losses import Loss, get_loss
from treant_viz.records import SplitRecord, Step, frozen_array, step_lines
from treant_viz.table import Column, Schema
from treant_viz.tree import Leaf, Tree, replaced

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

    def trees(self) -> Iterator[tuple[Step, Tree]]:
        """The tree after each step: a leaf replaced by a stump, or a leaf made final."""
        t: Tree = Leaf(self.steps[0].leaf)
        for step in self.steps:
            new = step.split.stump if step.split is not None and step.taken else Leaf(step.leaf)
            t = replaced(t, step.path, new)
            yield step, t

    def losses(self) -> Iterator[tuple[Step, float]]:
        """The loss under attack after each step, as the algorithm counts it: the sum over the leaves so far."""
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
        body = serial.open_document(doc, "trace", FORMAT_VERSION, where)
        try:
            schema = schema_in(body["columns"], where)
            X = pd.DataFrame(dict(enumerate(body["X"]))).set_axis(list(schema.names), axis=1)
            loss = get_loss(body["loss"], binary=body["binary"])
            steps = tuple(Step.from_dict(s) for s in body["steps"])
            attacker = Attacker.from_dict(body["attacker"], f"{where}: attacker")
            return cls(X, frozen_array(body["y"], float), schema, attacker, loss, body["options"], steps)
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            raise ValueError(f"{where}: damaged: {type(error).__name__} {error}") from error

    def to_json(self, path: str | os.PathLike[str]) -> None:
        serial.write(self.to_dict(), path, indent=None)

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Trace:
        return cls.from_dict(serial.read(path), str(path))


def schema_out(schema: Schema) -> list[serial.Json]:
    """The JSON form of a schema."""
    lists = (None if c.categories is None else list(c.categories) for c in schema.columns)
    return [{"name": name, "categories": categories} for name, categories in zip(schema.names, lists, strict=True)]


def schema_in(columns: Any, where: str) -> Schema:
    """A schema from its JSON form."""
    if not isinstance(columns, list) or not columns:
        raise ValueError(f'{where}: "columns" must be a list of columns, got {columns!r}')
    made = []
    for i, c in enumerate(columns):
        if not isinstance(c, dict):
            raise ValueError(f"{where}: column {i} must be an object, got {c!r}")
        name = serial.field(c, "name", (str, int), f"{where}: column {i}")
        known = None if c.get("categories") is None else serial.field(c, "categories", list, f"{where}: column {i}")
        if strange := [v for v in known or () if isinstance(v, bool) or not isinstance(v, (str, int, float))]:
            raise ValueError(f"{where}: column {i}: a category must be text or a number, got {strange[0]!r}")
        made.append(Column(name, None if known is None else tuple(known)))
    return Schema(tuple(made))

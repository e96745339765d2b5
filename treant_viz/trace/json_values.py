"""What the JSON of a trace holds, read and checked: columns, rules that fit them, lists value by value."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from treant_viz.core import serial
from treant_viz.core.attacker.on_table import rule_categories, rules_by_column
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Column, Schema


def frozen_array(values: Any, dtype: type | None = None) -> np.ndarray:
    out = np.array(values, dtype=dtype)
    out.flags.writeable = False
    return out


def wholes_in(values: Any, what: str) -> np.ndarray:
    """Whole numbers from 0 on."""
    return frozen_array([serial.whole_in(v, what, 0, sys.maxsize) for v in listed(values, what)], int)


def finites_in(values: Any, what: str) -> np.ndarray:
    """Finite numbers."""
    return frozen_array([serial.finite_in(v, what) for v in listed(values, what)], float)


def listed(values: Any, what: str) -> list[Any]:
    if not isinstance(values, list):
        raise ValueError(f"{what}: expected a list, got {serial.shown(values)}")
    return values


def check_lengths(lists: Mapping[str, Any]) -> None:
    """Lists beside each other are of the same length."""
    (first, one), *others = lists.items()
    for name, values in others:
        if len(values) != len(one):
            raise ValueError(f'"{first}" and "{name}" differ in length: {len(one)} and {len(values)}')


def _features_in(values: Any, what: str) -> tuple[str | int, ...]:
    return tuple(serial.field({what: v}, what, (str, int), "candidates") for v in values)


def _tests_in(values: Any, what: str) -> tuple[str, ...]:
    return tuple(relation_in(v) for v in values)


def relation_in(value: object) -> Literal["<=", "=="]:
    if value not in ("<=", "=="):
        raise ValueError(f"test: expected '<=' or '==', got {serial.shown(value)}")
    return value


def _thresholds_in(values: Any, what: str) -> tuple[Any, ...]:
    return tuple(threshold_in(v) for v in values)


def threshold_in(value: Any) -> str | float:
    """Text, or a finite number (a category that is a whole number stays one)."""
    if not isinstance(value, str):
        serial.finite_in(value, "threshold")
    return value


def _losses_in(values: Any, what: str) -> np.ndarray:
    """Finite, or infinite: what no leaf can be forgiven."""
    losses = [serial.number_in(v, what) for v in values]
    if -math.inf in losses:
        raise ValueError(f"{what}: a loss is not -inf")
    return frozen_array(losses, float)


def _flags_in(values: Any, what: str) -> np.ndarray:
    return frozen_array([serial.field({what: v}, what, bool, "candidates") for v in values], bool)


def _words_in(values: Any, what: str) -> tuple[str, ...]:
    return tuple(serial.field({what: v}, what, str, "candidates") for v in listed(values, what))


def _runs_in(values: Any, what: str) -> tuple[tuple[tuple[float, float], ...], ...]:
    """For each candidate at least one point (y_l, y_r)."""
    return tuple(_run_in(run, what) for run in listed(values, what))


def _run_in(run: Any, what: str) -> tuple[tuple[float, float], ...]:
    points = finites_in([p for point in listed(run, what) for p in _pair(point, what)], what).reshape(-1, 2)
    if not len(points):
        raise ValueError(f"{what}: expected at least one point, got none")
    return tuple((float(p), float(q)) for p, q in points)


def _pair(point: Any, what: str) -> list[Any]:
    if len(listed(point, what)) != 2:
        raise ValueError(f"{what}: expected two numbers (y_l, y_r), got {serial.shown(point)}")
    return list(point)


COLUMN_IN: dict[str, Callable[[Any, str], Any]] = {
    "feature": _features_in, "test": _tests_in, "threshold": _thresholds_in,
    "left": wholes_in, "unknown": wholes_in, "right": wholes_in,
    "y_l": finites_in, "y_r": finites_in, "loss": _losses_in, "loss_under_attack": _losses_in,
    "plain_y_l": finites_in, "plain_y_r": finites_in,
    "plain_loss": _losses_in, "plain_loss_under_attack": _losses_in,
    "tied": _flags_in, "admissible": _flags_in, "status": _words_in, "iterates": _runs_in,
}  # fmt: skip


def schema_out(schema: Schema) -> list[serial.Json]:
    """The JSON form of a schema."""
    lists = (None if c.categories is None else list(c.categories) for c in schema.columns)
    return [
        {"name": name, "categories": categories} for name, categories in zip(schema.names, lists, strict=True)
    ]


def schema_in(columns: Any, where: str) -> Schema:
    """A schema from its JSON form: names (or places, where there are none) and categories must differ."""
    if not isinstance(columns, list) or not columns:
        raise ValueError(f'{where}: "columns" must be a list of columns, got {serial.shown(columns)}')
    made = [_column_in(c, f"{where}: column {i}") for i, c in enumerate(columns)]
    names = [c.name for c in made]
    if not all(isinstance(n, str) for n in names) and names != list(range(len(names))):
        raise ValueError(
            f"{where}: columns are named by text, or all by their places 0, 1, ...; got {serial.shown(names)}"
        )
    _check_distinct(names, f"{where}: the columns' names")
    return Schema(tuple(made))


def _column_in(c: object, where: str) -> Column:
    if not isinstance(c, dict):
        raise ValueError(f"{where} must be an object, got {serial.shown(c)}")
    name = serial.field(c, "name", (str, int), where)
    if c.get("categories") is None:
        return Column(name)
    known = serial.field(c, "categories", list, where)
    if not known:
        raise ValueError(f"{where}: expected at least one category, got []")
    for v in known:
        if not isinstance(v, str):
            serial.finite_in(v, f"{where}: a category must be text or a number")
    _check_distinct(known, f"{where}: categories")
    return Column(name, tuple(known))


def check_rules(attacker: Attacker, schema: Schema) -> None:
    """Rules speak of columns, and of categories that these have (a fit makes its rules' categories known)."""
    rules_by_column(attacker, schema)
    for f, named in rule_categories(attacker, schema.index).items():
        column = schema.columns[f]
        if strange := [c for c in named if c not in (column.categories or ())]:
            raise ValueError(
                f"attacker: {serial.shown(strange[0])} is no category of {serial.shown(column.name)}"
            )


def _check_distinct(values: list[Any], what: str) -> None:
    if len(set(values)) < len(values):
        twice = next(v for v, times in Counter(values).items() if times > 1)
        raise ValueError(f"{what} must differ, but {serial.shown(twice)} appears more than once")

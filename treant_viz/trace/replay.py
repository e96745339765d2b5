"""From a trace back to the problem at a node, to be solved once more: SLSQP from another start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, FeatureReach
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.serial import shown
from treant_viz.core.solvers.slsqp import Run, solver_at
from treant_viz.core.table import Table
from treant_viz.trace.trace import Trace


def rerun(
    trace: Trace,
    path: str,
    feature: Any,
    threshold: Any,
    start: tuple[float, float] | None = None,
    *,
    constrained: bool = True,
) -> Run:
    """SLSQP again on a candidate of a step, from another start (none: from the unattacked leaves).

    The problem is read from the trace alone. `constrained=False`: as if nothing were forbidden.
    """
    return solver(trace, path, feature, threshold, constrained=constrained)(start)


def solver(
    trace: Trace, path: str, feature: Any, threshold: Any, *, constrained: bool = True
) -> Callable[[tuple[float, float] | None], Run]:
    """The same for many starts: the problem is read from the trace once."""
    D, A, C = at_node(trace, path)
    f = trace.schema.index(feature)
    v = _code(D.sample.table, f, threshold)
    solve = solver_at(D, A, C if constrained else Constraints.none(), trace.loss, f, v)
    return lambda start: solve(None if start is None else _start(start))


def at_node(trace: Trace, path: str) -> tuple[Data, AttackerOnTable, Constraints]:
    """D, A and C as they were at a step of a trace."""
    step, A = trace.at(path), trace.attacker_on_table()
    weight = trace.options.get("weight")
    sample = Sample(
        A.table, trace.y, trace.loss.binary, None if weight is None else np.asarray(weight, dtype=float)
    )
    D = Data(sample, step.data.rows, A.ids(step.data.spent), boxes=_boxes(trace, path, A.table, A))
    columns = [[getattr(c, n) for c in step.constraints] for n in ("row", "sense", "at", "spent")]
    row, most, at = (
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1]) == "<=",
        np.array(columns[2], dtype=float),
    )
    C = Constraints(
        row, most, at, A.ids(np.array(columns[3], dtype=float)), np.zeros(len(row), dtype=np.int64), ("",)
    )
    return D, A, C


def _boxes(trace: Trace, path: str, table: Table, A: AttackerOnTable) -> dict[int, FeatureReach]:
    """What the tests above leave open of features that may be tested again although they are attacked."""
    boxes: dict[int, FeatureReach] = {}
    for i, side in enumerate(path if A.retest == "all" else ""):
        split = trace.at(path[:i]).split
        assert split is not None
        f = table.schema.index(split.feature)
        if A.attacked[f]:
            reach = boxes.get(f, A.features[f])
            boxes[f] = reach.narrowed(_code(table, f, split.threshold), side == "l")
    return boxes


def _code(table: Table, f: int, threshold: Any) -> int:
    """The code of a threshold among the distinct values of a column."""
    column = table.schema.columns[f]
    known = table.values[f].tolist() if column.categories is None else list(column.categories)
    if threshold not in known:
        raise ValueError(
            f"threshold: expected a value of {column.name!r} in the data, got {shown(threshold)}"
        )
    return known.index(threshold)


def _start(start: Any) -> tuple[float, float]:
    try:
        y_l, y_r = (float(p) for p in start)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"start: expected two numbers (y_l, y_r), got {shown(start)}") from None
    if not np.isfinite([y_l, y_r]).all():
        raise ValueError(f"start: expected finite numbers, got {shown(start)}")
    return y_l, y_r


__all__ = ["at_node", "rerun", "solver"]

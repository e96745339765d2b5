"""The cells of a published table: as printed, and as measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.viz.security_curve.facts import METRIC_NAMES
from treant_viz.viz.style.text import name, number

COLUMNS = ("dataset", "budget", "method", "metric", "paper", "ours")


class AuditCell(NamedTuple):
    """One number of the table: as printed, and as measured."""

    dataset: str
    budget: float
    method: str
    metric: str
    paper: float
    ours: float

    @property
    def difference(self) -> float:
        return self.ours - self.paper

    @property
    def row(self) -> tuple[str, float]:
        return self.dataset, self.budget

    @property
    def where(self) -> str:
        return f"{name(self.dataset, 16)} {number(self.budget)}"

    @property
    def measure(self) -> str:
        return name(METRIC_NAMES.get(self.metric, self.metric))


def audit_cells(cells: Any) -> tuple[AuditCell, ...]:
    """The rows of a table as `experiments.results.compared` returns it."""
    rows = _checked(cells)[list(COLUMNS)].itertuples(index=False)
    return tuple(AuditCell(str(d), float(k), str(m), str(s), float(p), float(o)) for d, k, m, s, p, o in rows)


def _checked(cells: Any) -> pd.DataFrame:
    if not isinstance(cells, pd.DataFrame):
        raise TypeError(f"cells: expected a data frame as `compared` returns it, got {type(cells).__name__}")
    if missing := [c for c in COLUMNS if c not in cells]:
        raise ValueError(f"cells: the columns {missing} are missing; expected {list(COLUMNS)}")
    if cells.empty:
        raise ValueError("cells: expected at least one row, got none")
    if not np.isfinite(cells[["paper", "ours"]].to_numpy(dtype=float)).all():
        raise ValueError("cells: expected finite numbers in the columns 'paper' and 'ours'")
    return cells


__all__ = ["AuditCell", "audit_cells"]

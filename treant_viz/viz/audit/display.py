"""A published table against our runs, cell by cell: how far off is every number, and which are too far.

A panel is a method, a row a data set and budget, a mark a measure; what counts is the distance from the line
at zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from treant_viz.viz.display import Display
from treant_viz.viz.security_curve.display import METRIC_NAMES
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, panels
from treant_viz.viz.style.text import name, number

COLUMNS = ("dataset", "budget", "method", "metric", "paper", "ours")
MARKERS = ("o", "s", "^", "D", "v", "P")
LANE = 0.26  # between the marks of a row
ROOM = 0.55  # for numbers beside marks, as a share of what the marks span


class Cell(NamedTuple):
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditDisplay(Display):
    """All cells of a table: ours less the paper's, and which are within a tolerance."""

    cells: tuple[Cell, ...]
    tolerance: float
    view: str

    @classmethod
    def from_cells(cls, cells: pd.DataFrame, *, tolerance: float = 0.04, view: str = "") -> AuditDisplay:
        """From what `experiments.results.compared` returns; `view` is said in the title."""
        if not tolerance > 0:
            raise ValueError(f"tolerance: expected a number above 0, got {tolerance!r}")
        found = [Cell(*r) for r in _checked(cells)[list(COLUMNS)].itertuples(index=False)]
        plain = (Cell(str(d), float(k), str(m), str(s), float(p), float(o)) for d, k, m, s, p, o in found)
        return cls(tuple(plain), float(tolerance), view)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return 2.2 + 3.6 * len(self.methods), 1.9 + 0.4 * len(self.rows)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.method for c in self.cells))

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.metric for c in self.cells))

    @property
    def rows(self) -> dict[tuple[str, float], str]:
        """Data sets and budgets from top to bottom, and what they are called."""
        return {c.row: c.where for c in self.cells}

    def off(self, cell: Cell) -> bool:
        """Is a cell farther from the paper's than the tolerance? (A hair of rounding is none.)"""
        return abs(cell.difference) > self.tolerance + 1e-9

    @property
    def title(self) -> str:
        near, worst = self._count(self.cells)
        head = f"{self.view[:1].upper()}{self.view[1:]}: {near}" if self.view else near
        return f"{head} cells are within {number(self.tolerance)} of the paper; the farthest is {worst}"

    def _count(self, cells: Sequence[Cell]) -> tuple[str, str]:
        """How many are within the tolerance, of how many; and the farthest one."""
        far = max(cells, key=lambda c: abs(c.difference))
        near = sum(not self.off(c) for c in cells)
        return (
            f"all {len(cells)}" if near == len(cells) else f"{near} of {len(cells)}",
            f"{name(far.method)} on {far.where}: {far.difference:+.3f} ({far.measure})",
        )

    @property
    def alt_text(self) -> str:
        counts = [self._count([c for c in self.cells if c.method == m]) for m in self.methods]
        pairs = zip(self.methods, counts, strict=True)
        said = "; ".join(f"{m}: {near} within it, the farthest is {far}" for m, (near, far) in pairs)
        band = f"a band of {number(self.tolerance)} to either side of 0"
        head = (
            f"Dot plot of our number less the paper's: a panel a method, {len(self.rows)} rows of budgets, "
            f"{band}"
        )
        return f"{head}. {said}."

    @property
    def summary(self) -> str:
        lines = [self.title]
        for m in self.methods:
            for row, where in self.rows.items():
                mine = [c for c in self.cells if (c.method, c.row) == (m, row)]
                lines.append(f"{m} {where}: " + ", ".join(f"{c.measure} {c.difference:+.3f}" for c in mine))
        return "\n".join(lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        [grid] = panels(target, pen, (1.0,), [1.0] * len(self.methods))
        ends = self._ends()
        for j, (ax, method) in enumerate(zip(grid, self.methods, strict=True)):
            self._panel(pen, ax, method, first=j == 0)
            ax.set_xlim(*ends)
            ax.set_ylim(len(self.rows) - 0.4, -0.6)
        pen.key(target, self._handles(pen))

    def _ends(self) -> tuple[float, float]:
        """Room for every mark, for the band, and for the numbers beside marks."""
        found = [c.difference for c in self.cells] + [-1.5 * self.tolerance, 1.5 * self.tolerance]
        low, high = min(found), max(found)
        told = [c.difference for c in self.cells if self.off(c)]
        left, right = (ROOM if any(side) else 0.05 for side in ([x < 0 for x in told], [x > 0 for x in told]))
        return low - left * (high - low), high + right * (high - low)

    def _panel(self, pen: Pen, ax: Axes, method: str, *, first: bool) -> None:
        pen.keep(
            "band",
            ax.axvspan(-self.tolerance, self.tolerance, color=pen.palette.faint, alpha=0.6, linewidth=0),
        )
        pen.keep("zero", ax.axvline(0.0, color=pen.palette.soft, linewidth=1.2))
        pen.style(ax, xlabel="ours less the paper's", spines=("bottom",))
        pen.ticks(
            ax, "y", range(len(self.rows)), list(self.rows.values()) if first else [""] * len(self.rows)
        )
        ax.tick_params(axis="y", length=0)
        self._rules(pen, ax)
        for cell in (c for c in self.cells if c.method == method):
            self._mark(pen, ax, cell)
        for cell in self._told(method):
            self._number(pen, ax, cell)
        pen.keep("method", ax.set_title(name(method), fontsize=BODY, color=pen.palette.ink, parse_math=False))

    def _rules(self, pen: Pen, ax: Axes) -> None:
        """A line between data sets."""
        rows = list(self.rows)
        for i, (above, below) in enumerate(pairwise(rows)):
            if above[0] != below[0]:
                ax.axhline(i + 0.5, color=pen.palette.soft, linewidth=0.8, linestyle=(0, (1, 2)))

    def _place(self, cell: Cell) -> float:
        """The height of a mark: measures have lanes of their own within a row."""
        lane = self.metrics.index(cell.metric) - (len(self.metrics) - 1) / 2
        return list(self.rows).index(cell.row) + LANE * lane

    def _mark(self, pen: Pen, ax: Axes, cell: Cell) -> None:
        off, p = self.off(cell), pen.palette
        look: dict[str, Any] = {"linestyle": "none", "markersize": 7, "markeredgecolor": p.ink}
        look |= {"markerfacecolor": p.ink if off else p.background, "marker": self._shape(cell.metric)}
        mark = ax.plot([cell.difference], [self._place(cell)], **look)[0]
        pen.keep("off" if off else "near", mark, f"cell-{cell.method}-{cell.where}-{cell.metric}")

    def _shape(self, metric: str) -> str:
        return MARKERS[self.metrics.index(metric) % len(MARKERS)]

    def _told(self, method: str) -> Iterator[Cell]:
        """In every row the farthest cell, if it is off."""
        for row in self.rows:
            mine = [c for c in self.cells if (c.method, c.row) == (method, row) and self.off(c)]
            if mine:
                yield max(mine, key=lambda c: abs(c.difference))

    def _number(self, pen: Pen, ax: Axes, cell: Cell) -> None:
        right = cell.difference > 0
        look: dict[str, Any] = {
            "xytext": (7 if right else -7, 0),
            "textcoords": "offset points",
            "va": "center",
        }
        look |= {
            "ha": "left" if right else "right",
            "fontsize": SMALL,
            "color": pen.palette.ink,
            "parse_math": False,
        }
        pen.keep(
            "number", ax.annotate(f"{cell.difference:+.3f}", (cell.difference, self._place(cell)), **look)
        )

    def _handles(self, pen: Pen) -> list[Any]:
        p = pen.palette
        look: dict[str, Any] = {
            "linestyle": "none",
            "markersize": 7,
            "markeredgecolor": p.ink,
            "color": p.ink,
        }
        named = {c.metric: c.measure for c in self.cells}
        shapes = [
            Line2D([], [], marker=self._shape(m), markerfacecolor=p.background, label=said, **look)
            for m, said in named.items()
        ]
        band = Patch(facecolor=p.faint, alpha=0.6, label=f"within {number(self.tolerance)}")
        return [*shapes, band, Line2D([], [], marker="o", label="filled: farther off", **look)]


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


__all__ = ["AuditDisplay"]

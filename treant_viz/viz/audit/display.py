"""A published table against our runs, cell by cell: which numbers agree, and which do not.

A strip is a measure of a method, a dot a data set and budget; colour is kept for dots beyond a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from treant_viz.viz.audit.draw import draw_cells
from treant_viz.viz.audit.facts import AuditCell, audit_cells
from treant_viz.viz.display import Display
from treant_viz.viz.security_curve.facts import listed
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, name, names, number


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditDisplay(Display):
    """All cells of a table: ours less the paper's, and which are within a tolerance.

    >>> import treant_viz as tv
    >>> from treant_viz.experiments.report.results import compared
    >>> cells = compared(tv.load_results())
    >>> display = tv.AuditDisplay.from_cells(cells)
    >>> display.title
    'All 42 numbers of RF-TREANT agree with the paper; 4 of the other 84 do not, all on census at budget 60'
    """

    cells: tuple[AuditCell, ...]
    tolerance: float
    view: str

    @classmethod
    def from_cells(cls, cells: pd.DataFrame, *, tolerance: float = 0.04, view: str = "") -> AuditDisplay:
        """From what `experiments.results.compared` returns; `view` is said below the title."""
        if not tolerance > 0:
            raise ValueError(f"tolerance: expected a number above 0, got {tolerance!r}")
        return cls(audit_cells(cells), float(tolerance), view)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        strips = len(self.methods) * (len(self.metrics) + 0.5)
        return 12.8, max(7.2, 2.2 + 0.42 * strips)

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

    def off(self, cell: AuditCell) -> bool:
        """Is a cell farther from the paper's than the tolerance? (A hair of rounding is none.)"""
        return abs(cell.difference) > self.tolerance + 1e-9

    def verdict(self, method: str) -> str:
        """How many of a method's numbers agree."""
        near, total = self._counts(method)
        if near == total:
            return f"all {total} agree" if total > 1 else "the one number agrees"
        return f"{near or 'none'} of {total} {'agree' if near > 1 else 'agrees'}"

    @property
    def title(self) -> str:
        n, off = len(self.cells), [c for c in self.cells if self.off(c)]
        if not off:
            return (
                f"All {counted(n, 'number')} agree with the paper"
                if n > 1
                else "The one number agrees with the paper"
            )
        bad = {c.method for c in off}
        good = [m for m in self.methods if m not in bad]
        if not good:
            verb = "agrees" if n - len(off) == 1 else "agree"
            return f"{n - len(off)} of {counted(n, 'number')} {verb} with the paper{self._nearest()}"
        count, short = sum(c.method in good for c in self.cells), names(self.methods, 16)
        return (
            f"All {counted(count, 'number')} of {listed(short[m] for m in good)} agree with the paper; "
            f"{len(off)} of the other {n - count} {'does' if len(off) == 1 else 'do'} not{_all_on(off)}"
        )

    def _nearest(self) -> str:
        """The method of whose cells most agree, if there is just one."""
        counts = [self._counts(m) for m in self.methods]
        shares = [near / total for near, total in counts]
        best = shares.index(max(shares))
        if len(shares) == 1 or shares.count(shares[best]) > 1:
            return ""
        who, (near, total) = names(self.methods, 16)[self.methods[best]], counts[best]
        return f"; {who} is closest ({near} of {total})"

    def _counts(self, method: str) -> tuple[int, int]:
        """Of a method's cells, how many agree, of how many."""
        mine = [c for c in self.cells if c.method == method]
        return sum(not self.off(c) for c in mine), len(mine)

    @property
    def subtitle(self) -> str:
        view = f"{self.view[:1].upper()}{self.view[1:]}. " if self.view else ""
        return (
            f"{view}A dot is a number of the paper's table, for a model trained for, and attacked with, the "
            f"same budget; ours agrees if it is within {number(self.tolerance)} of theirs."
        )

    def _farthest(self, method: str) -> str:
        far = max((c for c in self.cells if c.method == method), key=lambda c: abs(c.difference))
        return f"{name(far.method)} on {far.where}: {far.difference:+.3f} ({far.measure})"

    @property
    def alt_text(self) -> str:
        phrase = "; ".join(
            f"{m}: {self.verdict(m)}, the farthest is {self._farthest(m)}" for m in self.methods
        )
        return (
            f"Strips of dots, one for every method and measure; a dot is our number less the paper's for one "
            f"of {len(self.rows)} budgets of data sets. A band shows what is within "
            f"{number(self.tolerance)}. {phrase}."
        )

    @property
    def summary(self) -> str:
        lines = [self.title]
        for m in self.methods:
            for row, where in self.rows.items():
                mine = [c for c in self.cells if (c.method, c.row) == (m, row)]
                lines.append(f"{m} {where}: " + ", ".join(f"{c.measure} {c.difference:+.3f}" for c in mine))
        return "\n".join(lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        draw_cells(self, pen, target)


def _all_on(off: list[AuditCell]) -> str:
    """Where the cells that do not agree are, if that is one budget of one data set."""
    if len({c.row for c in off}) > 1:
        return ""
    every = ", all" if len(off) > 1 else ","
    return f"{every} on {name(off[0].dataset, 16)} at budget {number(off[0].budget)}"


__all__ = ["AuditDisplay"]

"""Small drawings on the card of a node: labels of its rows, a histogram, what it may predict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from treant_viz.core.losses import Pieces
from treant_viz.viz.style import parts, typeface
from treant_viz.viz.style.pen import SMALL, Pen
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import name, number
from treant_viz.viz.tree.card import LINE
from treant_viz.viz.tree.facts import LabelCounts
from treant_viz.viz.tree.layout import LayoutBox

BAR, GAP, PLOT, SPACE = (
    11.0,
    6.0,
    34.0,
    2.0,
)  # heights: a strip, the space above it, a histogram, the space below


def on(pen: Pen, ax: Axes, scale: float) -> Sheet:
    """The axes of a tree as a sheet: their unit is a point times the scale."""
    return Sheet(pen, ax, 0.0, 0.0, scale)


@dataclass(frozen=True, slots=True)
class Circles:
    """The label of every row of a leaf; hatched are the rows that the attacker pushed."""

    rows: tuple[tuple[float, bool], ...]
    names: tuple[str, ...] = ()

    @property
    def pushed_names(self) -> tuple[str, ...]:
        """The names below circles: of the rows that were pushed."""
        pairs = zip(self.names, self.rows, strict=False)
        return tuple(name for name, (_, pushed) in pairs if pushed)

    @property
    def text(self) -> str:
        return "labels " + ", ".join(f"{number(y)}{' (pushed)' * pushed}" for y, pushed in self.rows)

    @property
    def width(self) -> float:
        return parts.pitch(self.pushed_names) * len(self.rows)

    @property
    def height(self) -> float:
        return GAP + 2 * parts.RADIUS + 2 * SPACE + LINE * SMALL * bool(self.pushed_names)

    def draw(self, pen: Pen, ax: Axes, box: LayoutBox, scale: float, gid: str) -> None:
        y = box.top - GAP - parts.RADIUS
        values, pushed = zip(*self.rows, strict=True)
        parts.label_circles(on(pen, ax, scale), box.x, y, values, pushed, gid, self.names)


@dataclass(frozen=True, slots=True)
class Legal:
    """A number line: what the constraints allow a leaf to predict, and what it predicts."""

    feasible: Pieces
    value: float
    ends: tuple[float, float]
    wanted: float | None = None
    note: tuple[str, ...] = ()  # why it does not predict what it would like to
    least: float = 130.0  # width

    @property
    def text(self) -> str:
        may = f"may predict {' or '.join(piece(a, b) for a, b in self.feasible) or 'nothing'}"
        return "; ".join([may, " ".join(self.note)] if self.note else [may])

    @property
    def width(self) -> float:
        return max(self.least, *(typeface.width(line, SMALL) for line in self.note), 0.0)

    @property
    def height(self) -> float:
        return GAP + 8.0 + SPACE + LINE * SMALL * (1 + len(self.note)) + 3 * SPACE * bool(self.note)

    def draw(self, pen: Pen, ax: Axes, box: LayoutBox, scale: float, gid: str) -> None:
        wide = min(self.least, box.width)  # alike on all cards
        line = parts.NumberLine(box.x - wide / 2, box.top - GAP - 4.0, wide, *self.ends)
        paper = on(pen, ax, scale)
        parts.number_line(paper, line, self.feasible, value=self.value, wanted=self.wanted, gid=gid)
        for i, words in enumerate(self.note):
            y = box.bottom + LINE * SMALL * (len(self.note) - i - 0.8)
            paper.text(box.x, y, words, "why", size=SMALL, ha="center", gid=f"why-{i}-{gid}")


def piece(low: float, high: float) -> str:
    """A feasible interval in words.

    >>> piece(-1.5, 1.5), piece(1.5, math.inf), piece(0.5, 0.5)
    ('−1.5 to 1.5', 'at least 1.5', '0.5')
    """
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if math.isinf(low) or math.isinf(high):
        return f"at most {number(high)}" if math.isinf(low) else f"at least {number(low)}"
    return number(low) if low == high else f"{number(low)} to {number(high)}"


@dataclass(frozen=True, slots=True)
class Classes:
    """How many rows are of the one class and of the other: hollow and filled, the counts below."""

    labels: LabelCounts

    @property
    def text(self) -> str:
        (first, second), (a, b) = self.labels.classes or ("", ""), self.labels.counts
        if a and b:
            return f"{b:,} of {a + b:,} have label {name(second, 9)}"
        return f"all have label {name(second if b else first, 9)}"

    @property
    def width(self) -> float:
        return typeface.width(self.text, SMALL)

    @property
    def height(self) -> float:
        return GAP + BAR + SPACE + LINE * SMALL

    def draw(self, pen: Pen, ax: Axes, box: LayoutBox, scale: float, gid: str) -> None:
        y = box.top - GAP - BAR
        parts.class_strip(on(pen, ax, scale), box.left, y, box.width, BAR, self.labels.counts, gid)
        _caption(pen, ax, box, self.text, "label counts", scale, gid)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Real labels in equal bins, from the least to the greatest of all rows."""

    labels: LabelCounts

    @property
    def text(self) -> str:
        return f"y: {number(self.labels.low, 3)} … {number(self.labels.high, 3)}"

    @property
    def width(self) -> float:
        return typeface.width(self.text, SMALL)

    @property
    def height(self) -> float:
        return GAP + PLOT + SPACE + LINE * SMALL

    def draw(self, pen: Pen, ax: Axes, box: LayoutBox, scale: float, gid: str) -> None:
        counts, y = self.labels.counts, box.top - GAP - PLOT
        wide, most = box.width / len(counts), max(*counts, 1)
        look = {"facecolor": pen.palette.soft, "edgecolor": pen.palette.background, "linewidth": 0.8 * scale}
        for i, n in enumerate(counts):
            bar = Rectangle((box.left + i * wide, y), wide, PLOT * n / most, zorder=4, **look)  # type: ignore[arg-type]
            pen.patch(ax, bar, "labels", f"bin-{i}-{gid}")
        pen.keep(
            "labels axis",
            ax.plot([box.left, box.right], [y, y], color=pen.palette.ink, lw=scale, zorder=5)[0],
        )
        _caption(pen, ax, box, self.text, "label counts", scale, gid)


def _caption(pen: Pen, ax: Axes, box: LayoutBox, words: str, role: str, scale: float, gid: str) -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": pen.palette.soft}
    paper = on(pen, ax, scale)
    paper.text(box.x, box.bottom + LINE * SMALL / 2, words, role, size=SMALL, gid=f"words-{gid}", **look)


__all__ = ["Circles", "Classes", "Histogram", "Legal", "on", "piece"]

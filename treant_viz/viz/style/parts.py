"""Parts that pictures share: a coin, a number line, the labels of some rows.

A coin stands in any axes; the others lie on a `Sheet`, whose unit is a point. Widths that stand for counts
are proportional to them, and nothing is drawn for what is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from treant_viz.viz.style.pen import SMALL, Pen
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import number
from treant_viz.viz.style.typeface import width

RADIUS = 10.0  # of the circle of one label
DIAMOND = 8.5  # how wide the mark of a prediction is
Point = tuple[float, float]


def coin(
    pen: Pen, ax: Axes, x: float, y: float, cost: float | str, role: str = "coin", *, scale: float = 1.0,
    gid: str | None = None, **look: Any,
) -> Any:  # fmt: skip
    """What the attacker pays: a gold coin with the cost on it. Its text is the cost."""
    p, words = pen.palette, number(cost)
    shape = "circle,pad=0.34" if len(words) <= 2 else "round,pad=0.34,rounding_size=0.8"
    frame = {"boxstyle": shape, "facecolor": p.coin, "edgecolor": p.coin_edge, "linewidth": 1.6 * scale}
    about: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 8, "bbox": frame}
    style = pen.type(SMALL * scale, bold=True, color=p.coin_ink)
    return pen.text(ax, x, y, words, role, gid=gid, **style | about | look)


class NumberLine(NamedTuple):
    """A number line: where it lies, and the values at its ends."""

    left: float
    y: float
    width: float
    low: float
    high: float

    def x(self, value: float) -> float:
        """Where a value stands; what is beyond an end stands at the end."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.left + self.width * min(1.0, max(0.0, share))


def number_line(
    paper: Sheet, line: NumberLine, feasible: Sequence[tuple[float, float]], *, value: float | None = None,
    wanted: float | None = None, gid: str = "", tall: float = 8.0, ends: bool = True,
) -> None:  # fmt: skip
    """What a leaf may predict, in bold green, with the ends named; a diamond is what it predicts, a hollow
    one what it would predict if nothing were asked of it.
    """
    p, low = paper.pen.palette, line.y - tall / 2
    track = FancyBboxPatch(
        (line.left, low),
        line.width,
        tall,
        boxstyle="square,pad=0",
        facecolor=p.faint,
        edgecolor="none",
        zorder=3,
    )
    paper.pen.patch(paper.ax, track, "number line", f"line-{gid}")
    named: list[float] = []
    for i, (a, b) in enumerate(feasible):
        if b < line.low or a > line.high:  # not in sight
            continue
        x0, x1 = line.x(a), line.x(b)
        if x1 > x0:
            part = Rectangle((x0, low), x1 - x0, tall, facecolor=p.feasible, edgecolor="none", zorder=4)
            paper.pen.patch(paper.ax, part, "feasible", f"feasible-{i}-{gid}")
        else:  # a single value is a line, not a box with a width
            paper.line([x0, x0], [low - 2, low + tall + 2], "feasible", color=p.feasible, width=3, zorder=4,
                       gid=f"feasible-{i}-{gid}")  # fmt: skip
        named += [v for v in (a, b) if line.low < v < line.high]
    if ends:
        _end_labels(paper, line, sorted(set(named)), low - 4, gid)
    shown = [(role, at) for role, at in (("wanted", wanted), ("predicted", value)) if at is not None]
    shown = shown[1:] if wanted == value else shown
    near = len(shown) == 2 and abs(line.x(shown[0][1]) - line.x(shown[1][1])) < DIAMOND + 2
    for role, at in shown:  # two that would touch give way, up and down
        up = (0.55 * DIAMOND if role == "wanted" else -0.3 * DIAMOND) if near else 0.0
        _diamond(paper, line.x(at), line.y + up, role, gid)


def _end_labels(paper: Sheet, line: NumberLine, values: Sequence[float], y: float, gid: str) -> None:
    """The ends of what is legal, below the line; of two that would touch, the second is moved aside."""
    right = -1e9
    for v in values:
        words = number(v)
        wide = width(words, SMALL)
        x = min(max(line.x(v), line.left + wide / 2 - 4.0), line.left + line.width - wide / 2 + 4.0)
        x = max(x, right + 6 + wide / 2)
        right = x + wide / 2
        look: dict[str, Any] = {"ha": "center", "va": "top", "color": paper.pen.palette.soft}
        paper.text(x, y, words, "feasible end", size=SMALL, gid=f"end-{gid}", **look)


def _diamond(paper: Sheet, x: float, y: float, role: str, gid: str) -> None:
    p = paper.pen.palette
    fill = p.ink if role == "predicted" else p.background
    look: dict[str, Any] = {
        "markerfacecolor": fill,
        "markeredgecolor": p.ink,
        "linestyle": "none",
        "zorder": 6,
    }
    look |= {"marker": "D", "markersize": DIAMOND * paper.scale, "markeredgewidth": 1.5 * paper.scale}
    paper.line([x], [y], role, gid=f"{role}-{gid}", **look)


def pitch(names: Sequence[str] = ()) -> float:
    """From circle to circle, with names below some of them."""
    return max([2 * RADIUS + 6.0, *(width(n, SMALL, bold=True) + 6.0 for n in names if len(names) > 1)])


def label_circles(
    paper: Sheet, x: float, y: float, labels: Sequence[float], pushed: Sequence[bool], gid: str = "",
    names: Sequence[str] = (),
) -> None:  # fmt: skip
    """A circle for each row with its label in it, in the middle at x; the rows that the attacker pushes are
    hatched, and named below if `names` of all rows are given.
    """
    p = paper.pen.palette
    gap = pitch([n for n, moved in zip(names, pushed, strict=False) if moved])
    for i, (label, moved) in enumerate(zip(labels, pushed, strict=True)):
        at = x + gap * (i - (len(labels) - 1) / 2)
        fill = paper.pen.fill("unknown") if moved else {"facecolor": p.background}
        edge: dict[str, Any] = fill | {
            "edgecolor": p.unknown if moved else p.soft,
            "linewidth": 1.4 * paper.scale,
            "zorder": 4,
        }
        circle = Circle((at, y), RADIUS + 2 * moved, **edge)
        paper.pen.patch(paper.ax, circle, "label of a row", f"label-{i}-{gid}")
        if moved:  # letters on a hatch need quiet ground
            ground = Circle((at, y), RADIUS - 1.5, facecolor=p.background, edgecolor="none", zorder=4.5)
            paper.pen.patch(paper.ax, ground, "label ground")
        foot = y - 0.33 * SMALL
        paper.text(at, foot, number(label), "label", size=SMALL, gid=f"label-text-{i}-{gid}", ha="center")
        if moved and names:
            look: dict[str, Any] = {"size": SMALL, "bold": True, "ha": "center", "va": "top"}
            paper.text(at, y - RADIUS - 3.0, names[i], "pushed row", color=p.words("unknown"), **look)


def class_strip(
    paper: Sheet, left: float, bottom: float, width: float, tall: float, counts: Sequence[int], gid: str = ""
) -> None:
    """The rows of a leaf by class, from light (the first class) to dark (the last), as wide as they are
    many.
    """
    p, x, whole = paper.pen.palette, left, sum(counts)
    for i, n in enumerate(counts):
        if n:
            color = p.prediction(i / max(len(counts) - 1, 1))
            wide = width * n / whole
            part = Rectangle((x, bottom), wide, tall, facecolor=color, edgecolor="none", zorder=4)
            paper.pen.patch(paper.ax, part, "labels", f"class-{i}-{gid}")
            x += wide
    frame = Rectangle((left, bottom), width, tall, facecolor="none", edgecolor=p.soft, linewidth=paper.scale)
    frame.set_zorder(5)
    paper.pen.patch(paper.ax, frame, "labels frame", f"classes-{gid}")


__all__ = ["RADIUS", "NumberLine", "class_strip", "coin", "label_circles", "number_line", "pitch"]

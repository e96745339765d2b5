"""Why a leaf may not say what it would like to say: the loss of one row over what the leaf says, the loss
that the split has counted on, and where the row can cross.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.path import Path

from treant_viz.core.losses import LOG, SSE
from treant_viz.viz.leaf_constraints.facts import LeafBounds, LeafConstraint
from treant_viz.viz.style.heading import HINTING
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.parts import NumberLine, coin
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import number
from treant_viz.viz.style.typeface import width, wrapped

CURVE = 76.0  # the least height of the curve
SMALLEST = 0.08  # of the line: what happens on less is enlarged
CROSSING = 56.0  # width that is kept on the left for the way across


def window(b: LeafBounds, ends: tuple[float, float]) -> tuple[float, float]:
    """The part of the number line on which the story happens; all of it, if that is wide enough.

    >>> held, free = ((0.0583, 1.0),), (0.0, 1.0)
    >>> window(LeafBounds("l", 3, 0.2, (), 0, held, 0.0583, 0.0), free)
    (0.0, 0.2)
    """
    low, high = ends
    here, there = _story_ends(b)
    between, span = abs(here - there), high - low
    if not math.isfinite(between) or not 1e-9 < between < SMALLEST * span:
        return ends
    wide = 10.0 ** math.floor(math.log10(3 * between))
    wide *= next(k for k in (1, 2, 2.5, 5, 10) if wide * k >= 3 * between * (1 - 1e-9))
    step = wide / 4
    start = math.floor(((here + there) / 2 - wide / 2) / step + 1e-9) * step
    start = min(max(start, low), high - wide)
    return round(start, 12), round(start + wide, 12)


def _story_ends(b: LeafBounds) -> tuple[float, float]:
    """What the leaf would say and what it may, or what it says and the nearest end of that."""
    if b.bound and b.best is not None:
        return b.best, b.nearest
    return b.prediction, min(b.piece, key=lambda e: abs(b.prediction - e))


def draw_story(
    paper: Sheet, b: LeafBounds, line: NumberLine, words: str, loss: str, top: float, tall: float
) -> float:
    """The curve above the leaf's number line, `tall` points high; returns where the number line is."""
    h = b.binding
    assert h is not None
    part = line._replace(y=top - tall + 4.0)
    _curve(paper, b, h, part, top - 2.0, loss)
    if b.bound and b.best is not None:
        way = 1 if b.best > b.prediction else -1
        look: dict[str, Any] = {"ha": "left" if way > 0 else "right", "va": "top", "size": SMALL}
        phrase = f"{apart(b.best, b.prediction)[0]} fits best"
        paper.text(part.x(b.best) - 5.0 * way, part.y - 9.5, phrase, "wanted words", **look)
    right = line.left + line.width + 24.0
    for sign in "≤=":  # a test stays in one line
        words = words.replace(f" {sign} ", f"\u00a0{sign}\u00a0")
    for k, phrase in enumerate(wrapped(words, (paper.width - right - 20.0) / HINTING, SMALL)):
        paper.text(right, top - 16.0 - 17.0 * k, phrase, "why", size=SMALL)
    return part.y


def apart(a: float, b: float) -> tuple[str, str]:
    """Two different numbers with as many digits as it takes to tell them apart."""
    for digits in range(3, 9):
        if number(a, digits) != number(b, digits):
            break
    return number(a, digits), number(b, digits)


def _curve(paper: Sheet, b: LeafBounds, h: LeafConstraint, line: NumberLine, top: float, loss: str) -> None:
    """What the row loses in this leaf, whatever it says; dashed, what it loses on the other side."""
    ell, p = (LOG if loss == "log" else SSE).ell, paper.pen.palette
    foot, mine = line.y + 12.0, _finite(ell, b, h)
    most = max([1.7 * h.gamma, *(1.25 * v for _, v, _ in mine)]) or 1.0
    tall = (top - foot) / most
    for low, high in b.feasible:
        a, z = line.x(low), line.x(high)
        if z > a:
            band = Rectangle((a, foot), z - a, top - foot, zorder=1, edgecolor="none",
                             facecolor=mixed(p.background, p.feasible, 0.16))  # fmt: skip
            paper.pen.patch(paper.ax, band, "legal losses")
    at = np.linspace(line.low, line.high, 241)
    losses = ell(at, np.full(len(at), h.y))
    with np.errstate(invalid="ignore"):
        ys = np.where(losses <= most, foot + tall * losses, np.nan)
    xs = [line.x(v) for v in at.tolist()]
    paper.line(xs, ys.tolist(), "loss of the row", color=p.ink, width=2.2, zorder=3, gid=f"loss-{b.path}")
    level, across = foot + tall * h.gamma, [line.left, line.left + line.width]
    look: dict[str, Any] = {"color": p.unknown, "width": 2.2, "linestyle": (0, (4, 2)), "zorder": 2.5}
    paper.line(across, [level] * 2, "counted loss", **look)
    small: dict[str, Any] = {"size": SMALL, "ha": "right", "va": "center"}
    paper.text(line.left - 7.0, level, number(h.gamma), "counted loss words", bold=True,
               color=p.words("unknown"), **small)  # fmt: skip
    paper.text(line.left - 7.0, top - 26.0, f"loss of {h.who}", "curve words", color=p.ink, **small)
    paper.text(line.left - 7.0, foot + 2.0, "0", "curve words", color=p.soft, **small)
    paper.line(across, [foot] * 2, "no loss", color=p.faint, width=1.2, zorder=1.5)
    for at_, value, solid in mine:
        words = number(value) if value > 0.05 * most else ""
        _point(paper, line.x(at_), foot + tall * value, line, words, solid, falling=h.y > at_)


def _finite(ell: Any, b: LeafBounds, h: LeafConstraint) -> list[tuple[float, float, bool]]:
    """The marks on the curve: what the leaf would say, what it says; where the loss can be drawn."""
    marks = [(b.best, False)] if b.bound else []
    found = [(v, float(ell(v, h.y)), solid) for v, solid in [*marks, (b.prediction, True)] if v is not None]
    limit = 4 * h.gamma if h.gamma > 0 else math.inf
    return [(v, loss + 0.0, solid) for v, loss, solid in found if loss <= limit and math.isfinite(loss)]


def _point(
    paper: Sheet, x: float, y: float, line: NumberLine, words: str, solid: bool, *, falling: bool
) -> None:
    """A dot on the curve, and, of what the leaf would say, the loss on the side where no curve is."""
    p = paper.pen.palette
    paper.line([x, x], [line.y, y], "drop", color=p.soft, width=1.2, linestyle=(0, (1, 2)), zorder=3)
    fill = p.ink if solid else p.background
    dot = Circle((x, y), 4.6, facecolor=fill, edgecolor=p.ink, linewidth=1.5 * paper.scale, zorder=6)
    paper.pen.patch(paper.ax, dot, "loss now" if solid else "loss wanted")
    if words and not solid:
        left = not falling and x - line.left > 40.0
        look: dict[str, Any] = {
            "ha": "right" if left else "left",
            "va": "bottom",
            "size": SMALL,
            "bold": True,
        }
        paper.text(x + (-8.0 if left else 8.0), y + 2.0, words, "loss wanted words", zorder=7, **look)


def draw_crossing(paper: Sheet, h: LeafConstraint, x: float, tops: Mapping[str, float]) -> None:
    """In the outline, from one side of the test to the other: the way of the row, with its price."""
    p, ends = paper.pen.palette, (tops.get(h.origin + "l"), tops.get(h.origin + "r"))
    if ends[0] is None or ends[1] is None:
        return
    y0, y1 = ends[0] + 4.5, ends[1] + 4.5
    out, middle = x - (24.0 if h.origin else 56.0), (y0 + y1) / 2  # clear of the outline's other lines
    way = Path([(x - 2.0, y0), (out, y0), (out, y1), (x - 2.0, y1)],
               [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])  # fmt: skip
    look: dict[str, Any] = {"arrowstyle": "<|-|>", "mutation_scale": 13 * paper.scale, "color": p.unknown}
    arrow = FancyArrowPatch(path=way, linewidth=2.4 * paper.scale, zorder=4, shrinkA=0, shrinkB=0, **look)
    paper.pen.patch(paper.ax, arrow, "crossing", f"crossing-{h.origin}")
    at = x - 2.0 - 0.75 * (x - 2.0 - out)
    if h.paid > 0:
        coin(paper.pen, paper.ax, at, middle, h.paid, scale=paper.scale, gid=f"coin-{h.origin}")
    if width(h.who, SMALL, bold=True) < 60.0 and y0 - y1 > 52.0:
        ground: dict[str, Any] = {"facecolor": p.background, "edgecolor": "none", "pad": 1}
        small: dict[str, Any] = {"size": SMALL, "bold": True, "color": p.words("unknown"), "ha": "center"}
        paper.text(at, middle + 16.0, h.who, "who crosses", zorder=7, bbox=ground, **small)


__all__ = ["CROSSING", "CURVE", "apart", "draw_crossing", "draw_story", "window"]

"""A number line under a leaf: a thin bar for every constraint, a bold bar for what they all allow, the prediction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from treant_viz.losses import Pieces
from treant_viz.viz import lettering
from treant_viz.viz.canvas import SMALL, Ink
from treant_viz.viz.layout import Box
from treant_viz.viz.leaf_bounds import Held, LeafBounds
from treant_viz.viz.text import number

WORDS, THIN, BOLD, SPACE = 15.0, 7.0, 11.0, 6.0  # heights: a line of words, the two kinds of bars, the space between
FADED = 0.45
WIDTH = 170.0


def said(held: Held) -> str:
    """The label of a constraint: what it asks, and where it comes from if that is not the split above."""
    origin = f", from {f'node {held.origin}' if held.origin else 'the root'}" if held.inherited else ""
    return f"{held.said}{origin}{', off' if held.off else ''}"


def values(bounds: LeafBounds) -> str:
    """The diamonds in words: the best value, and the legal one if that is another."""
    if not bounds.feasible:
        return "infeasible"
    prediction = f"◆ {number(bounds.prediction, 4)}"
    return f"◇ {number(bounds.best, 4)} → {prediction}" if bounds.bound else prediction


def size(bounds: LeafBounds) -> tuple[float, float]:
    """The room a number line needs, in points."""
    wide = max([WIDTH, *(lettering.width(said(h), SMALL) + 4 for h in bounds.held)])
    lines = len(bounds.held) * (WORDS + THIN + SPACE) + (WORDS if bounds.more else 0.0)
    return wide, SPACE + lines + SPACE + BOLD + 4.0 + WORDS


@dataclass(frozen=True, slots=True)
class NumberLine:
    """Draws the line of one leaf into a box; `low` and `high` are the ends of what is drawn."""

    ink: Ink
    ax: Axes
    box: Box
    scale: float
    low: float
    high: float
    path: str

    def x(self, value: float) -> float:
        """Where a value is, at most at the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.box.left + share * self.box.width

    def draw(self, bounds: LeafBounds) -> None:
        y = self.box.top - SPACE
        for i, held in enumerate(bounds.held):
            self._words(
                self.box.left, y - WORDS / 2, said(held), "constraint label", "left", held.inherited or held.off
            )
            y -= WORDS + THIN
            self._bar(held.allowed, y, THIN, "constraint", f"{i}-{self.path}", held)
            y -= SPACE
        if bounds.more:
            self._words(self.box.left, y - WORDS / 2, f"+ {bounds.more} more", "more constraints", "left")
            y -= WORDS
        self._result(bounds, y - SPACE - BOLD)

    def _result(self, bounds: LeafBounds, y: float) -> None:
        self._bar(bounds.feasible, y, BOLD, "feasible", self.path, None)
        for at, role, filled in ((bounds.best, "optimum", False), (bounds.prediction, "prediction", True)):
            if at is not None and math.isfinite(at) and bounds.feasible and (filled or bounds.bound):
                self._diamond(at, y + BOLD / 2, role, filled)
        below = y - 4.0 - WORDS / 2
        self._words(self.box.left, below, number(self.low, 3), "line end", "left", True)
        self._words(self.box.right, below, number(self.high, 3), "line end", "right", True)
        self._words(self.box.x, below, values(bounds), "values", "center")

    def _bar(self, allowed: Pieces, y: float, height: float, role: str, gid: str, held: Held | None) -> None:
        """What is allowed is filled, what is forbidden is hatched; a constraint that is off is an empty frame."""
        p = self.ink.palette
        alpha = FADED if held is not None and held.inherited else 1.0
        color = to_rgba(p.feasible if held is None else p.soft, alpha)
        frame: dict[str, Any] = {"linewidth": 0.8 * self.scale, "edgecolor": to_rgba(p.soft, alpha), "zorder": 4}
        if held is not None and held.off:
            whole = Rectangle((self.box.left, y), self.box.width, height, facecolor="none", linestyle=":", **frame)
            self.ink.patch(self.ax, whole, f"{role} off", f"off-{gid}")
            return
        for i, (a, b) in enumerate(self._gaps(allowed)):
            hatched = Rectangle((a, y), b - a, height, facecolor="none", hatch="xxxx", **frame)
            self.ink.patch(self.ax, hatched, "forbidden", f"forbidden-{role}-{i}-{gid}")
        for i, (a, b) in enumerate(allowed):
            left, right = self.x(a), self.x(b)
            filled = Rectangle((left, y), max(right - left, 1.5), height, facecolor=color, **frame | {"linewidth": 0.0})
            self.ink.patch(self.ax, filled, role, f"{role}-{i}-{gid}")

    def _gaps(self, allowed: Pieces) -> Iterator[tuple[float, float]]:
        """The forbidden parts, from left to right, in data coordinates."""
        start = self.box.left
        for a, b in allowed:
            if self.x(a) > start + 0.1:
                yield start, self.x(a)
            start = self.x(b)
        if self.box.right > start + 0.1:
            yield start, self.box.right

    def _diamond(self, value: float, y: float, role: str, filled: bool) -> None:
        p = self.ink.palette
        look: dict[str, Any] = {"marker": "D", "markersize": 9 * self.scale, "markeredgewidth": 1.8 * self.scale}
        look |= {"color": p.ink, "markerfacecolor": p.ink if filled else p.background, "markeredgecolor": p.ink}
        look |= {"zorder": 7 if filled else 6, "linestyle": "none", "clip_on": False}
        self.ink.keep(role, self.ax.plot([self.x(value)], [y], **look)[0], f"{role}-{self.path}")

    def _words(self, x: float, y: float, words: str, role: str, side: str, soft: bool = False) -> None:
        color = self.ink.palette.soft if soft else self.ink.palette.ink
        look: dict[str, Any] = {"fontsize": SMALL * self.scale, "ha": side, "va": "center", "color": color, "zorder": 5}
        self.ink.text(self.ax, x, y, words, role, **look)


__all__ = ["NumberLine", "said", "size", "values"]

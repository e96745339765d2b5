"""The horizontal axis of a feature: where its values stand, also where they are very uneven."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from treant_viz.viz.style.pen import Pen
from treant_viz.viz.style.text import value

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST_KNOTS = 60


class ValueAxis(NamedTuple):
    """The horizontal axis: its ends, and where values stand; `knots` are values with the same room each.

    `whole`: all values are whole numbers, so ticks are, too.
    """

    low: float
    high: float
    knots: np.ndarray | None = None
    whole: bool = False

    def to(self, x: Any) -> np.ndarray:
        x = np.clip(x, self.low, self.high)
        return x if self.knots is None else np.interp(x, self.knots, np.arange(len(self.knots)))

    def back(self, u: Any) -> np.ndarray:
        return np.asarray(u) if self.knots is None else np.interp(u, np.arange(len(self.knots)), self.knots)

    def share(self, x: Any) -> np.ndarray:
        a, b = self.to(self.low), self.to(self.high)
        return (self.to(x) - a) / (b - a)

    def put_on(self, pen: Pen, ax: Axes, *, labels: bool = True, apart: float = 0.11) -> None:
        if self.knots is not None:
            ax.set_xscale("function", functions=(self.to, self.back))
            at: list[float] = []
            last = -1.0
            for k in self.knots[1:-1]:
                if float(self.share(k)) - last > apart:
                    at, last = [*at, float(k)], float(self.share(k))
            pen.ticks(ax, "x", at, [value(x) for x in at])
            ax.set_xticks([], minor=True)
        else:
            if self.whole:
                ax.xaxis.set_major_locator(MaxNLocator(12, integer=True, steps=[1, 2, 5, 10]))
            ax.xaxis.set_major_formatter(lambda x, _: value(x))
        ax.set_xlim(self.low, self.high)
        ax.tick_params(axis="x", labelbottom=labels, bottom=labels)


def scale_of(d: TernaryPartitionDisplay) -> ValueAxis:
    """Made of the rows and rules alone, so that the axis stays put whatever the threshold or the budget."""
    values = np.append(d.value, d.threshold)
    steps = [abs(e) for rule in d.rules for e in rule.delta or ()]
    return scale_for(values, 2 * max(steps, default=0.0), d.axis)


def scale_for(values: np.ndarray, room: float, axis: str = "auto") -> ValueAxis:
    """An axis for these values, with at most so much room on either side."""
    values = np.unique(values)
    low, high = float(values[0]), float(values[-1])
    room = min(room, 0.5 * (high - low) or math.inf)
    room = room if math.isfinite(room) else 1.0
    room += 0.04 * (high - low + 2 * room) or 1.0
    whole = bool((values == np.round(values)).all())
    if axis == "linear" or (axis == "auto" and not _uneven(values)):
        return ValueAxis(low - room, high + room, whole=whole)
    if len(values) > MOST_KNOTS:
        values = values[np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).astype(int))]
    return ValueAxis(low - room, high + room, np.array([low - room, *values, high + room]), whole)


def _uneven(values: np.ndarray) -> bool:
    """Would three quarters of the axis hold no more than a quarter of the distinct values?"""
    if len(values) < 8:
        return False
    share = (values - values[0]) / (values[-1] - values[0])
    return bool(np.quantile(share, 0.75) < 0.25 or np.quantile(share, 0.25) > 0.75)


__all__ = ["ValueAxis", "scale_for", "scale_of"]

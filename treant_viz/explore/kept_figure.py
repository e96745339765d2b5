"""A figure that lends its axes again: the next picture of the same kind is drawn into those of the last one.

Making axes and their ticks takes as long as drawing them. Emptied axes are as good as new, and stay where the layout
of the first picture has put them.
"""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

SIDES = ("bottom", "left")


class KeptFigure(Figure):
    """A figure for pictures of one kind, one after the other."""

    def __init__(self, size: tuple[float, float], background: str) -> None:
        self._free: list[Axes] = []
        self._heading: Text | None = None
        self.grown = False
        super().__init__(figsize=size, facecolor=background, layout="constrained")

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        """The next axes of the picture before, or new ones if it had no more."""
        if self._free:
            return self._free.pop(0)
        self.grown = True
        ax = super().add_subplot(*args, **kwargs)
        ax.set_title("", y=1.0)  # at a place of its own: none is looked for
        return ax

    def suptitle(self, t: str, **kwargs: Any) -> Text:
        """As high as the title of the picture before, which the layout has placed."""
        high = {} if self._heading is None else {"y": self._heading.get_position()[1]}
        self._heading = super().suptitle(t, **high | kwargs)
        return self._heading

    @property
    def fits(self) -> bool:
        """Has the present picture taken exactly the axes of the one before?"""
        return not self._free and not self.grown

    def empty(self) -> None:
        """Forget the picture; its axes stay where they are."""
        self.set_layout_engine("none")
        for artist in [*self.texts, *self.legends, *self.lines, *self.patches, *self.images, *self.artists]:
            artist.remove()
        self._free, self.grown = list(self.axes), False
        for ax in self._free:
            _emptied(ax)


def _emptied(ax: Axes) -> None:
    """Axes as they were when new."""
    for artist in [*ax.child_axes, *ax.artists, *ax.collections, *ax.images, *ax.lines, *ax.patches, *ax.texts]:
        artist.remove()  # child axes first: a colour bar looks for what it belongs to
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    ax.relim()
    ax.set_axis_on()
    ax.set_aspect("auto")
    ax.set_title("", y=1.0)
    ax.set_xlabel("")
    ax.set_ylabel("")
    _as_new(ax, "x")
    _as_new(ax, "y")


def _as_new(ax: Axes, axis: str) -> None:
    """Scale, limits, margins and ticks of one axis; colours and spines are for whoever draws."""
    usual: Any = mpl.rcParams
    getattr(ax, f"set_{axis}scale")("linear")
    getattr(ax, f"set_{axis}lim")(0.0, 1.0, auto=True)
    getattr(ax, f"set_{axis}margin")(usual[f"axes.{axis}margin"])
    side = SIDES[axis == "y"]
    look = {side: True, f"label{side}": True, "length": usual[f"{axis}tick.major.size"]}
    now = getattr(ax, f"{axis}axis").get_tick_params()
    if any(now.get(what, default) != default for what, default in look.items()):
        ax.tick_params(axis=axis, **look)  # type: ignore[arg-type]


__all__ = ["KeptFigure"]

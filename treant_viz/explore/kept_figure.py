"""A figure that lends its axes again: the next picture of the same kind is drawn into those of the last one.

Making axes and their ticks takes as long as drawing them. Emptied axes are as good as new, and stay where the layout
of the first picture has put them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.offsetbox import OffsetBox
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from treant_viz.explore.quick_axis import QuickAxis

Asked = list[tuple[str, dict[str, Any]]]
USUAL: Asked = [  # ticks as they are on new axes
    ("x", {"bottom": True, "labelbottom": True, "top": False, "labeltop": False}),
    ("y", {"left": True, "labelleft": True, "right": False, "labelright": False}),
    ("both", {"length": 3.5}),
]


class KeptAxes(Axes):
    """Axes that know how their ticks were asked to look for the picture before: the same again takes no time."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._before: Asked = []
        self._asked: Asked = []
        self._insets: dict[Any, KeptAxes] = {}
        super().__init__(*args, **kwargs)
        self._quick = [QuickAxis(axis) for axis in (self.xaxis, self.yaxis)]

    def inset_axes(self, bounds: Any, **kwargs: Any) -> Any:
        """Axes within these, or those at the same place in the picture before."""
        key = (tuple(bounds), *sorted(kwargs.items()))
        inset: Any = self._insets.get(key)
        if inset is None:
            inset = super().inset_axes(bounds, axes_class=KeptAxes, **kwargs)
            self._insets[key] = inset
        elif inset not in self.child_axes:
            self.add_child_axes(inset)
        return inset

    def tick_params(self, axis: Any = "both", **kwargs: Any) -> None:
        """Ask for a look of the ticks; done only if it is another one than before."""
        self._asked.append((axis, kwargs))
        if self._asked == self._before[: len(self._asked)]:
            return
        if self._before:
            self._again()
        else:
            super().tick_params(axis, **kwargs)

    def legend(self, *args: Any, **kwargs: Any) -> Any:
        """A legend whose boxes are measured once each, not once for every box around them."""
        made = super().legend(*args, **kwargs)
        for box in made.findobj(OffsetBox):
            box.get_bbox = cache(box.get_bbox)  # type: ignore[method-assign]
        return made

    def forget(self) -> None:
        """A new picture begins."""
        self._before, self._asked = self._asked, []
        if self.get_xlabel():  # below ticks of one height, so it need not be placed again
            label = self.xaxis.label
            place = self.transAxes.inverted().transform(label.get_transform().transform(label.get_position()))
            self.xaxis.set_label_coords(*place)
        for inset in self._insets.values():
            _emptied(inset)

    def settle(self) -> None:
        """The picture is complete: a look that it did not ask for goes."""
        if len(self._asked) < len(self._before):
            self._again()
        for inset in self._insets.values():
            inset.settle()

    def _again(self) -> None:
        """All that was asked for, from the beginning."""
        self._before = []
        asked: Any = [*USUAL, *self._asked]
        for axis, look in asked:
            super().tick_params(axis, **look)


class KeptFigure(Figure):
    """A figure for pictures of one kind, one after the other."""

    def __init__(self, size: tuple[float, float], background: str) -> None:
        self._free: list[KeptAxes] = []
        self._all: list[KeptAxes] = []
        self._heading: Text | None = None
        self.grown = False
        super().__init__(figsize=size, facecolor=background, layout="constrained")

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        """The next axes of the picture before, or new ones if it had no more."""
        if self._free:
            return self._free.pop(0)
        self.grown = True
        ax = super().add_subplot(*args, axes_class=KeptAxes, **kwargs)
        ax.set_title("", y=1.0)  # at a place of its own: none is looked for
        self._all.append(ax)
        return ax

    def suptitle(self, t: str, **kwargs: Any) -> Text:
        """As high as the title of the picture before, which the layout has placed; there is room for as many lines."""
        before, high = self._heading, {}
        if before is not None:
            self.grown |= t.count("\n") > before.get_text().count("\n")
            high = {"y": before.get_position()[1]}
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
        self._free, self.grown = list(self._all), False
        for ax in self._free:
            _emptied(ax)

    def resize(self, size: tuple[float, float]) -> None:
        """Another size for a figure of one panel: what lies around the panel stays as wide as it is."""
        [ax] = self._all
        before, after = self.get_size_inches(), np.array(size)
        low, high = ax.get_position(original=True).get_points()
        self.set_size_inches(size)
        ax.set_position(Bbox([low * before / after, 1 - (1 - high) * before / after]))
        if self._heading is not None:
            self._heading.set_y(1 - (1 - self._heading.get_position()[1]) * before[1] / after[1])

    @property
    def alone(self) -> bool:
        """Is there but one panel?"""
        return len(self._all) == 1

    def settle(self) -> None:
        """The picture is complete."""
        for ax in self._all:
            ax.settle()


def _emptied(ax: KeptAxes) -> None:
    """Axes as they were when new, but for the look of their ticks."""
    ax.forget()
    ax.child_axes.clear()  # insets are kept, too, and come back if they are asked for
    for artist in [*ax.artists, *ax.collections, *ax.images, *ax.lines, *ax.patches, *ax.texts]:
        artist.remove()
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
    """Scale, limits and margins of one axis; colours and spines are for whoever draws."""
    getattr(ax, f"set_{axis}scale")("linear")
    getattr(ax, f"set_{axis}lim")(0.0, 1.0, auto=True)
    getattr(ax, f"set_{axis}margin")(mpl.rcParams[f"axes.{axis}margin"])  # type: ignore[index]


__all__ = ["KeptFigure"]

"""A sheet of paper: axes whose unit is a point, for pictures that are laid out rather than plotted.

A drawing says how much room it needs; it is then drawn as large as its target allows, words and shapes alike
(`Sheet.scale`), and the sheet is as wide and as high as the target, so that the room can be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from treant_viz.viz.style.formula import Rich
from treant_viz.viz.style.pen import BODY, Pen, Target


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Axes from (0, 0), lower left, to (width, height), in points at scale 1."""

    pen: Pen
    ax: Axes
    width: float
    height: float
    scale: float

    def text(
        self, x: float, y: float, words: Rich | str, role: str, *, size: float = BODY, bold: bool = False,
        color: str | None = None, gid: str | None = None, **look: Any,
    ) -> Any:  # fmt: skip
        """Words, by default with their first line's foot at y."""
        look = self.pen.type(size * self.scale, bold=bold, color=color) | {"zorder": 5} | look
        return self.pen.text(self.ax, x, y, words, role, gid=gid, **look)

    def line(
        self, xs: Sequence[float], ys: Sequence[float], role: str, *, color: str | None = None,
        width: float = 1.4, gid: str | None = None, **look: Any,
    ) -> Any:  # fmt: skip
        """A line through points."""
        usual: dict[str, Any] = {
            "color": color or self.pen.palette.soft,
            "linewidth": width * self.scale,
            "zorder": 2,
        }
        return self.pen.keep(role, self.ax.plot(xs, ys, scalex=False, scaley=False, **usual | look)[0], gid)

    def shape(
        self,
        points: Sequence[tuple[float, float]],
        codes: Sequence[Any],
        role: str,
        *,
        gid: str | None = None,
        **look: Any,
    ) -> Any:
        """A filled outline; `codes` are those of matplotlib's `Path`."""
        return self.pen.patch(self.ax, PathPatch(Path(list(points), list(codes)), **look), role, gid)


def sheet(target: Target, pen: Pen, width: float, height: float, *, most: float = 1.0) -> Sheet:
    """Paper for a drawing of at least this size, drawn at most `most` times as large as it is meant."""
    root = target.get_figure(root=True)
    assert root is not None
    ax = target if isinstance(target, Axes) else target.add_axes((0.0, 0.0, 1.0, 1.0))
    box: Any = ax.get_window_extent()
    wide, tall = (side * 72 / root.dpi for side in (box.width, box.height))
    scale = min(wide / width, tall / height, most)
    ax.set_axis_off()
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xlim=(0.0, wide / scale), ylim=(0.0, tall / scale), autoscale_on=False)
    pen.axes.append(ax)
    return Sheet(pen, ax, wide / scale, tall / scale, scale)


__all__ = ["Sheet", "sheet"]

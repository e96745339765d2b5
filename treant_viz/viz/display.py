"""What every picture is: a frozen record that `from_...` made once, and that can be drawn, saved and read aloud.

A display reads trees, traces and results; it never runs the algorithm. `plot` draws into what it is given and may be
called as often as one likes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from treant_viz.viz.canvas import Drawn, Ink, Target, new_figure
from treant_viz.viz.palette import LIGHT, Palette


class Display(ABC):
    """A picture. Subclasses say what it tells (`title`, `alt_text`, `summary`) and how it is drawn (`_draw`)."""

    __slots__ = ()
    size: ClassVar[tuple[float, float]] = (10.0, 5.6)  # inches of a figure of its own

    @property
    @abstractmethod
    def title(self) -> str:
        """The takeaway, in one sentence."""

    @property
    @abstractmethod
    def alt_text(self) -> str:
        """The picture for those who cannot see it, made from the same data."""

    @property
    def summary(self) -> str:
        """What the picture says, as plain text: the numbers that are drawn."""
        return f"{self.title}\n{self.alt_text}"

    @abstractmethod
    def _draw(self, ink: Ink, target: Target) -> None:
        """Draw everything but the title into a Figure, a SubFigure or an Axes."""

    def frames(self) -> Sequence[Display]:
        """The pictures of a stepper, in order; most displays are a single one."""
        return (self,)

    def plot(self, ax: Target | None = None, *, palette: Palette = LIGHT) -> Drawn:
        """Draw into an Axes, a SubFigure or a Figure, or into a new figure; returns what was drawn, by role."""
        ink = Ink(palette)
        target = new_figure(self.size, palette) if ax is None else ax
        self._draw(ink, target)
        ink.title(target, self.title, width=int(9 * self.size[0]))
        return ink.drawn(target)

    def save(self, path: str | os.PathLike[str], *, palette: Palette = LIGHT, dpi: float = 150.0) -> Path:
        """Write the picture in the format of the file's ending: svg, pdf, png, html, tex, for trees also dot."""
        from treant_viz.viz.export import save

        return save(self, path, palette, dpi)

    def to_dot(self) -> str:
        """The picture as a graph in DOT; only displays of trees have one."""
        raise ValueError(f"a {type(self).__name__} is not a graph: save it as svg, pdf, png, html or tex")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        """A picture with alt text, and the summary for those who see text only."""
        from treant_viz.viz.export import notebook_png

        return notebook_png(self)

    def __repr__(self) -> str:
        return self.summary


__all__ = ["Display"]

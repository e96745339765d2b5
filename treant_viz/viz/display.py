"""What every picture is: a frozen record that `from_...` made once, and that can be drawn, saved and read
aloud.

A display reads trees, traces and results; it never runs the algorithm. `plot` draws into what it is given and
may be called as often as one likes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from treant_viz.viz.style.heading import heading
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.pen import Drawn, Pen, Target, new_figure


class Display(ABC):
    """A picture. Subclasses give what it tells (`title`, `alt_text`, `summary`) and its drawing (`_draw`)."""

    __slots__ = ()
    size: ClassVar[tuple[float, float]] = (12.8, 7.2)  # inches of a figure of its own: 1280 x 720 at 100 dpi

    @property
    def source(self) -> Mapping[str, Any] | None:
        """What it was made from, for its live sister; None where that is not kept."""
        return None

    @property
    @abstractmethod
    def title(self) -> str:
        """The takeaway, in one sentence."""

    @property
    def subtitle(self) -> str:
        """How to read the picture, in grey below the title; none by default."""
        return ""

    @property
    @abstractmethod
    def alt_text(self) -> str:
        """The picture for those who cannot see it, made from the same data."""

    @property
    def summary(self) -> str:
        """What the picture says, as plain text: the numbers that are drawn."""
        return f"{self.title}\n{self.alt_text}"

    @abstractmethod
    def _draw(self, pen: Pen, target: Target) -> None:
        """Draw everything but title and subtitle into a Figure, a SubFigure or an Axes."""

    def frames(self) -> Sequence[Display]:
        """The pictures of a stepper, in order; most displays are a single one."""
        return (self,)

    def plot(self, ax: Target | None = None, *, palette: Palette = LIGHT) -> Drawn:
        """Draw into an Axes, a SubFigure, a Figure, or a new figure; returns what was drawn, by role."""
        pen = Pen(palette)
        target = new_figure(self.size, palette) if ax is None else ax
        self._draw(pen, heading(pen, target, self.title, self.subtitle))
        return pen.drawn(target)

    def save(self, path: str | os.PathLike[str], *, palette: Palette = LIGHT, dpi: float = 150.0) -> Path:
        """Write the picture in the format of the file's ending: svg, pdf, png, html, for trees also dot."""
        from treant_viz.viz.output.export import save

        return save(self, path, palette, dpi)

    def to_dot(self) -> str:
        """The picture as a graph in DOT; only displays of trees have one."""
        raise ValueError(f"a {type(self).__name__} is not a graph: save it as svg, pdf, png or html")

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        """A picture with alt text, and the summary for those who see text only."""
        from treant_viz.viz.output.export import notebook_png

        return notebook_png(self)

    def __repr__(self) -> str:
        return self.summary


__all__ = ["Display"]

"""A display as an image for a widget, drawn fast: the layout of the first picture serves the next ones.

Finding room for labels takes longer than drawing. While a slider moves, pictures of the same kind have the same labels,
so the places of their axes are kept from the first one.
"""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from treant_viz.viz.display import Display
from treant_viz.viz.palette import LIGHT, Palette
from treant_viz.viz.text import for_html

DPI = 90.0


class Screen:
    """Draws one display after the other, and remembers how the axes of the first were placed."""

    def __init__(self, palette: Palette = LIGHT) -> None:
        self.palette = palette
        self.places: dict[Any, list[Any]] = {}

    def html(self, display: Display) -> str:
        """An <img> with the picture and its alt text."""
        data, (width, height) = self.png(display)
        source = base64.b64encode(data).decode()
        return (
            f'<img alt="{for_html(display.alt_text)}" width="{width}" height="{height}" '
            f'style="max-width:100%;height:auto" src="data:image/png;base64,{source}">'
        )

    def png(self, display: Display) -> tuple[bytes, tuple[int, int]]:
        """The picture and its size."""
        figure: Any = display.plot(palette=self.palette).figure
        figure.set_dpi(DPI)
        canvas = FigureCanvasAgg(figure)
        key = (type(display), display.size, len(figure.axes))
        if key in self.places:
            figure.set_layout_engine("none")
            for ax, place in zip(figure.axes, self.places[key], strict=True):
                ax.set_position(place)
        canvas.draw()
        if key not in self.places:
            self.places[key] = [ax.get_position() for ax in figure.axes]
        out = BytesIO()
        image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        image.save(out, format="png", compress_level=1)
        return out.getvalue(), image.size


__all__ = ["Screen"]

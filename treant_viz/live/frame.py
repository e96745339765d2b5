"""A display as an image for a widget."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from treant_viz.viz.display import Display
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html

DPI = 90.0


class Screen:
    """Draws displays in one palette."""

    def __init__(self, palette: Palette = LIGHT) -> None:
        self.palette = palette

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
        canvas.draw()
        picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        out = BytesIO()
        picture.save(out, format="png", compress_level=1)
        return out.getvalue(), picture.size


__all__ = ["Screen"]

"""A display as an image for a widget, drawn fast: the figure of the first picture serves the next ones.

Making axes and finding room for labels takes longer than drawing. While a slider moves, pictures of the same kind have
the same panels and labels, so their axes, and the places of these, are kept from the first one.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from treant_viz.explore.kept_figure import KeptFigure
from treant_viz.explore.quick_text import QuickCanvas
from treant_viz.viz.display import Display
from treant_viz.viz.palette import LIGHT, Palette
from treant_viz.viz.text import for_html

DPI = 90.0
MOST_KEPT = 6  # figures


class Screen:
    """Draws one display after the other, and remembers the figures of the last kinds."""

    def __init__(self, palette: Palette = LIGHT) -> None:
        self.palette = palette
        self.kept: dict[Any, KeptFigure] = {}

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
        figure = self._drawn(display)
        canvas = figure.canvas if isinstance(figure.canvas, QuickCanvas) else QuickCanvas(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())
        return png_bytes(pixels), (pixels.shape[1], pixels.shape[0])

    def _drawn(self, display: Display) -> KeptFigure:
        """The display in the figure of the last one of its kind and size, or in a new one."""
        key = (type(display), display.size)
        figure = self._kept(*key)
        if figure is not None:
            figure.empty()
            display.plot(figure, palette=self.palette)
            figure.settle()
        if figure is None or not figure.fits:
            figure = KeptFigure(display.size, self.palette.background)
            figure.set_dpi(DPI)
            display.plot(figure, palette=self.palette)
        self.kept[key] = figure
        for old in list(self.kept)[:-MOST_KEPT]:
            del self.kept[old]
        return figure

    def _kept(self, kind: type[Display], size: tuple[float, float]) -> KeptFigure | None:
        """The figure of the last picture of this kind and size, or, if it has but one panel, of another size."""
        found = self.kept.pop((kind, size), None)  # put back later, as the latest
        if found is None:
            other = next((key for key, figure in self.kept.items() if key[0] is kind and figure.alone), None)
            if other is not None:
                found = self.kept.pop(other)
                found.resize(size)
        return found


def png_bytes(pixels: np.ndarray) -> bytes:
    """Pixels [row, column, red green blue ...] as a PNG file, packed fast: rows as they are, without filters.

    Usual writers try five filters on each row, which takes longer than packing and gains nothing on flat colours.
    """
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    for colour in range(3):  # one by one: six times as fast as all at once
        rows[:, 1 + colour :: 3] = pixels[..., colour]
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, colours
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


__all__ = ["Screen", "png_bytes"]

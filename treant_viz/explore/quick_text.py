"""Words drawn fast: what has been drawn once is kept, and stamped where it is wanted again.

Much of a picture's time goes into rendering letters, and from one step of a slider to the next most words stay.
Stamps sit on whole pixels; otherwise the picture is the one that matplotlib draws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from math import ceil, cos, floor, radians, sin
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties, findfont, get_font

EDGE = 4  # pixels around the words of a stamp
MOST_STAMPS = 1_000
MOST_SIZES = 5_000
MOST_LINES = 1_000
MOST_FONTS = 100

Color = tuple[float, ...]


class Stamp(NamedTuple):
    """Words as an image, and the pixels of it left of and below the start of their base line."""

    left: int
    down: int
    image: np.ndarray


class QuickRenderer(RendererAgg):
    """Matplotlib's renderer with a memory for words."""

    _scratch: QuickRenderer | None = None

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath: Any = False,
        mtext: Any = None,
    ) -> None:  # fmt: skip
        color = gc.get_rgb()
        if ismath or gc.get_alpha() != 1 or tuple(color[3:]) not in ((), (1,)) or not gc.get_antialiased():
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        turn, down = radians(angle), round(self.height)
        for along, stamp in _line(s, prop.copy(), angle, self.dpi, tuple(color[:3])):
            left = _pixel(x + along * cos(turn)) - stamp.left
            bottom = down - _pixel(y - along * sin(turn)) - stamp.down
            self.draw_image(gc, left, bottom, stamp.image)

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        if ismath:
            return super().get_text_width_height_descent(s, prop, ismath)
        return _line_size(s, prop.copy(), self.dpi)

    def _get_font_height_metrics(self, prop: FontProperties) -> tuple[float | None, ...]:
        """Asked by matplotlib 3.11 for every text; others look into the font themselves, each time."""
        return _heights(prop.copy(), self.dpi)

    def apart(self, draw: Callable[[Any], None]) -> np.ndarray:
        """What is drawn, on nothing: pixels [row, column, red green blue alpha]; true until the next call."""
        if self._scratch is None:
            self._scratch = QuickRenderer(self.width, self.height, self.dpi)
        self._scratch.clear()
        draw(self._scratch)
        return np.asarray(self._scratch.buffer_rgba())


class QuickCanvas(FigureCanvasAgg):
    """A canvas for the pictures of one figure, drawn by `QuickRenderer`."""

    _kept: QuickRenderer | None = None

    def get_renderer(self) -> QuickRenderer:
        size = self.get_width_height(physical=True)
        if self._kept is None or (round(self._kept.width), round(self._kept.height)) != size:
            self._kept = QuickRenderer(*size, self.figure.dpi)
        return self._kept


def _pixel(place: float) -> int:
    """The nearest whole pixel; half-way, always the upper one, whatever the last bit says."""
    return floor(place + 0.5 + 1e-6)


def _words(s: str) -> list[str]:
    """What is kept by itself; text that may run from right to left stays whole."""
    return s.split(" ") if s.isascii() else [s]


@lru_cache(maxsize=MOST_LINES)
def _line(s: str, prop: FontProperties, angle: float, dpi: float, color: Color) -> list[tuple[float, Stamp]]:
    """Its words, and how far along the line each begins, in pixels."""
    words = _words(s)
    ends = accumulate((_advance(word, prop, dpi) for word in words[:-1]), initial=0.0)
    return [(along, _stamp(word, prop, angle, dpi, color)) for word, along in zip(words, ends, strict=True)]


@lru_cache(maxsize=MOST_SIZES)
def _line_size(s: str, prop: FontProperties, dpi: float) -> tuple[float, float, float]:
    """Width, height and descent of a line, in pixels."""
    words = _words(s)
    sizes = [_size(word, prop, dpi) for word in words]
    width = sum(_advance(word, prop, dpi) for word in words[:-1]) + sizes[-1][0]
    descent = max(d for _, _, d in sizes)
    return width, max(h - d for _, h, d in sizes) + descent, descent


@lru_cache(maxsize=MOST_FONTS)
def _heights(prop: FontProperties, dpi: float) -> tuple[float | None, ...]:
    """Ascent, descent and gap between lines of a font, in pixels; nothing if the font does not say."""
    font = get_font(findfont(prop))
    table, head = font.get_sfnt_table("OS/2"), font.get_sfnt_table("head")
    if table is None or head is None:
        return None, None, None
    scale = prop.get_size_in_points() * dpi / 72 / head["unitsPerEm"]
    return scale * table["sTypoAscender"], -scale * table["sTypoDescender"], scale * table["sTypoLineGap"]


@lru_cache(maxsize=MOST_SIZES)
def _advance(word: str, prop: FontProperties, dpi: float) -> float:
    """How far a word and the space after it move the pen, in pixels."""
    return _size(f"|{word} |", prop, dpi)[0] - _size("||", prop, dpi)[0]


@lru_cache(maxsize=MOST_SIZES)
def _size(s: str, prop: FontProperties, dpi: float) -> tuple[float, float, float]:
    """Width, height and descent of words, in pixels."""
    return RendererAgg(1, 1, dpi).get_text_width_height_descent(s, prop, False)


@lru_cache(maxsize=MOST_STAMPS)
def _stamp(s: str, prop: FontProperties, angle: float, dpi: float, color: Color) -> Stamp:
    """The words as an image, bottom row first."""
    left, down, right, up = _box(*_size(s, prop, dpi), radians(angle))
    width, height = left + right, down + up
    scratch = RendererAgg(width, height, dpi)
    scratch.draw_text(scratch.new_gc(), left, up, s, prop, angle)
    image = np.empty((height, width, 4), dtype=np.uint8)
    image[...] = [*(round(255 * c) for c in color), 0]
    image[..., 3] = np.asarray(scratch.buffer_rgba())[::-1, :, 3]
    return Stamp(left, down, image)


def _box(width: float, height: float, descent: float, angle: float) -> tuple[int, int, int, int]:
    """Pixels from the start of the base line to the left, down, right and up that hold a line of text, turned."""
    across = [x * cos(angle) - y * sin(angle) for x in (0.0, width) for y in (-descent, height - descent)]
    along = [x * sin(angle) + y * cos(angle) for x in (0.0, width) for y in (-descent, height - descent)]
    ends = (-min(across), -min(along), max(across), max(along))
    left, down, right, up = (EDGE + ceil(e) for e in ends)
    return left, down, right, up


__all__ = ["QuickCanvas", "QuickRenderer"]

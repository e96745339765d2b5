"""Words drawn fast: what has been drawn once is kept, and stamped where it is wanted again.

Much of a picture's time goes into rendering letters, and from one step of a slider to the next most words stay.
Stamps sit on whole pixels; otherwise the picture is the one that matplotlib draws.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, cos, radians, sin
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.font_manager import FontProperties

EDGE = 4  # pixels around the words of a stamp
MOST_STAMPS = 1_000
MOST_SIZES = 5_000

Color = tuple[float, ...]


class Stamp(NamedTuple):
    """Words as an image, and the pixels of it left of and below the start of their base line."""

    left: int
    down: int
    image: np.ndarray


class QuickRenderer(RendererAgg):
    """Matplotlib's renderer with a memory for words."""

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath: Any = False,
        mtext: Any = None,
    ) -> None:  # fmt: skip
        color = gc.get_rgb()
        if ismath or gc.get_alpha() != 1 or tuple(color[3:]) not in ((), (1,)) or not gc.get_antialiased():
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        font, turn, along = prop.copy(), radians(angle), 0.0
        words = _words(s)
        for i, word in enumerate(words):
            stamp = _stamp(word, font, angle, self.dpi, tuple(color[:3]))
            left = round(x + along * cos(turn)) - stamp.left
            bottom = round(self.height) - round(y - along * sin(turn)) - stamp.down
            self.draw_image(gc, left, bottom, stamp.image)
            if i < len(words) - 1:
                along += _advance(word, font, self.dpi)

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        if ismath:
            return super().get_text_width_height_descent(s, prop, ismath)
        font, words = prop.copy(), _words(s)
        sizes = [_size(word, font, self.dpi) for word in words]
        width = sum(_advance(word, font, self.dpi) for word in words[:-1]) + sizes[-1][0]
        descent = max(d for _, _, d in sizes)
        return width, max(h - d for _, h, d in sizes) + descent, descent


class QuickCanvas(FigureCanvasAgg):
    """A canvas for the pictures of one figure, drawn by `QuickRenderer`."""

    _kept: QuickRenderer | None = None

    def get_renderer(self) -> QuickRenderer:
        if self._kept is None:
            self._kept = QuickRenderer(*self.get_width_height(physical=True), self.figure.dpi)
        return self._kept


def _words(s: str) -> list[str]:
    """What is kept by itself; text that may run from right to left stays whole."""
    return s.split(" ") if s.isascii() else [s]


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

"""How wide words are, in points, before anything is drawn.

>>> round(width("prediction", 13.0)), round(width("prediction", 13.0, bold=True)) > round(width("prediction", 13.0))
(66, True)
"""

from __future__ import annotations

from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

_EM = 1000  # points of the size at which glyphs are measured


def width(said: str, size: float, *, bold: bool = False) -> float:
    """The width of a line of text in the default font."""
    return sum(_advance(c, bold) for c in said) * size


@cache
def _advance(letter: str, bold: bool) -> float:
    """How far one letter moves the pen, at size 1."""
    return float(_font(bold).load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536 / _EM


@cache
def _font(bold: bool) -> FT2Font:
    properties = font_manager.FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    font = FT2Font(font_manager.findfont(properties))
    font.set_size(_EM, 72)
    return font


__all__ = ["width"]

"""The typeface of all pictures: Treant Sans (regular, bold, italic), and how wide words are in it.

The files lie in `fonts/` beside this module, with their licence; matplotlib learns of them here, and no
setting of the user's is touched. What the typeface cannot draw comes from DejaVu Sans, which matplotlib
always has. Widths are in points, and known before anything is drawn:

>>> 60 < width("prediction", 14.0) < 68, width("prediction", 14.0, bold=True) > width("prediction", 14.0)
(True, True)
>>> wrapped("The attacker decides for x2 alone", 100.0, 14.0)
('The attacker', 'decides for x2', 'alone')
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

NAME = "Treant Sans"
FAMILY = (NAME, "DejaVu Sans")  # what one lacks, the next one draws
FILES = {"normal": "Regular", "bold": "Bold", "italic": "Italic"}
FOLDER = Path(__file__).with_name("fonts")
_EM = 1000  # points of the size at which letters are measured

for _style in FILES.values():
    font_manager.fontManager.addfont(FOLDER / f"TreantSans-{_style}.ttf")


@lru_cache(maxsize=20_000)
def width(text: str, size: float, *, bold: bool = False, italic: bool = False) -> float:
    """The width of a line of text, with the kerning that it is drawn with."""
    return (_measured(f"|{text}|", bold, italic) - _measured("||", bold, italic)) * size / _EM


def wrapped(text: str, room: float, size: float, *, bold: bool = False) -> tuple[str, ...]:
    """A text broken into lines of at most this many points; wider words are cut."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in _words(part, room, size, bold):
            longer = f"{line} {word}".strip()
            if line and width(longer, size, bold=bold) > room:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return tuple(lines)


def _words(text: str, room: float, size: float, bold: bool) -> Iterator[str]:
    """The words of a text; one that is wider than the room comes in pieces."""
    for word in filter(None, text.split(" ")):  # a test is kept together by spaces that do not break
        piece = ""
        for letter in word:
            if piece and width(piece + letter, size, bold=bold) > room:
                yield piece
                piece = ""
            piece += letter
        yield piece


@cache
def glyphs() -> frozenset[int]:
    """The characters that can be drawn."""
    fonts = (FOLDER / f"TreantSans-{FILES['normal']}.ttf", font_manager.findfont("DejaVu Sans"))
    return frozenset().union(*(FT2Font(str(font)).get_charmap() for font in fonts))


def font_face() -> str:
    """CSS that brings the typeface along inside a page or an SVG file, for readers who do not have it."""
    return "\n".join(_face(style) for style in FILES)


def _face(style: str) -> str:
    data = base64.b64encode((FOLDER / f"TreantSans-{FILES[style]}.woff2").read_bytes()).decode()
    weight, slope = ("700" if style == "bold" else "400"), ("italic" if style == "italic" else "normal")
    source = f"url(data:font/woff2;base64,{data}) format('woff2')"
    return f"@font-face{{font-family:'{NAME}';font-weight:{weight};font-style:{slope};src:{source}}}"


def _measured(text: str, bold: bool, italic: bool) -> float:
    text = "".join(c if ord(c) in glyphs() else "\N{REPLACEMENT CHARACTER}" for c in text)
    font = font_manager.get_font(_paths(bold, italic))
    font.set_size(_EM, 72)
    font.set_text(text, flags=LoadFlags.NO_HINTING)
    return float(font.get_width_height()[0]) / 64


@cache
def _paths(bold: bool, italic: bool) -> list[str]:
    """The files of a style, in the order in which they are asked for a letter."""
    look: dict[str, Any] = {"weight": "bold" if bold else "normal", "style": "italic" if italic else "normal"}
    return [font_manager.findfont(font_manager.FontProperties(family=f, **look)) for f in FAMILY]


__all__ = ["FAMILY", "NAME", "font_face", "glyphs", "width", "wrapped"]

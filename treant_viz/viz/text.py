"""Words in pictures: numbers as one reads them, and names that users chose, made harmless for every format.

>>> number(3.0), number(2.25), number(0.1 + 0.2), number(1234567.0), number(float("inf"))
('3', '2.25', '0.3', '1.23457e+06', 'inf')
>>> shortened("a name that is far too long for a picture", 20)
'a name that…picture'
>>> for_html("<b>&'"), for_tex("50_% {x}")
('&lt;b&gt;&amp;&#x27;', '50\\\\_\\\\% \\\\{x\\\\}')
"""

from __future__ import annotations

import html
import unicodedata
from functools import cache
from typing import Any

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

LONGEST = 28  # letters of a name in a picture


def number(x: Any, digits: int = 6) -> str:
    """A number in few letters; nothing but a number is changed."""
    if isinstance(x, bool) or (not isinstance(x, (int, float)) and not hasattr(x, "dtype")):
        return str(x)
    return f"{float(x) + 0.0:.{digits}g}"


def shortened(text: str, longest: int = LONGEST) -> str:
    """A long text without its middle: names often differ at the end."""
    if len(text) <= longest:
        return text
    head = longest * 3 // 5
    tail = longest - 1 - head
    return f"{text[:head].rstrip()}…{text[len(text) - tail :].lstrip()}"


def name(text: Any, longest: int = LONGEST) -> str:
    """A name that a user chose, fit to be drawn: one line, no control characters, only glyphs that the font has."""
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in str(text))
    return shortened(drawable(plain).strip() or repr(str(text)), longest)


def drawable(text: str) -> str:
    """The text with a sign in place of every letter that the font cannot draw; line breaks stay."""
    return "".join(c if c == "\n" or ord(c) in _glyphs() else "\N{REPLACEMENT CHARACTER}" for c in text)


@cache
def _glyphs() -> frozenset[int]:
    """The characters that the default font can draw."""
    return frozenset(FT2Font(font_manager.findfont("DejaVu Sans")).get_charmap())


def for_html(text: Any) -> str:
    """For text and attributes of HTML and SVG."""
    return html.escape(_plain(text), quote=True)


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip


def for_tex(text: Any) -> str:
    """For running text of TeX."""
    return "".join(_TEX.get(c, c) for c in _plain(text))


def for_dot(text: Any) -> str:
    """For a quoted string of DOT: no escape of the user's own is obeyed."""
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


def _plain(text: Any) -> str:
    """No control characters, which no format can hold, but line breaks."""
    return "".join(c if c == "\n" or unicodedata.category(c) != "Cc" else " " for c in str(text))


__all__ = ["drawable", "for_dot", "for_html", "for_tex", "name", "number", "shortened"]

"""Mathematics in pictures: letters with real sub- and superscripts, without matplotlib's own `$...$`.

A `Rich` text is a row of pieces. `math` makes one, `+` joins them with each other and with plain words, and
`str` is what a screen reader or a summary gets. Plain strings may hold the signs of `SIGNS`, such as "Lᴬ" or
"ŷ", and are typeset when they are drawn; a user's `$` and `^` stay what they are.

>>> loss = math("L", sup="A") + " = 3.7"
>>> str(loss), [(p.text, p.italic, p.raised) for p in loss.pieces]
('Lᴬ = 3.7', [('L', True, 0), ('A', False, 1), (' = 3.7', False, 0)])
>>> str(math("D", sub="L")), [p.text for p in rich("the loss Lᴬ of ŷ").pieces]
('D_L', ['the loss ', 'L', 'A', ' of ', 'ŷ'])
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from treant_viz.viz.style import typeface

SIGNS = {"ᴬ": ("A", 1), "ₗ": ("l", -1), "ᵣ": ("r", -1)}  # in plain strings: what they raise or lower
_PLAIN = {(text, raised): sign for sign, (text, raised) in SIGNS.items()}
_SYMBOL = re.compile(rf"([LΛCDly]|ŷ)?([{''.join(SIGNS)}])|(ŷ)")
SHARE = 0.68  # the size of a raised or lowered piece


@dataclass(frozen=True, slots=True)
class Piece:
    """Some letters of one look; `raised` is 1 for a superscript, -1 for a subscript."""

    text: str
    italic: bool = False
    raised: int = 0
    bold: bool = False
    color: str | None = None

    def size(self, size: float) -> float:
        return size * (SHARE if self.raised else 1.0)

    def lift(self, size: float) -> float:
        """How far above the line it stands, in points."""
        return size * {0: 0.0, 1: 0.36, -1: -0.16}[self.raised]

    def lean(self, size: float) -> float:
        """Air after a mark that stands high or low."""
        return 0.06 * size if self.raised else 0.0

    def width(self, size: float, bold: bool = False) -> float:
        italic = self.italic and not (bold or self.bold)
        wide = typeface.width(self.text, self.size(size), bold=bold or self.bold, italic=italic)
        return wide + self.lean(size)


@dataclass(frozen=True, slots=True)
class Rich:
    """A line of pieces."""

    pieces: tuple[Piece, ...]

    def __add__(self, other: Rich | str) -> Rich:
        return Rich(self.pieces + rich(other).pieces)

    def __radd__(self, other: str) -> Rich:
        return rich(other) + self

    def __str__(self) -> str:
        return "".join(_plain(p) for p in self.pieces)

    def width(self, size: float, *, bold: bool = False) -> float:
        """The width of the line, in points."""
        return sum(p.width(size, bold) for p in self.pieces)

    def look(self, *, bold: bool | None = None, color: str | None = None) -> Rich:
        """The same pieces, bolder or in a colour."""
        return Rich(tuple(replace(p, bold=p.bold if bold is None else bold, color=color or p.color)
                          for p in self.pieces))  # fmt: skip


def math(symbol: str, *, sup: str = "", sub: str = "") -> Rich:
    """A symbol in italics, with what stands above and below."""
    marks = ((sub, -1), (sup, 1))
    return Rich((Piece(symbol, italic=True), *(Piece(text, raised=r) for text, r in marks if text)))


def rich(text: Rich | str) -> Rich:
    """A plain string as pieces: its signs become sub- and superscripts, the letters before them italics."""
    if isinstance(text, Rich):
        return text
    pieces, end = [], 0
    for found in _SYMBOL.finditer(text):
        pieces.append(Piece(text[end : found.start()]))
        base, sign, hat = found.groups()
        pieces.append(Piece(base or hat or "", italic=True))
        if sign:
            mark, raised = SIGNS[sign]
            pieces.append(Piece(mark, raised=raised))
        end = found.end()
    pieces.append(Piece(text[end:]))
    return Rich(tuple(p for p in pieces if p.text))


def is_plain(text: Rich | str) -> bool:
    """Does it need no typesetting?"""
    return isinstance(text, str) and not _SYMBOL.search(text)


def _plain(piece: Piece) -> str:
    if not piece.raised:
        return piece.text
    return _PLAIN.get((piece.text, piece.raised), f"{'^' if piece.raised > 0 else '_'}{piece.text}")


__all__ = ["Piece", "Rich", "is_plain", "math", "rich"]

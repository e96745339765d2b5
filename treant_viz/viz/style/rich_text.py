"""Lines of words whose pieces look different: mathematics, and words in the colour of what they are about.

To matplotlib a `RichText` is one text like any other, with a place, an alignment and an extent; its
`get_text` is what a screen reader gets. It is drawn as real text, piece by piece.
"""

from __future__ import annotations

from typing import Any

from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

from treant_viz.viz.style.formula import Piece, Rich, rich
from treant_viz.viz.style.text import drawable

LEADING = 1.25  # from line to line, in sizes
ASCENT, DESCENT = 0.72, 0.22  # of a line, in sizes


class RichText(Text):
    """Lines of pieces at one place. `ha` is left, center or right, `va` any but center_baseline."""

    def __init__(self, x: float, y: float, words: Rich | str, **look: Any) -> None:
        lines = [words] if isinstance(words, Rich) else [rich(line) for line in words.split("\n")]
        self.lines = lines
        look.pop("linespacing", None)  # ours is LEADING
        super().__init__(x, y, "\n".join(drawable(str(line)) for line in lines), **look)

    @property
    def _size(self) -> float:
        return float(self.get_fontsize())

    @property
    def _bold(self) -> bool:
        return self.get_fontweight() in ("bold", "semibold", 600, 700)

    def _corner(self) -> tuple[float, float, float]:
        """The left and the upper end of the block in dots, and the dots of a point."""
        x, y = self.get_transform().transform(self.get_unitless_position())
        figure = self.get_figure(root=True)
        assert figure is not None
        dot, size = figure.dpi / 72, self._size
        wide = max(line.width(size, bold=self._bold) for line in self.lines) * dot
        tall = (ASCENT + DESCENT + LEADING * (len(self.lines) - 1)) * size * dot
        left = x - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[self.get_horizontalalignment()]
        up = {"top": 0.0, "center": 0.5, "bottom": 1.0}.get(self.get_verticalalignment())
        top = y + (ASCENT * size * dot if up is None else tall * up)
        return left, top, dot

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Bbox:
        """Where it will stand, from measured widths."""
        left, top, dot = self._corner()
        size = self._size
        wide = max(line.width(size, bold=self._bold) for line in self.lines) * dot
        tall = (ASCENT + DESCENT + LEADING * (len(self.lines) - 1)) * size * dot
        return Bbox.from_bounds(left, top - tall, wide, tall)

    def draw(self, renderer: Any) -> None:
        """Every piece as a text of its own."""
        if not self.get_visible():
            return
        renderer.open_group("text", gid=self.get_gid())
        left, top, dot = self._corner()
        size, share = self._size, {"left": 0.0, "center": 0.5, "right": 1.0}
        whole = max(line.width(size, bold=self._bold) for line in self.lines)
        for i, line in enumerate(self.lines):
            slack = whole - line.width(size, bold=self._bold)
            x = left + slack * share[self.get_horizontalalignment()] * dot
            y = top - (ASCENT + LEADING * i) * size * dot
            for piece in line.pieces:
                x += self._piece(renderer, x, y + piece.lift(size) * dot, piece) + piece.lean(size) * dot
        renderer.close_group("text")
        self.stale = False

    def _piece(self, renderer: Any, x: float, y: float, piece: Piece) -> float:
        """Draw a piece; returns how far it moves the pen, as this renderer sets it."""
        bold, words = piece.bold or self._bold, drawable(piece.text)
        made = Text(
            x, y, words.lstrip(" "), fontsize=piece.size(self._size), va="baseline", ha="left",
            color=piece.color or self.get_color(), family=self.get_fontfamily(), parse_math=False,
            fontweight="bold" if bold else "normal", alpha=self.get_alpha(),
            fontstyle="italic" if piece.italic and not bold else "normal",
        )  # fmt: skip
        figure = self.get_figure(root=True)
        assert figure is not None
        made.set_figure(figure)
        made.set_transform(IdentityTransform())
        font = made.get_fontproperties()
        wide, gap, edges = (
            renderer.get_text_width_height_descent(f"|{w}|", font, ismath=False)[0]
            for w in (words, words[: len(words) - len(words.lstrip(" "))], "")
        )
        made.set_x(x + gap - edges)  # SVG drops spaces at the start of a text
        made.draw(renderer)
        return float(wide - edges)


__all__ = ["ASCENT", "DESCENT", "LEADING", "RichText"]

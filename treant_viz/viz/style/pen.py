"""Where pictures are drawn and what they are drawn with.

A picture goes into an Axes, a SubFigure or a Figure of the caller's, which is never cleared, or into a new
figure; never through pyplot. Everything is drawn through a `Pen`, which keeps every artist by its role, so
that tests and callers find it, and which never reads a user's `$` as mathematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.figure import Figure, FigureBase
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import offset_copy

from treant_viz.viz.style.formula import Rich, is_plain
from treant_viz.viz.style.palette import Palette, Role
from treant_viz.viz.style.rich_text import RichText
from treant_viz.viz.style.text import drawable
from treant_viz.viz.style.typeface import FAMILY

SMALL, BODY, HEAD, TITLE = 13.0, 14.0, 16.0, 20.0  # points; nothing is smaller than SMALL
MARGIN = 0.2  # inches that are left free beside a picture

Target = Axes | FigureBase


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What a display drew: the figure, the axes it used, and all artists by role."""

    figure: FigureBase
    axes: tuple[Axes, ...]
    artists: Mapping[str, tuple[Artist, ...]]

    def __getitem__(self, role: str) -> tuple[Artist, ...]:
        """The artists of a role; none if there are none."""
        return self.artists.get(role, ())

    def texts(self, role: str) -> list[str]:
        """What the texts of a role say."""
        return [a.get_text() for a in self[role]]  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(found)} {role}" for role, found in self.artists.items())
        return f"Drawn({counts})"


class Pen:
    """A palette and what has been drawn with it."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self.artists: dict[str, list[Artist]] = {}
        self.axes: list[Axes] = []

    def keep(self, role: str, artist: Any, gid: str | None = None) -> Any:
        """Remember an artist under its role; `gid` is its id in SVG."""
        self.artists.setdefault(role, []).append(artist)
        if gid is not None:
            artist.set_gid(gid)
        return artist

    def text(
        self,
        ax: Axes,
        x: float,
        y: float,
        words: Rich | str,
        role: str,
        *,
        gid: str | None = None,
        **look: Any,
    ) -> Any:
        """Words at a place in data coordinates (give `transform` for others), typeset where they hold
        mathematics.
        """
        look = normalize_kwargs(self.type(BODY), Text) | normalize_kwargs(look, Text)
        if is_plain(words):
            return self.keep(role, ax.text(x, y, drawable(str(words)), **look), gid)
        made = RichText(x, y, words, **{"transform": ax.transData, "clip_on": False} | look)
        return self.keep(role, ax.add_artist(made), gid)

    def type(self, size: float = BODY, *, bold: bool = False, color: str | None = None) -> dict[str, Any]:
        """The look of words, for whatever of matplotlib takes it."""
        return {
            "fontsize": size, "color": color or self.palette.ink, "family": list(FAMILY), "parse_math": False,
            "fontweight": "bold" if bold else "normal",
        }  # fmt: skip

    def patch(self, ax: Axes, patch: Patch, role: str, gid: str | None = None) -> Any:
        """A shape, which leaves the limits of the axes alone."""
        return self.keep(role, ax.add_artist(patch), gid)

    def bar(
        self, ax: Axes, x: float, y: float, width: float, height: float, branch: Role, role: str, *,
        gid: str | None = None, **look: Any,
    ) -> Any:  # fmt: skip
        """A rectangle with the colour and the texture of a branch."""
        return self.patch(ax, Rectangle((x, y), width, height, **self.fill(branch) | look), role, gid)

    def fill(self, branch: Role) -> dict[str, Any]:
        """The fill of a branch: its colour, solid; what is unknown is hatched, the colour on its own tint."""
        style = self.palette.branch(branch)
        if not style.hatch:
            return {"facecolor": style.color, "edgecolor": self.palette.background, "linewidth": 0.0}
        tint = self.palette.tint(branch, 0.3)
        look = {"facecolor": tint, "edgecolor": style.color, "linewidth": 0.0, "hatch": style.hatch}
        return look | {"hatch_linewidth": 2.0}

    def legend(self, ax: Any, handles: Sequence[Any], **where: Any) -> Any:
        """A legend whose words are never read as mathematics; where a label can stand, a label is better."""
        look: dict[str, Any] = {"frameon": False, "labelcolor": self.palette.ink}
        look["prop"] = {"family": list(FAMILY), "size": where.pop("fontsize", SMALL)}
        made = ax.legend(handles=list(handles), **look | where)
        for words in made.get_texts():
            words.set_parse_math(False)
        return self.keep("legend", made)

    def style(
        self, ax: Axes, *, xlabel: str = "", ylabel: str = "", spines: Sequence[str] = ("bottom", "left")
    ) -> None:
        """Axes in the theme: labels, ticks that can be read, only the spines that are asked for."""
        p = self.palette
        ax.set_facecolor(p.background)
        for side, spine in ax.spines.items():
            spine.set_visible(side in spines)
            spine.set_color(p.soft)
        ax.tick_params(colors=p.soft, labelcolor=p.ink, labelsize=SMALL, labelfontfamily=list(FAMILY))
        for put, words in ((ax.set_xlabel, xlabel), (ax.set_ylabel, ylabel)):
            if words:
                put(drawable(words), **self.type(BODY))

    def ticks(self, ax: Axes, axis: str, at: Sequence[float], labels: Sequence[str], **look: Any) -> None:
        """Ticks with words of our own on "x" or "y"."""
        words = [drawable(label) for label in labels]
        getattr(ax, f"set_{axis}ticks")(list(at), labels=words, parse_math=False, **look)

    def centred(self, ax: Axes) -> None:
        """Names beside rows stand where the eye sees their middle: at that of their capitals."""
        root = ax.get_figure(root=True)
        for words in ax.get_yticklabels():
            words.set_verticalalignment("center_baseline")
            words.set_transform(offset_copy(words.get_transform(), root, 0.0, 1.6, "points"))

    def drawn(self, target: Target) -> Drawn:
        figure = target.figure if isinstance(target, Axes) else target
        return Drawn(figure, tuple(self.axes), {k: tuple(v) for k, v in self.artists.items()})


def new_figure(size: tuple[float, float], palette: Palette) -> Figure:
    """A figure that belongs to nobody else: pyplot does not know it."""
    engine = ConstrainedLayoutEngine(w_pad=MARGIN, h_pad=MARGIN / 2)
    return Figure(figsize=size, facecolor=palette.background, layout=engine)


def panels(
    target: Target,
    pen: Pen,
    heights: Sequence[float] = (1.0,),
    widths: Sequence[float] = (1.0,),
    gap: float = 0.06,
) -> list[list[Axes]]:
    """A grid of axes, [row][column], inside the target; the area of an Axes is divided, and its own frame
    hidden.
    """
    if isinstance(target, Axes) and len(heights) == len(widths) == 1:
        grid = [[target]]
    elif isinstance(target, Axes):
        target.set_axis_off()
        across, down = _shares(widths, gap), _shares(heights, gap)
        grid = [[target.inset_axes((x, 1.0 - y - h, w, h)) for x, w in across] for y, h in down]
    else:
        cells = target.add_gridspec(len(heights), len(widths), height_ratios=heights, width_ratios=widths)
        grid = [[target.add_subplot(cells[i, j]) for j in range(len(widths))] for i in range(len(heights))]
    pen.axes += [ax for row in grid for ax in row]
    return grid


def placed(
    target: Target,
    pen: Pen,
    down: Sequence[tuple[float, float, float]],
    across: Sequence[tuple[float, float, float]],
) -> list[list[Axes]]:
    """A grid of axes, [row][column], with fixed room around each: per row (points above, share, points
    below), per column (points left, share, points right). Placed by hand, so that the same picture has the
    same bytes.
    """
    if isinstance(target, Axes):
        target.set_axis_off()
    xs, ys = (_spans(cells, size) for cells, size in zip((across, down), size_of(target), strict=True))
    make = target.inset_axes if isinstance(target, Axes) else target.add_axes
    grid = [[make((x, 1.0 - y - h, w, h)) for x, w in xs] for y, h in ys]
    pen.axes += [ax for row in grid for ax in row]
    return grid


def size_of(target: Target) -> tuple[float, float]:
    """How wide and how high a target is, in points."""
    root = target.get_figure(root=True)
    assert root is not None
    box: Any = target.get_window_extent() if isinstance(target, Axes) else target.bbox  # type: ignore[attr-defined]
    return float(box.width) * 72 / root.dpi, float(box.height) * 72 / root.dpi


def _spans(cells: Sequence[tuple[float, float, float]], size: float) -> list[tuple[float, float]]:
    """Where each cell starts, and how long it is, in shares of the whole.

    >>> [[round(x, 3) for x in span] for span in _spans([(10, 1, 10), (10, 3, 10)], 200.0)]
    [[0.05, 0.2], [0.35, 0.6]]
    """
    fixed = sum(before + after for before, _, after in cells)
    unit = max(size - fixed, 0.2 * size) / sum(share for _, share, _ in cells) / size
    start, out = 0.0, []
    for before, share, after in cells:
        out.append((start + before / size, unit * share))
        start += (before + after) / size + unit * share
    return out


def _shares(sizes: Sequence[float], gap: float) -> list[tuple[float, float]]:
    """Where each part starts, and how long it is, in shares of the whole.

    >>> _shares([1, 3], 0.2)
    [(0.0, 0.2), (0.4, 0.6000000000000001)]
    """
    room, start, out = 1.0 - gap * (len(sizes) - 1), 0.0, []
    for size in sizes:
        length = room * size / sum(sizes)
        out.append((start, length))
        start += length + gap
    return out


__all__ = ["BODY", "HEAD", "SMALL", "TITLE", "Drawn", "Pen", "Target", "new_figure", "panels", "placed",
           "size_of"]  # fmt: skip

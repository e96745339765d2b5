"""The words above a picture: a bold sentence that is its takeaway, and a grey one that says how to read it.

Both are wrapped by measured width, so that nothing is cut off, and the picture gets the room that is left.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from treant_viz.viz.style.pen import BODY, TITLE, Pen, Target
from treant_viz.viz.style.rich_text import LEADING, RichText
from treant_viz.viz.style.typeface import width, wrapped

SIDE, ABOVE, BETWEEN, BELOW = 22.0, 16.0, 7.0, 12.0  # points around title and subtitle
HINTING = 1.06  # screens with few dots set letters up to so much wider than they measure
ORPHAN = 0.3  # of the room: a last line that is shorter is given words of the lines above


def heading(pen: Pen, target: Target, title: str, subtitle: str = "") -> Target:
    """Write title and subtitle on top of the target; returns where the picture itself goes."""
    root = target.get_figure(root=True)
    assert root is not None
    whole: Any = target
    box = whole.get_window_extent() if isinstance(target, Axes) else whole.bbox
    wide, tall = (72 / root.dpi * side for side in (box.width, box.height))
    if isinstance(target, Axes):
        _above_axes(pen, target, title, subtitle, wide)
        return target
    lines = _lines(title, wide - 2 * SIDE, TITLE, bold=True)
    more = _lines(subtitle, wide - 2 * SIDE, BODY, bold=False) if subtitle else ()
    first = TITLE * LEADING * len(lines)
    height = ABOVE + first + (BETWEEN + BODY * LEADING * len(more) if more else 0.0) + BELOW
    head, body = whole.subfigures(2, 1, height_ratios=[height, max(tall - height, 0.3 * tall)], hspace=0.0)
    head.set_facecolor("none")
    body.set_facecolor("none")
    for role, text, size, down in (
        ("title", lines, TITLE, ABOVE),
        ("subtitle", more, BODY, ABOVE + first + BETWEEN),
    ):
        if text:
            place = offset_copy(head.transSubfigure, root, SIDE, -down, units="points")
            _block(pen, head, 0.0, 1.0, "\n".join(text), role, size, place, "top")
    return body


def _lines(words: str, wide: float, size: float, *, bold: bool) -> tuple[str, ...]:
    """Words in lines; where the last one would be a word or two, all of them are a little shorter."""
    room = wide / HINTING
    lines = first = wrapped(words, room, size, bold=bold)
    share = 0.95
    while len(lines) == len(first) > 1 and width(lines[-1], size, bold=bold) < ORPHAN * room and share > 0.5:
        lines, share = wrapped(words, share * room, size, bold=bold), share - 0.05
    return lines if len(lines) == len(first) else first


def _above_axes(pen: Pen, ax: Axes, title: str, subtitle: str, wide: float) -> None:
    """In axes of the caller's the words stand above the frame."""
    root, up = ax.get_figure(root=True), 8.0
    for role, text, size in (("subtitle", subtitle, BODY), ("title", title, TITLE)):
        if text:
            lines = _lines(text, wide, size, bold=role == "title")
            place = offset_copy(ax.transAxes, root, 0.0, up, units="points")
            _block(pen, ax, 0.0, 1.0, "\n".join(lines), role, size, place, "bottom")
            up += size * LEADING * len(lines) + BETWEEN


def _block(
    pen: Pen, parent: Any, x: float, y: float, words: str, role: str, size: float, place: Any, va: str
) -> None:
    """One artist for all lines; its text is the sentence as it was given, but for where it breaks."""
    color = pen.palette.ink if role == "title" else pen.palette.soft
    look = pen.type(size, bold=role == "title", color=color)
    made = RichText(x, y, words, transform=place, va=va, ha="left", clip_on=False, **look)
    pen.keep(role, parent.add_artist(made), f"heading-{role}")


__all__ = ["heading"]

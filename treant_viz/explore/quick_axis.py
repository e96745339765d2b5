"""Axes drawn fast: ticks and labels that look as they did in a picture before are stamped, not drawn again.

Placing and drawing ticks, their labels and the label of an axis is half the work of a picture with axes, and while a
slider moves most of them stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axis import Axis, Tick
from matplotlib.lines import Line2D
from matplotlib.text import Text

from treant_viz.explore.quick_text import QuickRenderer

MOST_KEPT = 12  # looks of one axis


class QuickAxis:
    """Draws an axis from then on; remembers its last looks."""

    def __init__(self, axis: Axis) -> None:
        self.axis = axis
        self._usual: Callable[[Any], None] = axis.draw
        self._kept: dict[Any, tuple[int, int, np.ndarray]] = {}
        axis.draw = self.draw  # type: ignore[method-assign]

    def draw(self, renderer: Any) -> None:
        if not self.axis.get_visible() or not isinstance(renderer, QuickRenderer):
            self._usual(renderer)
            return
        key = (renderer.width, renderer.height, renderer.dpi, *look(self.axis))
        found = self._kept.pop(key, None)
        if found is None:
            found = stamp_of(self._usual, renderer)
        self._kept[key] = found
        for old in list(self._kept)[:-MOST_KEPT]:
            del self._kept[old]
        left, bottom, image = found
        if image.size:
            renderer.draw_image(renderer.new_gc(), left, bottom, image)


def stamp_of(draw: Callable[[Any], None], renderer: QuickRenderer) -> tuple[int, int, np.ndarray]:
    """What is drawn: its left and bottom pixel, and the image, bottom row first."""
    pixels = renderer.apart(draw)
    drawn = pixels[..., 3] > 0
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    if not len(rows):
        return 0, 0, np.empty((0, 0, 4), dtype=np.uint8)
    (top, low), (left, right) = rows[[0, -1]], columns[[0, -1]]
    return int(left), pixels.shape[0] - 1 - int(low), pixels[top : low + 1, left : right + 1][::-1].copy()


def look(axis: Axis) -> tuple[Any, ...]:
    """All that decides how an axis looks, places in pixels."""
    ticks = axis._update_ticks()  # type: ignore[attr-defined]  # those that are seen; public ways do this three times
    along = axis.get_transform().transform([*axis.get_view_interval(), *(tick.get_loc() for tick in ticks)])
    share = (along[2:] - along[0]) / (along[1] - along[0])
    return (
        *_pixels(axis.axes.bbox.bounds),
        *_pixels(share * max(axis.axes.bbox.size)),
        *(_tick(tick) for tick in ticks),
        axis.get_label_position(),
        *_words(axis.label),
        *_pixels(axis.label.get_transform().transform(axis.label.get_position())),
        *_words(axis.get_offset_text()),
        axis.get_major_formatter().get_offset(),
    )


def _pixels(places: Any) -> list[float]:
    """Near enough to look the same."""
    return np.round(places, 2).tolist()


def _tick(tick: Tick) -> tuple[Any, ...]:
    pad: Any = tick.get_pad()  # type: ignore[func-returns-value]  # it does
    lines = (_line(line) for line in (tick.tick1line, tick.tick2line, tick.gridline))
    return (pad, *lines, _words(tick.label1), _words(tick.label2))


def _line(line: Line2D) -> tuple[Any, ...]:
    if not line.get_visible():
        return ()
    stroke = (line.get_color(), line.get_linewidth(), line.get_linestyle(), line.get_alpha())
    return (*stroke, line.get_marker(), line.get_markersize(), line.get_markeredgewidth(), line.get_markeredgecolor())


def _words(text: Text) -> tuple[Any, ...]:
    if not text.get_visible():
        return ()
    return (text.get_text(), text.get_color(), text.get_fontsize(), text.get_fontweight(), text.get_rotation())


__all__ = ["QuickAxis"]

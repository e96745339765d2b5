"""The categories of a feature in the large panel of a split search: a row each, by name, the best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from treant_viz.viz.split_search.draw import draw_categories
from treant_viz.viz.split_search.facts import LossLine
from treant_viz.viz.split_search.marks import draw_marks
from treant_viz.viz.style.pen import SMALL, Pen
from treant_viz.viz.style.text import names, number
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.split_search.display import SplitSearchDisplay

LONGEST = 22  # letters of a category's name


def drawn_rows(d: SplitSearchDisplay, line: LossLine) -> LossLine:
    """The best categories, among which is the standard choice."""
    from treant_viz.viz.split_search.display import MOST_CATEGORIES

    order = np.argsort(line.attacked, kind="stable").tolist()
    k = line.find(d.standard.threshold) if d.standard.feature == line.feature else None
    front = order[:MOST_CATEGORIES]
    return line.taken(front if k is None or k in front else [*front[:-1], k])


def how_many(some: LossLine, all_: int) -> str:
    return f"{len(some)} best of {all_} categories" if all_ > len(some) else f"{len(some)} categories"


def names_wide(rows: LossLine) -> float:
    """The room that the names need, in points."""
    return max(width(words, SMALL) for words in names(rows.thresholds, LONGEST).values()) + 38.0


def draw_rows(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, rows: LossLine, all_: int, ends: tuple[float, float]
) -> None:
    """Each category's two losses on one line; losses run to the right, on the scale of the other panels."""
    short, at = names(rows.thresholds, LONGEST), np.arange(len(rows), dtype=float)
    pen.style(ax, xlabel=d.measure, spines=("bottom",))
    ax.set(xlim=ends, ylim=(len(rows) - 0.3, -0.9))
    ax.tick_params(axis="y", length=0)
    pen.ticks(ax, "y", at.tolist(), [short[t] for t in rows.thresholds])
    pen.centred(ax)
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(lambda x, _: number(x, 4))
    for y in at:
        pen.keep("guide", ax.axhline(y, color=pen.palette.faint, linewidth=1.0, zorder=0))
    look: dict[str, Any] = {
        "color": pen.palette.soft,
        "linewidth": 1.4,
        "linestyle": (0, (1, 2)),
        "zorder": 1,
    }
    pen.keep("leaf", ax.axvline(d.leaf_loss, **look))
    quiet = pen.type(SMALL, color=pen.palette.soft)
    place: dict[str, Any] = {"ha": "center", "va": "bottom", "transform": ax.get_xaxis_transform()}
    pen.text(ax, d.leaf_loss, 1.01, f"without a split: {number(d.leaf_loss)}", "leaf name", **quiet, **place)
    if all_ > len(rows):
        place = {"ha": "right", "va": "top", "transform": ax.transAxes}
        pen.text(ax, -0.02, -0.02, how_many(rows, all_), "note", **quiet, **place)
    draw_categories(pen, ax, rows, at, upright=False, attacked=d.attacked, top=ends[1])
    if d.attacked:
        _name_dots(pen, ax, rows, at, ends)
    draw_marks(d, pen, ax, rows, dict(zip(rows.thresholds, at.tolist(), strict=True)), across=True)


def _name_dots(pen: Pen, ax: Axes, rows: LossLine, at: np.ndarray, ends: tuple[float, float]) -> None:
    """What either dot is, said where they are furthest apart."""
    gap = np.minimum(rows.attacked, ends[1]) - rows.plain
    k = int(np.argmax(gap))
    if gap[k] < 0.02 * (ends[1] - ends[0]):
        return
    for x, words, shift, ha in (
        (float(rows.plain[k]), "if nobody attacks", -9, "right"),
        (min(float(rows.attacked[k]), ends[1]), "under attack", 9, "left"),
    ):
        color = pen.palette.ink if ha == "right" else pen.palette.attack
        place: dict[str, Any] = {"ha": ha, "va": "center", "zorder": 6}
        place["transform"] = offset_copy(ax.transData, ax.get_figure(root=True), shift, 0, "points")
        pen.text(ax, x, at[k], words, "curve name", **pen.type(SMALL, bold=True, color=color), **place)


__all__ = ["draw_rows", "drawn_rows", "how_many", "names_wide"]

"""A whole tree on a small strip: every node is a bar as wide as its rows, levels from top to bottom.

Leaves have the colour of what they predict, the attacker's rows are hatched, and what the picture above shows
in full is framed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from matplotlib.patches import Rectangle

from treant_viz.core.tree import Leaf, Node, Tree, depth, walk
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import counted, number
from treant_viz.viz.style.typeface import width
from treant_viz.viz.tree.card import predicate_lines
from treant_viz.viz.tree.facts import Facts
from treant_viz.viz.tree.layout import LayoutBox

KEY = 150.0  # points on the right for the scale of predictions
LEAST_DRAWN = 0.05  # points: what is narrower cannot be seen, nor would it add anything


class IcicleBar(NamedTuple):
    """A node: its level, where its rows begin among all rows, and how many they are."""

    path: str
    level: int
    start: int
    rows: int


def cells(tree: Tree, facts: Mapping[str, Facts]) -> Iterator[IcicleBar]:
    """Where every node lies: the rows of a child are a part of those of its parent, left ones first."""
    starts = {"": 0}
    for path, node in walk(tree):
        rows = facts[path].rows or 0
        yield IcicleBar(path, len(path), starts[path], rows)
        if isinstance(node, Node):
            starts[path + "l"] = starts[path]
            starts[path + "r"] = starts[path] + (facts[path + "l"].rows or 0)


def draw_icicle(
    paper: Sheet,
    box: LayoutBox,
    tree: Tree,
    facts: Mapping[str, Facts],
    shown: set[str],
    ends: tuple[float, float],
) -> None:
    """Draw the overview into a box of the sheet; `shown` are the paths that the picture shows in full."""
    levels, p = depth(tree) + 1, paper.pen.palette
    rows = max(facts[""].rows or 1, 1)
    wide, tall = (box.width - KEY) / rows, (box.height - 24.0) / levels
    kinds = dict(walk(tree))
    for cell in cells(tree, facts):
        place = LayoutBox(
            box.left + cell.start * wide, box.top - 24.0 - tall * (cell.level + 1), cell.rows * wide, tall
        )
        if place.width > LEAST_DRAWN:
            _cell(paper, place, cell, kinds[cell.path], facts[cell.path], shown, ends)
    words = f"The whole tree, each block as wide as its rows: {counted(depth(tree), 'level')} of tests, then "
    words += "leaves; framed is what stands above"
    paper.text(box.left, box.top - 14.0, words, "overview words", size=SMALL, color=p.soft)
    hatched = any(f.parts is not None and f.parts[1] for f in facts.values())
    _key(paper, LayoutBox(box.right - KEY + 24.0, box.bottom, KEY - 24.0, box.height), ends, hatched=hatched)


def _cell(
    paper: Sheet,
    place: LayoutBox,
    cell: IcicleBar,
    node: Tree,
    known: Facts,
    shown: set[str],
    ends: tuple[float, float],
) -> None:
    p = paper.pen.palette
    fill = p.faint
    if isinstance(node, Leaf):
        fill = p.prediction((node.prediction - ends[0]) / ((ends[1] - ends[0]) or 1.0))
    framed = cell.path in shown
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": p.ink if framed else p.background}
    look |= {
        "linewidth": (1.1 if framed else 0.4) * paper.scale * min(1.0, place.width),
        "zorder": 3 + framed,
    }
    bar = Rectangle((place.left, place.bottom), place.width, place.height, **look)
    paper.pen.patch(
        paper.ax, bar, "overview leaf" if isinstance(node, Leaf) else "overview test", f"cell-{cell.path}"
    )
    if known.parts is not None and known.parts[1]:
        left, unknown, _ = known.parts
        unit = place.width / max(cell.rows, 1)
        hatched = paper.pen.fill("unknown") | {"zorder": 5}
        part = Rectangle((place.left + left * unit, place.bottom), unknown * unit, place.height, **hatched)
        paper.pen.patch(paper.ax, part, "overview unknown", f"unknown-{cell.path}")
    if isinstance(node, Node):
        words = " ".join(predicate_lines(node))
        sure = cell.rows if known.parts is None else known.parts[0]  # words keep off the hatch
        if place.height >= SMALL and sure * place.width > max(cell.rows, 1) * (width(words, SMALL) + 8.0):
            at = place.left + 4.0, place.bottom + 0.25 * place.height
            paper.text(*at, words, "overview test words", size=SMALL, zorder=6, color=p.ink)


def _key(paper: Sheet, box: LayoutBox, ends: tuple[float, float], *, hatched: bool) -> None:
    """The scale of predictions, and what hatched means."""
    p, steps, wide, y = paper.pen.palette, 24, box.width, box.top - 40.0
    paper.text(box.left, box.top - 14.0, "leaf: prediction ŷ", "key", size=SMALL, color=p.soft)
    for i in range(steps):
        part = Rectangle(
            (box.left + wide * i / steps, y), wide / steps + 0.3, 10, facecolor=p.prediction(i / (steps - 1))
        )
        paper.pen.patch(paper.ax, part, "key scale")
    for value, x, ha in ((ends[0], box.left, "left"), (ends[1], box.left + wide, "right")):
        paper.text(x, y - 4.0, number(value), "key", size=SMALL, color=p.soft, ha=ha, va="top")
    if hatched:
        mark = Rectangle((box.left, y - 38.0), 16.0, 10.0, **paper.pen.fill("unknown"))
        paper.pen.patch(paper.ax, mark, "key")
        paper.text(box.left + 22.0, y - 38.0, "up to the attacker", "key", size=SMALL, color=p.soft)


__all__ = ["IcicleBar", "cells", "draw_icicle"]

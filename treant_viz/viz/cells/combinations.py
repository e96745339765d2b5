"""The combinations of cells beside their strips: a table of sums for two features, else a square each; those
that cost more than the budget are crossed out. Very many are one bar, to scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Circle, Rectangle

from treant_viz.viz.cells.facts import Strip
from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import Palette, contrast, mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import feature_name, names, number
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

SQUARES = 900  # combinations that are drawn one by one
LARGEST, SMALLEST, ROOMY = 62.0, 24.0, 40.0  # of a square, of one with its sum, of one with a cross, too
GAP, HEADS = 0.1, 32.0  # between squares, of their size; the coins of a table
Point = tuple[float, float]


def combinations(paper: Sheet, d: CellsDisplay, shown: Sequence[Strip], corner: Point, size: Point) -> None:
    """The words on top, and below them what is counted."""
    cells, p = d.cells, paper.pen.palette
    dear = cells.product - cells.affordable
    (x, y), (wide, tall) = corner, size
    money = number(d.budget)
    said = f"none costs more than {money}"
    if dear:
        costs = "costs" if dear == 1 else "cost"
        said = f"{count(cells.affordable)} for {money} or less; {count(dear)} {costs} more"
        if width(said, BODY) > wide:
            said = said.partition(";")[0]
    words = [(f"= {count(cells.product)} combinations", "product", HEAD), (said, "affordable", BODY)]
    block = min(tall - 90.0, _tall(cells.product, wide, shown))
    top = y + (tall + block) / 2 + 10.0
    for k, (text, role, letters) in enumerate(words):
        paper.text(x, top - 22.0 * k, text, role, size=letters, bold=k == 0)
    room = (x, y), (wide, top - 22.0 * len(words) - y)
    if cells.product > SQUARES:
        _bar(paper, cells.affordable / cells.product, (x, room[1][1] + y - 40.0), (wide, 34.0))
        return
    make = _table if len(shown) == 2 else _squares
    bottom = make(paper, d, shown, *room)
    if dear:
        why = f"{_why(shown, d.limit)} > {money}: crossed out"
        if width(why, SMALL) <= wide:
            paper.text(x, bottom - 18.0, why, "why", size=SMALL, color=p.soft)


def _tall(n: int, wide: float, shown: Sequence[Strip]) -> float:
    """About how high the squares will be."""
    if n > SQUARES:
        return 40.0
    if len(shown) == 2:
        return LARGEST * min(len(s.reach) for s in shown) + HEADS
    return math.ceil(n / max(1, math.floor(wide / LARGEST))) * LARGEST


def fill_of(p: Palette, share: float) -> str:
    """Gold, the deeper the dearer."""
    return mixed(p.background, p.coin, 0.12 + 0.6 * min(share, 1.0))


def count(n: int) -> str:
    """A number of combinations: exact as long as it can be read.

    >>> count(3780), count(88_179_840_000_000)
    ('3,780', '8.82·10¹³')
    """
    return f"{n:,}" if n < 10**9 else number(float(n))


def _paid(s: Strip) -> list[float]:
    return [s.costs[i] for i in s.reach]


def _why(shown: Sequence[Strip], limit: float) -> str:
    """The cheapest combination that is too dear, as a sum."""
    found = min((c for c in product(*map(_paid, shown)) if sum(c) > limit), key=sum)
    return " + ".join(number(c) for c in found if c)


def _table(paper: Sheet, d: CellsDisplay, shown: Sequence[Strip], corner: Point, size: Point) -> float:
    """Columns are the cells of the feature that has more, rows those of the other; returns where it ends."""
    shown = shown[::-1]
    down, across = map(_paid, shown)
    called = names([feature_name(s.feature) for s in shown], 16)
    one, two = (called[feature_name(s.feature)] for s in shown)
    (x, y), top = corner, corner[1] + size[1]
    look: dict[str, Any] = {"size": SMALL, "color": paper.pen.palette.soft}
    paper.text(x, top - 8.0, f"down: {one}, across: {two}", "table head", **look)
    top -= 14.0
    unit = min(LARGEST, (size[0] - HEADS) / len(across), (top - y - HEADS - 24.0) / len(down))
    for j, cost in enumerate(across):
        _head(paper, x + HEADS + unit * (j + 0.5), top - HEADS / 2, cost, unit)
    for i, cost in enumerate(down):
        at = top - HEADS - unit * (i + 0.5)
        _head(paper, x + HEADS / 2, at, cost, unit)
        for j, other in enumerate(across):
            _square(paper, d, cost + other, (x + HEADS + unit * (j + 0.5), at), unit, f"{i}-{j}")
    return top - HEADS - unit * len(down)


def _head(paper: Sheet, x: float, y: float, cost: float, unit: float) -> None:
    """The coin of a row or a column; a ring where nothing is paid."""
    p = paper.pen.palette
    if cost and unit >= SMALLEST:
        parts.coin(paper.pen, paper.ax, x, y, cost, "head coin", scale=0.9 * paper.scale)
    elif not cost:
        look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "zorder": 5}
        ring = Circle((x, y), min(6.0, 0.3 * unit), linewidth=2.2 * paper.scale, **look)
        paper.pen.patch(paper.ax, ring, "head ring")


def _squares(paper: Sheet, d: CellsDisplay, shown: Sequence[Strip], corner: Point, size: Point) -> float:
    """All combinations, the cheapest first; returns where they end."""
    costs = sorted(sum(c) for c in product(*map(_paid, shown)))
    (x, y), (wide, tall) = corner, (size[0], size[1] - 24.0)
    least = math.ceil(math.sqrt(len(costs)))
    columns = next((c for c in range(least, 2 * least) if len(costs) % c == 0), least)
    unit = min(LARGEST, wide / columns, tall / math.ceil(len(costs) / columns))
    top = y + size[1] - 4.0
    for n, cost in enumerate(costs):
        middle = (x + unit * (n % columns + 0.5), top - unit * (n // columns + 0.5))
        _square(paper, d, cost, middle, unit, str(n))
    return top - unit * math.ceil(len(costs) / columns)


def _square(paper: Sheet, d: CellsDisplay, cost: float, middle: Point, unit: float, gid: str) -> None:
    """One combination with its sum, if there is room; one that costs more than the budget is crossed out."""
    p, dear, side = paper.pen.palette, cost > d.limit, unit * (1.0 - GAP)
    x, y = middle[0] - side / 2, middle[1] - side / 2
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.soft, "linewidth": 0.8 * paper.scale}
    if not dear:
        share = cost / d.limit if math.isfinite(d.limit) and d.limit else 0.0
        look |= {"facecolor": fill_of(p, share), "edgecolor": p.coin_edge}
    role = "too dear" if dear else "within the budget"
    paper.pen.patch(paper.ax, Rectangle((x, y), side, side, zorder=3, **look), role, f"combination-{gid}")
    if dear:
        cross: dict[str, Any] = {"color": p.soft, "width": 1.2, "zorder": 3.5}
        paper.line([x, x + side], [y, y + side], "cross", **cross)
        if unit >= SMALLEST:
            paper.line([x, x + side], [y + side, y], "cross", **cross)
    words = number(cost)
    if unit < (ROOMY if dear else SMALLEST) or width(words, SMALL) > side - 4.0:
        return
    fill = str(look["facecolor"])
    put: dict[str, Any] = {"ha": "center", "va": "center_baseline", "size": SMALL}
    if dear:  # the price is what crosses it out
        put |= {"color": p.soft, "bbox": {"facecolor": fill, "edgecolor": "none", "pad": 1.5}, "zorder": 5}
        paper.text(*middle, words, "sum too dear", **put)
        return
    ink = p.ink if contrast(p.ink, fill) >= 4.5 else p.on(fill)
    paper.text(*middle, words, "sum", color=ink, **put)


def _bar(paper: Sheet, share: float, corner: Point, size: Point) -> None:
    """All combinations as one bar; what the budget pays for is gold, as wide as its share, or a line."""
    p, (x, y), (wide, tall) = paper.pen.palette, corner, size
    frame: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.soft, "linewidth": 1.0 * paper.scale}
    paper.pen.patch(paper.ax, Rectangle(corner, wide, tall, **frame), "bar")
    if wide * share < 1.5:
        paper.line([x, x], [y, y + tall], "bar share", color=p.coin_edge, width=1.6, zorder=4)
        return
    look: dict[str, Any] = {"facecolor": p.coin, "edgecolor": p.coin_edge, "zorder": 4}
    paper.pen.patch(paper.ax, Rectangle(corner, wide * share, tall, **look), "bar share")


__all__ = ["combinations", "count", "fill_of"]

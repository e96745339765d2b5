"""How the overview is laid out: the data and the attacker on top, the trees below, all on one sheet at one
scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from treant_viz.core.tree import Leaf, Tree, walk
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.style.typeface import wrapped
from treant_viz.viz.toy_figure.facts import TreePanel
from treant_viz.viz.tree.card import Card, Inset, said_test
from treant_viz.viz.tree.draw import draw_tree
from treant_viz.viz.tree.facts import row_name
from treant_viz.viz.tree.insets import Circles, Legal
from treant_viz.viz.tree.layout import Layout, layout

if TYPE_CHECKING:
    from treant_viz.viz.toy_figure.display import ToyFigureDisplay

TABLE, LINE = 128.0, 24.0  # heights of the data and of one of its lines
HEADING = 92.0  # height of the lines above a tree
ACROSS, DOWN = 34.0, 76.0
COLUMNS = 4  # trees side by side


def draw(d: ToyFigureDisplay, pen: Pen, target: Target) -> None:
    """All panels."""
    ends = _ends(d)
    cards = [{path: _card(p, path, t, ends) for path, t in walk(p.tree)} for p in d.trees]
    places = [layout(p.tree, {k: c.taken for k, c in made.items()}, across=ACROSS, down=DOWN)
              for p, made in zip(d.trees, cards, strict=True)]  # fmt: skip
    columns = min(COLUMNS, len(d.trees))
    lines = [range(i, min(i + columns, len(d.trees))) for i in range(0, len(d.trees), columns)]
    wide = [
        max(_room(places[line[i]], d.trees[line[i]]) for line in lines if i < len(line))
        for i in range(columns)
    ]
    tall = [HEADING + max(places[i].height for i in line) + 24.0 for line in lines]
    paper = sheet(target, pen, sum(wide) + 24.0 * (columns + 1), TABLE + sum(tall) + 26.0, most=1.6)
    gap = (paper.width - sum(wide)) / (columns + 1)
    _data(paper, d, 24.0, paper.height - 6.0)
    _attacker(paper, d, max(0.56 * paper.width, 24.0 + 62.0 * (len(d.y) + 1) + 40.0), paper.height - 6.0)
    top = paper.height - TABLE - 24.0
    for line, height in zip(lines, tall, strict=True):
        left = gap
        for i, column in zip(line, wide, strict=False):
            _panel(paper, d.trees[i], cards[i], places[i], left, top, column)
            left += column + gap
        top -= height


def _room(place: Layout, p: TreePanel) -> float:
    return max(place.width, 210.0, 8.2 * len(p.heading))


def _ends(d: ToyFigureDisplay) -> tuple[float, float]:
    """The number line of all leaves."""
    low, high = min(d.y), max(d.y)
    margin = 0.25 * (high - low) or 0.5
    return low - margin, high + margin


def _data(paper: Sheet, d: ToyFigureDisplay, left: float, top: float) -> None:
    """The table: a column an instance, and its label in a circle."""
    paper.text(left, top - HEAD, f"(a) {len(d.y)} rows", "panel", size=HEAD, bold=True)
    rows = [
        (name(c, 10), [value(v) if not isinstance(v, str) else name(v, 8) for v in d.X[c]])
        for c in d.X.columns
    ]
    soft = paper.pen.palette.soft
    for j, label in enumerate(d.X.index):
        x = left + 62.0 * (j + 1)
        head = name(row_name(label), 7)
        paper.text(x, top - HEAD - LINE, head, "row name", size=BODY, bold=True, ha="center")
        for i, (_, values) in enumerate(rows):
            paper.text(x, top - HEAD - LINE * (i + 2), values[j], "datum", size=BODY, ha="center")
        foot = top - HEAD - LINE * (len(rows) + 2) + 0.33 * SMALL
        parts.label_circles(paper, x, foot, [d.y[j]], [False], f"a-{j}")
    for i, head in enumerate([*(label for label, _ in rows), "label y"]):
        paper.text(left, top - HEAD - LINE * (i + 2), head, "column", size=BODY, color=soft)


def _attacker(paper: Sheet, d: ToyFigureDisplay, left: float, top: float) -> None:
    """The attacker: a coin for each rule, and how much there is to spend."""
    from treant_viz.viz.toy_figure.display import rule_lines

    words = f"The attacker may spend {number(d.attacker.budget)} on each row"
    paper.text(left, top - HEAD, words, "panel", size=HEAD, bold=True)
    for i, (rule, text) in enumerate(zip(d.attacker.rules, rule_lines(d.attacker), strict=True)):
        y = top - HEAD - LINE * (i + 1.3)
        parts.coin(paper.pen, paper.ax, left + 10.0, y + 4.0, rule.cost, "rule coin", scale=paper.scale)
        paper.text(left + 28.0, y, text, "attacker", size=BODY)


def _panel(
    paper: Sheet, p: TreePanel, cards: Mapping[str, Card], place: Layout, left: float, top: float, wide: float
) -> None:
    """A tree, its name and its losses above it."""
    paper.text(left, top - HEAD, p.heading, "panel", size=HEAD, bold=True)
    losses = f"loss {number(p.loss)}, under attack {p.sum}"
    paper.text(left, top - HEAD - 1.4 * BODY, losses, "losses", size=BODY, bold=True)
    words = [line for text in p.story for line in wrapped(text, wide, BODY)]
    for i, line in enumerate(words[:2]):
        y = top - HEAD - 1.4 * BODY * (i + 2)
        paper.text(left, y, line, "story", size=BODY, color=paper.pen.palette.words("unknown"))
    floor = top - HEADING - place.height - 16.0
    box = paper.ax.inset_axes(
        (left - 4.0, floor, wide + 8.0, place.height + 16.0), transform=paper.ax.transData
    )
    placed = draw_tree(paper.pen, box, p.tree, cards, place=place, flows=p.flows, scale=paper.scale)
    for path, cost in p.spared.items():
        x, y = placed.on_edge(path, 0.32)
        coin = parts.coin(paper.pen, box, x, y, cost, "spared coin", scale=paper.scale, alpha=0.55)
        coin.get_bbox_patch().set(linestyle=":", alpha=0.55)


def _card(p: TreePanel, path: str, t: Tree, ends: tuple[float, float]) -> Card:
    if not isinstance(t, Leaf):
        return Card(said_test(t))
    guests = p.guests[path]
    loss = " + ".join(number(g.loss) for g in guests if g.loss > 0) if 0 < len(guests) <= 3 else ""
    insets: list[Inset] = [Circles(tuple((g.y, g.moved) for g in guests))] if guests else []
    if path in p.feasible:
        insets.append(Legal(p.feasible[path], t.prediction, ends))
    rows = ", ".join(name(g.row, 8) for g in guests) or "no row"
    total = number(sum(g.loss for g in guests))
    words = f"loss {loss} = {total}" if "+" in loss else f"loss {total}"
    return Card((f"ŷ = {number(t.prediction)}",), (rows, words), "leaf", tuple(insets))


__all__ = ["draw"]

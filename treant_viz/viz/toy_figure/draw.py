"""How the overview is laid out: the data and the attacker on top, the trees below, all on one sheet at one
scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Rectangle

from treant_viz.core.tree import Leaf, Tree, walk
from treant_viz.viz.style import parts
from treant_viz.viz.style.heading import HINTING
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.style.typeface import width, wrapped
from treant_viz.viz.toy_figure.facts import TreePanel, rule_lines
from treant_viz.viz.tree.card import Card, Inset, predicate_lines
from treant_viz.viz.tree.draw import draw_tree
from treant_viz.viz.tree.facts import row_name
from treant_viz.viz.tree.insets import Circles, Legal, on
from treant_viz.viz.tree.layout import Layout, layout

if TYPE_CHECKING:
    from treant_viz.viz.toy_figure.display import ToyFigureDisplay

LINE, PITCH = 20.0, 50.0  # height of a line of the data, width of a column
HEADING, HUGE = 104.0, 38.0  # height of what stands above a tree; letters of its loss under attack
ACROSS, DOWN, BETWEEN = 18.0, 40.0, 18.0
LEAST = 66.0  # width of a card
COLUMNS = 4  # trees side by side


class TreeGrid(NamedTuple):
    """Trees in lines: which, how wide their columns and how high their lines are; the data stand on top."""

    lines: tuple[range, ...]
    wide: tuple[float, ...]
    tall: tuple[float, ...]
    table: float

    @property
    def height(self) -> float:
        return sum(self.tall) + self.table


def draw(d: ToyFigureDisplay, pen: Pen, target: Target) -> None:
    """All panels."""
    ends = _ends(d)
    cards = [{path: _card(p, path, t, ends) for path, t in walk(p.tree)} for p in d.trees]
    places = [layout(p.tree, {k: c.taken for k, c in made.items()}, across=ACROSS, down=DOWN)
              for p, made in zip(d.trees, cards, strict=True)]  # fmt: skip
    grid = _grid(d, places)
    wide = max(sum(grid.wide) + BETWEEN * (len(grid.wide) + 1), PITCH * (len(d.y) + 1) + 60.0)
    paper = sheet(target, pen, wide, grid.height + 16.0, most=1.6)
    gap = (paper.width - sum(grid.wide)) / (len(grid.wide) + 1)
    spare = paper.height - grid.height
    top = paper.height - 4.0
    _data(paper, d, gap, top)
    top -= grid.table + 0.5 * spare
    for line, height in zip(grid.lines, grid.tall, strict=True):
        left = gap
        for i, column in zip(line, grid.wide, strict=False):
            _panel(paper, d.trees[i], cards[i], places[i], left, top, column)
            left += column + gap
        top -= height


def _grid(d: ToyFigureDisplay, places: Sequence[Layout]) -> TreeGrid:
    columns = min(COLUMNS, len(d.trees))
    lines = tuple(range(i, min(i + columns, len(d.trees))) for i in range(0, len(d.trees), columns))
    wide = tuple(
        max(_room(places[line[i]], d.trees[line[i]]) for line in lines if i < len(line))
        for i in range(columns)
    )
    tall = tuple(HEADING + max(places[i].height for i in line) + 17.0 for line in lines)
    table = HEAD + LINE * (max(len(d.X.columns) + 1, len(d.attacker.rules)) + 1.0) + 10.0
    return TreeGrid(lines, wide, tall, table)


def _room(place: Layout, p: TreePanel) -> float:
    return max(place.width, 180.0, width(p.heading, HEAD, bold=True) + 4.0)


def _ends(d: ToyFigureDisplay) -> tuple[float, float]:
    """The number line of all leaves."""
    low, high = min(d.y), max(d.y)
    margin = 0.25 * (high - low) or 0.5
    return low - margin, high + margin


def _data(paper: Sheet, d: ToyFigureDisplay, left: float, top: float) -> None:
    """The table: a column an instance, and its label in a circle."""
    paper.text(left, top - HEAD, f"(a) the data: {len(d.y)} rows", "panel", size=HEAD, bold=True)
    rows = [
        (name(c, 10), [value(v) if not isinstance(v, str) else name(v, 8) for v in d.X[c]])
        for c in d.X.columns
    ]
    soft, start = paper.pen.palette.soft, left + 30.0
    for j, label in enumerate(d.X.index):
        x = start + PITCH * (j + 1)
        head = name(row_name(label), 5)
        paper.text(x, top - HEAD - LINE, head, "row name", size=BODY, bold=True, ha="center")
        for i, (_, values) in enumerate(rows):
            paper.text(x, top - HEAD - LINE * (i + 2), values[j], "datum", size=BODY, ha="center")
        foot = top - HEAD - LINE * (len(rows) + 2) + 0.33 * SMALL
        parts.label_circles(paper, x, foot, [d.y[j]], [False], f"a-{j}")
    for i, head in enumerate([*(label for label, _ in rows), "label y"]):
        paper.text(left, top - HEAD - LINE * (i + 2), head, "column", size=BODY, color=soft)
    beside = start + PITCH * (len(d.y) + 0.8)
    _attacker(paper, d, beside, top - HEAD - 0.5 * LINE)
    told = width(f"The attacker may spend {number(d.attacker.budget)} on each row", BODY, bold=True)
    small = max([told, *(32.0 + width(line, BODY) for line in rule_lines(d.attacker))])
    if beside + small + 330.0 < paper.width:
        _key(paper, d, paper.width - left - 270.0, top - HEAD - 0.5 * LINE)


def _attacker(paper: Sheet, d: ToyFigureDisplay, left: float, top: float) -> None:
    """The attacker: how much there is to spend, and a coin for each rule."""
    words = f"The attacker may spend {number(d.attacker.budget)} on each row"
    paper.text(left, top, words, "attacker budget", size=BODY, bold=True)
    for i, (rule, text) in enumerate(zip(d.attacker.rules, rule_lines(d.attacker), strict=True)):
        y = top - LINE * (i + 1)
        parts.coin(paper.pen, paper.ax, left + 13.0, y + 4.0, rule.cost, "rule coin", scale=paper.scale)
        paper.text(left + 32.0, y, text, "attacker", size=BODY)


def _key(paper: Sheet, d: ToyFigureDisplay, left: float, top: float) -> None:
    """What the marks in the trees are, those that are there."""
    p, marks = paper.pen.palette, list[str]()
    moved = any(flow.pushed for t in d.trees for flow in t.flows.values())
    marks += ["pushed by the attacker", "its way without attack"] if moved else []
    marks += ["what a leaf may say, and what it says"] if any(t.feasible for t in d.trees) else []
    for k, words in enumerate(marks):
        y = top - LINE * k
        x, middle = left + 48.0, y + 5.0
        if words.startswith("pushed"):
            look: dict[str, Any] = paper.pen.fill("unknown") | {"zorder": 3}
            paper.pen.patch(paper.ax, Rectangle((left, middle - 5.0), 38.0, 10.0, **look), "key mark")
        elif words.startswith("its"):
            paper.line(
                [left, left + 38.0],
                [middle] * 2,
                "key mark",
                color=p.unknown,
                width=2.4,
                linestyle=(0, (3, 2)),
            )
        else:
            bar = parts.NumberLine(left, middle, 38.0, 0.0, 1.0)
            parts.number_line(paper, bar, ((0.35, 1.0),), value=0.55, gid="key", tall=9.0, ends=False)
        paper.text(x, y, words, "key", size=BODY)


def _panel(
    paper: Sheet, p: TreePanel, cards: Mapping[str, Card], place: Layout, left: float, top: float, wide: float
) -> None:
    """A tree, its name and its losses above it."""
    paper.text(left, top - HEAD, p.heading, "panel", size=HEAD, bold=True)
    _losses(paper, p, left, top - HEAD - HUGE)
    words = [line for text in p.story for line in _even(text, wide / HINTING)]
    for i, line in enumerate(words[:2]):
        y = top - HEAD - 1.2 * HUGE - 1.3 * BODY * (i + 1)
        paper.text(left, y, line, "story", size=BODY, color=paper.pen.palette.words("unknown"))
    floor = top - HEADING - place.height - 16.0
    box = paper.ax.inset_axes(
        (left - 4.0, floor, wide + 8.0, place.height + 16.0), transform=paper.ax.transData
    )
    placed = draw_tree(paper.pen, box, p.tree, cards, place=place, flows=p.flows, scale=paper.scale)
    for path, cost in p.spared.items():
        x, y = placed.on_edge(path, 0.32)
        coin = parts.coin(paper.pen, box, x, y, cost, "spared coin", scale=paper.scale)
        pen_color, ground = paper.pen.palette.ink, paper.pen.palette.background
        coin.set_color(pen_color)
        coin.get_bbox_patch().set(linestyle=(0, (2, 1.5)), facecolor=ground, edgecolor=pen_color)
        small: dict[str, Any] = {"size": SMALL, "ha": "left", "va": "center", "zorder": 8}
        on(paper.pen, box, paper.scale).text(x + 26.0, y + 30.0, "not spent", "spared", **small)


def _even(text: str, room: float) -> tuple[str, ...]:
    """As many lines as the words need, of about one length."""
    lines = wrapped(text, room, BODY)
    tries = (wrapped(text, share * room, BODY) for share in (0.55, 0.65, 0.75, 0.85))
    return next((t for t in tries if len(t) == len(lines)), lines)


def _losses(paper: Sheet, p: TreePanel, left: float, y: float) -> None:
    """The loss under attack in huge letters, beside it the loss if nobody attacks."""
    total = number(p.loss_under_attack)
    paper.text(left, y, total, "loss under attack", size=HUGE, bold=True)
    x = left + width(total, HUGE, bold=True) * HINTING + 8.0
    paper.text(x, y + 1.25 * BODY, "loss under attack", "losses", size=BODY, bold=True)
    words = f"{number(p.loss)} without attack"
    paper.text(x, y, words, "losses", size=BODY, color=paper.pen.palette.soft)


def _card(p: TreePanel, path: str, t: Tree, ends: tuple[float, float]) -> Card:
    if not isinstance(t, Leaf):
        return Card(predicate_lines(t), least=LEAST)
    guests = p.guests[path]
    rows, names = tuple((g.y, g.moved) for g in guests), tuple(name(g.row, 5) for g in guests)
    insets: list[Inset] = [Circles(rows, names)] if guests else []
    if path in p.feasible:
        insets.append(Legal(p.feasible[path], t.prediction, ends, least=104.0))
    total = f"loss {number(sum(g.loss for g in guests))}"
    return Card((f"ŷ = {number(t.prediction)}",), (total,), "leaf", tuple(insets), least=LEAST)


__all__ = ["draw"]

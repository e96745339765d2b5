"""The painter of trees: a card for every node, an edge to every child, for all pictures that show a tree.

Lengths are in points at scale 1; the tree is then drawn as large as its room allows (`Placed.scale`), words
and boxes alike. Cards hold words that are fit to be drawn already (see `text.name`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.gridspec import SubplotSpec
from matplotlib.patches import FancyBboxPatch

from treant_viz.core.tree import Leaf, Tree, walk
from treant_viz.viz.style.palette import Role
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen
from treant_viz.viz.tree.card import (
    LINE,
    PAD,
    RING,
    SENT,
    THEIRS,
    Card,
    EdgeLook,
    Inset,
    counted,
    predicate_lines,
)
from treant_viz.viz.tree.facts import Flow
from treant_viz.viz.tree.insets import on
from treant_viz.viz.tree.layout import Layout, LayoutBox, layout
from treant_viz.viz.tree.ribbons import RibbonHeights, draw_ribbons

ACROSS, DOWN, MARGIN = 22.0, 54.0, 12.0
GREATEST = 1.25  # small trees are drawn up to this much larger
STEP = GREATEST**0.1  # from one scale to the next
FADED = 0.35  # how much of the colour of lines is left of what is faded
LEAST_FIGURE = FIGURE = (12.8, 7.2)  # inches
SPREAD = (80.0, 70.0)  # points by which gaps grow where there is room, across and down
TITLE_ROOM = 92.0  # points above the picture, for title and subtitle


PLAIN = EdgeLook()
LABELS = {"l": "yes", "r": "no"}
STYLES: Mapping[str, Any] = {"l": "-", "r": (0, (1.2, 0.5))}
SIDES: Mapping[str, Role] = {"l": "left", "r": "right"}


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where everything stands, in data coordinates: cards, the room below them, edges by the path they lead
    to.
    """

    ax: Axes
    scale: float
    cards: Mapping[str, LayoutBox]
    below: Mapping[str, LayoutBox]
    edges: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = field(default_factory=dict)

    def letters(self, size: float = SMALL) -> float:
        """The font size that fits the drawing."""
        return size * self.scale

    def on_edge(self, path: str, share: float = 0.5) -> tuple[float, float]:
        """A point on the edge into a node: 0 at the parent, 1 at the node."""
        (x0, y0), (x1, y1) = self.edges[path]
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def arranged(tree: Tree, cards: Mapping[str, Card]) -> Layout:
    """The layout of the cards of a tree."""
    return spread(tree, {path: card.taken for path, card in cards.items()})


def spread(tree: Tree, sizes: Mapping[str, tuple[float, float]]) -> Layout:
    """The layout of boxes of these sizes, with the gaps that edges and their labels need."""
    return layout(tree, sizes, across=ACROSS, down=DOWN)


def needed(
    tree: Tree, cards: Mapping[str, Card], least: tuple[float, float] = LEAST_FIGURE
) -> tuple[float, float]:
    """The size of a figure, in inches, in which no word is too small."""
    return figure_size(arranged(tree, cards), least)


def figure_size(place: Layout, least: tuple[float, float] = LEAST_FIGURE) -> tuple[float, float]:
    """The size of a figure for a layout, in half inches, so that trees of about one size have figures of
    one size.
    """
    wide, tall = place.width + 2 * MARGIN + 12, place.height + 2 * MARGIN + TITLE_ROOM + 12
    return max(least[0], math.ceil(wide / 36) / 2), max(least[1], math.ceil(tall / 36) / 2)


def staged(tree: Tree, sizes: Mapping[str, tuple[float, float]], band: float = 0.0) -> tuple[Layout, float]:
    """A layout that fills a figure of 16 to 9, and how many times 12.8 x 7.2 inches it is; `band` points of
    its height are kept for something else.
    """
    tight = layout(tree, sizes, across=ACROSS, down=DOWN)
    wide, tall = tight.width + 2 * MARGIN, tight.height + 2 * MARGIN
    grow = max(wide / (72 * FIGURE[0]), tall / (72 * FIGURE[1] - TITLE_ROOM - band), 1 / GREATEST)
    if grow > 1:  # the words above the tree do not grow with the figure
        grow = max(1.0, wide / (72 * FIGURE[0]), (tall + TITLE_ROOM + band) / (72 * FIGURE[1]))
    grow = math.ceil(grow * 20 - 1e-6) / 20
    across = 72 * FIGURE[0] * grow - wide
    down = (
        72 * FIGURE[1] * grow - TITLE_ROOM - band
        if grow >= 1
        else (72 * FIGURE[1] - TITLE_ROOM - band) * grow
    ) - tall
    gaps = max(sum(isinstance(t, Leaf) for _, t in walk(tree)) - 1, 1), max(len(tight.floors) - 1, 1)
    wide, tall = (min(most, room / n) for most, room, n in zip(SPREAD, (across, down), gaps, strict=True))
    return layout(tree, sizes, across=ACROSS + wide, down=DOWN + tall), max(1.0, grow)


def draw_tree(
    pen: Pen, ax: Axes, tree: Tree, cards: Mapping[str, Card], edges: Mapping[str, EdgeLook] | None = None,
    place: Layout | None = None, flows: Mapping[str, Flow] | None = None,
    scale: float | None = None,
) -> Placed:  # fmt: skip
    """Draw a tree: `cards` for all its paths, `edges` where an edge is not plain. Returns where everything
    is.

    With `flows`, how many rows come to each node, edges are ribbons. `place` is the layout of a larger tree
    of which this one is the beginning, so that nothing moves while it grows.
    """
    if missing := [path for path, _ in walk(tree) if path not in cards]:
        raise KeyError(f"cards: there is no card for the node at {missing[0]!r}")
    place = place or arranged(tree, cards)
    scale = _open(pen, ax, place, scale)
    boxes = {path: _body(place[path], cards[path]) for path, _ in walk(tree)}
    below = {path: _below(box, cards[path]) for path, box in boxes.items() if cards[path].below}
    lines = {p: ((boxes[p[:-1]].x, place.floors[len(p) - 1]), (boxes[p].x, boxes[p].top)) for p in boxes if p}
    placed = Placed(ax, scale, boxes, below, lines)
    if flows and all(path in flows for path in lines):
        _flows(pen, placed, cards, flows)
    else:
        for path in boxes:
            _trunk(pen, placed, path, cards)
        for path in lines:
            _edge(pen, placed, path, cards[path], (edges or {}).get(path, PLAIN))
    for path in boxes:
        _card(pen, placed, path, cards[path])
    return placed


def _flows(pen: Pen, placed: Placed, cards: Mapping[str, Card], flows: Mapping[str, Flow]) -> None:
    """Ribbons instead of lines; they bend below the tallest card of the level above."""
    x = {path: box.x for path, box in placed.cards.items()}
    runs = {
        path: RibbonHeights(placed.cards[path[:-1]].bottom, y0, y1)
        for path, ((_, y0), (_, y1)) in placed.edges.items()
    }
    faded = {path for path in runs if cards[path].faded}
    draw_ribbons(on(pen, placed.ax, placed.scale), x, runs, {path: flows[path] for path in runs}, faded)


def key(pen: Pen, placed: Placed, handles: Sequence[Any], width: float) -> None:
    """What the signs mean, in the roomier corner beside the root; left out if it would cover the tree."""
    (low, high), root = placed.ax.get_xlim(), placed.cards[""]
    left, right = root.left - low, high - root.right
    if max(left, right) * placed.scale >= width:
        where = "upper left" if left >= right - 1.0 else "upper right"
        pen.legend(placed.ax, handles, loc=where, handlelength=1.6, borderaxespad=0.2)


def _body(box: LayoutBox, card: Card) -> LayoutBox:
    """The card itself inside the place it has."""
    wide, tall = card.size
    return LayoutBox(box.x - wide / 2, box.top - tall, wide, tall)


def _below(body: LayoutBox, card: Card) -> LayoutBox:
    """The room that is left free under a card."""
    return LayoutBox(body.left, body.bottom - RING * card.rings - card.below, body.width, card.below)


def _open(pen: Pen, ax: Axes, place: Layout, given: float | None = None) -> float:
    """Empty axes whose unit is a point times the scale, which is returned; it is as large as the room
    allows.
    """
    pen.style(ax, spines=())
    ax.set(xticks=[], yticks=[], aspect="equal")
    wide, tall = room(ax)
    need = place.width + 2 * MARGIN, place.height + 2 * MARGIN
    most = min(wide / need[0], tall / need[1], GREATEST)
    scale = given or STEP ** math.floor(
        math.log(most, STEP) + 1e-6
    )  # letters of few sizes, whatever the tree
    across, down = wide / scale, tall / scale
    ax.set_xlim((place.width - across) / 2, (place.width + across) / 2)
    ax.set_ylim(place.height + MARGIN - down, place.height + MARGIN)
    return scale


def room(ax: Axes) -> tuple[float, float]:
    """The size of the axes in points, as the layout of the figure will leave it."""
    spec, top = ax.get_subplotspec(), ax.get_figure(root=True)
    figure: Any = ax.get_figure()
    assert top is not None
    if spec is None or top.get_layout_engine() is None:
        extent = ax.get_window_extent()
        return extent.width * 72 / top.dpi, extent.height * 72 / top.dpi
    across, down = _shares(spec)
    wide, tall = across * figure.bbox.width * 72 / top.dpi, down * figure.bbox.height * 72 / top.dpi
    return max(wide - 12.0, 36.0), max(tall - 12.0, 36.0)


def _shares(spec: SubplotSpec) -> tuple[float, float]:
    """The shares of a figure's width and height that belong to a cell of its grid; layouts leave hardly any
    gap.
    """
    grid = spec.get_gridspec()
    ratios: Any = (grid.get_width_ratios(), spec.colspan), (grid.get_height_ratios(), spec.rowspan)
    across, down = (sum(r[i] for i in span) / sum(r) for r, span in ratios)
    return across, down


def _trunk(pen: Pen, placed: Placed, path: str, cards: Mapping[str, Card]) -> None:
    """From a card to where its level ends, if its neighbours are taller; both edges start there."""
    if path + "l" not in placed.edges:
        return
    (x, floor), start = placed.edges[path + "l"][0], placed.cards[path].bottom
    if start - floor > 0.5:
        alpha = FADED if cards[path + "l"].faded and cards[path + "r"].faded else 1.0
        look: dict[str, Any] = {
            "color": to_rgba(pen.palette.soft, alpha),
            "linewidth": 2.6 * placed.scale,
            "zorder": 1,
        }
        pen.keep("trunk", placed.ax.plot([x, x], [start, floor], **look)[0], f"trunk-{path or 'root'}")


def _edge(pen: Pen, placed: Placed, path: str, card: Card, look: EdgeLook) -> None:
    ax, side = placed.ax, path[-1]
    branch = pen.palette.branch(SIDES[side])
    alpha = FADED if look.faded or card.faded else 1.0
    (x0, y0), (x1, y1) = placed.edges[path]
    line: dict[str, Any] = {"color": to_rgba(look.color or branch.color, alpha), "zorder": 1}
    line |= {"linestyle": look.style or STYLES[side], "linewidth": look.width * placed.scale}
    drawn = ax.plot([x0, x1], [y0, y1], **line)[0]
    pen.keep("edge", drawn, f"edge-{path}")
    phrase = LABELS[side] if look.label is None else look.label
    if phrase:
        _edge_label(pen, placed, path, phrase, look.color or branch.color, alpha, look.at)


def _edge_label(
    pen: Pen, placed: Placed, path: str, phrase: str, color: str, alpha: float, at: float
) -> None:
    frame: dict[str, Any] = {"boxstyle": "round,pad=0.25", "facecolor": pen.palette.background}
    frame |= {"edgecolor": to_rgba(color, alpha), "linewidth": 1.4 * placed.scale}
    where: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "zorder": 2,
        "bbox": frame,
        "fontsize": placed.letters(),
    }
    color = pen.palette.ink if alpha == 1.0 else pen.palette.soft
    pen.text(
        placed.ax, *placed.on_edge(path, at), phrase, "edge label", gid=f"branch-{path}", color=color, **where
    )


def _card(pen: Pen, placed: Placed, path: str, card: Card) -> None:
    box, p, gid = placed.cards[path], pen.palette, path or "root"
    alpha = FADED if card.faded else 1.0
    thick = {"test": 1.6, "leaf": 1.6, "stub": 1.2}[card.kind] * (2.2 if card.emphasis else 1.0)
    look: dict[str, Any] = {
        "edgecolor": to_rgba(p.soft if card.kind == "stub" else p.ink, alpha),
        "facecolor": p.panel if card.kind == "leaf" else p.background,
        "linewidth": thick * placed.scale,
        "linestyle": ":" if card.kind == "stub" else "-",
    }
    _frame(pen, placed.ax, box, card, card.kind, f"node-{gid}", **look)
    ring: dict[str, Any] = {"facecolor": "none", "edgecolor": p.attacker, "linewidth": 1.6 * placed.scale}
    for i in range(1, card.rings + 1):
        _frame(pen, placed.ax, box.grown(RING * i), card, "ring", f"ring-{i}-{gid}", **ring)
    _words(pen, placed, box, card, gid)


def _frame(pen: Pen, ax: Axes, box: LayoutBox, card: Card, role: str, gid: str, **look: Any) -> None:
    """Tests have small corners, leaves and stubs round ones."""
    corner = f"round,pad=0,rounding_size={5 if card.kind == 'test' else 11}"
    at = (box.left, box.bottom)
    frame = FancyBboxPatch(at, box.width, box.height, boxstyle=corner, zorder=3, **look)
    pen.patch(ax, frame, role, gid)


def _words(pen: Pen, placed: Placed, box: LayoutBox, card: Card, gid: str) -> None:
    """The lines from top to bottom, then the insets."""
    y, paper, p = box.top - 0.75 * PAD, on(pen, placed.ax, placed.scale), pen.palette
    for lines, size, role in (
        (card.head, HEAD, f"{card.kind} head"),
        (card.details, BODY, f"{card.kind} details"),
    ):
        bold = size == HEAD
        for i, line in enumerate(lines):
            theirs = line.endswith((THEIRS, SENT)) and not card.faded
            color = p.words("unknown") if theirs else p.ink if bold and not card.faded else p.soft
            y -= LINE * size
            gid_i = f"{'bold' if bold else 'normal'}{i}-{gid}"
            paper.text(
                box.x,
                y + 0.36 * size,
                line,
                role,
                size=size,
                bold=bold or theirs,
                color=color,
                gid=gid_i,
                ha="center",
                zorder=6,
            )
    for i, inset in enumerate(card.insets):
        y -= inset.height
        inner = LayoutBox(box.left + PAD, y, box.width - 2 * PAD, inset.height)
        inset.draw(pen, placed.ax, inner, placed.scale, f"{i}-{gid}")


__all__ = [
    "Card",
    "EdgeLook",
    "Inset",
    "Placed",
    "arranged",
    "counted",
    "draw_tree",
    "figure_size",
    "key",
    "needed",
    "predicate_lines",
    "room",
    "spread",
    "staged",
]

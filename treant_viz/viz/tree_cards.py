"""What is written on the nodes of a tree, and which are shown: facts become cards, hidden parts become stubs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from treant_viz.tree import Leaf, Node, Tree, leaves, walk
from treant_viz.viz import lettering
from treant_viz.viz.canvas import SMALL, Ink
from treant_viz.viz.card import LINE, Card, Inset, counted, said_test
from treant_viz.viz.layout import Box
from treant_viz.viz.palette import Role
from treant_viz.viz.text import name, number
from treant_viz.viz.tree_facts import Facts, Labels

SHOWN = ("predicate", "rows", "loss", "constraints", "histogram")
BAR, GAP, PLOT, SPACE = 11.0, 5.0, 30.0, 2.0  # heights: a strip, the space above it, a histogram, the space below


@dataclass(frozen=True, slots=True)
class Strip:
    """The rows of a split as one bar: left, the attacker's choice, right; the counts below."""

    parts: tuple[int, int, int]

    @property
    def said(self) -> str:
        return "  ".join(f"{letter} {n}" for letter, n in zip("LUR", self.parts, strict=True))

    @property
    def width(self) -> float:
        return lettering.width(self.said, SMALL)

    @property
    def height(self) -> float:
        return GAP + BAR + SPACE + LINE * SMALL

    def draw(self, ink: Ink, ax: Axes, box: Box, scale: float, gid: str) -> None:
        x, y, whole = box.left, box.top - GAP - BAR, max(sum(self.parts), 1)
        roles: tuple[Role, ...] = ("left", "unknown", "right")
        for role, n in zip(roles, self.parts, strict=True):
            if n:
                wide = box.width * n / whole
                ink.bar(ax, x, y, wide, BAR, role, f"{role} rows", gid=f"{role}-{gid}", zorder=4)
                x += wide
        _caption(ink, ax, box, self.said, "rows by side", scale, gid)


@dataclass(frozen=True, slots=True)
class Classes:
    """How many rows are of the one class and of the other: hollow and filled, the counts below."""

    labels: Labels

    @property
    def said(self) -> str:
        classes = self.labels.classes or ("", "")
        return "   ".join(f"{name(c, 9)}: {n}" for c, n in zip(classes, self.labels.counts, strict=True))

    @property
    def width(self) -> float:
        return lettering.width(self.said, SMALL)

    @property
    def height(self) -> float:
        return GAP + BAR + SPACE + LINE * SMALL

    def draw(self, ink: Ink, ax: Axes, box: Box, scale: float, gid: str) -> None:
        x, y, whole = box.left, box.top - GAP - BAR, max(sum(self.labels.counts), 1)
        for i, n in enumerate(self.labels.counts):
            wide = box.width * n / whole
            look = {"facecolor": ink.palette.soft if i else "none", "edgecolor": ink.palette.soft, "linewidth": scale}
            if n:
                ink.patch(ax, Rectangle((x, y), wide, BAR, zorder=4, **look), "labels", f"class-{i}-{gid}")  # type: ignore[arg-type]
            x += wide
        _caption(ink, ax, box, self.said, "label counts", scale, gid)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Real labels in equal bins, from the least to the greatest of all rows."""

    labels: Labels

    @property
    def said(self) -> str:
        return f"y: {number(self.labels.low, 3)} … {number(self.labels.high, 3)}"

    @property
    def width(self) -> float:
        return lettering.width(self.said, SMALL)

    @property
    def height(self) -> float:
        return GAP + PLOT + SPACE + LINE * SMALL

    def draw(self, ink: Ink, ax: Axes, box: Box, scale: float, gid: str) -> None:
        counts, y = self.labels.counts, box.top - GAP - PLOT
        wide, most = box.width / len(counts), max(*counts, 1)
        look = {"facecolor": ink.palette.soft, "edgecolor": ink.palette.background, "linewidth": 0.8 * scale}
        for i, n in enumerate(counts):
            bar = Rectangle((box.left + i * wide, y), wide, PLOT * n / most, zorder=4, **look)  # type: ignore[arg-type]
            ink.patch(ax, bar, "labels", f"bin-{i}-{gid}")
        ink.keep("labels axis", ax.plot([box.left, box.right], [y, y], color=ink.palette.ink, lw=scale, zorder=5)[0])
        _caption(ink, ax, box, self.said, "label counts", scale, gid)


def _caption(ink: Ink, ax: Axes, box: Box, said: str, role: str, scale: float, gid: str) -> None:
    y = box.bottom + LINE * SMALL / 2
    ink.text(ax, box.x, y, said, role, gid=f"words-{gid}", fontsize=SMALL * scale, ha="center", va="center", zorder=5)


class Window(NamedTuple):
    """The part of a tree that is shown, a leaf in place of every hidden part, and the hidden parts by path."""

    tree: Tree
    hidden: Mapping[str, Tree]


def window(tree: Tree, focus: str = "", depth: int = 10**6) -> Window:
    """The way from the root to `focus`, and `depth` levels of tests from there on."""
    hidden: dict[str, Tree] = {}

    def cut(t: Tree, path: str) -> Tree:
        if isinstance(t, Leaf):
            return t
        on_the_way = focus.startswith(path) and len(path) < len(focus)
        if not on_the_way and not (path.startswith(focus) and len(path) - len(focus) < depth):
            hidden[path] = t
            return Leaf(0.0)
        return Node(t.feature, t.threshold, cut(t.left, path + "l"), cut(t.right, path + "r"), t.test)

    return Window(cut(tree, ""), hidden)


def cards(
    seen: Window, facts: Mapping[str, Facts], show: Sequence[str] = SHOWN, marked: str | None = None
) -> dict[str, Card]:
    """A card for every node that is shown, a stub for every hidden part."""
    made = {}
    for path, node in walk(seen.tree):
        known = facts.get(path, Facts())
        stub = path in seen.hidden
        made[path] = _stub(seen.hidden[path], known) if stub else _card(node, known, show, path == marked)
    return made


def _stub(hidden: Tree, known: Facts) -> Card:
    rows = () if known.rows is None else (counted(known.rows, "row"),)
    return Card((), (f"… {sum(1 for _ in leaves(hidden))} more", "leaves", *rows), "stub")


def _card(node: Tree, known: Facts, show: Sequence[str], marked: bool) -> Card:
    lines, insets = tuple(_details(known, show)), tuple(_insets(known, show))
    if isinstance(node, Leaf):
        return Card((number(node.prediction, 4),), lines, "leaf", insets, emphasis=marked)
    return Card(said_test(node) if "predicate" in show else ("test",), lines, "test", insets, emphasis=marked)


def _details(known: Facts, show: Sequence[str]) -> Iterable[str]:
    if "rows" in show and known.rows is not None:
        yield counted(known.rows, "row")
    if "loss" in show and known.loss is not None:
        after = "" if known.split_loss is None else f" → {number(known.split_loss, 4)}"
        yield f"loss {number(known.loss, 4)}{after}"
    if "constraints" in show and known.constraints is not None:
        yield counted(known.constraints, "constraint")


def _insets(known: Facts, show: Sequence[str]) -> Iterable[Inset]:
    if "rows" in show and known.parts is not None:
        yield Strip(known.parts)
    if "histogram" in show and known.labels is not None:
        yield Classes(known.labels) if known.labels.classes else Histogram(known.labels)


__all__ = ["SHOWN", "Window", "cards", "window"]

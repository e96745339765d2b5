"""A tree under attack: the row's own way a broad road, the attack dashed, a coin on what is bought, the
leaves in reach framed, the worst one filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from treant_viz.core.tree import Leaf, Node, Tree, leaves, walk
from treant_viz.viz.attack_path.facts import Attack, Move, Ways, touched
from treant_viz.viz.attack_path.words import condition, feature_said, loss_said, spent, value_said
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, HEAD, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.layout import Box, Layout, layout

DASHES = (0, (2.4, 1.2))
WIDE, TALL = (
    640.0,
    420.0,
)  # a tree of which all is shown; a tree cut down to some ways may be as high as it likes
MOST = 6  # other leaves in reach that are looked for in a large tree


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One tree of the picture. `shown` is the leaf whose attack is played: after `step` of its moves, or with
    the verdict if that is None. `tree` has a leaf in place of every `hidden` part; leaves below `new` are
    new."""

    ways: Ways
    shown: str
    tree: Tree
    hidden: Mapping[str, Tree]
    place: Layout
    heading: str = ""
    new: str | None = None
    step: int | None = None

    @property
    def attack(self) -> Attack:
        """The attack that is played, as far as it has come."""
        return self.ways.attacks[self.shown].until(self.step)

    @property
    def drawn(self) -> Attack | None:
        """The attack that is drawn: the one that is played, or if the row stays, the best that it could do
        instead.
        """
        if self.attack.moves or self.step is not None:
            return self.attack if self.attack.moves else None
        return next((self.ways.attacks[leaf] for leaf in self.ways.ranked() if self.has(leaf)), None)

    @property
    def paid(self) -> dict[str, tuple[Move, ...]]:
        """By edge, the moves that buy it."""
        return {} if self.drawn is None else self.ways.coins(self.drawn)

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(path for path, _ in walk(self.tree))

    def has(self, leaf: str) -> bool:
        """Is a leaf shown itself?"""
        return leaf in self.paths and leaf not in self.hidden

    def lines(self, path: str, node: Tree) -> tuple[str, ...]:
        """What is written on a node."""
        if path in self.hidden:
            every = sum(1 for _ in leaves(self.hidden[path]))
            near = sum(leaf.startswith(path) for leaf in self.ways.attacks)
            return (
                f"… {every} {'leaf' if every == 1 else 'leaves'}",
                f"{near} in reach" if near else "out of reach",
            )
        if isinstance(node, Node):
            return (condition(node),)
        prediction = f"ŷ = {number(self.ways.predictions[path])}"
        return prediction, f"loss {loss_said(self.ways, path)}", self.note(path)

    def note(self, path: str) -> str:
        """What a leaf is to the row."""
        ways, new = self.ways, "new; " if self.new is not None and path.startswith(self.new) else ""
        if path == ways.home:
            return f"{new}falls here itself"
        if self.step is not None:
            return new.rstrip("; ")
        return (
            f"{new}reached for {number(ways.attacks[path].cost)}"
            if path in ways.attacks
            else f"{new}out of reach"
        )


def scene(ways: Ways, shown: str, heading: str = "", new: str | None = None) -> Scene:
    """The whole tree if it can be read; if not, the ways that the row takes, and to as many leaves as can be
    read.
    """
    for tree, hidden in _choices(ways, shown):
        made = Scene(ways, shown, tree, hidden, Layout({}, (), 0.0, 0.0), heading, new)
        made = replace(made, place=_arranged(made))
        if made.place.width <= WIDE and (made.place.height <= TALL or hidden):
            break
    return made


def _choices(ways: Ways, shown: str) -> Iterator[tuple[Tree, dict[str, Tree]]]:
    """The whole tree, then less and less of it."""
    yield ways.tree, {}
    ranked, always = ways.ranked(), {*ways.attacks[shown].stops, ways.home, shown}
    for most in range(min(MOST, len(ranked)), -1, -1):
        yield touched(ways.tree, {*always, *ranked[:most]})


def _arranged(s: Scene) -> Layout:
    """Where the nodes stand; below a coin there is room for the words beside it."""
    coins = {edge for a in s.ways.attacks.values() if s.has(a.leaf) for edge in s.ways.coins(a)}
    sizes = {}
    for path, node in walk(s.tree):
        wide, tall = _size(s, path, node)
        sizes[path] = wide + 30.0 * (path in coins), tall
    level = max(len(path) for path in sizes)
    return layout(s.tree, sizes, across=20.0, down=70.0 if level < 4 else 56.0 if level < 6 else 44.0)


def _size(s: Scene, path: str, node: Tree) -> tuple[float, float]:
    lines = s.lines(path, node)
    wide = [typeface.width(line, _letters(s, path, node, k), bold=k == 0) for k, line in enumerate(lines)]
    full = isinstance(node, Leaf) and path not in s.hidden
    least = 118.0 if full else 0.0  # so that notes of another step have room
    return max(*wide, least) + 22.0, 74.0 if full else 24.0 if path not in s.hidden else 38.0


def _letters(s: Scene, path: str, node: Tree, line: int) -> float:
    if path in s.hidden:
        return SMALL
    return (HEAD if isinstance(node, Leaf) else BODY) if line == 0 else SMALL


# the tree


def draw_tree(paper: Sheet, s: Scene, room: Box, gid: str) -> None:
    """Edges first, then the cards."""
    boxes = _spread(s, room)
    played = s.drawn.leaf if s.drawn else ""
    strong = s.drawn is not None and bool(s.attack.moves)
    for path in sorted(filter(None, s.paths), key=len):
        _edge(paper, s, path, boxes, gid)
    for path in (played[:i] for i in range(1, len(played) + 1) if played[:i] in s.paths):
        _attack_edge(paper, path, boxes, strong, path == played, gid)
    for path, node in walk(s.tree):
        _card(paper, s, path, node, boxes[path], gid)
    for path, moves in s.paid.items():
        if path in s.paths:
            _coin(paper, boxes, path, moves, strong, gid)


def _spread(s: Scene, room: Box) -> dict[str, Box]:
    """The cards in the room that there is, their middles drawn apart, each as large as its words."""
    place = s.place
    x = min(room.width / place.width, 1.5) if place.width else 1.0
    y = min(room.height / place.height, 1.5)
    left, up = (
        room.left + (room.width - x * place.width) / 2,
        room.bottom + (room.height - y * place.height) / 2,
    )
    out = {}
    for path, node in walk(s.tree):
        wide, tall = _size(s, path, node)
        box = place[path]
        top = up + y * box.top - (0.0 if path else 2.0)
        out[path] = Box(left + x * box.x - wide / 2, top - tall, wide, tall)
    return out


def _curve(boxes: Mapping[str, Box], path: str) -> tuple[tuple[float, float], tuple[float, float], Path]:
    """An edge from the foot of a test to the head of the node below."""
    above, below = boxes[path[:-1]], boxes[path]
    a, b = (above.x + (-7.0 if path[-1] == "l" else 7.0), above.bottom), (below.x, below.top)
    bend = (a[1] + b[1]) / 2
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return a, b, Path([a, (a[0], bend), (b[0], bend), b], codes)


def _edge(paper: Sheet, s: Scene, path: str, boxes: Mapping[str, Box], gid: str) -> None:
    """A broad road on the row's own way, a thin line elsewhere; the two sides are named below the root."""
    p, own = paper.pen.palette, s.ways.home.startswith(path)
    _, _, curve = _curve(boxes, path)
    look: dict[str, Any] = {"facecolor": "none", "capstyle": "butt", "zorder": 1.2 if own else 1.0}
    color, wide = (mixed(p.background, p.soft, 0.45), 9.0) if own else (mixed(p.faint, p.soft, 0.35), 1.4)
    patch = PathPatch(curve, edgecolor=color, linewidth=wide * paper.scale, **look)
    paper.pen.patch(paper.ax, patch, "own way" if own else "edge", f"{gid}edge-{path}")
    if len(path) == 1:
        side = -1 if path == "l" else 1
        root = boxes[""]
        words: dict[str, Any] = {"ha": "right" if side < 0 else "left", "va": "center"}
        paper.text(
            root.x + side * (root.width / 2 + 7.0),
            root.y,
            "yes" if side < 0 else "no",
            "side",
            size=SMALL,
            color=p.words("left" if side < 0 else "right"),
            **words,
        )


def _attack_edge(
    paper: Sheet, path: str, boxes: Mapping[str, Box], strong: bool, last: bool, gid: str
) -> None:
    """Dashes on the way of the attack, an arrow head before the leaf."""
    p, (_, tip, curve) = paper.pen.palette, _curve(boxes, path)
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": p.attacker, "linestyle": DASHES, "zorder": 1.6}
    patch = PathPatch(curve, linewidth=(3.4 if strong else 1.8) * paper.scale, **look)
    paper.pen.patch(paper.ax, patch, "attack", f"{gid}attack-{path}")
    if last:
        corners = [tip, (tip[0] - 6.5, tip[1] + 12.0), (tip[0] + 6.5, tip[1] + 12.0)]
        head = Polygon(corners, closed=True, facecolor=p.attacker, linewidth=0, zorder=3)
        paper.pen.patch(paper.ax, head, "attack head", f"{gid}head-{path}")


def _card(paper: Sheet, s: Scene, path: str, node: Tree, box: Box, gid: str) -> None:
    """A test on quiet ground; a leaf out of reach pale, one in reach framed, the worst one filled."""
    p, leaf = paper.pen.palette, isinstance(node, Leaf) and path not in s.hidden
    near = s.step is not None or any(end.startswith(path) for end in s.ways.attacks)
    worst = leaf and s.step is None and path in s.ways.worst
    here = leaf and s.step is not None and path == s.attack.leaf
    fill = p.attacker if worst else p.background if leaf or path in s.hidden else p.panel
    edge = p.attacker if near and leaf else p.faint
    kind = "worst leaf" if worst else "leaf" if leaf else "stub" if path in s.hidden else "test"
    frame = FancyBboxPatch(
        (box.left, box.bottom), box.width, box.height, boxstyle="round,pad=0,rounding_size=8", facecolor=fill,
        edgecolor=edge, linewidth=(3.0 if here else 1.6) * paper.scale, zorder=4,
        linestyle="-" if near else (0, (2, 2)),
    )  # fmt: skip
    paper.pen.patch(paper.ax, frame, kind, f"{gid}node-{path}")
    ink = p.on(p.attacker) if worst else p.ink if near else p.soft
    y = box.top - (24.0 if leaf else 16.5)
    for k, line in enumerate(filter(None, s.lines(path, node))):
        size = _letters(s, path, node, k)
        role = f"{kind.replace('worst ', '')} {('head', 'details', 'note')[k]}"
        bold = k == 0 and path not in s.hidden
        paper.text(
            box.x, y, line, role, size=size, bold=bold, color=ink, ha="center", gid=f"{gid}{role[-4:]}-{path}"
        )
        y -= 19.0 if leaf else 16.0
    if worst:
        paper.text(
            box.x, box.bottom - 5.0, "hurts most", "worst", size=SMALL, bold=True, ha="center", va="top"
        )


def _coin(
    paper: Sheet, boxes: Mapping[str, Box], path: str, moves: tuple[Move, ...], strong: bool, gid: str
) -> None:
    """In the middle of a bought edge: the cost on a coin, and the change beside it."""
    (ax, ay), (bx, by), _ = _curve(boxes, path)
    x, y = (ax + bx) / 2, (ay + by) / 2
    cost, change = spent(moves), f"{feature_said(moves[0].feature)} {_from_to(moves)}"
    r = 11.0 + max(0.0, typeface.width(number(cost), SMALL, bold=True) - 14.0) / 2
    wide, side = typeface.width(change, SMALL) + 14.0, -1 if path[-1] == "l" else 1
    left = x + side * (r + 2.0) - (wide if side < 0 else 0.0)
    p = paper.pen.palette
    pill = FancyBboxPatch((left, y - 10.5), wide, 21.0, boxstyle="round,pad=0,rounding_size=8", zorder=6,
                          facecolor=p.background, edgecolor=p.faint, linewidth=paper.scale)  # fmt: skip
    paper.pen.patch(paper.ax, pill, "coin frame", f"{gid}pill-{path}")
    paper.text(
        left + wide / 2,
        y,
        change,
        "coin change",
        size=SMALL,
        ha="center",
        va="center_baseline",
        zorder=7,
        gid=f"{gid}change-{path}",
    )
    coin(paper.pen, paper.ax, x, y, cost, "coin", scale=paper.scale, gid=f"{gid}coin-{path}",
         alpha=None if strong else 0.75)  # fmt: skip


def _from_to(moves: Sequence[Move]) -> str:
    return f"{value_said(moves[0].before, 14)} → {value_said(moves[-1].after, 14)}"


__all__ = ["DASHES", "Scene", "draw_tree", "scene"]

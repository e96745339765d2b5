"""A tree under attack: the row's own way a broad road, the attack dashed, a gate with a coin where it must
pay, the leaves in reach framed, the worst one filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from treant_viz.core.tree import Leaf, Node, Tree, leaves, walk
from treant_viz.viz.attack_path.facts import AppliedRule, Attack, RowAttacks, touched
from treant_viz.viz.attack_path.gate import DASHES, GATE, draw_gate
from treant_viz.viz.attack_path.words import condition, loss_text
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.layout import Layout, LayoutBox, layout

WIDE, TALL = (
    860.0,
    440.0,
)  # a tree of which all is shown; a tree cut down to some ways may be as high as it likes
TAG, UNDER, ASIDE = 18.0, 22.0, 20.0  # of a tag below a leaf; from a gate to its card; from a gate to its way
MOST = 6  # other leaves in reach that are looked for in a large tree


@dataclass(frozen=True, slots=True, eq=False)
class PlayedTree:
    """One tree of the picture. `shown` is the leaf whose attack is played: after `step` of its moves, or with
    the verdict if that is None. `tree` has a leaf in place of every `hidden` part; `split` is where one more
    test is put, or is to be put."""

    ways: RowAttacks
    shown: str
    tree: Tree
    hidden: Mapping[str, Tree]
    place: Layout
    heading: str = ""
    split: str | None = None
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
    def paid(self) -> dict[str, tuple[AppliedRule, ...]]:
        """By edge, the moves that buy it."""
        return {} if self.drawn is None else self.ways.coins(self.drawn)

    @property
    def gates(self) -> frozenset[str]:
        """The edges that are bought when the attack is over: room is kept for what is said there."""
        return frozenset(replace(self, step=None).paid) & self.paths

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
            return (condition(node), "the new split") if path == self.split else (condition(node),)
        prediction = f"ŷ = {number(self.ways.predictions[path])}"
        return prediction, f"loss {loss_text(self.ways, path)}", self.note(path)

    def note(self, path: str) -> str:
        """What a leaf is to the row."""
        ways = self.ways
        if path == ways.home:
            return "without attack" if self.attack.moves else "with or without attack"
        if self.step is not None:
            return ""
        if path not in ways.attacks:
            return "out of reach"
        return "under attack" if path == self.shown else f"costs {number(ways.attacks[path].cost)}"

    def tags(self, path: str) -> tuple[str, ...]:
        """What is said below a leaf."""
        worst = self.step is None and path in self.ways.worst
        phrase = ["worst leaf in reach"] if worst else []
        if self.split is not None and path.startswith(self.split):
            phrase.append("this leaf is split" if path == self.split else "new leaf")
        return tuple(phrase)


def scene(ways: RowAttacks, shown: str, heading: str = "", split: str | None = None) -> PlayedTree:
    """The whole tree if it can be read; if not, the ways that the row takes, and to as many leaves as can be
    read.
    """
    for tree, hidden in _choices(ways, shown):
        made = PlayedTree(ways, shown, tree, hidden, Layout({}, (), 0.0, 0.0), heading, split)
        made = replace(made, place=_arranged(tree, _sizes(made)))
        if made.place.width <= WIDE and (made.place.height <= TALL or hidden):
            break
    return made


def aligned(before: PlayedTree, after: PlayedTree) -> tuple[PlayedTree, PlayedTree]:
    """The same node at the same place in both, if all that the first shows is a part of the second."""
    if not before.paths <= after.paths or before.hidden or after.hidden:
        return before, after
    one, two = _sizes(before), _sizes(after)
    both = {p: tuple(map(max, one.get(p, size), size)) for p, size in two.items()}
    place = _arranged(after.tree, both)
    return replace(before, place=place), replace(after, place=place)


def _choices(ways: RowAttacks, shown: str) -> Iterator[tuple[Tree, dict[str, Tree]]]:
    """The whole tree, then less and less of it."""
    yield ways.tree, {}
    ranked, always = ways.ranked(), {*ways.attacks[shown].stops, ways.home, shown}
    for most in range(min(MOST, len(ranked)), -1, -1):
        yield touched(ways.tree, {*always, *ranked[:most]})


def _sizes(s: PlayedTree) -> dict[str, Any]:
    """Of every node with what stands above it (a gate) and below it (its tags)."""
    sizes, down = {}, _down(s.tree)
    for path, node in walk(s.tree):
        wide, tall = _size(s, path, node)
        if path in s.gates:
            wide, tall = _slot(wide), tall + GATE.height + UNDER + 10.0 - down
        sizes[path] = wide, tall + TAG * len(s.tags(path))
    return sizes


def _slot(wide: float) -> float:
    """The width that a card and the gate beside its way need; the card stands at the inner end."""
    return max(wide, GATE.width + ASIDE + wide / 2)


def _arranged(tree: Tree, sizes: Mapping[str, Any]) -> Layout:
    return layout(tree, sizes, across=20.0, down=_down(tree))


def _down(tree: Tree) -> float:
    """From level to level; deep trees are closer."""
    level = max(len(path) for path, _ in walk(tree))
    return 48.0 if level < 4 else 33.0 if level < 6 else 30.0


def _size(s: PlayedTree, path: str, node: Tree) -> tuple[float, float]:
    lines = s.lines(path, node)
    wide = [typeface.width(line, _letters(s, path, node, k), bold=k == 0) for k, line in enumerate(lines)]
    full = isinstance(node, Leaf) and path not in s.hidden
    least = 150.0 if full and s.ways.home == path else 118.0 if full else 0.0  # notes of other steps
    wide += [typeface.width(tag, SMALL, bold=True) - 22.0 for tag in s.tags(path)]
    return max(*wide, least) + 22.0, 70.0 if full else 8.0 + 16.0 * len(lines)


def _letters(s: PlayedTree, path: str, node: Tree, line: int) -> float:
    if path in s.hidden:
        return SMALL
    return (HEAD if isinstance(node, Leaf) else BODY) if line == 0 else SMALL


# the tree


def draw_tree(paper: Sheet, s: PlayedTree, room: LayoutBox, gid: str) -> dict[str, LayoutBox]:
    """Edges first, then the cards; returns where they are."""
    boxes, gates = _spread(s, room)
    gates = {path: box for path, box in gates.items() if path in s.paid}
    played = s.drawn.leaf if s.drawn else ""
    strong = s.drawn is not None and bool(s.attack.moves)
    for path in sorted(filter(None, s.paths), key=lambda p: (len(p), p)):  # the same order every time
        _edge(paper, s, path, boxes, gid)
    for path in (played[:i] for i in range(1, len(played) + 1) if played[:i] in s.paths):
        _attack_edge(paper, path, boxes, strong, path == played, gid)
    for path, node in walk(s.tree):
        _card(paper, s, path, node, boxes[path], gid)
    for path, box in gates.items():
        moves = s.paid[path]
        crossed = [c for c in s.ways.crossings(played) if c.column == moves[0].column]
        draw_gate(paper, box, moves, crossed, _on(boxes, path), strong, f"{gid}{path}")
    return boxes


def _spread(s: PlayedTree, room: LayoutBox) -> tuple[dict[str, LayoutBox], dict[str, LayoutBox]]:
    """The cards in the room that there is, their middles drawn apart, each as large as its words; and the
    gates above some of them, beside the way.
    """
    place = s.place
    x = min(room.width / place.width, 1.5) if place.width else 1.0
    y = min(room.height / place.height, 1.5)
    left, up = (
        room.left + (room.width - x * place.width) / 2,
        room.bottom + (room.height - y * place.height) / 2,
    )
    cards, gates = {}, {}
    for path, node in walk(s.tree):
        wide, high = _size(s, path, node)
        top, middle = up + y * place[path].top, left + x * place[path].x
        if path in s.gates:
            top -= GATE.height + UNDER + 10.0 - _down(s.tree)
            inward = (_slot(wide) - wide) / 2
            middle += inward if path[-1] == "l" else -inward
            aside = middle - ASIDE - GATE.width if path[-1] == "l" else middle + ASIDE
            gates[path] = LayoutBox(aside, top + UNDER, *GATE)
        cards[path] = LayoutBox(middle - wide / 2, top - high, wide, high)
    return cards, gates


def _on(boxes: Mapping[str, LayoutBox], path: str, t: float = 0.78) -> tuple[float, float]:
    """A point of an edge, 0 at the test and 1 at the node below."""
    a, _, _, b = np.asarray(_curve(boxes, path).vertices, dtype=float).tolist()
    across, along = 3 * t**2 - 2 * t**3, 1.5 * t * (1 - t) + t**3
    return a[0] + across * (b[0] - a[0]), a[1] + along * (b[1] - a[1])


def _curve(boxes: Mapping[str, LayoutBox], path: str) -> Path:
    """An edge from the foot of a test to the head of the node below."""
    above, below = boxes[path[:-1]], boxes[path]
    a, b = (above.x + (-7.0 if path[-1] == "l" else 7.0), above.bottom), (below.x, below.top)
    bend = (a[1] + b[1]) / 2
    codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    points = [a, (a[0], bend), (b[0], bend), b]
    return Path(points, codes)


def _edge(paper: Sheet, s: PlayedTree, path: str, boxes: Mapping[str, LayoutBox], gid: str) -> None:
    """A broad road on the row's own way, a thin line elsewhere; which answer leads there."""
    p, own = paper.pen.palette, s.ways.home.startswith(path)
    look: dict[str, Any] = {"facecolor": "none", "capstyle": "butt", "zorder": 1.2 if own else 1.0}
    color, wide = (mixed(p.background, p.soft, 0.5), 9.0) if own else (mixed(p.faint, p.soft, 0.5), 1.4)
    patch = PathPatch(_curve(boxes, path), edgecolor=color, linewidth=wide * paper.scale, **look)
    paper.pen.patch(paper.ax, patch, "own way" if own else "edge", f"{gid}edge-{path}")
    left, top = path[-1] == "l", boxes[path]
    x, y = top.x + (-11.0 if left else 11.0), top.top + 3.0
    paper.text(x, y, "yes" if left else "no", "side", size=SMALL, color=p.words("left" if left else "right"),
               ha="right" if left else "left", va="bottom", zorder=2)  # fmt: skip


def _attack_edge(
    paper: Sheet, path: str, boxes: Mapping[str, LayoutBox], strong: bool, last: bool, gid: str
) -> None:
    """Dashes on the way of the attack, an arrow head before the leaf."""
    p, curve, tip = paper.pen.palette, _curve(boxes, path), (boxes[path].x, boxes[path].top)
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": p.attacker, "linestyle": DASHES, "zorder": 1.6}
    patch = PathPatch(curve, linewidth=(3.4 if strong else 1.8) * paper.scale, **look)
    paper.pen.patch(paper.ax, patch, "attack", f"{gid}attack-{path}")
    if last:
        corners = [tip, (tip[0] - 8.0, tip[1] + 14.0), (tip[0] + 8.0, tip[1] + 14.0)]
        look = {
            "facecolor": p.attacker,
            "edgecolor": p.background,
            "linewidth": 1.6 * paper.scale,
            "zorder": 5,
        }
        head = Polygon(corners, closed=True, **look)
        paper.pen.patch(paper.ax, head, "attack head", f"{gid}head-{path}")


def _card(paper: Sheet, s: PlayedTree, path: str, node: Tree, box: LayoutBox, gid: str) -> None:
    """A test on quiet ground; a leaf out of reach pale, one in reach framed, the worst one filled."""
    p, leaf = paper.pen.palette, isinstance(node, Leaf) and path not in s.hidden
    near = s.step is not None or any(end.startswith(path) for end in s.ways.attacks)
    worst = leaf and s.step is None and path in s.ways.worst
    here = leaf and s.step is not None and path == s.attack.leaf
    fill = p.attacker if worst else p.background if leaf or path in s.hidden else p.panel
    edge = p.attacker if (near and leaf) or path == s.split else p.soft
    kind = "worst leaf" if worst else "leaf" if leaf else "stub" if path in s.hidden else "test"
    frame = FancyBboxPatch(
        (box.left, box.bottom), box.width, box.height, boxstyle="round,pad=0,rounding_size=8", facecolor=fill,
        edgecolor=edge, linewidth=(3.0 if here else 1.6) * paper.scale, zorder=4,
        linestyle="-" if near else (0, (2, 2)),
    )  # fmt: skip
    paper.pen.patch(paper.ax, frame, kind, f"{gid}node-{path}")
    color = p.on(p.attacker) if worst else p.ink if near else p.soft
    y = box.top - (22.0 if leaf else 17.0)
    for k, line in enumerate(filter(None, s.lines(path, node))):
        size = _letters(s, path, node, k)
        role = f"{kind.replace('worst ', '')} {('head', 'details', 'note')[k]}"
        bold = k == 0 and path not in s.hidden
        paper.text(
            box.x,
            y,
            line,
            role,
            size=size,
            bold=bold,
            color=color,
            ha="center",
            gid=f"{gid}{role[-4:]}-{path}",
        )
        y -= 18.5 if leaf else 16.0
    for k, tag in enumerate(s.tags(path) if leaf else ()):
        foot = box.bottom - 5.0 - TAG * k
        paper.text(box.x, foot, tag, "worst" if tag.startswith("worst") else "tag", size=SMALL, bold=True,
                   ha="center", va="top")  # fmt: skip


__all__ = ["PlayedTree", "aligned", "draw_tree", "scene"]

"""Below a tree under attack: the budget as it drains, the moves in feature space, and what the signs mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.patches import FancyBboxPatch, Rectangle

from treant_viz.viz import lettering
from treant_viz.viz.attack_cards import Scene
from treant_viz.viz.attack_column import WIDTH, Column, draw_column, head, say
from treant_viz.viz.attack_facts import Attack
from treant_viz.viz.attack_ink import DASHES, ROAD, road_color
from treant_viz.viz.attack_words import loss_said
from treant_viz.viz.canvas import SMALL, Ink
from treant_viz.viz.card import counted
from treant_viz.viz.layout import Box
from treant_viz.viz.text import number
from treant_viz.viz.tree_ink import Placed

HEIGHT, GAP, KEY = 84.0, 34.0, 26.0  # of the strip, between its columns, of a line of the key
BUDGET = 150.0  # width
DROP, TALL = 10.0, 400.0  # between blocks one below the other; from this height of a tree on, they are
MOST = 3  # features drawn
SIGNS = {"road": "the row's own way", "dashes": "attack; coin: its cost", "1": "in reach", "2": "in reach, hurts most"}


def _columns(scene: Scene, attack: Attack) -> tuple[Column, ...]:
    """The changed features of an attack, and the tests that the one that is played crosses."""
    crossings = scene.ways.crossings(scene.shown)
    moves = attack.by_feature[:MOST]
    return tuple(Column(ms, tuple(c for c in crossings if c.column == ms[0].column)) for ms in moves)


@dataclass(frozen=True, slots=True)
class Stage:
    """The room of a scene: the tree at the top; below it, or beside it if it is tall, the strip and the key."""

    width: float
    height: float
    top: float
    key: Box
    aside: bool

    def blocks(self, scene: Scene) -> list[Box]:
        """A box for the budget, and one for each feature that is changed."""
        widths = _widths(scene)
        if self.aside:
            tops = [self.height - self.top - k * (HEIGHT + DROP) for k in range(len(widths))]
            return [Box(self.key.left, top - HEIGHT, w, HEIGHT) for w, top in zip(widths, tops, strict=True)]
        x = (self.width - _across(widths)) / 2
        lefts = [x + sum(widths[:k]) + GAP * k for k in range(len(widths))]
        return [Box(left, self.key.top, w, HEIGHT) for w, left in zip(widths, lefts, strict=True)]


def stage(scenes: Sequence[Scene], top: float) -> Stage:
    """Room for the largest of some scenes, with so much left free above."""
    wide, tall = (max(size) for size in zip(*((s.place.width, s.place.height) for s in scenes), strict=True))
    widths = [_widths(s) for s in scenes]
    if len(scenes) == 1 and tall > TALL:
        column, rows = max(*widths[0], 220.0), len(SIGNS)
        least = len(widths[0]) * (HEIGHT + DROP) + KEY * rows
        height = max(tall, least) + top
        key = Box(wide + GAP, height - top - least, column, KEY * rows)
        return Stage(wide + GAP + column, height, top, key, aside=True)
    width = max(wide, *map(_across, widths))
    key = Box(0.0, 0.0, width, KEY * _key_lines(width))
    return Stage(width, tall + GAP + HEIGHT + key.height + top, top, key, aside=False)


def _widths(scene: Scene) -> list[float]:
    """Of the blocks of an attack that is played to the end."""
    full = _columns(scene, scene.ways.attacks[scene.shown])
    return [BUDGET, *(column.width for column in full)] if full else [BUDGET, 1.3 * WIDTH]


def _across(widths: Sequence[float]) -> float:
    return sum(widths) + GAP * (len(widths) - 1)


def draw_strip(ink: Ink, placed: Placed, scene: Scene, boxes: Sequence[Box], label: str) -> None:
    """The budget first, then each feature that is changed."""
    _budget(ink, placed, scene, boxes[0])
    found = _columns(scene, scene.attack)
    for i, (column, box) in enumerate(zip(found, boxes[1:], strict=False)):
        draw_column(ink, placed, column, box, str(i))
    if not found:
        _at_home(ink, placed, scene, boxes[1], label)
    hidden = len(scene.attack.by_feature) - len(found)
    if hidden > 0:
        say(ink, placed, boxes[-1].left, boxes[-1].bottom + 2.0, f"+ {counted(hidden, 'change')} more", "more changes")


def _at_home(ink: Ink, placed: Placed, scene: Scene, box: Box, label: str) -> None:
    """Nothing is changed; and what the best move would do."""
    head(ink, placed, box, f"{label} as it is: nothing changed")
    if scene.step is not None:
        return
    said = "no other leaf is in reach"
    if ranked := scene.ways.ranked():
        cost = number(scene.ways.attacks[ranked[0]].cost)
        verb = "costs" if ranked[0] in scene.ways.worst else "would cost"
        said = f"moving {verb} {cost}\nfor a loss of {loss_said(scene.ways, ranked[0])}"
    say(ink, placed, box.left, box.top - 28.0, said, "best move", linespacing=1.4, va="top")


def _budget(ink: Ink, placed: Placed, scene: Scene, box: Box) -> None:
    """What is left is filled, what is spent is hollow and dashed, a piece for each move."""
    total, moves, p = scene.ways.budget, scene.attack.moves, ink.palette
    head(ink, placed, box, f"Budget {number(total)}")
    y, tall, spent, x = box.top - 48.0, 20.0, scene.attack.cost, box.right
    look: dict[str, Any] = {"linewidth": 1.4 * placed.scale, "edgecolor": p.ink, "zorder": 4}
    for i, move in enumerate(reversed(moves)):
        wide = box.width * move.cost / total
        x -= wide
        piece = Rectangle((x, y), wide, tall, facecolor="none", linestyle=DASHES, **look)
        ink.patch(placed.ax, piece, "spent", f"spent-{len(moves) - 1 - i}")
        if wide > lettering.width(number(move.cost), SMALL) + 6.0:
            say(ink, placed, x + wide / 2, y + tall / 2, number(move.cost), "spent cost", ha="center")
    if x - box.left > 1e-6 * box.width:
        left = Rectangle((box.left, y), x - box.left, tall, facecolor=p.soft if total else "none", **look)
        ink.patch(placed.ax, left, "left over", "left-over")
    said = f"spent {number(spent)}, left {number(total - spent)}"
    say(ink, placed, box.left, y - 15.0, said, "budget")


def _key_lines(width: float) -> int:
    """How many lines the key needs in this width."""
    return 1 if sum(map(_entry, SIGNS.values())) <= width else 2


def _entry(said: str) -> float:
    return 46.0 + lettering.width(said, SMALL) + 20.0


def draw_key(ink: Ink, placed: Placed, scenes: Sequence[Scene], box: Box) -> None:
    """What the signs mean that are there, in as many lines as the box has."""
    words, verdict = list(SIGNS.values()), scenes[0].step is None
    per = -(-len(words) // round(box.height / KEY))
    wide = [max(map(_entry, words[k::per])) for k in range(per)]
    for i, (sign, said) in enumerate(SIGNS.items()):
        there = any(s.drawn for s in scenes) if sign == "dashes" else verdict or sign == "road"
        x, y = box.left + sum(wide[: i % per]), box.top - KEY * (i // per + 0.5)
        if there:
            _sign(ink, placed, sign, x, y)
            say(ink, placed, x + 46.0, y, said, "key")


def _sign(ink: Ink, placed: Placed, sign: str, x: float, y: float) -> None:
    p, s = ink.palette, placed.scale
    if sign in ("road", "dashes"):
        look: dict[str, Any] = {"color": road_color(p), "linewidth": ROAD * s, "solid_capstyle": "butt"}
        look = look if sign == "road" else {"color": p.attacker, "linewidth": 3.0 * s, "linestyle": DASHES}
        ink.keep("key sign", placed.ax.plot([x, x + 38.0], [y, y], **look)[0])
        return
    for k in range(int(sign) + 1):
        wide, tall = 18.0 + 6.0 * k, 6.0 + 6.0 * k
        frame = FancyBboxPatch((x + 19.0 - wide / 2, y - tall / 2), wide, tall, boxstyle="round,pad=0,rounding_size=3")
        frame.set(facecolor="none", edgecolor=p.attacker, linewidth=(1.8 if k == 0 else 1.2) * s)
        ink.patch(placed.ax, frame, "key sign")


__all__ = ["Stage", "draw_key", "draw_strip", "stage"]

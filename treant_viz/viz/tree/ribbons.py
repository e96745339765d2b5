"""The ribbons of a tree: as wide as the rows that they carry, everywhere in the picture.

Rows whose side the attacker chooses, and rows that they pushed further up, are hatched; a coin lies where
rows are pushed, on the side to which they are pushed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from matplotlib.colors import to_rgba
from matplotlib.path import Path

from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import Role
from treant_viz.viz.style.pen import BODY, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import counted, name, number
from treant_viz.viz.style.typeface import width
from treant_viz.viz.tree.facts import MANY, Flow

WHOLE, GAP = 46.0, 7.0  # points: the ribbon of all rows, and between the two sides
THIN = 1.2  # narrower ribbons get a fine line as well, or they could not be seen
SEEN = 4.0  # narrower ways of the attacker's rows are dotted, or nobody would see them
COIN, COIN_HALF = 0.4, 13.0  # where on a branch the coin lies, and half its size
BENDS = 72  # straight pieces of a bent ribbon
M, L, Z = Path.MOVETO, Path.LINETO, Path.CLOSEPOLY
SIDES: Mapping[str, Role] = {"l": "left", "r": "right"}


class Strand(NamedTuple):
    """One ribbon: the rows of one kind on their way to a child. The branch runs from x0 to x1, and the ribbon
    lies between `low` and `high`, in points across the branch, counted from its middle.
    """

    path: str
    role: Role
    rows: int
    x0: float
    x1: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


class RibbonHeights(NamedTuple):
    """The heights of ribbons into a node: the foot of the parent, where they bend, the top of the node."""

    top: float
    bend: float
    end: float


def strands(x: Mapping[str, float], flows: Mapping[str, Flow]) -> Iterator[Strand]:
    """All ribbons: from left to right what is surely left, what is the attacker's, what is surely right.

    >>> made = strands({"": 0.0, "l": -50.0, "r": 50.0}, {"l": Flow(2), "r": Flow(4, 1, 1, (1.0,))})
    >>> [(s.path, s.role, s.rows) for s in made]
    [('l', 'left', 2), ('r', 'unknown', 1), ('r', 'right', 4)]
    """
    whole = sum(flows[s].rows for s in "lr" if s in flows)
    unit = WHOLE / max(whole, 1)
    for parent in dict.fromkeys(path[:-1] for path in flows):
        wide = {side: unit * flows[parent + side].rows for side in "lr"}
        start = x[parent] - (wide["l"] + wide["r"] + GAP) / 2
        for side in "lr":
            at, middle = -wide[side] / 2, start + wide[side] / 2
            for role, rows in _kinds(side, flows[parent + side]):
                if rows:
                    yield Strand(parent + side, role, rows, middle, x[parent + side], at, at + unit * rows)
                    at += unit * rows
            start += wide[side] + GAP


def _kinds(side: str, flow: Flow) -> Iterator[tuple[Role, int]]:
    """The attacker's rows are always in the middle of the parent's rows."""
    own: tuple[Role, int] = (SIDES[side], flow.sure)
    yield from ([own, ("unknown", flow.unknown)] if side == "l" else [("unknown", flow.unknown), own])


def draw_ribbons(
    paper: Sheet,
    x: Mapping[str, float],
    runs: Mapping[str, RibbonHeights],
    flows: Mapping[str, Flow],
    faded: set[str],
) -> None:
    """Ribbons, then the answers that lead to the branches, and the coins."""
    made = list(strands(x, flows))
    few = sum(flows[side].rows for side in "lr" if side in flows) < MANY
    for s in made:
        _ribbon(paper, s, runs[s.path], 0.4 if s.path in faded else 0.85)
    for path, flow in flows.items():
        mine = [s for s in made if s.path == path]
        if mine:
            _answer(paper, mine, runs[path], flow, few)
        if flow.pushed:
            _coin(paper, next(s for s in mine if s.role == "unknown"), runs[path], flow)
        if flow.absent and few and mine:
            other = path[:-1] + ("r" if path[-1] == "l" else "l")
            _own_way(paper, mine, runs[path], flows[other], abs(x[path] - x[other]))


def _ribbon(paper: Sheet, s: Strand, run: RibbonHeights, alpha: float) -> None:
    """As wide across as its rows, wherever it bends."""
    one = [_at(s, run, i / BENDS, s.low) for i in range(BENDS + 1)]
    other = [_at(s, run, i / BENDS, s.high) for i in range(BENDS, -1, -1)]
    points = [(s.x0 + s.low, run.top), *one, *other, (s.x0 + s.high, run.top), (s.x0 + s.low, run.top)]
    codes = [M, *[L] * (len(points) - 2), Z]
    look: dict[str, Any] = paper.pen.fill(s.role) | {"zorder": 1}
    if s.role != "unknown":
        look["facecolor"] = to_rgba(look["facecolor"], alpha)
    elif alpha < 0.5:
        look["alpha"] = 0.5
    if s.width < THIN:
        look |= {
            "linewidth": 0.8 * paper.scale,
            "edgecolor": paper.pen.palette.branch(s.role).color,
            "hatch": "",
        }
    paper.shape(points, codes, f"{s.role} ribbon", gid=f"ribbon-{s.role}-{s.path}", **look)
    if s.role == "unknown" and s.width < SEEN and alpha > 0.5:
        middle = (s.low + s.high) / 2
        xs, ys = zip(*(_at(s, run, i / BENDS, middle) for i in range(BENDS + 1)), strict=True)
        paper.line(xs, ys, "thin way", color=paper.pen.palette.unknown, width=3.4, zorder=1.5,
                   linestyle=(0, (1.2, 0.8)), gid=f"thin-{s.path}")  # fmt: skip


def _at(s: Strand, run: RibbonHeights, t: float, across: float) -> tuple[float, float]:
    """A point of a branch: `t` from 0 at the parent to 1 at the node, `across` points to the right of its
    middle. A branch is two bends of one radius and a straight line between them: ribbons keep their width.
    """
    wide, tall = abs(s.x1 - s.x0), run.bend - run.end
    r = min(tall / 2, (wide**2 + tall**2) / (4 * wide)) if wide > 1e-6 else 0.0
    apart = math.hypot(wide - 2 * r, tall)  # of the middles of the two bends
    straight = math.sqrt(max(apart**2 - 4 * r * r, 0.0))
    turn = math.atan2(wide - 2 * r, tall) + math.asin(min(2 * r / apart, 1.0))
    way = t * (2 * r * turn + straight)
    if way <= r * turn:
        x, y, angle = r * (1 - math.cos(a := way / r if r else 0.0)), r * math.sin(a), a
    elif way >= r * turn + straight:
        a = max(2 * r * turn + straight - way, 0.0) / r if r else 0.0
        x, y, angle = wide - r * (1 - math.cos(a)), tall - r * math.sin(a), a
    else:
        on, angle = way - r * turn, turn
        x = r * (1 - math.cos(turn)) + on * math.sin(turn)
        y = r * math.sin(turn) + on * math.cos(turn)
    side = 1.0 if s.x1 >= s.x0 else -1.0
    return s.x0 + side * x + across * math.cos(angle), run.bend - y + side * across * math.sin(angle)


def _answer(paper: Sheet, mine: list[Strand], run: RibbonHeights, flow: Flow, few: bool) -> None:
    """The answer that leads to a branch beside its ribbons, outside; and who is pushed there."""
    path, side = mine[0].path, SIDES[mine[0].path[-1]]
    out = -1.0 if side == "left" else 1.0
    away = min(q.low for q in mine) if side == "left" else max(q.high for q in mine)
    x, y = _at(mine[0], run, 0.66, away + 9.0 * out)
    words = "yes" if side == "left" else "no"
    look: dict[str, Any] = {"ha": "right" if side == "left" else "left", "va": "center", "bold": True}
    paper.text(x, y, words, "edge label", size=BODY, color=paper.pen.palette.words(side),
               gid=f"branch-{path}", **look)  # fmt: skip
    if flow.pushed:  # by the coin, on the other side of the ribbons
        words, color = f"{_who(flow, few)} pushed", paper.pen.palette.words("unknown")
        look |= {"size": SMALL, "gid": f"pushed-{path}", "zorder": 7, "color": color}
        if abs(mine[0].x1 - mine[0].x0) < width(words, SMALL, bold=True) + 40.0:  # no room below the coin
            paper.text(x, y + 1.4 * BODY, words, "pushed", **look)
            return
        coin = next((q.low + q.high) / 2 for q in mine if q.role == "unknown") - (COIN_HALF + 2.0) * out
        ends = [coin, *(q.high if side == "left" else q.low for q in mine)]
        x, y = _at(mine[0], run, COIN, max(ends) if side == "left" else min(ends))
        look |= {"ha": "left" if side == "left" else "right", "va": "top"}
        paper.text(x - 8 * out, y, words, "pushed", **look)


def _own_way(paper: Sheet, mine: list[Strand], run: RibbonHeights, other: Flow, room: float) -> None:
    """Beside the ribbons of a branch, where rows would go that are pushed elsewhere; with words where they
    are pushed to the `other` branch, if there is room between the two.
    """
    s, left = mine[0], mine[0].path.endswith("l")
    away = max(q.high for q in mine) + 5.0 if left else min(q.low for q in mine) - 5.0
    xs, ys = zip(*(_at(s, run, i / BENDS, away) for i in range(BENDS + 1)), strict=True)
    p = paper.pen.palette
    paper.line(xs, ys, "own way", color=p.unknown, width=2.4, linestyle=(0, (3, 2)), gid=f"own-{s.path}")
    x0, y0 = xs[-1], ys[-1]
    tip = [(x0, y0), (x0 - 4.5, y0 + 9.0), (x0 + 4.5, y0 + 9.0), (x0, y0)]
    paper.shape(tip, [M, L, L, Z], "own way head", facecolor=p.unknown, edgecolor="none", zorder=2)
    x, y = _at(s, run, 0.6, away + (9.0 if left else -9.0))
    words, ha = f"{_who(other, True)} without attack", "left" if left else "right"
    if other.pushed and room > 2 * width(words, SMALL) + 60.0:
        paper.text(
            x, y, words, "own way words", size=SMALL, zorder=7, color=p.words("unknown"), ha=ha, va="top"
        )


def _who(flow: Flow, few: bool) -> str:
    """Among few rows the one that is pushed by its name, else how many."""
    return name(flow.who, 14) if flow.who and few else counted(flow.pushed, "row")


def _coin(paper: Sheet, s: Strand, run: RibbonHeights, flow: Flow) -> None:
    """What a push costs, on the ribbon. Different costs stand as the least and the most."""
    x, y = _at(s, run, COIN, (s.low + s.high) / 2)
    cost: float | str = flow.costs[0]
    if len(flow.costs) > 1:
        cost = f"{number(flow.costs[0])} to {number(flow.costs[-1])}"
    parts.coin(paper.pen, paper.ax, x, y, cost, scale=paper.scale, gid=f"coin-{s.path}")


__all__ = ["GAP", "WHOLE", "RibbonHeights", "Strand", "draw_ribbons", "strands"]

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
from treant_viz.viz.tree.facts import Flow

WHOLE, GAP = 62.0, 7.0  # points: the ribbon of all rows, and between the two sides
THIN = 1.2  # narrower ribbons get a fine line as well, or they could not be seen
COIN = 0.4  # where on a branch the coin lies
BENDS = 32  # straight pieces of a bent ribbon
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


class Run(NamedTuple):
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
    paper: Sheet, x: Mapping[str, float], runs: Mapping[str, Run], flows: Mapping[str, Flow], faded: set[str]
) -> None:
    """Ribbons, then the letters of the branches and the coins."""
    made = list(strands(x, flows))
    for s in made:
        _ribbon(paper, s, runs[s.path], 0.4 if s.path in faded else 0.85)
    for path, flow in flows.items():
        mine = [s for s in made if s.path == path]
        if mine:
            _letter(paper, mine, runs[path], 0.86 if len(flow.costs) > 1 else 0.66)
        if flow.pushed:
            other = path[:-1] + ("r" if path[-1] == "l" else "l")
            inner = [
                _at(s, runs[other], COIN, s.high if path[-1] == "r" else s.low)[0]
                for s in made
                if s.path == other
            ]
            _coin(paper, next(s for s in mine if s.role == "unknown"), runs[path], flow, inner)


def _ribbon(paper: Sheet, s: Strand, run: Run, alpha: float) -> None:
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


def _at(s: Strand, run: Run, t: float, across: float) -> tuple[float, float]:
    """A point of a branch: `t` from 0 at the parent to 1 at the node, `across` points to the right of its
    middle.
    """
    u, half = 1.0 - t, (run.bend + run.end) / 2
    x = (u**3 + 3 * u * u * t) * s.x0 + (3 * u * t * t + t**3) * s.x1
    y = u**3 * run.bend + 3 * u * t * (u + t) * half + t**3 * run.end
    dx = 6 * u * t * (s.x1 - s.x0)
    dy = 3 * (u * u * (half - run.bend) + t * t * (run.end - half))
    length = math.hypot(dx, dy) or 1.0
    return x - across * dy / length, y + across * dx / length


def _letter(paper: Sheet, mine: list[Strand], run: Run, share: float) -> None:
    """L or R beside the ribbons of a branch, outside; at the root also what the letter means."""
    path, side = mine[0].path, SIDES[mine[0].path[-1]]
    away = min(q.low for q in mine) - 9.0 if side == "left" else max(q.high for q in mine) + 9.0
    x, y = _at(mine[0], run, share, away)
    words = {"left": "L", "right": "R"}[side] + (
        {"left": " yes", "right": " no"}[side] if len(path) == 1 else ""
    )
    look: dict[str, Any] = {"ha": "right" if side == "left" else "left", "va": "center"}
    paper.text(x, y, words, "edge label", size=BODY, bold=True, color=paper.pen.palette.words(side),
               gid=f"branch-{path}", **look)  # fmt: skip


def _coin(paper: Sheet, s: Strand, run: Run, flow: Flow, inner: list[float]) -> None:
    """What a push costs, on the ribbon, and who is pushed: towards the middle if the sibling's ribbons, which
    end at `inner`, leave room, else below. Different costs stand as the least and the most.
    """
    x, y = _at(s, run, COIN, (s.low + s.high) / 2)
    cost: float | str = flow.costs[0]
    if len(flow.costs) > 1:
        cost = f"{number(flow.costs[0])} to {number(flow.costs[-1])}"
    parts.coin(paper.pen, paper.ax, x, y, cost, scale=paper.scale, gid=f"coin-{s.path}")
    words = f"{name(flow.who, 14) if flow.who else counted(flow.pushed, 'row')} pushed"
    inward = 1.0 if s.path.endswith("l") else -1.0
    away = 11.0 + width(number(cost), SMALL, bold=True) / 2
    room = min((abs(x - end) for end in inner), default=math.inf) - away + 14.0  # words may come near
    look: dict[str, Any] = {"ha": "left" if inward > 0 else "right", "va": "top", "zorder": 7}
    place = (x + away * inward, y - 1.0)
    if room < width(words, SMALL, bold=True):
        quiet = {"boxstyle": "round,pad=0.1", "facecolor": paper.pen.palette.background, "edgecolor": "none"}
        look |= {"ha": "center", "bbox": quiet}
        place = (x, y - 16.0)
    paper.text(*place, words, "pushed", size=SMALL, bold=True, gid=f"pushed-{s.path}", **look)


__all__ = ["GAP", "WHOLE", "Run", "Strand", "draw_ribbons", "strands"]

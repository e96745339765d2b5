"""How rules on categories are drawn: arrows with coins from category to category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import HEAD, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import name
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.rule.display import RuleDisplay

NODE = 40.0  # height of a category


def draw_categories(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """What can be changed on the left, what it becomes on the right, an arrow with a coin for each change."""
    ends = list(dict.fromkeys(c for lane in d.lanes for _, c in lane.changes))
    starts = [lane for lane in d.lanes if lane.changes or lane.value not in ends]
    need = max(len(starts), len(ends)) * (NODE + 10.0) + 30.0
    paper = sheet(target, pen, 640.0, need, most=1.6)
    right = {c: paper.height * (1.0 - (i + 0.5) / len(ends)) for i, c in enumerate(ends)}
    wide = max([*(width(name(c), HEAD, bold=True) for c in right), 40.0]) + 34.0
    for c, y in right.items():
        _category(paper, c, 0.74 * paper.width, y, wide, "becomes", "left")
        if any(lane.value == c and not lane.changes for lane in d.lanes):
            words = "no rule changes this one"
            paper.text(0.74 * paper.width, y - NODE / 2 - 6.0, words, "stays", va="top",
                       color=pen.palette.soft)  # fmt: skip
    gap = min((paper.height - 30.0) / max(len(starts), 1), 110.0)
    into: dict[object, int] = dict.fromkeys(ends, 0)
    total = {c: sum(c == e for lane in d.lanes for _, e in lane.changes) for c in ends}
    mine = max(width(name(lane.value), HEAD, bold=True) for lane in d.lanes) + 34.0
    for i, lane in enumerate(starts):
        y, edge = paper.height / 2 + gap * ((len(starts) - 1) / 2 - i), max(0.30 * paper.width, mine + 16.0)
        _category(paper, lane.value, edge - mine, y, mine, "value words", "left")
        if not lane.changes:
            paper.text(edge + 14.0, y, "no rule changes this one", "stays", va="center",
                       color=pen.palette.soft)  # fmt: skip
        for cost, c in lane.changes:
            spread = NODE * 0.7 * ((into[c] + 0.5) / total[c] - 0.5)
            into[c] += 1
            _change(
                paper, (edge + 4.0, y), (0.74 * paper.width - 4.0, right[c] - spread), cost, f"{i}-{into[c]}"
            )


def _category(paper: Sheet, c: Any, left: float, y: float, wide: float, role: str, ha: str) -> None:
    p = paper.pen.palette
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.ink, "linewidth": 1.6 * paper.scale}
    shape = "round,pad=0,rounding_size=10"
    frame = FancyBboxPatch((left, y - NODE / 2), wide, NODE, boxstyle=shape, zorder=3, **look)
    paper.pen.patch(paper.ax, frame, "category")
    paper.text(left + wide / 2, y, name(c), role, size=HEAD, bold=True, ha="center", va="center")


def _change(paper: Sheet, a: tuple[float, float], b: tuple[float, float], cost: float, gid: str) -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 18 * paper.scale, "zorder": 4}
    arrow = FancyArrowPatch(a, b, color=paper.pen.palette.ink, linewidth=2.0 * paper.scale, shrinkA=0,
                            shrinkB=0, **look)  # fmt: skip
    paper.pen.patch(paper.ax, arrow, "reach", f"reach-{gid}")
    x, y = (u + 0.4 * (v - u) for u, v in zip(a, b, strict=True))
    parts.coin(paper.pen, paper.ax, x, y, cost, scale=paper.scale, gid=f"coin-{gid}")


__all__ = ["draw_categories"]

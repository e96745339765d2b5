"""How rules are drawn: hops on one number line, or arrows from category to category."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path

from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import name, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.rule.display import RuleDisplay
    from treant_viz.viz.rule.facts import Lane

LEFT, RIGHT, RULE, FOOT = 44.0, 170.0, 30.0, 50.0  # points: beside the line, of a rule on top, below
BAND, ARC = 0.16, 0.40  # of a lane: how high the band is, and the hops above it
APART = 34.0  # points between two coins
NODE = 40.0  # height of a category


def draw_numbers(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """Where each rule applies on top, then for each value its hops, all on one line."""
    above = 16.0 + RULE * len(d.rules)
    [[ax]] = placed(target, pen, [(above, 1.0, FOOT)], [(LEFT, 1.0, RIGHT)])
    low, high = _ends(d)
    ax.set(xlim=(low, high), ylim=(len(d.lanes) - 0.55, -0.72), yticks=[])
    who = name(d.feature)
    pen.style(ax, xlabel=f"change of {who}" if d.relative else who, spines=("bottom",))
    ax.locator_params(axis="x", nbins=8)
    ax.xaxis.set_major_formatter(lambda x, _: ("+" if d.relative and x > 0 else "") + value(x))
    ax.grid(axis="x", color=pen.palette.faint, linewidth=0.8, zorder=0)
    ax.set_axisbelow(True)
    tall = ax.get_window_extent().height * 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    for i, (rule, text) in enumerate(zip(d.rules, d.texts, strict=True)):
        _rule(pen, ax, rule.pre, text, 1.0 + (6.0 + RULE * (len(d.rules) - 1 - i)) / tall, i)
    for y, lane in enumerate(d.lanes):
        _lane(d, pen, ax, lane, y)


def _ends(d: RuleDisplay) -> tuple[float, float]:
    """The part of the line that is drawn: all that can be reached; rules further out run off it."""
    seen = [e for lane in d.lanes for e in (float(lane.value), *lane.reach) if math.isfinite(e)]
    low, high = min(seen), max(seen)
    margin = 0.07 * (high - low) or 1.0
    return low - margin, high + margin


def _rule(pen: Pen, ax: Axes, pre: tuple[float, float], text: str, up: float, i: int) -> None:
    """A line over all values to which a rule applies, its words on it; where it ends, a line through all."""
    p, (low, high) = pen.palette, ax.get_xlim()
    a, b = max(pre[0], low), min(pre[1], high)
    if a > high or b < low:
        return
    over: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "clip_on": False}
    pen.keep("where it applies", ax.plot([a, b], [up, up], color=p.soft, linewidth=2.0, **over)[0],
             f"applies-{i}")  # fmt: skip
    for end, outside, words in ((pre[0], low, "starts"), (pre[1], high, "ends")):
        if low < end < high:
            pen.keep("end of a rule", ax.plot([end, end], [0.0, up], color=p.ink, linewidth=1.6,
                     linestyle=(0, (4, 3)), zorder=1, **over)[0], f"end-{words}-{i}")  # fmt: skip
            side = "left" if outside == high else "right"
            gap = "  " if side == "left" else ""
            pen.text(ax, end, up, f"{gap}the rule {words} at {value(end)}{'  ' * (not gap)}", "end words",
                     ha=side, va="center", **over | pen.type(SMALL, bold=True))  # fmt: skip
    right = pre[0] > low
    pen.text(
        ax,
        b if right else a,
        up,
        f"Rule: {text}",
        "rule",
        ha="right" if right else "left",
        va="bottom",
        **over,
    )


def _lane(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, y: float) -> None:
    """All that a value can become, darkest what is cheapest; a hop and a coin for every payment."""
    p, n, gid = pen.palette, len(lane.stages) - 1, value(lane.value)
    low, high = ax.get_xlim()
    for k in range(n, 0, -1):
        shade = mixed(p.background, p.coin, 0.85 if n == 1 else 0.85 - 0.5 * (k - 1) / (n - 1))
        for i, (a, b) in enumerate(lane.stages[k].pieces):
            a, b, at = max(a, low), min(b, high), f"reach-{k}-{i}-{gid}"
            if b > a:
                box = Rectangle((a, y - BAND / 2), b - a, BAND, facecolor=shade, edgecolor=p.coin_edge,
                                linewidth=1.0, zorder=3 + 1 / (k + 1))  # fmt: skip
                pen.patch(ax, box, "reach", at)
            elif a != lane.value:
                tick = ax.plot(
                    [a, a], [y - BAND / 2, y + BAND / 2], color=p.coin_edge, linewidth=4.0, zorder=4
                )
                pen.keep("reach", tick[0], at)
    for hop in _hops(lane, ax):
        _hop(pen, ax, *hop, y, gid)
    look: dict[str, Any] = {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markeredgewidth": 2.4}
    mark = ax.plot([lane.value], [y], marker="o", markersize=13, linestyle="none", zorder=9, **look)[0]
    pen.keep("value", mark, f"value-{gid}")
    said = "any value" if d.relative else value(lane.value)
    pen.text(ax, lane.value, y + 0.16, said, "value words", ha="center", va="top",
             **pen.type(HEAD, bold=True))  # fmt: skip
    words = d.outcome(lane)
    beside: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "clip_on": False, "ha": "left"}
    pen.text(ax, 1.02, y - 0.02, words[0], "outcome", va="bottom", **beside | pen.type(BODY, bold=True))
    pen.text(ax, 1.02, y + 0.02, words[1], "outcome price", va="top",
             **beside | pen.type(SMALL, color=p.soft))  # fmt: skip


def _hops(lane: Lane, ax: Axes) -> Iterator[tuple[float, float, float]]:
    """From where to where each payment leads, to either side, and what it costs more than the one before;
    payments that would stand too close are one.
    """
    low, high = ax.get_xlim()
    unit = ax.get_window_extent().width * 72 / ax.get_figure(root=True).dpi / (high - low)  # type: ignore[union-attr]
    for end, way in ((-1, 1.0), (0, -1.0)):
        at, paid = float(lane.value), 0.0
        stages = [(s.cost, min(max(s.pieces[end][-1 if end else 0], low), high)) for s in lane.stages]
        for k, (cost, to) in enumerate(stages):
            last = all(b == to for _, b in stages[k:])
            if (to - at) * way > 0 and ((to - at) * unit * way >= APART or last):
                yield at, to, cost - paid
                at = to
            paid = cost if at == to else paid


def _hop(pen: Pen, ax: Axes, a: float, b: float, cost: float, y: float, gid: str) -> None:
    """An arrow that leaps from a value to the end of what can be reached, its price on top."""
    foot = y - BAND / 2
    curve = Path([(a, foot), ((a + b) / 2, foot - 2 * ARC + BAND), (b, foot)], [1, 3, 3])
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 15, "linewidth": 1.8, "zorder": 5}
    arrow = FancyArrowPatch(path=curve, color=pen.palette.ink, **look)
    pen.patch(ax, arrow, "hop", f"hop-{value(b)}-{gid}")
    parts.coin(pen, ax, (a + b) / 2, foot - ARC + BAND / 2, cost, gid=f"coin-{value(b)}-{gid}")


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


__all__ = ["draw_categories", "draw_numbers"]

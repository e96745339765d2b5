"""How rules are drawn: lanes of values on one number line, or arrows from category to category."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.patches import FancyArrowPatch, Rectangle

from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, Pen, Target, placed
from treant_viz.viz.style.sheet import sheet
from treant_viz.viz.style.text import name, value

if TYPE_CHECKING:
    from treant_viz.viz.rule.display import RuleDisplay
    from treant_viz.viz.rule.facts import Lane

MARGIN, FEWEST = 40.0, 3  # points beside the line; lanes that there is room for at least
THICK, THIN = 0.30, 0.10  # of a lane: the bar of the least cost, and of the greatest


def draw_numbers(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """Where each rule applies on top, then a lane for each value."""
    [[ax]] = placed(target, pen, [(8.0, 1.0, 50.0)], [(MARGIN, 1.0, MARGIN)])
    low, high = _ends(d)
    rules, lanes = len(d.rules), max(len(d.lanes), FEWEST)
    spare = (lanes - len(d.lanes)) / 2  # a few lanes stand in the middle
    ax.set(xlim=(low, high), ylim=(lanes - spare - 0.4, -0.75 - 0.55 * rules - spare), yticks=[])
    pen.style(ax, xlabel=name(d.feature), spines=("bottom",))
    ax.locator_params(axis="x", nbins=8)
    ax.xaxis.set_major_formatter(lambda x, _: value(x))
    for i, (rule, text) in enumerate(zip(d.rules, d.texts, strict=True)):
        y = -0.75 - 0.55 * (rules - 1 - i)
        a, b = max(rule.pre[0], low), min(rule.pre[1], high)
        band: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 5.0, "solid_capstyle": "butt"}
        pen.keep("where it applies", ax.plot([a, b], [y, y], **band)[0], f"applies-{i}")
        where = {"ha": "left" if a < (low + high) / 2 else "right", "va": "bottom"}
        pen.text(ax, a if where["ha"] == "left" else b, y - 0.1, text, "rule", **where)
    for i, lane in enumerate(d.lanes):
        _lane(pen, ax, lane, i)


def _ends(d: RuleDisplay) -> tuple[float, float]:
    """The part of the line that is drawn: all that can be reached; rules further out run off it."""
    seen = [float(lane.value) for lane in d.lanes]
    seen += [e for lane in d.lanes for s in lane.stages for p in s.pieces for e in p]
    seen = [e for e in seen if math.isfinite(e)]
    low, high = min(seen), max(seen)
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def _lane(pen: Pen, ax: Any, lane: Lane, y: float) -> None:
    """Bars from the most expensive to the cheapest, then the value; a coin where each stage ends."""
    p, n = pen.palette, len(lane.stages) - 1
    for k, stage in reversed(list(enumerate(lane.stages))[1:]):
        tall = THICK - (THICK - THIN) * (k - 1) / max(n - 1, 1) if n > 1 else THICK
        for i, (a, b) in enumerate(stage.pieces):
            a, b = (min(max(e, ax.get_xlim()[0]), ax.get_xlim()[1]) for e in (a, b))
            gid = f"reach-{k}-{i}-{value(lane.value)}"
            if b > a:
                look: dict[str, Any] = {
                    "facecolor": p.tint("unknown", 0.3),
                    "edgecolor": p.unknown,
                    "hatch": "////",
                    "linewidth": 1.2,
                }
                bar = Rectangle((a, y - tall / 2), b - a, tall, zorder=3 + 1 / (k + 1), **look)
                pen.patch(ax, bar, "reach", gid)
            elif a != lane.value:
                tick: dict[str, Any] = {"color": p.unknown, "linewidth": 3.0, "zorder": 4}
                pen.keep("reach", ax.plot([a, a], [y - tall / 2, y + tall / 2], **tick)[0], gid)
        before = lane.stages[k - 1].pieces[-1][1]
        x = stage.pieces[-1][1]
        x = stage.pieces[0][0] if x == before else x
        x = min(max(x, ax.get_xlim()[0]), ax.get_xlim()[1])
        parts.coin(pen, ax, x, y, stage.cost, gid=f"coin-{k}-{value(lane.value)}")
    dot: dict[str, Any] = {
        "marker": "o",
        "markersize": 11,
        "markerfacecolor": p.background,
        "markeredgecolor": p.ink,
    }
    mark = ax.plot([lane.value], [y], markeredgewidth=2.4, linestyle="none", zorder=9, **dot)[0]
    pen.keep("value", mark, f"value-{value(lane.value)}")
    pen.text(
        ax,
        lane.value,
        y - 0.24,
        value(lane.value),
        "value words",
        ha="center",
        va="bottom",
        **pen.type(BODY, bold=True),
    )


def draw_categories(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """A line for each value: an arrow, the coin on it, and what the value becomes."""
    rows = [(lane.value, stage.cost, c) for lane in d.lanes for stage, new in _new(lane) for c in new]
    rows += [(lane.value, None, None) for lane in d.lanes if len(lane.stages) == 1]
    paper = sheet(target, pen, 640.0, 44.0 * len(rows) + 40.0, most=1.3)
    left, middle, right = 0.06 * paper.width, 0.36 * paper.width, 0.62 * paper.width
    gap, last = min((paper.height - 30.0) / max(len(rows), 1), 72.0), object()
    for i, (start, cost, end) in enumerate(rows):
        y = (paper.height + gap * (len(rows) - 1)) / 2 - i * gap
        if start != last:
            paper.text(left, y, name(start), "value words", bold=True, va="center")
        last = start
        if end is not None:
            arrow = FancyArrowPatch(
                (middle, y),
                (right - 10.0, y),
                arrowstyle="-|>",
                mutation_scale=16 * paper.scale,
                color=pen.palette.ink,
                linewidth=1.8 * paper.scale,
                zorder=3,
            )
            pen.patch(paper.ax, arrow, "reach", f"reach-{i}")
            parts.coin(pen, paper.ax, (middle + right) / 2, y, cost, scale=paper.scale, gid=f"coin-{i}")
            paper.text(right, y, name(end), "becomes", va="center")
        else:
            paper.text(middle, y, "stays what it is", "stays", va="center", color=pen.palette.soft)


def _new(lane: Lane) -> list[tuple[Any, list[Any]]]:
    """What every stage adds to the one before."""
    pairs = zip(lane.stages, lane.stages[1:], strict=False)
    return [(after, [c for c in after.pieces if c not in before.pieces]) for before, after in pairs]


__all__ = ["draw_categories", "draw_numbers"]

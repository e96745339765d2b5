"""Drawing a robust split: rows flow to the leaf where the attacker wants them; beside it, why, and plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from treant_viz.viz.robust_split.facts import CASES, Group
from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, number
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.robust_split.display import RobustSplitDisplay

SIDE, BEFORE, AFTER, BAR = 24.0, 160.0, 440.0, 22.0  # where the columns of bars stand, and how wide they are
GAP, TOP, LEAST = 26.0, 48.0, 54.0  # between blocks; above them; between the middles of labels
TABLE, WIDE = 640.0, 160.0  # where the losses stand, and their longest bar
C, M, L, Z = Path.CURVE4, Path.MOVETO, Path.LINETO, Path.CLOSEPOLY


def draw_split(d: RobustSplitDisplay, pen: Pen, target: Target) -> None:
    paper = sheet(target, pen, 890.0, 405.0)
    foot = 22.0 + 20.0 * (d.cases is not None)
    _flows(d, paper, foot)
    y = _choices(d, paper, paper.height - 18.0)
    _plans(d, paper, min(y, 34.0 + 26.0 * len(d.plans)))
    if d.cases is not None:
        each = ", ".join(f"{case} {number(x)}" for case, x in zip(CASES, d.cases, strict=True))
        paper.text(SIDE, 12, f"Squared error: {each}", "cases", size=SMALL, color=pen.palette.soft)


def _flows(d: RobustSplitDisplay, paper: Sheet, foot: float) -> None:
    """All heights are rows times `unit`; a ghost takes as much room as its rows would."""
    p, n = paper.pen.palette, len(d.rows)
    ghosts = {side: [g for g in d.groups if _ghost(g) == side] for side in ("left", "right")}
    missing = sum(g.size for found in ghosts.values() for g in found)
    room = paper.height - TOP - foot
    unit = (room - 2 * GAP) / (n + missing)
    x = (BEFORE + AFTER + BAR) / 2
    paper.pen.text(
        paper.ax,
        x,
        paper.height - 16,
        d.test,
        "test",
        ha="center",
        va="center",
        zorder=9,
        bbox={"boxstyle": "round,pad=0.32,rounding_size=0.75", "facecolor": p.ink, "edgecolor": "none"},
        **paper.pen.type(BODY * paper.scale, bold=True, color=p.on(p.ink)),
    )
    blocks = [k * unit for k in d.counts]
    top = paper.height - TOP - (room - n * unit - 2 * GAP) / 2
    starts = [top, top - blocks[0] - GAP, top - blocks[0] - blocks[1] - 2 * GAP]
    _before(d, paper, starts, blocks, foot)
    _after(d, paper, starts, unit, ghosts, paper.height - TOP, foot)


def _ghost(g: Group) -> str | None:
    """Where rows are not, but were planned to be, or would be if nobody attacked."""
    return next((side for side in (g.sent, g.home) if side != g.worse), None)


def _before(
    d: RobustSplitDisplay, paper: Sheet, starts: Sequence[float], blocks: Sequence[float], foot: float
) -> None:
    """L, U and R: how many rows, which labels."""
    middles = _apart(
        [a - h / 2 for a, h in zip(starts, blocks, strict=True)], LEAST, paper.height - 20, foot + 12
    )
    for s, role in enumerate(ROLES):
        _bar(paper, role, BEFORE, starts[s] - blocks[s], blocks[s], f"before {role}")
        y, color = middles[s], paper.pen.palette.words(role)
        head = f"{paper.pen.palette.branch(role).letter}  {counted(d.counts[s], 'row')}"
        look: dict[str, Any] = {"ha": "right", "va": "center"}
        paper.text(BEFORE - 14, y + 9, head, "before", bold=True, color=color, **look)
        if d.counts[s]:
            soft = paper.pen.palette.soft
            paper.text(BEFORE - 14, y - 9, _members(d, s), "members", size=SMALL, color=soft, **look)


def _members(d: RobustSplitDisplay, s: int) -> str:
    """Who is there: their names if they are few, else their labels."""
    rows, y = d.rows[d.side == s], d.y[d.side == s]
    names = ", ".join(f"x{r}" for r in rows)
    if len(rows) <= 4 and width(names, SMALL) < BEFORE - SIDE - 14:
        return names
    return f"mean of y {number(float(y.mean()))}"


def _bar(paper: Sheet, role: Role, x: float, low: float, height: float, name: str) -> None:
    if height > 0:
        look = paper.pen.fill(role) | {"zorder": 4}
        paper.pen.patch(paper.ax, Rectangle((x, low), BAR, height, **look), name)


def _after(
    d: RobustSplitDisplay,
    paper: Sheet,
    starts: Sequence[float],
    unit: float,
    ghosts: dict[str, list[Group]],
    top: float,
    foot: float,
) -> None:
    """The leaves: rows that are sure of them, and those that the attacker leaves or sends there."""
    stay = [g for g in d.groups if g.worse == "left"]
    go = [g for g in d.groups if g.worse == "right"]
    size = {side: unit * sum(g.size for g in found) for side, found in ghosts.items()}
    heights = [
        unit * (d.counts[0] + sum(g.size for g in stay)),
        unit * (d.counts[2] + sum(g.size for g in go)),
    ]
    slack = (top - foot) - sum(heights) - sum(size.values()) - GAP
    tops = [top - slack / 2, top - slack / 2 - heights[0] - sum(size.values()) - GAP]
    ends: dict[tuple[str, int], float] = {}
    y = tops[0] - unit * d.counts[0]
    z = tops[0] - heights[0] - (6.0 if size["left"] else 0.0)
    for k, g in [*_those(d, stay), *_those(d, ghosts["left"], 1)]:
        ends["left", k] = (y if _worse(g, "left") else z) - unit * g.size / 2
        y, z = (y - unit * g.size, z) if _worse(g, "left") else (y, z - unit * g.size)
    y = tops[1]
    z = tops[1] + size["right"] + (6.0 if size["right"] else 0.0)
    for k, g in [*_those(d, ghosts["right"], 1), *_those(d, go)]:
        ends["right", k] = (y if _worse(g, "right") else z) - unit * g.size / 2
        y, z = (y - unit * g.size, z) if _worse(g, "right") else (y, z - unit * g.size)
    sure = (
        (0, "left", starts[0], tops[0]),
        (2, "right", starts[2], tops[1] - heights[1] + unit * d.counts[2]),
    )
    for s, role, a, b in sure:
        thick = unit * d.counts[s]
        if thick:
            tint = {"facecolor": paper.pen.palette.tint(role, 0.25), "edgecolor": "none", "zorder": 1}  # type: ignore[arg-type]
            _ribbon(paper, a - thick / 2, b - thick / 2, thick, f"ribbon {role}", **tint)
            _bar(paper, role, AFTER, b - thick, thick, f"after {role}")  # type: ignore[arg-type]
    _unknown(d, paper, starts[1], unit, ends)
    _leaves(d, paper, foot, [t - h / 2 for t, h in zip(tops, heights, strict=True)])


def _those(d: RobustSplitDisplay, groups: Sequence[Group], _: int = 0) -> list[tuple[int, Group]]:
    """Groups with their places among all."""
    return [(k, g) for k, g in enumerate(d.groups) if any(g is other for other in groups)]


def _worse(g: Group, side: str) -> bool:
    return g.worse == side


def _unknown(
    d: RobustSplitDisplay, paper: Sheet, start: float, unit: float, ends: dict[tuple[str, int], float]
) -> None:
    """The unknown rows' ribbons, those that go left first; ghosts are dashed; a coin if the attacker pays."""
    order = sorted(enumerate(d.groups), key=lambda item: item[1].worse)
    pay = [k for k, g in order if g.worse != g.home]
    for k, g in order:
        thick = unit * g.size
        y, end, ghost = start - thick / 2, ends[g.worse, k], _ghost(g)
        if ghost is not None:
            _dashed(paper, y, ends[ghost, k], thick)
        look = paper.pen.fill("unknown") | {"zorder": 2}
        _ribbon(paper, y, end, thick, "ribbon unknown", **look)
        _bar(paper, "unknown", AFTER, end - thick / 2, thick, "after unknown")
        if g.worse != g.home:
            x = BEFORE + BAR + (AFTER - BEFORE - BAR) * (pay.index(k) + 1) / (len(pay) + 1)
            _pay(paper, x, _middle(y, end, x), g.cost)
        start -= thick


def _pay(paper: Sheet, x: float, y: float, cost: tuple[float, float]) -> None:
    """The cost of crossing; if rows pay differently, the most, and it says so."""
    coin(paper.pen, paper.ax, x, y, cost[1], scale=paper.scale)
    if cost[0] < cost[1]:
        look: dict[str, Any] = {"ha": "right", "va": "center", "zorder": 8}
        look["bbox"] = {
            "facecolor": paper.pen.palette.background,
            "edgecolor": "none",
            "pad": 1.5,
            "alpha": 0.85,
        }
        paper.text(x - 22, y, "up to", "up to", size=SMALL, **look)


def _ribbon(paper: Sheet, y0: float, y1: float, thick: float, role: str, **look: Any) -> None:
    """A stream of rows from the left bar to the right one, which leaves and arrives level."""
    x0, x1, h = BEFORE + BAR, AFTER, thick / 2
    bend = (x0 + x1) / 2
    points = [
        (x0, y0 + h),
        (bend, y0 + h),
        (bend, y1 + h),
        (x1, y1 + h),
        (x1, y1 - h),
        (bend, y1 - h),
        (bend, y0 - h),
        (x0, y0 - h),
        (x0, y0 + h),
    ]
    paper.shape(points, [M, C, C, C, L, C, C, C, Z], role, **look)


def _middle(y0: float, y1: float, x: float) -> float:
    """How high the middle of a ribbon runs at x."""
    t = np.linspace(0, 1, 101)
    x0, x1, late = BEFORE + BAR, AFTER, t * t * (3 - 2 * t)
    xs = x0 * (1 - t) ** 3 + 1.5 * (x0 + x1) * t * (1 - t) + x1 * t**3
    return float(np.interp(x, xs, y0 + (y1 - y0) * late))


def _dashed(paper: Sheet, y0: float, y1: float, thick: float) -> None:
    p = paper.pen.palette
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": p.soft, "linestyle": (0, (4, 3)), "zorder": 1.5}
    look["linewidth"] = min(1.3, thick / 4) * paper.scale
    _ribbon(paper, y0, y1, thick, "ghost", **look)
    paper.pen.patch(paper.ax, Rectangle((AFTER, y1 - thick / 2), BAR, thick, **look), "ghost bar")


def _leaves(d: RobustSplitDisplay, paper: Sheet, foot: float, middles: Sequence[float]) -> None:
    soft, n = paper.pen.palette.soft, d.sizes
    at = _apart(middles, 70.0, paper.height - 44, foot + 26)
    for k, (role, symbol, y) in enumerate(zip(("left", "right"), ("ŷₗ", "ŷᵣ"), at, strict=True)):
        x, color = AFTER + BAR + 14, paper.pen.palette.words(role)  # type: ignore[arg-type]
        prediction = f"{symbol} = {number((d.y_l, d.y_r)[k])}"
        paper.text(x, y + 14, f"{role} leaf", "leaf", bold=True, color=color)
        paper.text(x, y - 6, prediction, "prediction", size=HEAD, bold=True)
        more = f"{counted(n[k], 'row')}, loss {number(d.leaf_losses[k])}"
        paper.text(x, y - 25, more, "leaf loss", size=SMALL, color=soft)


def _choices(d: RobustSplitDisplay, paper: Sheet, y: float) -> float:
    """Two losses beside each group: the larger one wins. Returns what is free below."""
    p = paper.pen.palette
    paper.text(TABLE, y, "U rows go where they lose more" if d.groups else "", "head", size=HEAD, bold=True)
    hurts = [x for g in d.groups for x in (g.hurt_l, g.hurt_r) if math.isfinite(x)]
    most, pitch = max(hurts, default=0.0) or 1.0, 62.0 if len(d.groups) <= 3 else 52.0
    line, tall = (19.0, 13.0) if len(d.groups) <= 3 else (16.5, 10.0)
    for g in d.groups:
        y -= pitch if g is not d.groups[0] else 28.0
        paper.text(TABLE, y, g.label, "row", size=SMALL, bold=True)
        for role, hurt, at in (("left", g.hurt_l, y - line), ("right", g.hurt_r, y - 2 * line)):
            larger = role == g.worse and not math.isclose(g.hurt_l, g.hurt_r, rel_tol=1e-9)
            long = WIDE * min(hurt / most, 1.0)
            fill = p.branch(role).color if larger else p.tint(role, 0.35)  # type: ignore[arg-type]
            letter = p.branch(role).letter  # type: ignore[arg-type]
            paper.text(TABLE, at, letter, "bar letter", size=SMALL, bold=True, color=p.words(role))  # type: ignore[arg-type]
            shape = Rectangle((TABLE + 16, at - 1), long, tall, facecolor=fill, edgecolor="none", zorder=4)
            paper.pen.patch(paper.ax, shape, "larger" if larger else "smaller")
            look: dict[str, Any] = {"size": SMALL, "bold": larger, "color": p.ink if larger else p.soft}
            paper.text(TABLE + 22 + long, at, number(hurt), "bar value", **look)
    return y - pitch - 20


def _plans(d: RobustSplitDisplay, paper: Sheet, y: float) -> None:
    """What the leaves of each plan lose: L if nobody attacks, and under attack."""
    p, plans = paper.pen.palette, d.plans
    paper.text(TABLE, y, f"{d.measure.capitalize()} by plan, L → Lᴬ", "head", size=HEAD, bold=True)
    finite = [x for plan in plans for x in plan[1:3] if math.isfinite(x)]
    most = max(finite, default=0.0) or 1.0
    for k, plan in enumerate(plans):
        at, bold = y - 26 - 26 * k, plan.chosen
        paper.text(TABLE, at, plan.name, "plan", size=SMALL, bold=bold, color=p.ink if bold else p.soft)
        bars = ((plan.loss, p.soft, at + 5), (plan.loss_under_attack, p.ink, at - 4))
        for role, (loss, color, low) in zip(("plan loss", "plan attacked"), bars, strict=True):
            long = 70 * min(loss / most, 1.0)
            alpha = 1.0 if bold else 0.35
            look: dict[str, Any] = {"facecolor": color, "edgecolor": "none", "alpha": alpha, "zorder": 4}
            paper.pen.patch(paper.ax, Rectangle((TABLE + 70, low), long, 7, **look), role)
        words = f"{number(plan.loss)} → {number(plan.loss_under_attack)}"
        look = {"size": SMALL, "bold": bold, "color": p.ink if bold else p.soft, "va": "center"}
        paper.text(TABLE + 146, at + 4, words, "plan losses", **look)


def _apart(at: Sequence[float], apart: float, high: float, low: float) -> list[float]:
    """Places from high to low, at least so far apart, near where they were."""
    out = list(at)
    for _ in range(60):
        out[0], out[-1] = min(out[0], high), max(out[-1], low)
        for i in range(len(out) - 1):
            if (lack := apart - (out[i] - out[i + 1])) > 0:
                out[i] += lack / 2
                out[i + 1] -= lack / 2
    return out


__all__ = ["draw_split"]

"""Drawing a robust split: rows flow to the leaf where the attacker wants them; beside it, why, and plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.path import Path

from treant_viz.viz.robust_split.facts import CASES, Plan, RibbonRows
from treant_viz.viz.style.formula import rich
from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, number

if TYPE_CHECKING:
    from treant_viz.viz.robust_split.display import RobustSplitDisplay

SIDE, BEFORE, AFTER, BAR = 24.0, 152.0, 404.0, 22.0  # where the columns of bars stand, and how wide they are
GAP, TOP = 28.0, 44.0  # between blocks; above them
TABLE = 628.0  # where the losses stand
LONG = 190.0  # the longest bar of a loss
NOTE, MOST_NOTES = 38.0, 2  # what a group loses, below its leaf: its height, and how many there may be
FEW = 14  # rows with a strand each
C, M, L, Z = Path.CURVE4, Path.MOVETO, Path.LINETO, Path.CLOSEPOLY
WHO = {"left": "surely left", "unknown": "up to the attacker", "right": "surely right"}


def draw_split(d: RobustSplitDisplay, pen: Pen, target: Target) -> None:
    paper = sheet(target, pen, 890.0, 388.0)
    foot = 16.0 + 24.0 * (d.cases is not None)
    _flows(d, paper, foot)
    unseen = (
        "standard" if d.mode == "four-case" and not d.by_hand else "four-case"
    )  # their leaves are the same
    shown = [p for p in d.plans if p.name != unseen]
    y, block = paper.height - 36.0, not _fit(d)
    pitch = (104.0 if len(shown) < 3 else 76.0) if block else min(160.0, (y - foot - 40.0) / len(shown))
    _plans(d, paper, shown, y, pitch)
    if block:
        _choices(d, paper, y - 40.0 - pitch * len(shown), foot)
    if d.cases is not None:
        words = ", ".join(f"{case} {number(x)}" for case, x in zip(CASES, d.cases, strict=True))
        paper.text(SIDE, 12, f"Squared error: {words}", "cases", size=SMALL, color=pen.palette.soft)


def _flows(d: RobustSplitDisplay, paper: Sheet, foot: float) -> None:
    """All heights are rows times `unit`; a ghost takes as much room as its rows would."""
    p, n = paper.pen.palette, len(d.rows)
    ghosts = {side: [g for g in d.groups if _ghost(g) == side] for side in ("left", "right")}
    missing = sum(g.size for found in ghosts.values() for g in found)
    room = paper.height - TOP - foot
    unit = (room - 3 * GAP) / (n + missing)
    x = (BEFORE + AFTER + BAR) / 2
    frame = {"boxstyle": "round,pad=0.4,rounding_size=0.75", "facecolor": p.ink, "edgecolor": "none"}
    look: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 9, "bbox": frame, "color": p.on(p.ink)}
    paper.text(x, paper.height - 18, d.test, "test", bold=True, **look)
    blocks = [k * unit for k in d.counts]
    top = paper.height - TOP - GAP / 2 - (room - n * unit - 3 * GAP) / 2
    starts = [top, top - blocks[0] - GAP, top - blocks[0] - blocks[1] - 2 * GAP]
    _before(d, paper, starts, blocks)
    _after(d, paper, starts, unit, ghosts, paper.height - TOP, foot)


def _ghost(g: RibbonRows) -> str | None:
    """Where rows are not, but were planned to be, or would be if nobody attacked."""
    return next((side for side in (g.sent, g.home) if side != g.worse), None)


def _before(d: RobustSplitDisplay, paper: Sheet, starts: Sequence[float], blocks: Sequence[float]) -> None:
    """Left, unknown, right: how many rows above each block, beside it who they are."""
    for s, role in enumerate(ROLES):
        _bar(paper, role, BEFORE, starts[s] - blocks[s], blocks[s], f"before {role}")
        color, soft = paper.pen.palette.words(role), paper.pen.palette.soft
        head = f"{counted(d.counts[s], 'row')} {WHO[role]}"
        paper.text(
            BEFORE + BAR, starts[s] + 6, head, "before", size=SMALL, bold=True, color=color, ha="right"
        )
        look: dict[str, Any] = {"size": SMALL, "color": soft, "ha": "right", "va": "center"}
        rows, y = d.rows[d.side == s], d.y[d.side == s]
        if len(d.rows) <= FEW:
            each = blocks[s] / max(len(rows), 1)
            for k, (row, label) in enumerate(zip(rows, y, strict=True)):
                at = starts[s] - each * (k + 0.5)
                paper.text(BEFORE - 8, at, f"x{row}  y = {number(label)}", "members", **look)


def _bar(paper: Sheet, role: Role, x: float, low: float, height: float, name: str) -> None:
    if height > 0:
        look = paper.pen.fill(role) | {"zorder": 4}
        paper.pen.patch(paper.ax, Rectangle((x, low), BAR, height, **look), name)


def _after(
    d: RobustSplitDisplay,
    paper: Sheet,
    starts: Sequence[float],
    unit: float,
    ghosts: dict[str, list[RibbonRows]],
    top: float,
    foot: float,
) -> None:
    """The leaves: rows that are sure of them, and those that the attacker leaves or sends there."""
    stay = [g for g in d.groups if g.worse == "left"]
    go = [g for g in d.groups if g.worse == "right"]
    size = {side: unit * sum(g.size for g in found) for side, found in ghosts.items()}
    heights = [unit * (d.counts[s] + sum(g.size for g in there)) for s, there in ((0, stay), (2, go))]
    slack = (top - foot) - sum(heights) - sum(size.values()) - GAP
    tops = [top - slack / 2, top - slack / 2 - heights[0] - sum(size.values()) - GAP]
    below = tops[0] - heights[0] - (6.0 if size["left"] else 0.0)
    above = tops[1] + size["right"] + (6.0 if size["right"] else 0.0)
    ends = _stacked(d, stay, "left", tops[0] - unit * d.counts[0], unit)
    ends |= _stacked(d, ghosts["left"], "left", below, unit)
    ends |= _stacked(d, ghosts["right"], "right", above, unit)
    ends |= _stacked(d, go, "right", tops[1], unit)
    _sure(d, paper, 0, starts[0], tops[0], unit)
    _sure(d, paper, 2, starts[2], tops[1] - heights[1] + unit * d.counts[2], unit)
    _unknown(d, paper, starts[1], unit, ends)
    _leaves(d, paper, foot, [t - h / 2 for t, h in zip(tops, heights, strict=True)])


def _stacked(
    d: RobustSplitDisplay, groups: Sequence[RibbonRows], side: str, at: float, unit: float
) -> dict[tuple[str, int], float]:
    """The middle of each group's ribbon at a leaf, one below the other, by the group's place among all."""
    middles = {}
    for k, g in enumerate(d.groups):
        if any(g is other for other in groups):
            middles[side, k] = at - unit * g.size / 2
            at -= unit * g.size
    return middles


def _sure(d: RobustSplitDisplay, paper: Sheet, s: int, start: float, end: float, unit: float) -> None:
    """A ribbon of the rows that are sure of a leaf; if they are few, a strand for each."""
    thick, role, p = unit * d.counts[s], ROLES[s], paper.pen.palette
    if not thick:
        return
    few = len(d.rows) <= FEW
    tint: dict[str, Any] = {"facecolor": p.tint(role, 0.36), "edgecolor": "none", "zorder": 1}
    tint |= {"edgecolor": p.background, "linewidth": 1.6 * paper.scale} if few else {}
    strands = d.counts[s] if few else 1
    each = thick / strands
    for k in range(strands):
        _ribbon(paper, start - (k + 0.5) * each, end - (k + 0.5) * each, each, f"ribbon {role}", **tint)
    _bar(paper, role, AFTER, end - thick, thick, f"after {role}")


def _unknown(
    d: RobustSplitDisplay, paper: Sheet, start: float, unit: float, ends: dict[tuple[str, int], float]
) -> None:
    """The unknown rows' ribbons, those that go left first; ghosts are dashed; a coin if the attacker pays."""
    order = sorted(enumerate(d.groups), key=lambda item: item[1].worse)
    pay = [k for k, g in order if g.worse != g.home]
    p, written = paper.pen.palette, False
    for k, g in order:
        thick = unit * g.size
        y, end, ghost = start - thick / 2, ends[g.worse, k], _ghost(g)
        if ghost is not None:
            who = g.label.split(" (")[0].split(" with ")[0]
            words = f"{who} {'if nobody attacks' if ghost == g.home else 'as planned'}"
            _empty(paper, ends[ghost, k], thick, "" if written else words)
            written = True
        look: dict[str, Any] = {"facecolor": p.tint("unknown", 0.42), "edgecolor": "none", "zorder": 2}
        _ribbon(paper, y, end, thick, "ribbon unknown", **look)
        _bar(paper, "unknown", AFTER, end - thick / 2, thick, "after unknown")
        if g.worse != g.home:
            x = _coin_x(pay.index(k), len(pay))
            _pay(paper, x, _middle(y, end, x), g.cost)
        if thick > 1.7 * SMALL and len(d.rows) > FEW:
            _name(paper, g, end)
        start -= thick


def _coin_x(k: int, of: int) -> float:
    """Where the coin of a ribbon lies, of several that are paid for."""
    return BEFORE + BAR + (AFTER - BEFORE - BAR) * (k + 1) / (of + 1)


def _name(paper: Sheet, g: RibbonRows, end: float) -> None:
    """Who runs in a ribbon, at its end."""
    look: dict[str, Any] = {"size": SMALL, "bold": True, "va": "center", "ha": "right", "zorder": 7}
    paper.text(AFTER - 8, end, g.label.replace(" with y = ", ", y = "), "band", **look)


def _pay(paper: Sheet, x: float, y: float, cost: tuple[float, float]) -> None:
    """The cost of crossing; if rows pay differently, the most, and it says so."""
    coin(paper.pen, paper.ax, x, y, cost[1], scale=paper.scale)
    if cost[0] < cost[1]:
        look: dict[str, Any] = {"ha": "right", "va": "center", "zorder": 8}
        paper.text(x - 20, y, "up to", "up to", size=SMALL, **look)


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


def _empty(paper: Sheet, y: float, thick: float, words: str) -> None:
    """The place that rows leave empty, and why it is theirs."""
    p = paper.pen.palette
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": p.ink, "linestyle": (0, (3, 2)), "zorder": 4}
    look["linewidth"] = min(1.3, thick / 4) * paper.scale
    paper.pen.patch(paper.ax, Rectangle((AFTER, y - thick / 2), BAR, thick, **look), "ghost bar")
    if words:
        look = {"ha": "right", "va": "center", "zorder": 6}
        paper.text(AFTER - 8, y, words, "ghost words", size=SMALL, **look)


def _leaves(d: RobustSplitDisplay, paper: Sheet, foot: float, middles: Sequence[float]) -> None:
    """What each leaf says, and to how many rows; which of them lose more there than in the other leaf."""
    soft, n = paper.pen.palette.soft, d.sizes
    notes = [[g for g in d.groups if g.worse == side] if _fit(d) else [] for side in ("left", "right")]
    more = [NOTE * len(found) for found in notes]
    start = [y + 0.5 * m for y, m in zip(middles, more, strict=True)]
    at = _apart(start, 70.0 + more[0], paper.height - 44, foot + 26 + more[1])
    for k, (role, y) in enumerate(zip(("left", "right"), at, strict=True)):
        for i, g in enumerate(notes[k]):
            _note(paper, g, y - 25.0 - NOTE * i)
        x, color = AFTER + BAR + 12, paper.pen.palette.words(role)  # type: ignore[arg-type]
        paper.text(x, y + 14, f"{role} leaf ({('yes', 'no')[k]})", "leaf", bold=True, color=color)
        words = f"says {number((d.y_l, d.y_r)[k])}"
        paper.text(x, y - 6, words, "prediction", size=HEAD, bold=True)
        paper.text(x, y - 25, f"{counted(n[k], 'row')} end here", "leaf rows", size=SMALL, color=soft)


def _fit(d: RobustSplitDisplay) -> bool:
    """Is there room beside the leaves for what each group loses on either side?"""
    return max(sum(g.worse == side for g in d.groups) for side in ("left", "right")) <= MOST_NOTES


def _note(paper: Sheet, g: RibbonRows, y: float) -> None:
    """Below a leaf, a group that the attacker wants there, and what it loses here and in the other leaf."""
    here, there = (g.hurt_l, g.hurt_r) if g.worse == "left" else (g.hurt_r, g.hurt_l)
    verb, other = "loses" if g.size == 1 else "lose", "right" if g.worse == "left" else "left"
    words = f"{verb} {number(here)} here, {number(there)} on the {other}"
    if math.isclose(here, there, rel_tol=1e-9):
        words = f"{verb} {number(here)} on either side"
    color, x = paper.pen.palette.words("unknown"), AFTER + BAR + 12
    paper.text(x, y - 21.0, g.label, "choice", size=SMALL, bold=True, color=color)
    paper.text(x, y - 37.0, words, "choice", size=SMALL, color=color)


def _choices(d: RobustSplitDisplay, paper: Sheet, y: float, foot: float) -> None:
    """Where each group loses more, in words: the larger one wins."""
    p = paper.pen.palette
    if not d.groups:
        return
    pitch = max(18.0, min(23.0, (y - foot) / len(d.groups)))
    paper.text(TABLE, y, "Which side hurts more?", "head", bold=True)
    for g in d.groups:
        y -= pitch
        small, large = sorted((g.hurt_l, g.hurt_r))
        if math.isclose(g.hurt_l, g.hurt_r, rel_tol=1e-9):
            paper.text(TABLE, y, f"{g.label}: both, {number(large)}", "choice", size=SMALL)
            continue
        choice = rich(f"{g.label}: ") + rich(g.worse).look(bold=True, color=p.words(g.worse))
        more = f", {number(large)} > {number(small)}"
        paper.text(TABLE, y, choice + more, "choice", size=SMALL)


def _plans(d: RobustSplitDisplay, paper: Sheet, plans: Sequence[Plan], y: float, pitch: float) -> None:
    """What the leaves of each plan lose if nobody attacks, and under attack, all on one scale."""
    p = paper.pen.palette
    paper.text(TABLE, y, f"{d.measure.capitalize()} of all rows", "head", size=HEAD, bold=True)
    most = max((x for plan in plans for x in plan[1:3] if math.isfinite(x)), default=0.0) or 1.0
    y -= 27.0
    for plan in plans:
        paper.text(TABLE, y, _plan_name(plan), "plan", size=SMALL, bold=True)
        bars = (("no attack", plan.loss, p.ink), ("attacked", plan.loss_under_attack, p.attack))
        for k, (words, loss, color) in enumerate(bars, 1):
            step, long = min(36.0, 0.28 * pitch), (LONG - 40.0) * min(loss / most, 1.0)
            at, tall = y - step * k, min(26.0, 0.7 * step)
            paper.text(TABLE, at, words, "plan side", size=SMALL, color=color)
            low = at + 0.35 * SMALL - tall / 2
            bar = Rectangle((TABLE + 64.0, low), long, tall, facecolor=color, edgecolor="none", zorder=4)
            paper.pen.patch(paper.ax, bar, ("plan loss", "plan attacked")[k - 1])
            value: dict[str, Any] = {"size": HEAD, "bold": True, "color": color}
            paper.text(TABLE + 70.0 + long, at - 0.5, number(loss), "plan losses", **value)
        y -= pitch


def _plan_name(plan: Plan) -> str:
    """Whose leaves they are and what they say; equal ones are no split."""
    name = {
        "robust": "best leaves under attack", "by hand": "leaves by hand",
        "standard": "best leaves if nobody attacks", "four-case": "leaves of four cases",
    }[plan.name]  # fmt: skip
    y_l, y_r = map(number, plan.leaves)
    if math.isclose(*plan.leaves, rel_tol=1e-9):
        return f"{name}: both {y_l}, like no split"
    return f"{name}: {y_l} and {y_r}"


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

"""Drawing the certificates of a table: the steps of what stays safe, and beside them who pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.transforms import offset_copy

from treant_viz.viz.certificate.table_facts import Payer, RowGroup, TableCertificate
from treant_viz.viz.certificate.words import between, feature_names, group_names, percent, rule_names
from treant_viz.viz.security_curve.facts import spread
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import counted, number
from treant_viz.viz.style.typeface import width

MOST = 9  # lines of features or rules
LEFT, LEADER = 62.0, 14.0  # points: left of the steps; from the end of a line to its name
ABOVE, BELOW = 34.0, 56.0  # points around all panels
LONGEST = 34  # letters of what pays
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (1.4, 1.4)))


def draw_table(c: TableCertificate, pen: Pen, target: Target) -> None:
    room = LEADER + 12.0 + max(width(w, SMALL, bold=True) for w in _ends(c))
    if len(c.payers) == 1:  # the title says what it would mean to lose it
        ((alone,),) = placed(target, pen, [(ABOVE, 1.0, BELOW)], [(LEFT, 1.0, room)])
        _steps(c, pen, alone)
        return
    called = _called(c)
    words = max([80.0, *(width(w, SMALL) for pair in called for w in pair)]) + 26.0
    ends = max([30.0, *(width(between(p.fallen), SMALL, bold=True) for p in c.payers[: _shown(c)])]) + 12.0
    columns = [(LEFT, 1.0, room), (words, 0.36, 54.0), (8.0, 0.36, ends + 14.0)]
    ((steps, paid, lost),) = placed(target, pen, [(ABOVE, 1.0, BELOW)], columns)
    _steps(c, pen, steps)
    _payers(c, pen, paid, lost, called)


# what stays safe


def end_of(c: TableCertificate) -> float:
    """How far the axis of budgets goes."""
    known = [x for x in (*c.every.changes_at, *c.every.safe_below) if x < math.inf]
    return (c.budget or 1.0) if c.budget < math.inf else 1.15 * max(known, default=1.0)


def steps(costs: np.ndarray, n: int, end: float) -> tuple[list[float], list[float]]:
    """The share of n rows whose cost is above each budget, as a line with its jumps: from budget 0 to `end`.

    >>> steps(np.array([1.0, 1.0, 3.0, np.inf]), 5, 4.0)
    ([0.0, 1.0, 1.0, 3.0, 3.0, 4.0], [0.8, 0.8, 0.4, 0.4, 0.2, 0.2])
    """
    at = [float(x) for x in np.unique(costs[costs < math.inf])]
    shares = [float((costs > b).sum()) / max(n, 1) for b in (-1.0, *at)]
    ends = [min(x, end) for x in at]  # a cost may exceed the budget by rounding
    return [0.0, *(x for x in ends for _ in (0, 1)), end], [y for y in shares for _ in (0, 1)]


def _steps(c: TableCertificate, pen: Pen, ax: Axes) -> None:
    p, end = pen.palette, end_of(c)
    ax.set(xlim=(0.0, end), ylim=(0.0, 1.03))
    if c.inexact:
        _band(c.every, pen, ax, end)
    elif c.few:
        _rows(c.every, pen, ax, end)
    for k, g in enumerate((c.every, *c.classes)):
        look: dict[str, Any] = {"color": p.soft if k else p.ink, "linewidth": 1.8 if k else 3.2}
        look |= {"linestyle": DASHES[k % 3], "zorder": 3 if k else 4, "clip_on": False}
        line = ax.plot(*steps(g.safe_below, g.n, end), scalex=False, scaley=False, **look)[0]
        pen.keep("steps", line, f"steps-{k}")
    pen.style(ax, xlabel="budget of the attacker", spines=("bottom",))
    ax.grid(axis="y", color=p.faint, linewidth=1.0)
    ax.set_axisbelow(True)
    at = [0.0, 0.25, 0.5, 0.75, 1.0]
    pen.ticks(ax, "y", at, [f"{number(100 * t)} %" for t in at])
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    places = [round(float(t), 12) for t in ax.get_xticks() if 0.0 <= t <= end * (1 + 1e-9)]
    pen.ticks(ax, "x", places, [number(t, 6) for t in places])
    head = "right, and safe from the attacker" if c.labelled else "predictions that stay"
    pen.text(ax, 0.0, 1.02, head, "head", transform=ax.transAxes, va="bottom", **pen.type(BODY, bold=True))
    _names(c, pen, ax)


def _rows(g: RowGroup, pen: Pen, ax: Axes, end: float) -> None:
    """Each row as a bar below the line, as long as it is safe, with a coin where it is not any more."""
    p, tall = pen.palette, 1.0 / g.n
    for k, cost in enumerate(sorted(g.changes_at.tolist(), reverse=True)):
        look: dict[str, Any] = {
            "facecolor": p.faint,
            "edgecolor": p.background,
            "linewidth": 3.0,
            "zorder": 0.5,
        }
        bar = Rectangle((0.0, k * tall), min(cost, end), tall, **look)
        pen.patch(ax, bar, "row bar", f"row-bar-{k}")
        words = f"changes for {number(cost)}" if cost < math.inf else "safe"
        quiet = pen.type(SMALL, color=p.soft) | {"va": "center", "zorder": 2}
        pen.text(ax, 0.02 * end, (k + 0.5) * tall, f"a row: {words}", "row words", **quiet)
        if cost <= end:
            coin(pen, ax, cost, (k + 0.5) * tall, cost, gid=f"row-coin-{k}", clip_on=False)


def _band(g: RowGroup, pen: Pen, ax: Axes, end: float) -> None:
    """Between what is certainly safe and what may be."""
    at = sorted({0.0, end, *(min(float(x), end) for x in (*g.safe_below, *g.changes_at) if x < math.inf)})
    low, high = zip(*(g.safe(b) for b in at), strict=True)
    shade = mixed(pen.palette.background, pen.palette.ink, 0.16)
    least, most = ([k / g.n for k in side] for side in (low, high))
    found = ax.fill_between(at, least, most, step="post", color=shade, linewidth=0, zorder=1)
    ax.set(xlim=(0.0, end), ylim=(0.0, 1.03))
    pen.keep("band", found, "band")


def _ends(c: TableCertificate) -> list[str]:
    """What stands at the ends of the lines: what they are, and what is left in the end."""
    groups = (c.every, *c.classes)
    left = [percent(g.at_stake - g.fallen[1], g.n) for g in groups]
    bound = ["at least " * (g.fallen[0] < g.fallen[1]) for g in groups]
    return [f"{phrase}: {b}{share}" for phrase, b, share in zip(group_names(c), bound, left, strict=True)]


def _names(c: TableCertificate, pen: Pen, ax: Axes) -> None:
    """Names at the ends of the lines, moved apart where they would overlap."""
    (low, high), (_, end), (wide, tall) = ax.get_ylim(), ax.get_xlim(), size_of(ax)
    groups = (c.every, *c.classes)
    last = [(g.at_stake - g.fallen[1]) / max(g.n, 1) for g in groups]
    step = 1.4 * SMALL / tall * (high - low)
    x = end * (1.0 + LEADER / wide)
    for k, y in enumerate(spread(last, step, low + step / 2, high - step / 2)):
        look: dict[str, Any] = {"color": pen.palette.soft, "linewidth": 1.2, "clip_on": False, "zorder": 0}
        ax.plot([end, x - 0.2 * (x - end), x], [last[k], y, y], scalex=False, scaley=False, **look)
        place = pen.type(SMALL, bold=k == 0) | {"va": "center", "ha": "left"}
        pen.text(ax, x, y, f" {_ends(c)[k]}", "end", **place)


# who pays


def _shown(c: TableCertificate) -> int:
    return len(c.payers) if len(c.payers) <= MOST else MOST - 1


def _called(c: TableCertificate) -> list[tuple[str, str]]:
    """What stands beside the lanes: the feature, and of a single rule what it allows."""
    features, rules = feature_names(c), rule_names(c, LONGEST)
    return [(features[id(p)], rules[id(p)]) for p in c.payers[: _shown(c)]]


def _payers(c: TableCertificate, pen: Pen, paid: Axes, lost: Axes, called: Sequence[tuple[str, str]]) -> None:
    p, shown = pen.palette, c.payers[: _shown(c)]
    lanes = max(len(shown) + (len(shown) < len(c.payers)), 4)
    for ax, head in ((paid, "share of costs"), (lost, "still change without it")):
        ax.set(xlim=(0.0, 1.0), ylim=(lanes - 0.5, -0.5))
        pen.style(ax, spines=("left",))
        ax.set_xticks([])
        ax.set_yticks([])
        pen.text(
            ax, 0.0, 1.02, head, "head", transform=ax.transAxes, va="bottom", **pen.type(BODY, bold=True)
        )
    if not shown:
        pen.text(paid, 0.0, 0.0, "  no affordable rule", "nothing", va="center", **pen.type(SMALL))
        return
    _lane_names(c, pen, paid, called)
    most, (_, base) = max(x.paid for x in shown) or 1.0, c.fallen
    greatest = max([base, *(x.fallen[1] for x in shown)]) or 1
    for k, x in enumerate(shown):
        _lane(c, pen, (paid, lost), x, k, most, greatest)
    if base:
        edge = base / greatest
        look: dict[str, Any] = {"color": p.ink, "linewidth": 1.4, "linestyle": (0, (1, 2)), "zorder": 5}
        pen.keep("with all", lost.plot([edge, edge], [-0.5, lanes - 0.5], clip_on=False, **look)[0])
        some = f" of the first {c.blamed:,} rows" if c.blamed < c.every.n else ""
        place = {"ha": "right", "va": "top"} | pen.type(SMALL, color=p.soft)
        words = f"with all: {between(c.fallen)}{some}"
        pen.text(lost, edge, lanes - 0.5, words, "with all words", **place)


def _lane_names(c: TableCertificate, pen: Pen, ax: Axes, called: Sequence[tuple[str, str]]) -> None:
    look = pen.type(SMALL) | {"ha": "right", "transform": ax.get_yaxis_transform()}
    for k, (feature, rule) in enumerate(called):
        pen.text(ax, -0.05, k, feature, "payer", **look, va="bottom" if rule else "center")
        if rule:
            pen.text(ax, -0.05, k, rule, "rule", **look | {"color": pen.palette.soft}, va="top")
    rest = c.payers[len(called) :]
    if rest:
        what = "rule" if rest[0].rule else "feature"
        share = f"{number(100 * sum(x.paid for x in rest) / c.paid)} %" if c.paid else "0 %"
        words = f"{counted(len(rest), f'more {what}')}: {share}"
        pen.text(ax, -0.05, len(called), words, "more payers", **look, va="center")


def _lane(
    c: TableCertificate, pen: Pen, axes: tuple[Axes, Axes], x: Payer, k: int, most: float, greatest: int
) -> None:
    """A bar for what it pays, and one for what would still change without it; bounds: the rest is pale."""
    p, (paid, lost) = pen.palette, axes
    pale = mixed(p.background, p.attack, 0.3)
    bars = [
        (paid, 0.0, x.paid / most, p.coin, "paid"),
        (lost, 0.0, x.fallen[0] / greatest, p.attack, "fallen"),
        (lost, x.fallen[0] / greatest, x.fallen[1] / greatest, pale, "may fall"),
    ]
    for ax, a, b, color, role in bars:
        if b > a:
            box = Rectangle((a, k - 0.28), b - a, 0.56, facecolor=color, edgecolor="none", zorder=3)
            pen.patch(ax, box, role, f"{role.replace(' ', '-')}-{k}")
    share = f"{number(100 * x.paid / c.paid)} %" if c.paid else "0 %"
    ground = {"boxstyle": "square,pad=0.05", "facecolor": p.background, "edgecolor": "none"}
    for ax, at, words, role in (
        (paid, x.paid / most, share, "paid share"),
        (lost, x.fallen[1] / greatest, between(x.fallen), "fallen count"),
    ):
        look: dict[str, Any] = pen.type(SMALL, bold=True) | {"bbox": ground, "zorder": 6}
        beside = offset_copy(ax.transData, ax.get_figure(root=True), 5.0, units="points")
        pen.text(ax, at, k, words, role, va="center", ha="left", transform=beside, **look)


__all__ = ["draw_table", "end_of", "steps"]

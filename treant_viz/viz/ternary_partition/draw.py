"""Drawing a ternary partition along numbers: bars that the test crosses or not, and losses below them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from treant_viz.viz.split_search.draw import Frame, dot, draw_steps, label, name_curves
from treant_viz.viz.split_search.facts import limits
from treant_viz.viz.style.formula import rich
from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.pen import BODY, SMALL, TITLE, Pen, Target, placed, size_of
from treant_viz.viz.style.text import counted, feature_name, number, value
from treant_viz.viz.style.typeface import width
from treant_viz.viz.ternary_partition.bars import HALF, Kind, draw_bars
from treant_viz.viz.ternary_partition.crowd import FOOT, draw_crowd
from treant_viz.viz.ternary_partition.scale import ValueAxis, scale_of

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST_LANES = 14  # rows drawn one by one, each with its name
BIG = TITLE + 2.0
SIDES = {"left": "surely left", "unknown": "up to the attacker", "right": "surely right"}


def draw_partition(d: TernaryPartitionDisplay, pen: Pen, target: Target) -> None:
    if d.categories is not None:
        from treant_viz.viz.ternary_partition.categories import draw_categories

        draw_categories(d, pen, target)
        return
    few = len(d.shown) <= MOST_LANES
    left = max([84.0, *(width(_label(d, i), SMALL) + 36 for i in d.shown[:MOST_LANES] if few)])
    columns = [(left, 3.4, 14.0), (4.0, 1.0, 4.0)]
    (main, side), (strip, key) = placed(target, pen, [(36.0, 1.5, 6.0), (28.0, 1.0, 56.0)], columns)
    scale = scale_of(d)
    for ax, s in ((main, "left"), (main, "right")):
        ends = (scale.low, d.threshold) if s == "left" else (d.threshold, scale.high)
        look: dict[str, Any] = {"facecolor": pen.palette.tint(s, 0.09), "edgecolor": "none", "zorder": 0}  # type: ignore[arg-type]
        pen.keep("shade", ax.axvspan(*ends, **look))
    at = (_lanes if few else draw_crowd)(d, pen, main, scale)
    pen.centred(main)
    frame = _strip(d, pen, strip, scale, size_of(target)[0] * 0.66)
    for ax in (main, strip):
        scale.put_on(pen, ax, labels=ax is strip)
        pen.keep("threshold", ax.axvline(d.threshold, color=pen.palette.ink, linewidth=2.6, zorder=6))
        if d.line is not None and (k := _lowest(d)) is not None:
            style: dict[str, Any] = {"linewidth": 1.8, "linestyle": (0, (4, 3)), "zorder": 5.5}
            best = ax.axvline(float(d.line.thresholds[k]), color=pen.palette.attack, **style)
            pen.keep("lowest line", best)
    _names(d, pen, strip, frame)
    _above(d, pen, main, scale)
    _beside(d, pen, side, main, at)
    draw_losses(d, pen, key)


def _above(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis) -> None:
    """The test on the line, and what lies on either side of it."""
    at = float(scale.share(d.threshold))
    ha = "left" if at < 0.12 else "right" if at > 0.88 else "center"
    pill(pen, ax, d.threshold, 1.075, d.test, ax.get_xaxis_transform(), ha)
    for words, x, sign in (("left", 0.0, "left"), ("right", 1.0, "right")):
        if abs(at - x) > 0.25:
            color = pen.palette.words(words)  # type: ignore[arg-type]
            place: dict[str, Any] = {"transform": ax.transAxes, "ha": sign, "va": "center"}
            pen.text(
                ax, x, 1.075, words, "side of the line", **pen.type(BODY, bold=True, color=color), **place
            )


def pill(pen: Pen, ax: Axes, x: float, y: float, words: str, transform: Any, ha: str = "center") -> None:
    p = pen.palette
    frame = {"boxstyle": "round,pad=0.4,rounding_size=0.75", "facecolor": p.ink, "edgecolor": "none"}
    look = pen.type(BODY, bold=True, color=p.on(p.ink))
    pen.text(ax, x, y, words, "test", transform=transform, ha=ha, va="center", bbox=frame, zorder=9, **look)


def _lanes(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis) -> dict[Role, float]:
    """One row each: its name and label, a bar as far as it can be moved, a dot; an arrow if it is pushed."""
    kinds = [Kind(float(d.value[i]), int(d.side[i]), p, 1) for i, p in zip(d.shown, d.whiskers, strict=True)]
    draw_bars(pen, ax, scale, kinds, np.arange(len(kinds)) + 0.0, HALF)
    _beyond(d, pen, ax, scale)
    for y, i in enumerate(d.shown):
        if d.pushed[i]:
            x, ends = float(d.value[i]), [e for piece in d.whiskers[y] for e in piece]
            far = min(max(ends), scale.high) if x <= d.threshold else max(min(ends), scale.low)
            look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 20, "color": pen.palette.ink}
            look |= {"linewidth": 2.4, "shrinkA": 5.0, "shrinkB": 0.0}
            pen.keep("pushed", ax.annotate("", (far, y), (x, y), arrowprops=look, zorder=8))
    pen.style(ax, spines=())
    ax.tick_params(axis="y", length=0)
    pen.ticks(ax, "y", range(len(kinds)), [_label(d, i) for i in d.shown])
    for words, i in zip(ax.get_yticklabels(), d.shown, strict=True):
        if ROLES[d.side[i]] == "unknown":
            words.set(color=pen.palette.words("unknown"), weight="bold")
    ax.set_ylim(len(kinds) - 0.4, -0.6)
    sides = np.array([k.side for k in kinds])
    return {
        role: float(np.flatnonzero(sides == s).mean()) for s, role in enumerate(ROLES) if (sides == s).any()
    }


def _label(d: TernaryPartitionDisplay, i: int) -> str:
    return f"x{d.rows[i]}   y = {number(d.y[i])}"


def _beyond(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis) -> None:
    """Arrow heads where whiskers leave the picture."""
    for end, marker, at in ((0, "<", scale.low), (1, ">", scale.high)):
        rows = [
            y for y, found in enumerate(d.whiskers) if any((at - p[end]) * (1 - 2 * end) > 0 for p in found)
        ]
        if rows:
            look: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 9.0, "clip_on": False}
            pen.keep("beyond", ax.plot([at] * len(rows), rows, color=pen.palette.ink, **look)[0])


def _strip(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: ValueAxis, points: float) -> Frame:
    """L and Lᴬ against v."""
    pen.style(ax, xlabel=feature_name(d.feature, 48), ylabel=d.measure)
    steps = d.steps
    assert steps is not None
    ylim = limits([steps.loss, steps.attacked, [d.plain.loss, d.attacked.loss]])  # type: ignore[list-item]
    frame = Frame((scale.low, scale.high), ylim, points, scale.share)
    draw_steps(pen, ax, steps, frame)
    ax.set_ylim(*ylim)
    ax.locator_params(axis="y", nbins=4)
    ax.yaxis.set_major_formatter(lambda y, _: number(y, 4))
    place: dict[str, Any] = {"transform": offset_copy(ax.transAxes, ax.get_figure(root=True), 0, 9, "points")}
    head = pen.type(BODY, bold=True)
    pen.text(ax, 0.0, 1.0, "What the test would lose with another threshold", "strip head", **head, **place)
    for role, loss in (("at the line", d.plain.loss), ("at the line, attacked", d.attacked.loss)):
        dot(pen, ax, d.threshold, min(loss, ylim[1]), role)
    return frame


def _names(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, frame: Frame) -> None:
    """The curves by name, and where the least loss under attack is, if it is not at the line."""
    assert d.steps is not None
    same = " of the same leaves" * (d.leaves == "standard")
    words = ("loss if\nnobody attacks", f"loss\nunder attack{same}")
    k = _lowest(d)
    if k is None or d.line is None:
        name_curves(pen, ax, d.steps, frame, [d.threshold], words)
        return
    x, y = float(d.line.thresholds[k]), float(d.line.attacked[k])
    name_curves(pen, ax, d.steps, frame, [d.threshold, x], words)
    dot(pen, ax, x, y, "lowest")
    found = f"lowest under attack: {number(y)} at {value(x)}"
    label(pen, ax, (x, y), found, "lowest name", color=pen.palette.attack, up=-1)


def _lowest(d: TernaryPartitionDisplay) -> int | None:
    """The place of a threshold with the least Lᴬ of the curve, if the one at the line is not the least."""
    if d.line is None or not d.line.admissible.any() or d.steps is None:
        return None
    k, least = d.line.best, float(d.steps.attacked.min())
    found = float(d.line.attacked[k])
    return k if found <= least * (1 + 1e-9) and found < d.attacked.loss * (1 - 1e-3) else None


def _beside(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, main: Axes, at: Mapping[Role, float]) -> None:
    """How many rows are left, unknown and right, beside those that are drawn."""
    ax.set_axis_off()
    low, high = main.get_ylim()
    ax.set(xlim=(0, 1), ylim=(low, high))
    place = dict(
        zip(at, spread([(y - high) / (low - high) for y in at.values()], 0.11, 0.05, 0.95), strict=True)
    )
    if len(d.shown) > MOST_LANES:
        words, soft = (
            f"all {counted(len(d.rows), 'row')};\nbelow, some of them",
            pen.type(SMALL, color=pen.palette.soft),
        )
        pen.text(ax, 0.02, (1 + FOOT) / 2, words, "group head", va="center", **soft)
    for role, share in place.items():
        words = f"{d.counts[ROLES.index(role)]:,} {SIDES[role]}"
        look = pen.type(BODY, bold=True, color=pen.palette.words(role))
        pen.text(ax, 0.02, high + share * (low - high), words, "group", va="center_baseline", **look)


def draw_counts(d: TernaryPartitionDisplay, pen: Pen, ax: Axes) -> None:
    """How many rows are left, unknown and right, below each other."""
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(size_of(ax)[1], 0))
    soft = pen.type(SMALL, color=pen.palette.soft)
    pen.text(ax, 0.02, 12.0, f"of {counted(len(d.rows), 'row')}", "group head", va="baseline", **soft)
    for s, role in enumerate(ROLES):
        look = pen.type(BODY, bold=True, color=pen.palette.words(role))
        words = f"{d.counts[s]:,} {SIDES[role]}"
        pen.text(ax, 0.02, 38.0 + 25.0 * s, words, "group", va="baseline", **look)


def spread(at: Sequence[float], apart: float, low: float = 0.12, high: float = 0.9) -> list[float]:
    """Places at least so far apart, from low to high, near where they were.

    >>> spread([0.4, 0.5, 0.6], 0.3)
    [0.2, 0.5, 0.8]
    """
    out = list(at)
    for _ in range(50):
        out[0] = max(out[0], low)
        out[-1] = min(out[-1], high)
        for i in range(len(out) - 1):
            if (lack := apart - (out[i + 1] - out[i])) > 0:
                out[i] -= lack / 2
                out[i + 1] += lack / 2
    return [round(x, 3) for x in out]


def draw_losses(d: TernaryPartitionDisplay, pen: Pen, ax: Axes) -> None:
    """What the test loses if nobody attacks, and under attack; and if it is worth nothing, that."""
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(size_of(ax)[1], 0))
    p, n = pen.palette, len(d.rows)
    before, after = d.plain.loss, d.attacked.loss
    soft, y = pen.type(SMALL, color=p.soft), 14.0
    pen.text(ax, 0.02, y, f"{d.measure} of this test", "key head", va="baseline", **soft)
    y += 26.0
    same, each = math.isclose(before, after, rel_tol=1e-9), ""
    exact = 3 if same or number(before) != number(after) else 5
    big = rich(number(before, exact))
    if not same:
        big = big + " → " + rich(number(after, exact)).look(color=p.attack)
    pen.text(ax, 0.02, y, big, "current", va="baseline", **pen.type(BIG, bold=True))
    if n > MOST_LANES and math.isfinite(after):
        each = f"\n{number(before / n, exact)}{f' → {number(after / n, exact)}' * (not same)} a row"
    best = "\n(best leaves for each)" * (not same and d.leaves == "robust")
    more = [f"{'attacked or not' if same else 'once attacked'}{each}{best}"]
    if d.worthless:
        more.append("Worthless under attack:\nas bad as no split.")
    for role, words in zip(("once attacked", "worthless"), more, strict=False):
        color = pen.type(SMALL, bold=True, color=p.attack) if role == "worthless" else soft
        for line in words.split("\n"):
            y += 18.0
            pen.text(ax, 0.02, y, line, role, va="baseline", **color)
        y += 5.0


__all__ = ["BIG", "MOST_LANES", "draw_counts", "draw_losses", "draw_partition", "pill", "spread"]

"""Drawing a ternary partition along numbers: bars that the test crosses or not, and losses below them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from treant_viz.viz.split_search.draw import Frame, dot, draw_steps, name_curves
from treant_viz.viz.split_search.facts import limits
from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import adding, counted, feature_name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST_LANES = 14  # rows drawn one by one, each with its name
HALF = 0.27  # half the height of a bar, in lanes
MOST_BARS = 48
MOST_KNOTS = 60
FEW = {"left": 4, "unknown": 7, "right": 4}  # of many rows: so many are drawn one by one
CROWD, FOOT = 0.62, 0.7  # below, some rows one by one; above, a histogram of all
SIDES = {"left": "surely left", "unknown": "up to the attacker", "right": "surely right"}

SHORT = {"left": "left", "unknown": "attacker’s", "right": "right"}


class Scale(NamedTuple):
    """The horizontal axis: its ends, and where values stand; `knots` are values with the same room each."""

    low: float
    high: float
    knots: np.ndarray | None = None

    def to(self, x: Any) -> np.ndarray:
        x = np.clip(x, self.low, self.high)
        return x if self.knots is None else np.interp(x, self.knots, np.arange(len(self.knots)))

    def back(self, u: Any) -> np.ndarray:
        return np.asarray(u) if self.knots is None else np.interp(u, np.arange(len(self.knots)), self.knots)

    def share(self, x: Any) -> np.ndarray:
        a, b = self.to(self.low), self.to(self.high)
        return (self.to(x) - a) / (b - a)

    def put_on(self, pen: Pen, ax: Axes, *, labels: bool = True, apart: float = 0.11) -> None:
        if self.knots is not None:
            ax.set_xscale("function", functions=(self.to, self.back))
            at: list[float] = []
            last = -1.0
            for k in self.knots[1:-1]:
                if float(self.share(k)) - last > apart:
                    at, last = [*at, float(k)], float(self.share(k))
            pen.ticks(ax, "x", at, [value(x) for x in at])
            ax.set_xticks([], minor=True)
        else:
            ax.xaxis.set_major_formatter(lambda x, _: value(x))
        ax.set_xlim(self.low, self.high)
        ax.tick_params(axis="x", labelbottom=labels, bottom=labels)


def scale_of(d: TernaryPartitionDisplay) -> Scale:
    """Made of the rows and rules alone, so that the axis stays put whatever the threshold or the budget."""
    values = np.append(d.value, d.threshold)
    steps = [abs(e) for rule in d.rules for e in rule.delta or ()]
    return scale_for(values, 2 * max(steps, default=0.0), d.axis)


def scale_for(values: np.ndarray, room: float, axis: str = "auto") -> Scale:
    """An axis for these values, with at most so much room on either side."""
    values = np.unique(values)
    low, high = float(values[0]), float(values[-1])
    room = min(room, 0.5 * (high - low) or math.inf)
    room = room if math.isfinite(room) else 1.0
    room += 0.04 * (high - low + 2 * room) or 1.0
    if axis == "linear" or (axis == "auto" and not _uneven(values)):
        return Scale(low - room, high + room)
    if len(values) > MOST_KNOTS:
        values = values[np.unique(np.linspace(0, len(values) - 1, MOST_KNOTS).astype(int))]
    return Scale(low - room, high + room, np.array([low - room, *values, high + room]))


def _uneven(values: np.ndarray) -> bool:
    """Would three quarters of the axis hold no more than a quarter of the distinct values?"""
    if len(values) < 8:
        return False
    share = (values - values[0]) / (values[-1] - values[0])
    return bool(np.quantile(share, 0.75) < 0.25 or np.quantile(share, 0.25) > 0.75)


def draw_partition(d: TernaryPartitionDisplay, pen: Pen, target: Target) -> None:
    if d.categories is not None:
        from treant_viz.viz.ternary_partition.categories import draw_categories

        draw_categories(d, pen, target)
        return
    labels = [_label(d, i) for i in d.shown] if len(d.shown) <= MOST_LANES else []
    left = max([150.0 if not labels else 92.0, *(width(words, SMALL) + 36 for words in labels)])
    columns = [(left, 3.1, 22.0), (4.0, 1.05, 8.0)]
    (main, side), (strip, key) = placed(target, pen, [(38.0, 1.5, 6.0), (14.0, 1.0, 50.0)], columns)
    scale = scale_of(d)
    for ax, s in ((main, "left"), (main, "right")):
        ends = (scale.low, d.threshold) if s == "left" else (d.threshold, scale.high)
        look: dict[str, Any] = {"facecolor": pen.palette.tint(s, 0.09), "edgecolor": "none", "zorder": 0}  # type: ignore[arg-type]
        pen.keep("shade", ax.axvspan(*ends, **look))
    (_lanes if len(d.shown) <= MOST_LANES else _crowd)(d, pen, main, scale)
    _strip(d, pen, strip, scale, size_of(target)[0] * 0.62)
    for ax in (main, strip):
        scale.put_on(pen, ax, labels=ax is strip)
        pen.keep("threshold", ax.axvline(d.threshold, color=pen.palette.ink, linewidth=2.6, zorder=6))
    _above(d, pen, main, scale)
    draw_groups(d, pen, side)
    draw_losses(d, pen, key)


def _above(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale) -> None:
    """The test on the line, and what lies on either side of it."""
    at = float(scale.share(d.threshold))
    ha = "left" if at < 0.12 else "right" if at > 0.88 else "center"
    pill(pen, ax, d.threshold, 1.055, d.test, ax.get_xaxis_transform(), ha)
    for words, x, sign in (("left", 0.0, "left"), ("right", 1.0, "right")):
        if abs(at - x) > 0.25:
            color = pen.palette.words(words)  # type: ignore[arg-type]
            place: dict[str, Any] = {"transform": ax.transAxes, "ha": sign, "va": "center"}
            pen.text(
                ax, x, 1.055, words, "side of the line", **pen.type(BODY, bold=True, color=color), **place
            )


def pill(pen: Pen, ax: Axes, x: float, y: float, words: str, transform: Any, ha: str = "center") -> None:
    p = pen.palette
    frame = {"boxstyle": "round,pad=0.32,rounding_size=0.75", "facecolor": p.ink, "edgecolor": "none"}
    look = pen.type(BODY, bold=True, color=p.on(p.ink))
    pen.text(ax, x, y, words, "test", transform=transform, ha=ha, va="center", bbox=frame, zorder=9, **look)


def _lanes(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale) -> None:
    """One row each: its name and label, a bar as far as it can be moved, a dot; an arrow if it is pushed."""
    kinds = [Kind(float(d.value[i]), int(d.side[i]), p, 1) for i, p in zip(d.shown, d.whiskers, strict=True)]
    _bars(pen, ax, scale, kinds, np.arange(len(kinds)) + 0.0, HALF)
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
    ax.set_ylim(len(kinds) - 0.4, -0.6)


class Kind(NamedTuple):
    """Rows of the same value, side and reach."""

    value: float
    side: int
    reach: Any
    rows: int


def _bars(
    pen: Pen, ax: Axes, scale: Scale, kinds: Sequence[Kind], at: Sequence[float] | np.ndarray, half: float
) -> None:
    """A bar as far as each can be moved, an upright line for what cannot; a dot at its value."""
    for s, role in enumerate(ROLES):
        found = [(y, a, b) for y, k in zip(at, kinds, strict=True) if k.side == s for a, b in k.reach]
        ends = [(max(a, scale.low), y - half, min(b, scale.high), y + half) for y, a, b in found if a < b]
        boxes(pen, ax, role, f"whisker {role}", ends)
        still = np.array([(a, y - half, y + half) for y, a, b in found if a == b]).reshape(-1, 3)
        if len(still):
            color = pen.palette.branch(role).color
            pen.keep(f"still {role}", ax.vlines(*still.T, color=color, linewidth=3.0, zorder=4))
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 9.5 if half == HALF else 6.5}
    look |= {"color": pen.palette.background, "markeredgecolor": pen.palette.ink, "zorder": 7}
    look["markeredgewidth"] = 2.2 if half == HALF else 1.6
    pen.keep("dot", ax.plot([k.value for k in kinds], at, **look)[0])


def _label(d: TernaryPartitionDisplay, i: int) -> str:
    return f"x{d.rows[i]}   y = {number(d.y[i])}"


def boxes(pen: Pen, ax: Axes, branch: Role, role: str, ends: Sequence[Sequence[float]] | np.ndarray) -> None:
    """Rectangles (left, low, right, high) of a branch as a single shape: its texture is made once."""
    if not len(ends):
        return
    left, low, right, high = np.asarray(ends, dtype=float).T
    corners = np.stack([left, low, right, low, right, high, left, high], axis=1).reshape(-1, 4, 2)
    shape = PathPatch(Path.make_compound_path_from_polys(corners), **pen.fill(branch) | {"zorder": 3})
    pen.keep(role, ax.add_artist(shape))


def _beyond(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale) -> None:
    """Arrow heads where whiskers leave the picture."""
    for end, marker, at in ((0, "<", scale.low), (1, ">", scale.high)):
        rows = [
            y for y, found in enumerate(d.whiskers) if any((at - p[end]) * (1 - 2 * end) > 0 for p in found)
        ]
        if rows:
            look: dict[str, Any] = {"linestyle": "", "marker": marker, "markersize": 9.0, "clip_on": False}
            pen.keep("beyond", ax.plot([at] * len(rows), rows, color=pen.palette.ink, **look)[0])


def _crowd(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale) -> None:
    """Many rows: a histogram of all by side; below it some around the line, one by one."""
    most = _histogram(d, pen, ax, scale)
    groups = {role: kinds for role, kinds in _sample(d).items() if kinds}
    kinds = [k for found in groups.values() for k in found]
    pitch = CROWD / (len(kinds) + 0.5 * (len(groups) - 1))
    at, ticks, top = [], [], CROWD
    for role, found in groups.items():
        at += [top - pitch * (i + 0.5) for i in range(len(found))]
        of = f"{len(found)} of {d.counts[ROLES.index(role)]:,} {SHORT[role]}"
        ticks.append((top - pitch * len(found) / 2, of, role))
        top -= pitch * (len(found) + 0.5)
    _bars(pen, ax, scale, kinds, at, 0.36 * pitch)
    pen.style(ax, spines=())
    ax.axhline(FOOT, color=pen.palette.soft, linewidth=1.0, zorder=4)
    ax.tick_params(axis="y", length=0)
    words = [*(t[1] for t in ticks), "no row", counted(most, "row")]
    pen.ticks(ax, "y", [*(t[0] for t in ticks), FOOT, 0.98], words)
    for label, (_, _, role) in zip(ax.get_yticklabels(), ticks, strict=False):
        label.set_color(pen.palette.words(role))
    ax.set_ylim(0.0, 1.0)


def _sample(d: TernaryPartitionDisplay) -> dict[Role, list[Kind]]:
    """Some rows to draw one by one: those nearest to the line that cannot cross it, and some that can."""
    counts: dict[tuple[float, int, Any], int] = {}
    for i, pieces in zip(d.shown, d.whiskers, strict=True):
        what = (float(d.value[i]), int(d.side[i]), pieces)
        counts[what] = counts.get(what, 0) + 1
    kinds = [Kind(*what, n) for what, n in sorted(counts.items(), key=lambda item: item[0][:2])]
    out: dict[Role, list[Kind]] = {}
    for s, role in enumerate(ROLES):
        mine, few = [k for k in kinds if k.side == s], FEW[role]
        if role == "left":
            out[role] = mine[-few:]
        elif role == "right":
            out[role] = mine[:few]
        else:
            places = np.unique(np.linspace(0, len(mine) - 1, min(few, len(mine))).round().astype(int))
            out[role] = [mine[i] for i in places]
    return out


def _histogram(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale) -> int:
    """How many rows of each side are in each bin, as stacked bars. Returns the most in a bin."""
    ends = np.array([scale.low, scale.high])
    left, right, place = bins(scale.to(d.value), float(scale.to(d.threshold)), scale.to(ends))
    counts = np.stack([np.bincount(place[d.side == s], minlength=len(left)) for s in range(3)])
    most = int(counts.sum(axis=0).max())
    heights = (0.98 - FOOT) * counts / most
    tops = FOOT + np.cumsum(heights, axis=0)
    left, right, few = scale.back(left), scale.back(right), 0
    for s, role in enumerate(ROLES):
        full = np.flatnonzero(counts[s])
        shape = np.stack([left, tops[s] - heights[s], right, tops[s]], axis=1)
        boxes(pen, ax, role, f"bar {role}", shape[full])
        low = full[counts[s][full] < 0.02 * most]  # too low to be seen: a tick below the bars, which says so
        ticks = np.stack(
            [(left + right)[low] / 2, np.full(len(low), FOOT - 0.035), np.full(len(low), FOOT)], axis=1
        )
        if len(low):
            color = pen.palette.branch(role).color
            pen.keep(f"tick {role}", ax.vlines(*ticks.T, color=color, linewidth=2.0, zorder=4))
            few = few or len(low)
    if few:
        look = pen.type(SMALL, color=pen.palette.soft) | {
            "transform": ax.transAxes,
            "ha": "right",
            "va": "top",
        }
        pen.text(ax, 0.995, 0.985, "ticks: bars too low to be seen", "tick words", **look)
    return most


def bins(
    value: np.ndarray, v: float, ends: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Left and right ends of bins, and the bin of each value: no bin crosses v, and v itself is left."""
    a, b = (value.min(), value.max()) if ends is None else ends
    low, high = min(float(value.min()), v), max(float(value.max()), v)
    width = float(b - a) / MOST_BARS or 1.0
    first = math.floor(round((low - v) / width, 9)) - 1
    place = np.ceil(np.round((value - v) / width, 9)).astype(int) - first - 1
    place = np.where(value > v, np.maximum(place, -first), np.minimum(place, -first - 1))
    last = max(int(place.max()), math.ceil((high - v) / width) - first - 1)
    edges = v + width * np.arange(first, last + first + 2)
    return edges[:-1], edges[1:], place


def _strip(d: TernaryPartitionDisplay, pen: Pen, ax: Axes, scale: Scale, points: float) -> None:
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
    words = (
        "loss if nobody attacks",
        f"loss under attack, {'best' if d.leaves == 'robust' else 'standard'} leaves",
    )
    name_curves(pen, ax, steps, frame, [d.threshold], words)
    for role, loss in (("at the line", d.plain.loss), ("at the line, attacked", d.attacked.loss)):
        dot(pen, ax, d.threshold, min(loss, ylim[1]), role)


def draw_groups(d: TernaryPartitionDisplay, pen: Pen, ax: Axes) -> None:
    """Left, unknown and right as a column of all rows, as high as they are many, with their losses."""
    ax.set_axis_off()
    ax.set(xlim=(0, 1), ylim=(1, 0))
    n, (sums, _) = len(d.rows), adding(d.sums)
    starts = np.cumsum([0, *d.counts]) / n
    at = spread([(a + b) / 2 for a, b in pairwise(starts)], 0.3)
    soft = pen.type(SMALL, color=pen.palette.soft)
    pen.text(
        ax, 0.04, -0.03, f"Of {counted(n, 'row')}", "group head", va="bottom", **pen.type(BODY, bold=True)
    )
    for s, role in enumerate(ROLES):
        size = d.counts[s] / n
        if size:
            pen.patch(ax, Rectangle((0.04, starts[s]), 0.1, size, **pen.fill(role)), f"part {role}")
        look = pen.type(SMALL, bold=True, color=pen.palette.words(role))
        pen.text(ax, 0.18, at[s] + 0.01, f"{d.counts[s]:,} {SIDES[role]}", "group", va="bottom", **look)
        if d.counts[s]:
            words = f"loss {sums[s]}{_pushed(d) if role == 'unknown' else ''}"
            pen.text(ax, 0.18, at[s] + 0.015, words, "group sum", va="top", **soft)


def _pushed(d: TernaryPartitionDisplay) -> str:
    """Who is taken where, in words."""
    left = d.value[d.pushed] <= d.threshold if d.categories is None else d.value[d.pushed] == _place(d)
    n, to = len(left), {"right" if x else "left" for x in left.tolist()}
    if not n:
        return ""
    return f", {f'{n:,} ' * (d.counts[1] > 1)}pushed {to.pop() if len(to) == 1 else 'across'}"


def _place(d: TernaryPartitionDisplay) -> int:
    return (d.categories or ()).index(d.threshold)


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
    """What both learners find at the line: the loss, what it is the sum of, the leaves."""
    ax.set_axis_off()
    tall, n = size_of(ax)[1], len(d.rows)
    ax.set(xlim=(0, 1), ylim=(tall, 0))
    p, (sums, total), pitch = pen.palette, adding(d.sums), min(17.5, tall / 7.6)
    parts = [x for x, k in zip(sums, d.counts, strict=True) if k]
    how = f"= {' + '.join(parts)}" if len(parts) > 1 else ""
    found = (("If nobody attacks", f"loss L = {number(d.plain.loss)}", "", d.plain, p.ink),
             ("Under attack", f"loss Lᴬ = {total}", how, d.attacked, p.attack))  # fmt: skip
    y = 12.0
    for head, loss, how, at, color in found:
        each = f" ({number(at.loss / n)} a row)" if n > MOST_LANES and math.isfinite(at.loss) else ""
        leaves = f"leaves {' and '.join(map(number, at.leaves))}"
        if math.isclose(*at.leaves, rel_tol=1e-9):
            leaves = f"both leaves say {number(at.leaves[0])}"
        bold, soft = pen.type(SMALL, bold=True, color=color), pen.type(SMALL, color=p.soft)
        said = (
            ("key head", head, bold),
            ("current", loss + each, bold),
            ("sum", how, soft),
            ("leaves", leaves, soft),
        )
        for role, words, look in said:
            if words:
                pen.text(ax, 0.04, y, words, role, va="baseline", **look)
                y += pitch
        y += 0.4 * pitch


__all__ = [
    "bins",
    "boxes",
    "draw_groups",
    "draw_losses",
    "draw_partition",
    "pill",
    "scale_for",
    "scale_of",
    "spread",
]

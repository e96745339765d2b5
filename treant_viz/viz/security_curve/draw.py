"""Drawing security curves: a panel a data set and measure, one scale a measure, every name once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from treant_viz.viz.security_curve.facts import METRIC_NAMES, Curve, spread
from treant_viz.viz.style.formula import Piece, Rich
from treant_viz.viz.style.palette import FULL_NAMES, Method, methods, mixed
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import MINUS, drawable, name, names, number
from treant_viz.viz.style.typeface import width, wrapped

if TYPE_CHECKING:
    from treant_viz.viz.security_curve.display import SecurityCurveDisplay

LEFT, INNER, GAP = 66.0, 46.0, 12.0  # points left of a panel: of the first, of others; right of a panel
ABOVE, BELOW, BETWEEN = 28.0, 46.0, 12.0  # points over the first row, under the last one, between rows
LEADER = 12.0  # points from the end of a line to its name
LINE = 1.35  # from line to line of a name, in sizes
LONGEST = 14  # letters of a name at a line's end
STRONG = 3.0  # the width of a line in focus whose method is none of the paper's
CHANCE = {"roc_auc": 0.5}  # what guessing gets
FULL_NAME = 92.0  # points that the lines of a full name may be wide


class MeasureScale(NamedTuple):
    """The one scale of a measure: its ends and its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]


def draw_curves(d: SecurityCurveDisplay, pen: Pen, target: Target) -> None:
    across, down = d.shape
    one, large = len(d.datasets) == 1, down == 1
    short = names(d.models, LONGEST)
    lead = LEADER + (width("0.000", SMALL, bold=True) if large else 0.0)
    room = lead + max(_wide(label, short[label]) for label in d.models) + 16
    gap = GAP + (lead if large else 0.0)
    inner = GAP if large and not one else INNER
    named = _named(d)
    column = d.metrics.index(named[0]) if one else d.datasets.index(named[1])
    columns = [(inner if j else LEFT, 1.0, room if j == column else gap) for j in range(across)]
    rows = [(ABOVE if i == 0 else BETWEEN, 1.0, BELOW if i == down - 1 else BETWEEN) for i in range(down)]
    grid = placed(target, pen, rows, columns)
    for i, metric in enumerate(d.metrics):
        scale = _scale([c for c in d.curves if c.metric == metric], d)
        for j, dataset in enumerate(d.datasets):
            ax = grid[0][i] if one else grid[i][j]
            _panel(d, pen, ax, metric, dataset, scale)
            _axes(d, pen, ax, metric, dataset, scale, low=one or i == down - 1, first=j == 0)
            if large or (metric, dataset) == named:
                _ends(d, pen, ax, metric, dataset, short if (metric, dataset) == named else {})
    _mark_fall(d, pen, grid)


def _wide(label: str, short: str) -> float:
    """How wide a name at a line's end is, with what it stands for below it."""
    full = wrapped(FULL_NAMES.get(label, ""), FULL_NAME, SMALL)
    return max(width(short, SMALL, bold=True), *(width(line, SMALL) for line in full))


def _named(d: SecurityCurveDisplay) -> tuple[str, str]:
    """Measure and data set of the one panel with the names: where the lines end farthest apart, the first
    of such panels.
    """
    if len(d.datasets) == 1:
        return d.metrics[-1], d.datasets[0]

    def apart(panel: tuple[str, str]) -> float:
        metric, dataset = panel
        mine = [c for c in d.curves if c.metric == metric]
        ends = sorted(c.points[-1].value for c in mine if c.dataset == dataset)
        every = [p.value for c in mine for p in c.points]
        gaps = (b - a for a, b in pairwise(ends))
        return min(gaps, default=0.0) / ((max(every) - min(every)) or 1.0)

    return max(((m, x) for x in d.datasets for m in d.metrics), key=apart)


def _scale(curves: Sequence[Curve], d: SecurityCurveDisplay) -> MeasureScale:
    """Below all values of a measure, and up to a round number above them."""
    values = [p.value for c in curves for p in c.points]
    values += [
        x for c in curves if c.model in d.focus and c.has_band for p in c.points for x in (p.low, p.high)
    ]
    values += [p.value for p in d.printed if p.metric == curves[0].metric and p.model in d.models]
    bins = 6 if d.shape[1] == 1 else 4
    found = MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10]).tick_values(min(values), max(values))
    top = float(found[-1])
    room = 0.06 * (top - min(values))
    ticks = tuple(float(t) for t in found if t >= min(values) - room)
    return MeasureScale(min(min(values) - room, ticks[0]), top + 0.5 * room, ticks)


def _panel(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, scale: MeasureScale
) -> None:
    mine = [c for c in d.curves if (c.metric, c.dataset) == (metric, dataset)]
    budgets = sorted({p.budget for c in mine for p in c.points}) or [0.0]
    edge = 0.03 * (budgets[-1] - budgets[0]) or 1.0
    ax.set_xlim(budgets[0] - edge, budgets[-1] + edge)
    ax.set_ylim(scale.low, scale.high)
    looks = methods(d.models)
    for c in sorted(mine, key=lambda c: c.model in d.focus):
        _line(pen, ax, c, looks[c.model], lit=c.model in d.focus, size=6.5 if d.shape[1] == 1 else 5.0)
    for p in d.printed:
        if (p.metric, p.dataset) == (metric, dataset) and p.model in d.models:
            _hollow(pen, ax, p.budget, p.value, looks[p.model], 12.5 if d.shape[1] == 1 else 10.5)
    if d.rule(dataset):
        look: dict[str, Any] = {"color": pen.palette.soft, "linewidth": 1.4, "linestyle": (0, (2, 2))}
        pen.keep("train budget", ax.axvline(d.train_budgets[dataset], zorder=0, **look))


def _line(pen: Pen, ax: Axes, c: Curve, m: Method, *, lit: bool, size: float) -> None:
    x, y = [p.budget for p in c.points], [p.value for p in c.points]
    if lit and c.has_band:
        tint = mixed(pen.palette.background, m.color, 0.2)
        low, high = [p.low for p in c.points], [p.high for p in c.points]
        pen.keep("band", ax.fill_between(x, low, high, color=tint, linewidth=0, zorder=1))
    look: dict[str, Any] = {
        "color": m.color,
        "marker": m.marker,
        "linestyle": m.dash,
        "markersize": size,
        "zorder": 3,
    }
    gid = "-".join(filter(None, ["curve", c.dataset, c.metric, c.model]))
    wide = max(m.width, STRONG) if lit else m.width
    pen.keep("curve", ax.plot(x, y, linewidth=wide, scalex=False, scaley=False, **look)[0], gid)


def _hollow(pen: Pen, ax: Axes, x: float, y: float, m: Method, size: float) -> None:
    look: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": m.color, "markeredgewidth": 1.6}
    look |= {"marker": m.marker, "markersize": size, "linestyle": "none", "clip_on": False, "zorder": 4}
    pen.keep("printed", ax.plot([x], [y], scalex=False, scaley=False, **look)[0])


def _ends(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, short: dict[Any, str]
) -> None:
    """What stands at the ends of lines, moved apart where it would overlap: the value in a large panel, and
    the names in one panel.
    """
    mine = [c for c in d.curves if (c.metric, c.dataset) == (metric, dataset)]
    low, high = ax.get_ylim()
    left, right = ax.get_xlim()
    wide, tall = size_of(ax)
    point, line = (right - left) / wide, LINE * SMALL / tall * (high - low)
    full = [wrapped(FULL_NAMES.get(c.model, ""), FULL_NAME, SMALL) if short else () for c in mine]
    tallest = 1 + max((len(lines) for lines in full if any(lines)), default=0)
    step = (tallest + (0.3 if tallest > 1 else 0.1)) * line
    more = max(0.0, step * len(mine) - (high - low)) / 2 + 0.3 * step * (tallest > 1)
    places = spread([c.points[-1].value for c in mine], step, low - more + step / 2, high + more - step / 2)
    end = right + LEADER * point
    for c, y, lines in zip(mine, places, full, strict=True):
        y += sum(map(bool, lines)) / 2 * line
        at = c.points[-1]
        if short or abs(y - at.value) > 0.4 * line:
            path = [at.budget, right + 0.45 * LEADER * point, end], [at.value, y, y]
            look: dict[str, Any] = {"color": methods(d.models)[c.model].color, "linewidth": 1.2}
            ax.plot(*path, scalex=False, scaley=False, clip_on=False, zorder=0, **look)
        _end_words(d, pen, ax, c, (end, y, point, line), short.get(c.model, ""), lines)


def _end_words(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, c: Curve, at: tuple[float, float, float, float],
    short: str, full: Sequence[str],
) -> None:  # fmt: skip
    """The value and the name of a line at its end, and below it what the name stands for."""
    x, y, point, line = at
    style: dict[str, Any] = {"va": "center", "ha": "left"}
    bold = pen.type(SMALL, bold=c.model in d.focus)
    bold["color"] = mixed(methods(d.models)[c.model].color, pen.palette.ink, 0.3)
    x += 3 * point
    if d.shape[1] == 1:
        value = f"{c.points[-1].value:.2f}".replace("-", MINUS)
        pen.text(ax, x, y, value, "end value", **bold, **style)
        x += (width(value, SMALL, bold=True) + 5) * point * bool(short)
    if short:
        pen.text(ax, x, y, short, "end", **bold, **style)
    for k, words in enumerate(filter(None, full), 1):
        pen.text(ax, x, y - k * line, words, "full name", **pen.type(SMALL, color=pen.palette.soft), **style)


def _mark_fall(d: SecurityCurveDisplay, pen: Pen, grid: Sequence[Sequence[Axes]]) -> None:
    """The fall that the title tells, as a bracket from its start to its end."""
    c = d.told_fall
    if c is None:
        return
    i, j = d.metrics.index(c.metric), d.datasets.index(c.dataset)
    ax = grid[0][i] if len(d.datasets) == 1 else grid[i][j]
    a, b = max(pairwise(c.points), key=lambda pair: pair[0].value - pair[1].value)
    start, end = c.points[0], c.points[-1]
    late = a.budget + b.budget > start.budget + end.budget  # the other side of the panel is free
    x = start.budget + (0.22 if late else 0.9) * (end.budget - start.budget)
    low, high = sorted((start.value, end.value))
    look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 1.2, "zorder": 2, "scalex": False}
    for (u, v), y in (((start.budget, x), start.value), ((x, end.budget), end.value)):
        pen.keep("fall guide", ax.plot((u, v), (y, y), linestyle=(0, (1, 2)), scaley=False, **look)[0])
    arrow = {"arrowstyle": "<|-|>", "color": pen.palette.ink, "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    pen.keep("fall bracket", ax.annotate("", (x, end.value), (x, start.value), arrowprops=arrow, zorder=4))
    words, place = f"falls by {number(c.fall, 2)}", (x, 0.55 * low + 0.45 * high)
    style: dict[str, Any] = {
        "textcoords": "offset points",
        "ha": "left" if late else "right",
        "va": "center",
        "zorder": 5,
    }
    where = (8 if late else -8, 0)
    pen.keep("fall", ax.annotate(words, place, where, **style, **pen.type(SMALL, bold=True)))


def _axes(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, scale: MeasureScale, *,
    low: bool, first: bool,
) -> None:  # fmt: skip
    """Few ticks: the real budgets below, the measure at the left; the data set on top."""
    measure = "" if len(d.datasets) == 1 else name(METRIC_NAMES.get(metric, metric), 24)
    pen.style(ax, xlabel=d.x if low else "", ylabel=measure if first else "", spines=())
    ax.grid(axis="y", color=pen.palette.faint, linewidth=1.0)
    ax.set_axisbelow(True)
    ax.tick_params(length=0)
    numbers = first or d.shape[1] > 1 or len(d.datasets) == 1
    pen.ticks(ax, "y", scale.ticks, [number(v) if numbers else "" for v in scale.ticks])
    ax.set_ylim(scale.low, scale.high)
    at = _apart(d, ax, metric, dataset)
    pen.ticks(ax, "x", at, [number(b) if low else "" for b in at])
    _heading(d, pen, ax, metric, dataset)
    _chance(d, pen, ax, metric, dataset, scale)


def _chance(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, scale: MeasureScale
) -> None:
    """What guessing gets: a line, named in the panel where there is most room at its start."""
    chance = CHANCE.get(metric, scale.low)
    if not scale.low < chance < scale.high:
        return
    look: dict[str, Any] = {"color": pen.palette.soft, "linewidth": 1.2, "zorder": 0.5}
    pen.keep("chance", ax.axhline(chance, **look))

    def free(dataset: str) -> float:
        """How far all curves stay away where the name would stand; it gives way to the fall that is told."""
        if d.told_fall is not None and d.told_fall.dataset == dataset:
            return -1.0
        mine = [c for c in d.curves if (c.metric, c.dataset) == (metric, dataset)]
        return min(abs(p.value - chance) for c in mine for p in c.points[: len(c.points) // 2 + 1])

    if dataset == max(d.datasets, key=free):
        style = pen.type(SMALL, color=pen.palette.soft) | {"ha": "left", "va": "bottom", "zorder": 0.6}
        pen.text(ax, ax.get_xlim()[0], chance, " guessing", "chance name", **style)


def _apart(d: SecurityCurveDisplay, ax: Axes, metric: str, dataset: str) -> list[float]:
    """Budgets whose numbers have room, the last one always."""
    left, right = ax.get_xlim()
    box: Any = ax.get_window_extent()
    point = (right - left) / (box.width * 72 / ax.get_figure(root=True).dpi)  # type: ignore[union-attr]
    mine = [c for c in d.curves if (c.metric, c.dataset) == (metric, dataset)]
    kept: list[float] = []
    for b in sorted({p.budget for c in mine for p in c.points}, reverse=True):
        if not kept or kept[-1] - b > (width(number(b), SMALL) + 6) * point:
            kept.append(b)
    return kept[::-1]


def _heading(d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str) -> None:
    bold, soft = d.heading(dataset, metric)
    pieces = [Piece(drawable(bold), bold=True)] if bold else []
    if soft:
        pieces.append(Piece(f"{'   ' if bold else ''}{soft}", color=pen.palette.soft))
    if pieces:
        place: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom", "ha": "left"}
        pen.text(ax, 0.0, 1.02, Rich(tuple(pieces)), "panel", **pen.type(BODY), **place)


__all__ = ["draw_curves"]

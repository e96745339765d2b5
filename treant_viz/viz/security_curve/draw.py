"""Drawing security curves: a panel a data set and measure, names at the line ends, one scale a measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from treant_viz.viz.security_curve.facts import METRIC_NAMES, Curve, spread
from treant_viz.viz.style.formula import Piece, Rich
from treant_viz.viz.style.palette import Method, methods, mixed
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import drawable, name, names, number
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.security_curve.display import SecurityCurveDisplay

LEFT, INNER, GAP = 66.0, 46.0, 18.0  # points left of a panel: of the first, with numbers, without
ABOVE, BELOW, BETWEEN = 28.0, 46.0, 10.0  # points over the first row, under the last one, between rows
LEADER = 14.0  # points from the end of a line to its name
LONGEST = 14  # letters of a name at a line's end
STRONG = 3.0  # the width of a line in focus whose method is none of the paper's


def draw_curves(d: SecurityCurveDisplay, pen: Pen, target: Target) -> None:
    across, down = d.shape
    one = len(d.datasets) == 1
    short = names(d.models, LONGEST)
    room = LEADER + max(width(s, SMALL, bold=True) for s in short.values()) + 10
    columns = [(LEFT if j == 0 else INNER if one else GAP, 1.0, room) for j in range(across)]
    rows = [(ABOVE if i == 0 else BETWEEN, 1.0, BELOW if i == down - 1 else BETWEEN) for i in range(down)]
    grid = placed(target, pen, rows, columns)
    for i, metric in enumerate(d.metrics):
        ends = _limits([c for c in d.curves if c.metric == metric], d)
        for j, dataset in enumerate(d.datasets):
            ax = grid[0][i] if one else grid[i][j]
            _panel(d, pen, ax, metric, dataset, ends, short)
            _axes(d, pen, ax, metric, dataset, low=one or i == down - 1, numbers=one or j == 0)


def _limits(curves: Sequence[Curve], d: SecurityCurveDisplay) -> tuple[float, float]:
    """The one scale of a measure: from its least to its greatest value, with a little room."""
    values = [p.value for c in curves for p in c.points]
    values += [
        x for c in curves if c.model in d.focus and c.has_band for p in c.points for x in (p.low, p.high)
    ]
    values += [p.value for p in d.printed if p.metric == curves[0].metric and p.model in d.models]
    room = 0.06 * (max(values) - min(values)) or 0.05
    return min(values) - room, max(values) + room


def _panel(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, ends: tuple[float, float],
    short: dict[Any, str],
) -> None:  # fmt: skip
    mine = [c for c in d.curves if (c.metric, c.dataset) == (metric, dataset)]
    budgets = sorted({p.budget for c in mine for p in c.points}) or [0.0]
    edge = 0.03 * (budgets[-1] - budgets[0]) or 1.0
    ax.set_xlim(budgets[0] - edge, budgets[-1] + edge)
    ax.set_ylim(*ends)
    looks = methods(d.models)
    for c in sorted(mine, key=lambda c: c.model in d.focus):
        _line(pen, ax, c, looks[c.model], lit=c.model in d.focus)
    for p in d.printed:
        if (p.metric, p.dataset) == (metric, dataset) and p.model in d.models:
            _hollow(pen, ax, p.budget, p.value, looks[p.model])
    if dataset in d.train_budgets:
        look: dict[str, Any] = {
            "color": pen.palette.soft,
            "linewidth": 1.4,
            "linestyle": (0, (2, 2)),
            "zorder": 0,
        }
        pen.keep("train budget", ax.axvline(d.train_budgets[dataset], **look))
    _names(d, pen, ax, mine, looks, short)


def _line(pen: Pen, ax: Axes, c: Curve, m: Method, *, lit: bool) -> None:
    x, y = [p.budget for p in c.points], [p.value for p in c.points]
    if lit and c.has_band:
        tint = mixed(pen.palette.background, m.color, 0.2)
        low, high = [p.low for p in c.points], [p.high for p in c.points]
        pen.keep("band", ax.fill_between(x, low, high, color=tint, linewidth=0, zorder=1))
    look: dict[str, Any] = {
        "color": m.color,
        "marker": m.marker,
        "linestyle": m.dash,
        "markersize": 6.5,
        "zorder": 3,
    }
    gid = "-".join(filter(None, ["curve", c.dataset, c.metric, c.model]))
    wide = max(m.width, STRONG) if lit else m.width
    pen.keep("curve", ax.plot(x, y, linewidth=wide, scalex=False, scaley=False, **look)[0], gid)


def _hollow(pen: Pen, ax: Axes, x: float, y: float, m: Method) -> None:
    look: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": m.color, "markeredgewidth": 1.8}
    look |= {"marker": m.marker, "markersize": 12.5, "linestyle": "none", "clip_on": False, "zorder": 4}
    pen.keep("printed", ax.plot([x], [y], scalex=False, scaley=False, **look)[0])


def _names(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, mine: Sequence[Curve], looks: dict[str, Method],
    short: dict[Any, str],
) -> None:  # fmt: skip
    """The models' names at the ends of their lines, moved apart where they would overlap."""
    low, high = ax.get_ylim()
    left, right = ax.get_xlim()
    box: Any = ax.get_window_extent()
    dot = ax.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
    step = 1.36 * SMALL * dot / box.height * (high - low)
    end = right + LEADER * dot / box.width * (right - left)
    places = spread([c.points[-1].value for c in mine], step, low + step / 2, high - step / 2)
    for c, y in zip(mine, places, strict=True):
        look: dict[str, Any] = {
            "color": looks[c.model].color,
            "linewidth": 1.2,
            "clip_on": False,
            "zorder": 0,
        }
        last = c.points[-1]
        ax.plot(
            [last.budget, end - 0.2 * (end - right), end],
            [last.value, y, y],
            scalex=False,
            scaley=False,
            **look,
        )
        weight = pen.type(SMALL, bold=c.model in d.focus)
        pen.text(ax, end, y, f" {short[c.model]}", "end", va="center", ha="left", **weight)


def _axes(
    d: SecurityCurveDisplay, pen: Pen, ax: Axes, metric: str, dataset: str, *, low: bool, numbers: bool
) -> None:
    """Few ticks: the real budgets below, the measure at the left; the data set on top."""
    measure = "" if len(d.datasets) == 1 else name(METRIC_NAMES.get(metric, metric), 24)
    pen.style(ax, xlabel=d.x if low else "", ylabel=measure if numbers else "", spines=())
    ax.grid(axis="y", color=pen.palette.faint, linewidth=1.0)
    ax.set_axisbelow(True)
    ax.tick_params(length=0)
    ax.locator_params(axis="y", nbins=4)
    at = list(ax.get_yticks())
    ends = ax.get_ylim()
    pen.ticks(ax, "y", at, [number(v) if numbers else "" for v in at])
    ax.set_ylim(*ends)
    at = _apart(d, ax, metric, dataset)
    pen.ticks(ax, "x", at, [number(b) if low else "" for b in at])
    _heading(d, pen, ax, metric, dataset)


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

"""Drawing a split search: large the feature that tempts a learner unaware of the attacker, beside it small
the others, all on one scale of losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.split_search.draw import Frame, dot, draw_categories, draw_steps, label, name_curves
from treant_viz.viz.split_search.facts import LossLine, LossSteps, limits
from treant_viz.viz.split_search.marks import chosen, draw_marks
from treant_viz.viz.split_search.rows import draw_rows, drawn_rows, far_rows, how_many, names_wide
from treant_viz.viz.style.formula import rich
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import names, number, value
from treant_viz.viz.ternary_partition.facts import NodeRows
from treant_viz.viz.ternary_partition.scale import ValueAxis, scale_for

if TYPE_CHECKING:
    from treant_viz.viz.split_search.display import SplitSearchDisplay

LEFT, RIGHT, ABOVE, BELOW = 82.0, 22.0, 34.0, 58.0  # points around panels
LARGE = 0.6  # the share of the width that the large panel gets
IN_AXES = 3  # features in an Axes of the caller's
FEW = 9  # thresholds, each with a tick of its own; rows, each with its reach
LANE = 0.042  # of the height, from row to row


def draw_search(d: SplitSearchDisplay, pen: Pen, target: Target) -> None:
    lines = d.shown[: IN_AXES if isinstance(target, Axes) else len(d.shown)]
    rows = far_rows(d, lines[0]) if lines[0].categorical else None
    cells = _cells(d, pen, target, len(lines), LEFT if rows is None else names_wide(rows))
    ends = _ends(d, lines)
    title = names([_plain(line.feature) for line in lines], 26)
    for k, (ax, line, steps) in enumerate(zip(cells, lines, d.steps, strict=False)):
        place: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom", "ha": "left"}
        head = pen.type(HEAD if k == 0 else BODY, bold=True)
        phrase = rich(title[_plain(line.feature)]).look(bold=True)
        if len(lines) == 2 and _free(d, line):
            phrase = phrase + rich("   no rule touches it").look(bold=False, color=pen.palette.soft)
        pen.text(ax, 0.0, 1.03, phrase, "feature", **head, **place)
        if k == 0 and rows is not None:
            draw_rows(d, pen, ax, rows, line, ends)
            continue
        _frame(d, pen, ax, ends, first=k == 0)
        if steps is None:
            _categories(d, pen, ax, line)
        else:
            _steps(d, pen, ax, line, steps, named=k == 0)


def _free(d: SplitSearchDisplay, line: LossLine) -> bool:
    """Does no rule change this feature, though there are rules?"""
    rules = d.source["trace"].attacker.rules if d.source is not None else ()
    return d.attacked and bool(rules) and all(rule.feature != line.feature for rule in rules)


def _ends(d: SplitSearchDisplay, lines: Sequence[LossLine]) -> tuple[float, float]:
    """The one scale of losses, with room for words about what an attack does to the standard choice."""
    losses = [*(x for line in lines for x in (line.plain, line.attacked)), np.array([d.leaf_loss])]
    low, high = limits(losses)
    more = 0.4 if _few(d) else 0.08 * (lines[0].categorical or (d.attacked and not d.same))
    return low, high + more * (high - low)


def _plain(feature: Any) -> str:
    return feature if isinstance(feature, str) else f"x[{feature}]"


def _cells(d: SplitSearchDisplay, pen: Pen, target: Target, n: int, left: float) -> list[Axes]:
    """The large panel, and the small ones: two beside each other, one alone where the robust choice is
    elsewhere.
    """
    wide = size_of(target)[0]
    cut, rest = (wide * LARGE if n > 1 else wide), n - 1
    ((main,),) = placed(target, pen, [(ABOVE, 1.0, BELOW)], [(left, 1.0, wide - cut + RIGHT)])
    if not rest:
        return [main]
    column = (cut + 26.0, 1.0, 6.0), (8.0, 1.0, RIGHT)
    alone = rest == 1 or isinstance(target, Axes) or (rest == 3 and not d.same)
    if not alone:
        down = [(ABOVE, 1.0, BELOW)] * ((rest + 1) // 2)
        cells = [ax for row in placed(target, pen, down, column) for ax in row]
        for ax in cells[rest:]:
            ax.set_axis_off()
        return [main, *cells[:rest]]
    single = [(cut + 26.0, 1.0, RIGHT)]
    if rest == 3:
        tall = size_of(target)[1] / 2
        top = placed(target, pen, [(ABOVE, 1.0, BELOW + tall)], single)[0]
        return [main, *top, *placed(target, pen, [(ABOVE + tall, 1.0, BELOW)], column)[0]]
    return [main, *(row[0] for row in placed(target, pen, [(ABOVE, 1.0, BELOW)] * rest, single))]


def _frame(d: SplitSearchDisplay, pen: Pen, ax: Axes, ends: tuple[float, float], *, first: bool) -> None:
    """The one scale of losses, written once, and the loss of a single leaf."""
    pen.style(ax, ylabel=d.measure if first else "", spines=("bottom", "left") if first else ("bottom",))
    ax.set_ylim(*ends)
    ax.locator_params(axis="y", nbins=5)
    ax.yaxis.set_major_formatter(lambda y, _: number(y, 4))
    ax.tick_params(axis="y", labelleft=first, left=first)
    look: dict[str, Any] = {
        "color": pen.palette.soft,
        "linewidth": 1.4,
        "linestyle": (0, (1, 2)),
        "zorder": 1,
    }
    pen.keep("leaf", ax.axhline(d.leaf_loss, **look))


def _name_leaf(d: SplitSearchDisplay, pen: Pen, ax: Axes, steps: LossSteps, frame: Frame) -> None:
    """The name of the dotted line, where no curve runs on it."""
    low, high = frame.ylim
    across = np.linspace(0.0, 1.0, 201)
    edges = np.asarray(frame.share(np.clip(steps.at, *frame.xlim)), dtype=float)
    place = np.searchsorted(edges, across, side="right") - 1
    free = d.leaf_loss - steps.attacked[np.maximum(place, 0)] > 0.03 * (high - low)
    runs = np.split(across, np.flatnonzero(np.diff(free)) + 1)
    best = max((r for r in runs if free[round(r[0] * 200)]), key=len, default=across[-40:])
    words, soft = f"without a split: {number(d.leaf_loss)}", pen.type(SMALL, color=pen.palette.soft)
    half = 0.5 * rich(words).width(SMALL) / frame.points + 0.01
    x = min(max(float(best[-1]) - half - 0.02, half), 1.0 - half)
    look: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "center", "va": "bottom"}
    pen.text(ax, x, d.leaf_loss + 0.01 * (high - low), words, "leaf name", **soft, **look)


def _steps(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, steps: LossSteps, *, named: bool
) -> None:
    finite = steps.at[np.isfinite(steps.at)]
    tried = np.asarray(line.thresholds, dtype=float)
    scale = scale_for(np.append(tried, finite[[0, -1]]), 0.0)
    frame = Frame((scale.low, scale.high), ax.get_ylim(), size_of(ax)[0], scale.share)
    draw_steps(pen, ax, steps, frame, attacked=d.attacked, wide=1.0 if named or len(d.shown) < 3 else 0.7)
    if named:
        _name_leaf(d, pen, ax, steps, frame)
        _reach(d, pen, ax, line)
    scale.put_on(pen, ax, apart=0.12 if named else 0.3)
    marked = [float(c.threshold) for _, c in chosen(d) if c.feature == line.feature]
    if scale.knots is not None and not named:  # the least and the greatest test
        pen.ticks(ax, "x", ends := [float(tried.min()), float(tried.max())], [value(x) for x in ends])
    if scale.knots is None:
        _ticks(pen, ax, scale, tried, marked, named=named)
    elif named:
        ax.set_xlabel("stretched: each value gets the same room", **pen.type(SMALL, color=pen.palette.soft))
    if not named:
        _inward(ax, scale)
    if len(tried) <= FEW and not marked_only(tried, marked):
        _tried(d, pen, ax, line)
    draw_marks(d, pen, ax, line, {t: float(t) for t in line.thresholds})
    if named and d.attacked:
        name_curves(pen, ax, steps, frame, marked, ("loss if\nnobody attacks", "loss\nunder attack"))
    if not named and not marked:
        _lowest(d, pen, ax, line, {t: float(t) for t in line.thresholds})


def _reach(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine) -> None:
    """Above all, if the rows are few: each with what the attacker can make of it, the reason for the gap."""
    if not _few(d) or d.source is None:
        return
    rows, p = NodeRows.at(d.source["trace"], d.path, line.feature), pen.palette
    low, high = ax.get_ylim()
    y = (d.leaf_loss - low) / (high - low) + 0.1
    lanes: list[float] = []  # where the last bar of each ends
    for a, x, b in sorted(
        zip(rows.ends[0].tolist(), rows.value.tolist(), rows.ends[1].tolist(), strict=True)
    ):
        k = next((k for k, end in enumerate(lanes) if end < a), len(lanes))
        lanes[k : k + 1] = [b]
        at, across = y + LANE * k, ax.get_xaxis_transform()
        look: dict[str, Any] = {"linewidth": 8.0, "solid_capstyle": "butt", "transform": across, "zorder": 3}
        pen.keep("reach", ax.plot([a, b], [at, at], color=p.coin, **look)[0])
        dot(pen, ax, x, at, "row", markersize=7.0, markeredgewidth=1.8, transform=across)
    words = "the rows, and in gold as far as the attacker can move them"
    quiet = pen.type(SMALL, color=p.soft) | {"ha": "left", "va": "bottom", "transform": ax.transAxes}
    pen.text(ax, 0.01, y + LANE * len(lanes) - 0.01, words, "reach name", **quiet)


def _few(d: SplitSearchDisplay) -> bool:
    """Are the rows so few that each can be drawn?"""
    return d.attacked and d.source is not None and len(d.source["trace"].at(d.path).data.rows) <= FEW


def marked_only(tried: np.ndarray, marked: Sequence[float]) -> bool:
    """Is there no other test than those with a mark of their own?"""
    return set(tried.tolist()) <= set(marked)


def _inward(ax: Axes, scale: ValueAxis) -> None:
    """Words at the ends of a small panel stay in it, so that they do not touch its neighbour's."""
    for t, words in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True):
        share = float(scale.share(t))
        words.set_horizontalalignment("left" if share < 0.1 else "right" if share > 0.9 else "center")


def _ticks(
    pen: Pen, ax: Axes, scale: ValueAxis, tried: np.ndarray, marked: Sequence[float], *, named: bool
) -> None:
    """Ticks where tests are tried, if they are few; else at round numbers and at the choices."""
    if 2 <= len(tried) <= FEW and (named or len(tried) <= 4):
        pen.ticks(ax, "x", tried.tolist(), [value(x) for x in tried])
        if named:
            ax.set_xlabel("threshold; dots: those that are tried", **pen.type(SMALL, color=pen.palette.soft))
        return
    ax.locator_params(axis="x", nbins=7 if named else 3)
    low, high = ax.get_xlim()
    usual = [float(x) for x in ax.get_xticks() if low <= x <= high]
    kept = [x for x in usual if all(abs(scale.share(x) - scale.share(m)) > 0.08 for m in marked)]
    shown = sorted({*kept, *marked}) if named else usual
    pen.ticks(ax, "x", shown, [value(x) for x in shown])


def _tried(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine) -> None:
    """A small dot for each test that is tried: what lies between them is no candidate."""
    color = pen.palette.attack if d.attacked else pen.palette.ink
    look: dict[str, Any] = {
        "linestyle": "none",
        "marker": "o",
        "markersize": 7.0,
        "color": color,
        "zorder": 6,
    }
    top = ax.get_ylim()[1]
    for loss in (line.plain, line.attacked) if d.attacked else (line.plain,):
        fill = {"color": pen.palette.ink} if loss is line.plain else {}
        pen.keep("tried", ax.plot(line.thresholds, np.minimum(loss, 2 * top), **look | fill)[0])


def _lowest(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float]) -> None:
    """The best test of a feature that is not chosen, with its loss."""
    losses = line.attacked if d.attacked else line.plain
    k = int(np.argmin(np.where(line.admissible, losses, np.inf)))
    y, t = float(losses[k]), line.thresholds[k]
    if line.tied[k] or not line.admissible.any() or not np.isfinite(y) or t not in at:
        return
    dot(pen, ax, at[t], y, "best" if d.attacked else "best test", markersize=8.0, markeredgewidth=2.0)
    words = f"{names([t], 16)[t]}: {number(y)}" if line.categorical else number(y)
    color = pen.palette.attack if d.attacked else pen.palette.ink
    label(pen, ax, (at[t], y), words, "best name", color=color, up=-1)


def _categories(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine) -> None:
    """Categories from the best on, in a small panel; only the best one is named."""
    some = drawn_rows(d, line)
    at = np.arange(len(some), dtype=float)
    draw_categories(pen, ax, some, at, upright=True, attacked=d.attacked, top=ax.get_ylim()[1])
    ax.set_xlim(-0.6, len(some) - 0.4)
    ax.set_xticks([])
    place = dict(zip(some.thresholds, at.tolist(), strict=True))
    draw_marks(d, pen, ax, some, place)
    if not any(c.feature == line.feature for _, c in chosen(d)):
        _lowest(d, pen, ax, some, place)
    ax.set_xlabel(how_many(some, len(line)), **pen.type(SMALL, color=pen.palette.soft))


__all__ = ["draw_search"]

"""Drawing a split search: large the feature that tempts a learner unaware of the attacker, beside it small
the others, all on one scale of losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.split_search.draw import Frame, dot, draw_categories, draw_steps, label, name_curves
from treant_viz.viz.split_search.facts import LossLine, LossSteps, limits
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import names, number, predicate, value
from treant_viz.viz.ternary_partition.scale import scale_for

if TYPE_CHECKING:
    from treant_viz.viz.split_search.display import Choice, SplitSearchDisplay

LEFT, RIGHT, ABOVE, BELOW = 82.0, 22.0, 34.0, 46.0  # points around panels
LARGE = 0.6  # the share of the width that the large panel gets
IN_AXES = 3  # features in an Axes of the caller's


def draw_search(d: SplitSearchDisplay, pen: Pen, target: Target) -> None:
    lines = d.shown[: IN_AXES if isinstance(target, Axes) else len(d.shown)]
    cells = _cells(d, pen, target, len(lines))
    low, high = limits([*(x for line in lines for x in (line.plain, line.attacked)), np.array([d.leaf_loss])])
    title = names([_plain(line.feature) for line in lines], 26)
    for k, (ax, line, steps) in enumerate(zip(cells, lines, d.steps, strict=False)):
        _frame(d, pen, ax, (low, high), first=k == 0)
        place: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom", "ha": "left"}
        head = pen.type(HEAD if k == 0 else BODY, bold=True)
        pen.text(ax, 0.0, 1.03, title[_plain(line.feature)], "feature", **head, **place)
        if steps is None:
            _categories(d, pen, ax, line, named=k == 0)
        else:
            _steps(d, pen, ax, line, steps, named=k == 0)


def _plain(feature: Any) -> str:
    return feature if isinstance(feature, str) else f"x[{feature}]"


def _cells(d: SplitSearchDisplay, pen: Pen, target: Target, n: int) -> list[Axes]:
    """The large panel, and the small ones: two beside each other, one alone where the robust choice is
    elsewhere.
    """
    wide = size_of(target)[0]
    cut, rest = (wide * LARGE if n > 1 else wide), n - 1
    ((main,),) = placed(target, pen, [(ABOVE, 1.0, BELOW)], [(LEFT, 1.0, wide - cut + RIGHT)])
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
    """The one scale of losses, and the loss of a single leaf."""
    pen.style(ax, ylabel=d.measure if first else "")
    ax.set_ylim(ends[0], ends[1] + 0.16 * (ends[1] - ends[0]))
    ax.locator_params(axis="y", nbins=5)
    ax.yaxis.set_major_formatter(lambda y, _: number(y, 4))
    ax.tick_params(axis="y", labelleft=first)
    look: dict[str, Any] = {
        "color": pen.palette.soft,
        "linewidth": 1.4,
        "linestyle": (0, (1, 2)),
        "zorder": 1,
    }
    pen.keep("leaf", ax.axhline(d.leaf_loss, **look))
    if first:
        words, soft = f"without a split: {number(d.leaf_loss)}", pen.type(SMALL, color=pen.palette.soft)
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "bottom"}
        pen.text(ax, 0.995, d.leaf_loss + 0.02 * (ends[1] - ends[0]), words, "leaf name", **soft, **place)


def _steps(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, steps: LossSteps, *, named: bool
) -> None:
    finite = steps.at[np.isfinite(steps.at)]
    tried = np.asarray(line.thresholds, dtype=float)
    scale = scale_for(np.append(tried, finite[[0, -1]]), 0.0)
    frame = Frame((scale.low, scale.high), ax.get_ylim(), size_of(ax)[0], scale.share)
    draw_steps(pen, ax, steps, frame, attacked=d.attacked)
    scale.put_on(pen, ax, apart=0.12 if named else 0.3)
    marked = [float(c.threshold) for _, c in _chosen(d) if c.feature == line.feature]
    if scale.knots is None:
        ax.locator_params(axis="x", nbins=7 if named else 3)
        low, high = ax.get_xlim()
        usual = [float(x) for x in ax.get_xticks() if low <= x <= high]
        kept = [x for x in usual if all(abs(scale.share(x) - scale.share(m)) > 0.08 for m in marked)]
        shown = sorted({*kept, *marked}) if named else usual
        pen.ticks(ax, "x", shown, [value(x) for x in shown])
    elif named:
        ax.set_xlabel("stretched: each value gets the same room", **pen.type(SMALL, color=pen.palette.soft))
    if named and d.attacked:
        name_curves(pen, ax, steps, frame, marked, ("loss if nobody attacks", "loss under attack"))
    if d.attacked and not named and np.allclose(steps.loss, steps.attacked):
        look = pen.type(SMALL, color=pen.palette.soft) | {"transform": ax.transAxes, "va": "bottom"}
        pen.text(ax, 0.03, 0.03, "both curves are the same", "same", **look)
    _marks(d, pen, ax, line, {t: float(t) for t in line.thresholds})


def _chosen(d: SplitSearchDisplay) -> list[tuple[str, Choice]]:
    found = [("standard choice", d.standard)]
    return found + [("robust choice", d.robust)] * (d.attacked and d.robust is not None)  # type: ignore[list-item]


def _marks(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float]) -> None:
    """The choices and the ties of a feature, each with its name."""
    for role, choice in _chosen(d):
        k = line.find(choice.threshold) if choice.feature == line.feature else None
        if k is None:
            continue
        x, robust = at[line.thresholds[k]], role == "robust choice"
        y = float((line.attacked if robust else line.plain)[k])
        dot(pen, ax, x, y, role)
        test = predicate(choice.feature, choice.threshold, choice.categorical, 20)
        when = "under attack" if robust else "if nobody attacks" if d.attacked else "of all"
        words = f"best {when}:\n{test}, loss {number(y)}"
        color = pen.palette.attack if robust else pen.palette.ink
        label(pen, ax, (x, y), words, role.replace("choice", "name"), color=color, up=1 if robust else -1)
        worse = float(line.attacked[k])
        if d.attacked and not robust and not d.same and worse > y * (1 + 1e-9):
            _cliff(pen, ax, choice, x, y, min(worse, 0.97 * ax.get_ylim()[1]))
    _ties(d, pen, ax, line, at)


def _cliff(pen: Pen, ax: Axes, choice: Choice, x: float, y: float, worse: float) -> None:
    """What becomes of the standard choice under attack, and why."""
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": pen.palette.attack, "linewidth": 2.2}
    arrow |= {"mutation_scale": 18, "shrinkA": 7.0, "shrinkB": 1.0}
    pen.keep("cliff", ax.annotate("", (x, worse), (x, y), arrowprops=arrow, zorder=6))
    n = f"{choice.unknown:,} row{'s' * (choice.unknown != 1)}"
    words = f"under attack: {number(choice.loss_under_attack)},\nas {n} can be pushed across"
    label(pen, ax, (x, worse), words, "cliff name", color=pen.palette.attack, up=1)


def _ties(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float]) -> None:
    ties = [k for k in np.flatnonzero(line.tied).tolist() if line.thresholds[k] in at]
    best = str(d.robust if d.attacked and d.robust is not None else d.standard)
    others = [k for k in ties if line.predicate(k) != best]
    if not others:
        return
    places, color = (
        [at[line.thresholds[k]] for k in others],
        pen.palette.attack if d.attacked else pen.palette.ink,
    )
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 11.0, "zorder": 7}
    look |= {"markerfacecolor": pen.palette.background, "color": color, "markeredgewidth": 2.4}
    pen.keep("tie", ax.plot(places, line.attacked[others], **look)[0])
    found = line.predicate(others[0]) if len(others) == 1 else f"{len(others)} tests"
    words = f"as good{' under attack' * d.attacked}:\n{found}, loss {number(float(line.attacked[others[0]]))}"
    label(pen, ax, (places[0], float(line.attacked[others[0]])), words, "tie name", color=color, up=-1)


def _categories(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, *, named: bool) -> None:
    """Categories from the best on; only the choices are named."""
    from treant_viz.viz.split_search.display import MOST_CATEGORIES

    order = np.argsort(line.attacked, kind="stable").tolist()
    k = line.find(d.standard.threshold) if d.standard.feature == line.feature else None
    front = order[:MOST_CATEGORIES]
    some = line.taken(front if k is None or k in front else [*front[:-1], k])
    at = np.arange(len(some), dtype=float)
    draw_categories(pen, ax, some, at, upright=True, attacked=d.attacked, top=ax.get_ylim()[1])
    ax.set_xlim(-0.6, len(some) - 0.4)
    ax.set_xticks([])
    _marks(d, pen, ax, some, dict(zip(some.thresholds, at.tolist(), strict=True)))
    many = (
        f"{len(some)} best of {len(line)} categories" if len(line) > len(some) else f"{len(some)} categories"
    )
    short = names(some.thresholds, 16)
    words = f"{many}, first {short[some.thresholds[0]]}" if named else many
    ax.set_xlabel(words, **pen.type(SMALL, color=pen.palette.soft))


__all__ = ["draw_search"]

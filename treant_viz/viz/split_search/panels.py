"""Drawing a split search: a panel for each of the best features, all on one scale of losses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.split_search.draw import Frame, dot, draw_categories, draw_steps, name_curves
from treant_viz.viz.split_search.facts import LossLine, LossSteps, limits
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import names, number, predicate, value
from treant_viz.viz.ternary_partition.draw import Scale, scale_for

if TYPE_CHECKING:
    from treant_viz.viz.split_search.display import Choice, SplitSearchDisplay

LEFT, RIGHT, ABOVE, BELOW = 86.0, 22.0, 26.0, 44.0  # points around panels and between them
LABELS = 0.22  # the share of a panel above and below the curves that is left for words


def draw_search(d: SplitSearchDisplay, pen: Pen, target: Target) -> None:
    """Two rows of features in a figure; in an Axes of the caller's one."""
    from treant_viz.viz.split_search.display import ACROSS, MOST_FEATURES

    lines = d.shown[: ACROSS if isinstance(target, Axes) else MOST_FEATURES]
    across, down = min(len(lines), ACROSS), math.ceil(len(lines) / ACROSS)
    columns = [(LEFT if k == 0 else 2.0, 1.0, RIGHT) for k in range(across)]
    cells = [ax for row in placed(target, pen, [(ABOVE, 1.0, BELOW)] * down, columns) for ax in row]
    for ax in cells[len(lines) :]:
        ax.set_axis_off()
    low, high = limits([*(x for line in lines for x in (line.plain, line.attacked)), np.array([d.leaf_loss])])
    room = LABELS * (high - low)
    ylim = (low - room, high + 0.6 * room)
    title = names(
        [line.feature if isinstance(line.feature, str) else f"x[{line.feature}]" for line in lines], 26
    )
    for k, (ax, line, steps) in enumerate(zip(cells, lines, d.steps, strict=False)):
        _frame(d, pen, ax, ylim, low, first=k % across == 0)
        name = title[line.feature if isinstance(line.feature, str) else f"x[{line.feature}]"]
        place: dict[str, Any] = {"transform": ax.transAxes, "va": "bottom", "ha": "left"}
        pen.text(ax, 0.0, 1.03, name, "feature", **pen.type(BODY, bold=True), **place)
        points = 12.8 * 72 / across * 0.8
        if steps is None:
            _categories(d, pen, ax, line, ylim)
        else:
            _steps(d, pen, ax, line, steps, ylim, points, named=k == 0)
    if len(d.lines) > len(lines):
        words = f"and {len(d.lines) - len(lines)} more feature{'s' * (len(d.lines) - len(lines) != 1)}"
        last = cells[len(lines) - 1]
        look = pen.type(SMALL, color=pen.palette.soft)
        pen.text(last, 1.0, -0.16, words, "more", transform=last.transAxes, ha="right", va="top", **look)


def _frame(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, ylim: tuple[float, float], low: float, *, first: bool
) -> None:
    """The one scale of losses, and the loss of a single leaf."""
    pen.style(ax, ylabel=d.measure if first else "")
    ax.set_ylim(*ylim)
    ax.locator_params(axis="y", nbins=5)
    ax.set_yticks([y for y in ax.get_yticks() if low <= y <= ylim[1]])
    ax.spines["left"].set_bounds(low, ylim[1])  # words stand below the least loss; the scale ends there
    ax.yaxis.set_major_formatter(lambda y, _: number(y, 4))
    ax.tick_params(axis="y", labelleft=first)
    look: dict[str, Any] = {
        "color": pen.palette.soft,
        "linewidth": 1.2,
        "linestyle": (0, (1, 2)),
        "zorder": 1,
    }
    pen.keep("leaf", ax.axhline(d.leaf_loss, **look))


def _steps(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, steps: LossSteps, ylim: tuple[float, float],
    points: float, *, named: bool,
) -> None:  # fmt: skip
    finite = steps.at[np.isfinite(steps.at)]
    tried = np.asarray(line.thresholds, dtype=float)
    scale: Scale = scale_for(np.append(tried, finite[[0, -1]]), 0.0)
    frame = Frame((scale.low, scale.high), ylim, points, scale.share)
    draw_steps(pen, ax, steps, frame, attacked=d.attacked)
    scale.put_on(pen, ax, apart=0.24)
    if scale.knots is None:
        ax.locator_params(axis="x", nbins=4)
        ax.xaxis.set_major_formatter(lambda x, _: value(x))
    at = {t: float(t) for t in line.thresholds}
    taken = _marks(d, pen, ax, line, at, scale)
    if named and d.attacked:
        name_curves(pen, ax, steps, frame, taken, ("L", "Lᴬ"))


def _marks(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float], scale: Scale | None
) -> list[float]:
    """The choices and the ties of a feature, each with its name; returns where they stand."""
    taken = []
    chosen = (("standard choice", d.standard, line.plain), ("robust choice", d.robust, line.attacked))
    for role, choice, loss in chosen if d.attacked else chosen[:1]:
        k = line.find(choice.threshold) if choice is not None and choice.feature == line.feature else None
        if k is not None and choice is not None:
            x = at[line.thresholds[k]]
            dot(
                pen,
                ax,
                x,
                float(loss[k]),
                role,
                **({} if d.attacked else {"markeredgecolor": pen.palette.ink}),
            )
            _name(d, pen, ax, choice, role, x, float(loss[k]), scale)
            taken.append(x)
    ties = [k for k in np.flatnonzero(line.tied).tolist() if line.thresholds[k] in at]
    if ties:
        look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 17.0, "zorder": 7}
        look |= {"markerfacecolor": "none", "color": pen.palette.ink, "markeredgewidth": 1.4}
        places = [at[line.thresholds[k]] for k in ties]
        pen.keep("tie", ax.plot(places, line.attacked[ties], **look)[0])
        others = [k for k in ties if d.robust is None or str(d.robust) != line.predicate(k)]
        if others:
            words = f"tied: {line.predicate(others[0])}" if len(others) == 1 else f"{len(others)} tests tied"
            _words(
                pen,
                ax,
                words,
                "tie name",
                at[line.thresholds[others[0]]],
                float(line.attacked[others[0]]),
                1,
                scale,
            )
    return taken


def _name(
    d: SplitSearchDisplay,
    pen: Pen,
    ax: Axes,
    choice: Choice,
    role: str,
    x: float,
    y: float,
    scale: Scale | None,
) -> None:
    test = predicate(choice.feature, choice.threshold, choice.categorical).split(" ", 1)
    short = (
        " ".join(test[1:])
        if choice.categorical is False
        else predicate("", choice.threshold, True).partition("= ")[2]
    )
    loss, up = (choice.loss, -1) if role == "standard choice" else (choice.loss_under_attack, 1)
    symbol = "L" if up < 0 else "Lᴬ"
    who = role.split()[0] if d.attacked else "best"
    _words(
        pen, ax, f"{who}: {short}, {symbol} = {number(loss)}", role.replace("choice", "name"), x, y, up, scale
    )


def _words(
    pen: Pen, ax: Axes, words: str, role: str, x: float, y: float, up: int, scale: Scale | None
) -> None:
    """Words above or below all curves, with a thin line to what they are about."""
    low, high = ax.get_ylim()
    end = high if up > 0 else low + 0.03 * (high - low)
    figure = ax.get_figure(root=True)
    assert figure is not None
    tall = 1.3 * SMALL * figure.dpi / 72 / ax.get_window_extent().height * (high - low)
    to = max(y, end - tall) if up > 0 else min(y, end + tall)
    pen.keep("leader", ax.plot([x, x], [y, to], color=pen.palette.soft, linewidth=1.0, zorder=2)[0])
    at = float(scale.share(x)) if scale is not None else (x + 0.6) / (ax.get_xlim()[1] + 0.6)
    ha = "left" if at < 0.35 else "right" if at > 0.65 else "center"
    look = pen.type(SMALL, bold=up > 0, color=pen.palette.ink if up > 0 else pen.palette.soft)
    look["bbox"] = {"facecolor": pen.palette.background, "edgecolor": "none", "pad": 0.5}
    pen.text(ax, x, end, words, role, ha=ha, va="top" if up > 0 else "bottom", zorder=6, **look)


def _categories(d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, ylim: tuple[float, float]) -> None:
    """Categories from the best on; only the choices are named."""
    from treant_viz.viz.split_search.display import MOST_CATEGORIES

    order = np.argsort(line.attacked, kind="stable").tolist()
    k = line.find(d.standard.threshold) if d.standard.feature == line.feature else None
    front = order[:MOST_CATEGORIES]
    some = line.taken(front if k is None or k in front else [*front[:-1], k])
    at = np.arange(len(some), dtype=float)
    draw_categories(pen, ax, some, at, upright=True, attacked=d.attacked, top=ylim[1])
    ax.set_xlim(-0.6, len(some) - 0.4)
    ax.set_xticks([])
    _marks(d, pen, ax, some, dict(zip(some.thresholds, at.tolist(), strict=True)), None)
    short = names(some.thresholds, 24)
    words = (
        f"{len(some)} best of {len(line)} categories" if len(line) > len(some) else f"{len(some)} categories"
    )
    ax.set_xlabel(f"{words}, first {short[some.thresholds[0]]}", **pen.type(SMALL, color=pen.palette.soft))


__all__ = ["draw_search"]

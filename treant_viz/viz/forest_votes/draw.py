"""Drawing the votes of a forest: a mark for each tree before and after, then the moves of the attack."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from treant_viz.viz.attack_path.facts import Move
from treant_viz.viz.attack_path.words import bill, move_said, spent
from treant_viz.viz.security_curve.display import spread
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, panels
from treant_viz.viz.style.text import number, shortened
from treant_viz.viz.tree.card import counted

if TYPE_CHECKING:
    from treant_viz.viz.forest_votes.display import ForestVotesDisplay

MOST = 7  # lines of moves
WORDS = 47  # letters of a line
DASHES = (0, (3, 2))


class Line(NamedTuple):
    """A line of the list of moves: its words, and how many moves have been made when it is over."""

    said: str
    moves: int


def draw_votes(d: ForestVotesDisplay, pen: Pen, target: Target) -> None:
    ((trees, way),) = panels(target, pen, widths=(1.55, 1.0), gap=0.04)
    _trees(d, pen, trees)
    _way(d, pen, way)
    pen.key(target, _handles(d, pen))


# what every tree says


def _trees(d: ForestVotesDisplay, pen: Pen, ax: Axes) -> None:
    n = len(d.before)
    low, high = _limits(d)
    ax.set_xlim(-0.02 * n - 0.6, 1.34 * n)
    ax.set_ylim(low, high)
    order, place = d.order, np.argsort(d.order)
    _links(d, pen, ax, place)
    size = float(np.clip(420 / n, 3.0, 9.0))
    flipped = np.isin(order, d.flipped)
    kept = ~flipped
    marks: dict[str, Any] = {"linestyle": "none", "markersize": size}
    p, at = pen.palette, np.arange(n)
    hollow = ax.plot(at, d.before[order], "o", markerfacecolor="none", markeredgecolor=p.soft, **marks)[0]
    pen.keep("before", hollow, "before")
    small = marks | {"markersize": 0.6 * size}
    pen.keep("after", ax.plot(at[kept], d.after[order[kept]], "o", color=p.soft, **small)[0], "after")
    look = marks | {"color": p.unknown, "markeredgecolor": p.ink, "zorder": 4}
    pen.keep("flipped", ax.plot(at[flipped], d.after[order[flipped]], "D", **look)[0], "flipped")
    _levels(d, pen, ax, n)
    what = "what each tree says" if d.averaged else "what each tree adds"
    pen.style(ax, xlabel=f"{counted(n, 'tree')}, in the order of what they say before", ylabel=what)
    ax.set_xticks([])


def _limits(d: ForestVotesDisplay) -> tuple[float, float]:
    """Room for all that the trees say, at any move."""
    known = [float(d.values.min()), float(d.values.max())] + ([] if d.sides is None else [d.sides.threshold])
    low, high = min(known), max(known)
    pad = 0.08 * (high - low) or 0.5
    return low - pad, high + pad


def _links(d: ForestVotesDisplay, pen: Pen, ax: Axes, place: np.ndarray) -> None:
    """From before to after: thin for trees that move, dashed for those that flip."""
    p, flipped = pen.palette, set(d.flipped.tolist())
    kept = [t for t in d.moved.tolist() if t not in flipped]
    gone = sorted(flipped)
    plain: dict[str, Any] = {"colors": p.soft, "linewidth": 1.0, "zorder": 1}
    bold: dict[str, Any] = {"colors": p.attacker, "linewidth": 1.6, "linestyle": [DASHES], "zorder": 3}
    for role, trees, look in (("move", kept, plain), ("flip", gone, bold)):
        if trees:
            pen.keep(role, ax.vlines(place[trees], d.before[trees], d.after[trees], **look), role)


def _levels(d: ForestVotesDisplay, pen: Pen, ax: Axes, n: int) -> None:
    """The mean before and after, and the threshold; their words stand to the right of the trees."""
    p = pen.palette
    means = float(d.before.mean()), float(d.after.mean())
    thin: dict[str, Any] = {"color": p.soft, "linewidth": 1.4, "linestyle": (0, (6, 3))}
    levels = [(means[0], f"mean before {number(means[0], 3)}", "mean before", thin)]
    if d.shown:
        bold: dict[str, Any] = {"color": p.ink, "linewidth": 2.4}
        levels.append((means[1], f"mean after {number(means[1], 3)}", "mean after", bold))
    if d.sides is not None:
        fine: dict[str, Any] = {"color": p.soft, "linewidth": 1.0, "linestyle": (0, (1, 2))}
        levels.append((d.sides.threshold, f"threshold {number(d.sides.threshold, 3)}", "threshold", fine))
    low, high = ax.get_ylim()
    step = 0.06 * (high - low)
    inner = (low + 1.6 * step, high - 1.6 * step) if d.sides is not None else (low, high)
    places = spread([level[0] for level in levels], step, *inner)
    for (value, said, role, look), y in zip(levels, places, strict=True):
        pen.keep(role, ax.plot([-0.6, n], [value, value], zorder=0, **look)[0], role.replace(" ", "-"))
        ax.plot([n, 1.03 * n], [value, y], color=p.soft, linewidth=0.8, zorder=0)
        pen.text(ax, 1.04 * n, y, said, f"{role} words", fontsize=SMALL, va="center")
    if d.sides is not None:
        for y, va, sign, side in (
            (high, "top", "↑", d.sides.names[1]),
            (low, "bottom", "↓", d.sides.names[0]),
        ):
            pen.text(ax, 1.04 * n, y, f"{sign} votes {side}", "side", fontsize=SMALL, va=va, weight="bold")


# the attack, move by move


def lines(d: ForestVotesDisplay) -> list[Line]:
    """The moves that are shown, one a line; if they are many, those on a feature together."""
    moves = d.moves[: d.shown]
    if len(d.moves) <= MOST:
        return [Line(shortened(move_said(m), WORDS), k + 1) for k, m in enumerate(moves)]
    out: list[Line] = []
    for _, run in groupby(moves, key=lambda m: m.column):
        together: Sequence[Move] = list(run)
        done = len(together) + (out[-1].moves if out else 0)
        out.append(Line(shortened(bill(together), WORDS), done))
    if len(out) <= MOST:
        return out
    rest = len(moves) - out[MOST - 2].moves
    cost = number(spent(moves[-rest:]))
    return [*out[: MOST - 1], Line(f"{counted(rest, 'more move')}, cost {cost}", len(moves))]


def _way(d: ForestVotesDisplay, pen: Pen, ax: Axes) -> None:
    p = pen.palette
    stops = [Line(f"{d.label}, label {d.y}: by itself", 0), *lines(d)]
    total = max(len(stops), min(len(d.moves), MOST) + 1, 4)
    ax.set_ylim(-total + 0.2, 0.75)
    known = [*d.scores] + ([] if d.sides is None else [0.5])
    low, high = min(known), max(known)
    span = high - low or 1.0
    ax.set_xlim(low - 0.12 * span, high + 0.75 * span)
    x = [d.scores[s.moves] for s in stops]
    if d.sides is not None:
        fine: dict[str, Any] = {"color": p.soft, "linewidth": 1.0, "linestyle": (0, (1, 2)), "zorder": 0}
        pen.keep("turn", ax.plot([0.5, 0.5], [-total + 0.2, 0.1], **fine)[0], "turn")
    path = ax.plot(
        x, [-k for k in range(len(x))], color=p.attacker, linewidth=1.6, linestyle=DASHES, zorder=1
    )[0]
    pen.keep("way", path, "way")
    for k, stop in enumerate(stops):
        _stop(d, pen, ax, k, stop)
    paid = f"spent {number(spent(d.moves[: d.shown]))} of {number(d.budget)}"
    pen.style(ax, xlabel=f"{d.what} after each move; {paid}", spines=("bottom",))
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=5)
    if d.doubt:
        look: dict[str, Any] = {"fontsize": SMALL, "va": "bottom", "style": "italic"}
        pen.text(
            ax, 0.0, 0.0, "search stopped early: worse may exist", "doubt", transform=ax.transAxes, **look
        )


def _stop(d: ForestVotesDisplay, pen: Pen, ax: Axes, k: int, stop: Line) -> None:
    """The words of a move, and below them the score that it leads to."""
    p, score = pen.palette, d.scores[stop.moves]
    look: dict[str, Any] = {"fontsize": SMALL, "va": "center"}
    under: dict[str, Any] = {"facecolor": p.background, "edgecolor": "none", "pad": 1.0}  # lines end at words
    pen.text(ax, 0.0, -k + 0.45, stop.said, "stop", transform=ax.get_yaxis_transform(), bbox=under, **look)
    face = p.ink if k else p.background
    mark: dict[str, Any] = {
        "markersize": 9,
        "markerfacecolor": face,
        "markeredgecolor": p.ink,
        "markeredgewidth": 1.6,
    }
    pen.keep("score", ax.plot([score], [-k], "o", **mark)[0], f"score-{stop.moves}")
    said = number(score, 3)
    if d.sides is not None and k:
        said += f", {len(d.flips(stop.moves))} flipped"
    beside: dict[str, Any] = {"xytext": (11, 0), "textcoords": "offset points", "va": "center", "bbox": under}
    words = ax.annotate(
        said, (score, -k), fontsize=BODY, color=p.ink, weight="bold", parse_math=False, **beside
    )
    pen.keep("score words", words)


def _handles(d: ForestVotesDisplay, pen: Pen) -> list[Line2D]:
    p = pen.palette
    plain: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 8}
    handles = [
        Line2D([], [], markerfacecolor="none", markeredgecolor=p.soft, label="before", **plain),
        Line2D([], [], color=p.soft, label="after", **plain | {"markersize": 5}),
    ]
    if d.sides is not None:
        look = plain | {"marker": "D", "linestyle": DASHES}
        handles.append(
            Line2D([], [], color=p.unknown, markeredgecolor=p.ink, label="after: changed sides", **look)
        )
    return handles


__all__ = ["draw_votes", "lines"]

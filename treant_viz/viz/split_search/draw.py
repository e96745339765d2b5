"""L and Lᴬ against the threshold: step functions with their jumps where they are, named where they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.split_search.facts import LossLine, LossSteps
from treant_viz.viz.style.formula import rich
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import SMALL, Pen
from treant_viz.viz.style.text import feature_name, name, names, predicate, value

ATTACKED = ("robust choice", "at the line, attacked", "lowest", "best")  # marks on Lᴬ
WIDTHS = {"loss": 2.0, "attacked": 3.4}
PIECES = 6  # pieces of a curve beside which its name may stand


class Frame(NamedTuple):
    """Where curves are drawn: the ends of both axes, the points of the horizontal one's length, and what
    share of it lies left of a value.
    """

    xlim: tuple[float, float]
    ylim: tuple[float, float]
    points: float
    share: Callable[[Any], Any]


def draw_steps(
    pen: Pen, ax: Axes, steps: LossSteps, frame: Frame, *, attacked: bool = True, wide: float = 1.0
) -> None:
    """Both losses as steps; what is infinite runs off at the top. `attacked=False` leaves Lᴬ out: it is L.

    The gap is shaded; where there is none, Lᴬ hides the thinner L: one line for one height.
    """
    ends = np.append(np.clip(steps.at, *frame.xlim), frame.xlim[1])
    heights = {role: np.repeat(np.minimum(getattr(steps, role), 2 * frame.ylim[1]), 2)
               for role in ("loss", "attacked")}  # fmt: skip
    across = np.repeat(ends, 2)[1:-1]
    if attacked:
        shade = mixed(pen.palette.background, pen.palette.coin, 0.3)
        damage = ax.fill_between(
            across, heights["loss"], heights["attacked"], color=shade, linewidth=0, zorder=0.5
        )
        pen.keep("damage", damage)
    colors = {"loss": pen.palette.ink, "attacked": pen.palette.attack}
    for role in ("loss", "attacked") if attacked else ("loss",):
        look: dict[str, Any] = {
            "color": colors[role],
            "linewidth": wide * WIDTHS[role],
            "solid_joinstyle": "miter",
        }
        pen.keep(role, ax.plot(across, heights[role], solid_capstyle="butt", **look)[0])


def name_curves(
    pen: Pen, ax: Axes, steps: LossSteps, frame: Frame, taken: Sequence[float], words: tuple[str, str],
) -> None:  # fmt: skip
    """The names of L and Lᴬ, each close to a piece of its curve where the other one is not, away from
    `taken`; one name where both are the same everywhere.
    """
    if np.array_equal(steps.loss, steps.attacked):
        phrase = f"{words[1]}: the same as if nobody attacks"
        x, y = _place(steps, frame, taken, phrase, 1)
        look: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "bottom", "zorder": 7}
        bold = pen.type(SMALL, bold=True, color=pen.palette.attack)
        pen.text(ax, x, y, phrase, "curve name", **bold, **look)
        return
    p, heights = pen.palette, np.linspace(*frame.ylim, 120)
    lines = [ax.transData.transform(np.column_stack([np.full(120, t), heights])) for t in taken]
    for curve, phrase, color, up in (
        (steps.attacked, words[1], p.attack, 1),
        (steps.loss, words[0], p.ink, -1),
    ):
        pieces = _alone(steps, curve, frame)
        label(pen, ax, pieces, phrase, "curve name", color=color, up=up, side=90.0, lines=lines)


def _alone(steps: LossSteps, curve: np.ndarray, frame: Frame) -> list[tuple[float, float]]:
    """Places on the longest level pieces of a curve where the other one is visibly elsewhere."""
    low, high = frame.ylim
    ends = np.append(np.clip(steps.at, *frame.xlim), frame.xlim[1])
    share = np.asarray(frame.share(ends), dtype=float)
    gap = np.abs(np.minimum(steps.attacked, high) - np.minimum(steps.loss, high)) / (high - low)
    seen = (gap > min(0.03, 0.5 * float(gap.max()))) & (curve >= low) & (curve <= high)
    runs: list[list[int]] = []
    for i in np.flatnonzero(seen & (np.diff(share) > 0)).tolist():
        if runs and runs[-1][-1] == i - 1 and curve[i] == curve[i - 1]:
            runs[-1].append(i)
        else:
            runs.append([i])
    at: list[tuple[float, float]] = []
    for run in sorted(runs, key=lambda r: share[r[0]] - share[r[-1] + 1])[:PIECES]:
        left, right = ends[run[0]], ends[run[-1] + 1]
        parts = (0.5, 0.17, 0.83) if share[run[-1] + 1] - share[run[0]] > 0.1 else (0.5,)
        at.extend((float(left + part * (right - left)), float(curve[run[0]])) for part in parts)
    return at or [(sum(frame.xlim) / 2, float(np.clip(curve[len(curve) // 2], low, high)))]


def _place(
    steps: LossSteps, frame: Frame, taken: Sequence[float], words: str, up: int
) -> tuple[float, float]:
    """In shares of the axes: the middle of a label, and the curve's height there."""
    half = min(0.5, 0.5 * rich(words).width(SMALL, bold=up > 0) / frame.points + 0.02)
    low, high = frame.ylim
    edge = frame.share(np.append(np.clip(steps.at, *frame.xlim), frame.xlim[1]))
    best, found = -np.inf, (0.5, 0.5)
    for x in np.linspace(half, 1 - half, 25).tolist():
        here = (edge[1:] >= x - half) & (edge[:-1] <= x + half)
        both = np.stack([steps.loss[here], steps.attacked[here]])
        y = np.clip((both - low) / (high - low), 0, 1)
        end = float(np.nanmax(y) if up > 0 else np.nanmin(y))
        curve = y[1] if up > 0 else y[0]
        near = float(np.mean(np.abs(curve - end) < 0.1))  # how much of the curve runs close to the label
        crowd = sum(abs(float(frame.share(t)) - x) < half for t in taken)
        apart = float(np.mean(y.max(axis=0) - y.min(axis=0) > 0.03))  # where both are the same, one is hidden
        score = (
            min(1 - end if up > 0 else end, 0.25)
            + 0.2 * near
            + (0.3 if up > 0 else 0.15) * apart
            - 0.5 * crowd
            - (up < 0 and end < 0.14)
        )
        if score > best:
            best, found = score, (x, min(end + 0.03, 0.9) if up > 0 else max(end - 0.03, 0.1))
    return found


def label(
    pen: Pen, ax: Axes, at: tuple[float, float] | Sequence[tuple[float, float]], words: str, role: str, *,
    color: str, up: int, side: float = 30.0, lines: Sequence[np.ndarray] = (),
) -> None:  # fmt: skip
    """Words close to a point, or to one of several, where they hide as little as possible: no curve, no
    other words, no point, nor other `lines`. `side` is what it costs not to stand above (or below) it.
    """
    curves, taken = (
        np.concatenate([_curves(ax), *lines]),
        [a.get_window_extent() for a in ax.texts if a.get_text()],
    )
    points: Any = at if isinstance(at, list) else [at]
    found = [
        (*_beside(ax, point, phrase, up * side, curves, taken), phrase)
        for point in points
        for phrase in (words, words.replace("\n", " "))
    ]
    _, place, phrase = min(found, key=lambda f: f[0])
    x, y = ax.transData.inverted().transform(place)
    look = pen.type(SMALL, bold=True, color=color) | {"ha": "center", "va": "center", "zorder": 9}
    pen.text(ax, x, y, phrase, role, linespacing=0.95, **look)


def _beside(
    ax: Axes, at: tuple[float, float], words: str, up: float, curves: np.ndarray, taken: Sequence[Any]
) -> tuple[float, tuple[float, float]]:
    """The best place around a point for the middle of these words, and how bad it is."""
    (x, y), frame = ax.transData.transform(at), ax.get_window_extent()
    dots, lines = ax.get_figure(root=True).dpi / 72, words.split("\n")  # type: ignore[union-attr]
    half = np.array(
        [0.52 * max(rich(line).width(SMALL, bold=True) for line in lines), 0.65 * SMALL * len(lines)]
    )
    half *= dots
    best, place = np.inf, (x, y)
    for i, (away, angle) in enumerate((r, t) for r in (12, 22, 36, 54, 76, 104, 140) for t in range(16)):
        turn = np.array([np.cos(np.pi * angle / 8), np.sin(np.pi * angle / 8)])
        middle = np.array([x, y]) + turn * (away * dots + half)
        low, high = middle - half, middle + half
        out = max(0, frame.x0 + 3 - low[0], high[0] - frame.x1 + 3, frame.y0 + 3 - low[1], high[1] - frame.y1)
        inside = ((curves > low - 3) & (curves < high + 3)).all(axis=1).sum()
        air = 4 * dots * np.array([2, 1])  # words need air around them
        a, b = low - air, high + air
        clash = sum(t.x0 < b[0] and t.x1 > a[0] and t.y0 < b[1] and t.y1 > a[1] for t in taken)
        score = 80 * out + 15 * inside + 4000 * clash + away + abs(up) * (up * turn[1] < -0.1) + 0.001 * i
        if score < best:
            best, place = float(score), (float(middle[0]), float(middle[1]))
    return best, place


def _curves(ax: Axes) -> np.ndarray:
    """Points all along what is drawn in axes, in dots of the screen."""
    found, dots = [], ax.get_figure(root=True).dpi / 72  # type: ignore[union-attr]
    for line in ax.lines:
        xy = line.get_transform().transform(np.column_stack([*map(np.ravel, line.get_data())]))
        if line.get_linestyle() == "None":
            turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
            around = 0.5 * line.get_markersize() * dots * np.stack([np.cos(turns), np.sin(turns)], axis=1)
            found.append((xy[:, None] + around).reshape(-1, 2))
        elif len(xy) > 1:
            found += [_dotted(a, b) for a, b in pairwise(xy)]
    return np.concatenate(found) if found else np.empty((0, 2))


def _dotted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Points on a segment, some dots of the screen apart."""
    long = np.nan_to_num(np.abs(b - a).max(), posinf=0.0)
    return np.asarray(a + (b - a) * np.linspace(0, 1, 2 + min(int(long / 5), 2000))[:, None])


def dot(pen: Pen, ax: Axes, x: float, y: float, role: str, **look: Any) -> Any:
    """A place on a curve: hollow on L, and heavier on Lᴬ."""
    color = pen.palette.attack if role in ATTACKED else pen.palette.ink
    about: dict[str, Any] = {"marker": "o", "markersize": 11.0, "markerfacecolor": pen.palette.background}
    about |= {"markeredgecolor": color, "markeredgewidth": 2.4, "linestyle": "none", "zorder": 8}
    return pen.keep(role, ax.plot([x], [y], clip_on=False, **about | look)[0])


def draw_categories(
    pen: Pen,
    ax: Axes,
    line: LossLine,
    at: np.ndarray,
    *,
    upright: bool,
    attacked: bool = True,
    top: float = 1e300,
) -> None:
    """Each category's two losses, joined by a line: nothing lies between categories."""
    p = pen.palette
    plain, worst = (np.minimum(x, top) for x in (line.plain, line.attacked))
    if attacked:
        between = (ax.vlines if upright else ax.hlines)(
            at, plain, worst, color=p.attack, linewidth=2.0, zorder=3
        )
        pen.keep("between", between)
    looks = {"loss": (plain, p.background, p.ink, 8.0), "attacked": (worst, p.attack, p.attack, 8.0)}
    for role, (loss, fill, edge, size) in looks.items() if attacked else [*looks.items()][:1]:
        look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": size, "zorder": 5}
        look |= {"markerfacecolor": fill, "markeredgecolor": edge, "markeredgewidth": 2.0}
        pen.keep(role, ax.plot(*((at, loss) if upright else (loss, at)), **look)[0])


__all__ = ["Frame", "dot", "draw_categories", "draw_steps", "feature_name", "label", "name", "name_curves",
           "names", "predicate", "value"]  # fmt: skip

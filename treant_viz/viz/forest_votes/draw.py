"""Drawing the votes of a forest: a lane for each tree from before to after, the line that decides, the bill.

What the model says stands on top, on the axis of its trees where it is their mean (and its line then runs
through all lanes), else on an axis of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.transforms import offset_copy

from treant_viz.viz.attack_path.bill import BillLine, bill_lines
from treant_viz.viz.attack_path.words import spent
from treant_viz.viz.forest_votes.live_facts import score_limits, value_limits
from treant_viz.viz.style import typeface
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, number, value

if TYPE_CHECKING:
    from treant_viz.viz.forest_votes.display import ForestVotesDisplay

FEW, SPARSE = 20, 6  # trees whose lanes have names, and whose marks have numbers
LISTED = 140.0  # points that the numbers of trees may take
COLUMN, WORDS, PITCH = 250.0, 44.0, 46.0  # points: the bill is so wide at least; where words begin; a line


def draw_votes(d: ForestVotesDisplay, pen: Pen, target: Target) -> None:
    score, trees, bill = _places(d, pen, target)
    _trees(d, pen, trees)
    _model(d, pen, score, trees)
    heads = [typeface.width(line.words, BODY, bold=True) for line in lines(d)]
    widest = max([0.0, *heads, *(typeface.width(_does(d, line.moves), SMALL) for line in lines(d))])
    _bill(d, sheet(bill, pen, max(COLUMN, WORDS + widest), PITCH * (len(lines(d)) + 3.3)))


def _places(d: ForestVotesDisplay, pen: Pen, target: Target) -> tuple[Axes, Axes, Axes]:
    """The model above its trees, and the bill beside both."""
    left = 22.0 + (66.0 if len(d.before) <= FEW else 0.0)
    columns = [(left, 1.0, 26.0), (0.0, 0.52, 12.0)]
    rows = [(34.0, 0.001, 0.0), (0.0, 1.0, 58.0)] if d.averaged else [(34.0, 0.12, 20.0), (14.0, 1.0, 58.0)]
    (score, a), (trees, b) = placed(target, pen, rows, columns)
    ((c, bill),) = placed(target, pen, [(20.0, 1.0, 12.0)], columns)
    for empty in (a, b, c):
        pen.axes.remove(empty)
        empty.remove()
    return score, trees, bill


# what every tree says


def _trees(d: ForestVotesDisplay, pen: Pen, ax: Axes) -> None:
    n, p = len(d.before), pen.palette
    above = 0.9 if d.sides is not None and n <= FEW else 0.0  # a lane for the words at the threshold
    limits = value_limits([d.votes], d.sides, d.averaged, d.number)
    ax.set(ylim=(n - 0.4, -0.6 - above), xlim=limits)
    what = "votes" if d.averaged and d.sides is not None else "says" if d.averaged else "adds"
    pen.style(ax, xlabel=f"what each of {counted(n, 'tree')} {what}, sorted", spines=("bottom",))
    ax.locator_params(axis="x", nbins=6)
    pen.ticks(ax, "x", ticks := _inside(ax), [value(t) for t in ticks])
    ax.set_yticks([])
    if n <= FEW:
        for lane, t in enumerate(d.order.tolist()):
            place: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "right", "va": "center"}
            turned = t in d.flipped
            look = pen.type(SMALL, bold=turned, color=p.words("unknown") if turned else p.soft)
            pen.text(ax, -0.025, lane, f"tree {t}", "tree", **look | place)
    if d.sides is not None:
        _sides(d, pen, ax, d.sides.threshold, d.sides.names)
    _lanes(d, pen, ax)


def _inside(ax: Axes) -> list[float]:
    low, high = ax.get_xlim()
    return [round(float(t), 12) for t in ax.get_xticks() if low <= t <= high]


def _sides(d: ForestVotesDisplay, pen: Pen, ax: Axes, turn: float, sides: tuple[str, str]) -> None:
    """The line where a vote turns, with the side of the wrong class shaded, and what both are called."""
    p, (low, high) = pen.palette, ax.get_xlim()
    own = int(d.number > 0.5)
    wrong = (low, turn) if own else (turn, high)
    pen.keep("wrong side", ax.axvspan(*wrong, facecolor=p.panel, zorder=0), "wrong-side")
    look: dict[str, Any] = {"color": p.ink, "linewidth": 1.4, "linestyle": (0, (1, 2)), "zorder": 2}
    pen.keep("threshold", ax.plot([turn, turn], ax.get_ylim(), **look)[0], "threshold")
    if len(d.before) <= FEW:
        words = f"a {'vote' if d.averaged else 'tree'} changes\n sides at {number(turn)}"
        right = _right_of(d, ax, turn, typeface.width(words.partition("\n")[0], SMALL) + 16.0)
        place = {"ha": "left" if right else "right", "va": "top", "zorder": 8}
        ground = p.panel if right == (own == 0) else p.background
        quiet = {"boxstyle": "square,pad=0.1", "facecolor": ground, "edgecolor": "none"}
        at = _shifted(ax.transData, ax, -4.0, 6.0 if right else -6.0)
        look = pen.type(SMALL) | place | {"transform": at, "bbox": quiet, "linespacing": 0.95}
        pen.text(ax, turn, ax.get_ylim()[1], f" {words} ", "threshold words", **look)
    for i, (x, ha) in enumerate(((0.0, "left"), (1.0, "right"))):
        words = f"{sides[i]}, the {'true' if i == own else 'wrong'} label"
        words = f"← {words}" if i == 0 else f"{words} →"
        look = pen.type(bold=i == own) | {"ha": ha, "va": "top"}
        pen.text(ax, x, 0.0, words, "side", transform=_shifted(ax.transAxes, ax, -28.0), **look)


def _right_of(d: ForestVotesDisplay, ax: Axes, turn: float, wide: float) -> bool:
    """Do words fit better to the right of the threshold? There must be room, and if it can be no line."""
    figure, (low, high) = ax.get_figure(root=True), ax.get_xlim()
    assert figure is not None
    reach = wide * figure.dpi / 72 / ax.get_window_extent().width * (high - low)
    lines = [d.scores[0], d.score] if d.averaged else []
    crossed = [sum(a < v < b for v in lines) for a, b in ((turn, turn + reach), (turn - reach, turn))]
    fits = turn + reach <= high, turn - reach >= low
    return bool(fits[0] and (crossed[0] <= crossed[1] or not fits[1])) or not fits[1]


def _lanes(d: ForestVotesDisplay, pen: Pen, ax: Axes) -> None:
    """Before: hollow; after: solid where the tree says something else, a diamond where it has turned."""
    p, order, lane = pen.palette, d.order, np.arange(len(d.order))
    before, after = d.before[order], d.after[order]
    flipped = np.isin(order, d.flipped)
    moved = (before != after) & ~flipped
    size = float(np.clip(300 / len(order), 3.4, 10.0))
    for role, some, color, wide in (("move", moved, p.soft, 0.2), ("flip", flipped, p.unknown, 0.45)):
        if some.any():
            ways = [((a, y), (b, y)) for a, b, y in zip(before[some], after[some], lane[some], strict=True)]
            look: dict[str, Any] = {"colors": color, "linewidths": max(1.0, wide * size), "zorder": 3}
            pen.keep(role, ax.add_collection(LineCollection(ways, **look), autolim=False), role)
    marks: dict[str, Any] = {
        "linestyle": "none",
        "scalex": False,
        "scaley": False,
        "zorder": 5,
        "clip_on": False,
    }
    _heads(d, pen, ax, size)
    hollow: dict[str, Any] = {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markersize": size}
    pen.keep("before", ax.plot(before, lane, "o", **hollow, **marks)[0], "before")
    solid: dict[str, Any] = {"color": p.ink, "markersize": 1.05 * size}
    pen.keep("after", ax.plot(after[moved], lane[moved], "o", **solid, **marks)[0], "after")
    turn: dict[str, Any] = {"color": p.unknown, "markeredgecolor": p.ink, "markersize": 1.1 * size}
    pen.keep("flipped", ax.plot(after[flipped], lane[flipped], "D", **turn, **marks)[0], "flipped")
    for y in lane[before != after].tolist() if len(order) <= SPARSE else ():
        _number(pen, ax, before[y], y, "value before")
        _number(pen, ax, after[y], y, "value after")


def _number(pen: Pen, ax: Axes, x: float, y: float, role: str) -> None:
    """What a tree says, above its mark."""
    ground = {"boxstyle": "round,pad=0.1", "facecolor": pen.palette.background, "edgecolor": "none"}
    look = pen.type(SMALL, bold=role == "value after") | {"ha": "center", "va": "bottom", "zorder": 7}
    pen.text(ax, x, y, number(x), role, transform=_shifted(ax.transData, ax, 10.0), bbox=ground, **look)


def _heads(d: ForestVotesDisplay, pen: Pen, ax: Axes, size: float) -> None:
    """An arrow head before the end of each way that is long enough for one."""
    p, order = pen.palette, d.order
    before, after, lane = d.before[order], d.after[order], np.arange(len(order))
    figure, (low, high) = ax.get_figure(root=True), ax.get_xlim()
    assert figure is not None
    points = np.abs(after - before) / (high - low) * ax.get_window_extent().width * 72 / figure.dpi
    back = 1.2 * size * np.abs(after - before) / np.maximum(points, 1e-9)
    for marker, some, sign in (("<", after < before, 1), (">", after > before, -1)):
        long, place = some & (points > 3.5 * size), after + sign * back
        look: dict[str, Any] = {"color": p.ink, "markersize": size, "linestyle": "none", "zorder": 4}
        pen.keep("head", ax.plot(place[long], lane[long], marker, scalex=False, scaley=False, **look)[0])


# what the model says


def _model(d: ForestVotesDisplay, pen: Pen, ax: Axes, trees: Axes) -> None:
    """Before and after, with the words in a pill; a regression's label; the turn of two classes."""
    p = pen.palette
    ax.set(ylim=(0.0, 1.0), xlim=score_limits([d.votes], d.sides, d.averaged, d.number))
    ax.patch.set_alpha(0.0)
    pen.style(ax, spines=() if d.averaged else ("bottom",))
    pen.ticks(ax, "x", at := [] if d.averaged else _inside(ax), [value(t) for t in at])
    ax.set_yticks([])
    lines_of = [ax, trees] if d.averaged else [ax]
    for where in lines_of:
        y = where.get_ylim()
        thin: dict[str, Any] = {"color": p.ink, "linewidth": 1.6, "linestyle": (0, (5, 3)), "zorder": 4}
        bold: dict[str, Any] = {"color": p.ink, "linewidth": 4.0, "zorder": 4, "solid_capstyle": "butt"}
        pen.keep("model before", where.plot([d.scores[0]] * 2, y, **thin)[0], "model-before")
        if d.shown:
            pen.keep("model after", where.plot([d.score] * 2, y, **bold)[0], "model-after")
        if d.sides is None:
            look: dict[str, Any] = {"color": p.soft, "linewidth": 2.0, "zorder": 2}
            pen.keep("label", where.plot([d.number] * 2, y, **look)[0], "label")
        elif not d.averaged:
            dots: dict[str, Any] = {"color": p.ink, "linewidth": 1.4, "linestyle": (0, (1, 2))}
            pen.keep("turn", where.plot([0.5, 0.5], y, **dots)[0], "turn")
    _model_words(d, pen, ax)


def _model_words(d: ForestVotesDisplay, pen: Pen, ax: Axes) -> None:
    """Above the lines; they give way to each other and to the ends of the axis."""
    p, (low, high) = pen.palette, ax.get_xlim()
    what = "mean" if d.averaged else d.what
    mean = f"{what} after = {number(d.score)}"
    marks = [(d.scores[0], f"{what} before = {number(d.scores[0])}", "model before words")]
    if d.sides is None:
        marks.append((d.number, f"true label {d.y}", "label words"))
    if d.shown:
        marks.append((d.score, mean, "model after words"))
    figure = ax.get_figure(root=True)
    assert figure is not None
    unit = ax.get_window_extent().width * 72 / figure.dpi / (high - low)  # points of one
    middles = [(x - low) * unit for x, *_ in marks]
    widths = [typeface.width(words, BODY, bold=True) + 16.0 for _, words, _ in marks]
    places = _apart(middles, widths, (high - low) * unit)
    if d.shown:
        edges = [(x - w / 2, x + w / 2) for x, w in zip(places, widths, strict=True)]
        _turn(pen, ax, (edges[0], edges[-1]), edges[1:-1], unit)
    for x, (_, words, role) in zip(places, marks, strict=True):
        pill = role == "model after words"
        box = {"boxstyle": "round,pad=0.3,rounding_size=0.7", "facecolor": p.ink, "edgecolor": "none"}
        color = p.on(p.ink) if pill else p.soft if role == "label words" else p.ink
        look = pen.type(bold=pill, color=color) | {"ha": "center", "va": "bottom", "zorder": 9}
        look |= {"transform": _shifted(ax.get_xaxis_transform(), ax, 9.0)} | ({"bbox": box} if pill else {})
        pen.text(ax, low + x / unit, 1.0, words, role, **look)


def _turn(
    pen: Pen, ax: Axes, ends: tuple[tuple[float, float], tuple[float, float]],
    between: Sequence[tuple[float, float]], unit: float,
) -> None:  # fmt: skip
    """An arrow from the words about before to those about after, if there is room and nothing between."""
    (a, b), (c, e) = ends
    start, end = (b, c) if c > b else (a, e)
    if abs(end - start) < 30.0 or any(
        min(start, end) < v < max(start, end) for pair in between for v in pair
    ):
        return
    low, place = ax.get_xlim()[0], _shifted(ax.get_xaxis_transform(), ax, 15.0)
    arrow = {"arrowstyle": "-|>", "color": pen.palette.ink, "linewidth": 2.0, "mutation_scale": 15}
    look: dict[str, Any] = {"xycoords": place, "textcoords": place, "annotation_clip": False}
    ways = (low + end / unit, 1.0), (low + start / unit, 1.0)
    pen.keep("turn arrow", ax.annotate("", *ways, arrowprops=arrow, **look))


def _shifted(place: Any, ax: Axes, up: float, aside: float = 0.0) -> Any:
    """Some points above a place, and to the right of it."""
    return offset_copy(place, ax.get_figure(root=True), aside, up, units="points")


def _apart(middles: Sequence[float], widths: Sequence[float], room: float) -> list[float]:
    """Middles of words that touch neither each other nor the ends.

    >>> _apart([10.0, 12.0], [20.0, 20.0], 100.0)
    [10.0, 30.0]
    >>> _apart([95.0, 50.0], [20.0, 20.0], 100.0)
    [90.0, 50.0]
    """
    order = sorted(range(len(middles)), key=lambda i: middles[i])
    out, end = list(middles), 0.0
    for i in order:
        out[i] = max(middles[i], end + widths[i] / 2)
        end = out[i] + widths[i] / 2
    end = room
    for i in reversed(order):
        out[i] = min(out[i], end - widths[i] / 2)
        end = out[i] - widths[i] / 2
    return out


# the bill


def lines(d: ForestVotesDisplay) -> list[BillLine]:
    """The lines of the bill of the whole attack."""
    return bill_lines(d.moves)


def _bill(d: ForestVotesDisplay, paper: Sheet) -> None:
    """The row, each line with its coin and what it does, and what it comes to."""
    p, y = paper.pen.palette, paper.height - 16.0
    paper.text(0.0, y, f"{d.label}, true label {d.y}", "row", size=HEAD, bold=True)
    paper.text(0.0, y - 20.0, _does(d, 0), "stop", size=SMALL, color=p.soft)
    y -= 1.15 * PITCH
    for i, line in enumerate(lines(d)):
        y -= PITCH * (i > 0)
        later = line.moves > d.shown
        coin(paper.pen, paper.ax, 15.0, y - 4.0, line.cost, scale=paper.scale, gid=f"coin-{i}")
        color = p.soft if later else p.ink
        paper.text(WORDS, y, line.words, "move words", bold=not later, color=color)
        if not later:
            paper.text(WORDS, y - 18.0, _does(d, line.moves), "stop", size=SMALL, color=p.soft)
    paid = spent(d.moves[: d.shown])
    paper.text(0.0, y - PITCH, f"spent {number(paid)} of {number(d.budget)}", "end", bold=True)
    if d.step is None:
        after = f" → {number(d.votes.losses[-1])}" if d.moves else ""
        words = f"{d.loss} {number(d.votes.losses[0])}{after}"
        paper.text(0.0, y - PITCH - 22.0, words, "end", bold=True)
    if d.doubt:
        paper.text(
            0.0, y - PITCH - 42.0, "the search was stopped early: worse may exist", "doubt", size=SMALL
        )


def _does(d: ForestVotesDisplay, k: int) -> str:
    """What a move does; one that changes nothing prepares the next, or it would not be paid for."""
    if 0 < k < len(d.moves) and d.scores[k] == d.scores[k - 1]:
        return f"{d.what} still {number(d.scores[k])}, a step on the way"
    phrase = f"{d.what} {number(d.scores[k])}"
    if d.sides is None or k == 0:
        return f"{phrase}{' without an attack' if k == 0 else ''}"
    turned = d.turns(k).tolist()
    many = f"{phrase}; {counted(len(turned), 'tree') if turned else 'no tree'}"
    which = f"{phrase}; tree{'s' * (len(turned) > 1)} {', '.join(map(str, turned))}"
    short = bool(turned) and len(d.before) <= FEW and typeface.width(which, SMALL) < LISTED
    return f"{which if short else many} change{'s' * (len(turned) < 2)} sides"


__all__ = ["draw_votes", "lines"]

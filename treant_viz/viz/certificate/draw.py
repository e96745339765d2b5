"""Drawing the certificate of one row: the score against what is spent, and the bill of the attack.

Above the plot lies the certificate itself: a bar along the costs, dark where the row is safe, hatched where
nobody knows, gold where its prediction can be changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.transforms import offset_copy

from treant_viz.viz.attack_path.bill import bill_lines
from treant_viz.viz.attack_path.facts import AppliedRule
from treant_viz.viz.attack_path.words import spent
from treant_viz.viz.certificate.facts import RowCertificate
from treant_viz.viz.certificate.words import attack_text, labels_text, predictions, what
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import number, value
from treant_viz.viz.style.typeface import width

COLUMN, WORDS, PITCH = 250.0, 44.0, 46.0  # points: the bill is so wide at least; where words begin; a line
BAR, ABOVE = 11.0, 52.0  # points: the height of the bar above the plot, and the room for it and its words
ROOM = 30.0  # points that a coin on the line needs
FULL, CLOSE = 0.65, 36.0  # shares of the axis that leave no room at the right; points around a row's score
FAR = 3.0  # times the cost of the attack: budgets beyond that are not drawn


class Span(NamedTuple):
    """A part of the bar: where it lies, what is known there, and in which words."""

    start: float
    end: float
    role: str
    words: str


def draw_row(label: str, c: RowCertificate, pen: Pen, target: Target) -> None:
    """The plot alone, if each move can be written where it is made; else beside a bill."""
    alone = _fits(c, size_of(target)[0] - 66.0 - 28.0)
    columns = [(66.0, 1.0, 28.0)] if alone else [(66.0, 1.0, 28.0), (0.0, 0.52, 12.0)]
    ((ax, *empty),) = placed(target, pen, [(ABOVE, 1.0, 56.0)], columns)
    if not alone:
        ((other, bill),) = placed(target, pen, [(20.0, 1.0, 12.0)], columns)
        for unused in (*empty, other):
            pen.axes.remove(unused)
            unused.remove()
    _axes(c, pen, ax)
    _sides(c, pen, ax)
    _frontier(c, pen, ax)
    _path(label, c, pen, ax, alone=alone)
    _bar(c, pen, ax)
    if alone:
        return
    lines = bill_lines(c.moves)
    widest = max([0.0, *(typeface.width(line.words, BODY, bold=True) for line in lines)])
    paper = sheet(bill, pen, max(COLUMN, WORDS + 1.04 * widest + 8.0), PITCH * (len(lines) + 3.3))
    _bill(label, c, paper)


def _fits(c: RowCertificate, wide: float) -> bool:
    """Is there room for the words about each move beside its own part of the path?"""
    scale, paid = wide / (1.06 * reach(c)), [0.0, *accumulate(m.cost for m in c.moves)]
    ends = [0.03 * wide + scale * x for x in paid]
    lines = bill_lines(c.moves)
    words = [width(line.words, SMALL, bold=True) + 20.0 for line in lines]
    level = len(set(c.scores)) == len(c.scores) and len(lines) == len(c.moves)
    inside = all(x + w < wide for x, w in zip(ends, words, strict=False))
    return level and inside and bool(c.frontier or c.moves)


# the plot


def reach(c: RowCertificate) -> float:
    """How far the axis of costs goes: over the whole budget, if that is not too far."""
    costs = [c.changes_at, c.safe_below, spent(c.moves)]
    known = max((x for x in costs if x < math.inf), default=0.0)
    whole = c.budget < math.inf and (c.budget <= FAR * known or not c.falls)
    return (c.budget if whole else 1.5 * known) or 1.0


def _axes(c: RowCertificate, pen: Pen, ax: Axes) -> None:
    end, shown = reach(c), [*c.scores, *c.borders, *(s for _, s in c.frontier)]
    low, high = min(shown), max(shown)
    pad = 0.3 * (high - low) or 0.5
    low, high = low - pad, high + pad
    if c.classes is not None and all(0.0 <= s <= 1.0 for s in shown):
        low, high = -0.02, 1.02
    ax.set(xlim=(-0.03 * end, 1.03 * end), ylim=(low, high))
    pen.style(ax, xlabel="spent by the attacker", ylabel=what(c), spines=("bottom", "left"))
    ax.locator_params(axis="both", nbins=6)
    for axis, ends in (("x", (0.0, end * (1 + 1e-9))), ("y", (low, high))):
        ticks = [round(float(t), 12) for t in getattr(ax, f"get_{axis}ticks")() if ends[0] <= t <= ends[1]]
        pen.ticks(ax, axis, ticks, [value(t) for t in ticks])


def _sides(c: RowCertificate, pen: Pen, ax: Axes) -> None:
    """The borders, what lies beyond them shaded, and what is predicted on either side."""
    p, (low, high) = pen.palette, ax.get_ylim()
    up = c.classes is None or c.prediction == c.classes[0]
    beyond = [(c.borders[-1], high)] if up else []
    beyond += [(low, c.borders[0])] if c.classes is None or not up else []
    for a, b in beyond:
        pen.keep("beyond", ax.axhspan(a, b, facecolor=p.panel, zorder=0))
    look: dict[str, Any] = {"color": p.ink, "linewidth": 1.4, "linestyle": (0, (1, 2)), "zorder": 2}
    for k, border in enumerate(c.borders):
        pen.keep("border", ax.axhline(border, **look), f"border-{k}")
    _side_words(c, pen, ax)


def _side_words(c: RowCertificate, pen: Pen, ax: Axes) -> None:
    """What is predicted on both sides of the border; where the path needs that room, and for numbers, the
    words stand at the top and at the bottom.
    """
    above, below = _sides_text(c)
    left = spent(c.moves) > FULL * reach(c)
    low, high = ax.get_ylim()
    near = size_of(ax)[1] * abs(c.scores[0] - c.borders[0]) / (high - low) < CLOSE
    if c.classes is None or (left and near):
        for y, va, (words, own) in ((0.985, "top", above), (0.015, "bottom", below)):
            look = pen.type(SMALL, bold=own) | {"ha": "left", "va": va}
            pen.text(ax, 0.01, y, words, "side", transform=ax.transAxes, **look)
        return
    for up, va, (words, own) in ((5.0, "bottom", above), (-5.0, "top", below)):
        beside = offset_copy(ax.get_yaxis_transform(), ax.get_figure(root=True), y=up, units="points")
        look = pen.type(SMALL, bold=own) | {"ha": "left" if left else "right", "va": va}
        pen.text(ax, 0.01 if left else 0.99, c.borders[0], words, "side", transform=beside, **look)


def _sides_text(c: RowCertificate) -> list[tuple[str, bool]]:
    """What lies above the border and below, and whether the row itself is there."""
    if c.classes is None:
        more = f" by more than {number(c.tolerance)}" if c.tolerance else ""
        return [(f"higher{more} ↑", False), (f"lower{more} ↓", False)]
    first, second = labels_text(c.classes)
    own = c.prediction == c.classes[0]
    return [(f"predicted {second} ↑", not own), (f"predicted {first} ↓", own)]


def _frontier(c: RowCertificate, pen: Pen, ax: Axes) -> None:
    """As far as any attack gets for each cost: shaded from the row's own score."""
    if not c.frontier:
        return
    p, end = pen.palette, ax.get_xlim()[1]
    known = min(end, c.budget * (1 + 1e-9)) if c.budget < math.inf else end
    at = [cost for cost, _ in c.frontier if cost <= known] + [known]
    far = [score for cost, score in c.frontier if cost <= known]
    look: dict[str, Any] = {"color": mixed(p.background, p.coin, 0.35), "linewidth": 0, "zorder": 1}
    pen.keep("frontier", ax.fill_between(at, [*far, far[-1]], c.scores[0], step="post", **look))
    edge: dict[str, Any] = {"color": p.attack, "linewidth": 1.6, "zorder": 2.5, "drawstyle": "steps-post"}
    pen.keep("frontier edge", ax.plot(at, [*far, far[-1]], scalex=False, scaley=False, **edge)[0])
    up = far[-1] >= c.scores[0]
    over = offset_copy(ax.transData, ax.get_figure(root=True), y=5.0 if up else -5.0, units="points")
    look = pen.type(SMALL, bold=True, color=p.attack) | {"ha": "right", "va": "bottom" if up else "top"}
    look |= {"zorder": 6, "transform": over}
    flat = number(far[-1]) == number(c.scores[0])
    words = "no attack gets any further" if flat else "as far as any attack gets"
    pen.text(ax, known, far[-1], words, "frontier words", **look)


def _path(label: str, c: RowCertificate, pen: Pen, ax: Axes, *, alone: bool) -> None:
    """The score as money is spent: flat, and up or down with each move."""
    p, paid = pen.palette, [0.0, *accumulate(m.cost for m in c.moves)]
    xs = [x for a, b in pairwise(paid) for x in (a, b)] + [paid[-1]]
    ys = [y for y in c.scores[:-1] for _ in (0, 1)] + [c.scores[-1]]
    plain: dict[str, Any] = {"scalex": False, "scaley": False, "color": p.ink}
    pen.keep("path", ax.plot(xs, ys, linewidth=2.6, zorder=4, **plain)[0], "path")
    dots: dict[str, Any] = {"linestyle": "none", "marker": "o", "clip_on": False, "zorder": 6, **plain}
    pen.keep("stop", ax.plot(paid[1:], c.scores[1:], markersize=6.0, **dots)[0], "stops")
    hollow = {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markeredgewidth": 2.2}
    pen.keep("start", ax.plot(paid[:1], c.scores[:1], markersize=10.0, **dots | hollow)[0], "start")
    if c.falls:
        turned: dict[str, Any] = {"markersize": 11.0} | dots | {"marker": "D"}
        pen.keep("changed", ax.plot(paid[-1:], c.scores[-1:], **turned)[0], "changed")
    for k, (at, cost) in enumerate(_coins(c.moves, ax)):
        row = max(i for i, x in enumerate(paid) if x < at)
        coin(pen, ax, at, c.scores[row], cost, gid=f"coin-{k}")
    _values(c, pen, ax, paid, [label] * alone)
    if alone:
        _moves_beside(c, pen, ax, paid)


def _moves_beside(c: RowCertificate, pen: Pen, ax: Axes, paid: Sequence[float]) -> None:
    """What each move does, along the part of the path on which it is paid: on the side where nothing runs."""
    for k, line in enumerate(bill_lines(c.moves)):
        down = c.scores[k + 1] >= c.scores[k]
        shift = (8.0 + (20.0 if k == 0 else 0.0), -12.0 if down else 12.0)
        place = offset_copy(ax.transData, ax.get_figure(root=True), *shift, units="points")
        look = pen.type(SMALL, bold=True) | {"ha": "left", "va": "top" if down else "bottom", "zorder": 7}
        pen.text(ax, paid[k], c.scores[k], line.words, "move words", transform=place, **look)


def _coins(moves: Sequence[AppliedRule], ax: Axes) -> list[tuple[float, float]]:
    """Where on the axis of costs coins stand, half-way of each payment, and their costs; none where they
    would overlap: the bill has them all.
    """
    low, high = ax.get_xlim()
    point = (high - low) / size_of(ax)[0]
    paid = [0.0, *accumulate(m.cost for m in moves)]
    found = [((a + b) / 2, m.cost) for (a, b), m in zip(pairwise(paid), moves, strict=True)]
    wide = [ROOM + max(0.0, width(number(cost), SMALL, bold=True) - 14.0) for _, cost in found]
    fit = all(m.cost > w * point for m, w in zip(moves, wide, strict=True))
    return found if fit else []


def _values(c: RowCertificate, pen: Pen, ax: Axes, paid: Sequence[float], label: Sequence[str]) -> None:
    """The score in numbers, at the start and at the end; if nothing else says it, after each move, too, and
    at the start who it is.
    """
    rises, last = c.scores[-1] >= c.scores[0], len(c.scores) - 1
    ground: dict[str, Any] = {"boxstyle": "round,pad=0.1", "edgecolor": "none", "alpha": 0.8}
    ground["facecolor"] = pen.palette.background
    for k, score in enumerate(c.scores):
        if 0 < k < last and not label:
            continue
        role = "start value" if k == 0 else "end value" if k == last else "stop value"
        up = rises != (k == 0 and not label)
        aside = -4.0 if k == 0 else 0.0 if k == last else -9.0
        shift = (aside, 12.0 if up else -12.0)
        place = offset_copy(ax.transData, ax.get_figure(root=True), *shift, units="points")
        look = pen.type(BODY, bold=True) | {"va": "bottom" if up else "top", "zorder": 7, "bbox": ground}
        look["ha"] = "left" if k == 0 else "center" if k == last else "right"
        words = [number(score)]
        if label and k == 0:
            words = [
                label[0],
                f"predicted {predictions(c)[0]}",
                *[f"score {number(score)}"] * bool(c.classes),
            ]
        pen.text(ax, paid[k], score, ", ".join(words), role, transform=place, **look)


# the certificate


def spans(c: RowCertificate) -> list[Span]:
    """The parts of the bar, from no cost at all to the end of the axis; empty ones are left out."""
    end = reach(c)
    safe, change = min(c.safe_below, end), min(c.changes_at, end)
    certain = f"safe below {value(c.safe_below)}" if c.safe_below < math.inf else "safe at any cost"
    if c.safe_below == math.inf and c.budget < math.inf:
        certain = f"safe for all of {value(c.budget)}"
    if c.safe_below == math.inf:
        return [Span(0.0, min(end, c.budget), "safe", certain)]
    found = [
        Span(0.0, safe, "safe", certain),
        Span(safe, change, "not known", "not known"),
        Span(change, end, "open", f"can be changed from {value(c.changes_at)} on"),
    ]
    return [s for s in found if s.end > s.start or (s.role == "open" and c.falls)]


def _bar(c: RowCertificate, pen: Pen, ax: Axes) -> None:
    p, tall = pen.palette, size_of(ax)[1]
    looks: dict[str, dict[str, Any]] = {
        "safe": {"facecolor": p.soft, "edgecolor": p.soft},
        "not known": {"facecolor": p.background, "edgecolor": p.soft, "hatch": "////"},
        "open": {"facecolor": p.coin, "edgecolor": p.coin_edge},
    }
    found, ends = spans(c), list[float]()
    frame = ax.get_xaxis_transform()
    for s in found:
        place = (s.start, 1.0 + 8.0 / tall), s.end - s.start, BAR / tall
        box = Rectangle(*place, transform=frame, clip_on=False, linewidth=1.0, zorder=5, **looks[s.role])
        pen.patch(ax, box, s.role, f"certificate-{s.role.replace(' ', '-')}")
    scale = size_of(ax)[0] / (ax.get_xlim()[1] - ax.get_xlim()[0])
    over = offset_copy(frame, ax.get_figure(root=True), y=BAR + 13.0, units="points")
    for s in found:
        start, wide = max([scale * s.start, *ends]), width(s.words, SMALL, bold=s.role == "safe")
        start = min(start, max(scale * found[-1].end - wide, *ends, 0.0)) if ends else start
        ends.append(start + wide + 12.0)
        look = pen.type(SMALL, bold=s.role == "safe") | {"ha": "left", "va": "bottom"}
        pen.text(ax, start / scale, 1.0, s.words, "certificate", transform=over, **look)


# the bill


def _bill(label: str, c: RowCertificate, paper: Sheet) -> None:
    """The row, each line with its coin and what it does, and what it comes to."""
    p, y, (before, after) = paper.pen.palette, paper.height - 16.0, predictions(c)
    paper.text(0.0, y, label, "row", size=HEAD, bold=True)
    first = f"predicted {before}" + (f", score {number(c.scores[0])}" if c.classes is not None else "")
    paper.text(0.0, y - 19.0, first, "row about", size=SMALL, color=p.soft)
    y -= 19.0 + PITCH * 0.9
    lines = bill_lines(c.moves)
    for i, line in enumerate(lines):
        y -= PITCH * (i > 0)
        coin(paper.pen, paper.ax, 15.0, y - 4.0, line.cost, "bill coin", scale=paper.scale, gid=f"bill-{i}")
        paper.text(WORDS, y, line.words, "move words", bold=True)
        words = f"{what(c)} {number(c.scores[line.moves])}"
        paper.text(WORDS, y - 18.0, words, "move does", size=SMALL, color=p.soft)
    if lines:
        of = f" of {value(c.budget)}" if c.budget < math.inf else ""
        y -= PITCH
        paper.text(0.0, y, f"spent {value(spent(c.moves))}{of}", "end", bold=True)
        y -= 22.0
    phrase = f"now predicted {after}" if c.falls else _still(c, before)
    paper.text(0.0, y, phrase, "verdict", bold=True)
    if c.moves and not (c.falls and c.exact):
        paper.text(0.0, y - 20.0, attack_text(c), "which attack", size=SMALL, color=p.soft)


def _still(c: RowCertificate, before: str) -> str:
    """Words for a prediction that no known attack changes."""
    if c.safe_below < math.inf:
        return "no attack is known"
    if c.moves or not c.farthest:
        return f"still predicted {before}"
    return "no attack moves it" if c.classes is None else "no attack moves it nearer"


__all__ = ["Span", "draw_row", "reach", "spans"]

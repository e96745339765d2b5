"""How rules on numbers are drawn: hops on one number line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator, NullLocator
from matplotlib.transforms import offset_copy

from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.rule.display import RuleDisplay
    from treant_viz.viz.rule.facts import Lane, Stage

SIDE, ABOVE, RULE, FOOT = 40.0, 6.0, 40.0, 58.0  # points: beside, above, of a rule's words, below the line
ARC, WORDS = 0.40, 52.0  # of a lane: how high a hop rises; points: the words above it
APART = 34.0  # points between two coins
FAR = 3.0  # times what can be reached: a step that leads further is not drawn
Hop = tuple[float, float, float]  # from, to, and what it costs more than the one before


def draw_numbers(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """For each value its hops, all above one axis, with marks where rules end. A single value has its numbers
    below the axis, and in its band the price; several have numbers in their bands.
    """
    axis = _axis(d)
    below = FOOT + RULE * len(d.rules) * (len(d.rules) > 1) + 14.0
    right = SIDE + width(axis, BODY, bold=True)
    [[ax]] = placed(target, pen, [(ABOVE, 1.0, below)], [(SIDE, 1.0, right)])
    low, high = _ends(d)
    lanes, tall = len(d.lanes), _size(ax)[1]
    foot = _band(d) / 2 if lanes == 1 else 0.24
    unit = (tall - WORDS) / (lanes - 1 + ARC + _band(d) / 2 + foot)
    ax.set(xlim=(low, high), ylim=(lanes - 1 + foot, -ARC - _band(d) / 2 - WORDS / unit), yticks=[])
    pen.style(ax, spines=("bottom",))
    ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]) if lanes > 1 else NullLocator())
    ax.xaxis.set_major_formatter(lambda v, _: value(v))
    ax.tick_params(axis="x", length=7.0, pad=4.0)
    beside = {"transform": _points(ax, ax.transAxes, 10.0, 0.0), "va": "center", "clip_on": False}
    pen.text(ax, 1.0, 0.0, axis, "axis", **beside | pen.type(BODY, bold=True))
    for i, (rule, text) in enumerate(zip(d.rules, d.sentences, strict=True)):
        _rule(d, pen, ax, rule.pre, text, i)
    for y, (lane, more) in enumerate(zip(d.lanes, d.too_dear, strict=True)):
        _lane(d, pen, ax, lane, y)
        if more is not None:
            _refused(d, pen, ax, lane, more, y)


def _band(d: RuleDisplay) -> float:
    """How high a band is, of a lane."""
    return 0.16 if len(d.lanes) == 1 else 0.25


def _axis(d: RuleDisplay) -> str:
    return f"change of {name(d.feature, 20)}" if d.relative else name(d.feature, 24)


def _points(ax: Axes, whole: Any, dx: float, dy: float) -> Any:
    """A transform, moved by so many points."""
    return offset_copy(whole, ax.get_figure(root=True), dx, dy, units="points")


def _size(ax: Axes) -> tuple[float, float]:
    """Points that the line is long, and that all lanes are high."""
    box, root = ax.get_window_extent(), ax.get_figure(root=True)
    assert root is not None
    return box.width * 72 / root.dpi, box.height * 72 / root.dpi


def _ends(d: RuleDisplay) -> tuple[float, float]:
    """The part of the line that is drawn: all that can be reached, and one step more, unless it is far;
    rules further out run off it.
    """
    seen = [e for lane in d.lanes for e in (float(lane.value), *lane.reach) if math.isfinite(e)]
    low, high = min(seen), max(seen)
    most = FAR * (high - low) or math.inf
    ends = [e for more in d.too_dear if more is not None for e in more.reach if math.isfinite(e)]
    ends = [e for e in ends if low - most <= e <= high + most]
    low, high = min([low, *ends]), max([high, *ends])
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def _rule(d: RuleDisplay, pen: Pen, ax: Axes, pre: tuple[float, float], text: str, i: int) -> None:
    """Of a single rule its ends on the axis; of several, below it, where steps may start, and their words."""
    (low, high), one = ax.get_xlim(), len(d.rules) == 1
    if pre[0] > high or pre[1] < low:
        return
    down = 0.0 if one else 12.0 - FOOT - RULE * i
    _rule_ends(pen, ax, pre, down, i)
    if one:
        return
    over: dict[str, Any] = {"clip_on": False, "zorder": 2.5, "solid_capstyle": "butt", "linewidth": 6.0}
    over["transform"] = _points(ax, ax.get_xaxis_transform(), 0, down)
    line = ax.plot([max(pre[0], low), min(pre[1], high)], [0.0, 0.0], color=pen.palette.soft, **over)[0]
    pen.keep("where it applies", line, f"applies-{i}")
    room: dict[str, Any] = {"transform": _points(ax, ax.transAxes, 0, down - 11.0), "clip_on": False}
    pen.text(ax, 0.0, 0.0, f"Rule {i + 1} (thick line): {text}", "rule", ha="left", va="top", **room)


def _rule_ends(pen: Pen, ax: Axes, pre: tuple[float, float], down: float, i: int) -> None:
    """Where steps may no longer start: a mark, and words below, if there is room for them."""
    (low, high), (wide, tall) = ax.get_xlim(), _size(ax)
    where: dict[str, Any] = {"va": "top", "clip_on": False} | pen.type(SMALL, bold=True)
    where["transform"] = _points(ax, ax.get_xaxis_transform(), 0, -33.0)
    taken = -math.inf
    for end, words, side in ((pre[0], "no step starts below", -1), (pre[1], "no step starts beyond", 1)):
        if not low < end < high:
            continue
        ys = [(down - 8.0) / tall, (down + 8.0) / tall]
        look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 3.0, "clip_on": False, "zorder": 6}
        line = ax.plot([end, end], ys, transform=ax.get_xaxis_transform(), **look)[0]
        pen.keep("end of a rule", line, f"end-{side}-{i}")
        phrase = f"{words} {value(end)}"
        at, long = wide * (end - low) / (high - low), width(phrase, SMALL, bold=True)
        left = at - long if (side < 0 and at >= long) or (side > 0 and at + long > wide + 60.0) else at
        if down == 0.0 and left >= taken:
            pen.text(ax, end, 0.0, phrase, "end words", ha="left" if left == at else "right", **where)
            taken = left + long + 8.0


def _quiet(pen: Pen) -> dict[str, Any]:
    """Ground for words through which a line might go."""
    return {"facecolor": pen.palette.background, "edgecolor": "none", "pad": 1.0}


def _side(ax: Axes, x: float, wide: float) -> str:
    """How words at x are aligned so that they do not leave the axes."""
    (low, high), room = ax.get_xlim(), _size(ax)[0]
    at = room * (x - low) / (high - low)
    return "left" if at < wide / 2 else "right" if at > room - wide / 2 else "center"


def _lane(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, y: float) -> None:
    """All that a value can become in gold; a hop and a coin for every payment, a number at every end."""
    p, n, gid, band = pen.palette, len(lane.stages) - 1, value(lane.value), _band(d)
    low, high = ax.get_xlim()
    for k in range(n, 0, -1):
        gold = mixed(p.background, p.coin, 0.2 + 0.4 * (k - 1) / max(n - 1, 1))
        for i, (a, b) in enumerate(lane.stages[k].pieces):
            a, b, at = max(a, low), min(b, high), f"reach-{k}-{i}-{gid}"
            if b > a:
                box = Rectangle((a, y - band / 2), b - a, band, facecolor=gold,
                                edgecolor=p.coin_edge, linewidth=1.2, zorder=3 + 1 / (k + 1))  # fmt: skip
                pen.patch(ax, box, "reach", at)
            elif a != lane.value:
                ys = [y - band / 2, y + band / 2]
                pen.keep("reach", ax.plot([a, a], ys, color=p.coin_edge, linewidth=4.0, zorder=4)[0], at)
    hops = list(_hops(lane, ax))
    for hop in hops:
        _hop(d, pen, ax, *hop, y, gid)
    look: dict[str, Any] = {"markerfacecolor": p.background, "markeredgecolor": p.ink, "markeredgewidth": 2.6}
    mark = ax.plot([lane.value], [y - band / 2 if n else y], "o", markersize=14, zorder=9, **look)[0]
    pen.keep("value", mark, f"value-{gid}")
    if not n:
        _nothing(d, pen, ax, lane, y)
        return
    (_numbers if len(d.lanes) > 1 else _prices)(d, pen, ax, lane, hops, y)
    if min(b - lane.value for _, b, _ in hops) < 0 < max(b - lane.value for _, b, _ in hops):
        either: dict[str, Any] = {"ha": "center", "va": "center"} | pen.type(HEAD)
        pen.text(ax, lane.value, y - band / 2 - 0.8 * ARC, "or", "or", **either)


def _nothing(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, y: float) -> None:
    """A value that nothing can become of, and why."""
    side = "left" if lane.value < sum(ax.get_xlim()) / 2 else "right"
    beside: dict[str, Any] = {"va": "center", "ha": side, "bbox": _quiet(pen)}
    beside["transform"] = _points(ax, ax.transData, 14.0 if side == "left" else -14.0, 0.0)
    phrase = value(lane.value)
    pen.text(ax, lane.value, y, phrase, "value words", **beside | pen.type(BODY, bold=True))
    far = 14.0 + width(phrase, BODY, bold=True) + 12.0
    beside["transform"] = _points(ax, ax.transData, far if side == "left" else -far, 0.0)
    pen.text(ax, lane.value, y, d.outcome(lane), "outcome", **beside)


def _numbers(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, hops: Sequence[Hop], y: float) -> None:
    """In the band, at the value and at the ends of the hops, what they are: the value first, then the ends
    furthest away, as many as can stand side by side.
    """
    (low, high), (first, last) = ax.get_xlim(), lane.reach
    unit, taken = _size(ax)[0] / (high - low), list[tuple[float, float]]()
    for x, words, role in _marks(d, lane, hops):
        long = width(words, BODY, bold=True)
        way = (x > lane.value) - (x < lane.value) or (x >= last) - (x <= first)  # inwards from the ends
        left = unit * (x - low) - long / 2 - way * (long / 2 + 6.0)
        if all(left >= b + 4.0 or left + long <= a - 4.0 for a, b in taken):
            taken.append((left, left + long))
            where = {"transform": _points(ax, ax.transData, -6.0 * way, -3.0 * (not way))}
            where |= {"va": "center_baseline", "ha": ("center", "right", "left")[way], "zorder": 8}
            pen.text(ax, x, y, words, role, **where | pen.type(BODY, bold=role == "value words"))


def _marks(d: RuleDisplay, lane: Lane, hops: Sequence[Hop]) -> Iterator[tuple[float, str, str]]:
    """The value, then the ends of its hops from the furthest on: where, what to write, and its role."""
    yield float(lane.value), "any value" if d.relative else value(lane.value), "value words"
    for e in sorted({b for _, b, _ in hops}, key=lambda e: -abs(e - lane.value)):
        yield e, _signed(d, e), "end value"


def _signed(d: RuleDisplay, e: float) -> str:
    return "+" * (d.relative and e > 0) + value(e)


def _prices(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, hops: Sequence[Hop], y: float) -> None:
    """The numbers below the axis, as many as can stand side by side; in the band what it costs in all to get
    there.
    """
    (low, high), taken = ax.get_xlim(), list[tuple[float, float]]()
    unit = _size(ax)[0] / (high - low)
    for x, words, role in _marks(d, lane, hops):
        half = width(words, HEAD, bold=True) / 2 + 5.0
        if all(unit * (x - low) - half >= b or unit * (x - low) + half <= a for a, b in taken):
            taken.append((unit * (x - low) - half, unit * (x - low) + half))
            _below(pen, ax, x, words, role, bold=role == "value words")
    for way in (1.0, -1.0):
        paid = 0.0
        for a, b, cost in (hop for hop in hops if (hop[1] - hop[0]) * way > 0):
            paid += cost
            words = f"in reach for {number(paid)}"
            words = words if width(words, HEAD) + 16.0 < unit * abs(b - a) else f"for {number(paid)}"
            if width(words, HEAD) + 8.0 < unit * abs(b - a) and any(
                low <= min(a, b) and max(a, b) <= high for low, high in lane.stages[-1].pieces
            ):
                pen.text(ax, (a + b) / 2, y, words, "price", ha="center", va="center_baseline", zorder=8,
                         **pen.type(HEAD))  # fmt: skip


def _below(pen: Pen, ax: Axes, x: float, words: str, role: str, **look: Any) -> None:
    """A number below the axis, and its tick."""
    tick: dict[str, Any] = {"color": pen.palette.soft, "linewidth": 1.2, "clip_on": False, "zorder": 2}
    tick["transform"] = _points(ax, ax.get_xaxis_transform(), 0.0, -5.0)
    ax.plot([x], [0.0], marker=2, markersize=9, **tick)
    where: dict[str, Any] = {"transform": _points(ax, ax.get_xaxis_transform(), 0.0, -11.0), "va": "top"}
    pen.text(ax, x, 0.0, words, role, ha="center", clip_on=False, **where | pen.type(HEAD, **look))


def _hops(lane: Lane, ax: Axes) -> Iterator[Hop]:
    """From where to where each payment leads, to either side, and what it costs more than the one before;
    payments that would stand too close are one.
    """
    low, high = ax.get_xlim()
    unit = _size(ax)[0] / (high - low)
    for end, way in ((-1, 1.0), (0, -1.0)):
        at, paid = float(lane.value), 0.0
        stages = [(s.cost, min(max(s.pieces[end][-1 if end else 0], low), high)) for s in lane.stages]
        for k, (cost, to) in enumerate(stages):
            last = all(b == to for _, b in stages[k:])
            if (to - at) * way > 0 and ((to - at) * unit * way >= APART or last):
                yield at, to, cost - paid
                at, paid = to, cost


def _hop(
    d: RuleDisplay, pen: Pen, ax: Axes, a: float, b: float, cost: float, y: float, gid: str, paid: bool = True
) -> None:
    """An arrow that leaps from a value to the end of what can be reached, its price on top; dashed and pale
    if it cannot be paid.
    """
    p, foot = pen.palette, y - _band(d) / 2
    curve = Path([(a, foot), ((a + b) / 2, foot - 2 * ARC), (b, foot)], [1, 3, 3])
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 18, "linewidth": 2.2, "zorder": 5}
    look |= {"shrinkA": 0, "shrinkB": 0}
    look |= {"color": p.ink} if paid else {"color": p.soft, "linestyle": (0, (4, 3)), "linewidth": 1.6}
    kind = "" if paid else "refused "
    pen.patch(ax, FancyArrowPatch(path=curve, **look), f"{kind}hop", f"{kind.strip()}hop-{value(b)}-{gid}")
    frame: dict[str, Any] = {} if paid else {"color": p.soft, "bbox": _hollow(pen, cost)}
    gid = f"{kind.strip()}coin-{value(b)}-{gid}"
    scale = 1.4 if len(d.lanes) == 1 else 1.0
    parts.coin(pen, ax, (a + b) / 2, foot - ARC, cost, f"{kind}coin", gid=gid, scale=scale, **frame)


def _hollow(pen: Pen, cost: float) -> dict[str, Any]:
    """A coin that nobody has."""
    shape = "circle,pad=0.34" if len(number(cost)) <= 2 else "round,pad=0.34,rounding_size=0.8"
    look: dict[str, Any] = {"facecolor": pen.palette.background, "edgecolor": pen.palette.soft}
    return look | {"boxstyle": shape, "linestyle": (0, (3, 2)), "linewidth": 1.4}


def _refused(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, more: Stage, y: float) -> None:
    """The next payment, for which too little is left, where it would lead, and how much that is."""
    (low, high), last = ax.get_xlim(), lane.stages[-1].cost
    left, need = d.budget - last, number(more.cost - last)
    words = f"only {number(left)} left" if left > 1e-9 * d.budget else "nothing left"
    words += f", {need} needed"
    ends = [(lane.reach[k], more.reach[k]) for k in (1, 0)]
    for k, (a, b) in enumerate((a, b) for a, b in ends if a != b and low <= b <= high):
        _hop(d, pen, ax, a, b, more.cost - last, y, value(lane.value), paid=False)
        soft: dict[str, Any] = pen.type(BODY, color=pen.palette.soft)
        if len(d.lanes) == 1:
            _below(pen, ax, b, _signed(d, b), "refused value", color=pen.palette.soft)
        else:
            pen.text(ax, b, y, value(b), "refused value", ha="center", va="center_baseline", **soft)
        if not k:
            middle = (a + b) / 2
            where = {"va": "bottom", "ha": _side(ax, middle, width(words, BODY))}
            where["transform"] = _points(ax, ax.transData, 0.0, 22.0 if len(d.lanes) == 1 else 13.0)
            pen.text(ax, middle, y - _band(d) / 2 - ARC, words, "left", **where | soft)


__all__ = ["draw_numbers"]

"""How rules are drawn: hops on one number line, or arrows from category to category."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from treant_viz.viz.rule import facts
from treant_viz.viz.style import parts
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.rule.display import RuleDisplay
    from treant_viz.viz.rule.facts import Lane, Stage

SIDE, ABOVE, RULE, FOOT = 40.0, 6.0, 34.0, 58.0  # points: beside, above, of a rule's words, below them
ARC, WORDS = 0.40, 42.0  # of a lane: how high a hop rises; points: the words above it
APART = 34.0  # points between two coins
FAR = 3.0  # times what can be reached: a step that leads further is not drawn
NODE = 40.0  # height of a category


def draw_numbers(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """For each value its hops, all above one axis; where a rule applies, that is thick, its words below."""
    axis = _axis(d)
    below = FOOT + RULE * len(d.rules) + 14.0
    right = SIDE + width(axis, BODY, bold=True)
    [[ax]] = placed(target, pen, [(ABOVE, 1.0, below)], [(SIDE, 1.0, right)])
    low, high = _ends(d)
    lanes, tall = len(d.lanes), _size(ax)[1]
    foot = _band(d) / 2 if lanes == 1 else 0.24
    unit = (tall - WORDS) / (lanes - 1 + ARC + _band(d) / 2 + foot)
    ax.set(xlim=(low, high), ylim=(lanes - 1 + foot, -ARC - _band(d) / 2 - WORDS / unit), yticks=[])
    pen.style(ax, spines=("bottom",))
    ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(lambda v, _: ("+" if d.relative and v > 0 else "") + value(v))
    ax.tick_params(axis="x", length=7.0, pad=4.0)
    beside = {"transform": _points(ax, ax.transAxes, 10.0, 0.0), "va": "center", "clip_on": False}
    pen.text(ax, 1.0, 0.0, axis, "axis", **beside | pen.type(BODY, bold=True))
    for i, (rule, text) in enumerate(zip(d.rules, d.texts, strict=True)):
        _rule(d, pen, ax, rule.pre, text, i)
    for y, (lane, more) in enumerate(zip(d.lanes, d.too_dear, strict=True)):
        _lane(d, pen, ax, lane, y)
        if more is not None:
            _refused(d, pen, ax, lane, more, y)


def _band(d: RuleDisplay) -> float:
    """How high a band is, of a lane."""
    return 0.13 if len(d.lanes) == 1 else 0.25


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
    """Thick, where steps may start: a part of the axis or, of several rules, a line below it; its words."""
    p, (low, high), one = pen.palette, ax.get_xlim(), len(d.rules) == 1
    a, b = max(pre[0], low), min(pre[1], high)
    if a > high or b < low:
        return
    down = -FOOT + 6.0 - RULE * i
    over: dict[str, Any] = {"clip_on": False, "zorder": 2.5, "solid_capstyle": "butt"}
    over["transform"] = _points(ax, ax.get_xaxis_transform(), 0, 0.0 if one else down + 6.0)
    line = ax.plot([a, b], [0.0, 0.0], color=p.ink if one else p.soft, linewidth=6.0, **over)[0]
    pen.keep("where it applies", line, f"applies-{i}")
    _rule_ends(pen, ax, pre, 0.0 if one else down + 6.0, i)
    said = text if facts.everywhere([d.rules[i]]) else f"while {name(d.feature)} is {text}"
    words = f"{'The rule' if one else f'Rule {i + 1}'} (thick line): {said}"
    room = {"transform": _points(ax, ax.transAxes, 0, down - (8.0 if one else 0.0)), "clip_on": False}
    look = pen.type(HEAD if one else BODY) | {"ha": "left", "va": "top", "zorder": 2}
    pen.text(ax, 0.0, 0.0, words, "rule", **room | look)


def _rule_ends(pen: Pen, ax: Axes, pre: tuple[float, float], down: float, i: int) -> None:
    """Where steps may no longer start: a mark, and words below, if there is room for them."""
    (low, high), (wide, tall) = ax.get_xlim(), _size(ax)
    where: dict[str, Any] = {"va": "top", "clip_on": False} | pen.type(SMALL, bold=True)
    where["transform"] = _points(ax, ax.get_xaxis_transform(), 0, -29.0)
    taken = -math.inf
    for end, words, side in ((pre[0], "no step starts below", -1), (pre[1], "no step starts beyond", 1)):
        if not low < end < high:
            continue
        ys = [(down - 9.0) / tall, (down + 9.0) / tall]
        look: dict[str, Any] = {"color": pen.palette.ink, "linewidth": 3.0, "clip_on": False, "zorder": 6}
        line = ax.plot([end, end], ys, transform=ax.get_xaxis_transform(), **look)[0]
        pen.keep("end of a rule", line, f"end-{side}-{i}")
        said = f"{words} {value(end)}"
        at, long = wide * (end - low) / (high - low), width(said, SMALL, bold=True)
        left = at - long if (side < 0 and at >= long) or (side > 0 and at + long > wide + 60.0) else at
        if down == 0.0 and left >= taken:
            pen.text(ax, end, 0.0, said, "end words", ha="left" if left == at else "right", **where)
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
        for i, (a, b) in enumerate(lane.stages[k].pieces):
            a, b, at = max(a, low), min(b, high), f"reach-{k}-{i}-{gid}"
            if b > a:
                box = Rectangle((a, y - band / 2), b - a, band, facecolor=mixed(p.background, p.coin, 0.42),
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
    _numbers(d, pen, ax, lane, [b for _, b, _ in hops], y)
    if min(b - lane.value for _, b, _ in hops) < 0 < max(b - lane.value for _, b, _ in hops):
        either: dict[str, Any] = {"ha": "center", "va": "center"} | pen.type(HEAD)
        pen.text(ax, lane.value, y - band / 2 - 0.8 * ARC, "or", "or", **either)


def _nothing(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, y: float) -> None:
    """A value that nothing can become of, and why."""
    side = "left" if lane.value < sum(ax.get_xlim()) / 2 else "right"
    beside: dict[str, Any] = {"va": "center", "ha": side, "bbox": _quiet(pen)}
    beside["transform"] = _points(ax, ax.transData, 14.0 if side == "left" else -14.0, 0.0)
    said = value(lane.value)
    pen.text(ax, lane.value, y, said, "value words", **beside | pen.type(BODY, bold=True))
    far = 14.0 + width(said, BODY, bold=True) + 12.0
    beside["transform"] = _points(ax, ax.transData, far if side == "left" else -far, 0.0)
    pen.text(ax, lane.value, y, d.outcome(lane), "outcome", **beside)


def _numbers(d: RuleDisplay, pen: Pen, ax: Axes, lane: Lane, ends: Sequence[float], y: float) -> None:
    """In the band, at the value and at the ends of the hops, what they are: the value first, then the ends
    furthest away, as many as can stand side by side.
    """
    (low, high), sign = ax.get_xlim(), "+" if d.relative else ""
    unit, letters = _size(ax)[0] / (high - low), HEAD if len(d.lanes) == 1 else BODY
    marks = [(float(lane.value), "any value" if d.relative else value(lane.value), "value words")]
    marks += [(e, (sign if e > 0 else "") + value(e), "end value")
              for e in sorted(set(ends), key=lambda e: -abs(e - lane.value))]  # fmt: skip
    taken: list[tuple[float, float]] = []
    first, last = lane.reach
    for x, words, role in marks:
        long = width(words, letters, bold=True)
        way = (x > lane.value) - (x < lane.value) or (x >= last) - (x <= first)  # inwards from the ends
        left = unit * (x - low) - long / 2 - way * (long / 2 + 6.0)
        if all(left >= b + 4.0 or left + long <= a - 4.0 for a, b in taken):
            taken.append((left, left + long))
            where = {"transform": _points(ax, ax.transData, -6.0 * way, -3.0 * (not way))}
            where |= {"va": "center_baseline", "ha": ("center", "right", "left")[way], "zorder": 8}
            pen.text(ax, x, y, words, role, **where | pen.type(letters, bold=role == "value words"))


def _hops(lane: Lane, ax: Axes) -> Iterator[tuple[float, float, float]]:
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
                at = to
            paid = cost if at == to else paid


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
    parts.coin(pen, ax, (a + b) / 2, foot - ARC, cost, f"{kind}coin", gid=gid, **frame)


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
        sign = "+" if d.relative and b > 0 else ""
        landing: dict[str, Any] = {"va": "center_baseline", "ha": "center"}
        pen.text(ax, b, y, sign + value(b), "refused value", **landing | soft)
        if not k:
            middle = (a + b) / 2
            where = {"va": "bottom", "ha": _side(ax, middle, width(words, BODY))}
            where["transform"] = _points(ax, ax.transData, 0.0, 16.0)
            pen.text(ax, middle, y - _band(d) / 2 - ARC, words, "left", **where | soft)


def draw_categories(d: RuleDisplay, pen: Pen, target: Target) -> None:
    """What can be changed on the left, what it becomes on the right, an arrow with a coin for each change."""
    ends = list(dict.fromkeys(c for lane in d.lanes for _, c in lane.changes))
    starts = [lane for lane in d.lanes if lane.changes or lane.value not in ends]
    need = max(len(starts), len(ends)) * (NODE + 10.0) + 30.0
    paper = sheet(target, pen, 640.0, need, most=1.6)
    right = {c: paper.height * (1.0 - (i + 0.5) / len(ends)) for i, c in enumerate(ends)}
    wide = max([*(width(name(c), HEAD, bold=True) for c in right), 40.0]) + 34.0
    for c, y in right.items():
        _category(paper, c, 0.74 * paper.width, y, wide, "becomes", "left")
        if any(lane.value == c and not lane.changes for lane in d.lanes):
            words = "no rule changes this one"
            paper.text(0.74 * paper.width, y - NODE / 2 - 6.0, words, "stays", va="top",
                       color=pen.palette.soft)  # fmt: skip
    gap = min((paper.height - 30.0) / max(len(starts), 1), 110.0)
    into: dict[object, int] = dict.fromkeys(ends, 0)
    total = {c: sum(c == e for lane in d.lanes for _, e in lane.changes) for c in ends}
    mine = max(width(name(lane.value), HEAD, bold=True) for lane in d.lanes) + 34.0
    for i, lane in enumerate(starts):
        y, edge = paper.height / 2 + gap * ((len(starts) - 1) / 2 - i), max(0.30 * paper.width, mine + 16.0)
        _category(paper, lane.value, edge - mine, y, mine, "value words", "left")
        if not lane.changes:
            paper.text(edge + 14.0, y, "no rule changes this one", "stays", va="center",
                       color=pen.palette.soft)  # fmt: skip
        for cost, c in lane.changes:
            spread = NODE * 0.7 * ((into[c] + 0.5) / total[c] - 0.5)
            into[c] += 1
            _change(
                paper, (edge + 4.0, y), (0.74 * paper.width - 4.0, right[c] - spread), cost, f"{i}-{into[c]}"
            )


def _category(paper: Sheet, c: Any, left: float, y: float, wide: float, role: str, ha: str) -> None:
    p = paper.pen.palette
    look: dict[str, Any] = {"facecolor": p.panel, "edgecolor": p.ink, "linewidth": 1.6 * paper.scale}
    shape = "round,pad=0,rounding_size=10"
    frame = FancyBboxPatch((left, y - NODE / 2), wide, NODE, boxstyle=shape, zorder=3, **look)
    paper.pen.patch(paper.ax, frame, "category")
    paper.text(left + wide / 2, y, name(c), role, size=HEAD, bold=True, ha="center", va="center")


def _change(paper: Sheet, a: tuple[float, float], b: tuple[float, float], cost: float, gid: str) -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 18 * paper.scale, "zorder": 4}
    arrow = FancyArrowPatch(a, b, color=paper.pen.palette.ink, linewidth=2.0 * paper.scale, shrinkA=0,
                            shrinkB=0, **look)  # fmt: skip
    paper.pen.patch(paper.ax, arrow, "reach", f"reach-{gid}")
    x, y = (u + 0.4 * (v - u) for u, v in zip(a, b, strict=True))
    parts.coin(paper.pen, paper.ax, x, y, cost, scale=paper.scale, gid=f"coin-{gid}")


__all__ = ["draw_categories", "draw_numbers"]

"""What the attacker pays for beside the way that it buys: the change, and the changed feature on a line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from treant_viz.viz.attack_path.facts import AppliedRule, Crossing
from treant_viz.viz.attack_path.words import condition, feature_text, rule_text, spent, value_text
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import Role, mixed
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import BODY, SMALL
from treant_viz.viz.style.sheet import Sheet
from treant_viz.viz.style.text import counted, number, value
from treant_viz.viz.tree.layout import LayoutBox

DASHES = (0, (2.4, 1.2))


class Size(NamedTuple):
    """The room that a gate takes beside its way."""

    width: float
    height: float


GATE = Size(262.0, 116.0)
INNER, LINE, DEEP = 9.0, 16.0, 14.0  # margin in the frame, height of a line of words, half a band


def draw_gate(
    paper: Sheet, box: LayoutBox, moves: Sequence[AppliedRule], crossed: Sequence[Crossing],
    at: tuple[float, float], strong: bool, gid: str,
) -> None:  # fmt: skip
    """The coin on the way, and a note that belongs to it: what the attacker does here and what lets them."""
    p = paper.pen.palette
    frame = FancyBboxPatch(
        (box.left, box.bottom), box.width, box.height, boxstyle="round,pad=0,rounding_size=8", zorder=6,
        facecolor=mixed(p.background, p.coin, 0.13), edgecolor="none",
    )  # fmt: skip
    paper.pen.patch(paper.ax, frame, "gate", f"{gid}gate")
    cost, inner = spent(moves), box.grown(-INNER)
    near = box.right if at[0] > box.x else box.left
    paper.line([near, at[0]], [at[1]] * 2, "gate way", color=p.coin_edge, width=1.6, zorder=1.4)
    coin(paper.pen, paper.ax, *at, cost, "coin", scale=paper.scale, gid=f"{gid}coin",
         alpha=None if strong else 0.75)  # fmt: skip
    room = inner.width
    words = f"{feature_text(moves[0].feature)} {_from_to(moves)}"
    every = f"{feature_text(moves[0].feature)} {_from_to(moves, between=True)}"
    words = every if typeface.width(every, SMALL, bold=True) <= room else words
    size = BODY if typeface.width(words, BODY, bold=True) <= room else SMALL
    paper.text(inner.left, inner.top - 13.0, words, "coin change", size=size, bold=True,
               gid=f"{gid}change", zorder=7)  # fmt: skip
    if moves[0].amount is not None:
        _values(paper, moves, crossed, inner, gid)
    else:
        _categories(paper, moves, crossed, inner)
    _rules(paper, moves, inner)


def _rules(paper: Sheet, moves: Sequence[AppliedRule], box: LayoutBox) -> None:
    """What lets the attacker do this."""
    rules = list(dict.fromkeys(rule_text(m.rule, priced=False) for m in moves if m.rule is not None))
    lines = typeface.wrapped(" or ".join(rules), box.width, SMALL)[: 2 if moves[0].amount is None else 1]
    if len(moves) > 1 and moves[0].amount is not None:
        lines = (_several(moves, box.width),)
    for k, line in enumerate(lines):
        y = box.bottom + 2.0 + LINE * (len(lines) - 1 - k)
        paper.text(box.left, y, line, "rule", size=SMALL, color=paper.pen.palette.soft, zorder=7)


def _several(moves: Sequence[AppliedRule], room: float) -> str:
    """Several moves as a sum: how many, what each costs and may change, as far as there is room."""
    costs, total = {m.cost for m in moves}, number(spent(moves))
    each = f" × {number(moves[0].cost)}" if len(costs) == 1 else ""
    most = {max(map(abs, m.rule.delta)) for m in moves if m.rule is not None}
    short = f"{counted(len(moves), 'move')}{each} = {total}"
    far = f", by up to {value(most.pop())} each" if len(most) == 1 else ""
    return short + far if typeface.width(short + far, SMALL) <= room else short


def _from_to(moves: Sequence[AppliedRule], *, between: bool = False) -> str:
    """What becomes of the value, in between if that is asked for."""
    stops = [moves[0].before, *(m.after for m in (moves if between else moves[-1:]))]
    return " → ".join(value_text(v, 14) for v in stops)


def _reach(moves: Sequence[AppliedRule]) -> Iterator[float]:
    """The ends of what the rules let each move make of its value."""
    for m in moves:
        if m.rule is not None:
            yield from (
                e for e in (m.before + m.rule.delta[0], m.before + m.rule.delta[1]) if math.isfinite(e)
            )


def _values(
    paper: Sheet, moves: Sequence[AppliedRule], crossed: Sequence[Crossing], box: LayoutBox, gid: str
) -> None:
    """Dashed arrows from value to value, across the thresholds, over the gold that the rules let them reach;
    a single threshold has its two sides tinted.
    """
    p, values = paper.pen.palette, [moves[0].before, *(m.after for m in moves)]
    cuts, reach = sorted({float(c.node.threshold) for c in crossed}), [*_reach(moves), *values]
    low, high = min(*reach, *cuts), max(*reach, *cuts)
    unit, y = 0.66 * box.width / ((high - low) or 1.0), box.top - 42.0

    def at(v: float) -> float:
        return box.left + 0.17 * box.width + unit * (v - low)

    if len(cuts) == 1:
        _sides(paper, box, at(cuts[0]), y, gid)
    a, b = at(min(reach)), at(max(reach))
    gold = Rectangle((a, y - 5.5), b - a, 11.0, facecolor=mixed(p.background, p.coin, 0.8), zorder=6.2)
    paper.pen.patch(paper.ax, gold, "reach", f"{gid}reach")
    ends = {e for m in moves if m.rule is not None for e in m.rule.pre if low < e < high}
    for v in sorted(ends - set(cuts)):
        paper.line([at(v)] * 2, [y - DEEP, y + DEEP], "end of a rule", color=p.ink, linestyle=(0, (2, 1.5)),
                   zorder=6.3)  # fmt: skip
    for v in cuts:
        paper.line([at(v)] * 2, [y - DEEP, y + DEEP], "threshold", color=p.ink, width=2.4, zorder=6.3)
    for i, (a, b) in enumerate(pairwise(at(v) for v in values)):
        _hop(paper, a, b, y, f"{gid}-{i}", last=i == len(moves) - 1)
    mark: dict[str, Any] = {"marker": "o", "linestyle": "none", "zorder": 8, "markersize": 9 * paper.scale}
    for v, state, fill in ((values[0], "before", p.background), *((v, "after", p.ink) for v in values[1:])):
        paper.line([at(v)], [y], state, color=p.ink, markerfacecolor=fill, markeredgecolor=p.ink, **mark)
    _numbers(paper, [(at(v), value(v), "value") for v in (values[0], values[-1])]
             + [(at(v), value(v), "threshold value") for v in cuts]
             + [(at(v), value(v), "value between") for v in values[1:-1] if v not in cuts]
             + [(at(v), f"rule {'from' if v == moves[0].rule.pre[0] else 'to'} {value(v)}", "rule end")  # type: ignore[union-attr]
                for v in sorted(ends - set(cuts))], y - DEEP - 3.0)  # fmt: skip


def _sides(paper: Sheet, box: LayoutBox, x: float, y: float, gid: str) -> None:
    """Both sides of a single threshold: tinted, each with its answer."""
    sides: tuple[tuple[Role, float, float], ...] = (("left", box.left, x), ("right", x, box.right))
    for role, a, b in sides:
        tint: dict[str, Any] = {"facecolor": paper.pen.palette.tint(role), "edgecolor": "none", "zorder": 6.1}
        band = Rectangle((a, y - DEEP), b - a, 2 * DEEP, **tint)
        paper.pen.patch(paper.ax, band, f"{role} side", f"{gid}{role}")
        look: dict[str, Any] = {"va": "center", "zorder": 6.2, "color": paper.pen.palette.words(role)}
        at_end, answer = (a + 5.0, "yes") if role == "left" else (b - 5.0, "no")
        paper.text(at_end, y, answer, "answer", size=SMALL, ha=role, **look)


def _numbers(paper: Sheet, wanted: Sequence[tuple[float, str, str]], y: float) -> None:
    """Words below the line, the important ones first; what would touch another is left out."""
    taken: list[tuple[float, float]] = []
    for x, words, role in wanted:
        bold = role == "value"
        half = typeface.width(words, SMALL, bold=bold) / 2 + 3.0
        if all(x + half <= a or x - half >= b for a, b in taken):
            taken.append((x - half, x + half))
            color = None if bold else paper.pen.palette.soft
            paper.text(x, y, words, role, size=SMALL, bold=bold, color=color, ha="center", va="top", zorder=7)


def _hop(paper: Sheet, a: float, b: float, y: float, gid: str, last: bool) -> None:
    p, way = paper.pen.palette, 1.0 if b > a else -1.0
    tip = b - 6.0 * way
    paper.line([a, tip], [y, y], "move", color=p.attacker, width=2.2, linestyle=DASHES, zorder=6.6,
               gid=f"hop-{gid}")  # fmt: skip
    if last or abs(b - a) > 24.0:
        look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 13 * paper.scale, "linewidth": 0.5}
        ends = (tip - 2.0 * way, y), (tip, y)
        head = FancyArrowPatch(*ends, shrinkA=0, shrinkB=0, color=p.attacker, zorder=6.7, **look)
        paper.pen.patch(paper.ax, head, "move head", f"hop-{gid}-head")


def _categories(
    paper: Sheet, moves: Sequence[AppliedRule], crossed: Sequence[Crossing], box: LayoutBox
) -> None:
    """The test that is crossed, and how it is answered now."""
    for path, node, _ in crossed[:1]:
        side: Role = "left" if path[-1] == "l" else "right"
        words = f"{condition(node, 18)}: now {'yes' if side == 'left' else 'no'}"
        paper.text(box.left, box.top - 38.0, words, "threshold value", size=SMALL, zorder=7,
                   color=paper.pen.palette.words(side))  # fmt: skip


__all__ = ["DASHES", "GATE", "draw_gate"]

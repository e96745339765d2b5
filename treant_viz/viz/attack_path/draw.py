"""Below a tree under attack, or beside it: the budget as it drains, and each changed feature on a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from treant_viz.viz.attack_path.facts import Crossing, Move
from treant_viz.viz.attack_path.tree import DASHES, Scene, draw_tree
from treant_viz.viz.attack_path.words import condition, feature_said, loss_said, rule_said, value_said
from treant_viz.viz.style import typeface
from treant_viz.viz.style.palette import Role
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, number, value
from treant_viz.viz.tree.layout import Box

PANEL, GAP, HEADING = 250.0, 40.0, 30.0  # the column on the right, the space before it, above a tree
BUDGET, FEATURE = 96.0, 132.0  # heights of the blocks of the column
FEATURES = 2  # changed features that are drawn


def needed(scenes: Sequence[Scene]) -> tuple[float, float]:
    """The room of the whole drawing, in points."""
    if len(scenes) == 1:
        blocks = BUDGET + FEATURE * max(1, _features(scenes[0]))
        return scenes[0].place.width + GAP + PANEL + 60.0, max(scenes[0].place.height + 36.0, blocks + 16.0)
    wide = max(max(s.place.width for s in scenes) + 60.0, 2 * 190.0 + GAP)
    return 2 * wide + GAP, max(s.place.height for s in scenes) + HEADING + FEATURE + 34.0


def _features(s: Scene) -> int:
    return min(FEATURES, len(s.ways.attacks[s.shown].by_feature))


def draw(scenes: Sequence[Scene], label: str, pen: Pen, target: Target) -> None:
    """One tree with its column on the right, or two trees side by side with theirs below."""
    paper = sheet(target, pen, *needed(scenes), most=1.3)
    if len(scenes) == 1:
        tree = Box(16.0, 28.0, paper.width - PANEL - GAP - 32.0, paper.height - 36.0)
        draw_tree(paper, scenes[0], tree, "")
        blocks = BUDGET + FEATURE * max(1, _features(scenes[0]))
        left, top = paper.width - PANEL - 16.0, (paper.height + blocks) / 2
        _budget(paper, scenes[0], left, top, PANEL, "")
        for k, moves in enumerate(_changes(scenes[0])):
            _feature(
                paper, scenes[0], moves, Box(left, top - BUDGET - FEATURE * (k + 1), PANEL, FEATURE), str(k)
            )
        if not scenes[0].attack.moves:
            _stays(paper, scenes[0], label, left, top - BUDGET)
        return
    half = (paper.width - GAP) / 2
    for i, s in enumerate(scenes):
        left, gid = i * (half + GAP), f"{i}-"
        paper.text(left + 16.0, paper.height - HEADING + 8.0, s.heading, "heading", size=HEAD, bold=True)
        tree = Box(left + 16.0, FEATURE + 20.0, half - 32.0, paper.height - HEADING - FEATURE - 26.0)
        draw_tree(paper, s, tree, gid)
        room = (half - 32.0 - 30.0) / 2
        _budget(paper, s, left + 16.0, FEATURE + 6.0, room, gid)
        block = Box(left + 46.0 + room, 6.0, room, FEATURE)
        for moves in _changes(s)[:1]:
            _feature(paper, s, moves, block, f"{gid}0")
        if not s.attack.moves:
            _stays(paper, s, label, block.left, block.top)
    x = half + GAP / 2
    paper.line([x, x], [10.0, paper.height - 10.0], "between", color=pen.palette.faint)


def _changes(s: Scene) -> tuple[tuple[Move, ...], ...]:
    return s.attack.by_feature[:FEATURES]


def _head(paper: Sheet, x: float, y: float, words: str) -> None:
    paper.text(x, y - 14.0, words, "strip head", size=BODY, bold=True)


def _budget(paper: Sheet, s: Scene, left: float, top: float, room: float, gid: str) -> None:
    """A bar as long as the budget: gold is spent, a piece for each move, hollow is left."""
    p, total, cost = paper.pen.palette, s.ways.budget, s.attack.cost
    _head(paper, left, top, f"Budget {number(total)}")
    whole, y, x = (total if math.isfinite(total) else 2 * cost) or 1.0, top - 52.0, left
    for i, move in enumerate(s.attack.moves):
        wide = room * move.cost / whole
        piece = Rectangle((x, y), wide, 26.0, facecolor=p.coin, edgecolor=p.coin_edge, zorder=4)
        paper.pen.patch(paper.ax, piece, "spent", f"{gid}spent-{i}")
        if wide > typeface.width(number(move.cost), SMALL, bold=True) + 8.0:
            paper.text(
                x + wide / 2,
                y + 13.0,
                number(move.cost),
                "spent cost",
                size=SMALL,
                bold=True,
                zorder=6,
                color=p.coin_ink,
                ha="center",
                va="center_baseline",
            )
        x += wide
    if left + room - x > 1e-6 * room and total:
        rest = Rectangle((x, y), left + room - x, 26.0, facecolor=p.panel, edgecolor=p.soft, zorder=3)
        paper.pen.patch(paper.ax, rest, "left over", f"{gid}left-over")
    words = f"spent {number(cost)}, left {number(total - cost)}"
    paper.text(left, y - 18.0, words, "budget", size=SMALL, color=p.soft)


def _stays(paper: Sheet, s: Scene, label: str, left: float, top: float) -> None:
    """Nothing is changed; and what the best move would do."""
    _head(paper, left, top, f"{label} is not changed")
    if s.step is not None:
        return
    words = "no other leaf is in reach"
    if ranked := s.ways.ranked():
        cost, loss = number(s.ways.attacks[ranked[0]].cost), loss_said(s.ways, ranked[0])
        verb = "costs" if ranked[0] in s.ways.worst else "would cost"
        words = f"moving {verb} {cost}\nfor a loss of {loss}"
    paper.text(left, top - 26.0, words, "best move", size=SMALL, color=paper.pen.palette.soft, va="top")


def _feature(paper: Sheet, s: Scene, moves: tuple[Move, ...], box: Box, gid: str) -> None:
    """A changed feature: its way from the first value to the last, and the rule that allows it."""
    _head(paper, box.left, box.top, feature_said(moves[0].feature, 26))
    crossed = [c for c in s.ways.crossings(s.shown) if c.column == moves[0].column]
    (_values if moves[0].amount is not None else _categories)(paper, moves, crossed, box, gid)
    rules = list(dict.fromkeys(rule_said(m.rule) for m in moves if m.rule is not None))
    for k, words in enumerate(rules[:1]):
        more = f" (and {counted(len(rules) - 1, 'more rule')})" if len(rules) > 1 else ""
        for j, line in enumerate(typeface.wrapped(words + more, box.width, SMALL)[:2]):
            paper.text(box.left, box.top - 104.0 - 16.0 * (k + j), line, "rule", size=SMALL,
                       color=paper.pen.palette.soft)  # fmt: skip


def _values(paper: Sheet, moves: Sequence[Move], crossed: Sequence[Crossing], box: Box, gid: str) -> None:
    """Dashed arrows from value to value, across the thresholds; a single one has its two sides tinted."""
    p, values = paper.pen.palette, [moves[0].before, *(m.after for m in moves)]
    cuts = sorted({float(c.node.threshold) for c in crossed})
    low, high = min(*values, *cuts), max(*values, *cuts)
    unit, y = 0.6 * box.width / ((high - low) or 1.0), box.top - 52.0

    def at(v: float) -> float:
        return box.left + 0.2 * box.width + unit * (v - low)

    if len(cuts) == 1:
        x = at(cuts[0])
        sides: tuple[tuple[Role, float, float], ...] = (("left", box.left, x), ("right", x, box.right))
        for role, a, b in sides:
            band = Rectangle((a, y - 13.0), b - a, 26.0, facecolor=p.tint(role), edgecolor="none", zorder=1)
            paper.pen.patch(paper.ax, band, f"{role} side", f"{gid}{role}")
    for v in cuts:
        paper.line([at(v)] * 2, [y - 13.0, y + 13.0], "threshold", color=p.ink, width=2.2, zorder=3)
    if len(cuts) == 1:
        x, cut, ink = at(cuts[0]), value(cuts[0]), p.words("left")
        paper.text(x - 5, y + 15.0, f"≤ {cut}", "threshold value", size=SMALL, ha="right", color=ink)
        paper.text(x + 5, y + 15.0, f"> {cut}", "threshold value", size=SMALL, color=p.words("right"))
    for i, (a, b) in enumerate(pairwise(at(v) for v in values)):
        _hop(paper, a, b, y, f"{gid}-{i}", last=i == len(moves) - 1)
    mark: dict[str, Any] = {"marker": "o", "linestyle": "none", "zorder": 6, "markersize": 9 * paper.scale}
    for v, state, fill in ((values[0], "before", p.background), *((v, "after", p.ink) for v in values[1:])):
        paper.line([at(v)], [y], state, color=p.ink, markerfacecolor=fill, markeredgecolor=p.ink, **mark)
    for v in (values[0], values[-1]):
        paper.text(at(v), y - 17.0, value(v), "value", size=SMALL, bold=True, ha="center", va="top")


def _hop(paper: Sheet, a: float, b: float, y: float, gid: str, last: bool) -> None:
    p, way = paper.pen.palette, 1.0 if b > a else -1.0
    tip = b - 6.0 * way
    paper.line(
        [a, tip], [y, y], "move", color=p.attacker, width=2.4, linestyle=DASHES, zorder=4, gid=f"hop-{gid}"
    )
    if last or abs(b - a) > 24.0:
        look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 13 * paper.scale, "linewidth": 0.5}
        head = FancyArrowPatch(
            (tip - 2.0 * way, y), (tip, y), shrinkA=0, shrinkB=0, color=p.attacker, zorder=5, **look
        )
        paper.pen.patch(paper.ax, head, "move head", f"hop-{gid}-head")


def _categories(paper: Sheet, moves: Sequence[Move], crossed: Sequence[Crossing], box: Box, gid: str) -> None:
    """From category to category in dashed arrows; above, the tests that are crossed."""
    p, y, x = paper.pen.palette, box.top - 52.0, box.left
    for i, (words, role) in enumerate(
        ((value_said(moves[0].before, 14), "before"), (value_said(moves[-1].after, 14), "after"))
    ):
        wide = typeface.width(words, SMALL, bold=True) + 16.0
        if i:
            _hop(paper, x, x + 40.0, y, f"{gid}-0", last=True)
            x += 38.0
        frame = FancyBboxPatch((x, y - 12.0), wide, 24.0, boxstyle="round,pad=0,rounding_size=8", zorder=5)
        frame.set(facecolor=p.background, edgecolor=p.ink, linewidth=1.6 * paper.scale)
        paper.pen.patch(paper.ax, frame, role)
        paper.text(
            x + wide / 2,
            y,
            words,
            "value",
            size=SMALL,
            bold=True,
            ha="center",
            va="center_baseline",
            zorder=7,
        )
        x += wide
    for path, node, _ in crossed[:1]:
        answer = "yes" if path[-1] == "l" else "no"
        side: Role = "left" if path[-1] == "l" else "right"
        paper.text(box.left, y - 28.0, f"{condition(node)}: now {answer}", "threshold value", size=SMALL,
                   color=p.words(side))  # fmt: skip


__all__ = ["draw", "needed"]

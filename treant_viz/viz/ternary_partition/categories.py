"""Drawing a ternary partition by category: v on top, a line under it, and the rules that lead across."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from treant_viz.core.attacker.rules import Rule
from treant_viz.viz.split_search import draw as search
from treant_viz.viz.split_search.facts import LossLine, limits
from treant_viz.viz.style.palette import ROLES
from treant_viz.viz.style.parts import coin
from treant_viz.viz.style.pen import SMALL, Pen, Target, placed
from treant_viz.viz.style.text import names, number
from treant_viz.viz.style.typeface import width
from treant_viz.viz.ternary_partition.bars import boxes
from treant_viz.viz.ternary_partition.draw import draw_counts, draw_losses, pill

if TYPE_CHECKING:
    from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

MOST = 15  # categories drawn one by one; the others share a row
MOST_RULES = 4
FIRST, WIDE = 1.62, 0.26  # where the first rule runs, and from rule to rule; the longest bar ends at 1
WORDS = 0.17  # a count
HEAD = -1.0  # the line of the test


class CategoryBar(NamedTuple):
    """A category, or the rest of them, and its rows left, unknown and right."""

    label: str
    categories: tuple[Any, ...]
    counts: tuple[int, int, int]


def drawn_categories(d: TernaryPartitionDisplay) -> list[CategoryBar]:
    """v first, then what can be turned into it (or what it can be turned into), then the others by size."""
    categories = d.categories or ()
    pairs = np.bincount(3 * d.value + d.side, minlength=3 * len(categories)).reshape(-1, 3)
    ruled = {c for r in d.rules for c in [*(r.pre or ()), r.becomes]}
    known = [k for k, c in enumerate(categories) if pairs[k].any() or c == d.threshold or c in ruled]
    order = sorted(
        known, key=lambda k: (categories[k] != d.threshold, not pairs[k, 1], -int(pairs[k].sum()), k)
    )
    label = names((categories[k] for k in order), 22)
    rows = [CategoryBar(label[categories[k]], (categories[k],), _triple(pairs[k])) for k in order]
    if len(rows) <= MOST:
        return rows
    rest = order[MOST - 1 :]
    others = tuple(categories[k] for k in rest)
    return [*rows[: MOST - 1], CategoryBar(f"and {len(rest)} more", others, _triple(pairs[rest].sum(axis=0)))]


def _triple(counts: np.ndarray) -> tuple[int, int, int]:
    left, unknown, right = counts.tolist()
    return left, unknown, right


def draw_categories(d: TernaryPartitionDisplay, pen: Pen, target: Target) -> None:
    rows = drawn_categories(d)
    left = max(width(r.label, SMALL) for r in rows) + 36
    columns = [(left, 3.0, 6.0), (4.0, 1.3, 18.0), (8.0, 1.35, 8.0)]
    ((main, strip, side),) = placed(target, pen, [(6.0, 1.0, 48.0)], columns)
    _bars(rows, pen, main)
    _rules(d, rows, pen, main)
    _strip(d, rows, pen, strip)
    for ax in (main, strip):
        ax.set_ylim(len(rows) - 0.4, HEAD - 0.5)
        pen.keep("threshold", ax.axhline(0.5, color=pen.palette.ink, linewidth=2.6, zorder=3))
    pill(pen, main, 0.0, HEAD, d.test, main.transData, "left")
    side.set_axis_off()
    draw_counts(d, pen, _part(pen, side, 0.55, 0.45))
    draw_losses(d, pen, _part(pen, side, 0.0, 0.5))


def _part(pen: Pen, ax: Axes, low: float, height: float) -> Axes:
    made: Axes = ax.inset_axes((0.0, low, 1.0, height))
    pen.axes.append(made)
    return made


def _bars(rows: Sequence[CategoryBar], pen: Pen, ax: Axes) -> None:
    """A bar per category, by side, as long as its rows are many; beside it the counts."""
    most = max(1, *(sum(r.counts) for r in rows))
    for s, role in enumerate(ROLES):
        found = [(sum(r.counts[:s]) / most, r.counts[s] / most, y) for y, r in enumerate(rows) if r.counts[s]]
        boxes(pen, ax, role, f"bar {role}", [(a, y - 0.3, a + wide, y + 0.3) for a, wide, y in found])
    for y, r in enumerate(rows):
        x = sum(r.counts) / most + 0.03
        if not any(r.counts):
            pen.text(ax, x, y, "no rows", "letter", va="center", **pen.type(SMALL, color=pen.palette.soft))
        for s, role in enumerate(ROLES):
            if r.counts[s]:
                words = f"{r.counts[s]:,}"
                look = pen.type(SMALL, bold=True, color=pen.palette.words(role))
                pen.text(ax, x, y, words, "letter", va="center", **look)
                x += WORDS
    pen.style(ax, spines=())
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    pen.ticks(ax, "y", range(len(rows)), [r.label for r in rows])
    pen.centred(ax)


def _rules(d: TernaryPartitionDisplay, rows: Sequence[CategoryBar], pen: Pen, ax: Axes) -> None:
    """Each rule collects its categories and ends in an arrow, with its cost on a coin."""
    place = {c: y for y, r in enumerate(rows) for c in r.categories}
    shown, most = d.rules[:MOST_RULES], max(1, *(sum(r.counts) for r in rows))
    ends = [sum(r.counts) / most + 0.06 + WORDS * max(1, sum(n > 0 for n in r.counts)) for r in rows]
    for k, rule in enumerate(shown):
        shift = 0.16 * (k - (len(shown) - 1) / 2)
        sources = [y + shift for y in sorted({place[c] for c in _sources(rule, place)})]
        _rule(rule.cost, sources, place[rule.becomes] + shift, FIRST + WIDE * k, ends, pen, ax)
    right = FIRST + WIDE * max(len(shown), 1)
    ax.set_xlim(-0.02, right)
    if len(d.rules) > len(shown):
        more = f"and {len(d.rules) - len(shown)} more rules"
        quiet = pen.type(SMALL, color=pen.palette.soft)
        pen.text(ax, right, HEAD, more, "more rules", ha="right", va="center", **quiet)


def _sources(rule: Rule, place: dict[Any, int]) -> Iterator[Any]:
    return (c for c in (place if rule.pre is None else rule.pre) if c != rule.becomes)


def _rule(
    cost: float, sources: list[float], to: float, x: float, ends: Sequence[float], pen: Pen, ax: Axes
) -> None:
    """From the end of its categories' words to that of the category that they become."""
    look: dict[str, Any] = {"color": pen.palette.attacker, "linewidth": 1.8}
    for y in sources:
        pen.keep("rule", ax.plot([ends[round(y)], x], [y, y], **look)[0])
    pen.keep("rule", ax.plot([x, x], [min([*sources, to]), max([*sources, to])], **look)[0])
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 18, "shrinkA": 0, "shrinkB": 0}
    made = ax.annotate("", (ends[round(to)], to), (x + 0.004, to), arrowprops=arrow | look)
    pen.keep("rule arrow", made)
    coin(pen, ax, x, (to + min(sources, key=lambda y: abs(y - to), default=to)) / 2, cost)


def _strip(d: TernaryPartitionDisplay, rows: Sequence[CategoryBar], pen: Pen, ax: Axes) -> None:
    """L and Lᴬ if each category were v."""
    pen.style(ax, xlabel=f"{d.measure} if asked for", spines=("bottom",))
    ax.set_yticks([])
    if d.line is None or not len(d.line):
        words = pen.type(SMALL, color=pen.palette.soft)
        place: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "center"}
        pen.text(ax, 0.5, 0.5, "the search tried\nno test here", "note", **words | place)
        ax.set_xticks([])
        return
    place = {r.categories[0]: y for y, r in enumerate(rows) if len(r.categories) == 1}
    known = [k for k, c in enumerate(d.line.thresholds) if c in place]
    at = np.array([place[d.line.thresholds[k]] for k in known], dtype=float)
    _losses(pen, ax, d.line, known, at)
    place_: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
    pen.text(ax, 0.0, HEAD, "○ no attack", "head", **pen.type(SMALL), **place_)
    gold = pen.type(SMALL, bold=True, color=pen.palette.attack)
    pen.text(ax, 1.0, HEAD, "● attacked", "head", ha="right", **gold, **place_)


def _losses(pen: Pen, ax: Axes, line: LossLine, known: list[int], at: np.ndarray) -> None:
    low, high = limits([line.plain, line.attacked])
    for y in at:
        pen.keep("guide", ax.axhline(y, color=pen.palette.faint, linewidth=1.0, zorder=0))
    search.draw_categories(pen, ax, line.taken(known), at, upright=False, top=high)
    ax.set_xlim(low, high)
    ax.locator_params(axis="x", nbins=3)
    ax.xaxis.set_major_formatter(lambda x, _: number(x, 4))


__all__ = ["draw_categories", "drawn_categories"]

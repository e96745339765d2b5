"""Drawing a ternary partition by category: v on top, a line under it, and the rules that lead across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from treant_viz.attacker import Rule
from treant_viz.viz.canvas import BODY, SMALL, Ink, Target, panels
from treant_viz.viz.loss_lines import draw_line, feature_name
from treant_viz.viz.sides import ROLES
from treant_viz.viz.ternary_numbers import boxes, draw_key, draw_margin
from treant_viz.viz.text import name, number

if TYPE_CHECKING:
    from treant_viz.viz.loss_lines import LossLine
    from treant_viz.viz.ternary_partition import TernaryPartitionDisplay

MOST = 15  # categories drawn one by one; the others share a row
MOST_RULES = 5
SLIVER = 0.012  # length of the shortest bar; the longest is 1
FIRST = 1.75  # where the first rule runs
WIDE = 0.32  # from rule to rule


class Row(NamedTuple):
    """A category, or the rest of them, and its rows left, unknown and right."""

    label: str
    categories: tuple[Any, ...]
    counts: tuple[int, int, int]


def drawn_categories(d: TernaryPartitionDisplay) -> list[Row]:
    """v first, then what the attacker can turn into it (or what it can be turned into), then all others by size."""
    categories = d.categories or ()
    pairs = np.bincount(3 * d.value + d.side, minlength=3 * len(categories)).reshape(-1, 3)
    ruled = {c for r in d.rules for c in [*(r.pre or ()), r.becomes]}
    known = [k for k, c in enumerate(categories) if pairs[k].any() or c == d.threshold or c in ruled]
    order = sorted(known, key=lambda k: (categories[k] != d.threshold, not pairs[k, 1], -int(pairs[k].sum()), k))
    rows = [Row(name(categories[k], 22), (categories[k],), _triple(pairs[k])) for k in order]
    if len(rows) <= MOST:
        return rows
    rest = order[MOST - 1 :]
    label, others = f"and {len(rest)} more", tuple(categories[k] for k in rest)
    return [*rows[: MOST - 1], Row(label, others, _triple(pairs[rest].sum(axis=0)))]


def _triple(counts: np.ndarray) -> tuple[int, int, int]:
    left, unknown, right = counts.tolist()
    return left, unknown, right


def draw_categories(d: TernaryPartitionDisplay, ink: Ink, target: Target) -> None:
    rows, height = drawn_categories(d), d.main_height
    ((main, strip, side),) = panels(target, ink, widths=(3.2, 1.5, 1.1), gap=0.03)
    _bars(rows, ink, main)
    _rules(d, rows, ink, main)
    _line_under_v(d, rows, ink, main)
    draw_margin(d, ink, side, height)
    line = _strip(d, rows, ink, strip)
    if line is not None:
        draw_key(d, line, ink, side, top=1.0 - 2.75 / height)


def _bars(rows: Sequence[Row], ink: Ink, ax: Axes) -> None:
    """A bar per category, by side; beside it the letters and counts."""
    most = max(1, *(sum(r.counts) for r in rows))
    for s, role in enumerate(ROLES):
        spans = [(sum(r.counts[:s]) / most, r.counts[s] / most, y) for y, r in enumerate(rows) if r.counts[s]]
        boxes(ink, ax, role, f"bar {role}", [(a, y - 0.3, a + max(w, SLIVER), y + 0.3) for a, w, y in spans])
    for y, r in enumerate(rows):
        said = "  ".join(f"{'LUR'[s]} {n:,}" for s, n in enumerate(r.counts) if n) or "no rows"
        ink.text(ax, sum(r.counts) / most + 0.03, y, said, "letter", va="center", fontsize=SMALL)
    ink.style(ax, spines=())
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ink.ticks(ax, "y", range(len(rows)), [r.label for r in rows])


def _rules(d: TernaryPartitionDisplay, rows: Sequence[Row], ink: Ink, ax: Axes) -> None:
    """Each rule is a dashed line that collects its categories and ends in an arrow, with its cost on a coin."""
    place = {c: y for y, r in enumerate(rows) for c in r.categories}
    shown = d.rules[:MOST_RULES]
    for k, rule in enumerate(shown):
        shift = 0.16 * (k - (len(shown) - 1) / 2)
        sources = sorted({place[c] for c in _sources(rule, place)})
        _rule(rule.cost, [y + shift for y in sources], place[rule.becomes] + shift, FIRST + WIDE * k, ink, ax)
    right = FIRST + WIDE * max(len(shown), 1)
    ax.set_xlim(-0.02, right)
    ax.set_ylim(len(rows) + 0.2, -1.1)
    head = "rules, cost on the coin" if shown else "no rule changes this feature"
    more = f" (and {len(d.rules) - len(shown)} more)" if len(d.rules) > len(shown) else ""
    ink.text(ax, right, -1.0, head + more, "head", ha="right", va="center", fontsize=SMALL)


def _sources(rule: Rule, place: dict[Any, int]) -> list[Any]:
    return [c for c in (place if rule.pre is None else rule.pre) if c != rule.becomes]


def _rule(cost: float, sources: list[float], to: float, x: float, ink: Ink, ax: Axes) -> None:
    p, start = ink.palette, FIRST - 0.22
    look: dict[str, Any] = {"color": p.attacker, "linewidth": 1.8, "linestyle": (0, (4, 2))}
    parts: list[float] = []
    for y in sources:
        parts += [y, y, np.nan]
    ink.keep("rule", ax.plot(np.tile([start, x, np.nan], len(sources)), parts, **look)[0])
    ink.keep("rule", ax.plot([x, x], [min([*sources, to]), max([*sources, to])], **look)[0])
    arrow: dict[str, Any] = {
        "arrowstyle": "-|>",
        "color": p.attacker,
        "linewidth": 1.8,
        "linestyle": "--",
        "mutation_scale": 18,
    }
    ink.keep("rule arrow", ax.annotate("", (start - 0.04, to), (x + 0.004, to), arrowprops=arrow | {"shrinkA": 0}))
    coin: dict[str, Any] = {
        "boxstyle": "circle,pad=0.25",
        "facecolor": p.background,
        "edgecolor": p.attacker,
        "linewidth": 1.6,
    }
    middle = (to + min(sources, key=lambda y: abs(y - to), default=to)) / 2
    ink.text(ax, x, middle, number(cost, 4), "coin", fontsize=SMALL, ha="center", va="center", bbox=coin, zorder=6)


def _line_under_v(d: TernaryPartitionDisplay, rows: Sequence[Row], ink: Ink, ax: Axes) -> None:
    p = ink.palette
    ink.keep("threshold", ax.axhline(0.5, color=p.ink, linewidth=2.6, zorder=3))
    frame = FancyBboxPatch((-0.012, -0.38), 1.46, 0.76, boxstyle="round,pad=0,rounding_size=0.04", fill=False)
    frame.set(edgecolor=p.ink, linewidth=1.4)
    ink.patch(ax, frame, "v")
    ink.text(ax, 1.4, 0.0, "v", "v", ha="center", va="center", weight="bold")
    ink.text(ax, 0.0, len(rows) - 0.1, "right: all other categories", "side of the line", va="center", fontsize=BODY)
    ink.text(ax, 0.0, -1.0, f"left: {feature_name(d.feature, 18)} == v", "side of the line", va="center", fontsize=BODY)


def _strip(d: TernaryPartitionDisplay, rows: Sequence[Row], ink: Ink, ax: Axes) -> LossLine | None:
    """L and L^A if each category were v."""
    ink.style(ax, xlabel="loss if this were v", spines=("bottom",))
    ax.set_ylim(len(rows) + 0.2, -1.1)
    ax.set_yticks([])
    if d.line is None or not len(d.line):
        ink.text(ax, 0.5, 0.5, "no candidates here", "note", transform=ax.transAxes, ha="center", va="center")
        ax.set_xticks([])
        return None
    places = {r.categories[0]: y for y, r in enumerate(rows) if len(r.categories) == 1}
    line = _sideways(d.line, places, ink, ax)
    ax.margins(x=0.12)
    ink.keep("threshold", ax.axhline(0.5, color=ink.palette.ink, linewidth=2.6, zorder=3))
    ax.locator_params(axis="x", nbins=3)
    return line


def _sideways(line: LossLine, places: dict[Any, int], ink: Ink, ax: Axes) -> LossLine:
    known = [k for k, c in enumerate(line.thresholds) if c in places]
    at = np.array([places[line.thresholds[k]] for k in known], dtype=float)
    for y in at:
        ink.keep("guide", ax.axhline(y, color=ink.palette.faint, linewidth=1.0, zorder=0))
    line = line.taken(known)
    draw_line(ink, ax, line, at, upright=False)
    return line


__all__ = ["draw_categories", "drawn_categories"]

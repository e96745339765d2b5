"""How a search is drawn: a line a choice, below each what hangs on it; a bar as long as the choice could go
at best, a dot where a case was tried. Further right is worse for the row, so a bar that ends short of the
worst dot shows why nothing behind it is tried.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import MaxNLocator

from treant_viz.attacks.search_record import Option, SearchRecord
from treant_viz.viz.bounds.facts import SearchBranch, SearchTree
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, feature_name, name, names, number, value
from treant_viz.viz.style.typeface import width

EDGE, INDENT, COINS, FOOT, HEADS = 22.0, 24.0, 44.0, 56.0, 30.0  # margins, levels, coins, axis, its words
LINES, TALLEST = 15, 64.0  # lines that are drawn, and how far apart they may be
TRY = (
    "To see a search, try a greater budget, other rows,",
    "or a model that was trained without an attacker.",
)


class Chart(NamedTuple):
    """Where scores stand: the left end, the unit, and the score at the left end; a negative unit counts
    down.
    """

    left: float
    right: float
    start: float
    end: float

    def x(self, score: float) -> float:
        return self.left + (self.right - self.left) * (score - self.start) / (self.end - self.start)


def draw(tree: SearchTree, label: str, truth: str, pen: Pen, target: Target) -> None:
    """A line a branch, from the root down; below them the axis of scores."""
    r, root = tree.record, tree.drawn(LINES)
    lines = list(root.walk())
    paper = sheet(target, pen, 880.0, FOOT + HEADS + 24.0 * len(lines), most=1.05)
    called = names([feature_name(f) for f in r.features], 20)
    texts = [_choice(r, b, called, label) for b in lines]
    left = (
        EDGE
        + COINS
        + max(
            width(w, BODY, bold=True) * 1.04 + INDENT * len(b.cells)
            for w, b in zip(texts, lines, strict=True)
        )
    )
    notes = [_note(r, b) for b in lines]
    room = max(width(w, BODY) * 1.06 for w in notes) + 14.0
    ends = [r.score(v) for v in (r.unattacked, *(b.bound for b in lines))]
    worse = max(ends) if r.sign > 0 else min(ends)
    start = min(ends) if r.sign > 0 else max(ends)
    chart = Chart(left, paper.width - EDGE - room, start - 0.08 * (worse - start), worse)
    step = min(TALLEST, (paper.height - FOOT - HEADS) / len(lines))
    top = paper.height - HEADS - (paper.height - FOOT - HEADS - step * len(lines)) / 2
    _axis(paper, r, chart, truth, (top, top - step * len(lines)))
    for k, (b, words, note) in enumerate(zip(lines, texts, notes, strict=True)):
        _line(paper, r, chart, b, top - step * (k + 0.5), (words, note))


def nothing(label: str, pen: Pen, target: Target) -> None:
    """A row for which there is nothing to search, and what to try."""
    paper = sheet(target, pen, 600.0, 260.0, most=1.3)
    x, y, p = paper.width / 2, paper.height / 2 + 30.0, pen.palette
    paper.line([x - 60.0, x + 60.0], [y + 40.0] * 2, "nothing mark")
    ring = Circle((x + 60.0, y + 40.0), 8.0, facecolor=p.background, edgecolor=p.ink, zorder=5)
    pen.patch(paper.ax, ring, "nothing mark")
    words = f"{label}: no bar reaches further than the row itself"
    paper.text(x, y, words, "nothing", bold=True, size=HEAD, ha="center")
    for k, words in enumerate(TRY):
        paper.text(x, y - 44.0 - 24.0 * k, words, "nothing", size=HEAD, ha="center")


def _choice(r: SearchRecord, b: SearchBranch, called: dict[Any, str], label: str) -> str:
    """What a line is about: the row, a choice, or several."""
    if not b.cells:
        return f"{label} as it is"
    level = len(b.cells) - 1
    feature = called[feature_name(r.features[level])]
    if b.branches > 1:
        return f"{feature}: {b.branches} {'more ' * (b.kind == 'cut')}choices"
    option: Option = r.options[level][b.cells[-1]]
    if option.after is None:
        return (
            f"{feature} stays {_value(r.before[level])}"
            if r.before[level] is not None
            else f"{feature} stays"
        )
    return f"{feature} → {_value(option.after)}"


def _value(v: Any) -> str:
    return value(v) if isinstance(v, float) else name(v, 14)


def _note(r: SearchRecord, b: SearchBranch) -> str:
    """What became of a branch, in words at the end of its bar."""
    score = number(r.score(b.bound))
    if b.kind == "whole":
        worst = on_the_way(r, b)
        best = f"{score}, the worst" if worst else score
        return best if b.branches == 1 else f"{b.branches} tries{', the worst among them' * worst}"
    if b.kind == "cut":
        known, behind = number(r.score(b.best)), counted(b.combinations, "case")
        return f"could get to {score}, not past {known}: skip {behind}"
    if b.kind == "folded":
        return f"could get to {score}: {counted(b.combinations, 'case')}"
    if b.below and all(child.kind == "whole" for child in b.below):
        return f"could get to {score}: tried are all {sum(len(w.sums) for w in b.below)} at once"
    return f"could get to {score}" if b.cells else f"an attack could get to {score}"


def on_the_way(r: SearchRecord, b: SearchBranch) -> bool:
    """Does it lie on the way to the worst attack?"""
    return b.kind in ("node", "whole") and b.cells == r.found[: len(b.cells)]


def _line(
    paper: Sheet, r: SearchRecord, chart: Chart, b: SearchBranch, y: float, words: tuple[str, str]
) -> None:
    p, main, gid = paper.pen.palette, on_the_way(r, b), "-".join(map(str, b.cells)) or "root"
    cut, end = b.kind == "cut", chart.x(r.score(b.bound))
    left = EDGE + INDENT * len(b.cells)
    paper.text(left, y - 5.0, words[0], "choice", bold=main, color=p.soft if cut else p.ink)
    option = r.options[len(b.cells) - 1][b.cells[-1]] if b.cells and b.branches == 1 else None
    if option and option.cost:
        role, at = "coin" if main else "other coin", chart.left - COINS / 2
        parts.coin(paper.pen, paper.ax, at, y, option.cost, role, scale=paper.scale, gid=f"coin-{gid}")
    if b.kind == "whole":
        _dots(paper, r, chart, b, y)
        far = max(chart.x(r.score(s)) for s in b.sums)
    else:
        look: dict[str, Any] = {"facecolor": p.faint, "edgecolor": p.soft, "linewidth": 1.2 * paper.scale}
        look |= {"hatch": "////", "facecolor": p.panel, "hatch_linewidth": 0.8} if cut else {}
        part = Rectangle((chart.left, y - 7.0), end - chart.left, 14.0, zorder=3, **look)
        paper.pen.patch(paper.ax, part, "skipped" if cut else "promise", f"bar-{gid}")
        far = end
    if not b.cells:
        ring = Circle(
            (chart.x(r.score(r.unattacked)), y), 7.0, facecolor=p.background, edgecolor=p.ink, zorder=6
        )
        ring.set_linewidth(2.4 * paper.scale)
        paper.pen.patch(paper.ax, ring, "row")
    best = main and b.kind == "whole"
    ground = {"facecolor": p.background, "edgecolor": "none", "pad": 1.5}
    look = {"bold": best, "color": p.soft if cut else p.ink, "zorder": 5.5, "bbox": ground if cut else None}
    paper.text(far + 12.0, y - 5.0, words[1], "best words" if best else f"{b.kind} words", **look)


def _dots(paper: Sheet, r: SearchRecord, chart: Chart, b: SearchBranch, y: float) -> None:
    """A dot for each case that was tried, at its score; the worst one is full."""
    p, main = paper.pen.palette, on_the_way(r, b)
    worst = max(b.sums)
    for k, s in enumerate(b.sums):
        best = main and s == worst and k == b.sums.index(worst)
        look: dict[str, Any] = {"facecolor": p.attack if best else p.background, "edgecolor": p.attack}
        dot = Circle(
            (chart.x(r.score(s)), y), 7.0 if best else 5.0, linewidth=2.0 * paper.scale, zorder=6, **look
        )
        paper.pen.patch(paper.ax, dot, "best" if best else "visited")


def _axis(paper: Sheet, r: SearchRecord, chart: Chart, truth: str, span: tuple[float, float]) -> None:
    """The score at the foot; the worst one found as a line through all."""
    p, (top, foot) = paper.pen.palette, span
    paper.line([chart.left, chart.right], [foot, foot], "axis", width=1.2)
    low, high = sorted((chart.start, chart.end))
    for t in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high):
        if low <= t <= high:
            paper.line([chart.x(t)] * 2, [foot, foot - 5.0], "tick", width=1.2)
            paper.text(chart.x(t), foot - 9.0, number(t), "tick words", size=SMALL, ha="center", va="top")
    words = f"what the model says (the true label is {truth}): further right is worse"
    paper.text(chart.left, foot - 44.0, words, "axis name", size=SMALL, color=p.soft)
    found = r.score(max(r.solution.value, r.unattacked))
    x = chart.x(found)
    paper.line([x, x], [foot, top + 4.0], "worst", color=p.attack, width=2.4, zorder=2.5)
    words = f"the worst found: {number(found)}"
    half = width(words, BODY, bold=True) * 1.04 / 2
    at = min(max(x, EDGE + half), paper.width - EDGE - half)
    paper.text(at, top + 10.0, words, "worst name", bold=True, color=p.attack, ha="center")


__all__ = ["LINES", "draw", "nothing", "on_the_way"]

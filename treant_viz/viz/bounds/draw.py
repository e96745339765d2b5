"""How a search is drawn: a level a feature, a node a choice, a bar across a branch that is cut; below it all
combinations as one bar, to scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from matplotlib.patches import Circle, Rectangle

from treant_viz.attacks.search_record import Option, SearchRecord
from treant_viz.viz.bounds.facts import SearchBranch, SearchTree
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import feature_name, name, names, number, value
from treant_viz.viz.style.typeface import width

EDGE, LEFT, FOOT, TOP = 22.0, 172.0, 66.0, 40.0  # margins, the column of features, the bar, the root's words
SLOTS, LEAST = 44, 34.0  # branches side by side, and the height of a level
MAIN, STEP = 3.2, 16.5  # the width of the best way, and from line to line
STUB, ROOMY = 8.0, 112.0  # of a branch below the bar that cuts it; a level with room for words on each branch
TRY = (
    "To see a search, try a greater budget, other rows,",
    "or a model that was trained without an attacker.",
)


class Place(NamedTuple):
    """Where a branch stands, its parent's place, and the slots to its left and right."""

    branch: SearchBranch
    x: float
    y: float
    parent: Place | None
    room: float


def draw(tree: SearchTree, label: str, truth: str, budget: float, pen: Pen, target: Target) -> None:
    """The tree, its levels on the left, the bar below."""
    r = tree.record
    levels = len(r.options)
    paper = sheet(target, pen, 880.0, FOOT + TOP + LEAST * (levels + 0.6), most=1.2)
    root, split = tree.drawn(SLOTS)
    step = min(160.0, (paper.height - FOOT - TOP) / (levels + 0.42))
    top, split = paper.height - TOP, split and step >= ROOMY
    unit = (paper.width - LEFT - EDGE) / root.slots
    _levels(paper, r, top, step)
    places = sorted(placed(root, None, LEFT, top, (unit, step)), key=lambda q: not on_the_way(r, q.branch))
    words = Words(paper, [])
    for place in places:
        (single if split and place.parent else _branch)(words, tree, place, step)
    _root(paper, r, f"{label}, true label {truth}", top, LEFT + unit * root.slots / 2)
    _bar(paper, tree, budget)


def nothing(label: str, pen: Pen, target: Target) -> None:
    """A row whose branches all end at once, and what to try."""
    paper = sheet(target, pen, 600.0, 260.0, most=1.3)
    x, y, p = paper.width / 2, paper.height / 2 + 40.0, pen.palette
    paper.text(x, y + 16.0, label, "nothing", bold=True, ha="center")
    for k in (-1, 0, 1):
        paper.line([x, x + 60.0 * k, x + 60.0 * k], [y, y - 24.0, y - 44.0], "nothing mark")
        bar: dict[str, Any] = {"color": p.ink, "width": 3.6, "solid_capstyle": "butt"}
        paper.line([x + 60.0 * k - 10.0, x + 60.0 * k + 10.0], [y - 38.0, y - 38.0], "nothing mark", **bar)
    dot = Circle((x, y), 6.5, facecolor=p.ink, edgecolor=p.ink, zorder=5)
    pen.patch(paper.ax, dot, "nothing mark")
    for k, words in enumerate(TRY):
        look: dict[str, Any] = {"ha": "center", "size": HEAD}
        paper.text(x, y - 90.0 - 24.0 * k, words, "nothing", **look)


def placed(
    b: SearchBranch, parent: Place | None, left: float, y: float, size: tuple[float, float]
) -> Iterator[Place]:
    """A branch and all below it, from left to right; every leaf of the drawing has a slot."""
    unit, step = size
    here = Place(b, left + unit * b.slots / 2, y, parent, unit * b.slots)
    yield here
    for child in b.below:
        yield from placed(child, here, left, y - step, size)
        left += unit * child.slots


def _levels(paper: Sheet, r: SearchRecord, top: float, step: float) -> None:
    """Beside the branches of each level, which feature they change."""
    called = names([feature_name(f) for f in r.features], 20)
    for k, (feature, options, before) in enumerate(zip(r.features, r.options, r.before, strict=True)):
        y = top - step * (k + 0.55)
        paper.text(EDGE, y + 2.0, called[feature_name(feature)], "feature", bold=True)
        words = f"{len(options)} choices" if step < 40 else f"now {_value(before)}, {len(options)} choices"
        paper.text(EDGE, y - 15.0, words, "options", size=SMALL, color=paper.pen.palette.soft)


def _value(v: Any) -> str:
    return value(v) if isinstance(v, float) else name(v, 14)


def _root(paper: Sheet, r: SearchRecord, label: str, top: float, x: float) -> None:
    words = f"{label}, score {number(r.score(r.unattacked))}; attacks promise {_bound(r, r.root_bound)}"
    half = width(words, BODY) / 2
    x = min(max(x, half + EDGE), paper.width - half - EDGE)
    paper.text(x, top + 14.0, words, "root", ha="center")


def _bound(r: SearchRecord, total: float) -> str:
    """The score that a branch promises.

    A greater score hurts a row of the lower class; then it is an upper bound.
    """
    return f"{'≤' if r.sign > 0 else '≥'} {number(r.score(total))}"


class Words(NamedTuple):
    """A sheet, and the room that words on it have taken: left, bottom, right, top."""

    paper: Sheet
    taken: list[tuple[float, float, float, float]]

    def write(self, lines: Sequence[str], x: float, y: float, roles: Sequence[str], **look: Any) -> None:
        """Lines from y downwards; those that would stand on others, and all below them, are left out."""
        wide = max(width(line, SMALL, bold=look.get("bold", False)) for line in lines)
        left = x - wide / 2 if look.get("ha") == "center" else x
        for k, (line, role) in enumerate(zip(lines, roles, strict=True)):
            box = (left, y - STEP * (k + 1), left + wide, y - STEP * k)
            if any(box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in self.taken):
                return
            self.taken.append(box)
            self.paper.text(x, y - STEP * k, line, role, size=SMALL, va="top", zorder=7, **look)


def on_the_way(r: SearchRecord, b: SearchBranch) -> bool:
    """Does it lie on the way to the best attack?"""
    return b.kind in ("node", "whole") and b.cells == r.found[: len(b.cells)]


def _branch(words: Words, tree: SearchTree, place: Place, step: float) -> None:
    r = tree.record
    b, paper = place.branch, words.paper
    main = on_the_way(r, b)
    if place.parent is not None:
        _edge(paper, place, main, step)
    if b.kind == "cut":
        _cut(words, r, place)
    elif b.kind == "whole":
        _whole(words, tree, place, main)
    else:
        _node(words, r, place, main, step)


def _edge(paper: Sheet, place: Place, main: bool, step: float, cut_at: float = 0.55) -> None:
    """From the parent to the branch; one that is cut ends just below its bar."""
    p, parent = paper.pen.palette, place.parent
    assert parent is not None
    cut = place.branch.kind == "cut"
    xs = [parent.x, place.x, place.x]
    ys = [parent.y, parent.y + (place.y - parent.y) * 0.28]
    ys += [parent.y - cut_at * step - STUB if cut else place.y]
    look: dict[str, Any] = {"color": p.ink, "width": MAIN} if main else {"color": p.soft, "width": 1.3}
    role = "best way" if main else "cut edge" if cut else "edge"
    paper.line(xs, ys, role, gid=f"edge-{_gid(place.branch)}", solid_joinstyle="round", **look)


def single(words: Words, tree: SearchTree, place: Place, step: float) -> None:
    """A branch with room: the choice and its coin on it, and at its end what it promises, or came to."""
    paper, r, b, parent = words.paper, tree.record, place.branch, place.parent
    assert parent is not None
    p, main = paper.pen.palette, on_the_way(r, b)
    _edge(paper, place, main, step, 0.7)
    option = r.options[len(b.cells) - 1][b.cells[-1]]
    y = parent.y - 0.42 * step
    if option.cost:
        role, gid = "coin" if main else "other coin", f"coin-{_gid(b)}"
        parts.coin(paper.pen, paper.ax, place.x, y, option.cost, role, scale=paper.scale, gid=gid)
    ground = {"facecolor": p.background, "edgecolor": "none", "pad": 1.0}
    look: dict[str, Any] = {"size": SMALL, "ha": "center", "va": "top", "zorder": 6}
    phrase = _choice(option).removeprefix("→ ")
    paper.text(
        place.x, y - 15.0 if option.cost else y + 8.0, phrase, "choice", bold=main, bbox=ground, **look
    )
    color = p.ink if main else p.soft
    if b.kind == "cut":
        y = parent.y - 0.7 * step
        bar: dict[str, Any] = {"color": p.ink, "width": 3.6, "zorder": 5, "solid_capstyle": "butt"}
        paper.line([place.x - 9.0, place.x + 9.0], [y, y], "cut", gid=_gid(b), **bar)
        lines = (*_refused(r, b, place.room - 6.0), f"{b.combinations:,} cut")
        words.write(lines, place.x, y - STUB - 3.0, ("cut words",) * 3, ha="center", color=color)
        return
    role = "node" if b.kind == "node" else "best" if main else "visited"
    face = p.ink if main else p.background
    dot = Circle((place.x, place.y), 7.0 if main else 5.5, linewidth=1.6 * paper.scale, facecolor=face,
                 edgecolor=p.ink if main else p.soft, zorder=5)  # fmt: skip
    paper.pen.patch(paper.ax, dot, role, f"{role}-{_gid(b)}")
    if b.kind == "node":
        words.write((_bound(r, b.bound),), place.x + 12.0, place.y + 21.0, ("bound",), bold=main, color=color)
    elif main:
        best = (number(r.score(b.bound)), "the worst")
        x = _within(paper, place.x, best[1])
        words.write(best, x, place.y - 9.0, ("best words",) * 2, ha="center", bold=True)
    else:
        words.write((number(r.score(b.bound)),), place.x, place.y - 9.0, ("score",), ha="center", color=color)


def _refused(r: SearchRecord, b: SearchBranch, room: float) -> tuple[str, str]:
    """Why a branch is cut: what it promises, beside the best score that was known."""
    promised, known = number(r.score(b.bound)), number(r.score(b.best))
    sign = "=" if promised == known else "<" if r.sign > 0 else ">"
    long = f"at {'most' if r.sign > 0 else 'least'} {promised}"
    return long if width(long, SMALL) <= room else _bound(r, b.bound), f"{sign} {known}:"


def _gid(b: SearchBranch) -> str:
    return f"{b.kind}-{'-'.join(map(str, b.cells)) or 'root'}"


def _node(words: Words, r: SearchRecord, place: Place, main: bool, step: float) -> None:
    """A dot, what was chosen, and the bound."""
    paper, b = words.paper, place.branch
    p = paper.pen.palette
    folded = b.kind == "folded"
    face = p.ink if main else p.panel if folded else p.background
    look: dict[str, Any] = {"facecolor": face, "edgecolor": p.ink if main else p.soft, "zorder": 5}
    dot = Circle((place.x, place.y), 7.0 if folded else 5.5, linewidth=1.6 * paper.scale, **look)
    paper.pen.patch(paper.ax, dot, "folded" if folded else "node", f"node-{_gid(b)}")
    if not b.cells:
        return
    option = r.options[len(b.cells) - 1][b.cells[-1]]
    if main and option.cost:
        assert place.parent is not None
        parts.coin(paper.pen, paper.ax, place.x, place.y + 0.5 * step, option.cost, scale=paper.scale)
    lines = (_choice(option), _bound(r, b.bound))
    _beside(words, place, lines if step >= 55 else lines[:1], main, 17.0 if main and option.cost else 11.0)


def _choice(option: Option) -> str:
    return "as it is" if option.after is None else f"→ {_value(option.after)}"


def _beside(words: Words, place: Place, lines: tuple[str, ...], main: bool, aside: float) -> None:
    """Words to the right of a node and above it, where no branch leaves it, if there is room for them."""
    paper = words.paper
    wide = max(width(line, SMALL, bold=main) for line in lines) + aside + 1.0
    if (not main and wide > place.room / 2) or place.x + wide > paper.width - EDGE:
        return
    color = paper.pen.palette.ink if main else paper.pen.palette.soft
    y = place.y + 1.0 + STEP * len(lines)
    words.write(lines, place.x + aside, y, ("choice", "bound")[: len(lines)], bold=main, color=color)


def _cut(words: Words, r: SearchRecord, place: Place) -> None:
    """A bar across the end of the branch, and under it what was cut and why."""
    b, parent, paper = place.branch, place.parent, words.paper
    assert parent is not None
    y, p = parent.y - 0.55 * (parent.y - place.y), paper.pen.palette
    half = min(8.0, 0.18 * place.room)
    look: dict[str, Any] = {"color": p.ink, "width": 3.6, "zorder": 5, "solid_capstyle": "butt"}
    paper.line([place.x - half, place.x + half], [y, y], "cut", gid=_gid(b), **look)
    lines = [f"{b.combinations:,} cut", _bound(r, b.bound)]
    lines = lines if parent.y - place.y >= 60 else lines[:1]
    if max(width(line, SMALL) for line in lines) <= place.room - 3.0:
        ground = {"facecolor": p.background, "edgecolor": "none", "pad": 0.5}
        roles = ["cut words"] * len(lines)
        words.write(lines, place.x, y - STUB - 3.0, roles, ha="center", color=p.soft, bbox=ground)


def _whole(words: Words, tree: SearchTree, place: Place, main: bool) -> None:
    """A tick for each whole combination that was tried, and when; the best one is a dot with its score."""
    paper, b, r = words.paper, place.branch, tree.record
    p = paper.pen.palette
    gap = min(14.0, (place.room / 2 - 2.0) / b.branches)
    for i in range(main, b.branches):
        x = place.x + gap * i
        paper.line([x, x], [place.y - 5.0, place.y + 5.0], "visited", color=p.soft, width=1.6, zorder=4)
    if main:
        _best(paper, r, place)
    first, last = tree.visits(b.cells)
    when = f"try {first}" if first == last else f"tries {first}–{last}"
    if main or width(when, SMALL) <= place.room - 3.0:
        y, look = place.y - (12.0 + STEP * main), {"ha": "center", "color": p.soft}
        words.write([when], _within(paper, place.x, when), y, ["tries"], **look)


def _best(paper: Sheet, r: SearchRecord, place: Place) -> None:
    p = paper.pen.palette
    ring = Circle((place.x, place.y), 6.5, facecolor=p.ink, edgecolor=p.ink, zorder=6)
    paper.pen.patch(paper.ax, ring, "best", "best")
    option = r.options[-1][r.found[-1]]
    if option.cost:
        assert place.parent is not None
        y = place.y + 0.42 * (place.parent.y - place.y)
        parts.coin(paper.pen, paper.ax, place.x, y, option.cost, scale=paper.scale)
    words = f"{_choice(option)}: {number(r.score(place.branch.bound))}, the worst"
    look: dict[str, Any] = {"size": SMALL, "bold": True, "ha": "center", "va": "top", "zorder": 7}
    paper.text(_within(paper, place.x, words), place.y - 12.0, words, "best words", **look)


def _within(paper: Sheet, x: float, words: str) -> float:
    """Where centred words stand so that they do not leave the sheet."""
    half = width(words, SMALL, bold=True) / 2
    return min(max(x, LEFT + half - 20.0), paper.width - EDGE - half)


def _bar(paper: Sheet, tree: SearchTree, budget: float) -> None:
    """All combinations that the budget can pay for, as long as they are many: visited, then cut by level."""
    p, r = paper.pen.palette, tree.record
    x, wide, y = LEFT, paper.width - LEFT - EDGE, 26.0
    paper.text(EDGE, y + 6.0, f"{r.affordable:,} combinations", "bar head", bold=True)
    paper.text(EDGE, y - 11.0, f"for {number(budget)} or less", "bar head", size=SMALL, color=p.soft)
    for k, n in enumerate((r.visited, *(n for n in tree.cut_by_level if n))):
        long = wide * n / r.affordable
        fill = p.ink if k == 0 else p.panel if k % 2 else p.faint
        part = Rectangle((x, y), long, 9.0, facecolor=fill, edgecolor=p.soft if k else "none",
                         linewidth=0.8 * paper.scale, zorder=3)  # fmt: skip
        paper.pen.patch(paper.ax, part, "visited share" if k == 0 else "cut share", f"share-{k}")
        x += long
    look: dict[str, Any] = {"size": SMALL, "va": "top"}
    paper.text(LEFT, y - 5.0, f"{r.visited:,} visited", "share words", bold=True, **look)
    if cut := r.affordable - r.visited:
        paper.text(LEFT + wide, y - 5.0, f"{cut:,} cut", "share words", ha="right", color=p.soft, **look)


__all__ = ["draw", "nothing", "placed", "single"]

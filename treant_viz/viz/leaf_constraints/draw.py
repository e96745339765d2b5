"""The tree as an outline; beside each leaf, on one axis for all, the predictions that its constraints leave
to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.ticker import MaxNLocator

from treant_viz.core.losses import Pieces
from treant_viz.core.tree import Leaf, Node, Tree, leaves
from treant_viz.viz.leaf_constraints.facts import LeafBounds, LeafConstraint
from treant_viz.viz.leaf_constraints.story import CROSSING, apart, draw_crossing, draw_story
from treant_viz.viz.style.heading import HINTING
from treant_viz.viz.style.palette import mixed
from treant_viz.viz.style.parts import NumberLine, number_line
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import counted, name, number, value
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay

HEAD_ROOM, TEST, LEAF, HELD, ENDS, FOOT = 6.0, 24.0, 30.0, 17.0, 16.0, 44.0  # heights
SIDE, INDENT, LEAST, RIGHT, WIDTH = 24.0, 22.0, 190.0, 268.0, 905.0


class OutlineLine(NamedTuple):
    """A line of the outline: a node, and what must be true to get there from its parent."""

    path: str
    words: str
    kind: str


def outline(tree: Tree, hidden: Mapping[str, Tree], path: str = "") -> Iterator[OutlineLine]:
    """All nodes, each before what is below it."""
    if not path:
        yield (
            OutlineLine("", "all rows", "test")
            if isinstance(tree, Node)
            else OutlineLine("", "the only leaf", "leaf")
        )
    if not isinstance(tree, Node):
        return
    for side, below in (("l", tree.left), ("r", tree.right)):
        here = path + side
        kind = "stub" if here in hidden else "leaf" if isinstance(below, Leaf) else "test"
        yield OutlineLine(here, condition(tree, side), kind)
        if kind == "test":
            yield from outline(below, hidden, here)


def condition(node: Node, side: str) -> str:
    """What is true on one side of a test.

    >>> condition(Node("p", 1.0, Leaf(0.0), Leaf(1.0)), "r")
    'p > 1'
    """
    feature = name(node.feature if isinstance(node.feature, str) else f"x[{node.feature}]", 22)
    signs = "=≠" if node.test == "==" else "≤>"
    end = name(node.threshold, 18) if node.test == "==" else value(node.threshold)
    return f"{feature} {signs[side == 'r']} {end}"


def held_text(held: LeafConstraint, rows: int = 1) -> str:
    """The label of a constraint: what it asks, of one row or of several."""
    phrase = held.text.replace(held.who, counted(rows, "row"), 1) if rows > 1 else held.text
    return f"{phrase}{', off' * held.off}"


def alike(b: LeafBounds) -> list[tuple[LeafConstraint, int]]:
    """Constraints that ask for the same stand as one, with the number of their rows."""
    found: dict[tuple[object, ...], list[LeafConstraint]] = {}
    for h in b.held:
        found.setdefault(h.asks, []).append(h)
    return [(same[0], len(same)) for same in found.values()]


def prediction_text(b: LeafBounds) -> str:
    """What the leaf says, and what it would rather say."""
    if not b.feasible:
        return "nothing is allowed"
    if not b.bound or b.best is None:
        return f"says {number(b.prediction)}"
    best, legal = apart(b.best, b.prediction)
    return f"says {legal}, not {best}"


def height(row: OutlineLine, bounds: Mapping[str, LeafBounds]) -> float:
    """What a line of the outline needs, in points."""
    if row.kind != "leaf":
        return TEST
    b = bounds[row.path]
    return LEAF + HELD * (1 if b.density else len(strips(b))) + ENDS * bool(b.count)


def strips(b: LeafBounds) -> list[tuple[LeafConstraint, int]]:
    """Constraints that have a bar of their own: none, if what one allows is all that counts."""
    found = alike(b)
    return [] if len(found) == 1 and not found[0][0].off else found


def needed(rows: list[OutlineLine], bounds: Mapping[str, LeafBounds]) -> float:
    """All lines of the outline; the story of a leaf comes on top of that."""
    return HEAD_ROOM + sum(height(r, bounds) for r in rows) + FOOT


def draw(d: ConstraintsDisplay, pen: Pen, target: Target) -> None:
    """The outline from top to bottom, spread over the room that there is."""
    rows = list(d.rows)
    story = d.story
    tall_ = needed(rows, d.bounds) + story
    aside = SIDE + CROSSING * bool(story)
    paper = sheet(target, pen, WIDTH, tall_, most=1.25)
    spare = max(0.0, paper.height - tall_)
    alone = sum(r.kind == "leaf" for r in rows) == 1
    more = min((0.85 if alone else 0.7) * spare, 240.0 if alone else 80.0) if story else 0.0
    between, story = min((spare - more) / max(len(rows), 1), 26.0), story + more
    words = (_left(r, aside) + width(r.words, BODY, bold=True) + 22.0 for r in rows if r.kind != "test")
    left = min(max([LEAST + CROSSING, *words]), paper.width - RIGHT - 230.0)
    line = NumberLine(left, 0.0, paper.width - left - RIGHT - 24.0, *d.ends)
    y = paper.height - HEAD_ROOM
    tops: dict[str, float] = {}
    for row in rows:
        told = bool(story) and row.path == d.focus and row.kind == "leaf"
        tall = height(row, d.bounds) + between + story * told
        tops[row.path] = y - 16.0
        _row(paper, d, row, y, tall, tops, aside)
        if row.kind == "leaf":
            _leaf(paper, d, d.bounds[row.path], line, y - between / 4, story if told else 0.0)
        elif row.kind == "stub":
            _stub(paper, d, row, line.left, y - 16.0)
        y -= tall
    held = d.bounds[d.focus].binding if story and d.focus is not None else None
    if held is not None:
        draw_crossing(paper, held, aside + INDENT * len(held.origin) + 6.0, tops)
    _axis(paper, line, y - 8.0)


def _left(row: OutlineLine, aside: float) -> float:
    return aside + INDENT * len(row.path)


def _axis(paper: Sheet, line: NumberLine, y: float) -> None:
    """One number line for all leaves, with ticks."""
    soft = paper.pen.palette.soft
    paper.line([line.left, line.left + line.width], [y, y], "axis line", color=soft, width=1.2)
    for v in MaxNLocator(6).tick_values(line.low, line.high):
        if line.low - 1e-9 <= v <= line.high + 1e-9:
            x = line.x(float(v))
            paper.line([x, x], [y, y - 4.0], "tick", color=soft, width=1.2)
            look: dict[str, Any] = {"size": SMALL, "color": soft, "ha": "center", "va": "top"}
            paper.text(x, y - 6.0, number(float(v)), "line end", **look)
    paper.text(line.left + line.width + 14.0, y - 4.0, "what the leaf says", "axis", size=SMALL, color=soft)


def _row(
    paper: Sheet, d: ConstraintsDisplay, row: OutlineLine, top: float, tall: float, tops: Mapping[str, float],
    aside: float,
) -> None:  # fmt: skip
    """The condition, a line from the parent; the leaf of the title lies on a panel."""
    p, x, y = paper.pen.palette, _left(row, aside), top - 16.0
    if row.path == d.focus and row.kind == "leaf":
        frame = FancyBboxPatch(
            (10.0, top - tall + 3.0),
            paper.width - 20.0,
            tall - 4.0,
            facecolor=p.panel,
            zorder=0,
            boxstyle="round,pad=0,rounding_size=8",
            edgecolor="none",
        )
        paper.pen.patch(paper.ax, frame, "focus", f"focus-{row.path}")
    if row.path:
        up = tops[row.path[:-1]]
        xs, ys = [x - INDENT + 6.0] * 2 + [x - 4.0], [up - 6.0, y + 4.5, y + 4.5]
        paper.line(xs, ys, "branch", color=p.soft, width=1.1)
    color = p.words("right" if row.path.endswith("r") else "left") if row.path else p.ink
    leaf, words = row.kind == "leaf", row.words if row.path else f"all {counted(d.count, 'row')}"
    if not row.path and leaf:
        words = row.words
    paper.text(x, y, words, f"{row.kind} head", bold=leaf, color=color, gid=f"node-{row.path}")


def _stub(paper: Sheet, d: ConstraintsDisplay, row: OutlineLine, x: float, y: float) -> None:
    """What is left out."""
    inside = [path for path, _ in leaves(d.hidden[row.path])]
    bound = sum(d.bounds[row.path + path].bound for path in inside)
    hidden = counted(len(inside), "more leaf").replace("leafs", "leaves")
    held = f"{bound} may not say what fits best" if bound else "free to say what fits best"
    one = len(inside) == 1
    words = prediction_text(d.bounds[row.path + inside[0]]) if one else f"… {hidden}: {held}"
    paper.text(x, y, words, "stub details", size=SMALL, color=paper.pen.palette.soft)


def _leaf(
    paper: Sheet, d: ConstraintsDisplay, b: LeafBounds, line: NumberLine, top: float, story: float
) -> None:
    """A thin bar for each of several constraints, or one for all by how many allow it, or for the leaf of the
    title its story; below, in bold, what they all allow.
    """
    p, y, right = paper.pen.palette, top - 12.0, paper.width - RIGHT
    small: dict[str, Any] = {"size": SMALL, "color": p.soft, "va": "center"}
    if b.density and not story:
        _density(paper, b, line, y)
        words = f"{counted(b.count, 'constraint')}; darker: more allow it"
        paper.text(right, y, words, "constraint label", **small)
        y -= HELD
    mine = [] if b.density else strips(b)
    for i, (held, rows) in enumerate(mine):
        _bar(paper, held, line, y, f"{i}-{b.path}")
        paper.text(right, y, held_text(held, rows), "constraint label", **small)
        y -= HELD
    y = draw_story(paper, b, line, d.why, d.loss, y, story) if story else y
    _allowed(paper, b, line._replace(y=y), right)
    phrase = [] if b.density or mine else [held_text(held, rows) for held, rows in alike(b)]
    if b.density and story and b.binding is not None:
        phrase = [held_text(b.binding), f"the tightest of {counted(b.count, 'constraint')}"]
    for k, words in enumerate(phrase):
        paper.text(right, y - 21.0 - 17.0 * k, words, "constraint label", **small)


def _allowed(paper: Sheet, b: LeafBounds, at: NumberLine, right: float) -> None:
    """The number line of a leaf, and what it says in words."""
    p = paper.pen.palette
    wanted = b.best if b.bound and b.feasible else None
    number_line(
        paper,
        at,
        b.feasible,
        value=b.prediction if b.feasible else None,
        wanted=wanted,
        gid=b.path,
        tall=11.0,
    )
    if wanted is not None and abs(at.x(wanted) - at.x(b.prediction)) > 26.0:
        look: dict[str, Any] = {"arrowstyle": "-|>", "color": p.ink, "linewidth": 2.2 * paper.scale}
        look |= {"mutation_scale": 16, "shrinkA": 7.0, "shrinkB": 7.0}
        tip, tail = (at.x(b.prediction), at.y), (at.x(wanted), at.y)
        paper.pen.keep("moved", paper.ax.annotate("", tip, tail, arrowprops=look, zorder=6))
    words = prediction_text(b)
    paper.text(right, at.y, words, "prediction text", size=HEAD, bold=True, va="center")
    if not b.count:
        x = right + width(words, HEAD, bold=True) * HINTING + 10.0
        small: dict[str, Any] = {"size": SMALL, "color": p.soft, "va": "center"}
        paper.text(x, at.y, "may say anything", "constraint label", **small)


def _bar(paper: Sheet, held: LeafConstraint, line: NumberLine, y: float, gid: str) -> None:
    """What one constraint allows; an empty frame if it is off."""
    p = paper.pen.palette
    if held.off:
        frame = Rectangle(
            (line.left, y - 3.0), line.width, 6.0, facecolor="none", edgecolor=p.soft, linestyle=":"
        )
        paper.pen.patch(paper.ax, frame, "constraint off", f"off-{gid}")
        return
    color = mixed(p.background, p.feasible, 0.45)
    for i, (a, b) in enumerate(_seen(held.allowed, line)):
        part = Rectangle((a, y - 3.0), b - a, 6.0, facecolor=color, edgecolor="none", zorder=3)
        paper.pen.patch(paper.ax, part, "constraint", f"constraint-{i}-{gid}")


def _seen(allowed: Pieces, line: NumberLine) -> Iterator[tuple[float, float]]:
    """The parts of the line that are allowed, in points."""
    for a, b in allowed:
        if b >= line.low and a <= line.high:
            yield line.x(a), line.x(b)


def _density(paper: Sheet, b: LeafBounds, line: NumberLine, y: float) -> None:
    p = paper.pen.palette
    for i, (low, high, share) in enumerate(b.density):
        x0, x1 = line.x(low), line.x(high)
        if x1 > x0:
            color = mixed(p.background, p.feasible, 0.7 * share)
            part = Rectangle((x0, y - 5.0), x1 - x0, 10.0, facecolor=color, edgecolor="none", zorder=3)
            paper.pen.patch(paper.ax, part, "density", f"density-{i}-{b.path}")
    frame = Rectangle((line.left, y - 5.0), line.width, 10.0, facecolor="none", edgecolor=p.faint, zorder=4)
    paper.pen.patch(paper.ax, frame, "density frame", f"density-{b.path}")


__all__ = [
    "OutlineLine",
    "alike",
    "condition",
    "draw",
    "held_text",
    "needed",
    "outline",
    "prediction_text",
    "strips",
]

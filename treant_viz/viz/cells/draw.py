"""How cells are drawn: a plane of two features, a square a combination with the model's answer in it; a plane
for each choice of a third feature. Coins stand where one pays; what costs too much is crossed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.patches import Circle, Rectangle

from treant_viz.viz.cells.facts import Combination, Strip
from treant_viz.viz.style import parts
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, TITLE, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import feature_name, name, names, number, value
from treant_viz.viz.style.typeface import width, wrapped

if TYPE_CHECKING:
    from treant_viz.viz.cells.display import CellsDisplay

EDGE, BETWEEN, COINS = 22.0, 30.0, 34.0  # margins, between planes, room for coins
HEADS, BELOW, KEY = 34.0, 46.0, 62.0  # above a plane, below it, and for the key at the foot
TALLEST, ROOMY = 130.0, 22.0  # of a square; one with room for words is so high
Point = tuple[float, float]


class CellPlane(NamedTuple):
    """Where a plane lies: its lower left corner, the size of a square, and the choices that it is for."""

    left: float
    bottom: float
    unit: tuple[float, float]
    others: tuple[int, ...]


def draw(d: CellsDisplay, pen: Pen, target: Target) -> None:
    """The planes side by side, the names of their features, and a key."""
    paper = sheet(target, pen, 880.0, 400.0, most=1.05)
    moving = d.cells.moving
    if not moving:
        words = "no affordable rule" if not d.cells.strips else "no other cell within reach"
        paper.text(paper.width / 2, paper.height / 2, words, "nothing", size=HEAD, ha="center")
        return
    others = sorted({c.cells[2:] for c in d.cells.cases}, key=lambda o: _price(moving[2:], o))
    called = names([feature_name(s.feature) for s in moving], 22)
    across, down = moving[0], moving[1] if len(moving) > 1 else None
    left = EDGE
    if down is not None:
        words = f"{value(down.value)} in {d.label}" if down.names is None else name(down.value, 16)
        left += (
            max(width(called[feature_name(down.feature)], BODY, bold=True), width(words, SMALL), 90.0) + 16.0
        )
    n = len(others)
    wide = (paper.width - left - EDGE - BETWEEN * (n - 1)) / n
    top = paper.height - (34.0 if n > 1 else 16.0 if down else 0.0) - HEADS
    rows = len(down.reach) if down else 1
    most = TALLEST if down else 2 * TALLEST
    unit = (wide / len(across.reach), min(most, (top - KEY - BELOW) / rows))
    top -= (top - KEY - BELOW - unit[1] * rows) / 2
    for k, choice in enumerate(others):
        plane = CellPlane(
            left + k * (unit[0] * len(across.reach) + BETWEEN), top - unit[1] * rows, unit, choice
        )
        _plane(paper, d, plane, across, down)
        _coins(paper, d, plane, across, down, first=k == 0)
        if n > 1:
            _heading(paper, moving[2:], plane, called, top + HEADS + 16.0)
    _names(paper, d, called, CellPlane(left, top - unit[1] * rows, unit, others[0]), (across, down))
    _key(paper, d, n)


def _price(strips: Sequence[Strip], cells: tuple[int, ...]) -> float:
    return sum(s.costs[i] for s, i in zip(strips, cells, strict=True))


def order(s: Strip) -> tuple[int, ...]:
    """The cells in reach as they are drawn: numbers rise; of categories the row's own one comes first."""
    return s.reach if s.names is None else (s.own, *(i for i in s.reach if i != s.own))


def _plane(paper: Sheet, d: CellsDisplay, plane: CellPlane, across: Strip, down: Strip | None) -> None:
    known = {c.cells: c for c in d.cells.cases}
    ys = order(down) if down else (None,)
    for (i, x), (j, y) in product(enumerate(order(across)), enumerate(ys)):
        cells = (x,) if y is None else (x, y, *plane.others)
        corner = (plane.left + i * plane.unit[0], plane.bottom + j * plane.unit[1])
        _square(paper, d, known[cells], corner, plane.unit)
        if known[cells].cost == 0:
            _here(paper, d, corner, plane.unit)


def _square(paper: Sheet, d: CellsDisplay, case: Combination, corner: Point, unit: Point) -> None:
    """The model's answer on its colour; what costs more than the budget is crossed out, with its price."""
    p, (x, y), (wide, tall) = paper.pen.palette, corner, unit
    dear, gid = case.cost > d.cells.limit, "-".join(map(str, case.cells))
    low, high = d.cells.scores
    fill = p.panel if dear else p.prediction((case.score - low) / ((high - low) or 1.0))
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": p.background, "linewidth": 2.0 * paper.scale}
    role = "too dear" if dear else "within the budget"
    paper.pen.patch(paper.ax, Rectangle(corner, wide, tall, zorder=3, **look), role, f"case-{gid}")
    middle = (x + wide / 2, y + tall / 2 - (4.0 if case.cost == 0 and tall < 60.0 else 0.0))
    if dear:
        cross: dict[str, Any] = {"color": p.faint, "width": 1.4, "zorder": 3.5}
        paper.line([x + 4.0, x + wide - 4.0], [y + 4.0, y + tall - 4.0], "cross", **cross)
        paper.line([x + 4.0, x + wide - 4.0], [y + tall - 4.0, y + 4.0], "cross", **cross)
    worst = case == d.cells.worst
    if worst:
        frame = Rectangle((x + 2.0, y + 2.0), wide - 4.0, tall - 4.0, facecolor="none", edgecolor=p.attack)
        frame.set(linewidth=4.0 * paper.scale, zorder=6)
        paper.pen.patch(paper.ax, frame, "worst", f"worst-{gid}")
    size = TITLE if min(wide / 2, tall) >= 50.0 else SMALL
    phrase = number(case.score, 3 if wide >= 56.0 else 2)
    if dear:
        phrase = f"{'costs ' if wide >= 100.0 else ''}{number(case.cost)}"
    if tall >= ROOMY and width(phrase, size, bold=worst) <= wide - 6.0:
        put: dict[str, Any] = {"ha": "center", "va": "center_baseline", "size": size, "bold": worst}
        if dear:
            put |= {"color": p.soft, "bbox": {"facecolor": fill, "edgecolor": "none", "pad": 1.5}}
        else:
            put["color"] = p.on(fill)
        paper.text(*middle, phrase, "price too dear" if dear else "answer", **put)


def _here(paper: Sheet, d: CellsDisplay, corner: Point, unit: Point) -> None:
    """A ring in the row's own square, above the answer."""
    p, r = paper.pen.palette, max(3.5, min(8.0, 0.12 * min(unit)))
    look: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.ink, "linewidth": 2.6 * paper.scale}
    at = (corner[0] + unit[0] / 2, corner[1] + unit[1] - r - max(4.0, 0.14 * unit[1]))
    paper.pen.patch(paper.ax, Circle(at, r, zorder=7, **look), "own cell")


def _coins(
    paper: Sheet, d: CellsDisplay, plane: CellPlane, across: Strip, down: Strip | None, *, first: bool
) -> None:
    """Prices above the columns and left of the rows; thresholds, or categories, along the edges."""
    top = plane.bottom + plane.unit[1] * (len(down.reach) if down else 1)
    _prices(
        paper,
        across,
        [(plane.left + plane.unit[0] * (i + 0.5), top + 17.0) for i in range(99)],
        plane.unit[0],
    )
    _edges(paper, across, plane.left, plane.unit[0], plane.bottom)
    if down is None or not first:
        return
    x = plane.left - COINS / 2 - 4.0
    _prices(paper, down, [(x, plane.bottom + plane.unit[1] * (j + 0.5)) for j in range(99)], plane.unit[1])
    for j, words, between in _labels(down):
        if plane.unit[1] >= (26.0 if between else ROOMY):
            at = plane.bottom + plane.unit[1] * j
            put: dict[str, Any] = {"ha": "right", "va": "center_baseline", "size": SMALL}
            paper.text(plane.left - COINS - (0.0 if between else 8.0), at, words, "threshold", **put)


def _prices(paper: Sheet, s: Strip, places: Sequence[Point], room: float) -> None:
    """A coin for each cell, or one for neighbours of the same price where there is no room for each."""
    costs = [s.costs[i] for i in order(s)]
    need = max(26.0, *(width(number(c), SMALL, bold=True) + 14.0 for c in costs))
    start = 0
    for i in range(1, len(costs) + 1):
        if i < len(costs) and costs[i] == costs[start] and room < need:
            continue
        (x0, y0), (x1, y1) = places[start], places[i - 1]
        if costs[start] and (i - start) * room >= need:
            parts.coin(paper.pen, paper.ax, (x0 + x1) / 2, (y0 + y1) / 2, costs[start], scale=paper.scale)
        start = i


def _labels(s: Strip) -> Iterator[tuple[float, str, bool]]:
    """Thresholds at the borders between cells and at the ends of the reach, or names in the middle."""
    shown = order(s)
    if s.names is not None:
        for k, c in enumerate(shown):
            yield k + 0.5, name(s.names[c], 16) if c < len(s.names) else "missing", False
        return
    if shown[0]:
        yield 0.0, value(s.cuts[shown[0] - 1]), True
    for k, c in enumerate(shown):
        if c < len(s.cuts):
            yield k + 1.0, value(s.cuts[c]), True


def _edges(paper: Sheet, s: Strip, left: float, unit: float, y: float) -> None:
    """Below a plane as many labels as can stand side by side, those next to the row first."""
    here = order(s).index(s.own) + 0.5
    taken: list[tuple[float, float]] = []
    for at, words, between in sorted(_labels(s), key=lambda m: abs(m[0] - here)):
        words = words if between else name(words, max(4, int(unit / 7)))
        x, half = left + unit * at, width(words, SMALL) / 2 + 3.0
        if all(x + half <= a or x - half >= b for a, b in taken):
            taken.append((x - half, x + half))
            role = "threshold" if between else "category"
            paper.text(x, y - 5.0, words, role, size=SMALL, ha="center", va="top")


def _heading(
    paper: Sheet, strips: Sequence[Strip], plane: CellPlane, called: dict[Any, str], y: float
) -> None:
    """Above a plane: what the other features are in it, and what that costs."""
    x = plane.left
    for s, cell in zip(strips, plane.others, strict=True):
        what = f"{called[feature_name(s.feature)]} {_where(s, cell)}"
        paper.text(x, y - 5.0, what, "plane", size=BODY, bold=True)
        x += width(what, BODY, bold=True) * 1.04 + 20.0
        if s.costs[cell]:
            parts.coin(paper.pen, paper.ax, x, y, s.costs[cell], "plane coin", scale=paper.scale)
        x += 22.0


def _where(s: Strip, cell: int) -> str:
    """A cell in words.

    >>> _where(Strip("q", 2.0, (1.0, 3.0), None, 1, (1.0, 0.0, 1.0)), 2)
    'above 3'
    """
    if s.names is not None:
        return f"= {name(s.names[cell], 16)}" if cell < len(s.names) else "missing"
    if cell == s.own:
        return f"stays {value(s.value)}"
    return f"up to {value(s.cuts[cell])}" if cell < s.own else f"above {value(s.cuts[cell - 1])}"


def _names(
    paper: Sheet, d: CellsDisplay, called: dict[Any, str], plane: CellPlane, pair: tuple[Strip, Strip | None]
) -> None:
    """The two features, each beside its axis, with the row's own value."""
    across, down = pair
    soft = paper.pen.palette.soft
    y = plane.bottom - 36.0
    words = called[feature_name(across.feature)]
    paper.text(plane.left, y, words, "feature", bold=True)
    x = plane.left + width(words, BODY, bold=True) * 1.04 + 8.0
    paper.text(x, y, f"{_now(across)} in {d.label}", "own value", size=SMALL, color=soft)
    if down is not None:
        top = plane.bottom + plane.unit[1] * len(down.reach)
        paper.text(EDGE, top + 34.0, called[feature_name(down.feature)], "feature", bold=True)
        paper.text(EDGE, top + 15.0, f"{_now(down)} in {d.label}", "own value", size=SMALL, color=soft)


def _now(s: Strip) -> str:
    return name(s.value, 18) if s.names is not None else value(s.value)


def _key(paper: Sheet, d: CellsDisplay, planes: int) -> None:
    """At the foot: what a ring, a cross and a frame are; and the features that have no choice or no room."""
    p, y, x = paper.pen.palette, 40.0, EDGE
    worst, money = d.cells.worst, number(d.budget)
    ring = Circle((x + 8.0, y + 4.0), 7.0, facecolor=p.background, edgecolor=p.ink)
    ring.set_linewidth(2.4 * paper.scale)
    paper.pen.patch(paper.ax, ring, "key")
    phrase = [f"{d.label} as it is, truly {d.truth}"]
    hurts = worst.cost > 0
    phrase += [f"the worst that {money} can buy: {number(worst.score)} for {number(worst.cost)}"] * hurts
    phrase += [f"costs more than {money}"] * any(c.cost > d.cells.limit for c in d.cells.cases)
    for k, words in enumerate(phrase):
        if k:
            self_ = "worst" if hurts and k == 1 else "dear"
            box = Rectangle((x, y - 4.0), 17.0, 17.0, facecolor="none" if self_ == "worst" else p.panel)
            box.set(edgecolor=p.attack if self_ == "worst" else p.faint, linewidth=3.0 * paper.scale)
            paper.pen.patch(paper.ax, box, "key")
            if self_ == "dear":
                for ys in ([y - 4.0, y + 13.0], [y + 13.0, y - 4.0]):
                    paper.line([x, x + 17.0], ys, "key", color=p.soft, width=1.4, zorder=4)
        paper.text(x + 24.0, y, words, "key words", size=BODY)
        x += 24.0 + width(words, BODY) * 1.04 + 30.0
    _rest(paper, d, planes)


def _rest(paper: Sheet, d: CellsDisplay, planes: int) -> None:
    """In a line at the foot: features that are not drawn, and those that cannot leave their cell."""
    phrase, more = [], d.cells.moving[2:] if planes == 1 else ()
    if more:
        counts = " × ".join(str(len(s.reach)) for s in more)
        phrase.append(
            f"Drawn with {len(more)} other features as they are; their cells multiply it by {counts}."
        )
    if still := [feature_name(s.feature) for s in d.cells.strips if len(s.reach) < 2]:
        called = list(names(still, 22).values())
        listed = ", ".join(called[:4]) + (f" and {len(called) - 4} more" if len(called) > 4 else "")
        phrase.append(f"No other cell within reach: {listed}.")
    if len(d.cells.moving) == 1:
        n = len(d.cells.moving[0].reach)
        phrase.append(
            f"Features multiply: with a second one like it {n} × {n} = {n * n}, with ten {n**10:,} cases."
        )
    if phrase:
        text = wrapped(" ".join(phrase), paper.width - 2 * EDGE, SMALL)[0]
        paper.text(EDGE, 14.0, text, "rest", size=SMALL, color=paper.pen.palette.soft)


__all__ = ["draw", "order"]

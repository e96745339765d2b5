"""Drawing a robust split: before, the attacker's choice, after. All lengths are inches of the display's own size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from treant_viz.viz.canvas import BODY, SMALL, Ink, Target, panels
from treant_viz.viz.palette import Role
from treant_viz.viz.sides import ROLES
from treant_viz.viz.text import number

if TYPE_CHECKING:
    from treant_viz.viz.robust_split import Group, RobustSplitDisplay

BEFORE, CHOICE, AFTER, EDGE = 2.3, 3.7, 9.3, 11.9  # where the columns end, begin, begin, end
STRIPE = 0.26
KNOWN, GAP, SLOT = 1.0, 0.3, 0.3  # heights of L and R, between blocks, of a ribbon's place in a leaf
FEW = 6  # rows of bars with their name above them; more have it beside them
HEADS = {
    "robust": "each unknown row goes where it hurts more",
    "standard": "nobody fears the attacker: all stay at home",
    "four-case": "all unknown rows follow the worst of four cases",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a group is drawn: the middle of its bars, and of its places in the two leaves (None: no place there)."""

    group: Group
    y: float
    thick: float
    left: float | None
    right: float | None

    def at(self, side: str) -> float | None:
        return self.left if side == "left" else self.right


def heights(d: RobustSplitDisplay) -> tuple[float, float, float]:
    """Of a row of bars, of U, and of all three blocks; many rows are drawn on two lines each, few on three."""
    row = 0.86 if len(d.groups) <= FEW else 0.5
    unknown = max(KNOWN, row * len(d.groups))
    return row, unknown, 2 * KNOWN + 2 * GAP + unknown


def draw_split(d: RobustSplitDisplay, ink: Ink, target: Target) -> None:
    ((ax,),) = panels(target, ink)
    ax.set_axis_off()
    row, unknown, top = heights(d)
    ax.set_xlim(0, EDGE + 0.1)
    ax.set_ylim(-0.55 if d.cases is None else -0.85, top + 0.5)
    places = _places(d, top, row)
    _headers(d, ink, ax, top)
    _before(d, ink, ax, top, unknown, places)
    for p in places:
        _ribbons(p, ink, ax)
        _choice(p.group, p.y, d, ink, ax)
    _after(d, ink, ax, top, places)
    _footer(d, ink, ax)


def _places(d: RobustSplitDisplay, top: float, row: float) -> list[Place]:
    """Places in the left leaf run down from the rows that are left for sure, those in the right leaf end above R."""
    start = top - KNOWN - GAP - (max(KNOWN, row * len(d.groups)) - row * len(d.groups)) / 2
    largest = max([g.size for g in d.groups], default=1)
    lefts = [g for g in d.groups if "left" in (g.sent, _other(g))]
    rights = [g for g in d.groups if "right" in (g.sent, _other(g))]
    down = {id(g): top - KNOWN - (k + 0.5) * SLOT for k, g in enumerate(lefts)}
    up = {id(g): KNOWN + (len(rights) - k - 0.5) * SLOT for k, g in enumerate(rights)}
    thick = [0.2 if largest == 1 else 0.06 + 0.2 * g.size / largest for g in d.groups]
    return [Place(g, start - (k + 0.5) * row, thick[k], down.get(id(g)), up.get(id(g))) for k, g in enumerate(d.groups)]


def _other(g: Group) -> str | None:
    """The leaf in which a group leaves a trace without being sent there: its home, or where the attacker wants it."""
    return next((side for side in (g.worse, g.home) if side != g.sent), None)


def _headers(d: RobustSplitDisplay, ink: Ink, ax: Axes, top: float) -> None:
    for x, ha, said in ((0.0, "left", "before"), (EDGE, "right", "after")):
        ink.text(ax, x, top + 0.3, said, "head", ha=ha, va="center", weight="bold")
    ink.text(ax, (BEFORE + AFTER) / 2, top + 0.3, HEADS[d.mode], "head", ha="center", va="center", weight="bold")


def _before(d: RobustSplitDisplay, ink: Ink, ax: Axes, top: float, unknown: float, places: list[Place]) -> None:
    """L, U and R: how many rows, which labels; rows that are sure of their side run straight to their leaf."""
    lows = (top - KNOWN, KNOWN + GAP, 0.0)
    for s, (role, low, height) in enumerate(zip(ROLES, lows, (KNOWN, unknown, KNOWN), strict=True)):
        n = d.counts[s]
        if n and role != "unknown":
            _band(ink, ax, role, low)
        head = f"{ink.palette.branch(role).letter}  {n:,} row{'s' * (n != 1)}"
        middle, lines = low + height / 2, _members(d, s)
        ink.text(ax, 0.0, middle + 0.11 * len(lines), head, "before", va="center", weight="bold")
        if lines:
            place: dict[str, Any] = {"va": "center", "fontsize": SMALL, "linespacing": 1.3}
            ink.text(ax, 0.0, middle - 0.13, "\n".join(lines), "members", **place)
    for p in places:
        _ribbon(ink, ax, (BEFORE, p.y), (CHOICE - 0.1, p.y), p.thick, "ribbon", **ink.fill("unknown"))
        ink.bar(ax, BEFORE - STRIPE, p.y - p.thick / 2, STRIPE, p.thick, "unknown", "stripe")


def _band(ink: Ink, ax: Axes, role: Role, low: float) -> None:
    """Rows that are sure of their side: a stripe at either end, a pale band between."""
    pale = Rectangle((BEFORE, low), AFTER - BEFORE, KNOWN, facecolor=ink.palette.branch(role).color, alpha=0.16)
    ink.patch(ax, pale, "band")
    for x in (BEFORE - STRIPE, AFTER):
        ink.bar(ax, x, low, STRIPE, KNOWN, role, "stripe")


def _members(d: RobustSplitDisplay, s: int) -> list[str]:
    """Who is there: names if they are few, and labels."""
    rows, y = d.rows[d.side == s], d.y[d.side == s]
    names = [", ".join(f"x{r}" for r in rows)] if 0 < len(rows) <= 4 else []
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) > 2:
        return [*names, f"mean of y {number(y.mean(), 3)}"]
    return [*names, *(f"{n:,} with y = {number(v, 4)}" for v, n in zip(labels, counts, strict=True))]


def _ribbons(p: Place, ink: Ink, ax: Axes) -> None:
    """To the leaf of the plan, solid; to the other one, dashed: a ghost at home, or what the attacker will do."""
    g, start = p.group, (AFTER - 1.9, p.y)
    other = _other(g)
    if other is not None:
        _dashed(p, other, start, ink, ax)
    end = p.at(g.sent)
    if end is not None:
        _ribbon(ink, ax, start, (AFTER, end), p.thick, "ribbon", **ink.fill("unknown"))
        ink.bar(ax, AFTER, end - p.thick / 2, STRIPE, p.thick, "unknown", "stripe")
        ink.text(ax, AFTER + STRIPE + 0.08, end, _short(g), "sent", va="center", fontsize=SMALL)


def _dashed(p: Place, side: str, start: tuple[float, float], ink: Ink, ax: Axes) -> None:
    g, end, pal = p.group, p.at(side), ink.palette
    assert end is not None
    attack = g.worse == side
    said = f"{_short(g)}, attacked" if attack else f"{_short(g)}: home"
    if attack:
        start = (start[0], start[1] + math.copysign(p.thick / 2 + 0.06, end - start[1]))
        arrow: dict[str, Any] = {"arrowstyle": "-|>", "linestyle": "--", "linewidth": 2.0, "mutation_scale": 20}
        arrow |= {"color": pal.attacker, "shrinkA": 0, "shrinkB": 0, "connectionstyle": "arc3,rad=0"}
        ink.keep("attack", ax.annotate("", (AFTER, end), start, arrowprops=arrow))
    else:
        outline: dict[str, Any] = {"facecolor": "none", "edgecolor": pal.soft, "linestyle": "--", "linewidth": 1.4}
        _ribbon(ink, ax, start, (AFTER, end), p.thick, "ghost", **outline)
        ink.patch(ax, Rectangle((AFTER, end - p.thick / 2), STRIPE, p.thick, **outline), "ghost")
    ink.text(ax, AFTER + STRIPE + 0.08, end, said, "ghost label", va="center", fontsize=SMALL, color=pal.soft)


def _short(g: Group) -> str:
    return g.label.split(" (")[0] if g.size == 1 else f"{g.size:,} rows"


def _ribbon(
    ink: Ink, ax: Axes, start: tuple[float, float], end: tuple[float, float], thick: float, role: str, **look: Any
) -> None:
    """A band of even thickness that leaves and arrives level."""
    (x0, y0), (x1, y1), h = start, end, thick / 2
    middle = (x0 + x1) / 2
    points = [(x0, y0 + h), (middle, y0 + h), (middle, y1 + h), (x1, y1 + h)]
    back = [(x1, y1 - h), (middle, y1 - h), (middle, y0 - h), (x0, y0 - h)]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    ink.patch(ax, PathPatch(Path([*points, *back, points[0]], codes), **look), role)


def _scale(d: RobustSplitDisplay, longest: float) -> float:
    """Inches for a loss of 1."""
    hurts = [x for g in d.groups for x in (g.hurt_l, g.hurt_r)]
    most = max([x for x in hurts if math.isfinite(x)], default=0.0) or 1.0
    return (0.7 if any(map(math.isinf, hurts)) else 1.0) * longest / most


def _choice(g: Group, y: float, d: RobustSplitDisplay, ink: Ink, ax: Axes) -> None:
    """Two bars: the loss on the left and on the right; the larger one is outlined."""
    few = len(d.groups) <= FEW
    x, shift, longest = (CHOICE, 0.0, 2.1) if few else (CHOICE + 1.3, 0.075, 1.05)
    ink.text(ax, CHOICE, y + 0.24 if few else y, g.label, "row", va="center", fontsize=SMALL, weight="bold")
    scale = _scale(d, longest)
    sides: tuple[tuple[Role, float, float], ...] = (("left", g.hurt_l, y + 0.03), ("right", g.hurt_r, y - 0.18))
    for role, hurt, at in sides:
        length, at = hurt * scale if math.isfinite(hurt) else longest, at + shift
        ink.text(ax, x, at, ink.palette.branch(role).letter, "bar letter", va="center", fontsize=SMALL)
        ink.bar(ax, x + 0.25, at - 0.08, length, 0.16, role, "bar")
        if role == g.worse and not math.isclose(g.hurt_l, g.hurt_r, rel_tol=1e-9):
            frame = Rectangle((x + 0.25, at - 0.08), length, 0.16, fill=False, edgecolor=ink.palette.ink, lw=2.2)
            ink.patch(ax, frame, "larger")
        said = f"loss {number(hurt, 4)}"
        ink.text(ax, x + 0.35 + length, at, said, "bar value", va="center", fontsize=SMALL)


def _after(d: RobustSplitDisplay, ink: Ink, ax: Axes, top: float, places: list[Place]) -> None:
    """The leaves: rows, prediction, loss."""
    for k, (letter, low) in enumerate((("L", top - KNOWN), ("R", 0.0))):
        n, p = d.sizes[k], (d.y_l, d.y_r)[k]
        x, middle = AFTER + STRIPE + 0.12, low + KNOWN / 2
        ink.text(ax, x, middle + 0.28, f"D_{letter}  {n:,} row{'s' * (n != 1)}", "after", va="center", weight="bold")
        ink.text(ax, x, middle, f"predicts {number(p, 4)}", "prediction", va="center", fontsize=BODY)
        ink.text(ax, x, middle - 0.27, f"loss {number(d.planned[k], 6)}", "leaf loss", va="center", fontsize=SMALL)
    for side, low, slots in (("left", top - KNOWN, -1), ("right", 0.0, 1)):
        n = sum(p.at(side) is not None for p in places)
        bottom = low - n * SLOT if slots < 0 else low
        outline = Rectangle((AFTER, bottom), EDGE - AFTER, KNOWN + n * SLOT, fill=False, edgecolor=ink.palette.soft)
        ink.patch(ax, outline, "leaf")


def _footer(d: RobustSplitDisplay, ink: Ink, ax: Axes) -> None:
    said = f"L = {number(d.plain_loss)} if nobody attacks      L^A = {number(d.loss_under_attack)} under attack"
    ink.text(ax, 0.0, -0.35, said, "footer", va="center", fontsize=BODY, weight="bold")
    if d.cases is not None:
        home, swap, left, right = (number(x, 5) for x in d.cases)
        words = f"squared error if nobody moves {home}, all swap {swap}, all go left {left}, all go right {right}"
        ink.text(ax, 0.0, -0.66, words, "cases", va="center", fontsize=SMALL)


__all__ = ["draw_split", "heights"]

"""Drawing an audit: a strip of dots for every method and measure, a band where ours and the paper's agree,
and names for the dots outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from treant_viz.viz.style.palette import FULL_NAMES, mixed
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, Target, placed, size_of
from treant_viz.viz.style.text import MINUS, names, number
from treant_viz.viz.style.typeface import width

if TYPE_CHECKING:
    from treant_viz.viz.audit.display import AuditDisplay
    from treant_viz.viz.audit.facts import AuditCell

ABOVE, BELOW, RIGHT = 30.0, 50.0, 24.0  # points around the strips
SIDE, GAP = 22.0, 18.0  # points left of the methods' names, and between them and the measures'
BETWEEN = 0.5  # strips between two methods
DOT, FAR = 8.5, 11.5  # points across a dot that agrees, and one that does not
HIGHER, LOWER = "#2E8BA8", "#C8543B"  # ours is more, ours is less


def draw_cells(d: AuditDisplay, pen: Pen, target: Target) -> None:
    heads, measures = names(d.methods, 16), names([c.measure for c in d.cells], 16)
    found = {c.metric: measures[c.measure] for c in d.cells}
    block = max(_wide(d, m, heads[m]) for m in d.methods)
    left = SIDE + block + GAP + max(width(words, SMALL) for words in measures.values()) + 10
    [[ax]] = placed(target, pen, [(ABOVE, 1.0, BELOW)], [(left, 1.0, RIGHT)])
    across, strips = len(d.metrics), {}
    for i, method in enumerate(d.methods):
        for j, metric in enumerate(d.metrics):
            strips[method, metric] = i * (across + BETWEEN) + j
    last = max(strips.values())
    far = max([1.6 * d.tolerance, *(abs(c.difference) for c in d.cells)])
    ax.set(xlim=(-1.3 * far, 1.3 * far), ylim=(last + 0.6, -0.6))
    _ground(d, pen, ax)
    for (method, metric), y in strips.items():
        _strip(d, pen, ax, [c for c in d.cells if (c.method, c.metric) == (method, metric)], y)
    for i, method in enumerate(d.methods):
        top = i * (across + BETWEEN)
        _head(d, pen, ax, method, heads[method], top + (across - 1) / 2, -(left - SIDE))
        if i:
            y = top - (1 + BETWEEN) / 2
            pen.keep("rule", ax.axhline(y, color=pen.palette.faint, linewidth=1.2, zorder=0))
    pen.ticks(ax, "y", list(strips.values()), [found[metric] for _, metric in strips])


def _wide(d: AuditDisplay, method: str, head: str) -> float:
    """How wide what is said of a method is."""
    widths = (width(FULL_NAMES.get(method, ""), SMALL), width(d.verdict(method), SMALL))
    return max(width(head, HEAD, bold=True), *widths)


def told(difference: float, tolerance: float = 0.0) -> str:
    """A difference with its sign; with one more digit where it seems to be just the tolerance.

    >>> told(0.0571), told(-0.0857), told(-0.0001), told(0.0402, 0.04)
    ('+0.057', '−0.086', '0', '+0.0402')
    """
    text = f"{difference:+.3f}"
    if abs(float(text)) == tolerance and tolerance:
        text = f"{difference:+.4f}"
    return "0" if float(text) == 0 else text.replace("-", MINUS)


def _ground(d: AuditDisplay, pen: Pen, ax: Axes) -> None:
    """The band within which numbers agree, its name, and the axis."""
    p, t = pen.palette, d.tolerance
    (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    fill = mixed(p.background, p.feasible, 0.14)
    band = Rectangle((-t, top), 2 * t, bottom - top, facecolor=fill, edgecolor="none", zorder=-1)
    pen.patch(ax, band, "band")
    ax.axvline(0.0, color=p.background, linewidth=2.0, zorder=-0.5)
    place = offset_copy(ax.transData, ax.get_figure(root=True), 0.0, 8.0, units="points")
    look: dict[str, Any] = {"transform": place, "va": "bottom"}
    pen.text(ax, 0.0, top, "agrees", "band name", ha="center", **pen.type(SMALL, bold=True), **look)
    soft = pen.type(SMALL, color=p.soft)
    pen.text(ax, low, top, "← ours is lower", "side", ha="left", **soft, **look)
    pen.text(ax, high, top, "ours is higher →", "side", ha="right", **soft, **look)
    pen.style(ax, xlabel="our number less the paper's", spines=())
    ax.tick_params(length=0)
    more = MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    at = [0.0, -t, t, *(float(x) for x in more if 1.9 * t <= abs(x) <= high)]
    signs = {x: f"{MINUS if x < 0 else '+'}{number(abs(x))}" if x else "0" for x in at}
    pen.ticks(ax, "x", list(signs), list(signs.values()))


def _strip(d: AuditDisplay, pen: Pen, ax: Axes, cells: Sequence[AuditCell], y: float) -> None:
    """The dots of a method and measure, side by side where they would cover each other."""
    (low, high), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    wide, tall = size_of(ax)
    lanes = stacked([c.difference for c in cells], DOT / wide * (high - low))
    strip = tall / (bottom - top)
    step = min(DOT, (strip - DOT) / max(1.0, 2.0 * max(map(abs, lanes), default=0))) / strip
    for c, lane in zip(cells, lanes, strict=True):
        off = d.off(c)
        color = (HIGHER if c.difference > 0 else LOWER) if off else pen.palette.soft
        look: dict[str, Any] = {"color": color, "markersize": FAR if off else DOT, "zorder": 3 if off else 2}
        look |= {"markeredgecolor": pen.palette.background, "markeredgewidth": 0.8, "clip_on": False}
        gid = f"cell-{c.method}-{c.where}-{c.metric}"
        dot = ax.plot([c.difference], [y + lane * step], "o", scalex=False, scaley=False, **look)[0]
        pen.keep("off" if off else "near", dot, gid)
    for side in (-1, 1):
        _name(d, pen, ax, [c for c in cells if d.off(c) and c.difference * side > 0], y)


def stacked(xs: Sequence[float], apart: float) -> list[int]:
    """A lane for each dot, so that dots of a lane are apart: the middle, one above, one below and so on.

    >>> stacked([0.0, 1.0, 0.1, 0.2], 0.5)
    [0, 0, 1, -1]
    """
    lanes, free = [0] * len(xs), dict[int, float]()
    for i in sorted(range(len(xs)), key=lambda i: xs[i]):
        lane = next(k for n in range(2 * len(xs)) for k in (n, -n) if free.get(k, xs[i]) <= xs[i])
        lanes[i], free[lane] = lane, xs[i] + apart
    return lanes


def _name(d: AuditDisplay, pen: Pen, ax: Axes, off: Sequence[AuditCell], y: float) -> None:
    """Which dot is farthest outside on a side, how far, and how many more there are."""
    if not off:
        return
    far = max(off, key=lambda c: abs(c.difference))
    words = f"{d.rows[far.row]}: {told(far.difference, d.tolerance)}"
    words += f" and {len(off) - 1} more" if len(off) > 1 else ""
    low, high = ax.get_xlim()
    wide = (width(words, SMALL, bold=True) + FAR + 6) / size_of(ax)[0] * (high - low)
    side = 1 if far.difference > 0 else -1
    if low <= far.difference + side * wide <= high:
        x, right, up, ha = far.difference, side * (FAR / 2 + 4), 0.0, "left" if side > 0 else "right"
    else:
        x, right, up, ha = (
            min(max(far.difference, low + wide / 2), high - wide / 2),
            0.0,
            FAR / 2 + 1,
            "center",
        )
    place = offset_copy(ax.transData, ax.get_figure(root=True), right, up, units="points")
    look: dict[str, Any] = {"ha": ha, "va": "bottom" if up else "center", "transform": place, "zorder": 4}
    pen.text(ax, x, y, words, "number", **pen.type(SMALL, bold=True), **look)


def _head(d: AuditDisplay, pen: Pen, ax: Axes, method: str, head: str, y: float, left: float) -> None:
    """Left of its strips: a method, what its name stands for, and how many of its numbers agree."""
    soft = pen.palette.soft
    lines = [("method", head, pen.type(HEAD, bold=True)), ("verdict", d.verdict(method), pen.type(BODY))]
    if method in FULL_NAMES:
        lines.insert(1, ("full name", FULL_NAMES[method], pen.type(SMALL, color=soft)))
    for k, (role, words, look) in enumerate(lines):
        up = 20.0 * ((len(lines) - 1) / 2 - k)
        place = offset_copy(ax.get_yaxis_transform(), ax.get_figure(root=True), left, up, units="points")
        pen.text(ax, 0.0, y, words, role, ha="left", va="center", transform=place, **look)


__all__ = ["draw_cells", "stacked", "told"]

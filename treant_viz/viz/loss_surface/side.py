"""Drawing what stands beside the map: the loss along a run, from one optimum to the other, or on two cuts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.security_curve.facts import spread
from treant_viz.viz.style.pen import BODY, HEAD, SMALL, Pen, size_of
from treant_viz.viz.style.text import number

if TYPE_CHECKING:
    from treant_viz.viz.loss_surface.display import LossSurfaceDisplay


def draw_side(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """The loss at each step of a run, along the way from ring to star, or on two cuts through the star."""
    cuts = not d.run and not d.moves
    words = "Loss at each step of SLSQP" if d.run else "Loss on the line from ring to star"
    if cuts:
        words = "Loss if only one leaf moves"
    look = pen.type(HEAD, bold=True) | {"transform": ax.transAxes, "va": "bottom"}
    pen.text(ax, 0.0, 1.03, words, "panel head", **look)
    (_losses if d.run else _slices if cuts else _way)(d, pen, ax)
    for axis in (ax.xaxis, ax.yaxis) if d.run or cuts else ():
        axis.set_major_formatter(lambda v, _: number(v))


def _losses(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Loss by step; points that break a constraint are crosses, the optimum is a green line."""
    p, losses = pen.palette, [q.loss for q in d.run]
    legal = [d.surface.feasible(q.y_l, q.y_r) for q in d.run]
    line = ax.plot(range(len(losses)), losses, color=p.ink, linewidth=1.6, zorder=2)[0]
    pen.keep("loss by iteration", line)
    for want, marker, role in ((True, "s", "legal"), (False, "X", "illegal")):
        at = [i for i, ok in enumerate(legal) if ok is want]
        if at:
            dots: dict[str, Any] = {"color": p.ink, "markersize": 9 if want else 11, "linestyle": "none"}
            dots |= {"markeredgecolor": p.background, "zorder": 3, "clip_on": False}
            pen.keep(role, ax.plot(at, [losses[i] for i in at], marker, **dots)[0])
    finite = [x for x in losses if math.isfinite(x)]
    top = 1.3 * max(finite, default=1.0) or 1.0
    ax.set(ylim=(0.0, top), xlim=(-0.3, max(len(losses) - 1, 1) + 0.3))
    across = ax.get_yaxis_transform()
    if d.optimum is not None:
        pen.keep("optimum loss", ax.axhline(d.optimum.loss, zorder=1, color=p.feasible, linewidth=3))
        look = pen.type(SMALL, bold=True) | {"transform": across, "ha": "right", "va": "bottom"}
        pen.text(
            ax,
            0.99,
            d.optimum.loss + 0.015 * top,
            f"optimum {number(d.optimum.loss)}",
            "optimum words",
            **look,
        )
    words = "squares obey all constraints" + "; crosses break one" * (not all(legal))
    look = pen.type(SMALL, color=p.soft) | {"transform": ax.transAxes, "va": "top"}
    pen.text(ax, 0.02, 0.99, words, "chart words", **look)
    pen.style(ax, xlabel="step of SLSQP", ylabel="loss under attack")
    ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]


def _way(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Both losses along the way from what is best if nobody attacks to what is best under attack."""
    a, b, p = d.plain, d.optimum, pen.palette
    assert b is not None
    t = np.linspace(0.0, 1.0, 241)
    pairs = a.y_l + (b.y_l - a.y_l) * t, a.y_r + (b.y_r - a.y_r) * t
    lines = [("way attacked", d.surface.value(*pairs), p.attack, 4.5, "under attack"),
             ("way unattacked", d.surface.unattacked(*pairs), p.ink, 2.2, "if nobody attacks")]  # fmt: skip
    finite = np.concatenate([v[np.isfinite(v)] for _, v, *_ in lines])
    low, high = min(0.0, float(finite.min())), float(finite.max())
    room = 0.1 * ((high - low) or 1.0)
    ax.set(ylim=(low, high + room), xlim=(-0.16, 1.16))
    pen.style(ax, spines=())
    pen.keep("zero", ax.axhline(0.0, color=p.soft, linewidth=1.4))
    zero = pen.type(SMALL, color=p.soft) | {"ha": "left", "va": "bottom"}
    pen.text(ax, -0.16, 0.006 * (high - low), "loss 0", "zero name", **zero)
    same = np.allclose(lines[0][1], lines[1][1])
    for k, (role, values, color, thick, words) in enumerate(lines):
        look: dict[str, Any] = {"color": color, "linewidth": thick, "solid_capstyle": "round", "zorder": 3}
        pen.keep(role, ax.plot(t, values, **look)[0])
        some = values[60:181][np.isfinite(values[60:181])]
        if len(some) and not (same and k):
            change = float(values[-1] - values[0])
            words = "attacked or not" if same else words
            if np.isfinite(change) and number(change) != "0":
                words += f": {number(abs(change))} {'more' if change > 0 else 'less'}"
            y = float(some.min() - 0.2 * room if k else some.max() + 0.2 * room)
            style = pen.type(BODY, bold=True, color=color) | {"ha": "center", "va": "top" if k else "bottom"}
            pen.text(ax, 0.5, y, words, "way name", **style)
    for x, at in ((0.0, 0), (1.0, -1)):
        _ends(pen, ax, x, [(float(v[at]), color) for _, v, color, *_ in lines])
    _way_ticks(d, pen, ax)


def _ends(pen: Pen, ax: Axes, x: float, losses: list[tuple[float, str]]) -> None:
    """The losses at an end of the way, beside it; one number where both are written the same."""
    low, high = ax.get_ylim()
    losses = [(v, color) for v, color in losses if math.isfinite(v)]
    if len({number(v) for v, _ in losses}) == 1:
        losses = losses[:1]
    step = 1.3 * HEAD / size_of(ax)[1] * (high - low)
    for (v, color), y in zip(losses, spread([v for v, _ in losses], step, low, high), strict=True):
        look = pen.type(HEAD, bold=True, color=color) | {"ha": "left" if x else "right", "va": "center"}
        pen.text(ax, x + (0.03 if x else -0.03), y, number(v), "way end", **look)


def _way_ticks(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Both ends of the way, as the map shows them: a ring and a star with the leaves that they stand for."""
    p, low = pen.palette, ax.get_ylim()[0]
    assert d.optimum is not None
    look: dict[str, Any] = {"linestyle": "none", "clip_on": False, "zorder": 5, "markeredgewidth": 1.8}
    ring = {"marker": "o", "markersize": 12.0, "markerfacecolor": p.background, "markeredgecolor": p.ink}
    star = {"marker": "*", "markersize": 20.0, "color": p.attack, "markeredgecolor": p.background}
    pen.keep("way mark", ax.plot([0.0], [low], scalex=False, scaley=False, **look | ring)[0])
    pen.keep("way mark", ax.plot([1.0], [low], scalex=False, scaley=False, **look | star)[0])
    ax.axhline(low, color=p.faint, linewidth=1.4, zorder=0)
    words = [f"leaves {number(round(q.y_l, 6))}\nand {number(round(q.y_r, 6))}" for q in (d.plain, d.optimum)]
    pen.ticks(ax, "y", [], [])
    pen.ticks(ax, "x", [0, 1], words)
    ax.tick_params(axis="x", length=0, pad=10)


def _slices(d: LossSurfaceDisplay, pen: Pen, ax: Axes) -> None:
    """Two cuts through the best point: one leaf moves, the other stays."""
    spans, p, at = d.frame, pen.palette, d.optimum or d.plain
    grids = [np.linspace(low, high, 481)[1:-1] for low, high in spans]
    losses = d.surface.value(grids[0], at.y_r), d.surface.value(at.y_l, grids[1])
    cuts = (("left", "right", at.y_r, "-", grids[0], losses[0]),
            ("right", "left", at.y_l, (0, (4, 1.6)), grids[1], losses[1]))  # fmt: skip
    top = max(float(np.quantile(c[5], 0.9)) for c in cuts) or 1.0
    room = 0.1 * (top - at.loss) or 0.1 * abs(at.loss) or 1.0
    for k, (role, other, still, dash, grid, values) in enumerate(cuts):
        look: dict[str, Any] = {"color": getattr(p, role), "linestyle": dash, "linewidth": 2.6}
        pen.keep("slice", ax.plot(grid, np.where(values <= top, values, np.nan), **look)[0])
        line = "dashed" if k else "solid"
        words = f"{line}: the {role} leaf moves, the {other} one says {number(round(still, 6))}"
        style = pen.type(SMALL, bold=True, color=p.words(role)) | {"transform": ax.transAxes, "va": "top"}  # type: ignore[arg-type]
        pen.text(ax, 0.03, 0.99 - 0.065 * k, words, "slice name", **style)
    ax.set(ylim=(at.loss - room, top + 2.2 * room))
    ax.set(xlim=(min(a for a, _ in spans), max(b for _, b in spans)))
    ax.plot([at.y_l, at.y_r], [at.loss] * 2, "o", color=p.ink, markersize=7, zorder=5)
    pen.style(ax, xlabel="prediction of the leaf that moves", ylabel="loss under attack")


__all__ = ["draw_side"]

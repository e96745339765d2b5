"""Bars as far as rows can be moved, with dots at their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from treant_viz.viz.style.palette import ROLES, Role
from treant_viz.viz.style.pen import Pen
from treant_viz.viz.ternary_partition.scale import ValueAxis

HALF = 0.27  # half the height of a bar, in lanes
MUTED = 0.6  # how much of a branch's colour is left of rows that nobody can push across


class Kind(NamedTuple):
    """Rows of the same value, side and reach."""

    value: float
    side: int
    reach: Any
    rows: int


def draw_bars(
    pen: Pen, ax: Axes, scale: ValueAxis, kinds: Sequence[Kind], at: Sequence[float] | np.ndarray, half: float
) -> None:
    """A bar as far as each can be moved, an upright line for what cannot; a dot at its value."""
    for s, role in enumerate(ROLES):
        found = [(y, a, b) for y, k in zip(at, kinds, strict=True) if k.side == s for a, b in k.reach]
        ends = [(max(a, scale.low), y - half, min(b, scale.high), y + half) for y, a, b in found if a < b]
        boxes(pen, ax, role, f"whisker {role}", ends, muted=role != "unknown")
        tall = half if half == HALF else 0.5 * half
        still = np.array([(a, y - tall, y + tall) for y, a, b in found if a == b]).reshape(-1, 3)
        if len(still):
            color = pen.palette.branch(role).color
            pen.keep(f"still {role}", ax.vlines(*still.T, color=color, linewidth=3.0, zorder=4))
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 9.5 if half == HALF else 6.5}
    look |= {"color": pen.palette.background, "markeredgecolor": pen.palette.ink, "zorder": 7}
    look["markeredgewidth"] = 2.2 if half == HALF else 1.6
    pen.keep("dot", ax.plot([k.value for k in kinds], at, **look)[0])


def boxes(
    pen: Pen, ax: Axes, branch: Role, role: str, ends: Sequence[Sequence[float]] | np.ndarray, *,
    muted: bool = False,
) -> None:  # fmt: skip
    """Rectangles (left, low, right, high) of a branch as a single shape: its texture is made once. What is
    `muted` steps back behind the attacker's rows.
    """
    if not len(ends):
        return
    left, low, right, high = np.asarray(ends, dtype=float).T
    quiet = {"facecolor": pen.palette.tint(branch, MUTED)} if muted else {}
    corners = np.stack([left, low, right, low, right, high, left, high], axis=1).reshape(-1, 4, 2)
    shape = PathPatch(Path.make_compound_path_from_polys(corners), **pen.fill(branch) | {"zorder": 3} | quiet)
    pen.keep(role, ax.add_artist(shape))


__all__ = ["HALF", "Kind", "boxes", "draw_bars"]

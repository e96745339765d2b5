"""The choices of both learners and their ties in a picture of a split search, each with its name.

`at` says where each test stands along the axis of tests; `across`: tests stand below each other, and losses
run to the right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from treant_viz.viz.split_search.draw import dot, label
from treant_viz.viz.split_search.facts import LossLine
from treant_viz.viz.style.pen import Pen
from treant_viz.viz.style.text import counted, number, predicate

if TYPE_CHECKING:
    from treant_viz.viz.split_search.display import Choice, SplitSearchDisplay


def chosen(d: SplitSearchDisplay) -> list[tuple[str, Choice]]:
    found = [("standard choice", d.standard)]
    return found + [("robust choice", d.robust)] * (d.attacked and d.robust is not None)  # type: ignore[list-item]


def draw_marks(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float], *, across: bool = False
) -> None:
    """The choices and the ties of a feature. Where both learners choose the same, it is said once."""
    low, high = ax.get_xlim() if across else ax.get_ylim()
    points = {}
    for role, choice in chosen(d):
        k = line.find(choice.threshold) if choice.feature == line.feature else None
        if k is not None:
            robust = role == "robust choice"
            x, y = at[line.thresholds[k]], float((line.attacked if robust else line.plain)[k])
            points[role] = (y, x) if across else (x, y)
            dot(pen, ax, *points[role], role)
    for role, choice in chosen(d):
        if role not in points or (unhurt(d) and role == "standard choice"):
            continue
        robust = role == "robust choice"
        color, up = pen.palette.attack if robust and not unhurt(d) else pen.palette.ink, 1 if robust else -1
        words = _words(d, choice, role, named=not across)
        label(pen, ax, points[role], words, role.replace("choice", "name"), color=color, up=up)
        worse = choice.loss_under_attack
        if role == "standard choice" and d.attacked and not d.same and worse > choice.loss * (1 + 1e-9):
            _cliff(pen, ax, choice, points[role], min(worse, high - 0.03 * (high - low)), across=across)
    _ties(d, pen, ax, line, at, across=across)


def unhurt(d: SplitSearchDisplay) -> bool:
    """Is one test best with and without the attacker, who does nothing to it?"""
    return d.attacked and d.same and number(d.standard.loss) == number(d.standard.loss_under_attack)


def _words(d: SplitSearchDisplay, choice: Choice, role: str, *, named: bool) -> str:
    """What a choice is; its test is left out where the axis names it."""
    test = predicate(choice.feature, choice.threshold, choice.categorical, 20)
    test, line = (f" {test},", "\n") if named else ("", "")
    plain, attacked = number(choice.loss), number(choice.loss_under_attack)
    if unhurt(d):
        return f"best either way:{test}{line or ' '}loss {plain}"
    when = "of all" if not d.attacked else "under attack" if role == "robust choice" else "if nobody attacks"
    return f"best {when}:{line}{test.removeprefix(' ' * named)} loss {attacked if 'under' in when else plain}"


def _cliff(
    pen: Pen, ax: Axes, choice: Choice, start: tuple[float, float], worse: float, *, across: bool
) -> None:
    """What becomes of the standard choice under attack, and why."""
    end = (worse, start[1]) if across else (start[0], worse)
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "color": pen.palette.attack, "linewidth": 2.2}
    arrow |= {"mutation_scale": 18, "shrinkA": 7.0, "shrinkB": 1.0}
    pen.keep("cliff", ax.annotate("", end, start, arrowprops=arrow, zorder=6))
    n = counted(choice.unknown, "row")
    words = f"under attack: {number(choice.loss_under_attack)},\nas {n} can be pushed across"
    shaft = ax.transData.transform(np.linspace(start, end, 80))
    label(pen, ax, end, words, "cliff name", color=pen.palette.attack, up=1, side=0.0, lines=[shaft])


def _ties(
    d: SplitSearchDisplay, pen: Pen, ax: Axes, line: LossLine, at: dict[Any, float], *, across: bool
) -> None:
    ties = [k for k in np.flatnonzero(line.tied).tolist() if line.thresholds[k] in at]
    best = str(d.robust if d.attacked and d.robust is not None else d.standard)
    others = [k for k in ties if line.predicate(k) != best]
    if not others:
        return
    color = pen.palette.attack if d.attacked else pen.palette.ink
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 11.0, "zorder": 7}
    look |= {"markerfacecolor": pen.palette.background, "color": color, "markeredgewidth": 2.4}
    places, losses = [at[line.thresholds[k]] for k in others], line.attacked[others].tolist()
    points = (losses, places) if across else (places, losses)
    pen.keep("tie", ax.plot(*points, **look)[0])
    found = line.predicate(others[0]) if len(others) == 1 else f"{len(others)} tests"
    words = f"as good{' under attack' * d.attacked}:\n{found}, loss {number(losses[0])}"
    label(pen, ax, (points[0][0], points[1][0]), words, "tie name", color=color, up=-1)


__all__ = ["chosen", "draw_marks"]

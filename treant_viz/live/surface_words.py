"""Words about a run of SLSQP: what it did, what it says of it, and its points as a table. All is HTML."""

from __future__ import annotations

from treant_viz.core.solvers.slsqp import Run
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay
from treant_viz.viz.style.text import for_html, number, value

MOST_POINTS = 14  # of a run in the table
CELL = 'style="padding:0 0.8em"'


def count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def in_words(d: LossSurfaceDisplay, run: Run) -> str:
    """What SLSQP did and what it says of it, against the truth."""
    code, _, verdict = run.status.partition(": ")
    calls = "calls that a success" if code == "0" else "reports a failure"
    if d.optimum is None:
        end = "No pair of leaves is allowed, so no start can help."
    elif d.stuck:
        end = f"But it is stuck: the exact optimum is {number(d.optimum.loss, 4)}. Try another start."
    else:
        end = "It found the exact optimum."
    return (
        f'<div role="status"><b>SLSQP made {count(len(d.run) - 1, "step")} and {calls}</b> '
        f"(status {for_html(code)}: {for_html(verdict)}). {end}</div>"
    )


def points(d: LossSurfaceDisplay) -> str:
    """The run as a table: every point, its loss, and whether it is allowed."""
    rows = []
    for i, p in enumerate(d.run):
        if len(d.run) > MOST_POINTS and MOST_POINTS - 2 <= i < len(d.run) - 1:
            continue
        allowed = "yes" if d.surface.feasible(p.y_l, p.y_r) else "no"
        cells = (i, *(value(round(v, 6)) for v in p), allowed)
        rows.append("<tr>" + "".join(f"<td {CELL}>{for_html(c)}</td>" for c in cells) + "</tr>")
    left_out = len(d.run) - len(rows)
    more = f" ({left_out} points in between are left out)" if left_out else ""
    head = "".join(f'<th scope="col" {CELL}>{h}</th>' for h in ("step", "y_l", "y_r", "L^A", "allowed"))
    caption = f'<caption style="text-align:left">The points of this run{more}</caption>'
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


__all__ = ["count", "in_words", "points"]

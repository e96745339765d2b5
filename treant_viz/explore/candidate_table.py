"""The candidates of a step as a table in HTML, in the order of any of its columns."""

from __future__ import annotations

import math
from typing import Any

from treant_viz.explore.growth_words import candidate_test, chosen_of
from treant_viz.records import Candidates, Step
from treant_viz.viz.loss_lines import feature_name
from treant_viz.viz.text import for_html, name, number

SHOWN = 12
COLUMNS = {
    "order": "number",
    "feature": "feature",
    "threshold": "threshold",
    "left": "L: rows left",
    "unknown": "U: rows unknown",
    "right": "R: rows right",
    "y_l": "left leaf",
    "y_r": "right leaf",
    "loss": "loss L",
    "loss_under_attack": "loss under attack L^A",
    "plain_loss": "standard leaves: L",
    "plain_loss_under_attack": "standard leaves: L^A",
}


def ordered(c: Candidates, sort_by: str, ascending: bool) -> list[int]:
    """The candidates' places, sorted; equals stay in the order in which ties are decided, what is no number last."""
    column: Any = range(len(c)) if sort_by == "order" else getattr(c, sort_by)
    known = [i for i in range(len(c)) if column[i] == column[i]]
    rest = [i for i in range(len(c)) if column[i] != column[i]]
    return sorted(known, key=lambda i: (isinstance(column[i], str), column[i]), reverse=not ascending) + rest


def table(step: Step, sort_by: str, ascending: bool) -> str:
    """The first candidates in the wanted order; what is chosen and what is tied is said in the last column."""
    c = step.candidates
    if c is None or not len(c):
        return f"<p>No test was tried here: {for_html(step.reason)}.</p>"
    order, chosen = ordered(c, sort_by, ascending), chosen_of(step)
    body = "".join(_row(c, i, _note(step, i, chosen)) for i in order[:SHOWN])
    sense = "smallest" if ascending else "largest"
    said = f"Candidate tests, sorted by {COLUMNS[sort_by]}, {sense} first"
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f'<caption style="text-align:left;font-weight:bold">{for_html(said)}</caption>'
        f"<thead><tr>{_heads(sort_by, ascending)}</tr></thead><tbody>{body}</tbody></table></div>"
        f"{_rest(c, order, chosen)}"
    )


def _heads(sort_by: str, ascending: bool) -> str:
    cells = []
    for key, words in COLUMNS.items():
        mark, aria = ("", "")
        if key == sort_by:
            mark, aria = (" ▲", ' aria-sort="ascending"') if ascending else (" ▼", ' aria-sort="descending"')
        cells.append(f'<th scope="col"{aria} style="{_CELL}">{for_html(words)}{mark}</th>')
    return "".join([*cells, f'<th scope="col" style="{_CELL}">what became of it</th>'])


_CELL = "padding:0.1em 0.6em;text-align:right;border-bottom:1px solid #999"


def _row(c: Candidates, i: int, note: str) -> str:
    said = [str(i + 1), feature_name(c.feature[i]), _threshold(c, i)]
    said += [_value(getattr(c, key)[i]) for key in list(COLUMNS)[3:]]
    cells = "".join(f'<td style="{_CELL}">{for_html(words)}</td>' for words in said)
    look = ' style="font-weight:bold"' if note.startswith(("chosen", "best")) else ""
    return f'<tr{look}>{cells}<td style="{_CELL};text-align:left">{for_html(note)}</td></tr>'


def _threshold(c: Candidates, i: int) -> str:
    sign, v = c.test[i], c.threshold[i]
    return f"{sign} {name(v) if sign == '==' else number(v)}"


def _value(x: Any) -> str:
    return number(x.item(), 5) if not math.isnan(x) else "none"


def _note(step: Step, i: int, chosen: int | None) -> str:
    c = step.candidates
    assert c is not None
    if i == chosen:
        return "chosen" if step.taken else "best, but the node stays a leaf"
    if not c.admissible[i]:
        return "not allowed: one side would be empty"
    return "tied with the best" if c.tied[i] else ""


def _rest(c: Candidates, order: list[int], chosen: int | None) -> str:
    """How many are not shown, and where the best one is if it is among them."""
    if len(order) <= SHOWN:
        return ""
    said = f"and {len(order) - SHOWN:,} more"
    if chosen is not None and (at := order.index(chosen)) >= SHOWN:
        said += f"; the best test, {candidate_test(c, chosen)}, is number {at + 1:,} in this order"
    return f"<p>{for_html(said)}</p>"


__all__ = ["COLUMNS", "SHOWN", "ordered", "table"]

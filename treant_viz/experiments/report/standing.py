"""Of the second part of the audit: each learner of ours against the others, in how many of the 42 cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from treant_viz.experiments.report.results import paper_table
from treant_viz.experiments.report.rows import CASES, ResultCell, Section, StoredResults, where_fair
from treant_viz.experiments.report.tables import TextTable
from treant_viz.experiments.schema import METHODS

LEARNERS = ("treant-none", "treant", "treant-tuned", "treant-boost")
RIVALS = ("drop-rf", "drop-gbdt", "ab")
PRINTED = "RF-TREANT as printed"
FAIR = "wine without twins"
Value = Callable[[ResultCell], float | None]
HEAD = (
    "The 42 cells of the paper's table: a data set, a budget of training and attack, a measure. One and the "
    "same learner or way of tuning in all of them; means over seeds, compared to the last digit. A cell in "
    "which a learner is behind, but not by more than its own 95 % interval is wide upwards, is called a tie."
)


class Contest(NamedTuple):
    """A learner against another one, cell by cell."""

    good: int
    ties: int
    cells: int
    least: float
    where: ResultCell

    @property
    def worst(self) -> str:
        return f"{self.least:+.3f} ({self.where.dataset}, {self.where.budget}, {self.where.metric})"


def contest(mine: Value, high: Value, other: Value) -> Contest | None:
    """How often at least as good, how often behind within the interval; None if they share no cell."""
    gaps = [
        (a - b, b <= (high(case) or a), case)
        for case in CASES
        if (a := mine(case)) is not None and (b := other(case)) is not None
    ]
    if not gaps:
        return None
    least, _, where = min(gaps)
    good = sum(gap >= 0 for gap, _, _ in gaps)
    ties = sum(gap < 0 and near for gap, near, _ in gaps)
    return Contest(good, ties, len(gaps), least, where)


def standing(sets: Sequence[StoredResults]) -> Section:
    """The table of all contests."""
    lines = [line for m in LEARNERS if m in sets[0].methods for line in _of(m, sets)]
    if not lines:
        return
    yield "## In how many cells"
    yield ""
    yield HEAD
    yield ""
    head = ["learner", "rows", "against", "at least as good in", "behind, but a tie", "clearly behind"]
    yield TextTable([*head, "its worst cell"], lines).markdown()
    yield ""


def _of(method: str, sets: Sequence[StoredResults]) -> Iterator[list[str]]:
    """Against what is printed, on all rows; against the others, wine without twins."""
    every = sets[0]
    printed = _printed()
    yield from _line(method, every.what, PRINTED, (every,), printed.get)
    if len(sets) > 1:
        for rival in RIVALS:
            yield from _line(method, FAIR, f"{METHODS[rival].label} (`{rival}`)", sets, _value(sets, rival))
        yield from _line(method, FAIR, "the best of these three", sets, _best(sets, RIVALS))


def _line(
    method: str, rows: str, name: str, sets: Sequence[StoredResults], other: Value
) -> Iterator[list[str]]:
    found = contest(_value(sets, method), _value(sets, method, "_high"), other)
    if found is not None:
        behind = found.cells - found.good - found.ties
        counted = [f"{found.good} of {found.cells}", str(found.ties), str(behind)]
        yield [f"{METHODS[method].label} (`{method}`)", rows, name, *counted, found.worst]


def _value(sets: Sequence[StoredResults], method: str, end: str = "") -> Value:
    return lambda case: where_fair(sets, case).value(method, case, end)


def _best(sets: Sequence[StoredResults], methods: Sequence[str]) -> Value:
    """The best of several, where all of them are there."""

    def best(case: ResultCell) -> float | None:
        found = [where_fair(sets, case).value(m, case) for m in methods]
        there = [v for v in found if v is not None]
        return max(there) if len(there) == len(found) else None

    return best


def _printed() -> dict[ResultCell, float]:
    table = paper_table()
    mine = table[table["method"] == "RF-TREANT"]
    return {ResultCell(r["dataset"], r["budget"], r["metric"]): r["value"] for r in mine.to_dict("records")}


__all__ = ["contest", "standing"]

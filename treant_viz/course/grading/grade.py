"""A folder of handed-in notebooks: who has solved what. Results are written as they come; a run goes on where
it was stopped.

`unpack` says whose a notebook is, and `alike` which ones are too much like each other. Whoever handed in
something has at least one row, with the reason if there was nothing to judge.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from treant_viz.core import serial
from treant_viz.course.exercises import every
from treant_viz.course.grading.alike import alike_in
from treant_viz.course.grading.submission import (
    LARGEST,
    NotebookLimits,
    Outcome,
    ReadNotebook,
    asked_in,
    graded,
    read,
)
from treant_viz.course.grading.unpack import HandedIn, handed_in


@dataclass(frozen=True)
class GradeRow:
    """One exercise of one notebook; a notebook with nothing to judge has one row without an exercise."""

    student: str
    notebook: str
    exercise: str
    result: str
    words: str
    notes: str
    seconds: str
    sandbox: str
    digest: str
    reasoning: str = ""
    alike: str = ""


COLUMNS = [f.name for f in fields(GradeRow)]


def grade(
    given: Path, table: Path, limits: NotebookLimits, jobs: int, asked: Sequence[str] = ()
) -> Iterator[tuple[int, int, list[GradeRow]]]:
    """Grade what the table does not hold yet; after each notebook: how many of all are done, the rows.

    With `asked`, notebooks without any of these exercises are not run.
    """
    with TemporaryDirectory(prefix="treant-viz-class-", ignore_cleanup_errors=True) as room:
        points = table.with_name("points.csv")
        found = handed_in(given, Path(room), (table, points, table.with_suffix(".html")))
        class_ = _Class(found, asked)
        if not class_.books:
            raise ValueError(f"{given}: expected a folder with notebooks (*.ipynb), found none in it")
        known = [row for row in read_rows(table) if row.digest and class_.has(row)]
        told = {(row.student, row.notebook) for row in known}
        todo = [one for one in class_.to_run if (one.student, one.name) not in told]
        rows, total = [*class_.without, *known], len(class_.to_run)
        yield total - len(todo), total, class_.finished(rows)
        with ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(graded, one.path, limits): one for one in todo if one.path}
            for done, future in enumerate(as_completed(waiting), total - len(todo) + 1):
                rows += class_.rows(waiting[future], future.result())
                serial.write_whole(table, as_csv(class_.finished(rows)))
                yield done, total, class_.finished(rows)
        whole = as_csv(class_.finished(rows))
        if not table.exists() or table.read_bytes() != whole.encode("utf-8"):
            serial.write_whole(table, whole)  # nothing was run, but something else was handed in


class _Class:
    """What was handed in, by student and name, with what stands in each notebook."""

    def __init__(self, found: list[HandedIn], asked: Sequence[str]) -> None:
        known = every()
        self.books = {(one.student, one.name): one for one in found if one.path}
        self.content = {key: _content(one.path) for key, one in self.books.items()}
        self.digests = {key: _digest(one.path) for key, one in self.books.items() if one.path}
        self.to_run, self.without = [], [_row(one, one.trouble) for one in found if not one.path]
        for key, one in self.books.items():
            inside = set(asked_in(self.content[key].cells, known))
            if asked and inside and not inside & set(asked):
                self.without.append(_row(one, "none of the exercises asked for is in it"))
            else:
                self.to_run.append(one)

    def has(self, row: GradeRow) -> bool:
        return self.digests.get((row.student, row.notebook)) == row.digest

    def rows(self, one: HandedIn, outcome: Outcome) -> list[GradeRow]:
        """The rows of a notebook that has been run."""
        notes = "; ".join(_one_line(note) for note in outcome.notes[:3])
        results = outcome.results or {"": ("not graded", "")}
        if not outcome.results and not notes:
            notes = "no exercise of the course in it"
        key = (one.student, one.name)
        made = _row(one, notes, f"{outcome.seconds:.0f}", outcome.sandbox, self.digests[key])
        return [
            replace(made, exercise=exercise, result=result, words=_one_line(words))
            for exercise, (result, words) in results.items()
        ]

    def finished(self, rows: Iterable[GradeRow]) -> list[GradeRow]:
        """In order, with the students' own words, and with whose is alike."""
        rows = list(rows)
        given: dict[str, dict[str, tuple[str, list[str]]]] = defaultdict(dict)
        for row in rows:
            content = self.content.get((row.student, row.notebook))
            if content and row.exercise:
                given[row.exercise][row.student] = (content.reasons.get(row.exercise, ""), content.cells)
        alike = alike_in(given, {(r.student, r.digest) for r in rows if r.result in ("right", "wrong")})
        made = [
            replace(
                row,
                reasoning=_one_line(given.get(row.exercise, {}).get(row.student, ("", []))[0], 2000),
                alike="; ".join(alike.get((row.student, row.exercise), [])),
            )
            for row in rows
        ]
        return sorted(made, key=astuple)


def _content(path: Path | None) -> ReadNotebook:
    try:
        return read(path) if path else ReadNotebook([], {})
    except (ValueError, OSError):
        return ReadNotebook([], {})  # running it will tell


def _row(one: HandedIn, notes: str, seconds: str = "0", sandbox: str = "", digest: str = "") -> GradeRow:
    return GradeRow(one.student, one.name, "", "not graded", "", notes, seconds, sandbox, digest)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(LARGEST + 1)).hexdigest()[:16]


def _one_line(text: str, most: int = 300) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:most]


def as_csv(rows: Iterable[GradeRow]) -> str:
    """The table; what a spreadsheet would take for a formula is given as the text that it is."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([harmless(text) for text in astuple(row)] for row in rows)
    return out.getvalue()


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def read_rows(table: Path) -> list[GradeRow]:
    """What a table holds already; a file that is none of ours is refused, not written over."""
    if not table.exists():
        return []
    with table.open(newline="", encoding="utf-8") as file:
        header, *lines = [*csv.reader(file)] or [[]]
    if header != COLUMNS or any(len(line) != len(COLUMNS) for line in lines):
        raise ValueError(f"{table}: expected a table of grades with the columns {', '.join(COLUMNS)}")
    return [
        GradeRow(*(text[1:] if text[:2] in ("'=", "'+", "'-", "'@") else text for text in line))
        for line in lines
    ]


__all__ = ["COLUMNS", "GradeRow", "as_csv", "grade", "harmless", "read_rows"]

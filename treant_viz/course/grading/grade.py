"""A folder of handed-in notebooks: who has solved what. Results are written as they come; a run goes on where
it was stopped.

A notebook belongs to the folder it lies in below the one given (`ada/03_ternary_partition.ipynb`), or else to
its own name (`ada_03.ipynb`).
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from treant_viz.core import serial
from treant_viz.course.grading.submission import LARGEST, NotebookLimits, Outcome, graded


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


COLUMNS = [f.name for f in fields(GradeRow)]


def notebooks_in(folder: Path) -> list[Path]:
    """All notebooks below a folder, in order; links, and copies that Jupyter keeps, are left out."""
    found = (p for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
    return sorted(p for p in found if p.is_file() and not p.is_symlink())


def student_of(path: Path, folder: Path) -> str:
    """Whose notebook this is."""
    inside = path.relative_to(folder)
    return inside.parent.as_posix() if len(inside.parts) > 1 else inside.stem


def grade(
    folder: Path, table: Path, limits: NotebookLimits, jobs: int
) -> Iterator[tuple[int, int, list[GradeRow]]]:
    """Grade what the table does not hold yet; after each notebook: how many of all are done, the rows."""
    paths = notebooks_in(folder)
    if not paths:
        raise ValueError(f"{folder}: expected a folder with notebooks (*.ipynb), found none in it")
    digests = {path: _digest(path) for path in paths}
    known = {(row.student, row.notebook, row.digest): row for row in read_rows(table)}
    rows = [r for r in read_rows(table) if any(_same(r, p, folder, digests[p]) for p in paths)]
    todo = [p for p in paths if (student_of(p, folder), p.name, digests[p]) not in known]
    yield len(paths) - len(todo), len(paths), rows
    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(graded, path, limits): path for path in todo}
        for done, future in enumerate(as_completed(waiting), len(paths) - len(todo) + 1):
            path = waiting[future]
            rows = sorted([*rows, *_rows(path, folder, digests[path], future.result())], key=astuple)
            serial.write_whole(table, as_csv(rows))
            yield done, len(paths), rows


def _same(row: GradeRow, path: Path, folder: Path, digest: str) -> bool:
    return (row.student, row.notebook, row.digest) == (student_of(path, folder), path.name, digest)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(LARGEST + 1)).hexdigest()[:16]


def _rows(path: Path, folder: Path, digest: str, outcome: Outcome) -> Iterable[GradeRow]:
    notes = "; ".join(_one_line(note) for note in outcome.notes[:3])
    results = outcome.results or {"": ("not graded", "")}
    if not outcome.results and not notes:
        notes = "no exercise of the course in it"
    for key, (result, words) in results.items():
        yield GradeRow(
            student_of(path, folder), path.name, key, result, _one_line(words), notes,
            f"{outcome.seconds:.0f}", outcome.sandbox, digest,
        )  # fmt: skip


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def as_csv(rows: Iterable[GradeRow]) -> str:
    """The table; what a spreadsheet would take for a formula is given as the text that it is."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_harmless(text) for text in astuple(row)] for row in rows)
    return out.getvalue()


def _harmless(text: str) -> str:
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


__all__ = ["COLUMNS", "GradeRow", "as_csv", "grade", "notebooks_in", "read_rows", "student_of"]

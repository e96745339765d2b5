"""A line for each student, as a gradebook takes it: 1 for an exercise that is right, else 0, and the sum."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence

from treant_viz.course.grading.grade import GradeRow, harmless
from treant_viz.course.grading.submission import RIGHT


def best(rows: Iterable[GradeRow]) -> dict[str, dict[str, str]]:
    """By student and exercise the result; of two, the better one counts. Everybody is in it."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        mine = found[row.student]
        if row.exercise and mine.get(row.exercise) != RIGHT:
            mine[row.exercise] = row.result
    return dict(sorted(found.items()))


def keys_of(rows: Iterable[GradeRow], asked: Sequence[str]) -> list[str]:
    """The exercises that count: those asked for, or else all that somebody handed in."""
    return list(asked) or sorted({row.exercise for row in rows if row.exercise})


def points_csv(rows: Sequence[GradeRow], asked: Sequence[str] = ()) -> str:
    """The table of points; what was not handed in is worth 0."""
    keys, out = keys_of(rows, asked), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", *keys, "sum"])
    for student, results in best(rows).items():
        points = [int(results.get(key) == RIGHT) for key in keys]
        writer.writerow([harmless(student), *points, sum(points)])
    return out.getvalue()


__all__ = ["best", "keys_of", "points_csv"]

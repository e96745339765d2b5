"""The report that a teacher reads: who solved what, which exercises were hard, what needs a second look."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence

from treant_viz.course.grading.grade import GradeRow
from treant_viz.course.grading.points import best, keys_of
from treant_viz.course.grading.sandbox import BY_PYTHON
from treant_viz.course.grading.submission import FAILED, GONE, RIGHT, STOPPED, UNANSWERED, UNCHECKED, WRONG

MARKS = {RIGHT: "✓", WRONG: "✗", UNANSWERED: "–", STOPPED: "…", FAILED: "!", GONE: "∅", UNCHECKED: "?"}
KEY = (
    "✓ right, ✗ wrong, – no answer, … stopped: the notebook crashed or did not end before this cell, "
    "! the cell failed, ∅ the cell is missing, ? the cell ran but did not call the "
    "course's check; empty: not handed in"
)
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Grades</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .3rem .6rem; border-bottom: 1px solid #d8dde3; text-align: left; }}
td.mark {{ text-align: center; }}
.right {{ color: #00694c; }} .wrong {{ color: #a33b00; }} .none {{ color: #5b6672; }}
</style></head><body>
{body}
</body></html>
"""


def report(rows: Sequence[GradeRow], asked: Sequence[str] = ()) -> str:
    """An HTML page; everything that students wrote is escaped. With `asked`, only these exercises count."""
    keys = keys_of(rows, asked)
    judged = [row for row in rows if row.exercise in keys]
    parts = [_summary(rows, judged), _by_student(rows, keys), _by_exercise(judged, keys)]
    parts += [_second_look(rows), _to_mark(judged)]
    return PAGE.format(body="\n".join(part for part in parts if part))


def _summary(rows: Sequence[GradeRow], judged: Sequence[GradeRow]) -> str:
    students, books = {row.student for row in rows}, {(row.student, row.notebook) for row in rows}
    empty = len(students - {row.student for row in judged})
    right = sum(row.result == RIGHT for row in judged)
    words = f"{_counted(len(students), 'student')}, {_counted(len(books), 'file')}: "
    words += f"{right} of {_counted(len(judged), 'exercise')} right."
    if empty:
        words += f" {_counted(empty, 'student')} handed in nothing that could be judged."
    if any(row.sandbox == BY_PYTHON for row in rows):
        words += (
            " This system could not shut the notebooks in (no namespaces): Python itself refused them the"
            " network and files, which somebody determined can get around."
        )
    return f"<h1>Grades</h1><p>{words}</p><p>{KEY}</p>"


def _by_student(rows: Sequence[GradeRow], keys: Sequence[str]) -> str:
    head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
    lines = "".join(
        _student(name, [results.get(key, "") for key in keys]) for name, results in best(rows).items()
    )
    return f"<h2>Who solved what</h2><table><tr><th>student</th>{head}<th>right</th></tr>{lines}</table>"


def _student(name: str, results: Iterable[str]) -> str:
    results = list(results)
    cells = "".join(f'<td class="mark {_look(result)}">{MARKS.get(result, "")}</td>' for result in results)
    return f"<tr><td>{html.escape(name)}</td>{cells}<td>{results.count(RIGHT)}</td></tr>"


def _look(result: str) -> str:
    return {RIGHT: "right", WRONG: "wrong"}.get(result, "none")


def _by_exercise(judged: Sequence[GradeRow], keys: Sequence[str]) -> str:
    lines = ""
    for key in keys:
        rows = [row for row in judged if row.exercise == key]
        wrong = Counter(row.words for row in rows if row.result == WRONG).most_common(3)
        words = "".join(f"<li>{html.escape(text)} ({n})</li>" for text, n in wrong)
        right = sum(row.result == RIGHT for row in rows)
        lines += (
            f"<tr><td>{html.escape(key)}</td><td>{right} of {len(rows)}</td><td><ul>{words}</ul></td></tr>"
        )
    head = "<tr><th>exercise</th><th>right, of those handed in</th>"
    head += "<th>what was wrong, most frequent first</th></tr>"
    return f"<h2>What was hard</h2><table>{head}{lines}</table>"


def _second_look(rows: Sequence[GradeRow]) -> str:
    notes = {(row.student, row.notebook, row.notes) for row in rows if row.notes}
    notes |= {(row.student, row.notebook, f"{row.exercise}: {row.alike}") for row in rows if row.alike}
    if not notes:
        return ""
    words = "Work that is alike is a reason to ask, and no proof."
    head = ("student", "notebook", "what happened")
    return f"<h2>Worth a second look</h2><p>{words}</p>{_table(head, sorted(notes))}"


def _to_mark(judged: Sequence[GradeRow]) -> str:
    """What students wrote below "Why?", beside the verdict: to be marked by a person."""
    told = [(row.exercise, row.student, row.result, row.reasoning) for row in judged if row.reasoning]
    if not told:
        return ""
    return f"<h2>Reasons, to be marked</h2>{_table(('exercise', 'student', 'result', 'why'), sorted(told))}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = "".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{text}</th>' for text in head)}</tr>{lines}</table>"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


__all__ = ["report"]

"""The report that a teacher reads: who solved what, which exercises were hard, what needs a second look."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from treant_viz.course.grading.grade import GradeRow
from treant_viz.course.grading.sandbox import BY_PYTHON
from treant_viz.course.grading.submission import NOT_REACHED, RIGHT, UNANSWERED, WRONG

MARKS = {RIGHT: "✓", WRONG: "✗", UNANSWERED: "–", NOT_REACHED: "…"}
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


def report(rows: Sequence[GradeRow]) -> str:
    """An HTML page; everything that students wrote is escaped."""
    judged = [row for row in rows if row.exercise]
    parts = [_summary(rows, judged), _by_student(judged), _by_exercise(judged), _second_look(rows)]
    return PAGE.format(body="\n".join(part for part in parts if part))


def _summary(rows: Sequence[GradeRow], judged: Sequence[GradeRow]) -> str:
    students, books = {row.student for row in rows}, {(row.student, row.notebook) for row in rows}
    right = sum(row.result == RIGHT for row in judged)
    words = f"{_counted(len(students), 'student')}, {_counted(len(books), 'notebook')}: "
    words += f"{right} of {_counted(len(judged), 'exercise')} right."
    if any(row.sandbox == BY_PYTHON for row in rows):
        words += (
            " This system could not shut the notebooks in (no namespaces): Python itself refused them the"
            " network and files, which somebody determined can get around."
        )
    key = "✓ right, ✗ wrong, – no answer, … not reached: its cell did not run"
    return f"<h1>Grades</h1><p>{words}</p><p>{key}</p>"


def _by_student(judged: Sequence[GradeRow]) -> str:
    keys = sorted({row.exercise for row in judged})
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in judged:
        if found[row.student].get(row.exercise) != RIGHT:  # handed in twice: the better one counts
            found[row.student][row.exercise] = row.result
    head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
    lines = "".join(
        _student(name, [results.get(key, "") for key in keys]) for name, results in sorted(found.items())
    )
    return f"<h2>Who solved what</h2><table><tr><th>student</th>{head}<th>right</th></tr>{lines}</table>"


def _student(name: str, results: Iterable[str]) -> str:
    results = list(results)
    cells = "".join(f'<td class="mark {_look(result)}">{MARKS.get(result, "")}</td>' for result in results)
    return f"<tr><td>{html.escape(name)}</td>{cells}<td>{results.count(RIGHT)}</td></tr>"


def _look(result: str) -> str:
    return {RIGHT: "right", WRONG: "wrong"}.get(result, "none")


def _by_exercise(judged: Sequence[GradeRow]) -> str:
    lines = ""
    for key in sorted({row.exercise for row in judged}):
        rows = [row for row in judged if row.exercise == key]
        wrong = Counter(row.words for row in rows if row.result == WRONG).most_common(3)
        words = "".join(f"<li>{html.escape(text)} ({n})</li>" for text, n in wrong)
        right = sum(row.result == RIGHT for row in rows)
        lines += (
            f"<tr><td>{html.escape(key)}</td><td>{right} of {len(rows)}</td><td><ul>{words}</ul></td></tr>"
        )
    head = "<tr><th>exercise</th><th>right</th><th>what was wrong, most frequent first</th></tr>"
    return f"<h2>What was hard</h2><table>{head}{lines}</table>"


def _second_look(rows: Sequence[GradeRow]) -> str:
    notes = sorted({(row.student, row.notebook, row.notes) for row in rows if row.notes})
    if not notes:
        return ""
    lines = "".join(f"<tr>{''.join(f'<td>{html.escape(text)}</td>' for text in note)}</tr>" for note in notes)
    head = "<tr><th>student</th><th>notebook</th><th>what happened</th></tr>"
    return f"<h2>Worth a second look</h2><table>{head}{lines}</table>"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


__all__ = ["report"]

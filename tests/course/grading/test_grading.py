"""Grading: right and wrong answers are told apart, nothing hostile escapes or counts, nothing is lost."""

from __future__ import annotations

import csv
import json
import os
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from treant_viz.cli.main import main
from treant_viz.course.grading.grade import COLUMNS, GradeRow, as_csv, read_rows
from treant_viz.course.grading.report import report
from treant_viz.course.grading.sandbox import BY_KERNEL, BY_PYTHON
from treant_viz.course.grading.submission import (
    GONE,
    RIGHT,
    STOPPED,
    UNANSWERED,
    WRONG,
    NotebookLimits,
    graded,
)
from treant_viz.course.grading.wire import Opaque, decode, encode
from treant_viz.datasets.shipped import shipped

pytest.importorskip("IPython", reason="IPython is not installed")
ANSWER = 'import treant_viz as tv\ntv.exercises.check("03.1", -4)'
FUNCTION = """
def side(x, v, radius):
    return "left" if x + radius <= v else "right" if x - radius > v else "unknown"

import treant_viz as tv
tv.exercises.check("03.2", side)
"""
PATIENT = NotebookLimits(seconds=300.0)


def handed_in(folder: Path, *cells: str, name: str = "03_ternary_partition.ipynb") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    body = {"cells": [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]}
    (folder / name).write_text(json.dumps(body), encoding="utf-8")
    return folder / name


def results(path: Path, limits: NotebookLimits = PATIENT) -> dict[str, str]:
    return {key: result for key, (result, _) in graded(path, limits).results.items()}


# what counts


def test_the_solutions_are_right_and_the_stubs_are_not():
    folder = shipped("notebooks")
    assert set(results(folder / "solutions" / "03_ternary_partition.ipynb").values()) == {RIGHT}
    untouched = results(folder / "03_ternary_partition.ipynb")
    assert untouched["03.1"] == UNANSWERED and RIGHT not in untouched.values()


def test_a_failing_cell_is_told_and_the_next_ones_have_their_turn(tmp_path):
    path = handed_in(tmp_path, "%matplotlib inline\n1/0", ANSWER, "raise SystemExit(3)", FUNCTION)
    outcome = graded(path, PATIENT)
    assert {key: result for key, (result, _) in outcome.results.items()} == {"03.1": RIGHT, "03.2": RIGHT}
    assert outcome.notes == ["code cell 1: ZeroDivisionError: division by zero", "code cell 3: SystemExit: 3"]


def test_wrong_answers_are_told_what_is_wrong_and_the_last_answer_counts(tmp_path):
    fails = 'tv.exercises.check("03.2", lambda x, v, radius: 1 / 0)'
    path = handed_in(tmp_path, ANSWER, ANSWER.replace("-4", "-5"), fails, FUNCTION, fails)
    found = graded(path, PATIENT).results
    assert found["03.1"] == (WRONG, "At p <= -5 the attacker can send x1 either way.")
    assert found["03.2"] == (WRONG, "Your function fails: ZeroDivisionError: division by zero")


def test_a_function_is_called_in_the_notebooks_own_process(tmp_path):
    """Also one that keeps things between its calls, and takes tables: they come to it."""
    safest = """
import treant_viz as tv
seen = []
def safest(table):
    seen.append(table.shape)
    return table.min(axis=1).idxmax()
tv.exercises.check("09.3", safest)
assert len(seen) > 1
"""
    outcome = graded(handed_in(tmp_path, safest), PATIENT)
    assert outcome.results["09.3"][0] == RIGHT
    assert outcome.notes == []


# what is hostile


def test_there_is_no_network_and_nothing_outside_is_changed(tmp_path):
    victim, mark = tmp_path / "victim", tmp_path / "mark"
    victim.mkdir()
    (victim / "work.txt").write_text("mine")
    path = handed_in(
        tmp_path / "ada",
        "import socket\nsocket.socket().connect(('127.0.0.1', 9))",
        f"open({str(mark)!r}, 'w').write('escaped')",
        f"import shutil\nshutil.rmtree({str(victim)!r})",
        "open('notes.txt', 'w').write('in its own folder it may')",
        f"import os, ctypes\nos.system('touch {mark}; rm -rf {victim}')",
        ANSWER,
    )
    outcome = graded(path, PATIENT)
    assert outcome.results["03.1"][0] == RIGHT
    assert [note[:11] for note in outcome.notes[:3]] == ["code cell 1", "code cell 2", "code cell 3"]
    assert outcome.sandbox in (BY_KERNEL, BY_PYTHON)
    if outcome.sandbox == BY_KERNEL:  # Python alone cannot stop a shell
        assert not mark.exists() and (victim / "work.txt").read_text() == "mine"
    assert not any("code cell 4" in note for note in outcome.notes)


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
def test_the_kernel_grants_a_network_of_its_own(tmp_path):
    """Past Python's own checks: a shell sees no device but the one that leads to itself."""
    check = """
import os
devices = [x.split(":")[0].strip() for x in os.popen("cat /proc/self/net/dev").readlines()[2:]]
assert devices == ["lo"], devices
"""
    path = handed_in(tmp_path, check, ANSWER)
    outcome = graded(path, PATIENT)
    if outcome.sandbox != BY_KERNEL:
        pytest.skip("this system grants no namespaces")
    assert outcome.notes == []


def test_patched_judges_and_forged_messages_do_not_count(tmp_path):
    path = handed_in(
        tmp_path,
        "import treant_viz as tv\nfrom treant_viz.course.exercises import judge\n"
        "judge.Exercise.judged = lambda self, answer: judge.Verdict(self.key, True, 'right')",
        'tv.exercises.check("03.1", {"x1"})',
        """
import os
class Escape:
    def __reduce__(self):
        return os.system, ("touch escaped",)
    def __call__(self, *args):
        return self
tv.exercises.check("03.2", Escape())
for fd in range(3, 20):
    try:
        os.write(fd, b'{"verdict": [true, "right"], "result": "right"}\\n')
    except OSError:
        pass
""",
    )
    assert set(results(path).values()) == {WRONG}


NONSENSE = """
import os
for fd in range(3, 20):
    try:
        os.write(fd, b"{{\\n")
    except OSError:
        pass
while True:
    pass
"""
BAD_ENDS = {
    "endless": "while True: pass",
    "asleep": "import time; time.sleep(10 ** 6)",
    "exit": "import os; os._exit(0)",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "nonsense": NONSENSE,
}


@pytest.mark.parametrize("cell", BAD_ENDS.values(), ids=BAD_ENDS)
def test_what_does_not_end_well_has_an_outcome_all_the_same(tmp_path, cell):
    outcome = graded(handed_in(tmp_path, cell, ANSWER, FUNCTION), NotebookLimits(seconds=4.0))
    assert {key: result for key, (result, _) in outcome.results.items()} == dict.fromkeys(
        ["03.1", "03.2"], STOPPED
    )
    assert len(outcome.notes) == 1


def test_memory_has_a_limit_and_children_do_not_outlive_the_notebook(tmp_path):
    path = handed_in(
        tmp_path,
        "import numpy as np\nnp.ones(10 ** 11)",
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '54321'])",
        ANSWER,
    )
    outcome = graded(path, PATIENT)
    assert outcome.results["03.1"][0] == RIGHT and "MemoryError" in outcome.notes[0]
    if outcome.sandbox == BY_KERNEL:
        assert not [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "54321"]]


# the command


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("handed in")
    handed_in(folder / "Ada", ANSWER, FUNCTION)
    handed_in(folder / "<script>alert(1)", ANSWER.replace("-4", "-5"), name="=cmd|03.ipynb")
    (folder / "empty.ipynb").write_text("")
    (folder / "Ada" / "data.csv").write_text("a\n1\n")
    handed_in(folder / "Bob", "open('data.csv')", "x = 1", name="mine.ipynb")
    handed_in(folder / "Ada" / ".ipynb_checkpoints", ANSWER)
    return folder


def test_the_command_writes_a_table_and_a_report_and_goes_on_where_it_was(folder, tmp_path, capsys):
    table = tmp_path / "grades.csv"
    words = ["grade", str(folder), "--out", str(table), "--jobs", "2"]
    assert main(words) == 0
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["student"], r["exercise"], r["result"]) for r in rows] == [
        ("<script>alert(1)", "03.1", WRONG),
        ("<script>alert(1)", "03.2", GONE),
        ("Ada", "03.1", RIGHT),
        ("Ada", "03.2", RIGHT),
        ("Bob", "", "not graded"),
        ("empty", "", "not graded"),
    ]
    assert rows[0]["notebook"] == "'=cmd|03.ipynb"  # no formula for a spreadsheet
    assert "FileNotFoundError" in rows[4]["notes"] and "not a notebook" in rows[5]["notes"]
    page = (tmp_path / "grades.html").read_text("utf-8")
    assert "3 of" not in page and "2 of 4 exercises right" in page
    assert "<script" not in Tags(page).names and "&lt;script&gt;" in page
    seen = table.stat().st_mtime_ns
    assert main(words) == 0 and table.stat().st_mtime_ns == seen  # nothing new: nothing is run again
    handed_in(folder / "Ada", ANSWER)
    assert main(words) == 0
    assert [r.result for r in read_rows(table) if r.student == "Ada"] == [RIGHT, GONE]
    handed_in(folder / "Ada", ANSWER, FUNCTION)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(f"<{tag}")


def test_bad_input_is_told_in_one_line(tmp_path, capsys):
    assert main(["grade", str(tmp_path / "none")]) == 2
    assert "expected a folder with notebooks" in capsys.readouterr().err
    assert main(["grade", str(tmp_path), "--out", str(tmp_path / "g.csv")]) == 2
    assert "found none in it" in capsys.readouterr().err
    (tmp_path / "mine.csv").write_text("my,own,table\n")
    handed_in(tmp_path / "Ada", ANSWER)
    assert main(["grade", str(tmp_path), "--out", str(tmp_path / "mine.csv")]) == 2
    assert "expected a table of grades" in capsys.readouterr().err
    assert (tmp_path / "mine.csv").read_text() == "my,own,table\n"


def test_a_report_counts_the_better_of_two_and_names_what_was_hard():
    def row(student: str, key: str, result: str, words: str = "") -> GradeRow:
        return GradeRow(student, "n.ipynb", key, result, words, "", "1", BY_PYTHON, "d")

    rows = [row("a", "03.1", RIGHT), row("a", "03.1", WRONG, "Mind."), row("b", "03.1", WRONG, "Mind.")]
    page = report(rows)
    assert '<td>a</td><td class="mark right">✓</td><td>1</td>' in page
    assert "<td>03.1</td><td>1 of 3</td><td><ul><li>Mind. (2)</li></ul>" in page
    assert "no namespaces" in page


texts = st.text(max_size=20)


@given(st.lists(st.tuples(*[texts] * len(COLUMNS)).map(lambda t: GradeRow(*t)), max_size=5))
def test_the_table_is_read_as_it_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    clean = [
        GradeRow(*("".join(c for c in x if c.isprintable()).lstrip("'") for x in vars_of(r))) for r in rows
    ]
    path.write_bytes(as_csv(clean).encode("utf-8", "surrogatepass").replace(b"\r", b""))
    assert read_rows(path) == clean


def vars_of(row: GradeRow) -> list[str]:
    return [getattr(row, name) for name in COLUMNS]


# answers as JSON

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda x: st.lists(x, max_size=3) | st.tuples(x, x) | st.dictionaries(texts, x, max_size=3)
    | st.sets(texts, max_size=3) | st.frozensets(st.integers(), max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(plain)
def test_plain_answers_arrive_as_they_were(answer):
    assert decode(json.loads(json.dumps(encode(answer))), None) == answer


def test_what_else_arrives():
    A = tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 2)
    assert decode(json.loads(json.dumps(encode(A))), None) == A
    assert (
        decode(encode(np.arange(3.0)), None).tolist() == [0, 1, 2]
        and decode(encode(np.float64(2)), None) == 2
    )
    assert decode(encode(...), None) is ...
    kept: list = []
    sent = encode(max, lambda f: kept.append(f) or 0)
    assert decode(sent, lambda number, arguments: kept[number](*arguments))(2, 3) == 3
    assert isinstance(decode(encode(object()), None), Opaque) and isinstance(decode(encode(os), None), Opaque)

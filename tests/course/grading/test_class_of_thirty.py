"""A class of thirty hands in: right, wrong, crashing, endless, hostile. All are graded within ten minutes.

It takes minutes of an idle machine, so it runs only if it is asked for:

    TREANT_VIZ_CLASS=1 pytest -n 0 -s tests/course/grading/test_class_of_thirty.py
"""

from __future__ import annotations

import csv
import json
import os
import time
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from treant_viz.cli.main import main
from treant_viz.course.build import notebook, sources
from treant_viz.course.grading.submission import RIGHT, STOPPED, UNANSWERED, WRONG
from treant_viz.datasets.shipped import shipped

pytestmark = pytest.mark.skipif(
    "TREANT_VIZ_CLASS" not in os.environ, reason="takes minutes: set TREANT_VIZ_CLASS=1"
)
SOURCES = {source.name[:2]: source for source in sources(shipped("notebooks"))}
SECONDS, MINUTES_EACH = 600, "2"
CHECKED = ["02", "03", "04", "05", "06"]  # a sheet's notebooks


def made(number: str, version: str) -> list[str]:
    """The code cells of a notebook as it is handed out, or solved."""
    return [c.source for c in notebook(SOURCES[number], version).cells if c.cell_type == "code"]


def spoiled(cells: list[str]) -> list[str]:
    """Every answer replaced by a number that is wrong for all exercises of 03."""
    return [cell.replace("-4  #", "77  #").replace('return "left"', 'return "right"') for cell in cells]


SOLVED, STUB = made("03", "solution"), made("03", "student")
CRASHING = [
    ["1/0", *SOLVED],
    [*SOLVED, "import os; os._exit(3)"],
    ["import ctypes; ctypes.string_at(0)", *SOLVED],
    ["def broken(:", *SOLVED],
]
ENDLESS = [
    ["while True: pass", *SOLVED],
    [*SOLVED[:-1], "import time; time.sleep(10 ** 6)"],
    ["x = []\nwhile True: x.append(x * 2)"],
]
HOSTILE = [
    ["import socket; socket.create_connection(('127.0.0.1', 80))", *STUB],
    ["import os; os.system('rm -rf ~ ..')", "import shutil; shutil.rmtree('..')", *STUB],
    ["import treant_viz as tv\ntv.exercises.check = lambda *a: print('right')", *STUB],
    ["from treant_viz.course.exercises import judge\n"
     "judge.Exercise.judged = lambda self, a: judge.Verdict(self.key, True, 'right')", *STUB],
]  # fmt: skip


def submissions() -> dict[str, list[str]]:
    right = {f"right-{i:02}": made(CHECKED[i % len(CHECKED)], "solution") for i in range(10)}
    wrong = {f"wrong-{i}": spoiled(SOLVED) for i in range(5)} | {f"stub-{i}": STUB for i in range(4)}
    kinds = {"crashing": CRASHING, "endless": ENDLESS, "hostile": HOSTILE}
    bad = {f"{kind}-{i}": cells for kind, many in kinds.items() for i, cells in enumerate(many)}
    return right | wrong | bad


def hand_in(folder: Path, student: str, cells: list[str]) -> None:
    (folder / student).mkdir(parents=True)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    (folder / student / "handed_in.ipynb").write_text(json.dumps(book), encoding="utf-8")


def test_thirty_submissions_are_graded_within_ten_minutes(tmp_path, capsys):
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    folder, table = tmp_path / "class", tmp_path / "grades.csv"
    class_ = submissions()
    assert len(class_) == 30
    for student, cells in class_.items():
        hand_in(folder, student, cells)
    start = time.monotonic()
    words = ["grade", str(folder), "--out", str(table), "--minutes", MINUTES_EACH, "--jobs", "2"]
    assert main(words) == 0
    seconds = time.monotonic() - start
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    by_student = {name: [row["result"] for row in rows if row["student"] == name] for name in class_}
    with capsys.disabled():
        print(f"\n{len(class_)} submissions in {seconds:.0f} s:", dict(Counter(r["result"] for r in rows)))
    assert all(by_student.values())  # nobody is lost
    for name, results in by_student.items():
        kind = name.partition("-")[0]
        if kind == "right" or name in ("crashing-0", "crashing-1", "crashing-3"):
            assert set(results) == {RIGHT}, name
        if kind == "wrong":
            assert set(results) == {WRONG}, name
        if kind in ("stub", "hostile"):
            assert RIGHT not in results, name
        if name in ("endless-0", "crashing-2"):
            assert set(results) == {STOPPED}, name
    assert set(by_student["stub-0"]) == {UNANSWERED}
    assert victim.read_text() == "mine" and folder.is_dir() and len(list(folder.iterdir())) == 30
    assert seconds < SECONDS

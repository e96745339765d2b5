"""What a class hands in is opened with care, nobody is lost, and what is alike is named."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

from tests.course.grading.test_grading import ANSWER, FUNCTION, PATIENT, handed_in
from treant_viz.cli.main import main
from treant_viz.course.grading import unpack
from treant_viz.course.grading.alike import alike_in
from treant_viz.course.grading.grade import GradeRow, read_rows
from treant_viz.course.grading.points import points_csv
from treant_viz.course.grading.submission import FAILED, GONE, RIGHT, STOPPED, UNCHECKED, WRONG, graded, read
from treant_viz.course.grading.unpack import Refused
from treant_viz.course.lab import copy_notebooks

BOOK = json.dumps({"cells": [{"cell_type": "code", "source": ANSWER}]})


def packed(path: Path, members: dict[str, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def zipped(members: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return out.getvalue()


def troubles(folder: Path, room: Path) -> dict[str, str]:
    room.mkdir()
    return {one.student: one.trouble for one in unpack.handed_in(folder, room)}


# opening


def test_nobody_is_left_out_without_a_word(tmp_path):
    folder = tmp_path / "class"
    packed(folder / "ida.zip", {"work/03.ipynb": BOOK, "__MACOSX/._03.ipynb": "x"})
    handed_in(folder / "ada", ANSWER)
    packed(folder / "eve" / "all.zip", {"03.ipynb": BOOK})
    (folder / "bob").mkdir()
    (folder / "cem").mkdir()
    (folder / "cem" / "work.rar").write_text("x")
    (folder / "dan.pdf").write_text("x")
    (folder / "fay").symlink_to(folder / "ada")
    (folder / ".DS_Store").write_text("x")
    packed(folder / "gus.zip", {"in.zip": zipped({"deeper.zip": zipped({"03.ipynb": BOOK})})})
    packed(folder / "hal.zip", {})
    (folder / "joe.zip").write_text("no zip at all")
    assert troubles(folder, tmp_path / "room") == {
        "ada": "", "ida": "", "eve": "",
        "bob": "handed in nothing: an empty folder",
        "cem": "no notebook: a file .rar",
        "dan": "no notebook: a file .pdf",
        "fay": "a link: it is not followed",
        "gus": "a .zip inside a .zip: not opened",
        "hal": "handed in nothing: an empty .zip",
        "joe": ".zip not opened: it is damaged, or has a password (BadZipFile)",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["../out.ipynb", "/tmp/out.ipynb", "a/../../out.ipynb", "..\\out.ipynb", "C:out"]
)
def test_a_zip_writes_nothing_outside(tmp_path, name):
    path = packed(tmp_path / "s.zip", {"fine.ipynb": BOOK, name: BOOK})
    with pytest.raises(Refused, match="leads outside"):
        unpack.unpack(path, tmp_path / "room" / "in")
    assert sorted(p.name for p in tmp_path.rglob("*.ipynb")) == []


def test_a_link_in_a_zip_is_refused(tmp_path):
    link = zipfile.ZipInfo("link.ipynb")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as out:
        out.writestr(link, "/etc/passwd")
    with pytest.raises(Refused, match="a link"):
        unpack.unpack(tmp_path / "s.zip", tmp_path / "in")


def test_bombs_are_counted_as_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "LARGEST_FILE", 10_000)
    monkeypatch.setattr(unpack, "LARGEST_ZIP", 25_000)
    monkeypatch.setattr(unpack, "MOST_FILES", 4)
    for members in (
        {"big.csv": b"0" * 10_001},
        {f"{i}.csv": b"0" * 9_000 for i in range(3)},
        {f"{i}.csv": b"0" for i in range(5)},
    ):
        path = packed(tmp_path / "bomb.zip", members)
        assert path.stat().st_size < 2_000
        with pytest.raises(Refused, match=r"larger than|more than"):
            unpack.unpack(path, tmp_path / "in")
        assert not (tmp_path / "in").exists()


# why there is no verdict


def test_four_causes_of_no_verdict_are_told_apart(tmp_path):
    fake = "import treant_viz as tv\ntv.exercises.check = lambda key, answer: print('right')"
    for cells, wanted in (
        ([ANSWER], GONE),
        ([ANSWER, "1/0", 'missing\ntv.exercises.check("03.2", 1)'], FAILED),
        ([ANSWER, "import os; os._exit(1)", FUNCTION], STOPPED),
        ([ANSWER, fake, 'tv.exercises.check("03.2", 1)'], UNCHECKED),
    ):
        outcome = graded(handed_in(tmp_path, *cells), PATIENT)
        assert outcome.results["03.1"][0] == RIGHT
        assert outcome.results["03.2"][0] == wanted
        told = "03.2: the course's check was replaced, or is not called"
        assert (told in outcome.notes) == (wanted == UNCHECKED)


# what a class gets, and what comes back


@pytest.fixture(scope="module")
def handed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("handed out")
    copy_notebooks(folder, reasons=True)
    return folder


def test_answers_to_predictions_are_folded_in_what_students_get(handed):
    """No word that answers can be read below the question: the cell shows nothing, the words are folded."""
    import nbformat

    count = 0
    for path in sorted(handed.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
        asked = [
            i for i, c in enumerate(book.cells) if c.cell_type == "markdown" and "**Predict.**" in c.source
        ]
        for i in asked:
            code, after = book.cells[i + 1 : i + 3]
            if code.cell_type == "code" and after.cell_type == "markdown":
                first = after.source.lstrip()
                assert first.startswith(("<details>", "#", ">", "**Try it.**")), (path.name, first[:80])
                count += first.startswith("<details>")
        assert not any(c.get("outputs") for c in book.cells)
    assert count > 50
    told = nbformat.read(next(handed.glob("03_*")), as_version=4)
    [cell] = [c for c in told.cells if "Here these are" in c.source]
    assert cell.source.startswith("<details>")


def test_every_exercise_asks_why(handed):
    from treant_viz.course.exercises import every

    reasons = {key for path in handed.glob("*.ipynb") for key in read(path).reasons}
    assert reasons == set(every())
    assert not any(read(path).reasons[k] for path in handed.glob("*.ipynb") for k in read(path).reasons)


def test_own_words_lie_beside_the_verdict(handed, tmp_path, capsys):
    folder = tmp_path / "class"
    for student, why in (("ada", "Because from 3 nobody gets below 2 & <b>that</b> is all."), ("bob", "")):
        book = json.loads(next(handed.glob("03_*")).read_text("utf-8"))
        cells = [c for c in book["cells"] if "Why 03.1" in "".join(c["source"])]
        [cell] = cells
        cell["source"] += why
        book["cells"] = [{"cell_type": "code", "source": ANSWER}, cell]
        (folder / student).mkdir(parents=True)
        (folder / student / "03.ipynb").write_text(json.dumps(book), "utf-8")
    table = tmp_path / "g.csv"
    assert main(["grade", str(folder), "--out", str(table), "--exercises", "03.1,02.1"]) == 0
    rows = {(r.student, r.exercise): r for r in read_rows(table)}
    assert rows["ada", "03.1"].reasoning.startswith("Because from 3") and not rows["bob", "03.1"].reasoning
    page = (tmp_path / "g.html").read_text("utf-8")
    assert "Reasons, to be marked" in page and "&lt;b&gt;that" in page and "<b>that" not in page
    with (tmp_path / "points.csv").open(newline="") as file:
        assert [*csv.reader(file)] == [
            ["student", "03.1", "02.1", "sum"], ["ada", "1", "0", "1"], ["bob", "1", "0", "1"],
        ]  # fmt: skip
    assert main(["grade", str(folder), "--exercises", "99.9"]) == 2
    assert "--exercises: expected keys" in capsys.readouterr().err


def test_points_are_for_everybody_and_the_better_of_two_counts():
    def row(student: str, key: str, result: str) -> GradeRow:
        return GradeRow(student, "n", key, result, "", "", "1", "", "d")

    rows = [
        row("=a", "03.1", WRONG),
        row("=a", "03.1", RIGHT),
        row("=a", "03.2", WRONG),
        row("b", "", "not graded"),
    ]
    assert points_csv(rows) == "student,03.1,03.2,sum\n'=a,1,0,1\nb,0,0,0\n"


LONG = """
def side(x, v, radius):
    lowest, highest = x - radius, x + radius
    if highest <= v:
        return "left"
    if lowest > v:
        return "right"
    return "unknown"

tv.exercises.check("03.2", side)
"""
WHY = "The row at 3 can be moved to 2, and 2 passes the test, so it is unknown."


def test_what_is_alike_is_named_and_short_answers_are_not():
    commented = LONG.replace("    if highest", "    # mine\n    if  highest")
    other = 'def side(x, v, radius):\n    return "left"\n\ntv.exercises.check("03.2", side)'
    given = {
        "03.2": {
            "ada": (WHY, [LONG]),
            "bob": (WHY.upper().replace(",", ""), [commented]),
            "cem": ("Something else that is long enough to count as words.", [other]),
            "dan": (WHY + " Really.", [other]),
        }
    }
    found = alike_in(given, [("cem", "d1"), ("dan", "d2")])
    assert found["ada", "03.2"] == [
        "the same words as bob",
        "nearly the same words as dan",
        "the same code as bob",
    ]
    assert ("cem", "03.2") not in found
    assert alike_in(given, [("cem", "d"), ("dan", "d")])["cem", "03.2"] == ["the same file as dan"]

"""What a student has solved is remembered beside the notebooks, and shown across them."""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace

import pytest

from treant_viz.course import exercises
from treant_viz.course.exercises.progress import FILE, Progress, progress_in, remember


@pytest.fixture
def in_notebook(tmp_path, monkeypatch):
    """A folder of a student, and a kernel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREANT_VIZ_BOOK", raising=False)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=object))
    return tmp_path


def states() -> dict[str, bool]:
    return {key: state for key, state in exercises.progress().exercises.items() if state is not None}


def test_solved_tried_and_open_exercises_are_told_apart(in_notebook):
    exercises.check("03.1", 1)
    exercises.check("03.2", ...)  # an untouched stub is no try
    assert states() == {"03.1": False}
    exercises.check("03.1", -4)
    exercises.check("03.1", 1)  # what was solved once stays solved
    assert states() == {"03.1": True}
    exercises.check("00.2", 14)
    shown = repr(exercises.progress())
    lines = shown.splitlines()
    assert lines[0].startswith("00 · A tour in five pictures") and lines[0].endswith("○ ◐  0 of 2")
    assert next(line for line in lines if line.startswith("03 · ")).endswith("● ○  1 of 2")
    count = len(exercises.every())
    assert lines[-1] == f"1 of {count} exercises solved. Next: exercise 00.1."
    assert len(lines) == 1 + len({key[:2] for key in exercises.every()})


def test_the_table_is_html_and_says_the_same():
    page = Progress({"98.1": True, "98.2": None, "99.1": False})._repr_html_()
    assert page.count("<tr>") == 2 and "● ○" in page and "◐" in page and "1 of 3 exercises solved" in page
    assert "well done" in repr(Progress({"98.1": True}))


def test_outside_of_a_notebook_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    exercises.check("03.1", -4)
    assert os.listdir(tmp_path) == []


def test_what_is_made_for_the_book_writes_nothing(in_notebook, monkeypatch):
    monkeypatch.setenv("TREANT_VIZ_BOOK", "1")
    exercises.check("03.1", -4)
    assert os.listdir(in_notebook) == []


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"03.1": "yes", "x": 1}', "[" * 10**5])
def test_a_damaged_file_says_nothing_and_is_written_anew(in_notebook, text):
    (in_notebook / FILE).write_text(text)
    assert progress_in(["03.1"]).exercises == {"03.1": None}
    remember("03.1", True)
    assert json.loads((in_notebook / FILE).read_text()) == {"03.1": True}


def test_a_folder_that_cannot_be_written_to_has_no_memory(in_notebook):
    (in_notebook / FILE).mkdir()
    assert exercises.check("03.1", -4)
    assert states() == {}

"""A lecture is made of what the sources mark, takes its time, and needs nothing but its file."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.course.test_guide import part, rows
from treant_viz.cli.main import main
from treant_viz.course import slides as course
from treant_viz.course.build import LEFT_OUT, notebook, sources
from treant_viz.course.marks import slides, without_marks
from treant_viz.course.slides import LECTURES, QUESTIONS, deck, planned
from treant_viz.datasets.shipped import shipped

PLANS = {45: "One lecture of 45 minutes", 90: "One lecture of 90 minutes"}
MARK = "<!-- slide 45 90, 2 min: A title\nSay this. -->"

each = pytest.mark.parametrize("minutes", LECTURES)


@pytest.fixture(scope="module", params=LECTURES)
def lecture(request):
    return request.param, deck(request.param)


def test_notebooks_have_no_marks():
    marked = [
        source.name[:2]
        for source in sources(shipped("notebooks"))
        if "<!-- slide" in source.read_text("utf-8")
    ]
    assert marked == [f"{i:02}" for i in range(11)]  # later ones are in no lecture
    for source in sources(shipped("notebooks")):
        for version in LEFT_OUT:
            assert not [c for c in notebook(source, version).cells if "<!--" in c.source or not c.source]


def test_a_mark_leaves_nothing_behind():
    assert without_marks(f"One.\n\n{MARK}\n\nTwo.") == "One.\n\nTwo."
    assert without_marks(f"One.\n\n{MARK}\n") == "One."
    assert without_marks(MARK) == ""


def test_a_mark_shows_what_comes_next_and_asks_what_was_predicted():
    text = f"**Predict.** Which?\n\n{MARK}\n\n```python\nx = 1\n\nx\n```\n\nOne.\n\nTwo.\n\n**Try it.** More."
    [slide] = slides(text)
    assert slide == (
        {45, 90},
        2,
        "A title",
        "Say this.",
        "Which?",
        ["```python\nx = 1\n\nx\n```"],
        ["One.", "Two."],
    )
    first, second = slides(f"{MARK}\n\nA.\n\nB.\n\n<!-- slide+ -->\n\nC.\n\nD.\n\n{MARK}\n\nE.\n\n> F.")
    assert (first.shown, first.after) == (["A.", "C."], ["D."])
    assert (second.shown, second.after, second.question) == (["E."], [], "")


@pytest.mark.parametrize("mark", ["<!-- slide 45: no minutes -->", "<!-- slides -->", MARK])
def test_a_mark_that_says_too_little_is_refused(mark):
    with pytest.raises(ValueError, match="something to show"):
        list(slides(mark))


@each
def test_a_lecture_takes_its_minutes_as_the_guide_says(minutes):
    told = {number: int(m) for m, number, _ in rows(part(PLANS[minutes]))}
    made: dict[str, int] = {"": QUESTIONS}
    for number, slide in planned(minutes):
        made[number] = made.get(number, 0) + slide.minutes
    assert made == told
    assert sum(made.values()) == minutes


def test_the_short_lecture_is_part_of_the_long_one_and_has_robust_splitting():
    short, long = (list(planned(minutes)) for minutes in LECTURES)
    assert [slide for slide in long if slide in short] == short
    shown = " ".join(block for number, slide in short if number == "04" for block in slide.shown)
    assert "Equation 2" in shown and "RobustSplitDisplay" in shown


def test_a_lecture_stands_alone(lecture):
    minutes, text = lecture
    slides_there = re.findall(r'<section class="slide[^>]*>(.*?)</section>', text, flags=re.S)
    assert len(slides_there) == len(list(planned(minutes))) + 2
    for slide in slides_there:
        said = re.search(r'<aside class="notes"[^>]*>(.*?)</aside>', slide, flags=re.S)[1]
        assert len(said) > 40 and "<h1>" in slide
    plain = re.sub(r"<(pre|code|style|math|script)\b.*?</\1>", "", text, flags=re.S)
    assert "default-src 'none'" in text
    assert "$" not in plain and "merror" not in text and "<a " not in plain
    assert not re.search(r'(src|srcset)="(?!data:)|url\((?!data:)|@import|<link', plain)
    assert all(len(alt) > 40 for alt in re.findall(r'<img [^>]*alt="([^"]*)"', plain))


def test_a_class_is_not_told_to_run_cells(lecture):
    asked = re.findall(r'<div class="question">(.*?)</div>', lecture[1], flags=re.S)
    assert len(asked) >= 7
    assert not [question for question in asked if re.search(r"\bcell\b", question)]


def test_live_pictures_come_along(lecture):
    places = re.findall(r'<div id="(slide-\d\d-cell-\d\d)"><noscript>', lecture[1])
    assert len(places) >= 2 and len(set(places)) == len(places)
    assert all(f'"{place}":' in lecture[1] for place in places)


def test_a_notebook_that_is_behind_its_source_is_named():
    old = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])
    with pytest.raises(ValueError, match="notebook 03 has no cell that begins with 'y = 2'"):
        course._shown("y = 2\ny", old, "03")


def test_the_command_says_so_in_one_line(tmp_path, monkeypatch, capsys):
    empty = nbformat.v4.new_notebook()
    monkeypatch.setattr(course.nbformat, "read", lambda path, as_version: empty)
    assert main(["slides", "--out", str(tmp_path / "x.html")]) == 2
    assert capsys.readouterr().err.startswith("treant-viz slides: notebook 00 has no cell that begins with")
    assert not (tmp_path / "x.html").exists()


def test_the_command_writes_a_lecture(tmp_path, capsys):
    out = tmp_path / "lecture.html"
    assert main(["slides", "--out", str(out)]) == 0
    assert "press N for notes" in capsys.readouterr().out
    assert "minute 0 of 45" in out.read_text(encoding="utf-8")
    assert main(["slides", "--out", str(tmp_path / "no" / "x.html")]) == 2

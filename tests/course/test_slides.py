"""A lecture is made of what its plan says, takes its time, and needs nothing but its file."""

from __future__ import annotations

import re

import nbformat
import pytest

from tests.course.notebooks.test_structure import SOURCES
from tests.course.test_guide import part, rows
from treant_viz.cli.main import main
from treant_viz.course import slides as course
from treant_viz.course.build import notebook
from treant_viz.course.lecture import PICTURES, planned, slides
from treant_viz.course.slides import LECTURES, QUESTIONS, deck

PLANS = {45: "One lecture of 45 minutes", 90: "One lecture of 90 minutes"}
SLIDE = (
    "## A title\n\n45 90 · 2 min · 03\n\n**Cell.** `x = 1`\n\n**Ask.** Which?\n\n"
    "**Show.**\n\nA.\n\nB.\n\n**Say.** This."
)

each = pytest.mark.parametrize("minutes", LECTURES)


@pytest.fixture(scope="module", params=LECTURES)
def lecture(request):
    return request.param, deck(request.param)


def test_a_slide_is_a_heading_its_facts_and_its_parts():
    first, second = slides(f"# A plan\n\nWords.\n\n{SLIDE}\n\n{SLIDE}")
    assert first == second
    shown = (("Cell", "x = 1"), ("Show", "A.\n\nB."))
    assert first == ("A title", {45, 90}, 2, "03", shown, "Which?", "This.")


@pytest.mark.parametrize("missing", ["45 90 · 2 min · 03", "**Say.** This.", "**Cell.** `x = 1`"])
def test_a_slide_that_says_too_little_is_named(missing):
    with pytest.raises(ValueError, match="'A title': expected a line like"):
        list(slides(SLIDE.replace(missing, "").replace("**Show.**\n\nA.\n\nB.", "")))


@each
def test_a_question_comes_before_every_picture(minutes):
    silent = [s.title for s in planned(minutes) if not s.question and s.shown[0][0] in PICTURES]
    assert silent == ["Seven rows and a cheat"]  # a table of the data, no picture


def test_every_cell_of_the_plan_is_one_cell_of_its_source():
    for slide in planned():
        cells = [
            c.source for c in notebook(SOURCES[slide.notebook], "student").cells if c.cell_type == "code"
        ]
        for kind, code in slide.shown:
            assert kind != "Cell" or sum(code in cell for cell in cells) == 1, (slide.title, code)


def test_words_are_defined_before_they_are_used():
    """In the order of the slides: what a loss is, its symbols, and that of an unknown row."""
    for minutes in LECTURES:
        text = [" ".join((s.title, s.question, *(w for _, w in s.shown))) for s in planned(minutes)]
        for word, used in {
            "squared error": r"squared|\bloss(es)?\b",
            "$\\hat y$": r"\\hat y",
            "$$L = ": r"\bL\b",
            "$$L^A = ": r"L\^A",
            "**unknown**": r"unknown",
            "**Attack invariance.**": "invariance",
        }.items():
            defined = [i for i, words in enumerate(text) if word in words]
            first = [i for i, words in enumerate(text) if re.search(used, words)]
            assert not first or first[0] == defined[0], (minutes, word, text[first[0]][:60])


def test_no_slide_points_at_what_is_not_there():
    for slide in planned():
        words = " ".join((slide.question, *(w for kind, w in slide.shown if kind == "Show")))
        assert not re.search(r"\b(above|below|next cell|this cell|notebook)\b", words), slide.title


ACTS = (
    "ask show say write let point hands stress drag take read collect work put run be wait go lay use follow"
    " step do they most find make"
)


def test_notes_are_spoken_and_say_what_to_do():
    """None is words of a notebook: each addresses the speaker, and can be said in its minutes."""
    for slide in planned():
        spoken = re.findall(r"\w+", slide.notes.lower())
        assert set(spoken) & set(ACTS.split()), slide.title
        assert 20 <= len(spoken) <= 60 * slide.minutes, slide.title
        assert not re.search(r"[Nn]otebook \d|next picture|the cell\b", slide.notes), slide.title


def test_what_the_slides_compute_is_right():
    """The numbers that the plan writes out itself."""
    import treant_viz as tv

    toy, alcohol = tv.load_toy(), tv.Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5))
    for threshold, told in ((1, 5), (2, 38)):
        stump = tv.Node("p", threshold, tv.Leaf(-1), tv.Leaf(2))
        assert tv.loss_under_attack(stump, toy.X, toy.y, toy.attacker) == told
    [reach] = tv.Attacker([alcohol], 40).reachable("alcohol", 10.8)
    assert (reach.low, reach.high) == (10.8, 11.5)


@each
def test_a_lecture_takes_its_minutes_as_the_guide_says(minutes):
    told = {number: int(m) for m, number, _ in rows(part(PLANS[minutes]))}
    made: dict[str, int] = {"": QUESTIONS}
    for slide in planned(minutes):
        made[slide.notebook] = made.get(slide.notebook, 0) + slide.minutes
    assert made == told
    assert sum(made.values()) == minutes


def test_the_short_lecture_is_part_of_the_long_one_and_has_robust_splitting():
    short, long = (list(planned(minutes)) for minutes in LECTURES)
    assert [slide for slide in long if slide in short] == short
    shown = " ".join(what for slide in short if slide.notebook == "04" for _, what in slide.shown)
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
    assert not re.search(r'(src|srcset)="(?!data:)|url\((?!data:|#)|@import|<link', plain)
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
    with pytest.raises(ValueError, match="notebook 03 has no cells with 'y = 2'"):
        course._shown("y = 2", old, "03")


def test_a_panel_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"no panel \['\(z\)'\]"):
        course._panels(["(b)", "(z)"])


def test_the_command_says_so_in_one_line(tmp_path, monkeypatch, capsys):
    empty = nbformat.v4.new_notebook()
    monkeypatch.setattr(course.nbformat, "read", lambda path, as_version: empty)
    assert main(["slides", "--out", str(tmp_path / "x.html")]) == 2
    assert capsys.readouterr().err.startswith("treant-viz slides: notebook 00 has no cells with")
    assert not (tmp_path / "x.html").exists()


def test_the_command_writes_a_lecture(tmp_path, capsys):
    out = tmp_path / "lecture.html"
    assert main(["slides", "--out", str(out)]) == 0
    assert "press N for" in capsys.readouterr().out
    assert "minute 0 of 45" in out.read_text(encoding="utf-8")
    assert main(["slides", "--out", str(tmp_path / "no" / "x.html")]) == 2

"""Questions with choices: a mark in the source, words in the notebook, buttons in the book."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nbformat
import pytest

from tests.course.notebooks.test_structure import SOURCES
from treant_viz.course.book import page
from treant_viz.course.build import notebook
from treant_viz.course.marks import without_marks
from treant_viz.course.questions import AnswerChoice, Question, asked, with_buttons

MARK = """<!-- question: Is x2 unknown at $x_p \\le 2$,
  if the budget is 1?
- Yes | It can be raised to 2, and
  2 passes the test.
+ No, *never* | It goes left under every attack.
- Only `x3` | That is another row.
-->"""
ASKED = Question(
    "Is x2 unknown at $x_p \\le 2$, if the budget is 1?",
    (
        AnswerChoice("Yes", False, "It can be raised to 2, and 2 passes the test."),
        AnswerChoice("No, *never*", True, "It goes left under every attack."),
        AnswerChoice("Only `x3`", False, "That is another row."),
    ),
)


class Outline(HTMLParser):
    """The tags of a page, with their attributes, and the words in buttons."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.buttons: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "button":
            self.buttons.append("")
        self.inside = tag == "button" or (self.inside and tag != "template")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "button"

    def handle_data(self, data):
        if self.inside:
            self.buttons[-1] += data


def test_a_mark_becomes_plain_words_with_a_folded_answer():
    words = without_marks(f"Before.\n\n{MARK}\n\nAfter.")
    seen, _, rest = words.partition("<details>")
    assert seen.startswith("Before.\n\n**Question.** Is x2 unknown")
    assert re.findall(r"^- \*\*([A-C])\*\* (.+)$", seen, flags=re.M) == [
        ("A", "Yes"), ("B", "No, *never*"), ("C", "Only `x3`"),
    ]  # fmt: skip
    assert "right" not in seen and "- **B** is right. It goes left" in rest
    assert words.endswith("</details>\n\nAfter.") and "<!--" not in words


def test_what_is_written_is_read_back():
    assert asked(without_marks(f"Before.\n\n{MARK}\n\nMore.\n\n{MARK}")) == [ASKED, ASKED]
    assert asked("**Question.** What is this?\n\n- A list\n") == []


def test_every_question_of_the_course_is_read_back_and_has_one_right_choice():
    for number, source in SOURCES.items():
        marks = source.read_text(encoding="utf-8").count("<!-- question:")
        cells = notebook(source, "student").cells
        found = [question for cell in cells for question in asked(cell.source)]
        assert len(found) == marks >= 1, number
        assert all([c.right for c in question.choices].count(True) == 1 for question in found)


def test_the_right_choice_is_not_always_in_the_same_place():
    places = {
        [c.right for c in question.choices].index(True)
        for source in SOURCES.values()
        for cell in notebook(source, "student").cells
        for question in asked(cell.source)
    }
    assert len(places) >= 3


@pytest.mark.parametrize(
    "mark",
    [
        "<!-- question: None is right?\n- A | no\n- B | no\n-->",
        "<!-- question: Both?\n+ A | yes\n+ B | yes\n-->",
        "<!-- question: Only one?\n+ A | yes\n-->",
        "<!-- question: Nothing said?\n+ A\n- B | no\n-->",
    ],
)
def test_a_mark_that_is_no_question_is_refused(mark):
    with pytest.raises(ValueError, match="expected choices"):
        without_marks(mark)


def test_the_book_has_a_button_for_each_choice_and_says_nothing_early():
    book = nbformat.v4.new_notebook(cells=[
        nbformat.v4.new_markdown_cell(f"# 99 · A test\n\n{without_marks(MARK)}\n\nAfter.", id="cell-00"),
    ])  # fmt: skip
    text = page(book)
    outline = Outline(text)
    buttons = [attributes for tag, attributes in outline.tags if tag == "button"]
    assert [b["type"] for b in buttons] == ["button"] * 3
    assert [b["data-right"] for b in buttons] == ["false", "true", "false"]
    assert outline.buttons == ["Yes", "No, never", "Only x3"]
    [region] = [a for tag, a in outline.tags if tag == "section"]
    assert region["aria-labelledby"] == "cell-00-question-1"
    assert any(a.get("id") == "cell-00-question-1" for _, a in outline.tags)
    assert [a["role"] for tag, a in outline.tags if a.get("class") == "feedback"] == ["status"]
    seen = re.sub(r"<(template|noscript|script|style)\b.*?</\1>", "", text, flags=re.S)
    assert "goes left under every attack" not in seen and "$" not in seen
    assert "goes left under every attack" in text
    assert "script-src 'sha256-" in text  # the page runs this one script, and no other


def test_a_page_without_questions_has_no_script():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# 99 · A test", id="cell-00")])
    assert "script-src 'none'" in page(book)


def test_names_of_questions_are_unique_within_a_page():
    words = with_buttons(without_marks(f"{MARK}\n\n{MARK}"), "cell-07", lambda text: text)
    ids = re.findall(r' id="([^"]+)"', words)
    assert ids == ["cell-07-question-1", "cell-07-question-2"]

"""In the book a prediction stays one: picture and answer are folded, nothing is lost or told early."""

from __future__ import annotations

import re

import nbformat
import pytest

from treant_viz.course.book import notebooks, page
from treant_viz.course.reveal import INVITATION, QUESTION, answer, folded, is_reveal

WORDS, CODE = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
OUT = [nbformat.v4.new_output("stream", text="42")]


def whole(cells):
    return "".join(f"[{c.source}={'42' if c.get('outputs') else ''}]" for c in cells)


def code(cells):
    return "".join(f"[{c.source}=]" for c in cells)


def shown(cells):
    return "".join(f"[={'42' if c.outputs else ''}]" for c in cells)


def made(*cells) -> list[str]:
    """What is seen before, in the fold and after it, for as many folds as there are."""
    text = folded(list(cells), whole, code, shown)
    return re.split(f'<details class="reveal"><summary>{INVITATION}</summary>|</details>', text)


def test_a_picture_and_the_words_that_answer_are_folded():
    cells = WORDS(f"{QUESTION} Which?"), CODE("f()", outputs=OUT), WORDS("This.\n\nBecause.\n\n## Next")
    assert made(*cells) == [f"[{QUESTION} Which?=][f()=]", "[=42][This.\n\nBecause.=]", "[## Next=]"]
    assert cells[2].source.startswith("This.")  # the notebook itself is left alone


def test_the_next_cell_keeps_its_introduction():
    cells = WORDS(QUESTION), CODE("f()", outputs=OUT), WORDS("This.\n\nNow look:"), CODE("g()", outputs=OUT)
    assert made(*cells)[1:] == ["[=42][This.=]", "[Now look:=][g()=42]"]


def test_a_cell_that_the_answer_runs_into_tells_nothing_before():
    cells = (WORDS(QUESTION), CODE("f()", outputs=OUT), WORDS("This. In numbers:"), CODE("g()", outputs=OUT))
    assert made(*cells)[1:] == ["[=42][This. In numbers:=][g()=42]", ""]
    assert made(*cells, WORDS("So.\n\n### Exercise"))[1:] == [
        "[=42][This. In numbers:=][g()=42][So.=]",
        "[### Exercise=]",
    ]


def test_without_a_question_nothing_is_folded():
    assert made(WORDS("Look."), CODE("f()", outputs=OUT)) == ["[Look.=][f()=42]"]
    assert made(WORDS(QUESTION), CODE("f()")) == [f"[{QUESTION}=][f()=]"]


@pytest.mark.parametrize("end", ["> Said.", "## A", "### B", "**Try it.** C", "**Predict.** D", "| a | b |"])
def test_an_answer_ends_where_something_new_begins(end):
    assert answer(f"One.\n\nTwo.\n\n{end}\n\nMore.", before_code=False) == ("One.\n\nTwo.", f"{end}\n\nMore.")
    assert answer(end, before_code=True) == ("", end)


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem[:2])
def test_every_prediction_of_the_book_is_folded_and_nothing_is_lost(path):
    book = nbformat.read(path, as_version=4)
    text = page(book)
    asked = sum(is_reveal(*pair) for pair in zip(book.cells, book.cells[1:]))
    folds = re.findall(r'<details class="reveal">(.*?)</details>', text, flags=re.S)
    assert len(folds) == asked >= 2
    assert not [fold for fold in folds if re.search(r"<h[1-6]|exercises\.check|\bTry it\.", fold)]
    pictures = sum("image/png" in o.get("data", {}) for c in book.cells for o in c.get("outputs", ()))
    assert text.count('src="data:image/png;base64,') == pictures
    plain = re.sub(r"<[^>]+>", "", text)
    for cell in book.cells:
        for heading in re.findall(
            r"^#+ ([\w ,]+)$", cell.source if cell.cell_type == "markdown" else "", re.M
        ):
            assert heading in plain

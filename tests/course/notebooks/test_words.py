"""The words of the course: the attacker is nobody in particular, and a symbol means one thing."""

from __future__ import annotations

import re

import pytest

from tests.course.notebooks.test_structure import prose
from treant_viz.course.build import sources
from treant_viz.course.exercises import every
from treant_viz.datasets.shipped import shipped

NUMBERS = [source.name[:2] for source in sources(shipped("notebooks"))]

each = pytest.mark.parametrize("number", NUMBERS)
DIALECT = ("by nature", "at home", "is his", "purse", "that hair", "bare eye", "dearer", "makes of a row")


def formulas(text: str) -> list[str]:
    """What stands between dollars, code left out."""
    return re.findall(r"\$\$?([^$]+)\$\$?", re.sub(r"`[^`]*`", "", text))


def told(number: str) -> str:
    """All that the exercises of a notebook may say but for what their judges find."""
    exercises = [exercise for key, exercise in every().items() if key.startswith(number)]
    return " ".join(words for e in exercises for words in (*e.hints, e.praise))


@each
def test_the_attacker_is_they(number):
    words = f"{prose(number, 'solution')} {told(number)}"
    assert not re.findall(r"\b(?:he|his|him|himself|she|her)\b", words, flags=re.IGNORECASE)


@each
def test_it_is_written_in_english_not_in_a_dialect(number):
    assert not [phrase for phrase in DIALECT if phrase in f"{prose(number, 'solution')} {told(number)}"]


@each
def test_the_parts_of_the_ternary_partition_have_their_arguments(number):
    """D_l(f, v, A), never D_l: capital D_L is a half of the robust split."""
    assert not [
        f
        for f in formulas(prose(number))
        if re.search(r"D(?:\^\\lambda)?_[lru](?!\(f, ?v, ?A\)|\(p,1,A\))", f)
    ]


@each
def test_the_letter_l_is_a_loss(number):
    """Sides are words: bold letters L, R and U are none."""
    assert not re.search(r"\*\*[LRU]\*\*", prose(number))


@each
def test_no_line_of_a_paragraph_is_taken_for_a_list(number):
    """A number with a point, or a dash, at the start of a line turns the rest of a paragraph into a list."""
    item = re.compile(r"(?:[-+*]|\d+[.)]) ")
    for first, *others in (paragraph.split("\n") for paragraph in prose(number).split("\n\n")):
        assert item.match(first) or not [line for line in others if item.match(line)]

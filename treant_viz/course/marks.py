"""Marks in the notebooks' sources say what is on a slide; notebooks are made without them.

    <!-- slide 45 90, 3 min: The title of the slide
    What to say.
    -->

A mark belongs to what comes next, a paragraph, a quotation or what a cell shows. It names the lectures that
have the slide, and its minutes. After `<!-- slide+ -->` the next block is on the same slide.

    <!-- answer: What you see after "Try it". -->

An answer is for the version with solutions only. (`questions.py` has the marks of questions.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from treant_viz.course.questions import for_notebooks

_MARK = re.compile(r"<!-- slide\b.*?-->\s*", re.S)
_FENCE = re.compile(r"^```python[^\n]*\n.*?^```$", re.M | re.S)
_SLIDE = re.compile(r"<!-- slide ([\d ]+), (\d+) min: ([^\n]+?)\s*(?:\n(.*?))?\s*-->", re.S)
_ANSWER = re.compile(r"<!-- answer: (.*?)\s*-->\s*", re.S)
_NOT_FOR_SLIDES = re.compile(r"<!-- (?:answer|question): .*?-->\s*", re.S)
MORE = "<!-- slide+ -->"


class Marked(NamedTuple):
    """A slide as its source has it: what it shows are paragraphs, or cells by their code."""

    lectures: frozenset[int]
    minutes: int
    title: str
    notes: str
    question: str
    shown: list[str]
    after: list[str]


def without_marks(words: str, answers: bool = False) -> str:
    """The words of a notebook's cell, with the answers or without them.

    >>> without_marks("One.\\n\\n<!-- slide 45, 2 min: A title -->\\n\\nTwo.\\n\\n<!-- slide+ -->\\n")
    'One.\\n\\nTwo.'
    >>> without_marks("**Try it.** Add 1.\\n\\n<!-- answer: It is 2. -->", answers=True)
    '**Try it.** Add 1.\\n\\n**Answer.** It is 2.'
    """
    told = _ANSWER.sub(r"**Answer.** \1\n\n" if answers else "", _MARK.sub("", words))
    return for_notebooks(told).rstrip()


def is_code(block: str) -> bool:
    return block.startswith("```python")


def code_of(block: str) -> str:
    """The code between the fences."""
    return "\n".join(block.splitlines()[1:-1])


def blocks(source: str) -> Iterator[str]:
    """Cells, marks and paragraphs in their order."""
    end = 0
    for cell in _FENCE.finditer(source):
        yield from _paragraphs(source[end : cell.start()])
        yield cell[0]
        end = cell.end()
    yield from _paragraphs(source[end:])


def _paragraphs(text: str) -> Iterator[str]:
    for part in re.split(r"(<!-- slide\b.*?-->)", text, flags=re.S):
        yield from (
            p.strip("\n") for p in ([part] if part[:10] == "<!-- slide" else re.split(r"\n\s*\n", part))
        )


def slides(source: str) -> Iterator[Marked]:
    """The slides that a source is marked for."""
    found = [block for block in blocks(_NOT_FOR_SLIDES.sub("", source)) if block.strip()]
    for i, block in enumerate(found):
        if block.startswith("<!-- slide") and block != MORE:
            yield _slide(block, found[:i], found[i + 1 :])


def _slide(mark: str, before: list[str], rest: list[str]) -> Marked:
    told = _SLIDE.fullmatch(mark)
    if told is None or not rest:
        raise ValueError(f"expected <!-- slide 45 90, 2 min: title -->, and something to show, got {mark!r}")
    shown, end = rest[:1], 1
    while MORE in rest[end:] and not any(is_mark(b) for b in rest[end : rest.index(MORE, end)]):
        end = rest.index(MORE, end) + 2
        shown.append(rest[end - 1])
    lectures = frozenset(map(int, told[1].split()))
    question = before[-1].partition("**Predict.**")[2].strip() if before and is_code(shown[0]) else ""
    return Marked(
        lectures, int(told[2]), told[3], told[4] or "", question, shown, list(_text_after(rest[end:]))
    )


def is_mark(block: str) -> bool:
    return block.startswith("<!-- slide")


def _text_after(rest: list[str]) -> Iterator[str]:
    """What the notebook says about what was shown: up to the next cell, heading, quotation or task."""
    for block in rest:
        if is_mark(block) or is_code(block) or block.startswith(("#", ">", "**Try it.**", "**Predict.**")):
            return
        yield block


__all__ = ["Marked", "code_of", "is_code", "slides", "without_marks"]

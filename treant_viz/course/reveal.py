"""Predictions stay predictions: what a cell shows after a question is folded until a reader opens it.

The answer in words that follows is folded with it, up to the next heading, task or quotation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

QUESTION = "**Predict.**"
INVITATION = "Predict first, then open"
WHY = re.compile(r"\*\*Why (\d\d\.\d)\?\*\*[^\n]*")  # a student's own words on an exercise stand below
_ENDS = ("#", ">", "|", "```", "**", "<details", "<section")  # an answer is over: a heading, a task ...
Export = Callable[[list[Any]], str]


def folded(cells: list[Any], whole: Export, code: Export, shown: Export) -> str:
    """Cells as HTML: `whole` writes them as they are, `code` and `shown` only what goes in or comes out."""
    return "".join(_parts(deepcopy(cells), whole, code, shown))


def _parts(cells: list[Any], whole: Export, code: Export, shown: Export) -> Iterator[str]:
    start, i = 0, 1
    while i < len(cells):
        if is_reveal(cells[i - 1], cells[i]):
            told, end = answered(cells, i + 1)
            yield whole(cells[start:i]) + code([cells[i]])
            inside = shown([cells[i]]) + whole(told)
            yield f'<details class="reveal"><summary>{INVITATION}</summary>{inside}</details>'
            start = i = end
        i += 1
    yield whole(cells[start:])


def is_reveal(before: Any, cell: Any) -> bool:
    """Does the cell show what the words before it asked for?"""
    asked = before.cell_type == "markdown" and QUESTION in before.source
    return bool(asked and cell.cell_type == "code" and cell.outputs)


def answered(cells: list[Any], start: int) -> tuple[list[Any], int]:
    """The cells of the answer, and where the rest begins. Cells that an answer runs into belong to it."""
    told, i = [], start
    while i < len(cells):
        if cells[i].cell_type == "code":
            told.append(cells[i])
        else:
            made = deepcopy(cells[i])
            before_code = i + 1 < len(cells) and cells[i + 1].cell_type == "code"
            made.source, rest = answer(made.source, before_code)
            told += [made] * bool(made.source)
            if rest:
                cells[i].source = rest
                return told, i
        i += 1
    return told, i


def answer(words: str, before_code: bool) -> tuple[str, str]:
    """The answer that some words begin with, and the rest: the last paragraph before a cell introduces it.

    >>> answer("It is 3.\\n\\nBecause.\\n\\n**Try it.** Again.", before_code=False)
    ('It is 3.\\n\\nBecause.', '**Try it.** Again.')
    >>> answer("It is 3.\\n\\nHere is more:", before_code=True)
    ('It is 3.', 'Here is more:')
    """
    paragraphs = words.split("\n\n")
    end = next((i for i, p in enumerate(paragraphs) if p.startswith(_ENDS)), len(paragraphs))
    if before_code and end == len(paragraphs) and end > 1:
        end -= 1
    return "\n\n".join(paragraphs[:end]), "\n\n".join(paragraphs[end:])


__all__ = ["INVITATION", "QUESTION", "WHY", "answer", "answered", "folded", "is_reveal"]

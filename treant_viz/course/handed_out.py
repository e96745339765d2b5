"""A notebook as a class gets it: no outputs, answers to predictions folded, and a place for reasons.

Cells that nobody may see before predicting are made from the same rules as the book's (`reveal`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat

from treant_viz.course.reveal import INVITATION, answered, is_reveal

_CHECK = re.compile(r"""exercises\.check\(\s*["'](\d\d\.\d)["']""")


def handed_out(path: Path, reasons: bool = False) -> str:
    """A notebook's text before anybody has run it; with `reasons`, a cell "Why?" after each exercise."""
    book = nbformat.read(path, as_version=4)
    cells = list(_folded(deepcopy(book.cells)))
    book.cells = list(_with_reasons(cells)) if reasons else cells
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _folded(cells: list[Any]) -> Iterator[Any]:
    """The words that answer a prediction wait behind a click."""
    i = 0
    while i < len(cells):
        yield cells[i]
        if i + 1 < len(cells) and is_reveal(cells[i], cells[i + 1]):
            told, end = answered(cells, i + 2)
            yield cells[i + 1]
            for number, cell in enumerate(told):
                if cell.cell_type == "markdown":
                    cell.id = f"{cells[i + 1].id}-answer-{number}"[:64]
                    cell.source = f"<details><summary>{INVITATION}</summary>\n\n{cell.source}\n\n</details>"
                yield cell
            i = end - 1
        i += 1


def _with_reasons(cells: list[Any]) -> Iterator[Any]:
    for cell in cells:
        yield cell
        if cell.cell_type == "code" and (found := _CHECK.search(cell.source)):
            words = f"**Why {found[1]}?** Write one or two sentences below this line.\n\n"
            yield nbformat.v4.new_markdown_cell(
                words, id=f"why-{found[1].replace('.', '-')}", metadata={"tags": ["why"]}
            )


__all__ = ["handed_out"]

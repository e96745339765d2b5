"""From one source to two notebooks: the student's has stubs where the other has solutions.

A source is Markdown with Python cells (jupytext reads it). A cell tagged "stub" is for students, one tagged "solution"
for those who look it up; all other cells are in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext
import nbformat

LEFT_OUT = {"student": "solution", "solution": "stub"}  # the tag that a version does without
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def sources(folder: Path) -> list[Path]:
    """The sources in reading order."""
    return sorted((folder / "source").glob("[0-9][0-9]_*.md"))


def target(source: Path, version: str) -> Path:
    """The notebook that a version of a source becomes."""
    folder = source.parents[1] / ("" if version == "student" else "solutions")
    return folder / f"{source.stem}.ipynb"


def notebook(source: Path, version: str) -> Any:
    """One version of a source as a notebook without outputs; cells are numbered, so that it is always the same."""
    read = jupytext.read(source, fmt="md")
    made = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})
    made.cells = list(_cells(read, LEFT_OUT[version]))
    return made


def _cells(read: Any, without: str) -> Iterator[Any]:
    for number, cell in enumerate(read.cells):
        tags = cell.metadata.get("tags", [])
        if without in tags:
            continue
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        yield make(cell.source, id=f"cell-{number:02}", metadata={"tags": tags} if tags else {})


__all__ = ["notebook", "sources", "target"]

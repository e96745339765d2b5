"""Builds two executed notebooks from one source: the student's has stubs where the other has solutions.

A source is Markdown with Python cells (jupytext reads it). A cell tagged "stub" is for students, one tagged
"solution" for those who look it up; all other cells are in both. `python -m treant_viz.course.build [00 ...]`
makes both versions, runs them, and keeps what they show for readers who have no kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from treant_viz.course.marks import without_marks
from treant_viz.datasets.shipped import shipped
from treant_viz.live.explore.base import BOOK, FOR_BOOKS

LEFT_OUT = {"student": "solution", "solution": "stub"}  # the tag that a version does without
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

LIVE = "application/vnd.jupyter.widget-view+json"  # useless without a kernel; the picture beside it is kept
QUIET = ["--log-level=ERROR"]
TOO_LONG = 600  # seconds for one cell


def sources(folder: Path) -> list[Path]:
    """The sources in reading order."""
    return sorted((folder / "source").glob("[0-9][0-9]_*.md"))


def target(source: Path, version: str) -> Path:
    """The notebook that a version of a source becomes."""
    folder = source.parents[1] / ("" if version == "student" else "solutions")
    return folder / f"{source.stem}.ipynb"


def notebook(source: Path, version: str) -> Any:
    """One version of a source, without outputs; cells are numbered, so the notebook is always the same."""
    import jupytext  # for those who make notebooks; who reads or runs them does without

    read = jupytext.read(source, fmt="md")
    made = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})
    made.cells = list(_cells(read, version))
    return made


def _cells(read: Any, version: str) -> Iterator[Any]:
    for cell in read.cells:
        if cell.cell_type == "markdown":
            cell.source = without_marks(cell.source, answers=version == "solution")
    for number, cell in enumerate(cell for cell in read.cells if cell.source):
        tags = cell.metadata.get("tags", [])
        if LEFT_OUT[version] in tags:
            continue
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        yield make(cell.source, id=f"cell-{number:02}", metadata={"tags": tags} if tags else {})


def run(book: Any, folder: Path) -> Any:
    """The notebook with its outputs, run in a folder; live pictures keep what a page needs of them."""
    where = {"metadata": {"path": str(folder)}}
    same: dict[str, Any] = {"record_timing": False, "coalesce_streams": True}  # each run writes the same file
    client = NotebookClient(book, timeout=TOO_LONG, resources=where, extra_arguments=QUIET, **same)
    client.execute(env=dict(os.environ) | {BOOK: "1"})
    for output in (o for c in book.cells if c.cell_type == "code" for o in c.outputs):
        output.get("data", {}).pop(LIVE, None)
    book.metadata.pop("widgets", None)
    book.metadata.language_info = {"name": "python"}
    return book


def build(source: Path, version: str) -> Path:
    """Run one version of a source and write its notebook."""
    path = target(source, version)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = run(notebook(source, version), path.parent)
    live = taken_out(made)
    if version == "student":
        write_live(path, live)
    nbformat.write(made, path)
    return path


def taken_out(book: Any) -> dict[str, Any]:
    """Take what live pictures need in a page out of the notebook; returned by cell id."""
    outputs = ((c.id, o.get("data", {})) for c in book.cells if c.cell_type == "code" for o in c.outputs)
    return {name: data.pop(FOR_BOOKS) for name, data in outputs if FOR_BOOKS in data}


def put_back(book: Any, live: dict[str, Any]) -> Any:
    """The notebook as it was after its run: live pictures are back beside the static ones."""
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if cell.id in live and "image/png" in output.get("data", {}):
                output.data[FOR_BOOKS] = live[cell.id]
    return book


def live_of(path: Path) -> dict[str, Any]:
    """What was stored for a notebook's live pictures; solutions share the students' file."""
    file = shipped("notebooks") / "live" / f"{path.stem}.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def write_live(path: Path, live: dict[str, Any]) -> None:
    """Store it beside the notebooks, so that the notebooks themselves stay small."""
    file = path.parent / "live" / f"{path.stem}.json"
    file.unlink(missing_ok=True)
    if live:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(live, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Make, run and write the notebooks.")
    parser.add_argument("numbers", nargs="*", help="of the notebooks; all if none is given")
    wanted = parser.parse_args().numbers
    for source in sources(shipped("notebooks")):
        if wanted and source.name[:2] not in wanted:
            continue
        for version in LEFT_OUT:
            start = time.perf_counter()
            print(f"{build(source, version)}: {time.perf_counter() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()

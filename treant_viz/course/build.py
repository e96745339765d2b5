"""Run the sources of the notebooks and keep what they show: `python -m treant_viz.course.build [00 03 ...]`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from treant_viz.course.source import LEFT_OUT, notebook, sources, target
from treant_viz.shipped import shipped

LIVE = "application/vnd.jupyter.widget-view+json"  # means nothing without a kernel; the picture beside it is kept
TOO_LONG = 600  # seconds for one cell


def run(book: Any, folder: Path) -> Any:
    """The notebook with its outputs, run from top to bottom in a folder."""
    client = NotebookClient(book, timeout=TOO_LONG, record_timing=False, resources={"metadata": {"path": str(folder)}})
    client.execute()
    for output in (o for c in book.cells if c.cell_type == "code" for o in c.outputs):
        output.get("data", {}).pop(LIVE, None)
    book.metadata.pop("widgets", None)
    book.metadata.language_info = {"name": "python"}
    return book


def build(source: Path, version: str) -> Path:
    """Run one version of a source and write its notebook."""
    path = target(source, version)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(run(notebook(source, version), path.parent), path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
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

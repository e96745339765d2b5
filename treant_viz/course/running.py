"""A notebook run from top to bottom, with what it shows kept for readers who have no kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbclient import NotebookClient

LIVE = "application/vnd.jupyter.widget-view+json"  # means nothing without a kernel; the picture beside it is kept
QUIET = ["--log-level=ERROR"]
TOO_LONG = 600  # seconds for one cell


def run(book: Any, folder: Path) -> Any:
    """The notebook with its outputs, run in a folder."""
    where = {"metadata": {"path": str(folder)}}
    same: dict[str, Any] = {"record_timing": False, "coalesce_streams": True}  # each run writes the same file
    client = NotebookClient(book, timeout=TOO_LONG, resources=where, extra_arguments=QUIET, **same)
    client.execute()
    for output in (o for c in book.cells if c.cell_type == "code" for o in c.outputs):
        output.get("data", {}).pop(LIVE, None)
    book.metadata.pop("widgets", None)
    book.metadata.language_info = {"name": "python"}
    return book


__all__ = ["run"]

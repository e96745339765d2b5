"""The first notebook, run here and now, as a page in the browser: what `treant-viz tour` shows a newcomer."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat

from treant_viz.course.book import notebooks
from treant_viz.course.page import page
from treant_viz.course.running import run


def write_tour(out: Path) -> Path:
    """Run the first notebook and write it as a page."""
    book = nbformat.read(notebooks()[0], as_version=4)
    with TemporaryDirectory() as folder:
        out.write_text(page(run(book, Path(folder))), encoding="utf-8")
    return out


def show(path: Path) -> bool:
    """Open a page in the user's browser, if there is a screen to open it on."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    return webbrowser.open(path.resolve().as_uri())


__all__ = ["show", "write_tour"]

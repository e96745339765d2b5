"""Copies the notebooks into the user's folder and opens JupyterLab. Existing files are never overwritten."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from treant_viz import long_work
from treant_viz.datasets.shipped import shipped
from treant_viz.live.app.serve import free_port, told_to_stop
from treant_viz.live.app.server import HOST


class Copied(NamedTuple):
    """Which notebooks were copied, and which were there already."""

    new: list[Path]
    kept: list[Path]

    def __str__(self) -> str:
        kept = f", {len(self.kept)} left as they were there" if self.kept else ""
        return f"{len(self.new)} notebooks copied{kept}"


def copy_notebooks(
    folder: Path, solutions: bool = False, outputs: bool = False, reasons: bool = False
) -> Copied:
    """Copy the notebooks that the folder does not have yet.

    Without outputs, predictions stay predictions; with `reasons`, each exercise asks for words as well.
    """
    from treant_viz.course.handed_out import handed_out

    found = Copied([], [])
    source = shipped("notebooks")
    names = sorted(source.glob("[0-9][0-9]_*.ipynb"))
    names += sorted((source / "solutions").glob("*.ipynb")) * solutions
    for path in names:
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            found.kept.append(target)
        else:
            target.write_text(path.read_text("utf-8") if outputs else handed_out(path, reasons), "utf-8")
            found.new.append(target)
    return found


def command(folder: Path, port: int, *, browser: bool) -> list[str]:
    """Opens JupyterLab at a folder's first notebook, for this machine only; it ends when we do."""
    first = sorted(folder.glob("[0-9][0-9]_*.ipynb"))[0].resolve()
    options = [f"--ServerApp.root_dir={first.parent}", f"--ServerApp.ip={HOST}"]
    options += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # as in a container; JupyterLab would refuse to start
        options.append("--allow-root")
    return long_work.command("jupyterlab", *options, *([] if browser else ["--no-browser"]), str(first))


def open_lab(folder: Path, port: int = 0, *, browser: bool = True) -> int:
    """Run JupyterLab until the user stops it."""
    with told_to_stop(), running(command(folder, free_port(port), browser=browser)) as server:
        return server.wait()
    return 0


@contextmanager
def running(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A server that ends with us, kernels included. Ctrl+C reaches us, and we stop the server."""
    server = subprocess.Popen(words, start_new_session=True)
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


__all__ = ["Copied", "command", "copy_notebooks", "open_lab"]

"""The notebooks in a folder of the user's own, opened in JupyterLab. What is there already is never written over."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from treant_viz.shipped import shipped


class Copied(NamedTuple):
    """What became of each notebook."""

    new: list[Path]
    kept: list[Path]

    def __str__(self) -> str:
        kept = f", {len(self.kept)} left as they were there" if self.kept else ""
        return f"{len(self.new)} notebooks copied{kept}"


def copy_notebooks(folder: Path, solutions: bool = False) -> Copied:
    """Copy the notebooks that the folder does not have yet."""
    found = Copied([], [])
    source = shipped("notebooks")
    names = sorted(source.glob("[0-9][0-9]_*.ipynb")) + sorted((source / "solutions").glob("*.ipynb")) * solutions
    for path in names:
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            found.kept.append(target)
        else:
            shutil.copyfile(path, target)
            found.new.append(target)
    return found


def command(folder: Path, options: Sequence[str] = ()) -> list[str]:
    """What starts JupyterLab in a folder, at the first notebook, for this machine alone."""
    first = sorted(folder.glob("[0-9][0-9]_*.ipynb"))[0]
    where = [f"--ServerApp.root_dir={folder.resolve()}", "--ServerApp.ip=127.0.0.1"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # as in a container; JupyterLab would refuse to start
        where.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *where, *options, str(first.resolve())]


def open_lab(folder: Path, port: int | None = None, *, browser: bool = True) -> int:
    """Run JupyterLab until the user stops it."""
    options = ([] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]) + (
        [] if browser else ["--no-browser"]
    )
    with subprocess.Popen(command(folder, options)) as server:
        try:
            return server.wait()
        except KeyboardInterrupt:
            server.terminate()
            return 0


__all__ = ["Copied", "command", "copy_notebooks", "open_lab"]

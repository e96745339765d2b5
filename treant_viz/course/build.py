"""Run the sources of the notebooks and keep what they show: `python -m treant_viz.course.build [00 03 ...]`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import nbformat

from treant_viz.course.running import run
from treant_viz.course.source import LEFT_OUT, notebook, sources, target
from treant_viz.shipped import shipped


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

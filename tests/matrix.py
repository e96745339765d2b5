"""The tests that need no browser, on several Pythons, with the oldest and the newest packages that we say we
work with.

    python -m tests.matrix                          # every cell
    python -m tests.matrix 3.11-minimum 3.13-newest # some of them
    python -m tests.matrix --write                  # every cell, and the table in CONTRIBUTING.md
    python -m tests.matrix --write 3.12-minimum     # one cell: its row of the table, the others stay
    python -m tests.matrix --quick 3.13-newest      # fewer random problems

Each cell is a new virtual environment. A Python that is not on this machine is passed over, and said to be.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
ENDS = ("minimum", "newest")
CELLS = tuple(f"{python}-{end}" for python in PYTHONS for end in ENDS)
SHOWN = ("numpy", "scipy", "pandas", "matplotlib", "scikit-learn", "lightgbm")
COUNTS = ("passed", "failed", "skipped")
QUICK = [
    "--hypothesis-profile=quick",
    "--ignore=tests/test_wheel.py",  # what follows is about processes and clocks, not about packages
    "--ignore=tests/test_long_work.py",
    "--ignore=tests/bench",
]
MARKS = ("<!-- matrix -->", "<!-- end of matrix -->")


@dataclass(frozen=True)
class Outcome:
    """What a cell's tests said: `versions` of the main packages, `counts` of passed, failed and skipped."""

    cell: str
    versions: tuple[str, ...]
    counts: tuple[int, ...]
    ok: bool


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__.splitlines()[0])
    parser.add_argument("cells", nargs="*", metavar="CELL", help=f"any of {', '.join(CELLS)} (default: all)")
    parser.add_argument("--write", action="store_true", help="write their rows into CONTRIBUTING.md")
    parser.add_argument("--quick", action="store_true", help="what .ci/run has time for")
    args = parser.parse_args(argv)
    if args.quick and args.write:
        parser.error("--write: the table is about all tests, so not with --quick")
    if unknown := set(args.cells) - set(CELLS):
        parser.error(f"no such cell: {', '.join(sorted(unknown))}; expected some of {', '.join(CELLS)}")
    done = list(outcomes(args.cells or CELLS, QUICK if args.quick else ()))
    print(table(done))
    if args.write:
        write(done, ROOT / "CONTRIBUTING.md")
    return 0 if all(o.ok for o in done) else 1


def outcomes(cells: Sequence[str], options: Sequence[str] = ()) -> Iterator[Outcome]:
    for cell in cells:
        version, end = cell.split("-")
        python = find_python(version)
        if python is None:
            print(f"== {cell}: no Python {version} on this machine, passed over", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
            yield run(cell, python, Path(folder), minimums() if end == "minimum" else [], options)


def find_python(version: str) -> str | None:
    """A Python of that version that starts: on the path, or among pyenv's."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [shutil.which(f"python{version}"), *home.glob(f"versions/{version}.*/bin/python")]
    for python in filter(None, found):
        ask = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(ask, capture_output=True, text=True).stdout.strip() == version:
            return str(python)
    return None


def minimums() -> list[str]:
    """The least versions that pyproject.toml asks of all that users need. Tools of the tests may be newer."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    return sorted(
        {r.replace(">=", "==") for r in project["dependencies"] + extras["lab"] + extras["experiments"]}
    )


def run(cell: str, base: str, folder: Path, pins: list[str], options: Sequence[str] = ()) -> Outcome:
    """The tests in a new environment."""
    print(f"== {cell}", flush=True)
    subprocess.run([base, "-m", "venv", folder / "venv"], check=True)
    python = str(folder / "venv" / "bin" / "python")
    (folder / "pins.txt").write_text("\n".join(pins))
    install = [python, "-m", "pip", "install", "-q", "-c", str(folder / "pins.txt"), "-e", ".[test]"]
    subprocess.run(install, cwd=ROOT, check=True)
    tests = subprocess.Popen(
        [python, "-m", "pytest", "-q", "--ignore=tests/browser", "-p", "no:cacheprovider", *options],
        cwd=ROOT, env=clean_environment(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert tests.stdout is not None
    last = ""
    for last in tests.stdout:
        if not re.match(r"[.sx]*\s*\[ *\d+%\]$", last):
            print(last, end="", flush=True)
    return Outcome(cell, versions(python), counts(last), tests.wait() == 0)


def clean_environment() -> dict[str, str]:
    """Without what makes missing tools a failure: this is about Python packages."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("TREANT_VIZ_", "PYTEST_"))}


def counts(line: str) -> tuple[int, ...]:
    """Passed, failed and skipped, from pytest's last line; an error in a fixture is a failure too."""
    found = {word: int(n) for n, word in re.findall(r"(\d+) (\w+?)s?\b", line.replace("errors", "error"))}
    found["failed"] = found.get("failed", 0) + found.get("error", 0)
    return tuple(found.get(word, 0) for word in COUNTS)


def versions(python: str) -> tuple[str, ...]:
    """The Python's own version, and those of the packages in the table."""
    ask = f"import sys, importlib.metadata as m; print(sys.version.split()[0], *map(m.version, {SHOWN!r}))"
    return tuple(
        subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.split()
    )


def table(done: list[Outcome], before: str = "") -> str:
    """The outcomes in Markdown; what is not among them keeps its row of the table before."""
    head = ("packages", "Python", *SHOWN, *COUNTS)
    rows = {_cell(row): row for row in map(_columns, before.splitlines()) if _cell(row) in CELLS}
    rows |= {o.cell: (o.cell.split("-")[1], *o.versions, *map(str, o.counts)) for o in done}
    lines = [head, ("---",) * len(head), *(rows[cell] for cell in CELLS if cell in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _columns(line: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in line.strip("| ").split("|"))


def _cell(row: tuple[str, ...]) -> str:
    """The cell of a row of the table: packages and Python are its first two columns."""
    return f"{'.'.join(row[1].split('.')[:2])}-{row[0]}" if len(row) > 1 else ""


def write(done: list[Outcome], path: Path) -> None:
    """Put the rows where the last ones were."""
    before, _, rest = path.read_text(encoding="utf-8").partition(MARKS[0])
    old, _, after = rest.partition(MARKS[1])
    path.write_text(f"{before}{MARKS[0]}\n\n{table(done, old)}\n\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

"""A wheel is all one needs: in an environment away from the clone, the commands do what the README promises.

With TREANT_VIZ_WHEEL=full that environment is an empty one, to which pip brings what the wheel asks for, and
everything is done. Otherwise it borrows the packages of the tests, and does what depends most on files that
the wheel must bring.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import urllib.error
import urllib.request
import venv
from pathlib import Path

import pytest

import treant_viz as tv
from tests.browser.servers import PATIENCE, Server, address, running, wait_for
from treant_viz.datasets.shipped import shipped

ROOT = Path(__file__).parents[1]
NAMES = sorted(p.name for p in shipped("notebooks").glob("*.ipynb"))
FULL = os.environ.get("TREANT_VIZ_WHEEL") == "full"
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
BORROWED = {} if FULL else {"JUPYTER_PATH": str(Path(sys.prefix, "share", "jupyter"))}
ENV = {"PYTHONPATH": ""} | BORROWED
GROW = (
    "grow table.csv --target y --rules rules.json --min-samples-split 2 --out model.json --trace trace.json"
)

QUICK = {  # what is typed: what is said or written then
    "toy": "subject to row 2",
    GROW: "model.json",
    "lab mine --copy-only --solutions": f"mine/solutions/{NAMES[-1]}",
    "figures --only max-train": "figures/max-train.svg",
    "book --out book": "book/guide.html",
    "slides --minutes 90 --out lecture.html": "lecture.html",
}
MORE = {
    "handout --out toy.html": "toy.html",
    "tour --no-browser": "treant_viz_tour.html",
    "figures": "figures/AUDIT.md",
    "grade handed_in --out grades.csv": "grades.html",
    "experiments --quick --jobs 2": "were there already; results in",
    "bench --quick --only tree import": "bounds missed",
}
SERVED = {"app": "until you press Ctrl+C", "lab mine": "token="}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy, for a build leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(
        ".git", ".venv", "build", "*.egg-info", "__pycache__", "tests", ".*_cache"
    )
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    alone = ["--no-deps", *([] if FULL else ["--no-build-isolation"])]
    do([*PIP, "wheel", *alone, "-w", str(folder), str(folder / "source")])
    [made] = folder.glob("*.whl")
    return made


def do(words: list[str], folder: Path = ROOT) -> str:
    """What a program says that must succeed; it hears nothing of the clone."""
    run = subprocess.run(
        words, cwd=folder, env=os.environ | ENV, capture_output=True, text=True, encoding="utf-8"
    )
    assert run.returncode == 0, f"{words}:\n{run.stdout}\n{run.stderr}"
    assert "Traceback" not in run.stderr and "Warning" not in run.stderr, run.stderr
    return run.stdout


def scripts(place: Path) -> Path:
    return place / ("Scripts" if os.name == "nt" else "bin")


def empty(place: Path, wheel: Path) -> None:
    """An environment of its own, and all that the wheel asks for."""
    venv.create(place, with_pip=True)
    do([str(scripts(place) / "python"), *PIP[1:], "install", f"treant-viz[lab] @ {wheel.as_uri()}"])


def borrowing(place: Path, wheel: Path) -> None:
    """An environment with the wheel alone: it finds everything else where the tests do, but not the clone."""
    venv.create(place, with_pip=False)
    python = str(scripts(place) / "python")
    site = Path(do([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "borrowed.pth").write_text("\n".join(sorted(ours)))
    do([*PIP, "--python", python, "install", "--no-deps", str(wheel)])


def test_what_the_readme_promises_works_from_a_wheel(wheel, tmp_path):
    """In a place whose name is hard to write: scripts, kernels and servers are started from there."""
    home = tmp_path / "Bäume und Regeln"
    work = home / "eigene Übungen"
    work.mkdir(parents=True)
    (empty if FULL else borrowing)(home / "Umgebung 1", wheel)
    here = scripts(home / "Umgebung 1")
    where = do([str(here / "python"), "-c", "import treant_viz; print(treant_viz.__file__)"], work)
    assert Path(where.strip()).is_relative_to(home)
    bring_a_table(work)
    for words, left in (QUICK | MORE if FULL else QUICK).items():
        said = do([str(here / "treant-viz"), *words.split()], work)
        assert (work / left).is_file() if Path(left).suffix else left in said, words
    for words, sign in list(SERVED.items())[: None if FULL else 1]:
        serve([str(here / "treant-viz"), *words.split(), "--no-browser", "--port", "0"], sign, work)
    if FULL:
        do([str(here / "python"), "-c", readme_code()], work)


def bring_a_table(folder: Path) -> None:
    toy = tv.load_toy()
    toy.X.assign(y=toy.y).to_csv(folder / "table.csv", index=False)
    toy.attacker.to_json(folder / "rules.json")
    (folder / "handed_in").mkdir()
    cell = {"cell_type": "code", "source": ["import treant_viz as tv\n", 'tv.exercises.check("03.1", -4)']}
    (folder / "handed_in" / NAMES[3]).write_text(json.dumps({"cells": [cell]}))


def serve(words: list[str], sign: str, folder: Path) -> None:
    """Start a server, ask it for its page, press Ctrl+C."""
    with running(words, folder / "log.txt", ENV) as server:
        server.says(sign)
        page = page_at(place_of(server))
        assert ("jupyter" in page or "expect an attack" in page) and "Traceback" not in page
        assert server.stop(signal.SIGINT) == 0, server.said()


def place_of(server: Server) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+/\S*token=\w+", server.said())
    return found[0] if found else address(server)


def page_at(url: str) -> str:
    """What is served there. JupyterLab names its address a moment before it listens, so ask until it does."""
    pages: list[str] = []

    def answered() -> bool:
        try:
            pages.append(urllib.request.urlopen(url, timeout=PATIENCE).read().decode())
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
        return bool(pages)

    wait_for(answered, f"an answer from {url}")
    return pages[0]


def readme_code() -> str:
    """All that the README does in Python, with fewer trees."""
    code = "\n".join(
        re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    )
    return code.replace("n_jobs=2", "n_jobs=2, n_estimators=2")


def test_every_command_of_the_readme_is_tried():
    promised = set(re.findall(r"treant-viz (\w+)\b", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert promised <= {words.split()[0] for words in QUICK | MORE | SERVED}


def test_an_installed_wheel_has_notebooks_results_and_all_packages(wheel, tmp_path):
    installed = tmp_path / "site"
    do([*PIP, "install", "--no-deps", "--target", str(installed), str(wheel)])
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r});"
        "import treant_viz as tv; print(tv.__file__);"
        "from treant_viz.cli.main import main; main(['lab', '--copy-only']);"
        "print(len(tv.load_results().rows)); print(len(tv.exercises.every()));"
        "from treant_viz.datasets.shipped import shipped;"
        "print(len(list((shipped('results') / 'distinct').glob('*.csv'))))"
    )
    where, copied, rows, exercises, distinct = do([sys.executable, "-c", code], tmp_path).splitlines()
    assert where.startswith(str(installed))
    assert copied == f"treant_viz_notebooks: {len(NAMES)} notebooks copied"
    assert sorted(p.name for p in (tmp_path / "treant_viz_notebooks").iterdir()) == NAMES
    assert int(rows) > 1000
    assert int(exercises) >= 2 * len(NAMES)
    assert int(distinct) == len(list((ROOT / "figures/results/distinct").glob("*.csv"))) > 0
    here = {p.relative_to(ROOT).as_posix() for p in (ROOT / "treant_viz").rglob("*.py")}
    assert {p.relative_to(installed).as_posix() for p in (installed / "treant_viz").rglob("*.py")} == here

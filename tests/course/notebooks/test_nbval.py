"""Every notebook is run again through nbval, and what it shows (text, tables, numbers) is what is stored.

Each runs in a process of its own, without a network, and within its time. Time is CPU time of the run and all
that it starts, less what an empty notebook takes, as other tests run beside it.
"""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import nbformat
import pytest

from treant_viz.course.build import KERNEL, LEFT_OUT, sources, target
from treant_viz.datasets.shipped import shipped

pytest.importorskip("nbval", reason="nbval is not installed")
SECONDS = dict(zip([f"{i:02}" for i in range(14)], [20, 10, 15, 10, 20, 20, 30, 60, 180, 60, 30, 40, 25, 25]))
CORES = {"08": 2}  # those that use more than one
OFFLINE = Path(__file__).parent / "offline"
ROOT = Path(__file__).parents[3]


def nbval(notebook: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """nbval's report on a notebook, and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    path = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "nbval.plugin",
        "--nbval",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    alone = {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins take seconds to load
    done = subprocess.run(
        [*command, "-o", "addopts=", "--rootdir", str(ROOT), str(notebook)],
        capture_output=True, text=True, env=os.environ | alone, cwd=ROOT,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def nothing(tmp_path_factory) -> float:
    """The CPU seconds of a notebook with one empty cell: nbval and a kernel, started and ended."""
    path = tmp_path_factory.mktemp("empty") / "empty.ipynb"
    cell = nbformat.v4.new_code_cell("pass", execution_count=1)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": KERNEL}), path)
    done, seconds = nbval(path)
    assert done.returncode == 0, done.stdout
    return seconds


VERSIONS = [v if v == "student" else pytest.param(v, marks=pytest.mark.slow) for v in LEFT_OUT]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("source", sources(shipped("notebooks")), ids=lambda s: s.name[:2])
def test_a_notebook_shows_what_is_stored_in_time_and_offline(source, version, nothing):
    number = source.name[:2]
    limit = SECONDS[number] * CORES.get(number, 1)
    for _ in range(
        2
    ):  # the second time only if the first was slow: caches may have been cold, and others at work
        done, seconds = nbval(target(source, version))
        assert done.returncode == 0, done.stdout[-6000:]
        if seconds - nothing < limit:
            return
    raise AssertionError(f"{seconds - nothing:.1f} CPU seconds, twice over the limit of {limit}")


def test_a_changed_number_is_noticed(tmp_path):
    """The comparison can fail."""
    [source] = (s for s in sources(shipped("notebooks")) if s.name.startswith("03"))
    text = target(source, "student").read_text(encoding="utf-8")
    assert "attacker decides for x2 alone" in text
    wrong = tmp_path / "wrong.ipynb"
    wrong.write_text(
        text.replace("attacker decides for x2 alone", "attacker decides for x3 alone"), encoding="utf-8"
    )
    done, _ = nbval(wrong)
    assert done.returncode == 1
    assert "x3 alone" in done.stdout


def test_the_network_is_off(tmp_path):
    """A notebook that asks for another machine fails; loopback works (kernels need it)."""
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    env = os.environ | {"PYTHONPATH": str(OFFLINE)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "no network in this test" in done.stderr


def test_this_process_is_not_cut_off():
    """The folder that switches the network off is for others: collecting tests must not import it."""
    assert not isinstance(socket.socket.connect, FunctionType)

"""No orphans: whoever kills a command, even by SIGKILL, ends its workers, servers and kernels too."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.browser.servers import PATIENCE, Server, wait_for
from treant_viz import long_work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="on Windows no parent is watched")
CLI = [sys.executable, "-m", "treant_viz.cli.main"]
FOREST = """
import numpy as np, treant_viz as tv
X = np.random.default_rng(0).normal(size=(3000, 20))
A = tv.Attacker([tv.Rule(f, 1, delta=(-0.1, 0.1)) for f in range(20)], 3)
tv.TreantForestClassifier(1000, attacker=A, n_jobs=2).fit(X, X.sum(axis=1) > 0)
"""


@contextmanager
def started(words: list[str], folder: Path):
    """A command; it and all it has started are gone afterwards, whatever happens."""
    server, seen = Server(words, folder / "log.txt"), []
    server.seen = seen
    try:
        yield server
    finally:
        with suppress(psutil.NoSuchProcess):
            seen += server.family()
        for process in seen:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        server.process.wait()


def killed(server: Server, least: int) -> list[psutil.Process]:
    """Kill only the command, once it has so many children; returns those still there long afterwards."""
    wait_for(lambda: server.process.poll() is not None or len(server.family()) > least, f"{least} children")
    assert server.process.poll() is None, server.said()
    server.seen += server.family()
    server.process.kill()
    return psutil.wait_procs(server.seen, timeout=PATIENCE)[1]


def test_workers_of_experiments_end_with_a_killed_command(tmp_path):
    pytest.importorskip("lightgbm")
    words = [
        *CLI,
        "experiments",
        "--methods",
        "treant",
        "--jobs",
        "2",
        "--out",
        str(tmp_path),
    ]  # hours of work
    with started(words, tmp_path) as server:
        at_work(server, 2)
        assert killed(server, least=2) == []


def at_work(server: Server, n: int) -> None:
    """Wait until n of its workers do more than start."""
    wait_for(
        lambda: server.process.poll() is not None or sum(map(busy, server.family()[1:])) == n,
        f"{n} busy workers",
    )


def busy(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.cpu_times().user > 3
    return False


def test_workers_of_a_forest_end_with_a_killed_program(tmp_path):
    with started([sys.executable, "-c", FOREST], tmp_path) as server:
        at_work(server, 2)
        assert killed(server, least=2) == []


def has_kernel(server: Server) -> bool:
    return any("ipykernel_launcher" in " ".join(p.cmdline()) for p in server.family())


def answered(wish: urllib.request.Request) -> None:
    """A busy machine may say its address a moment before it listens there."""
    last = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(wish, timeout=PATIENCE).read()
            return
        except urllib.error.URLError:
            if time.monotonic() > last:
                raise
            time.sleep(0.2)


def test_jupyterlab_and_its_kernels_end_with_a_killed_command(tmp_path):
    with started([*CLI, "lab", str(tmp_path / "books"), "--no-browser"], tmp_path) as server:
        server.says("token=")
        place, token = re.search(r"(http://127\.0\.0\.1:\d+/)\S*token=(\w+)", server.said()).groups()
        headers = {"Authorization": f"token {token}"}
        wish = urllib.request.Request(f"{place}api/kernels", b"{}", headers)
        answered(wish)
        assert has_kernel(server)
        assert killed(server, least=2) == []


def test_a_child_whose_parent_is_gone_before_it_looks_ends_too():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    watch = f"from treant_viz.long_work import end_with; end_with({gone.pid}, os.getpid())"
    code = f"import os, time; {watch}; time.sleep(600)"
    assert subprocess.run([sys.executable, "-c", code], timeout=PATIENCE).returncode == -signal.SIGTERM


def test_a_process_that_will_not_end_is_ended(monkeypatch):
    said = []
    monkeypatch.setattr(os, "kill", lambda pid, what: said.append((pid, what)))
    monkeypatch.setattr(os, "_exit", said.append)
    monkeypatch.setattr(long_work.time, "sleep", said.append)
    long_work._watch(iter([False, True]).__next__)
    assert said == [long_work.OFTEN, (os.getpid(), signal.SIGTERM), long_work.GRACE, 1]


def test_only_the_parents_own_children_watch_it(monkeypatch):
    """A thread, or a worker of a cluster that runs anyway, has a life of its own."""
    watched = []
    monkeypatch.setattr(long_work, "end_with", lambda *pids: watched.append(pids))
    assert long_work.working_for(os.getpid(), max, 1, 2) == 2
    monkeypatch.setattr(long_work.multiprocessing, "parent_process", lambda: psutil.Process(os.getppid()))
    assert long_work.working_for(12345678, max, 1, 2) == 2
    assert watched == []
    assert long_work.working_for(os.getppid(), max, 1, 2) == 2
    assert watched == [(os.getppid(), os.getpid())]


def test_windows_is_left_in_peace(monkeypatch):
    monkeypatch.setattr(long_work.os, "name", "nt")
    monkeypatch.setattr(long_work, "Thread", None)
    long_work.end_with(1, -1)


def test_files_in_the_working_folder_are_not_taken_for_modules(tmp_path):
    """A user's html.py or notebook.py is theirs: it must not run in place of the module of that name."""
    for name in ("html", "json", "runpy", "nbformat"):
        (tmp_path / f"{name}.py").write_text("print('the user’s file was run')", encoding="utf-8")
    for module in ("html", "nbformat"):
        words = long_work.command(module, "--version")
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
        assert "was run" not in done.stdout + done.stderr, module

"""Experiments on a Dask cluster: the same numbers, each table sent once, stopped and taken up again."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pandas as pd
import pytest

from treant_viz.cli import main as cli
from treant_viz.experiments import jobs as running
from treant_viz.experiments.jobs import load, plan, run
from treant_viz.experiments.schema import Job, Scale
from treant_viz.experiments.store import Store

distributed = pytest.importorskip("distributed")
from treant_viz.experiments import cluster as rooms  # noqa: E402

TINY = Scale(trees=2, rows=80, n_boot=5)
JOBS = plan(["wine"], ["authors", "paper"], ["treant-none"], [20, 120], [0])
TIMES = ["fit_seconds", "attack_seconds"]
pytestmark = pytest.mark.filterwarnings("ignore:Port 8787 is already in use")


@pytest.fixture(scope="module")
def cluster():
    """Two processes of two threads each."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, host="127.0.0.1", dashboard_address=None
    ) as made:
        yield made


@pytest.fixture(scope="module")
def address(cluster) -> str:
    return cluster.scheduler_address


def asked(address: str, function, *args):
    """By worker: what a function says there."""
    with distributed.Client(address, set_as_default=False) as client:
        return client.run(function, *args)


def numbers(store: Store) -> pd.DataFrame:
    return store.table().drop(columns=TIMES)


def test_a_cluster_gives_the_same_numbers_and_nothing_is_done_twice(address: str, tmp_path):
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    assert run(JOBS, here, TINY) == run(JOBS, there, TINY, dask=address) == 4
    pd.testing.assert_frame_equal(numbers(there), numbers(here), check_exact=True)
    assert there.correct() == here.correct()
    assert run(JOBS, there, TINY, dask=address) == 0


def test_a_stopped_run_goes_on_where_it_was(address: str, tmp_path):
    store = Store(tmp_path)

    def stop(done, total, seconds, job):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(JOBS, store, TINY, report=stop, dask=address)
    assert len(store.table()) == 7, "one model with seven test budgets"
    assert run(JOBS, store, TINY, dask=address) == 3


def where(table, dask_worker=None) -> None:
    """A job that says which process it ran in and which object it was given, and leaves a note of it."""
    import os

    return os.getpid(), id(table), len(table)


def unpickled(dask_worker) -> int:
    from tests.experiments.test_cluster import Counted

    return Counted.times


class Counted(bytes):
    """A table that counts how often it arrives in a process."""

    times = 0

    def __reduce__(self):
        return arrive, (bytes(self),)


def arrive(data: bytes) -> Counted:
    Counted.times += 1
    return Counted(data)


def test_each_worker_is_sent_a_table_once(address: str):
    """Twenty jobs, far apart and at once, work on one object a process."""
    before = asked(address, unpickled)
    calls = (("wine", ()) for _ in range(20))
    seen = list(rooms.on_cluster(address, where, {"wine": Counted(b"x" * 100_000)}, calls))
    assert len(seen) == 20 and {size for _, _, size in seen} == {100_000}
    processes = {pid for pid, _, _ in seen}
    assert len({(pid, name) for pid, name, _ in seen}) == len(processes)
    assert {n - before[w] for w, n in asked(address, unpickled).items()} == {1}


def test_what_is_sent_with_a_job_is_small():
    job = Job("wine", "authors", "treant", 20, 0)
    assert len(pickle.dumps((running.run_job, "wine", (job, TINY, {"max_depth": 8})))) < 1000
    assert len(pickle.dumps(load("wine", "authors", None))) > 500_000


def test_tables_do_not_stay_behind(address: str):
    list(rooms.on_cluster(address, where, {"wine": b"abc"}, [("wine", ())]))
    left = asked(address, lambda dask_worker: [n for n in dask_worker.plugins if n.startswith("treant_viz")])
    assert list(left.values()) == [[], []]


def fails(table) -> None:
    raise ZeroDivisionError("of all things")


def test_an_error_on_a_worker_comes_back(address: str):
    with pytest.raises(ZeroDivisionError, match="of all things"):
        list(rooms.on_cluster(address, fails, {"wine": b""}, [("wine", ())] * 3))


def test_other_seeds_begin_when_there_is_room_and_find_what_was_tuned(address: str, tmp_path, monkeypatch):
    """With room for one job at a time seed 1 is told what seed 0 has chosen."""
    told = []
    monkeypatch.setattr(distributed.Client, "nthreads", lambda self: {"a": 1})

    def looked_up(self, job):
        told.append(params(self, job))
        return told[-1]

    params = Store.params
    monkeypatch.setattr(Store, "params", looked_up)
    run(plan(["wine"], ["paper"], ["treant-none"], [20], [0, 1]), Store(tmp_path), TINY, dask=address)
    assert told[0] is not None and "max_depth" in told[0]


def test_no_scheduler_and_no_worker_are_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(rooms, "SECONDS", 1)
    argv = ["experiments", "--quick", "--methods", "drop-rf", "--out", str(tmp_path), "--dask"]
    assert cli.main([*argv, "tcp://127.0.0.1:9"]) == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    assert cli.main([*argv, "nowhere://x"]) == 2
    assert "no Dask scheduler answers at nowhere://x" in capsys.readouterr().err
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty:
        assert cli.main([*argv, empty.scheduler_address]) == 2
    assert "has no worker" in capsys.readouterr().err


def test_the_command_runs_on_a_cluster(address: str, tmp_path, capsys):
    argv = ["experiments", "--quick", "--methods", "drop-rf", "--out", str(tmp_path), "--dask", address]
    assert cli.main(argv) == 0
    assert "1 models trained, 0 were there already" in capsys.readouterr().out


def test_without_dask_the_command_says_what_is_missing(tmp_path):
    """An import of `distributed` that fails stands for a machine without it."""
    words = ["experiments", "--quick", "--methods", "drop-rf", "--dask", "tcp://127.0.0.1:9", "--out", "o"]
    hidden = "import sys; sys.modules['distributed'] = None"
    code = f"{hidden}; from treant_viz.cli.main import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert "a Dask cluster needs Dask, which is not installed: pip install 'treant-viz[dask]'" in done.stderr
    assert "Traceback" not in done.stderr

"""Results in a folder: nothing is lost, nothing is done twice, other scales and damaged files are refused."""

from __future__ import annotations

import pandas as pd
import pytest

from treant_viz import cli
from treant_viz.experiments import run as running
from treant_viz.experiments.jobs import Job, Scale, plan, run_job, scale_text
from treant_viz.experiments.run import run
from treant_viz.experiments.store import COLUMNS, Store

TINY = Scale(trees=2, rows=80, n_boot=5)
JOBS = plan(["wine"], ["authors"], ["rt", "treant-none"], [20, 60, 120], [0])
TIMES = ["fit_seconds", "attack_seconds"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Store:
    """All jobs, run without a break."""
    store = Store(tmp_path_factory.mktemp("whole"))
    assert run(JOBS, store, TINY) == 6
    return store


def test_one_row_a_test_budget(whole: Store):
    table = whole.table()
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 6 * 7
    assert not table.duplicated(["method", "train_budget", "test_budget", "seed"]).any()


def test_a_run_that_was_stopped_goes_on_where_it_was(whole: Store, tmp_path, monkeypatch):
    ran: list[Job] = []

    def stops(job: Job, scale: Scale, tuned):
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(job)
        return run_job(job, scale, tuned)

    monkeypatch.setattr(running, "run_job", stops)
    with pytest.raises(KeyboardInterrupt):
        run(JOBS, Store(tmp_path), TINY)
    assert len(Store(tmp_path).table()) == 3 * 7

    monkeypatch.setattr(running, "run_job", lambda job, *how: (ran.append(job), run_job(job, *how))[1])
    assert run(JOBS, Store(tmp_path), TINY) == 3
    assert sorted(ran) == sorted(JOBS)
    expected, found = (s.table().drop(columns=TIMES) for s in (whole, Store(tmp_path)))
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert Store(tmp_path).correct() == whole.correct()


def test_nothing_is_done_twice(whole: Store):
    assert run(JOBS, whole, TINY) == 0


def test_a_job_that_lacks_a_budget_is_done_again(whole: Store, tmp_path):
    store = Store(tmp_path)
    run(JOBS[:1], store, TINY)
    path = store.path("authors", "wine")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    assert not store.has(JOBS[0], scale_text(TINY))
    assert run(JOBS[:1], store, TINY) == 1
    assert len(store.table()) == 7


def test_several_workers_give_the_same_numbers(whole: Store, tmp_path):
    run(JOBS, Store(tmp_path), TINY, n_jobs=2)
    expected, found = (s.table().drop(columns=TIMES) for s in (whole, Store(tmp_path)))
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_results_of_another_scale_are_refused(whole: Store):
    with pytest.raises(ValueError, match=r"holds results of 2 trees, 80 rows.*for 100 trees"):
        whole.has(JOBS[0], scale_text(Scale()))


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "authors-wine.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"authors-wine.csv: damaged: the columns .* are missing"):
        Store(tmp_path).has(JOBS[0], "")


def test_no_results_is_said_with_what_makes_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="treant-viz experiments"):
        Store(tmp_path).table()


def test_progress_names_the_job_and_the_time_left(capsys):
    running.print_progress(2, 8, 30.0, JOBS[0])
    assert capsys.readouterr().err == "2/8  wine authors rt at 20, seed 0  (30 s, about 1 min 30 s left)\n"


def test_the_command_runs_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("treant_viz.experiments.jobs.QUICK", TINY)
    argv = ["experiments", "--quick", "--methods", "rt", "--budgets", "20", "--jobs", "1", "--out", str(tmp_path)]
    assert cli.main(argv) == 0
    assert "1 models trained, 0 were there already" in capsys.readouterr().out
    assert cli.main(argv) == 0
    assert "0 models trained, 1 were there already" in capsys.readouterr().out


def test_an_unknown_method_lists_the_known_ones(capsys):
    assert cli.main(["experiments", "--methods", "svm"]) == 2
    said = capsys.readouterr().err
    assert "'svm'" in said
    assert "rt-slips: robust trees as the authors ran them" in said

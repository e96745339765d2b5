"""Results in a folder: nothing is lost, nothing is done twice, other scales and damaged files are refused."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from treant_viz.cli import main as cli
from treant_viz.experiments import jobs as running
from treant_viz.experiments.effects import run_effects
from treant_viz.experiments.jobs import plan, run, run_job
from treant_viz.experiments.report.audit import differences
from treant_viz.experiments.report.results import Results
from treant_viz.experiments.schema import COLUMNS, Job, Scale, packed
from treant_viz.experiments.store import Store

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
    assert not store.has(JOBS[0], str(TINY))
    assert run(JOBS[:1], store, TINY) == 1
    assert len(store.table()) == 7


def test_several_workers_give_the_same_numbers(whole: Store, tmp_path):
    run(JOBS, Store(tmp_path), TINY, n_jobs=2)
    expected, found = (s.table().drop(columns=TIMES) for s in (whole, Store(tmp_path)))
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_the_command_keeps_results_without_twins_apart(tmp_path, capsys):
    argv = ["experiments", "--quick", "--methods", "drop-gbdt", "--jobs", "1", "--out", str(tmp_path)]
    assert cli.main(argv) == cli.main([*argv, "--distinct"]) == cli.main([*argv, "--distinct"]) == 0
    assert "0 models trained, 1 were there already" in capsys.readouterr().out.splitlines()[-1]
    every, distinct = (Store(tmp_path / "quick" / sub).table() for sub in (".", "distinct"))
    assert set(every["scale"]) == {"10 trees, 600 rows, 100 resamples"}
    assert set(distinct["scale"]) == {"10 trees, 600 rows without twins, 100 resamples"}
    assert len(every) == len(distinct) == 7


def test_results_of_another_scale_are_refused(whole: Store):
    with pytest.raises(ValueError, match=r"holds results of 2 trees, 80 rows.*for 100 trees"):
        whole.has(JOBS[0], str(Scale()))


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "authors-wine.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"authors-wine.csv: damaged: the columns .* are missing"):
        Store(tmp_path).has(JOBS[0], "")


RESULTS = Path(__file__).parents[2] / "figures" / "results"


def damaged(tmp_path, kind: str, column: str, text: str) -> Store:
    """A copy of stored results in which one field of the second row is another."""
    name = f"authors-wine{kind}.csv"
    with (RESULTS / name).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    rows[1][header.index(column)] = text
    with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows[:3]])
    return Store(tmp_path)


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("seed", "", "row 2: column seed: expected a whole number"),
        ("seed", "-1", "row 2: column seed: expected a whole number"),
        ("seed", "1.0", "row 2: column seed: expected a whole number"),
        ("test_budget", "9" * 400, "row 2: column test_budget: expected a whole number"),
        ("accuracy", "", "row 2: column accuracy: expected a number"),
        ("accuracy", "1_0", "row 2: column accuracy: expected a number"),
        ("accuracy", "1.5", "row 2: column accuracy: expected a number from 0 to 1"),
        ("accuracy", "inf", "row 2: column accuracy: expected a number"),
        ("accuracy", "x" * 100_000, "row 2: column accuracy: expected a number"),
        ("fit_seconds", "-1.0", "row 2: column fit_seconds: expected a number of at least 0"),
        ("fit_seconds", "1e999", "row 2: column fit_seconds: expected a number"),
        ("method", "svm", "row 2: column method: expected one of"),
        ("dataset", "census", "row 2: it belongs to .*, not into this file"),
        ("params", "{", "row 2: params: damaged or not JSON"),
        ("params", "[]", "row 2: params: expected an object"),
        ("params", '{"a": 1, "a": 2}', "row 2: params: .*more than once"),
        ("test_budget", "0", "a result appears more than once"),
        ("versions", "\0", "no letter may be NUL"),
    ],
)
def test_a_damaged_result_is_named_before_any_is_used(tmp_path, column, text, message):
    store = damaged(tmp_path, "", column, text)
    for use in (store.table, lambda: store.has(JOBS[0], ""), lambda: store.params(JOBS[0])):
        with pytest.raises(ValueError, match=rf"authors-wine\.csv: damaged: {message}") as caught:
            use()
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "row 2: correct: cannot be unpacked"),
        ("äöü", "row 2: correct: cannot be unpacked"),
        ("AAAA", "row 2: correct: cannot be unpacked"),
        (packed(np.ones(99, dtype=bool)), "correct: models were not tested on the same rows"),
        (
            packed(np.ones(10**7, dtype=bool)),
            "row 2: correct: cannot be unpacked: it is cut off, or too large",
        ),
    ],
)
def test_damaged_bits_are_named(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"authors-wine\.correct\.csv: damaged: {message}"):
        damaged(tmp_path, ".correct", "correct", text).correct()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the columns .* are missing"),
        (b"\xff\xfe", "can't decode byte"),
        (b'"a', "not a table"),
        ((",".join(COLUMNS) + "\n1,2\n").encode(), "row 1 has 2 fields, but the header has 23"),
        ((",".join([*COLUMNS, "seed"]) + "\n").encode(), "column names must differ"),
    ],
)
def test_a_file_that_is_no_table_is_named(tmp_path, content, message):
    (tmp_path / "authors-wine.csv").write_bytes(content)
    for use in (Store(tmp_path).table, lambda: Store(tmp_path).has(JOBS[0], "")):
        with pytest.raises(ValueError, match=rf"authors-wine\.csv: damaged: .*{message}"):
            use()


def test_damaged_effects_are_named(tmp_path):
    (tmp_path / "effects.csv").write_text("effect,roc_auc\nbinning,lots\n")
    results = Results(Store(RESULTS).table())
    for use in (lambda: differences(Store(tmp_path), results), lambda: run_effects(Store(tmp_path), TINY)):
        with pytest.raises(ValueError, match=r"effects\.csv: damaged: the columns .* are missing"):
            use()


def test_no_results_is_said_with_what_makes_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="treant-viz experiments"):
        Store(tmp_path).table()


def test_progress_names_the_job_and_the_time_left(capsys):
    running.print_progress(2, 8, 30.0, JOBS[0])
    assert capsys.readouterr().err == "2/8  wine authors rt at 20, seed 0  (30 s, about 1 min 30 s left)\n"


def test_the_command_runs_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("treant_viz.experiments.schema.QUICK", TINY)
    argv = [
        "experiments",
        "--quick",
        "--methods",
        "rt",
        "--budgets",
        "20",
        "--jobs",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert cli.main(argv) == 0
    assert "1 models trained, 0 were there already" in capsys.readouterr().out
    assert cli.main(argv) == 0
    assert "0 models trained, 1 were there already" in capsys.readouterr().out


def test_an_unknown_method_lists_the_known_ones(capsys):
    assert cli.main(["experiments", "--methods", "svm"]) == 2
    said = capsys.readouterr().err
    assert "'svm'" in said
    assert "rt-slips: robust trees as the authors ran them" in said

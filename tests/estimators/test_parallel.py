"""The same forest whoever grows it: one process, two, threads, Dask workers; each with its progress bar."""

from __future__ import annotations

import sys

import joblib
import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.long_work import progress

FORESTS = [tv.TreantForestClassifier, tv.TreantForestRegressor]
each_forest = pytest.mark.parametrize("kind", FORESTS)


def data(n=120):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{i}": rng.integers(0, 30, n).astype(float) for i in range(4)})
    X["colour"] = rng.choice(["red", "green", "blue"], n)
    return X, (2 * X["x0"] + X["x1"] + 10 * (X["colour"] == "red") + rng.normal(size=n) * 5 > 47).to_numpy()


ATTACKER = tv.Attacker(
    [tv.Rule("x0", 1, delta=(-1, 1)), tv.Rule("colour", 2, pre={"green"}, becomes="blue")], 2
)
X, Y = data()


def forest(kind, n_jobs=None, **options):
    options = {"n_estimators": 5, "max_depth": 2, "attacker": ATTACKER, "random_state": 7} | options
    return kind(n_jobs=n_jobs, **options).fit(X, Y)


def content(m) -> dict:
    """All that a forest is, but for how it was grown."""
    return m.set_params(n_jobs=None, verbose=0).to_dict()


@pytest.fixture(scope="module")
def alone():
    return {kind: content(forest(kind, n_jobs=1)) for kind in FORESTS}


@each_forest
def test_forests_are_not_all_the_same(kind, alone):
    assert content(forest(kind, random_state=8)) != alone[kind], "the comparisons below can fail"
    assert len({str(t) for t in alone[kind]["trees"]}) > 1


@each_forest
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_number_of_jobs(kind, n_jobs, alone):
    assert content(forest(kind, n_jobs=n_jobs)) == alone[kind]


@each_forest
@pytest.mark.parametrize("backend", ["threading", "multiprocessing"])
@pytest.mark.parametrize("verbose", [0, 1])
def test_back_ends(kind, backend, verbose, alone, capsys):
    """multiprocessing (and Ray, built on it) cannot hand over tree by tree: the bar then comes at the end."""
    with joblib.parallel_config(backend=backend, n_jobs=2):
        m = forest(kind, verbose=verbose)
    assert content(m) == alone[kind]
    assert ("5/5" in capsys.readouterr().err) == bool(verbose)


@each_forest
def test_read_only_memory_shared_between_processes(kind, alone):
    """joblib hands large arrays to workers as read-only memory maps: here all of them."""
    with joblib.parallel_config(backend="loky", n_jobs=2, max_nbytes=1):
        m = forest(kind)
    assert content(m) == alone[kind]
    assert (
        m.estimators_[0].trace_.steps[0].data.rows.tolist()
        == forest(kind).estimators_[0].trace_.at("").data.rows.tolist()
    )


@each_forest
def test_progress_bar_with_two_jobs(kind, alone, capsys):
    assert content(forest(kind, n_jobs=2, verbose=1)) == alone[kind]
    assert capsys.readouterr().err.split("\r")[-1].startswith(f"trees |{'#' * 30}| 5/5, ")


@pytest.mark.parametrize("workers", ["processes", "threads"])
@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")
def test_a_dask_cluster_grows_the_same_forest(workers, alone, capsys):
    """Also with a progress bar; and it is the cluster's workers that do it, both of them."""
    distributed = pytest.importorskip("distributed")
    where = {"host": "127.0.0.1"} if workers == "processes" else {"processes": False}
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, **where
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        for kind in FORESTS:
            for verbose in (0, 1):
                capsys.readouterr()
                m = forest(kind, verbose=verbose)
                assert content(m) == alone[kind]
                assert ("5/5" in capsys.readouterr().err) == bool(verbose)
                assert len(m.estimators_[1].trace_) > 1
        done = client.run(lambda dask_worker: sum("executing" in entry for entry in dask_worker.state.log))
    assert len(done) == 2 and all(done.values()), "tasks executed, by worker"


@each_forest
def test_trees_do_not_write_into_what_they_share(kind):
    """Threads grow trees from one problem: what one tree's rows have spent is not the others' business."""
    m = forest(kind)
    spent = {s for e in m.estimators_ for step in e.trace_.steps for s in step.data.spent.tolist()}
    assert spent > {0.0}, "the attacker did spend something"
    problem, _ = m.estimators_[0]._origin
    assert problem.attacker.spends.tolist() == [0.0]


def test_the_data_counts_as_large():
    """Dask sends what is large to each worker once, and what is small with every task."""
    m = forest(tv.TreantForestClassifier)
    problem, _ = m.estimators_[0]._origin
    assert sys.getsizeof(problem) >= problem.sample.table.codes.nbytes > 1000


def test_an_error_in_a_worker_comes_back():
    bad = {"attacker": tv.Attacker([tv.Rule("nowhere", 1, delta=(0, 1))], 1)}
    with pytest.raises(ValueError, match="'nowhere' is not a column"):
        forest(tv.TreantForestClassifier, n_jobs=2, **bad)


# The bar itself


def test_the_bar_passes_everything_on(capsys):
    assert list(progress(iter("abc"), 3, "letters")) == ["a", "b", "c"]
    lines = capsys.readouterr().err.split("\r")
    assert lines[0] == ""
    assert lines[1].startswith(f"letters |{'#' * 10}{' ' * 20}| 1/3, 0 s, about 0 s left")
    assert lines[-1] == f"letters |{'#' * 30}| 3/3, 0 s\n"
    assert list(progress([], 0, "nothing")) == []
    assert list(progress([1, 2], 2, "quiet", show=False)) == [1, 2]
    assert capsys.readouterr().err == ""


def test_the_bar_is_redrawn_at_most_ten_times_a_second(capsys, monkeypatch):
    clock = iter(np.arange(0, 100, 0.03))
    monkeypatch.setattr("treant_viz.long_work.time.monotonic", lambda: next(clock) + 1)
    list(progress(range(100), 100, "x"))
    drawn = capsys.readouterr().err.count("\r")
    assert 20 <= drawn <= 34, "three seconds"


def array_types(problem) -> set[str]:
    """The types of all arrays of a training set, as a worker sees them."""
    held = {**vars(problem.sample), **vars(problem.sample.table)}
    return {type(v).__name__ for v in held.values() if isinstance(v, np.ndarray)}


def test_workers_see_plain_arrays_not_slow_mapped_files():
    one = forest(tv.TreantForestClassifier).estimators_[0]
    problem, _ = one._origin
    [seen] = joblib.Parallel(n_jobs=2, max_nbytes=1)([joblib.delayed(array_types)(problem)])
    assert seen == {"ndarray"}

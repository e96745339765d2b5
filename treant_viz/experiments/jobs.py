"""Run experiments: train (and tune) every model of a plan, attack the test rows, keep the results."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from treant_viz import __version__, datasets
from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets import Dataset
from treant_viz.datasets import regression as number_tables
from treant_viz.evaluation import Judged, resamples, worst_scores
from treant_viz.experiments import regression, schema
from treant_viz.experiments.methods import LEARNERS, fit, make
from treant_viz.experiments.schema import FULL, REGRESSION, TUNED, USUAL, Job, Scale, packed
from treant_viz.experiments.store import Store
from treant_viz.experiments.tuning import tune
from treant_viz.long_work import clock, work_for

LEVEL = 0.95  # of the bootstrap intervals

Params = dict[str, Any]
Records = list[dict[str, Any]]
Call = tuple[Job, Scale, Params | None]
Report = Callable[[int, int, float, Job], None]


def plan(
    names: Iterable[str],
    protocols: Iterable[str],
    methods: Iterable[str] | None,
    budgets: Sequence[int] | None,
    seeds: Iterable[int],
) -> list[Job]:
    """Every model to be trained, first seeds first. Methods that know no attacker have training budget 0."""
    jobs = [
        Job(name, protocol, method, budget, seed)
        for seed in seeds
        for protocol in protocols
        for name in names
        for method in methods or USUAL.get(protocol, tuple(schema.REGRESSORS))
        for budget in (_budgets(protocol, name, budgets) if schema.methods(protocol)[method].aware else (0,))
    ]
    return list(dict.fromkeys(jobs))


def _budgets(protocol: str, name: str, wanted: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(b for b in schema.budgets(protocol, name) if wanted is None or b in wanted)


def run(
    jobs: list[Job],
    store: Store,
    scale: Scale = FULL,
    n_jobs: int = 1,
    report: Report | None = None,
    dask: str | None = None,
) -> int:
    """Train and attack what the store lacks, so a stopped run goes on where it was; returns how many.

    `dask`: the address of a Dask scheduler whose workers do it, in place of `n_jobs` processes here.
    """
    todo = [job for job in jobs if not store.has(job, str(scale))]
    start = time.monotonic()
    for done, records in enumerate(_results(todo, store, scale, n_jobs, dask), 1):
        store.add(records)
        if report is not None:
            report(done, len(todo), time.monotonic() - start, Job(*(records[0][k] for k in Job._fields)))
    return len(todo)


def _results(jobs: list[Job], store: Store, scale: Scale, n_jobs: int, dask: str | None) -> Iterator[Records]:
    """The records of each model, as they come; what is tuned already is looked up when a job begins."""
    calls = ((job, scale, _known_params(job, store, scale)) for job in jobs)
    if dask is not None:
        yield from _cluster_results(calls, jobs, scale, dask)
    elif n_jobs == 1:
        yield from (run_job(*call) for call in calls)
    elif jobs:
        one_by_one: dict[str, Any] = {
            "return_as": "generator_unordered",
            "batch_size": 1,
            "pre_dispatch": n_jobs,
        }
        workers = Parallel(n_jobs=n_jobs, **one_by_one, initializer=work_for, initargs=(os.getpid(),))
        with warnings.catch_warnings():  # whoever stops us knows that there was more to do
            warnings.filterwarnings("ignore", message=".*tasks", category=UserWarning, module="joblib")
            yield from workers(delayed(run_job)(*call) for call in calls)


def _known_params(job: Job, store: Store, scale: Scale) -> Params | None:
    """What was tuned with seed 0; for `schema.TUNED` also what was tuned for the other choice of test rows,
    since they are tuned on validation rows without twins whatever they are tested on.
    """
    first = job._replace(seed=0)
    known = store.params(first) if job.seed else None
    if known is None and job.method in TUNED and scale.rows is None:
        other = replace(scale, distinct=not scale.distinct)
        there = Store(store.folder / "distinct" if other.distinct else store.folder.parent)
        known = there.params(first) if there.has(first, str(other)) else None
    return known


def _cluster_results(calls: Iterator[Call], jobs: list[Job], scale: Scale, dask: str) -> Iterator[Records]:
    """The same from a cluster, whose workers are sent each table once."""
    from treant_viz.experiments.cluster import on_cluster

    tables = {key: load(*key) for key in {_table(job, scale) for job in jobs}}
    yield from on_cluster(dask, run_job, tables, ((_table(call[0], scale), call) for call in calls))


def print_progress(done: int, total: int, seconds: float, job: Job) -> None:
    """One line a model, with the time left if the rest is like what is done."""
    left = seconds / done * (total - done)
    what = f"{job.dataset} {job.protocol} {job.method} at {job.train_budget}, seed {job.seed}"
    print(
        f"{done}/{total}  {what}  ({clock(seconds)}, about {clock(left)} left)", file=sys.stderr, flush=True
    )


def run_job(
    job: Job, scale: Scale = FULL, tuned: Params | None = None, table: Dataset | None = None
) -> Records:
    """Train, attack, measure: one record a test budget, first 0 (no attack). For `tuned` see `trained`.

    `table`: the data, if they are at hand already.
    """
    data = table or load(*_table(job, scale))
    if job.protocol == REGRESSION:
        about = {"scale": str(scale), "versions": versions()}
        return [record | about for record in regression.run_job(job, scale, data)]
    start = time.perf_counter()
    model, params = trained(job, data, scale.trees, tuned)
    fitted = time.perf_counter()
    judged = worst_scores(model, data.X_test, data.y_test, data.attacker, [0, *data.budgets])
    done = time.perf_counter()
    seconds = {"fit_seconds": round(fitted - start, 2), "attack_seconds": round(done - fitted, 2)}
    about = {"params": json.dumps(params, sort_keys=True), "scale": str(scale), "versions": versions()}
    drawn = resamples(len(data.y_test), scale.n_boot, 0)
    clean = {f"clean_{k}": v for k, v in judged[0].measures().items()}
    return [
        job._asdict()
        | {"test_budget": b}
        | measured(j, drawn)
        | clean
        | seconds
        | about
        | {"correct": packed(j.correct) if b == job.train_budget else ""}
        for b, j in judged.items()
    ]


def trained(job: Job, data: Dataset, trees: int, tuned: Params | None = None) -> tuple[Any, Params]:
    """The fitted model and the parameters it was given: the authors' own, or tuned as the paper's text says
    (every method of the protocol "paper", and `schema.TUNED` of both).

    Tuning is done once, with seed 0; other seeds take its parameters (`tuned`, where they are known already).
    """
    attacker = data.attacker.with_budget(job.train_budget)
    if job.protocol == "paper" or job.method in TUNED:
        if tuned is None:
            model, params, score = tune(job.method, data, attacker, 0, trees)
            tuned = LEARNERS[job.method].options | params | {_score_name(job.method): round(score, 6)}
            if job.seed == 0:
                return model, tuned
        chosen = {k: v for k, v in tuned.items() if k != _score_name(job.method)}
        return _fitted(job, data, attacker, chosen), tuned
    model = _fitted(job, data, attacker, {"n_estimators": trees})
    kept = {"best_round": model.best_round_} if hasattr(model, "best_round_") else {}
    return model, _plain(model.get_params()) | kept


def _score_name(method: str) -> str:
    """What a method is tuned by."""
    return "validation_mean" if method in TUNED else "validation_roc_auc"


def _fitted(job: Job, data: Dataset, attacker: Attacker, params: Params) -> Any:
    model = make(job.method, attacker, job.seed, **params)
    return fit(model, data.X_train, data.y_train, data.X_valid, data.y_valid)


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters that say how a model learns, as JSON has them."""
    return {
        k: v
        for k, v in params.items()
        if not isinstance(v, Attacker) and k not in ("random_state", "verbose", "n_jobs")
    }


def measured(judged: Judged, drawn: np.ndarray) -> dict[str, float]:
    """Every measure with the ends of its bootstrap interval."""
    out: dict[str, float] = {}
    for name, value, low, high in judged.lines(drawn, LEVEL):
        out |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return out


def _table(job: Job, scale: Scale) -> tuple[str, str, int | None, bool, int]:
    """What `load` is asked for: of a regression every seed has a split of its own."""
    seed = job.seed if job.protocol == REGRESSION else 0
    return job.dataset, job.protocol, scale.rows, scale.distinct, seed


@lru_cache(maxsize=2)
def load(name: str, protocol: str, rows: int | None, distinct: bool = False, seed: int = 0) -> Dataset:
    """A data set; with `rows`, only the first `rows` of each part. `distinct`: see `datasets`."""
    if protocol == REGRESSION:
        data: Dataset = getattr(number_tables, f"load_{name}")(seed)
    else:
        data = getattr(datasets, f"load_{name}")(protocol, distinct=distinct)
    if rows is None:
        return data
    cut = {
        k: getattr(data, k)[:rows] for k in ("X_train", "y_train", "X_valid", "y_valid", "X_test", "y_test")
    }
    return Dataset(data.name, data.protocol, **cut, attacker=data.attacker, budgets=data.budgets)


@lru_cache(maxsize=1)
def versions() -> str:
    """What the numbers depend on."""
    found = {"treant_viz": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "scikit-learn", "lightgbm"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return "; ".join(f"{k} {v}" for k, v in found.items())


__all__ = ["load", "plan", "print_progress", "run", "run_job"]

"""Run a plan on several cores, keep what is done, show what is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from joblib import Parallel, delayed

from treant_viz.experiments.jobs import FULL, Job, Scale, run_job, scale_text
from treant_viz.experiments.store import Store

Report = Callable[[int, int, float, Job], None]


def run(jobs: list[Job], store: Store, scale: Scale = FULL, n_jobs: int = 1, report: Report | None = None) -> int:
    """Train and attack what the store lacks; returns how many models that were. A stopped run goes on where it was."""
    todo = [job for job in jobs if not store.has(job, scale_text(scale))]
    start = time.monotonic()
    for done, records in enumerate(_results(todo, store, scale, n_jobs), 1):
        store.add(records)
        if report is not None:
            report(done, len(todo), time.monotonic() - start, Job(*(records[0][k] for k in Job._fields)))
    return len(todo)


def _results(jobs: list[Job], store: Store, scale: Scale, n_jobs: int) -> Iterator[list[dict[str, Any]]]:
    """The records of each model, as they come; what was tuned with seed 0 is looked up when a job begins."""
    calls = ((job, scale, store.params(job._replace(seed=0)) if job.seed else None) for job in jobs)
    if n_jobs == 1:
        yield from (run_job(*call) for call in calls)
    elif jobs:
        workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=n_jobs)
        yield from workers(delayed(run_job)(*call) for call in calls)


def print_progress(done: int, total: int, seconds: float, job: Job) -> None:
    """One line a model, with the time left if the rest is like what is done."""
    left = seconds / done * (total - done)
    what = f"{job.dataset} {job.protocol} {job.method} at {job.train_budget}, seed {job.seed}"
    print(f"{done}/{total}  {what}  ({clock(seconds)}, about {clock(left)} left)", file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Hours, minutes and seconds as one reads them.

    >>> clock(7), clock(754), clock(7540)
    ('7 s', '12 min 34 s', '2 h 5 min')
    """
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours} h {m} min" if hours else f"{minutes} min {s} s" if minutes else f"{s} s"


__all__ = ["print_progress", "run"]

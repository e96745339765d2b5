"""Mixed forests from no robust tree to robust trees alone: what they lose unattacked and gain attacked.

Protocol "authors", trained for and attacked with the largest budget; measured on all test rows and on those
without a twin. Nothing is chosen here: every share is measured and stored, in `mixed.csv`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np

from treant_viz.datasets import BUDGETS, twins
from treant_viz.estimators.mixed import MixedForestClassifier
from treant_viz.evaluation import Judged, worst_scores
from treant_viz.experiments.jobs import load, versions
from treant_viz.experiments.methods import make
from treant_viz.experiments.schema import MIXED, MIXED_FILE, Job, Scale
from treant_viz.experiments.store import Store

PARTS = 5  # shares from 0 to 1 in so many steps
Records = list[dict[str, Any]]
Report = Callable[[int, int, float, Job], None]


def run_mixed(
    names: Iterable[str], seeds: Iterable[int], store: Store, scale: Scale, n_jobs: int, report: Report
) -> tuple[int, int]:
    """Grow and attack what the store lacks; returns for how many data sets and seeds, and of how many."""
    jobs = [Job(name, "authors", "mixed", max(BUDGETS[name]), seed) for seed in seeds for name in names]
    todo = [job for job in jobs if not _there(store, job, scale)]
    start = time.monotonic()
    for done, job in enumerate(todo, 1):
        store.extend(MIXED_FILE, MIXED, measure(job, scale, n_jobs))
        report(done, len(todo), time.monotonic() - start, job)
    return len(todo), len(jobs)


def _there(store: Store, job: Job, scale: Scale) -> bool:
    """Is every share measured? Results of another scale are refused."""
    known = store.lines(MIXED_FILE, MIXED)
    mine = [r for r in known if (r["dataset"], r["seed"]) == (job.dataset, job.seed)]
    if strange := [r["scale"] for r in mine if r["scale"] != str(scale)]:
        raise ValueError(f"{store.folder}: holds results of {strange[0]}; for {scale} choose another folder")
    wanted = {(n, b) for n in counts(scale.trees) for b in (0, job.train_budget)}
    return {(r["robust_trees"], r["test_budget"]) for r in mine if r["rows"] == "all"} == wanted


def counts(trees: int) -> list[int]:
    """How many trees are robust.

    >>> counts(50), counts(3)
    ([0, 10, 20, 30, 40, 50], [0, 1, 2, 3])
    """
    return sorted({round(trees * part / PARTS) for part in range(PARTS + 1)})


def measure(job: Job, scale: Scale, n_jobs: int = 1) -> Records:
    """All mixtures of one forest of robust trees and one of standard trees, unattacked and under attack."""
    data = load(job.dataset, job.protocol, scale.rows)
    start = time.perf_counter()
    robust, standard = (
        make("mixed", data.attacker, job.seed, n_estimators=scale.trees, robust_share=share, n_jobs=n_jobs)
        .fit(data.X_train, data.y_train)
        for share in (1.0, 0.0)
    )  # fmt: skip
    grown = time.perf_counter() - start
    every, distinct = np.ones(len(data.y_test), dtype=bool), ~twins(data.X_test, data.X_train)
    about = {"fit_seconds": round(grown, 2), "scale": str(scale), "versions": versions()}
    out: Records = []
    for n in counts(scale.trees):
        start = time.perf_counter()
        part = mixture(robust, standard, n)
        judged = worst_scores(part, data.X_test, data.y_test, data.attacker, [0, job.train_budget])
        seconds = {"attack_seconds": round(time.perf_counter() - start, 2)}
        out += [
            job._asdict()
            | {"trees": scale.trees, "robust_trees": n, "rows": which, "test_budget": b}
            | {"n_rows": int(rows.sum())}
            | Judged(j.scores[rows], j.positive[rows], j.threshold).measures()
            | seconds
            | about
            for which, rows in (("all", every), ("no twins", distinct))
            for b, j in judged.items()
        ]
    return out


def mixture(robust: MixedForestClassifier, standard: MixedForestClassifier, n: int) -> MixedForestClassifier:
    """The first n trees of one forest and the others of the other: what fitting with this share gives."""
    part = copy(robust)
    part.robust_share = n / robust.n_estimators
    part.estimators_ = robust.estimators_[:n] + standard.estimators_[n:]
    return part


__all__ = ["counts", "measure", "mixture", "run_mixed"]

"""One experiment: train (and tune) one method at one budget, attack the test rows at every budget.

>>> Job("wine", "authors", "ab", 20, 0)
Job(dataset='wine', protocol='authors', method='ab', train_budget=20, seed=0)
"""

from __future__ import annotations

import base64
import json
import platform
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np

from treant_viz import __version__, datasets
from treant_viz.attacker import Attacker
from treant_viz.datasets import Dataset
from treant_viz.evaluation import METRICS, Judged, resamples, worst_scores
from treant_viz.experiments.methods import METHODS, TREES, fit, make
from treant_viz.experiments.tuning import tune

DATASETS = ("census", "wine", "credit")
PROTOCOLS = ("authors", "paper")
USUAL = {  # methods of a protocol: the text knows nothing of the slips
    "authors": ("rf", "gbdt", "ab", "rt-slips", "rt", "treant-none", "treant"),
    "paper": ("rf", "gbdt", "ab", "rt", "treant-none", "treant"),
}
N_BOOT = 400
LEVEL = 0.95


Params = dict[str, Any]


class Job(NamedTuple):
    """What one model is trained for; its results are one row a test budget."""

    dataset: str
    protocol: str
    method: str
    train_budget: int
    seed: int


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of everything: trees per model, rows of each part at most, resamples of the bootstrap."""

    trees: int = TREES
    rows: int | None = None
    n_boot: int = N_BOOT


FULL, QUICK = Scale(), Scale(trees=10, rows=600, n_boot=100)


def plan(
    names: Iterable[str], protocols: Iterable[str], methods: Iterable[str] | None, budgets: Sequence[int] | None,
    seeds: Iterable[int],
) -> list[Job]:  # fmt: skip
    """Every model to be trained; first seeds first. Methods that know no attacker have the training budget 0."""
    jobs = [
        Job(name, protocol, method, budget, seed)
        for seed in seeds
        for protocol in protocols
        for name in names
        for method in methods or USUAL[protocol]
        for budget in (_budgets(name, budgets) if METHODS[method].aware else (0,))
    ]
    return list(dict.fromkeys(jobs))


def _budgets(name: str, wanted: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(b for b in datasets.BUDGETS[name] if wanted is None or b in wanted)


def run_job(job: Job, scale: Scale = FULL, tuned: Params | None = None) -> list[dict[str, Any]]:
    """Train, attack, measure: one record a test budget, budget 0 (nobody attacks) first. For `tuned` see `trained`."""
    data = load(job.dataset, job.protocol, scale.rows)
    start = time.perf_counter()
    model, params = trained(job, data, scale.trees, tuned)
    fitted = time.perf_counter()
    judged = worst_scores(model, data.X_test, data.y_test, data.attacker, [0, *data.budgets])
    done = time.perf_counter()
    seconds = {"fit_seconds": round(fitted - start, 2), "attack_seconds": round(done - fitted, 2)}
    about = {"params": json.dumps(params, sort_keys=True), "scale": scale_text(scale), "versions": versions()}
    drawn = resamples(len(data.y_test), scale.n_boot, 0)
    clean = {f"clean_{k}": v for k, v in judged[0].measures().items()}
    return [
        job._asdict() | {"test_budget": b} | measured(j, drawn) | clean | seconds | about
        | {"correct": packed(j.correct) if b == job.train_budget else ""}
        for b, j in judged.items()
    ]  # fmt: skip


def trained(job: Job, data: Dataset, trees: int, tuned: Params | None = None) -> tuple[Any, Params]:
    """The fitted model and the parameters it was given: the authors' own, or tuned as the paper's text says.

    Tuning is done once, with seed 0; other seeds take its parameters (`tuned`, where they are known already).
    """
    attacker = data.attacker.with_budget(job.train_budget)
    if job.protocol == "paper":
        if job.seed == 0 or tuned is None:
            model, params, score = tune(job.method, data, attacker, 0, trees)
            tuned = METHODS[job.method].options | params | {"validation_roc_auc": round(score, 6)}
            if job.seed == 0:
                return model, tuned
        chosen = {k: v for k, v in tuned.items() if k != "validation_roc_auc"}
        return _fitted(job, data, attacker, chosen), tuned
    model = _fitted(job, data, attacker, {"n_estimators": trees})
    kept = {"best_round": model.best_round_} if hasattr(model, "best_round_") else {}
    return model, _plain(model.get_params()) | kept


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


MEASURES = tuple(f"{m}{end}" for m in METRICS for end in ("", "_low", "_high"))


@lru_cache(maxsize=2)
def load(name: str, protocol: str, rows: int | None) -> Dataset:
    """A data set; with `rows`, the first so many of each part."""
    data: Dataset = getattr(datasets, f"load_{name}")(protocol)
    if rows is None:
        return data
    cut = {k: getattr(data, k)[:rows] for k in ("X_train", "y_train", "X_valid", "y_valid", "X_test", "y_test")}
    return Dataset(data.name, data.protocol, **cut, attacker=data.attacker, budgets=data.budgets)


def packed(correct: np.ndarray) -> str:
    """Which rows were right, in few letters.

    >>> unpacked(packed(np.array([True, False, True])), 3).tolist()
    [True, False, True]
    """
    return base64.b64encode(zlib.compress(np.packbits(correct).tobytes(), 9)).decode()


def unpacked(text: str, n: int) -> np.ndarray:
    bits = np.unpackbits(np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8))
    return bits[:n].astype(bool)


def scale_text(scale: Scale) -> str:
    rows = "all rows" if scale.rows is None else f"{scale.rows} rows"
    return f"{scale.trees} trees, {rows}, {scale.n_boot} resamples"


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


__all__ = [
    "DATASETS",
    "FULL",
    "MEASURES",
    "PROTOCOLS",
    "QUICK",
    "Job",
    "Scale",
    "plan",
    "run_job",
    "scale_text",
    "unpacked",
]

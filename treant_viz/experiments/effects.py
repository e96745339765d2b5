"""What differs between the paper's text and what produced its numbers, one difference at a time, and what each does.

An effect changes one thing of a stored run (its `base`) and measures again: same method, seed and training budget (the
largest), attacked with the largest budget. Results go to `effects.csv` beside the stored ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from treant_viz.datasets import BUDGETS, Dataset, protocols
from treant_viz.datasets.threats import load_threat
from treant_viz.evaluation import METRICS, worst_scores
from treant_viz.experiments.jobs import FULL, Job, Scale, load, versions
from treant_viz.experiments.methods import fit, make
from treant_viz.experiments.store import Store

COLUMNS = (
    "effect", "dataset", "method", "train_budget", "test_budget", "seed", *METRICS, *(f"clean_{m}" for m in METRICS),
    "versions",
)  # fmt: skip


class Effect(NamedTuple):
    """A difference: what the text says, what was done, the stored run it changes, and how to make the other one."""

    name: str
    text: str
    done: str
    base: Job
    data: Callable[[Dataset], Dataset]
    options: dict[str, Any]


def run_effects(store: Store, scale: Scale = FULL, seed: int = 0) -> pd.DataFrame:
    """Measure every effect that is not there yet."""
    path = store.folder / "effects.csv"
    store.folder.mkdir(parents=True, exist_ok=True)
    done = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(COLUMNS))
    for effect in effects(seed):
        if not (done["effect"] == effect.name).any():
            new = pd.DataFrame([measure(effect, scale)], columns=list(COLUMNS))
            done = new if done.empty else pd.concat([done, new], ignore_index=True)
            done.to_csv(path, index=False, lineterminator="\n")
    return done


def measure(effect: Effect, scale: Scale = FULL) -> dict[str, Any]:
    """Train and attack with the one thing changed."""
    job = effect.base
    data = effect.data(load(job.dataset, job.protocol, scale.rows))
    attacker = data.attacker.with_budget(job.train_budget)
    model = make(job.method, attacker, job.seed, n_estimators=scale.trees, **effect.options)
    fit(model, data.X_train, data.y_train, data.X_valid, data.y_valid)
    judged = worst_scores(model, data.X_test, data.y_test, data.attacker, [0, job.train_budget])
    clean = {f"clean_{k}": v for k, v in judged[0].measures().items()}
    key = {"effect": effect.name, **job._asdict(), "test_budget": job.train_budget, "versions": versions()}
    return {k: v for k, v in (key | judged[job.train_budget].measures() | clean).items() if k in COLUMNS}


def same(data: Dataset) -> Dataset:
    return data


def unbinned(data: Dataset) -> Dataset:
    """The same rows with UCI's own values in place of lower edges of bins."""
    X, y = protocols.FEATURES_AND_LABELS[data.name]()
    return _cut(data, X, y, protocols.AUTHORS[data.name](X, y).parts)


def stratified(data: Dataset) -> Dataset:
    """The same values, split at random and stratified on the label as the text says."""
    X, y, _ = protocols.AUTHORS[data.name](*protocols.FEATURES_AND_LABELS[data.name]())
    return _cut(data, X, y, protocols.paper(X, y).parts)


def rules_of_the_text(data: Dataset) -> Dataset:
    """The same rows under the text's threat model."""
    return replace(data, attacker=load_threat(f"{data.name}-paper"))


def _cut(data: Dataset, X: pd.DataFrame, y: Any, parts: Any) -> Dataset:
    names = ("train", "valid", "test")
    tables = {f"X_{n}": X.iloc[rows].reset_index(drop=True) for n, rows in zip(names, parts, strict=True)}
    labels = {f"y_{n}": y[rows] for n, rows in zip(names, parts, strict=True)}
    return replace(data, **tables, **labels)


def effects(seed: int = 0) -> list[Effect]:
    """All of them, in the order of the audit."""
    treant, ab = partial(_job, "treant-none", seed), partial(_job, "ab", seed)
    binned = "every feature cut into 128 quantile bins, values replaced by the lower edge of their bin"
    tuned, fixed = "hyper-parameters tuned on the validation rows", "100 trees, depth 8, 256 leaves, rate 0.05"
    always, some = "education may always be lowered", "only from 13 to 16 years on"
    one_split, two_splits = "60-20-20, stratified on the label", "80-20, 87.5-12.5 on the quality, then cut again"
    by_auc, by_loss = "rounds chosen by validation ROC AUC", "by validation loss"
    return [
        Effect("binning, wine", "UCI's values", binned, treant("wine"), unbinned, {}),
        Effect("binning, credit", "UCI's values (payment status unshifted)", binned, treant("credit"), unbinned, {}),
        Effect("split, credit", "stratified sampling", "rows in file order", treant("credit"), stratified, {}),
        Effect("split, wine", one_split, two_splits, treant("wine"), stratified, {}),
        Effect("rule (iv), census", always, some, treant("census"), rules_of_the_text, {}),
        Effect("round of AB, wine", by_auc, by_loss, ab("wine"), same, {"criterion": "roc_auc"}),
        *(Effect(f"no tuning, {d}", tuned, fixed, treant(d, "paper"), same, {}) for d in BUDGETS),
    ]


def _job(method: str, seed: int, dataset: str, protocol: str = "authors") -> Job:
    return Job(dataset, protocol, method, max(BUDGETS[dataset]), seed)


__all__ = ["Effect", "effects", "measure", "run_effects"]

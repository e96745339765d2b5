"""What each difference between the paper's text and its programs does: one thing is changed at a time.

An effect (see `schema.effects`) changes one thing of a stored run, its `base`, and measures again: same
method, seed and training budget (the largest), attacked with the largest budget. Results go to
`effects.csv` beside the stored ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

from treant_viz.core import serial
from treant_viz.core.attacker.rules import Attacker, Interval
from treant_viz.datasets import Dataset, protocols
from treant_viz.datasets.threats import load_threat
from treant_viz.evaluation import worst_scores
from treant_viz.experiments.jobs import load, versions
from treant_viz.experiments.methods import fit, make
from treant_viz.experiments.schema import EFFECT, FULL, Effect, Scale, effects
from treant_viz.experiments.store import Store


def run_effects(store: Store, scale: Scale = FULL, seed: int = 0) -> pd.DataFrame:
    """Measure every effect that is not there yet."""
    path = store.folder / "effects.csv"
    store.folder.mkdir(parents=True, exist_ok=True)
    done = store.frame(path.name, EFFECT) if path.exists() else pd.DataFrame(columns=list(EFFECT))
    for effect in effects(seed):
        if not (done["effect"] == effect.name).any():
            new = pd.DataFrame([measure(effect, scale)], columns=list(EFFECT))
            done = new if done.empty else pd.concat([done, new], ignore_index=True)
            serial.write_whole(path, done.to_csv(index=False, lineterminator="\n"))
    return done


def measure(effect: Effect, scale: Scale = FULL) -> dict[str, Any]:
    """Train and attack with the one thing changed."""
    job = effect.base
    what = effect.name.partition(",")[0]
    data = DATA.get(what, _same)(load(job.dataset, job.protocol, scale.rows))
    attacker = data.attacker.with_budget(job.train_budget)
    model = make(job.method, attacker, job.seed, n_estimators=scale.trees, **OPTIONS.get(what, {}))
    fit(model, data.X_train, data.y_train, data.X_valid, data.y_valid)
    judged = worst_scores(model, data.X_test, data.y_test, data.attacker, [0, job.train_budget])
    clean = {f"clean_{k}": v for k, v in judged[0].measures().items()}
    key = {"effect": effect.name, **job._asdict(), "test_budget": job.train_budget, "versions": versions()}
    return {k: v for k, v in (key | judged[job.train_budget].measures() | clean).items() if k in EFFECT}


def _same(data: Dataset) -> Dataset:
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


def below_eleven(data: Dataset) -> Dataset:
    """The same rows under a rule on alcohol that does not apply to 11 % itself, as the text has it."""
    first, *others = data.attacker.rules
    strict = replace(first, pre=Interval(first.pre.low, math.nextafter(first.pre.high, 0.0)))
    return replace(data, attacker=Attacker([strict, *others], data.attacker.budget))


def _cut(data: Dataset, X: pd.DataFrame, y: Any, parts: Any) -> Dataset:
    names = ("train", "valid", "test")
    tables = {f"X_{n}": X.iloc[rows].reset_index(drop=True) for n, rows in zip(names, parts, strict=True)}
    labels = {f"y_{n}": y[rows] for n, rows in zip(names, parts, strict=True)}
    return replace(data, **tables, **labels)


# What is changed, by the first words of an effect's name: the data or the options of the learner. ("no
# tuning" is what a base of the protocol "paper" turns into when it is made with the defaults.)
DATA: dict[str, Callable[[Dataset], Dataset]] = {
    "binning": unbinned,
    "split": stratified,
    "rule (iv)": rules_of_the_text,
    "rule (i)": below_eleven,
}
OPTIONS: dict[str, dict[str, Any]] = {"round of AB": {"criterion": "roc_auc"}}

__all__ = ["measure", "run_effects"]

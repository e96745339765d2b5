"""Small tables with numbers and colours, and an attacker of all their columns."""

from __future__ import annotations

import numpy as np
import pandas as pd

import treant_viz as tv
from treant_viz.baselines import (
    AdversarialBoosting,
    GBDTBaseline,
    RandomForestBaseline,
)

COLOURS = ("blue", "green", "red")

BOOSTED = (GBDTBaseline, RandomForestBaseline, AdversarialBoosting)

RULES = (("num", 0, 1, -9, 9, -1, 1), ("num", 1, 2, 0, 9, 0, 3), ("cat", 2, 1, frozenset({"red"}), "blue"))


def as_rules(rules) -> list[tv.Rule]:
    out = []
    for kind, f, cost, *rest in rules:
        name = "pqc"[f]
        if kind == "cat":
            out.append(tv.Rule(name, cost, pre=rest[0], becomes=rest[1]))
        else:
            out.append(tv.Rule(name, cost, pre=tuple(rest[:2]), delta=tuple(rest[2:])))
    return out


def small(seed: int, n: int = 14):
    """Whole numbers and colours, labels 0/1."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"p": rng.integers(0, 6, n), "q": rng.integers(0, 9, n), "c": rng.choice(COLOURS, n)})
    y = (rng.random(n) < 0.3 + 0.4 * (X.p > 2)).astype(int).to_numpy()
    return X, np.r_[0, 1, y[2:]]


def large(seed: int = 0, n: int = 400):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"p": rng.normal(size=n).round(1), "q": rng.integers(0, 9, n), "c": rng.choice(COLOURS, n)}
    )
    y = (X.p + 0.2 * X.q + (X.c == "red") + rng.normal(scale=0.4, size=n) > 1.2).astype(int).to_numpy()
    return X.astype({"c": "category"}), y


def truncated(booster, rounds: int):
    """A LightGBM booster of the first rounds."""
    return type(booster)(model_str=booster.model_to_string(num_iteration=rounds))

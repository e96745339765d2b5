"""Fitted models on a small table, and an attacker of both columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv

lgb = pytest.importorskip("lightgbm")
ensemble = pytest.importorskip("sklearn.ensemble")


def table(n: int = 60, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 9, size=n)})
    return X, ((X.a + X.b / 4 + rng.normal(size=n)) > 1).astype(int).to_numpy()


def models():
    X, y = table()
    yield "tree", tv.Node("a", 0.0, tv.Node("b", 3, tv.Leaf(0.0), tv.Leaf(0.6)), tv.Leaf(1.0))
    yield "forest", ensemble.RandomForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    yield "boosting", ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    yield "lightgbm", lgb.LGBMClassifier(n_estimators=5, min_child_samples=3, verbose=-1, n_jobs=1).fit(X, y)


MODELS = dict(models())

EITHER = tv.Attacker([tv.Rule("a", 2, delta=(-0.5, 0.5)), tv.Rule("b", 1, pre=(0, 5), delta=(0, 1))], 4)

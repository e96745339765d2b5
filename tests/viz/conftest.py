"""Traces that several pictures are tested on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv


@pytest.fixture(scope="module")
def boxed():
    """A trace in which attacked features are tested again, so that rows have spent, and boxes narrow."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 12, 80).astype(float), "c": rng.choice(list("uvw"), 80)})
    y = X["a"] + 2.0 * (X["c"] == "u") + rng.normal(size=80)
    rules = [
        tv.Rule("a", 1, delta=(-1, 1)),
        tv.Rule("c", 1, pre={"u", "v"}, becomes="w"),
        tv.Rule("c", 1, becomes="u"),
    ]
    model = tv.TreantRegressor(tv.Attacker(rules, 2), retest="all", max_depth=4, min_samples_split=4)
    return model.fit(X, y, sample_weight=rng.uniform(0.5, 2.0, 80)).trace_


@pytest.fixture(scope="module")
def real():
    """Real labels, more unknown rows than ribbons."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1)).round(2)
    y = (X[:, 0] + rng.normal(size=300)).round(1)
    A = tv.Attacker([tv.Rule(0, 1, delta=(-0.3, 0.3))], 1)
    return tv.TreantRegressor(A, max_depth=2, min_samples_split=4).fit(X, y).trace_

"""Traces that several pictures are tested on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.core.losses import SSE
from treant_viz.core.solvers.slsqp import LabelWeights, StumpProblem, run


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


@pytest.fixture(scope="module")
def deep_wine():
    wine = tv.load_wine()
    model = tv.TreantClassifier(wine.attacker, max_depth=5)
    return model.fit(wine.X_train[:1000], wine.y_train[:1000]).trace_


@pytest.fixture(scope="module")
def deep_census():
    census = tv.load_census()
    model = tv.TreantClassifier(census.attacker, max_depth=4, min_samples_split=20)
    return model.fit(census.X_train[:1000], census.y_train[:1000]).trace_


@pytest.fixture(scope="module")
def stuck():
    """SLSQP in the toy's right child from (-1, 2)."""
    none = LabelWeights(np.empty(0), np.empty(0))
    left, right = (
        LabelWeights(np.array([0.0, 2.0]), np.ones(2)),
        LabelWeights(np.array([2.0]), np.array([3.0])),
    )
    problem = StumpProblem(SSE, left, none, right, np.array([[0.0, 0.0, -1.5]]), np.empty((0, 3)))
    everything = (-np.inf, np.inf)
    return run(problem, (-1.0, 2.0), ((-np.inf, -1.5), (1.5, np.inf)), (everything,)).iterates


@pytest.fixture(scope="module")
def bound_census():
    """Leaves of the census with many constraints."""
    census = tv.load_census()
    return (
        tv.TreantClassifier(census.attacker, max_depth=4)
        .fit(census.X_train[:1500], census.y_train[:1500])
        .trace_
    )

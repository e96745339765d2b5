"""What tests of live pictures share: forms of attackers, the app and a browser that asks it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.live.app import Browser
from treant_viz.live.app.serve import listening
from treant_viz.live.app.study import study_of

TOY = tv.load_toy()
PEOPLE = pd.DataFrame(
    {
        "age": [20.0, 30.0, 40.0, 50.0],
        "status": ["single", "married", "divorced", "divorced"],
        "score": [1.0, 2.0, 3.0, 4.0],
    }
)


@pytest.fixture
def form():
    return tv.build_attacker(TOY)


@pytest.fixture
def people():
    rules = [
        tv.Rule("age", 2, pre=(0, 45), delta=(0, 5)),
        tv.Rule("status", 1, pre={"divorced"}, becomes="single"),
    ]
    return tv.build_attacker(PEOPLE, tv.Attacker(rules, 4), y=[0, 1, 0, 1])


@pytest.fixture(scope="module")
def served():
    with listening(study_of("toy"), 0) as made:
        yield made


@pytest.fixture
def web(served):
    return Browser(served)


@pytest.fixture(scope="module")
def twice():
    """A few rows; of one of them, two splits made constraints."""
    r = np.random.default_rng(16)
    X = pd.DataFrame({"p": r.integers(0, 9, 12) * 1.0, "q": r.integers(0, 9, 12) * 1.0})
    A = tv.Attacker([tv.Rule(f, cost=1, delta=(-1, 1)) for f in "pq"], 2)
    return tv.TreantRegressor(A, min_samples_split=2, max_depth=3).fit(X, r.integers(0, 6, 12) * 1.0)

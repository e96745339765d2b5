"""What all baselines refuse, and by which name."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treant_viz as tv
from tests.baselines.samples import BOOSTED
from treant_viz.attacks.attack import attack
from treant_viz.baselines import (
    AdversarialBoosting,
    GBDTBaseline,
    RobustForest,
    RobustTree,
)

lgb = pytest.importorskip("lightgbm")


@pytest.mark.parametrize("kind", [*BOOSTED, RobustTree, RobustForest])
def test_bad_input_is_refused_by_name(kind, data):
    X, y, A = data
    small_ = {} if kind is RobustTree else {"n_estimators": 2}
    m = kind(**small_)
    with pytest.raises(NotFittedError):
        m.predict(X)
    with pytest.raises(ValueError, match="X: found 0 sample"):
        m.fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="two classes"):
        m.fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="contains NaN"):
        m.fit(X.assign(p=np.nan), y)
    m.fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        m.predict(X[["q", "p", "c"]])
    with pytest.raises(ValueError, match="feature"):
        m.predict(X[["p", "q"]])
    with pytest.raises(ValueError, match="unknown category 'grey'"):
        m.predict(X.assign(c="grey"))
    with pytest.raises(ValueError, match=r"columns|feature names"):
        attack(m, X[["q", "p", "c"]], y, A)
    if kind is not RobustTree:
        with pytest.raises(ValueError, match="n_estimators: expected a whole number"):
            kind(n_estimators=0).fit(X, y)


def test_bad_options_are_refused_by_name(data):
    X, y, A = data
    with pytest.raises(TypeError, match="attacker: expected an Attacker"):
        AdversarialBoosting("nobody").fit(X, y)
    with pytest.raises(ValueError, match="is not a column"):
        AdversarialBoosting(tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1), n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="X_valid, y_valid: expected both"):
        AdversarialBoosting(A).fit(X, y, X)
    with pytest.raises(ValueError, match=r"y_valid: expected 400 labels out of \[0, 1\]"):
        AdversarialBoosting(A).fit(X, y, X, y + 5)
    with pytest.raises(ValueError, match="num_leaves"):
        GBDTBaseline(num_leaves=1).fit(X, y)
    with pytest.raises(ValueError, match="categorical_by_order"):
        RobustTree(categorical_by_order="yes").fit(X, y)
    with pytest.raises(ValueError, match="skip_empty_cases"):
        RobustTree(skip_empty_cases="yes").fit(X, y)


@pytest.mark.parametrize("kind", BOOSTED)
def test_a_missing_lightgbm_is_named_with_the_extra_that_brings_it(kind, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"needs LightGBM.*treant-viz\[experiments\]"):
        kind(n_estimators=2).fit(*data[:2])

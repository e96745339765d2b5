"""The trivial defence: models that never look at what can be attacked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.attacks.attack import attack
from treant_viz.baselines import DropGBDT, DropRandomForest, GBDTBaseline, RandomForestBaseline

pytest.importorskip("lightgbm")

PAIRS = [(DropGBDT, GBDTBaseline), (DropRandomForest, RandomForestBaseline)]
each_pair = pytest.mark.parametrize(("dropping", "plain"), PAIRS, ids=["gbdt", "rf"])
SMALL = {"n_estimators": 8, "num_leaves": 8, "random_state": 0}
A = tv.Attacker(
    [
        tv.Rule("b", 1, delta=(-2, 2)),
        tv.Rule("c", 1, pre={"red"}, becomes="blue"),
        tv.Rule("b", 9, delta=(0, 1)),
    ],
    0,
)


def people(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.choice(["red", "blue", "green"], n),
            "d": rng.choice(["x", "y", "z"], n),
        }
    )
    score = X["a"] + 2 * X["b"] + (X["c"] == "red") + 2 * (X["d"] == "y")
    return X, (score + rng.normal(size=n) > 1).astype(int).to_numpy()


@each_pair
def test_it_is_the_model_of_the_table_without_those_columns(dropping, plain):
    X, y = people()
    m = dropping(A, **SMALL).fit(X, y)
    less = plain(**SMALL).fit(X[["a", "d"]], y)
    assert m.dropped_features_ == ("b", "c")
    assert m.predict_proba(X).tolist() == less.predict_proba(X[["a", "d"]]).tolist()
    assert m.predict_proba(X).tolist() != plain(**SMALL).fit(X, y).predict_proba(X).tolist()


@each_pair
def test_no_attack_does_anything(dropping, plain):
    X, y = people()
    m = dropping(A, **SMALL).fit(X, y)
    strong = A.with_budget(50)
    result = attack(m, X, y, strong)
    assert result.scores.tolist() == result.clean_scores.tolist()
    assert not any(result.moves)
    assert attack(plain(**SMALL).fit(X, y), X, y, strong).losses.sum() > result.losses.sum()


@each_pair
def test_without_rules_nothing_is_dropped(dropping, plain):
    X, y = people()
    for none in (None, tv.Attacker([], 3)):
        m = dropping(none, **SMALL).fit(X, y)
        assert m.dropped_features_ == ()
        assert m.predict_proba(X).tolist() == plain(**SMALL).fit(X, y).predict_proba(X).tolist()


@each_pair
def test_rules_by_place(dropping, plain):
    X, y = people()
    by_place = tv.Attacker([tv.Rule(1, 1, delta=(-2, 2))], 1)
    table = X[["a", "b"]].to_numpy()
    m = dropping(by_place, **SMALL).fit(table, y)
    assert m.dropped_features_ == (1,)
    assert (
        m.predict_proba(table).tolist()
        == plain(**SMALL).fit(table[:, :1], y).predict_proba(table[:, :1]).tolist()
    )


@each_pair
def test_what_is_refused(dropping, plain):
    X, y = people()
    with pytest.raises(TypeError, match="attacker: expected an Attacker or None, got 'me'"):
        dropping("me").fit(X, y)
    with pytest.raises(ValueError, match="attacker: its rules touch every column"):
        dropping(A).fit(X[["b", "c"]], y)
    with pytest.raises(ValueError, match="the rule's feature 'b' is not a column"):
        dropping(A).fit(X[["a", "c"]], y)


@each_pair
def test_options_are_those_of_the_model_and_the_attacker(dropping, plain):
    assert dropping().get_params() == plain().get_params() | {"attacker": None}

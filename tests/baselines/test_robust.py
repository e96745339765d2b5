"""Robust trees: the worst of four cases by brute force, and the authors' slips that are kept on request."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import clone

import treant_viz as tv
from tests import oracles
from tests.baselines.samples import RULES, as_rules, small
from treant_viz.attacks.attack import attack
from treant_viz.baselines import (
    RobustForest,
    RobustTree,
)
from treant_viz.baselines.robust import FourCases
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import BINARY_SSE
from treant_viz.core.tree import nodes, predict
from treant_viz.estimators.fitting import make_table
from treant_viz.evaluation import evaluate


def sse(labels: list[int]) -> float:
    return float(np.var(labels) * len(labels)) if labels else 0.0


def four_cases(rows, y, rules, budget, f, test, v, skip_empty=False) -> float:
    """Straight from the definition: who can be where, and the worst of the four ways to part them."""
    sides: dict[str, list[int]] = {"l": [], "r": [], "ul": [], "ur": []}
    for x, label in zip(rows, y):
        sees = {oracles.passes(z, f, test, v) for z in oracles.attacks(x, rules, budget)}
        here = "l" if oracles.passes(x, f, test, v) else "r"
        sides[here if len(sees) == 1 else "u" + here].append(label)
    left, right, ul, ur = sides.values()
    parts = (
        (left + ul, right + ur),
        (left + ur, right + ul),
        (left + ul + ur, right),
        (left, right + ul + ur),
    )
    return max((sse(a) + sse(b) for a, b in parts if (a and b) or not skip_empty), default=0.0)


@pytest.mark.parametrize("skip_empty", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_every_candidate_is_the_worst_of_four_cases(seed, skip_empty):
    X, y = small(seed)
    budget = seed % 4
    rows = [tuple(r) for r in X.itertuples(index=False)]
    A = tv.Attacker(as_rules(RULES), budget)
    table = make_table(X, A)
    D = Data.root(Sample(table, y.astype(float), binary=True))
    N = FourCases(skip_empty=skip_empty).best_stumps(
        D, AttackerOnTable(A, table), Constraints.none(), BINARY_SSE, np.ones(table.width, dtype=bool)
    )
    seen = 0
    for i in range(len(N)):
        f, v = int(N.tally.feature[i]), table.threshold(int(N.tally.feature[i]), int(N.tally.code[i]))
        test = "==" if f == 2 else "<="
        home = np.array([oracles.passes(x, f, test, v) for x in rows])
        assert N.loss[i] == pytest.approx(four_cases(rows, y, RULES, budget, f, test, v, skip_empty))
        assert N.admissible[i] == (home.any() and not home.all())
        if N.admissible[i]:
            assert (N.y_l[i], N.y_r[i]) == (pytest.approx(y[home].mean()), pytest.approx(y[~home].mean()))
            seen += 1
    assert seen >= 6


@pytest.mark.parametrize("seed", range(6))
def test_a_robust_tree_takes_the_best_candidate_and_clean_rows_down_it(seed):
    X, y = small(seed, 30)
    A = tv.Attacker(as_rules(RULES), 2)
    m = RobustTree(A, min_samples_split=4, max_depth=3).fit(X, y)
    rows = [tuple(r) for r in X.itertuples(index=False)]
    tests = [(f, "<=", v) for f, name in ((0, "p"), (1, "q")) for v in sorted(set(X[name]))[:-1]]
    tests += [(2, "==", v) for v in sorted(set(X.c))]
    losses = [four_cases(rows, y, RULES, 2, *t) for t in tests]
    assert m.trace_.steps[0].split.loss_under_attack == pytest.approx(min(losses))
    leaf_of = predict(m.tree_, X, m.schema_)
    for value in np.unique(leaf_of):
        assert y[leaf_of == value].mean() == pytest.approx(value)


def test_without_an_attacker_it_is_a_plain_tree(data):
    X, y, A = data
    plain = tv.TreantClassifier(None, loss="sse").fit(X, y).tree_
    assert RobustTree(None).fit(X, y).tree_ == plain
    assert RobustTree(A.with_budget(0)).fit(X, y).tree_ == plain


def test_features_may_be_reused_and_every_node_fears_the_full_budget(data):
    """Below a test on p, which the attacker can cross, p is tested again; the budget is whole everywhere."""
    X, y, A = data
    m = RobustTree(A, max_depth=6).fit(X, y)
    tested = [path for path, node in nodes(m.tree_) if node.feature == "p"]
    assert any(below != path and below.startswith(path) for path in tested for below in tested)
    for step in m.trace_.steps:
        assert set(np.asarray(step.data.spent).tolist()) == {0.0}


def test_the_authors_slip_sends_unknown_categories_by_the_alphabet():
    """Blue may become green, so blue rows are unknown at c == green; blue <= green takes them left."""
    X = pd.DataFrame({"c": ["green"] * 10 + ["blue"] * 3 + ["red"] * 20})
    y = np.r_[np.zeros(10), np.ones(3), np.ones(20)].astype(int)
    A = tv.Attacker([tv.Rule("c", 1, pre={"blue"}, becomes="green")], 1)
    right, slip = (RobustTree(A, categorical_by_order=b).fit(X, y) for b in (False, True))
    assert right.tree_.predicate == slip.tree_.predicate == "c == green"
    assert (right.tree_.left.size, slip.tree_.left.size) == (10, 13)
    assert (right.tree_.left.prediction, slip.tree_.left.prediction) == (
        0.0,
        0.0,
    )  # the mean of the clean side
    assert right.predict(X).tolist() == y.tolist()


def test_the_other_slip_takes_a_feature_for_safe_of_which_the_attacker_owns_every_row():
    """All values of p are within reach of the threshold; q is safe, but tells the classes apart less well."""
    X = pd.DataFrame({"p": [0.0] * 10 + [1.0] * 10, "q": [0.0] * 8 + [1.0] * 12})
    y = np.r_[np.zeros(10), np.ones(10)].astype(int)
    A = tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 1)
    mended, slip = (RobustTree(A, skip_empty_cases=b).fit(X, y) for b in (False, True))
    assert mended.tree_.predicate == "q <= 0"
    assert slip.tree_.predicate == "p <= 0"
    assert evaluate(slip, X, y, A)["accuracy"] == 0.0 < evaluate(mended, X, y, A)["accuracy"]


def test_robust_estimators_are_estimators(data, tmp_path):
    X, y, A = data
    options = {"n_estimators": 4, "attacker": A, "random_state": 3, "max_depth": 4}
    m = RobustForest(**options).fit(X, y)
    with parallel_config("threading"):
        again = RobustForest(n_jobs=2, **options).fit(X, y)
    assert [e.tree_ for e in again.estimators_] == [e.tree_ for e in m.estimators_]
    assert isinstance(m.estimators_[0], RobustTree)
    assert clone(m).get_params() == m.get_params()
    assert m.score(X, y) > 0.7
    np.testing.assert_allclose(m.predict_proba(X).sum(axis=1), 1)
    m.to_json(tmp_path / "m.json")
    np.testing.assert_array_equal(
        RobustForest.from_json(tmp_path / "m.json").predict_proba(X), m.predict_proba(X)
    )
    found = attack(m, X, y, A)
    np.testing.assert_allclose(found.scores, m.predict_proba(found.X_adv)[:, 1])
    assert found.losses.sum() >= found.clean_losses.sum()

"""The paper's competitors: the four cases by brute force, LightGBM as it is, attacks round by round, bad input."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treant_viz as tv
from tests import oracles
from treant_viz.attacks import attack
from treant_viz.baselines import (
    AdversarialBoosting,
    GBDTBaseline,
    RandomForestBaseline,
    RobustForest,
    RobustTree,
    adversarial,
    growing,
)
from treant_viz.baselines.adversarial import NewestTree
from treant_viz.baselines.growing import Growing
from treant_viz.baselines.robust import FourCases
from treant_viz.bound import BoundAttacker
from treant_viz.constraints import Constraints
from treant_viz.evaluation import evaluate
from treant_viz.fitting import make_table
from treant_viz.losses import BINARY_SSE
from treant_viz.partition import Data, Sample
from treant_viz.tree import nodes, predict

lgb = pytest.importorskip("lightgbm")
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
    X = pd.DataFrame({"p": rng.normal(size=n).round(1), "q": rng.integers(0, 9, n), "c": rng.choice(COLOURS, n)})
    y = (X.p + 0.2 * X.q + (X.c == "red") + rng.normal(scale=0.4, size=n) > 1.2).astype(int).to_numpy()
    return X.astype({"c": "category"}), y


@pytest.fixture(scope="module")
def data():
    """Training rows, labels, and an attacker on all kinds of columns."""
    rules = [tv.Rule("p", 1, delta=(-0.5, 0.5)), tv.Rule("q", 2, pre=(2, 9), delta=(-2, 0)), as_rules(RULES)[2]]
    return *large(), tv.Attacker(rules, 3)


# Robust trees


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
    parts = ((left + ul, right + ur), (left + ur, right + ul), (left + ul + ur, right), (left, right + ul + ur))
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
        D, BoundAttacker(A, table), Constraints.none(), BINARY_SSE, np.ones(table.width, dtype=bool)
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
    """Below a test on p, which the attacker can cross, p is tested again; nobody has spent anything anywhere."""
    X, y, A = data
    m = RobustTree(A, max_depth=6).fit(X, y)
    tested = [path for path, node in nodes(m.tree_) if node.feature == "p"]
    assert any(below != path and below.startswith(path) for path in tested for below in tested)
    for step in m.trace_.steps:
        assert set(np.asarray(step.data.spent).tolist()) == {0.0}


def test_the_authors_slip_sends_unknown_categories_by_the_alphabet():
    """Blue may become green, so at the test c == green the blue rows are unknown; blue <= green takes them left."""
    X = pd.DataFrame({"c": ["green"] * 10 + ["blue"] * 3 + ["red"] * 20})
    y = np.r_[np.zeros(10), np.ones(3), np.ones(20)].astype(int)
    A = tv.Attacker([tv.Rule("c", 1, pre={"blue"}, becomes="green")], 1)
    right, slip = (RobustTree(A, categorical_by_order=b).fit(X, y) for b in (False, True))
    assert right.tree_.predicate == slip.tree_.predicate == "c == green"
    assert (right.tree_.left.size, slip.tree_.left.size) == (10, 13)
    assert (right.tree_.left.prediction, slip.tree_.left.prediction) == (0.0, 0.0)  # the mean of the clean side
    assert right.predict(X).tolist() == y.tolist()


def test_the_other_slip_takes_a_feature_for_safe_of_which_the_attacker_owns_every_row():
    """All values of p lie within his reach of the threshold; q is untouched, but tells the classes apart less well."""
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
    np.testing.assert_array_equal(RobustForest.from_json(tmp_path / "m.json").predict_proba(X), m.predict_proba(X))
    found = attack(m, X, y, A)
    np.testing.assert_allclose(found.scores, m.predict_proba(found.X_adv)[:, 1])
    assert found.losses.sum() >= found.clean_losses.sum()


# LightGBM


def test_gradient_boosting_is_lightgbms_with_the_papers_parameters(data):
    X, y, _ = data
    m = GBDTBaseline(n_estimators=20).fit(X, y)
    options = {"objective": "regression", "learning_rate": 0.05, "num_leaves": 256, "max_depth": 8, "verbosity": -1}
    plain = lgb.train(options | {"num_threads": 1}, lgb.Dataset(X, 2 * y - 1), 20)
    np.testing.assert_allclose(m.booster_.predict(X), plain.predict(X), atol=1e-12)
    np.testing.assert_allclose(m.predict_proba(X)[:, 1], np.clip((1 + plain.predict(X)) / 2, 0, 1), atol=1e-12)
    np.testing.assert_array_equal(m.predict(X), (plain.predict(X) >= 0).astype(int))
    assert m.get_params() == {
        "n_estimators": 20, "learning_rate": 0.05, "num_leaves": 256, "max_depth": 8, "random_state": None,
        "n_jobs": None,
    }  # fmt: skip
    assert (
        GBDTBaseline().n_estimators == AdversarialBoosting().n_estimators == RandomForestBaseline().n_estimators == 100
    )


def test_the_random_forest_averages_trees_on_samples(data):
    X, y, _ = data
    m = RandomForestBaseline(n_estimators=7, random_state=0).fit(X, y)
    settings = m.booster_.params
    assert (settings["boosting"], settings["objective"]) == ("rf", "regression")
    assert (settings["bagging_fraction"], settings["bagging_freq"], settings["feature_fraction"]) == (0.8, 1, 0.8)
    assert m.booster_.num_trees() == 7
    trees = [m.booster_.predict(X, start_iteration=i, num_iteration=1) for i in range(7)]
    np.testing.assert_allclose(m.booster_.predict(X), np.mean(trees, axis=0))
    same, other = (RandomForestBaseline(n_estimators=7, random_state=s).fit(X, y).predict_proba(X) for s in (0, 1))
    np.testing.assert_array_equal(same, m.predict_proba(X))
    assert not np.array_equal(other, same)


@pytest.mark.parametrize("kind", BOOSTED)
def test_labels_and_columns_of_all_kinds(kind, data):
    X, y, _ = data
    words, text = np.where(y == 1, "yes", "no"), X.astype({"c": object})
    m, t = kind(n_estimators=5, random_state=0).fit(X, words), kind(n_estimators=5, random_state=0).fit(text, words)
    assert m.classes_.tolist() == ["no", "yes"] and set(m.predict(X)) == {"no", "yes"}
    np.testing.assert_array_equal(m.predict_proba(X), t.predict_proba(text))
    np.testing.assert_array_equal(m.predict_proba(X), m.predict_proba(text))
    bare = kind(n_estimators=5, random_state=0).fit(text.to_numpy(), words)
    np.testing.assert_array_equal(bare.predict_proba(text.to_numpy()), m.predict_proba(X))
    odd = X.set_axis(["p [g/l]", "q: {x}", "c"], axis=1)
    np.testing.assert_array_equal(
        kind(n_estimators=5, random_state=0).fit(odd, y).predict_proba(odd), m.predict_proba(X)
    )
    assert clone(m).get_params() == m.get_params() and not hasattr(clone(m), "booster_")


@pytest.mark.parametrize("kind", BOOSTED)
def test_attacks_on_a_baseline_are_those_on_its_booster(kind, data):
    X, y, A = data
    m = kind(n_estimators=6, num_leaves=8, random_state=0).fit(X, y)
    X, y = X[:60], y[:60]
    found, raw = attack(m, X, y, A, "margin"), attack(m.booster_, X, 2 * y - 1, A, "margin")
    np.testing.assert_allclose(found.scores, (1 + raw.scores) / 2)
    np.testing.assert_allclose(found.scores, (1 + m.booster_.predict(found.X_adv)) / 2)
    np.testing.assert_array_equal(found.costs, raw.costs)
    assert (found.costs > 0).any()
    exhaustive = attack(m, X[:8], y[:8], A, "margin", method="exhaustive")
    np.testing.assert_allclose(exhaustive.scores, found.scores[:8])
    losses = attack(m, X, y, A).losses
    assert (losses >= (found.scores - y) ** 2 - 1e-12).all()


def test_attacks_on_baselines_of_unnamed_columns(data):
    X, y, A = data
    M = X[["p", "q"]].to_numpy()
    named = tv.Attacker([r for r in A.rules if r.feature != "c"], 3)
    numbered = tv.Attacker([tv.Rule("pq".index(r.feature), r.cost, r.pre, r.delta) for r in named.rules], 3)
    frame = X[["p", "q"]]
    a = attack(GBDTBaseline(n_estimators=5).fit(M, y), M, y, numbered, "margin")
    b = attack(GBDTBaseline(n_estimators=5).fit(frame, y), frame, y, named, "margin")
    np.testing.assert_array_equal(a.scores, b.scores)


def test_a_category_that_only_a_rule_names_is_unknown_to_the_model(data):
    X, y, _ = data
    A = tv.Attacker([tv.Rule("c", 1, pre={"red"}, becomes="grey")], 1)
    m = GBDTBaseline(n_estimators=5).fit(X, y)
    found = attack(m, X, y, A, "margin")
    unknown = X.assign(c=X.c.cat.set_categories(["blue", "green"]))
    np.testing.assert_allclose(found.scores[found.costs > 0], (1 + m.booster_.predict(unknown)[found.costs > 0]) / 2)
    with pytest.raises(ValueError, match="unknown category 'grey'"):
        m.predict(X.assign(c="grey"))
    robust = AdversarialBoosting(A, n_estimators=4).fit(X, y)
    assert attack(robust, X, y, A).exact.all()


def test_weights_count(data):
    X, y, _ = data
    w = np.where(np.arange(len(X)) < 100, 0.0, 1.0)
    for kind in (GBDTBaseline, AdversarialBoosting):
        a = kind(n_estimators=5).fit(X, y, sample_weight=w).predict_proba(X)
        b = kind(n_estimators=5).fit(X[100:], y[100:]).predict_proba(X)
        np.testing.assert_allclose(a, b)
        assert not np.allclose(a, kind(n_estimators=5).fit(X, y, sample_weight=1 + 5.0 * y).predict_proba(X))


# Adversarial boosting


def truncated(booster, rounds: int):
    return lgb.Booster(model_str=booster.model_to_string(num_iteration=rounds))


@pytest.mark.parametrize("budget", [0, 1, 3, np.inf])
def test_the_attack_on_a_growing_ensemble_is_the_attack_on_the_ensemble(budget, data):
    """Round by round the same worst scores and costs as `attack` on all trees so far, and rows that fetch them."""
    X, y, A = data
    X, labels, A = X[:150], 2.0 * y[:150] - 1, A.with_budget(budget)
    m = GBDTBaseline(n_estimators=6, num_leaves=16).fit(*data[:2])
    M = m._schema.matrix(X)
    points = Growing(M, -labels, A)
    for rounds in range(1, 7):
        model = truncated(m.booster_, rounds)
        points.add(m._form(NewestTree(model), A))
        worst, expected = points.worst(), attack(model, X, labels, A, "margin")
        np.testing.assert_allclose(worst.value, expected.scores, atol=1e-12)
        np.testing.assert_allclose(worst.cost, expected.costs)
        np.testing.assert_allclose(model.predict(m._frame(worst.M)), expected.scores, atol=1e-12)
        assert (worst.M != M).any() == (budget > 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_attack_on_a_growing_ensemble_is_the_best_of_all_attacks(seed):
    """Against plain enumeration over whole numbers, with rules whose preconditions matter."""
    X, y = small(seed, 60)
    A = tv.Attacker(as_rules(RULES), 3)
    m = GBDTBaseline(n_estimators=4, num_leaves=6).fit(pd.concat([X] * 5, ignore_index=True), np.tile(y, 5))
    points = Growing(m._schema.matrix(X), 1.0 - 2 * y, A)
    for rounds in range(1, 5):
        points.add(m._form(NewestTree(truncated(m.booster_, rounds)), A))
    worst = points.worst().value
    for i, x in enumerate(X.itertuples(index=False)):
        all_ = pd.DataFrame(list(oracles.attacks(tuple(x), RULES, 3)), columns=list("pqc"))
        scores = m.booster_.predict(m._frame(m._schema.matrix(all_)))
        assert worst[i] == pytest.approx(scores.min() if y[i] else scores.max())


def test_every_round_trains_on_clean_rows_and_the_worst_under_the_model_so_far(data, monkeypatch):
    X, y, A = data
    seen = []
    data_of = AdversarialBoosting._data

    def spy(self, settings, M, labels, weight, like=None):
        seen.append((M, labels))
        return data_of(self, settings, M, labels, weight, like)

    monkeypatch.setattr(AdversarialBoosting, "_data", spy)
    m = AdversarialBoosting(A, n_estimators=4, num_leaves=8).fit(X, y)
    clean, labels = seen[0]
    np.testing.assert_array_equal(clean, m._schema.matrix(X))
    assert len(seen) == 4 and m.best_round_ == m.booster_.num_trees() == 4 and len(m.valid_losses_) == 0
    for rounds, (M, both) in enumerate(seen[1:], 1):
        np.testing.assert_array_equal(M[: len(X)], clean)
        np.testing.assert_array_equal(both, np.r_[labels, labels])
        model = truncated(m.booster_, rounds)
        expected = attack(model, X, 2 * y - 1, A, "margin").scores
        np.testing.assert_allclose(model.predict(m._frame(M[len(X) :])), expected)


def test_the_round_with_the_least_validation_loss_is_kept(data, monkeypatch):
    """The loss of round r is model r's on clean rows and on copies attacked under model r - 1."""
    X, y, A = data
    V, v = large(1, 200)
    seen = []
    loss_of = adversarial.Rows.loss
    monkeypatch.setattr(adversarial.Rows, "loss", lambda self, b: seen.append((b, self.both[0])) or loss_of(self, b))
    m = AdversarialBoosting(A, n_estimators=10, learning_rate=0.6).fit(X, y, V, v)
    assert m.best_round_ == np.argmin(m.valid_losses_) + 1 == m.booster_.num_trees()
    assert m.best_round_ < 10 == len(m.valid_losses_)
    np.testing.assert_array_equal(m.booster_.predict(V), seen[m.best_round_ - 1][0].predict(V))
    labels, before = 2 * v - 1, None
    for loss, (model, M) in zip(m.valid_losses_, seen):
        rows = m._frame(M)
        assert loss == pytest.approx(np.mean((model.predict(rows) - np.resize(labels, len(M))) ** 2))
        assert len(M) == len(V) * (1 if before is None else 2)
        if before is not None:
            expected = attack(before, V, labels, A, "margin").scores
            np.testing.assert_allclose(before.predict(rows[len(V) :]), expected)
        before = model


def test_adversarial_boosting_is_more_robust_than_boosting(data):
    X, y, A = data
    V, v = large(2, 200)
    plain, robust = GBDTBaseline(n_estimators=30).fit(X, y), AdversarialBoosting(A, n_estimators=30).fit(X, y)
    assert evaluate(robust, V, v, A)["roc_auc"] > evaluate(plain, V, v, A)["roc_auc"] + 0.02


def test_thresholds_lie_between_values_of_the_clean_rows(data):
    """So trees cannot tell attacked rows by values that no clean row has."""
    X, y, A = data
    tests = AdversarialBoosting(A, n_estimators=15).fit(X, y).booster_.trees_to_dataframe()
    cuts = tests[(tests.split_feature == "p")].threshold.astype(float)
    grid = np.sort(X.p.unique())
    middles = (grid[1:] + grid[:-1]) / 2
    assert len(cuts) and all(np.abs(middles - c).min() < 1e-9 or abs(c) < 1e-30 for c in cuts)


def test_too_many_points_fall_back_on_plain_attacks(data, monkeypatch):
    X, y, A = data
    monkeypatch.setattr(growing, "MANY", 0)
    m = AdversarialBoosting(A, n_estimators=4, num_leaves=8).fit(X[:150], y[:150])
    assert m.booster_.num_trees() == 4 and m.score(X, y) > 0.6


def test_nobody_attacks_and_rounds_are_shown(data, capsys):
    X, y, _ = data
    m = AdversarialBoosting(n_estimators=3, verbose=1).fit(X, y)
    assert "rounds" in capsys.readouterr().err and m.score(X, y) > 0.6


# Bad input


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

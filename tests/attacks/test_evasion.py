"""The least cost of changing a prediction against brute force, on random problems and every kind of model."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.fitted import EITHER, MODELS, table
from tests.attacks.problems import SEARCHES, Random, brute_force, frame, mean_of, to_attacker
from treant_viz.attacks.tables import moved
from treant_viz.ensembles.common_form import common_form

ensemble = pytest.importorskip("sklearn.ensemble")
tree = pytest.importorskip("sklearn.tree")
lgb = pytest.importorskip("lightgbm")

LIGHT = {"min_child_samples": 2, "num_leaves": 8, "verbose": -1, "n_jobs": 1}
FITTED = {
    "tree": lambda s: tree.DecisionTreeClassifier(max_depth=4, random_state=s),
    "forest": lambda s: ensemble.RandomForestClassifier(4, max_depth=3, random_state=s),
    "pure forest": lambda s: ensemble.RandomForestClassifier(4, random_state=s),
    "boosting": lambda s: ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=s),
    "lightgbm": lambda s: lgb.LGBMClassifier(n_estimators=4, random_state=s, **LIGHT),
    "treant": lambda s: tv.TreantForestClassifier(4, max_depth=3, min_samples_split=2, random_state=s),
    "regressor": lambda s: ensemble.RandomForestRegressor(3, max_depth=3, random_state=s),
    "boosted regressor": lambda s: lgb.LGBMRegressor(n_estimators=4, random_state=s, **LIGHT),
}
UNITS = (1.0, 0.1, 0.7)


def problem(seed: int, kinds: str):
    """Rules in whole units, the same in others, and a model on whole numbers."""
    R = Random(seed)
    rules, budget, unit = (
        R.rules(kinds, int(R.rng.integers(1, 5))),
        int(R.rng.integers(1, 6)),
        R.one_of(*UNITS),
    )
    priced = [(kind, f, cost * unit, *rest) for kind, f, cost, *rest in rules]
    return R, rules, budget, unit, to_attacker(priced, budget * unit)


def least_costs(rows, kinds: str, rules, budget: float, changed) -> list[float]:
    """By enumeration; `changed(X, i)`: which of these attacked rows are no longer predicted as row i is."""
    out = []
    for i, x in enumerate(rows):
        tried = brute_force(x, rules, budget)
        hits = changed(frame(list(tried), kinds), i)
        out.append(min((c for c, hit in zip(tried.values(), hits) if hit), default=math.inf))
    return out


def check(model, predict, X, rows, kinds: str, rules, budget, unit, A, tolerance=0.0) -> np.ndarray:
    """Costs equal brute force; the moves shown cost just that and change what the model says."""
    own, number = np.asarray(predict(X)), tolerance > 0 or not hasattr(model, "classes_")

    def changed(Z, i):
        told = np.asarray(predict(Z))
        return np.abs(told - own[i]) > tolerance + 1e-9 if number else told != own[i]

    costs = tv.evasion_cost(model, X, A, tolerance=tolerance)
    truth = unit * np.array(least_costs(rows, kinds, rules, budget, changed))
    assert costs == pytest.approx(truth, rel=1e-9)
    table = tv.certify(model, X, A, tolerance=tolerance)
    assert table.changes_at.tolist() == table.safe_below.tolist() == costs.tolist()
    assert table.exact.all()
    assert (table.prediction == own).all() if not number else table.prediction.tolist() == pytest.approx(own)
    Z = moved(X, common_form(model, X, A).schema, table.moves)
    for i, path in enumerate(table.moves):
        assert sum(m.rule.cost for m in path) == pytest.approx(costs[i] if path else 0)
        assert bool(path) == (costs[i] < math.inf) == bool(changed(Z.iloc[[i]], i)[0])
    assert table.becomes.tolist() == pytest.approx(np.asarray(predict(Z)).tolist())
    return costs


@pytest.mark.parametrize("kind", FITTED)
@pytest.mark.parametrize("seed", range(0, 130, 10))
def test_fitted_models_agree_with_brute_force(kind, seed):
    """Ten problems a seed and kind: four trees with pure leaves are often tied at 0.5."""
    for s in range(seed, seed + 10 if kind != "treant" else seed + 1):
        kinds = "nnn" if s % 3 else "nn"
        R, rules, budget, unit, A = problem(s, kinds)
        train, rows = frame(R.rows(kinds, 40), kinds), R.rows(kinds, 3)
        y = R.rng.integers(0, 2, size=40)
        model = FITTED[kind](s).fit(train, R.rng.normal(size=40) if "regressor" in kind else y)
        tolerance = R.one_of(0.0, 0.2) if "regressor" in kind else 0.0
        check(model, model.predict, frame(rows, kinds), rows, kinds, rules, budget, unit, A, tolerance)


@pytest.mark.parametrize("seed", range(100))
def test_bare_trees_agree_with_brute_force(seed):
    """Categories, too; leaves in eighths, so that a move of just the tolerance is often possible."""
    R = Random(seed)
    kinds = R.one_of("nn", "nc", "nnc", "ncn", "nnn")
    _, rules, budget, unit, A = problem(seed, kinds)
    trees = [R.tree(kinds, int(R.rng.integers(1, 5))) for _ in range(R.one_of(1, 2, 4))]
    rows, model = R.rows(kinds, 3), trees if len(trees) > 1 else trees[0]
    tolerance = R.one_of(0.0, 0.125, 0.5)
    check(model, mean_of(trees), frame(rows, kinds), rows, kinds, rules, budget, unit, A, tolerance)


@pytest.mark.parametrize("way", SEARCHES)
@pytest.mark.parametrize("seed", range(25))
def test_every_way_to_search_agrees_with_brute_force(seed, way, monkeypatch):
    for name, value in SEARCHES[way].items():
        monkeypatch.setattr(f"treant_viz.attacks.{name}", value)
        if name == "search.DENSE":
            monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", value)
    kinds = "nnnn"
    R, rules, budget, unit, A = problem(5000 + seed, kinds)
    train, rows = frame(R.rows(kinds, 60), kinds), R.rows(kinds, 3)
    model = ensemble.RandomForestClassifier(R.one_of(6, 8), max_depth=R.one_of(3, None), random_state=seed)
    model.fit(train, R.rng.integers(0, 2, size=60))
    check(model, model.predict, frame(rows, kinds), rows, kinds, rules, budget, unit, A)


@pytest.mark.parametrize("kind", [k for k in FITTED if "regressor" not in k])
def test_below_the_cost_no_attack_changes_the_prediction_and_at_the_cost_one_does(kind):
    X, y = table(200)
    model = FITTED[kind](0).fit(X, y)
    A = tv.Attacker([tv.Rule("a", 0.1, delta=(-0.3, 0.3)), tv.Rule("b", 0.2, pre=(0, 7), delta=(0, 1))], 0.7)
    costs, own = tv.evasion_cost(model, X, A), model.predict(X)
    assert len(np.unique(costs)) > 3
    for cost in np.unique(costs[costs < math.inf]):
        rows = np.flatnonzero(costs == cost)
        below, at = (
            tv.attack(model, X.iloc[rows], own[rows], A.with_budget(b), "margin").X_adv
            for b in (cost * (1 - 1e-6), cost)
        )
        assert (model.predict(below) == own[rows]).all()
        assert (model.predict(at) != own[rows]).all()


@pytest.mark.parametrize("name", [n for n in MODELS if n != "tree"])
def test_accuracy_under_attack_is_a_sorted_column_of_costs(name):
    (X, y), model = table(), MODELS[name]
    costs, right = tv.evasion_cost(model, X, EITHER), model.predict(X) == y
    budgets = [0, 1, 2, 3, 4]
    curve = tv.security_curve(model, X, y, EITHER, budgets, n_boot=0)
    accuracy = curve[curve.metric == "accuracy"].value.tolist()
    assert accuracy == pytest.approx([float((right & (costs > b)).mean()) for b in budgets])
    assert accuracy[0] > accuracy[-1]


def hard_problem() -> tuple:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, :4].sum(axis=1) + X[:, 4] * X[:, 5] > 0).astype(int)
    model = ensemble.RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    return model, X[:12], tv.Attacker([tv.Rule(f, 1 + f / 10, delta=(-0.2, 0.2)) for f in range(5)], 4)


@pytest.mark.parametrize(
    "limit", [{"node_limit": 0}, {"node_limit": 40}, {"node_limit": 300}, {"time_limit": 0}]
)
def test_limits_give_both_bounds(limit, monkeypatch):
    monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", 0)
    monkeypatch.setattr("treant_viz.attacks.search.BLOCK", 400)
    monkeypatch.setattr("treant_viz.attacks.search.TAIL", 3)
    model, X, A = hard_problem()
    truth, found = tv.evasion_cost(model, X, A), tv.certify(model, X, A, **limit)
    assert (found.safe_below <= truth + 1e-9).all()
    assert (truth <= found.changes_at + 1e-9).all()
    assert (found.safe_below > 0).all()
    assert found.exact.tolist() == (found.safe_below == found.changes_at).tolist()
    assert not found.exact.all()
    assert [bool(m) for m in found.moves] == (found.changes_at < math.inf).tolist()


def test_rows_keep_their_index_and_an_empty_table_has_none():
    X, _ = table(5)
    X.index = list("vwxyz")
    assert tv.certify(MODELS["forest"], X, EITHER).index.tolist() == list("vwxyz")
    assert tv.evasion_cost(MODELS["forest"], X[:0], EITHER).tolist() == []
    assert len(tv.certify(MODELS["forest"], X[:0], EITHER)) == 0


def test_classes_are_shown_as_the_model_names_them():
    X, y = table()
    model = ensemble.RandomForestClassifier(5, random_state=0).fit(X, np.where(y > 0, "bad", "good"))
    found = tv.certify(model, X, EITHER)
    assert found.prediction.tolist() == model.predict(X).tolist()
    hit = found[found.changes_at < math.inf]
    assert {*zip(hit.prediction, hit.becomes)} == {("bad", "good"), ("good", "bad")}


def test_nobody_changes_anything_for_nothing():
    X, _ = table()
    assert (tv.evasion_cost(MODELS["forest"], X, EITHER.with_budget(0)) == math.inf).all()


@pytest.mark.parametrize("tolerance", [-1, math.nan, math.inf])
def test_a_tolerance_is_a_number(tolerance):
    with pytest.raises(ValueError, match="tolerance: expected a finite number of at least 0"):
        tv.evasion_cost(tv.Leaf(0.0), pd.DataFrame({"a": [1.0]}), EITHER, tolerance=tolerance)


def test_a_tolerance_is_for_regressors():
    with pytest.raises(ValueError, match="tolerance: it is for regressors"):
        tv.certify(MODELS["forest"], table()[0], EITHER, tolerance=0.1)


def test_the_attacker_is_one():
    with pytest.raises(TypeError, match="A: expected an Attacker"):
        tv.evasion_cost(MODELS["forest"], table()[0], 3)

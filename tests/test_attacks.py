"""The attack against brute force, its three methods against each other, and its edge cases.

Data, thresholds and ends of rules are even or whole numbers, so that a walk over whole numbers (`oracles.attacks`)
meets every cell that can be reached at all: models only ever cut between two even numbers, at a whole one.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from treant_viz.attacks import attack

lgb = pytest.importorskip("lightgbm")
ensemble = pytest.importorskip("sklearn.ensemble")
COLOURS = ("red", "green", "blue", "grey")
INF = math.inf


class Random:
    """A seeded source of small attack problems."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one_of(self, *options):
        return options[self.rng.integers(len(options))]

    def even(self, low: int, high: int) -> int:
        return 2 * int(self.rng.integers(low, high + 1))

    def rules(self, kinds: str, n: int) -> list[tuple]:
        return [self.rule(f, kinds[f]) for f in self.rng.choice(len(kinds), size=n)]

    def rule(self, f: int, kind: str) -> tuple:
        cost = int(self.rng.integers(1, 4))
        if kind == "c":
            pre = self.one_of(None, frozenset(self.rng.choice(COLOURS, size=2).tolist()))
            return ("cat", int(f), cost, pre, self.one_of(*COLOURS))
        a, b = sorted((self.even(-1, 4), self.even(-1, 4)))
        dl, du = sorted((self.even(-2, 2), self.even(-2, 2)))
        return ("num", int(f), cost, self.one_of(a, -INF), self.one_of(b, INF), dl, du)

    def rows(self, kinds: str, n: int) -> list[tuple]:
        return [tuple(self.one_of(*COLOURS) if k == "c" else self.even(0, 4) for k in kinds) for _ in range(n)]

    def tree(self, kinds: str, depth: int) -> tv.Leaf | tv.Node:
        if depth == 0 or self.rng.random() < 0.1:
            return tv.Leaf(float(self.rng.integers(-8, 9)) / 8)
        f = int(self.rng.integers(len(kinds)))
        v = self.one_of(*COLOURS) if kinds[f] == "c" else int(self.rng.integers(-1, 10))
        return tv.Node(f"f{f}", v, self.tree(kinds, depth - 1), self.tree(kinds, depth - 1))


def frame(rows, kinds: str) -> pd.DataFrame:
    columns = {}
    for j, kind in enumerate(kinds):
        values = [r[j] for r in rows]
        columns[f"f{j}"] = pd.Categorical(values, COLOURS) if kind == "c" else np.array(values, dtype=float)
    return pd.DataFrame(columns)


def to_attacker(rules, budget: float) -> tv.Attacker:
    make = {
        "cat": lambda f, cost, pre, becomes: tv.Rule(f"f{f}", cost, pre=pre, becomes=becomes),
        "num": lambda f, cost, a, b, dl, du: tv.Rule(f"f{f}", cost, pre=(a, b), delta=(dl, du)),
    }
    return tv.Attacker([make[kind](*rest) for kind, *rest in rules], budget)


def brute_force(x: tuple, rules, budget: float) -> dict[tuple, float]:
    """Every attack on x with its least cost: feature by feature, then all combinations that the budget allows."""
    per_feature = []
    for f, value in enumerate(x):
        own = [(r[0], 0, *r[2:]) for r in rules if r[1] == f]
        missing = isinstance(value, float) and math.isnan(value)
        per_feature.append({(value,): 0} if missing else oracles.attacks((value,), own, budget))
    out = {}
    for choice in itertools.product(*(d.items() for d in per_feature)):
        cost = sum(c for _, c in choice)
        if cost <= budget:
            out[tuple(z[0] for z, _ in choice)] = cost
    return out


def check_rows(result, model_scores, kinds, rows, y, rules, budget, ell) -> None:
    """Losses, costs, rewritten rows and rules against brute force."""
    for i, x in enumerate(rows):
        candidates = brute_force(x, rules, budget)
        scores = model_scores(frame(list(candidates), kinds))
        losses = np.array([ell(s, y[i]) for s in scores])
        costs = np.array(list(candidates.values()))
        assert result.losses[i] == pytest.approx(losses.max(), rel=1e-9, abs=1e-9)
        top = losses.max() if losses.max() == INF else losses.max() - 1e-9 * (1 + abs(losses.max()))
        assert result.costs[i] == pytest.approx(costs[losses >= top].min())
        check_steps(result, i, x, budget)


def check_steps(result, i: int, x, budget: float) -> None:
    """The rules apply, in order, within the budget, and lead from x to the rewritten row."""
    z, spent = dict(enumerate(x)), 0.0
    for step in result.rules[i]:
        f = int(step.rule.feature[1:])
        assert z[f] == step.before
        if step.rule.categorical:
            assert step.rule.pre is None or z[f] in step.rule.pre
            assert step.after == step.rule.becomes
        else:
            low, high = step.rule.delta
            assert step.rule.pre.low <= z[f] <= step.rule.pre.high
            assert low <= step.amount <= high
            assert step.before + step.amount == pytest.approx(step.after, rel=1e-12)
        z[f], spent = step.after, spent + step.rule.cost
    assert spent == pytest.approx(result.costs[i])
    assert spent <= budget * (1 + 1e-9)
    row = tuple(result.X_adv.iloc[i])
    assert all(a == b or (a != a and b != b) for a, b in zip(row, z.values(), strict=True))


def square(s: float, y: float) -> float:
    return (s - y) ** 2


def log(s: float, y: float) -> float:
    p = s if y > 0.5 else 1 - s
    return -math.log(p) if p > 0 else INF


def check_all(model, model_scores, R: Random, kinds: str, rows, y, ell, loss=None) -> None:
    """exact == brute force, exhaustive == exact, milp == exact; the score is the model's own word."""
    rules, budget = R.rules(kinds, int(R.rng.integers(1, 5))), int(R.rng.integers(0, 6))
    X, A = frame(rows, kinds), to_attacker(rules, budget)
    exact = attack(model, X, y, A, loss)
    check_rows(exact, model_scores, kinds, rows, y, rules, budget, ell)
    assert exact.exact.all()
    assert np.array_equal(exact.lower, exact.upper)
    assert exact.scores == pytest.approx(model_scores(exact.X_adv), rel=1e-9, abs=1e-12)
    assert (exact.X_adv.dtypes == X.dtypes).all()
    for method in ("exhaustive", "milp"):
        other = attack(model, X, y, A, loss, method=method)
        assert other.losses == pytest.approx(exact.losses, rel=1e-9, abs=1e-9), method
        if method == "exhaustive":
            assert other.costs == pytest.approx(exact.costs)


@pytest.mark.parametrize("seed", range(100))
def test_hand_built_forests_agree_with_brute_force(seed):
    R = Random(seed)
    kinds = R.one_of("nn", "nc", "nnc", "ncn", "nnn")
    trees = [R.tree(kinds, int(R.rng.integers(1, 5))) for _ in range(int(R.rng.integers(1, 6)))]
    rows = R.rows(kinds, 4)
    y = R.rng.integers(-4, 5, size=4) / 4
    names = tuple(f"f{j}" for j in range(len(kinds)))

    def scores(X):
        return [np.mean([run(t, dict(zip(names, row))) for t in trees]) for row in X.itertuples(index=False)]

    check_all(trees if len(trees) > 1 else trees[0], scores, R, kinds, rows, y, square)


def run(t, x):
    while isinstance(t, tv.Node):
        left = x[t.feature] == t.threshold if t.test == "==" else x[t.feature] <= t.threshold
        t = t.left if left else t.right
    return t.prediction


SKLEARN = [
    lambda s: ensemble.RandomForestClassifier(4, max_depth=4, random_state=s),
    lambda s: ensemble.RandomForestRegressor(4, max_depth=4, random_state=s),
    lambda s: ensemble.ExtraTreesClassifier(4, max_depth=4, random_state=s),
    lambda s: ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=s),
    lambda s: ensemble.GradientBoostingRegressor(n_estimators=4, max_depth=3, random_state=s),
]


@pytest.mark.parametrize("seed", range(100))
def test_scikit_learn_forests_agree_with_brute_force(seed):
    R = Random(1000 + seed)
    kinds = R.one_of("nn", "nnn")
    train, rows = frame(R.rows(kinds, 60), kinds), R.rows(kinds, 4)
    labels = R.rng.integers(0, 2, size=60)
    which = seed % len(SKLEARN)
    model = SKLEARN[which](seed).fit(train, labels if which in (0, 2, 3) else labels + R.rng.normal(size=60))
    if which in (0, 2, 3):
        y, ell, scores = R.rng.integers(0, 2, size=4), log, lambda X: model.predict_proba(X)[:, 1]
    else:
        y, ell, scores = R.rng.normal(size=4), square, model.predict
    if which == 2:  # extra trees cut anywhere: whole numbers do not meet every cell
        model.estimators_ = [round_thresholds(t) for t in model.estimators_]
    check_all(model, scores, R, kinds, rows, y, ell)


def round_thresholds(t):
    t.tree_.threshold[:] = np.round(t.tree_.threshold)
    return t


@pytest.mark.parametrize("seed", range(100))
def test_lightgbm_forests_agree_with_brute_force(seed):
    R = Random(2000 + seed)
    kinds = R.one_of("nn", "nc", "nnc", "cn")
    train, rows = frame(R.rows(kinds, 80), kinds), R.rows(kinds, 4)
    binary = bool(R.rng.integers(2))
    options = {
        "objective": "binary" if binary else "regression",
        "boosting": R.one_of("gbdt", "rf"),
        "num_leaves": 8,
        "min_data_in_leaf": 2,
        "min_data_per_group": 2,
        "cat_smooth": 1,
        "bagging_freq": 1,
        "bagging_fraction": 0.8,
        "zero_as_missing": R.one_of(False, False, True),
        "use_missing": R.one_of(True, True, False),
        "max_cat_to_onehot": R.one_of(1, 4),
        "verbose": -1,
        "seed": seed,
        "num_threads": 1,
    }
    if R.one_of(True, False):
        train.loc[R.rng.random(80) < 0.2, "f0"] = np.nan
        rows = [(math.nan, *r[1:]) if i == 0 else r for i, r in enumerate(rows)]
    labels = R.rng.integers(0, 2, size=80) if binary else R.rng.normal(size=80)
    model = lgb.train(options, lgb.Dataset(train, labels), 4)
    y = R.rng.integers(0, 2, size=4) if binary else R.rng.normal(size=4)
    check_all(model, model.predict, R, kinds, rows, y, log if binary else square)

"""The attack against brute force, its three methods against each other, and its edge cases.

Data, thresholds and ends of rules are even or whole numbers, so that a walk over whole numbers (`oracles.attacks`)
meets every cell that can be reached at all: models only ever cut between two even numbers, at a whole one.
"""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from treant_viz.attacks import attack, attack_budgets, loss_under_attack, worst_leaves

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
    tried = [brute_force(x, rules, budget) for x in rows]
    scores = np.asarray(model_scores(frame([z for d in tried for z in d], kinds)))
    ends = np.cumsum([len(d) for d in tried])
    for i, part in enumerate(np.split(scores, ends[:-1])):
        losses = np.array([ell(s, y[i]) for s in part])
        costs = np.array(list(tried[i].values()))
        assert result.losses[i] == pytest.approx(losses.max(), rel=1e-9, abs=1e-9)
        top = losses.max() if losses.max() == INF else losses.max() - 1e-9 * (1 + abs(losses.max()))
        assert result.costs[i] == pytest.approx(costs[losses >= top].min())
        check_steps(result, i, rows[i], budget)


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
    y = R.rng.integers(-4, 5, size=3) / 4
    check_all(trees if len(trees) > 1 else trees[0], mean_of(trees), R, kinds, R.rows(kinds, 3), y, square)


def mean_of(trees):
    """What a list of trees says, written once more."""

    def run(t, x):
        while isinstance(t, tv.Node):
            left = x[t.feature] == t.threshold if t.test == "==" else x[t.feature] <= t.threshold
            t = t.left if left else t.right
        return t.prediction

    return lambda X: [np.mean([run(t, row) for t in trees]) for row in X.to_dict("records")]


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
    train, rows = frame(R.rows(kinds, 60), kinds), R.rows(kinds, 3)
    labels = R.rng.integers(0, 2, size=60)
    which = seed % len(SKLEARN)
    model = SKLEARN[which](seed).fit(train, labels if which in (0, 2, 3) else labels + R.rng.normal(size=60))
    if which in (0, 2, 3):
        y, ell, scores = R.rng.integers(0, 2, size=3), log, lambda X: model.predict_proba(X)[:, 1]
    else:
        y, ell, scores = R.rng.normal(size=3), square, model.predict
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
    train, rows = frame(R.rows(kinds, 80), kinds), R.rows(kinds, 3)
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
    y = R.rng.integers(0, 2, size=3) if binary else R.rng.normal(size=3)
    check_all(model, model.predict, R, kinds, rows, y, log if binary else square)


# ------------------------------------------------------------------------------------------------ the search itself


@pytest.fixture
def forced_descent(monkeypatch):
    """No problem is small enough to be scored at once, and no block holds more than a few points."""
    monkeypatch.setattr("treant_viz.attack_search.DENSE", 0)
    monkeypatch.setattr("treant_viz.attack_search.BLOCK", 40)
    monkeypatch.setattr("treant_viz.attack_search.TAIL", 3)


def small_forest(seed: int):
    R = Random(seed)
    kinds = R.one_of("nnn", "nnc", "nncn")
    trees = [R.tree(kinds, 4) for _ in range(8)]
    rules, budget = [R.rule(f, kinds[f]) for f in range(len(kinds))], int(R.rng.integers(2, 6))
    return R, kinds, trees, rules, budget, R.rows(kinds, 4)


@pytest.fixture
def forced_halves(monkeypatch):
    """No problem is small enough to list its points one by one."""
    monkeypatch.setattr("treant_viz.attack_points.FEW", 0)


@pytest.mark.parametrize("way", ["forced_halves", "forced_descent"])
@pytest.mark.parametrize("seed", range(40))
def test_every_way_to_search_agrees_with_brute_force(seed, way, request):
    request.getfixturevalue(way)
    R, kinds, trees, rules, budget, rows = small_forest(3000 + seed)
    y = R.rng.integers(-4, 5, size=4) / 4
    result = attack(trees, frame(rows, kinds), y, to_attacker(rules, budget))
    assert result.exact.all()
    check_rows(result, mean_of(trees), kinds, rows, y, rules, budget, square)


@pytest.mark.parametrize("method", ["exact", "exhaustive", "milp"])
@pytest.mark.parametrize("seed", range(6))
def test_struck_limits_are_admitted_and_the_bounds_hold(seed, method, forced_descent):
    R, kinds, trees, rules, budget, rows = small_forest(4000 + seed)
    X, y, A = frame(rows, kinds), R.rng.integers(-4, 5, size=4) / 4, to_attacker(rules, budget)
    truth = attack(trees, X, y, A).losses
    struck = 0
    for limits in ({"node_limit": n} for n in (0, 1, 7, 60)):
        result = attack(trees, X, y, A, method=method, **limits)
        struck += (~result.exact).sum()
        check_bounds(result, truth)
    check_bounds(attack(trees, X, y, A, method=method, time_limit=0), truth)
    assert struck or method == "milp"  # the solver may be done before it branches


def check_bounds(result, truth) -> None:
    assert (result.lower <= truth + 1e-9).all()
    assert (truth <= result.upper + 1e-9).all()
    assert result.lower == pytest.approx(result.losses)
    assert result.losses[result.exact] == pytest.approx(truth[result.exact])
    assert ("a limit struck" in repr(result)) == (not result.exact.all())


def test_no_time_means_no_attack_but_honest_bounds(forced_descent):
    _, kinds, trees, rules, budget, rows = small_forest(4000)
    result = attack(trees, frame(rows, kinds), np.zeros(4), to_attacker(rules, budget), time_limit=0)
    assert not result.exact.all()
    assert (result.scores == result.clean_scores).all()
    assert (result.upper >= result.lower).all()


@pytest.mark.parametrize("seed", range(10))
def test_one_run_serves_all_budgets(seed):
    R, kinds, trees, rules, _, rows = small_forest(5000 + seed)
    X, y, A = frame(rows, kinds), R.rng.normal(size=4), to_attacker(rules, 0)
    budgets = [3, 0, 7, 1]
    results = attack_budgets(trees, X, y, A, budgets)
    assert list(results) == budgets
    for b in budgets:
        alone = attack(trees, X, y, A.with_budget(b))
        assert results[b].losses == pytest.approx(alone.losses)
        assert results[b].costs == pytest.approx(alone.costs)
    ordered = np.array([results[b].losses for b in sorted(budgets)])
    assert (np.diff(ordered, axis=0) >= -1e-12).all()


def test_veritas_agrees_on_a_forest():
    """With a budget for one rule only, the attacked rows are a few boxes, and that is what veritas can answer."""
    veritas = pytest.importorskip("veritas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) > 0).astype(int)
    forest = ensemble.RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    A = tv.Attacker([tv.Rule(f, 1, delta=(-0.4, 0.3)) for f in range(3)], 1)
    ours = attack(forest, X[:40], y[:40], A).scores
    trees = veritas.get_addtree(forest, silent=True)
    for i in range(40):
        found = [box_optimum(veritas, trees, X[i], f, y[i]) for f in range(3)]
        worst = min(found) if y[i] else max(found)
        assert ours[i] == pytest.approx(worst / 30 + 0.5, abs=1e-5)


def box_optimum(veritas, trees, x, f, y) -> float:
    kind = veritas.HeuristicType.MIN_OUTPUT if y else veritas.HeuristicType.MAX_OUTPUT
    config = veritas.Config(kind)
    config.stop_when_optimal = True
    box = [veritas.Interval(v, np.nextafter(v, np.float32(INF))) for v in x]
    box[f] = veritas.Interval(x[f] - np.float32(0.4), x[f] + np.float32(0.3))
    search = config.get_search(trees, box)
    while not search.is_optimal():
        search.step_for(10.0, 100)
    return search.get_solution(0).output


# ------------------------------------------------------------------------------------------------------ single trees


@pytest.mark.parametrize("seed", range(60))
def test_worst_leaves_are_those_of_brute_force(seed):
    R = Random(6000 + seed)
    kinds = R.one_of("nn", "nc", "nnc")
    tree, rules, budget = R.tree(kinds, 4), R.rules(kinds, 3), int(R.rng.integers(0, 5))
    (x,) = R.rows(kinds, 1)
    y = float(R.rng.integers(0, 3)) / 2
    plain = to_plain(tree)
    top, paths = oracles.worst(plain, x, y, rules, budget, "sse")
    A, X = to_attacker(rules, budget), frame([x], kinds)
    assert worst_leaves(tree, X, y, A) == paths
    assert worst_leaves(tree, dict(zip(X.columns, x)), y, A) == paths
    assert worst_leaves(tree, pd.Series(dict(zip(X.columns, x))), y, A) == paths
    assert loss_under_attack(tree, X, [y], A) == pytest.approx(top)


def to_plain(t):
    if isinstance(t, tv.Leaf):
        return ("leaf", t.prediction)
    return ("node", int(t.feature[1:]), t.test, t.threshold, to_plain(t.left), to_plain(t.right))


STUMP = tv.Node(0, 1.0, tv.Leaf(0.0), tv.Leaf(1.0))


def test_ties_give_all_worst_leaves():
    tree = tv.Node(0, 1.0, tv.Leaf(-1.0), tv.Node(0, 2.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    assert worst_leaves(tree, [1.5], 0.0, A) == {"l", "rr"}
    assert worst_leaves(tree, np.array([[1.5]]), 0.0, A.with_budget(0)) == {"rl"}


def test_the_toys_stumps_have_the_papers_losses():
    toy = tv.load_toy()
    assert loss_under_attack(tv.Node("p", 1.0, tv.Leaf(-1.0), tv.Leaf(2.0)), toy.X, toy.y, toy.attacker) == 5.0
    robust = tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
    assert loss_under_attack(robust, toy.X, toy.y, toy.attacker) == pytest.approx(3.7)


def test_a_value_on_the_threshold_is_left_and_the_full_budget_may_be_spent():
    A = tv.Attacker([tv.Rule(0, 3, delta=(-1, 0.5))], 3)
    X = np.array([[1.0], [2.0], [np.nextafter(2.0, 3)], [0.5], [0.500001]])
    result = attack(STUMP, X, np.array([0, 1, 1, 0, 0]), A)
    assert result.scores.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert result.costs.tolist() == [3.0, 3.0, 0.0, 0.0, 3.0]
    assert attack(STUMP, X, np.array([0, 1, 1, 0, 0]), A.with_budget(2.999)).costs.sum() == 0


def test_three_times_a_tenth_is_within_three_tenths():
    A = tv.Attacker([tv.Rule(0, 0.1, delta=(0, 1))], 0.3)
    result = attack(STUMP, [[-1.9]], [0], A)
    assert result.scores.tolist() == [1.0]
    assert [s.amount for s in result.rules[0]] == pytest.approx([1, 1, 1], abs=0.11)


def test_rules_chain_through_each_others_preconditions():
    A = tv.Attacker([tv.Rule(0, 1, pre=(0, 10), delta=(4, 4)), tv.Rule(0, 1, pre=(2, 3), delta=(10, 10))], 2)
    tree = tv.Node(0, 11.5, tv.Leaf(0.0), tv.Leaf(1.0))
    assert attack(tree, [[0.0]], [0], A).scores[0] == 0.0
    wide = tv.Attacker([tv.Rule(0, 1, pre=(0, 10), delta=(0, 4)), tv.Rule(0, 1, pre=(2, 3), delta=(10, 10))], 2)
    result = attack(tree, [[0.0]], [0], wide)
    assert result.scores[0] == 1.0
    assert [s.rule for s in result.rules[0]] == list(wide.rules)
    assert attack(tree, [[0.0]], [0], wide, method="exhaustive").scores[0] == 1.0


def test_nothing_is_attacked_where_nothing_is_gained():
    tree = tv.Node(0, 1.0, tv.Leaf(0.5), tv.Leaf(0.5))
    result = attack(tree, [[1.0]], [0], tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 5))
    assert result.rules == ((),)
    assert result.costs[0] == 0
    assert result.X_adv.tolist() == [[1.0]]


def test_both_directions_are_tried_for_real_labels():
    tree = tv.Node(0, 0.0, tv.Leaf(-3.0), tv.Node(0, 2.0, tv.Leaf(0.0), tv.Leaf(2.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-2, 2))], 1)
    result = attack(tree, [[1.0], [1.0]], [0.0, -1.0], A)
    assert result.scores.tolist() == [-3.0, 2.0]
    assert result.losses.tolist() == [9.0, 9.0]
    forest = attack([tree, tree], [[1.0], [1.0]], [0.0, -1.0], A)
    assert forest.losses.tolist() == [9.0, 9.0]
    assert attack(tree, [[1.0], [1.0]], [1.0, -1.0], A, loss="margin").scores.tolist() == [-3.0, 2.0]


# -------------------------------------------------------------------------------------------------------- edge cases


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


@pytest.mark.parametrize("name", MODELS)
def test_budget_0_gives_exactly_the_clean_scores(name):
    X, y = table()
    result = attack(MODELS[name], X, y, EITHER.with_budget(0))
    assert np.array_equal(result.scores, result.clean_scores)
    assert result.X_adv.equals(X)
    assert result.exact.all()


@pytest.mark.parametrize("name", MODELS)
def test_an_infinite_budget_reaches_all_there_is(name):
    X, y = table()
    result = attack(MODELS[name], X, y, EITHER.with_budget(INF))
    rich = attack(MODELS[name], X, y, EITHER.with_budget(10_000))
    assert result.exact.all()
    assert np.isfinite(result.costs).all()
    assert result.losses == pytest.approx(rich.losses)
    assert result.costs == pytest.approx(rich.costs)


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_table_has_an_empty_result(name):
    X, y = table()
    result = attack(MODELS[name], X[:0], y[:0], EITHER)
    assert len(result.scores) == len(result.rules) == 0
    assert list(result.X_adv.columns) == ["a", "b"]
    assert loss_under_attack(MODELS[name], X[:0], y[:0], EITHER) == 0.0


@pytest.mark.parametrize("name", ["forest", "boosting", "lightgbm"])
def test_other_columns_are_refused(name):
    X, y = table()
    with pytest.raises(ValueError, match="in this order"):
        attack(MODELS[name], X[["b", "a"]], y, EITHER)
    with pytest.raises(ValueError, match="columns"):
        attack(MODELS[name], X[["a"]], y, EITHER)
    with pytest.raises(ValueError, match="'zzz' is not a column"):
        attack(MODELS[name], X, y, tv.Attacker([tv.Rule("zzz", 1, delta=(0, 1))], 1))


def test_a_named_tree_finds_its_columns_in_any_order():
    X, y = table()
    straight, swapped = (attack(MODELS["tree"], X[c], y, EITHER).losses for c in (["a", "b"], ["b", "a"]))
    assert np.array_equal(straight, swapped)
    with pytest.raises(ValueError, match="'b' is not a column"):
        attack(MODELS["tree"], X[["a"]], y, tv.Attacker([], 1))


def test_unseen_categories_are_refused():
    X = pd.DataFrame({"c": pd.Categorical(["u", "v"] * 20), "d": np.arange(40.0)})
    model = lgb.train({"min_data_in_leaf": 2, "verbose": -1}, lgb.Dataset(X, np.arange(40) % 2), 2)
    other = pd.DataFrame({"c": pd.Categorical(["u", "w"]), "d": [1.0, 2.0]})
    with pytest.raises(ValueError, match="unknown category 'w'"):
        attack(model, other, [0, 1], tv.Attacker([], 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": "nobody"}, "A: expected an Attacker"),
        ({"y": [0, 1]}, "y: expected 60 labels"),
        ({"y": np.full(60, 7)}, "the model's classes are"),
        ({"loss": "hinge"}, "loss: expected 'sse' or 'log'"),
        ({"method": "guess"}, "method: expected 'exact'"),
        ({"time_limit": -1}, "time_limit: expected None or"),
        ({"node_limit": math.nan}, "node_limit: expected None or"),
        ({"progress": "loud"}, "progress: expected None, True or"),
        ({"model": 7}, "model: expected a tree"),
        ({"model": ensemble.RandomForestClassifier()}, "not fitted"),
        ({"X": np.zeros(60)}, "X: expected a table"),
    ],
)
def test_bad_input_is_named(change, message):
    X, y = table()
    given = {"model": MODELS["forest"], "X": X, "y": y, "A": EITHER} | change
    with pytest.raises((ValueError, TypeError), match=message):
        attack(**given)


def test_bad_input_of_other_kinds_is_named():
    X, y = table()
    with pytest.raises(ValueError, match="needs labels 0 and 1"):
        attack(STUMP, [[0.0]], [2], EITHER.with_budget(0), loss="log")
    with pytest.raises(ValueError, match="scores are probabilities"):
        attack(tv.Leaf(3.0), [[0.0]], [1], tv.Attacker([], 1), loss="log")
    with pytest.raises(TypeError, match="y: expected numbers"):
        attack(STUMP, [[0.0]], ["yes"], tv.Attacker([], 1))
    with pytest.raises(ValueError, match="budgets: expected at least one"):
        attack_budgets(MODELS["forest"], X, y, EITHER, [])
    with pytest.raises(ValueError, match="'exhaustive' needs a finite budget"):
        attack(MODELS["forest"], X, y, EITHER.with_budget(INF), method="exhaustive")
    with pytest.raises(TypeError, match="tree: expected a Leaf or a Node"):
        worst_leaves(MODELS["forest"], X[:1], 0, EITHER)
    with pytest.raises(ValueError, match="x: expected one row"):
        worst_leaves(MODELS["tree"], X, 0, EITHER)
    with pytest.raises(ValueError, match="is numeric, but the column holds categories"):
        frame_ = pd.DataFrame({"c": ["u", "v"]})
        attack(tv.Leaf(0.0), frame_, [0, 0], tv.Attacker([tv.Rule("c", 1, delta=(0, 1))], 1))


# ------------------------------------------------------------------------------------------------- what comes back


def test_tables_keep_their_type_columns_and_dtypes():
    X = pd.DataFrame({"n": [1, 2, 3], "c": pd.Categorical(["u", "v", "u"]), "t": ["x", "y", "x"]}, index=[5, 6, 7])
    tree = tv.Node("n", 4, tv.Node("c", "v", tv.Leaf(0.1), tv.Leaf(0.2)), tv.Node("t", "y", tv.Leaf(0.5), tv.Leaf(0.9)))
    rules = [tv.Rule("n", 1, delta=(0, 2)), tv.Rule("c", 1, becomes="v"), tv.Rule("t", 1, becomes="y")]
    result = attack(tree, X, [1, 1, 0], tv.Attacker(rules, 2))
    assert (result.X_adv.dtypes == X.dtypes).all()
    assert list(result.X_adv.index) == [5, 6, 7]
    assert result.X_adv.values.tolist() == [[1, "v", "x"], [2, "v", "y"], [5, "u", "x"]]


def test_a_column_of_whole_numbers_becomes_real_only_if_it_must():
    tree = tv.Node(0, 1.2, tv.Leaf(0.0), tv.Node(0, 1.7, tv.Leaf(1.0), tv.Leaf(0.0)))
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    assert attack(tree, np.array([[1]]), [0], A).X_adv.dtype == float
    wide = tv.Node(0, 1.2, tv.Leaf(0.0), tv.Leaf(1.0))
    assert attack(wide, np.array([[1]]), [0], A).X_adv.tolist() == [[2]]
    assert attack(wide, np.array([[1]]), [0], A).X_adv.dtype == np.array([[1]]).dtype


def test_32_bit_columns_stay_32_bit():
    X, y = table()
    small = X.to_numpy(np.float32)
    A = tv.Attacker([tv.Rule(0, 2, delta=(-0.5, 0.5)), tv.Rule(1, 1, delta=(0, 1))], 3)
    forest = ensemble.RandomForestClassifier(7, max_depth=4, random_state=0).fit(small, y)
    result = attack(forest, small, y, A)
    assert result.X_adv.dtype == np.float32
    assert sum(map(bool, result.rules)) > 20


def test_text_arrays_grow_as_long_as_they_must():
    tree = tv.Node(0, "a", tv.Leaf(0.0), tv.Leaf(1.0))
    A = tv.Attacker([tv.Rule(0, 1, becomes="longer")], 1)
    assert attack(tree, np.array([["a"], ["b"]]), [0, 0], A).X_adv.tolist() == [["longer"], ["b"]]


def test_results_are_readable_and_cannot_be_changed():
    X, y = table()
    result = attack(MODELS["forest"], X, y, EITHER)
    assert repr(result).startswith("AttackResult: 60 rows, ")
    assert repr(result).endswith("exact")
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0] = 1.0
    step = next(s for steps in result.rules for s in steps)
    assert str(step).startswith(f"{step.rule.feature}: ")
    assert f"cost {step.rule.cost:g}" in str(step)


def test_progress_is_told(capsys):
    X, y = table()
    seen = []
    attack(MODELS["forest"], X, y, EITHER, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (60, 60)
    attack(MODELS["forest"], X, y, EITHER, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("60/60, 0 s\n")


def test_attacking_imports_neither_scikit_learn_nor_lightgbm():
    code = "import sys, treant_viz.attacks; print([m for m in ('sklearn', 'lightgbm') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"

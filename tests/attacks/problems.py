"""Problems small enough to work out: random ones with their brute force, and some built by hand.

Data, thresholds and ends of rules are even or whole numbers, so that a walk over whole numbers
(`oracles.attacks`) meets every cell that can be reached at all: models only ever cut between two even
numbers, at a whole one.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.strategies import to_oracle
from treant_viz.attacks.attack import attack

COLOURS = ("red", "green", "blue", "grey")

INF = math.inf

NAMES = ("f0", "f1", "f2", "f3")


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
        return [
            tuple(self.one_of(*COLOURS) if k == "c" else self.even(0, 4) for k in kinds) for _ in range(n)
        ]

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
    """Every attack on x with its least cost: feature by feature, then all affordable combinations."""
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
    for step in result.moves[i]:
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


def check_bounds(result, truth) -> None:
    assert (result.lower <= truth + 1e-9).all()
    assert (truth <= result.upper + 1e-9).all()
    assert result.lower == pytest.approx(result.losses)
    assert result.losses[result.exact] == pytest.approx(truth[result.exact])
    assert ("a limit struck" in repr(result)) == (not result.exact.all())


def square(s: float, y: float) -> float:
    return (s - y) ** 2


def log(s: float, y: float) -> float:
    p = s if y > 0.5 else 1 - s
    return -math.log(p) if p > 0 else INF


def mean_of(trees):
    """What a list of trees says, written once more."""

    def run(t, x):
        while isinstance(t, tv.Node):
            left = x[t.feature] == t.threshold if t.test == "==" else x[t.feature] <= t.threshold
            t = t.left if left else t.right
        return t.prediction

    return lambda X: [np.mean([run(t, row) for t in trees]) for row in X.to_dict("records")]


def small_forest(seed: int):
    R = Random(seed)
    kinds = R.one_of("nnn", "nnc", "nncn")
    trees = [R.tree(kinds, 4) for _ in range(8)]
    rules, budget = [R.rule(f, kinds[f]) for f in range(len(kinds))], int(R.rng.integers(2, 6))
    return R, kinds, trees, rules, budget, R.rows(kinds, 4)


def to_plain(t):
    if isinstance(t, tv.Leaf):
        return ("leaf", t.prediction)
    return ("node", int(t.feature[1:]), t.test, t.threshold, to_plain(t.left), to_plain(t.right))


STUMP = tv.Node(0, 1.0, tv.Leaf(0.0), tv.Leaf(1.0))


def step(f: int, value: float, at: float = 1.0) -> tv.Node:
    """A tree that says `value` right of a threshold, and 0 left of it."""
    return tv.Node(f"f{f}", at, tv.Leaf(0.0), tv.Leaf(value))


def row(*x: float) -> pd.DataFrame:
    return pd.DataFrame([dict(zip(NAMES, map(float, x)))])


def shifts(*costs: float, by: float = 2.0) -> list[tv.Rule]:
    """One rule a feature, to the right or to the left."""
    return [tv.Rule(f"f{f}", c, delta=(-by, by)) for f, c in enumerate(costs)]


def forest(seed: int, n: int, depth: int = 3) -> tuple[list, np.random.Generator]:
    """Trees on four features that cut at odd numbers."""
    rng = np.random.default_rng(seed)

    def tree(d: int):
        if d == 0:
            return tv.Leaf(float(rng.integers(-8, 9)) / 8)
        cut = float(2 * rng.integers(0, 5) + 1)
        return tv.Node(f"f{rng.integers(4)}", cut, tree(d - 1), tree(d - 1))

    return [tree(depth) for _ in range(n)], rng


def worst(trees, x, y: float, rules, budget: float) -> tuple[float, float]:
    """The greatest loss, and its least cost, by enumeration: feature by feature, then all combinations."""
    ways = [
        oracles.attacks((v,), [(r[0], 0, *r[2:]) for r in rules if r[1] == f], budget)
        for f, v in enumerate(x)
    ]
    known, forms = {}, [to_oracle(t, NAMES) for t in trees]
    for choice in itertools.product(*(w.items() for w in ways)):
        cost, z = sum(c for _, c in choice), tuple(v for (v,), _ in choice)
        if cost <= budget:
            loss = (np.mean([oracles.land(t, z)[1] for t in forms]) - y) ** 2
            known[z] = (loss, -cost)
    top = max(loss for loss, _ in known.values())
    return top, min(-cost for loss, cost in known.values() if loss >= top - 1e-9)


SEARCHES = {
    "listed": {},
    "halves": {"combinations.FEW": 0},
    "descent": {
        "combinations.FEW": 0,
        "search.DENSE": 0,
        "search.BLOCK": 40,
        "search.TAIL": 3,
    },
    "descent, wide": {"search.DENSE": 0, "search.TAIL": 40},
    "boxes": {"search.EASY": 0, "search.DENSE": 0},
    "boxes, one by one": {
        "search.EASY": 0,
        "search.DENSE": 0,
        "boxes.WISHES": 1,
        "climb.SWEEPS": 0,
        "climb.RETURNS": 0,
        "climb.CLIMBS": 1,
        "leaf_groups.BITS": 3,
        "leaf_groups.MOST_LEAVES": 0,
    },
}

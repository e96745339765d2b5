"""The reference as the oracle of the fast core: the same trees on problems made up at random."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from tests.core.test_reference import COLOURS, FAMILIES, HARD, INF, text_frame
from tests.strategies import problems
from treant_viz.core import reference
from treant_viz.core.reference import Datum

# --- the oracle of the fast core ---


def random_problem(seed):
    """Rows of small numbers and categories, some columns twice; rules, often several a feature."""
    g = random.Random(seed)
    kinds = [g.choice("nnc") for _ in range(g.randint(1, 3))]
    X = [[g.choice(COLOURS) if k == "c" else g.randint(0, 4) for k in kinds] for _ in range(g.randint(3, 8))]
    if seed % 5 == 0 and len(kinds) < 3:
        kinds, X = [*kinds, kinds[0]], [[*x, x[0]] for x in X]  # ties
    rules = [random_rule(g, f, kinds[f]) for f in (g.randrange(len(kinds)) for _ in range(g.randint(1, 4)))]
    y = [g.randint(0, 1) for _ in X]
    y[0] = 1 - y[1]
    options = {"max_depth": g.randint(1, 3), "min_samples_split": g.choice([2, 2, 3])}
    return X, y, [g.randint(-2, 3) for _ in X], tv.Attacker(rules, g.randint(0, 4)), options


def random_rule(g, f, kind):
    cost = g.randint(1, 3)
    if kind == "c":
        pre = g.choice([None, {g.choice(COLOURS)}, set(g.sample(COLOURS, 2))])
        return tv.Rule(f, cost, pre=pre, becomes=g.choice(COLOURS))
    (a, b), delta = sorted(g.choices(range(-3, 7), k=2)), sorted(g.choices(range(-3, 4), k=2))
    return tv.Rule(f, cost, pre=(g.choice([a, a, -INF]), g.choice([b, b, INF])), delta=tuple(delta))


def hard_problem(seed, real):
    """Every feature can be attacked, mostly by cheap rules and often twice; labels follow the features.

    So budgets last for several tests, rows and constraints reach grandchildren, and trees go deep. Repeated
    real labels lie in the middle of two leaves now and then, where the attacker does not care.
    """
    g = random.Random(seed)
    kinds = ["c" if g.random() < 0.25 else "n" for _ in range(g.randint(3, 4))]
    n, high = g.randint(6, 10), g.choice([2, 3, 4])
    X = [[g.choice(COLOURS) if k == "c" else g.randint(0, high) for k in kinds] for _ in range(n)]
    rules = [hard_rule(g, f, k) for f, k in enumerate(kinds) for _ in range(g.choice([1, 1, 2]))]
    g.shuffle(rules)
    signs = [g.choice([-1, 1]) for _ in kinds]
    labels = (-2, -1, 0, 1, 2, 3) if real else (0, 1)
    y = [0] * n
    for place, i in enumerate(sorted(range(n), key=lambda i: slope(signs, X[i]))):
        y[i] = g.choice(labels) if g.random() < 0.2 else labels[place * len(labels) // n]
    if len(set(y)) == 1:
        y[0] = labels[0] if y[0] != labels[0] else labels[1]
    options = {"max_depth": g.choice([2, 3, 3]), "min_samples_split": 2}
    return X, y, tv.Attacker(rules, g.choice([1, 2, 2, 3])), options


def hard_rule(g, f, kind):
    cost = g.choice([1, 1, 2])
    if kind == "c":
        return tv.Rule(f, cost, pre={g.choice(COLOURS)}, becomes=g.choice(COLOURS))
    low, high = g.choice([-INF, 0, 1, 2]), g.choice([INF, 2, 3, 4])
    delta = g.choice([(-1, 0), (0, 1), (-1, 1), (1, 1), (-1, -1)])
    return tv.Rule(f, cost, pre=(low, high), delta=delta)


def slope(signs, x):
    return sum(s * (COLOURS.index(v) if isinstance(v, str) else v) for s, v in zip(signs, x, strict=True))


def same(t, u):
    """The same tests, thresholds and predictions (to 1e-9)."""
    if isinstance(t, tv.Leaf) or isinstance(u, tv.Leaf):
        return type(t) is type(u) and abs(t.prediction - u.prediction) <= 1e-9
    test = (t.feature, t.threshold, t.test) == (u.feature, u.threshold, u.test)
    return test and same(t.left, u.left) and same(t.right, u.right)


@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("family", FAMILIES)
def test_the_fast_core_grows_the_same_trees(family, block):
    for seed in range(100 * block, 100 * block + (40 if family == "binary sse" else 60)):
        X, labels, reals, A, options = random_problem(seed)
        check(family, X, reals if family == "real sse" else labels, A, options, f"problem {seed}")
    for seed in HARD[family][block::5]:
        check(family, *hard_problem(seed, family == "real sse"), f"hard problem {seed}")


def check(family, X, y, A, options, text):
    estimator, loss, name = FAMILIES[family]
    fast = estimator(A, loss=loss, **options).fit(X, y).tree_
    assert same(fast, reference.grow(X, y, A, name, **options)), text


def test_labels_0_and_1_may_be_taken_as_real_numbers():
    """A regressor's leaves are not kept between 0 and 1; "sse" takes such labels as a classifier does."""
    differ = 0
    for seed in (*range(30), 1130, 1895):
        X, y, _, A, _ = random_problem(seed)
        options = {"max_depth": 3, "min_samples_split": 2}
        fast = tv.TreantRegressor(A, **options).fit(X, y).tree_
        assert same(fast, reference.grow(X, y, A, "real sse", **options)), f"problem {seed}"
        binary = reference.grow(X, y, A, "binary sse", **options)
        assert reference.grow(X, y, A, "sse", **options) == binary
        differ += not same(fast, binary)
    assert differ, "1130 and 1895 are there because they do"


@settings(max_examples=40)
@given(problems(), st.integers(0, 3))
def test_data_frames_and_rules_by_name(p, depth):
    frame, options = text_frame(p), {"max_depth": depth, "min_samples_split": 2}
    fast = tv.TreantClassifier(p.attacker, **options).fit(frame, p.y).tree_
    assert same(fast, reference.grow(frame, p.y, p.attacker, "log", **options))


@settings(max_examples=40)
@given(problems(binary=False), st.integers(0, 3))
def test_nobody_attacks(p, depth):
    """Algorithm 1; and Algorithm 3 against a budget of nothing is the same."""
    frame, options = text_frame(p), {"max_depth": depth, "min_samples_split": 2}
    t = reference.grow(frame, p.y, None, "real sse", **options)
    assert same(tv.TreantRegressor(None, **options).fit(frame, p.y).tree_, t)
    assert same(reference.grow(frame, p.y, p.attacker.with_budget(0), "real sse", **options), t)


def test_the_problems_are_worth_it():
    """What the first 150 problems hold, so that their agreement means something."""
    seen = Counter()
    for seed in range(150):
        X, y, _, A, options = random_problem(seed)
        D = [Datum(dict(enumerate(x)), float(label), 0.0) for x, label in zip(X, y, strict=True)]
        splits = [(f, v) for f in range(len(X[0])) for v in sorted({x[f] for x in X})]
        stumps = [reference.best_stump(D, A, [], f, v, "log") for f, v in splits]
        least = min(t.loss for t in stumps)
        unknown = {f for f, v in splits if reference.ternary_partition(D, A, f, v)[2]}
        seen["unknown"] += bool(unknown)
        seen["unknown categories"] += any(isinstance(X[0][f], str) for f in unknown)
        seen["several rules"] += len(A.features) < len(A.rules)
        costs = {c for f in A.features for x in X for c, _, _ in reference.reachable(A, f, x[f])}
        seen["chains"] += bool(costs - {0.0} - {r.cost for r in A.rules})
        seen["ties"] += sum(t.loss <= least + 1e-9 for t in stumps) > 1
        t = reference.grow(X, y, A, "log", **options)
        seen["deep"] += isinstance(t, tv.Node) and (
            isinstance(t.left, tv.Node) or isinstance(t.right, tv.Node)
        )
    assert min(seen.values()) >= 15, seen

"""The four invariants that must always hold, on random problems, against brute force that imports no core."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from tests import oracles
from tests.strategies import Problem, problems, to_oracle
from treant_viz.core.tree import leaves

RETESTS = ("uncorrupted", "none", "all")
CLOSE = 1e-7


def model(p: Problem, loss: str, binary: bool, **options):
    kind = tv.TreantClassifier if binary else tv.TreantRegressor
    options = {"min_samples_split": 2, "max_depth": 3, "attacker": p.attacker} | options
    return kind(loss=loss, **options).fit(p.frame, np.array(p.y), sample_weight=p.weights)


def stump(c, i):
    f = int(c.feature[i][1:])
    return ("node", f, c.test[i], c.threshold[i], ("leaf", c.y_l[i]), ("leaf", c.y_r[i]))


def training_loss(m) -> float:
    return sum(leaf.loss for _, leaf in leaves(m.tree_))


def check_growth(p: Problem, loss: str, m) -> None:
    """Invariants 1 to 3 on one grown tree."""
    trace = m.trace_
    root = trace.at("").candidates
    for i in range(0 if root is None else len(root)):
        t = stump(root, i)
        true = oracles.loss_under_attack(t, p.X, p.y, p.rules, p.budget, loss, p.weights)
        assert root.loss_under_attack[i] == pytest.approx(true, abs=CLOSE), (
            "1: a stump's loss is its loss under attack"
        )
        assert root.loss[i] == pytest.approx(oracles.plain_loss(t, p.X, p.y, loss, p.weights), abs=CLOSE)
        assert root.loss[i] <= root.loss_under_attack[i] + CLOSE, "3: L <= L^A"
        counts = oracles.ternary(p.X, p.rules, p.budget, t[1], t[2], t[3])
        assert tuple(map(len, counts)) == (root.left[i], root.unknown[i], root.right[i])
    check_steps(p, loss, trace)
    true = oracles.loss_under_attack(to_oracle(m.tree_), p.X, p.y, p.rules, p.budget, loss, p.weights)
    assert training_loss(m) == pytest.approx(true, abs=CLOSE), "2: the training loss is the loss under attack"
    assert (
        true == pytest.approx(tv.loss_under_attack(m, p.frame, np.array(p.y), p.attacker), abs=CLOSE)
        or p.weights
    )


def check_steps(p: Problem, loss: str, trace) -> None:
    before = np.inf
    for (step, tree), (_, claimed) in zip(trace.trees(), trace.losses(), strict=True):
        t = to_oracle(tree)
        now = oracles.loss_under_attack(t, p.X, p.y, p.rules, p.budget, loss, p.weights)
        assert now <= before + CLOSE, "3: L^A does not grow along the trace"
        assert claimed == pytest.approx(now, abs=CLOSE), (
            "2: what the algorithm counts is the loss under attack"
        )
        before = now
        if step.taken:
            new = {step.path + "l", step.path + "r"}
            for i in step.data.rows:
                _, where = oracles.worst(t, p.X[i], p.y[i], p.rules, p.budget, loss)
                assert where & new, "2: attack invariance (Definition): the new leaves stay among the worst"


@given(problems(binary=True), st.sampled_from(["sse", "log"]), st.sampled_from(RETESTS))
def test_classification_trees_are_sound(p, loss, retest):
    check_growth(p, loss, model(p, loss, True, retest=retest))


@given(problems(binary=False), st.sampled_from(RETESTS))
def test_regression_trees_are_sound(p, retest):
    check_growth(p, "sse", model(p, "sse", False, retest=retest))


@given(problems(binary=True, max_rows=12), st.sampled_from(["sse", "log"]), st.sampled_from(RETESTS))
def test_deep_classification_trees_claim_their_loss_under_attack(p, loss, retest):
    m = model(p, loss, True, retest=retest, max_depth=6)
    true = oracles.loss_under_attack(to_oracle(m.tree_), p.X, p.y, p.rules, p.budget, loss)
    assert training_loss(m) == pytest.approx(true, abs=CLOSE)


@given(problems(binary=False, max_rows=12), st.sampled_from(RETESTS))
def test_deep_regression_trees_claim_their_loss_under_attack(p, retest):
    m = model(p, "sse", False, retest=retest, max_depth=6)
    true = oracles.loss_under_attack(to_oracle(m.tree_), p.X, p.y, p.rules, p.budget, "sse")
    assert training_loss(m) == pytest.approx(true, abs=CLOSE)


@given(problems(binary=True, weighted=True), st.sampled_from(["sse", "log"]), st.sampled_from(RETESTS))
def test_weighted_classification_trees_are_sound(p, loss, retest):
    check_growth(p, loss, model(p, loss, True, retest=retest))


@given(problems(binary=False, weighted=True), st.sampled_from(RETESTS))
def test_weighted_regression_trees_are_sound(p, retest):
    check_growth(p, "sse", model(p, "sse", False, retest=retest))


@given(problems(binary=False), st.sampled_from(RETESTS))
def test_leaves_satisfy_what_is_handed_down_to_them_without_rounding(p, retest):
    """Labels in thirds: were a constraint off by one bit, some feasible set below would be empty."""
    m = model(replace(p, y=tuple(v / 3 for v in p.y)), "sse", False, retest=retest, max_depth=4)
    loss = m.trace_.loss
    for split in (step.split for step in m.trace_.steps if step.taken):
        for constraints, y in ((split.left_constraints, split.y_l), (split.right_constraints, split.y_r)):
            assert all(any(a <= y <= b for a, b in c.allowed(loss)) for c in constraints)
    assert np.isfinite([leaf.prediction for _, leaf in leaves(m.tree_)]).all()


@given(problems(binary=True), st.sampled_from(["sse", "log"]))
def test_loss_under_attack_of_a_fixed_tree_does_not_fall_as_the_budget_grows(p, loss):
    m = model(p, loss, True)
    y = np.array(p.y)
    values = [tv.loss_under_attack(m, p.frame, y, p.attacker.with_budget(k)) for k in range(6)]
    assert all(a <= b + CLOSE for a, b in itertools.pairwise(values))
    oracle = [oracles.loss_under_attack(to_oracle(m.tree_), p.X, p.y, p.rules, k, loss) for k in range(6)]
    assert values == pytest.approx(oracle, abs=CLOSE)


@given(problems(binary=True), st.sampled_from(["sse", "log"]))
def test_budget_nothing_is_algorithm_1(p, loss):
    nobody = model(p, loss, True, attacker=None)
    powerless = model(p, loss, True, attacker=p.attacker.with_budget(0))
    assert powerless.tree_ == nobody.tree_
    assert training_loss(nobody) == pytest.approx(
        oracles.plain_loss(to_oracle(nobody.tree_), p.X, p.y, loss), abs=CLOSE
    )


@given(problems(binary=True), st.sampled_from(["sse", "log"]), st.integers(0, 6), st.data())
def test_no_stump_beats_the_exact_solver_at_the_root(p, loss, seed, data):
    """1: against all pairs of leaves on a grid, and around the solution itself."""
    root = model(p, loss, True).trace_.at("").candidates
    for i in range(0 if root is None else len(root)):
        grid = [
            *np.linspace(0.01, 0.99, 8).tolist(),
            root.y_l[i] + 0.01,
            root.y_l[i] - 0.01,
            root.y_r[i] - 0.01,
        ]
        for a, b in itertools.product([g for g in grid if 0 < g < 1], repeat=2):
            t = ("node", int(root.feature[i][1:]), root.test[i], root.threshold[i], ("leaf", a), ("leaf", b))
            assert root.loss_under_attack[i] <= fast_loss(t, p, loss) + CLOSE


def fast_loss(t, p: Problem, loss: str) -> float:
    _, f, test, v, (_, a), (_, b) = t
    total = 0.0
    for x, y in zip(p.X, p.y, strict=True):
        sides = sides_of(x, p.rules, p.budget, f, test, v)
        total += max(oracles.ell(loss, a if s else b, y) for s in sides)
    return total


def sides_of(x, rules, budget, f, test, v, cache={}):
    key = (x, rules, budget, f, test, v)
    if key not in cache:
        if len(cache) > 5000:
            cache.clear()
        cache[key] = {oracles.passes(z, f, test, v) for z in oracles.attacks(x, rules, budget)}
    return cache[key]

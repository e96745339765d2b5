"""A test in every state, all budgets and thresholds at once: what brute force finds, and what a fit finds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.trace.what_if import split_states

TOY, SMALL = tv.load_toy(), 400


def loaded(name):
    data = getattr(tv, f"load_{name}")()
    return data.X_train[:SMALL], data.y_train[:SMALL], data.attacker


@cache
def reachable(attacker, feature, value):
    return attacker.reachable(feature, value)


def brute(x, y, attacker, feature, v, y_l, y_r, loss):
    """Sides, L and L^A, row by row and from what is reachable."""
    count, plain, attacked = {"L": 0, "U": 0, "R": 0}, 0.0, 0.0
    for value, label in zip(x, y):
        if isinstance(value, str):
            reach = reachable(attacker, feature, value)
            left, right, home = v in reach, bool(reach - {v}), value == v
        else:
            reach = reachable(attacker, feature, value)
            left, right, home = any(a <= v for a, _ in reach), any(b > v for _, b in reach), value <= v
        hurt = [loss(p, label) for p in (y_l, y_r)]
        count["U" if left and right else "L" if left else "R"] += 1
        plain += hurt[0] if home else hurt[1]
        attacked += max([h for h, can in zip(hurt, (left, right)) if can])
    return count, plain, attacked


def sse(p, y):
    return (p - y) ** 2


def log(p, y):
    with np.errstate(divide="ignore"):
        return float(-np.log(p if y else 1 - p))


@pytest.mark.parametrize("data", ["toy", "wine", "marital_status", "hours_per_week"])
def test_states_are_what_brute_force_finds(data):
    rng = np.random.default_rng(0)
    X, y, A, feature, loss = {
        "toy": lambda: (TOY.X, TOY.y, TOY.attacker, "p", "sse"),
        "wine": lambda: (*(part[:60] for part in loaded("wine")[:2]), loaded("wine")[2], "alcohol", "log"),
    }.get(data, lambda: (*(part[:60] for part in loaded("census")[:2]), loaded("census")[2], data, "log"))()
    states = split_states(X, y, A, loss, feature, 4 * A.budget if data == "toy" else None)
    ell, column = {"sse": sse, "log": log}[loss], X[feature].tolist()
    for level in states.levels:
        attacker = A.with_budget(level.cost)
        for i in rng.choice(len(level.thresholds), min(12, len(level.thresholds)), replace=False):
            t = level.thresholds[i]
            v = t if states.categories is None else states.categories[t]
            for plan in (level.standard, level.robust):
                count, plain, attacked = brute(column, y, attacker, feature, v, plan.y_l[i], plan.y_r[i], ell)
                assert list(count.values()) == [level.left[i], level.unknown[i], level.right[i]]
                assert plan.loss[i] == pytest.approx(plain) and plan.loss_under_attack[i] == pytest.approx(
                    attacked
                )
            assert level.robust.loss_under_attack[i] <= level.standard.loss_under_attack[i] + 1e-9


def test_robust_leaves_are_those_that_a_fit_finds():
    """At the thresholds that a fit tries: the data's values."""
    for X, y, A, feature in ((TOY.X, TOY.y, TOY.attacker, "p"), (*loaded("wine"), "alcohol")):
        make = tv.TreantRegressor if feature == "p" else tv.TreantClassifier
        loss = "sse" if feature == "p" else "log"
        tried = make(A, loss, max_depth=1, min_samples_split=2).fit(X, y).trace_.at("").candidates.to_frame()
        level = split_states(X, y, A, loss, feature).level_of(A.budget)
        for _, c in tried[tried.feature == feature].iterrows():
            i = int(np.flatnonzero(level.thresholds == c.threshold)[0])
            assert level.robust.loss_under_attack[i] == pytest.approx(c.loss_under_attack, abs=1e-9)
            assert [level.left[i], level.unknown[i], level.right[i]] == [c.left, c.unknown, c.right]


def test_curves_jump_at_ends_of_what_can_be_reached():
    """p <= -4 leaves nobody unknown on the toy, and costs as little as the paper's root."""
    level = split_states(TOY.X, TOY.y, TOY.attacker, "sse", "p").level_of(1)
    i = level.thresholds.tolist().index(-4.0)
    assert level.unknown[i] == 0 and level.robust.loss_under_attack[i] == pytest.approx(3.7)
    assert set(level.thresholds[1:]) == {-8, -7, -6, -5, -4, 0, 1, 2, 3, 4}


def test_rows_that_nobody_can_part_get_one_leaf():
    X = pd.DataFrame({"p": [1.0, 1.0]})
    level = split_states(X, [0.0, 2.0], tv.Attacker([], 1), "sse", "p").level_of(1)
    assert level.robust.y_l.tolist() == level.robust.y_r.tolist() == [1.0, 1.0]
    assert level.robust.loss_under_attack.tolist() == [2.0, 2.0]

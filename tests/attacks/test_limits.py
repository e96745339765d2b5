"""Struck limits: what is known is admitted and bounded; progress counts the rows."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.fitted import EITHER, MODELS, table
from tests.attacks.problems import (
    NAMES,
    SEARCHES,
    check_bounds,
    forest,
    frame,
    row,
    shifts,
    small_forest,
    step,
    to_attacker,
)
from treant_viz.attacks.attack import attack, attack_budgets
from treant_viz.attacks.limits import Limits, RowLimits


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


def test_no_time_means_no_attack_but_honest_bounds(forced_descent):
    _, kinds, trees, rules, budget, rows = small_forest(4000)
    result = attack(trees, frame(rows, kinds), np.zeros(4), to_attacker(rules, budget), time_limit=0)
    assert not result.exact.all()
    assert (result.scores == result.clean_scores).all()
    assert (result.upper >= result.lower).all()


def test_a_long_time_limit_changes_nothing():
    trees = [step(f, 1.0) for f in range(3)]
    result = attack(trees, row(0, 0, 0), [0.0], tv.Attacker(shifts(1, 1, 1), 2), time_limit=3600)
    assert result.exact.all()
    assert result.losses == pytest.approx([4 / 9])


@pytest.mark.parametrize("limits", [{"node_limit": 0}, {"time_limit": 0}])
@pytest.mark.parametrize("y", [0.0, 0.9])
def test_a_struck_search_promises_each_trees_best_leaf(limits, y):
    """Two of three steps can be paid for; without a search, only what each tree could do alone is known."""
    trees = [tv.Node(f"f{f}", 1.0, tv.Leaf(1.0), tv.Leaf(-1.0)) for f in range(3)]
    result = attack(trees, row(0, 0, 0), [y], tv.Attacker(shifts(1, 1, 1), 2), **limits)
    assert not result.exact.any()
    assert result.lower == pytest.approx([(1 - y) ** 2])
    assert result.upper == pytest.approx([max((1 - y) ** 2, (-1 - y) ** 2)])


def test_a_search_struck_on_one_side_only_is_not_exact():
    """Greater scores are out of reach, which needs no search; smaller ones would."""
    trees = [tv.Node(f"f{f}", 1.0, tv.Leaf(1.0), tv.Leaf(-1.0)) for f in range(2)]
    result = attack(trees, row(0, 0), [0.9], tv.Attacker(shifts(1, 1), 1), node_limit=0)
    assert not result.exact.any()
    assert result.upper[0] >= 0.9**2


def test_a_struck_search_promises_no_more_than_each_budget_pays_for():
    trees = [step(0, 1.0), step(1, 1.0), step(2, 4.0)]
    X, A = row(0, 0, 0), tv.Attacker(shifts(1, 1, 3), 3)
    both = attack_budgets(trees, X, [0.0], A, [1, 3], node_limit=0)
    assert both[3].upper == pytest.approx([(6 / 3) ** 2])
    assert both[1].upper == pytest.approx([(2 / 3) ** 2])
    assert both[1].lower.tolist() == [0.0]


@pytest.mark.parametrize("way", SEARCHES)
@pytest.mark.parametrize("nodes", [0, 3, 30, 200])
def test_the_truth_lies_between_the_bounds_of_a_struck_search(way, nodes, monkeypatch):
    for name, value in SEARCHES[way].items():
        monkeypatch.setattr(f"treant_viz.attacks.{name}", value)
    A = tv.Attacker(shifts(1, 1, 2, 2), 4)
    for seed in range(20, 25):
        trees, rng = forest(seed, 4)
        X = pd.DataFrame(2.0 * rng.integers(0, 6, (4, 4)), columns=NAMES)
        y = rng.integers(-2, 3, 4) / 4
        with monkeypatch.context() as plain:
            plain.undo()
            truth = attack(trees, X, y, A)
        result = attack(trees, X, y, A, node_limit=nodes)
        assert (result.lower <= truth.losses + 1e-9).all()
        assert (result.upper >= truth.losses - 1e-9).all()
        assert result.losses[result.exact] == pytest.approx(truth.losses[result.exact])
        assert (result.costs[result.exact] >= truth.costs[result.exact] - 1e-9).all(), (
            "the cheapest may not be found"
        )
        loosest = attack(trees, X, y, A, node_limit=0).upper
        assert (result.upper <= loosest + 1e-9).all(), "never more than without any search"


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


@pytest.mark.parametrize("method", ["exact", "exhaustive", "milp"])
def test_progress_counts_the_rows(method):
    """Up to all rows and never back, though some rows are attacked in two directions."""
    trees, _ = forest(3, 3)
    X = pd.DataFrame(np.tile([[4.0, 4.0, 6.0, 2.0]], (9, 1)), columns=NAMES)
    told: list[tuple[int, int]] = []
    A = tv.Attacker(shifts(1, 1, 1), 2)
    attack(trees, X, np.zeros(9), A, method=method, progress=lambda done, n: told.append((done, n)))
    assert {n for _, n in told} == {9}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (9, 9)
    assert len({done for done, _ in told}) >= 8


def test_the_bar_is_drawn_while_rows_are_attacked(capsys):
    trees, _ = forest(3, 3)
    X = pd.DataFrame(np.tile([[4.0, 4.0, 6.0, 2.0]], (9, 1)), columns=NAMES)
    attack(trees, X, np.zeros(9), tv.Attacker(shifts(1, 1, 1), 2), progress=True)
    shown = capsys.readouterr().err
    assert shown.count("\r") >= 2
    assert shown.endswith("\n")


def test_time_that_is_over_is_not_negative():
    late = RowLimits(deadline=time.monotonic() - 5)
    assert late.struck and late.seconds == 0.0


def test_what_is_asked_for_after_the_end_is_not_granted():
    assert not RowLimits(deadline=time.monotonic() - 5).affords(1)
    few = RowLimits(nodes=3)
    assert not few.affords(5) and few.affords(3) and not few.affords(1)


def test_a_call_whose_time_is_over_is_struck():
    assert Limits(deadline=time.monotonic() - 5).struck is True
    assert Limits().struck is False and Limits(deadline=time.monotonic() + 60).struck is False


@pytest.mark.parametrize("forest", [False, True])
def test_progress_ends_with_all_rows(forest):
    tree, seen = tv.Node(0, 0.5, tv.Leaf(0.0), tv.Leaf(1.0)), []
    A = tv.Attacker([tv.Rule(0, 1, delta=(0, 1))], 1)
    model = [tree, tree] if forest else tree
    attack(model, [[0.0], [1.0], [0.2]], [0, 1, 0], A, progress=lambda done, n: seen.append((done, n)))
    assert seen[-1] == (3, 3)

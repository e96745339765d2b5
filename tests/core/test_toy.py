"""The paper's toy example: every number of it, with both solvers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.strategies import to_oracle
from treant_viz.core.tree import leaves, nodes

TOY = tv.load_toy()
B = tv.Node("p", 1.0, tv.Leaf(-1.0), tv.Leaf(2.0))
C = tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
D = tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Node("q", 3.0, tv.Leaf(1.0), tv.Leaf(2.0)))
E = tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Node("q", 3.0, tv.Leaf(1.5), tv.Leaf(2.0)))


def brute(tree) -> float:
    """Loss under attack by enumeration."""
    rules = [("num", 0, 1, -np.inf, np.inf, -1, 1)]
    rows = [tuple(int(v) for v in r) for r in TOY.X.to_numpy()]
    return oracles.loss_under_attack(to_oracle(tree, ("p", "q")), rows, TOY.y, rules, 1, "sse")


def fit(solver="exact", **options):
    return tv.TreantRegressor(TOY.attacker, solver=solver, **{"min_samples_split": 2} | options).fit(
        TOY.X, TOY.y
    )


def close(solver):
    return 1e-9 if solver == "exact" else 1e-6


both_solvers = pytest.mark.parametrize("solver", ["exact", "slsqp"])


@pytest.mark.parametrize(
    ("tree", "plain", "attacked"), [(B, 2.0, 5.0), (C, 3.39, 3.7), (D, 3.75, 3.75), (E, None, 3.0)]
)
def test_losses_of_the_papers_panels(tree, plain, attacked):
    assert tv.loss_under_attack(tree, TOY.X, TOY.y, TOY.attacker) == pytest.approx(attacked, abs=1e-9)
    assert brute(tree) == pytest.approx(attacked, abs=1e-9)
    if plain is not None:
        assert tv.loss_under_attack(tree, TOY.X, TOY.y, TOY.attacker.with_budget(0)) == pytest.approx(
            plain, abs=1e-9
        )


def test_panel_b_is_what_an_unaware_learner_grows():
    m = tv.TreantRegressor(None, max_depth=1, min_samples_split=2).fit(TOY.X, TOY.y)
    assert m.tree_ == B
    assert sum(leaf.loss for _, leaf in leaves(m.tree_)) == pytest.approx(2.0, abs=1e-9)


@both_solvers
def test_panel_c_is_the_robust_stump(solver):
    m = fit(solver, max_depth=1)
    assert (m.tree_.feature, m.tree_.threshold) == ("p", 1.0)
    assert [leaf.prediction for _, leaf in leaves(m.tree_)] == pytest.approx([-1.5, 1.6], abs=close(solver))
    assert m.trace_.at("").split.loss_under_attack == pytest.approx(3.7, abs=close(solver))


@both_solvers
def test_ternary_partition_and_robust_split_at_the_root(solver):
    split = fit(solver).trace_.at("").split
    assert [p.tolist() for p in split.partition] == [[0, 1], [3, 4, 5, 6], [2]]
    assert split.left.rows.tolist() == [0, 1]
    assert split.right.rows.tolist() == [2, 3, 4, 5, 6]
    assert split.right.spent.tolist() == [1, 0, 0, 0, 0]


@both_solvers
def test_constraints_of_both_children(solver):
    split = fit(solver).trace_.at("").split
    (left,), (right,) = split.left_constraints, split.right_constraints
    assert (left.row, left.sense, left.spent, left.origin) == (2, "<=", 0.0, "")
    assert (right.row, right.sense, right.spent, right.origin) == (2, ">=", 1.0, "")
    assert left.gamma == pytest.approx(2.25, abs=close(solver))
    assert right.gamma == pytest.approx(2.25, abs=close(solver))


@both_solvers
def test_the_root_is_a_tie_and_p_wins_it(solver):
    c = fit(solver).trace_.at("").candidates
    tied = [(c.feature[i], c.threshold[i]) for i in np.flatnonzero(c.tied)]
    assert tied == [("p", 1.0), ("q", 2.0)]
    assert c.loss_under_attack[c.tied] == pytest.approx([3.7, 3.7], abs=close(solver))
    swapped = tv.TreantRegressor(TOY.attacker, solver=solver, min_samples_split=2).fit(
        TOY.X[["q", "p"]], TOY.y
    )
    assert swapped.tree_.feature == "q"


@both_solvers
def test_panel_d_is_the_right_leaf_grown_without_constraints(solver):
    m = fit(solver, attack_invariance=False)
    split = m.trace_.at("r").split
    assert (split.feature, split.threshold) == ("q", 3.0)
    assert (split.y_l, split.y_r) == pytest.approx((1.0, 2.0), abs=close(solver))
    assert split.right_constraints == split.left_constraints == ()


@both_solvers
def test_panel_e_is_the_right_leaf_grown_with_constraints(solver):
    step = fit(solver).trace_.at("r")
    assert (step.split.feature, step.split.threshold) == ("q", 3.0)
    assert (step.split.y_l, step.split.y_r) == pytest.approx((1.5, 2.0), abs=close(solver))
    assert step.split.loss_under_attack == pytest.approx(2.5, abs=close(solver))


def test_worst_leaves_of_x2():
    x2 = TOY.X.loc["x2"]
    assert tv.worst_leaves(C, x2, 0, TOY.attacker) == {"r"}
    assert tv.worst_leaves(D, x2, 0, TOY.attacker) == {"l"}, "panel (d) breaks attack invariance"
    assert tv.worst_leaves(E, x2, 0, TOY.attacker) == {"l", "rl"}, "panel (e) keeps it"


@both_solvers
def test_the_algorithm_goes_on_beyond_panel_e(solver):
    m = fit(solver)
    assert m.tree_.left.predicate == "q <= 1", "the left leaf is split too"
    assert sum(leaf.loss for _, leaf in leaves(m.tree_)) == pytest.approx(2.5, abs=close(solver))
    assert tv.loss_under_attack(m, TOY.X, TOY.y, TOY.attacker) == pytest.approx(2.5, abs=close(solver))
    assert brute(m.tree_) == pytest.approx(2.5, abs=close(solver))
    q_first = tv.TreantRegressor(TOY.attacker, solver=solver, min_samples_split=2).fit(
        TOY.X[["q", "p"]], TOY.y
    )
    assert tv.loss_under_attack(q_first, TOY.X[["q", "p"]], TOY.y, TOY.attacker) == pytest.approx(
        2.0, abs=close(solver)
    )


def test_losses_along_the_trace():
    trace = fit().trace_
    values = {step.path: loss for step, loss in trace.losses()}
    assert values[""] == pytest.approx(3.7, abs=1e-9)
    assert values["l"] == pytest.approx(3.2, abs=1e-9), "the left leaf grown: 3.7 - 0.5"
    assert values["rr"] == pytest.approx(2.5, abs=1e-9)


def test_without_attack_invariance_the_tree_claims_less_than_it_loses():
    """With x0 and x1 alike in q the left leaf stays one: growth without constraints ends in panel (d)."""
    X = TOY.X.assign(q=[1.0, 1.0, 3.0, 3.0, 4.0, 4.0, 4.0])
    m = tv.TreantRegressor(TOY.attacker, attack_invariance=False, min_samples_split=2).fit(
        X[["p", "q"]], TOY.y
    )
    assert m.tree_ == D
    assert sum(leaf.loss for _, leaf in leaves(m.tree_)) == pytest.approx(2.5, abs=1e-9)
    assert tv.loss_under_attack(m, X, TOY.y, TOY.attacker) == pytest.approx(3.75, abs=1e-9)
    kept = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(X, TOY.y)
    assert kept.tree_ == E
    assert sum(leaf.loss for _, leaf in leaves(kept.tree_)) == pytest.approx(3.0, abs=1e-9)


def test_all_rows_end_in_some_leaf():
    m = fit()
    assert sum(leaf.size for _, leaf in leaves(m.tree_)) == 7
    assert [path for path, _ in nodes(m.tree_)] == ["", "l", "r"]


def stump_by_brute_force(y, rules, loss, grid) -> float:
    """The least loss under attack of any stump on p whose leaves are on the grid."""
    rows = [(int(v),) for v in TOY.X["p"]]
    pairs = list(itertools.product(grid, repeat=2))
    stumps = [("node", 0, "<=", v, ("leaf", a), ("leaf", b)) for (v,) in set(rows) for a, b in pairs]
    return min(oracles.loss_under_attack(t, rows, y, rules, 1, loss) for t in stumps)


def test_the_toy_in_a_mirror_grows_the_mirrored_tree():
    """Labels with the other sign: now the higher leaf is the left one."""
    m = tv.TreantRegressor(TOY.attacker, min_samples_split=2, max_depth=1).fit(TOY.X, -TOY.y)
    assert m.tree_.predicate == "p <= 1"
    assert [leaf.prediction for _, leaf in leaves(m.tree_)] == pytest.approx([1.5, -1.6], abs=1e-9)
    assert m.trace_.at("").split.right.rows.tolist() == [2, 3, 4, 5, 6]
    assert tv.loss_under_attack(m, TOY.X, -TOY.y, TOY.attacker) == pytest.approx(3.7, abs=1e-9)


@pytest.mark.parametrize("loss", ["sse", "log"])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("reach", [1, 2, 6])
def test_the_toys_robust_stump_for_classes_is_the_best_of_all_stumps(loss, flip, reach):
    """The toy's labels as classes; the further the attacker reaches, the more rows are unknown."""
    y = ((TOY.y > 0) != flip).astype(int)
    A = tv.Attacker([tv.Rule("p", 1, delta=(-reach, reach))], 1)
    m = tv.TreantClassifier(A, loss=loss, max_depth=1, min_samples_split=2).fit(TOY.X[["p"]], y)
    best = stump_by_brute_force(
        y, [("num", 0, 1, -np.inf, np.inf, -reach, reach)], loss, np.linspace(0.1, 0.9, 9)
    )
    claimed = m.trace_.at("").split.loss_under_attack
    assert best - 1.0 < claimed <= best + 1e-9
    assert tv.loss_under_attack(m, TOY.X[["p"]], y, A) == pytest.approx(
        sum(leaf.loss for _, leaf in leaves(m.tree_))
    )


@pytest.mark.parametrize(("home", "left"), [(-3.0, [0, 1, 2]), (6.0, [0, 1])])
def test_a_row_that_both_leaves_hurt_alike_stays_at_home(home, left):
    """Labels -1, -1 | 0 | 1, 1: the best leaves are -0.8 and 0.8, and nothing is gained by moving the 0."""
    X = pd.DataFrame({"p": [-2.0, -2.0, home, 5.0, 5.0]})
    A = tv.Attacker([tv.Rule("p", 1, pre=(home, home), delta=(-9, 9))], 1)
    m = tv.TreantRegressor(A, max_depth=1, min_samples_split=2).fit(X, [-1, -1, 0, 1, 1])
    split = m.trace_.at("").split
    assert (split.y_l, split.y_r) == pytest.approx((-0.8, 0.8), abs=1e-9)
    assert split.left.rows.tolist() == left


def test_what_was_spent_on_one_feature_cannot_be_spent_on_another():
    """Both features under attack, but only one step in all: a row that was moved in p stays put in q."""
    X = TOY.X.assign(q=[1.0, 3.0, 2.0, 5.0, 5.0, 5.0, 6.0])
    A = tv.Attacker([tv.Rule(f, 1, delta=(-1, 1)) for f in ("p", "q")], 1)
    m = tv.TreantRegressor(A, min_samples_split=2).fit(X, TOY.y)
    assert {n.feature for _, n in nodes(m.tree_)} == {"p", "q"}
    assert sum(leaf.loss for _, leaf in leaves(m.tree_)) == pytest.approx(2.75, abs=1e-9)
    rows = [tuple(int(v) for v in r) for r in X.to_numpy()]
    rules = [("num", f, 1, -np.inf, np.inf, -1, 1) for f in (0, 1)]
    attacked = oracles.loss_under_attack(to_oracle(m.tree_, ("p", "q")), rows, TOY.y, rules, 1, "sse")
    assert attacked == pytest.approx(2.75, abs=1e-9)


@pytest.mark.parametrize("loss", ["sse", "log"])
@pytest.mark.parametrize("higher", ["left", "right"])
def test_unknown_rows_of_a_class_go_where_it_is_unlikely(loss, higher):
    """Rows 0 to 9 in a line, each can take one step: two are unknown at any cut and go to the other class."""
    X, first = pd.DataFrame({"p": np.arange(10.0)}), int(higher == "left")
    y = np.where(X["p"] < 5, first, 1 - first)
    A = tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 1)
    m = tv.TreantClassifier(A, loss=loss, max_depth=1, min_samples_split=2).fit(X, y)
    split = m.trace_.at("").split
    assert [p.tolist() for p in split.partition] == [[0, 1, 2], [5, 6, 7, 8, 9], [3, 4]]
    assert split.left.rows.tolist() == [0, 1, 2]
    assert tv.loss_under_attack(m, X, y, A) == pytest.approx(sum(leaf.loss for _, leaf in leaves(m.tree_)))

"""The four algorithms as the paper has them: what each line does, seen by an observer."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.core.algorithms import best_split, build_tree, treant, tsplit
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import NO_ATTACKER
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import SSE
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver
from treant_viz.core.tree import leaves
from treant_viz.estimators.fitting import make_table

TOY = tv.load_toy()
NO_CONSTRAINTS = Constraints.none()


def toy_root(attacker=TOY.attacker) -> tuple[Data, AttackerOnTable]:
    table = make_table(TOY.X, TOY.attacker)
    return Data.root(Sample(table, TOY.y, False)), AttackerOnTable(attacker, table)


def options(**changes) -> Options:
    return Options(SSE, get_solver("exact"), **{"min_samples_split": 2} | changes)


def test_tsplit_returns_the_stump_and_what_both_children_are_given():
    """Figure (c), and the constraint of x2 for either child."""
    D, A = toy_root()
    t, N = tsplit(D, A, NO_CONSTRAINTS, options())
    assert (t.stump.f, t.stump.v) == (0, 2), "p <= 1, the third of the values of p"
    assert (t.stump.y_l, t.stump.y_r, t.stump.loss) == pytest.approx((-1.5, 1.6, 3.7), abs=1e-9)
    assert t.stump == N.best()
    assert (t.D_l.rows.tolist(), t.D_r.rows.tolist()) == ([0, 1], [2, 3, 4, 5, 6])
    assert [len(C) for C in (t.C_l, t.C_r)] == [1, 1]


def test_without_attack_invariance_no_constraints_arise_and_none_are_handed_on():
    D, A = toy_root()
    given = Constraints.none().plus(
        np.array([2]), np.array([True]), np.array([-1.5]), np.array([0]), ""
    )  # x2 keeps within reach of both sides
    t, _ = tsplit(D, A, given, options(attack_invariance=False))
    assert len(t.C_l) == len(t.C_r) == 0
    t, _ = tsplit(D, A, given, options())
    assert len(t.C_l) > 0 and len(t.C_r) > 0


def test_best_split_fears_nobody():
    """Figure (b): p <= 1 with leaves -1 and 2; x2 stays left."""
    D, A = toy_root(NO_ATTACKER)
    t, _ = best_split(D, A, NO_CONSTRAINTS, options())
    assert (t.stump.y_l, t.stump.y_r, t.stump.loss) == pytest.approx((-1.0, 2.0, 2.0), abs=1e-9)
    assert (t.D_l.rows.tolist(), t.D_r.rows.tolist()) == ([0, 1, 2], [3, 4, 5, 6])


@pytest.mark.parametrize("split", [best_split, tsplit])
def test_rows_that_no_test_can_part_have_no_split(split):
    D, A = toy_root(NO_ATTACKER)
    alike = Data(D.sample, np.array([4, 5, 6]), np.zeros(3, dtype=np.int64))
    t, N = split(alike, A, NO_CONSTRAINTS, options())
    assert t is None
    assert len(N) == 0


def test_build_tree_is_treant_where_nobody_attacks():
    D, A = toy_root(NO_ATTACKER)
    seen: list[Event] = []
    t = build_tree(D, options().for_run(0, seen.append))
    assert t == treant(D, A, NO_CONSTRAINTS, options())
    assert t != treant(*toy_root(), NO_CONSTRAINTS, options())
    assert all(not len(e.C) for e in seen)


def test_an_observer_is_told_of_every_call_parents_first():
    seen: list[Event] = []
    D, A = toy_root()
    t = treant(D, A, NO_CONSTRAINTS, options().for_run(0, seen.append))
    assert [e.path for e in seen] == ["", "l", "ll", "lr", "r", "rl", "rr"]
    assert [e.taken for e in seen] == [True, True, False, False, True, False, False]
    assert {e.path: e.leaf for e in seen if not e.taken} == {path: u.prediction for path, u in leaves(t)}
    assert all(e.split.stump.loss < e.leaf_loss for e in seen if e.taken)
    for e in (e for e in seen if e.taken):
        by_path = {other.path: other for other in seen}
        assert by_path[e.path + "l"].D is e.split.D_l and by_path[e.path + "l"].C is e.split.C_l
        assert by_path[e.path + "r"].D is e.split.D_r and by_path[e.path + "r"].C is e.split.C_r


@pytest.mark.parametrize("stop", [{"max_depth": 0}, {"min_samples_split": 8}])
def test_where_growth_stops_no_candidate_is_looked_at(stop):
    seen: list[Event] = []
    D, A = toy_root()
    t = treant(D, A, NO_CONSTRAINTS, options(**stop).for_run(0, seen.append))
    assert t == tv.Leaf(pytest.approx(5 / 7))
    assert [(e.path, e.stumps, e.split, e.taken) for e in seen] == [("", None, None, False)]


def test_a_split_that_gains_nothing_is_not_taken():
    """Two rows of one label: any test costs nothing, and so does the leaf."""
    table = make_table(TOY.X[["q"]].iloc[[0, 1]], None)
    D = Data.root(Sample(table, np.array([1.0, 1.0]), False))
    seen: list[Event] = []
    assert build_tree(D, options().for_run(0, seen.append)) == tv.Leaf(1.0)
    assert seen[0].split is not None and not seen[0].taken


def test_the_recursion_takes_another_learners_split():
    """Whatever splits: here the first row against all others, until one row is left."""
    asked = []

    def nothing(D, A, C, options, path):
        asked.append(path)
        return best_split(D, A, C, options, path)

    D, A = toy_root(NO_ATTACKER)
    assert treant(D, A, NO_CONSTRAINTS, options(), split=nothing) == build_tree(D, options())
    assert asked[0] == "" and len(asked) > 1

"""The paper's numerical solver: where it starts, what it minimises, and what is made of its last word."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import treant_viz as tv
from treant_viz.core.data import Sample
from treant_viz.core.losses import SSE, get_loss
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver, slsqp
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table

TOY = tv.load_toy()


def grown(solver: str, weight=None, y=TOY.y, loss="sse", binary=False) -> list[Event]:
    table, seen = make_table(TOY.X, TOY.attacker), []
    sample = Sample(table, np.array(y, dtype=float), binary, weight)
    bound = bind(TOY.attacker, table, "uncorrupted")
    options = Options(get_loss(loss, binary=binary), get_solver(solver), max_depth=3, min_samples_split=2)
    TrainingProblem(sample, bound, options).grow(0, observe=seen.append)
    return seen


WEIGHT = np.array([1.0, 5.0, 2.0, 1.0, 3.0, 1.0, 2.0])


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_it_starts_from_the_leaves_of_the_unattacked_split(weight):
    N = grown("slsqp", weight)[0].stumps
    w = np.ones(7) if weight is None else weight
    for f, code, path in zip(N.tally.feature, N.tally.code, N.iterates, strict=True):
        x = TOY.X.iloc[:, f].to_numpy()
        left = x <= np.unique(x)[code]
        sides = [m if m.any() else np.ones(7, dtype=bool) for m in (left, ~left)]
        assert path[0] == pytest.approx([np.average(TOY.y[m], weights=w[m]) for m in sides])


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("labels", ["real", "0/1", "0/1 and log"])
def test_without_constraints_it_finds_the_optimum(weight, labels):
    kind = {"real": {}, "0/1": {"binary": True}, "0/1 and log": {"binary": True, "loss": "log"}}[labels]
    y = TOY.y if labels == "real" else (TOY.y > 0).astype(float)
    exact, numeric = (grown(solver, weight, y, **kind)[0] for solver in ("exact", "slsqp"))
    assert numeric.leaf == pytest.approx(exact.leaf, abs=1e-6)
    assert numeric.leaf_loss == pytest.approx(exact.leaf_loss, abs=1e-6)
    if labels != "0/1 and log":  # from a leaf of 0 or 1 it finds no way out: its slope there is infinite
        assert numeric.stumps.loss == pytest.approx(exact.stumps.loss, abs=1e-3)
    assert (numeric.stumps.loss >= exact.stumps.loss - 1e-9).all()


def test_its_leaf_keeps_to_the_constraints():
    """At the toy's right child the mean 1.6 is allowed; without x2, which asks for it, the leaf is 2."""
    e = next(e for e in grown("slsqp") if e.path == "r")
    assert slsqp.best_leaf(e.D, e.C, SSE) == pytest.approx((1.6, 3.2), abs=1e-6)


def test_the_walk_ends_where_the_end_was_moved_to():
    path = ((0.0, 0.0), (1.0, 2.0))
    assert slsqp.Run(1.0, 2.0, 0.0, "", path).walk == path
    assert slsqp.Run(1.0, 2.0 + 1e-9, 0.0, "", path).walk == path
    assert slsqp.Run(1.0, 3.0, 0.0, "", path).walk == (*path, (1.0, 3.0))
    assert slsqp.Run(-1.0, -2.0, 0.0, "", path).walk == (*path, (-1.0, -2.0))
    assert slsqp.Run(np.nan, np.nan, 0.0, "", path).walk == path, "nothing is allowed"


def test_a_move_to_the_nearest_feasible_point_is_noted(monkeypatch):
    problem = slsqp.problem_at(*(getattr(grown("exact")[0], n) for n in "DAC"), SSE, 0, 2)
    inside = slsqp.run(problem, (0.0, 0.0), ((-9.0, 9.0),), ((-9.0, 9.0),))
    assert (inside.y_l, inside.y_r) == pytest.approx((-1.5, 1.6), abs=1e-5)
    assert "moved" not in inside.status
    outside = slsqp.run(problem, (0.0, 0.0), ((-9.0, -3.0),), ((-9.0, 9.0),))
    assert outside.y_l == -3.0
    assert outside.status.endswith("moved to the nearest feasible point")
    assert outside.loss == pytest.approx(problem.value((-3.0, outside.y_r)))


def test_if_it_gets_lost_its_start_counts(monkeypatch):
    def lost(fun, start, callback, **_):
        callback(np.array([7.0, 7.0]))
        return OptimizeResult(x=np.array([np.nan, 0.0]), status=9, message="lost")

    monkeypatch.setattr(slsqp, "minimize", lost)
    problem = slsqp.problem_at(*(getattr(grown("exact")[0], n) for n in "DAC"), SSE, 0, 2)
    run = slsqp.run(problem, (-1.0, 2.0), ((-9.0, 9.0),), ((-9.0, 9.0),))
    assert (run.y_l, run.y_r, run.status) == (-1.0, 2.0, "9: lost")
    assert run.iterates == ((-1.0, 2.0), (7.0, 7.0))

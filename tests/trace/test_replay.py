"""A step of a trace, solved once more: the run is the algorithm's, and another start may end elsewhere."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.core.data import Sample
from treant_viz.core.losses import LOG, SSE
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver, slsqp
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table
from treant_viz.trace.replay import rerun


@pytest.mark.parametrize(("start", "end", "loss"), [((-1, 2), (-1.5, 2), 14.5), ((1, 2), (1.5, 2), 2.5)])
def test_the_start_decides_where_slsqp_ends_in_the_toys_right_child(toy_trace, start, end, loss):
    run = rerun(toy_trace, "r", "q", 3.0, start)
    assert (run.y_l, run.y_r, run.loss) == pytest.approx((*end, loss), abs=1e-6)
    assert run.status.startswith("0:")
    assert run.iterates[0] == start


def test_without_constraints_both_starts_end_at_the_plain_optimum(toy_trace):
    for start in ((-1, 2), (1, 2)):
        run = rerun(toy_trace, "r", "q", 3.0, start, constrained=False)
        assert (run.y_l, run.y_r, run.loss) == pytest.approx((1, 2, 2), abs=1e-6)


def random_problem(seed: int, binary: bool) -> tuple[pd.DataFrame, np.ndarray, tv.Attacker]:
    """20 rows of numbers and letters, every column but one under attack."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 12, 20), "b": rng.integers(0, 8, 20), "c": rng.choice(list("xyz"), 20)}
    )
    X["d"] = rng.integers(0, 3, 20)
    y = (X["a"] + X["b"] > 9).astype(float) if binary else (X["a"] + X["b"]) / 2.0
    rules = [
        tv.Rule("a", 1, delta=(-1, 1)),
        tv.Rule("b", 1, pre=(0, 4), delta=(0, 1)),
        tv.Rule("c", 1, becomes="x"),
    ]
    return X, y.to_numpy(), tv.Attacker(rules, 2)


@pytest.mark.parametrize("retest", ["uncorrupted", "all"])
@pytest.mark.parametrize(("loss", "binary"), [(SSE, False), (LOG, True)])
def test_a_rerun_from_the_trace_is_the_run_of_the_algorithm(loss, binary, retest):
    """Candidates of every node of random trees: the problem read from the record is the one solved."""
    compared = constrained = boxed = 0
    for seed in range(2):
        X, y, attacker = random_problem(seed, binary)
        table = make_table(X, attacker)
        options = Options(loss, get_solver("exact"), max_depth=3, min_samples_split=2)
        problem = TrainingProblem(Sample(table, y, binary), bind(attacker, table, retest), options)
        seen: list[Event] = []
        problem.grow(0, observe=seen.append)
        trace = problem.trace(0)
        for e in seen:
            for i in range(0, 0 if e.stumps is None else len(e.stumps), 5):
                f, v = int(e.stumps.tally.feature[i]), int(e.stumps.tally.code[i])
                want = slsqp.solve_candidate(e.D, e.A, e.C, loss, f, v, (0.25, 0.75))
                got = rerun(trace, e.path, table.schema.columns[f].name, table.threshold(f, v), (0.25, 0.75))
                assert got.iterates == want.iterates
                assert got.status == want.status
                compared, constrained, boxed = (
                    compared + 1,
                    constrained + bool(len(e.C)),
                    boxed + (f in e.D.boxes),
                )
    assert compared >= 20
    assert constrained >= 5, "constraints were among what is compared"
    assert boxed >= 3 or retest != "all", "and features that are tested again"


def test_weights_count(toy_trace):
    toy = tv.load_toy()
    weighed = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(
        toy.X, toy.y, sample_weight=[1, 1, 1, 5, 1, 1, 1]
    )
    t = weighed.trace_
    [i] = [
        i
        for i, c in enumerate(zip(t.at("").candidates.feature, t.at("").candidates.threshold))
        if c == ("q", 2.0)
    ]
    run = rerun(t, "", "q", 2.0)
    assert run.loss == pytest.approx(t.at("").candidates.loss_under_attack[i], abs=1e-5)
    assert run.loss != pytest.approx(rerun(toy_trace, "", "q", 2.0).loss, abs=1e-3)


def test_none_as_start_is_the_papers_start(toy_trace):
    assert rerun(toy_trace, "r", "q", 3.0).iterates[0] == (1.0, 2.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"threshold": 3.5}, "threshold: expected a value of 'q'"),
        ({"feature": "z"}, "feature 'z' is not a column"),
        ({"start": (1,)}, r"start: expected two numbers"),
        ({"start": (1, math.nan)}, "start: expected finite numbers"),
    ],
)
def test_what_rerun_refuses(toy_trace, change, said):
    arguments = {"feature": "q", "threshold": 3.0, "start": (1, 2)} | change
    with pytest.raises(ValueError, match=said):
        rerun(toy_trace, "r", **arguments)


def test_a_walk_ends_where_the_end_was_moved_to():
    run = slsqp.Run(0.5, 1.0, 0.0, "0: ok; moved", ((0.0, 0.0), (0.4, 1.0)))
    assert run.walk == ((0.0, 0.0), (0.4, 1.0), (0.5, 1.0))
    assert slsqp.Run(0.4, 1.0, 0.0, "0: ok", run.iterates).walk == run.iterates
    assert slsqp.Run(0.4, math.nan, math.nan, "4: no", run.iterates).walk == run.iterates

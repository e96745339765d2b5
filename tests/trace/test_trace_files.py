"""Traces as JSON: what survives, and what is refused when it is read."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from tests.strategies import problems
from tests.trace.test_trace import FEWER, round_trip, same, toy
from treant_viz.core.tree import to_text
from treant_viz.trace.trace import Trace

# JSON


@pytest.mark.parametrize("solver", ["exact", "slsqp"])
def test_the_toys_trace_survives(solver, tmp_path):
    trace = toy(solver=solver).trace_
    trace.to_json(tmp_path / "t.json")
    back = Trace.from_json(tmp_path / "t.json")
    same(back, trace)
    same(Trace.from_dict(trace.to_dict()), trace)
    assert trace.to_dict() == json.loads((tmp_path / "t.json").read_text()), "lists, not tuples"
    assert str(back) == str(trace)
    assert [to_text(t) for _, t in back.trees()] == [to_text(t) for _, t in trace.trees()]
    assert list(back.losses())[-1][1] == list(trace.losses())[-1][1]
    if solver == "slsqp":
        assert back.at("").candidates.status and back.at("").candidates.iterates


@FEWER
@given(
    problems(binary=True, weighted=True),
    st.sampled_from(["sse", "log"]),
    st.sampled_from(["uncorrupted", "all"]),
)
def test_any_classifiers_trace_survives(p, loss, retest):
    m = tv.TreantClassifier(p.attacker, loss, retest=retest, min_samples_split=2)
    trace = m.fit(p.frame, p.y, p.weights).trace_
    same(round_trip(trace), trace)


@FEWER
@given(problems(binary=False), st.booleans())
def test_any_regressors_trace_survives(p, invariant):
    m = tv.TreantRegressor(p.attacker, min_samples_split=2, attack_invariance=invariant)
    trace = m.fit(p.frame, np.array(p.y) / 3).trace_
    same(round_trip(trace), trace)


@settings(max_examples=15)
@given(problems(binary=True, max_rows=5), st.sampled_from(["sse", "log"]))
def test_any_slsqp_trace_survives(p, loss):
    trace = (
        tv.TreantClassifier(p.attacker, loss, "slsqp", min_samples_split=2, max_depth=2)
        .fit(p.frame, p.y)
        .trace_
    )
    same(round_trip(trace), trace)


def test_weights_that_round_leave_no_remainders_in_the_losses():
    """Sums of such weights miss zero by a hair, and the logarithm of a leaf of 0 once made that infinite."""
    rng = np.random.default_rng(0)
    X, y, w = rng.random((40, 2)), np.arange(40) % 3 == 0, np.linspace(1, 2, 40)
    X[y, 0] += 0.4
    trace = tv.TreantClassifier(min_samples_split=2, max_depth=3).fit(X, y, w).trace_
    for step in trace.steps:
        if (c := step.candidates) is not None:
            assert np.isfinite(c.loss).all() and np.isfinite(c.plain_loss).all()
            assert c.loss == pytest.approx(c.loss_under_attack), "nobody attacks"
            assert (c.plain_loss <= c.loss + 1e-9).all()
    same(round_trip(trace), trace)


def test_infinities_and_odd_names_survive():
    X = pd.DataFrame({"größe": [0.0, 1, 2, 3], "日本": ["", "\n", 'a"b', "a"]})
    A = tv.Attacker(
        [tv.Rule("größe", 1, pre=(-math.inf, 2), delta=(0, 1)), tv.Rule("日本", 1, becomes="neu")], math.inf
    )
    trace = tv.TreantClassifier(A, min_samples_split=2).fit(X, [0, 0, 1, 1]).trace_
    same(round_trip(trace), trace)
    assert round_trip(trace).attacker.budget == math.inf

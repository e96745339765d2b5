"""The trace: what the algorithm did, the same whoever asks, and the same after a round trip through JSON."""

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
from treant_viz.core.algorithms import build_tree, treant
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import get_loss
from treant_viz.core.options import Options
from treant_viz.core.solvers import get_solver
from treant_viz.core.tree import leaves, to_text
from treant_viz.estimators.fitting import make_table
from treant_viz.trace.recorder import Recorder
from treant_viz.trace.replay import rerun
from treant_viz.trace.trace import Trace

FEWER = settings(max_examples=settings().max_examples // 5)
TOY = tv.load_toy()


def toy(**options):
    return tv.TreantRegressor(TOY.attacker, **{"min_samples_split": 2} | options).fit(TOY.X, TOY.y)


def same(a: Trace, b: Trace) -> None:
    assert a.to_dict() == b.to_dict()
    pd.testing.assert_frame_equal(a.X, b.X)
    assert (a.y.dtype, a.schema, a.attacker, a.loss) == (b.y.dtype, b.schema, b.attacker, b.loss)
    for s, t in zip(a.steps, b.steps, strict=True):
        assert s.constraints == t.constraints
        assert s.data.rows.dtype == t.data.rows.dtype
        if s.candidates is not None:
            pd.testing.assert_frame_equal(s.candidates.to_frame(), t.candidates.to_frame())
            assert s.candidates.iterates == t.candidates.iterates


def round_trip(trace: Trace) -> Trace:
    return Trace.from_dict(json.loads(json.dumps(trace.to_dict(), allow_nan=False)))


# Text


def test_the_toys_whole_text():
    """Section 6 of the design, step by step: (c) at the root, (e) at r, and beyond."""
    assert str(toy().trace_) == (
        "root: 7 rows, leaf 0.714286, loss 17.4286\n"
        "  split p <= 1: 2 left, 4 right, 1 unknown; leaves -1.5 and 1.6\n"
        "  L = 3.39, L^A = 3.7; tied with q <= 2\n"
        "  l: 2 rows, leaf -1.5, loss 0.5\n"
        "    subject to row 2: loss <= 2.25 (from root, reached for 0)\n"
        "    split q <= 1: 1 left, 1 right, 0 unknown; leaves -2 and -1\n"
        "    L = 0, L^A = 0\n"
        "    ll: 1 row, leaf -2, loss 0\n"
        "      leaf: too deep or too few rows\n"
        "    lr: 1 row, leaf -1, loss 0\n"
        "      subject to row 2: loss <= 2.25 (from root, reached for 0)\n"
        "      leaf: too deep or too few rows\n"
        "  r: 5 rows, leaf 1.6, loss 3.2\n"
        "    subject to row 2: loss >= 2.25 (from root, reached for 1)\n"
        "    split q <= 3: 2 left, 3 right, 0 unknown; leaves 1.5 and 2\n"
        "    L = 2.5, L^A = 2.5\n"
        "    rl: 2 rows, leaf 1.5, loss 2.5\n"
        "      subject to row 2: loss >= 2.25 (from root, reached for 1)\n"
        "      leaf: nothing to split\n"
        "    rr: 3 rows, leaf 2, loss 0\n"
        "      leaf: nothing to split"
    )


def test_the_toys_tree_as_text():
    assert to_text(toy().tree_) == (
        "p <= 1\n"
        "├─ yes: q <= 1\n"
        "│       ├─ yes: -2   (1 row, loss 0)\n"
        "│       └─ no:  -1   (1 row, loss 0)\n"
        "└─ no:  q <= 3\n"
        "        ├─ yes: 1.5   (2 rows, loss 2.5)\n"
        "        └─ no:  2   (3 rows, loss 0)"
    )
    assert to_text(toy(max_depth=1).tree_) == (
        "p <= 1\n├─ yes: -1.5   (2 rows, loss 0.5)\n└─ no:  1.6   (5 rows, loss 3.2)"
    )


def test_text_is_the_same_every_time():
    m = toy()
    assert str(m.trace_) == str(m.trace_) == str(toy().trace_) == str(round_trip(m.trace_))


# The same as a run that is watched


def watched(
    X, y, attacker, rows, *, retest="uncorrupted", seed=0, binary=False, loss="sse", max_features=None
):
    """The algorithms themselves, with an observer; no estimator in between."""
    table = make_table(X, attacker)
    recorder = Recorder(get_loss(loss, binary=binary))
    rng = np.random.default_rng(seed)
    options = Options(recorder.loss, get_solver("exact"), True, 3, 2, max_features, rng, recorder)
    D = Data.root(Sample(table, np.asarray(y, dtype=float), binary), rows)
    if attacker is None:
        return build_tree(D, options), recorder.steps
    A = AttackerOnTable(attacker, table, retest)
    return treant(D, A, Constraints.none(), options), recorder.steps


def steps(trace_or_steps) -> list:
    return [s.to_dict() for s in getattr(trace_or_steps, "steps", trace_or_steps)]


@FEWER
@given(
    problems(binary=True), st.sampled_from(["sse", "log"]), st.sampled_from(["uncorrupted", "none", "all"])
)
def test_the_trace_of_a_tree_is_that_of_a_watched_run(p, loss, retest):
    m = tv.TreantClassifier(p.attacker, loss, retest=retest, min_samples_split=2, max_depth=3).fit(
        p.frame, p.y
    )
    tree, watched_steps = watched(p.frame, p.y, p.attacker, None, retest=retest, binary=True, loss=loss)
    assert m.tree_ == tree
    assert steps(m.trace_) == steps(watched_steps)


@pytest.mark.parametrize("attacker", [TOY.attacker, None])
def test_the_trace_of_a_forests_member_is_that_of_a_watched_run(attacker):
    forest = tv.TreantForestRegressor(
        3, max_samples=5, max_features=1, attacker=attacker, min_samples_split=2, max_depth=3, random_state=0
    ).fit(TOY.X, TOY.y)
    rows = [member.trace_.steps[0].data.rows for member in forest.estimators_]
    assert len({tuple(r) for r in rows}) > 1, "members see different rows"
    for member, mine in zip(forest.estimators_, rows, strict=True):
        tree, watched_steps = watched(TOY.X, TOY.y, attacker, mine, seed=member.random_state, max_features=1)
        assert member.tree_ == tree
        assert steps(member.trace_) == steps(watched_steps)


@FEWER
@given(problems(binary=False, weighted=True), st.booleans())
def test_the_last_tree_of_the_trace_is_the_tree(p, robust):
    m = tv.TreantRegressor(p.attacker if robust else None, min_samples_split=2).fit(p.frame, p.y, p.weights)
    *_, (_, last) = m.trace_.trees()
    assert last == m.tree_
    *_, (_, loss) = m.trace_.losses()
    assert loss == pytest.approx(sum(leaf.loss for _, leaf in leaves(m.tree_)), abs=1e-9)


def test_the_trace_stays_that_of_the_fit():
    """Changing data or options after the fit does not change what happened."""
    X, y = TOY.X.copy(), TOY.y.copy()
    m = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(X, y)
    before = m.trace_.to_dict()
    X.iloc[:, :], y[:] = 0, 0
    m.set_params(max_depth=0, attacker=None)
    assert m.trace_.to_dict() == before


# Contents


def test_data_attacker_and_options_come_along():
    trace = toy(max_depth=2, retest="all").trace_
    assert trace.X.to_numpy().tolist() == TOY.X.to_numpy().tolist()
    assert trace.y.tolist() == TOY.y.tolist()
    assert trace.attacker == TOY.attacker
    assert trace.options == {
        "solver": "exact",
        "attack_invariance": True,
        "max_depth": 2,
        "min_samples_split": 2,
        "max_features": None,
        "retest": "all",
        "weight": None,
    }
    assert [s.path for s in trace.steps] == ["", "l", "ll", "lr", "r", "rl", "rr"]
    assert trace.at("rl").leaf == 1.5
    assert len(trace) == 7
    with pytest.raises(KeyError, match="path 'x': the trace has no such step"):
        trace.at("x")


def test_records_cannot_be_changed():
    trace = toy().trace_
    step = trace.at("")
    arrays = [trace.y, step.data.rows, step.data.spent, step.split.partition.left, step.candidates.loss]
    for a in arrays:
        with pytest.raises(ValueError, match="read-only"):
            a[0] = 7
    with pytest.raises(AttributeError):
        step.leaf = 3.0  # type: ignore[misc]


def test_records_print_plain_numbers():
    step = toy().trace_.at("r")
    assert "np." not in repr(step.constraints) + repr(step.split.stump) + repr((step.leaf, step.leaf_loss))


def test_rows_of_no_weight_are_not_in_the_trace():
    w = np.array([1, 1, 1, 0, 1, 2, 1])
    trace = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y, w).trace_
    assert trace.X.to_numpy().tolist() == TOY.X[w > 0].to_numpy().tolist()
    assert trace.options["weight"] == [1, 1, 1, 1, 2, 1]
    assert trace.at("").data.rows.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("start", [None, (10**400, 0), (1,), "ab", (math.nan, 0), ["x" * 10**6, 1]])
def test_a_start_that_is_no_point_is_refused_in_a_short_message(start):
    trace = toy().trace_
    if start is None:
        assert len(rerun(trace, "", "p", 1.0).iterates) > 1
        return
    with pytest.raises(ValueError, match="start: expected") as caught:
        rerun(trace, "", "p", 1.0, start)
    assert len(str(caught.value)) < 500

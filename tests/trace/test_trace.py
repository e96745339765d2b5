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


def test_weights_that_round_leave_no_crumbs_in_the_losses():
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("steps"), 'damaged: "steps" is missing'),
        (lambda d: d.update(steps=3), 'damaged: "steps" must be a list, got 3'),
        (lambda d: d.update(steps=[3]), "damaged: step 0: .*expected an object, got 3"),
        (lambda d: d["steps"][0].pop("leaf"), 'damaged: step 0: .*"leaf" is missing'),
        (
            lambda d: d["steps"][0]["candidates"].update(loss=["x"]),
            "damaged: step 0: loss: expected a finite number",
        ),
        (
            lambda d: d["steps"][0]["constraints"].append([1]),
            "damaged: step 0: constraint: expected 7 values",
        ),
        (lambda d: d.update(loss="x"), "damaged: loss: expected 'sse' or 'log'"),
        (lambda d: d.update(columns=[]), '"columns" must be a list'),
        (lambda d: d.update(version=99), "format version 99"),
        (lambda d: d.update(format="x"), 'expected "format": "treant_viz.trace"'),
    ],
)
def test_damaged_traces_are_refused(change, message, tmp_path):
    doc = toy().trace_.to_dict()
    doc = json.loads(json.dumps(doc))
    change(doc)
    (tmp_path / "t.json").write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=rf"(?s)t\.json: .*{message}|t\.json: {message}"):
        Trace.from_json(tmp_path / "t.json")


def root(d) -> dict:
    return d["steps"][0]


def handed(d) -> list:
    """The constraint that the toy's root hands to its right child, where both have it."""
    return root(d)["split"]["right_constraints"][0]


LONG = "x" * 1_500_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # the data
        (lambda d: d["X"].pop(), "X: expected 2 columns, got 1"),
        (lambda d: d["X"][0].pop(), "X: expected columns of the same length"),
        (lambda d: d.update(X=[[], []]), "X: expected columns of the same length, with rows"),
        (lambda d: d.update(X=3), "X: expected a list"),
        (lambda d: d["X"][1].__setitem__(0, "a"), "X: column 'q': expected a finite number"),
        (lambda d: d["X"][1].__setitem__(0, None), "X: column 'q': expected a finite number"),
        (lambda d: d["X"][1].__setitem__(0, 10**400), "X: column 'q': expected a finite number"),
        (lambda d: d["columns"][1].update(categories=["a"]), "X: column 'q': .* none of its categories"),
        (lambda d: d["columns"].append(d["columns"][0]), "names must differ"),
        (lambda d: d["y"].pop(), "y: expected 7 labels, got 6"),
        (lambda d: d["y"].__setitem__(0, 1e101), "y: expected numbers of at most 1e"),
        (lambda d: d["y"].__setitem__(0, 10**400), "y: expected a finite number"),
        (lambda d: d.update(binary=True), "y: expected the labels 0 and 1"),
        (lambda d: d.update(binary=1), '"binary" must be true or false'),
        (lambda d: d.update(loss=["sse"]), '"loss" must be text'),
        (lambda d: d.update(loss="log"), "'log' needs two classes"),
        # the attacker and the options
        (lambda d: d["attacker"]["rules"][0].update(feature="z"), "feature 'z' is not a column"),
        (lambda d: d["attacker"].update(budget=-1), "budget"),
        (lambda d: d.update(options=3), '"options" must be an object'),
        (lambda d: d["options"].update(retest="x"), "retest: expected"),
        (lambda d: d["options"].update(solver=3), "solver: expected"),
        (lambda d: d["options"].update(attack_invariance="yes"), "attack_invariance: expected"),
        (lambda d: d["options"].update(max_depth="deep"), "max_depth: expected"),
        (lambda d: d["options"].update(weight=[1] * 6), "weight: expected 7 numbers above 0"),
        (lambda d: d["options"].update(weight=[0] + [1] * 6), "weight: expected 7 numbers above 0"),
        (lambda d: d["options"].update(weight="heavy"), "weight: expected a list"),
        # the steps among themselves
        (lambda d: d.update(steps=[]), "steps: the step at '' is missing"),
        (lambda d: d["steps"].pop(), "steps: the step at 'rr' is missing"),
        (lambda d: d["steps"].append(d["steps"][-1]), "expected no more steps, got the path 'rr'"),
        (lambda d: d["steps"].reverse(), "step 0: expected the path ''"),
        (lambda d: d["steps"][1].update(path="x"), "step 1: expected the path 'l', got the path 'x'"),
        (lambda d: d["steps"][1].update(path=3), 'step 1: .*"path" must be text'),
        (
            lambda d: d["steps"][1]["data"]["rows"].__setitem__(0, 5),
            "step 1: data: not the rows that the step above",
        ),
        (
            lambda d: d["steps"][1]["data"]["spent"].__setitem__(0, 0.5),
            "step 1: data: not the rows that the step above",
        ),
        (
            lambda d: d["steps"][4]["constraints"].clear(),
            "step 4: constraints: not those that the step above",
        ),
        (
            lambda d: root(d)["constraints"].append(handed(d)),
            "step 0: constraints: not those that the step above",
        ),
        # a step
        (lambda d: root(d).update(reason="because"), "step 0: reason: expected one of"),
        (lambda d: root(d).update(split=None), "step 0: the reason 'split' does not go with no split"),
        (
            lambda d: root(d).update(candidates=None),
            "step 0: the reason 'split' does not go with no candidates",
        ),
        (lambda d: root(d).update(split=3), 'step 0: .*"split" must be an object or null'),
        (lambda d: root(d).update(leaf="x"), 'step 0: .*"leaf" must be'),
        (lambda d: root(d).update(leaf=1e200), "step 0: leaf: expected predictions from"),
        (lambda d: root(d).update(leaf=0.7), "step 0: leaf_loss: expected .* the loss of the leaf"),
        (lambda d: root(d).update(leaf_loss=17), "step 0: leaf_loss: expected .* the loss of the leaf"),
        (lambda d: root(d)["data"].update(rows=[], spent=[]), "step 0: data: expected at least one row"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 7), "step 0: rows: expected numbers below 7"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 0), "step 0: rows: .* in rising order"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, -1), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 6.0), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 10**400), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["spent"].pop(), 'step 0: "rows" and "spent" differ in length: 7 and 6'),
        (lambda d: root(d)["data"]["spent"].__setitem__(0, 9), "step 0: spent: expected costs within"),
        # its candidates
        (
            lambda d: root(d)["candidates"]["y_l"].pop(),
            'step 0: "feature" and "y_l" differ in length: 7 and 6',
        ),
        (lambda d: root(d)["candidates"].pop("tied"), 'step 0: .*"tied" is missing'),
        (lambda d: root(d)["candidates"].update(left=3), 'step 0: .*"left" must be a list'),
        (
            lambda d: root(d)["candidates"]["feature"].__setitem__(0, "z"),
            "step 0: feature 'z' is not a column",
        ),
        (lambda d: root(d)["candidates"]["feature"].__setitem__(0, 0), "step 0: .* does not fit the column"),
        (lambda d: root(d)["candidates"]["feature"].__setitem__(0, None), 'step 0: .*"feature" must be text'),
        (lambda d: root(d)["candidates"]["test"].__setitem__(0, "=="), "step 0: .* does not fit the column"),
        (lambda d: root(d)["candidates"]["test"].__setitem__(0, "<"), "step 0: test: expected '<=' or '=='"),
        (
            lambda d: root(d)["candidates"]["threshold"].__setitem__(0, 0.5),
            "step 0: threshold: 0.5 is no value of 'p'",
        ),
        (
            lambda d: root(d)["candidates"]["threshold"].__setitem__(0, [1]),
            "step 0: threshold: expected a finite",
        ),
        (
            lambda d: root(d)["candidates"]["left"].__setitem__(0, 3),
            "step 0: candidates: .* not 7 rows together",
        ),
        (
            lambda d: root(d)["candidates"]["y_l"].__setitem__(0, "inf"),
            "step 0: y_l: expected a finite number",
        ),
        (
            lambda d: root(d)["candidates"]["y_l"].__setitem__(0, 1e200),
            "step 0: y_l: expected predictions from",
        ),
        (lambda d: root(d)["candidates"]["loss"].__setitem__(0, "-inf"), "step 0: loss: a loss is not -inf"),
        (lambda d: root(d)["candidates"]["loss"].__setitem__(0, -1), "step 0: loss: a loss is at least 0"),
        (lambda d: root(d)["candidates"]["tied"].__setitem__(0, 1), 'step 0: .*"tied" must be true or false'),
        (
            lambda d: root(d)["candidates"].update(admissible=[False] * 7),
            "step 0: .*not admissible is among the best",
        ),
        (
            lambda d: root(d)["candidates"].update(tied=[False] * 7),
            "step 0: split: none of the candidates is the best",
        ),
        (
            lambda d: root(d)["candidates"].update(status=["fine"]),
            'step 0: "feature" and "status" differ in length',
        ),
        (lambda d: root(d)["candidates"].update(status=[3] * 7), 'step 0: .*"status" must be text'),
        (
            lambda d: root(d)["candidates"].update(iterates=[[]] * 7),
            "step 0: iterates: expected at least one point",
        ),
        (
            lambda d: root(d)["candidates"].update(iterates=[[[1]]] * 7),
            "step 0: iterates: expected two numbers",
        ),
        (
            lambda d: root(d)["candidates"].update(iterates=[[["x", 1]]] * 7),
            "step 0: iterates: expected a finite",
        ),
        # its split
        (
            lambda d: root(d)["split"].update(threshold=3.0),
            "step 0: split: 'p' at 3.0 is not the best candidate",
        ),
        (lambda d: root(d)["split"].update(y_l=0.5), "step 0: split: .* is not the best candidate"),
        (lambda d: root(d)["split"].update(loss="x"), "step 0: loss: expected a finite number"),
        (lambda d: root(d)["split"].update(partition=[]), 'step 0: .*"partition" must be an object'),
        (lambda d: root(d)["split"]["partition"].pop("left"), "step 0: left: expected a list, got None"),
        (
            lambda d: root(d)["split"]["partition"]["left"].pop(),
            "step 0: split: the partition is not as large",
        ),
        (
            lambda d: root(d)["split"]["partition"]["left"].__setitem__(1, 6),
            "step 0: split: its parts are not the rows",
        ),
        (
            lambda d: root(d)["split"]["partition"]["left"].__setitem__(1, 9),
            "step 0: rows: expected numbers below 7",
        ),
        (
            lambda d: root(d)["split"]["left"].update(rows=[], spent=[]),
            "step 0: split: its parts are not the rows",
        ),
        # its constraints
        (lambda d: handed(d).__setitem__(0, 99), "step 0: constraint: the data has no row 99"),
        (lambda d: handed(d).__setitem__(0, -1), "step 0: row: expected a whole number"),
        (
            lambda d: handed(d).__setitem__(1, 0.5),
            "step 0: constraint: the data has no row .* with the label 0.5",
        ),
        (lambda d: handed(d).__setitem__(2, "<"), "step 0: constraint: expected a sense"),
        (lambda d: handed(d).__setitem__(3, 99), "step 0: constraint: gamma is not the loss"),
        (lambda d: handed(d).__setitem__(4, 1e200), "step 0: constraint: at: expected predictions"),
        (lambda d: handed(d).__setitem__(5, 99), "step 0: constraint: spent: expected a cost"),
        (
            lambda d: handed(d).__setitem__(6, "l"),
            "step 0: constraint: it comes from 'l', which is not above ''",
        ),
        (
            lambda d: handed(d).__setitem__(6, None),
            "step 0: constraint: expected a sense and where it came from",
        ),
        # long ones
        (lambda d: d.update(steps=LONG), '"steps" must be a list'),
        (lambda d: root(d).update(path=LONG), "step 0: expected the path ''"),
        (lambda d: root(d).update(reason=LONG), "step 0: reason: expected one of"),
        (lambda d: d["X"].__setitem__(0, [LONG] * 7), "X: column 'p': expected a finite number"),
        (lambda d: d["columns"][0].update(name=LONG), "is not a column"),
    ],
)
def test_a_trace_that_does_not_hang_together_is_refused(change, message, tmp_path):
    doc = json.loads(json.dumps(toy().trace_.to_dict()))
    change(doc)
    (tmp_path / "t.json").write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=rf"(?s)t\.json: damaged: (.*{message}|{message})") as caught:
        Trace.from_json(tmp_path / "t.json")
    assert len(str(caught.value)) < 500


def test_the_leaf_keeps_to_the_constraints_and_rows_go_where_they_can():
    good = json.loads(json.dumps(toy().trace_.to_dict()))

    def refused(change) -> str:
        doc = json.loads(json.dumps(good))
        change(doc)
        with pytest.raises(ValueError) as caught:
            Trace.from_dict(doc)
        return str(caught.value)

    def tightened(d) -> None:  # in the root's split and in its child alike
        for c in (root(d)["split"]["right_constraints"][0], d["steps"][4]["constraints"][0]):
            c[2:5] = ["<=", 0.0, c[1]]

    def moved(d) -> None:  # a value that another row has, so that every test stays known
        d["X"][0][6] = d["X"][0][0]

    def charged(d) -> None:
        for data in (root(d)["split"]["right"], d["steps"][4]["data"]):
            data["spent"][-1] = 1.0

    assert "step 4: leaf: " in refused(tightened) and "is not what the constraints allow" in refused(
        tightened
    )
    assert "step 0: split: the partition is not what the attacker can make of the data" in refused(moved)
    assert "step 0: spent: not what it costs to bring the rows to their sides" in refused(charged)


def test_rules_name_categories_that_their_columns_have():
    X = pd.DataFrame({"job": ["a", "b", "a", "b"]})
    A = tv.Attacker([tv.Rule("job", 1, pre={"a"}, becomes="c")], 1)
    doc = tv.TreantClassifier(A, min_samples_split=2).fit(X, [0, 1, 0, 1]).trace_.to_dict()
    assert Trace.from_dict(doc).attacker == A
    doc["attacker"]["rules"][0]["becomes"] = "d"
    with pytest.raises(ValueError, match="attacker: 'd' is no category of 'job'"):
        Trace.from_dict(doc)


def test_a_row_that_cannot_be_brought_over_stays_on_its_side():
    doc = json.loads(json.dumps(toy().trace_.to_dict()))
    left, right = root(doc)["split"]["left"], root(doc)["split"]["right"]
    right["rows"][0], left["rows"][0] = left["rows"][0], right["rows"][0]
    for side in (left, right):
        side["rows"].sort()
    with pytest.raises(
        ValueError, match="step 0: split: a row that cannot be brought to the other side is there"
    ):
        Trace.from_dict(doc)

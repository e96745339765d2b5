"""thresholds="reachable": no threshold at all is better; all else goes on to work with such trees."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treant_viz as tv
from tests import oracles
from tests.core.test_fast_core import same
from tests.strategies import COLOURS, Problem, problems, to_oracle
from treant_viz.core import reference
from treant_viz.core.data import Sample
from treant_viz.core.losses import get_loss
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver
from treant_viz.core.table import Schema, Table
from treant_viz.core.tree import leaves, nodes, to_dict
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table
from treant_viz.trace.replay import rerun

TOY = tv.load_toy()
EVERY = range(-9, 25)  # of whole numbers, all thresholds that part the data in any way; more than enough
LOSSES = [("log", True), ("sse", True), ("sse", False)]


def grown(p: Problem, loss: str, binary: bool, thresholds: str, depth: int = 3) -> list[Event]:
    """What the algorithm did at every node."""
    table, seen = make_table(p.frame, p.attacker), []
    A = bind(p.attacker, table, "uncorrupted", thresholds)
    weight = None if p.weights is None else np.array(p.weights, dtype=float)
    options = Options(
        get_loss(loss, binary=binary), get_solver("exact"), max_depth=depth, min_samples_split=2
    )
    TrainingProblem(Sample(A.table, np.array(p.y), binary, weight), A, options).grow(0, observe=seen.append)
    return seen


def model(p: Problem, loss: str, binary: bool, **options):
    kind = tv.TreantClassifier if binary else tv.TreantRegressor
    options = {"attacker": p.attacker, "min_samples_split": 2, "thresholds": "reachable"} | options
    return kind(loss=loss, **options).fit(p.frame, np.array(p.y), sample_weight=p.weights)


def everyone(p: Problem, e: Event) -> tuple[list, list]:
    """(row, what is left of the budget) of all rows of a node, and of all its constraints."""
    rows, bound = ((D.row if hasattr(D, "row") else D.rows, D.spent_id) for D in (e.D, e.C))
    return tuple(
        [(p.X[i], p.budget - s) for i, s in zip(r.tolist(), e.A.spends[k].tolist(), strict=True)]
        for r, k in (rows, bound)
    )


def signature(p: Problem, people: tuple[list, list], f: int, test: str, v) -> tuple:
    """Which sides every row and every constraint of a node can be brought to."""
    return tuple(tuple(oracles.sides(x[f], f, p.rules, k, test, v) for x, k in part) for part in people)


def parts(rows: tuple) -> bool:
    """Can somebody be left of it, and somebody right?"""
    return any(True in s for s in rows) and any(False in s for s in rows)


def all_at_home(p: Problem, people: tuple[list, list], f: int, test: str, v) -> bool:
    """Are all rows and constraints on one side if nobody attacks?"""
    return len({oracles.passes(x, f, test, v) for part in people for x in part and [y for y, _ in part]}) < 2


@pytest.mark.parametrize(("loss", "binary"), LOSSES)
@settings(max_examples=60)
@given(data=st.data())
def test_every_partition_there_is_can_be_chosen(loss, binary, data):
    """At every node, whatever was spent: any threshold parts rows and constraints as one offered does."""
    p = data.draw(problems(binary, weighted=data.draw(st.booleans())))
    for e in (e for e in grown(p, loss, binary, "reachable") if e.stumps is not None):
        people, T = everyone(p, e), e.stumps.tally
        for f in set(range(len(p.kinds))) - set(e.D.barred):
            test, every = ("==", COLOURS) if p.kinds[f] == "cat" else ("<=", EVERY)
            offered = [e.D.sample.table.threshold(f, v) for v in T.code[T.feature == f].tolist()]
            known = {signature(p, people, f, test, v) for v in offered}
            for v in every:
                found = signature(p, people, f, test, v)
                assert found in known or not parts(found[0]) or all_at_home(p, people, f, test, v)


def best_of_all(p: Problem, loss: str) -> float:
    """The least loss under attack of a stump at the root, whatever its threshold."""
    least = math.inf
    w = p.weights or [1] * len(p.X)
    for f, kind in enumerate(p.kinds):
        test, every = ("==", COLOURS) if kind == "cat" else ("<=", EVERY)
        for v in every:
            where = [oracles.sides(x[f], f, p.rules, p.budget, test, v) for x in p.X]
            if parts(where):
                three = [[(y, k) for y, k, s in zip(p.y, w, where, strict=True) if s == side] for side in (
                    {True}, {True, False}, {False})]  # fmt: skip
                least = min(least, oracles.least_stump_loss(*three, loss))
    return least


@pytest.mark.parametrize(("loss", "binary"), LOSSES)
@settings(max_examples=40)
@given(data=st.data())
def test_no_threshold_at_all_makes_a_better_stump(loss, binary, data):
    p = data.draw(problems(binary, max_rows=6, weighted=data.draw(st.booleans())))
    root = grown(p, loss, binary, "reachable", depth=1)[0]
    found = [root.leaf_loss, *root.stumps.loss.tolist()]
    assert min(found) <= best_of_all(p, loss) + 1e-9


def many(binary: bool, n: int) -> list[Problem]:
    """Problems of one column that can be moved a little, in chains of two rules; labels mostly follow it."""
    found = []
    for seed in range(n):
        g = random.Random(seed)
        X = tuple((2 * g.randint(0, 6),) for _ in range(8))
        y = [float(x + g.randint(-4, 4) > 6) if binary else x / 2 + g.randint(-1, 1) for (x,) in X]
        y[:2] = [0.0, 1.0] if binary else y[:2]
        rules = (
            ("num", 0, 1, -math.inf, math.inf, -g.randint(0, 3), g.randint(0, 3)),
            ("num", 0, 1, 2, 3, 1, 4),
        )
        found.append(Problem(X, tuple(y), ("num",), rules, g.randint(1, 2)))
    return found


@pytest.mark.parametrize(("loss", "binary"), LOSSES)
def test_values_of_the_data_alone_can_miss_the_best_stump(loss, binary):
    better = 0
    for p in many(binary, 30):
        data, reachable = (
            min([e.leaf_loss, *e.stumps.loss.tolist()])
            for e in (grown(p, loss, binary, kind, depth=1)[0] for kind in ("data", "reachable"))
        )
        assert reachable <= data + 1e-9
        assert reachable <= best_of_all(p, loss) + 1e-9
        better += reachable < data - 1e-6
    assert better > 3


def test_the_toy_grown_to_the_end_comes_to_2():
    losses = {}
    for kind in ("data", "reachable"):
        m = tv.TreantRegressor(TOY.attacker, min_samples_split=2, thresholds=kind).fit(TOY.X, TOY.y)
        losses[kind] = tv.loss_under_attack(m, TOY.X, TOY.y, TOY.attacker)
    assert losses == pytest.approx({"data": 2.5, "reachable": 2.0}, abs=1e-9)
    assert m.tree_.predicate == "p <= -4", "the upper end of what x1 can reach: surely left, as x0"
    root = m.trace_.at("").split
    assert [part.tolist() for part in root.partition] == [[0, 1], [2, 3, 4, 5, 6], []]


# --- such trees against brute force and against the paper in one file ---


@pytest.mark.parametrize("retest", ["uncorrupted", "none", "all"])
@pytest.mark.parametrize(("loss", "binary"), LOSSES)
@settings(max_examples=25)
@given(data=st.data())
def test_what_a_tree_claims_is_its_loss_under_attack(loss, binary, retest, data):
    p = data.draw(problems(binary, weighted=data.draw(st.booleans())))
    m = model(p, loss, binary, retest=retest)
    true = oracles.loss_under_attack(to_oracle(m.tree_), p.X, p.y, p.rules, p.budget, loss, p.weights)
    assert sum(leaf.loss for _, leaf in leaves(m.tree_)) == pytest.approx(true, abs=1e-7)
    found = tv.attack(m, p.frame, np.array(p.y), p.attacker, loss=loss) if p.weights is None else None
    assert found is None or float(np.sum(found.losses)) == pytest.approx(true, abs=1e-7)


def offering_ends(monkeypatch, low: dict, high: dict) -> None:
    """`reference` with all ends of reachable intervals among its thresholds."""
    here, tsplit = {}, reference.tsplit

    def noting(D, A, C, options, path):
        here.update(A=A, people=[*D, *C])
        return tsplit(D, A, C, options, path)

    def splits(D, options, path):
        A, stops = here["A"], len(path) >= options.max_depth or len(D) < options.min_samples_split
        found = []
        for f in (f for f in options.features if not (stops or (f in path and f in options.corrupted))):
            values = {i.x[f] for i in here["people"]}
            if not isinstance(low[f], str):
                reach = [(i.k + cost, *ends) for i in here["people"]
                         for cost, *ends in reference.reachable(A, f, i.x[f])]  # fmt: skip
                ends = {e for k, *both in reach if k <= A.limit for e in both}
                values |= {e for e in ends if low[f] < e < high[f]}
            found += [(f, v) for v in sorted(values)]
        return found

    monkeypatch.setattr(reference, "tsplit", noting)
    monkeypatch.setattr(reference, "splits", splits)


@pytest.mark.parametrize(("loss", "kind"), [("log", "log"), ("sse", "binary sse"), ("sse", "real sse")])
def test_the_trees_are_those_of_the_paper_in_one_file(loss, kind, monkeypatch):
    """Three columns, one of categories; chains of rules; to depth 3."""
    other = 0
    for seed in range(40):
        g = random.Random(seed)
        a, b = ([2.0 * g.randint(0, 6) for _ in range(10)] for _ in range(2))
        X = pd.DataFrame({"a": a, "b": b, "c": [g.choice(COLOURS) for _ in a]})
        y = [u + v / 2 + g.choice([-3, 0, 2]) for u, v in zip(a, b, strict=True)]
        if kind != "real sse":
            y = [int(label > sorted(y)[5]) for label in y]
        rules = [
            tv.Rule("a", 1, delta=(-1, 3)),
            tv.Rule("a", 2, pre=(3, 4), delta=(3, 3)),
            tv.Rule("c", 1, pre={"red"}, becomes="green"),
        ]
        A = tv.Attacker(rules, g.randint(1, 3))
        with monkeypatch.context() as patched:
            offering_ends(patched, X.min().to_dict(), X.max().to_dict())
            slow = reference.grow(X, y, A, kind, max_depth=3)
        learner = tv.TreantRegressor if kind == "real sse" else tv.TreantClassifier
        options = {"loss": loss, "max_depth": 3, "min_samples_split": 2}
        fast = learner(A, **options, thresholds="reachable").fit(X, y)
        assert same(fast.tree_, slow), seed
        other += any(n.test == "<=" and n.threshold % 2 for _, n in nodes(fast.tree_))
    assert other > 3, "tests at values that no row has"


# --- all the rest of the package ---


@pytest.mark.parametrize("retest", ["uncorrupted", "all"])
@pytest.mark.parametrize("binary", [True, False])
def test_traces_are_written_read_and_replayed(binary, retest):
    other = 0
    for p in many(binary, 12):
        trace = model(p, "sse", binary, retest=retest).trace_
        assert trace.options["thresholds"] == "reachable"
        again = tv.Trace.from_dict(json.loads(json.dumps(trace.to_dict())))
        assert again.to_dict() == trace.to_dict()
        for step in (s for s in again.steps if s.candidates is not None):
            c = step.candidates
            for i in range(len(c)):
                run = rerun(again, step.path, c.feature[i], c.threshold[i])
                assert c.loss_under_attack[i] <= run.loss + 1e-6
                other += c.threshold[i] not in p.frame[c.feature[i]].tolist()
    assert other > 5


def test_traces_of_the_default_are_as_they_were():
    options = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y).trace_.options
    assert "thresholds" not in options


def test_model_files_keep_the_option():
    m = tv.TreantRegressor(TOY.attacker, min_samples_split=2, thresholds="reachable").fit(TOY.X, TOY.y)
    again = tv.TreantRegressor.from_dict(json.loads(json.dumps(m.to_dict())))
    assert again.thresholds == "reachable"
    assert to_dict(again.tree_) == to_dict(m.tree_)


@pytest.mark.parametrize("learner", [tv.TreantForestClassifier, tv.TreantForestRegressor])
def test_forests_pass_it_on_to_their_trees(learner):
    y = (TOY.y > 0) * 1.0
    f = learner(5, attacker=TOY.attacker, min_samples_split=2, random_state=0, thresholds="reachable")
    f.fit(TOY.X, y)
    assert {t.thresholds for t in f.estimators_} == {"reachable"}
    own = set(TOY.X["p"])
    used = {n.threshold for t in f.estimators_ for _, n in nodes(t.tree_) if n.feature == "p"}
    assert used - own, "a test at a value that no row has"
    assert f.estimators_[0].trace_.options["thresholds"] == "reachable"


def test_nobody_attacks_then_nothing_is_added():
    trees = [tv.TreantRegressor(thresholds=kind).fit(TOY.X, TOY.y).tree_ for kind in ("data", "reachable")]
    assert trees[0] == trees[1]


def test_a_wrong_option_is_named():
    with pytest.raises(ValueError, match="thresholds: expected 'data' or 'reachable', got 'all'"):
        tv.TreantRegressor(thresholds="all").fit(TOY.X, TOY.y)


def test_a_table_with_more_values_has_the_same_rows():
    table = Table.of(TOY.X, Schema.of(TOY.X))
    more = table.with_values({0: np.array([-6.0, -5.0, 0.5])})
    assert more.values[0].tolist() == [-7.0, -6.0, -5.0, 0.5, 1.0, 3.0]
    assert np.array_equal(more.matrix, table.matrix)
    assert more.values[1] is table.values[1]


def test_pictures_are_drawn_of_such_a_trace():
    m = tv.TreantRegressor(TOY.attacker, min_samples_split=2, thresholds="reachable").fit(TOY.X, TOY.y)
    assert m.tree_.threshold == -4
    for display in (tv.TernaryPartitionDisplay, tv.RobustSplitDisplay):
        assert "p ≤ −4" in display.from_trace(m.trace_, "", feature="p", threshold=-4.0).alt_text
    assert "p ≤ −4" in tv.SplitSearchDisplay.from_trace(m.trace_).alt_text

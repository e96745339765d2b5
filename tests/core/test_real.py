"""The solver for real labels, all candidates at once, against the one that takes them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.core import slow_real
from tests.core.test_fast_core import same
from treant_viz.bench.synthetic import wine_quality_like
from treant_viz.core.data import Sample
from treant_viz.core.losses import SSE
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import Exact
from treant_viz.core.solvers.candidates import Bins
from treant_viz.core.solvers.pieces import all_pieces, candidate_pieces
from treant_viz.core.solvers.unknown import Runs, SortedLabels
from treant_viz.core.tree import Tree
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table


@dataclass(frozen=True, slots=True)
class Slow(Exact):
    """The exact solver as it was."""

    def best_stumps(self, D, A, C, loss, features):
        return slow_real.best_stumps(D, A, C, loss, features)


def grown(X, y, attacker, solver, *, retest="uncorrupted", weight=None, depth=4, least=2, ends="data"):
    """A regression tree, and what happened at every node."""
    table, seen = make_table(X, attacker), []
    A = bind(attacker, table, retest, ends)
    options = Options(SSE, solver, max_depth=depth, min_samples_split=least)
    sample = Sample(A.table, np.asarray(y, dtype=float), False, weight)
    return TrainingProblem(sample, A, options).grow(0, observe=seen.append), seen


def problems() -> list[tuple]:
    """Every kind of them: weights, boxes, ends of what is reachable."""
    found = []
    for seed in range(100):
        g = np.random.default_rng(seed)
        n = int(g.integers(8, 40))
        X = pd.DataFrame({"a": g.integers(0, 9, n) * 1.0, "b": g.integers(0, 5, n) * 1.0})
        X["c"] = g.choice(["red", "green", "blue"], n)
        y = 2 * X["a"] / 9 + (X["c"] == "red") + g.normal(size=n) * 0.7
        rules = [
            tv.Rule("a", 1, delta=(-1, 1)),
            tv.Rule("a", 2, pre=(3, 5), delta=(2, 4)),
            tv.Rule("b", 1, pre=(1, np.inf), delta=(-2, 0)),
            tv.Rule("c", 1, pre={"red"}, becomes="blue"),
        ][seed % 2 :]
        options = {
            "retest": ("uncorrupted", "none", "all")[seed % 3],
            "weight": g.choice([1.0, 0.1, 2.5], n) if seed % 4 == 0 else None,
            "ends": "reachable" if seed % 5 == 0 else "data",
        }
        y = np.round(2 * y) / 2 if seed % 7 < 4 else y
        found.append((X, y, tv.Attacker(rules, int(g.integers(1, 4))), options))
    return found


@cache
def split_nodes() -> list[Event]:
    """Every node of all problems at which there is something to choose."""
    return [
        e
        for X, y, attacker, options in problems()
        for e in grown(X, y, attacker, Exact(), **options)[1]
        if e.stumps is not None
    ]


def check(e: Event) -> tuple[int, int]:
    """Every candidate has the same loss; where it is the only one, the same leaves."""
    features = Options(SSE, Exact()).features(e.D)
    slow, fast = slow_real.best_stumps(e.D, e.A, e.C, SSE, features), e.stumps
    assert fast.loss == pytest.approx(slow.loss, rel=1e-9, abs=1e-9)
    alike = np.isclose(slow.y_l, fast.y_l, atol=1e-6) & np.isclose(slow.y_r, fast.y_r, atol=1e-6)
    assert (fast.admissible == slow.admissible)[alike].all()
    assert (fast.tally.code == slow.tally.code).all()
    return int(alike.sum()), len(alike)


def test_all_candidates_have_the_losses_of_each_for_itself():
    alike = candidates = constrained = gaps = 0
    for e in split_nodes():
        alike, candidates = np.add((alike, candidates), check(e))
        constrained += len(e.C) > 0 and (e.stumps.tally.unknown[:, 0] > 0).any()
        gaps += bool((~e.C.most).any())
    assert candidates > 3000 and alike > 0.9 * candidates
    assert constrained > 100, "constraints and unknown rows at once"
    assert gaps > 100, "constraints that leave two intervals"


def test_the_leaves_of_every_candidate_satisfy_its_constraints():
    several = 0
    for e in split_nodes():
        N, T = e.stumps, e.stumps.tally
        for i in range(len(N)):
            both = candidate_pieces(e.D, e.A, e.C, int(T.feature[i]), int(T.code[i]), SSE)
            for pieces, p in zip(both, (N.y_l[i], N.y_r[i]), strict=True):
                assert any(low <= p <= high for low, high in pieces)
                several += len(pieces) > 1
    assert several > 200


def test_pieces_of_all_candidates_are_those_of_each():
    several = 0
    for e in split_nodes():
        T = e.stumps.tally
        found = all_pieces(e.D, e.A, e.C, Bins.at(e.D, e.A, e.C), T)
        for i in range(len(T)):
            known = candidate_pieces(e.D, e.A, e.C, int(T.feature[i]), int(T.code[i]), SSE)
            for side in (0, 1):
                some = found.some[side, :, i]
                pieces = zip(found.low[side, some, i], found.high[side, some, i], strict=True)
                assert tuple((float(a), float(b)) for a, b in pieces) == known[side]
                several += len(known[side]) > 2
    assert several > 50, "three intervals or more"


def trees(X, y, attacker, **options) -> tuple[Tree, Tree]:
    return tuple(grown(X, y, attacker, solver, **options)[0] for solver in (Exact(), Slow()))


def test_the_trees_are_those_of_the_slow_solver():
    for X, y, attacker, options in problems():
        y = y + np.random.default_rng(0).normal(size=len(y)) * 0.05  # no ties
        assert same(*trees(X, y, attacker, **options))


@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_trees_are_those_of_the_slow_solver_on_data_like_wine(rounded, seed):
    data = wine_quality_like(250, seed, rounded=rounded)
    fast, slow = trees(data.X, data.y, data.attacker, depth=6, least=20)
    assert same(fast, slow)


@pytest.mark.parametrize("scale", [1e-2, 1e6])
def test_labels_of_another_size_grow_the_same_tree(scale):
    for X, y, attacker, options in problems()[::5]:
        y = y + np.random.default_rng(0).normal(size=len(y)) * 0.05
        plain, scaled = (grown(X, z, attacker, Exact(), **options)[1] for z in (y, y * scale))
        assert len(plain) == len(scaled)
        for e, f in zip(plain, scaled, strict=True):
            assert f.leaf == pytest.approx(e.leaf * scale, rel=1e-6)
            assert f.taken == e.taken and (e.split is None or e.split.stump.v == f.split.stump.v)


def test_labels_far_from_0_lose_nothing():
    X, y, attacker, _ = problems()[2]
    near, far = (tv.TreantRegressor(attacker, min_samples_split=2).fit(X, y + o) for o in (0.0, 2.0**30))
    assert far.predict(X) - 2.0**30 == pytest.approx(near.predict(X), abs=1e-5)


# --- the cut through sorted labels ---


@pytest.mark.parametrize("seed", range(20))
def test_a_cut_is_where_it_is_asked_for_and_knows_what_lies_below(seed):
    g = np.random.default_rng(seed)
    n = int(g.integers(1, 60))
    y = g.integers(0, 12, n) / 4 if seed % 2 else g.normal(size=n)
    w = g.choice([-1.0, 1.0, 2.5], n)
    ends = np.sort(g.integers(0, n + 1, (2, 30)), axis=0)
    targets = g.choice([*y, y.min() - 1, y.max() + 1, *g.normal(size=5)], 30)
    labels = SortedLabels(y, w)
    strip, below = labels.cut(Runs(*ends), lambda m, _: m < targets)
    for k, (start, stop) in enumerate(ends.T):
        assert labels.edges[strip[k]] < targets[k] <= labels.edges[strip[k] + 1]
        under = y[start:stop] < targets[k]
        expected = [w[start:stop][under].sum(), (w * y)[start:stop][under].sum()]
        assert below[:, k] == pytest.approx(expected, abs=1e-9)


def test_of_the_masses_below_a_label_the_label_is_part():
    seen = []

    def above(m, below):
        seen.append((m.tolist(), below.tolist()))
        return m < 2.0

    SortedLabels(np.array([3.0, 1.0, 2.0]), np.ones(3)).cut(Runs(np.array([0]), np.array([3])), above)
    assert seen == [([2.0], [[2.0], [3.0]]), ([1.0], [[1.0], [1.0]])]

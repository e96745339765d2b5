"""The exact solver against SLSQP, against grids, and against what the paper says of both."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from tests.strategies import problems
from treant_viz.core.constraints import Constraints, feasible_set
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import BINARY_SSE, LOG, SSE, get_loss
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver, slsqp
from treant_viz.core.solvers.admissible import all_part_rows, surely_parted
from treant_viz.core.solvers.candidates import Bins, Tally, tally
from treant_viz.core.solvers.pieces import AllPieces
from treant_viz.core.solvers.real import best_pair, best_pairs
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.solvers.unknown import Runs, SortedLabels, unknown_labels
from treant_viz.core.tree import leaves, nodes
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table

TOY = tv.load_toy()


def grown(X, y, attacker, loss, binary: bool, depth: int) -> list[Event]:
    """What the exact solver did at every node of a tree."""
    table = make_table(X, attacker)
    seen: list[Event] = []
    bound = bind(attacker, table, "uncorrupted")
    options = Options(loss, get_solver("exact"), max_depth=depth, min_samples_split=2)
    TrainingProblem(Sample(table, np.array(y), binary), bound, options).grow(0, observe=seen.append)
    return seen


def events(p, loss: str, binary: bool) -> list[Event]:
    return grown(p.frame, p.y, p.attacker, get_loss(loss, binary=binary), binary, 3)


def compare(seen: list[Event], loss) -> list[tuple[float, float]]:
    """(exact, slsqp) of every candidate of every node."""
    pairs = []
    for e in seen:
        for i in range(0 if e.stumps is None else len(e.stumps)):
            run = slsqp.solve_candidate(
                e.D, e.A, e.C, loss, int(e.stumps.tally.feature[i]), int(e.stumps.tally.code[i])
            )
            assert run.status[0].isdigit(), "the solver's status is recorded"
            pairs.append((float(e.stumps.loss[i]), run.loss))
    return pairs


def test_exact_is_at_most_slsqp_on_every_candidate_of_the_toy():
    pairs = compare(grown(TOY.X, TOY.y, TOY.attacker, SSE, False, 8), SSE)
    assert len(pairs) == 9, "seven at the root, one in either child"
    assert all(exact <= numeric + 1e-9 for exact, numeric in pairs)


@pytest.mark.parametrize("kind", ["sse on 0/1", "log on 0/1", "sse on real labels"])
def test_exact_is_at_most_slsqp_on_random_problems(kind, record_property):
    """200 problems in all; counts where SLSQP misses the optimum."""
    loss, binary = {
        "sse on 0/1": (BINARY_SSE, True),
        "log on 0/1": (LOG, True),
        "sse on real labels": (SSE, False),
    }[kind]
    pairs: list[tuple[float, float]] = []
    for p in examples(binary, 67):
        pairs += compare(events(p, loss.name, binary), loss)
    assert all(exact <= numeric + 1e-9 for exact, numeric in pairs)
    missed = sum(numeric > exact + 1e-4 * max(1, exact) for exact, numeric in pairs)
    record_property("slsqp_missed_the_optimum", f"{missed} of {len(pairs)} candidates ({kind})")
    print(f"SLSQP missed the optimum on {missed} of {len(pairs)} candidates ({kind})")
    assert missed < len(pairs) / 2, "the cross-check would be worth nothing"


def examples(binary: bool, n: int) -> list:
    """n random problems, always the same."""
    from hypothesis import HealthCheck, Phase, settings

    found: list = []

    @settings(max_examples=n, phases=[Phase.generate], derandomize=True, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(problems(binary=binary))
    def collect(p):
        found.append(p)

    collect()
    return found[:n]


def test_slsqp_gets_stuck_where_the_feasible_set_is_in_two_parts():
    """From (-1, 2) in the toy's right child it stops at (-1.5, 2) with loss 14.5; the optimum is 2.5."""
    seen = grown(TOY.X, TOY.y, TOY.attacker, SSE, False, 8)
    e = next(e for e in seen if e.path == "r")
    best = e.stumps.best()
    stuck = slsqp.solve_candidate(e.D, e.A, e.C, SSE, best.f, best.v, start=(-1.0, 2.0))
    assert (stuck.y_l, stuck.y_r, stuck.loss) == pytest.approx((-1.5, 2.0, 14.5), abs=1e-6)
    assert stuck.status.startswith("0:"), "and it calls that a success"
    assert stuck.iterates[0] == (-1.0, 2.0)
    assert len(stuck.iterates) > 1
    assert best.loss == pytest.approx(2.5, abs=1e-9)


def attacked(y_l, y_r, left, right, unknown):
    """The objective, summed up row by row."""
    hurt = sum(max((y_l - u) ** 2, (y_r - u) ** 2) for u in unknown)
    return sum((y_l - v) ** 2 for v in left) + sum((y_r - v) ** 2 for v in right) + hurt


def moments(labels):
    a = np.array(labels, dtype=float)
    return np.array([len(a), a.sum(), (a * a).sum()])


labels = st.lists(st.integers(-4, 4), max_size=5)
gaps = st.lists(
    st.tuples(st.sampled_from(["<=", ">="]), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 1.5, 2.0])),
    max_size=3,
)


@given(labels, labels, labels, gaps, gaps)
def test_real_labels_no_point_of_a_fine_grid_beats_the_exact_pair(left, right, unknown, on_left, on_right):
    """Over unions of intervals too: the pair is feasible, its loss right, and no feasible point is below."""
    if not (left or unknown) or not (right or unknown):
        return
    sets = [feasible_set([(s, float(y), y - r) for s, y, r in gap], SSE) for gap in (on_left, on_right)]
    if not sets[0] or not sets[1]:
        return
    u = np.sort(np.array(unknown, dtype=float))
    y_l, y_r, value = best_pair(moments(left), moments(right), u, np.ones(len(u)), *sets)
    assert any(a <= y_l <= b for a, b in sets[0])
    assert any(a <= y_r <= b for a, b in sets[1])
    assert value == pytest.approx(attacked(y_l, y_r, left, right, unknown), abs=1e-9)
    points = [[q for q in np.arange(-6, 6.01, 0.25) if allowed(q, gap)] for gap in (on_left, on_right)]
    near = [
        [q for q in (y + d for d in (-0.01, 0.01)) if allowed(q, gap)]
        for y, gap in ((y_l, on_left), (y_r, on_right))
    ]
    for a, b in itertools.chain(
        itertools.product(*points), itertools.product(near[0] + [y_l], near[1] + [y_r])
    ):
        assert value <= attacked(a, b, left, right, unknown) + 1e-9


def allowed(q, gap) -> bool:
    return all((abs(q - y) <= r + 1e-12) if s == "<=" else (abs(q - y) >= r - 1e-12) for s, y, r in gap)


@pytest.mark.parametrize("loss", [BINARY_SSE, LOG])
@given(data=st.data())
def test_labels_01_constrained_stumps_beat_every_feasible_grid_point(loss, data):
    """At every node of a grown tree, constraints included: no feasible pair on a grid is better."""
    p = data.draw(problems(binary=True))
    for e in events(p, loss.name, True):
        for i in range(0 if e.stumps is None else len(e.stumps)):
            f, v = int(e.stumps.tally.feature[i]), int(e.stumps.tally.code[i])
            problem = slsqp.problem_at(e.D, e.A, e.C, loss, f, v)
            mine = np.array([e.stumps.y_l[i], e.stumps.y_r[i]])
            assert (problem.slacks(mine) >= -1e-9).all(), "the exact pair satisfies C"
            assert e.stumps.loss[i] == pytest.approx(problem.value(mine), abs=1e-9)
            for a, b in itertools.product((0.05, 0.3, 0.5, 0.7, 0.95), repeat=2):
                if (problem.slacks(np.array([a, b])) >= 0).all():
                    assert e.stumps.loss[i] <= problem.value((a, b)) + 1e-9


def test_log_loss_leaves_stay_within_0_and_1_under_constraints():
    """Squared-error constraints under log-loss gave leaves of 2.61 elsewhere."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (60, 3)).astype(float)
    y = rng.integers(0, 2, 60)
    A = tv.Attacker([tv.Rule(j, 1, delta=(-1, 1)) for j in range(2)], 2)
    m = tv.TreantClassifier(A, min_samples_split=2).fit(X, y)
    p = m.predict_proba(X)[:, 1]
    assert ((p >= 0) & (p <= 1)).all()
    assert tv.loss_under_attack(m, X, y, A) == pytest.approx(sum(leaf.loss for _, leaf in leaves(m.tree_)))


def test_no_constraints_leave_everything_open():
    D = Data.root(Sample(make_table(TOY.X, None), TOY.y, False))
    from treant_viz.core.solvers.real import best_leaf

    assert best_leaf(D, Constraints.none(), SSE)[0] == pytest.approx(5 / 7, abs=1e-12)


@pytest.mark.parametrize("offset", [1e6, -3e8])
def test_labels_far_from_0_grow_the_same_tree(offset):
    """Sums of squares alone would lose the differences between such labels."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 6, (60, 3)).astype(float), rng.integers(-4, 5, 60).astype(float)
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    near, far = (tv.TreantRegressor(A, min_samples_split=2, max_depth=4).fit(X, y + o) for o in (0.0, offset))
    assert [n.predicate for _, n in nodes(near.tree_)] == [n.predicate for _, n in nodes(far.tree_)]
    assert far.predict(X) - offset == pytest.approx(near.predict(X), abs=1e-6)
    claimed = sum(leaf.loss for _, leaf in leaves(far.tree_))
    assert claimed == pytest.approx(tv.loss_under_attack(near, X, y, A), rel=1e-6)


def test_a_window_far_from_0_keeps_its_margin():
    A = tv.Attacker([tv.Rule("f", 2, delta=(-np.inf, np.inf))], 2)
    assert A.cost_above("f", [0.0], 1e17).tolist() == [2.0]


# --- do both children get rows? ---

PLACES = {"left": 0.0, "unknown": 1.0, "right": 5.0}  # of the test a <= 1, for an attacker who moves 1 to 5


def parted(rows: list[tuple[str, float]], y_l: float, y_r: float, weight: list[float] | None = None) -> bool:
    """Do both children of a <= 1 get rows, given by place and label? Unknown rows are on the left at home."""
    X = pd.DataFrame({"a": [PLACES[place] for place, _ in rows]})
    attacker = tv.Attacker([tv.Rule("a", 1, pre=(1, 1), delta=(0, 4))], 1)
    table = make_table(X, attacker)
    A = bind(attacker, table, "uncorrupted")
    D = Data.root(Sample(table, np.array([y for _, y in rows]), False, weight and np.array(weight)))
    bins = Bins(D)
    T = tally(D, A, np.ones(1, dtype=bool), bins)
    some = np.ones(len(T))
    N = Stumps(T, y_l * some, y_r * some, some, some > 0)
    found = all_part_rows(D, A, N, SSE, bins, *unknown_labels(D, A, bins, T))
    return bool(found[T.code == table.values[0].tolist().index(PLACES["unknown"])].item())


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("unknown", -3.0), ("right", 2.0)], False),  # sent to the right, where all others are
        ([("unknown", 3.0), ("right", 2.0)], True),
        ([("left", 0.0), ("unknown", -3.0)], True),
        ([("left", 0.0), ("unknown", 3.0)], False),  # stays on the left, where all others are
        ([("left", 0.0), ("unknown", 1.0)], False),  # both leaves hurt the same: stays at home
        ([("unknown", 1.0), ("right", 2.0)], True),
    ],
)
def test_both_children_get_rows_if_the_attacker_leaves_some_on_either_side(rows, expected):
    """With leaves 0 and 2, and with the same leaves and labels seen from the other end."""
    assert parted(rows, 0.0, 2.0) == expected
    assert parted([(place, 2.0 - y) for place, y in rows], 2.0, 0.0) == expected


@pytest.mark.parametrize(("heavy", "expected"), [(1e12 - 1, False), (1e11, True)])
def test_a_child_whose_rows_weigh_no_more_than_rounding_has_none(heavy, expected):
    """A row of weight 1 beside one that weighs 10^12 less 1: its share is 10^-12."""
    same_leaves = [("unknown", 1.0), ("right", 1.0)]
    assert parted(same_leaves, 1.0, 1.0, [heavy, 1.0]) == expected
    near_the_middle = [("unknown", -3.0), ("unknown", 1 + 1e-11)]
    assert parted(near_the_middle, 0.0, 2.0, [heavy, 1.0]) == expected


def test_candidates_are_surely_parted_only_by_rows_surely_on_both_sides():
    left, right = [[1, 0], [0, 0], [0, 2], [0, 0]], [[0, 3], [1, 1], [0, 0], [0, 0]]
    T = Tally(np.zeros(4, dtype=int), np.arange(4), np.array([left, right, [[5, 5]] * 4]))
    assert surely_parted(T).tolist() == [True, False, False, False]


# --- leaves that nothing, or nobody, asks for ---


def test_a_leaf_without_rows_says_what_the_other_says():
    """The next label above, -10, is unknown for other candidates only."""
    masses = np.stack([moments([]), moments([-10]), moments([-12])])[:, None]
    labels, run = SortedLabels(np.array([-12.0, -10.0]), np.ones(2)), Runs(np.array([0]), np.array([1]))
    anything = np.full((2, 1, 1), np.inf)
    found = best_pairs(masses, labels, run, AllPieces(-anything, anything))
    assert [float(column[0]) for column in found] == pytest.approx([-11.0, -11.0, 2.0], abs=1e-12)


@pytest.mark.parametrize("unknown", [[], [1.0]])
def test_leaves_that_the_constraints_leave_nothing_are_never_chosen(unknown):
    u = np.array(unknown)
    y_l, y_r, loss = best_pair(moments([1]), moments([2]), u, np.ones(len(u)), (), ((-np.inf, np.inf),))
    assert np.isnan([y_l, y_r]).all() and loss == np.inf

"""The loss surface: the numbers drawn are those of the toy_trace, the constraints and an independent sum over
rows.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from tests.viz.measures import point
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay
from treant_viz.viz.output.export import render, svg
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.text import number

HOSTILE = "<script>$x_1$\\ \u202e&\"'" + "long " * 20


def traced(toy, X=None, attacker=None, **options):
    model = tv.TreantRegressor(attacker or toy.attacker, min_samples_split=2, **options)
    return model.fit(toy.X if X is None else X, toy.y).trace_


def test_show_case_slsqp_is_stuck_at_14_5_and_the_optimum_is_2_5(toy_trace, stuck):
    d = LossSurfaceDisplay.from_trace(toy_trace, "r", iterates=stuck)
    assert d.title == "From (−1, 2) SLSQP stops at (−1.5, 2) with loss 14.5; the optimum is 2.5 at (1.5, 2)"
    drawn = d.plot()
    assert point(drawn["optimum"][0]) == (1.5, 2.0)
    assert point(drawn["plain"][0]) == (1.0, 2.0)
    assert drawn["loss by iteration"][0].get_ydata()[[0, -1]] == pytest.approx([10.0, 14.5])
    assert list(drawn["illegal"][0].get_xdata()) == [0]
    assert drawn["optimum loss"][0].get_ydata()[0] == 2.5


def test_forbidden_is_the_open_interval_between_the_two_parts(toy_trace):
    drawn = LossSurfaceDisplay.from_trace(toy_trace, "r").plot()
    [gap] = drawn["forbidden"]
    assert (gap.get_x(), gap.get_x() + gap.get_width()) == (-1.5, 1.5)
    low, high = drawn.axes[0].get_ylim()
    assert (gap.get_y(), gap.get_y() + gap.get_height()) == (low, high)
    assert gap.get_hatch() == "xx"
    assert drawn["feasible"][0].get_bbox().x1 == -1.5
    assert drawn["feasible"][1].get_x() == 1.5


def test_without_constraints_nothing_is_forbidden_and_the_optimum_moves_to_1(toy_trace):
    d = LossSurfaceDisplay.from_trace(toy_trace, "r", constrained=False)
    assert d.optimum == pytest.approx((1.0, 2.0, 2.0), abs=1e-7)
    assert d.plot()["forbidden"] == ()


def test_every_value_is_the_sum_over_rows_of_the_worst_loss(toy, toy_trace):
    d = LossSurfaceDisplay.from_trace(toy_trace)
    p, y = toy.X["p"].to_numpy(), np.asarray(toy.y, dtype=float)
    for y_l, y_r in ((-1.5, 1.6), (-1.0, 2.0), (2.0, -3.0), (0.3, 0.3)):
        worst = sum(
            max((leaf - label) ** 2 for leaf in {y_l if v <= 1 else y_r for v in (x - 1, x, x + 1)})
            for x, label in zip(p, y)
        )
        assert d.surface.value(y_l, y_r) == pytest.approx(worst)
        assert d.surface.value(y_l, y_r) == pytest.approx(
            tv.loss_under_attack(tv.Node("p", 1.0, tv.Leaf(y_l), tv.Leaf(y_r)), toy.X, y, toy.attacker)
        )


def test_the_lowest_point_is_the_exact_optimum_of_every_candidate(toy_trace, wine_trace):
    checked = 0
    for one in (toy_trace, wine_trace):
        for step in [s for s in one.steps if s.candidates is not None and len(s.candidates)][:3]:
            C = step.candidates
            for i in range(0, len(C), max(1, len(C) // 6)):
                d = LossSurfaceDisplay.from_trace(one, step.path, C.feature[i], C.threshold[i])
                assert d.optimum.loss == pytest.approx(float(C.loss_under_attack[i]))
                assert d.surface.lowest().loss == pytest.approx(float(C.loss_under_attack[i]), rel=1e-6)
                assert d.plain.loss == pytest.approx(float(C.plain_loss_under_attack[i]))
                assert [g.w.sum() for g in (d.surface.left, d.surface.unknown, d.surface.right)] == [
                    C.left[i], C.unknown[i], C.right[i],
                ]  # fmt: skip
                checked += 1
    assert checked > 12


def test_creases_are_where_the_unknown_row_hurts_the_same(toy_trace):
    d = LossSurfaceDisplay.from_trace(toy_trace)
    assert d.surface.creases() == [None, 0.0]
    lines = [np.array(a.get_xydata()) for a in d.plot()["crease"]]
    assert np.allclose(lines[0][:, 0], lines[0][:, 1])
    assert np.allclose(lines[1].sum(axis=1), 0.0)


def test_recorded_runs_are_drawn_with_numbers_and_off_plot_points_at_the_edge(toy, toy_trace):
    slsqp = traced(toy, solver="slsqp")
    d = LossSurfaceDisplay.from_trace(toy_trace, slsqp=slsqp)
    walked = slsqp.at("").candidates.iterates[list(slsqp.at("").candidates.feature).index("p") + 2]
    assert "SLSQP finds the optimum (−1.5, 1.6): Lᴬ = 3.7" in d.title
    drawn = d.plot()
    xs, ys = drawn["walk"][0].get_data()
    assert (xs[0], ys[0]) == (-1.0, 2.0)
    assert len(xs) == len(d.run)
    assert walked
    (low, high), _ = d.frame
    away = [i for i, p in enumerate(d.run) if not (low <= p.y_l <= high and low <= p.y_r <= high)]
    assert away
    assert drawn.texts("off the plot") == [str(i) for i in away]
    said = " ".join(drawn.texts("number") + drawn.texts("off the plot"))
    assert "0" in said
    assert "Optimization terminated successfully" in d.alt_text


def test_labels_of_two_classes_stay_between_0_and_1(wine_trace):
    d = LossSurfaceDisplay.from_trace(wine_trace)
    (a, b), (c, e) = d.frame
    assert 0.0 <= a < b <= 1.0 and 0.0 <= c < e <= 1.0 and b - a == pytest.approx(e - c)
    assert set(d.surface.creases()) <= {None}
    assert LossSurfaceDisplay.from_trace(wine_trace, "", "density").frame[0][0] >= 0.0
    assert len(LossSurfaceDisplay.from_trace(wine_trace, "").plot()["slice"]) == 2


def test_one_thousand_rows_are_quick_small_and_the_same_twice(wine_trace):
    d = LossSurfaceDisplay.from_trace(wine_trace)
    d.plot()
    begin = time.process_time()
    d.plot()
    assert time.process_time() - begin < 1.0
    first = svg(d)
    assert len(first.encode()) < 500_000
    assert first == svg(d)


def test_given_axes_and_subfigures_keep_what_they_hold(toy_trace, stuck):
    figure = Figure((16, 7), layout="constrained")
    one, two = figure.subfigures(1, 2)
    ax = one.subplots()
    mine = ax.plot([0, 1], [0, 1])[0]
    d = LossSurfaceDisplay.from_trace(toy_trace, "r", iterates=stuck)
    d.plot(ax, palette=DARK)
    d.plot(two)
    assert mine in ax.lines
    figure.draw_without_rendering()


def test_hostile_names_are_only_words(toy):
    X = toy.X.set_axis([HOSTILE, "q"], axis=1)
    attacker = tv.Attacker([tv.Rule(HOSTILE, cost=1, delta=(-1, 1))], budget=1)
    d = LossSurfaceDisplay.from_trace(traced(toy, X, attacker))
    assert "script" in d.test
    assert len(d.test) <= 40
    assert b"<script>$" not in render(d, "svg")


def test_bad_input_is_named(toy, toy_trace, stuck):
    make = LossSurfaceDisplay.from_trace
    for error, match, given in (
        (TypeError, "trace: expected a Trace", {"trace": toy}),
        (KeyError, "no such step", {"path": "lll"}),
        (ValueError, "threshold: 17 was no candidate of feature 'p'", {"feature": "p", "threshold": 17}),
        (ValueError, "feature: a threshold needs", {"threshold": 1.0}),
        (ValueError, "'nope' is not a column", {"feature": "nope"}),
        (ValueError, "iterates: expected pairs", {"iterates": [1.0, 2.0]}),
        (ValueError, "iterates: expected at least one", {"iterates": []}),
        (ValueError, "start: expected finite", {"start": (0.0, float("nan"))}),
        (ValueError, "either slsqp or iterates", {"iterates": stuck, "slsqp": toy_trace}),
        (ValueError, "solver='slsqp'", {"slsqp": toy_trace}),
    ):
        with pytest.raises(error, match=match):
            make(**{"trace": toy_trace} | given)


def test_summary_lists_the_run(toy_trace, stuck):
    d = LossSurfaceDisplay.from_trace(toy_trace, "r", iterates=stuck)
    assert "  1: (−1.62, 2) costs 15.8" in repr(d)
    assert "Allowed: ŷₗ in [−∞, −1.5] or [1.5, ∞]" in d.alt_text


def test_where_the_optimum_is_a_segment_the_title_says_so_and_a_line_is_drawn(toy_trace):
    """At p <= 3 no row surely goes right: one leaf decides, the other may say what it likes within limits."""
    d = LossSurfaceDisplay.from_trace(toy_trace, "", "p", 3.0)
    a, b = d.segment
    assert (a.y_l, b.y_l) == pytest.approx((5 / 7, 5 / 7)) and (a.y_r, b.y_r) == pytest.approx(
        (5 / 7, 23 / 7)
    )
    for y_r in np.linspace(a.y_r, b.y_r, 9):
        assert d.surface.value(a.y_l, y_r) == pytest.approx(d.optimum.loss)
    for beyond in (a.y_r - 0.01, b.y_r + 0.01):
        assert d.surface.value(a.y_l, beyond) > d.optimum.loss + 1e-4
    assert (
        d.title == "At p ≤ 3 every pair with ŷₗ = 0.714 and ŷᵣ from 0.714 to 3.29 is best under attack, "
        "with loss 17.4"
    )
    [line] = d.plot()["optimum segment"]
    assert line.get_ydata() == pytest.approx([a.y_r, b.y_r])
    run = LossSurfaceDisplay.from_trace(toy_trace, "", "p", 3.0, iterates=[(-1.0, 2.0), (a.y_l, 2.0)])
    assert run.title == "From (−1, 2) SLSQP ends at (0.714, 2), one of a segment of best pairs: Lᴬ = 17.4"
    stuck = LossSurfaceDisplay.from_trace(toy_trace, "", "p", 3.0, iterates=[(-1.0, 2.0), (0.0, 2.0)])
    assert stuck.title.endswith("the optimum is 17.4 along a whole segment")


def test_a_single_optimum_is_no_segment(toy_trace, wine_trace):
    for d in (LossSurfaceDisplay.from_trace(toy_trace), LossSurfaceDisplay.from_trace(toy_trace, "r"),
              LossSurfaceDisplay.from_trace(wine_trace)):  # fmt: skip
        assert d.segment is None and not d.plot()["optimum segment"]


def test_every_other_wording_of_the_title(toy_trace, wine_trace):
    make = LossSurfaceDisplay.from_trace
    assert make(toy_trace).title == (
        "At p ≤ 1 the leaves −1.5 and 1.6 lose 3.7 under attack; −1 and 2, best if nobody attacks, lose 5"
    )
    assert make(toy_trace, "r").title == (
        "(1, 2) would be best if nobody attacked, but it is forbidden: (1.5, 2) is best"
    )
    assert make(wine_trace, "").title == (
        "At alcohol ≤ 11.5 the leaves that are best if nobody attacks, 0.594 and 0.939, stay best"
    )
    d = make(wine_trace)
    assert d.title == (
        f"Under attack the split alcohol ≤ 10.2 is worth nothing: both leaves say {number(d.optimum.y_l)}"
    )
    one_leaf = min(float(d.surface.value(v, v)) for v in np.linspace(0.01, 0.99, 99))
    assert d.optimum.loss == pytest.approx(one_leaf, rel=1e-3) and d.optimum.loss <= one_leaf
    for d in (make(toy_trace), make(toy_trace, "r"), make(wine_trace)):
        assert "<=" not in d.title + d.subtitle and "^" not in d.title + d.subtitle


def test_it_opens_where_the_optimum_moves_most_rows(wine_trace):
    d = LossSurfaceDisplay.from_trace(wine_trace)
    assert d.moves and d.surface.unknown.w.sum() == 498

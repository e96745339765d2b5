"""The ternary partition row by row: losses, reach, the price of crossing, and a title that is true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.viz.measures import corners, height
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay
from treant_viz.viz.ternary_partition.facts import Rows, threshold_in


def test_losses_are_steps_that_jump_at_values_and_at_ends_of_what_can_be_reached(toy_trace):
    data = tv.load_toy()
    drawn = TernaryPartitionDisplay.from_data(data.X, data.y, data.attacker, "p", 1.0).plot()
    values, ends = {-7, -5, 1, 3}, {-8, -6, -4, 0, 2, 4}
    for role, jumps in (("loss", values), ("attacked", values | ends)):
        x, y = drawn[role][0].get_data()
        assert (y[0::2] == y[1::2]).all(), "flat between jumps"
        assert {a for a, low, high in zip(x[2::2], y[1::2], y[2::2]) if low != high} <= jumps
    # brute force at places between all jumps: the standard leaves of the test, each row's worst side
    p, y = data.X["p"].to_numpy(), data.y
    for v in np.arange(-8.5, 4.6, 0.5) + 0.25:
        left = p <= v
        y_l, y_r = (float(np.mean(y[m])) if m.any() else float(np.mean(y)) for m in (left, ~left))
        options = [
            [(y_l - b) ** 2] * bool(a - 1 <= v) + [(y_r - b) ** 2] * bool(a + 1 > v) for a, b in zip(p, y)
        ]
        assert height(drawn["attacked"][0], v) == pytest.approx(sum(map(max, options)))
        assert height(drawn["loss"][0], v) == pytest.approx(
            float(np.sum((np.where(left, y_l, y_r) - y) ** 2))
        )


@pytest.mark.parametrize("name", ["toy_trace", "wine_trace", "census_trace", "boxed"])
def test_robust_losses_lie_between_those_of_the_standard_leaves_and_meet_the_trace(name, request):
    trace = request.getfixturevalue(name)
    for step in trace.steps:
        if step.split is None or step.split.test == "==":
            continue
        d = TernaryPartitionDisplay.from_trace(trace, step.path)
        s = d.steps
        k = np.searchsorted(s.at, d.threshold, side="right") - 1
        assert s.attacked[k] == pytest.approx(step.split.loss_under_attack)
        assert (s.attacked >= s.loss - 1e-9).all()
        if not step.constraints:
            assert (s.attacked <= step.leaf_loss * (1 + 1e-9) + 1e-9).all()
        assert s.unknown[k] == d.counts[1]


def test_one_row_among_many_gets_a_tick_and_no_bar_of_least_height():
    X = np.append(np.zeros(2000), 10.0)[:, None]
    drawn = TernaryPartitionDisplay.from_data(X, X[:, 0] > 5, tv.Attacker([], 1), 0, 5.0).plot()
    (high,), (low,) = corners(drawn, "bar left"), corners(drawn, "bar right")
    assert (low[3] - low[1]) * 2000 == pytest.approx(high[3] - high[1])
    assert len(drawn["tick right"][0].get_segments()) == 1 and not drawn["tick left"]


def test_every_row_is_drawn_with_its_reach_as_high_as_its_likes_are_many(wine_trace):
    d = TernaryPartitionDisplay.from_trace(wine_trace, "", "alcohol", 11.0)
    drawn = d.plot()
    moving = sum(high - low for role in ("left", "unknown", "right") if drawn[f"whisker {role}"]
                 for _, low, _, high in corners(drawn, f"whisker {role}"))  # fmt: skip
    still = sum(
        np.ptp(s[:, 1]) for role in ("left", "unknown", "right") for found in drawn[f"still {role}"]
        for s in found.get_segments()
    )  # fmt: skip
    n = sum(any(a < b for a, b in pieces) for pieces in d.whiskers)
    assert 0 < n < 1000 and moving / still == pytest.approx(n / (1000 - n))


def test_who_cannot_move_is_a_line_without_width(toy_trace):
    drawn = TernaryPartitionDisplay.from_trace(toy_trace, "", "q", 2.0).plot()
    assert not any(drawn[f"whisker {role}"] for role in ("left", "unknown", "right"))
    segments = [s for role in ("left", "right") for s in drawn[f"still {role}"][0].get_segments()]
    assert sorted(s[0, 0] for s in segments) == [1, 2, 3, 3, 4, 4, 4]
    assert all(np.ptp(s[:, 0]) == 0 for s in segments)


def test_the_column_of_all_rows_is_as_high_as_they_are_many(census_trace):
    d = TernaryPartitionDisplay.from_trace(census_trace, "rl")
    drawn = d.plot()
    heights = [drawn[f"part {role}"][0].get_height() for role in ("left", "unknown", "right")]
    assert heights == pytest.approx([n / len(d.rows) for n in d.counts])


def test_axes_stay_put_whatever_the_threshold_or_the_budget(toy_trace):
    data = tv.load_toy()
    shown = [
        TernaryPartitionDisplay.from_data(data.X, data.y, data.attacker.with_budget(k), "p", v).plot()
        for k in (0, 1, 3) for v in (-5.0, 1.0)
    ]  # fmt: skip
    assert len({ax.get_xlim() for drawn in shown for ax in drawn.axes[0:3:2]}) == 1


def test_skewed_values_get_an_axis_on_which_they_can_be_told_apart():
    x = np.append(np.arange(40.0), [5_000.0, 100_000.0])
    A = tv.Attacker([tv.Rule(0, 1, delta=(-2, 2))], 1)
    shares = {}
    for axis in ("auto", "even", "linear"):
        drawn = TernaryPartitionDisplay.from_data(x[:, None], x > 20, A, 0, 20.0, axis=axis).plot()
        ax = drawn.axes[0]
        ends, at = (ax.transData.transform([(v, 0) for v in vs])[:, 0] for vs in (ax.get_xlim(), (0, 39)))
        shares[axis] = (at[1] - at[0]) / (ends[1] - ends[0])
        assert ("stretched" in drawn.axes[2].get_xlabel()) == (axis != "linear")
    assert shares["auto"] == shares["even"] > 0.8 > 0.01 > shares["linear"]
    with pytest.raises(ValueError, match="axis: expected 'auto', 'linear' or 'even', got 'log'"):
        TernaryPartitionDisplay.from_data(x[:, None], x > 20, A, 0, 20.0, axis="log")


@pytest.mark.parametrize(
    ("rules", "budget", "threshold", "title"),
    [
        ([], 1, 1.0, "No rule changes p: the attacker decides for nobody"),
        ([tv.Rule("p", 2, delta=(-1, 1))], 1, 1.0,
         "With this budget nothing moves: the attacker decides for nobody"),
        ([tv.Rule("p", 1, delta=(-1, 1))], 1, -3.0,
         "No whisker crosses the line: the attacker decides for nobody"),
        ([tv.Rule("p", 1, delta=(-1, 1))], 1, 2.0, "The attacker decides for 4 of 7 rows"),
        ([tv.Rule("p", 1, delta=(-1, 1))], 1, 1.0, "The attacker decides for x2 alone"),
        ([tv.Rule("p", 1, delta=(-20, 20))], 1, 1.0, "The attacker decides for all 7 rows"),
    ],
)  # fmt: skip
def test_the_title_is_true(rules, budget, threshold, title):
    data = tv.load_toy()
    d = TernaryPartitionDisplay.from_data(data.X, data.y, tv.Attacker(rules, budget), "p", threshold)
    assert d.title == title
    if not d.counts[1]:
        moves = bool(rules) and budget >= rules[0].cost
        assert d.subtitle.endswith("At p ≤ 2 the attacker would decide for 4 of 7 rows.") == moves


def test_the_title_of_categories_is_true():
    X, A = pd.DataFrame({"c": list("uvw")}), tv.Attacker([tv.Rule("c", 1, pre={"u"}, becomes="v")], 1)
    titles = [TernaryPartitionDisplay.from_data(X, [0, 1, 0], A, "c", v).title for v in "uvw"]
    assert titles == ["The attacker decides for x0 alone"] * 2 + [
        "No row can change its side: the attacker decides for nobody"
    ]


def test_it_opens_where_most_rows_are_unknown(census_trace):
    d = TernaryPartitionDisplay.from_trace(census_trace)
    most = max(len(s.split.partition.unknown) for s in census_trace.steps if s.split is not None and s.taken)
    assert d.counts[1] == most > len(census_trace.at("").split.partition.unknown)
    assert TernaryPartitionDisplay.from_trace(census_trace, "").counts == (464, 0, 536)


def test_where_nothing_is_at_risk_it_says_where_to_look(wine_trace):
    d = TernaryPartitionDisplay.from_trace(wine_trace)
    assert d.counts[1] == 0 and d.title.startswith("No whisker crosses the line")
    threshold = float(d.elsewhere.split("≤ ")[1].split()[0])
    there = TernaryPartitionDisplay.from_trace(wine_trace, "", "alcohol", threshold)
    assert there.counts[1] == 706 and "for 706 of 1,000 rows" in d.elsewhere
    assert d.elsewhere in d.subtitle and d.elsewhere in d.alt_text


def test_losses_of_many_rows_are_also_said_a_row(wine_trace):
    d = TernaryPartitionDisplay.from_trace(wine_trace)
    said = d.plot().texts("leaves")[0]
    assert f"({d.plain.loss / 1000:.3f} a row)" in said
    assert d.plot().axes[2].get_ylabel() == "log-loss"


def test_what_it_costs_to_cross_is_what_the_trace_says_was_spent(boxed):
    for step in boxed.steps:
        if step.split is None:
            continue
        rows = Rows.at(boxed, step.path, step.split.feature)
        v = threshold_in(rows, step.split.threshold)[1]
        cost, part = rows.crossing(v), rows.part(v)
        assert np.isfinite(cost).tolist() == (part.side == 1).tolist()
        for side, data in ((True, step.split.left), (False, step.split.right)):
            spent = dict(zip(data.rows.tolist(), data.spent.tolist()))
            for i in np.flatnonzero((part.side == 1) & (part.unattacked != side)).tolist():
                if int(rows.rows[i]) in spent:
                    assert spent[int(rows.rows[i])] == pytest.approx(rows.spent[i] + cost[i])


def test_names_that_begin_alike_stay_apart():
    long = ["c" * 30 + end for end in ("_2019", "_2020")]
    d = TernaryPartitionDisplay.from_data(pd.DataFrame({"c": long}), [0, 1], tv.Attacker([], 1), "c", long[0])
    labels = [t.get_text() for t in d.plot().axes[0].get_yticklabels()]
    assert len(set(labels)) == 2 and labels[0].endswith("2019")

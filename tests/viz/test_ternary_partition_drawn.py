"""Ternary partitions as they are drawn: steps, columns, names beside rows, axes, and words that are true."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.viz.measures import corners, height
from treant_viz.viz.style.text import number
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay
from treant_viz.viz.ternary_partition.facts import NodeRows, threshold_in

EVIL = ["<script>alert('x')</script>", '$\\frac{1}{0}$ & "q"', "a" * 80, "שלום\n\x00🙂"]


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_


@pytest.fixture
def wine(wine_trace):
    return wine_trace


@pytest.fixture
def census(census_trace):
    return census_trace


def test_losses_are_steps_that_jump_at_values_and_at_ends_of_what_can_be_reached(toy):
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


@pytest.mark.parametrize("name", ["toy", "wine", "census", "boxed"])
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


def test_of_many_rows_some_around_the_line_are_drawn_one_by_one_and_how_many_is_said(wine):
    d = TernaryPartitionDisplay.from_trace(wine, "", "alcohol", 11.0)
    drawn = d.plot()
    reach = {float(d.value[i]): pieces for i, pieces in zip(d.shown, d.whiskers)}
    side = {float(d.value[i]): int(d.side[i]) for i in d.shown}
    values = drawn["dot"][0].get_xdata().tolist()
    named = zip(d.counts, ("surely left", "up to the attacker", "surely right"))
    assert drawn.texts("group") == [f"{n:,} {who}" for n, who in named if n]
    assert drawn.texts("group head") == ["all 1,000 rows;\nbelow, some of them"]
    for s, role in enumerate(("left", "unknown", "right")):
        bars = [piece for v in values if side[v] == s for piece in reach[v] if piece[0] < piece[1]]
        boxes = corners(drawn, f"whisker {role}") if drawn[f"whisker {role}"] else []
        assert np.array([(a, b) for a, _, b, _ in boxes]) == pytest.approx(np.array(sorted(bars)))
    left = [v for v in side if side[v] == 0]
    assert [v for v in values if side[v] == 0] == sorted(left)[-4:], "those next to the line"


def test_who_cannot_move_is_a_line_without_width(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy, "", "q", 2.0).plot()
    assert not any(drawn[f"whisker {role}"] for role in ("left", "unknown", "right"))
    segments = [s for role in ("left", "right") for s in drawn[f"still {role}"][0].get_segments()]
    assert sorted(s[0, 0] for s in segments) == [1, 2, 3, 3, 4, 4, 4]
    assert all(np.ptp(s[:, 0]) == 0 for s in segments)


def test_who_the_rows_are_stands_beside_them(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy).plot()
    drawn.figure.draw_without_rendering()
    lanes = [t.get_window_extent() for t in drawn.axes[0].get_yticklabels()]
    for words, rows in zip(drawn["group"], (lanes[:2], lanes[2:3], lanes[3:])):
        box = words.get_window_extent()
        assert min(r.y0 for r in rows) - 8 < (box.y0 + box.y1) / 2 < max(r.y1 for r in rows) + 8
    middles = [a.get_window_extent() for a in drawn.axes[0].get_yticklabels()]
    dots = drawn["dot"][0].get_transform().transform(drawn["dot"][0].get_xydata())[:, 1]
    assert [(b.y0 + b.y1) / 2 for b in middles] == pytest.approx(dots, abs=3), "names are level with bars"


def test_whole_numbers_get_whole_ticks_and_columns_over_their_values():
    X = np.repeat(np.arange(1.0, 17.0), 30)[:, None]
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    drawn = TernaryPartitionDisplay.from_data(X, X[:, 0] > 8, A, 0, 12.0).plot()
    drawn.figure.draw_without_rendering()
    strip = drawn.axes[2]
    assert all(float(x).is_integer() for x in strip.get_xticks())
    bars = [bar for role in ("left", "unknown", "right") for bar in corners(drawn, f"bar {role}")]
    assert sorted((a + b) / 2 for a, _, b, _ in bars) == pytest.approx(range(1, 17))
    tall = {round(high - low, 9) for _, low, _, high in bars}
    assert len(tall) == 1, "as many rows, as high"


def test_of_columns_too_low_to_be_seen_a_few_say_how_many_rows_they_hold():
    X = np.append(np.zeros(2000), [10.0, 10.0])[:, None]
    drawn = TernaryPartitionDisplay.from_data(X, X[:, 0] > 5, tv.Attacker([], 1), 0, 5.0).plot()
    assert drawn.texts("tick words") == ["2"]


def test_the_least_loss_under_attack_is_marked_where_it_is_not_at_the_line(wine, toy):
    d = TernaryPartitionDisplay.from_trace(wine)
    drawn, k = d.plot(), d.line.best
    assert d.unaware and d.worthless
    x, y = drawn["lowest"][0].get_xydata()[0]
    assert (x, y) == (d.line.thresholds[k], pytest.approx(d.line.attacked[k]))
    assert y == pytest.approx(d.steps.attacked.min())
    assert [line.get_xdata()[0] for line in drawn["lowest line"]] == [x, x], "through both parts"
    assert drawn.texts("lowest name") == [f"lowest under attack: {number(y)} at {number(x)}"]
    assert drawn.texts("worthless") == ["Worthless under attack:", "as bad as no split."]
    assert "under attack the test is worthless" in d.alt_text
    assert not TernaryPartitionDisplay.from_trace(toy).plot()["lowest"], "it is at the line"


def test_where_an_attack_changes_nothing_one_number_is_said(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy, "", "q", 2.0).plot()
    assert drawn.texts("current") == ["3.7"] and drawn.texts("once attacked") == ["attacked or not"]
    d = TernaryPartitionDisplay.from_trace(toy)
    near = replace(d, plain=d.plain._replace(loss=3.699))
    assert near.plot().texts("current") == ["3.699 → 3.7"], "a difference can be seen"


def test_where_both_losses_agree_there_is_one_line_and_where_they_do_not_the_gap_is_shaded(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy).plot()
    (plain,), (attacked,), (damage,) = drawn["loss"], drawn["attacked"], drawn["damage"]
    lines = list(plain.axes.lines)
    assert lines.index(plain) < lines.index(attacked) and plain.get_zorder() == attacked.get_zorder()
    assert plain.get_linewidth() < attacked.get_linewidth(), "the wider one hides the other"
    low, high = damage.get_paths()[0].get_extents().intervaly
    assert (low, high) == (min(plain.get_ydata()), max(attacked.get_ydata()))


def test_axes_stay_put_whatever_the_threshold_or_the_budget(toy):
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
        assert ("axis is stretched" in drawn.texts("subtitle")[0].replace("\n", " ")) == (axis != "linear")
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
         "No bar crosses the line: the attacker decides for nobody"),
        ([tv.Rule("p", 1, delta=(-1, 1))], 1, 2.0, "At p ≤ 2 the attacker decides for 4 of 7 rows"),
        ([tv.Rule("p", 1, delta=(-1, 1))], 1, 1.0, "At p ≤ 1 the attacker decides for x2 alone"),
        ([tv.Rule("p", 1, delta=(-20, 20))], 1, 1.0, "At p ≤ 1 the attacker decides for all 7 rows"),
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
    assert titles == [f"At c = {v} the attacker decides for x0 alone" for v in "uv"] + [
        "No row can change its side: the attacker decides for nobody"
    ]


@pytest.mark.parametrize("name", ["toy", "wine", "census", "boxed"])
def test_it_opens_at_the_test_of_either_learner_with_most_at_risk(name, request):
    trace, found = request.getfixturevalue(name), [0]
    for step in trace.steps:
        c = step.candidates
        if step.taken:
            found.append(len(step.split.partition.unknown))
        if c is not None and len(c):
            found.append(int(c.unknown[int(np.argmin(c.plain_loss))]))
    d = TernaryPartitionDisplay.from_trace(trace)
    assert d.counts[1] == max(found) > 0
    split = trace.at(d.source["path"]).split
    chosen = split is not None and (split.feature, split.threshold) == (d.feature, d.threshold)
    assert d.unaware == (not chosen) == d.title.startswith("A learner unaware of the attacker asks ")


def test_where_nothing_is_at_risk_it_says_where_to_look(wine):
    d = TernaryPartitionDisplay.from_trace(wine, "")
    assert d.counts[1] == 0 and d.title.startswith("No bar crosses the line")
    threshold = float(d.elsewhere.split("≤ ")[1].split()[0])
    there = TernaryPartitionDisplay.from_trace(wine, "", "alcohol", threshold)
    assert there.counts[1] == 706 and "for 706 of 1,000 rows" in d.elsewhere
    assert d.elsewhere in d.subtitle and d.elsewhere in d.alt_text


def test_losses_of_many_rows_are_also_said_a_row_and_add_up_as_written(wine, census):
    for trace, path in ((wine, ""), (wine, None), (census, None), (census, "rl")):
        d = TernaryPartitionDisplay.from_trace(trace, path)
        drawn, n = d.plot(), len(d.rows)
        row = [number(d.plain.loss / n), number(d.attacked.loss / n)]
        assert drawn.texts("once attacked")[1] == " → ".join(dict.fromkeys(row)) + " a row"
        parts = [Decimal(t.rsplit(" ", 1)[1].replace(",", "")) for t in d.summary.split("\n")[2:5]]
        total = d.summary.split("Lᴬ = ")[1].split("\n")[0].replace(",", "")
        assert sum(parts) == Decimal(total) == pytest.approx(Decimal(d.attacked.loss), abs=Decimal(1))
        assert drawn.axes[2].get_ylabel() == "log-loss"


def test_what_it_costs_to_cross_is_what_the_trace_says_was_spent(boxed):
    for step in boxed.steps:
        if step.split is None:
            continue
        rows = NodeRows.at(boxed, step.path, step.split.feature)
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

"""Ternary partitions: the numbers drawn are those of the trace, for numbers and for categories."""

import time
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.style.text import number
from treant_viz.viz.ternary_partition.crowd import bins
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay
from treant_viz.viz.ternary_partition.facts import Rows, losses, standard_leaves, threshold_in

EVIL = ["<script>alert('x')</script>", '$\\frac{1}{0}$ & "q"', "a" * 80, "שלום\n\x00🙂"]


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    return (
        tv.TreantClassifier(data.attacker, max_depth=3).fit(data.X_train[:1000], data.y_train[:1000]).trace_
    )


@pytest.fixture(scope="module")
def census():
    data = tv.load_census()
    return (
        tv.TreantClassifier(data.attacker, max_depth=3).fit(data.X_train[:1000], data.y_train[:1000]).trace_
    )


@pytest.fixture(scope="module")
def boxed():
    """A trace in which attacked features are tested again, so that rows have spent, and boxes narrow."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 12, 80).astype(float), "c": rng.choice(list("uvw"), 80)})
    y = X["a"] + 2.0 * (X["c"] == "u") + rng.normal(size=80)
    rules = [
        tv.Rule("a", 1, delta=(-1, 1)),
        tv.Rule("c", 1, pre={"u", "v"}, becomes="w"),
        tv.Rule("c", 1, becomes="u"),
    ]
    model = tv.TreantRegressor(tv.Attacker(rules, 2), retest="all", max_depth=4, min_samples_split=4)
    return model.fit(X, y, sample_weight=rng.uniform(0.5, 2.0, 80)).trace_


def corners(drawn, role):
    """The rectangles (left, low, right, high) of a compound shape."""
    (patch,) = drawn[role]
    points = patch.get_path().vertices.reshape(-1, 5, 2)[:, :4]
    return sorted((*p.min(axis=0), *p.max(axis=0)) for p in points)


def test_the_toy_root_is_the_papers(toy):
    d = TernaryPartitionDisplay.from_trace(toy)
    assert d.counts == (2, 1, 4)
    assert d.sums == pytest.approx((0.5, 2.56, 0.64))
    assert d.title == "At p ≤ 1 the attacker decides for x2 alone"
    assert d.subtitle == "A bar shows how far an attacker with a budget of 1 can move a row from its dot."
    assert "For 1 they move a value by up to 1." in d.alt_text
    drawn = d.plot()
    assert drawn.texts("test") == ["p ≤ 1"]
    assert drawn.texts("group") == ["2 surely left", "1 up to the attacker", "4 surely right"]
    assert drawn.texts("current") == ["2 → 3.7"]
    assert drawn.texts("once attacked") == ["once attacked"] and not drawn["worthless"]
    assert "left: 2 rows, loss 0.5\nunknown: 1 row, loss 2.56\nright: 4 rows, loss 0.64" in d.summary
    assert "robust leaves −1.5 and 1.6; L = 2, Lᴬ = 3.7" in d.summary
    (arrow,) = drawn["pushed"]
    assert (arrow.xyann, arrow.xy) == ((1.0, 2), (2.0, 2)), "x2 is pushed as far right as it goes"
    assert [line.get_xdata()[0] for line in drawn["threshold"]] == [1.0, 1.0]
    assert drawn.texts("side of the line") == ["left", "right"], "nothing is written under the line"


def test_whiskers_are_what_the_attacker_reaches(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy).plot()
    spans = {
        role: [(a, b) for a, _, b, _ in corners(drawn, f"whisker {role}")]
        for role in ("left", "unknown", "right")
    }
    assert spans == {"left": [(-8, -6), (-6, -4)], "unknown": [(0, 2)], "right": [(2, 4)] * 4}
    assert drawn["dot"][0].get_xdata().tolist() == [-7, -5, 1, 3, 3, 3, 3]


def test_a_union_of_intervals_is_drawn_as_such():
    A = tv.Attacker([tv.Rule("p", 1, delta=(3, 4)), tv.Rule("p", 1, delta=(-5, -5))], 1)
    d = TernaryPartitionDisplay.from_data(pd.DataFrame({"p": [0.0, 9.0]}), [0, 1], A, "p", 2.0)
    assert d.whiskers[0] == ((-5, -5), (0, 0), (3, 4))
    assert (3, 4) in [(a, b) for a, _, b, _ in corners(d.plot(), "whisker unknown")]


def test_whiskers_without_end_are_cut_with_an_arrow():
    A = tv.Attacker([tv.Rule("p", 1, delta=(0, np.inf))], 1)
    drawn = TernaryPartitionDisplay.from_data(pd.DataFrame({"p": [0.0, 9.0]}), [0, 1], A, "p", 2.0).plot()
    assert drawn["beyond"][0].get_marker() == ">"
    assert np.isfinite(drawn.axes[0].get_xlim()).all()


def test_the_strip_draws_the_candidates_of_the_trace(toy):
    drawn, c = TernaryPartitionDisplay.from_trace(toy).plot(), toy.at("").candidates
    on_p = [i for i, f in enumerate(c.feature) if f == "p"]
    for role, column in (("loss", c.plain_loss), ("attacked", c.loss_under_attack)):
        for i in on_p:
            assert height(drawn[role][0], c.threshold[i]) == pytest.approx(column[i])
    marks = [drawn[role][0].get_xydata()[0].tolist() for role in ("at the line", "at the line, attacked")]
    assert marks == [[1.0, pytest.approx(2.0)], [1.0, pytest.approx(3.7)]]


@pytest.mark.parametrize("name", ["toy", "wine", "census", "boxed"])
def test_every_candidate_is_parted_as_the_trace_says(name, request):
    trace = request.getfixturevalue(name)
    for step in trace.steps:
        c = step.candidates
        for i in range(0, 0 if c is None else len(c), max(1, len(c or ()) // 15)):
            rows = Rows.at(trace, step.path, c.feature[i])
            part = rows.part(threshold_in(rows, c.threshold[i])[1])
            assert np.bincount(part.side, minlength=3).tolist() == [c.left[i], c.unknown[i], c.right[i]]
            leaves = standard_leaves(rows, part.unattacked)
            plain, attacked = losses(rows, part, *leaves)
            assert plain.sum() == pytest.approx(c.plain_loss[i])
            assert attacked.sum() == pytest.approx(c.plain_loss_under_attack[i])


def test_what_was_spent_is_not_left_to_spend(boxed):
    paths = [s.path for s in boxed.steps if s.split is not None and s.data.spent.any()]
    assert paths
    for path in paths:
        d, split = TernaryPartitionDisplay.from_trace(boxed, path), boxed.at(path).split
        for side, rows in zip((0, 2, 1), split.partition):
            assert sorted(d.rows[d.side == side]) == sorted(rows)
        assert sum(d.sums) == pytest.approx(split.loss_under_attack)


def test_whiskers_stay_in_the_box_and_cross_the_line_iff_unknown(boxed):
    for step in boxed.steps:
        if step.split is None or step.split.feature != "a":
            continue
        d = TernaryPartitionDisplay.from_trace(boxed, step.path)
        for i, pieces in zip(d.shown, d.whiskers):
            left, right = any(a <= d.threshold for a, _ in pieces), any(b > d.threshold for _, b in pieces)
            assert (
                "LUR"[d.side[i]] == {(True, False): "L", (True, True): "U", (False, True): "R"}[left, right]
            )


def test_from_data_agrees_with_the_trace_at_the_root(wine):
    data = tv.load_wine()
    X, y = data.X_train[:1000], data.y_train[:1000]
    d = TernaryPartitionDisplay.from_data(X, y, data.attacker, "alcohol", 11.0, "log")
    c = wine.at("").candidates
    here = [i for i, f in enumerate(c.feature) if f == "alcohol"]
    i = next(i for i in here if c.threshold[i] == 11.0)
    assert d.counts == (c.left[i], c.unknown[i], c.right[i])
    assert sum(d.sums) == pytest.approx(c.plain_loss_under_attack[i])
    assert d.line.find(11.0) is not None
    for v, plain, attacked in zip(d.line.thresholds, d.line.plain, d.line.attacked):
        k = next(k for k in here if c.threshold[k] == v)
        assert (plain, attacked) == pytest.approx((c.plain_loss[k], c.plain_loss_under_attack[k]))


def test_many_rows_become_a_histogram_of_all(wine):
    d = TernaryPartitionDisplay.from_trace(wine, "", "alcohol", 11.0)
    drawn = d.plot()
    rows = {}
    for role in ("left", "unknown", "right"):
        bars = corners(drawn, f"bar {role}") if drawn[f"bar {role}"] else []
        assert all(right <= 11.0 + 1e-9 for _, _, right, _ in bars) or role == "right"
        rows[role] = sum(high - low for _, low, _, high in bars)
    per_row = rows["right"] / d.counts[2]
    assert rows["unknown"] == pytest.approx(per_row * d.counts[1])
    assert rows["left"] == pytest.approx(per_row * d.counts[0])
    labels = [t.get_text() for t in drawn.axes[0].get_yticklabels()]
    assert labels[-1].endswith(" rows") and labels[-1] != "0 rows"


def test_no_bin_crosses_the_threshold():
    rng = np.random.default_rng(0)
    for v in (-0.3, 0.0, 1.7):
        value = np.append(rng.normal(size=500).round(1), v)
        left, right, place = bins(value, v)
        assert ((left[place] <= value + 1e-9) & (value <= right[place] + 1e-9)).all()
        assert ((right[place] <= v + 1e-9) == (value <= v)).all()


def test_categories_are_counted_and_ruled(census):
    data = tv.load_census()
    X, y = data.X_train[:1000], data.y_train[:1000]
    d = TernaryPartitionDisplay.from_data(X, y, data.attacker, "marital_status", "Never-married", "log")
    n = X["marital_status"].value_counts()
    assert d.counts == (
        n["Never-married"],
        n["Divorced"] + n["Separated"],
        1000 - n[["Never-married", "Divorced", "Separated"]].sum(),
    )
    drawn = d.plot()
    rows = [t.get_text() for t in drawn.axes[0].get_yticklabels()]
    assert rows[0] == "Never-married"
    assert dict(zip(rows, drawn.texts("letter")))["Divorced"] == str(n["Divorced"])
    assert drawn.texts("coin") == ["1"]
    assert len(drawn["rule arrow"]) == 1
    lengths = [
        right - left
        for role in ("left", "unknown", "right")
        for left, _, right, _ in corners(drawn, f"bar {role}")
    ]
    assert sorted(lengths) == pytest.approx(sorted(k / n.max() for k in n if k))


def test_many_categories_share_a_row(census):
    d = TernaryPartitionDisplay.from_trace(census, "", "native_country", "United-States")
    drawn = d.plot()
    labels = [t.get_text() for t in drawn.axes[0].get_yticklabels()]
    assert len(labels) == 15 and labels[-1].startswith("and ")
    assert sum(int(t.split()[-1].replace(",", "")) for t in drawn.texts("letter")) == 1000


def test_hostile_names_are_drawn_harmlessly():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({EVIL[1]: rng.choice(EVIL, 60), EVIL[2]: rng.normal(size=60)})
    A = tv.Attacker(
        [tv.Rule(EVIL[1], 1, pre={EVIL[0]}, becomes=EVIL[3]), tv.Rule(EVIL[2], 1, delta=(-1, 1))], 1
    )
    y = rng.integers(0, 2, 60)
    for feature, v in ((EVIL[1], EVIL[3]), (EVIL[2], 0.0)):
        d = TernaryPartitionDisplay.from_data(X, y, A, feature, v)
        assert b"<script>alert" not in render(d, "svg")
        assert len(d.title) < 200


def test_letters_are_large_enough(toy, census):
    for d in (TernaryPartitionDisplay.from_trace(toy), TernaryPartitionDisplay.from_trace(census)):
        for found in d.plot().artists.values():
            assert all(
                a.get_fontsize() >= SMALL for a in found if hasattr(a, "get_fontsize") and a.get_text()
            )


def test_words_stay_apart_and_inside(toy, wine):
    data = tv.load_wine()
    edge = TernaryPartitionDisplay.from_data(
        data.X_train[:40],
        data.y_train[:40],
        data.attacker,
        "alcohol",
        data.X_train["alcohol"][:40].min(),
        "log",
    )
    for d in (edge, TernaryPartitionDisplay.from_trace(toy), TernaryPartitionDisplay.from_trace(wine)):
        drawn = d.plot()
        drawn.figure.draw_without_rendering()
        roles = (
            "letter", "test", "group", "group head", "once attacked", "worthless", "current", "key head",
            "side of the line", "strip head", "lowest name",
            "note", "title", "curve name",
        )  # fmt: skip
        texts = [a for role in roles for a in drawn[role]] + drawn.axes[0].get_yticklabels()
        boxes = [a.get_window_extent() for a in texts]
        assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if _overlap(a, b) > 2]
        assert min(b.x0 for b in boxes) > -1 and max(b.x1 for b in boxes) < drawn.figure.bbox.width + 1


def _overlap(a, b):
    """How far two boxes reach into each other, in pixels."""
    return min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0))


def test_what_the_caller_drew_stays(toy):
    figure = Figure()
    ax, other = figure.subplots(1, 2)
    kept = [ax.plot([0, 1], [0, 1])[0], other.plot([0, 1])[0]]
    TernaryPartitionDisplay.from_trace(toy).plot(ax)
    assert kept[0] in ax.lines and kept[1] in other.lines and not other.texts
    sub = figure.subfigures(1, 2)[1]
    drawn = TernaryPartitionDisplay.from_trace(toy).plot(sub, palette=DARK)
    assert drawn.figure is sub and set(drawn.axes) == set(figure.axes) - {ax, other}


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"path": "x"}, "path 'x'"),
        ({"path": "rr"}, "path 'rr'"),
        ({"feature": "nope"}, "'nope' is not a column"),
        ({"feature": "p", "threshold": "a"}, "threshold: feature 'p' needs a finite number"),
        ({"feature": "p", "threshold": float("nan")}, "threshold"),
        ({"path": "r", "feature": "p"}, "threshold: the step has no candidate on 'p'"),
    ],
)
def test_bad_input_is_named(toy, arguments, message):
    with pytest.raises((KeyError, ValueError), match=message):
        TernaryPartitionDisplay.from_trace(toy, **arguments)


def test_bad_data_is_named():
    data = tv.load_toy()
    make = TernaryPartitionDisplay.from_data
    with pytest.raises(TypeError, match="attacker"):
        make(data.X, data.y, None, "p", 1)
    with pytest.raises(ValueError, match="y: expected 7"):
        make(data.X, data.y[:3], data.attacker, "p", 1)
    with pytest.raises(TypeError, match="y: expected numbers"):
        make(data.X, list("abcdefg"), data.attacker, "p", 1)
    with pytest.raises(ValueError, match="loss"):
        make(data.X, data.y, data.attacker, "p", 1, loss="hinge")
    with pytest.raises(ValueError, match="is no category of 'c'"):
        make(pd.DataFrame({"c": ["a", "b"]}), [0, 1], tv.Attacker([], 0), "c", "z")


def test_a_barred_feature_can_still_be_looked_at(toy):
    d = TernaryPartitionDisplay.from_trace(toy, "r", "p", 1.0)
    assert d.line is None and d.leaves == "standard"
    assert d.plot().texts("curve name")[0] == "loss under attack of the same leaves"


def test_a_thousand_rows_are_fast_small_and_the_same_every_time(wine):
    data = tv.load_wine()
    X, y = data.X_train[:1000], data.y_train[:1000]
    start = time.process_time()
    d = TernaryPartitionDisplay.from_data(X, y, data.attacker, "alcohol", 11.0, "log")
    d.plot()
    assert time.process_time() - start < 0.6
    svg = render(d, "svg")
    assert len(svg) < 500_000 and svg == render(d, "svg")
    assert d.summary == TernaryPartitionDisplay.from_data(X, y, data.attacker, "alcohol", 11.0, "log").summary


def test_pictures_of_many_rows_do_not_jump_from_test_to_test():
    """Few rows on a side, or none: all rows are drawn, in the same order, on the same axes."""
    X = np.arange(100.0)[:, None]
    A = tv.Attacker([tv.Rule(0, 1, delta=(-2, 2))], 1)
    shown = [
        TernaryPartitionDisplay.from_data(X, X[:, 0] > 50, A, 0, v) for v in (0.0, 1.0, 2.0, 50.0, 97.0, 99.0)
    ]
    assert {d.shown for d in shown} == {tuple(range(100))} and len({d.size for d in shown}) == 1
    assert len({d.plot().axes[0].get_xlim() for d in shown}) == 1


def height(line, v):
    """The height of a drawn step function at v."""
    x, y = line.get_data()
    return y[np.searchsorted(x, v, side="right") - 1 + (np.searchsorted(x, v, side="right") % 2 == 0)]


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


def test_the_loss_under_attack_lies_on_top_so_that_equal_curves_are_one_line(toy):
    drawn = TernaryPartitionDisplay.from_trace(toy).plot()
    (plain,), (attacked,) = drawn["loss"], drawn["attacked"]
    lines = plain.axes.lines
    assert list(lines).index(plain) < list(lines).index(attacked)
    assert plain.get_linewidth() < attacked.get_linewidth() and plain.get_zorder() == attacked.get_zorder()


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

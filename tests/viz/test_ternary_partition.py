"""Ternary partitions: the numbers drawn are those of the trace, for numbers and for categories."""

import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from tests.viz.measures import corners, height, overlap
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.ternary_partition.crowd import bins
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay
from treant_viz.viz.ternary_partition.facts import NodeRows, losses, standard_leaves, threshold_in

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


def test_the_toy_root_is_the_papers(toy):
    d = TernaryPartitionDisplay.from_trace(toy)
    assert d.counts == (2, 1, 4)
    assert d.sums == pytest.approx((0.5, 2.56, 0.64))
    assert d.title == "At p ≤ 1 the attacker decides for x2 alone"
    assert d.subtitle == (
        "A bar shows how far the attacker can move a row for 1. For 1 they move a value by up to 1."
    )
    assert "For 1 they move a value by up to 1." in d.alt_text
    drawn = d.plot()
    assert drawn.texts("test") == ["p ≤ 1"]
    assert drawn.texts("group") == ["2 surely left", "1 up to the attacker", "4 surely right"]
    assert drawn.texts("current") == ["2 → 3.7"]
    assert (
        drawn.texts("once attacked") == ["once attacked", "(best leaves for each)"] and not drawn["worthless"]
    )
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
            rows = NodeRows.at(trace, step.path, c.feature[i])
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
        assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b) > 2]
        assert min(b.x0 for b in boxes) > -1 and max(b.x1 for b in boxes) < drawn.figure.bbox.width + 1


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

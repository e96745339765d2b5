"""Split search: every candidate of the trace is drawn; the two choices are the least L and the least L^A."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from tests.viz.measures import height, overlap
from treant_viz.viz.output.export import render
from treant_viz.viz.split_search.display import SplitSearchDisplay
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.pen import SMALL

EVIL = ["<script>alert('x')</script>", '$\\frac{1}{0}$ & "q" 🙂', "a" * 80, "שלום"]


def test_the_toy_root_agrees_and_is_tied(toy_trace):
    d = SplitSearchDisplay.from_trace(toy_trace)
    assert d.same and d.title == "The standard and the robust choice are the same here: p ≤ 1"
    assert (d.robust.loss, d.robust.loss_under_attack) == pytest.approx((2.0, 3.7))
    assert d.ties == ("q ≤ 2",)
    drawn = d.plot()
    assert [line.get_xdata().tolist() for line in drawn["tie"]] == [[1.0], [2.0]]
    assert drawn.texts("tie name") == ["tied: q ≤ 2"]
    assert drawn.texts("robust name") == ["robust: ≤ 1, Lᴬ = 3.7"]
    assert drawn.texts("standard name") == ["standard: ≤ 1, L = 2"]
    assert (drawn["robust choice"][0].get_xdata()[0], drawn["robust choice"][0].get_ydata()[0]) == (
        1.0,
        pytest.approx(3.7),
    )
    assert (drawn["standard choice"][0].get_xdata()[0], drawn["standard choice"][0].get_ydata()[0]) == (
        1.0,
        2.0,
    )
    assert drawn["leaf"][0].get_ydata()[0] == pytest.approx(toy_trace.at("").leaf_loss)


def test_if_nobody_attacks_only_l_is_shown():
    data = tv.load_toy()
    for A in (None, data.attacker.with_budget(0)):
        d = SplitSearchDisplay.from_trace(
            tv.TreantRegressor(A, min_samples_split=2).fit(data.X, data.y).trace_
        )
        assert d.title == "The best of 6 tests is p ≤ 1, with a loss of 2"
        drawn = d.plot()
        one = 17 + 3 / 7
        assert [line.get_ydata()[::2].tolist() for line in drawn["loss"]] == [
            pytest.approx([one, 8 + 5 / 6, 3.7, 2, one]), pytest.approx([one, 8 + 5 / 6, 3.7, 8.75, one])
        ]  # fmt: skip
        assert (drawn["standard choice"][0].get_xdata()[0], drawn["standard choice"][0].get_ydata()[0]) == (
            1.0,
            2.0,
        )
        assert not {"attacked", "robust choice"} & set(drawn.artists)
        words = [a.get_text() for a in drawn.figure.findobj(lambda a: hasattr(a, "get_fontsize"))]
        said = " ".join([*words, d.alt_text, d.summary])
        assert "Lᴬ" not in said and "robust" not in said


def test_if_nobody_attacks_ties_are_told():
    """x0, x1, x2 (labels -2, -1, 0) have the same order by p and by q: splitting off either end costs 0.5."""
    data = tv.load_toy()
    d = SplitSearchDisplay.from_trace(
        tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y).trace_, "l"
    )
    assert d.title == "4 of 4 tests share the least loss, 0.5: the first is p ≤ −7"
    assert "tied with the best test: p ≤ −5, q ≤ 1, q ≤ 2" in d.summary
    assert d.plot().texts("tie name") == ["tied: p ≤ −5", "2 tests tied"]


def test_every_candidate_is_drawn(toy_trace, wine_trace):
    for trace in (toy_trace, wine_trace):
        c, d = trace.at("").candidates, SplitSearchDisplay.from_trace(trace)
        drawn = d.plot()
        for line, plain, attacked in zip(d.shown, drawn["loss"], drawn["attacked"]):
            for i in [k for k, f in enumerate(c.feature) if f == line.feature]:
                assert height(plain, c.threshold[i]) == pytest.approx(c.plain_loss[i])
                assert height(attacked, c.threshold[i]) == pytest.approx(c.loss_under_attack[i])


def test_wine_choices_differ_and_the_title_says_so(wine_trace):
    d, c = SplitSearchDisplay.from_trace(wine_trace), wine_trace.at("").candidates
    assert not d.same
    assert (
        d.title == "The standard choice, alcohol ≤ 10.2, and the robust choice, alcohol ≤ 11.5, differ here"
    )
    assert d.standard.loss == c.plain_loss.min()
    assert d.robust.loss_under_attack == pytest.approx(c.loss_under_attack[c.admissible].min())
    assert (d.robust.feature, d.robust.threshold) == (
        wine_trace.at("").split.feature,
        wine_trace.at("").split.threshold,
    )
    drawn = d.plot()
    assert drawn.texts("standard name") == ["standard: ≤ 10.2, L = 563"]
    assert drawn.texts("robust name") == ["robust: ≤ 11.5, Lᴬ = 588"]
    assert drawn.texts("curve name") == ["Lᴬ", "L"]


@pytest.mark.parametrize("name", ["toy_trace", "wine_trace", "census_trace"])
def test_the_robust_choice_is_the_split_of_the_trace(name, request):
    trace = request.getfixturevalue(name)
    for step in trace.steps:
        if step.candidates is not None and len(step.candidates):
            d = SplitSearchDisplay.from_trace(trace, step.path)
            assert (d.robust.feature, d.robust.threshold) == (step.split.feature, step.split.threshold)
            assert d.robust.loss_under_attack == pytest.approx(step.split.loss_under_attack)
            assert d.taken == step.taken and ("stays a leaf" in d.title) == (not step.taken)


def test_features_are_shown_best_first_and_the_rest_is_counted(wine_trace):
    d = SplitSearchDisplay.from_trace(wine_trace)
    bests = [float(x.attacked[x.admissible].min()) for x in d.lines]
    assert bests == sorted(bests) and len(d.lines) == 12
    drawn = d.plot()
    assert len(drawn["feature"]) == 6 and drawn.texts("more") == ["and 6 more features"]
    assert drawn.texts("feature")[0] == "alcohol"
    assert "alcohol: least L 563, least Lᴬ 588." in d.alt_text


def test_the_standard_choice_is_drawn_even_if_its_feature_is_not_among_the_best(census_trace):
    for step in census_trace.steps:
        if step.candidates is not None:
            d = SplitSearchDisplay.from_trace(census_trace, step.path)
            assert d.standard.feature in [x.feature for x in d.lines[:3]]
            assert len(d.plot()["standard choice"]) == 1


def test_panels_share_their_scale(wine_trace, census_trace):
    for trace in (wine_trace, census_trace):
        d = SplitSearchDisplay.from_trace(trace)
        drawn = d.plot()
        axes = [a.axes for a in drawn["loss"]]
        assert len(axes) == 6 and len({ax.get_ylim() for ax in axes}) == 1
        low, high = axes[0].get_ylim()
        assert all(low < y < high for a in (*drawn["loss"], *drawn["attacked"]) for y in a.get_ydata())


def test_hostile_names_are_drawn_harmlessly():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {EVIL[0]: rng.normal(size=60), EVIL[1]: rng.choice(EVIL, 60), EVIL[2]: rng.choice(["u", "v"], 60)}
    )
    trace = tv.TreantClassifier(tv.Attacker([], 0), max_depth=1).fit(X, rng.integers(0, 2, 60)).trace_
    d = SplitSearchDisplay.from_trace(trace)
    assert b"<script>alert" not in render(d, "svg")
    assert all(len(line) < 60 for said in d.plot().texts("feature") for line in said.split("\n"))


def test_bad_input_is_named(toy_trace):
    with pytest.raises(KeyError, match="path 'zz'"):
        SplitSearchDisplay.from_trace(toy_trace, "zz")
    with pytest.raises(ValueError, match="path 'll': no test was tried there"):
        SplitSearchDisplay.from_trace(toy_trace, "ll")
    with pytest.raises(ValueError, match="path 'rr': no test was tried there"):
        SplitSearchDisplay.from_trace(toy_trace, "rr")


def test_letters_are_large_enough(census_trace):
    drawn = SplitSearchDisplay.from_trace(census_trace).plot(palette=DARK)
    texts = [a for found in drawn.artists.values() for a in found if hasattr(a, "get_fontsize")]
    ticks = [t for ax in drawn.axes if ax.axison for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert min(a.get_fontsize() for a in texts + ticks) >= SMALL


def test_what_the_caller_drew_stays(wine_trace):
    figure = Figure(figsize=(20, 8))
    ax, other = figure.subplots(1, 2)
    line = ax.plot([0, 1], [0, 1])[0]
    drawn = SplitSearchDisplay.from_trace(wine_trace).plot(ax)
    assert line in ax.lines and not other.child_axes and not other.texts
    assert len(drawn["feature"]) == 3 and drawn.texts("more") == ["and 9 more features"]
    sub = figure.subfigures(1, 2)[1]
    assert set(SplitSearchDisplay.from_trace(wine_trace).plot(sub).axes) == set(figure.axes) - {ax, other}


def test_fast_small_and_the_same_every_time(wine_trace):
    start = time.process_time()
    d = SplitSearchDisplay.from_trace(wine_trace)
    d.plot()
    assert time.process_time() - start < 0.8
    svg = render(d, "svg")
    assert len(svg) < 500_000 and svg == render(d, "svg")


def test_losses_jump_at_values_and_at_ends_of_what_can_be_reached_only(toy_trace):
    drawn = SplitSearchDisplay.from_trace(toy_trace).plot()
    values, ends = {-7, -5, 1, 3}, {-8, -6, -4, 0, 2, 4}
    for role, jumps in (("loss", values), ("attacked", values | ends)):
        x, y = drawn[role][0].get_data()
        assert {a for a, low, high in zip(x[2::2], y[1::2], y[2::2]) if not np.isclose(low, high)} <= jumps


def test_categories_are_dots_and_nothing_is_drawn_between_them(census_trace):
    d = SplitSearchDisplay.from_trace(census_trace)
    drawn = d.plot()
    k = [x.feature for x in d.shown].index("marital_status")
    assert drawn.texts("feature")[k] == "marital_status"
    line = drawn["attacked"][k]
    assert line.get_linestyle() == "None"
    assert line.get_ydata().tolist() == sorted(d.shown[k].attacked.tolist())
    ax = line.axes
    assert ax.get_xlabel() == "7 categories, first Married-civ-spouse"
    assert drawn.texts("robust name") == ["robust: Married-civ-spouse, Lᴬ = 471"]
    between = next(c for c in drawn["between"] if c.axes is ax).get_segments()
    assert all(np.ptp(s[:, 0]) == 0 for s in between)


def test_one_test_alone_is_two_steps_and_not_two_marks_on_an_empty_plot(toy_trace):
    drawn = SplitSearchDisplay.from_trace(toy_trace, "r").plot()
    x, y = drawn["loss"][0].get_data()
    assert y[::2] == pytest.approx([3.2, 2.0, 3.2]) and x[2:5:2].tolist() == [3.0, 4.0]
    assert drawn.texts("robust name") == ["robust: ≤ 3, Lᴬ = 2.5"]


def test_words_stay_apart_and_inside(toy_trace, wine_trace, census_trace):
    for trace in (toy_trace, wine_trace, census_trace):
        drawn = SplitSearchDisplay.from_trace(trace).plot()
        drawn.figure.draw_without_rendering()
        roles = ("title", "subtitle", "feature", "standard name", "robust name", "tie name", "more")
        boxes = [a.get_window_extent() for role in roles for a in drawn[role]]
        assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b) > 2]
        assert min(b.x0 for b in boxes) > -1 and max(b.x1 for b in boxes) < drawn.figure.bbox.width + 1


def test_words_below_the_curves_stand_clear_of_the_axis_and_its_scale_ends_with_the_losses():
    """The toy's least loss is 0 or more: no scale below it; words stand on the axis, below their leader."""
    data = tv.load_toy()
    m = tv.TreantRegressor(attacker=data.attacker, min_samples_split=2).fit(data.X, data.y)
    drawn = tv.SplitSearchDisplay.from_trace(m.trace_).plot()
    drawn.figure.canvas.draw()
    for ax in drawn.axes:
        assert ax.spines["left"].get_bounds()[0] >= 0.0
    [words] = drawn["standard name"]
    box = words.get_window_extent()
    assert box.y0 >= words.axes.get_window_extent().y0
    ends = [words.axes.transData.transform(a.get_xydata())[:, 1] for a in drawn["leader"]]
    assert min(map(min, ends)) >= box.y1 - 2.0

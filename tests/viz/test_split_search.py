"""Split search: every candidate of the trace is drawn; the two choices are the least L and the least L^A."""

import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from tests.viz.measures import on_one_line
from treant_viz.viz.output.export import render
from treant_viz.viz.split_search.display import SplitSearchDisplay
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.pen import SMALL

EVIL = ["<script>alert('x')</script>", '$\\frac{1}{0}$ & "q" 🙂', "a" * 80, "שלום"]


def test_the_toy_root_agrees_and_is_tied(toy_trace):
    d = SplitSearchDisplay.from_trace(toy_trace)
    assert d.same and d.title == (
        "p ≤ 1 stays the best test, though the attacker raises its loss from 2 to 3.7; then q ≤ 2 is as good"
    )
    assert (d.robust.loss, d.robust.loss_under_attack) == pytest.approx((2.0, 3.7))
    assert d.ties == ("q ≤ 2",)
    drawn = d.plot()
    assert [line.get_xdata().tolist() for line in drawn["tie"]] == [[2.0]]
    assert on_one_line(drawn, "tie name") == ["as good under attack: q ≤ 2, loss 3.7"]
    assert on_one_line(drawn, "robust name") == ["best under attack: p ≤ 1, loss 3.7"]
    assert on_one_line(drawn, "standard name") == ["best if nobody attacks: p ≤ 1, loss 2"]
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
        told = " ".join([*words, d.alt_text, d.summary])
        assert "Lᴬ" not in told and "robust" not in told and "attack" not in told


def test_if_nobody_attacks_ties_are_told():
    """x0, x1, x2 (labels -2, -1, 0) have the same order by p and by q: splitting off either end costs 0.5."""
    data = tv.load_toy()
    d = SplitSearchDisplay.from_trace(
        tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y).trace_, "l"
    )
    assert d.title == "4 of 4 tests share the least loss, 0.5: the first is p ≤ −7"
    assert "tied with the best test: p ≤ −5, q ≤ 1, q ≤ 2" in d.summary
    assert on_one_line(d.plot(), "tie name") == ["as good: p ≤ −5, loss 0.5", "as good: 2 tests, loss 0.5"]


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
        d.title == "alcohol ≤ 10.2 is best if nobody attacks (563), but loses 640 under attack; "
        "alcohol ≤ 11.5 loses 588"
    )
    assert d.standard.loss == c.plain_loss.min()
    assert d.robust.loss_under_attack == pytest.approx(c.loss_under_attack[c.admissible].min())
    split = wine_trace.at("").split
    assert (d.robust.feature, d.robust.threshold) == (split.feature, split.threshold)
    drawn = d.plot()
    assert on_one_line(drawn, "standard name") == ["best if nobody attacks: alcohol ≤ 10.2, loss 563"]
    assert on_one_line(drawn, "robust name") == ["best under attack: alcohol ≤ 11.5, loss 588"]
    named = [words.replace("\n", " ") for words in drawn.texts("curve name")]
    assert named == ["loss under attack", "loss if nobody attacks"]
    unknown = int(c.unknown[int(np.argmin(c.plain_loss))])
    assert on_one_line(drawn, "cliff name") == [f"under attack: 640, as {unknown} rows can be pushed across"]
    ticks = {t.get_text() for t in drawn.axes[0].get_xticklabels()}
    assert {"10.2", "11.5"} <= ticks, "the chosen values are on the axis"
    assert drawn.texts("leaf name") == ["without a split: 640"]


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
    assert len(drawn["feature"]) == 5 and "The 5 best of 12 features are shown." in d.subtitle
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
        assert len(axes) == len(d.shown) and len({ax.get_ylim() for ax in axes}) == 1
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
    texts = [
        a for found in drawn.artists.values() for a in found if hasattr(a, "get_fontsize") and a.get_text()
    ]
    ticks = [t for ax in drawn.axes if ax.axison for t in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert min(a.get_fontsize() for a in texts + ticks) >= SMALL


def test_what_the_caller_drew_stays(wine_trace):
    figure = Figure(figsize=(20, 8))
    ax, other = figure.subplots(1, 2)
    line = ax.plot([0, 1], [0, 1])[0]
    drawn = SplitSearchDisplay.from_trace(wine_trace).plot(ax)
    assert line in ax.lines and not other.child_axes and not other.texts
    assert len(drawn["feature"]) == 3
    sub = figure.subfigures(1, 2)[1]
    assert set(SplitSearchDisplay.from_trace(wine_trace).plot(sub).axes) == set(figure.axes) - {ax, other}


def test_fast_small_and_the_same_every_time(wine_trace):
    start = time.process_time()
    d = SplitSearchDisplay.from_trace(wine_trace)
    d.plot()
    assert time.process_time() - start < 0.8
    svg = render(d, "svg")
    assert len(svg) < 500_000 and svg == render(d, "svg")


def height(line, v):
    """The height of a drawn step function at v."""
    x, y = line.get_data()
    assert (y[0::2] == y[1::2]).all(), "flat between jumps"
    return y[2 * (np.searchsorted(x[::2], v, side="right") - 1)]


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
    assert ax.get_xlabel() == "7 categories"
    named = on_one_line(drawn, "robust name")
    assert named == ["best under attack: marital_status = Married-civ-spouse, loss 471"]
    between = next(c for c in drawn["between"] if c.axes is ax).get_segments()
    assert all(np.ptp(s[:, 0]) == 0 for s in between)


def test_one_test_alone_is_two_steps_and_not_two_marks_on_an_empty_plot(toy_trace):
    drawn = SplitSearchDisplay.from_trace(toy_trace, "r").plot()
    x, y = drawn["loss"][0].get_data()
    assert y[::2] == pytest.approx([3.2, 2.0, 3.2]) and x[2:5:2].tolist() == [3.0, 4.0]
    assert on_one_line(drawn, "robust name") == ["best under attack: q ≤ 3, loss 2.5"]


def test_words_stay_apart_and_inside(toy_trace, wine_trace, census_trace):
    for trace in (toy_trace, wine_trace, census_trace):
        drawn = SplitSearchDisplay.from_trace(trace).plot()
        drawn.figure.draw_without_rendering()
        roles = ("title", "subtitle", "feature", "standard name", "robust name", "tie name", "cliff name",
                 "same", "curve name", "leaf name")  # fmt: skip
        boxes = [a.get_window_extent() for role in roles for a in drawn[role]]
        assert not [1 for i, a in enumerate(boxes) for b in boxes[:i] if _overlap(a, b) > 2]
        assert min(b.x0 for b in boxes) > -1 and max(b.x1 for b in boxes) < drawn.figure.bbox.width + 1


def _overlap(a, b):
    """How far two boxes reach into each other, in pixels."""
    return min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0))


def test_words_beside_choices_hide_no_curve(toy_trace, wine_trace):
    """No jump and no flat part of either curve runs through the words about a choice."""
    for trace in (toy_trace, wine_trace):
        drawn = SplitSearchDisplay.from_trace(trace).plot()
        drawn.figure.draw_without_rendering()
        for words in (
            *drawn["standard name"],
            *drawn["robust name"],
            *drawn["cliff name"],
            *drawn["tie name"],
        ):
            box = words.get_window_extent()
            for line in (*drawn["loss"], *drawn["attacked"]):
                if line.axes is words.axes:
                    path = line.get_transform().transform_path(line.get_path())
                    assert not path.intersects_bbox(box, filled=False), (words.get_text(), box)


def test_a_standard_choice_that_is_as_good_under_attack_is_not_said_to_lose_more():
    """With thresholds between values p ≤ −4, p ≤ 0 and p ≤ 1 all lose 3.7 under attack; −4 comes first."""
    data = tv.load_toy()
    m = tv.TreantRegressor(data.attacker, min_samples_split=2, thresholds="reachable").fit(data.X, data.y)
    d = SplitSearchDisplay.from_trace(m.trace_)
    assert d.title == (
        "p ≤ 1 is best if nobody attacks (2); under attack p ≤ −4 is as good (3.7) and comes first"
    )
    drawn = d.plot()
    ticks = [t.get_text() for t in drawn.axes[0].get_xticklabels()]
    assert ticks == ["−7", "−6", "−5", "−4", "0", "1", "2", "3"], "few tests: a tick each"


def test_where_both_losses_are_the_same_one_line_is_seen_and_the_budget_is_told(toy_trace):
    d = SplitSearchDisplay.from_trace(toy_trace)
    drawn = d.plot()
    assert "if the attacker may spend 1;" in d.subtitle
    for plain, attacked in zip(drawn["loss"], drawn["attacked"]):
        lines = list(plain.axes.lines)
        assert lines.index(plain) < lines.index(attacked), "the loss under attack hides the other"
        assert plain.get_linewidth() < attacked.get_linewidth()

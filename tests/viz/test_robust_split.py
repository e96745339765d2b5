"""Robust splits: the attacker's choice drawn is the one of the definition, in all three modes."""

import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from tests.viz.measures import overlap, thickness
from treant_viz.baselines.robust import FourCases
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import BINARY_SSE
from treant_viz.core.table import Schema, Table
from treant_viz.viz.output.export import render
from treant_viz.viz.robust_split.display import RobustSplitDisplay
from treant_viz.viz.style.palette import LIGHT
from treant_viz.viz.style.pen import SMALL

EVIL = "<script>alert('x')</script> $\\frac{1}{0}$ \"q\" 🙂 שלום" + "a" * 80


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_


@pytest.fixture
def census(census_trace):
    return census_trace


def test_panel_c_x2_goes_right_and_the_plan_costs_3_7(toy):
    d = RobustSplitDisplay.from_trace(toy)
    assert (d.y_l, d.y_r, d.plain_loss) == pytest.approx((-1.5, 1.6, 3.39))
    assert d.loss_under_attack == pytest.approx(3.7) == pytest.approx(sum(d.planned))
    (x2,) = d.groups
    assert (x2.label, x2.home, x2.sent, x2.worse) == ("x2 (y = 0)", "left", "right", "right")
    assert (x2.hurt_l, x2.hurt_r) == pytest.approx((2.25, 2.56))
    assert x2.cost == (1.0, 1.0)
    assert d.title == (
        "With leaves that expect the attack, the squared error is 3.7 instead of 5; x2 is pushed right"
    )
    assert d.subtitle == "With a budget of 1 the attacker pushes rows to the side where they lose more."
    assert [(p.name, p.loss, p.loss_under_attack, p.chosen) for p in d.plans] == [
        ("standard", pytest.approx(2), pytest.approx(5), False),
        ("four-case", pytest.approx(2), pytest.approx(5), False),
        ("robust", pytest.approx(3.39), pytest.approx(3.7), True),
    ]


def test_panel_b_planned_without_the_attacker_2_becomes_5(toy):
    d = RobustSplitDisplay.from_trace(toy, mode="standard")
    assert (d.y_l, d.y_r) == (-1.0, 2.0)
    assert (d.plain_loss, d.loss_under_attack, d.planned, d.leaf_losses) == (2.0, 5.0, (2.0, 0.0), (1.0, 4.0))
    assert d.groups[0].sent == "left" and d.groups[0].worse == "right"
    assert d.title == "Pushing x2 right raises the squared error from 2 to 5"


def test_four_cases_of_the_toy(toy):
    d = RobustSplitDisplay.from_trace(toy, mode="four-case")
    assert d.cases == pytest.approx((2.0, 3.7, 2.0, 3.7))
    assert (d.y_l, d.y_r, d.loss_under_attack) == (-1.0, 2.0, 5.0)
    assert d.groups[0].sent == "right"
    assert d.title == (
        "Of four cases the worst is that all unknown rows swap sides; "
        "the attacker, row by row, makes the loss 5"
    )
    words = d.plot().texts("cases")[0]
    assert words.startswith("Squared error: nobody attacks 2, all unknown rows swap sides 3.7")


def test_the_drawn_numbers_are_those_of_the_split(toy):
    drawn = RobustSplitDisplay.from_trace(toy).plot()
    assert drawn.texts("test") == ["p ≤ 1"]
    assert drawn.texts("prediction") == ["says −1.5", "says 1.6"]
    assert drawn.texts("leaf rows") == ["2 rows end here", "5 rows end here"]
    assert drawn.texts("choice") == ["x2 (y = 0)", "loses 2.56 here, 2.25 on the left"]
    assert drawn.texts("plan") == [
        "best leaves if nobody attacks: −1 and 2",
        "best leaves under attack: −1.5 and 1.6",
    ]
    assert drawn.texts("plan losses") == ["2", "5", "3.39", "3.7"]
    long = [drawn[role][k].get_width() for k in (0, 1) for role in ("plan loss", "plan attacked")]
    assert np.array(long) / long[1] * 5 == pytest.approx([2, 5, 3.39, 3.7]), "one scale"
    for role in ("plan loss", "plan attacked"):
        assert len({bar.get_facecolor() for bar in drawn[role]}) == 1, "one tint each"
    assert len(drawn["ribbon left"]) == 2 and len(drawn["ribbon right"]) == 4, "a strand a row"
    assert drawn.texts("coin") == ["1"]


@pytest.mark.parametrize("name", ["toy", "census", "real"])
def test_the_robust_plan_is_the_split_of_the_trace(name, request):
    trace = request.getfixturevalue(name)
    for step in trace.steps:
        if step.split is None:
            continue
        d = RobustSplitDisplay.from_trace(trace, step.path)
        assert sorted(d.rows[d.goes_left]) == sorted(step.split.left.rows)
        assert (d.plain_loss, d.loss_under_attack) == pytest.approx(
            (step.split.loss, step.split.loss_under_attack)
        )
        assert sum(d.planned) == pytest.approx(d.loss_under_attack)
        assert sum(g.size for g in d.groups) == len(step.split.partition.unknown)


def test_a_standard_plan_is_the_candidate_of_the_unaware_learner(census):
    for step in census.steps:
        if step.split is None:
            continue
        c, d = step.candidates, RobustSplitDisplay.from_trace(census, step.path, "standard")
        i = next(i for i in range(len(c)) if (c.feature[i], c.threshold[i]) == (d.feature, d.threshold))
        assert (d.plain_loss, d.loss_under_attack) == pytest.approx(
            (c.plain_loss[i], c.plain_loss_under_attack[i])
        )
        assert (d.y_l, d.y_r) == pytest.approx((c.plain_y_l[i], c.plain_y_r[i]))


def test_the_worst_of_four_cases_is_what_robust_trees_judge_by():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.integers(0, 10, 60).astype(float)})
    y = (X["a"] + rng.normal(scale=3, size=60) > 5).astype(float).to_numpy()
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1))], 1)
    trace = tv.TreantClassifier(A, loss="sse", max_depth=1).fit(X, y).trace_
    d = RobustSplitDisplay.from_trace(trace, mode="four-case")
    table = Table.of(X, Schema.of(X))
    D, bound = Data.root(Sample(table, y, binary=True)), AttackerOnTable(A, table)
    N = FourCases().best_stumps(D, bound, Constraints.none(), BINARY_SSE, np.array([True]))
    k = [table.threshold(0, v) for v in N.tally.code].index(d.threshold)
    assert max(d.cases) == pytest.approx(N.loss[k])
    assert (d.y_l, d.y_r) == pytest.approx((N.y_l[k], N.y_r[k]))


def test_other_leaves_move_the_choice(toy):
    d = RobustSplitDisplay.from_trace(toy, y_l=-3.0, y_r=1.0)
    assert d.groups[0].worse == d.groups[0].sent == "left"
    assert (d.groups[0].hurt_l, d.groups[0].hurt_r) == (9.0, 1.0)
    assert d.loss_under_attack == pytest.approx(1 + 4 + 9 + 4 * 1)


def test_many_unknown_rows_share_ribbons_by_label_and_home(census, real):
    d = RobustSplitDisplay.from_trace(census, "rl")
    assert [(g.label, g.home, g.sent) for g in d.groups] == [
        ("18 rows with y = 0", "left", "right"),
        ("4 rows with y = 1", "left", "left"),
    ]
    assert d.title == "With leaves that expect the attack, the log-loss is 113; 18 rows are pushed right"
    assert "instead" not in d.title, "113 is not less than 113"
    thick = sorted(thickness(r)[0] for r in d.plot()["ribbon unknown"])
    assert thick[1] / thick[0] == pytest.approx(18 / 4)
    for g in RobustSplitDisplay.from_trace(real).groups:
        assert (g.hurt_l > g.hurt_r) == (g.worse == "left")


def test_an_infinite_loss_is_said_and_drawn(census):
    d = RobustSplitDisplay.from_trace(census, "r", "standard")
    assert (
        d.loss_under_attack == np.inf and d.title == "Pushing 4 rows right raises the log-loss from 120 to ∞"
    )
    drawn = d.plot()
    assert drawn.texts("choice")[-2:] == ["4 rows with y = 0", "lose ∞ here, 0.253 on the left"]
    bars = [*drawn["plan attacked"], *drawn["plan loss"]]
    assert all(np.isfinite(bar.get_width()) for bar in bars)
    assert drawn["plan attacked"][0].get_width() == max(b.get_width() for b in drawn["plan attacked"])


def test_no_unknown_rows_no_ribbons(toy):
    d = RobustSplitDisplay.from_trace(toy, "r")
    drawn = d.plot()
    assert not d.groups and not drawn["ribbon unknown"] and not drawn["coin"]
    assert d.title == "No row can cross q ≤ 3: the attacker has no choice here"
    assert "At the root the attacker decides for 1 row." in d.subtitle


def test_letters_are_large_enough_and_stay_apart(census):
    for mode in ("standard", "four-case", "robust"):
        drawn = RobustSplitDisplay.from_trace(census, "r", mode).plot(palette=LIGHT)
        drawn.figure.draw_without_rendering()
        texts = [
            a
            for found in drawn.artists.values()
            for a in found
            if hasattr(a, "get_fontsize") and a.get_text()
        ]
        assert min(a.get_fontsize() for a in texts) >= SMALL
        boxes = [a.get_window_extent() for a in texts]
        assert not [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b) > 2]


def test_hostile_names_are_drawn_harmlessly():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({EVIL: rng.choice([EVIL, "b"], 40)})
    A = tv.Attacker([tv.Rule(EVIL, 1, pre={"b"}, becomes=EVIL)], 1)
    trace = tv.TreantClassifier(A, min_samples_split=2).fit(X, (X[EVIL] == "b").astype(int)).trace_
    d = RobustSplitDisplay.from_trace(trace)
    assert b"<script>alert" not in render(d, "svg")
    assert len(d.title) < 200


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"mode": "bold"}, "mode: expected 'standard', 'four-case' or 'robust', got 'bold'"),
        ({"path": "zz"}, "path 'zz'"),
        ({"path": "rr"}, "path 'rr': there is no split to draw"),
        ({"y_l": float("nan")}, "y_l: expected a finite number"),
        ({"y_r": "2"}, "y_r: expected a finite number"),
    ],
)
def test_bad_input_is_named(toy, arguments, message):
    with pytest.raises((KeyError, ValueError), match=message):
        RobustSplitDisplay.from_trace(toy, **arguments)


def test_a_probability_lies_between_0_and_1(census):
    with pytest.raises(ValueError, match="y_l: expected a prediction from 0 to 1"):
        RobustSplitDisplay.from_trace(census, "r", y_l=1.5)


def test_what_the_caller_drew_stays(toy):
    figure = Figure()
    ax, other = figure.subplots(1, 2)
    line = ax.plot([0, 1], [0, 1])[0]
    drawn = RobustSplitDisplay.from_trace(toy).plot(ax)
    assert line in ax.lines and drawn.axes == (ax,) and not other.texts


def test_fast_small_and_the_same_every_time(census):
    start = time.process_time()
    d = RobustSplitDisplay.from_trace(census, "l")
    d.plot()
    assert time.process_time() - start < 0.6
    svg = render(d, "svg")
    assert len(svg) < 500_000 and svg == render(d, "svg")


def test_any_candidate_can_be_drawn_with_the_leaves_of_its_record(toy):
    c = toy.at("").candidates
    for i, (f, v) in enumerate(zip(c.feature, c.threshold)):
        d = RobustSplitDisplay.from_trace(toy, feature=f, threshold=v)
        assert (d.feature, d.threshold, d.y_l, d.y_r) == (f, v, c.y_l[i], c.y_r[i])
        assert d.loss_under_attack == pytest.approx(c.loss_under_attack[i])
        plain = RobustSplitDisplay.from_trace(toy, feature=f, threshold=v, mode="standard")
        assert plain.plain_loss == pytest.approx(c.plain_loss[i])


def test_a_feature_alone_means_its_best_candidate(toy):
    d = RobustSplitDisplay.from_trace(toy, feature="q")
    assert (d.test, d.loss_under_attack) == ("q ≤ 2", pytest.approx(3.7))


def test_a_test_that_was_no_candidate_has_no_robust_leaves_of_its_own(toy):
    with pytest.raises(ValueError, match=r"threshold: 4\.0 was no candidate of 'q'"):
        RobustSplitDisplay.from_trace(toy, feature="q", threshold=4.0)
    given = RobustSplitDisplay.from_trace(toy, feature="q", threshold=4.0, y_l=0.0, y_r=0.0)
    assert given.loss_under_attack == pytest.approx(21.0)  # 4 + 1 + 0 + 4 * 4
    assert RobustSplitDisplay.from_trace(toy, feature="q", threshold=4.0, mode="standard").counts == (7, 0, 0)


@pytest.mark.parametrize(
    ("given", "said"), [({"feature": "r"}, "r"), ({"threshold": "a"}, "needs a finite number")]
)
def test_a_wrong_test_is_named(toy, given, said):
    with pytest.raises((KeyError, ValueError), match=said):
        RobustSplitDisplay.from_trace(toy, **given)

"""Robust splits as they are drawn: heights are rows, ribbons keep theirs, and titles are true."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.viz.measures import thickness
from treant_viz.viz.robust_split.display import RobustSplitDisplay
from treant_viz.viz.style.text import number
from treant_viz.viz.ternary_partition.display import TernaryPartitionDisplay

EVIL = "<script>alert('x')</script> $\\frac{1}{0}$ \"q\" 🙂 שלום" + "a" * 80


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_


@pytest.fixture
def census(census_trace):
    return census_trace


def heights(drawn, role):
    return [a.get_height() for a in drawn[role]]


@pytest.mark.parametrize("name", ["toy", "census", "real"])
@pytest.mark.parametrize("mode", ["standard", "four-case", "robust"])
def test_all_heights_are_rows_and_ribbons_keep_theirs(name, mode, request):
    d = RobustSplitDisplay.from_trace(request.getfixturevalue(name), mode=mode)
    drawn = d.plot()
    unit = sum(
        heights(drawn, f"before {r}")[0] for r in ("left", "unknown", "right") if drawn[f"before {r}"]
    ) / len(d.rows)
    for n, role in zip(d.counts, ("left", "unknown", "right")):
        assert sum(heights(drawn, f"before {role}")) == pytest.approx(n * unit)
        assert sum(heights(drawn, f"after {role}")) == pytest.approx(n * unit), "nobody is lost on the way"
        for ribbon in drawn[f"ribbon {role}"]:
            assert thickness(ribbon) == pytest.approx(thickness(ribbon)[0])
        assert sum(thickness(r)[0] for r in drawn[f"ribbon {role}"]) == pytest.approx(n * unit)
    away = sum(g.size for g in d.groups if g.worse != g.home or g.sent != g.worse)
    assert sum(heights(drawn, "ghost bar")) == pytest.approx(away * unit)
    assert len(drawn["coin"]) == sum(g.worse != g.home for g in d.groups)


@pytest.mark.parametrize("mode", ["standard", "four-case", "robust"])
def test_bars_of_a_leaf_do_not_overlap_and_ribbons_end_on_them(census, mode):
    d = RobustSplitDisplay.from_trace(census, mode=mode)
    drawn = d.plot()
    roles = ("left", "unknown", "right")
    shown = [b for role in roles for b in drawn[f"after {role}"]] + [*drawn["ghost bar"]]
    bars = sorted((b.get_y(), b.get_y() + b.get_height()) for b in shown)
    assert all(top <= low + 1e-6 for (_, top), (low, _) in pairwise(bars))
    paths = [ribbon.get_path().vertices for role in roles for ribbon in drawn[f"ribbon {role}"]]
    ends = sorted((at[4, 1], at[3, 1]) for at in paths)
    assert all(any(np.allclose(end, bar) for bar in bars) for end in ends)


def test_the_larger_loss_wins_and_the_ribbon_goes_there(toy):
    drawn = RobustSplitDisplay.from_trace(toy).plot()
    assert drawn.texts("choice")[1].endswith(" on the left"), "what it would lose there"
    (ribbon,), (ghost,) = drawn["ribbon unknown"], drawn["ghost bar"]
    assert drawn.texts("ghost words") == ["x2 if nobody attacks"]
    right, left = drawn["after right"][0], drawn["after left"][0]
    assert ribbon.get_path().vertices[4, 1] == pytest.approx(right.get_y() + right.get_height()), (
        "on the right leaf"
    )
    middle = ghost.get_y() + ghost.get_height() / 2
    assert ribbon.get_path().vertices[3, 1] < middle < left.get_y(), "the empty place is at home"


def test_losses_in_the_leaves_add_up_to_what_the_title_says(census, toy):
    for trace, mode in ((census, "robust"), (census, "four-case"), (toy, "standard"), (toy, "robust")):
        d = RobustSplitDisplay.from_trace(trace, mode=mode)
        assert sum(d.leaf_losses) == pytest.approx(d.loss_under_attack)
        assert number(d.loss_under_attack) in d.title


def test_leaves_typed_in_by_hand_are_not_called_a_plan(toy):
    for mode in ("robust", "standard", "four-case"):
        d = RobustSplitDisplay.from_trace(toy, mode=mode, y_l=-1.0, y_r=3.0)
        assert d.title == "With these leaves x2 is pushed right: that makes the loss 14"
        assert "lanned" not in d.title and "The leaves are chosen by hand." in d.subtitle
        assert [p.name for p in d.plans if p.chosen] == ["by hand"]
    still = RobustSplitDisplay.from_trace(toy, y_l=-3.0, y_r=1.0)
    assert still.title == "With these leaves the attacker pushes nobody: that makes the loss 18"


def test_a_tie_stays_at_home_and_nothing_wins(toy):
    d = RobustSplitDisplay.from_trace(toy, y_l=-1.0, y_r=1.0)
    assert d.groups[0].sent == d.groups[0].worse == "left"
    drawn = d.plot()
    assert (
        drawn.texts("choice") == ["x2 (y = 0)", "loses 1 on either side"]
        and not drawn["ghost bar"]
        and not drawn["coin"]
    )


def test_a_choice_that_gains_nothing_is_said(toy):
    d = RobustSplitDisplay.from_trace(toy, mode="standard", feature="p", threshold=-5.0)
    assert d.loss_under_attack > d.plain_loss, "x1 would lose more on the right"
    X = pd.DataFrame({"p": [0.0, 1.0, 5.0, 6.0]})
    A = tv.Attacker([tv.Rule("p", 1, pre=(1, 1), delta=(0, 9))], 1)
    trace = tv.TreantRegressor(A, min_samples_split=2, max_depth=1).fit(X, [0.0, -1.0, 1.0, 1.0]).trace_
    gains = RobustSplitDisplay.from_trace(trace, mode="standard", feature="p", threshold=1.0)
    assert gains.title == "Pushing x1 right raises the squared error from 0.5 to 4.25"
    X = pd.DataFrame({"p": [0.0, 1.0, 5.0, 6.0]})
    trace = tv.TreantRegressor(A, min_samples_split=2, max_depth=1).fit(X, [0.0, 2.0, 3.0, 3.0]).trace_
    none = RobustSplitDisplay.from_trace(trace, mode="standard", feature="p", threshold=1.0, y_l=None)
    assert none.groups[0].worse == "left"
    assert none.title == "The attacker has a choice, but gains nothing by it: the loss stays 2"


def test_it_opens_where_most_rows_are_at_risk_on_leaves_that_move_some(census, wine):
    assert RobustSplitDisplay.from_trace(census, "").test == "marital_status = Married-civ-spouse"
    for trace in (census, wine):
        d = RobustSplitDisplay.from_trace(trace)
        assert d.unaware == d.subtitle.startswith("A learner unaware of the attacker asks this test; ")
        assert (d.feature, d.threshold, d.counts) == (
            (there := TernaryPartitionDisplay.from_trace(trace)).feature, there.threshold, there.counts
        )  # fmt: skip
        assert d.mode == "standard" and any(g.worse != g.home for g in d.groups)
        assert d.title.endswith(f"; no split at all loses only {number(d.plans[-1].loss_under_attack)}")
        assert d.worthless and "the split is worthless" in d.alt_text
        assert d.plot().texts("plan")[-1].endswith(", like no split")
        shown = [g for g in d.groups if g.size > 0.05 * len(d.rows)]
        named = {words.split(",")[0] for words in d.plot().texts("band")}
        assert {f"{g.size} rows" for g in shown} <= named, "who runs in a ribbon is said on it"
    d = RobustSplitDisplay.from_trace(wine, "")
    assert d.title == "No row can cross alcohol ≤ 11.5: the attacker has no choice here"
    assert "the attacker would decide for 706 rows" in d.subtitle
    assert RobustSplitDisplay.from_trace(wine, feature="alcohol", threshold=11.0).counts[1] == 706


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    return (
        tv.TreantClassifier(data.attacker, max_depth=1).fit(data.X_train[:1000], data.y_train[:1000]).trace_
    )


def test_rows_that_pay_differently_are_told_apart(wine):
    d = RobustSplitDisplay.from_trace(wine, feature="alcohol", threshold=10.4, mode="standard")
    costs = {g.label: g.cost for g in d.groups if g.worse != g.home}
    assert all(0 < low < high <= 120 for low, high in costs.values())
    drawn = d.plot()
    assert drawn.texts("up to") == ["up to"] * len(costs)
    assert drawn.texts("coin") == [number(high) for _, high in costs.values()]


def test_leaves_that_are_equal_leave_the_attacker_nothing_to_gain_and_the_title_says_so():
    """At alcohol 10.2 so many rows are the attacker's that the best leaves are equal."""
    wine = tv.load_wine()
    m = tv.TreantClassifier(attacker=wine.attacker, max_depth=2, min_samples_split=20)
    trace = m.fit(wine.X_train[:1000], wine.y_train[:1000]).trace_
    d = tv.RobustSplitDisplay.from_trace(trace, feature="alcohol", threshold=10.2)
    assert d.y_l == pytest.approx(d.y_r)
    assert d.y_l == pytest.approx(wine.y_train[:1000].mean())
    assert d.title == "Against these leaves no push gains anything: the log-loss is 640 instead of 873"
    assert d.worthless

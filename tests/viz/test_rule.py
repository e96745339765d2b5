"""RuleDisplay: what is drawn is what the attacker can do, for what it costs."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import pytest

import treant_viz as tv
from tests.viz.measures import overlap
from treant_viz.viz.rule.display import RuleDisplay

WINE = tv.Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5))
CIVIL = tv.Rule("status", 1, pre={"Divorced", "Separated"}, becomes="Never-married")


def test_gold_ends_where_the_attacker_does_and_every_hop_has_its_price():
    """From 9.5 in steps of half a degree: 10 for 20, 10.5 for 40, 11 for 60; from 11.5 on no rule applies."""
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), values=[9.5, 10.75, 11.5])
    drawn = shown.plot()
    assert drawn.texts("value words") == ["9.5", "10.75", "11.5"]
    ends = {(round(a.get_x(), 9), round(a.get_x() + a.get_width(), 9)) for a in drawn["reach"]}
    assert ends == {(9.5, 10.0), (9.5, 10.5), (9.5, 11.0), (10.75, 11.25), (10.75, 11.5)}
    at = {(t.get_text(), t.get_position()[0]) for t in drawn["coin"]}
    assert at == {("20", 9.75), ("20", 10.25), ("20", 10.75), ("20", 11.0), ("20", 11.375)}
    assert len(drawn["hop"]) == len(drawn["coin"])
    assert drawn.texts("end value") == ["11", "10.5", "10", "11.5", "11.25"]
    assert drawn.texts("outcome") == ["no rule applies here"]
    assert shown.title == "For 60, the attacker can raise alcohol from 9.5 to 11"
    assert (
        "For 40, 10.75 becomes 10.75 to 11.5." in shown.alt_text
        and "11.5 stays what it is." in shown.alt_text
    )
    assert shown.subtitle == (
        "The rule: while alcohol is from 0 to 11, raise by up to 0.5, for 20 each time. "
        "The attacker may spend 60 on one row."
    )


def test_bands_are_of_one_height_so_that_only_their_length_speaks():
    drawn = RuleDisplay.from_attacker(tv.Attacker([WINE], 60)).plot()
    assert len({round(a.get_height(), 9) for a in drawn["reach"]}) == 1


def test_a_rule_without_choice_makes_ticks_not_bars_and_gaps_stay_gaps():
    """+10 for 1, no more and no less: 0 becomes 10, or 20 for 2, and nothing in between."""
    shown = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("f", 1, delta=(10, 10))], 2), values=[0])
    drawn = shown.plot()
    assert sorted({float(a.get_xdata()[0]) for a in drawn["reach"]}) == [10.0, 20.0]
    assert "For 2, 0 becomes 0 or 10 or 20." in shown.alt_text
    assert shown.title == (
        "For 2, the attacker can move f = 0 to values from 0 to 20, though not everything between"
    )
    assert drawn.texts("end value") == ["20", "10"]


def test_payments_too_close_to_be_told_apart_are_one_hop_with_their_sum():
    """One step on the line, a far value beside it: the coins still add up to what the reach costs."""
    A = tv.Attacker([tv.Rule("f", 1, delta=(0, 1))], 5)
    drawn = RuleDisplay.from_attacker(A, values=[0.0, 200.0]).plot()
    coins = {t.get_gid(): float(t.get_text()) for t in drawn["coin"]}
    assert sum(v for k, v in coins.items() if k.endswith("-0")) == 5.0
    assert sum(v for k, v in coins.items() if k.endswith("-200")) == 5.0


@pytest.mark.parametrize(
    ("delta", "title", "ends"),
    [
        (
            (-1, 1),
            "For 3, the attacker can raise or lower any p by up to 3",
            {"−3", "−2", "−1", "+1", "+2", "+3"},
        ),
        ((-1, 0), "For 3, the attacker can lower any p by up to 3", {"−3", "−2", "−1"}),
        ((0, 2), "For 3, the attacker can raise any p by up to 6", {"+2", "+4", "+6"}),
    ],
)
def test_a_rule_that_applies_everywhere_is_shown_as_a_change(delta, title, ends):
    shown = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("p", 1, delta=delta)], 3))
    drawn = shown.plot()
    assert shown.title == title and set(drawn.texts("end value")) == ends
    assert drawn.texts("value words") == ["any value"]
    assert drawn.texts("axis") == ["change of p"] and drawn.texts("or") == ["or"] * (delta == (-1, 1))


def test_categories_are_arrows_into_one_node_and_what_no_rule_touches_stays():
    shown = RuleDisplay.from_attacker(tv.Attacker([CIVIL], 5))
    drawn = shown.plot()
    assert drawn.texts("value words") == ["Divorced", "Separated"]
    assert drawn.texts("becomes") == ["Never-married"] and drawn.texts("stays") == [
        "no rule changes this one"
    ]
    assert drawn.texts("coin") == ["1", "1"] and len(drawn["reach"]) == 2
    assert shown.title == "Divorced and Separated can become Never-married, for 1 each"


def test_the_default_feature_is_one_that_rows_have():
    """Nobody has never worked: with rows the picture opens on what most of them can be changed in."""
    rules = [tv.Rule("work", 1, pre={"never"}, becomes="unpaid"), CIVIL, tv.Rule("age", 5, delta=(0, 1))]
    X = pd.DataFrame(
        {"work": ["paid"] * 3, "status": ["Divorced", "Married", "Divorced"], "age": [30, 40, 40]}
    )
    assert RuleDisplay.from_attacker(tv.Attacker(rules, 5)).feature == "age"
    shown = RuleDisplay.from_attacker(tv.Attacker(rules[:2], 5), X=X)
    assert shown.feature == "status"
    assert [lane.value for lane in shown.lanes] == ["Divorced", "Never-married"]
    seen = RuleDisplay.from_attacker(tv.Attacker(rules, 5), X=X)
    assert seen.feature == "age" and [lane.value for lane in seen.lanes] == [40]


def test_what_one_way_costs_is_not_taken_off_the_other():
    """Up by 2 for 1, down by 4 for 3: from 8 it is 4 for 3, or 10 for 1 and 12 for 2."""
    rules = [tv.Rule("a", 1, pre=(0, 10), delta=(0, 2)), tv.Rule("a", 3, pre=(5, 20), delta=(-4, 0))]
    drawn = RuleDisplay.from_attacker(tv.Attacker(rules, 3), values=[8]).plot()
    assert {(t.get_text(), t.get_position()[0]) for t in drawn["coin"]} == {("3", 6), ("1", 9), ("1", 11)}
    said = {(t.get_text(), t.get_position()[0]) for t in drawn["price"]}
    assert said == {("in reach for 3", 6), ("in reach for 1", 9), ("in reach for 2", 11)}


def test_the_default_value_does_not_end_just_where_the_rule_does():
    """From 9.5 the money ends at 11, where the rule does; from 9.4 it ends before, and one sees why."""
    X = pd.DataFrame({"alcohol": [9.5] * 3 + [9.4] * 2 + [12.0] * 9})
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), X=X)
    assert [lane.value for lane in shown.lanes] == [9.4]
    alone = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), X=X[:3])
    assert [lane.value for lane in alone.lanes] == [9.5], "if there is no other"


def test_who_cannot_pay_changes_nothing_and_the_title_says_so():
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 10))
    assert shown.title == "With 10 to spend, the attacker can change none of these values of alcohol"
    drawn = shown.plot()
    assert "reach" not in drawn.artists and "hop" not in drawn.artists
    assert drawn.texts("outcome") == ["10 is not enough", "10 is not enough", "no rule applies here"]


def test_where_a_rule_ends_is_marked_on_the_line():
    drawn = RuleDisplay.from_attacker(tv.Attacker([WINE], 60)).plot()
    [end] = drawn["end of a rule"]
    assert (
        set(end.get_xdata()) == {11.0} and drawn.texts("end words")[0].strip() == "no step starts beyond 11"
    )


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: RuleDisplay.from_attacker("wine"), TypeError, "attacker: expected an Attacker, got str"),
        (
            lambda: RuleDisplay.from_attacker(tv.Attacker([], 1)),
            ValueError,
            "attacker: expected one with rules",
        ),
        (
            lambda: RuleDisplay.from_attacker(tv.Attacker([WINE], 1), "ph"),
            ValueError,
            "feature: no rule is on 'ph'",
        ),
        (
            lambda: RuleDisplay.from_attacker(tv.Attacker([WINE], 1), values=[]),
            ValueError,
            "values: expected at least",
        ),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_the_line_keeps_clear_of_the_edges_and_its_numbers_are_short():
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 60))
    drawn = shown.plot()
    drawn.figure.canvas.draw()
    ax = drawn.axes[0]
    box, page = ax.get_window_extent(), ax.get_figure(root=True).bbox
    assert box.x0 >= 30 and page.width - box.x1 >= 30
    ends = drawn.texts("value words") + drawn.texts("end value")
    assert "9.5" in ends and "10" in ends and not any(t.endswith((".0", "0.50")) for t in ends)
    roles = ("value words", "end value", "outcome", "end words", "rule", "left")
    boxes = [t.get_window_extent() for role in roles for t in drawn[role]]
    assert all(page.x0 + 10 <= b.x0 and b.x1 <= page.x1 - 10 and b.y0 >= page.y0 + 5 for b in boxes)
    assert max(overlap(a, b) for a, b in itertools.combinations(boxes, 2)) <= 0.0


@pytest.mark.parametrize(
    ("value", "budget", "words"),
    [
        (9.5, 60, "nothing left, 20 needed"),
        (9.5, 50, "only 10 left, 20 needed"),
        (9.5, 10, "only 10 left, 20 needed"),
    ],
)
def test_why_it_stops_is_the_next_payment_that_cannot_be_made(value, budget, words):
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], budget), values=[value])
    drawn = shown.plot()
    assert drawn.texts("refused coin") == ["20"] and drawn.texts("left") == [words]
    [stage] = shown.too_dear
    [landing] = drawn["refused value"]
    assert landing.get_position()[0] == stage.reach[1] and float(landing.get_text()) == stage.reach[1]
    assert stage.cost == 20 * (budget // 20 + 1) and stage.reach == (9.5, 9.5 + 0.5 * (budget // 20 + 1))


def test_where_rules_end_before_the_money_does_no_payment_is_refused():
    """10.9 becomes at most 11.5 for 40, and nothing applies there, however much is left."""
    drawn = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), values=[10.9]).plot()
    assert not drawn["refused hop"] and not drawn["left"]
    assert not RuleDisplay.from_attacker(tv.Attacker([WINE], math.inf), values=[9.5]).plot()["refused hop"]


def test_a_rule_that_starts_at_the_left_edge_is_not_cut_off():
    """Capital gain starts at 0, where the rule does: its words stand on the right of the line."""
    gain = tv.Rule("capital_gain", 50, pre=(0, math.inf), delta=(0, 2000))
    drawn = RuleDisplay.from_attacker(tv.Attacker([gain], 60), values=[0]).plot()
    [words] = drawn["end words"]
    drawn.figure.canvas.draw()
    assert words.get_text() == "no step starts below 0" and words.get_window_extent().x0 > 10


def test_examples_stay_where_values_can_be():
    """Hours begin at 0: none of the examples lies below; above an end come values on both of its sides."""
    hours = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("hours", 1, pre=(0, math.inf), delta=(0, 4))], 1))
    assert [lane.value for lane in hours.lanes] == [0.0, 12.0]
    assert hours.texts == ["from 0 on, raise by up to 4, for 1 each time"]
    sulfur = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("s", 1, pre=(25, math.inf), delta=(-2, 0))], 1))
    assert [lane.value for lane in sulfur.lanes] == [23.0, 25.0, 31.0]
    assert [len(lane.stages) for lane in sulfur.lanes] == [1, 2, 2]


@pytest.mark.parametrize(
    "attacker", [tv.Attacker([CIVIL], 1), tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 1)]
)
def test_a_small_picture_stands_in_the_middle(attacker):
    drawn = RuleDisplay.from_attacker(attacker).plot()
    at = [e for t in (*drawn["value words"], *drawn["coin"]) for e in t.get_window_extent().intervaly]
    low, high = sorted(drawn.axes[0].get_window_extent().intervaly)
    assert abs((min(at) + max(at)) / 2 - (low + high) / 2) < 0.15 * (high - low)


def test_the_band_stands_on_an_axis_with_a_number_under_every_end():
    """Its band rests on the axis, hops leave from the ring, a far step keeps its true length."""
    gain = tv.Rule("capital_gain", 50, pre=(0, math.inf), delta=(0, 2000))
    drawn = RuleDisplay.from_attacker(tv.Attacker([gain], 60), values=[0]).plot()
    ax, [band] = drawn.axes[0], drawn["reach"]
    assert band.get_y() + band.get_height() == pytest.approx(ax.get_ylim()[0])
    [ring] = drawn["value"]
    assert ring.get_ydata()[0] == pytest.approx(band.get_y())
    drawn.figure.canvas.draw()
    under = [t for role in ("value words", "end value", "refused value") for t in drawn[role]]
    assert [(t.get_text(), t.get_position()[0]) for t in under] == [
        ("0", 0),
        ("2,000", 2000),
        ("4,000", 4000),
    ]
    assert drawn.texts("axis") == ["capital_gain"]


def test_a_band_says_what_it_costs_in_all_to_get_there():
    """Half a degree for 20: up to 10 for 20, on to 10.5 for 40 in all, on to 11 for 60."""
    drawn = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), values=[9.5]).plot()
    said = [(t.get_text(), t.get_position()[0]) for t in drawn["price"]]
    assert said == [(f"in reach for {n}", x) for n, x in ((20, 9.75), (40, 10.25), (60, 10.75))]
    both = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 2), values=[0]).plot()
    at = {(t.get_text().removeprefix("in reach "), t.get_position()[0]) for t in both["price"]}
    assert at == {("for 2", -1.5), ("for 1", -0.5), ("for 1", 0.5), ("for 2", 1.5)}
    gaps = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("f", 1, delta=(10, 10))], 2), values=[0]).plot()
    assert not gaps["price"], "nothing between 0 and 10 can be had for any money"


def test_a_step_that_leads_far_away_does_not_squeeze_the_others():
    far = [tv.Rule("f", 1, delta=(0, 1)), tv.Rule("f", 5, delta=(0, 1000))]
    drawn = RuleDisplay.from_attacker(tv.Attacker(far, 4), values=[0]).plot()
    assert not drawn["refused hop"] and drawn.axes[0].get_xlim()[1] < 6.0
    assert len(drawn["where it applies"]) == 2 and drawn.texts("rule")[1].startswith("Rule 2 (thick line): ")

"""RuleDisplay: what is drawn is what the attacker can do, for what it costs."""

from __future__ import annotations

import math

import pytest

import treant_viz as tv
from treant_viz.viz.rule.display import RuleDisplay

WINE = tv.Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5))
CIVIL = tv.Rule("status", 1, pre={"Divorced", "Separated"}, becomes="Never-married")


def test_bars_end_where_the_attacker_does_and_coins_say_for_how_much():
    """From 9.5 in steps of half a degree: 10 for 20, 10.5 for 40, 11 for 60; from 11.5 on no rule applies."""
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 60), values=[9.5, 10.75, 11.5])
    drawn = shown.plot()
    assert drawn.texts("value words") == ["9.5", "10.75", "11.5"]
    ends = {(round(a.get_x(), 9), round(a.get_x() + a.get_width(), 9)) for a in drawn["reach"]}
    assert ends == {(9.5, 10.0), (9.5, 10.5), (9.5, 11.0), (10.75, 11.25), (10.75, 11.5)}
    at = {(t.get_text(), t.get_position()[0]) for t in drawn["coin"]}
    assert at == {("20", 10.0), ("40", 10.5), ("60", 11.0), ("20", 11.25), ("40", 11.5)}
    assert shown.title == "For up to 60 the attacker turns alcohol = 9.5 into anything from 9.5 to 11"
    assert shown.subtitle.endswith("A dot alone: no rule applies there.")
    assert (
        "For 40, 10.75 becomes 10.75 to 11.5." in shown.alt_text
        and "11.5 stays what it is." in shown.alt_text
    )
    assert drawn.texts("rule") == ["from 0 to 11: change by 0 to 0.5 for 20"]


def test_a_rule_without_choice_makes_ticks_not_bars_and_gaps_stay_gaps():
    """+10 for 1, no more and no less: 0 becomes 10, or 20 for 2, and nothing in between."""
    shown = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("f", 1, delta=(10, 10))], 2), values=[0])
    drawn = shown.plot()
    assert sorted({float(a.get_xdata()[0]) for a in drawn["reach"]}) == [10.0, 20.0]
    assert "For 2, 0 becomes 0 or 10 or 20." in shown.alt_text
    assert shown.title == "For up to 2 the attacker turns f = 0 into anything in bold from 0 to 20"


def test_categories_are_arrows_and_what_no_rule_touches_stays():
    shown = RuleDisplay.from_attacker(tv.Attacker([CIVIL], 5))
    drawn = shown.plot()
    assert drawn.texts("value words") == ["Divorced", "Separated", "Never-married"]
    assert drawn.texts("becomes") == ["Never-married"] * 2 and drawn.texts("stays") == ["stays what it is"]
    assert drawn.texts("coin") == ["1", "1"] and len(drawn["reach"]) == 2
    assert shown.title == "For up to 1 the attacker turns status = Divorced into Never-married"
    assert shown.subtitle.endswith("No arrow: no rule applies.")


def test_who_cannot_pay_changes_nothing_and_the_title_says_so():
    shown = RuleDisplay.from_attacker(tv.Attacker([WINE], 10))
    assert shown.title == "With 10 to spend, the attacker can change none of these values of alcohol"
    assert "reach" not in shown.plot().artists


def test_where_a_rule_applies_is_drawn_as_far_as_the_line_goes():
    drawn = RuleDisplay.from_attacker(tv.Attacker([WINE], 60)).plot()
    [band] = drawn["where it applies"]
    assert band.get_xdata()[1] == 11.0 and band.get_xdata()[0] == drawn.axes[0].get_xlim()[0]


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
    ticks = [t.get_text() for t in ax.get_xticklabels()]
    assert "9.5" in ticks and "10" in ticks and not any(t.endswith((".0", "0.50")) for t in ticks)


def test_examples_stay_where_values_can_be():
    """Hours begin at 0: none of the examples lies below; above an end come values on both of its sides."""
    hours = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("hours", 1, pre=(0, math.inf), delta=(0, 4))], 1))
    assert [lane.value for lane in hours.lanes] == [0.0, 4.0, 12.0]
    assert hours.texts == ["from 0 on: change by 0 to 4 for 1"]
    sulfur = RuleDisplay.from_attacker(tv.Attacker([tv.Rule("s", 1, pre=(25, math.inf), delta=(-2, 0))], 1))
    assert [lane.value for lane in sulfur.lanes] == [23.0, 25.0, 27.0, 31.0]
    assert [len(lane.stages) for lane in sulfur.lanes] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    "attacker", [tv.Attacker([CIVIL], 1), tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 1)]
)
def test_a_small_picture_stands_in_the_middle(attacker):
    drawn = RuleDisplay.from_attacker(attacker).plot()
    low, high = sorted(drawn.axes[0].get_ylim())
    at = [t.get_position()[1] for t in drawn["value words"]]
    assert abs(sum(at) / len(at) - (low + high) / 2) < 0.2 * (high - low)

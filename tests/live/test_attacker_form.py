"""build_attacker: the attacker is always the last one that was right; what the browser is told is true."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.conftest import PEOPLE, TOY
from treant_viz.live.displays import explorer_of
from treant_viz.live.explore.attacker import of_display
from treant_viz.live.explore.rule_text import attacker_code, budget_in, rule_in

CASES = json.loads((Path(__file__).parents[1] / "rule_cases.json").read_text("utf-8"))


def card(**more):
    """A card as the browser sends it."""
    empty = {"feature": "p", "kind": "number", "cost": "1", "low": "", "high": "", "least": "-1", "most": "1"}
    return empty | {"pre": None, "becomes": None, "rule": None} | more


def asked(ex, *cards, **more):
    return ex.answer({"cards": list(cards), "budget": "1", "row": 0} | more)


# the first frame


def test_the_first_frame_of_the_toy_shows_its_rule_at_work(form):
    assert form.attacker == TOY.attacker and form.rules == TOY.attacker.rules
    assert (form.feature, form.editing, form.budget) == ("p", 0, 1)
    assert form.display.title == "For 1, the attacker can move p = −7 to values from −8 to −6"
    bundle, _ = form._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(bundle)
    assert bundle["text/plain"] == form.display.summary


def test_the_toys_rows_alone_bring_their_rule():
    assert tv.build_attacker(TOY.X).attacker == TOY.attacker


def test_without_rows_a_few_values_are_made_up():
    ex = tv.build_attacker()
    assert ex.attacker == TOY.attacker and ex.facts()["data"] is False
    assert [ex.rows.value(i, "p", ex.attacker) for i in range(5)] == [-2, -1, 0, 1, 2]


def test_a_made_up_feature_outlives_its_rules():
    ex = tv.build_attacker()
    asked(ex, card(feature="job", kind="category", becomes="clerk"))
    found = asked(ex, card())["features"]
    assert [f["key"] for f in found] == ["p", "job"]
    assert [c["key"] for c in found[1]["categories"]] == ["clerk"]


def test_rows_without_attacker_start_with_no_rule():
    ex = tv.build_attacker(PEOPLE)
    assert ex.attacker == tv.Attacker([], 1) and ex.editing is None
    assert ex.display.title == "No rule changes age: the attacker can do nothing to it"


def test_a_fitted_tree_brings_rows_and_attacker():
    model = tv.TreantRegressor(TOY.attacker, min_samples_split=2, max_depth=1).fit(TOY.X, TOY.y)
    assert tv.build_attacker(model).attacker == TOY.attacker


def test_it_opens_on_a_row_that_can_be_moved():
    """Nobody of the first rows has never worked, as the first rule of the census asks."""
    ex = tv.build_attacker(tv.load_census())
    assert ex.feature == "marital_status" and ex.display.title.endswith("can become Never-married, for 1")


# facts


# what is typed


@pytest.mark.parametrize("case", CASES["cards"], ids=lambda c: c["name"])
def test_all_that_is_wrong_on_a_card_is_said_at_once(case):
    """The same cases hold for the browser: test/attacker.test.js."""
    given = card(**case["card"])
    rule, faults = rule_in(given, given["feature"], given["kind"] == "category")
    assert faults == case["faults"]
    assert (rule is None) == bool(faults)
    if rule is not None:
        assert json.loads(json.dumps(rule.to_dict())) == case["rule"]


@pytest.mark.parametrize(("text", "budget"), CASES["budgets"])
def test_budgets_are_read_as_words_say(text, budget):
    if budget is None:
        with pytest.raises(ValueError, match=r"budget: expected a number of at least 0, or inf, got"):
            budget_in(text)
    else:
        assert budget_in(text) == (math.inf if budget == "inf" else budget)


def test_faults_of_several_cards_and_of_the_budget_come_together(people):
    cards = [
        card(feature="age", cost="x", least="3"),
        card(feature="status", kind="category"),
        card(feature="score"),
    ]
    found = asked(people, *cards, budget="-1")
    assert set(found["faults"]) == {"0", "1", "budget"}
    assert set(found["faults"]["0"]) == {"cost", "most"} and set(found["faults"]["1"]) == {"becomes"}
    assert found["read"][2] == tv.Rule("score", 1, delta=(-1, 1)).to_dict(), "the right one is taken over"


def test_what_is_wrong_leaves_the_last_rule_that_was_right(people):
    was = people.rules[0].to_dict()
    found = asked(people, card(feature="age", cost="x", rule=was), row=1)
    assert found["read"] == [was] and found["rules"] == [was]


def test_a_rule_never_changes_its_feature_so_none_is_lost(form):
    """Change p's rule to -2..2, look at q, add a rule: there is one rule on each, both as they were made."""
    p, q = card(least="-2", most="2"), card(feature="q", cost="2", least="-1", most="0")
    found = asked(form, p, q)
    form.hear({"rules": found["read"], "budget": 1, "feature": "1", "editing": 1, "row": 0})
    assert form.rules == (tv.Rule("p", 1, delta=(-2, 2)), tv.Rule("q", 2, delta=(-1, 0)))
    assert (form.feature, form.editing) == ("q", 1)


@pytest.mark.parametrize(
    "question",
    [{}, {"cards": 3}, {"cards": ["x"]}, {"cards": [{}] * 2000}, {"cards": [{"feature": "z"}]}, {"row": -1},
     {"cards": [], "row": 99}, {"file": "{"}, {"cards": [{"feature": "p", "rule": {"cost": "x"}}]}],
)  # fmt: skip
def test_what_no_page_asks_is_refused(form, question):
    before = form.state
    reply = form.answered(question)
    assert set(reply) == {"error"} and len(reply["error"]) < 500
    assert form.state == before


def test_code_that_is_typed_is_never_run(form):
    found = asked(form, card(cost="__import__('os').getpid()"))
    assert "cost: expected a number" in found["faults"]["0"]["cost"]


# from Python and back


def test_an_attacker_set_from_python_is_what_the_browser_is_told(form):
    A = tv.Attacker([tv.Rule("q", 5, pre=(0, 3), delta=(0, 0.25))], 7)
    form.attacker = A
    assert form.attacker is A and (form.budget, form.feature, form.editing) == (7, "q", 0)
    told = form.widget.state
    assert told["rules"] == [A.rules[0].to_dict()] and told["budget"] == 7 and told["feature"] == "1"


def test_the_budget_and_the_attacker_move_together(form):
    form.budget = 3
    assert form.attacker.budget == 3
    form.attacker = form.attacker.with_budget(2)
    assert form.budget == 2


def test_the_hand_and_python_agree_and_what_cannot_be_is_put_back(form):
    form.hear(form._to_browser() | {"budget": "inf", "row": 3})
    assert (form.attacker.budget, form.row) == (math.inf, 3)
    before = form.state
    for wrong in ({"rules": [{"feature": "z", "cost": 1, "delta": [0, 1]}]}, {"budget": "x"}, {"row": 70}):
        form.hear(form._to_browser() | wrong)
        assert form.state == before


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ("attacker", "nobody", "attacker"),
        ("attacker", tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1), "'z' is not a column"),
        (
            "attacker",
            tv.Attacker([tv.Rule("p", 1, becomes="a")], 1),
            "categorical, but the column holds numbers",
        ),
        ("budget", -1, "budget: expected a number of at least 0, or infinity, got -1"),
        ("editing", 1, "editing: expected None or a rule's place below 1"),
        ("feature", "z", "feature 'z' is not a column"),
        ("row", 7, "row: expected a whole number from 0 to 6, got 7"),
    ],
)
def test_what_cannot_be_is_refused_and_the_state_stays(form, trait, value, words):
    state = form.state
    with pytest.raises(TraitError, match=words):
        setattr(form, trait, value)
    assert form.state == state


def test_bad_arguments_are_refused():
    with pytest.raises(TypeError, match="attacker: expected an Attacker"):
        tv.build_attacker(TOY.X, "me")
    with pytest.raises(TraitError, match="'z' is not a column"):
        tv.build_attacker(TOY.X, tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1))
    with pytest.raises(TraitError, match="budget: expected a number of at least 0"):
        tv.build_attacker(TOY, budget=-1)
    with pytest.raises(TypeError, match="'speed' cannot be set"):
        tv.build_attacker(TOY, speed=1)


def test_the_rule_in_hand_is_on_the_feature_that_is_shown(people):
    again = tv.build_attacker(PEOPLE, people.attacker, budget=2, editing=1)
    assert (again.attacker.budget, again.editing, again.feature) == (2, 1, "status")
    again.feature = "score"
    assert again.editing is None and again.attacker.rules == people.rules
    again.editing = 0
    assert again.feature == "age"


def test_features_by_index_are_shown_by_name():
    A = tv.Attacker([tv.Rule(1, 1, delta=(-1, 1))], 1)
    ex = tv.build_attacker(TOY.X, A)
    assert ex.attacker == A and ex.feature == "q"
    assert ex.facts()["rows"][str(ex.row)]["reach"].keys() == {"1"}
    bare = tv.build_attacker(np.array(TOY.X), A)
    assert bare.feature == 1 and bare._to_browser()["feature"] == "1"


def test_names_that_are_long_never_look_the_same():
    import pandas as pd

    long = [f"a_very_long_name_of_a_measurement_{i}" for i in range(12)]
    ex = tv.build_attacker(
        pd.DataFrame({n: [1.0, 2.0] for n in long} | {"c": [f"{'x' * 40}{i}" for i in (1, 2)]})
    )
    shown = [f["short"] for f in ex.facts()["features"]]
    assert len(set(shown)) == 13 and max(map(len, shown)) <= 24
    assert len({c["short"] for c in ex.facts()["features"][-1]["categories"]}) == 2


def test_another_explorer_takes_the_attacker(form):
    form.budget = 2
    assert tv.explore_split(TOY.X, TOY.y, form.attacker, loss="sse").budget == 2


# the static sister


def test_a_display_becomes_its_live_sister(people):
    shown = people.display
    ex = of_display(shown)
    assert isinstance(explorer_of(shown), type(ex)) and ex.attacker == people.attacker
    assert ex.feature == shown.feature and ex.display.summary == shown.summary


def test_rules_that_may_be_used_once_are_not_drawn_by_hand_yet():
    """Nor are they lost: their picture stays a static page, and code that makes them says so."""
    once = tv.Attacker([tv.Rule("p", 1, delta=(-1, 1), once=True)], 2)
    with pytest.raises(TraitError, match="rules that may be used once cannot be drawn by hand yet"):
        tv.build_attacker(TOY.X, once)
    picture = tv.RuleDisplay.from_attacker(once)
    assert explorer_of(picture) is None
    assert "for 1, only once" in picture.summary
    assert eval(attacker_code(once), {"tv": tv}) == once

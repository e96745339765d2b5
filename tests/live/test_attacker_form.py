"""build_attacker: what is typed becomes an Attacker, what is wrong is explained, and nothing is lost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.conftest import PEOPLE, TOY
from treant_viz.viz.style.text import for_html


def fill(form, **entries):
    for field, value in entries.items():
        form.fields.controls[field].value = value


def said(form, field):
    return form.fields.notes[field].value


def line(form, i):
    return form.rules.box.children[i]


# the first frame


def test_the_first_frame_of_the_toy_shows_its_rule_at_work():
    form = tv.build_attacker(TOY)
    assert form.attacker == TOY.attacker
    assert (form.display.test, form.display.title) == ("p ≤ 1", "The attacker decides for x2 alone")
    assert form.picture.value.startswith("<img alt=")
    assert "base64" in form.picture.value
    assert "1. p may change by −1 to 1 whatever its value, at cost 1." in line(form, 0).children[0].value
    values = {n: form.fields.controls[n].value for n in ("feature", "cost", "low", "high", "least", "most")}
    assert values == {"feature": "p", "cost": "1", "low": "-inf", "high": "inf", "least": "-1", "most": "1"}
    assert "1 can become anything in [0, 2]" in form.reach.value
    bundle, _ = form._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(bundle)
    assert bundle["text/plain"] == form.display.summary


def test_the_toys_rows_alone_bring_their_rule(quick):
    assert tv.build_attacker(TOY.X).attacker == TOY.attacker


def test_without_rows_a_few_values_are_made_up(quick):
    form = tv.build_attacker()
    assert form.attacker == TOY.attacker
    assert form.display.value.tolist() == [-2, -1, 0, 1, 2]
    assert "0 can become anything in [-1, 1]" in form.reach.value
    assert "No labels are given" in form.reach.value


def test_rows_without_attacker_start_with_no_rule(quick):
    form = tv.build_attacker(PEOPLE)
    assert form.attacker == tv.Attacker([], 1)
    assert form.editing is None
    assert "No rule yet" in form.rules.box.children[0].value
    assert form.display.title == "No rule changes age: the attacker decides for nobody"


def test_a_fitted_tree_brings_rows_and_attacker(quick):
    model = tv.TreantRegressor(TOY.attacker, min_samples_split=2, max_depth=1).fit(TOY.X, TOY.y)
    assert tv.build_attacker(model).attacker == TOY.attacker


# editing


def test_good_entries_take_effect_at_once(form):
    fill(form, cost="0.5")
    assert form.attacker == tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1))], 1)
    assert form.display.counts[1] == 5, "two steps now fit into the budget"
    assert "at cost 0.5" in line(form, 0).children[0].value
    assert "1 can become anything in [-1, 3]" in form.reach.value
    fill(form, low="", high="2")
    assert form.attacker.rules[0].pre == (-math.inf, 2)
    fill(form, high=" inf ", low="0")
    assert form.attacker.rules[0].pre == (0, math.inf)


@pytest.mark.parametrize(
    ("entry", "field", "words"),
    [
        ({"cost": "cheap"}, "cost", "cost: expected a number such as 2 or 0.5, got 'cheap'"),
        ({"cost": ""}, "cost", "cost: expected a number such as 2 or 0.5, got ''"),
        ({"cost": "-1"}, "cost", "cost: expected a finite number above 0, got -1.0"),
        ({"cost": "nan"}, "cost", "got 'nan'"),
        ({"cost": "__import__('os').getpid()"}, "cost", "cost: expected a number"),
        (
            {"low": "0,5"},
            "pre",
            "applies from: expected a number such as 2 or 0.5 (or nothing: no bound), got '0,5'",
        ),
        ({"low": "3", "high": "2"}, "pre", "applies: the low end 3 is above the high end 2"),
        ({"least": "2"}, "delta", "change: the low end 2 is above the high end 1"),
        ({"most": ""}, "delta", "change to: expected a number such as 2 or 0.5, got ''"),
        ({"most": "<b>"}, "delta", "got '<b>'"),
    ],
)
def test_wrong_entries_are_explained_beside_their_field_and_change_nothing(form, entry, field, words):
    *before, (last, value) = entry.items()
    fill(form, **dict(before))
    attacker, picture = form.attacker, form.picture.value
    fill(form, **{last: value})
    assert for_html(words) in said(form, field)
    assert form.attacker == attacker
    assert form.picture.value == picture
    assert form.fields.controls[last].value == value, "what was typed stays, to be mended"
    assert not [f for f in form.fields.notes if f != field and said(form, f)]


def test_a_mended_entry_takes_its_complaint_away(form):
    fill(form, cost="x")
    fill(form, cost="2")
    assert said(form, "cost") == ""
    assert form.attacker.rules[0].cost == 2


def test_rules_are_added_edited_and_removed_by_buttons(form):
    form._new.click()
    assert form.editing is None
    assert form.fields.controls["cost"].value == ""
    fill(form, feature="q", cost="2", least="-1", most="0")
    assert form.attacker == TOY.attacker, "a new rule takes effect when it is added"
    form._add.click()
    q = tv.Rule("q", 2, delta=(-1, 0))
    assert form.attacker.rules == (*TOY.attacker.rules, q)
    assert (form.editing, form.feature, form._picker.value) == (1, "q", "q")
    assert form.display.feature == "q"
    words, edit, remove = line(form, 0).children
    assert (edit.description, remove.description) == ("Edit rule 1", "Remove rule 1")
    edit.click()
    assert (form.editing, form.feature, form.fields.controls["cost"].value) == (0, "p", "1")
    assert "being edited" in words.value
    remove.click()
    assert form.attacker.rules == (q,)
    assert form.editing is None
    assert len(form.rules.box.children) == 1


def test_removing_a_rule_above_keeps_the_edited_one(people):
    people.editing = 1
    line(people, 0).children[2].click()
    assert people.editing == 0
    assert [r.feature for r in people.attacker.rules] == ["status"]
    assert people.fields.controls["becomes"].value == "single"


def test_an_incomplete_new_rule_is_not_added(form):
    form._new.click()
    form._add.click()
    assert "cost: expected a number" in said(form, "cost")
    assert form.attacker == TOY.attacker


def test_the_last_change_can_be_undone(form):
    fill(form, cost="3")
    line(form, 0).children[2].click()
    assert form.attacker.rules == ()
    form._undo.click()
    assert form.attacker.rules[0].cost == 3
    form._undo.click()
    assert form.attacker == TOY.attacker
    assert form._undo.disabled


def test_categorical_rules_are_chosen_from_the_datas_categories(people):
    people.editing = 1
    c = people.fields.controls
    assert [v for _, v in c["sources"].options] == ["divorced", "married", "single"]
    assert (c["sources"].value, c["becomes"].value) == (("divorced",), "single")
    assert people.display.test == "status = single"
    assert people.display.counts == (1, 2, 1)
    assert "divorced can become single" in people.reach.value
    fill(people, sources=("divorced", "married"))
    assert people.attacker.rules[1] == tv.Rule("status", 1, pre={"divorced", "married"}, becomes="single")
    assert people.display.counts == (1, 3, 0)
    fill(people, sources=())
    assert people.attacker.rules[1].pre is None
    fill(people, becomes=None)
    assert "becomes: choose the category" in said(people, "becomes")
    assert people.attacker.rules[1].becomes == "single"


def test_a_category_that_no_row_has_can_be_named(people):
    people.editing = 1
    fill(people, extra="widowed")
    assert people.fields.controls["extra"].value == ""
    fill(people, becomes="widowed")
    assert people.attacker.rules[1].becomes == "widowed"
    assert "divorced can become widowed" in people.reach.value


def test_only_the_fields_of_the_features_kind_are_shown(people):
    def shown():
        return [r.layout.display for r in (*people.fields._numeric, *people.fields._categorical)]

    assert shown() == ["", "", "none", "none"]
    people.editing = 1
    assert shown() == ["none", "none", "", ""]


def test_a_rule_moved_to_a_feature_of_another_kind_waits_for_its_entries(people):
    before = people.attacker
    fill(people, feature="status")
    assert "becomes: choose" in said(people, "becomes")
    assert people.attacker == before
    fill(people, becomes="married")
    assert people.attacker.rules[0] == tv.Rule("status", 2, becomes="married")


def test_without_rows_features_are_typed(quick):
    form = tv.build_attacker()
    form._new.click()
    fill(form, feature="", cost="1")
    form._add.click()
    assert "feature: give its name" in said(form, "feature")
    fill(form, feature="job", kind=True, extra="clerk")
    fill(form, becomes="clerk")
    form._add.click()
    assert form.attacker.rules[1] == tv.Rule("job", 1, becomes="clerk")
    assert form.display.test == "job = clerk"
    assert [v for _, v in form._picker.options] == ["p", "job"]
    form._new.click()
    fill(form, feature="3", kind=False, cost="1", least="0", most="1")
    form._add.click()
    assert form.attacker.rules[2].feature == 3
    assert form.display.feature == "x[3]"


def test_two_kinds_of_rules_on_one_feature_are_refused(quick):
    form = tv.build_attacker()
    fill(form, extra="a")
    form._new.click()
    fill(form, feature="p", kind=True, cost="1", extra="a")
    fill(form, becomes="a")
    form._add.click()
    assert "both numeric and categorical" in said(form, "rule")
    assert form.attacker == TOY.attacker


# the budget


def test_budget_box_slider_and_python_move_together(form):
    form.budget = 3
    assert form.attacker.budget == 3
    assert (form.purse.box.value, form.purse.slider.value) == ("3", 3.0)
    form.purse.slider.value = 2.0
    assert (form.budget, form.attacker.budget, form.purse.box.value) == (2.0, 2.0, "2")
    form.purse.box.value = "40"
    assert (form.attacker.budget, form.purse.slider.value) == (40.0, 40.0)
    assert "budget 40" in form.display.alt_text


@pytest.mark.parametrize("text", ["much", "", "-1", "nan"])
def test_a_wrong_budget_is_explained_beside_its_box(form, text):
    form.purse.box.value = text
    assert "budget: expected a number" in form.purse.note.value
    assert form.attacker.budget == 1
    form.purse.box.value = "2"
    assert form.purse.note.value == ""


def test_a_budget_that_cannot_be_drawn_is_explained_and_the_picture_stays(form):
    before = form.picture.value
    form.purse.box.value = "inf"
    assert form.attacker.budget == math.inf
    assert "give a smaller budget" in form.message.value
    assert form.picture.value == before
    form.purse.box.value = "1"
    assert form.message.value == ""


# from Python


def test_an_attacker_set_from_python_fills_the_form(form):
    A = tv.Attacker([tv.Rule("q", 5, pre=(0, 3), delta=(0, 0.25))], 7)
    form.attacker = A
    assert form.attacker is A
    assert (form.budget, form.purse.box.value, form.feature) == (7, "7", "q")
    assert [form.fields.controls[n].value for n in ("feature", "cost", "high", "most")] == [
        "q",
        "5",
        "3",
        "0.25",
    ]
    assert (
        "q may change by 0 to 0.25 while it is between 0 and 3, at cost 5" in line(form, 0).children[0].value
    )
    assert form.display.feature == "q"


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
        ("budget", -1, "budget: expected a number of at least 0"),
        ("editing", 1, "editing: expected None or a rule's place below 1"),
        ("feature", "z", "feature 'z' is not a column"),
    ],
)
def test_what_cannot_be_is_refused_and_the_state_stays(form, trait, value, words):
    state = form.state
    with pytest.raises(TraitError, match=words):
        setattr(form, trait, value)
    assert form.state == state


def test_bad_arguments_are_refused(quick):
    with pytest.raises(TypeError, match="attacker: expected an Attacker"):
        tv.build_attacker(TOY.X, "me")
    with pytest.raises(TraitError, match="'z' is not a column"):
        tv.build_attacker(TOY.X, tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1))
    with pytest.raises(ValueError, match="budget"):
        tv.build_attacker(TOY, budget=-1)


def test_state_to_begin_with(people):
    again = tv.build_attacker(PEOPLE, people.attacker, budget=2, editing=1, feature="age")
    assert (again.attacker.budget, again.editing, again.feature) == (2, 1, "age")
    assert again.fields.controls["feature"].value == "status"


def test_the_feature_of_the_picture_can_be_picked(people):
    people._picker.value = "score"
    assert people.feature == "score"
    assert people.display.feature == "score"
    people.feature = "status"
    assert people._picker.value == "status"


def test_features_by_index_are_shown_by_name(quick):
    A = tv.Attacker([tv.Rule(1, 1, delta=(-1, 1))], 1)
    form = tv.build_attacker(TOY.X, A)
    assert form.attacker == A
    assert (form.feature, form.fields.controls["feature"].value) == ("q", "q")
    assert "3 can become anything in [2, 4]" in form.reach.value
    bare = tv.build_attacker(np.array(TOY.X), A)
    assert bare.feature == 1
    assert bare.display.counts == form.display.counts


def test_the_numbers_shown_are_the_attackers(people):
    assert people.display.whiskers == tuple(
        tuple(tuple(piece) for piece in people.attacker.reachable("age", x)) for x in PEOPLE["age"]
    )


def test_another_explorer_takes_the_attacker(quick, form):
    form.budget = 2
    ex = tv.explore_split(TOY.X, TOY.y, form.attacker, loss="sse")
    assert ex.budget == 2

"""The app without a browser: data are chosen, attackers handed over, and what is wrong changes nothing."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.live.app import serve
from treant_viz.live.app.page import TABS, App, open_app
from treant_viz.live.app.study import OWN, study_of

HOSTILE = "<script>alert(1)</script>"
PUBLISHED = {"attacks": [{"a": [{"pre": "(0, 99)", "post": 1.0, "cost": 1, "is_numerical": True}]}]}


@pytest.fixture
def app(quick):
    return App()


@pytest.fixture
def table(tmp_path):
    """Writes a table and rules; gives the fields that name them."""

    def write(labels, rules=None, column="a"):
        csv, json_file = (
            tmp_path / f"{'t' if column == 'a' else column.replace('/', '')}.csv",
            tmp_path / "r.json",
        )
        pd.DataFrame({column: range(len(labels)), "label": labels}).to_csv(csv, index=False)
        (rules or tv.Attacker([tv.Rule(column, 1, delta=(-1, 1))], 2)).to_json(json_file)
        return {"csv": str(csv), "target": "label", "rules": str(json_file)}

    return write


def fill(app, **fields):
    for name, text in fields.items():
        app.fields[name].value = text
    app.load_button.click()


def open_tab(app, name):
    app.tabs.selected_index = list(TABS).index(name)
    return app.explorers.get(name)


def test_it_opens_with_the_toy_and_makes_only_the_tab_that_is_seen(app):
    assert (
        "The paper's toy: 7 rows; 2 features. The attacker has 1 rule, budget 1."
        in app.message.value.replace("&#x27;", "'")
    )
    assert list(app.explorers) == ["Split"]
    shown = app.explorers["Split"].display
    assert (shown.test, shown.title) == ("p ≤ 1", "The attacker decides for x2 alone")
    assert app.own.layout.display == "none"


def test_other_data_make_the_tabs_anew(app):
    toy = open_tab(app, "Growth")
    app.choice.value = "wine"
    assert list(app.explorers) == ["Growth"]
    assert app.explorers["Growth"] is not toy
    assert len(app.study.X) == 1000
    assert app.budget.value == "120"
    assert all(not page.children for name, page in zip(TABS, app.tabs.children) if name != "Growth")


def test_another_budget_makes_the_tabs_anew_and_a_wrong_one_nothing(app):
    before = app.study
    for wrong in ("much", "", "-1", "inf", "nan"):
        app.budget.value = wrong
        assert 'role="alert"' in app.message.value and "budget" in app.message.value
        assert app.study is before
    app.budget.value = "2.5"
    assert app.explorers["Split"].budget == app.study.attacker.budget == 2.5
    assert 'role="alert"' not in app.message.value


def test_a_built_attacker_is_handed_over(app):
    form = open_tab(app, "Attacker")
    form.fields.controls["cost"].value = "0.5"
    assert app.study.attacker == tv.load_toy().attacker
    app.use.click()
    assert app.study.attacker == form.attacker == tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1))], 1)
    assert app.explorers == {"Attacker": form}
    assert open_tab(app, "Split").problem.attacker == form.attacker
    assert open_tab(app, "Attack").attacker == form.attacker
    form.budget = np.inf
    app.use.click()
    assert "expected a finite number" in app.used.value
    assert app.study.attacker.budget == 1


def test_trees_of_either_kind_are_attacked(app):
    """Those that know nothing of the attacker first: that is where he has something to do."""
    split, naive = app.explorers["Split"], open_tab(app, "Attack")
    assert naive.model.attacker is None
    assert naive.display.title == "x2 spends 1 of 1 to cross the root: squared error 0 → 4"  # the leaf 2
    app.kind.value = True
    robust = app.explorers["Attack"]
    assert robust.model.attacker == app.study.attacker
    assert robust.display.title == "x2 spends 1 of 1 to cross the root: squared error 1 → 2.25"
    assert app.explorers["Split"] is split
    app.choice.value = "wine"
    assert open_tab(app, "Forest").model.attacker == app.study.attacker


def test_the_data_can_be_had_back_as_they_were(app):
    form = open_tab(app, "Attacker")
    form.budget = 4
    app.use.click()
    assert app.study.attacker.budget == 4
    app.again.click()
    assert app.study.attacker == tv.load_toy().attacker
    assert app.explorers["Attacker"] is not form


def test_a_table_of_ones_own_waits_for_its_fields(app, table):
    toy = app.study
    app.choice.value = OWN
    assert app.own.layout.display == ""
    assert "press Load" in app.message.value
    assert app.study is toy
    fill(app, **table(["no", "yes", "yes"] * 20))
    assert "60 rows, target label (1 is &#x27;yes&#x27;); 1 features" in app.message.value
    assert app.study.y.tolist() == [0, 1, 1] * 20
    assert app.study.attacker.budget == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"csv": ""}, "CSV file: missing"),
        ({"csv": "/nowhere/t.csv"}, "/nowhere/t.csv: No such file or directory"),
        ({"csv": "/"}, "/: Is a directory"),
        ({"target": "nobody"}, "no column"),
        ({"rules": "/nowhere/r.json"}, "No such file"),
        ({"budget": "abc"}, "budget: expected a number such as"),
        ({"budget": "-1"}, "budget"),
        ({"budget": "inf"}, "expected a finite number"),
    ],
)
def test_a_wrong_field_is_explained_and_nothing_changes(app, table, wrong, words):
    toy, shown = app.study, app.explorers["Split"]
    app.choice.value = OWN
    fill(app, **table([0, 1] * 10) | wrong)
    assert words in app.message.value
    assert "Nothing has changed. Still shown: The paper" in app.message.value
    assert app.study is toy and app.explorers["Split"] is shown


def test_fields_that_are_not_loaded_are_said_to_be(app, table):
    """While the kernel is busy, a browser holds back a field's second change, but not the click after it."""
    told = table([0, 1] * 10)
    app.choice.value = OWN
    fill(app, **told)
    loaded, said = app.study, app.message.value
    app.fields["rules"].value = ""
    assert "Not loaded yet: rule file (JSON) &#x27;&#x27;. Press Load. Still shown: " in app.message.value
    assert "20 rows" in app.message.value
    assert 'role="alert"' not in app.message.value
    assert app.study is loaded
    app.fields["rules"].value = told["rules"]
    assert app.message.value == said
    fill(app, rules="")
    assert "rule file: missing" in app.message.value


def test_rules_and_labels_that_do_not_fit_are_explained(app, table):
    app.choice.value = OWN
    fill(app, **table([0, 1] * 10, tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1)))
    assert "is not a column" in app.message.value
    fill(app, **table(["a", "b", "c"]))
    assert "expected two labels or numbers, got 3 different values" in app.message.value
    fill(app, **table([1, 1, 1]))
    assert "got 1 different values" in app.message.value
    fill(app, **table([0.5, 1.5, 2.5, 9.0]))
    assert app.study.y.tolist() == [0.5, 1.5, 2.5, 9.0]
    assert not app.study.binary


def test_published_rules_take_their_budget_from_the_field(app, table):
    told = table([0, 1] * 10)
    with open(told["rules"], "w") as file:
        json.dump(PUBLISHED, file)
    app.choice.value = OWN
    fill(app, **told)
    assert "have no budget" in app.message.value
    fill(app, budget="3")
    assert app.study.attacker.budget == 3


def test_hostile_names_are_escaped(app, table):
    app.choice.value = OWN
    fill(app, **table([0, 1] * 20, column=HOSTILE))
    seen = app.message.value
    for name in TABS:
        open_tab(app, name)
        seen += "".join(getattr(w, "value", "") for w in _html(app.box))
    app.fields["csv"].value = HOSTILE
    seen += app.message.value
    app.load_button.click()
    seen += app.message.value
    assert "&lt;script" in seen
    assert "<script" not in seen


def _html(box):
    for child in getattr(box, "children", ()):
        yield from _html(child)
        if type(child).__name__ == "HTML":
            yield child


def test_a_tab_that_cannot_be_made_says_why(app, table):
    app.choice.value = OWN
    fill(app, **table([0, 1], tv.Attacker([], 1)))
    app.study.X.iloc[:] = 1  # nothing to ask: no step has a candidate
    assert open_tab(app, "Surface") is None
    assert "no surface to show" in app.tabs.children[app.tabs.selected_index].children[1].value
    assert open_tab(app, "Split") is not None


def test_the_page_opens_as_the_command_asked(quick, monkeypatch, table):
    monkeypatch.setenv(serve.SETTINGS, json.dumps({"choice": "wine"}))
    assert open_app().children[1].children[0].value == "wine"
    told = table([0, 1] * 20)
    monkeypatch.setenv(serve.SETTINGS, json.dumps({"choice": OWN, "budget": 1.5} | told))
    page = open_app()
    assert page.children[1].children[1].value == "1.5"
    monkeypatch.setenv(serve.SETTINGS, json.dumps({"choice": OWN} | told | {"csv": "/nowhere"}))
    assert "No such file" in open_app().children[3].value


def test_two_labels_of_any_kind_become_0_and_1(table):
    study = study_of(OWN, **table([True, False] * 10))
    assert study.y.tolist() == [1, 0] * 10
    assert study.tree.predict(study.X).shape == (20,)


def test_an_unknown_choice_is_refused():
    with pytest.raises(ValueError, match="data: expected one of toy, wine"):
        study_of("iris")

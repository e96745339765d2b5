"""explore_constraints: the toy's panels (d) and (e), rows switched on and off, numbers of the display."""

from __future__ import annotations

import html
import re
from typing import Any

import ipywidgets as widgets
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.live.constraints import ConstraintsExplorer, explore_constraints
from treant_viz.viz.leaf_constraints.draw import apart

HOSTILE = '<script>alert("$x$ & y")</script>'


@pytest.fixture(scope="module")
def many():
    """More rows with constraints than get a checkbox each."""
    data = tv.load_wine()
    A = tv.Attacker([tv.Rule("alcohol", cost=10, delta=(-0.2, 0.2))], 10)
    X, y = data.X_train[["alcohol", "pH"]][:300], data.y_train[:300]
    return tv.TreantClassifier(A, max_depth=3).fit(X, y)


@pytest.fixture
def ex(toy_model):
    return explore_constraints(toy_model)


def words(ex: ConstraintsExplorer) -> list[str]:
    return [html.unescape(t) for t in re.split(r"<[^>]*>", ex.below[0].value) if t.strip()][1:]


def controls(ex: ConstraintsExplorer, kind: type) -> list[Any]:
    rows = [row for row in ex.box.children if isinstance(row, widgets.HBox)]
    return [w for row in rows for w in row.children if type(w) is kind]


# The first frame


def test_the_first_frame_is_panel_e(ex):
    assert ex.display.title == "1 is forbidden in the leaf q ≤ 3: 1.5 is the nearest legal value"
    assert ex.state == {"path": "r", "off": ()}
    assert words(ex) == ["L^A 3. Constraints on 2 leaves; switch a row off to see what they protect."]
    assert "In the leaf q ≤ 3: 1 constraint, legal is at most −1.5 or at least 1.5" in ex.picture.value


def test_controls_have_names_that_can_be_read(undrawn, ex):
    (picker,) = controls(ex, widgets.Dropdown)
    assert picker.description == "the tree of"
    assert [label for label, _ in picker.options] == ["the root: p ≤ 1", "node l: q ≤ 1", "node r: q ≤ 3"]
    assert [b.description for b in controls(ex, widgets.Checkbox)] == ["switch off x2 (y = 0), from the root"]
    assert [b.description for b in controls(ex, widgets.Button)] == ["All off", "All on"]


# State and controls


def test_switched_off_in_python_it_is_panel_d(ex):
    before = ex.picture.value
    ex.off = [2]
    assert ex.display.title == "Without the constraints of x2 the loss under attack goes from 3 to 3.75"
    assert words(ex)[0] == "L^A 3 → 3.75" and ex.picture.value != before
    assert ex.off == (2,) and ex.boxes[2].value is True
    ex.off = ()
    assert ex.boxes[2].value is False and words(ex)[0].startswith("L^A 3. ")


def test_controls_change_the_state(undrawn, ex):
    ex.boxes[2].value = True
    assert ex.off == (2,) and words(ex)[0] == "L^A 3 → 3.75"
    (picker,) = controls(ex, widgets.Dropdown)
    picker.value = ""
    assert ex.path == "" and ex.off == (2,)
    assert words(ex) == ["L^A 3.7 → 3.7: nothing changes. In this tree other constraints, or none, decide."]
    ex.path = "l"
    assert picker.value == "l"
    every, none = controls(ex, widgets.Button)
    none.click()
    assert ex.off == () and not ex.boxes[2].value
    every.click()
    assert ex.off == (2,) and ex.boxes[2].value


def test_many_rows_are_picked_from_a_list(undrawn, many):
    ex = explore_constraints(many)
    (chosen,) = controls(ex, widgets.SelectMultiple)
    assert not ex.boxes and len(ex.rows) > 8 and chosen.description == "constraints switched off"
    rows = [row for _, row in chosen.options]
    assert sorted(rows) == sorted({c.row for s in ex.trace.steps for c in s.constraints})
    chosen.value = (rows[3], rows[1])
    assert ex.off == tuple(sorted((rows[3], rows[1]))) and len(ex.display.off) == 2
    ex.off = rows[0]
    assert chosen.value == (rows[0],)
    controls(ex, widgets.Button)[0].click()
    assert set(chosen.value) == set(rows) == set(ex.off)


def test_state_to_begin_with(undrawn, toy_model, many):
    ex = explore_constraints(toy_model.trace_, path="", off=2)
    assert ex.state == {"path": "", "off": (2,)} and ex.boxes[2].value
    rows = tuple(explore_constraints(many).rows)[:2]
    assert set(controls(explore_constraints(many, off=rows), widgets.SelectMultiple)[0].value) == set(rows)


# Numbers


def test_the_losses_are_those_of_the_trees_shown(undrawn, many):
    ex = explore_constraints(many)
    t = ex.trace
    usual = tv.loss_under_attack(ex.display.tree, t.X, t.y, t.attacker, "log")
    ex.off = tuple(ex.rows)
    attacked = tv.loss_under_attack(ex.display.tree, t.X, t.y, t.attacker, "log")
    assert attacked != pytest.approx(usual)
    said = apart(usual, attacked)
    assert said[0] != said[1] and words(ex)[0] == f"L^A {said[0]} → {said[1]}"
    assert [float(s) for s in said] == pytest.approx([usual, attacked], rel=1e-3)
    assert ("attacker gains" in words(ex)[1]) == (attacked > usual)


def test_the_first_frame_shows_a_leaf_that_is_bound(undrawn, many):
    ex = explore_constraints(many)
    assert " is forbidden in the leaf " in ex.display.title
    before = [s.path for s in ex.trace.steps if s.taken]
    for path in before[: before.index(ex.path)]:
        assert " is forbidden " not in explore_constraints(many, path=path).display.title


def test_nobody_attacks_and_nothing_to_switch(undrawn):
    data = tv.load_toy()
    ex = explore_constraints(tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y))
    assert ex.path == "" and not ex.rows and not controls(ex, widgets.Checkbox)
    assert words(ex) == ["L^A 2. No row has constraints: the attacker never had a choice."]
    leaf = explore_constraints(tv.TreantRegressor(data.attacker, min_samples_split=99).fit(data.X, data.y))
    assert controls(leaf, widgets.Dropdown)[0].options == (("the root, which stays a leaf", ""),)


# Bad input


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("path", "rl", r"path: expected a node that was split, of \['', 'l', 'r'\], got 'rl'"),
        ("path", 3, "path: .* got 3"),
        ("path", None, "path: .* got None"),
        ("off", [5], r"off: expected rows that have constraints, of \[2\], got \[5\]"),
        ("off", "x2", "off: .* got 'x2'"),
        ("off", None, "off: .* got None"),
        ("off", [True], r"off: .* got \[True\]"),
    ],
)
def test_bad_state_is_refused_and_the_last_good_picture_stays(undrawn, ex, name, value, said):
    picture, state = ex.picture.value, ex.state
    with pytest.raises(TraitError, match=said):
        setattr(ex, name, value)
    assert (ex.picture.value, ex.state, ex.boxes[2].value) == (picture, state, False)


def test_other_things_than_trees_are_refused(toy_model):
    with pytest.raises(TypeError, match="got DataFrame"):
        explore_constraints(tv.load_toy().X)
    with pytest.raises(TypeError, match="'of' cannot be set"):
        explore_constraints(toy_model, of=(2,))


# What is kept and copied


def test_the_code_makes_the_same_picture(undrawn, toy_model, many):
    for model, off in ((toy_model, (2,)), (many, ()), (many, "all")):
        ex = explore_constraints(model)
        ex.off = tuple(ex.rows) if off == "all" else off
        *before, last = ex.code().splitlines()
        names = {"tv": tv, "model": model}
        exec("\n".join(before), names)
        assert eval(last, names).summary == ex.display.summary == repr(ex)
        assert ex.as_code.value == ex.code()
    assert "model" not in explore_constraints(ex.trace).code()


def test_names_of_users_are_made_harmless():
    X = tv.load_toy().X.set_axis([HOSTILE, "$q$"], axis=1)
    A = tv.Attacker([tv.Rule(HOSTILE, cost=1, delta=(-1, 1))], 1)
    ex = explore_constraints(tv.TreantRegressor(A, min_samples_split=2).fit(X, tv.load_toy().y), off=(2,))
    assert ex.path == "r"
    for path in ("", "l", "r"):
        ex.path = path
        for part in (ex.below[0], ex.picture, ex.message):
            assert "<script" not in part.value and 'alert("' not in part.value
    (picker,) = controls(ex, widgets.Dropdown)
    assert picker.options[0][0].startswith("the root: <script>") and not picker.description_allow_html


def test_a_saved_notebook_keeps_the_picture(ex):
    data, _ = ex._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data and data["text/plain"] == ex.display.summary
    assert data["image/png"]

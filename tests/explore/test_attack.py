"""explore_attack: state, controls, picture and code agree; what cannot be is explained."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from traitlets import TraitError

import treant_viz as tv
from treant_viz.explore import explore_attack
from treant_viz.explore.forest import ForestExplorer
from treant_viz.toy import toy_panels

TOY, WINE = tv.load_toy(), tv.load_wine()
X, Y, A = WINE.X_train[:300], np.asarray(WINE.y_train[:300]), WINE.attacker
SCRIPT = "<script>alert('1')</script>"


@cache
def panels() -> dict:
    return {p.name: p.tree for p in toy_panels()}


@cache
def theirs() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, Y)


def toy(**more):
    return explore_attack(panels()["(c)"], TOY.X, TOY.y, TOY.attacker, **more)


def controls(ex) -> dict:
    """All controls by what they are called."""
    found, todo = {}, [ex.box]
    while todo:
        w = todo.pop()
        todo += getattr(w, "children", ())
        if getattr(w, "description", ""):
            found[w.description] = w
    return found


def ran(ex, **names):
    """What the code of the picture makes."""
    space = {"tv": tv, "model": ex.model, "X": ex.X, "y": ex.y, "attacker": ex.attacker} | names
    *lines, last = ex.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


def test_the_first_frame_is_the_row_that_the_attack_hurts_with_the_verdict():
    ex = toy()
    assert ex.state == {"row": 2, "budget": 1.0, "leaf": "worst", "step": -1}
    assert repr(ex).startswith("x2 spends 1 of 1 to cross the root: loss 2.25 → 2.56")
    assert 'alt="The tree has 2 leaves' in ex.picture.value


def test_if_no_row_is_hurt_the_first_one_can_at_least_be_moved():
    tree = tv.Node("p", 1.0, tv.Leaf(0.0), tv.Leaf(1.0))
    frame = pd.DataFrame({"p": [9.0, 1.0, -9.0]})
    lucky = explore_attack(tree, frame, [1, 1, 0], tv.Attacker([tv.Rule("p", 1, delta=(0, 1))], 1))
    assert lucky.row == 1  # below the threshold and in error: only to be helped
    assert "stays at home" in lucky.display.title


def test_every_control_has_a_name():
    made = controls(toy())
    wanted = ["row", "row (number, from 0)", "attack on the leaf", "budget", "budget (number)"]
    assert {*wanted, "step of the attack", "First", "Back", "Next", "Verdict", "Play", "row (slider)"} <= set(made)
    assert "row" not in controls(explore_attack(theirs(), X, Y, A))  # 300 rows are too many for a list


def test_state_set_from_python_moves_the_controls_and_the_picture():
    ex = toy()
    made, before = controls(ex), ex.picture.value
    ex.step = 1
    assert ex.display.title.startswith("Move 1 of 1: p 1 → 2 (+1), cost 1")
    assert made["step of the attack"].value == 1
    assert ex.picture.value != before
    ex.row = 3
    assert made["row"].value == made["row (number, from 0)"].value == 3
    ex.budget = 0.5
    assert made["budget"].value == made["budget (number)"].value == 0.5
    ex.step = None
    assert ex.step == -1
    assert ex.display.title == "x3 cannot leave its leaf within the budget of 0.5: loss 0.16"


def test_controls_change_the_state():
    ex = toy()
    made = controls(ex)
    made["First"].click()
    assert ex.step == 0 and "By itself x2" in ex.display.title
    made["Back"].click()
    assert ex.step == 0
    made["Next"].click()
    assert ex.step == 1
    made["Next"].click()
    assert ex.step == -1
    made["Next"].click()
    assert ex.step == -1
    made["step of the attack"].value = 0
    assert ex.step == 0
    made["step of the attack"].value = 2
    assert ex.step == -1
    made["row (number, from 0)"].value = 0
    assert ex.row == 0 and ex.display.title.startswith("x0")
    made["budget"].value = 0.0
    assert ex.budget == 0.0


def test_a_leaf_is_chosen_among_those_in_reach():
    ex = toy(row=2)
    chosen = controls(ex)["attack on the leaf"]
    assert [v for _, v in chosen.options] == ["worst", "r", "l"]
    assert chosen.options[1][0] == "r: prediction 1.6, loss 2.56, cost 1"
    chosen.value = "l"
    assert ex.leaf == "l" and ex.display.scenes[0].shown == "l" and ex.display.title.startswith("x2 best stays")
    ex.row = 0  # x0 cannot reach r, but it is in l
    assert ex.leaf == "l" == chosen.value
    ex.row = 3  # x3 is in r and cannot reach l
    assert ex.leaf == "worst" == chosen.value
    assert [v for _, v in chosen.options] == ["worst", "r"]


def test_numbers_are_those_of_the_attack():
    ex = explore_attack(theirs(), X, Y, A)
    result = tv.attack(theirs(), X, Y, A)
    assert ex.row == int(np.argmax(np.abs(result.scores - result.clean_scores)))
    scene = ex.display.scenes[0]
    assert scene.ways.losses[scene.shown] == pytest.approx(result.losses[ex.row])
    assert ex.moves == len(result.rules[ex.row]) > 0
    for budget in (20, 60):
        ex.budget = budget
        now = tv.attack(theirs(), X.iloc[[ex.row]], Y[[ex.row]], A.with_budget(budget))
        scene = ex.display.scenes[0]
        assert scene.ways.losses[scene.shown] == pytest.approx(now.losses[0])


def test_a_shorter_attack_keeps_a_step_that_it_has_and_shows_the_verdict_otherwise():
    ex = explore_attack(theirs(), X, Y, A)
    most = ex.moves
    ex.step = most
    ex.budget = 0
    assert ex.moves == 0 and ex.step == -1 and controls(ex)["step of the attack"].max == 1
    ex.budget = 120
    assert ex.step == -1 and ex.place == most + 1 == controls(ex)["step of the attack"].value
    ex.step = 0
    ex.budget = 60
    assert ex.step == 0 == ex.place


def test_a_budget_beyond_the_attackers_own_widens_the_slider():
    ex = toy()
    ex.budget = 7
    assert controls(ex)["budget"].value == 7 and "of 7" in ex.display.title


def test_one_more_split_and_attack_invariance():
    broken, kept = (toy(after=panels()[p]) for p in ("(d)", "(e)"))
    assert broken.display.invariance == "broken" and kept.display.invariance == "kept"
    assert controls(broken)["attack on the leaf"].disabled
    assert ran(broken, after=panels()["(d)"]).summary == broken.display.summary
    with pytest.raises(TraitError, match="leaf: expected 'worst' with after="):
        broken.leaf = "r"
    options = {"min_samples_split": 2, "max_depth": 1}
    fitted = tv.TreantRegressor(TOY.attacker, **options).fit(TOY.X, TOY.y)
    ex = explore_attack(fitted, TOY.X, TOY.y, TOY.attacker, after=panels()["(e)"])
    assert ex.display.invariance == "kept"
    assert ran(ex, after=panels()["(e)"]).summary == ex.display.summary


def test_one_more_split_of_a_classifier_uses_its_classes_and_its_loss():
    label = np.where(TOY.y > 0, "yes", "no")
    model = tv.TreantClassifier(TOY.attacker, max_depth=1, min_samples_split=2).fit(TOY.X, label)
    leaf = model.tree_.right
    after = tv.Node(model.tree_.feature, model.tree_.threshold, model.tree_.left, tv.Node("q", 3.0, leaf, leaf))
    ex = explore_attack(model, TOY.X, label, TOY.attacker, after=after, row=2)
    alone = explore_attack(model, TOY.X, label, TOY.attacker, row=2)
    assert ex.display.scenes[0].ways.losses == alone.display.scenes[0].ways.losses
    assert ran(ex, after=after).summary == ex.display.summary


@pytest.mark.parametrize("state", [{}, {"row": 4, "budget": 60, "step": 0}, {"step": 1, "leaf": "worst"}])
def test_the_code_makes_the_same_picture(state):
    ex = explore_attack(theirs(), X, Y, A, **state)
    assert ran(ex).summary == ex.display.summary
    ex = toy(**{k: v for k, v in state.items() if k != "row"})
    ex.leaf = "r"
    assert "leaf='r'" in ex.code() and ran(ex).summary == ex.display.summary


def test_rows_without_names_and_labels_in_a_series():
    bare = tv.Node(0, 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
    ex = explore_attack(bare, TOY.X.to_numpy(), pd.Series(TOY.y, index=list("abcdefg")),
                        tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1))  # fmt: skip
    assert ex.row == 2 and ex.display.title.startswith("row 2 spends 1 of 1")
    made = ran(ex, y=pd.Series(TOY.y, index=list("abcdefg")))
    assert made.summary == ex.display.summary
    assert controls(ex)["row"].options[2][0] == "row 2, label 0"


def test_a_forest_is_handed_over():
    model = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, Y)
    ex = explore_attack(model, X[:20], Y[:20], A, budget=60)
    assert isinstance(ex, ForestExplorer) and ex.budget == 60
    with pytest.raises(TypeError, match="after: expected None with RandomForestClassifier"):
        explore_attack(model, X, Y, A, after=theirs())


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"row": 7}, "row: expected a number from 0 to 6, got 7"),
        ({"row": "x2"}, "row: expected a number from 0 to 6, got 'x2'"),
        ({"budget": -1.0}, "budget: expected a finite number of at least 0, got -1.0"),
        ({"step": 5}, r"step: expected a number from 0 to 1, or -1 \(verdict\), got 5"),
        ({"leaf": "rr"}, r"leaf: expected 'worst' or the path of a leaf in reach \(\['l', 'r'\]\), got 'rr'"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_the_picture_stays(state, words):
    with pytest.raises(TraitError, match=words):
        toy(**{"row": 2} | state)
    ex = toy()
    before, known = ex.picture.value, ex.state
    with pytest.raises(TraitError, match=words):
        ex.set_trait(*next(iter(state.items())))
    assert ex.picture.value == before and ex.state == known


def test_none_is_a_step_and_a_leaf_but_no_row():
    ex = toy(row=None, step=None, leaf=None)
    assert (ex.row, ex.step, ex.leaf) == (2, -1, "worst")
    ex.step, ex.leaf = 0, "l"
    ex.step, ex.leaf = None, None
    assert (ex.step, ex.leaf) == (-1, "worst")
    with pytest.raises(TraitError, match="row: expected a number from 0 to 6, got None"):
        ex.row = None


def test_what_cannot_be_drawn_is_explained_and_the_last_picture_stays():
    labels = Y[:20].astype(object)
    labels[5] = SCRIPT  # no class of the model: found when the row is looked at
    ex = explore_attack(theirs(), X[:20], labels, A, row=2)
    before = ex.picture.value
    ex.row = 5
    assert "y: expected one of the model" in ex.message.value and "&lt;script&gt;" in ex.message.value
    assert ex.picture.value == before
    ex.row = 3
    assert ex.message.value == "" and "row 3" in ex.display.title


def test_bad_arguments_are_refused_in_words():
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got 'nobody'"):
        explore_attack(panels()["(c)"], TOY.X, TOY.y, "nobody")
    with pytest.raises(ValueError, match="attacker: expected a finite budget"):
        explore_attack(panels()["(c)"], TOY.X, TOY.y, TOY.attacker.with_budget(float("inf")))
    with pytest.raises(ValueError, match=r"y: expected one label per row of X \(7, at least 1\), got \(2,\)"):
        explore_attack(panels()["(c)"], TOY.X, TOY.y[:2], TOY.attacker)
    with pytest.raises(TypeError, match="model: expected a tree of ours"):
        explore_attack(theirs(), X, Y, A, after=theirs())
    with pytest.raises(TypeError, match="'speed' cannot be set"):
        toy(speed=3)


def test_hostile_names_are_harmless_everywhere():
    names = {"p": SCRIPT, "q": "$x_1$ \"quo'te"}
    X2 = TOY.X.rename(columns=names, index={"x2": f"{SCRIPT} & $"})
    tree = tv.Node(SCRIPT, 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
    ex = explore_attack(tree, X2, TOY.y, tv.Attacker([tv.Rule(SCRIPT, 1, delta=(-1, 1))], 1))
    for k in (0, 1, -1):
        ex.step = k
        assert "<script" not in ex.picture.value and "&lt;script" in ex.picture.value
        assert not re.search(r"<(?!img )", ex.picture.value)
    assert ran(ex).summary == ex.display.summary


def test_a_saved_notebook_has_a_picture_and_words():
    ex = toy()
    data, look = ex._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(data)
    assert data["text/plain"] == ex.display.summary and look["image/png"]["alt"] == ex.display.alt_text

"""explore_attack: Python and the hand set one state; code agrees; what cannot be is refused in words."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from traitlets import TraitError

import treant_viz as tv
from tests.live.hand import by_hand
from treant_viz.experiments.toy import toy_panels
from treant_viz.live import explore_attack
from treant_viz.live.explore.forest import ForestExplorer

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


def ran(ex, **names):
    """What the code of the picture makes."""
    space = {"tv": tv, "model": ex.model, "X": ex.X, "y": ex.y, "attacker": ex.attacker} | names
    *lines, last = ex.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


def test_the_first_frame_is_the_row_that_the_attack_hurts_with_the_verdict():
    ex = toy()
    assert ex.state == {"row": 2, "budget": 1.0, "leaf": "worst", "step": -1}
    assert repr(ex).startswith("For 1, the attacker pushes x2 across p ≤ 1")
    assert ex.display.alt_text.startswith("x2, true label 0: p = 1. The tree has 2 leaves")


def test_if_no_row_is_hurt_the_first_one_can_at_least_be_moved():
    tree = tv.Node("p", 1.0, tv.Leaf(0.0), tv.Leaf(1.0))
    frame = pd.DataFrame({"p": [9.0, 1.0, -9.0]})
    lucky = explore_attack(tree, frame, [1, 1, 0], tv.Attacker([tv.Rule("p", 1, delta=(0, 1))], 1))
    assert lucky.row == 1  # below the threshold and in error: only to be helped
    assert lucky.display.scenes[0].shown == lucky.display.scenes[0].ways.home


def test_numbers_are_those_of_the_attack():
    ex = explore_attack(theirs(), X, Y, A)
    result = tv.attack(theirs(), X, Y, A)
    assert ex.row == int(np.argmax(np.abs(result.scores - result.clean_scores)))
    scene = ex.display.scenes[0]
    assert scene.ways.losses[scene.shown] == pytest.approx(result.losses[ex.row])
    assert ex.moves == len(result.moves[ex.row]) > 0
    for budget in (20, 60):
        ex.budget = budget
        now = tv.attack(theirs(), X.iloc[[ex.row]], Y[[ex.row]], A.with_budget(budget))
        scene = ex.display.scenes[0]
        assert scene.ways.losses[scene.shown] == pytest.approx(now.losses[0])


def test_one_more_split_and_attack_invariance():
    broken, kept = (toy(after=panels()[p]) for p in ("(d)", "(e)"))
    assert broken.display.invariance == "broken" and kept.display.invariance == "kept"
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
    after = tv.Node(
        model.tree_.feature, model.tree_.threshold, model.tree_.left, tv.Node("q", 3.0, leaf, leaf)
    )
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
    assert ex.row == 2 and ex.display.title.startswith("For 1, the attacker pushes row 2 across")
    made = ran(ex, y=pd.Series(TOY.y, index=list("abcdefg")))
    assert made.summary == ex.display.summary
    facts = ex.facts()
    assert facts["rows"]["name"][facts["rows"]["at"].index(2)] == "row 2"


def test_a_forest_is_handed_over():
    model = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, Y)
    ex = explore_attack(model, X[:20], Y[:20], A, budget=60)
    assert isinstance(ex, ForestExplorer) and ex.budget == 60
    with pytest.raises(TypeError, match="after: expected None with RandomForestClassifier"):
        explore_attack(model, X, Y, A, after=theirs())


def test_none_is_a_step_and_a_leaf_but_no_row():
    ex = toy(row=None, step=None, leaf=None)
    assert (ex.row, ex.step, ex.leaf) == (2, -1, "worst")
    ex.step, ex.leaf = 0, "l"
    ex.step, ex.leaf = None, None
    assert (ex.step, ex.leaf) == (-1, "worst")
    with pytest.raises(TraitError, match="row: expected a number from 0 to 6, got None"):
        ex.row = None


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


def test_python_and_the_hand_set_one_state():
    ex = toy()
    ex.step = 1
    assert ex.display.title.startswith("Move 1 of 1: p 1 → 2 (+1), cost 1")
    assert ex.widget.state["step"] == 1
    ex.row = 3
    assert ex.widget.state["row"] == 3
    ex.budget = 0.5
    assert ex.widget.state["budget"] == 0.5
    ex.step = None
    assert ex.step == -1
    assert ex.display.title.startswith("With 0.5 to spend, the attacker cannot move x3 to another leaf")
    by_hand(ex, row=2, budget=1.0, leaf="r", step=0)
    assert ex.state == {"row": 2, "budget": 1.0, "leaf": "r", "step": 0}
    assert "Without an attack, x2" in ex.display.title


def test_what_the_hand_cannot_have_is_put_back():
    ex = toy()
    for change in ({"row": 99}, {"budget": -1}, {"leaf": "rr"}, {"step": 7}, {"row": None}):
        known = ex.state
        by_hand(ex, **change)
        assert ex.state == known == {k: ex.widget.state[k] for k in known}


def test_a_leaf_out_of_reach_becomes_the_worst():
    ex = toy(row=2, leaf="l")
    assert ex.display.scenes[0].shown == "l"
    ex.row = 0  # x0 cannot reach r, but it is in l
    assert ex.leaf == "l"
    ex.row = 3  # x3 is in r and cannot reach l
    assert ex.leaf == "worst" == ex.widget.state["leaf"]


def test_a_shorter_attack_keeps_a_step_that_it_has_and_shows_the_verdict_otherwise():
    ex = explore_attack(theirs(), X, Y, A)
    ex.step = ex.moves
    ex.budget = 0
    assert ex.moves == 0 and ex.step == -1
    ex.budget = 120
    assert ex.step == -1
    ex.step = 0
    ex.budget = 60
    assert ex.step == 0


def test_a_budget_beyond_what_was_worked_out_is_worked_out():
    ex = toy()
    known = ex.widget.facts["trees"][0]["costs"]
    ex.budget = 7
    assert "may spend 7" in ex.display.subtitle
    assert max(known) <= 4 < max(ex.widget.facts["trees"][0]["costs"]) <= 7


def test_a_row_that_is_not_listed_comes_when_it_is_asked_for(monkeypatch):
    monkeypatch.setattr("treant_viz.live.explore.attack.LISTED", 3)
    ex, sent = toy(), []
    assert len(ex.widget.facts["rows"]["at"]) == 3
    other = next(r for r in range(7) if r not in ex.widget.facts["rows"]["at"])
    ex.widget.send = sent.append
    ex.widget._asked(ex.widget, {"kind": "ask", "id": 7, "question": {"row": other}}, [])
    ex.widget._asked(ex.widget, {"kind": "ask", "id": 8, "question": {"row": 99}}, [])
    assert other in sent[0]["facts"]["rows"]["at"]
    assert sent[1] == {"kind": "answer", "id": 8, "error": "row: expected a number from 0 to 6, got 99"}
    another = next(r for r in range(7) if r not in sent[0]["facts"]["rows"]["at"])
    ex.row = another
    assert {other, another} <= set(ex.widget.facts["rows"]["at"])


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"row": 7}, "row: expected a number from 0 to 6, got 7"),
        ({"row": "x2"}, "row: expected a number from 0 to 6, got 'x2'"),
        ({"budget": -1.0}, "budget: expected a finite number of at least 0, got -1.0"),
        ({"budget": float("inf")}, "budget: expected a finite number of at least 0, got inf"),
        ({"step": 5}, r"step: expected a number from 0 to 1, or -1 \(verdict\), got 5"),
        ({"leaf": "rr"}, r"leaf: expected 'worst' or the path of a leaf in reach \(\['l', 'r'\]\), got 'rr'"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_nothing_is_lost(state, words):
    with pytest.raises(TraitError, match=words):
        toy(**{"row": 2} | state)
    ex = toy()
    known, shown = ex.state, ex.widget.state
    with pytest.raises(TraitError, match=words):
        ex.set_trait(*next(iter(state.items())))
    assert ex.state == known and ex.widget.state == shown


def test_a_label_that_the_model_does_not_know_is_refused_at_once():
    labels = Y[:20].astype(object)
    labels[5] = SCRIPT
    with pytest.raises(ValueError, match="y: expected one of the model"):
        explore_attack(theirs(), X[:20], labels, A)


def test_hostile_names_are_harmless_everywhere():
    names = {"p": SCRIPT, "q": "$x_1$ \"quo'te"}
    X2 = TOY.X.rename(columns=names, index={"x2": f"{SCRIPT} & $"})
    tree = tv.Node(SCRIPT, 1.0, tv.Leaf(-1.5), tv.Leaf(1.6))
    ex = explore_attack(tree, X2, TOY.y, tv.Attacker([tv.Rule(SCRIPT, 1, delta=(-1, 1))], 1))
    for k in (0, 1, -1):
        ex.step = k
        assert "<script>alert" not in ex.page()
    assert ran(ex).summary == ex.display.summary


def test_a_saved_notebook_has_a_picture_and_words(tmp_path):
    ex = toy()
    data, _ = ex._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == ex.display.summary
    page = ex.save(tmp_path / "attack.html").read_text("utf-8")
    assert '"picture":"attack"' in page and ex.save(tmp_path / "a.svg").read_text("utf-8").startswith("<?xml")

"""explore_forest: state, controls, picture, table and code agree with what the forest itself says."""

from __future__ import annotations

import re
from functools import cache

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from traitlets import TraitError

import treant_viz as tv
from treant_viz.attacks.attack import attack_budgets
from treant_viz.live import explore_forest
from treant_viz.live.forest import NODES


def controls(ex) -> dict:
    """All controls by what they are called."""
    found, todo = {}, [ex.box]
    while todo:
        w = todo.pop()
        todo += getattr(w, "children", ())
        if getattr(w, "description", ""):
            found[w.description] = w
    return found


WINE = tv.load_wine()
X, Y, A = WINE.X_train[:300], np.asarray(WINE.y_train[:300]), WINE.attacker
SCRIPT = "<script>alert('1')</script>"


@cache
def forest() -> RandomForestClassifier:
    return RandomForestClassifier(20, max_depth=4, min_samples_leaf=3, random_state=0).fit(X, Y)


def explorer(**state):
    return explore_forest(forest(), X, Y, A, **state)


def ran(ex):
    from treant_viz.viz.forest_votes.display import ForestVotesDisplay

    class Public:  # until it is a public name
        def __getattr__(self, name):
            return ForestVotesDisplay if name == "ForestVotesDisplay" else getattr(tv, name)

    space = {"tv": Public(), "model": ex.model, "X": ex.X, "y": ex.y, "attacker": ex.attacker}
    *lines, last = ex.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


def cells(ex) -> list[list[str]]:
    """The table, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", ex.table.value)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def votes(ex, Z) -> np.ndarray:
    return np.array([t.predict(Z.to_numpy())[0] for t in forest().estimators_])


def test_the_first_frame_is_the_attack_that_changes_most():
    ex = explorer()
    result = tv.attack(forest(), X[:20], Y[:20], A)
    assert ex.row == int(np.argmax(np.abs(result.scores - result.clean_scores)))
    assert ex.state == {"row": ex.row, "budget": 120.0, "move": -1}
    assert ex.display.title.startswith("The attack flips")
    assert ex.display.score == pytest.approx(result.scores[ex.row])
    flips = votes(ex, X.iloc[[ex.row]]) != votes(ex, result.X_adv.iloc[[ex.row]])
    assert ex.display.flipped.tolist() == np.flatnonzero(flips).tolist() != []


def test_the_table_tells_budget_by_budget_what_the_attack_does():
    ex = explorer()
    head, *rows = cells(ex)
    assert head == ["budget", "spent", "moves", "score", "trees flipped", "loss"]
    budgets = [0, 30, 60, 90, 120]
    found = attack_budgets(forest(), X.iloc[[ex.row]], Y[[ex.row]], A, budgets)
    for row, b in zip(rows, budgets, strict=True):
        r = found[b]
        flips = (votes(ex, X.iloc[[ex.row]]) != votes(ex, r.X_adv)).sum()
        cost, score, loss = f"{r.costs[0]:g}", f"{r.scores[0]:.4g}", f"{r.losses[0]:.4g}"
        assert row == [str(b), cost, str(len(r.moves[0])), score, f"{flips} of 20", loss]
    bold = re.findall(r"<tr><td[^>]*font-weight:bold[^>]*>(.*?)</td>", ex.table.value)
    assert bold == ["120"]


def test_another_budget_is_set_off_and_another_row_has_another_table():
    ex = explorer()
    first = ex.table.value
    ex.budget = 45
    assert [row[0] for row in cells(ex)[1:]] == ["0", "30", "45", "60", "90", "120"]
    assert re.findall(r"<tr><td[^>]*font-weight:bold[^>]*>(.*?)</td>", ex.table.value) == ["45"]
    ex.row, ex.budget = (ex.row + 1) % 20, 120
    assert ex.table.value != first and f"row {ex.row}" in ex.table.value


def test_moves_are_applied_one_by_one():
    ex = explorer()
    made, result = controls(ex), tv.attack(forest(), X.iloc[[ex.row]], Y[[ex.row]], A)
    Z = X.iloc[[ex.row]].copy()
    made["First"].click()
    assert ex.move == 0 and ex.display.title.startswith("By itself")
    for k, step in enumerate(result.moves[0], 1):
        made["Next"].click()
        Z[step.rule.feature] = step.after
        assert ex.move == k == made["moves of the attack"].value
        assert ex.display.score == pytest.approx(forest().predict_proba(Z)[0, 1])
        assert ex.display.title.startswith(f"Move {k} of {len(result.moves[0])}")
    made["Next"].click()
    assert ex.move == -1
    made["moves of the attack"].value = 1
    assert ex.move == 1


def test_state_set_from_python_moves_the_controls_and_the_picture():
    ex = explorer()
    made, before = controls(ex), ex.picture.value
    ex.budget = 60
    assert made["budget"].value == made["budget (number)"].value == 60
    assert ex.picture.value != before
    ex.move = 0
    assert made["moves of the attack"].value == 0
    ex.row = 7
    assert made["row (number, from 0)"].value == 7 and "row 7" in ex.display.title
    made["row (number, from 0)"].value = 8
    assert ex.row == 8 and "row 8" in ex.display.title
    made["budget"].value = 30
    assert ex.budget == 30 == ex.display.budget


@pytest.mark.parametrize("state", [{}, {"row": 3, "budget": 60.0, "move": 0}, {"move": 1}])
def test_the_code_makes_the_same_picture(state):
    ex = explorer(**state)
    assert f"node_limit={NODES}" in ex.code()
    assert ran(ex).summary == ex.display.summary


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"row": 300}, "row: expected a number from 0 to 299, got 300"),
        ({"budget": float("nan")}, "budget: expected a finite number of at least 0"),
        ({"move": 99}, r"move: expected a number from 0 to \d+, or -1 \(verdict\), got 99"),
        ({"move": 0.5}, r"move: expected a number from 0 to \d+, or -1 \(verdict\), got 0.5"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_the_picture_stays(state, words):
    with pytest.raises(TraitError, match=words):
        explorer(**state)
    ex = explorer()
    before, known = ex.picture.value, ex.state
    with pytest.raises(TraitError, match=words):
        ex.set_trait(*next(iter(state.items())))
    assert ex.picture.value == before and ex.state == known


def test_boosters_our_forests_and_regression():
    options = {"objective": "binary", "verbose": -1, "num_leaves": 4, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(X, Y), 10)
    ex = explore_forest(booster, X[:40], Y[:40], A)
    assert ex.display.score == pytest.approx(tv.attack(booster, X.iloc[[ex.row]], Y[[ex.row]], A).scores[0])
    ours = tv.TreantForestClassifier(5, attacker=A.with_budget(20), max_depth=2, random_state=0).fit(X, Y)
    assert len(explore_forest(ours, X[:20], Y[:20], A).display.before) == 5
    frame = pd.DataFrame({"p": np.arange(20.0)})
    trees = RandomForestRegressor(5, random_state=0).fit(frame, frame["p"] ** 2)
    ex = explore_forest(trees, frame, frame["p"] ** 2, tv.Attacker([tv.Rule("p", 1, delta=(-1, 1))], 2))
    assert cells(ex)[0][3:5] == ["prediction", "trees moved"] and "y.iloc[" in ex.code()
    assert "row" in controls(ex)


def test_hostile_names_are_harmless_everywhere():
    names = {c: f"{c} {SCRIPT} $x_1$ \"'" for c in X.columns}
    bad = X[:40].rename(columns=names, index={i: f"{SCRIPT}{i}" for i in X.index[:40]})
    rules = [tv.Rule(names[r.feature], r.cost, pre=r.pre, delta=r.delta) for r in A.rules]
    labels = np.where(Y[:40] == 1, SCRIPT, "no")
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(bad, labels)
    ex = explore_forest(model, bad[:25], labels[:25], tv.Attacker(rules, 120))
    for said in (ex.picture.value, ex.table.value):
        assert "<script" not in said and "&lt;script" in said
    assert ran(ex).summary == ex.display.summary


def test_a_saved_notebook_has_a_picture_and_words():
    ex = explorer()
    data, look = ex._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(data)
    assert data["text/plain"] == ex.display.summary and look["image/png"]["alt"] == ex.display.alt_text

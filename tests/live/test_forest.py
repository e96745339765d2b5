"""explore_forest: what the browser is given is what the model's own trees say under the exact attack."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from traitlets import TraitError

import treant_viz as tv
from treant_viz.live import explore_forest
from treant_viz.live.displays import explorer_of
from treant_viz.live.explore.forest import NODES, PLAYED
from treant_viz.viz.style.text import number

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/votes.json").read_text())
WINE, TOY, CENSUS = tv.load_wine(), tv.load_toy(), tv.load_census()
X, Y, A = WINE.X_train[:300], np.asarray(WINE.y_train[:300]), WINE.attacker
SCRIPT = "<script>alert('1')</script>"


def target() -> pd.Series:
    """Numbers to learn that depend on what can be attacked."""
    return 2 * X["alcohol"] - 3 * X["volatile_acidity"]


@cache
def model(which: str):
    """What is attacked; each kind adds up in its own way."""
    deep = {"max_depth": 4, "min_samples_leaf": 3, "random_state": 0}
    if which == "forest":
        return RandomForestClassifier(20, **deep).fit(X, Y)
    if which == "boosting":
        return GradientBoostingClassifier(n_estimators=12, max_depth=2, random_state=0).fit(X, Y)
    if which == "lightgbm":
        options = {"objective": "binary", "verbose": -1, "num_leaves": 4, "num_threads": 1}
        return lightgbm.train(options, lightgbm.Dataset(X, Y), 15)
    if which == "regression":
        return RandomForestRegressor(7, **deep).fit(X, target())
    if which == "census":
        made = tv.TreantForestClassifier(9, attacker=None, max_depth=3, random_state=0)
        return made.fit(CENSUS.X_train[:200], np.asarray(CENSUS.y_train[:200]))
    made = tv.TreantForestRegressor(5, attacker=None, max_depth=3, min_samples_split=2, random_state=0)
    return made.fit(TOY.X, TOY.y)


def data(which: str):
    if which == "census":
        return CENSUS.X_train[:200], np.asarray(CENSUS.y_train[:200]), CENSUS.attacker
    if which == "toy":
        return TOY.X, np.asarray(TOY.y), TOY.attacker
    return (X, np.asarray(target()), A) if which == "regression" else (X, Y, A)


def explorer(which: str = "forest", **state):
    return explore_forest(model(which), *data(which), **state)


def words_of(which: str, Z) -> np.ndarray:
    """What each tree says of one row, asked of the model's own trees."""
    m = model(which)
    if which == "lightgbm":
        sums = [m.predict(Z, num_iteration=k + 1, raw_score=True)[0] for k in range(m.num_trees())]
        return np.diff([0.0, *sums])
    if which == "boosting":
        return np.array([t.predict(Z.to_numpy())[0] for t in m.estimators_[:, 0]])
    if which in ("toy", "regression"):
        return np.array([t.predict(Z if which == "toy" else Z.to_numpy())[0] for t in m.estimators_])
    return np.array([t.predict_proba(Z if which == "census" else Z.to_numpy())[0, 1] for t in m.estimators_])


def score_of(which: str, Z) -> float:
    m = model(which)
    return float(m.predict(Z)[0] if which in ("lightgbm", "toy", "regression") else m.predict_proba(Z)[0, 1])


def told(facts, row: int, level: int) -> dict:
    """An attack as the facts have it: moves, and in each state what the trees and the model say."""
    [detail] = [d for d in facts["details"] if d["row"] == row]
    attacks, states, values = detail["attacks"], detail["states"], np.array(facts["values"])
    said = []
    for state in attacks["states"][level]:
        now = values[detail["own"]].astype(float)
        now[states["trees"][state]] = values[states["values"][state]]
        said.append(now)
    moves = [[facts["moves"][k][m] for k in facts["moves"]] for m in attacks["moves"][level]]
    moves = [(facts["features"][f], *rest) for f, *rest in moves]
    scores = [states["score"][s] for s in attacks["states"][level]]
    return {
        "cost": attacks["cost"][level],
        "moves": moves,
        "values": said,
        "scores": scores,
        "detail": detail,
    }


def same(a, b) -> bool:
    return a == (b if isinstance(b, str) else pytest.approx(b))


every = pytest.mark.parametrize("which", ["forest", "boosting", "lightgbm", "regression", "census", "toy"])


@every
def test_facts_fit_their_schema(which):
    ex = explorer(which)
    for facts in (ex.facts(), ex.page_facts()):
        jsonschema.validate(facts, SCHEMA)


@every
def test_each_attack_is_that_of_its_budget_and_trees_say_what_the_models_own_trees_say(which):
    ex = explorer(which)
    rows, y, attacker = data(which)
    facts, row = ex.facts(), ex.row
    costs = told(facts, row, 0)["detail"]["attacks"]["cost"]
    assert costs[0] == 0 and len(costs) > 1 and sorted(set(costs)) == costs
    for level, cost in enumerate(costs):
        found = told(facts, row, level)
        result = tv.attack(model(which), rows.iloc[[row]], y[[row]], attacker.with_budget(cost))
        assert found["cost"] == pytest.approx(result.costs[0])
        Z = rows.iloc[[row]].copy()
        for k in range(len(found["moves"]) + 1):
            if k:
                feature, before, after, _ = found["moves"][k - 1]
                assert same(Z[feature].iloc[0], before)
                Z[feature] = result.moves[0][k - 1].after
                assert same(Z[feature].iloc[0], after)
            assert found["values"][k] == pytest.approx(words_of(which, Z), abs=1e-9)
            assert found["scores"][k] == pytest.approx(score_of(which, Z), abs=1e-9)
        assert found["scores"][-1] == pytest.approx(result.scores[0])


@pytest.mark.parametrize("which", ["forest", "boosting", "toy", "census"])
def test_between_two_costs_no_budget_buys_anything_else(which):
    ex = explorer(which)
    rows, y, attacker = data(which)
    facts = ex.facts()
    costs = told(facts, ex.row, 0)["detail"]["attacks"]["cost"]
    for budget in np.linspace(0, ex.top, 25):
        level = max(i for i, c in enumerate(costs) if c <= budget * (1 + 1e-9))
        A = attacker.with_budget(budget)
        alone = tv.attack(model(which), rows.iloc[[ex.row]], y[[ex.row]], A)
        assert told(facts, ex.row, level)["scores"][-1] == pytest.approx(alone.scores[0])


def test_rows_are_listed_with_their_scores_and_those_whose_prediction_turns_come_first():
    ex = explorer()
    rows = ex.facts()["rows"]
    result = tv.attack(model("forest"), X, Y, A)
    assert rows["before"] == pytest.approx(result.clean_scores[rows["at"]])
    assert rows["after"] == pytest.approx(result.scores[rows["at"]])
    turn = ((result.clean_scores > 0.5) != (result.scores > 0.5))[rows["at"]]
    assert turn[: turn.sum()].all() and 0 < turn.sum() < 300
    assert ex.row == rows["at"][0] and turn[0]
    assert ex.display.title.endswith(
        f"and with them the prediction: score {number(rows['before'][0])} → {number(rows['after'][0])}"
    )


@pytest.mark.parametrize("which", ["forest", "boosting", "lightgbm"])
def test_which_side_a_tree_is_on(which):
    facts = explorer(which).facts()
    turn = 0.5 if which == "forest" else facts["sides"]["threshold"]
    assert facts["sides"]["threshold"] == turn
    assert facts["second"] == "".join("01"[v > turn] for v in facts["values"])
    for detail in facts["details"]:
        for score, mean, second in zip(
            *(detail["states"][k] for k in ("score", "mean", "second")), strict=True
        ):
            assert second == (score > 0.5) == (mean > turn)


def test_regression_has_no_sides():
    facts = explorer("regression").facts()
    assert facts["sides"] is None and facts["second"] == "" and facts["averaged"]


def test_a_page_holds_the_rows_that_change_most_and_the_present_one(monkeypatch):
    ex = explorer(row=77)
    facts = ex.page_facts()
    assert facts["details"][0]["row"] == 77 and len(facts["details"]) == PLAYED
    assert sorted(facts["rows"]["at"]) == sorted(d["row"] for d in facts["details"])
    assert set(facts["rows"]["at"]) - {77} <= set(ex.facts()["rows"]["at"][:PLAYED])
    monkeypatch.setattr("treant_viz.live.explore.base.ROOM", 12_000)
    small = ex.page_facts()
    assert len(json.dumps(small, separators=(",", ":"))) <= 12_000
    assert 77 in small["rows"]["at"] and 1 < len(small["rows"]["at"]) < PLAYED


def test_a_hundred_trees_and_a_thousand_rows_stay_below_300_kB():
    big = RandomForestClassifier(100, max_depth=6, min_samples_leaf=3, random_state=0)
    rows, y = WINE.X_train[:1000], np.asarray(WINE.y_train[:1000])
    ex = explore_forest(big.fit(rows, y), rows, y, A)
    for facts in (ex.page_facts(), ex.facts()):
        assert len(json.dumps(facts, separators=(",", ":"))) < 300_000


def test_other_rows_are_asked_of_the_kernel_and_those_beyond_the_list_are_entered():
    rows, y = WINE.X_train[:400], np.asarray(WINE.y_train[:400])
    ex = explore_forest(model("forest"), rows, y, A)
    assert len(ex.facts()["rows"]["at"]) == 300
    facts = ex.answer({"row": 350})
    jsonschema.validate(facts, SCHEMA)
    assert [d["row"] for d in facts["details"]] == [ex.row, 350] and facts["rows"]["at"][-1] == 350
    alone = tv.attack(model("forest"), rows.iloc[[350]], y[[350]], A)
    assert (facts["rows"]["before"][-1], facts["rows"]["after"][-1]) == pytest.approx(
        (alone.clean_scores[0], alone.scores[0])
    )
    for row in (400, -1, "x", None):
        with pytest.raises(ValueError, match="row: expected a number from 0 to 399"):
            ex.answer({"row": row})


def test_python_and_the_hand_set_one_state():
    ex = explorer()
    ex.row, ex.budget, ex.move = 9, 60, 0
    assert ex.widget.state == ex.state == {"row": 9, "budget": 60.0, "move": 0}
    assert 9 in [d["row"] for d in ex.sent["details"]] and "row 9" in ex.display.title
    ex.widget.state = {"row": ex._order[0], "budget": 120.0, "move": 1}
    assert ex.state == {"row": ex._order[0], "budget": 120.0, "move": 1}
    assert ex.display.title.startswith("Move 1 of ")
    ex.widget.state = {"row": 9999, "budget": 120.0, "move": 1}
    assert ex.widget.state == ex.state and ex.row != 9999
    ex.move, ex.budget = ex.moves, 0
    assert ex.move == -1 or ex.moves >= ex.move
    ex.budget = 500
    assert max(ex.sent["details"][-1]["attacks"]["cost"]) <= 500 and ex.top == 500


def ran(ex, y=None):
    space = {"tv": tv, "model": ex.model, "X": ex.X, "y": ex.y if y is None else y, "attacker": ex.attacker}
    *lines, last = ex.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize("state", [{}, {"row": 3, "budget": 60.0, "move": 0}, {"move": 1}])
def test_the_code_makes_the_same_picture(state):
    ex = explorer(**state)
    assert f"node_limit={NODES}" in ex.code()
    assert ran(ex).summary == ex.display.summary


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"row": 300}, "row: expected a number from 0 to 299, got 300"),
        ({"row": True}, "row: expected a number from 0 to 299, got True"),
        ({"budget": float("nan")}, "budget: expected a finite number of at least 0"),
        ({"budget": "much"}, "budget: expected a finite number of at least 0, got 'much'"),
        ({"move": 99}, r"move: expected a number from 0 to \d+, or -1 \(verdict\), got 99"),
        ({"move": 0.5}, r"move: expected a number from 0 to \d+, or -1 \(verdict\), got 0.5"),
    ],
)
def test_what_cannot_be_is_refused_in_words_and_the_state_stays(state, words):
    with pytest.raises(TraitError, match=words):
        explorer(**state)
    ex = explorer()
    known = ex.state
    with pytest.raises(TraitError, match=words):
        ex.set_trait(*next(iter(state.items())))
    assert ex.state == known


def test_bad_arguments_are_refused_in_words():
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got 'nobody'"):
        explore_forest(model("forest"), X, Y, "nobody")
    with pytest.raises(ValueError, match="y: expected one label per row of X"):
        explore_forest(model("forest"), X, Y[:3], A)
    with pytest.raises(ValueError, match="attacker: expected a finite budget"):
        explore_forest(model("forest"), X, Y, A.with_budget(float("inf")))
    with pytest.raises(TypeError, match="'step' cannot be set"):
        explorer(step=1)


def test_rows_without_names_and_labels_in_a_series():
    frame = pd.DataFrame({"p": np.arange(20.0)})
    trees = RandomForestRegressor(5, random_state=0).fit(frame.to_numpy(), frame["p"] ** 2)
    rule = tv.Rule(0, 1, delta=(-1, 1))
    ex = explore_forest(trees, frame.to_numpy(), frame["p"] ** 2, tv.Attacker([rule], 2))
    assert "y.iloc[" in ex.code() and "label='row " in ex.code()
    assert ran(ex, frame["p"] ** 2).summary == ex.display.summary
    assert ex.facts()["features"] == ["x[0]"]


def test_hostile_names_reach_the_browser_as_they_are():
    names = {c: f"{c} {SCRIPT} $x_1$ \"'" for c in X.columns}
    bad = X[:40].rename(columns=names, index={i: f"{SCRIPT}{i}" for i in X.index[:40]})
    rules = [tv.Rule(names[r.feature], r.cost, pre=r.pre, delta=r.delta) for r in A.rules]
    labels = np.where(Y[:40] == 1, SCRIPT, "no")
    made = RandomForestClassifier(5, max_depth=3, random_state=0).fit(bad, labels)
    ex = explore_forest(made, bad[:25], labels[:25], tv.Attacker(rules, 120))
    assert "<script>alert" not in ex.page() and ran(ex).summary == ex.display.summary
    assert any(SCRIPT in name for name in ex.facts()["features"])


@pytest.mark.parametrize("which", ["forest", "lightgbm", "regression", "toy"])
def test_a_static_picture_opens_its_live_sister_in_the_same_state(which):
    rows, y, attacker = data(which)
    display = explorer(which).display
    row = explorer(which).row
    assert (
        tv.ForestVotesDisplay.from_model(model(which), rows.iloc[[row]], y[row], attacker).summary
        == display.summary
    )
    for shown in (display, display.frames()[0], display.frames()[1]):
        sister = explorer_of(shown)
        assert sister.picture == "votes" and sister.display.title == shown.title
        jsonschema.validate(sister.page_facts(), SCHEMA)


def test_a_saved_notebook_has_a_picture_and_words():
    ex = explorer()
    data, look = ex._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(data)
    assert data["text/plain"] == ex.display.summary and look["image/png"]["alt"] == ex.display.alt_text

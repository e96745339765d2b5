"""explore_certificate: what the browser is given is what attacks do at every budget and the model says."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from traitlets import TraitError

import treant_viz as tv
from tests.viz.certificates import hard
from treant_viz.live import explore_certificate
from treant_viz.live.displays import explorer_of

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/certificate.json").read_text())
WINE, TOY, CENSUS = tv.load_wine(), tv.load_toy(), tv.load_census()
SCRIPT = "<script>alert('1')</script>"


@cache
def problem(which: str) -> tuple:
    """Model, rows, attacker, labels (or None), options."""
    if which == "toy":
        made = tv.TreantForestRegressor(5, attacker=None, max_depth=3, min_samples_split=2, random_state=0)
        return made.fit(TOY.X, TOY.y), TOY.X, TOY.attacker.with_budget(3), None, {"tolerance": 0.5}
    if which == "census":
        made = tv.TreantForestClassifier(9, attacker=None, max_depth=3, random_state=0)
        X, y = CENSUS.X_train[:200], np.asarray(CENSUS.y_train[:200])
        return made.fit(X, y), X, CENSUS.attacker, y, {}
    if which == "doubt":
        model, X, y, A = hard()
        return model, X, A, y, {"node_limit": 300}
    X, y = WINE.X_train[:300], np.asarray(WINE.y_train[:300])
    made = RandomForestClassifier(15, max_depth=4, random_state=0).fit(X, y)
    return made, X, WINE.attacker, y if which == "wine" else None, {}


def explorer(which: str = "wine", **state):
    model, X, A, y, options = problem(which)
    return explore_certificate(model, X, A, y, **options, **state)


def at(step: dict, budget: float) -> float:
    """A step function of the facts at a budget."""
    return step["value"][max(k for k, b in enumerate(step["at"]) if b <= budget * (1 + 1e-9))]


every = pytest.mark.parametrize("which", ["wine", "unlabelled", "census", "toy", "doubt"])


@every
def test_facts_fit_their_schema(which):
    ex = explorer(which)
    for facts in (ex.facts(), ex.page_facts()):
        jsonschema.validate(facts, SCHEMA)
        assert len({len(column) for column in facts["rows"].values() if column != ""}) == 1


@pytest.mark.parametrize("which", ["wine", "unlabelled", "census"])
def test_at_every_budget_as_many_rows_are_safe_as_the_worst_attack_leaves(which):
    model, X, A, y, _ = problem(which)
    own, facts = model.predict(X), explorer(which).facts()
    stake = np.ones(len(X), bool) if y is None else own == y
    for budget in [*facts["levels"], *(np.array(facts["levels"][1:]) - 1e-3)]:
        result = tv.attack(model, X[stake], own[stake], A.with_budget(budget), "margin")
        stays = model.predict(result.X_adv) == own[stake]
        labels = np.asarray(own if y is None else y)
        groups = [np.ones(len(X), bool), labels == 0, labels == 1]
        for g, mine in zip(facts["groups"], groups, strict=True):
            assert (g["n"], g["stake"]) == (mine.sum(), (mine & stake).sum())
            assert at(g["least"], budget) == at(g["most"], budget) == stays[mine[stake]].sum()


@every
def test_rows_have_their_certificates_and_the_models_own_scores(which):
    model, X, A, y, options = problem(which)
    facts, told = explorer(which).facts(), tv.certify(model, X, A, **options)
    predict = model.predict if which == "toy" else lambda Z: model.predict_proba(Z)[:, 1]
    rows = facts["rows"]
    assert sorted(rows["at"]) == list(range(len(X)))
    for i, row in enumerate(rows["at"]):
        known = told.iloc[row]
        for name in ("safe_below", "changes_at"):
            assert (math.inf if rows[name][i] is None else rows[name][i]) == pytest.approx(known[name])
        if which != "toy":
            assert int(rows["second"][i]) == known.prediction == model.predict(X.iloc[[row]])[0]
            assert int(rows["stake"][i]) == (y is None or y[row] == known.prediction)
        Z = X.iloc[[row]].astype({m.rule.feature: type(m.after) for m in known.moves})
        assert rows["scores"][i][0] == pytest.approx(predict(Z)[0])
        for place, m, score in zip(rows["moves"][i], known.moves, rows["scores"][i][1:], strict=True):
            Z[m.rule.feature] = m.after
            assert score == pytest.approx(predict(Z)[0])
            name, *ends = (facts["moves"][k][place] for k in ("feature", "before", "after", "cost"))
            assert facts["features"][name]["name"] == m.rule.feature
            truth = [m.before, m.after, m.rule.cost]
            assert ends == [v if isinstance(v, str) else pytest.approx(v) for v in truth]
        if which != "toy" and known.moves:
            assert model.predict(Z)[0] != known.prediction


@every
def test_features_pay_what_the_attacks_within_the_budget_cost(which):
    model, X, A, y, options = problem(which)
    facts, told = explorer(which).facts(), tv.certify(model, X, A, **options)
    stake = told if y is None else told[told.prediction.to_numpy() == y]
    assert {f["name"] for f in facts["features"]} == {r.feature for r in A.rules}
    assert facts["inexact"] == (~stake.exact).sum()
    assert (facts["inexact"] > 0) == (which == "doubt")
    for budget in facts["levels"]:
        bought = stake[stake.changes_at <= budget * (1 + 1e-9)].moves
        for f in facts["features"]:
            costs = [[m.rule.cost for m in path if m.rule.feature == f["name"]] for path in bought]
            assert at(f["paid"], budget) == pytest.approx(sum(map(sum, costs)))
            assert at(f["uses"], budget) == sum(map(bool, costs))
    assert any(f["paid"]["value"][-1] > 0 for f in facts["features"])
    totals = [f["paid"]["value"][-1] for f in facts["features"]]
    assert totals == sorted(totals, reverse=True)


def test_searches_that_were_stopped_leave_a_band():
    g = explorer("doubt").facts()["groups"][0]
    assert any(at(g["least"], b) < at(g["most"], b) for b in g["least"]["at"])


def test_rows_at_stake_come_first_the_cheapest_first_and_it_opens_at_the_dearest_that_changes():
    ex = explorer()
    rows = ex.facts()["rows"]
    k = rows["stake"].index("0")
    assert set(rows["stake"][k:]) == {"0"} and 0 < k < len(rows["at"])
    costs = [math.inf if c is None else c for c in rows["changes_at"][:k]]
    assert costs == sorted(costs) and costs[0] < costs[-1] == math.inf
    assert rows["changes_at"][rows["at"].index(ex.row)] == max(c for c in costs if c < math.inf)
    assert ex.budget == WINE.attacker.budget


def test_large_tables_are_listed_in_part_and_the_rest_is_asked_for(monkeypatch):
    monkeypatch.setattr("treant_viz.live.explore.certificate.LISTED", 20)
    ex = explorer()
    at = ex.facts()["rows"]["at"]
    other = next(r for r in range(300) if r not in at)
    assert 20 <= len(at) <= 21 and ex.row in at and ex.facts()["n"] == 300
    assert other in ex.answer({"row": other})["rows"]["at"] and other in ex.facts()["rows"]["at"]
    third = next(r for r in range(300) if r not in ex.facts()["rows"]["at"])
    ex.row = third
    assert third in ex.sent["rows"]["at"]
    for row in (300, -1, "x", None):
        with pytest.raises(ValueError, match="row: expected a number from 0 to 299"):
            ex.answer({"row": row})


def test_a_thousand_rows_and_eleven_features_stay_below_300_kB(monkeypatch):
    X, y = WINE.X_train[:1000], np.asarray(WINE.y_train[:1000])
    span = (X.quantile(0.95) - X.quantile(0.05)).drop("is_white")
    rules = [tv.Rule(f, 1 + i / 10, delta=(-d / 20, d / 20)) for i, (f, d) in enumerate(span.items())]
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    ex = explore_certificate(model, X, tv.Attacker(rules, 4), y)
    assert len(json.dumps(ex.page_facts(), separators=(",", ":"))) < 300_000
    monkeypatch.setattr("treant_viz.live.explore.base.ROOM", 40_000)
    small = ex.page_facts()
    assert len(json.dumps(small, separators=(",", ":"))) <= 40_000 and ex.row in small["rows"]["at"]


def test_without_a_limit_on_costs_the_dearest_cost_is_the_top():
    model, X, A, y, _ = problem("wine")
    ex = explore_certificate(model, X[:20], A.with_budget(math.inf), y[:20])
    costs = tv.evasion_cost(model, X[:20], A.with_budget(math.inf))
    hit = costs[(model.predict(X[:20]) == y[:20]) & (costs < math.inf)]
    assert ex.budget == ex.top == hit.max() and ex.facts()["budget"] is None


def test_nothing_is_at_stake_and_no_rules():
    model, X, A, y, _ = problem("wine")
    ex = explore_certificate(model, X, A, 1 - model.predict(X))
    assert ex.facts()["groups"][0]["stake"] == 0 and ex.facts()["rows"]["stake"] == "0" * 300
    calm = explore_certificate(model, X, tv.Attacker([], 3), y).facts()
    assert calm["features"] == [] and calm["levels"] == [0, 3] and set(calm["rows"]["changes_at"]) == {None}
    jsonschema.validate(calm, SCHEMA)


def test_python_and_the_hand_set_one_state():
    ex = explorer()
    ex.row, ex.budget = 9, 60
    assert ex.widget.state == ex.state == {"row": 9, "budget": 60.0}
    ex.widget.state = {"row": 10, "budget": 20.0}
    assert ex.state == {"row": 10, "budget": 20.0}
    ex.widget.state = {"row": 9999, "budget": 20.0}
    assert ex.widget.state == ex.state and ex.row == 10


@pytest.mark.parametrize("which", ["wine", "doubt", "toy"])
def test_the_code_makes_the_same_picture(which):
    model, X, A, y, _ = problem(which)
    ex = explorer(which, budget=1.0)
    *lines, last = ex.code().splitlines()
    space = {"tv": tv, "model": model, "X": X, "y": y, "attacker": A}
    exec("\n".join(lines), space)
    assert eval(last, space).summary == ex.display.summary
    alone = eval(lines[-1], space)
    assert (
        alone.title == tv.CertificateDisplay.from_model(model, X.iloc[ex.row], A, **problem(which)[4]).title
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"row": 300}, "row: expected a number from 0 to 299, got 300"),
        ({"row": True}, "row: expected a number from 0 to 299, got True"),
        ({"budget": float("nan")}, "budget: expected a finite number of at least 0"),
        ({"budget": 500}, "budget: expected at most 120, what is known about, got 500"),
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
    model, X, A, y, _ = problem("wine")
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got 'nobody'"):
        explore_certificate(model, X, "nobody", y)
    with pytest.raises(ValueError, match="X: expected at least one row, got none"):
        explore_certificate(model, X[:0], A)
    with pytest.raises(ValueError, match="y: "):
        explore_certificate(model, X, A, y[:3])
    with pytest.raises(TypeError, match="'move' cannot be set"):
        explorer(move=1)


def test_rows_without_names_of_a_regressor():
    X = np.arange(20.0)[:, None]
    model = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] ** 2)
    ex = explore_certificate(model, X, tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 2))
    facts = ex.facts()
    assert facts["features"][0]["name"] == "x[0]" and facts["classes"] == [] and len(facts["groups"]) == 1
    assert "X[" in ex.code()


def test_hostile_names_reach_the_browser_as_they_are():
    _, X, A, y, _ = problem("wine")
    names = {c: f"{c} {SCRIPT}" for c in X.columns}
    bad = X[:40].rename(columns=names, index={i: f"{SCRIPT}{i}" for i in X.index[:40]})
    rules = [tv.Rule(names[r.feature], r.cost, pre=r.pre, delta=r.delta) for r in A.rules]
    labels = np.where(y[:40] == 1, SCRIPT, "no")
    made = RandomForestClassifier(5, max_depth=3, random_state=0).fit(bad, labels)
    ex = explore_certificate(made, bad, tv.Attacker(rules, 120), labels)
    assert "<script>alert" not in ex.page()
    assert any(SCRIPT in f["name"] for f in ex.facts()["features"])


@pytest.mark.parametrize("which", ["wine", "toy", "doubt"])
def test_a_static_picture_opens_its_live_sister(which):
    model, X, A, y, options = problem(which)
    whole = tv.CertificateDisplay.from_table(model, X, y, A, **options)
    sister = explorer_of(whole)
    assert sister.display.title == whole.title and sister.facts()["n"] == len(X)
    one = tv.CertificateDisplay.from_model(model, X.iloc[4], A, label="mine", **options)
    facts = explorer_of(one).page_facts()
    jsonschema.validate(facts, SCHEMA)
    assert facts["rows"]["name"] == ["mine"] and facts["n"] == 1
    safe = facts["rows"]["safe_below"][0]
    assert one.certificate.safe_below == (math.inf if safe is None else safe)


def test_a_saved_notebook_has_a_picture_and_words():
    ex = explorer()
    data, look = ex._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(data)
    assert data["text/plain"] == ex.display.summary and look["image/png"]["alt"] == ex.display.alt_text

"""explore_constraints: legal values and losses by brute force; state, code and pages agree."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treant_viz as tv
from tests.live.constraint_truth import Truth
from treant_viz.live import explore_constraints
from treant_viz.live.explore.constraints import of_display

pytest.importorskip("anywidget")
jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/constraints.json").read_text())
HOSTILE = '</script><script>alert("$x$ & y")</script>'


@pytest.fixture(scope="module")
def wine():
    """Many constraints; rows that several splits made some of."""
    data = tv.load_wine()
    X, y = data.X_train[:400], data.y_train[:400]
    little = {c: float(X[c].std()) / 20 for c in X.columns[:8]}
    A = tv.Attacker([tv.Rule(c, cost=10, delta=(-d, d)) for c, d in little.items()], 20)
    return tv.TreantClassifier(A, max_depth=5, min_samples_split=10).fit(X, y)


@pytest.fixture(scope="module")
def census():
    data = tv.load_census()
    return tv.TreantClassifier(data.attacker, "sse", max_depth=4).fit(data.X_train[:400], data.y_train[:400])


@pytest.fixture
def ex(toy_model):
    return explore_constraints(toy_model)


@pytest.fixture(params=["toy_model", "wine", "census", "twice"])
def model(request):
    return request.getfixturevalue(request.param)


def inside(pieces, p) -> bool:
    return any(a - 1e-9 <= p <= b + 1e-9 for a, b in pieces)


# Facts


def test_facts_are_what_the_browser_expects_and_small(model):
    facts = explore_constraints(model).facts()
    jsonschema.validate(facts, SCHEMA)
    assert len(json.dumps(facts)) < 300_000


def test_legal_values_predictions_and_losses_are_brute_forces(model):
    ex = explore_constraints(model)
    truth, facts = Truth(ex.trace), ex.facts()
    grid, made = np.linspace(*facts["ends"], 97), ex.trees.made
    rng = np.random.default_rng(3)
    for i in [0, *rng.choice(len(facts["states"]), min(12, len(facts["states"])), replace=False)]:
        state = facts["states"][i]
        off = {made[k] for k in state["off"]}
        for leaf, (legal, says, loss, best) in state["leaves"].items():
            on = truth.on(leaf, off)
            assert [inside(legal, p) for p in grid] == [truth.legal(on, p) for p in grid]
            assert says == pytest.approx(truth.says("", leaf, off), abs=1e-9)
            assert loss == pytest.approx(truth.loss(leaf, says), rel=1e-9, abs=1e-9)
            assert best == pytest.approx(truth.mean(leaf))
        for tree, (counted, attacked) in state["trees"].items():
            known = truth.losses(None if tree == "whole" else tree, off)
            assert (counted, attacked) == pytest.approx(known, rel=1e-9)


def test_trees_that_a_state_does_not_name_are_as_they_were(wine):
    ex = explore_constraints(wine)
    truth, (usual, _, *states) = Truth(ex.trace), ex.facts()["states"]
    for state in states[:6]:
        off = {ex.trees.made[k] for k in state["off"]}
        for path in usual["trees"].keys() - state["trees"].keys() - {"whole"}:
            assert truth.losses(path, off) == pytest.approx(usual["trees"][path])


def test_each_constraint_is_there_with_who_where_and_what_it_cost(model):
    ex = explore_constraints(model)
    facts, truth = ex.facts(), Truth(ex.trace)
    for path, held in zip(facts["nodes"]["path"], facts["held"], strict=True):
        told = {(ex.trees.made[i], sense): (gamma, spent, pieces) for i, sense, gamma, spent, pieces in held}
        constraints = ex.trace.at(path).constraints
        assert len(told) == len(constraints) == len(held)
        for c in constraints:
            gamma, spent, pieces = told[(c.row, c.origin), "≤" if c.sense == "<=" else "≥"]
            assert (gamma, spent) == pytest.approx((c.gamma, c.spent))
            for p in np.linspace(*facts["ends"], 31):
                assert inside(pieces, p) == truth.legal([c], p)


def test_curves_are_the_leaves_losses(model):
    ex = explore_constraints(model)
    facts, truth = ex.facts(), Truth(ex.trace)
    for path, curve in zip(facts["nodes"]["path"], facts["curves"], strict=True):
        for p, loss in zip(np.linspace(*facts["ends"], len(curve)), curve, strict=True):
            known = truth.loss(path, float(p))
            assert (loss is None) == math.isinf(known) and (loss is None or loss == pytest.approx(known))


def test_few_constraints_are_tabulated_in_every_choice(twice):
    ex = explore_constraints(twice)
    facts, n = ex.facts(), len(ex.trees.made)
    assert n == 4 and facts["complete"]
    every = {c for k in range(n + 1) for c in itertools.combinations(range(n), k)}
    assert {tuple(s["off"]) for s in facts["states"]} == every
    truth = Truth(ex.trace)
    for state in facts["states"]:
        off = {ex.trees.made[k] for k in state["off"]}
        for tree, losses in state["trees"].items():
            assert tuple(losses) == pytest.approx(truth.losses(None if tree == "whole" else tree, off))


def test_what_is_not_tabulated_is_asked_for(wine):
    ex = explore_constraints(wine)
    assert not ex.facts()["complete"]
    (state,) = ex.answer({"off": [4, 1, 7]})["states"]
    jsonschema.validate({**ex.facts(), "states": [state]}, SCHEMA)
    off = {ex.trees.made[i] for i in (1, 4, 7)}
    assert state["off"] == [1, 4, 7]
    truth = Truth(ex.trace)
    for tree, losses in state["trees"].items():
        assert tuple(losses) == pytest.approx(truth.losses(None if tree == "whole" else tree, off))
    for bad in ([99], "x2", None, [True], [-1]):
        with pytest.raises(ValueError, match="off: expected a list of places from 0 to"):
            ex.answer({"off": bad})


def test_the_present_choice_is_in_the_page(wine):
    ex = explore_constraints(wine)
    ex.off = tuple(ex.rows[:4])
    assert ex.widget.state["off"] in [s["off"] for s in ex.page_facts()["states"]]


def test_the_toys_panels(ex):
    states = ex.facts()["states"]
    assert states[0]["leaves"]["rl"] == [[[-2.32, -1.5], [1.5, 2.32]], 1.5, 2.5, 1]
    assert states[0]["trees"]["r"] == [3, 3]  # panel (e)
    assert states[1]["leaves"]["rl"][1:] == [1, 2, 1]
    assert states[1]["trees"]["r"] == [2.5, 3.75]  # panel (d): what the leaves count is not what happens


def test_trials_are_brute_forces_loss_under_attack(model):
    ex = explore_constraints(model)
    facts, truth = ex.facts(), Truth(ex.trace)
    points, made = np.linspace(*facts["ends"], max(map(len, facts["curves"]))), ex.trees.made
    rng, trials = np.random.default_rng(5), list(facts["trials"].items())
    assert len(trials) >= (12 if len(made) < 3 else 40)
    for k in [0, *rng.choice(len(trials), 5, replace=False)]:
        key, curve = trials[k]
        off, path, leaf = key.split("|")
        gone = {made[int(i)] for i in off.split(",") if i}
        for i in (0, 7, 20, 33):
            known = truth.caused(None if path == "whole" else path, gone, leaf, float(points[i]))
            assert (math.inf if curve[i] is None else curve[i]) == pytest.approx(known, rel=1e-9)


def test_a_trial_that_a_page_lacks_is_asked_for(wine):
    ex = explore_constraints(wine)
    leaf, off = next(iter(ex.trees.tree(None)[1])), [1, 4, 7]
    ((key, curve),) = ex.answer({"off": off, "path": None, "leaf": leaf})["trials"].items()
    gone = {ex.trees.made[i] for i in off}
    known = Truth(ex.trace).caused(None, gone, leaf, 0.5)
    assert key.endswith(f"|whole|{leaf}") and curve[20] == pytest.approx(known)
    with pytest.raises(ValueError, match="leaf: expected a leaf of this tree"):
        ex.answer({"off": off, "path": None, "leaf": "x"})
    with pytest.raises(ValueError, match="path: expected None or a node that was split"):
        ex.answer({"off": off, "path": "x", "leaf": leaf})


def test_with_weights_the_loss_under_attack_is_unknown():
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y, [1, 1, 2, 1, 1, 1, 1])
    facts = explore_constraints(model).facts()
    jsonschema.validate(facts, SCHEMA)
    assert {losses[1] for losses in facts["states"][0]["trees"].values()} == {"unknown"}
    assert facts["trials"] == {}


def test_the_grown_tree_may_have_decided_anew(toy_trace):
    """Where a final leaf says something else than its split did, the whole tree alone shows it."""
    steps = tuple(replace(s, leaf=1.75) if s.path == "rl" else s for s in toy_trace.steps)
    ex = explore_constraints(replace(toy_trace, steps=steps), path=None, leaf="rl")
    usual = ex.facts()["states"][0]
    assert usual["leaves"]["rl"][1] == 1.5 and usual["leaves"]["whole rl"][1] == 1.75
    assert usual["trees"]["whole"] == pytest.approx(Truth(ex.trace).losses(None, ()))
    assert usual["trees"]["r"] == [3, 3] and ex.display.bounds["rl"].prediction == 1.75


# Where it opens


def test_it_opens_where_a_constraint_binds_and_keeps_the_attacker_from_more(wine):
    ex = explore_constraints(wine)
    truth, off = Truth(ex.trace), set(ex.trees.made)

    def binds(path):
        return any(not truth.legal(truth.on(p, ()), truth.mean(p)) for p in truth.leaves(path))

    assert not truth.legal(truth.on(ex.leaf, ()), truth.mean(ex.leaf))
    bound = [s.path for s in ex.trace.steps if s.taken and binds(s.path)]
    worse = [p for p in bound if truth.losses(p, off)[1] > truth.losses(p, ())[1] * (1 + 1e-9)]
    assert ex.path == (worse or bound)[0]


def test_the_toy_opens_at_panel_e(ex):
    assert ex.state == {"path": "r", "leaf": "rl", "off": (), "row": None}
    assert ex.display.title == "1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed"


def test_nobody_attacks_and_nothing_to_switch():
    data = tv.load_toy()
    ex = explore_constraints(tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y))
    jsonschema.validate(ex.facts(), SCHEMA)
    assert (ex.path, ex.rows) == ("", []) and ex.facts()["complete"]
    leaf = explore_constraints(tv.TreantRegressor(data.attacker, min_samples_split=99).fit(data.X, data.y))
    jsonschema.validate(leaf.facts(), SCHEMA)
    assert (leaf.path, leaf.leaf) == ("", "")


# What is left behind


def test_the_code_makes_the_same_picture(model):
    ex = explore_constraints(model)
    pair = ex.trees.made[-1]
    for path, off in ((ex.path, ()), ("", ex.rows), (None, [pair])):
        ex.path, ex.off = path, off
        *before, last = ex.code().splitlines()
        names = {"tv": tv, "model": model}
        exec("\n".join(before), names)
        assert eval(last, names).summary == ex.display.summary == repr(ex)
    assert "model" not in explore_constraints(ex.trace).code()


def test_a_display_has_a_live_sister(toy_trace):
    shown = tv.ConstraintsDisplay.from_trace(toy_trace, "r", off=2, names={2: "Ada"})
    ex = of_display(shown)
    assert (ex.path, ex.off) == ("r", (2,)) and ex.display.summary == shown.summary
    assert ex.facts()["made"]["name"] == ["Ada"] and "names={2: 'Ada'}" in ex.code()
    whole = of_display(tv.ConstraintsDisplay.from_trace(toy_trace))
    assert whole.path is None and whole.leaf in ("ll", "lr", "rl", "rr")


def test_names_of_users_are_made_harmless():
    X = tv.load_toy().X.set_axis([HOSTILE, "$q$"], axis=1).set_axis([HOSTILE + str(i) for i in range(7)])
    A = tv.Attacker([tv.Rule(HOSTILE, cost=1, delta=(-1, 1))], 1)
    ex = explore_constraints(tv.TreantRegressor(A, min_samples_split=2).fit(X, tv.load_toy().y), off=(2,))
    jsonschema.validate(ex.facts(), SCHEMA)
    assert HOSTILE in ex.facts()["nodes"]["split"][0]["feature"] and "<script>alert" not in ex.page()


def test_a_saved_notebook_keeps_the_picture(ex):
    data, _ = ex._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data and data["text/plain"] == ex.display.summary
    assert data["image/png"]


def test_a_saved_display_is_live(toy_trace, tmp_path):
    page = (
        tv.ConstraintsDisplay.from_trace(toy_trace, "r", off=2).save(tmp_path / "x.html").read_text("utf-8")
    )
    assert '"picture":"constraints"' in page and '"off":[0]' in page

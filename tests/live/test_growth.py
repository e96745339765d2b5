"""explore_growth: its facts are what trees, rows and definitions say; state, code and pages agree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.hand import by_hand
from treant_viz.live import explore_growth
from treant_viz.viz.tree.live_facts import SHOWN, growth_facts

pytest.importorskip("anywidget")
jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/growth.json").read_text())
HOSTILE = '</script><script>alert("$x$ & y")</script>'


@pytest.fixture(scope="module")
def wine():
    """Deep enough for parts of the tree to be folded away, with rules that make rows unknown."""
    data = tv.load_wine()
    X, y = data.X_train[:300], data.y_train[:300]
    little = {c: float(X[c].std()) / 20 for c in X.columns[:8]}
    A = tv.Attacker([tv.Rule(c, cost=10, delta=(-d, d)) for c, d in little.items()], 10)
    return tv.TreantClassifier(A, max_depth=6, min_samples_split=10).fit(X, y)


@pytest.fixture(scope="module")
def census():
    data = tv.load_census()
    return tv.TreantClassifier(data.attacker, max_depth=4).fit(data.X_train[:300], data.y_train[:300])


@pytest.fixture
def ex(toy_model):
    return explore_growth(toy_model)


@pytest.fixture(params=["toy_model", "wine", "census"])
def model(request):
    return request.getfixturevalue(request.param)


def nodes(facts) -> dict[str, dict]:
    n = facts["nodes"]
    return {path: {key: column[i] for key, column in n.items()} for i, path in enumerate(n["path"])}


def home(tree, row) -> str:
    """Where a row ends if nobody attacks: by hand, test after test."""
    path = ""
    while hasattr(tree, "left"):
        x = row[tree.feature]
        yes = x == tree.threshold if tree.test == "==" else x <= tree.threshold
        path, tree = (path + "l", tree.left) if yes else (path + "r", tree.right)
    return path


def hurt(loss, p, y) -> float:
    """The two losses, from their definitions."""
    return (p - y) ** 2 if loss == "squared error" else -float(np.log(p if y > 0.5 else 1 - p))


# Facts


def test_facts_fit_their_schema_and_are_small(model):
    facts = growth_facts(model.trace_)
    jsonschema.validate(facts, SCHEMA)
    assert len(json.dumps(facts, separators=(",", ":"), allow_nan=False)) < 300_000


def test_a_thousand_wines_to_depth_four_are_below_300_kB():
    data = tv.load_wine()
    model = tv.TreantClassifier(data.attacker.with_budget(20), "sse", max_depth=4)
    facts = growth_facts(model.fit(data.X_train[:1000], data.y_train[:1000]).trace_)
    assert len(json.dumps(facts, separators=(",", ":"))) < 300_000 and len(facts["at_home"]) == 1000


def test_losses_are_those_of_the_tree_so_far(model):
    t = model.trace_
    s, trees = growth_facts(t)["steps"], [tree for _, tree in t.trees()]
    assert len(s["loss"]) == len(t) and len(s["loss_under_attack"]) == len(t) + 1 and s["true"] is None
    for i in sorted({*range(0, len(t), 7), len(t) - 1}):
        for budget, shown in ((0, s["loss"][i]), (t.attacker.budget, s["loss_under_attack"][i + 1])):
            A = t.attacker.with_budget(budget)
            assert shown == pytest.approx(tv.loss_under_attack(trees[i], t.X, t.y, A, t.loss.name))


def test_rows_are_at_home_where_their_values_lead_and_sent_where_they_cost_what_is_counted(model):
    t = model.trace_
    facts, tree = growth_facts(t), model.tree_
    known = nodes(facts)
    paths = facts["nodes"]["path"]
    assert [paths[i] for i in facts["at_home"]] == [home(tree, row) for _, row in t.X.iterrows()]
    sent = [known[paths[i]]["leaf"] for i in facts["sent_to"]]
    total = sum(hurt(facts["loss"], p, y) for p, y in zip(sent, t.y))
    assert total == pytest.approx(facts["steps"]["loss_under_attack"][-1])


def test_ribbons_carry_all_rows_of_their_parent_and_counts_add_up(model):
    facts = growth_facts(model.trace_)
    known = nodes(facts)
    pushed = 0
    for path, n in known.items():
        if n["split"] is None:
            assert n["rows"] == facts["sent_to"].count(facts["nodes"]["path"].index(path))
            continue
        children = [known[path + side] for side in "lr"]
        assert (
            n["rows"]
            == sum(k["rows"] for k in children)
            == sum(n["split"][s] for s in ("left", "unknown", "right"))
        )
        assert all(k["flow"]["sure"] + k["flow"]["unknown"] == k["rows"] for k in children)
        assert n["bought"] <= sum(k["bought"] for k in children)
        pushed += sum(k["flow"]["pushed"] for k in children)
    assert pushed


def test_what_a_leaf_may_say_is_what_every_constraint_allows(model):
    t, facts = model.trace_, growth_facts(model.trace_)
    low, high = facts["ends"]
    for step, n in zip(t.steps, nodes(facts).values()):
        assert n["mean"] == pytest.approx(np.mean(t.y[step.data.rows]))
        assert (n["feasible"] is None) == (not step.constraints)
        for p in np.linspace(low, high, 63)[1:-1] if step.constraints else ():
            costs = [(hurt(facts["loss"], p, c.y), c) for c in step.constraints]
            if any(abs(cost - c.gamma) < 1e-6 for cost, c in costs):
                continue  # on the border
            legal = all(cost <= c.gamma if c.sense == "<=" else cost >= c.gamma for cost, c in costs)
            assert legal == any(a <= p <= b for a, b in n["feasible"]), (step.path, p)


def test_candidates_are_the_records_numbers_and_the_chosen_and_a_tied_one_are_among_them(model):
    seen = 0
    for step, shown in zip(model.trace_.steps, growth_facts(model.trace_)["candidates"]):
        c = step.candidates
        assert (shown is None) == (c is None or not len(c))
        if shown is None:
            continue
        seen += 1
        assert len(shown["order"]) <= SHOWN and shown["tried"] == len(c)
        for k, i in enumerate(shown["order"]):
            assert (shown["feature"][k], shown["left"][k]) == (c.feature[i], c.left[i])
            for name in ("loss", "loss_under_attack", "plain_loss", "plain_loss_under_attack", "y_l", "y_r"):
                value = float(getattr(c, name)[i])
                expect = (
                    "none" if np.isnan(value) else None if np.isinf(value) else pytest.approx(value, rel=1e-9)
                )
                assert shown[name][k] == expect
        if shown["best"] >= 0:
            best = shown["loss_under_attack"][shown["best"]]
            assert best == pytest.approx(np.min(c.loss_under_attack[c.admissible]))
            assert step.split.feature == shown["feature"][shown["best"]]
        assert any(shown["tied"]) == bool(c.tied.any())
    assert seen > 1


def test_the_toys_root_is_the_papers(toy_model):
    facts = growth_facts(toy_model.trace_)
    root, left, right = (nodes(facts)[p] for p in ("", "l", "r"))
    assert root["split"] == {
        "feature": "p",
        "sign": "≤",
        "threshold": 1,
        "left": 2,
        "unknown": 1,
        "right": 4,
    } | {
        "loss": 3.39,
        "loss_under_attack": 3.7,
    }
    assert (left["waiting"], right["waiting"]) == (-1.5, 1.6)
    assert left["feasible"] == [[-1.5, 1.5]] and right["feasible"] == [[-3, -1.5], [1.5, 3]]
    assert right["flow"] == {"sure": 4, "unknown": 1, "pushed": 1, "costs": [1], "who": "x2"}
    c = facts["candidates"][0]
    assert [(f, v) for f, v, t in zip(c["feature"], c["threshold"], c["tied"]) if t] == [("p", 1), ("q", 2)]
    assert facts["steps"]["loss_under_attack"][:2] == [pytest.approx(17.4285714286), 3.7]


def test_without_attack_invariance_the_true_loss_is_told():
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=3, attack_invariance=False)
    steps = growth_facts(model.fit(data.X, data.y).trace_)["steps"]
    assert steps["true"][2] == pytest.approx(3.75) and steps["loss_under_attack"][3] == pytest.approx(2.5)


def test_with_weights_the_plain_loss_is_not_known_and_not_told():
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y, [1, 1, 2, 1, 1, 1, 1])
    facts = growth_facts(model.trace_)
    jsonschema.validate(facts, SCHEMA)
    assert facts["steps"]["loss"] is None and facts["steps"]["true"] is None


def test_a_single_leaf_is_a_trace_too():
    data = tv.load_toy()
    ex = explore_growth(tv.TreantRegressor(data.attacker, min_samples_split=99).fit(data.X, data.y))
    assert ex.last == 0 and ex.facts()["nodes"]["split"] == [None]
    assert "a single leaf" in ex.display.title.lower() or "stays a leaf" in ex.display.title


# State


def test_the_first_frame_teaches_the_toys_root(ex):
    assert ex.state == {"step": 0, "node": None, "sort_by": "loss_under_attack", "ascending": True}
    assert ex.display.title.startswith("Step 1 of 7: the root asks p ≤ 1")


def test_python_and_the_hand_set_one_state(ex):
    ex.step = 4
    assert ex.widget.state["step"] == 4 and ex.display.title.startswith(
        "Step 5 of 7: the right child asks q ≤ 3"
    )
    by_hand(ex, step=6, node="rl", sort_by="threshold", ascending=False)
    assert ex.state == {"step": 6, "node": "rl", "sort_by": "threshold", "ascending": False}


def test_state_to_begin_with(toy_model):
    ex = explore_growth(toy_model.trace_, step=1, node="", sort_by="y_l", ascending=False)
    assert ex.widget.state == {"step": 1, "node": "", "sort_by": "y_l", "ascending": False}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("step", 7, "step: expected a whole number from 0 to 6, got 7"),
        ("step", -1, "step: .* got -1"),
        ("step", True, "step: .* got True"),
        ("step", "r", "step: .* got 'r'"),
        ("step", None, "step: .* got None"),
        ("node", "rrr", "node: expected None or the path of a node .* got 'rrr'"),
        ("node", 1, "node: .* got 1"),
        ("sort_by", "beauty", "sort_by: expected one of .* got 'beauty'"),
        ("ascending", "yes", "ascending"),
    ],
)
def test_bad_state_is_refused_and_the_last_good_one_stays(ex, name, value, said):
    state = ex.state
    with pytest.raises(TraitError, match=said):
        setattr(ex, name, value)
    by_hand(ex, **{name: value})
    assert ex.state == state == ex.widget.state


def test_other_things_than_trees_are_refused(toy_model):
    with pytest.raises(TypeError, match=r"expected a fitted TreantClassifier .* got DataFrame"):
        explore_growth(tv.load_toy().X)
    with pytest.raises(ValueError, match="not fitted"):
        explore_growth(tv.TreantRegressor())
    with pytest.raises(TypeError, match="'stepp' cannot be set"):
        explore_growth(toy_model, stepp=1)


# What is left behind


@pytest.mark.parametrize("which", ["toy_model", "wine"])
def test_the_code_makes_the_same_picture(which, request):
    model = request.getfixturevalue(which)
    ex = explore_growth(model)
    deep = max(range(len(ex.trace)), key=lambda i: len(ex.trace.steps[i].path))
    for step in (0, len(ex.trace) // 2, deep):
        ex.step = step
        *before, last = ex.code().splitlines()
        names = {"tv": tv, "model": model}
        exec("\n".join(before), names)
        assert eval(last, names).summary == ex.display.summary == repr(ex)
    assert "model" not in explore_growth(ex.trace).code()


def test_names_of_users_are_made_harmless():
    X = pd.DataFrame({HOSTILE: [HOSTILE, "b", HOSTILE, "b"], "$q$": [1, 1, 2, 2]})
    A = tv.Attacker([tv.Rule(HOSTILE, cost=1, pre={"b"}, becomes=HOSTILE)], 1)
    ex = explore_growth(tv.TreantRegressor(A, min_samples_split=2, max_depth=2).fit(X, [0, 9, 0, 8]))
    jsonschema.validate(ex.facts(), SCHEMA)
    assert HOSTILE in ex.facts()["candidates"][0]["feature"] and "<script>alert" not in ex.page()


def test_a_saved_notebook_keeps_the_picture(ex):
    data, _ = ex._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data and data["text/plain"] == ex.display.summary
    assert data["image/png"]

"""explore_search: its facts are what brute force finds, row by row; state, code and pages agree."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.trace.test_what_if import brute, log, sse
from treant_viz.live import explore_search
from treant_viz.live.displays import explorer_of
from treant_viz.viz.split_search.live_facts import search_facts

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/search.json").read_text())
HOSTILE = '</script><script>alert("$x$ & y")</script>'


def small(name, loss):
    data = getattr(tv, f"load_{name}")()
    A = data.attacker.with_budget(60) if name == "wine" else data.attacker
    return tv.TreantClassifier(A, loss, max_depth=3).fit(data.X_train[:250], data.y_train[:250])


@pytest.fixture(scope="module")
def models(toy_model):
    return {"toy": toy_model, "wine": small("wine", "sse"), "census": small("census", "log")}


@pytest.fixture
def ex(toy_model):
    return explore_search(toy_model)


def columns(line) -> dict:
    """With what was left out put back: a robust column that equals its standard sister."""
    return line | {
        name: line.get(name, line[f"plain_{name}"]) for name in ("y_l", "y_r", "loss", "loss_under_attack")
    }


def heights(line, column, plain, x) -> float:
    """A curve's height at x: the last place at or below x counts."""
    line = columns(line)
    between = line["between"]
    at = [-np.inf if t is None else t for t in between["at"]] + line["threshold"]
    y = between.get(column, between["loss"]) + line[plain]
    return [b for _, b in sorted(zip(at, y)) if _ <= x][-1]


# Facts


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_facts_fit_their_schema_and_every_node_can_be_asked_for(models, name):
    explorer = explore_search(models[name])
    for node in explorer.nodes:
        jsonschema.validate(explorer.answer({"path": node["path"]}), SCHEMA)
    jsonschema.validate(explorer.page_facts(), SCHEMA)


def test_a_page_on_a_thousand_wines_is_below_300_kB(wine_trace):
    facts = explore_search(wine_trace).page_facts()
    assert len(json.dumps(facts, separators=(",", ":"), allow_nan=False)) < 300_000
    assert len(facts["searches"]) >= 2


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_candidates_of_the_root_are_what_brute_force_finds(models, name):
    t, rng = models[name].trace_, np.random.default_rng(1)
    ell, A = sse if t.loss.name == "sse" else log, t.attacker
    for line in map(columns, search_facts(t, [""])["searches"][""]["lines"]):
        x, some = t.X[line["feature"]].tolist(), range(len(line["order"]))
        for i in some if len(some) < 6 else rng.choice(some, 6):
            v = line["threshold"][i]
            home = np.array([a == v if isinstance(v, str) else a <= v for a in x])
            means = [t.y[side].mean() if side.any() else t.y.mean() for side in (home, ~home)]
            for kind in ("plain_", ""):
                leaves = line[f"{kind}y_l"][i], line[f"{kind}y_r"][i]
                count, plain, attacked = brute(x, t.y, A, line["feature"], v, *leaves, ell)
                assert count == {s[0].upper(): line[s][i] for s in ("left", "unknown", "right")}
                found = [np.inf if n is None else n for n in (line[f"{kind}loss"][i],)]
                assert found == [pytest.approx(plain)]
                worst = line[f"{kind}loss_under_attack"][i]
                if i not in line["one_sided"] or kind:
                    assert (np.inf if worst is None else worst) == pytest.approx(attacked)
            assert [line["plain_y_l"][i], line["plain_y_r"][i]] == pytest.approx(means)
            for _ in range(8):  # no other pair of leaves loses less under attack
                pair = np.clip(np.array(leaves) + rng.normal(0, 0.05, 2), 1e-9, 1 - 1e-9)
                pair = pair if ell is log else np.array(leaves) + rng.normal(0, 0.1, 2)
                assert brute(x, t.y, A, line["feature"], v, *pair, ell)[2] >= attacked - 1e-9


def test_the_standard_curve_of_the_root_jumps_where_the_loss_of_two_means_does(models):
    t = models["wine"].trace_
    for line in search_facts(t, [""])["searches"][""]["lines"]:
        x = t.X[line["feature"]].to_numpy()
        for at in np.random.default_rng(2).uniform(x.min() - 1, x.max() + 1, 15):
            left = x <= at
            expect = sum(((t.y[s] - t.y[s].mean()) ** 2).sum() for s in (left, ~left) if s.any())
            assert heights(line, "loss", "plain_loss", at) == pytest.approx(expect)
            assert heights(line, "attacked", "loss_under_attack", at) >= expect - 1e-9


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_choices_have_the_least_losses_and_ties_share_the_robust_one(models, name):
    t = models[name].trace_
    for node in explore_search(t).nodes:
        found, c = search_facts(t, [node["path"]])["searches"][node["path"]], t.at(node["path"]).candidates
        assert c.plain_loss[found["standard"]] == pytest.approx(np.min(c.plain_loss))
        known = [i for line in found["lines"] for i in line["order"]]
        assert sorted(known) == list(range(len(c))) and node["tried"] == len(c)
        if c.admissible.any():
            least = np.min(c.loss_under_attack[c.admissible])
            for i in [found["robust"], *found["tied"]]:
                assert c.admissible[i] and c.loss_under_attack[i] == pytest.approx(least)
        assert node["differ"] == (found["robust"] not in (-1, found["standard"]))


def test_the_toys_root_is_the_papers(toy_model):
    found = search_facts(toy_model.trace_, [""])["searches"][""]
    p, q = found["lines"]
    assert (p["feature"], p["threshold"], q["threshold"]) == ("p", [-7, -5, 1, 3], [1, 2, 3])
    assert (p["loss_under_attack"][2], p["plain_loss"][2], p["plain_loss_under_attack"][2]) == (3.7, 2, 5)
    assert (found["standard"], found["robust"], found["tied"]) == (2, 2, [5])


# State


def test_it_opens_where_the_choices_differ(models, toy_model):
    assert explore_search(toy_model).state == {"path": "", "feature": "p", "threshold": 1.0}
    ex = explore_search(models["wine"])
    differ = [n for n in ex.nodes if n["differ"]]
    assert ex.path == max(differ, key=lambda n: n["rows"])["path"]


def test_another_feature_or_node_lights_its_best_test(ex):
    ex.feature = "q"
    assert (ex.threshold, ex.place) == (2.0, 5)
    ex.threshold = np.float64(3)
    assert ex.place == 6
    ex.path = "r"
    assert (ex.feature, ex.threshold) == ("q", 3.0) and set(ex.sent["searches"]) == {"", "r"}


def test_the_hand_sets_all_three_at_once(ex):
    ex.path = "l"
    ex.hear({"path": "", "candidate": 1})
    assert ex.state == {"path": "", "feature": "p", "threshold": -5.0}
    for wrong in ({"path": "zz", "candidate": 0}, {"path": "", "candidate": 99}, {"path": ""}):
        ex.hear(wrong)
        assert ex.state == {"path": "", "feature": "p", "threshold": -5.0}


@pytest.mark.parametrize(
    ("trait", "value", "said"),
    [
        ("path", "zz", r"path: expected a node where tests were tried.*'r'.*got 'zz'"),
        ("path", "ll", r"path: .*got 'll'"),
        ("feature", "z", r"feature: expected one that was tried here: \['p', 'q'\], got 'z'"),
        ("threshold", 2.5, r"threshold: expected one tried on 'p' here: -7.0, .*; got 2.5"),
        ("threshold", True, r"threshold: .*got True"),
    ],
)
def test_what_is_wrong_is_said_with_its_name(ex, trait, value, said):
    with pytest.raises(TraitError, match=said):
        setattr(ex, trait, value)
    assert ex.state == {"path": "", "feature": "p", "threshold": 1.0}


def test_bad_questions_and_traces_without_a_search_are_refused(ex, toy):
    assert "path: expected a node" in ex.answered({"path": "zz"})["error"]
    none = tv.TreantRegressor(toy.attacker, max_depth=0, min_samples_split=2).fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="no test was tried at any node"):
        explore_search(none)


# What it leaves behind


def test_code_makes_the_display_and_the_display_opens_the_explorer(ex, toy_model):
    ex.path = "r"
    made = eval(ex.code().splitlines()[-1], {"tv": tv, "trace": toy_model.trace_})
    assert made.summary == ex.display.summary == repr(ex)
    assert explorer_of(made).state == ex.state


def test_hostile_names_are_text_in_a_page(tmp_path):
    X = pd.DataFrame({HOSTILE: [0.0, 1, 2, 3], "c": [HOSTILE, "b", "b", HOSTILE]})
    model = tv.TreantRegressor(tv.Attacker([], 0), min_samples_split=2).fit(X, [0.0, 0, 1, 1])
    page = explore_search(model).save(tmp_path / "p.html").read_text()
    assert HOSTILE not in page and "alert" in page

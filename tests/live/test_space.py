"""explore_space: its facts are what the attack finds on the tree as it looks in a plane; pages agree."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.viz.test_feature_space import STUMP
from treant_viz.core.tree import predict
from treant_viz.live.displays import explorer_of
from treant_viz.viz.feature_space.facts import PlaneReach, in_plane

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/space.json").read_text())
SMALL = 250


@cache
def given(which):
    """A tree that plans for nobody, with rows, labels and an attacker."""
    if which == "toy":
        toy = tv.load_toy()
        made = tv.TreantRegressor(toy.attacker, min_samples_split=2, max_depth=2).fit(toy.X, toy.y)
        return made, toy.X, toy.y, toy.attacker
    data = getattr(tv, f"load_{which}")()
    X, y, A = data.X_train[:SMALL], data.y_train[:SMALL], data.attacker.with_budget(60)
    return tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, A


def explorer(which, **state):
    return tv.explore_space(*given(which), **state)


def attacked(which, plane, at, budget):
    """The exact attack on the rows of a plane, whose other features stand still in the tree."""
    model, X, y, A = given(which)
    ex = explorer(which)
    still = ex.data.M[0].copy()
    for j, v in plane["fixed"]:
        known = ex.data.schema.columns[j].categories
        still[j] = v if known is None else [str(c) for c in known].index(v)
    flat = in_plane(model.tree_, still, (plane["x"], plane["y"]), ex.data.schema)
    rows = X.iloc[at]
    return (
        flat,
        rows,
        tv.attack(flat, rows, np.asarray(y)[at].astype(float), A.with_budget(budget), loss="sse"),
    )


@pytest.mark.parametrize("which", ["toy", "wine", "census"])
def test_facts_fit_their_schema_and_a_page_is_small(which):
    ex = explorer(which)
    jsonschema.validate(ex.facts(), SCHEMA)
    facts = ex.page_facts()
    jsonschema.validate(facts, SCHEMA)
    assert len(json.dumps(facts, separators=(",", ":"))) < 300_000
    assert which == "toy" or len(facts["planes"]) > 3


@pytest.mark.parametrize("which", ["toy", "wine", "census"])
def test_every_way_of_every_level_is_that_of_the_exact_attack(which):
    facts = explorer(which).page_facts()
    for plane in list(facts["planes"].values())[:3]:
        at = [facts["rows"]["at"][i] for i in plane["rows"]["at"]]
        for level in plane["levels"]:
            flat, rows, found = attacked(which, plane, at, level["cost"])
            worst, ways = level["worst"], plane["ways"]
            own = [plane["regions"]["prediction"][ways["region"][w]] for w in plane["own"]]
            assert own == pytest.approx(predict(flat, rows).tolist())
            assert [ways["loss"][w] for w in worst] == pytest.approx(found.losses.tolist())
            assert level["loss"] == pytest.approx(found.losses.sum())
            assert level["hit"] == (found.losses > found.clean_losses + 1e-9).sum()
            costs = [ways["cost"][w] for w in worst]
            hurt = found.losses > found.clean_losses + 1e-9
            assert np.array(costs)[hurt] == pytest.approx(found.costs[hurt])


def test_where_a_way_ends_is_in_its_region_and_in_reach():
    ex = explorer("wine")
    plane = ex.facts()["planes"]["{},{}".format(*ex.pair)]
    ways, regions = plane["ways"], plane["regions"]
    for w, r in enumerate(ways["region"]):
        for k in "xy":
            low, high = regions[k][r]
            assert (low is None or ways[k][w] > low) and (high is None or ways[k][w] <= high)
        i = ways["row"][w]
        reach = PlaneReach.of(ex.data.schema, ex.attacker.with_budget(ways["cost"][w]), ex.pair)
        boxes = reach.boxes(plane["rows"]["x"][i], plane["rows"]["y"][i])
        x, y = ways["x"][w], ways["y"][w]
        assert any(b.x[0] <= x <= b.x[1] and b.y[0] <= y <= b.y[1] for b in boxes)


def test_state_is_checked_and_code_makes_the_same_picture():
    ex = explorer("wine", features=("alcohol", "residual_sugar"), budget=40, row=3)
    assert ex._to_browser() == {"x": 10, "y": 3, "row": 3, "budget": 40.0}
    model, X, y, attacker = given("wine")
    scope = {"tv": tv, "tree": model, "X": X, "y": y, "attacker": attacker}
    *lines, last = ex.code().splitlines()
    exec("\n".join([*lines, f"made = {last}"]), scope)
    made = scope["made"]
    assert (made.title, made.summary) == (ex.display.title, ex.display.summary)
    for wrong in (
        {"features": ("alcohol", "alcohol")},
        {"features": ("alcohol", "nothing")},
        {"budget": -1},
        {"row": 9999},
    ):
        with pytest.raises(TraitError):
            ex.set_trait(*next(iter(wrong.items())))
    ex.hear({"x": 1, "y": 10, "row": None, "budget": 20})
    assert (ex.features, ex.row, ex.budget) == (("volatile_acidity", "alcohol"), None, 20.0)
    with pytest.raises(ValueError, match="expected two places"):
        ex.answer({"features": [0, 99]})
    assert "0,1" in ex.answer({"features": [0, 1]})["planes"]


def test_a_greater_budget_and_another_plane_bring_their_facts():
    ex = explorer("wine")
    ex.budget = 200.0
    assert max(level["cost"] for level in ex.sent["planes"]["{},{}".format(*ex.pair)]["levels"]) > 80
    ex.features = ("citric_acid", "chlorides")
    assert "2,4" in ex.sent["planes"]


def test_a_feature_that_stands_still_is_not_shown_and_is_said():
    model, X, y, A = given("wine")
    ex = tv.explore_space(model, X, y, A, fixed={"citric_acid": 0.1}, features=("alcohol", "chlorides"))
    assert [2, 0.1] in ex.facts()["planes"]["10,4"]["fixed"]
    with pytest.raises(TraitError, match="held still"):
        ex.features = ("alcohol", "citric_acid")


def test_the_static_picture_is_live_as_a_page():
    toy = tv.load_toy()
    d = tv.FeatureSpaceDisplay.from_tree(STUMP, toy.X, toy.y, toy.attacker, rows=[2, 3])
    ex = explorer_of(d)
    assert (ex.features, ex.listed, ex.display.title) == (d.features, [2, 3], d.title)

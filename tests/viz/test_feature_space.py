"""Feature space: regions agree with the tree, boxes with what the attacker can reach, risk with a search by hand."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from treant_viz.table import Schema
from treant_viz.tree import predict
from treant_viz.viz.export import render, svg
from treant_viz.viz.feature_space import FeatureSpaceDisplay
from treant_viz.viz.palette import DARK
from treant_viz.viz.plane import Box, Reach, predictions_in

HOSTILE = "<script>$x_1$\\ \u202e&\"'" + "long " * 20
STUMP = tv.Node("p", 1.0, tv.Leaf(-1.0), tv.Leaf(2.0))
make = FeatureSpaceDisplay.from_tree


@pytest.fixture(scope="module")
def toy():
    return tv.load_toy()


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    attacker = data.attacker.with_budget(data.budgets[-1])
    X, y = data.X_train[:1000], data.y_train[:1000]
    return tv.TreantClassifier(attacker, max_depth=3).fit(X, y), X, y, attacker


def test_panel_b_x2_alone_is_at_risk_and_the_loss_goes_from_2_to_5(toy):
    d = make(STUMP, toy.X, toy.y, toy.attacker)
    assert d.title == (
        "1 of 7 instances is at risk: its box straddles a border; the attack raises the loss from 2 to 5"
    )
    drawn = d.plot()
    [risk] = drawn["box at risk"]
    assert (risk.get_bbox().x0, risk.get_bbox().x1) == (0.0, 2.0)
    assert len(drawn["move"]) == 1
    assert sorted(drawn.texts("prediction")) == ["-1", "2"]
    assert "x2: 0" in drawn.texts("label")
    assert "x4–x6: 2" in drawn.texts("label")


def test_regions_say_what_the_tree_says_everywhere(wine):
    model, X, y, attacker = wine
    d = make(model, X, y, attacker, ["alcohol", "citric_acid"])
    rng = np.random.default_rng(0)
    probe = pd.DataFrame([dict(d.fixed) for _ in range(300)])
    for f in ("alcohol", "citric_acid"):
        probe[f] = rng.choice(X[f].to_numpy(), 300)
    probe = probe[list(X.columns)].astype(float)
    said = predict(model.tree_, probe, Schema.of(X))
    for x, z, want in zip(probe["alcohol"], probe["citric_acid"], said):
        assert predictions_in([Box((x, x), (z, z))], d.regions) == {want}


def test_boxes_share_one_budget():
    rules = [tv.Rule("a", cost=1, delta=(-1, 1)), tv.Rule("b", cost=2, delta=(0, 3))]
    X = pd.DataFrame({"a": [0.0], "b": [0.0]})
    found = Reach.of(Schema.of(X), tv.Attacker(rules, budget=3), (0, 1)).boxes(0.0, 0.0)
    assert set(found) == {Box((-3.0, 3.0), (0.0, 0.0)), Box((-1.0, 1.0), (0.0, 3.0))}


def test_risk_is_that_of_a_search_by_hand():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 6, 30).astype(float), "b": rng.integers(0, 6, 30).astype(float)})
    tree = tv.Node("a", 2.0, tv.Node("b", 3.0, tv.Leaf(0.0), tv.Leaf(1.0)), tv.Leaf(2.0))
    A = tv.Attacker([tv.Rule("a", cost=1, delta=(0, 1)), tv.Rule("b", cost=2, pre=(0, 3), delta=(0, 1))], budget=2)
    ends = [{(x + i, z + (j and z <= 3)) for i in (0, 1, 2) for j in (0, 1) if i + 2 * j <= 2} for x, z in X.to_numpy()]
    says = [set(predict(tree, pd.DataFrame(list(e), columns=["a", "b"]))) for e in ends]
    d = make(tree, X, np.zeros(30), A)
    assert d.at_risk == sum(len(s) > 1 for s in says) > 3
    assert d.loss_under_attack == pytest.approx(sum(max(p**2 for p in s) for s in says))
    assert d.hit == sum(max(s) > p for s, p in zip(says, predict(tree, X)))


def test_rows_that_see_another_plane_are_only_hinted_at(toy):
    X = toy.X.assign(r=[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    tree = tv.Node("r", 0.5, STUMP, tv.Leaf(2.0))
    d = make(tree, X, toy.y, toy.attacker, ["p", "q"])
    assert (d.shown, d.rows, d.at_risk, d.fixed) == (5, 7, 1, (("r", 0.0),))
    assert len(d.others) == 2
    other = make(tree, X, toy.y, toy.attacker, ["p", "q"], fixed={"r": 1.0}, rows=[4, 5])
    assert (other.shown, other.at_risk, len(other.regions)) == (2, 0, 1)


def test_a_category_is_an_axis_of_its_own():
    X = pd.DataFrame({"job": ["a", "b", "c"], "age": [1.0, 2.0, 3.0]})
    A = tv.Attacker([tv.Rule("job", cost=1, pre={"a"}, becomes="c")], budget=1)
    d = make(tv.Node("job", "c", tv.Leaf(1.0), tv.Leaf(0.0)), X, [0, 0, 1], A)
    assert (d.at_risk, d.hit) == (1, 1)
    drawn = d.plot()
    axis = drawn.axes[0].get_xticklabels() if d.features[0] == "job" else drawn.axes[0].get_yticklabels()
    assert [t.get_text() for t in axis] == ["a", "b", "c"]
    assert len(drawn["box at risk"]) == 2


def test_one_thousand_rows_are_quick_small_and_the_same_twice(wine):
    begin = time.perf_counter()
    d = make(*wine)
    d.plot()
    assert time.perf_counter() - begin < 1.0
    assert sum(len(i.rows) for i in d.instances) == 24
    first = svg(d)
    assert len(first.encode()) < 500_000
    assert first == svg(make(*wine))


def test_the_two_most_used_features_are_shown_the_attackers_first(wine):
    model, _, _, attacker = wine
    d = make(*wine)
    used = [u.feature for _, u in tv.tree.nodes(model.tree_)]
    assert set(d.features) <= set(used)
    assert any(f in attacker.features for f in d.features)


def test_given_axes_and_subfigures_keep_what_they_hold(toy):
    figure = Figure((14, 6), layout="constrained")
    one, two = figure.subfigures(1, 2)
    ax = one.subplots()
    mine = ax.plot([0, 1], [0, 1])[0]
    d = make(STUMP, toy.X, toy.y, toy.attacker)
    d.plot(ax, palette=DARK)
    d.plot(two)
    assert mine in ax.lines
    figure.draw_without_rendering()


def test_hostile_names_are_only_words(toy):
    X = toy.X.set_axis([HOSTILE, "q"], axis=1)
    tree = tv.Node(HOSTILE, 1.0, tv.Leaf(-1.0), tv.Leaf(2.0))
    d = make(tree, X, toy.y, tv.Attacker([tv.Rule(HOSTILE, cost=1, delta=(-1, 1))], budget=1))
    assert b"<script>$" not in render(d, "svg")
    assert b"script" in render(d, "tex")
    assert len(d.plot().axes[0].get_xlabel()) <= 28


def test_bad_input_is_named(toy):
    good = {"tree": STUMP, "X": toy.X, "y": toy.y, "attacker": toy.attacker}
    for error, match, given in (
        (TypeError, "tree: expected a Leaf or a Node", {"tree": "t"}),
        (TypeError, "attacker: expected an Attacker", {"attacker": None}),
        (TypeError, "y: expected numbers", {"y": list("abcdefg")}),
        (ValueError, "y: expected 7 finite labels", {"y": [1.0]}),
        (ValueError, "features: expected two features", {"features": ["p"]}),
        (ValueError, "features: expected two different", {"features": ["p", "p"]}),
        (ValueError, "'z' is not a column", {"features": ["p", "z"]}),
        (ValueError, "rows: expected places from 0 to 6, got 9", {"rows": [9]}),
        (ValueError, "rows: expected at least one", {"rows": []}),
        (ValueError, "fixed: 'p' is shown", {"fixed": {"p": 1.0}}),
    ):
        with pytest.raises(error, match=match):
            make(**good | given)


def test_summary_names_every_instance(toy):
    said = make(STUMP, toy.X, toy.y, toy.attacker).summary
    assert "rows 2: (1, 3), label 0, at risk, moved to (2, 3)" in said
    assert "rows 4, 5, 6: (3, 4), label 2" in said


def test_a_single_value_is_shown_with_a_unit_on_either_side():
    """One row, and no rule or border on q: the axis of q must not shrink to nothing."""
    data = tv.load_toy()
    drawn = FeatureSpaceDisplay.from_tree(
        tv.Node("p", 1, tv.Leaf(-1), tv.Leaf(2)), data.X, data.y, data.attacker, rows=[2]
    ).plot()
    assert drawn.axes[0].get_ylim() == (2.0, 4.0)

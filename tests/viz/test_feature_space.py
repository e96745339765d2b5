"""Feature space: regions agree with the tree, boxes with what the attacker can reach, risk with a search by
hand.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treant_viz as tv
from treant_viz.core.table import Schema
from treant_viz.core.tree import nodes, predict
from treant_viz.viz.feature_space.display import FeatureSpaceDisplay
from treant_viz.viz.feature_space.facts import PlaneBox, PlaneReach, predictions_in
from treant_viz.viz.output.export import render, svg
from treant_viz.viz.style.palette import DARK, LIGHT, contrast
from treant_viz.viz.style.text import number

HOSTILE = "<script>$x_1$\\ \u202e&\"'" + "long " * 20
STUMP = tv.Node("p", 1.0, tv.Leaf(-1.0), tv.Leaf(2.0))
make = FeatureSpaceDisplay.from_tree


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    attacker = data.attacker.with_budget(data.budgets[-1])
    X, y = data.X_train[:1000], data.y_train[:1000]
    return tv.TreantClassifier(attacker, max_depth=3).fit(X, y), X, y, attacker


def test_panel_b_x2_alone_is_at_risk_and_the_loss_goes_from_2_to_5(toy):
    d = make(STUMP, toy.X, toy.y, toy.attacker)
    assert d.title == "1 of 7 rows can be pushed to a worse prediction: squared error 2 → 5"
    drawn = d.plot()
    [risk] = drawn["box at risk"]
    assert (risk.get_bbox().x0, risk.get_bbox().x1) == (0.0, 2.0)
    assert risk.get_height() == 0.0  # nobody can change q: a line, not a box with a width
    assert len(drawn["move"]) == 1
    assert sorted(drawn.texts("prediction")) == ["predicts 2", "predicts −1"]
    assert {"x2: predicted −1 → 2", "x4–x6"} <= set(drawn.texts("label"))
    assert sorted(drawn.texts("true label")) == sorted(number(i.label) for i in d.instances)
    assert not drawn["key"], "labels stand in the dots"
    assert drawn.texts("coin") == ["1"]
    [end] = drawn["end"]
    assert tuple(end.get_offsets()[0]) == d.instances[2].moved_to
    assert drawn.texts("slice") == []


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
        assert predictions_in([PlaneBox((x, x), (z, z))], d.regions) == {want}


def test_boxes_share_one_budget():
    rules = [tv.Rule("a", cost=1, delta=(-1, 1)), tv.Rule("b", cost=2, delta=(0, 3))]
    X = pd.DataFrame({"a": [0.0], "b": [0.0]})
    found = PlaneReach.of(Schema.of(X), tv.Attacker(rules, budget=3), (0, 1)).boxes(0.0, 0.0)
    assert set(found) == {PlaneBox((-3.0, 3.0), (0.0, 0.0)), PlaneBox((-1.0, 1.0), (0.0, 3.0))}


def test_risk_is_that_of_a_search_by_hand():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.integers(0, 6, 30).astype(float), "b": rng.integers(0, 6, 30).astype(float)})
    tree = tv.Node("a", 2.0, tv.Node("b", 3.0, tv.Leaf(0.0), tv.Leaf(1.0)), tv.Leaf(2.0))
    A = tv.Attacker(
        [tv.Rule("a", cost=1, delta=(0, 1)), tv.Rule("b", cost=2, pre=(0, 3), delta=(0, 1))], budget=2
    )
    ends = [
        {(x + i, z + (j and z <= 3)) for i in (0, 1, 2) for j in (0, 1) if i + 2 * j <= 2}
        for x, z in X.to_numpy()
    ]
    says = [set(predict(tree, pd.DataFrame(list(e), columns=["a", "b"]))) for e in ends]
    d = make(tree, X, np.zeros(30), A)
    assert d.at_risk == sum(len(s) > 1 for s in says) > 3
    assert d.loss_under_attack == pytest.approx(sum(max(p**2 for p in s) for s in says))
    assert d.hit == sum(max(s) > p for s, p in zip(says, predict(tree, X)))


def test_rows_that_see_another_plane_are_left_out_which_is_said(toy):
    X = toy.X.assign(r=[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    tree = tv.Node("r", 0.5, STUMP, tv.Leaf(2.0))
    d = make(tree, X, toy.y, toy.attacker, ["p", "q"])
    assert (d.shown, d.rows, d.at_risk, d.fixed) == (5, 7, 1, (("r", 0.0),))
    [said] = d.plot().texts("slice")
    assert said.startswith("Held still: r = 0; 2 rows see other borders and are not shown")
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


def test_of_a_thousand_rows_two_are_told_of_each_in_a_line_of_its_own(wine):
    _, X, y, attacker = wine
    unaware = tv.TreantClassifier(None, max_depth=3).fit(X, y)
    d = make(unaware, X, y, attacker)
    drawn = d.plot()
    assert len(d.instances) == 2 and all(i.moved_to for i in d.instances)
    assert (
        len({(i.label, i.before, i.after) for i in d.instances}) == 2
    )  # the two commonest ways of being hurt
    assert len(drawn["move"]) == len(drawn["end"]) == len(d.instances) == len(drawn["coin"])
    up = sorted(i.at[1] for i in d.instances)
    assert min(b - a for a, b in itertools.pairwise(up)) > 0
    assert d.others_hit.sum() + sum(len(i.rows) for i in d.instances) == d.hit
    first = svg(d)
    assert len(first.encode()) < 500_000
    assert first == svg(make(unaware, X, y, attacker))


def test_the_two_most_used_features_are_shown_the_attackers_first(wine):
    model, _, _, attacker = wine
    d = make(*wine)
    used = [u.feature for _, u in nodes(model.tree_)]
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


def test_the_line_below_is_one_line_and_as_long_as_there_is_room():
    data = tv.load_census()
    X, y = data.X_train[:300], data.y_train[:300]
    d = make(tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, data.attacker.with_budget(60))
    [words] = d.plot()["slice"]
    assert "\n" not in words.get_text() and words.get_text().startswith("Other features stay at typical")
    named = make(tv.Node("age", 30.0, tv.Leaf(0.0), tv.Leaf(1.0)), X, y, data.attacker, ["age", "fnlwgt"],
                 fixed={"capital_gain": 0.0})  # fmt: skip
    assert " more" in named.slice(0, lambda text: len(text) < 120)
    figure = words.get_figure(root=True)
    assert words.get_window_extent().x1 <= figure.bbox.width
    assert named.slice(0, lambda text: False).startswith("Other features stay at typical values")


def test_reach_is_drawn_as_large_as_it_is_and_no_safe_box_straddles_a_border(wine, toy):
    for d in (make(*wine), make(STUMP, toy.X, toy.y, toy.attacker)):
        drawn = d.plot()
        true = {
            (round(b.x[0], 9), round(b.x[1], 9), round(b.y[0], 9), round(b.y[1], 9))
            for i in d.instances for b in i.boxes
        }  # fmt: skip
        for box in (*drawn["box"], *drawn["box at risk"]):
            b = box.get_bbox()
            assert (round(b.x0, 9), round(b.x1, 9), round(b.y0, 9), round(b.y1, 9)) in true
        [lines] = drawn["border"]
        for (x0, y0), (x1, y1) in lines.get_segments():
            for b in (
                box.get_bbox() for box in drawn["box"]
            ):  # right of a border is open, so touching is allowed
                if x0 == x1:
                    assert not (b.x0 <= x0 < b.x1 and b.y1 > min(y0, y1) and b.y0 < max(y0, y1))
                else:
                    assert not (b.y0 <= y0 < b.y1 and b.x1 > min(x0, x1) and b.x0 < max(x0, x1))


def test_between_regions_that_say_the_same_there_is_no_border(toy):
    same = tv.Node("q", 2.0, tv.Leaf(2.0), tv.Leaf(2.0 + 0.0))
    tree = tv.Node("p", 1.0, tv.Node("q", 2.0, tv.Leaf(-1.0), tv.Leaf(2.0)), same)
    [lines] = make(tree, toy.X, toy.y, toy.attacker, ["p", "q"]).plot()["border"]
    upper = [s for s in lines.get_segments() if (s[:, 0] == 1.0).all() and s[:, 1].min() >= 2.0]
    assert len(lines.get_segments()) == 2 and not upper


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_regions_and_dots_have_the_scale_of_predictions(toy, palette):
    drawn = make(STUMP, toy.X, toy.y, toy.attacker).plot(palette=palette)
    shares = {(-1.0 + 2.0) / 4.0, 1.0}  # labels go from -2 to 2
    light = {palette.background: 0.0} | {to_hex(r.get_facecolor()).upper(): 1.0 for r in drawn["region"]}
    assert len(light) == 1 + len(shares)  # a shade each, and ink can be read on all of them
    assert all(contrast(palette.ink, ground) >= 6.0 for ground in light)
    dots = {to_hex(a.get_markerfacecolor()).upper() for a in drawn["instance"]}
    assert dots == {palette.prediction((y + 2.0) / 4.0) for y in toy.y}
    assert set(drawn.texts("true label")) == {"−2", "−1", "0", "2"}


def test_a_tree_of_scikit_learn_is_taken_with_the_classes_it_knows(wine):
    _, X, y, attacker = wine
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, np.where(y == 1, "good", "bad"))
    d = make(model, X, np.where(y == 1, "good", "bad"), attacker)
    assert {i.label for i in d.instances} <= {0.0, 1.0} and d.span == (0.0, 1.0) and d.regions
    regressor = DecisionTreeRegressor(max_depth=2).fit(X, np.asarray(y, dtype=float))
    assert make(regressor, X, y, attacker).regions
    probe = X.iloc[:200]
    plane = make(model, probe, y[:200], attacker)
    said = model.predict_proba(probe)[:, list(model.classes_).index("good")]
    for i in plane.instances:
        [found] = predictions_in([PlaneBox((i.at[0],) * 2, (i.at[1],) * 2)], plane.regions)
        assert found == pytest.approx(said[i.rows[0]])
    with pytest.raises(TypeError, match="tree: expected a Leaf or a Node, or a fitted tree estimator"):
        make(DecisionTreeClassifier(), X, y, attacker)


def test_the_default_features_are_those_that_rules_touch(toy):
    X = toy.X.assign(r=np.arange(7.0))
    tree = tv.Node(
        "r", 3.0, tv.Node("r", 1.0, tv.Leaf(0.0), STUMP), tv.Node("q", 3.0, tv.Leaf(1.0), tv.Leaf(2.0))
    )
    assert make(tree, X, toy.y, toy.attacker).features[0] == "p"


def test_every_other_wording_of_the_title_and_what_is_held_fixed(toy):
    calm = make(STUMP, toy.X, toy.y, toy.attacker.with_budget(0))
    assert calm.title == "No row can be pushed across a border here: none of 7 rows is at risk"
    assert "Try more budget, or features that rules touch" in calm.subtitle
    same = make(STUMP, toy.X, np.full(7, 2.0), toy.attacker, rows=[2])
    assert same.title.startswith("No row") or same.title.endswith("no push there costs anything")
    X = toy.X.assign(r=1.0)
    none = make(tv.Node("r", 0.5, STUMP, tv.Leaf(2.0)), X, toy.y, toy.attacker, ["p", "q"], fixed={"r": 0.0})
    assert none.title == "No row sees the tree as it looks in this plane of p and q"
    assert "Held still: r = 0; 7 rows see other borders and are not shown" in none.plot().texts("slice")[0]


def test_a_display_opens_in_the_plane_where_most_rows_are_hurt():
    """Of the four features that the tree tests, every pair is drawn, and none hurts more rows."""
    data = tv.load_wine()
    X, y = data.X_train[:400], data.y_train[:400]
    tree = tv.TreantClassifier(max_depth=3).fit(X, y).tree_
    probe, labels = data.X_test[:100], data.y_test[:100]
    used = sorted({u.feature for _, u in nodes(tree)} | {"alcohol"})
    pairs = [make(tree, probe, labels, data.attacker, pair) for pair in itertools.combinations(used, 2)]
    shown = make(tree, probe, labels, data.attacker)
    assert shown.hit == max(d.hit for d in pairs) > 0


def test_categories_stand_beside_the_plane_not_below_it():
    data = tv.load_census()
    m = tv.TreantClassifier(attacker=data.attacker, max_depth=3).fit(data.X_train[:300], data.y_train[:300])
    d = make(m.tree_, data.X_test[:60], data.y_test[:60], data.attacker)
    assert d.categories[0] is None


def test_the_prediction_of_a_region_is_written_on_its_own_ground():
    data = tv.load_wine()
    tree = tv.TreantClassifier(max_depth=2).fit(data.X_train[:400], data.y_train[:400]).tree_
    drawn = make(tree, data.X_test[:150], data.y_test[:150], data.attacker).plot()
    grounds = {to_hex(a.get_facecolor()) for a in drawn["region"]}
    assert drawn["prediction"]
    for words in drawn["prediction"]:
        assert to_hex(words.get_bbox_patch().get_facecolor()) in grounds


def test_no_words_touch_the_edge_of_the_page(toy):
    drawn = make(STUMP, toy.X, toy.y, toy.attacker).plot()
    figure = drawn.axes[0].get_figure(root=True)
    figure.draw_without_rendering()
    for ax in drawn.axes:
        box = ax.get_tightbbox()
        assert box.x0 >= 10 and figure.bbox.width - box.x1 >= 10

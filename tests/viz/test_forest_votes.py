"""Votes of a forest under attack: what is drawn is what the model's trees say, before and after each move."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import lightgbm
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

import treant_viz as tv
from treant_viz.attacks.attack import attack_budgets
from treant_viz.viz.attack_path.bill import MOST
from treant_viz.viz.forest_votes.display import ForestVotesDisplay
from treant_viz.viz.forest_votes.draw import lines
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK
from treant_viz.viz.style.pen import SMALL
from treant_viz.viz.style.text import number

WINE = tv.load_wine()
X, Y, A = WINE.X_train[:300], np.asarray(WINE.y_train[:300]), WINE.attacker
HOSTILE = '<script>alert("1")</script> $x_1$ \\n'


@cache
def forest() -> RandomForestClassifier:
    return RandomForestClassifier(20, max_depth=4, min_samples_leaf=3, random_state=0).fit(X, Y)


@cache
def ours() -> tv.TreantForestClassifier:
    options = {"max_depth": 2, "random_state": 0, "max_features": 0.3, "max_samples": 0.5}
    return tv.TreantForestClassifier(9, attacker=A.with_budget(20), **options).fit(X, Y)


@cache
def booster() -> lightgbm.Booster:
    options = {"objective": "binary", "verbose": -1, "num_leaves": 4, "num_threads": 1}
    return lightgbm.train(options, lightgbm.Dataset(X, Y), 15)


@cache
def hit(which: str) -> tuple:
    """A model, the row of the first 40 that the attack hurts most, and the attack on it."""
    model = {"forest": forest, "ours": ours, "booster": booster}[which]()
    result = tv.attack(model, X[:40], Y[:40], A)
    row = int(np.argmax(result.losses - result.clean_losses))
    assert result.moves[row]
    return model, row, tv.attack(model, X.iloc[[row]], Y[[row]], A)


def said_by(model, Z: pd.DataFrame) -> np.ndarray:
    """What each tree says of one row, asked one by one."""
    if isinstance(model, lightgbm.Booster):
        sums = [model.predict(Z, num_iteration=k + 1, raw_score=True)[0] for k in range(model.num_trees())]
        return np.diff([0.0, *sums])
    Z = Z.to_numpy() if isinstance(model, RandomForestClassifier) else Z
    return np.array([t.predict_proba(Z)[0, 1] for t in model.estimators_])


def display(which: str, **more) -> ForestVotesDisplay:
    model, row, _ = hit(which)
    return ForestVotesDisplay.from_model(model, X.iloc[[row]], Y[row], A, **more)


every = pytest.mark.parametrize("which", ["forest", "ours", "booster"])


@every
def test_trees_say_what_the_models_own_trees_say_before_and_after(which):
    model, row, result = hit(which)
    d = display(which)
    assert d.before == pytest.approx(said_by(model, X.iloc[[row]]), abs=1e-12)
    assert d.after == pytest.approx(said_by(model, result.X_adv), abs=1e-12)
    assert (d.scores[0], d.scores[-1]) == pytest.approx((result.clean_scores[0], result.scores[0]))
    assert (d.votes.losses[0], d.votes.losses[-1]) == pytest.approx(
        (result.clean_losses[0], result.losses[0])
    )
    assert sum(m.cost for m in d.moves) == pytest.approx(result.costs[0])


@every
def test_after_each_move_score_and_trees_are_the_models_on_that_row(which):
    model, row, result = hit(which)
    d, Z = display(which), X.iloc[[row]].copy()
    assert len(d.scores) == len(d.values) == len(result.moves[0]) + 1
    for k, step in enumerate(result.moves[0]):
        Z[step.rule.feature] = step.after
        score = model.predict(Z)[0] if which == "booster" else model.predict_proba(Z)[0, 1]
        assert d.scores[k + 1] == pytest.approx(score)
        assert d.values[k + 1] == pytest.approx(said_by(model, Z), abs=1e-12)


@pytest.mark.parametrize("which", ["forest", "ours"])
def test_a_tree_is_flipped_if_it_predicts_another_class(which):
    model, row, result = hit(which)
    d = display(which)
    same = (lambda Z: Z.to_numpy()) if which == "forest" else (lambda Z: Z)
    before, after = (
        [t.predict(same(Z))[0] for t in model.estimators_] for Z in (X.iloc[[row]], result.X_adv)
    )
    assert d.flipped.tolist() == [t for t, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert d.title.startswith(f"{len(d.flipped)} of {len(before)} trees change sides")
    assert len(d.flipped) > 0


def test_a_tie_is_decided_as_the_model_decides_it():
    frame = pd.DataFrame({"p": [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]})
    y = np.array([0, 0, 0, 1, 1, 1])
    A1 = tv.Attacker([tv.Rule("p", 1, delta=(1, 1))], 1)
    theirs = RandomForestClassifier(1, bootstrap=False, random_state=0).fit(frame, y)  # says 0.5 at p = 1
    mine = tv.TreantForestClassifier(
        1, max_samples=1.0, max_features=1.0, min_samples_split=2, random_state=0
    )
    mine.fit(frame, y)
    for model, flips in ((theirs, 0), (mine, 1)):
        d = ForestVotesDisplay.from_model(model, frame.iloc[[0]], 0, A1)
        assert d.after.tolist() == [0.5]
        asked = [model.predict(pd.DataFrame({"p": [p]}))[0] for p in (0.0, 1.0)]
        assert len(d.flipped) == flips == asked[1] - asked[0]


def test_a_booster_adds_up_and_its_trees_turn_at_nought():
    d = display("booster")
    assert d.sides.threshold == 0.0 and not d.averaged
    assert d.score == pytest.approx(1 / (1 + np.exp(-d.after.sum())))
    assert d.flipped.tolist() == np.flatnonzero((d.before > 0) != (d.after > 0)).tolist()


def test_gradient_boosting_with_a_start_turns_where_the_score_does():
    model = GradientBoostingClassifier(n_estimators=12, max_depth=2, random_state=0).fit(X, Y)
    row = hit("forest")[1]
    d = ForestVotesDisplay.from_model(model, X.iloc[[row]], Y[row], A)
    for k, score in enumerate(d.scores):
        assert (d.values[k].mean() > d.sides.threshold) == (score > 0.5)


def test_regression_trees_have_no_sides():
    rules = [tv.Rule("p", cost=1, delta=(-1, 1))]
    frame = pd.DataFrame({"p": np.arange(20.0), "q": 1.0})
    model = RandomForestRegressor(5, random_state=0).fit(frame, frame["p"] ** 2)
    d = ForestVotesDisplay.from_model(model, frame.iloc[7], 49.0, tv.Attacker(rules, 2))
    assert d.sides is None and len(d.flipped) == 0 and len(d.moved) > 0
    assert d.title.startswith(f"The attack moves {len(d.moved)} of 5 trees: prediction ")
    drawn = d.plot()
    assert not drawn["threshold"] and not drawn["side"] and not drawn["flipped"][0].get_xdata().size
    assert drawn.texts("row") == ["row 7, true label 49"] and drawn.texts("label words") == ["true label 49"]
    assert drawn["label"][0].get_xdata().tolist() == [49.0, 49.0]


def test_one_run_for_many_budgets_gives_what_each_budget_gives():
    model, row, _ = hit("forest")
    found = ForestVotesDisplay.from_budgets(model, X.iloc[[row]], Y[row], A, [0, 30, 60])
    assert list(found) == [0, 30, 60, 120]
    want = attack_budgets(model, X.iloc[[row]], Y[[row]], A, [0, 30, 60, 120])
    for budget, d in found.items():
        assert d.score == pytest.approx(want[budget].scores[0]) and d.budget == budget
    assert found[0].title == f"No attack for 0 hurts row {row}: the score stays {found[0].score:.3g}"


@every
def test_marks_are_where_the_trees_are(which):
    d = display(which)
    drawn = d.plot()
    order = np.lexsort((d.after, d.before))
    assert drawn["before"][0].get_xdata() == pytest.approx(d.before[order])
    assert drawn["before"][0].get_ydata().tolist() == list(range(len(order)))
    flipped, moved = drawn["flipped"][0], drawn["after"][0]
    for mark, some in ((flipped, d.flipped), (moved, np.setdiff1d(d.moved, d.flipped))):
        lanes = [k for k, t in enumerate(order) if t in some]
        assert mark.get_ydata().tolist() == lanes
        assert mark.get_xdata() == pytest.approx(d.after[order[lanes]])
    assert (flipped.get_marker(), moved.get_marker()) == ("D", "o")
    assert [len(s) for s in drawn["flip"][0].get_segments()] == [2] * len(d.flipped)
    assert drawn["threshold"][0].get_xdata().tolist() == [d.sides.threshold] * 2
    words = " ".join(drawn.texts("threshold words")[0].split())
    assert words.endswith(f"changes sides at {number(d.sides.threshold)}")
    heads = [y for a in drawn["head"] for y in a.get_ydata().tolist()]
    assert sorted(order[heads].tolist()) == d.moved.tolist()


def test_the_mean_of_a_forest_is_drawn_through_its_trees_and_a_boosters_score_on_its_own_axis():
    for which, count in (("forest", 2), ("booster", 1)):
        d = display(which)
        drawn = d.plot()
        assert [a.get_xdata()[0] for a in drawn["model after"]] == [d.score] * count
        assert [a.get_xdata()[0] for a in drawn["model before"]] == [d.scores[0]] * count
        model, trees = drawn["model after"][0].axes, drawn["before"][0].axes
        assert model.get_xlim() == (0.0, 1.0)
        assert (trees.get_xlim() == (0.0, 1.0)) == (which == "forest")
        assert len(drawn["turn"]) == (which == "booster")
    assert drawn.texts("model after words") == [f"score after = {number(d.score)}"]


def test_the_wrong_side_is_shaded_and_the_labels_side_is_named():
    row = hit("forest")[1]
    for y, (a, b) in ((0, ("true", "wrong")), (1, ("wrong", "true"))):
        side = [f"← 0, the {a} label", f"1, the {b} label →"]
        d = ForestVotesDisplay.from_model(forest(), X.iloc[[row]], y, A)
        drawn = d.plot()
        box = drawn["wrong side"][0].get_extents().transformed(drawn["before"][0].axes.transData.inverted())
        assert drawn.texts("side") == side
        assert (box.x0, box.x1) == pytest.approx((0.5, 1.0) if y == 0 else (0.0, 0.5))


def test_no_words_are_cut_off_and_none_touch_on_top():
    for which in ("forest", "ours", "booster"):
        for d in (display(which), *display(which).frames()):
            drawn = d.plot()
            renderer = FigureCanvasAgg(drawn.figure).get_renderer()
            texts = [a for some in drawn.artists.values() for a in some if isinstance(a, Text)]
            for text in texts:
                box = text.get_window_extent(renderer)
                assert box.x0 >= 0 and box.y0 >= 0, text.get_text()
                assert box.x1 <= drawn.figure.bbox.x1 and box.y1 <= drawn.figure.bbox.y1, text.get_text()
            top = [*drawn["model before words"], *drawn["model after words"]]
            boxes = [t.get_window_extent(renderer) for t in top]
            assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_the_axis_of_a_booster_costs_the_bill_no_room():
    for which in ("forest", "ours", "booster"):
        sizes = {t.get_fontsize() for t in display(which).plot()["stop"]}
        assert sizes == {SMALL}, which


def test_ticks_that_differ_look_different():
    rows = pd.DataFrame({"p": [1.0, 2.0], "q": [1.0, 2.0]})
    trees = [tv.Node("p", 1.0, tv.Leaf(1.9801), tv.Leaf(1.9839))]
    d = ForestVotesDisplay.from_model(
        trees, rows.iloc[[0]], 1.98, tv.Attacker([tv.Rule("p", 1, delta=(0, 1))], 1)
    )
    said = [t.get_text() for t in d.plot()["before"][0].axes.get_xticklabels()]
    assert len(said) == len(set(said)) > 1


def test_frames_apply_move_after_move():
    d = display("forest")
    frames = d.frames()
    assert [f.step for f in frames] == [*range(len(d.moves) + 1), None]
    assert (
        frames[0].title.startswith(f"Without an attack, {d.label} has the score")
        and len(frames[0].flipped) == 0
    )
    for k, f in enumerate(frames[1:-1], 1):
        assert f.title.startswith(f"Move {k} of {len(d.moves)}: ") and f.score == d.scores[k]
        assert f.after == pytest.approx(d.values[k])
        assert f.plot()["model after"][0].get_xdata()[0] == d.scores[k]
    assert "loss" in d.summary and "loss" not in frames[0].summary


def test_many_moves_are_told_feature_by_feature():
    frame = pd.DataFrame({"p": np.arange(30.0), "q": np.arange(30.0)[::-1]})
    y = (frame["p"] > 14).astype(int)
    model = RandomForestClassifier(5, random_state=0).fit(frame, y)
    rules = [tv.Rule("p", 1, delta=(0, 1)), tv.Rule("q", 1, delta=(-1, 0))]
    d = ForestVotesDisplay.from_model(model, frame.iloc[[0]], 0, tv.Attacker(rules, 40))
    assert len(d.moves) > MOST >= len(lines(d))
    assert lines(d)[-1].moves == len(d.moves)
    assert "moves" in d.plot().texts("move words")[0]
    assert sum(line.cost for line in lines(d)) == sum(m.cost for m in d.moves)


def test_a_search_that_was_cut_short_says_so():
    d = display("forest", node_limit=0)
    assert not d.votes.exact
    assert "the search was stopped early" in d.summary and d.plot()["doubt"]
    assert not display("forest").plot()["doubt"]


def test_hostile_names_are_drawn_and_harm_nothing():
    row = hit("forest")[1]
    names = {c: f"{c} {HOSTILE}" for c in X.columns}
    bad = RandomForestClassifier(10, max_depth=3, random_state=0).fit(
        X.rename(columns=names), np.where(Y == 1, HOSTILE, "n" * 90)
    )
    rules = [tv.Rule(names[r.feature], r.cost, pre=r.pre, delta=r.delta) for r in A.rules]
    x = X.rename(columns=names).iloc[[row]]
    d = ForestVotesDisplay.from_model(bad, x, "n" * 90, tv.Attacker(rules, 120), label=HOSTILE)
    for kind in ("svg", "html", "png"):
        data = render(d, kind, DARK, 40.0)
        assert b"<script>alert" not in data
    assert HOSTILE[:8] in d.summary and " at 0x" not in d.summary


def test_it_draws_into_what_it_is_given():
    ax = Figure(figsize=(9, 5)).add_subplot()
    mark = ax.plot([0, 1])[0]
    drawn = display("forest").plot(ax)
    assert mark in ax.lines and drawn.figure is ax.figure


def test_bad_input_is_refused_in_words():
    model, row, _ = hit("forest")
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got str"):
        ForestVotesDisplay.from_model(model, X.iloc[[row]], 0, "nobody")
    with pytest.raises(ValueError, match="x: expected one row"):
        ForestVotesDisplay.from_model(model, X[:2], 0, A)
    with pytest.raises(ValueError, match="the model's classes are"):
        ForestVotesDisplay.from_model(model, X.iloc[[row]], "x", A)
    with pytest.raises(TypeError, match="model: expected a tree"):
        ForestVotesDisplay.from_model("no model", X.iloc[[row]], 0, A)

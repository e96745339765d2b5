"""Attacks on one row: reach, costs and losses against brute force; what is drawn is what was found."""

from __future__ import annotations

import math
import shutil
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node
from treant_viz.experiments.toy import toy_panels
from treant_viz.viz.attack_path.display import AttackPathDisplay
from treant_viz.viz.attack_path.facts import ways
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import SMALL

TOY = tv.load_toy()
X2 = TOY.X.loc["x2"]
PANELS = {panel.name: panel.tree for panel in toy_panels()}
HOSTILE = '<script>alert("1")</script> $x_1$ \\n שלום 🎉' + "a" * 80


def toy(panel: str, **more) -> AttackPathDisplay:
    return AttackPathDisplay.from_tree(PANELS[panel], X2, 0, TOY.attacker, **more)


def test_panel_c_x2_is_pushed_across_the_root_for_1():
    d = toy("(c)")
    drawn = d.plot()
    assert d.title == "For 1, the attacker pushes x2 across p ≤ 1: its squared error grows from 2.25 to 2.56"
    assert drawn.texts("leaf head") == ["ŷ = −1.5", "ŷ = 1.6"]
    assert drawn.texts("leaf details") == ["loss 2.25", "loss 2.56"]
    assert drawn.texts("leaf note") == ["without attack", "under attack"]
    assert drawn.texts("coin") == ["1"] and drawn.texts("coin change") == ["p 1 → 2"]
    sides = [a.get_x() + a.get_width() / 2 for role in ("left", "right") for a in drawn[f"{role} side"]]
    yes, no = drawn["answer"]
    assert [yes.get_text(), no.get_text()] == ["yes", "no"]
    assert yes.get_position()[0] < sides[0] < sides[1] < no.get_position()[0]
    assert drawn.texts("row head") == ["x2, true label 0"] and drawn.texts("row values") == ["p = 1"]
    assert drawn.texts("side") == ["yes", "no"]
    assert [a.get_gid() for a in drawn["leaf"]] == ["node-l"]
    assert [a.get_gid() for a in drawn["worst leaf"]] == ["node-r"] and drawn.texts("worst") == [
        "worst leaf in reach"
    ]
    assert drawn.texts("rule") == ["raise or lower by up to 1"]
    assert [a.get_gid() for a in drawn["attack"]] == ["attack-r"]
    assert drawn.texts("budget") == ["budget: 1 of 1 spent"] and not drawn["left over"]
    assert drawn.texts("value") == ["1", "2"] and len(drawn["threshold"]) == 1
    assert "p +1, cost 1" in d.summary and "p 1 → 2 (+1), cost 1" in d.alt_text


def test_panel_d_breaks_invariance_and_panel_e_keeps_it():
    broken, kept = (toy("(c)", after=PANELS[p]) for p in ("(d)", "(e)"))
    assert (broken.invariance, kept.invariance) == ("broken", "kept")
    assert (
        "breaks attack invariance for x2: its worst leaf is now another one "
        "(squared error 2.25; the new leaves: at most 1)" in broken.title
    )
    assert "holds for x2" in kept.title and "squared error 2.25, as bad as staying" in kept.title
    assert kept.scenes[1].ways.worst == {"l", "rl"} and kept.scenes[1].shown == "rl"
    assert broken.scenes[1].ways.worst == {"l"} and broken.scenes[1].attack.moves == ()
    drawn = broken.plot()
    assert drawn.texts("leaf details")[2:] == ["loss 2.25", "loss 1", "loss 4"]
    assert drawn.texts("leaf note")[2:] == ["with or without attack", "costs 1", "out of reach"]
    assert [a.get_gid() for a in drawn["worst leaf"]] == ["0-node-r", "1-node-l"]
    assert drawn.texts("heading") == ["Before the split", "After the split"]
    assert drawn.texts("tag") == ["this leaf is split", "new leaf", "new leaf"]
    spots = {a.get_gid(): a.get_bbox().bounds for a in drawn["test"]}
    half = drawn["between"][0].get_xdata()[0] + 20.0
    assert spots["1-node-"][1] == spots["0-node-"][1]  # both roots at the same place of their panel
    assert spots["1-node-"][0] - half == pytest.approx(spots["0-node-"][0])
    assert drawn.texts("test details") == ["the new split"]


def test_invariance_is_silent_about_rows_that_another_leaf_hurts_most():
    d = AttackPathDisplay.from_tree(PANELS["(c)"], TOY.X.loc["x0"], -2, TOY.attacker, after=PANELS["(e)"])
    assert d.invariance == "silent" and "of no concern to the attack on x0" in d.title


def test_the_natural_way_is_solid_and_grey_the_attack_dashed_and_in_ink():
    for palette in (LIGHT, DARK):
        drawn = toy("(d)").plot(palette=palette)
        [own] = drawn["own way"]
        assert own.get_gid() == "edge-l" and np.ptp(own.get_edgecolor()[:3]) < 0.08
        assert (
            own.get_linestyle() in ("-", "solid")
            and own.get_linewidth() > 2 * drawn["attack"][0].get_linewidth()
        )
        assert {to_hex(a.get_edgecolor()).upper() for a in drawn["attack"]} == {palette.attacker}
        assert {a.get_gid() for a in drawn["attack"]} == {"attack-r", "attack-rl"}
        assert not {a.get_linestyle() for a in drawn["attack"]} & {"-", "solid"}


def test_leaves_in_reach_are_framed_the_worst_one_filled_those_out_of_reach_pale():
    for palette in (LIGHT, DARK):
        drawn = toy("(d)").plot(palette=palette)
        edge = {a.get_gid(): to_hex(a.get_edgecolor()).upper() for a in drawn["leaf"]}
        assert edge == {"node-rl": palette.attacker, "node-rr": palette.soft}
        [worst] = drawn["worst leaf"]
        assert worst.get_gid() == "node-l" and to_hex(worst.get_facecolor()).upper() == palette.attacker


def test_every_wording_of_the_title():
    stump, A = PANELS["(c)"], TOY.attacker
    titles = {
        "With 1 to spend, the attacker cannot move x0 to another leaf: its squared error stays 0.25": (
            stump, "x0", -2,
        ),
        "The attacker leaves x2 alone: its own leaf is the worst in reach, squared error 2.25, "
        "elsewhere at most 1": (PANELS["(d)"], "x2", 0),
        "Moving x2 gains the attacker nothing: its leaf is as bad as any in reach, squared error 2.25": (
            PANELS["(e)"], "x2", 0,
        ),
    }  # fmt: skip
    for title, (tree, row, y) in titles.items():
        leaf = "l" if tree is PANELS["(e)"] else None
        assert AttackPathDisplay.from_tree(tree, TOY.X.loc[row], y, A, leaf=leaf).title == title
    silent = AttackPathDisplay.from_tree(stump, TOY.X.loc["x0"], -2, A, after=PANELS["(e)"])
    assert silent.title == (
        "The new split is of no concern to the attack on x0: its worst leaf is another one"
    )


def test_the_bar_of_the_budget_is_proportional_to_the_costs():
    tree = Node("p", 1.0, Node("q", 2.0, Leaf(0.0), Leaf(1.0)), Node("q", 2.0, Leaf(2.0), Leaf(3.0)))
    A = tv.Attacker([tv.Rule("p", cost=1, delta=(0, 1)), tv.Rule("q", cost=2, delta=(0, 1))], 5)
    drawn = AttackPathDisplay.from_tree(tree, {"p": 0.0, "q": 2.0}, 0, A).plot()
    spent, left = ([a.get_width() for a in drawn[role]] for role in ("spent", "left over"))
    whole = sum(spent) + sum(left)
    assert [w / whole for w in (*spent, *left)] == pytest.approx([0.2, 0.2, 0.4, 0.2])
    frames = [a for f in AttackPathDisplay.from_tree(tree, {"p": 0.0, "q": 2.0}, 0, A).frames()
              for a in f.plot()["test"] if a.get_gid() == "node-"]  # fmt: skip
    assert len({a.get_bbox().bounds for a in frames}) == 1


def test_the_leaf_that_is_played_can_be_chosen():
    d = toy("(d)", leaf="rl", label="the row")
    assert (
        d.title == "For 1, the attacker pushes the row across p ≤ 1: its squared error falls from 2.25 to 1"
    )
    assert d.plot().texts("budget") == ["budget: 1 of 1 spent"]


def test_frames_play_the_attack_and_drain_the_budget():
    tree = Node("p", 1.0, Node("q", 2.0, Leaf(0.0), Leaf(1.0)), Node("q", 2.0, Leaf(2.0), Leaf(3.0)))
    A = tv.Attacker([tv.Rule("p", cost=1, delta=(0, 1)), tv.Rule("q", cost=2, delta=(0, 1))], 5)
    d = AttackPathDisplay.from_tree(tree, {"p": 0.0, "q": 2.0}, 0, A)
    frames = d.frames()
    titles = [f.title for f in frames]
    assert (
        titles[0] == "Without an attack, x ends in the leaf that predicts 0: squared error 0"
        and titles[-1] == d.title
    )
    assert [f.plot().texts("budget")[0] for f in frames] == [
        f"budget: {spent} of 5 spent" for spent in (0, 1, 2, 4, 4)
    ]
    assert titles[1] == "Move 1 of 3: p 0 → 1 (+1), cost 1; the leaf predicts 0, loss 0, 4 left to spend"
    assert titles[3].endswith("the leaf predicts 3, loss 9, 1 left to spend")
    spots = [{a.get_gid(): a.get_bbox().bounds[:2] for a in f.plot()["test"]} for f in frames]
    assert all(spot == spots[0] for spot in spots)  # nothing moves
    assert (
        not frames[0].plot()["attack"]
        and not frames[0].plot()["worst leaf"]
        and frames[-1].plot()["worst leaf"]
    )
    assert len(frames) == 5


def test_categories_show_the_change_and_the_test():
    tree = Node("status", "single", Leaf(0.1), Leaf(0.9))
    A = tv.Attacker([tv.Rule("status", cost=2, pre={"divorced"}, becomes="single")], 3)
    d = AttackPathDisplay.from_tree(tree, {"status": "divorced"}, 1, A, loss="log")
    drawn = d.plot()
    assert drawn.texts("coin change") == ["status divorced → single"] and drawn.texts("coin") == ["2"]
    assert drawn.texts("threshold value") == ["status = single: now yes"]
    assert drawn.texts("rule") == ["divorced becomes single"]
    assert [b.get_gid() for b in drawn["spent"]] == ["spent-0"] and len(drawn["left over"]) == 1
    wide = [p.get_width() for role in ("spent", "left over") for p in drawn[role]]
    assert wide[0] / sum(wide) == pytest.approx(2 / 3)


def test_deep_trees_show_the_ways_and_stubs_and_no_words_overlap():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(3000, 6)).round(2), columns=[f"feature_{c}" for c in "abcdef"])
    y = (X.sum(axis=1) + rng.normal(size=3000) > 0).astype(int)
    model = DecisionTreeClassifier(max_depth=8, random_state=0, min_samples_leaf=3).fit(X, y)
    A = tv.Attacker(
        [tv.Rule("feature_a", 1, delta=(-0.5, 0.5)), tv.Rule("feature_b", 1, delta=(-0.5, 0.5))], 2
    )
    start = time.process_time()
    d = AttackPathDisplay.from_model(model, X.iloc[0], y[0], A, loss="sse")
    drawn = d.plot()
    assert time.process_time() - start < 2.0
    assert d.scenes[0].hidden and {d.scenes[0].ways.home, d.scenes[0].shown} <= d.scenes[0].paths
    FigureCanvasAgg(drawn.figure).draw()
    roles = (
        "test head", "leaf head", "leaf details", "leaf note", "stub head", "stub details", "side",
        "coin change", "coin", "budget", "value", "threshold value", "rule end", "title", "subtitle",
        "rule", "worst", "row head", "row values",
    )  # fmt: skip
    boxes = [(t.get_text(), t.get_window_extent()) for role in roles for t in drawn[role]]
    assert not [
        (a, b) for i, (a, p) in enumerate(boxes) for b, q in boxes[:i] if p.padded(-1).overlaps(q.padded(-1))
    ]
    assert min(t.get_fontsize() for role in roles for t in drawn[role]) >= SMALL - 0.35
    assert len(render(d, "svg")) < 500_000


def test_models_of_ours_and_of_scikit_learn_with_labels_of_their_own():
    X, y = pd.DataFrame({"p": [0.1, 0.2, 0.3, 0.4] * 5}), ["no", "no", "yes", "yes"] * 5
    A = tv.Attacker([tv.Rule("p", 1, delta=(-0.2, 0.2))], 1)
    ours = tv.TreantClassifier(A, min_samples_split=2).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=1).fit(X, y)
    d = AttackPathDisplay.from_model(ours, X.iloc[0], "no", A)
    assert d.scenes[0].ways.losses == ways(ours.tree_, X.iloc[0], 0, A, "log").losses
    d = AttackPathDisplay.from_model(theirs, X.iloc[[0]], "no", A)
    assert d.label == "row 0" and d.scenes[0].ways.losses == {"l": 0.0, "r": math.inf}
    plain = DecisionTreeRegressor(max_depth=1).fit(X.to_numpy(), np.arange(20.0))
    assert AttackPathDisplay.from_model(
        plain, [0.1], 1.0, tv.Attacker([tv.Rule(0, 1, delta=(0, 1))], 1)
    ).title.startswith("For 1, the attacker pushes x across x[0] ≤ 0.25")
    with pytest.raises(ValueError, match="y: expected one of the model's classes"):
        AttackPathDisplay.from_model(theirs, X.iloc[[0]], "maybe", A)
    with pytest.raises(TypeError, match="model: expected a fitted tree"):
        AttackPathDisplay.from_model(object(), X.iloc[[0]], "no", A)


def test_hostile_names_are_harmless_everywhere():
    tree = Node(HOSTILE, 1.0, Leaf(-1.5), Node("k$", HOSTILE, Leaf(1.0), Leaf(3.0)))
    A = tv.Attacker([tv.Rule(HOSTILE, 0.5, delta=(-0.3, 0.3)), tv.Rule("k$", 1.25, becomes=HOSTILE)], 2)
    d = AttackPathDisplay.from_tree(tree, {HOSTILE: 1, "k$": "<b>"}, 0, A, label=HOSTILE)
    page = render(d, "html").decode()
    assert "<script>alert" not in page and "<b>" not in page
    assert "🎉" not in d.title and render(d, "pdf")
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=d.to_dot().encode(), capture_output=True, check=True)


def test_dot_holds_the_ways_the_coins_and_the_rings():
    dot = toy("(d)").to_dot()
    assert (
        '"root" -> "r" [label=" no\\np +1, cost 1 ", color="#000000", style=dashed, arrowhead=normal];' in dot
    )
    assert '"root" -> "l" [label=" yes ", color="#A6A6A6", penwidth=6];' in dot
    assert (
        '"l" [label="ŷ = −1.5\\nloss 2.25\\nwith or without attack", '
        "style=rounded, penwidth=2.4, peripheries=3];" in dot
    )
    pair = toy("(c)", after=PANELS["(d)"]).to_dot()
    assert '"0-root" -> "0-r"' in pair and '"1-r" -> "1-rl"' in pair and "cluster_1" in pair


def test_an_axes_or_a_subfigure_of_the_callers_keeps_what_it_had():
    figure = Figure(figsize=(12, 6))
    left, right = figure.subfigures(1, 2)
    ax = left.add_subplot()
    line = ax.plot([0, 1], [0, 1])[0]
    toy("(c)").plot(ax)
    toy("(c)", after=PANELS["(d)"]).plot(right)
    FigureCanvasAgg(figure).draw()
    assert line in ax.lines and sum(len(part.axes) for part in right.subfigs) == 1


def test_the_same_picture_gives_the_same_bytes():
    for kind in ("svg", "png", "dot"):
        assert render(toy("(c)", after=PANELS["(e)"]), kind) == render(toy("(c)", after=PANELS["(e)"]), kind)


def test_edges_of_the_budget_and_single_leaves():
    none = AttackPathDisplay.from_tree(PANELS["(c)"], X2, 0, TOY.attacker.with_budget(0))
    assert (
        none.title
        == "With 0 to spend, the attacker cannot move x2 to another leaf: its squared error stays 2.25"
    )
    assert not none.plot()["attack"] and none.plot().texts("best move") == ["no other leaf is in reach"]
    endless = AttackPathDisplay.from_tree(PANELS["(c)"], X2, 0, TOY.attacker.with_budget(math.inf))
    assert endless.plot().texts("budget") == ["budget: 1 of ∞ spent"]
    assert AttackPathDisplay.from_tree(Leaf(1.0), X2, 0, TOY.attacker).plot().texts("leaf head") == ["ŷ = 1"]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"tree": "stump"}, TypeError, "tree: expected a Leaf or a Node"),
        ({"x": TOY.X}, ValueError, "x: expected one row"),
        ({"x": {"p": 1.0}, "tree": PANELS["(d)"]}, ValueError, "feature 'q' is not a column"),
        ({"y": "high"}, TypeError, "y: expected numbers"),
        ({"attacker": None}, TypeError, "attacker: expected an Attacker"),
        ({"loss": "hinge"}, ValueError, "loss: expected 'sse' or 'log'"),
        ({"leaf": "rr"}, ValueError, "leaf: expected the path of a leaf in reach"),
        ({"after": PANELS["(b)"]}, ValueError, "after: expected the same tree with one leaf replaced"),
        ({"after": PANELS["(d)"], "leaf": "l"}, ValueError, "leaf: expected None with after"),
        ({"after": 3}, TypeError, "after: expected a Leaf or a Node"),
    ],
)
def test_bad_input_is_named(change, error, said):
    good = {"tree": PANELS["(c)"], "x": X2, "y": 0, "attacker": TOY.attacker}
    with pytest.raises(error, match=said):
        AttackPathDisplay.from_tree(**good | change)


def test_a_table_opens_on_the_row_that_is_hurt_most():
    """On the plain tree, every one of the first rows is attacked by itself; none loses more."""
    wine = tv.load_wine()
    m = tv.TreantClassifier(max_depth=3, min_samples_split=20).fit(wine.X_train[:500], wine.y_train[:500])
    X, y = wine.X_test[:30], wine.y_test[:30]
    d = AttackPathDisplay.from_model(m, X, y, wine.attacker, loss="sse")
    gains = []
    for i in range(len(X)):
        found = AttackPathDisplay.from_model(m, X.iloc[i], y[i], wine.attacker, loss="sse").scenes[0].ways
        gains.append(found.losses[found.best] - found.losses[found.home])
    shown = d.scenes[0].ways
    assert shown.losses[shown.best] - shown.losses[shown.home] == pytest.approx(max(gains))
    assert d.label == f"row {X.index[int(np.argmax(gains))]}"
    assert max(gains) > 0
    with pytest.raises(ValueError, match="x: expected one row, or a table and in y a label for each"):
        AttackPathDisplay.from_model(m, X, y[:3], wine.attacker)

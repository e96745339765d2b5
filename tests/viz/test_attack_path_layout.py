"""Pictures of attacks: what is paid stands beside the way that it buys, and the page is 16 to 9."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node
from treant_viz.experiments.toy import toy_panels
from treant_viz.viz.attack_path.display import AttackPathDisplay
from treant_viz.viz.attack_path.draw import _pairs

DEEP = Node("q", 9.0, Node("q", 8.0, Node("p", 1.0, Node("r", 1.0, Leaf(1.0), Leaf(4.0)), Leaf(0.0)),
                           Leaf(2.0)), Leaf(3.0))  # fmt: skip
ROW = {"p": 1.5, "q": 5.0, "r": 2.0}


def two_moves(**more) -> AttackPathDisplay:
    rules = [tv.Rule("p", cost=30, delta=(-0.3, 0.3))]
    return AttackPathDisplay.from_tree(DEEP, ROW, 0, tv.Attacker(rules, 60), **more)


def test_the_note_lies_beside_the_way_and_the_coin_on_it():
    drawn = two_moves().plot()
    [gate], [coin] = drawn["gate"], drawn["coin"]
    [way] = [a for a in drawn["attack"] if a.get_gid() == "attack-lll"]
    x, y = coin.get_position()
    points = way.get_path().to_polygons(closed_only=False)[0]
    fine = np.linspace(0, len(points) - 1, 2000)
    along = [np.interp(fine, np.arange(len(points)), points[:, k]) for k in (0, 1)]
    assert np.hypot(along[0] - x, along[1] - y).min() < 1.0
    box = gate.get_bbox()
    assert box.x1 < points[:, 0].min(), "left of the whole way, as the way goes left"
    top = next(a for a in drawn["test"] if a.get_gid() == "node-ll").get_bbox().y0
    foot = next(a for a in drawn["test"] if a.get_gid() == "node-lll").get_bbox().y1
    assert foot < box.y0 and box.y1 < top


def test_several_moves_are_a_sum_and_every_value_is_named():
    drawn = two_moves().plot()
    assert drawn.texts("coin") == ["60"] and drawn.texts("rule") == ["2 moves × 30 = 60, by up to 0.3 each"]
    [change] = drawn.texts("coin change")
    assert change.startswith("p 1.5 → ") and change.count("→") == 2
    assert drawn.texts("budget") == ["budget: 60 of 60 spent"]


def test_a_deep_tree_keeps_the_shape_of_the_page_and_no_words_touch():
    d = two_moves()
    assert d.size[0] / d.size[1] == pytest.approx(16 / 9)
    drawn = d.plot()
    FigureCanvasAgg(drawn.figure).draw()
    roles = ("test head", "leaf head", "leaf details", "leaf note", "side", "coin change", "coin", "budget",
             "value", "threshold value", "rule", "worst", "row head", "row values")  # fmt: skip
    boxes = [(t.get_text(), t.get_window_extent()) for role in roles for t in drawn[role]]
    assert not [
        (a, b) for i, (a, p) in enumerate(boxes) for b, q in boxes[:i] if p.padded(-1).overlaps(q.padded(-1))
    ]


def test_the_row_shows_first_what_its_ways_ask_for():
    other = Node("z", 1.0, Leaf(0.0), Leaf(0.0))
    tree = Node("q", 1.0, other, Node("p", 1.0, Leaf(5.0), Leaf(0.0)))
    A = tv.Attacker([tv.Rule("p", cost=1, delta=(-1, 0))], 1)
    d = AttackPathDisplay.from_tree(tree, {"z": 0.0, "q": 2.0, "p": 1.5}, 0, A)
    assert d.plot().texts("row values") == ["q = 2, p = 1.5, z = 0"]
    still = AttackPathDisplay.from_tree(tree, {"z": 0.0, "q": 2.0, "p": 9.0}, 0, A)
    assert "Dashed" not in still.subtitle and "Dashed" in d.subtitle


def test_a_feature_and_its_value_stay_in_one_line():
    lines = _pairs("marital_status = Divorced, education_num = 10, capital_gain = 14,084, age = 4", 220.0)
    assert lines[0] == "marital_status = Divorced," and lines[1].startswith("education_num = 10")
    assert len(lines) == 2 and lines[1].endswith(" …")


def test_two_trees_side_by_side_stay_legible():
    panels = {p.name: p.tree for p in toy_panels()}
    toy = tv.load_toy()
    d = AttackPathDisplay.from_tree(panels["(c)"], toy.X.loc["x2"], 0, toy.attacker, after=panels["(d)"])
    assert d.size[0] < 17.0
    drawn = d.plot()
    FigureCanvasAgg(drawn.figure).draw()
    gates = [a.get_window_extent() for a in drawn["gate"]]
    cards = [a.get_window_extent() for role in ("leaf", "worst leaf", "test", "row") for a in drawn[role]]
    assert len(gates) == 2 and not [1 for g in gates for c in cards if g.overlaps(c)]


def test_edges_are_drawn_in_the_same_order_every_time():
    """Sets of names come in another order in every run; pictures must not."""
    drawn = two_moves().plot()
    gids = [a.get_gid() for a in drawn["edge"]]
    assert gids == sorted(gids, key=lambda gid: (len(gid), gid))
    assert drawn.texts("side") == ["yes", "no"] * 4

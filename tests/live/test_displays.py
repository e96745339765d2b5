"""A display saved as html is its live sister, in the same state; what has none stays a static page."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.live.displays import SISTERS, explorer_of
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK

TOY = tv.load_toy()
TREE = tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y)
NAMED = tv.TreantClassifier(TOY.attacker, min_samples_split=2).fit(TOY.X, np.where(TOY.y > 0, "yes", "no"))


def told(display, palette=None) -> dict:
    """What a page gives to the browser."""
    page = render(display, "html", **({} if palette is None else {"palette": palette})).decode()
    return json.loads(re.findall(r'<script type="application/json" id="facts">(.*?)</script>', page)[0])[
        "live"
    ]


def live(display) -> bool:
    return b'id="facts"' in render(display, "html")


def test_a_tree_opens_at_its_last_step():
    assert told(tv.TreeDisplay.from_trace(TREE.trace_))["state"]["step"] == len(TREE.trace_) - 1
    at = [s.path for s in TREE.trace_.steps].index("l")
    given = told(tv.TreeDisplay.from_trace(TREE.trace_, step="l"), DARK)
    assert (given["picture"], given["state"]["step"], given["theme"]) == ("growth", at, "dark")


def test_a_partition_and_a_split_open_at_their_test_with_their_plan():
    shown = {
        "robust": tv.TernaryPartitionDisplay.from_trace(TREE.trace_, "", "p", 1),
        "standard": tv.TernaryPartitionDisplay.from_data(TOY.X, TOY.y, TOY.attacker, "p", 1),
        "four-case": tv.RobustSplitDisplay.from_trace(TREE.trace_, "", "four-case", feature="p", threshold=1),
    }
    for plan, display in shown.items():
        state = told(display)["state"]
        found = state["plan"], state["feature"], state["threshold"], state["budget"], state["tried"]
        assert found == (plan, "0", 1, 1, None)
    by_hand = tv.RobustSplitDisplay.from_trace(TREE.trace_, "", "robust", -1.0, 1.0)
    tried = told(by_hand)["state"]["tried"]
    assert (tried["y_l"], tried["y_r"]) == (-1, 1)
    assert math.isclose(tried["loss_under_attack"], by_hand.loss_under_attack, rel_tol=1e-9)


@pytest.mark.parametrize("row", [TOY.X.loc["x2"], TOY.X.loc[["x2"]], {"p": 1, "q": 2}])
def test_an_attack_opens_with_its_row_leaf_and_step(row):
    display = tv.AttackPathDisplay.from_model(TREE, row, 0.0, TOY.attacker)
    for step, shown in ((-1, display), (1, display.frames()[1])):
        given = told(shown)
        assert (given["picture"], given["state"]["row"], given["state"]["step"]) == ("attack", 0, step)
        assert given["facts"]["rows"]["name"] == [display.label]
    here = display.scenes[0].ways.home
    chosen = tv.AttackPathDisplay.from_model(TREE, row, 0.0, TOY.attacker, leaf=here)
    assert told(chosen)["state"]["leaf"] == here


def test_an_attack_on_a_classifier_knows_its_classes_and_a_comparison_both_trees():
    given = told(tv.AttackPathDisplay.from_model(NAMED, TOY.X.loc["x2"], "no", TOY.attacker))
    assert given["facts"]["labels"]["name"] == ["no"]
    grown = [t for step, t in TREE.trace_.trees() if step.taken]
    pair = tv.AttackPathDisplay.from_tree(grown[0], TOY.X.iloc[2], 0.0, TOY.attacker, after=grown[1])
    assert len(told(pair)["facts"]["trees"]) == 2
    stump = tv.Node(0, 1.0, tv.Leaf(-1.0), tv.Leaf(1.0))
    bare = tv.AttackPathDisplay.from_tree(stump, np.array([1.0, 2.0]), 0.0, tv.Attacker([], 1))
    assert told(bare)["facts"]["n"] == 1


def test_a_loss_surface_begins_where_its_run_began():
    given = told(tv.LossSurfaceDisplay.from_trace(TREE.trace_, "r", start=(0.5, 1.0), constrained=False))
    assert given["picture"] == "surface"
    assert given["state"] == {"path": "r", "test": 0, "start_l": 0.5, "start_r": 1.0, "constrained": False}


def test_what_the_live_picture_cannot_show_stays_a_static_page():
    assert not live(tv.TreeDisplay.from_tree(TREE.tree_))
    inner = TREE.trace_.steps[2].path
    assert inner and not live(tv.TernaryPartitionDisplay.from_trace(TREE.trace_, inner, "p", 1))
    endless = TOY.attacker.with_budget(math.inf)
    assert not live(tv.AttackPathDisplay.from_model(TREE, TOY.X.loc["x2"], 0.0, endless))
    weighted = tv.TreantRegressor(TOY.attacker, min_samples_split=2)
    weighted.fit(TOY.X, TOY.y, sample_weight=np.arange(1.0, 8.0))
    assert not live(tv.TernaryPartitionDisplay.from_trace(weighted.trace_, "", "p", 1))


def test_every_sister_is_a_display_whose_explorer_can_be_made():
    assert set(SISTERS) <= {name for name in tv.__all__ if name.endswith("Display")}
    assert explorer_of(tv.TreeDisplay.from_trace(TREE.trace_)).picture == "growth"


def test_pages_need_no_widgets():
    """With neither anywidget nor ipywidgets a page is live all the same; a notebook says what it needs."""
    code = """if 1:
        import sys
        for name in ("anywidget", "ipywidgets", "graphviz"):
            sys.modules[name] = None
        import treant_viz as tv
        toy = tv.load_toy()
        tree = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
        ex = tv.explore_split(toy, budget=0.5)
        ex.budget = 2
        assert ex.page().count('id="facts"') == 1
        from treant_viz.viz.output.export import render
        assert b'id="facts"' in render(tv.TreeDisplay.from_trace(tree.trace_), "html")
        try:
            ex.box
        except ImportError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == (
        "a live picture needs anywidget, which is not installed: pip install 'treant-viz[lab]'\n"
    )

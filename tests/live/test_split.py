"""explore_split: Python and the hand set one state; bad input changes nothing; what is saved is true."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.hand import by_hand
from treant_viz.live import explore_split

pytest.importorskip("anywidget")


@pytest.fixture
def toy():
    return explore_split(tv.load_toy())


def asked(explorer, question) -> dict:
    """What comes back to the browser."""
    sent = []
    explorer.widget.send = sent.append
    explorer.widget._asked(explorer.widget, {"kind": "ask", "id": 7, "question": question}, [])
    assert sent[0].pop("id") == 7
    return sent[0]


def test_the_first_frame_teaches_by_itself(toy):
    own = {"view": "partition", "y_l": None, "y_r": None, "row": None}
    assert toy.state == {"budget": 1.0, "feature": "p", "threshold": 1.0} | own
    assert toy.display.counts == (2, 1, 4)


def test_python_and_the_hand_set_one_state(toy):
    toy.budget = 0
    assert toy.widget.state["budget"] == 0
    by_hand(toy, budget=2.0, threshold=-5.0, plan="standard", row=3)
    assert (toy.budget, toy.threshold, toy.view, toy.row) == (2.0, -5.0, "standard", 3)
    toy.feature = "q"
    assert toy.threshold == 2.0  # the best of q: one of p means nothing here
    assert toy.widget.state["feature"] == "1" and "1" in toy.widget.facts["tables"]


def test_a_new_feature_by_hand_comes_with_its_threshold(toy):
    by_hand(toy, feature="1", threshold=3.0)
    assert (toy.feature, toy.threshold) == ("q", 3.0)
    by_hand(toy, feature="0", threshold=1)  # as JSON has it
    assert isinstance(toy.threshold, float)


def test_clicking_nothing_keeps_the_view(toy):
    by_hand(toy, row=1)
    assert toy.view == "partition"


def test_a_budget_beyond_what_was_worked_out_is_worked_out(toy):
    toy.budget = 7
    assert max(level["cost"] for level in toy.widget.facts["tables"]["0"]["levels"]) == 7
    assert toy.display.counts == (1, 6, 0)  # x0 comes no farther than 0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("threshold", "x", "threshold: expected a finite number for 'p'"),
        ("threshold", None, "threshold: expected a finite number"),
        ("threshold", float("nan"), "threshold: expected a finite number"),
        ("threshold", True, "threshold: expected a finite number"),
        ("feature", "r", "feature: expected one of"),
        ("feature", None, "feature: expected one of"),
        ("budget", -1, "budget: expected a finite number of at least 0, got -1"),
        ("budget", float("inf"), "budget: expected a finite number of at least 0, got inf"),
        ("view", "robst", "view: expected one of .*'robust'.*, got 'robst'"),
        ("y_l", 99, "y_l: expected None or a number from .* to 4, got 99"),
        ("y_l", True, "y_l: expected None or a number"),
        ("y_r", "1", "y_r: expected None or a number"),
        ("y_r", float("nan"), "y_r: expected None or a number"),
        ("row", 7, "row: expected None or a row from 0 to 6, got 7"),
        ("row", True, "row: expected None or a row"),
    ],
)
def test_bad_state_is_refused_and_nothing_is_lost(toy, name, value, said):
    before = toy.state, toy.widget.state
    with pytest.raises(TraitError, match=said):
        setattr(toy, name, value)
    assert (toy.state, toy.widget.state) == before


@pytest.mark.parametrize(
    "change", [{"budget": -1}, {"feature": "99"}, {"feature": None}, {"threshold": "<b>"}, {"plan": 3}]
)
def test_a_state_that_cannot_be_is_put_back(toy, change):
    before = toy.state
    by_hand(toy, **change)
    assert toy.state == before and toy.widget.state == toy._to_browser()


def test_unknown_state_is_refused():
    with pytest.raises(TypeError, match="'budgt' cannot be set"):
        explore_split(tv.load_toy(), budgt=3)
    with pytest.raises(TraitError, match="threshold: expected a category of 'c': 'a', 'b', got 'z'"):
        X = tv.load_toy().X.assign(c=list("aabbabb"))
        explore_split(X, tv.load_toy().y, tv.Attacker([], 1), feature="c", threshold="z")


def test_questions_are_answered_with_facts_or_words(toy):
    facts = asked(toy, {"feature": "1"})["facts"]
    assert list(facts["tables"]) == ["1"] and facts["tables"]["1"]["points"] == [1, 2, 3, 4]
    assert (
        "feature: expected the place of a feature, 0 to 1, got '9'" in asked(toy, {"feature": "9"})["error"]
    )
    assert "feature: expected" in asked(toy, None)["error"]


def test_a_fault_is_not_hidden(toy):
    def broken(question):
        raise AttributeError("a fault of ours")

    toy.answer = broken
    with pytest.raises(AttributeError):
        asked(toy, {"feature": "1"})


def run(explorer):
    """What the explorer's own code makes."""
    data = tv.load_toy()
    space = {"tv": tv, "X": data.X, "y": data.y, "attacker": data.attacker}
    *lines, last = explorer.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize(
    "state",
    [
        {"budget": 2.0, "threshold": -5.0},
        {"budget": 0.99999999},  # with a little less than 1 the attacker cannot pay for the rule
        {"view": "standard"},
        {"view": "four-case", "y_l": 0.5},
        {"view": "robust", "feature": "q", "threshold": 3.0, "y_l": -1.0, "y_r": 1.75},
        {"view": "robust", "threshold": -4.0},  # where no fit would try
    ],
)
def test_the_code_makes_the_same_picture(state):
    shown = explore_split(tv.load_toy(), **state)
    assert run(shown).summary == shown.display.summary
    assert shown.state == shown.state | state


# views: the paper's panels (b) and (c)

PLANS = {"standard": ((-1.0, 2.0), 2.0, 5.0), "robust": ((-1.5, 1.6), 3.39, 3.7)}


@pytest.mark.parametrize("view", PLANS)
def test_plans_are_the_papers_panels(toy, view):
    by_hand(toy, plan="four-case")
    by_hand(toy, plan=view)
    leaves, plain, attacked = PLANS[view]
    shown = toy.display
    assert (toy.view, shown.mode) == (view, view)
    assert (shown.y_l, shown.y_r) == pytest.approx(leaves)
    assert (shown.plain_loss, shown.loss_under_attack) == pytest.approx((plain, attacked))
    assert (toy.y_l, toy.y_r) == (None, None)


def test_four_cases_are_squared_errors_around_the_means_of_each(toy):
    toy.view = "four-case"
    assert toy.display.cases == pytest.approx((2.0, 3.7, 2.0, 3.7))


@pytest.mark.parametrize(("feature", "threshold"), [("p", -5.0), ("q", 2.0), ("q", 3.0)])
def test_a_plan_is_drawn_for_any_candidate(toy, feature, threshold):
    """The robust leaves cost what the best of a fine grid of leaves costs."""
    toy.feature, toy.view = feature, "robust"
    toy.threshold = threshold
    data = tv.load_toy()
    x, y = data.X[feature].to_numpy(), data.y
    reach = 1.0 if feature == "p" else 0.0
    left, right = x - reach <= threshold, x + reach > threshold
    a, b = np.meshgrid(np.linspace(-2, 2, 401), np.linspace(-2, 2, 401))
    hurt = [
        np.maximum(np.where(i, (a - t) ** 2, -1), np.where(j, (b - t) ** 2, -1))
        for i, j, t in zip(left, right, y)
    ]
    assert toy.display.loss_under_attack == pytest.approx(sum(hurt).min(), abs=1e-3)


def test_leaves_of_ones_own(toy):
    toy.view, toy.y_l, toy.y_r = "robust", -1.0, 2.0
    assert toy.display.loss_under_attack == pytest.approx(5.0)  # panel (b)
    told = toy.widget.state["tried"]
    assert (told["loss"], told["loss_under_attack"], told["left_right"]) == (2, 5, 1)
    by_hand(toy, row=2)
    assert toy.y_l == -1.0
    by_hand(toy, y_l=None, y_r=None, tried=None)
    assert (toy.y_l, toy.widget.state["tried"]) == (None, None)
    assert toy.display.loss_under_attack == pytest.approx(3.7)


def test_classes_have_leaves_from_0_to_1():
    wine = tv.load_wine()
    shown = explore_split(wine.X_train[:200], wine.y_train[:200], wine.attacker, view="robust")
    with pytest.raises(TraitError, match=r"y_l: expected None or a number from 0 to 1, got 1\.5"):
        shown.y_l = 1.5


def test_a_fitted_tree_a_data_set_and_bare_rows_are_taken():
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y)
    shown = {explore_split(what).display.summary for what in (model, data)}
    shown.add(explore_split(data.X, data.y, data.attacker).display.summary)
    assert len(shown) == 1
    with pytest.raises(TypeError, match="X with y and attacker"):
        explore_split(data.X)


def test_a_saved_notebook_keeps_a_picture(toy):
    data, look = toy._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}
    assert data["text/plain"] == toy.display.summary == repr(toy)
    assert look["image/png"]["alt"] == toy.display.alt_text


def test_a_page_holds_the_present_state(toy, tmp_path):
    toy.budget = 2
    page = toy.save(tmp_path / "page.html").read_text("utf-8")
    given = json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', page)[1])[
        "live"
    ]
    assert given["state"]["budget"] == 2 and given["picture"] == "split"
    assert toy.save(tmp_path / "still.svg").read_text().lstrip().startswith("<?xml")


def test_hostile_names_are_escaped():
    data = tv.load_toy()
    bad = "</script><script>alert(1)</script>"
    X, A = data.X.rename(columns={"p": bad}), tv.Attacker([tv.Rule(bad, 1, delta=(-1, 1))], 1)
    page = explore_split(X, data.y, A).page()
    assert "<script>alert" not in page and page.count("</script>") == 2


@pytest.mark.parametrize("data", ["wine", "census", "credit"])
def test_the_first_frame_is_one_where_the_attacker_has_a_say(data):
    """The robust choice is often one where the attacker has none: that picture would teach nothing."""
    loaded = getattr(tv, f"load_{data}")()
    X, y = loaded.X_train[:300], loaded.y_train[:300]
    shown = explore_split(X, y, loaded.attacker)
    assert (shown.display.side == 1).any()
    tried = tv.TreantClassifier(loaded.attacker, max_depth=1).fit(X, y).trace_.at("").candidates.to_frame()
    owned = tried[tried.unknown > 0]
    level = shown.states(shown.feature).level_of(shown.budget)
    i = (
        int(np.searchsorted(level.thresholds, shown.threshold))
        if isinstance(shown.threshold, float)
        else None
    )
    best = level.robust.loss_under_attack[
        shown.states(shown.feature).categories.index(shown.threshold) if i is None else i
    ]
    assert best <= owned.loss_under_attack.min() + 1e-9  # it may stand at an end, where a fit does not look


def test_where_the_attacker_has_no_say_the_best_test_is_shown():
    toy = tv.load_toy()
    shown = explore_split(toy.X, toy.y, tv.Attacker([], 1))
    assert (shown.feature, shown.threshold) == ("p", 1.0)
    shown.feature = "q"
    assert shown.threshold == 2.0

"""explore_split and what all explorers share: state and controls follow each other, and bad input changes nothing."""

from __future__ import annotations

import asyncio
import re

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.explore import explore_split
from treant_viz.explore.base import WAIT
from treant_viz.explore.frame import Screen

widgets = pytest.importorskip("ipywidgets")


def alt(explorer) -> str:
    return re.search(r'alt="([^"]*)"', explorer.picture.value)[1]


def control(explorer, label: str):
    [found] = [w for row in explorer.box.children[:4] for w in row.children if w.description == label]
    return found


@pytest.fixture
def toy():
    return explore_split(tv.load_toy())


def test_the_first_frame_teaches_by_itself(toy):
    own = {"view": "partition", "y_l": None, "y_r": None}
    assert toy.state == {"budget": 1.0, "feature": "p", "threshold": 1.0} | own
    assert toy.display.title == "p <= 1: the attacker decides for x2 alone"
    assert "leaves 2 left, 1 unknown" in alt(toy)


def test_setting_state_moves_controls_and_picture(toy):
    toy.budget = 0
    assert control(toy, "budget").value == control(toy, "budget (number)").value == 0
    assert toy.display.title == "p <= 1: nothing crosses the line, so the attacker decides for nobody"
    toy.feature = "q"
    assert control(toy, "feature").value == "q"
    assert control(toy, "threshold").value == toy.threshold == 2.0  # the best of q


def test_a_budget_beyond_the_slider_widens_it(toy):
    toy.budget = 7
    assert control(toy, "budget").value == control(toy, "budget (number)").value == 7


def test_controls_move_state_and_picture(toy):
    control(toy, "budget (number)").value = 2.0
    assert toy.budget == control(toy, "budget").value == 2.0
    control(toy, "threshold").value = -5.0
    assert toy.threshold == -5.0
    assert toy.display.title.startswith("p <= -5")


def test_the_slider_stops_at_values_of_the_data(toy):
    assert [v for _, v in control(toy, "threshold").options] == [-7.0, -5.0, 1.0, 3.0]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("threshold", 17, "threshold: expected a value of 'p'"), ("feature", "r", "feature: expected one of"),
     ("threshold", None, "threshold: expected a value of 'p'"), ("feature", None, "feature: expected one of"),
     ("budget", -1, "budget: expected a number of at least 0"),
     ("view", "robst", "view: expected one of .*'robust'.*, got 'robst'"), ("view", None, "view: expected one of"),
     ("y_l", 99, "y_l: expected None or a number from -4 to 4, got 99"), ("y_r", "1", "y_r: expected None or a number"),
     ("y_r", float("nan"), "y_r: expected None or a number"), ("y_l", True, "y_l: expected None or a number")],
)  # fmt: skip
def test_bad_state_is_refused_and_nothing_is_lost(toy, name, value, said):
    before = toy.state, toy.picture.value
    with pytest.raises(TraitError, match=said):
        setattr(toy, name, value)
    assert (toy.state, toy.picture.value) == before


def test_what_cannot_be_drawn_is_explained_and_the_last_picture_stays(toy, monkeypatch):
    before = toy.picture.value
    monkeypatch.setattr(toy, "_display", lambda: (_ for _ in ()).throw(ValueError("no <such> thing")))
    toy.budget = 0.5
    assert toy.picture.value == before
    assert "no &lt;such&gt; thing" in toy.message.value
    monkeypatch.undo()
    toy.budget = 0.25
    assert toy.message.value == ""


def test_faults_are_not_hidden(toy, monkeypatch):
    monkeypatch.setattr(toy, "_display", lambda: (_ for _ in ()).throw(AttributeError("a fault of ours")))
    with pytest.raises(AttributeError):
        toy.budget = 0.5


def test_unknown_state_is_refused():
    with pytest.raises(TypeError, match="'budgt' cannot be set"):
        explore_split(tv.load_toy(), budgt=3)


def test_the_code_makes_the_same_picture(toy):
    toy.budget, toy.threshold = 2.0, -5.0
    assert run(toy).summary == toy.display.summary
    assert toy.as_code.value == toy.code()


def run(explorer):
    """What the explorer's own code makes."""
    data = tv.load_toy()
    space = {"tv": tv, "X": data.X, "y": data.y, "attacker": data.attacker}
    *lines, last = explorer.code().splitlines()
    exec("\n".join(lines), space)
    return eval(last, space)


def test_the_code_has_the_budget_to_the_last_digit(toy):
    """With a little less than 1 the attacker cannot pay for its rule."""
    toy.budget = 0.99999999
    assert toy.display.counts[1] == 0
    assert run(toy).summary == toy.display.summary


# views: the paper's panels (b) and (c)

PLANS = {"standard": ((-1.0, 2.0), 2.0, 5.0), "robust": ((-1.5, 1.6), 3.39, 3.7)}


@pytest.mark.parametrize("view", PLANS)
def test_plans_are_the_papers_panels(toy, view):
    control(toy, "view").value = view
    leaves, plain, attacked = PLANS[view]
    shown = toy.display
    assert (toy.view, shown.mode) == (view, view)
    assert (shown.y_l, shown.y_r) == pytest.approx(leaves)
    assert (shown.plain_loss, shown.loss_under_attack) == pytest.approx((plain, attacked))
    assert [control(toy, f"{side} leaf {y}").value for side, y in SIDES] == pytest.approx(leaves)
    assert f"in {view} mode" in alt(toy)
    assert (toy.y_l, toy.y_r) == (None, None)


SIDES = [("left", "y_l"), ("right", "y_r")]


def test_the_view_and_its_control_follow_each_other(toy):
    assert [view for _, view in control(toy, "view").options] == ["partition", "standard", "four-case", "robust"]
    toy.view = "four-case"
    assert control(toy, "view").value == "four-case"
    assert toy.display.cases == pytest.approx((2.0, 3.7, 2.0, 3.7))  # squared errors around the means of each case
    toy.view = "partition"
    assert toy.display.title == "p <= 1: the attacker decides for x2 alone"


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
    hurt = [np.maximum(np.where(i, (a - t) ** 2, -1), np.where(j, (b - t) ** 2, -1)) for i, j, t in zip(left, right, y)]
    assert toy.display.loss_under_attack == pytest.approx(sum(hurt).min(), abs=1e-3)


def test_leaves_are_set_by_slider_number_and_python_and_taken_back(toy):
    toy.view = "robust"
    control(toy, "left leaf y_l").value = -1.0
    control(toy, "right leaf y_r (number)").value = 2.0
    assert (toy.y_l, toy.y_r) == (-1.0, 2.0) == (toy.display.y_l, toy.display.y_r)
    assert toy.display.loss_under_attack == pytest.approx(5.0)  # panel (b)
    toy.y_l = -1.5
    assert control(toy, "left leaf y_l").value == control(toy, "left leaf y_l (number)").value == -1.5
    control(toy, "the plan's own leaves").click()
    assert (toy.y_l, toy.y_r) == (None, None)
    assert toy.display.loss_under_attack == pytest.approx(3.7)
    assert control(toy, "right leaf y_r").value == pytest.approx(1.6)


def test_leaves_that_are_not_set_follow_the_plan(toy):
    toy.view = "robust"
    toy.view = "standard"
    assert (toy.display.y_l, toy.display.y_r) == (-1.0, 2.0)
    assert (toy.y_l, toy.y_r) == (None, None)


def test_leaf_controls_are_there_for_plans_only(toy):
    bars = [control(toy, f"{side} leaf {y}") for side, y in SIDES]
    assert [bar.layout.display for bar in bars] == ["none"] * 2
    toy.view = "standard"
    assert [bar.layout.display for bar in bars] == [""] * 2


@pytest.mark.parametrize(
    "state",
    [
        {"view": "standard"},
        {"view": "four-case", "y_l": 0.5},
        {"view": "robust", "feature": "q", "threshold": 3.0, "y_l": -1.0, "y_r": 1.75},
    ],
)
def test_the_code_of_a_plan_makes_the_same_picture(state):
    shown = explore_split(tv.load_toy(), **state)
    assert run(shown).summary == shown.display.summary
    assert shown.state == shown.state | state


def test_a_test_without_recorded_leaves_is_explained(toy):
    toy.feature, toy.view = "q", "robust"
    before = toy.picture.value
    toy.threshold = 4.0  # no row is beyond it, so it was no candidate
    assert "4.0 was no candidate of" in toy.message.value and toy.picture.value == before
    toy.view = "standard"
    assert toy.message.value == "" and toy.display.test == "q <= 4"


def test_classes_have_leaves_from_0_to_1():
    wine = tv.load_wine()
    shown = explore_split(wine.X_train[:200], wine.y_train[:200], wine.attacker, view="robust")
    assert (control(shown, "left leaf y_l").min, control(shown, "left leaf y_l").max) == (0.0, 1.0)
    with pytest.raises(TraitError, match=r"y_l: expected None or a number from 0 to 1, got 1\.5"):
        shown.y_l = 1.5


def test_another_feature_is_drawn_once(toy, monkeypatch):
    drawn = []
    png = toy._screen.png
    monkeypatch.setattr(toy._screen, "png", lambda display: drawn.append(display.title) or png(display))
    toy.feature = "q"
    assert drawn == ["q <= 2: nothing crosses the line, so the attacker decides for nobody"]


def test_a_fitted_tree_a_data_set_and_bare_rows_are_taken():
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y)
    shown = {explore_split(what).display.summary for what in (model, data)}
    shown.add(explore_split(data.X, data.y, data.attacker).display.summary)
    assert len(shown) == 1
    with pytest.raises(TypeError, match="X with y and attacker"):
        explore_split(data.X)


def test_changes_from_controls_are_gathered(toy):
    drawn = []
    toy._draw = lambda: drawn.append(toy.budget)

    async def drag():
        for k in (0.1, 0.2, 0.3):
            control(toy, "budget").value = k
        assert drawn == []
        await asyncio.sleep(3 * WAIT)

    asyncio.run(drag())
    assert drawn == [0.3]


def test_a_saved_notebook_keeps_a_picture(toy):
    data, look = toy._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}
    assert data["text/plain"] == toy.display.summary
    assert look["image/png"]["alt"] == toy.display.alt_text


def test_the_layout_of_the_first_picture_serves_the_next(toy):
    """Drawn fast or with a layout of its own, a picture is the same but for rounding."""
    toy.threshold = -5.0
    fast, _ = toy._screen.png(toy.display)
    slow, _ = Screen().png(toy.display)
    images = [np.asarray(_open(data)).astype(int) for data in (fast, slow)]
    assert images[0].shape == images[1].shape
    assert (np.abs(images[0] - images[1]) > 60).mean() < 0.02


def _open(data: bytes):
    from io import BytesIO

    from PIL import Image

    return Image.open(BytesIO(data))


def test_hostile_names_are_escaped():
    data = tv.load_toy()
    X = data.X.rename(columns={"p": "<script>alert(1)</script>"})
    A = tv.Attacker([tv.Rule("<script>alert(1)</script>", 1, delta=(-1, 1))], 1)
    shown = explore_split(X, data.y, A)
    assert "<script" not in shown.picture.value
    assert "&lt;script" in shown.picture.value


@pytest.mark.parametrize("data", ["wine", "census", "credit"])
def test_the_first_frame_is_one_where_the_attacker_has_a_say(data):
    """The robust choice is often one where he has none: that picture would teach nothing."""
    loaded = getattr(tv, f"load_{data}")()
    X, y = loaded.X_train[:300], loaded.y_train[:300]
    shown = explore_split(X, y, loaded.attacker)
    assert (shown.display.side == 1).any()
    tried = tv.TreantClassifier(loaded.attacker, max_depth=1).fit(X, y).trace_.at("").candidates.to_frame()
    owned = tried[tried.unknown > 0]
    [best] = owned[(owned.feature == shown.feature) & (owned.threshold == shown.threshold)].plain_loss
    assert best == owned.plain_loss.min()


def test_a_control_whose_value_is_refused_goes_back_and_says_why():
    shown = explore_split(tv.load_toy())
    control = shown.bind(widgets.Text(), "view")
    before = shown.display
    control.value = "<b>upside down</b>"
    assert control.value == shown.view == "partition"
    assert "view: expected one of" in shown.message.value and "&lt;b&gt;upside" in shown.message.value
    assert shown.display is before


def test_where_the_attacker_has_no_say_the_best_test_is_shown():
    toy = tv.load_toy()
    shown = explore_split(toy.X, toy.y, tv.Attacker([], 1))
    assert (shown.feature, shown.threshold) == ("p", 1.0)
    shown.feature = "q"
    assert shown.threshold == 2.0

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
    [found] = [w for row in explorer.box.children[:2] for w in row.children if w.description == label]
    return found


@pytest.fixture
def toy():
    return explore_split(tv.load_toy())


def test_the_first_frame_teaches_by_itself(toy):
    assert toy.state == {"budget": 1.0, "feature": "p", "threshold": 1.0}
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
     ("budget", -1, "budget: expected a number of at least 0")],
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
    data = tv.load_toy()
    space = {"tv": tv, "X": data.X, "y": data.y, "attacker": data.attacker}
    *lines, last = toy.code().splitlines()
    exec("\n".join(lines), space)
    assert eval(last, space).summary == toy.display.summary
    assert toy.as_code.value == toy.code()


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

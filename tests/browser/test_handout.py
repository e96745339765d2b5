"""The hand-out in a real browser, from disk: sliders, buttons and keys, without kernel or network."""

from __future__ import annotations

import pytest

import treant_viz as tv
from treant_viz.course.handout import handout
from treant_viz.experiments.toy import toy_trace


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("handout") / "toy.html"
    path.write_text(handout(), encoding="utf-8")
    return path


@pytest.fixture
def tab(watched, file):
    watched.tab.context.set_offline(True)
    watched.tab.goto(file.as_uri())
    yield watched.tab
    watched.tab.context.set_offline(False)
    assert watched.asked == [file.as_uri()]


def said_by_python(budget: float) -> str:
    trace = toy_trace(attacker=tv.load_toy().attacker.with_budget(budget))
    return f"Budget {budget}: {tv.TernaryPartitionDisplay.from_trace(trace, '', 'p', 1.0).title}"


def test_the_budget_slider_moves_by_keys_and_shows_what_python_says(tab):
    slider = tab.locator("#budget-slider")
    slider.focus()
    for budget in (1, 2, 3):
        slider.press("ArrowRight")
        assert tab.locator("#budget-caption").inner_text() == said_by_python(budget)
    shown = [f.get_attribute("id") for f in tab.locator("#budget figure").all() if f.is_visible()]
    assert shown == ["budget-f3-frame"]


def test_one_stepper_leaves_the_others_alone(tab):
    tab.locator("#growth-next").click()
    assert tab.locator("#growth-caption").inner_text().startswith("Step 2 of 7")
    assert tab.locator("#attack-caption").inner_text().startswith("Step 1 of 3")
    tab.locator("#attack-last").click()
    assert "Attack invariance is broken for x2" in tab.locator("#attack-caption").inner_text()
    assert tab.locator("#growth-caption").inner_text().startswith("Step 2 of 7")

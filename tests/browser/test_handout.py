"""The hand-out in a real browser, from disk: live pictures, without kernel or network."""

from __future__ import annotations

import pytest

from treant_viz.course.handout import explorers, handout


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("handout") / "toy.html"
    path.write_text(handout(), encoding="utf-8")
    return path


@pytest.fixture
def tab(watched, file):
    watched.tab.context.set_offline(True)
    watched.tab.emulate_media(reduced_motion="reduce")
    watched.tab.goto(file.as_uri())
    watched.tab.locator("#constraints .tv-live svg").first.wait_for()
    yield watched.tab
    watched.tab.context.set_offline(False)
    assert watched.asked == [file.as_uri()]


def shown(tab, place: str, fact: str) -> float:
    return float(tab.locator(f"#{place} [data-fact={fact}]").first.get_attribute("data-value"))


def test_the_budget_moves_by_coins_and_keys_and_shows_what_python_says(tab):
    said = explorers()["budget"]
    coins = tab.locator("#budget [data-control=budget]")
    for k in (2, 3, 8, 0):
        if k:
            coins.locator(f"[title='budget {k}']").click()
        else:
            coins.press("Home")
        said.budget = k
        left, unknown, right = said.display.counts
        assert [shown(tab, "budget", f) for f in ("budget", "left", "unknown", "right")] == [
            k,
            left,
            unknown,
            right,
        ]


def test_one_picture_leaves_the_others_alone(tab):
    others = tab.locator("#attack .tv-title, #constraints .tv-title, #budget .tv-title")
    before = others.all_inner_texts()
    tab.locator("#growth [data-control=step]").first.press("ArrowRight")
    assert shown(tab, "growth", "step") == 1
    assert before == others.all_inner_texts()
    assert any(
        "The new split breaks attack invariance for x2" in title.replace("\xa0", " ") for title in before
    )


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_cut_off(tab, width):
    tab.set_viewport_size({"width": width, "height": 720})
    tab.wait_for_timeout(200)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width

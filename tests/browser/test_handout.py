"""The hand-out in a real browser, from disk: live pictures, without kernel or network."""

from __future__ import annotations

import pytest

from tests.browser.live import AXE
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
    assert any("the attacker pushes x2 across p ≤ 1" in title.replace("\xa0", " ") for title in before)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_off_and_all_words_can_be_read(tab, width):
    tab.set_viewport_size({"width": width, "height": 720})
    tab.wait_for_timeout(200)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate(SMALLEST) >= 12
    assert tab.evaluate(BEYOND) == []
    panels = tab.locator(".narrow svg.light")
    assert panels.count() == 4
    assert all(panels.nth(i).is_visible() == (width == 390) for i in range(4))


SMALLEST = """() => {
  const size = (text) => parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM?.().a ?? 1);
  const shown = [...document.querySelectorAll("svg text, p, td, button")].filter((t) => t.textContent.trim()
    && t.checkVisibility({ visibilityProperty: true }) && t.getBoundingClientRect().width > 1);
  const hidden = innerWidth < 700 ? document.querySelector(".wide") : null;
  const panels = [...document.querySelectorAll(".narrow svg.light")].filter((svg) => svg.checkVisibility());
  const least = Math.min(...[...document.querySelectorAll(".wide .light svg text")]
    .map((t) => parseFloat(getComputedStyle(t).fontSize)));
  return Math.min(...shown.filter((t) => !hidden?.contains(t)).map(size),
    ...panels.map((svg) => least * svg.getScreenCTM().a));
}"""
BEYOND = """() => [...document.querySelectorAll(".tv-live svg text")].filter((t) => {
  const box = t.getBoundingClientRect();
  return t.textContent.trim() && t.checkVisibility({ visibilityProperty: true })
    && (box.right > innerWidth + 1 || box.left < -1);
}).map((t) => t.textContent)"""


def test_light_and_dark_follow_the_system_and_the_button_and_axe_finds_nothing(tab):
    ground = "getComputedStyle(document.body).backgroundColor"
    picture = "getComputedStyle(document.querySelector('.tv-live')).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(18, 22, 28)"
    button = tab.locator("#theme")
    for system, pressed, colour in (
        ("light", 0, light),
        ("dark", 0, dark),
        ("dark", 1, light),
        ("light", 1, dark),
    ):
        tab.emulate_media(color_scheme=system)
        tab.evaluate("delete document.documentElement.dataset.theme")
        for _ in range(pressed):
            button.press("Enter")
        assert tab.evaluate(f"[{ground}, {picture}]") == [colour, colour]
        assert button.inner_text() == ("Light colours" if colour == dark else "Dark colours")
        shown = [tab.locator(f".wide .{name}").is_visible() for name in ("light", "dark")]
        assert shown == [colour == light, colour == dark]
        if AXE.exists() and not pressed:
            tab.evaluate(AXE.read_text("utf-8"))
            found = tab.evaluate("() => axe.run()")
            assert [f"{v['id']}: {n['html'][:120]}" for v in found["violations"] for n in v["nodes"]] == []

"""A lecture in a real browser, from disk: keys move it, everything fits, live pictures keep their keys."""

from __future__ import annotations

import pytest

from tests.browser.live import AXE
from treant_viz.course.lecture import planned
from treant_viz.course.slides import LECTURES, write_slides

FITS = """() => {
  const slide = document.querySelector(".slide.now"), stage = slide.querySelector(".stage");
  const asked = slide.classList.contains("asking"), box = (e) => e.getBoundingClientRect();
  const low = box(slide.querySelector(asked ? ".question" : ".fitted")).bottom;
  const floor = Math.min(box(document.getElementById("foot")).top, box(stage).bottom) + 1;
  const wide = [...slide.querySelectorAll(".fitted *:not(.panel svg *), h1")]
    .filter((e) => box(e).right > innerWidth + 1);
  const page = document.documentElement;
  return low > 0 && low <= floor && wide.length === 0 && stage.scrollHeight <= stage.clientHeight + 1
    && page.scrollWidth <= innerWidth && page.scrollHeight <= innerHeight;
}"""
DRAWN = "() => [...document.querySelectorAll('.slide.live')].every((s) => s.querySelector('.tv-live svg'))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("slides")
    for minutes in LECTURES:
        write_slides(made / f"{minutes}.html", minutes)
    return made


@pytest.fixture
def tab(watched):
    watched.tab.context.set_offline(True)
    watched.tab.emulate_media(reduced_motion="reduce")
    watched.tab.set_viewport_size({"width": 1280, "height": 720})
    yield watched.tab
    watched.tab.context.set_offline(False)


def opened(tab, file, place=""):
    tab.goto("about:blank")
    tab.goto(file.as_uri() + place)
    tab.wait_for_function(DRAWN)


def place(tab) -> str:
    return tab.evaluate("location.hash")


def walk(tab, key: str) -> list[str]:
    """Press a key until it leads no further; everything fits on the way."""
    seen = [place(tab)]
    while True:
        tab.wait_for_timeout(60)
        assert tab.evaluate(FITS), (key, seen[-1])
        tab.keyboard.press(key)
        if place(tab) == seen[-1]:
            return seen
        seen.append(place(tab))


@pytest.mark.parametrize("minutes", LECTURES)
def test_keys_lead_through_a_lecture_and_everything_fits(tab, folder, minutes):
    opened(tab, folder / f"{minutes}.html")
    there = walk(tab, "ArrowRight")
    asked = sum(bool(slide.question) for slide in planned(minutes))
    assert len(there) == len(list(planned(minutes))) + 2 + asked
    assert walk(tab, "PageUp") == there[::-1]
    tab.keyboard.press("End")
    assert place(tab) == there[-1]
    tab.keyboard.press("Home")
    assert place(tab) == "#1"
    assert tab.evaluate("[...document.images].every((i) => i.naturalWidth > 600)")


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1024, 768), (800, 600)])
def test_it_fits_other_screens(tab, folder, width, height):
    tab.set_viewport_size({"width": width, "height": height})
    opened(tab, folder / "45.html")
    walk(tab, "PageDown")


def test_a_question_comes_before_its_picture(tab, folder):
    opened(tab, folder / "45.html", "#5")
    slide = tab.locator(".slide.now")
    assert slide.locator(".question").is_visible() and slide.get_attribute("class").endswith("asking")
    assert slide.locator(".shown").evaluate("e => getComputedStyle(e).opacity") == "0"
    tab.keyboard.press(" ")
    assert not slide.locator(".question").is_visible()
    assert slide.locator(".shown").evaluate("e => getComputedStyle(e).opacity") == "1"
    tab.reload()
    assert place(tab) == "#5!"


def test_a_picture_has_one_headline(tab, folder):
    opened(tab, folder / "45.html", "#6")
    box = tab.locator(".slide.now h1").bounding_box()
    assert box["width"] > 100 and tab.locator(".slide.now h1").is_visible()
    tab.keyboard.press("PageDown")
    clipped = tab.locator(".slide.now h1").evaluate("e => getComputedStyle(e).clipPath")
    assert clipped == "inset(50%)"  # still there for those who listen


def test_notes_open_beside_the_slide_and_follow_it(tab, folder):
    opened(tab, folder / "45.html", "#5")
    before = tab.locator(".slide.now .stage").bounding_box()
    with tab.context.expect_page() as found:
        tab.keyboard.press("n")
    speaker = found.value
    assert tab.locator(".slide.now .stage").bounding_box() == before  # nothing covers the slide
    assert not tab.locator(".slide.now .notes").is_visible()
    words = lambda: speaker.locator("body").inner_text()  # noqa: E731
    assert "The best tree on good days" in words() and "Half a minute of silence" in words()
    assert "The question is on the wall" in words() and "Next: the answer" in words()
    speaker.keyboard.press("PageDown")  # keys work in both windows
    assert place(tab) == "#5!" and "The picture is on the wall" in words()
    tab.keyboard.press("PageDown")
    assert "One row, two leaves" in words() and "since the first slide" in words()
    speaker.close()


def test_a_blocked_speakers_window_is_told(tab, folder):
    opened(tab, folder / "45.html", "#5")
    tab.evaluate("window.open = () => null")
    tab.keyboard.press("n")
    assert "allow pop-ups" in tab.locator("#place").inner_text()


def test_only_the_slide_that_is_shown_can_be_reached(tab, folder):
    opened(tab, folder / "45.html")
    for _ in range(6):
        tab.keyboard.press("Tab")
        where = tab.evaluate("document.activeElement.closest('.slide')?.classList.contains('now') ?? true")
        assert where


def at_live(tab, folder):
    opened(tab, folder / "45.html")
    while not tab.locator(".slide.now.told.live [data-control=threshold]").count():
        tab.keyboard.press("ArrowRight")
    picture = tab.locator(".slide.now.live")
    return place(tab), lambda: picture.locator("[data-fact=threshold]").first.get_attribute("data-value")


@pytest.mark.parametrize("key", ["ArrowRight", "PageDown", " "])
def test_after_a_drag_or_a_click_keys_lead_on(tab, folder, key):
    there, threshold = at_live(tab, folder)
    handle = tab.locator(".slide.now [data-control=threshold]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + 12
    before = threshold()
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x - 150, y, steps=4)
    tab.mouse.up()
    tab.locator(".slide.now.live .coin, .slide.now.live [data-control=budget]").first.click(force=True)
    moved = threshold()
    assert moved != before
    tab.keyboard.press(key)
    assert place(tab) != there
    tab.keyboard.press("ArrowLeft")
    assert place(tab) == there and threshold() == moved  # the key did not reach the picture


def test_a_control_that_was_reached_by_tab_keeps_its_arrows(tab, folder):
    there, threshold = at_live(tab, folder)
    before = threshold()
    for _ in range(30):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.closest('[data-control=threshold]') !== null"):
            break
    tab.keyboard.press("ArrowLeft")
    assert threshold() != before and place(tab) == there
    tab.keyboard.press("PageDown")  # a clicker leads on all the same
    assert place(tab) != there


def test_the_threshold_follows_the_hand_though_the_picture_is_scaled(tab, folder):
    """As a hand would, at a size where the picture has to be made smaller."""
    tab.set_viewport_size({"width": 1280, "height": 560})
    at_live(tab, folder)
    assert "scale(1)" not in tab.locator(".slide.now .fitted").get_attribute("style")
    handle = tab.locator(".slide.now [data-control=threshold]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + 12
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x - 150, y, steps=8)
    tab.mouse.up()
    tab.wait_for_timeout(100)
    moved = tab.locator(".slide.now [data-control=threshold]").bounding_box()
    assert moved["x"] + moved["width"] / 2 == pytest.approx(x - 150, abs=25)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in treant_viz/live/src")
@pytest.mark.parametrize("where", ["#1", "#5", "#5!", "#11!"])
def test_axe_finds_nothing(tab, folder, where):
    opened(tab, folder / "45.html", where)
    tab.evaluate(AXE.read_text("utf-8"))
    found = tab.evaluate("() => axe.run()")
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []

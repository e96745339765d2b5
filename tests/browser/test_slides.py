"""A lecture in a real browser, from disk: keys move it, everything fits, live pictures keep their keys."""

from __future__ import annotations

import pytest

from tests.browser.live import AXE
from treant_viz.course.slides import LECTURES, planned, write_slides

FITS = """() => {
  const slide = document.querySelector(".slide.now"), stage = slide.querySelector(".stage");
  const asked = slide.classList.contains("asking"), box = (e) => e.getBoundingClientRect();
  const low = box(slide.querySelector(asked ? ".question" : ".fitted")).bottom;
  const floor = Math.min(box(document.getElementById("foot")).top, box(stage).bottom) + 1;
  const wide = [...slide.querySelectorAll(".fitted *, h1")].filter((e) => box(e).right > innerWidth + 1);
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
    asked = sum(bool(slide.question) for _, slide in planned(minutes))
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
    opened(tab, folder / "45.html", "#3")
    slide = tab.locator(".slide.now")
    assert slide.locator(".question").is_visible() and slide.get_attribute("class").endswith("asking")
    assert slide.locator(".shown").evaluate("e => getComputedStyle(e).opacity") == "0"
    tab.keyboard.press(" ")
    assert not slide.locator(".question").is_visible()
    assert slide.locator(".shown").evaluate("e => getComputedStyle(e).opacity") == "1"
    tab.reload()
    assert place(tab) == "#3!"


def test_notes_are_for_the_speaker_and_make_room_for_themselves(tab, folder):
    opened(tab, folder / "45.html", "#5")
    notes = tab.locator(".slide.now .notes")
    assert not notes.is_visible()
    tab.keyboard.press("n")
    assert notes.is_visible() and "half a point" in notes.inner_text()
    assert tab.get_by_role("button", name="notes").get_attribute("aria-pressed") == "true"
    walk(tab, "PageDown")
    tab.keyboard.press("N")
    assert not tab.locator(".slide.now .notes").is_visible()


def test_only_the_slide_that_is_shown_can_be_reached(tab, folder):
    opened(tab, folder / "45.html")
    for _ in range(6):
        tab.keyboard.press("Tab")
        where = tab.evaluate("document.activeElement.closest('.slide')?.classList.contains('now') ?? true")
        assert where


def test_a_live_picture_keeps_its_keys_until_escape(tab, folder):
    opened(tab, folder / "45.html")
    while not tab.locator(".slide.now.live [data-control=threshold]").count():
        tab.keyboard.press("ArrowRight")
    there = place(tab)
    picture = tab.locator(".slide.now.live")
    before = picture.locator("[data-fact=threshold]").first.get_attribute("data-value")
    picture.locator("[data-control=threshold]").focus()
    tab.keyboard.press("ArrowLeft")
    assert picture.locator("[data-fact=threshold]").first.get_attribute("data-value") != before
    assert place(tab) == there
    tab.keyboard.press("Escape")
    tab.keyboard.press("ArrowRight")
    assert place(tab) != there


def test_the_threshold_follows_the_hand_though_the_picture_is_scaled(tab, folder):
    """As a hand would, at a size where the picture has to be made smaller."""
    tab.set_viewport_size({"width": 1280, "height": 560})
    opened(tab, folder / "45.html")
    while not tab.locator(".slide.now.live [data-control=threshold]").count():
        tab.keyboard.press("ArrowRight")
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
@pytest.mark.parametrize("where", ["#1", "#3", "#3!", "#9"])
def test_axe_finds_nothing(tab, folder, where):
    opened(tab, folder / "45.html", where)
    tab.evaluate(AXE.read_text("utf-8"))
    found = tab.evaluate("() => axe.run()")
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []

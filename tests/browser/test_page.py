"""The HTML page in a real browser: from disk, stepped by button, key and slider, silent and offline."""

from __future__ import annotations

import pytest

import treant_viz as tv
from tests.viz.test_page import HOSTILE, Bars


@pytest.fixture
def opened(browser, tmp_path):
    """The page of three frames; afterwards: no complaints, and nothing but the file was asked for."""
    file = Bars(who=HOSTILE).save(tmp_path / "steps.html")
    tab = browser.new_page(viewport={"width": 1200, "height": 900})
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    yield tab
    tab.close()
    assert said == []
    assert asked == [file.as_uri()]


def shown(tab) -> list[int]:
    """The frames that can be seen."""
    return [i for i in range(3) if tab.locator(f"#f{i}-frame").is_visible()]


def caption(tab) -> str:
    return tab.locator("#step-caption").inner_text()


def test_the_first_frame_teaches_by_itself(opened):
    assert shown(opened) == [0]
    assert caption(opened).startswith("Step 1 of 3: Bar 1 of <script>alert")
    assert opened.locator("#f0-frame svg").bounding_box()["width"] > 600


def test_buttons_step(opened):
    seen = []
    assert opened.get_by_role("button", name="First step").get_attribute("aria-disabled") == "true"
    for name in ("Next step", "Last step", "Next step", "Previous step", "First step", "Previous step"):
        opened.get_by_role("button", name=name, exact=True).click(force=True)
        seen.append((shown(opened), caption(opened)[:18]))
    assert [frames for frames, _ in seen] == [[1], [2], [2], [1], [0], [0]]
    assert [said[:11] for _, said in seen] == [f"Step {i} of 3" for i in (2, 3, 3, 2, 1, 1)]
    assert seen[0][1] == "Step 2 of 3: Bar 2"


def test_keys_step_wherever_the_focus_is(opened):
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"):
        opened.keyboard.press(key)
        seen.append(shown(opened))
    assert seen == [[1], [2], [1], [0], [2]]
    opened.get_by_role("slider", name="Step").focus()
    opened.keyboard.press("ArrowLeft")
    assert shown(opened) == [1]
    assert opened.get_by_role("slider").get_attribute("aria-valuetext").startswith("Step 2 of 3: Bar 2")


def test_it_plays_to_the_end_and_can_be_paused(opened):
    opened.clock.install()
    opened.get_by_role("button", name="Play").click()
    assert opened.locator("#step-caption").get_attribute("aria-live") == "off"
    opened.clock.run_for(1600)
    assert shown(opened) == [1]
    opened.get_by_role("button", name="Pause").click()
    opened.clock.run_for(5000)
    assert shown(opened) == [1]
    opened.get_by_role("button", name="Play").click()
    opened.clock.run_for(5000)
    assert shown(opened) == [2]
    assert opened.get_by_role("button", name="Play").is_visible()
    assert opened.locator("#step-caption").get_attribute("aria-live") == "polite"


def test_on_paper_all_frames_are_there(opened):
    opened.emulate_media(media="print")
    assert shown(opened) == [0, 1, 2]


def test_a_display_with_a_live_sister_is_live(watched, tmp_path):
    toy = tv.load_toy()
    trace = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y).trace_
    file = tv.TreeDisplay.from_trace(trace, step="").save(tmp_path / "tree.html")
    watched.tab.goto(file.as_uri())
    watched.tab.locator("[data-control=step]").first.press("ArrowRight")
    assert watched.tab.locator(".tv-title").inner_text().startswith("Node l asks q")
    assert watched.asked == [file.as_uri()]

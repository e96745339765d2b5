"""The app, or a notebook with live pictures, in a tab of a browser: see the picture, find the controls."""

from __future__ import annotations

import re
import time

from tests.browser.conftest import Watched
from tests.browser.live import ON_EACH_OTHER, LivePage

SLOW = 40_000  # milliseconds; a machine may be busy


class AppPage(Watched):
    """A page with the app in it."""

    def __init__(self, browser, url: str, **size: int) -> None:
        super().__init__(browser)
        self.dialogs: list[str] = []
        self.tab.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.tab.set_default_timeout(SLOW)
        self.tab.set_viewport_size({"width": 1280, "height": 720} | size)
        self.tab.emulate_media(reduced_motion="reduce")
        self.tab.goto(url, timeout=3 * SLOW)
        self._begin()

    def _begin(self) -> None:
        self.tab.locator("#main .tv-live svg").first.wait_for()

    def expect(self, thing):
        from playwright.sync_api import expect

        expect.set_options(timeout=SLOW)
        return expect(thing)

    facts, press, settle, control = LivePage.facts, LivePage.press, LivePage.settle, LivePage.control
    accessibility = LivePage.accessibility
    _agrees = LivePage.agrees

    def agrees(self, expected: dict[str, float | str], must: set[str]) -> None:
        """Soon every fact of the picture is Python's; those in `must` are shown."""
        end = time.monotonic() + SLOW / 1000
        while True:
            try:
                return self._agrees(expected, must)
            except (AssertionError, KeyError):  # of a fact of the state before
                if time.monotonic() > end:
                    raise
            self.tab.wait_for_timeout(50)

    def shows_facts(self, **facts: float) -> None:
        """The picture has these numbers."""
        for name, value in facts.items():
            shown = self.tab.locator(f"#main [data-fact={name}]").first
            self.expect(shown).to_have_attribute("data-value", f"{value:.12g}")

    def says(self, words: str) -> None:
        self.expect(self.tab.locator("body")).to_contain_text(words)

    def complains(self, words: str) -> None:
        """A complaint that a screen reader would read at once."""
        self.expect(self.tab.get_by_role("alert").filter(has_text=words)).to_be_visible()

    def open(self, name: str) -> None:
        """A picture, once it is there."""
        self.tab.get_by_role("tab", name=name, exact=True).click()
        self.ready()

    def ready(self) -> None:
        self.tab.locator("#main[aria-busy=false] .tv-live svg").first.wait_for()

    def choose(self, data: str) -> None:
        self.tab.get_by_label("data", exact=True).select_option(data)
        self.ready()

    def title(self) -> str:
        return self.tab.locator("#main .tv-title").inner_text().replace("\xa0", " ")

    def coin(self, cost: int) -> None:
        """Click a coin of the page's budget."""
        self.tab.locator(f"#budget [title='budget {cost}']").click()
        self.ready()

    def nameless(self, part=None) -> list[str]:
        """Controls that can be seen and have no name for a screen reader."""
        snapshot = (part or self.tab.locator("body")).aria_snapshot()
        kinds = "slider|button|textbox|combobox|checkbox|listbox|spinbutton|tab"
        return re.findall(rf"^\s*- (?:{kinds})(?!\w)(?! \")[^\n]*$", snapshot, re.MULTILINE)

    def on_each_other(self) -> list[list[str]]:
        """Words of the picture that stand on each other, or beyond the window."""
        return self.tab.evaluate(ON_EACH_OTHER, "#main")

    def quiet(self, *allowed: str) -> None:
        """No error in the console but these, no request to other machines, no script of a user's."""
        assert self.strangers() == []
        assert [line for line in self.said if not any(a in line for a in allowed)] == []
        assert self.dialogs == []

"""The app in a tab of a browser: open its tabs, see the picture, count the controls."""

from __future__ import annotations

import re
import time

from tests.browser.conftest import Watched
from tests.browser.live import LivePage

SLOW = 40_000  # milliseconds; a machine may be busy
CONTROLS = "input, select, textarea, button, [role=slider], [role=tab], [contenteditable=true]"


class AppPage(Watched):
    """A page with the app in it."""

    def __init__(self, browser, url: str) -> None:
        super().__init__(browser)
        self.dialogs: list[str] = []
        self.tab.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.tab.set_default_timeout(SLOW)
        self.tab.goto(url, timeout=3 * SLOW)
        self._begin()

    def _begin(self) -> None:
        self.picture.wait_for()

    @property
    def picture(self):
        return self.tab.locator("img:visible, .tv-live:visible")

    def expect(self, thing):
        from playwright.sync_api import expect

        expect.set_options(timeout=SLOW)
        return expect(thing)

    def shows(self, display) -> None:
        """One picture, and it is this one."""
        self.expect(self.picture).to_have_attribute("alt", display.alt_text)

    def shows_facts(self, **facts: float | str) -> None:
        """The live picture has these numbers."""
        for name, value in facts.items():
            shown = self.tab.locator(f".tv-live:visible [data-fact={name}]").first
            self.expect(shown).to_have_attribute(
                "data-value", f"{value:.12g}" if name != "threshold" else str(value)
            )

    def shows_split(self, explorer) -> None:
        """The live picture is where a new explorer begins."""
        state = explorer.widget.state
        threshold = state["threshold"]
        whole = isinstance(threshold, float) and threshold.is_integer()
        self.shows_facts(threshold=int(threshold) if whole else threshold, budget=state["budget"])

    facts = LivePage.facts
    _agrees = LivePage.agrees

    def agrees(self, expected: dict[str, float | str], must: set[str]) -> None:
        """Soon every fact of the live picture is Python's; those in `must` are shown."""
        end = time.monotonic() + SLOW / 1000
        while True:
            try:
                return self._agrees(expected, must)
            except (AssertionError, KeyError):  # of a fact of the state before
                if time.monotonic() > end:
                    raise
            self.tab.wait_for_timeout(100)

    def words(self) -> str:
        """What the picture that is seen says for itself: its description, or the title of a live one."""
        return self.picture.evaluate("e => e.alt ?? e.querySelector('.tv-title').textContent")

    def live(self, control: str):
        """A control of the live picture."""
        return self.tab.locator(f".tv-live:visible [data-control={control}]").first

    def says(self, words: str) -> None:
        self.expect(self.tab.locator("body")).to_contain_text(words)

    def complains(self, words: str) -> None:
        """A complaint that a screen reader would read at once."""
        self.expect(self.tab.get_by_role("alert").filter(has_text=words)).to_be_visible()

    def content(self) -> None:
        """Nothing is complained about."""
        self.expect(self.tab.get_by_role("alert").filter(visible=True)).to_have_count(0)

    def open(self, name: str) -> None:
        self.tab.get_by_role("tab", name=name, exact=True).click()
        self.picture.wait_for()

    def choose(self, data: str) -> None:
        self.tab.get_by_label("data", exact=True).select_option(data)

    def slider(self, name: str):
        return self.tab.get_by_role("slider", name=name, exact=True).filter(visible=True)

    def field(self, name: str):
        return (
            self.tab.get_by_label(name, exact=True)
            .and_(self.tab.locator("input, select"))
            .filter(visible=True)
        )

    def button(self, name: str):
        return self.tab.get_by_role("button", name=name, exact=True).filter(visible=True)

    def type(self, name: str, text: str) -> None:
        """Into a box, as one types, and on with the next."""
        box = self.field(name)
        box.fill(text)
        box.press("Tab")

    def nameless(self, part=None) -> list[str]:
        """Controls that can be seen and have no name for a screen reader."""
        snapshot = (part or self.tab.locator("body")).aria_snapshot()
        kinds = "slider|button|textbox|combobox|checkbox|listbox|spinbutton|tab"
        return re.findall(rf"^\s*- (?:{kinds})(?!\w)(?! \")[^\n]*$", snapshot, re.MULTILINE)

    def out_of_reach(self) -> list[str]:
        """Controls that are seen but not reached by the Tab key (tabs and choices: by the arrow keys)."""
        wanted = self.tab.locator(CONTROLS).filter(visible=True)
        count = wanted.evaluate_all(
            """all => { all = all.filter(e => !e.disabled && e.type !== "file" && e.role !== "tab"
                && !(e.role === "radio" && e.tabIndex < 0));
            all.forEach((e, i) => e.dataset.wanted = i); window.reached = new Set();
            document.addEventListener("focusin", e => window.reached.add(e.target.dataset.wanted), true);
            document.activeElement.blur(); return all.length }"""
        )
        for _ in range(count + 12):
            self.tab.keyboard.press("Tab")
        return wanted.evaluate_all(
            "all => all.filter(e => e.dataset.wanted && !window.reached.has(e.dataset.wanted))"
            ".map(e => e.outerHTML)"
        )

    def quiet(self) -> None:
        """No error in the console, no request to another machine, no script of a user's that ran."""
        assert self.strangers() == []
        assert self.said == []
        assert self.dialogs == []

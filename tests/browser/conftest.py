"""A headless Chromium for all browser tests, and a page that remembers complaints and requests."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-background-networking"]
if not os.environ.get("TREANT_VIZ_SPEED"):  # where frames are not measured, none is waited for
    FLAGS += ["--disable-gpu", "--disable-gpu-vsync", "--disable-frame-rate-limit"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what it runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # servers inherit it, and must hear Ctrl+C


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The hand wanders over the toy in every run, over the other data sets with `pytest -m slow`."""
    for item in items:
        if "_the_hand_" in item.name and item.path.parent == HERE and "toy" not in item.name.lower():
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def browser():
    """Chromium, driven by Playwright; without either the test is skipped. Its loop ends with the module."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("the program chromium is not on the path")
    with playwright.sync_playwright() as p:
        made = p.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


class Watched:
    """A tab that keeps what the console said and what was asked for."""

    def __init__(self, browser) -> None:
        self.tab = browser.new_page(viewport={"width": 1280, "height": 900})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda m: self.said.append(m.text) if m.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))

    def strangers(self) -> list[str]:
        """Requests that went to another machine."""
        here = ("file:", "data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:", "about:")
        return [url for url in self.asked if not url.startswith(here)]


@pytest.fixture
def watched(browser):
    """Afterwards: no error was shown, and no request left the machine."""
    page = Watched(browser)
    yield page
    page.tab.close()
    assert page.strangers() == []
    assert page.said == []


@pytest.fixture
def opened(browser, tmp_path):
    """Opens explorers as pages from disk. Afterwards: none has complained or asked anybody for anything."""
    from tests.browser.live import LivePage

    pages = []

    def open_it(explorer, theme="auto", **size) -> LivePage:
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(explorer.page(theme=theme), "utf-8")
        pages.append(LivePage(browser, path, **size))
        return pages[-1]

    yield open_it
    for page in pages:
        page.tab.close()
        page.quiet()

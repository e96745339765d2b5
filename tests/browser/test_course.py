"""The course in a real browser: the book from disk, and JupyterLab as `treant-viz lab` opens it."""

from __future__ import annotations

import json
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import nbformat
import pytest

from tests.browser.servers import free_port, running
from treant_viz.course.book import notebooks, page, write_book
from treant_viz.course.marks import without_marks
from treant_viz.datasets.shipped import shipped


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    list(write_book(folder))
    return folder


def test_the_book_is_read_from_disk_page_by_page(watched, book):
    """Offline: pictures are drawn and within the page, formulas are laid out, `next` leads to the end."""
    tab = watched.tab
    tab.context.set_offline(True)
    tab.goto((book / "index.html").as_uri())
    tab.locator("main a").first.click()
    for number in range(len(notebooks())):
        assert tab.locator("h1").first.inner_text().startswith(f"{number:02} · ")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1280
        open_all(tab)
        sizes = tab.evaluate(
            "[...document.images].map(i => [i.naturalWidth, i.getBoundingClientRect().right])"
        )
        live = tab.locator("main .tv-live svg[viewBox]")
        assert len(sizes) + live.count() >= 3
        assert all(width > 600 and right <= 1280 for width, right in sizes)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1280
        assert all(
            tab.evaluate(
                "[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().width > 0)"
            )
        )
        if number < len(notebooks()) - 1:
            tab.locator("a[rel=next]").first.click()
    tab.context.set_offline(False)


def open_all(tab) -> None:
    """Open what is folded, as a reader who has predicted everything."""
    for reveal in tab.locator("details.reveal > summary").all():
        reveal.click()
    assert tab.locator("details.reveal:not([open])").count() == 0


def test_a_reveal_waits_for_the_reader_and_opens_by_keyboard(watched, book):
    tab = watched.tab
    tab.goto((book / "03_ternary_partition.html").as_uri())
    reveal = tab.locator("details.reveal").first
    answer = reveal.get_by_text("lies wholly on one side")
    assert not reveal.locator("img").is_visible() and not answer.is_visible()
    while tab.evaluate("document.activeElement.tagName") != "SUMMARY":
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert reveal.locator("img").is_visible() and answer.is_visible()
    assert tab.locator("details.reveal[open]").count() == 1
    tab.keyboard.press("Space")
    assert not answer.is_visible()


def test_a_live_picture_that_was_folded_is_as_wide_as_the_page_when_it_opens(watched, book):
    tab = watched.tab
    tab.goto((book / "05_attack_invariance.html").as_uri())
    live = tab.locator("details.reveal .tv-live")
    live.first.wait_for(state="attached")
    assert live.count() and not live.first.is_visible()
    open_all(tab)
    drawing = live.first.locator(".tv-picture svg")
    drawing.wait_for()
    inside = drawing.evaluate("e => e.closest('details').getBoundingClientRect().width")
    assert 0.9 * inside < drawing.bounding_box()["width"] < inside


def test_any_web_server_can_serve_the_book(watched, book):
    """Below any path, and by a server that knows nothing but files."""
    files = partial(SimpleHTTPRequestHandler, directory=str(book.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        tab = watched.tab
        tab.goto(f"http://127.0.0.1:{server.server_port}/{book.name}/")
        tab.locator("main a", has_text="03 · ").click()
        tab.locator("main .tv-live svg[viewBox]").first.wait_for()
        tab.locator("a[rel=next]").first.click()
        assert tab.locator("h1").first.inner_text().startswith("04 · ")
        tab.goto("about:blank")
        server.shutdown()


def test_on_paper_nothing_is_folded(watched, book):
    tab = watched.tab
    tab.goto((book / "03_ternary_partition.html").as_uri())
    tab.emulate_media(media="print")
    assert tab.locator("details.reveal img").first.is_visible()


def test_where_a_notebook_has_a_live_picture_the_book_has_it_too(watched, book):
    tab, files = watched.tab, sorted((shipped("notebooks") / "live").glob("*.json"))
    assert files
    tab.context.set_offline(True)
    for file in files:
        tab.goto((book / f"{file.stem}.html").as_uri())
        open_all(tab)
        for name, given in json.loads(file.read_text("utf-8")).items():
            tab.locator(f"#{name} .tv-live svg").first.wait_for()
            assert tab.locator(f"#{name} [data-fact]").count() > 3, (file.stem, given["picture"])
    tab.goto((book / "03_ternary_partition.html").as_uri())
    tab.locator("[data-control=threshold]").press("Home")
    assert tab.locator("[data-fact=threshold]").first.get_attribute("data-value") == "-8"
    tab.context.set_offline(False)


@pytest.fixture
def lab(tmp_path):
    """`treant-viz lab` on a free port, with settings of its own."""
    port = free_port()
    home = {
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
    }
    words = [
        sys.executable,
        "-m",
        "treant_viz.cli.main",
        "lab",
        "mine",
        "--with-outputs",
        "--no-browser",
        "--port",
        str(port),
    ]
    with running(words, tmp_path / "log.txt", home | {"JUPYTER_TOKEN": "secret"}) as server:
        server.says("is running at")
        server.listens(port)  # it says so a moment before it does
        yield f"http://127.0.0.1:{port}"


def test_lab_opens_the_first_notebook_with_its_pictures(lab, watched):
    tab = watched.tab
    tab.goto(f"{lab}/lab/tree/00_tour.ipynb?token=secret")
    tab.locator(".jp-Notebook h1", has_text="00 · A tour in five pictures").wait_for(timeout=60_000)
    picture = tab.locator(".jp-OutputArea img").first
    picture.wait_for(timeout=30_000)
    assert picture.evaluate("i => i.naturalWidth") > 600


def test_a_question_answers_a_click_and_the_keyboard(watched, book_with_question):
    """Wrong first, then right: each choice is told what it deserves, and nothing before."""
    tab = watched.tab
    tab.context.set_offline(True)
    tab.goto(book_with_question.as_uri())
    question = tab.locator("section.question")
    feedback = question.get_by_role("status")
    assert feedback.inner_text() == ""
    question.get_by_role("button", name="One", exact=True).click()
    assert feedback.inner_text() == "Not quite. One is the budget for each row."
    right = question.get_by_role("button", name="Up to seven")
    right.focus()
    tab.keyboard.press("Enter")
    assert feedback.inner_text() == "Yes. One for each of x0 to x6."
    assert right.get_attribute("aria-pressed") == "true"
    assert question.locator("[aria-pressed=true]").count() == 1
    assert question.locator("math").first.bounding_box()["width"] > 0
    tab.context.set_offline(False)


@pytest.fixture
def book_with_question(tmp_path):
    mark = (
        "<!-- question: How many coins are there at $x_p \\le 1$?\n- One | One is the budget for each row.\n"
        "+ Up to seven | One for each of x0 to x6.\n- None | Then nobody could attack.\n-->"
    )
    words = f"# 99 · A page\n\n{without_marks(mark)}"
    cells = [nbformat.v4.new_markdown_cell(words, id="cell-00")]
    path = tmp_path / "page.html"
    path.write_text(page(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")
    return path

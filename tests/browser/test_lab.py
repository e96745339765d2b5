"""Explorers in JupyterLab: one picture that follows the slider, controls with names, an attacker handed on."""

from __future__ import annotations

import json
import sys
import urllib.request

import nbformat
import pytest

import treant_viz as tv
from tests.browser.pages import AppPage
from tests.browser.servers import free_port, running, wait_for

CELLS = (
    "import treant_viz as tv\ntoy = tv.load_toy()\ntv.explore_split(toy)",
    "form = tv.build_attacker(toy)\nform",
    "tv.explore_split(toy.X, toy.y, form.attacker)",
)
FRAMES = """() => { window.frames_seen = []; const look = () => {
    const inside = [...document.querySelector(".jp-CodeCell").querySelectorAll("img")];
    window.frames_seen.push([inside.length, inside.every(i => i.complete && i.naturalWidth > 0)].join());
    requestAnimationFrame(look) }; look() }"""


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """A server with one notebook."""
    folder = tmp_path_factory.mktemp("lab")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(c) for c in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "n.ipynb")
    port = free_port()
    words = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", "--ServerApp.port_retries=0"]
    words += ["--ip=127.0.0.1", "--IdentityProvider.token=", "--allow-root", f"--notebook-dir={folder}"]
    words += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None"]
    words += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with running(words, folder / "log.txt") as server:
        server.says(f"http://127.0.0.1:{port}/lab")
        yield f"http://127.0.0.1:{port}"


def idle(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/api/sessions") as answer:
        return any(
            s["kernel"]["execution_state"] == "idle" and s["kernel"]["connections"] > 0 for s in json.load(answer)
        )


class LabPage(AppPage):
    """The notebook in JupyterLab, with all its cells run."""

    def _begin(self) -> None:
        self.cell(0).wait_for()

    @property
    def picture(self):
        return self.cell(0).locator("img")

    def cell(self, i: int):
        return self.tab.locator(".jp-CodeCell").nth(i)


def split_at(threshold: float, budget: float):
    toy = tv.load_toy()
    trace = tv.TreantRegressor(toy.attacker.with_budget(budget), max_depth=1, min_samples_split=2).fit(toy.X, toy.y)
    return tv.TernaryPartitionDisplay.from_trace(trace.trace_, feature="p", threshold=threshold)


def test_explorers_in_a_notebook(browser, lab):
    page = LabPage(browser, f"{lab}/lab/tree/n.ipynb")
    wait_for(lambda: idle(lab), "an idle kernel")
    page.tab.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    page.shows(split_at(1.0, 1))
    page.tab.evaluate(FRAMES)
    bar = page.cell(0).get_by_role("slider", name="threshold", exact=True)
    bar.press("ArrowLeft")
    page.shows(split_at(-5.0, 1))
    bar.press("ArrowLeft")
    page.shows(split_at(-7.0, 1))
    page.cell(0).get_by_label("budget (number)").fill("2")
    page.cell(0).get_by_label("budget (number)").press("Enter")
    page.shows(split_at(-7.0, 2))
    assert set(page.tab.evaluate("window.frames_seen")) == {"1,true"}, "always one picture, always whole"

    page.expect(page.cell(2).locator("img")).to_have_attribute("alt", split_at(1.0, 1).alt_text)
    box = page.cell(1).get_by_label("budget (number)")
    box.fill("2")
    box.press("Enter")
    page.expect(page.cell(1)).to_contain_text("1 can become anything in [-1, 3]")
    page.cell(2).locator(".jp-InputArea-editor").click()
    page.tab.keyboard.press("Shift+Enter")
    best = tv.explore_split(tv.load_toy(), attacker=tv.load_toy().attacker.with_budget(2)).display
    page.expect(page.cell(2).locator("img")).to_have_attribute("alt", best.alt_text)
    for i in range(3):
        assert page.nameless(page.cell(i).locator(".jp-Cell-outputWrapper")) == []
    page.quiet()
    page.tab.close()

"""Explorers in JupyterLab: pictures follow the hand, the kernel hears of it, an attacker is handed on."""

from __future__ import annotations

import json
import sys
import urllib.request

import nbformat
import pytest

from tests.browser.pages import AppPage
from tests.browser.servers import free_port, running, wait_for

CELLS = (
    "import treant_viz as tv\ntoy = tv.load_toy()\nex = tv.explore_split(toy)\nex",
    "form = tv.build_attacker(toy)\nform",
    "tv.explore_split(toy.X, toy.y, form.attacker)",
    "ex.feature, ex.threshold, ex.budget",
)


@pytest.fixture(scope="module")
def lab(browser, tmp_path_factory):
    """A server with one notebook."""
    folder = tmp_path_factory.mktemp("lab")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [nbformat.v4.new_code_cell(c) for c in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "n.ipynb")
    port = free_port()
    words = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        f"--port={port}",
        "--ServerApp.port_retries=0",
    ]
    words += ["--ip=127.0.0.1", "--IdentityProvider.token=", "--allow-root", f"--notebook-dir={folder}"]
    words += ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None"]
    words += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with running(words, folder / "log.txt") as server:
        server.listens(port)
        yield f"http://127.0.0.1:{port}"


def idle(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/api/sessions") as answer:
        return any(
            s["kernel"]["execution_state"] == "idle" and s["kernel"]["connections"] > 0
            for s in json.load(answer)
        )


class LabPage(AppPage):
    """The notebook in JupyterLab, with all its cells run."""

    def _begin(self) -> None:
        self.cell(0).wait_for()

    def cell(self, i: int):
        return self.tab.locator(".jp-CodeCell").nth(i)

    def control(self, i: int, name: str):
        return self.cell(i).locator(f"[data-control={name}]").first

    def shows_facts(self, i: int, **facts: float) -> None:
        """The live picture in a cell has these numbers."""
        for name, value in facts.items():
            self.expect(self.cell(i).locator(f"[data-fact={name}]").first).to_have_attribute(
                "data-value", str(value)
            )


def test_explorers_in_a_notebook(browser, lab):
    page = LabPage(browser, f"{lab}/lab/tree/n.ipynb")
    wait_for(lambda: idle(lab), "an idle kernel")
    page.tab.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    page.shows_facts(0, threshold=1, left=2, unknown=1, right=4, loss_under_attack=3.7)
    page.control(0, "threshold").press("ArrowLeft")
    page.shows_facts(0, threshold=0, unknown=1)
    page.control(0, "threshold").press("Home")
    page.shows_facts(0, threshold=-8, unknown=1)
    page.cell(0).locator("[data-control=feature]").select_option("q (no rule)")  # asked of the kernel
    page.shows_facts(0, threshold=2, left=2, right=5)
    page.control(0, "budget").press("Home")
    page.shows_facts(0, budget=0)

    page.shows_facts(2, threshold=1, unknown=1)
    box = page.cell(1).get_by_label("budget (number)")
    box.fill("2")
    box.press("Enter")
    page.expect(page.cell(1)).to_contain_text("can become [−9, −5]")
    page.cell(2).locator(".jp-InputArea-editor").click()
    page.tab.keyboard.press("Shift+Enter")
    page.shows_facts(2, budget=2)
    page.cell(3).locator(".jp-InputArea-editor").click()
    page.tab.keyboard.press("Shift+Enter")  # what the hand did has reached Python
    page.expect(page.cell(3)).to_contain_text("('q', 2.0, 0.0)")
    for i in range(3):
        assert page.nameless(page.cell(i).locator(".jp-Cell-outputWrapper")) == []
    page.quiet()
    page.tab.close()

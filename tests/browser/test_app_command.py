"""`treant-viz app` from the outside: one's own table, true addresses, an end that leaves nothing behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pandas as pd
import psutil
import pytest

import treant_viz as tv
from tests.browser.pages import AppPage
from tests.browser.servers import address, app
from treant_viz.live.app.study import study_of

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table and rules whose names would do harm if nobody minded."""
    folder = tmp_path_factory.mktemp("own")
    table, rules = folder / f"{HOSTILE}.csv", folder / "rules <b>.json"
    frame = pd.DataFrame({HOSTILE: range(60), "b": [k % 7 for k in range(60)]})
    frame.assign(label=["yes" if k > 30 else "no" for k in range(60)]).to_csv(table, index=False)
    tv.Attacker([tv.Rule(HOSTILE, 1, delta=(-2, 2))], 2).to_json(rules)
    return {"csv": str(table), "target": "label", "rules": str(rules)}


def test_a_table_of_ones_own_from_the_command_line_and_typed(browser, files, tmp_path):
    words = [part for name, value in files.items() for part in (f"--{name}", value)]
    study = study_of("my own table", **files)
    with app(tmp_path / "log.txt", *words) as server:
        page = AppPage(browser, address(server))
        page.says("60 rows, target label (1 is 'yes'); 2 features. The attacker has 1 rule, budget 2.")
        first = tv.explore_split(study.X, study.y, study.attacker)
        page.shows_split(first)
        names = [
            name.replace("\xa0", " ") for name in page.live("feature").locator("option").all_inner_texts()
        ]
        assert names == [HOSTILE, "b (no rule)"]
        for field, wrong, said in (
            ("target column", f"{HOSTILE}?", f"no column '{HOSTILE}?'; the columns are"),
            ("CSV file", f"/nowhere/{HOSTILE}", "No such file or directory"),
            ("rule file (JSON)", files["csv"], "damaged or not JSON"),
            ("rule file (JSON)", "", "rule file: missing; a table of your own needs"),
            (
                "budget (empty: the file's own)",
                "abc",
                "budget: expected a number such as 2 or 0.5, got 'abc'",
            ),
        ):
            right = page.field(field).input_value()
            page.type(field, wrong)
            page.says(f"Not loaded yet: {field} {wrong!r}. Press Load.")
            page.button("Load").press("Enter")
            page.complains(said)
            page.complains("Nothing has changed.")
            page.shows_split(first)
            page.type(field, right)
            page.content()
            page.says("60 rows, target label (1 is 'yes'); 2 features. The attacker has 1 rule, budget 2.")
        _a_click_overtakes_its_text(page, server, files["rules"])
        page.type("budget (empty: the file's own)", "3")
        page.button("Load").press("Enter")
        page.says("The attacker has 1 rule, budget 3.")
        page.content()
        for name in ("Growth", "Constraints", "Surface", "Attack", "Forest", "Attacker"):
            page.open(name)
        page.quiet()
        family = server.family()
        assert len(family) >= 3, "the command, the server and a kernel"
        assert server.stop(signal.SIGINT) == 0
        _, left = psutil.wait_procs(family, timeout=20)
        assert left == []
        assert "Traceback" not in server.said(), server.said()
        page.tab.close()


def _a_click_overtakes_its_text(page, server, right):
    """While a kernel is busy, the browser holds back a field's second change, but not the click on Load."""
    [kernel] = [process for process in server.family() if "ipykernel_launcher" in " ".join(process.cmdline())]
    kernel.suspend()
    page.type("rule file (JSON)", "/nowhere/first.json")
    page.type("rule file (JSON)", "/nowhere/second.json")
    page.button("Load").press("Enter")
    kernel.resume()
    page.says("Not loaded yet: rule file (JSON) '/nowhere/second.json'. Press Load.")  # Load met the first
    page.button("Load").press("Enter")
    page.complains("/nowhere/second.json: No such file or directory")
    page.type("rule file (JSON)", right)
    page.content()


def test_a_server_that_is_told_to_end_leaves_nothing_behind(tmp_path):
    with app(tmp_path / "log.txt") as server:
        address(server)
        family = server.family()
        assert len(family) >= 2, "the command and the server"
        assert server.stop(signal.SIGTERM) == 0
        _, left = psutil.wait_procs(family, timeout=20)
        assert left == []


def test_a_port_that_is_taken_is_named_and_nothing_is_served():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        words = [sys.executable, "-m", "treant_viz.cli.main", "app", "--no-browser", "--port", str(port)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(
        f"treant-viz app: port {port} cannot be used: Address already in use; choose another"
    )
    assert "Traceback" not in done.stderr

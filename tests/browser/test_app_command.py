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


def test_a_table_of_ones_own_from_the_command_line_and_an_end_by_ctrl_c(browser, files, tmp_path):
    """In a folder with modules that nobody should import by accident."""
    for name in ("html", "json", "http"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the working folder')")
    words = [part for name, value in files.items() for part in (f"--{name}", value)]
    with app(tmp_path / "log.txt", *words) as server:
        page = AppPage(browser, address(server))
        page.says("60 rows, target label (1 is 'yes'), 2 features. The attacker has 1 rule, budget 2.")
        page.shows_facts(budget=2)
        page.open("Growth")
        family = server.family()
        assert len(family) == 1, "no child processes"
        assert server.stop(signal.SIGINT) == 0
        _, left = psutil.wait_procs(family, timeout=20)
        assert left == []
        assert server.said().splitlines()[-1] == "stopped"
        assert "Traceback" not in server.said(), server.said()
        page.tab.get_by_role("tab", name="Split").click()
        page.complains("the server does not answer: was the command stopped? What was shown stays.")
        page.shows_facts(step=0)
        page.quiet("ERR_CONNECTION_REFUSED")
        page.tab.close()


def test_a_server_that_is_told_to_end_ends(tmp_path):
    with app(tmp_path / "log.txt") as server:
        address(server)
        assert server.stop(signal.SIGTERM) == 0
        assert server.said().endswith("stopped\n")


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

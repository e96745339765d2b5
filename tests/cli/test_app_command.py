"""`treant-viz app`: what cannot be served is said in one line, and the page asks nobody but this machine."""

from __future__ import annotations

import socket

import pytest

import treant_viz as tv
from treant_viz.cli.main import main
from treant_viz.live.app import serve


@pytest.fixture
def served(monkeypatch):
    """What would be served."""
    seen = []
    monkeypatch.setattr(
        serve, "serve", lambda first, port, browser: seen.append((first.choice, port, browser)) or 0
    )
    return seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--csv", "t.csv"], "needs all of --csv, --target and --rules"),
        (["--csv", "none.csv", "--target", "y", "--rules", "r.json"], "none.csv: No such file or directory"),
        (["--budget", "3"], "--budget goes with --csv"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(served, capsys, words, said):
    assert main(["app", *words]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    assert served == []


def test_options_reach_the_server(served):
    assert main(["app", "--data", "wine", "--port", "4321", "--no-browser"]) == 0
    assert served == [("wine", 4321, False)]


def test_a_port_that_is_taken_is_refused():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(
            ValueError, match=f"port {port} cannot be used: Address already in use; choose another"
        ):
            serve.free_port(port)
    assert serve.free_port(port) == port
    assert serve.free_port(0) > 0
    with pytest.raises(ValueError, match="port 70000 cannot be used: expected a number up to 65535"):
        serve.free_port(70000)


def test_a_table_of_ones_own_is_tried_before_it_is_served(served, tmp_path, capsys):
    toy = tv.load_toy()
    toy.X.assign(y=toy.y).to_csv(tmp_path / "t.csv", index=False)
    toy.attacker.to_json(tmp_path / "r.json")
    words = ["app", "--csv", str(tmp_path / "t.csv"), "--rules", str(tmp_path / "r.json"), "--no-browser"]
    assert main([*words, "--target", "y", "--port", "0"]) == 0
    assert served == [("own", 0, False)]
    assert main([*words, "--target", "z", "--budget", "-1"]) == 2
    said = capsys.readouterr().err
    assert "no column 'z'" in said and "budget: expected a finite number" in said

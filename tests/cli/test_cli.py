"""The command `treant-viz`: what it prints, what it refuses, and how it exits.

Expected numbers are those of the paper's toy example, worked out by hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treant_viz as tv
from tests.cli.running import HOME, Capture, refused, said
from treant_viz.bench import run as bench
from treant_viz.cli import command
from treant_viz.cli import main as cli
from treant_viz.experiments.toy import toy_panels


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"treant-viz {tv.__version__}\n"


@pytest.mark.parametrize(
    "argv", [[], ["dance"], ["toy", "--depth", "-1"], ["toy", "--solver", "guess"], ["grow"]]
)
def test_wrong_usage_exits_with_2(argv: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(argv)
    assert stop.value.code == 2
    assert "usage: treant-viz" in capsys.readouterr().err


def test_help_needs_nothing_heavy() -> None:
    heavy = "{'numpy', 'pandas', 'sklearn'} & set(sys.modules)"
    code = f"import sys, treant_viz.cli.main as c; c.make_parser(); print(sorted({heavy}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HOME)
    assert run.stdout.strip() == "[]", run.stderr


def test_a_subcommand_registers_itself(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(command, "SUBCOMMANDS", known := list(command.SUBCOMMANDS))
    monkeypatch.setattr(cli, "SUBCOMMANDS", known)

    @command.subcommand
    def greet(commands: object) -> None:
        parser = commands.add_parser("greet")  # type: ignore[attr-defined]
        parser.set_defaults(run=lambda args: print("hello"))

    assert said(capsys, "greet") == "hello\n"


def test_a_reader_that_leaves_early_is_no_error() -> None:
    code = "import sys; from treant_viz.cli.main import main; sys.exit(main(['toy']))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True, cwd=HOME) as run:
        assert run.stdout and run.stderr
        run.stdout.close()
        assert run.stderr.read() == ""
    assert run.returncode == 0


# The toy example: (b) to (e) of the paper's figure, and where the algorithm stops


def row(out: str, what: str) -> list[str]:
    """Leaves, L and L^A in the table of panels."""
    [line] = [line for line in out.splitlines() if what in line and not line.startswith("-")]
    return line.split(what)[1].replace(",", " ").split()


PANELS = {
    "standard stump": ["-1", "2", "L^A 5"],
    "robust stump": ["-1.5", "1.6", "L^A 3.7"],
    "right leaf grown, no constraints": ["-1.5", "1", "2", "L^A 3.75"],
    "with constraints": ["-1.5", "1.5", "2", "L^A 3"],
    "grown to the end, p first": ["-2", "-1", "1.5", "2", "L^A 2.5"],
    "grown to the end, q first": ["-2", "-1", "1", "2", "L^A 2"],
}


@pytest.mark.parametrize("solver", ["exact", "slsqp"])
def test_toy_panels(solver: str, capsys: Capture) -> None:
    out = said(capsys, "toy", "--solver", solver)
    for what, expected in PANELS.items():
        *leaves, _, attacked = row(out, what)
        assert [*leaves, f"L^A {attacked}"] == expected


def test_toy_panels_to_nine_digits() -> None:
    found = [p.losses for p in toy_panels()]
    assert [attacked for _, attacked in found] == pytest.approx([5, 3.7, 3.75, 3, 2.5, 2], abs=1e-9)
    assert found[0][0] == pytest.approx(2, abs=1e-9)


def test_toy_tells_the_whole_story(capsys: Capture) -> None:
    out = said(capsys, "toy")
    assert "(-inf, inf) -p->_1 [-1, 1]" in out
    assert "split p <= 1: 2 left, 4 right, 1 unknown; leaves -1.5 and 1.6" in out
    assert "tied with q <= 2" in out
    assert "subject to row 2: loss <= 2.25" in out
    assert "subject to row 2: loss >= 2.25" in out
    assert "under attack 2.5\n" in out


def test_toy_without_the_attacker_in_mind(capsys: Capture) -> None:
    out = said(capsys, "toy", "--standard", "--depth", "1")
    assert "loss 2, under attack 5\n" in out
    assert "subject to" not in out


def test_toy_without_invariance_hands_nothing_down(capsys: Capture) -> None:
    out = said(capsys, "toy", "--no-invariance")
    assert "subject to" not in out
    assert "leaves 1 and 2" in out


def test_toy_of_depth_0_is_a_leaf(capsys: Capture) -> None:
    assert "\n0.714286\nloss 17.4286, under attack 17.4286\n" in said(capsys, "toy", "--depth", "0")


# bench: the command around the measurements (the measurements have their own tests)


def test_bench_names_are_those_of_the_module() -> None:
    assert tuple(bench.BENCHMARKS) == cli.BENCHMARKS


def test_bench_prints_and_exits_with_0(measured: list, capsys: Capture) -> None:
    out = said(capsys, "bench", "--quick", "--only", "tree", "jobs")
    assert measured == [(["tree", "jobs"], bench.QUICK)]
    assert "pass" in out and "FAIL" in out and "1 of 2 bounds missed" in out
    assert f"numpy {np.__version__}" in out and "cores" in out


def test_bench_runs_everything_by_default(measured: list, capsys: Capture) -> None:
    said(capsys, "bench")
    assert measured == [(list(cli.BENCHMARKS), bench.Workload())]


def test_strict_bench_exits_with_1_if_a_bound_is_missed(measured: list, capsys: Capture) -> None:
    assert cli.main(["bench", "--strict"]) == 1


def test_bench_writes_json(measured: list, tmp_path: Path, capsys: Capture) -> None:
    said(capsys, "bench", "--json", str(tmp_path / "b.json"))
    doc = json.loads((tmp_path / "b.json").read_text())
    assert doc["format"] == "treant_viz.bench"
    assert [(r["name"], r["ok"]) for r in doc["results"]] == [("tree", True), ("jobs", False)]
    assert {"python", "numpy", "scikit-learn", "cores"} <= set(doc["environment"])


def test_bench_refuses_a_bad_place_before_it_measures(measured: list, capsys: Capture) -> None:
    assert "cannot write there" in refused(capsys, "bench", "--json", "nowhere/b.json")
    assert measured == []

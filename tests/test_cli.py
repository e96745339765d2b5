"""The command `treant-viz`: what it prints, what it refuses, and how it exits.

Expected numbers are those of the paper's toy example, worked out by hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz import bench, cli, command
from treant_viz.toy import toy_panels

Capture = pytest.CaptureFixture[str]
HOME = Path(cli.__file__).parents[1]


def said(capsys: Capture, *argv: str) -> str:
    """What a successful command prints."""
    assert cli.main(list(argv)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: Capture, *argv: str) -> str:
    """The one line on standard error, with exit code 2."""
    assert cli.main(list(argv)) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "Traceback" not in err
    return err


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"treant-viz {tv.__version__}\n"


@pytest.mark.parametrize("argv", [[], ["dance"], ["toy", "--depth", "-1"], ["toy", "--solver", "guess"], ["grow"]])
def test_wrong_usage_exits_with_2(argv: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(argv)
    assert stop.value.code == 2
    assert "usage: treant-viz" in capsys.readouterr().err


def test_help_needs_nothing_heavy() -> None:
    heavy = "{'numpy', 'pandas', 'sklearn'} & set(sys.modules)"
    code = f"import sys, treant_viz.cli as c; c.make_parser(); print(sorted({heavy}))"
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
    code = "import sys; from treant_viz.cli import main; sys.exit(main(['toy']))"
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


# grow: a tree on one's own table


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory, also the current one, with the toy as a CSV file, a table with text, and rules for each."""
    monkeypatch.chdir(tmp_path)
    data = tv.load_toy()
    data.X.assign(y=data.y).to_csv("toy.csv", index=False)
    data.attacker.to_json("toy.json")
    rng = np.random.default_rng(0)
    size, kind = rng.integers(0, 30, 200), rng.choice(["a", "b", "c"], 200)
    bad = np.where((size > 12) ^ (kind == "a"), "bad", "good")
    pd.DataFrame({"size": size, "kind": kind, "verdict": bad}).to_csv("mixed.csv", index=False)
    rules = [tv.Rule("size", 1, pre=(5, 20), delta=(-1, 1)), tv.Rule("kind", 2, pre={"a"}, becomes="b")]
    tv.Attacker(rules, 2).to_json("mixed.json")
    return tmp_path


TOY = ("grow", "toy.csv", "--target", "y", "--rules", "toy.json", "--min-samples-split", "2")
MIXED = ("grow", "mixed.csv", "--target", "verdict", "--rules", "mixed.json")


def test_grow_prints_the_tree_and_both_losses(files: Path, capsys: Capture) -> None:
    out = said(capsys, *TOY)
    assert "└─ no:  q <= 3" in out
    assert "loss 1.25, under attack 2.5 (sums over 7 rows)" in out


def test_grow_takes_the_budget_from_the_command_line(files: Path, capsys: Capture) -> None:
    out = said(capsys, *TOY, "--budget", "0", "--max-depth", "1")
    assert "Attacker with budget 0" in out
    assert "loss 2, under attack 2 " in out


@pytest.mark.parametrize("loss", ["log", "sse"])
def test_grow_classifies_text_with_text_columns(loss: str, files: Path, capsys: Capture) -> None:
    out = said(capsys, *MIXED, "--loss", loss, "--out", "model.json", "--trace", "trace.json")
    assert "wrote model.json" in out and "wrote trace.json" in out
    X = pd.read_csv("mixed.csv")
    model, y = tv.TreantClassifier.from_json("model.json"), X.pop("verdict")
    assert model.loss == loss and model.classes_.tolist() == ["bad", "good"]
    attacked = tv.loss_under_attack(model, X, y, tv.Attacker.from_json("mixed.json"))
    assert f"under attack {attacked:.6g} " in out
    assert len(tv.Trace.from_json("trace.json")) > 1


def test_grow_can_be_told_the_task(files: Path, capsys: Capture) -> None:
    pd.DataFrame({"size": [0.0, 1, 2, 3], "y": [0, 0, 1, 1]}).to_csv("bits.csv", index=False)
    tv.Attacker([], 0).to_json("nobody.json")
    argv = ("grow", "bits.csv", "--target", "y", "--rules", "nobody.json", *TOY[-2:], "--out", "m.json")
    said(capsys, *argv)
    assert json.loads(Path("m.json").read_text())["class"] == "TreantClassifier"
    said(capsys, *argv, "--task", "regress")
    assert json.loads(Path("m.json").read_text())["class"] == "TreantRegressor"


def test_grow_reads_published_rules(files: Path, capsys: Capture) -> None:
    rule = {"pre": "(-np.inf, np.inf)", "post": 1, "cost": 1, "is_numerical": True}
    Path("published.json").write_text(json.dumps({"attacks": [{"p": [rule]}]}))
    argv = [a if a != "toy.json" else "published.json" for a in TOY]
    assert "(-inf, inf) -p->_1 [0, 1]" in said(capsys, *argv, "--budget", "1")
    assert "give one by --budget" in refused(capsys, *argv)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"toy.csv": "none.csv"}, "none.csv: No such file or directory"),
        ({"toy.json": "none.json"}, "none.json: No such file or directory"),
        ({"y": "z"}, "toy.csv: no column 'z'; the columns are 'p', 'q', 'y'"),
        ({"toy.json": "broken.json"}, "broken.json: damaged or not JSON"),
        ({"toy.json": "newer.json"}, "newer.json: written in format version 99"),
        ({"toy.json": "wrong.json"}, "cost of the rule on 'p': expected a finite number above 0"),
        ({"toy.json": "mixed.json"}, "the rule's feature 'kind' is not a column; the columns are 'p', 'q'"),
        ({"toy.csv": "empty.csv"}, "empty.csv: not a table"),
        ({"toy.csv": "ragged.csv"}, "ragged.csv: not a table"),
        ({"toy.csv": "hole.csv"}, "column 'q' contains NaN"),
        ({"toy.csv": "hole_y.csv"}, "hole_y.csv: column 'y' has missing values"),
        ({"toy.csv": "."}, ".: Is a directory"),
    ],
)
def test_grow_refuses_bad_files(change: dict[str, str], message: str, files: Path, capsys: Capture) -> None:
    rules = json.loads(Path("toy.json").read_text())
    Path("broken.json").write_text('{"format": ')
    Path("newer.json").write_text(json.dumps(rules | {"version": 99}))
    Path("wrong.json").write_text(json.dumps(rules | {"rules": [rules["rules"][0] | {"cost": 0}]}))
    Path("empty.csv").write_text("")
    Path("ragged.csv").write_text("p,q,y\n1,2,3\n1,2,3,4\n")
    Path("hole.csv").write_text("p,q,y\n1,2,3\n1,,4\n2,2,9\n")
    Path("hole_y.csv").write_text("p,q,y\n1,2,3\n1,4,\n2,2,9\n")
    assert message in refused(capsys, *(change.get(a, a) for a in TOY))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--budget", "-1"], "budget: expected a number of at least 0"),
        (["--loss", "log"], "expected 'sse', got 'log'"),
        (["--task", "classify"], "Only binary classification is supported"),
        (["--out", "nowhere/model.json"], "nowhere/model.json: cannot write there"),
        (["--trace", "."], ".: cannot write there"),
    ],
)
def test_grow_refuses_bad_options(more: list[str], message: str, files: Path, capsys: Capture) -> None:
    assert message in refused(capsys, *TOY, *more)


# bench: the command around the measurements (the measurements have their own tests)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bench.Plan]]:
    """Two made-up results, one bound kept and one missed, in place of measurements; and what was asked for."""
    asked: list[tuple[list[str], bench.Plan]] = []

    def run(names: list[str], plan: bench.Plan) -> list[bench.Result]:
        asked.append((list(names), plan))
        return [bench.Result("tree", "quick", 2.0, "x", "<=", 6), bench.Result("jobs", "slow", 1.2, "x", ">=", 1.7)]

    monkeypatch.setattr(bench, "run", run)
    return asked


def test_bench_names_are_those_of_the_module() -> None:
    assert tuple(bench.BENCHMARKS) == cli.BENCHMARKS


def test_bench_prints_and_exits_with_0(measured: list, capsys: Capture) -> None:
    out = said(capsys, "bench", "--quick", "--only", "tree", "jobs")
    assert measured == [(["tree", "jobs"], bench.QUICK)]
    assert "pass" in out and "FAIL" in out and "1 of 2 bounds missed" in out
    assert f"numpy {np.__version__}" in out and "cores" in out


def test_bench_runs_everything_by_default(measured: list, capsys: Capture) -> None:
    said(capsys, "bench")
    assert measured == [(list(cli.BENCHMARKS), bench.Plan())]


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

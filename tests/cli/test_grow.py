"""`treant-viz grow`: a tree on a table of one's own, and which tables, rules and targets are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import treant_viz as tv
from tests.cli.running import MIXED, TOY, Capture, refused, said


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


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("p,q,y\n1,2,3,4\n2,3,4,5\n3,4,5,6\n", "not a table: line 2 has 4 fields, but the header has 3"),
        ("p,q,y\n1,2,3\n\n3,4\n", "not a table: line 4 has 2 fields, but the header has 3"),
        ('p,q,y\n"1\n",2,3\n3,4,5,\n', "not a table: line 4 has 4 fields, but the header has 3"),
        (
            "p,y,y\n1,2,2\n3,4,4\n",
            "not a table: column names must differ, but the header has 'y' more than once",
        ),
        (
            "p, p,q,q,y\n1,2,3,4,5\n",
            "not a table: column names must differ, but the header has 'p', 'q' more than once",
        ),
    ],
)
def test_grow_refuses_what_pandas_would_mend_in_silence(
    table: str, message: str, files: Path, capsys: Capture
) -> None:
    """Extra fields would shift the columns; a second target would be a feature that gives the label away."""
    Path("toy.csv").write_text(table)
    assert f"toy.csv: {message}" in refused(capsys, *TOY)


def test_grow_takes_blank_lines_quotes_and_a_byte_order_mark(files: Path, capsys: Capture) -> None:
    plain = said(capsys, *TOY)
    first, *rows = Path("toy.csv").read_text().splitlines()
    rows = [re.sub("^[^,]*", r'"\g<0>"', row).replace(",", ", ") for row in rows]
    Path("toy.csv").write_bytes("\r\n".join(["\ufeff" + first, "", *rows, "  ", "\t", ""]).encode())
    assert said(capsys, *TOY) == plain


def test_grow_looks_at_a_column_as_a_whole(files: Path, capsys: Capture) -> None:
    """pandas would read a long table in pieces, and take the first of these categories for numbers."""
    rows = [f"{i % 7},{'a' if i == 299_999 else i % 2},{i % 2}" for i in range(300_000)]
    Path("toy.csv").write_text("\n".join(["p,q,y", *rows]))
    assert "q == 0" in said(capsys, *TOY, "--max-depth", "1")


@pytest.mark.parametrize("task", ["classify", "regress"])
@pytest.mark.parametrize("values", ["a b c", "a 1 2", "x" * 30, "1e200 2 3", "inf 1 2", "1kg 2kg 3kg"])
def test_targets_that_cannot_be_learnt_are_refused_without_further_words(
    task: str, values: str, files: Path, capsys: Capture
) -> None:
    targets = [f"{x}{i}" if len(values) == 30 else x for i, x in enumerate(values.split() * 10)]
    pd.DataFrame({"p": range(len(targets)), "q": 0, "y": targets}).to_csv("toy.csv", index=False)
    assert refused(capsys, *TOY, "--task", task).startswith("treant-viz grow: y: expected ")


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/toy.csv", "file:///etc/passwd", "s3://bucket/toy.csv"]
)
@pytest.mark.parametrize("command", [TOY, ("app", "--csv", "toy.csv", *TOY[2:6])])
def test_nothing_is_fetched(
    command: tuple[str, ...], address: str, files: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", None)
    for local in ("toy.csv", "toy.json"):
        told = refused(capsys, *(address if word == local else word for word in command))
        assert f"{address}: expected a file on this machine, got an address: download it first" in told


def test_a_compressed_table_is_not_unpacked(files: Path, capsys: Capture) -> None:
    pd.read_csv("toy.csv").to_csv("toy.csv.gz", index=False)
    told = refused(capsys, *(word.replace("toy.csv", "toy.csv.gz") for word in TOY))
    assert "toy.csv.gz: not a table: expected text in UTF-8, neither compressed nor a spreadsheet" in told

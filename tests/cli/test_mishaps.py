"""Terminals that know few letters, places where nothing can be written, and people who stop halfway."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import treant_viz as tv
from tests.cli.running import HOME, TOY, Capture, refused
from treant_viz.cli import main as cli

TALK = """
import sys, warnings
from treant_viz.cli import main as cli

warnings.filterwarnings("error", category=EncodingWarning, module="treant_viz")
def run(*words):
    words = [w.encode("utf-8").decode(sys.getfilesystemencoding(), "surrogateescape") for w in words]
    try:
        return cli.main(words)
    except SystemExit as stop:
        return stop.code
grow = ["grow", "töy.csv", "--target", "größe", "--rules", "rules.json", "--min-samples-split", "2"]
assert [run(c, "--help") for c in cli.make_parser()._subparsers._group_actions[0].choices] == [0] * 12
assert run("--help") == run("toy") == run(*grow, "--out", "möbel.json") == 0
assert run("lab", "nötes", "--copy-only") == 0
assert run("grow", "└ø.csv", *grow[2:]) == run("grow", *grow[1:3], "┌", *grow[4:]) == 2
assert run("bench", "--json", "ü/ö") == 2
assert run("toy", "--depth", "┌") == run("experiments", "--methods", "ü") == run("app", "--csv", "└") == 2
"""
PAGES = """
import treant_viz.course.handout
from treant_viz.course import book

book.run = lambda made, folder: made  # what takes long is known to be the same everywhere
book.page = treant_viz.course.handout.handout = lambda *of: "└"
assert run("figures", "--only", "toy", "datasets", "--out", "bücher └") == 0
assert run("handout", "--out", "├.html") == 0
assert run("book", "--out", "böök") == run("tour", "--no-browser", "--out", "ü.html") == 0
"""
POOR = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # files and arguments are ASCII, too


@pytest.mark.parametrize(
    ("letters", "code", "env", "drawn"),
    [
        ("ascii", TALK + PAGES, POOR, "+- no:  l\\xe4nge <= <= 3"),
        ("cp1252", TALK, {"PYTHONUTF8": "0"}, "+- no:  länge <= <= 3"),
        ("utf-8", TALK, {}, "└─ no:  länge ≤ <= 3"),
    ],
    ids=["ascii", "cp1252", "utf-8"],
)
def test_every_command_speaks_to_every_terminal(
    letters: str, code: str, env: dict[str, str], drawn: str, files: Path
) -> None:
    pytest.importorskip("nbclient")
    table = tv.load_toy().X.rename(columns={"q": "länge ≤"}).assign(größe=tv.load_toy().y)
    table.to_csv("töy.csv", index=False)
    tv.load_toy().attacker.to_json("rules.json")
    Path("every.py").write_text(code, encoding="utf-8")
    env = {"PYTHONIOENCODING": letters, "PYTHONPATH": str(HOME), "PYTHONWARNDEFAULTENCODING": "1"} | env
    run = subprocess.run([sys.executable, "every.py"], env=os.environ | env, capture_output=True, cwd=files)
    out, err = run.stdout.decode(letters), run.stderr.decode(letters)
    assert run.returncode == 0 and "Traceback" not in err, err
    assert drawn in out


needs_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a disk that is always full"
)


def test_a_full_disk_is_told_in_one_line(
    files: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("treant_viz.course.handout.handout", lambda palette: "a page")
    monkeypatch.setattr("io.open", lambda *of, **more: Full())
    assert refused(capsys, "handout", "--out", "x.html") == "treant-viz handout: No space left on device\n"


@needs_full
def test_a_device_is_not_a_file(files: Path, capsys: Capture) -> None:
    """Models are written beside their place and then moved there, which would be the end of /dev/null."""
    told = refused(capsys, *TOY, "--out", "/dev/null")
    assert told == "treant-viz grow: /dev/null: cannot write there: not a file\n"


@pytest.mark.parametrize(
    "more", [["--out", "./toy.csv"], ["--trace", "toy.json"], ["--out", "x", "--trace", "../{}/x"]]
)
def test_nothing_is_written_over_what_is_read(more: list[str], files: Path, capsys: Capture) -> None:
    before = Path("toy.csv").read_bytes()
    told = refused(capsys, *TOY, *(word.format(files.name) for word in more))
    assert "given twice, but what is written needs a file of its own" in told
    assert Path("toy.csv").read_bytes() == before


def test_ctrl_c_is_told_in_one_line(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*call: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("treant_viz.cli.main.run_toy", stop)
    assert cli.main(["toy"]) == 130
    assert capsys.readouterr().err == "treant-viz toy: stopped\n"


@needs_full
def test_what_cannot_be_printed_is_told_in_one_line() -> None:
    code = "import sys; from treant_viz.cli.main import main; sys.exit(main(['toy']))"
    with Path("/dev/full").open("w") as full:
        run = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=-1, text=True, cwd=HOME)
    assert (run.returncode, run.stderr) == (2, "treant-viz toy: No space left on device\n")


WRITING = [
    ("handout", "--out", "x.html"),
    ("slides", "--out", "x.html"),
    ("tour", "--out", "x.html", "--no-browser"),
    ("book", "--out", "x"),
    ("figures", "--only", "toy", "--out", "x"),
    ("figures", "--only", "datasets", "--out", "x"),
    ("lab", "x", "--copy-only"),
    (*TOY, "--out", "x.json"),
    (*TOY, "--trace", "x.json"),
    ("experiments", "--quick", "--methods", "treant", "--budgets", "20", "--jobs", "1", "--out", "x"),
    ("bench", "--json", "x.json"),
]
each_writing = pytest.mark.parametrize("words", WRITING, ids=lambda words: " ".join((words[0], *words[-2:])))


@pytest.fixture
def quick(files: Path, measured: list, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long has been done before it is written."""
    from treant_viz.course import book
    from treant_viz.experiments import jobs

    monkeypatch.setattr(book, "run", lambda made, folder: made)
    job = {"dataset": "wine", "protocol": "authors", "method": "treant", "train_budget": 20, "seed": 0}
    monkeypatch.setattr(jobs, "run_job", lambda *call: [job | {"test_budget": 0, "correct": ""}])


@each_writing
def test_a_disk_that_refuses_is_told_in_one_line(
    words: tuple[str, ...], quick: None, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: str = "r", *more: object, **options: object) -> Any:
        if set(mode) & set("wax") and "x" in Path(path).parts[0]:
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, mode, *more, **options)

    really = io.open
    monkeypatch.setattr("io.open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    assert re.search(rf"^treant-viz {words[0]}: x\S*: Permission denied$", refused(capsys, *words))


@each_writing
def test_a_file_where_a_folder_should_be_is_told_in_one_line(
    words: tuple[str, ...], quick: None, capsys: Capture
) -> None:
    Path("file").write_text("")
    place = "file/" + words[words.index("--out") + 1] if "--out" in words else "file/x"
    told = refused(capsys, *(place if word in ("x", "x.html", "x.json") else word for word in words))
    assert re.search(r": file(/x\S*)?: (cannot write there|Not a directory|File exists)", told)


def test_experiments_need_their_folder_before_the_work(
    quick: None, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, how: False)
    monkeypatch.setattr("treant_viz.experiments.jobs.run_job", None)
    [words] = [words for words in WRITING if words[0] == "experiments"]
    assert f"{Path('x', 'quick')}: cannot write there: permission denied" in refused(capsys, *words)


FILES = [(words, name) for words in WRITING for name in words if name.startswith("x.")]


@pytest.mark.parametrize(("words", "name"), FILES, ids=lambda words: words[0])
def test_a_folder_without_permission_is_told_before_the_work(
    words: tuple[str, ...],
    name: str,
    quick: None,
    measured: list,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.access", lambda path, how: False)
    assert f"{name}: cannot write there: permission denied" in refused(capsys, *words)
    assert measured == []

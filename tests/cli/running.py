"""To run the command in tests: what it says, what it refuses, and words to run it with."""

from __future__ import annotations

from pathlib import Path

import pytest

from treant_viz.cli import main as cli

Capture = pytest.CaptureFixture[str]
HOME = Path(cli.__file__).parents[2]


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


TOY = ("grow", "toy.csv", "--target", "y", "--rules", "toy.json", "--min-samples-split", "2")
MIXED = ("grow", "mixed.csv", "--target", "verdict", "--rules", "mixed.json")

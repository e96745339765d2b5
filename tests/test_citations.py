"""Nothing cites a file or a folder that is not there: in texts, comments, docstrings and tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXTS = ["*.md", "*.toml", "*.yml", "*.py", "treant_viz/**/*.py", "treant_viz/**/*.md", "tests/**/*.py"]
CITING = sorted({path for pattern in TEXTS for path in ROOT.glob(pattern)} - {Path(__file__)})
PLACE = re.compile(r"(?<![\w/.-])((?:treant_viz|tests|notebooks|figures)/[\w./-]*\w)")
MADE = ("figures/results/quick", "treant_viz/live/src/node_modules")  # by commands


def wanting(text: str) -> list[str]:
    """The files and folders that a text cites and that do not exist. NN is any number, <name> any name."""
    cited = [m[0] for m in PLACE.finditer(text) if text[m.end() : m.end() + 1] not in ("<", "{")]
    return [p for p in cited if not (ROOT / p).exists() and not p.startswith(MADE) and "NN" not in p]


@pytest.mark.parametrize("path", CITING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_is_cited_is_there(path: Path) -> None:
    assert wanting(path.read_text(encoding="utf-8")) == []


def test_what_is_not_there_is_seen() -> None:
    assert wanting("see treant_viz/core/" + "nothing.py") == ["treant_viz/core/nothing.py"]
    assert wanting("see treant_viz/core/tree.py, and figures/") == []

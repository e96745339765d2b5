"""The hand-out: one file, complete, small, the same each time."""

from __future__ import annotations

import re

import pytest

from treant_viz.cli import main as cli
from treant_viz.course.handout import BUDGETS, STORY, handout


@pytest.fixture(scope="module")
def page() -> str:
    return handout()


def test_it_is_one_small_file_that_loads_nothing(page: str):
    assert len(page.encode()) < 5_000_000
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", page)
    assert "default-src 'none'" in page


def test_it_tells_the_whole_story_with_a_budget_slider_and_a_stepper(page: str):
    assert all(heading in page for heading, _ in STORY.values())
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert [c.split(":")[0] for c in captions if c.startswith("Budget")] == [f"Budget {k}" for k in BUDGETS]
    assert "Budget 1: The attacker decides for x2 alone" in captions
    assert sum(c.startswith("Step") for c in captions) == 7 + 3
    assert any("Attack invariance is broken for x2" in c for c in captions)


def test_ids_are_used_once(page: str):
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 100


def test_the_command_writes_it(page: str, tmp_path, capsys):
    assert cli.main(["handout", "--out", str(tmp_path / "toy.html")]) == 0
    assert (tmp_path / "toy.html").read_text() == page
    assert "wrote" in capsys.readouterr().out
    assert cli.main(["handout", "--out", str(tmp_path / "no" / "toy.html")]) == 2

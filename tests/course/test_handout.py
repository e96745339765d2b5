"""The hand-out: one file, complete, small, the same each time."""

from __future__ import annotations

import json
import re

import pytest

from treant_viz.cli import main as cli
from treant_viz.course.handout import STORY, explorers, handout
from treant_viz.viz.style.palette import DARK


@pytest.fixture(scope="module")
def page() -> str:
    return handout()


def given(page: str) -> dict:
    """What the page gives to the browser, by place."""
    return json.loads(re.findall(r'<script type="application/json" id="facts">(.*?)</script>', page)[0])


def test_it_is_one_small_file_that_loads_nothing(page: str):
    assert len(page.encode()) < 2_000_000
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", page)
    assert "default-src 'none'" in page
    assert page.count("<script") == 2, "facts, and one bundle for all pictures"


def test_it_tells_the_whole_story(page: str):
    assert all(heading in page for heading, _ in STORY.values())
    shown = {name: told["picture"] for name, told in given(page).items()}
    assert shown == {"budget": "split", "growth": "growth", "attack": "attack", "constraints": "constraints"}
    assert all(f'<div id="{name}">' in page for name in shown)
    assert len(given(page)["attack"]["facts"]["trees"]) == 2


def test_the_answers_to_its_questions_are_within_reach():
    """A budget of 2 is enough for half of the instances; x2's attack invariance is broken."""
    budget = explorers()["budget"]
    assert {level["cost"] for level in budget.facts()["tables"]["0"]["levels"]} == set(range(9))
    counts = []
    for k in (1, 2):
        budget.budget = k
        counts.append(budget.display.counts[1])
    assert counts == [1, 5]
    assert "breaks attack invariance for x2" in explorers()["attack"].display.title


def test_ids_are_used_once(page: str):
    ids = re.findall(r'\sid="([^"]+)"', page.partition('<script type="module">')[0])
    assert len(ids) == len(set(ids)) > 20


def test_in_the_dark_pictures_and_page_are_dark():
    page = handout(DARK)
    assert "color-scheme: dark" in page
    assert {told["theme"] for told in given(page).values()} == {"dark"}


def test_the_command_writes_it(page: str, tmp_path, capsys):
    assert cli.main(["handout", "--out", str(tmp_path / "toy.html")]) == 0
    assert (tmp_path / "toy.html").read_text() == page
    assert "wrote" in capsys.readouterr().out
    assert cli.main(["handout", "--out", str(tmp_path / "no" / "toy.html")]) == 2

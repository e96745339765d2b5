"""The hand-out: one file, complete, small, the same each time."""

from __future__ import annotations

import json
import re

import pytest

from treant_viz.cli import main as cli
from treant_viz.course.handout import STORY, explorers, handout
from treant_viz.course.overview import panel_boxes
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
    assert page.count("<script") == 3, "facts, one bundle for all pictures, and the button of the theme"


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


def test_the_story_explains_its_words(page: str):
    """The names of the three plans, where they are first seen."""
    told = STORY["budget"][1]
    assert all(f"\u201c{plan}\u201d" in told for plan in ("standard", "four cases", "robust"))
    assert re.search(r"four guesses .*nothing; .*go left; .*go right; .*swap sides", told)


def test_it_opens_on_a_row_that_is_really_attacked(page: str):
    told, ex = given(page)["attack"], explorers()["attack"]
    budget, row = told["state"]["budget"], told["state"]["row"]
    assert ex.attacks[0].worst(budget)[row] > ex.attacks[0].unattacked[row]


def test_all_pictures_follow_the_readers_theme_and_dark_can_be_asked_for(page: str):
    assert {told["theme"] for told in given(page).values()} == {"auto"}
    assert page.count('id="overview-light-figure_1"') == page.count('id="overview-dark-figure_1"') == 1
    ask = 'document.documentElement.dataset.theme = "dark"'
    assert ask in handout(DARK) and ask not in page


def test_panels_for_narrow_screens_are_windows_on_whole_trees():
    from treant_viz.experiments.toy import toy_display

    display = toy_display()
    boxes, drawn = list(panel_boxes(display)), display.plot()
    drawn.figure.canvas.draw()
    scale, high = 72.0 / drawn.figure.dpi, drawn.figure.get_size_inches()[1] * 72.0
    assert len(boxes) == len(display.trees)
    cards = [a.get_window_extent() for role in ("leaf", "node") for a in drawn[role]]
    assert len(cards) >= 10
    for card in cards:
        x0, x1, y0, y1 = (v * scale for v in (card.x0, card.x1, card.y0, card.y1))
        around = [(x, y, w, h) for x, y, w, h in boxes if x <= x0 and x1 <= x + w]
        assert len(around) == 1, "each card stands in one window"
        ((_, y, _, h),) = around
        assert y <= high - y1 and high - y0 <= y + h


def test_the_command_writes_it(page: str, tmp_path, capsys):
    assert cli.main(["handout", "--out", str(tmp_path / "toy.html")]) == 0
    assert (tmp_path / "toy.html").read_text() == page
    assert "wrote" in capsys.readouterr().out
    assert cli.main(["handout", "--out", str(tmp_path / "no" / "toy.html")]) == 2

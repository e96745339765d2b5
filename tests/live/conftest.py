"""Forms of attackers that several tests use."""

from __future__ import annotations

import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.live.frame import Screen
from treant_viz.viz.style.text import for_html

TOY = tv.load_toy()
PEOPLE = pd.DataFrame(
    {
        "age": [20.0, 30.0, 40.0, 50.0],
        "status": ["single", "married", "divorced", "divorced"],
        "score": [1.0, 2.0, 3.0, 4.0],
    }
)


@pytest.fixture
def quick(monkeypatch):
    """Pictures by their words alone: drawing is tested elsewhere, and takes its time."""
    monkeypatch.setattr(Screen, "html", lambda self, display: f'<img alt="{for_html(display.alt_text)}">')


@pytest.fixture
def undrawn(monkeypatch):
    """For tests of words: pictures are made, but only their alt text is put on the screen."""
    monkeypatch.setattr(Screen, "html", lambda self, display: for_html(display.alt_text))


@pytest.fixture
def form(quick):
    return tv.build_attacker(TOY)


@pytest.fixture
def people(quick):
    rules = [
        tv.Rule("age", 2, pre=(0, 45), delta=(0, 5)),
        tv.Rule("status", 1, pre={"divorced"}, becomes="single"),
    ]
    return tv.build_attacker(PEOPLE, tv.Attacker(rules, 4), y=[0, 1, 0, 1])

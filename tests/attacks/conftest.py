"""Ways to force the search through its rarer paths."""

from __future__ import annotations

import pytest


@pytest.fixture
def forced_descent(monkeypatch):
    """No problem is small enough to be scored at once, and no block holds more than a few points."""
    monkeypatch.setattr("treant_viz.attacks.search.DENSE", 0)
    monkeypatch.setattr("treant_viz.attacks.search.BLOCK", 40)
    monkeypatch.setattr("treant_viz.attacks.search.TAIL", 3)


@pytest.fixture
def forced_halves(monkeypatch):
    """No problem is small enough to list its points one by one."""
    monkeypatch.setattr("treant_viz.attacks.combinations.FEW", 0)


@pytest.fixture
def forced_boxes(monkeypatch):
    """No problem is small, boxes are cut a few at a time, and groups hold only a few leaves."""
    monkeypatch.setattr("treant_viz.attacks.search.EASY", 0)
    monkeypatch.setattr("treant_viz.attacks.search.DENSE", 0)
    monkeypatch.setattr("treant_viz.attacks.boxes.BATCH", 2)
    monkeypatch.setattr("treant_viz.attacks.leaf_groups.BITS", 5)

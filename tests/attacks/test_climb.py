"""The climb stays within the budget, and finds most of what there is."""

from __future__ import annotations

import pytest

from tests.attacks.forests import fitted, problems, wide
from treant_viz.attacks.boxes import box_search
from treant_viz.attacks.climb import Climb
from treant_viz.attacks.limits import RowLimits


@pytest.mark.parametrize("budget", [2, 4, 6])
def test_the_climb_stays_within_the_budget_and_finds_most_of_what_there_is(budget):
    forest, X, _ = fitted()
    limit, gained, possible = budget * (1 + 1e-9), 0.0, 0.0
    for p in problems(forest, X[:10], wide(6).with_budget(budget)):
        boxes = box_search(p, RowLimits())
        start, best = Climb(p, boxes.groups, limit, RowLimits()).best(), boxes.best(limit)
        assert start.cost <= limit
        assert start.value == p.score(start.cells) <= best.value + 1e-9
        gained, possible = gained + start.value, possible + best.value
        unattacked = p.score(p.unattacked)
        gained, possible = gained - unattacked, possible - unattacked
    assert gained >= 0.95 * possible

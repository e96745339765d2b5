"""Bounds of groups of trees are bounds, and closer than those of single trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.attacks.forests import fitted, problems, random_problems, wide
from treant_viz.attacks.leaf_groups import LeafGroups, sides_of


def test_every_bound_is_one_and_that_of_a_single_point_is_its_sum():
    for p, limit in itertools.islice(random_problems(range(5100, 5110)), 12):
        groups = LeafGroups(p, sides_of(p))
        root = groups.bound(groups.state(np.ones((1, len(p.value)), dtype=bool)))[0]
        best = np.maximum.reduceat(p.value, p.first).sum()
        masks = groups.below & groups.above
        sums = []
        for cells in itertools.product(*(range(len(c)) for c in p.costs)):
            if sum(c[k] for c, k in zip(p.costs, cells, strict=True)) > limit:
                continue  # some tree may have no leaf there
            state = np.bitwise_and.reduce(masks[groups.start + np.array(cells)], axis=0)
            sums.append(p.score(cells))
            assert groups.bound(state[None])[0] == pytest.approx(sums[-1])
        assert max(sums) - 1e-9 <= root <= best + 1e-9


def test_groups_bound_closer_than_single_trees():
    p = problems(fitted()[0], fitted()[1][:1], wide(6), sign=-1.0)[0]
    groups = LeafGroups(p, sides_of(p))
    root = groups.bound(groups.state(np.ones((1, len(p.value)), dtype=bool)))[0]
    assert root < np.maximum.reduceat(p.value, p.first).sum() - 0.1

"""The count of a search in notebook 07, against counts by hand and by brute force."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import pytest

from treant_viz import Attacker, Leaf, Node, Rule
from treant_viz.course.nb07 import search_size

FEATURES = ("p", "q", "r")
ROW = pd.DataFrame({f: [0.0] for f in FEATURES})
RULES = [Rule(f, cost=1, delta=(0, 1)) for f in FEATURES]


def forest(thresholds=(0.5, 1.5, 2.5)):
    """A tree of stumps per feature: three thresholds, each of which raises the score."""
    return [
        Node(f, v, Leaf(0.1 * i), Leaf(0.1 * i + 0.5)) for i, f in enumerate(FEATURES) for v in thresholds
    ]


@pytest.mark.parametrize("budget", [1, 2, 3, 4])
def test_the_combinations_are_those_that_brute_force_counts(budget):
    cost = {0: 0, 1: 1, 2: 2, 3: 3}  # of the cells up to 0.5, 1.5, 2.5 and beyond: one use of the rule each
    in_reach = [c for c in cost if cost[c] <= budget]
    every = list(itertools.product(in_reach, repeat=3))
    size = search_size(forest(), ROW, [0], Attacker(RULES, budget))
    assert size.combinations == len(every)
    assert size.affordable == sum(sum(cost[c] for c in cells) <= budget for cells in every)


def test_the_bound_saves_most_of_a_large_search():
    thresholds = [0.1 * k - 0.05 for k in range(1, 41)]
    trees = [Node(f, v, Leaf(0.0), Leaf(1.0 if f == "p" else 0.001)) for f in FEATURES for v in thresholds]
    size = search_size(trees, ROW, [0], Attacker(RULES, 4))
    assert size.combinations == 41**3
    assert 0 < size.looked_at < size.affordable / 3  # whoever does not spend all on p has lost


def test_a_row_that_cannot_be_hurt_needs_no_search():
    away = pd.DataFrame({f: [9.0] for f in FEATURES})
    assert search_size(forest(), away, [0], Attacker(RULES, 2)) == (1, 1, 0)
    assert search_size(forest(), ROW, [1], Attacker(RULES, 2)) == (
        1,
        1,
        0,
    )  # raising the score does label 1 no harm


def test_one_row_at_a_time():
    with pytest.raises(ValueError, match="X: expected one row, got 2"):
        search_size(forest(), pd.concat([ROW, ROW]), [0, 0], Attacker(RULES, math.inf))

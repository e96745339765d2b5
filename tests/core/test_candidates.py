"""Bounds of all candidates at once, against the same bounds worked out candidate by candidate."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample, mass
from treant_viz.core.losses import BINARY_SSE
from treant_viz.core.solvers.candidates import Bins, Tally, candidate_bounds, tally
from treant_viz.estimators.fitting import make_table

COLOURS = np.array(["red", "green", "blue", "grey"])


class Node(NamedTuple):
    """A root with constraints made up at random: on any rows, whatever was spent on them."""

    D: Data
    A: AttackerOnTable
    C: Constraints


def node(seed: int, retest: str) -> Node:
    """40 rows with attacked and untouched columns of numbers and of categories."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 6, 40) * 1.0, "b": rng.integers(0, 6, 40) * 1.0})
    X["c"], X["d"] = rng.choice(COLOURS, 40), rng.choice(COLOURS, 40)
    rules = [tv.Rule("a", 1, delta=(-1, 1)), tv.Rule("c", 1, pre={"red", "blue"}, becomes="green")]
    attacker = tv.Attacker(rules, 2)
    table = make_table(X, attacker)
    D = Data.root(Sample(table, rng.integers(0, 2, 40) * 1.0, True))
    A = AttackerOnTable(attacker, table, retest)
    n = int(rng.integers(1, 8))
    spent_id = A.ids(rng.integers(0, 3, n) * 1.0)
    C = Constraints(
        rng.integers(0, 40, n), rng.random(n) < 0.5, rng.random(n), spent_id, np.zeros(n, dtype=int), ("",)
    )
    return Node(replace(D, rows=D.rows[::2], spent_id=D.spent_id[::2]), A, C)


def one_by_one(e: Node, T: Tally, i: int) -> list[tuple[float, float]]:
    """The interval of either leaf of candidate i: every constraint that can afford to be there, in turn."""
    f, v = int(T.feature[i]), int(T.code[i])
    costs = e.C.costs(e.D, e.A, f, v)
    sides = []
    for cost in costs:
        low, high = 0.0, 1.0
        for c in np.flatnonzero(np.isfinite(cost)):
            wants_more = bool(e.C.most[c]) == bool(e.D.sample.y[e.C.row[c]] > 0.5)
            low, high = (max(low, e.C.at[c]), high) if wants_more else (low, min(high, e.C.at[c]))
        sides.append((low, high))
    return sides


@pytest.mark.parametrize("retest", ["uncorrupted", "all"])
def test_bounds_of_all_candidates_are_those_of_each(retest):
    everything, compared = np.ones(4, dtype=bool), 0
    for e in (node(seed, retest) for seed in range(60)):
        bins = Bins(e.D)
        T = tally(e.D, e.A, everything, bins)
        B = candidate_bounds(e.D, e.A, e.C, BINARY_SSE, bins, T)
        for i in range(len(T)):
            found = [(float(B.low[s, i]), float(B.high[s, i])) for s in (0, 1)]
            assert found == one_by_one(e, T, i), (T.feature[i], T.code[i])
            compared += 1
    assert compared > 600


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(("heavy", "left"), [(1e12 - 1, 0.0), (1e11, 1.0)])
def test_a_mass_no_larger_than_rounding_is_none(binary, heavy, left):
    """A row of weight 1 surely left, beside an unknown one that weighs 10^12 less 1."""
    attacker = tv.Attacker([tv.Rule("a", 1, pre=(1, 1), delta=(0, 4))], 1)
    table = make_table(pd.DataFrame({"a": [0.0, 1.0]}), attacker)
    D = Data.root(Sample(table, np.array([1.0, 1.0]), binary, np.array([1.0, heavy])))
    T = tally(D, AttackerOnTable(attacker, table), np.ones(1, dtype=bool), Bins(D))
    assert mass(T.left)[T.code == 1].tolist() == [left]
    assert mass(T.unknown)[T.code == 1].tolist() == [heavy]

"""Proven lower bounds of margins under attack, for a sum of trees that grows tree by tree.

The margin of a row is its score, counted towards its own class. An attack on a sum of trees sends the row
into one leaf of every tree. Whatever the attack, each of these leaves is one that the attacker could reach
if this tree stood alone; so no tree contributes less than its worst reachable leaf, and the sum of the worst
leaves is at most the margin under any attack. The bound is exact where one attack is the worst for all trees
(always for one tree); it is loose where trees disagree: the attack that hurts one of them most need not be
the one that hurts another, and the budget is spent anew in every tree.
"""

from __future__ import annotations

import math

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import NO_ATTACKER
from treant_viz.core.data import Data, Sample
from treant_viz.core.options import Event
from treant_viz.core.partition import Stump, reached
from treant_viz.core.tree import Leaf, Tree


class Splits(dict[str, Stump]):
    """Watches a growth and keeps the splits that were taken, by path."""

    def __call__(self, event: Event) -> None:
        if event.split is not None and event.taken:
            self[event.path] = event.split.stump


class Margins:
    """By row of a sample: what no attack can bring its margin below; `sign` is 1 for ones, -1 for zeros."""

    def __init__(self, sample: Sample, attacker: AttackerOnTable | None) -> None:
        self.sample = sample
        self.attacker = attacker or AttackerOnTable(NO_ATTACKER, sample.table)
        self.sign = np.where(sample.y > 0.5, 1.0, -1.0)
        self.bound = np.zeros(len(sample.y))

    def add(self, t: Tree, splits: Splits) -> None:
        """One more tree; `splits` watched it grow."""
        self.bound += self._worst(t, splits)

    def _worst(self, t: Tree, splits: Splits) -> np.ndarray:
        """What a tree adds to each margin in the worst of the leaves that the row can be brought to."""
        A, worst = self.attacker.afresh(), np.full(len(self.sign), math.inf)
        todo: list[tuple[str, Tree, Data]] = [("", t, Data.root(self.sample))]
        while todo:
            path, u, D = todo.pop()
            if isinstance(u, Leaf):
                worst[D.rows] = np.minimum(worst[D.rows], self.sign[D.rows] * u.prediction)
            else:
                left, right = reached(D, A, splits[path])
                todo += [(path + "l", u.left, left), (path + "r", u.right, right)]
        return worst


__all__ = ["Margins", "Splits"]

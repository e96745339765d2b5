"""How much of D_u has a low label: for the unknown rows of all candidates of a node at once.

(`reference` sorts D_u for each candidate, and tries every cut.)
The solver for real labels looks for a cut through the sorted labels of D_u, by halving, and asks at every
step for the masses below it. D_u differs from candidate to candidate. But along the thresholds of a feature
rows come in at one and go out at another: written down one after the other as events, with their masses
counted positive and negative, D_u of a candidate is the sum over a run of events. And a table that keeps
halving the labels (a wavelet matrix) gives the sum over *any* run of events with a label in *any* of its
halves by four look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable, Shifted, Swapped
from treant_viz.core.data import Data
from treant_viz.core.solvers.candidates import Bins, Tally


class Runs(NamedTuple):
    """Which events, from `start` to before `stop`, make up the unknown rows of each candidate."""

    start: np.ndarray
    stop: np.ndarray


class Events(NamedTuple):
    """Rows (places in D) that become unknown, or stop being so (sign -1), at a present bin."""

    row: np.ndarray
    sign: np.ndarray
    bin: np.ndarray


def unknown_labels(D: Data, A: AttackerOnTable, bins: Bins, T: Tally) -> tuple[SortedLabels, Runs]:
    """The labels of all rows that are unknown for some candidate, and the runs of each candidate."""
    tested = np.unique(T.feature[T.unknown[:, 0] > 0]).tolist()
    found = [_moves(D, A, f, bins) for f in tested]
    row, sign, at = (np.concatenate([getattr(e, n) for e in found] or [[]]) for n in Events._fields)
    order = np.argsort(at, kind="stable")
    row, sign, at = row[order].astype(int), sign[order], at[order].astype(int)
    before = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=len(bins.present)))])
    of = bins.before[T.code + bins.offset[T.feature]]
    start = np.where(bins.categorical[of], before[of], before[bins.start[T.feature]])
    rows = D.rows[row]
    labels = SortedLabels(D.sample.y[rows] - D.sample.shift, sign * D.sample.weights(rows))
    return labels, Runs(start, before[of + 1])


def _moves(D: Data, A: AttackerOnTable, f: int, bins: Bins) -> Events:
    """The events of one attacked feature."""
    reach, codes = D.reach(A, f), D.codes(f)
    begin, end = bins.start[f], bins.start[f + 1]
    if isinstance(reach, Swapped):
        reached = reach.reached(A.budgets_left)[D.spent_id, codes]
        unknown = reached & (reached.sum(axis=1, keepdims=True) > 1)
        row, place = np.nonzero(unknown[:, bins.present[begin:end] - bins.offset[f]])
        return Events(row, np.ones(len(row)), place + begin)
    assert isinstance(reach, Shifted)
    first, last = bins.place(f, reach.ends(codes, D.spent_id, A.budgets_left)) + begin
    comes = np.flatnonzero(first < last)
    goes = comes[last[comes] < end]
    sign = np.repeat([1.0, -1.0], [len(comes), len(goes)])
    return Events(np.concatenate([comes, goes]), sign, np.concatenate([first[comes], last[goes]]))


class Level(NamedTuple):
    """One halving: up to every place, how many events fall into a lower half, and their masses (n, sum y)."""

    lower: np.ndarray
    masses: np.ndarray


class SortedLabels:
    """Events sorted by label as far as needed: `cut` finds one label each for many runs of events.

    `edges` are the distinct labels between -inf and inf: strip r of the line reaches from edges[r] to
    edges[r + 1].
    """

    def __init__(self, y: np.ndarray, weight: np.ndarray) -> None:
        labels, rank = np.unique(y, return_inverse=True)
        self.bits = len(labels).bit_length()
        padding = np.full((1 << self.bits) - len(labels), np.inf)
        self.edges = np.concatenate([[-np.inf], labels, padding])
        self.levels = []
        masses = np.stack([weight, weight * y])
        for bit in reversed(range(self.bits)):
            low = (rank >> bit) & 1 == 0
            lower = np.concatenate([[0], np.cumsum(low)])
            sums = np.zeros((2, len(y) + 1))
            np.cumsum(masses * low, axis=1, out=sums[:, 1:])
            self.levels.append(Level(lower, sums))
            order = np.concatenate([np.flatnonzero(low), np.flatnonzero(~low)])
            rank, masses = rank[order], masses[:, order]

    def cut(
        self, runs: Runs, above: Callable[[np.ndarray, np.ndarray], np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each run the strip in which its optimum lies, and the masses [n or sum y, run] below it.

        `above` is asked again and again which optima lie above some labels (one a run), given the masses of
        the run that have this label or a lower one.
        """
        strip, below = np.zeros(len(runs.stop), dtype=np.int64), np.zeros((2, len(runs.stop)))
        start, stop = runs
        for bit, (lower, masses) in zip(reversed(range(self.bits)), self.levels, strict=True):
            start_low, stop_low = lower[start], lower[stop]
            more = below + (masses.take(stop, axis=1) - masses.take(start, axis=1))
            middle = strip + (1 << bit)
            up = above(self.edges[middle], more)
            start = np.where(up, lower[-1] + start - start_low, start_low)
            stop = np.where(up, lower[-1] + stop - stop_low, stop_low)
            strip, below = np.where(up, middle, strip), np.where(up, more, below)
        return strip, below

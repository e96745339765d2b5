"""Do both children of a stump get rows? For real labels: who is sent where depends on the leaves.

`argmin` of `reference` splits the rows by every candidate to find out. Here candidates with rows surely left
and rows surely right need no answer. Of the others most can be answered for all at once, by the lowest and
the highest labels of D_u; what rounding could decide is looked at row by row.
"""

from __future__ import annotations

import numpy as np

from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.data import Data, mass
from treant_viz.core.losses import Loss
from treant_viz.core.partition import Stump, left_under_attack, ternary_partition
from treant_viz.core.solvers.candidates import Bins, Tally, unattacked_masses
from treant_viz.core.solvers.stumps import Stumps
from treant_viz.core.solvers.unknown import Runs, SortedLabels

NOTHING = 1e-12  # masses this small, relative to all, are the rounding of weights


def surely_parted(T: Tally) -> np.ndarray:
    """Which candidates have rows on both sides whatever the attacker does."""
    return (mass(T.left) > 0) & (mass(T.right) > 0)


def parts_rows(D: Data, A: AttackerOnTable, stump: Stump, loss: Loss) -> bool:
    """Do both children get rows?"""
    left = left_under_attack(D, ternary_partition(D.costs(A, stump.f, stump.v)), stump, loss)
    return bool(left.any() and not left.all())


def all_part_rows(
    D: Data, A: AttackerOnTable, N: Stumps, loss: Loss, bins: Bins, labels: SortedLabels, runs: Runs
) -> np.ndarray:
    """The same for all candidates."""
    out, T = surely_parted(N.tally), N.tally
    i = np.flatnonzero(~out & np.isfinite(N.loss))
    if not len(i):
        return out
    total = D.sample.total(D.rows)
    home = mass(unattacked_masses(bins, total)[bins.before[T.code[i] + bins.offset[T.feature[i]]]])
    some = NOTHING * mass(total)
    same = N.y_l[i] == N.y_r[i]  # nobody gains by moving: all rows stay at home
    out[i] = same & (home > some) & (mass(total) - home > some)
    i = i[~same]
    left, right, unsure = _sent(T.take(i), N.y_l[i], N.y_r[i], labels, Runs(runs.start[i], runs.stop[i]), D)
    out[i] = left & right
    for k in i[~out[i] & unsure].tolist():
        out[k] = parts_rows(D, A, N.at(k), loss)
    return out


def _sent(
    T: Tally, y_l: np.ndarray, y_r: np.ndarray, labels: SortedLabels, runs: Runs, D: Data
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Is somebody left, is somebody right, and are there unknown labels so near the middle that it is unsure?

    Labels above the middle are sent to the lower leaf. Where the two losses differ by rounding, a row stays
    at home (`Loss.worse_on_left`): `near` is more than wide enough for that.
    """
    middle = (y_l + y_r) / 2 - D.sample.shift
    worst = (np.abs(D.y).max(initial=0.0) + np.abs(y_l) + np.abs(y_r)) ** 2
    near = 1e-11 * (1 + worst) / np.abs(y_l - y_r)
    some = NOTHING * mass(T.masses).sum(axis=0)
    under = _mass_under(middle - near, labels, runs), _mass_under(middle + near, labels, runs)
    low, high = under[0] > some, mass(T.unknown) - under[1] > some
    upward = y_l < y_r
    left = (mass(T.left) > 0) | np.where(upward, high, low)
    right = (mass(T.right) > 0) | np.where(upward, low, high)
    return left, right, under[1] - under[0] > some


def _mass_under(label: np.ndarray, labels: SortedLabels, runs: Runs) -> np.ndarray:
    """How much of D_u has a label under the one that is given, for each candidate."""
    _, below = labels.cut(runs, lambda m, _: m < label)
    return below[0]

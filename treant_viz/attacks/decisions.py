"""What a model decides of each row, and how far the sum of its leaves must move to change that.

A classifier has two decisions, whose border is a score of 0.5; a regressor changes its mind where its
prediction moves by more than a tolerance, up or down. Sums of leaves are rounded, so near the border they do
not tell: there, the model itself is asked.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks.moves import Move
from treant_viz.attacks.tables import moved, some_rows
from treant_viz.ensembles.ensemble import Ensemble

WHOLE = 2.0**20  # leaves that are whole multiples of 1 / WHOLE add up without rounding


class Attempts(NamedTuple):
    """Ways to change decisions: the row, the direction, and the border of sign * (sum of leaves)."""

    row: np.ndarray
    sign: np.ndarray
    border: np.ndarray


class Decisions:
    """A model on some rows: `second` says which rows a classifier puts into its second class.

    `asks`: sums within rounding of the border do not count as they are; the model is asked. (Of a regressor
    they do not count at all.)
    """

    def __init__(self, form: Ensemble, X: Any, tolerance: float) -> None:
        self.form, self.X, self.n, self.asks = form, X, len(X), form.classes is not None
        self.tolerance = _tolerance(tolerance, self.asks)
        self.scores = np.asarray(form.scores(X), dtype=float) if self.n else np.zeros(0)
        self.second = form.second_class(X) if self.asks and self.n else np.zeros(self.n, dtype=bool)
        self.exact, self.known = _exact(form), dict[float, bool]()

    def predictions(self) -> np.ndarray:
        """In the model's own words."""
        return self.labels(self.second, self.scores)

    def labels(self, second: np.ndarray, scores: np.ndarray) -> np.ndarray:
        return np.asarray(self.form.classes)[second.astype(int)] if self.asks else scores

    def attempts(self) -> Attempts:
        """For each row of a classifier one; of a regressor two: all upwards, then all downwards."""
        rows = np.arange(self.n)
        if self.asks:
            sign = np.where(self.second, -1.0, 1.0)
            return Attempts(rows, sign, self._borders(sign, np.full(self.n, 0.5)))
        signs, twice = (np.repeat([1.0, -1.0], self.n), np.tile(self.scores, 2))
        return Attempts(np.tile(rows, 2), signs, self._borders(signs, twice + signs * self.tolerance))

    def _borders(self, sign: np.ndarray, score: np.ndarray) -> np.ndarray:
        """The least sign * (sum of leaves) beyond each score, by bisection; infinite if none is."""
        ends = np.array(self.form.totals())
        low, high = (np.minimum(*(sign[:, None] * ends).T), np.maximum(*(sign[:, None] * ends).T))
        best = self.form.score(sign * high)
        never = ~self._beyond(high, sign, score) & (not self.asks or np.abs(best - score) > 1e-6)
        for _ in range(80):
            middle = (low + high) / 2
            beyond = self._beyond(middle, sign, score)
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return np.where(never, math.inf, high)

    def _beyond(self, total: np.ndarray, sign: np.ndarray, score: np.ndarray) -> np.ndarray:
        return np.asarray(sign * self.form.score(sign * total) > sign * score)

    def changed(self, row: int, moves: list[tuple[Move, ...]], sums: np.ndarray) -> np.ndarray:
        """Does the model decide otherwise on the row after these moves, where its leaves add up to `sums`?"""
        if not self.exact:
            return np.asarray(self.second_after(row, moves) != self.second[row])
        for place, total in enumerate(sums.tolist()):
            if total not in self.known:
                self.known[total] = bool(self.second_after(row, moves[place : place + 1])[0])
        return np.array([self.known[total] for total in sums.tolist()]) != self.second[row]

    def second_after(self, row: int, moves: list[tuple[Move, ...]]) -> np.ndarray:
        """Is the row in the second class after each of these series of moves? The model's own word."""
        copies = some_rows(self.X, [row] * len(moves))
        return self.form.second_class(moved(copies, self.form.schema, moves))


def _exact(form: Ensemble) -> bool:
    """Do leaves add up without rounding, so that the sum alone tells what the model decides?"""
    value = form.nodes.value[form.nodes.feature < 0] * WHOLE
    return bool((value == np.round(value)).all() and np.abs(value).sum() < 2.0**53)


def _tolerance(tolerance: float, classifier: bool) -> float:
    if not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance: expected a finite number of at least 0, got {tolerance!r}")
    if classifier and tolerance:
        raise ValueError(
            f"tolerance: it is for regressors; this model predicts classes, which change or do not; "
            f"got {tolerance!r}"
        )
    return float(tolerance)

"""ell(prediction, y), and what a constraint on the loss means for the prediction.

One `Loss` serves single rows, as in `reference`, and whole leaves. `Loss.allowed` is the one place where a
bound on a loss becomes intervals of predictions; what several bounds leave is worked out in `constraints`:
`bounds` for labels 0/1, `feasible_set` for real labels.

Sums over a leaf only need its masses n0, n1 of labels 0 and 1 (for labels 0/1) or its moments (for real
labels).

>>> SSE.ell(1.5, 0.0), BINARY_SSE.of_masses(1.0, 3.0, 0.75)
(2.25, 0.75)
>>> SSE.allowed("<=", 0.0, 1.5), SSE.allowed(">=", 0.0, 1.5)
(((-1.5, 1.5),), ((-inf, -1.5), (1.5, inf)))
>>> LOG.allowed("<=", 1.0, 0.25), LOG.allowed(">=", 1.0, 0.25)
(((0.25, 1.0),), ((0.0, 0.25),))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import xlogy

Sense = Literal["<=", ">="]
Pieces = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """An instance-level loss; `low` and `high` bound the predictions."""

    name: Literal["sse", "log"]
    binary: bool
    low: float
    high: float

    def ell(self, prediction: Any, y: Any) -> Any:
        """ell(prediction, y), elementwise."""
        if self.name == "sse":
            return (prediction - y) ** 2
        with np.errstate(divide="ignore"):
            return -np.log(np.where(np.asarray(y) > 0.5, prediction, 1.0 - np.asarray(prediction)))[()]

    def worse_on_left(self, y_l: float, y_r: float, y: np.ndarray) -> np.ndarray:
        """Per label: 1 if y_l hurts more than y_r, -1 if less, 0 if (but for rounding) both hurt the same."""
        if self.binary:
            return np.where(y > 0.5, 1, -1) * np.sign(y_r - y_l)
        hurt_l, hurt_r = self.ell(y_l, y), self.ell(y_r, y)
        return np.where(np.abs(hurt_l - hurt_r) <= 1e-12 * (1 + hurt_l), 0, np.sign(hurt_l - hurt_r))

    def of_leaf(self, masses: np.ndarray, p: Any) -> Any:
        """The loss of leaf p on masses of labels 0 and 1, given as [..., label]."""
        return self.of_masses(masses[..., 0], masses[..., 1], p)

    def of_masses(self, n0: Any, n1: Any, p: Any) -> Any:
        """The same on masses n0 and n1, elementwise."""
        if self.name == "sse":
            return n1 * (1.0 - p) ** 2 + n0 * p**2
        return _mass_log(n1, p) + _mass_log(n0, 1.0 - p)

    def allowed(self, sense: Sense, y: float, at: float) -> Pieces:
        """The predictions p with ell(p, y) <= (or >=) ell(at, y): closed intervals in order."""
        if self.binary:
            rising = (sense == "<=") == (y > 0.5)
            return ((at, self.high),) if rising else ((self.low, at),)
        near, far = sorted((at, 2 * y - at))
        if sense == "<=":
            return ((near, far),)
        return ((-math.inf, near), (far, math.inf)) if near < far else ((-math.inf, math.inf),)

    def at(self, gamma: float, y: float) -> float:
        """A prediction whose loss is gamma: the inverse of ell below y (for labels, away from the label)."""
        if gamma < 0 or math.isnan(gamma):
            raise ValueError(f"gamma: a loss is at least 0, got {gamma!r}")
        distance = math.sqrt(gamma) if self.name == "sse" else 1.0 - math.exp(-gamma)
        p = y - distance if not self.binary or y > 0.5 else y + distance
        return min(max(p, self.low), self.high)


def _mass_log(n: Any, p: Any) -> Any:
    """-n log p, where nothing times infinity is nothing."""
    return 0.0 - xlogy(n, p)  # not -0.0


SSE = Loss("sse", binary=False, low=-math.inf, high=math.inf)
BINARY_SSE = Loss("sse", binary=True, low=0.0, high=1.0)
LOG = Loss("log", binary=True, low=0.0, high=1.0)


def get_loss(name: str, *, binary: bool) -> Loss:
    """The loss by name, for labels 0/1 or for real labels."""
    if name == "log" and not binary:
        raise ValueError("loss: 'log' needs two classes; for real-valued labels use 'sse'")
    losses = {"sse": BINARY_SSE if binary else SSE, "log": LOG}
    if name not in losses:
        raise ValueError(f"loss: expected 'sse' or 'log', got {name!r}")
    return losses[name]

"""Rows with their labels, under a model: how much each score hurts, and in which direction it hurts more."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from treant_viz.core.losses import Loss, get_loss
from treant_viz.ensembles.ensemble import Ensemble


class LabelledRows:
    """A model in common form with rows and labels: sums of leaves become scores, and scores losses."""

    def __init__(self, form: Ensemble, X: Any, y: Any, loss: str | None) -> None:
        self.form, self.X, name = form, X, loss or form.loss
        self.n = len(X)
        self.y = _labels(form, y, self.n, name)
        self.loss: Loss | None = None if name == "margin" else get_loss(name, binary=name == "log")
        self.middle = 0.5 if form.classes is not None or name == "log" else 0.0
        self.unattacked = np.asarray(form.scores(X), dtype=float)
        if name == "log" and not -1e-9 <= self.range[0] <= self.range[1] <= 1 + 1e-9:
            raise ValueError(
                "loss: 'log' needs a model whose scores are probabilities; this one's leave [0, 1]"
            )

    def ell(self, score: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The loss of each score for its label."""
        if self.loss is None:
            return np.where(y > self.middle, -score, score)
        return np.asarray(self.loss.ell(score, y))

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the greatest score that any leaves could give."""
        low, high = self.form.score(np.array(self.form.totals()))
        return float(low), float(high)

    def directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Which rows are hurt by a greater score, and which by a smaller one; it may be both."""
        if self.loss is None or self.loss.binary:
            return self.y <= self.middle, self.y > self.middle
        low, high = self.range
        return self.y < high, self.y > low


def _labels(form: Ensemble, y: Any, n: int, loss: str) -> np.ndarray:
    """Labels as numbers: 0 and 1 for the two classes of a classifier."""
    given = np.asarray(y)
    if given.shape != (n,):
        raise ValueError(f"y: expected {n} labels, one per row of X, got an array of shape {given.shape}")
    if form.classes is None:
        return _numbers(given, loss)
    positive, negative = (given == c for c in (form.classes[1], form.classes[0]))
    unknown = ~(positive | negative)
    if unknown.any():
        raise ValueError(f"y: the model's classes are {form.classes!r}, but a label is {given[unknown][0]!r}")
    return positive.astype(float)


def _numbers(y: np.ndarray, loss: str) -> np.ndarray:
    try:
        out = y.astype(float)
    except (TypeError, ValueError):
        raise TypeError(f"y: expected numbers, got {y[:3].tolist()!r}") from None
    if not np.isfinite(out).all():
        raise ValueError("y: expected finite numbers, got nan or infinity")
    if loss == "log" and not np.isin(out, (0.0, 1.0)).all():
        raise ValueError(f"y: the loss 'log' needs labels 0 and 1, got {out[~np.isin(out, (0.0, 1.0))][0]:g}")
    return out

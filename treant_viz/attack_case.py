"""Rows with their labels: which way a score hurts, how much, and what the outcome of a search means for the rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.attack_moves import Step
from treant_viz.attack_rewrite import rewritten
from treant_viz.ensembles import Ensemble
from treant_viz.losses import Loss, get_loss


@dataclass(frozen=True, slots=True, eq=False)
class AttackResult:
    """The worst attack on each row.

    `scores` are what the model says of `X_adv` (probability of the second class, prediction, or what a booster's
    `predict` gives), `losses` their losses; `rules` the steps, in order, that turn each row of X into `X_adv` at
    `costs`. No attack on a row does more than `upper`; where `exact`, that is its loss.
    """

    X_adv: Any
    scores: np.ndarray
    clean_scores: np.ndarray
    losses: np.ndarray
    clean_losses: np.ndarray
    costs: np.ndarray
    rules: tuple[tuple[Step, ...], ...]
    exact: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def __post_init__(self) -> None:
        for name in ("scores", "clean_scores", "losses", "clean_losses", "costs", "exact", "lower", "upper"):
            getattr(self, name).setflags(write=False)

    def __repr__(self) -> str:
        hit, open_ = sum(map(bool, self.rules)), int((~self.exact).sum())
        loss = f"loss {self.clean_losses.sum():.6g} -> {self.losses.sum():.6g}"
        limit = f"at most {self.upper.sum():.6g}: a limit struck in {open_} rows" if open_ else "exact"
        return f"AttackResult: {len(self.losses)} rows, {hit} attacked, {loss}, {limit}"


@dataclass(slots=True, eq=False)
class Found:
    """What a search brings back, per row: steps, the score they lead to, their cost; and the loss none exceeds."""

    steps: list[tuple[Step, ...]]
    score: np.ndarray
    cost: np.ndarray
    upper: np.ndarray
    exact: np.ndarray


class Case:
    """A model with rows and labels: scores become losses here, and what was found becomes a result."""

    def __init__(self, form: Ensemble, X: Any, y: Any, loss: str | None) -> None:
        self.form, self.X, name = form, X, loss or form.loss
        self.n = len(X)
        self.y = _labels(form, y, self.n, name)
        self.loss: Loss | None = None if name == "margin" else get_loss(name, binary=name == "log")
        self.middle = 0.5 if form.classes is not None or name == "log" else 0.0
        self.clean = np.asarray(form.scores(X), dtype=float)
        if name == "log" and not -1e-9 <= self.range[0] <= self.range[1] <= 1 + 1e-9:
            raise ValueError("loss: 'log' needs a model whose scores are probabilities; this one's leave [0, 1]")

    def ell(self, score: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.loss is None:
            return np.where(y > self.middle, -score, score)
        return np.asarray(self.loss.ell(score, y))

    def score(self, raw: np.ndarray) -> np.ndarray:
        return self.form.link(self.form.base + self.form.scale * raw)

    def rows(self, places: list[int]) -> Any:
        """Some rows of X."""
        return self.X.iloc[places] if isinstance(self.X, pd.DataFrame) else self.X[places]

    @cached_property
    def range(self) -> tuple[float, float]:
        """Between what the model's scores lie, whatever the row."""
        nodes = self.form.nodes
        leaf = nodes.feature < 0
        first = np.cumsum(leaf)[nodes.roots] - leaf[nodes.roots]
        least, most = (f.reduceat(nodes.value[leaf], first).sum() for f in (np.minimum, np.maximum))
        low, high = self.score(np.array([least, most]))
        return float(low), float(high)

    def directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Which rows can be hurt by a greater score, and which by a smaller one."""
        if self.loss is None or self.loss.binary:
            return self.y <= self.middle, self.y > self.middle
        low, high = self.range
        return self.y < high, self.y > low

    def result(self, found: Found) -> AttackResult:
        """Rewrite the rows and let the model speak."""
        changes: dict[int, dict[int, Any]] = {}
        for row, steps in enumerate(found.steps):
            for step in steps:
                changes.setdefault(self.form.schema.index(step.rule.feature), {})[row] = step.after
        X_adv = rewritten(self.X, changes)
        scores = self._scores(X_adv, [row for row, steps in enumerate(found.steps) if steps], found.score)
        losses = self.ell(scores, self.y)
        upper = np.where(found.exact, losses, np.maximum(found.upper, losses))
        clean = self.ell(self.clean, self.y)
        rules = tuple(found.steps)
        return AttackResult(
            X_adv, scores, self.clean, losses, clean, found.cost, rules, found.exact, losses.copy(), upper
        )

    def _scores(self, X_adv: Any, attacked: list[int], promised: np.ndarray) -> np.ndarray:
        """The model's own word on the attacked rows; it must be what the search promised."""
        scores = self.clean.copy()
        if attacked:
            part = X_adv.iloc[attacked] if isinstance(X_adv, pd.DataFrame) else X_adv[attacked]
            scores[attacked] = self.form.scores(part)
        wrong = np.abs(scores - promised) > 1e-7 * (1.0 + np.abs(promised))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise RuntimeError(
                f"model: its trees add up to {promised[row]!r} in row {row}, but it says {scores[row]!r}: "
                "it cannot be attacked as it stands"
            )
        return scores


def nothing(X: Any, y: Any) -> AttackResult:
    """The result for a table without rows."""
    if len(y):
        raise ValueError(f"y: expected no labels, because X has no rows, got {len(y)}")
    none, flags = np.zeros(0), np.zeros(0, dtype=bool)
    return AttackResult(X, none, none, none, none, none, (), flags, none, none)


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

"""How good a model is and how good it stays: accuracy, macro F1 and ROC AUC, unattacked and under attack.

Both classes are attacked, and every measure is computed from one worst score a row: the least that any attack
gives if the row is positive, the greatest otherwise. A score counts as positive from the model's threshold
on: 0.5 for classifiers and for labels 0/1, 0 for models of the labels -1/+1.

>>> from treant_viz import Attacker, Leaf, Node, Rule
>>> stump = Node("p", 1.0, Leaf(0.0), Leaf(1.0))
>>> X, A = pd.DataFrame({"p": [0.0, 1.0, 2.0, 3.0]}), Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> evaluate(stump, X, [0, 0, 1, 1])
{'accuracy': 1.0, 'macro_f1': 1.0, 'roc_auc': 1.0}
>>> evaluate(stump, X, [0, 0, 1, 1], A)
{'accuracy': 0.5, 'macro_f1': 0.5, 'roc_auc': 0.5}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import chi2

from treant_viz.core.attacker.rules import Attacker
from treant_viz.long_work import Progress, reporter

METRICS = ("accuracy", "macro_f1", "roc_auc")
SLICE = 2_000_000  # resamples times rows that are measured together


def evaluate(model: Any, X: Any, y: Any, A: Attacker | None = None) -> dict[str, float]:
    """Accuracy, macro F1 and ROC AUC: unattacked, or under attack if an attacker is given."""
    A = A or Attacker([], 0.0)
    return worst_scores(model, X, y, A, [A.budget])[A.budget].measures()


def security_curve(
    models: Any,
    X: Any,
    y: Any,
    A: Attacker,
    budgets: Iterable[float],
    *,
    n_boot: int = 1000,
    level: float = 0.95,
    random_state: Any = 0,
    progress: Progress = None,
) -> pd.DataFrame:
    """How the measures of one or several models fall as the attacker's budget rises.

    `models`: a fitted model, or a dict of them by name. `A` gives the rules, `budgets` replace its budget;
    one run of the attack serves all of them, and budget 0 is the model unattacked. `progress`: True, or a
    function of (done, total).

    Returns a tidy table, one line a model, budget and metric (in this order): the columns `model`, `budget`,
    `metric` ("accuracy", "macro_f1" or "roc_auc"), `value`, and `low` and `high`, the ends of its bootstrap
    interval (percentiles of `n_boot` resamples of the rows, the same for all models and budgets; nan if
    n_boot is 0).

    Accuracy alone is also a sorted column of `evasion_cost`, at every budget there is: the share of rows that
    are right and cost more. ROC AUC needs the worst score of each row at each budget, and F1 comes with it;
    so the attack is run here, once for all budgets, which takes about 1.4 times as long as the costs do.
    """
    named = models if isinstance(models, Mapping) else {type(models).__name__: models}
    budgets = list(dict.fromkeys(budgets))
    _check(named, X, n_boot, level)
    report, total = reporter(progress, "rows attacked"), len(named) * len(X)
    drawn, lines = resamples(len(X), n_boot, random_state), []
    for i, (name, model) in enumerate(named.items()):
        judged = worst_scores(model, X, y, A, budgets, progress=_from(i * len(X), report, total))
        lines += [(name, b, *line) for b in budgets for line in judged[b].lines(drawn, level)]
        report((i + 1) * len(X), total)
    return pd.DataFrame(lines, columns=["model", "budget", "metric", "value", "low", "high"])


def correct_under_attack(model: Any, X: Any, y: Any, A: Attacker) -> np.ndarray:
    """Which rows the model still gets right when they are attacked."""
    return worst_scores(model, X, y, A, [A.budget])[A.budget].correct


class McNemar(NamedTuple):
    """Is one of two classifiers better? `p_value`: how likely so great a difference is if neither is."""

    statistic: float
    p_value: float


def mcnemar(correct_a: Any, correct_b: Any) -> McNemar:
    """McNemar's test with continuity correction, on which rows two models get right.

    Of 20 rows that only one of them gets right, 15 are the first one's: (|15 - 5| - 1)^2 / 20.

    >>> mcnemar([True] * 15 + [False] * 5, [False] * 15 + [True] * 5)
    McNemar(statistic=4.05, p_value=0.04417134...)
    """
    a, b = (np.asarray(c, dtype=bool) for c in (correct_a, correct_b))
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(
            f"correct_a, correct_b: expected two arrays of one length, got {a.shape} and {b.shape}"
        )
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    if only_a == only_b:
        return McNemar(0.0, 1.0)
    statistic = (abs(only_a - only_b) - 1) ** 2 / (only_a + only_b)
    return McNemar(statistic, float(chi2.sf(statistic, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One score a row, who is positive in truth, and from which score on the model says so."""

    scores: np.ndarray
    positive: np.ndarray
    threshold: float

    @property
    def correct(self) -> np.ndarray:
        return (self.scores >= self.threshold) == self.positive

    def measures(self) -> dict[str, float]:
        """Every metric by name."""
        once = np.ones((1, len(self.scores)))
        return {k: float(v) for k, v in zip(METRICS, self.resampled(once)[0], strict=True)}

    def resampled(self, times: np.ndarray) -> np.ndarray:
        """[resample, metric]: the measures if row i counts `times[resample, i]` times; nan if undefined."""
        predicted = self.scores >= self.threshold
        accuracy = times @ self.correct / times.sum(axis=1)
        f1 = [_f1(times, predicted == side, self.positive == side) for side in (True, False)]
        present = np.sum(~np.isnan(f1), axis=0)
        return np.column_stack(
            [accuracy, np.nansum(f1, axis=0) / present, _auc(times, self.scores, self.positive)]
        )

    def lines(self, resamples: np.ndarray, level: float) -> list[tuple[str, float, float, float]]:
        """Per metric: its name, its value, and the ends of its bootstrap interval."""
        size = max(1, SLICE // len(self.scores))
        parts = [
            self.resampled(resamples[i : i + size].astype(float)) for i in range(0, len(resamples), size)
        ]
        ends = np.full((2, len(METRICS)), np.nan)
        if parts:
            ends = _quantiles(np.concatenate(parts), (1 - level) / 2)
        return [
            (k, v, float(a), float(b)) for (k, v), a, b in zip(self.measures().items(), *ends, strict=True)
        ]


def worst_scores(
    model: Any, X: Any, y: Any, A: Attacker, budgets: Iterable[float], *, progress: Progress = None
) -> dict[float, Judged]:
    """By budget: the worst score of every row, ready to be measured."""
    if not len(X):
        raise ValueError("X: expected at least one row to evaluate on, got none")
    from treant_viz.attacks.attack import attack_budgets  # here: stored results are read without a learner

    results = attack_budgets(model, X, y, A, budgets, "margin", progress=progress)
    positive, threshold = _truth(model, np.asarray(y))
    return {b: Judged(r.scores, positive, threshold) for b, r in results.items()}


def _truth(model: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Which rows are positive, and the threshold of the model's scores."""
    classes = getattr(model, "classes_", None)
    if classes is not None:
        return y == classes[1], 0.5
    if not np.isin(y, (0, 1)).all() and not np.isin(y, (-1, 1)).all():
        raise ValueError(
            f"y: expected labels 0/1 or -1/+1 to measure accuracy, got {np.unique(y)[:5].tolist()!r}"
        )
    return y > 0, 0.0 if (y < 0).any() else 0.5


def _f1(times: np.ndarray, predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """The F1 of one class; nan where it is neither true nor predicted."""
    hit, either = times @ (predicted & true), times @ predicted + times @ true
    return np.divide(2 * hit, either, out=np.full(len(times), np.nan), where=either > 0)


def _auc(times: np.ndarray, scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The share of pairs (positive, negative) in the right order, ties counting half; nan without pairs."""
    order = np.argsort(scores, kind="stable")
    start = np.flatnonzero(np.r_[True, np.diff(scores[order]) > 0])
    P, N = (np.add.reduceat((times * side)[:, order], start, axis=1) for side in (positive, ~positive))
    below = np.cumsum(N, axis=1) - N / 2
    pairs = P.sum(axis=1) * N.sum(axis=1)
    return np.divide((below * P).sum(axis=1), pairs, out=np.full(len(times), np.nan), where=pairs > 0)


def resamples(n: int, n_boot: int, random_state: Any) -> np.ndarray:
    """[resample, row]: how often each row is drawn."""
    rng = np.random.default_rng(random_state)
    drawn = [np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(n_boot)]
    return np.array(drawn, dtype=np.int32).reshape(n_boot, n)


def _quantiles(values: np.ndarray, tail: float) -> np.ndarray:
    """[end, metric]; resamples where a metric is undefined are left out."""
    columns = [c[~np.isnan(c)] for c in values.T]
    return np.array([np.quantile(c, [tail, 1 - tail]) if len(c) else [np.nan] * 2 for c in columns]).T


def _check(models: Mapping[Any, Any], X: Any, n_boot: int, level: float) -> None:
    if not models:
        raise ValueError("models: expected at least one fitted model, got none")
    if not len(X):
        raise ValueError("X: expected at least one row to evaluate on, got none")
    if not isinstance(n_boot, (int, np.integer)) or n_boot < 0:
        raise ValueError(f"n_boot: expected a whole number of at least 0, got {n_boot!r}")
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level!r}")


def _from(before: int, report: Callable[[int, int], object], total: int) -> Callable[[int, int], object]:
    """The progress of one model as part of that of all of them: `before` counts the rows done earlier."""
    return lambda done, _: report(before + done, total)


__all__ = [
    "METRICS",
    "McNemar",
    "correct_under_attack",
    "evaluate",
    "mcnemar",
    "security_curve",
    "worst_scores",
]

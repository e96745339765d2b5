"""What pictures of security curves show: curves, printed numbers, and how far each moves.

A table has a line a model, budget and metric, as `security_curve` returns it. Columns that it may have more:
`dataset`, `low` and `high` (the ends of an interval), and for live pictures `train_budget` and `reading`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

COLUMNS = ("model", "budget", "metric", "value")
METRIC_NAMES = {"accuracy": "accuracy", "macro_f1": "macro F1", "roc_auc": "ROC AUC"}
STEADY = 0.05  # a measure that moves no more than this over all budgets hardly moves
_OPTIONAL = {"dataset": "", "low": float("nan"), "high": float("nan")}


class CurvePoint(NamedTuple):
    """A measure at a budget, with the ends of its interval (nan: none)."""

    budget: float
    value: float
    low: float
    high: float


class Curve(NamedTuple):
    """One model on one data set by one measure, budgets ascending."""

    dataset: str
    metric: str
    model: str
    points: tuple[CurvePoint, ...]

    @property
    def span(self) -> float:
        """How far the measure moves."""
        values = [p.value for p in self.points]
        return max(values) - min(values)

    @property
    def fall(self) -> float:
        """How much is lost from the first budget to the last."""
        return self.points[0].value - self.points[-1].value

    @property
    def has_band(self) -> bool:
        return all(p.low == p.low and p.high == p.high for p in self.points)


class Printed(NamedTuple):
    """A number printed elsewhere, to be shown beside ours."""

    dataset: str
    metric: str
    model: str
    budget: float
    value: float


def checked(frame: Any, what: str) -> pd.DataFrame:
    """A table with all columns, or words about what is wrong with it."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"{what}: expected a data frame as `security_curve` returns it, got {type(frame).__name__}"
        )
    if missing := [c for c in COLUMNS if c not in frame]:
        raise ValueError(f"{what}: the columns {missing} are missing; expected {list(COLUMNS)} and more")
    if frame.empty:
        raise ValueError(f"{what}: expected at least one row, got none")
    optional: dict[str, Any] = {c: default for c, default in _OPTIONAL.items() if c not in frame}
    return frame.assign(**optional)


def curves_of(frame: pd.DataFrame) -> Iterator[Curve]:
    for (dataset, metric, model), rows in frame.groupby(["dataset", "metric", "model"], sort=False):
        values = rows.sort_values("budget")[["budget", "value", "low", "high"]]
        points = tuple(CurvePoint(*map(float, v)) for v in values.to_numpy())
        yield Curve(str(dataset), str(metric), str(model), points)


def printed_of(frame: pd.DataFrame) -> Iterator[Printed]:
    for r in frame.to_dict("records"):
        yield Printed(r["dataset"], r["metric"], r["model"], float(r["budget"]), float(r["value"]))


def steadiest(curves: Iterable[Curve]) -> tuple[str, float]:
    """The model whose measures move least over all budgets, and by how much they do."""
    spans: dict[str, float] = {}
    for c in curves:
        spans[c.model] = max(spans.get(c.model, 0.0), c.span)
    best = min(spans, key=lambda m: spans[m])
    return best, spans[best]


def faller(curves: Iterable[Curve], model: str) -> tuple[str, float]:
    """Of the other models the one that falls deepest, and how deep; nobody falls: ("", 0)."""
    falls = [(c.fall, c.model) for c in curves if c.model != model]
    deepest = max(falls, key=lambda f: f[0], default=(0.0, ""))
    return (deepest[1], deepest[0]) if deepest[0] > 0 else ("", 0.0)


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["RF", "GBDT", "AB"])
    'RF, GBDT and AB'
    """
    *most, end = [*words] or [""]
    return f"{', '.join(most)} and {end}" if most else end


def spread(values: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """Places close to the values, at least `step` apart, inside [low, high] if there is room.

    >>> spread([0.5, 0.5, 0.9], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[tuple[float, int]] = []  # centre, how many
    for i in order:
        blocks.append((values[i], 1))
        while len(blocks) > 1 and blocks[-1][0] - blocks[-2][0] < step * (blocks[-1][1] + blocks[-2][1]) / 2:
            (c1, n1), (c2, n2) = blocks[-2:]
            blocks[-2:] = [((c1 * n1 + c2 * n2) / (n1 + n2), n1 + n2)]
    places = [c + step * (k - (n - 1) / 2) for c, n in blocks for k in range(n)]
    for i in reversed(range(len(places))):
        places[i] = min(places[i], places[i + 1] - step if i + 1 < len(places) else high)
    for i in range(len(places)):
        places[i] = max(places[i], places[i - 1] + step if i else low)
    return [round(places[order.index(i)], 12) for i in range(len(values))]


__all__ = [
    "COLUMNS", "METRIC_NAMES", "STEADY", "Curve", "CurvePoint", "Printed", "checked", "curves_of", "faller",
    "listed", "printed_of", "spread", "steadiest",
]  # fmt: skip

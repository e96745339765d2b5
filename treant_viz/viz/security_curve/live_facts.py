"""What the live picture of security curves shows, in every state its controls can reach, as plain JSON.

A line is a model that was trained for one budget (null: nobody said for which), on a data set and in a
reading of the paper; its columns go by measure. Everything else names data sets, models, measures and
readings by their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.colors import to_hex

from treant_viz.viz.facts import exact, exacts
from treant_viz.viz.security_curve.facts import METRIC_NAMES, Curve, CurvePoint
from treant_viz.viz.style.palette import LIGHT, methods
from treant_viz.viz.train_test.facts import price

Json = dict[str, Any]
KEY = ["reading", "dataset", "model", "train_budget"]
SHADES = 48
NONE = [float("nan")] * 3


def live_facts(table: pd.DataFrame, paper: pd.DataFrame, trained: Mapping[str, float], x: str) -> Json:
    """From tables with all columns of `complete`; `trained`: by data set, what all were trained for."""
    known: dict[str, list[Any]] = {c: list(dict.fromkeys(table[c])) for c in ("reading", "dataset", "model")}
    measures = list(dict.fromkeys(table["metric"]))
    looks = methods(known["model"])
    scales = table.groupby("metric", sort=False)["value"].agg(["min", "max"])
    return {
        "picture": "curves",
        "x": x,
        "readings": known["reading"],
        "datasets": known["dataset"],
        "measures": [{"key": m, "name": METRIC_NAMES.get(m, m)} for m in measures],
        "models": [{"name": m, "look": _look(looks[m])} for m in known["model"]],
        "lines": list(_lines(table, known, measures)),
        "paper": list(_printed(paper, known, measures)),
        "trained": [exact(trained[d]) if d in trained else None for d in known["dataset"]],
        "scales": [exacts(scales.loc[m]) for m in measures],
        "prices": list(_prices(table, known, measures)),
        "colors": [[c, LIGHT.on(c)] for c in _shades()],
    }


def complete(frame: pd.DataFrame) -> pd.DataFrame:
    """A checked table with the columns of live pictures: nan is a training budget that nobody told."""
    extra: dict[str, Any] = {"reading": "", "train_budget": float("nan")}
    full = frame.assign(**{c: v for c, v in extra.items() if c not in frame})
    return full.astype({"reading": str, "dataset": str, "model": str, "metric": str, "train_budget": float})


def _look(m: Any) -> list[Any]:
    dash = None if m.dash == "-" else [float(d) for d in m.dash[1]]
    return [m.color, m.marker, dash, m.width]


def _shades() -> list[str]:
    return [to_hex(c).upper() for c in colormaps[LIGHT.measure](np.linspace(0, 1, SHADES))]


def _lines(table: pd.DataFrame, known: Mapping[str, list[Any]], measures: list[str]) -> Iterator[Json]:
    for key, rows in table.groupby(KEY, sort=False, dropna=False):
        places = {c: known[c].index(v) for c, v in zip(KEY[:3], key[:3], strict=True)}
        columns = rows[["budget", "metric", "value", "low", "high"]].itertuples(index=False, name=None)
        cells = {(float(b), m): v for b, m, *v in columns}
        budgets = sorted({b for b, _ in cells})
        curves = [_curve(cells, budgets, m) for m in measures]
        yield places | {
            "train": _number(key[3]),
            "budgets": exacts(budgets),
            **{c: [[_number(cells.get((b, m), NONE)[k]) for b in budgets] for m in measures]
               for k, c in enumerate(("value", "low", "high"))},
            "span": [None if c is None else exact(c.span) for c in curves],
            "fall": [None if c is None else exact(c.fall) for c in curves],
        }  # fmt: skip


def _number(x: Any) -> float | None:
    """Null where nothing is known."""
    return None if x != x else exact(x)


def _curve(cells: Mapping[Any, list[float]], budgets: list[float], measure: str) -> Curve | None:
    points = tuple(CurvePoint(b, *cells[b, measure]) for b in budgets if (b, measure) in cells)
    return Curve("", "", "", points) if points else None


def _printed(
    paper: pd.DataFrame, known: Mapping[str, list[Any]], measures: list[str]
) -> Iterator[list[float | int | None]]:
    """Data set, model, training budget, budget, measure, value."""
    for r in paper.to_dict("records"):
        if r["dataset"] in known["dataset"] and r["model"] in known["model"] and r["metric"] in measures:
            places = [known[c].index(r[c]) for c in ("dataset", "model")]
            train, budget, value = (_number(r[c]) for c in ("train_budget", "budget", "value"))
            yield [*places, train, budget, measures.index(r["metric"]), value]


def _prices(table: pd.DataFrame, known: Mapping[str, list[Any]], measures: list[str]) -> Iterator[Json]:
    """What it costs to expect too little or too much, of models that were trained for several budgets."""
    for key, rows in table.groupby(KEY[:3], sort=False):
        if rows["train_budget"].nunique() < 2:
            continue
        cells = list(rows[["metric", "train_budget", "budget", "value"]].itertuples(index=False, name=None))
        costs = [price([[(k, t, v) for metric, k, t, v in cells if metric == m]]) for m in measures]
        places = {c: known[c].index(v) for c, v in zip(KEY[:3], key[:3], strict=True)}
        yield places | {
            "little": [_number(c.too_little) for c in costs],
            "much": [_number(c.too_much) for c in costs],
        }


__all__ = ["complete", "live_facts"]

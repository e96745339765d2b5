"""What the form of an attacker is given, as plain JSON: features with histograms, and the reach of rows.

An infinite end or budget is written as in files, "inf" or "-inf".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treant_viz.core.serial import Json, number_out
from treant_viz.viz.facts import exact
from treant_viz.viz.facts import shown as feature_shown
from treant_viz.viz.rule.facts import ValueStages
from treant_viz.viz.style.text import names

Column = tuple[Any, Sequence[Any], Sequence[Any] | None]
BINS = 40
SHORT = 22  # letters of a name


def feature_facts(columns: Sequence[Column], data: bool) -> list[Json]:
    """A feature each for (key, values, categories or None); without `data` values are made up."""
    long = [feature_shown(key) for key, _, _ in columns]
    short = names(long, SHORT)
    return [
        {"key": key, "name": name, "short": short[name], **_column(values, categories, data)}
        for name, (key, values, categories) in zip(long, columns, strict=True)
    ]


def _column(values: Sequence[Any], categories: Sequence[Any] | None, data: bool) -> Json:
    if categories is None:
        return {"kind": "number", **_histogram(np.asarray(values, dtype=float), data)}
    short = names([str(c) for c in categories], SHORT)
    rows = Counter(values) if data else {}
    known = ((c, rows.get(c, 0) if data else None) for c in categories)
    return {
        "kind": "category",
        "categories": [{"key": c, "short": short[str(c)], "rows": n} for c, n in known],
    }


def _histogram(values: np.ndarray, data: bool) -> Json:
    """Few distinct values one by one (width 0), else bins of one width."""
    at, counts = np.unique(values, return_counts=True)
    ends = {"low": exact(at[0]), "high": exact(at[-1])}
    if not data:
        return ends | {"at": [], "counts": [], "width": 0}
    if len(at) <= BINS:
        return ends | {"at": [exact(x) for x in at], "counts": counts.tolist(), "width": 0}
    counts, edges = np.histogram(values, BINS)
    return ends | {
        "at": [exact(x) for x in edges[:-1]],
        "counts": counts.tolist(),
        "width": exact(edges[1] - edges[0]),
    }


def row_facts(
    values: Sequence[Any], reaches: Iterable[tuple[int, ValueStages]], name: str, y: float | None
) -> Json:
    """A row: its values by the places of the features, and what becomes of those that rules touch."""
    return {
        "name": name,
        "y": y,
        "values": [v if isinstance(v, str) else exact(v) for v in values],
        "reach": {str(place): reach_json(found) for place, found in reaches},
    }


def reach_json(found: ValueStages) -> Json:
    """Stages as [cost, pieces]; a piece is [low, high], or a category."""
    return {
        "stages": [[exact(s.cost), [_piece(p) for p in s.pieces]] for s in found.stages],
        "whole": found.whole,
        "followed": _end(found.followed),
    }


def _piece(piece: Any) -> Any:
    return [_end(e) for e in piece] if isinstance(piece, tuple) else piece


def _end(x: float) -> float | str | None:
    return number_out(x) if exact(x) is None else exact(x)


__all__ = ["feature_facts", "reach_json", "row_facts"]

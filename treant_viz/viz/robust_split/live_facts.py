"""What the picture of a split shows, in every state its controls can reach, as plain JSON.

Columns, not objects; positions on the axis are written once (`points`), all else names them by place. A loss
that is infinite is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treant_viz.trace.what_if_records import BudgetLevel, FeatureStates, Plans
from treant_viz.viz.facts import LOSSES, Json, exact, exacts, shown

FLOWS = ("left_left", "left_right", "right_left", "right_right")  # of unknown rows: unattacked, under attack


def split_facts(
    features: Sequence[Any],
    attacked: Sequence[Any],
    y: np.ndarray,
    loss: str,
    tables: Iterable[FeatureStates],
    budget: float,
) -> Json:
    """Facts for the browser: the names of all features, and a table for each of some of them."""
    names = list(features)
    return {
        "picture": "split",
        "loss": LOSSES[loss],
        "y": exacts(y),
        "features": [{"name": shown(f), "attacked": f in attacked} for f in names],
        "tables": {str(names.index(t.feature)): table(t, budget) for t in tables},
    }


def table(states: FeatureStates, budget: float) -> Json:
    """One feature in all its states; `first` is a threshold to begin with, for someone with this budget."""
    if states.categories is not None:
        points, places = [str(c) for c in states.categories], None
    else:
        places = np.unique(np.concatenate([states.values, *(e for v in states.levels for e in _ends(v))]))
        places = places[np.isfinite(places)]
        points = places.tolist()
    return {
        "kind": "number" if places is not None else "category",
        "points": points,
        "first": states.first(budget)[0],
        "values": _at(places, states.values),
        "codes": states.codes.tolist(),
        "all_thresholds": states.all_thresholds,
        "levels": [_level(v, places) for v in states.levels],
    }


def _ends(level: BudgetLevel) -> tuple[np.ndarray, ...]:
    return level.low, level.high, level.thresholds


def _at(places: np.ndarray | None, x: np.ndarray) -> list[int]:
    """Where numbers stand among the points: -1 below all, their count above all; categories are places."""
    if places is None:
        return x.astype(int).tolist()
    at = np.searchsorted(places, x)
    return np.where(np.isneginf(x), -1, at).tolist()


def _level(level: BudgetLevel, places: np.ndarray | None) -> Json:
    ends: Json = {"reach": level.reach.astype(int).tolist()}
    if places is not None:
        ends = {"low": _at(places, level.low), "high": _at(places, level.high)}
    return {
        "cost": exact(level.cost),
        **ends,
        "at": _at(places, level.thresholds),
        "left": level.left.tolist(),
        "unknown": level.unknown.tolist(),
        "right": level.right.tolist(),
        "standard": plan_columns(level.standard),
        **_under_attack(level),
    }


def _under_attack(level: BudgetLevel) -> Json:
    """Where no row is ever unknown, the robust plan is the standard one, and the four cases are one."""
    if not level.unknown.any():
        return {"cases": [exacts(level.cases[0])]}
    return {"robust": plan_columns(level.robust), "cases": [exacts(case) for case in level.cases]}


def plan_columns(plan: Plans) -> Json:
    """Leaves, losses and flows by name."""
    names = ("y_l", "y_r", "loss", "loss_under_attack")
    flows = zip(FLOWS, plan.flows.astype(int).tolist(), strict=True)
    return {n: exacts(getattr(plan, n)) for n in names} | dict(flows)


__all__ = ["plan_columns", "split_facts", "table"]

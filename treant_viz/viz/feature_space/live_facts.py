"""What the live picture of feature space shows, for every plane, row and budget, as plain JSON.

Columns, not objects. A plane is two features; the others stand still. A `way` is a row, a region in its
reach, the least cost of getting there and the point where that ends; the levels say, for every budget that
matters, which way hurts each row most. An end of a region that is infinite is null, a category is its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treant_viz.attacks.leaf_attacks import LeafAttacks
from treant_viz.attacks.moves import HAIR
from treant_viz.attacks.tables import some_rows
from treant_viz.core.tree import Tree
from treant_viz.viz.facts import Json, exact, exacts, shown
from treant_viz.viz.feature_space.facts import Extent, PlaneReach, regions_by_path
from treant_viz.viz.feature_space.planes import Planes

Pair = tuple[int, int]


def space_facts(
    data: Planes,
    at: Sequence[int],
    names: Sequence[str],
    pairs: Iterable[Pair],
    budget: float,
    span: Pair | Any,
) -> Json:
    """Facts for the browser: all features, the rows at these places, and some planes; `data` has the greatest
    budget, `budget` is the attacker's own.
    """
    touched = data.order()[1]
    columns = enumerate(data.schema.columns)
    return {
        "picture": "space",
        "budget": exact(budget),
        "span": exacts(np.asarray(span, dtype=float)),
        "features": [{"name": shown(c.name), "attacked": j in touched} for j, c in columns],
        "rows": {"at": list(at), "name": list(names), "y": exacts(data.y[list(at)])},
        "planes": {f"{a},{b}": plane_facts(data, (a, b), list(at), budget) for a, b in pairs},
    }


def plane_facts(data: Planes, keep: Pair, at: list[int], budget: float) -> Json:
    """One plane; rows are named by their place in `at`."""
    row, flat, same = data.slice(keep, at)
    known = [data.schema.columns[f].categories for f in keep]
    places = {r: i for i, r in enumerate(at)}
    found = regions_by_path(flat, keep, data.schema)
    reach = [_reach(data, keep, k, same) for k in (0, 1)]
    fixed = [[j, _shown(data, j, v)] for j, v in enumerate(row.tolist()) if j not in keep]
    return {
        "x": keep[0],
        "y": keep[1],
        "categories": [None if c is None else [str(v) for v in c] for c in known],
        "fixed": fixed,
        "regions": {
            "prediction": exacts(np.array([r.prediction for r in found.values()])),
            "x": [_extent(r.x) for r in found.values()],
            "y": [_extent(r.y) for r in found.values()],
        },
        "rows": {"at": [places[r] for r in same], **_points(data, keep, same)},
        "reach": reach,
        **_attacks(data, keep, same, flat, list(found), _costs(reach, data.attacker.budget), budget),
    }


def _shown(data: Planes, j: int, v: float) -> Any:
    """A value that stands still: a number, or the category at that place."""
    categories = data.schema.columns[j].categories
    return exact(v) if categories is None else str(categories[int(v)])


def _extent(extent: Extent) -> list[Any]:
    if isinstance(extent, frozenset):
        return sorted(extent)
    return [exact(e) if math.isfinite(e) else None for e in extent]


def _points(data: Planes, keep: Pair, same: list[int]) -> Json:
    return {name: exacts(data.M[same, f]) for name, f in zip("xy", keep, strict=True)}


def _reach(data: Planes, keep: Pair, k: int, same: list[int]) -> Json:
    """For each different value of a feature: costs, each with the spans that can be had for it."""
    reach = PlaneReach.of(data.schema, data.attacker, keep)
    values = np.unique(data.M[same, keep[k]]).tolist()
    levels = [
        [[exact(cost), [[exact(a), exact(b)] for a, b in spans]] for cost, spans in reach.levels(keep[k], v)]
        for v in values
    ]
    return {"value": [exact(v) for v in values], "levels": levels}


def _costs(reach: Sequence[Json], top: float) -> list[float]:
    """All budgets at which something changes: sums of a cost in one feature and a cost in the other."""
    across, up = ({float(c) for levels in r["levels"] for c, _ in levels} | {0.0} for r in reach)
    return sorted({float(exact(a + b) or 0.0) for a in across for b in up if a + b <= top * HAIR})


def _attacks(
    data: Planes, keep: Pair, same: list[int], flat: Tree, paths: list[str], costs: list[float], budget: float
) -> Json:
    """All ways of all rows; for each budget each row's worst, and what that comes to; the order of loss."""
    if not same:
        none: Json = {"row": [], "region": [], "cost": [], "x": [], "y": [], "loss": []}
        still: list[Json] = [
            {"cost": exact(c), "worst": [], "at_risk": 0, "hit": 0, "loss": 0} for c in costs
        ]
        return {"ways": none, "levels": still, "own": [], "order": [], "loss": 0}
    found = LeafAttacks(flat, some_rows(data.X, same), data.y[same], data.attacker, "sse")
    region = [paths.index(found.ends[leaf][0]) for leaf in found.leaf.tolist()]
    loss = found.losses[found.label[found.row], found.leaf]
    gained = found.worst(budget) - found.unattacked
    return {
        "ways": {
            "row": found.row.tolist(),
            "region": region,
            "cost": exacts(found.cost),
            "loss": exacts(loss),
            **_ends(data, keep, same, found),
        },
        "levels": [_level(found, cost) for cost in costs],
        "own": np.flatnonzero(found.leaf == found.home[found.row]).tolist(),
        "order": np.argsort(-gained, kind="stable").tolist(),
        "loss": exact(float(found.unattacked.sum())),
    }


def _level(found: LeafAttacks, cost: float) -> Json:
    best, within = found.best(cost), found.cost <= cost * HAIR
    predicted, starts = found.predictions[found.leaf], found.start[:-1]
    low = np.minimum.reduceat(np.where(within, predicted, np.inf), starts)
    high = np.maximum.reduceat(np.where(within, predicted, -np.inf), starts)
    worst = found.worst(cost)
    return {
        "cost": exact(cost),
        "worst": best.tolist(),
        "at_risk": int((high > low).sum()),
        "hit": int((worst > found.unattacked + 1e-9).sum()),
        "loss": exact(float(worst.sum())),
    }


def _ends(data: Planes, keep: Pair, same: list[int], found: LeafAttacks) -> Json:
    """Where each way leads."""
    points = data.M[same][found.row][:, list(keep)]
    for i, chains in enumerate(found.chains_of(range(len(found.row)))):
        for move in (chain[-1] for chain in chains if chain):
            f = data.schema.index(move.rule.feature)
            categories = data.schema.columns[f].categories
            points[i, keep.index(f)] = move.after if categories is None else categories.index(move.after)
    return {"x": exacts(points[:, 0]), "y": exacts(points[:, 1])}


__all__ = ["plane_facts", "space_facts"]

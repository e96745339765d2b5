"""Which plane of two features a picture shows, and what is to be seen in it: rows, regions, attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacks.attack import attack
from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.core.tree import Tree, nodes
from treant_viz.viz.feature_space.facts import (
    PlaneBox,
    PlaneReach,
    Region,
    in_plane,
    predictions_in,
    regions,
    standing,
)

TRIED, PROBES = 5, 100  # features whose planes are tried if none are given, and rows to try them on


class Plane(NamedTuple):
    """A tree in one plane: what stands still, its regions, the rows that see it so, and what attacks do."""

    row: np.ndarray
    regions: tuple[Region, ...]
    same: list[int]
    boxes: dict[int, tuple[PlaneBox, ...]]
    risk: set[int]
    moves: dict[int, tuple[float, float]]
    costs: dict[int, float]
    gained: dict[int, float]
    losses: tuple[float, float]

    def says(self, at: tuple[float, float]) -> float:
        """What the tree predicts at a point."""
        [prediction] = predictions_in([PlaneBox((at[0], at[0]), (at[1], at[1]))], self.regions)
        return prediction


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """A tree, rows and an attacker, to be looked at in any plane."""

    t: Tree
    X: Any
    y: np.ndarray
    schema: Schema
    M: np.ndarray
    attacker: Attacker
    fixed: Mapping[Any, Any] | None

    def slice(self, keep: tuple[int, int], rows: list[int]) -> tuple[np.ndarray, Tree, list[int]]:
        """What stands still, the tree as it looks then, and the rows that see it so by their own values."""
        row = standing(self.schema, self.M, keep, self.fixed)
        flat = in_plane(self.t, row, keep, self.schema)
        return row, flat, [i for i in rows if in_plane(self.t, self.M[i], keep, self.schema) == flat]

    def plane(self, keep: tuple[int, int], rows: list[int]) -> Plane:
        schema = self.schema
        row, flat, same = self.slice(keep, rows)
        found, reach = regions(flat, keep, schema), PlaneReach.of(schema, self.attacker, keep)
        boxes = {i: reach.boxes(*at) for i, at in self.points(keep, same).items()}
        risk = {i for i in same if len(predictions_in(boxes[i], found)) > 1}
        return Plane(
            row, found, same, boxes, risk, *_moves(flat, self.X, self.y, self.attacker, same, keep, schema)
        )

    def points(self, keep: tuple[int, int], rows: list[int]) -> dict[int, tuple[float, float]]:
        """Where rows stand in a plane."""
        return {i: (float(self.M[i, keep[0]]), float(self.M[i, keep[1]])) for i in rows}

    def order(self) -> tuple[list[int], set[int]]:
        """The columns, those first that the tree tests and rules touch; and which ones rules touch."""
        names, still = self.schema.names, {self.schema.index(f, who="fixed:") for f in self.fixed or ()}
        used = Counter(self.schema.index(u.feature) for _, u in nodes(self.t))
        given = [f for f in self.attacker.features if f in names or isinstance(f, int)]
        touched = [self.schema.index(f) for f in given]
        often = sorted(used, key=lambda f: (f not in touched, -used[f], f))
        every = dict.fromkeys([*often, *touched, *range(len(names))])
        free = [f for f in every if f not in still]
        return (free if len(free) > 1 else list(every)), set(touched)


def best_plane(data: Planes, rows: list[int]) -> tuple[int, int]:
    """Of the planes of two features, the one that shows most of what attacks do to some of the rows."""
    order, touched = data.order()
    tested = {data.schema.index(u.feature) for _, u in nodes(data.t)}
    front = [f for f in order if f in tested][:TRIED]
    first = [*front, *(f for f in order if f not in front)][: max(2, len(front))]
    numeric = [f for f in order if not data.schema.columns[f].categorical]
    if numeric and not set(first) & set(numeric):
        first = [*first, numeric[0]]
    pairs = [p for p in combinations(first, 2) if set(p) & set(numeric)]
    if len(pairs) < 2:
        return pairs[0] if pairs else given_plane(data.schema, first[:2])

    def teaches(pair: tuple[int, int]) -> tuple[int, int, int]:
        seen = data.plane(pair, rows[:PROBES])
        values = len({r.prediction for r in seen.regions})
        return len(seen.moves), len(seen.risk), values * bool(set(pair) & touched)

    one, other = max(pairs, key=teaches)
    return (one, other) if one in numeric else (other, one)  # names of categories stand beside


def given_plane(schema: Schema, given: Sequence[Any]) -> tuple[int, int]:
    """The two columns that were asked for."""
    if isinstance(given, str) or len(given) != 2:
        raise ValueError(f"features: expected two features, got {given!r}")
    pair = [schema.index(f, who="features:") for f in given]
    if len(set(pair)) != 2 or all(schema.columns[f].categorical for f in pair):
        raise ValueError(f"features: expected two different ones, at most one categorical, got {given!r}")
    return pair[0], pair[1]


Moves = tuple[dict[int, tuple[float, float]], dict[int, float], dict[int, float], tuple[float, float]]


def _moves(
    t: Tree, X: Any, y: np.ndarray, A: Attacker, rows: list[int], keep: tuple[int, int], schema: Schema
) -> Moves:
    """Where the attack leads the rows that it hurts, what that costs and adds to their loss; and the loss of
    all rows without and with it.
    """
    if not rows:
        return {}, {}, {}, (0.0, 0.0)
    result = attack(
        t, some_rows(X if isinstance(X, pd.DataFrame) else np.asarray(X), rows), y[rows], A, "sse"
    )
    M, gained = schema.matrix(result.X_adv), result.losses - result.clean_losses
    hurt = {r: k for k, r in enumerate(rows) if gained[k] > 1e-9}
    moves = {r: (float(M[k, keep[0]]), float(M[k, keep[1]])) for r, k in hurt.items()}
    costs = {r: float(result.costs[k]) for r, k in hurt.items()}
    added = {r: float(gained[k]) for r, k in hurt.items()}
    return moves, costs, added, (float(result.clean_losses.sum()), float(result.losses.sum()))


__all__ = ["Plane", "Planes", "best_plane", "given_plane"]

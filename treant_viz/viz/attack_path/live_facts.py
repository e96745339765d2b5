"""What the picture of attacks on a tree shows, for every row, leaf and budget, as plain JSON.

Columns, not objects. Costs are places among the tree's `costs`; a chain is a list of moves on one feature,
and an attack a list of chains; a leaf that no budget here reaches is simply not listed. Infinite losses are
null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treant_viz.attacks.leaf_attacks import Chain, LeafAttacks
from treant_viz.core.table import Schema
from treant_viz.core.tree import Node, walk
from treant_viz.viz.attack_path.facts import WorstLeaves, invariance
from treant_viz.viz.facts import LOSSES, Json, exact, exacts, shown

VERDICTS = {"kept": "k", "broken": "b", "silent": "s"}


@dataclass(frozen=True, eq=False)
class NamedRows:
    """The rows that a page knows by name: their places among all rows, and what they are called."""

    at: Sequence[int]
    names: Sequence[str]
    labels: Sequence[str]  # what each different label is called


@dataclass(frozen=True, eq=False)
class AttackedTree:
    """A tree with all attacks on it, and what it is called if there are two."""

    attacks: LeafAttacks
    heading: str = ""


@dataclass(eq=False)
class _MovePool:
    """Moves and chains, each written once; features by their columns."""

    schema: Schema
    features: list[int] = field(default_factory=list)
    moves: dict[tuple[Any, ...], int] = field(default_factory=dict)
    chains: dict[tuple[int, ...], int] = field(default_factory=dict)

    def feature(self, name: str | int) -> int:
        column = self.schema.index(name)
        if column not in self.features:
            self.features.append(column)
        return self.features.index(column)

    def chain(self, moves: Chain) -> int:
        ids = []
        for m in moves:
            ends = [v if m.rule.categorical else exact(float(v)) for v in (m.before, m.after)]
            key = (self.feature(m.rule.feature), *ends, exact(float(m.rule.cost)))
            ids.append(self.moves.setdefault(key, len(self.moves)))
        return self.chains.setdefault(tuple(ids), len(self.chains))


def attack_facts(
    scenes: Sequence[AttackedTree], rows: NamedRows, loss: str, budget: float, replaced: str | None = None
) -> Json:
    """Facts for the browser: one tree, or the same before and after one more split."""
    first = scenes[0].attacks
    pool = _MovePool(first.schema)
    trees = [_tree(scene, rows, pool) for scene in scenes]
    moves = zip(*pool.moves, strict=True) if pool.moves else ([], [], [], [])
    names = ("feature", "before", "after", "cost")
    return {
        "picture": "attack",
        "loss": LOSSES[loss],
        "n": len(first.M),
        "budget": exact(budget),
        "labels": {"y": exacts(first.values), "name": list(rows.labels)},
        "rows": {
            "at": list(rows.at),
            "name": list(rows.names),
            "label": first.label[list(rows.at)].tolist(),
        },
        "features": [_feature(first, column, rows) for column in pool.features],
        "moves": {name: list(column) for name, column in zip(names, moves, strict=True)},
        "chains": [list(ids) for ids in pool.chains],
        "trees": trees,
        "invariance": None if replaced is None else _invariance(scenes, rows, replaced),
    }


def _feature(attacks: LeafAttacks, column: int, rows: NamedRows) -> Json:
    known = attacks.schema.columns[column]
    x = attacks.M[list(rows.at), column]
    values = exacts(x) if known.categories is None else x.astype(int).tolist()
    categories = None if known.categories is None else [str(c) for c in known.categories]
    return {"name": shown(known.name), "categories": categories, "values": values}


def _tree(scene: AttackedTree, rows: NamedRows, pool: _MovePool) -> Json:
    a = scene.attacks
    costs = sorted({exact(c) or 0 for c in a.cost.tolist()})
    inner = [(path, u) for path, u in walk(a.tree) if isinstance(u, Node)]
    return {
        "heading": scene.heading,
        "tests": {
            "path": [path for path, _ in inner],
            "feature": [pool.feature(u.feature) for _, u in inner],
            "threshold": [v if isinstance(v, str) else exact(v) for v in (u.threshold for _, u in inner)],
        },
        "leaves": {
            "path": [path for path, _ in a.ends],
            "prediction": exacts(leaf.prediction for _, leaf in a.ends),
            "rows": np.bincount(a.home, minlength=len(a.ends)).tolist(),
        },
        "losses": [exacts(each) for each in a.losses],
        "costs": costs,
        "loss": exact(float(a.unattacked.sum())),
        "loss_under_attack": exacts(a.totals(costs)),
        "home": a.home[list(rows.at)].tolist(),
        "own": [_packed(a.passes[i]) for i in rows.at],
        **_reach(a, rows, costs, pool),
    }  # fmt: skip


def _packed(flags: np.ndarray) -> str:
    """One hexadecimal digit for four tests, the first test first.

    >>> _packed(np.array([True, False, False, False, True]))
    '88'
    """
    padded = np.zeros(-(-len(flags) // 4) * 4, dtype=int)
    padded[: len(flags)] = flags
    return "".join(f"{8 * a + 4 * b + 2 * c + d:x}" for a, b, c, d in padded.reshape(-1, 4).tolist())


def _reach(a: LeafAttacks, rows: NamedRows, costs: Sequence[float], pool: _MovePool) -> Json:
    """By row: leaves in reach, places of their costs, chains that lead there, leaves on the way."""
    place = {cost: i for i, cost in enumerate(costs)}
    pairs = [p for row in rows.at for p in a.pairs(row)]
    chains = a.chains_of(pairs)
    stops = a.stops_of(pairs, chains)
    out: Json = {"leaf": [], "cost": [], "attack": [], "stops": []}
    start = 0
    for row in rows.at:
        some = slice(start, start + len(a.pairs(row)))
        out["leaf"].append(a.leaf[pairs[some]].tolist())
        out["cost"].append([place[exact(c) or 0] for c in a.cost[pairs[some]].tolist()])
        out["attack"].append([[pool.chain(c) for c in found] for found in chains[some]])
        out["stops"].append(stops[some])
        start = some.stop
    return out


def _invariance(scenes: Sequence[AttackedTree], rows: NamedRows, replaced: str) -> Json:
    """By row and cost: is attack invariance kept (k), broken (b), or silent (s) about the row?"""
    before, after = (scene.attacks for scene in scenes)
    costs = sorted({exact(c) or 0 for a in (before, after) for c in a.cost.tolist()})

    def worst(a: LeafAttacks, row: int, budget: float) -> WorstLeaves:
        return WorstLeaves(a.ends[int(a.home[row])][0], a.worst_leaves(row, budget))

    def verdict(row: int, budget: float) -> str:
        return VERDICTS[invariance(worst(before, row, budget), worst(after, row, budget), replaced)]

    return {
        "path": replaced,
        "costs": costs,
        "verdict": ["".join(verdict(r, c) for c in costs) for r in rows.at],
    }


__all__ = ["AttackedTree", "NamedRows", "attack_facts"]

"""What the live picture of constraints shows: every tree of the growth, every leaf, and what becomes of both
when constraints are switched off, as plain JSON.

What is switched off is named by its places among `made`. Where few can be switched off, `states` has every
choice; else nothing, each alone, each row alone, and all: others have to be asked for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from treant_viz.attacks.leaf_attacks import LeafAttacks
from treant_viz.core.tree import Tree
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import LOSSES, Json, exact, exacts
from treant_viz.viz.leaf_constraints.facts import (
    Settled,
    TracedLeaf,
    bounds_of,
    most_informative_constraints,
    settled,
    tree_of,
)
from treant_viz.viz.leaf_constraints.switches import Made, made_by_splits
from treant_viz.viz.leaf_constraints.words import called, loss_in_words
from treant_viz.viz.tree.facts import Reader, attacked
from treant_viz.viz.tree.live_facts import columns, grown_nodes, pieces_within

FEW = 5  # what splits made of rows: of so many, every choice is tabulated
POINTS = 41  # of a leaf's loss over its predictions
ROOM = 110_000  # letters of states
WHOLE = "whole"  # the name of the grown tree among those of its splits


class Trees:
    """The trees that splits made while a trace's tree grew, by the split's path; None is the grown one."""

    def __init__(self, trace: Trace, names: Mapping[int, str] | None = None) -> None:
        self.trace, self.names = trace, dict(names or {})
        self.made = made_by_splits(trace)
        self.splits = [s.path for s in trace.steps if s.taken] or [""]
        self.tree = lru_cache(maxsize=None)(self._tree)
        self.attacks = lru_cache(maxsize=None)(self._reached)
        self.ends = _ends(self)

    def _tree(self, path: str | None) -> tuple[Tree, dict[str, TracedLeaf]]:
        tree, stands = tree_of(self.trace, path)
        return tree, dict(sorted(stands.items()))

    def _reached(self, path: str | None) -> LeafAttacks:
        t = self.trace
        return LeafAttacks(self.tree(path)[0], t.X, t.y, t.attacker, t.loss.name)

    def stands(self) -> dict[str, TracedLeaf]:
        """Every leaf there ever was, by its path; after "whole" where the grown tree says otherwise."""
        out = {leaf: stand for path in self.splits for leaf, stand in self.tree(path)[1].items()}
        grown = self.tree(None)[1].items()
        anew = {p: s for p, s in grown if not math.isclose(s.prediction, out[p].prediction, abs_tol=1e-12)}
        return out | {f"{WHOLE} {p}": s for p, s in anew.items()}

    def losses(self, path: str | None, off: Collection[Made] = ()) -> tuple[float, float | None]:
        """What the leaves lose on their rows, and what the attacker can cause (not known with weights)."""
        leaves = {p: settled(self.trace, stand, off) for p, stand in self.tree(path)[1].items()}
        counted = sum(leaf.loss for leaf in leaves.values())
        if self.trace.options.get("weight") is not None:
            return counted, None
        return counted, self.attacks(path).total_with(self.predictions(path, off), self.trace.attacker.budget)

    def predictions(self, path: str | None, off: Collection[Made]) -> list[float]:
        """What the leaves say, from left to right; where nothing is legal, what they said before."""
        own = self.tree(path)[1]
        return [_predicted(settled(self.trace, own[p], off), own[p]) for p, _ in self.attacks(path).ends]

    # where to begin

    def first(self) -> str:
        """The first split that leaves some leaf kept from its best value, if possible one whose constraints
        keep the attacker from causing more; else the first that has constraints.
        """
        held = [p for p in self.splits if any(s.constraints for s in self.tree(p)[1].values())]
        bound = [p for p in held if any(self.bounds(p, leaf).bound for leaf in self.tree(p)[1])]
        needed = (p for p in bound if self._needed(p))
        return next(needed, next(iter([*bound, *held, ""])))

    def _needed(self, path: str) -> bool:
        (_, before), (_, after) = self.losses(path), self.losses(path, self.made)
        return before is not None and after is not None and after > before * (1 + 1e-9)

    def bounds(self, path: str | None, leaf: str) -> Any:
        """What constraints leave to a leaf of a tree."""
        return bounds_of(self.trace, leaf, self.tree(path)[1][leaf], (), self.names)

    def most_informative(self, path: str | None) -> str:
        """The leaf of a tree that its constraints bind most, else the one with most of them."""
        leaves = [self.bounds(path, leaf) for leaf in self.tree(path)[1]]
        return str(max(leaves, key=lambda b: (not b.feasible, b.distance * b.rows, b.count)).path)


def _predicted(leaf: Settled, stand: TracedLeaf) -> float:
    """Where nothing is legal, a leaf says what it said before."""
    return leaf.prediction if math.isfinite(leaf.prediction) else stand.prediction


def constraints_facts(trees: Trees, *more: Collection[Made]) -> Json:
    """Facts for the browser; with the state in which all `more` are off."""
    trace = trees.trace
    ends, reader = trees.ends, Reader(trace)
    reader.ends = ends
    stands, nodes = trees.stands(), list(grown_nodes(trace, reader))
    places = {made: i for i, made in enumerate(trees.made)}
    states = list(_tabulated(trees, more))
    return {
        "picture": "constraints",
        "loss": LOSSES[trace.loss.name],
        "binary": trace.loss.binary,
        "attacked": attacked(trace),
        "ends": exacts(ends),
        "rows": len(trace.steps[0].data),
        "nodes": columns(nodes),
        "held": [list(_held(trace, stands.get(n["path"]), places, ends)) for n in nodes],
        "curves": [_curve(reader, stands.get(n["path"])) for n in nodes],
        "made": _made(trees),
        "states": states,
        "complete": len(trees.made) <= FEW,
    }


def _ends(trees: Trees) -> tuple[float, float]:
    """The same number line for every leaf: wide enough for labels and for what any constraint allows."""
    trace = trees.trace
    if trace.loss.binary:
        return 0.0, 1.0
    stands = trees.stands().values()
    allowed = [v for s in stands for c in s.constraints for p in c.allowed(trace.loss) for v in p]
    seen = [*trace.y.tolist(), *(v for v in allowed if math.isfinite(v)), *(s.prediction for s in stands)]
    margin = 0.08 * (max(seen) - min(seen)) or 0.5
    return min(seen) - margin, max(seen) + margin


def _made(trees: Trees) -> Json:
    """What splits made of rows: whose constraints, and where they come from."""
    trace, label = trees.trace, trees.trace.y
    return {
        "row": [row for row, _ in trees.made],
        "name": [called(trace, row, trees.names) for row, _ in trees.made],
        "y": [exact(label[row]) for row, _ in trees.made],
        "said": [loss_in_words(trace.loss, label[row]) for row, _ in trees.made],
        "origin": [origin for _, origin in trees.made],
    }


def _held(
    trace: Trace, stand: TracedLeaf | None, places: Mapping[Made, int], ends: tuple[float, float]
) -> Iterator[list[Any]]:
    """The constraints on a leaf, those that end what is legal first: [who, sense, gamma, spent, allowed]."""
    if stand is None:
        return
    feasible, _, prediction, _ = settled(trace, stand, ())
    first = most_informative_constraints(stand.constraints, feasible, prediction, trace.loss)
    rest = [c for c in stand.constraints if c not in first]
    for c in [*first, *rest]:
        allowed = pieces_within(c.allowed(trace.loss), ends)
        sense = "≤" if c.sense == "<=" else "≥"
        yield [places[c.row, c.origin], sense, exact(c.gamma), exact(c.spent), allowed]


def _curve(reader: Reader, stand: TracedLeaf | None) -> list[float | None]:
    """A leaf's loss for predictions from end to end."""
    if stand is None:
        return []
    return [exact(reader.loss(p, stand.rows)) for p in np.linspace(*reader.ends, POINTS)]


# states


def state_of(trees: Trees, off: Collection[Made]) -> Json:
    """What becomes of leaves and trees; of those alone whose constraints are touched."""
    off = frozenset(off)
    leaves = {
        p: _leaf(settled(trees.trace, stand, off), trees.ends)
        for p, stand in trees.stands().items()
        if not off or any((c.row, c.origin) in off for c in stand.constraints)
    }
    paths = [p for p in (*trees.splits, None) if leaves.keys() & trees.tree(p)[1].keys()]
    losses = {WHOLE if p is None else p: _known(trees.losses(p, off)) for p in paths}
    return {"off": sorted(trees.made.index(m) for m in off), "leaves": leaves, "trees": losses}


def _leaf(leaf: Settled, ends: tuple[float, float]) -> list[Any]:
    """[legal, prediction (null if there is none), loss, best]."""
    says = exact(leaf.prediction) if math.isfinite(leaf.prediction) else None
    best = None if leaf.best is None else exact(leaf.best)
    return [pieces_within(leaf.feasible, ends), says, None if says is None else exact(leaf.loss), best]


def _known(values: Iterable[float | None]) -> list[float | str | None]:
    """What is not known is said to be unknown: null is infinite."""
    return ["unknown" if v is None else exact(v) for v in values]


def _tabulated(trees: Trees, more: Iterable[Collection[Made]]) -> Iterator[Json]:
    """States, the important ones first, while there is room."""
    room, known = ROOM, set()
    for off in [(), *more, trees.made, *_choices(trees.made)]:
        key = frozenset(off)
        if key in known:
            continue
        known.add(key)
        state = state_of(trees, key)
        room -= len(json.dumps(state))
        if room < 0 and len(known) > 3:
            return
        yield state


def _choices(made: list[Made]) -> Iterator[Collection[Made]]:
    if len(made) <= FEW:
        for n in range(len(made) + 1):
            yield from combinations(made, n)
        return
    yield from ([m] for m in made)
    for row in dict.fromkeys(row for row, _ in made):
        yield [m for m in made if m[0] == row]


__all__ = ["WHOLE", "Trees", "constraints_facts", "state_of"]

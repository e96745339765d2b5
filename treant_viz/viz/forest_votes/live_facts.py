"""What the picture of a forest's votes shows, for every row, budget and move, as plain JSON.

Columns, not objects. Values of trees and moves are written once and named by place; a state of a row is the
trees whose score has changed. Infinite losses are null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treant_viz.viz.attack_path.facts import AppliedRule
from treant_viz.viz.facts import LOSSES, Json, exact, exacts, shown
from treant_viz.viz.forest_votes.facts import Voters, Votes, VoteSides

Limits = tuple[float, float]

# the two axes: what trees say, and what the model says


def value_limits(attacks: Sequence[Votes], sides: VoteSides | None, averaged: bool, y: float) -> Limits:
    """From the least to the greatest word of a tree; all of [0, 1] for shares of votes."""
    seen = np.concatenate([a.values.ravel() for a in attacks])
    if sides is not None:
        if averaged and _shares(seen):
            return 0.0, 1.0
        return _limits(seen, sides.threshold)
    return _limits(seen, y) if averaged else _limits(seen)


def score_limits(attacks: Sequence[Votes], sides: VoteSides | None, averaged: bool, y: float) -> Limits:
    """The same of the model, whose axis is that of its trees where it is their mean."""
    if averaged:
        return value_limits(attacks, sides, averaged, y)
    seen = np.concatenate([a.scores for a in attacks])
    if sides is not None:
        return (0.0, 1.0) if _shares(seen) else _limits(seen, 0.5)
    return _limits(seen, y)


def _shares(seen: np.ndarray) -> bool:
    return bool(((seen >= 0.0) & (seen <= 1.0)).all())


def _limits(seen: np.ndarray, *more: float) -> Limits:
    low, high = min([*more, seen.min()]), max([*more, seen.max()])
    pad = 0.04 * (high - low) or 0.5
    return float(low - pad), float(high + pad)


# JSON for the browser


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """The rows that a page knows by name, and what the model says of each: by itself, and under attack."""

    at: Sequence[int]
    names: Sequence[str]
    y: Sequence[float]
    labels: Sequence[str]
    before: Sequence[float]
    after: Sequence[float]


@dataclass(eq=False)
class _ValuePool:
    """Values and moves, each written once; features by their columns."""

    values: dict[float, int] = field(default_factory=dict)
    features: dict[str, int] = field(default_factory=dict)
    moves: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def value(self, v: float) -> int:
        return self.values.setdefault(v, len(self.values))

    def move(self, m: AppliedRule) -> int:
        feature = self.features.setdefault(shown(m.feature), len(self.features))
        ends = [exact(v) if isinstance(v, float) else v for v in (m.before, m.after)]
        return self.moves.setdefault((feature, *ends, exact(m.cost)), len(self.moves))


def votes_facts(voters: Voters, rows: ScoredRows, budget: float, details: dict[int, list[Votes]]) -> Json:
    """Facts for the browser: all rows of a list, and every attack on some of them."""
    pool, sides = _ValuePool(), voters.sides
    labels = list(dict.fromkeys(zip(rows.y, rows.labels, strict=True)))
    y_of = dict(zip(rows.at, rows.y, strict=True))
    played = [_detail(voters, pool, row, attacks, y_of[row]) for row, attacks in details.items()]
    moves = zip(*pool.moves, strict=True) if pool.moves else ([], [], [], [])
    return {
        "picture": "votes",
        "loss": (LOSSES | {"margin": "margin"})[voters.loss or voters.form.loss],
        "n": len(voters.y),
        "budget": exact(budget),
        "trees": voters.trees,
        "averaged": voters.averaged,
        "sides": None if sides is None else {"threshold": exact(sides.threshold), "names": list(sides.names)},
        "labels": {"y": [exact(y) for y, _ in labels], "name": [name for _, name in labels]},
        "rows": {
            "at": list(rows.at),
            "name": list(rows.names),
            "label": [labels.index(pair) for pair in zip(rows.y, rows.labels, strict=True)],
            "before": exacts(rows.before),
            "after": exacts(rows.after),
        },
        "features": list(pool.features),
        "moves": {
            k: list(v) for k, v in zip(("feature", "before", "after", "cost"), moves, strict=True)
        },
        "values": exacts(pool.values),
        "second": _flags(sides, np.array(list(pool.values))),
        "details": played,
    }  # fmt: skip


def _flags(sides: VoteSides | None, values: np.ndarray) -> str:
    """One letter for each value: 1 is the second side; nothing where there are no sides."""
    return "" if sides is None else "".join("01"[int(b)] for b in sides.second(values).tolist())


def _detail(voters: Voters, pool: _ValuePool, row: int, attacks: list[Votes], y: float) -> Json:
    """A row: what its trees say by themselves, and for each state of each attack what is different then."""
    states: dict[bytes, int] = {}
    columns: Json = {"score": [], "mean": [], "loss": [], "second": [], "trees": [], "values": []}
    own = attacks[0].values[0]
    places = [
        [_state(voters, pool, own, a, k, states, columns) for k in range(len(a.scores))] for a in attacks
    ]
    about = voters.sides, voters.averaged, y
    return {
        "row": row,
        "limits": exacts(value_limits(attacks, *about)),
        "score_limits": exacts(score_limits(attacks, *about)),
        "own": [pool.value(v) for v in own.tolist()],
        "states": columns,
        "attacks": {
            "cost": [exact(a.cost) or 0 for a in attacks],
            "exact": [a.exact for a in attacks],
            "moves": [[pool.move(m) for m in a.moves] for a in attacks],
            "states": places,
        },
    }  # fmt: skip


def _state(
    voters: Voters,
    pool: _ValuePool,
    own: np.ndarray,
    a: Votes,
    k: int,
    states: dict[bytes, int],
    columns: Json,
) -> int:
    """The place of a state among those of the row; a new one is written down."""
    values = a.values[k]
    if (key := values.tobytes()) not in states:
        states[key] = len(states)
        moved = np.flatnonzero(values != own)
        entry = {
            "score": exact(a.scores[k]), "mean": exact(float(values.mean())), "loss": exact(a.losses[k]),
            "second": int(voters.predicts_second(a.scores[k])),
            "trees": moved.tolist(), "values": [pool.value(v) for v in values[moved].tolist()],
        }  # fmt: skip
        for name, entered in entry.items():
            columns[name].append(entered)
    return states[key]


__all__ = ["ScoredRows", "score_limits", "value_limits", "votes_facts"]

"""Which rows of a plane are told of, and what is told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.viz.feature_space.facts import PlaneBox
from treant_viz.viz.feature_space.planes import Plane
from treant_viz.viz.tree.facts import row_name

MOST = 12  # points whose rows are all drawn with what they can become
SAMPLE = 2  # rows if there are more, of different kinds
APART = 0.11  # of the height of the plane: the least distance between two of them


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """Rows at one point with one label: what is in reach, if a border is, and where the attack leads, for
    what cost, with what predicted before and after; `alike` others are hurt in the same way.
    """

    rows: tuple[int, ...]
    name: str
    at: tuple[float, float]
    label: float
    boxes: tuple[PlaneBox, ...]
    at_risk: bool
    moved_to: tuple[float, float] | None
    cost: float
    before: float
    after: float
    alike: int = 0


Kind = tuple[float, float, float]


def kinds_of(seen: Plane, points: Mapping[int, tuple[float, float]], y: np.ndarray) -> dict[int, Kind]:
    """Of the rows that are hurt: label, and what is predicted before and after."""
    return {r: (float(y[r]), seen.says(points[r]), seen.says(to)) for r, to in seen.moves.items()}


class Push(NamedTuple):
    """How many rows of a label are pushed from one prediction to another."""

    rows: int
    label: float
    before: float
    after: float


def pushes_of(seen: Plane, points: Mapping[int, tuple[float, float]], y: np.ndarray) -> tuple[Push, ...]:
    """All rows that are hurt, by what happens to them, the commonest first."""
    often = Counter(kinds_of(seen, points, y).values())
    return tuple(Push(n, *kind) for kind, n in sorted(often.items(), key=lambda pair: (-pair[1], pair[0])))


def sample(seen: Plane, points: Mapping[int, tuple[float, float]], y: np.ndarray) -> list[int]:
    """All rows if their points are few; else one for each of the commonest ways of being hurt: the one that
    is moved furthest, with all that stand where it does, and none beside another.
    """
    rows = seen.same
    if len({points[r] for r in rows}) <= MOST:
        return rows
    size = [(max(p) - min(p)) or 1.0 for p in zip(*(points[r] for r in rows), strict=True)]
    kinds = kinds_of(seen, points, y)
    often = Counter(kinds.values())

    def far(r: int) -> float:
        return sum(abs(a - b) / s for a, b, s in zip(points[r], seen.moves[r], size, strict=True))

    out: dict[Kind, int] = {}
    for r in sorted(kinds, key=lambda r: (-often[kinds[r]], -far(r), r)):
        apart = all(abs(points[r][1] - points[q][1]) >= APART * size[1] for q in out.values())
        if len(out) < SAMPLE and kinds[r] not in out and apart:
            out[kinds[r]] = r
    where = {(points[r], kind) for kind, r in out.items()}
    return sorted(r for r in kinds if (points[r], kinds[r]) in where) or rows[:SAMPLE]


def instances_of(
    drawn: list[int],
    points: Mapping[int, tuple[float, float]],
    y: np.ndarray,
    seen: Plane,
    X: Any,
) -> tuple[Instance, ...]:
    names = _names(X, drawn)
    together: dict[tuple[tuple[float, float], float], list[int]] = {}
    for i in drawn:
        together.setdefault((points[i], float(y[i])), []).append(i)
    often = Counter(kinds_of(seen, points, y).values())
    return tuple(
        _instance(rows, at, label, seen, [names[r] for r in rows], often)
        for (at, label), rows in together.items()
    )


def _instance(
    rows: list[int],
    at: tuple[float, float],
    label: float,
    seen: Plane,
    names: list[str],
    often: Mapping[Kind, int],
) -> Instance:
    r = rows[0]
    moved = seen.moves.get(r)
    before, after = (seen.says(point) for point in (at, moved or at))
    called = (
        names[0]
        if len(rows) == 1
        else f"{names[0]}–{names[-1]}"
        if _follow(rows)
        else (f"{names[0]} and {len(rows) - 1} more")
    )
    boxes, cost = seen.boxes[r], seen.costs.get(r, 0.0)
    alike = max(often.get((label, before, after), 0) - len(rows), 0) if moved else 0
    return Instance(tuple(rows), called, at, label, boxes, r in seen.risk, moved, cost, before, after, alike)


def _names(X: Any, rows: list[int]) -> dict[int, str]:
    return {r: row_name(X.index[r] if isinstance(X, pd.DataFrame) else r) for r in rows}


def _follow(rows: list[int]) -> bool:
    return rows[-1] - rows[0] == len(rows) - 1


__all__ = ["Instance", "Push", "instances_of", "kinds_of", "pushes_of", "sample"]

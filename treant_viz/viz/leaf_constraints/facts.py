"""What constraints leave to the leaves of a tree, read from a trace: numbers and words, nothing drawn."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from treant_viz.core.constraints import Constraint, feasible_set, nearest
from treant_viz.core.losses import Loss, Pieces
from treant_viz.core.tree import Leaf, Tree, leaves, replaced
from treant_viz.trace.trace import Trace
from treant_viz.viz.leaf_constraints.switches import Made
from treant_viz.viz.leaf_constraints.words import called
from treant_viz.viz.style.text import number

MOST = 3  # constraints of a leaf that are drawn one by one


@dataclass(frozen=True, slots=True)
class LeafConstraint:
    """A constraint on a leaf: whose loss it bounds, from which side, at what; the predictions it allows, its
    origin, and whether it counts.
    """

    who: str
    y: float
    sense: str
    gamma: float
    allowed: Pieces
    origin: str
    inherited: bool
    off: bool
    paid: float = 0.0  # what pushing the row across the test costs, where the split counted it as pushed

    @property
    def asks(self) -> tuple[object, ...]:
        """What it asks for, of whatever row."""
        return self.y, self.sense, self.gamma, self.allowed, self.inherited, self.off

    @property
    def text(self) -> str:
        """What it asks for, in words."""
        most = "most" if self.sense == "<=" else "least"
        return f"{self.who} (y = {number(self.y)}) must lose at {most} {number(self.gamma)}"

    def allows(self, prediction: float) -> bool:
        return any(a - 1e-9 <= prediction <= b + 1e-9 for a, b in self.allowed)


@dataclass(frozen=True, slots=True)
class LeafBounds:
    """A leaf: its rows, its constraints (the first `MOST` or the binding ones, and how many more), what they
    allow.

    `density` has, of many constraints, the share that allows each part of the line.
    `best` is the optimum without constraints (None without rows), `prediction` the best that is legal.
    """

    path: str
    rows: int
    loss: float
    held: tuple[LeafConstraint, ...]
    more: int
    feasible: Pieces
    prediction: float
    best: float | None
    density: tuple[tuple[float, float, float], ...] = ()

    @property
    def count(self) -> int:
        """How many constraints it has."""
        return len(self.held) + self.more

    @property
    def nearest(self) -> float:
        """The legal value that is nearest to the best one."""
        return math.nan if self.best is None else nearest(self.feasible, self.best)

    @property
    def distance(self) -> float:
        """How far the constraints keep the leaf from its best value."""
        return 0.0 if self.best is None or not self.feasible else abs(self.best - self.nearest)

    @property
    def bound(self) -> bool:
        """Is the best value forbidden?"""
        return self.distance > 1e-9

    @property
    def piece(self) -> tuple[float, float]:
        """The allowed interval that the prediction is in."""
        found = (p for p in self.feasible if p[0] - 1e-9 <= self.prediction <= p[1] + 1e-9)
        return next(found, (-math.inf, math.inf))

    @property
    def slack(self) -> float:
        """How far the prediction could go before some constraint forbids it."""
        ends = [e for h in self.held for p in h.allowed for e in p if not h.off]
        return min((abs(self.prediction - e) for e in self.piece if e in ends), default=math.inf)

    @property
    def binding(self) -> LeafConstraint | None:
        """The constraint that forbids the best value, or else the one that is nearest to doing so."""
        on = [h for h in self.held if not h.off]
        if self.bound and self.best is not None:
            return next((h for h in on if not h.allows(self.best)), None)
        near = min(self.piece, key=lambda e: abs(self.prediction - e))
        return next((h for h in on if any(near in p for p in h.allowed)), None)


def tree_of(trace: Trace, path: str | None) -> tuple[Tree, dict[str, TracedLeaf]]:
    """The grown tree, or, given a path, only the splits on the way to it and at it; with the state of every
    leaf.
    """
    tree: Tree = Leaf(trace.steps[0].leaf)
    stands: dict[str, TracedLeaf] = {}
    for step in trace.steps:
        if path is not None and not path.startswith(step.path):
            continue
        if step.split is None or not step.taken:
            tree = replaced(tree, step.path, Leaf(step.leaf))
            stands[step.path] = TracedLeaf(step.data.rows, step.constraints, step.leaf)
            continue
        s = step.split
        tree = replaced(tree, step.path, s.stump)
        stands.pop(step.path, None)
        stands[step.path + "l"] = TracedLeaf(s.left.rows, s.left_constraints, s.y_l)
        stands[step.path + "r"] = TracedLeaf(s.right.rows, s.right_constraints, s.y_r)
    return tree, stands


@dataclass(frozen=True, slots=True, eq=False)
class TracedLeaf:
    """A leaf as the trace has it."""

    rows: np.ndarray
    constraints: tuple[Constraint, ...]
    prediction: float


class Settled(NamedTuple):
    """What constraints leave to a leaf, its best value without them (None without rows), what it predicts,
    and its loss.
    """

    feasible: Pieces
    best: float | None
    prediction: float
    loss: float


def settled(trace: Trace, stand: TracedLeaf, off: Collection[Made]) -> Settled:
    """A leaf as the trace has it; if some constraints are off, with the legal value nearest to the best."""
    on = [c for c in stand.constraints if (c.row, c.origin) not in off]
    feasible = feasible_set([(c.sense, c.y, c.at) for c in on], trace.loss)
    weight = trace.options.get("weight")
    w = np.ones(len(stand.rows)) if weight is None else np.asarray(weight, dtype=float)[stand.rows]
    y = trace.y[stand.rows]
    best = float(np.average(y, weights=w)) if w.sum() > 0 else None
    changed = len(on) < len(stand.constraints) and best is not None
    prediction = nearest(feasible, best) if changed and best is not None else stand.prediction
    return Settled(feasible, best, prediction, float(np.sum(w * trace.loss.ell(prediction, y))))


def bounds_of(
    trace: Trace, path: str, stand: TracedLeaf, off: Collection[Made], names: Mapping[int, str]
) -> LeafBounds:
    """What the constraints on a leaf leave to it; those that are off do not count."""
    feasible, best, prediction, loss = settled(trace, stand, off)
    on = [c for c in stand.constraints if (c.row, c.origin) not in off]
    shown = most_informative_constraints(stand.constraints, feasible, prediction, trace.loss)
    held = tuple(_held(c, path, trace, off, names) for c in shown)
    return LeafBounds(
        path, len(stand.rows), loss, held, len(stand.constraints) - len(held), feasible, prediction, best,
        _density(on, trace.loss) if len(stand.constraints) > MOST else (),
    )  # fmt: skip


def _density(constraints: Sequence[Constraint], loss: Loss) -> tuple[tuple[float, float, float], ...]:
    """From end to end of what single constraints allow: the share of them that allows what lies between."""
    allowed = [c.allowed(loss) for c in constraints]
    ends = sorted({loss.low, loss.high, *(e for pieces in allowed for piece in pieces for e in piece)})
    return tuple((a, b, _share(allowed, a, b)) for a, b in pairwise(ends))


def _share(allowed: Sequence[Pieces], a: float, b: float) -> float:
    inside = sum(any(low <= a and b <= high for low, high in pieces) for pieces in allowed)
    return inside / max(len(allowed), 1)


def most_informative_constraints(
    constraints: tuple[Constraint, ...], feasible: Pieces, prediction: float, loss: Loss
) -> list[Constraint]:
    """All constraints if they are few, else those that end the feasible piece of the prediction, one for each
    end.
    """
    if len(constraints) <= MOST:
        return list(constraints)
    piece = next((p for p in feasible if p[0] - 1e-9 <= prediction <= p[1] + 1e-9), None)
    if piece is None:
        return list(constraints[:MOST])
    ends = {e for e in piece if e not in (loss.low, loss.high)}
    found: dict[float, Constraint] = {}
    for c in constraints:
        for end in ends.intersection(e for p in c.allowed(loss) for e in p):
            found.setdefault(end, c)
    return list(dict.fromkeys(found.values())) or list(constraints[:1])


def _held(
    c: Constraint, path: str, trace: Trace, off: Collection[Made], names: Mapping[int, str]
) -> LeafConstraint:
    who, allowed = called(trace, c.row, names), c.allowed(trace.loss)
    inherited, is_off = c.origin != path[:-1], (c.row, c.origin) in off
    paid = _paid(trace, c.row, c.origin)
    return LeafConstraint(who, float(c.y), c.sense, c.gamma, allowed, c.origin, inherited, is_off, paid)


def _paid(trace: Trace, row: int, origin: str) -> float:
    """What the split at `origin` counted that pushing the row costs; 0 if the row was counted at home."""
    step = trace.at(origin)
    if step.split is None:
        return 0.0
    before = dict(zip(step.data.rows.tolist(), step.data.spent.tolist(), strict=True))
    sides = step.split.left, step.split.right
    after = {r: k for d in sides for r, k in zip(d.rows.tolist(), d.spent.tolist(), strict=True)}
    return float(after.get(row, 0.0) - before.get(row, after.get(row, 0.0)))


def with_predictions(tree: Tree, bounds: Mapping[str, LeafBounds]) -> Tree:
    """The tree with the leaves' legal predictions."""
    for path, leaf in list(leaves(tree)):
        b = bounds[path]
        tree = replaced(
            tree, path, Leaf(b.prediction if math.isfinite(b.prediction) else leaf.prediction, b.loss, b.rows)
        )
    return tree


def line_ends(trace: Trace, bounds: Mapping[str, LeafBounds]) -> tuple[float, float]:
    """The part of the number line that is drawn, the same under every leaf."""
    if trace.loss.binary:
        return 0.0, 1.0
    seen = [float(v) for v in (trace.y.min(), trace.y.max())]
    seen += [x for b in bounds.values() for h in b.held for p in h.allowed for x in p if math.isfinite(x)]
    seen += [b.prediction for b in bounds.values() if math.isfinite(b.prediction)]
    return _rounded(min(seen), max(seen))


def _rounded(low: float, high: float) -> tuple[float, float]:
    """A little more on both sides, in round numbers.

    >>> _rounded(-2.0, 2.0)
    (-2.5, 2.5)
    """
    span = high - low or 1.0
    step = 10.0 ** math.floor(math.log10(span)) / 2
    return math.floor((low - 0.05 * span) / step) * step, math.ceil((high + 0.05 * span) / step) * step


def most_informative_leaf(bounds: Mapping[str, LeafBounds]) -> LeafBounds | None:
    """The leaf to look at first: without any legal value, or kept farthest from its best one, or nearest to
    what is forbidden, or most constrained.
    """

    def most_informative(b: LeafBounds) -> tuple[float, ...]:
        near = -b.slack if b.slack > 1e-9 else -1e9
        return (not b.feasible, b.distance * b.rows, near, b.count)

    return max((b for b in bounds.values() if b.count), key=most_informative, default=None)


__all__ = [
    "LeafBounds",
    "LeafConstraint",
    "TracedLeaf",
    "bounds_of",
    "line_ends",
    "most_informative_constraints",
    "most_informative_leaf",
    "settled",
    "tree_of",
    "with_predictions",
]

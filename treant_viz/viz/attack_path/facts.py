"""What the attacker can do with one row on one tree: the leaves in reach, the cheapest way to each, the worst
ones.

>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> stump = Node("p", 1.0, Leaf(-1.5), Leaf(1.6))
>>> found = ways(stump, {"p": 1, "q": 3}, 0, Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1))
>>> found.home, sorted(found.worst), found.attacks["r"].cost, round(found.losses["r"], 9)
('l', ['r'], 1.0, 2.56)
>>> [(m.feature, m.before, m.after, m.cost) for m in found.attacks["r"].moves]
[('p', 1.0, 2.0, 1.0)]
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacks import moves as attack_moves
from treant_viz.attacks.attack import worst_leaves
from treant_viz.attacks.batch import batch_of_one
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Node, Tree, goes_left, landing, leaves, nodes, walk
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import Ensemble, float64_cut
from treant_viz.viz.tree.facts import from_sklearn

Invariance = Literal["kept", "broken", "silent"]


class AppliedRule(NamedTuple):
    """A rule applied to a feature, whose place is `column`; `amount` is None for a category."""

    column: int
    feature: str | int
    before: Any
    after: Any
    amount: float | None
    cost: float
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """The cheapest way into a leaf: its moves, what they cost, and the leaf that the row is in after each of
    them.
    """

    leaf: str
    cost: float
    moves: tuple[AppliedRule, ...]
    stops: tuple[str, ...]

    @property
    def by_feature(self) -> tuple[tuple[AppliedRule, ...], ...]:
        """The moves, those on a feature together."""
        columns = dict.fromkeys(m.column for m in self.moves)
        return tuple(tuple(m for m in self.moves if m.column == f) for f in columns)

    def until(self, step: int | None) -> Attack:
        """The first moves of the attack only."""
        if step is None or step >= len(self.moves):
            return self
        moves = self.moves[:step]
        return Attack(self.stops[step], sum(m.cost for m in moves), moves, self.stops[: step + 1])


class Crossing(NamedTuple):
    """An edge that the row would not take by itself, the test there, and the feature's place."""

    path: str
    node: Node
    column: int


@dataclass(frozen=True, slots=True, eq=False)
class RowAttacks:
    """One row on one tree: the loss in each leaf, the leaf it falls into, the attack on each leaf in reach
    (on `home`, by standing still), and the leaves that hurt most. `own`: which way the row itself goes at
    each test."""

    tree: Tree
    losses: Mapping[str, float]
    home: str
    attacks: Mapping[str, Attack]
    worst: frozenset[str]
    own: Mapping[str, str]
    columns: Mapping[str, int]
    budget: float
    loss: str = "sse"
    row: Mapping[Any, Any] = field(default_factory=dict)
    label: Any = None

    @property
    def best(self) -> str:
        """Of the leaves that hurt most the cheapest: where the attack goes."""
        return min(self.worst, key=lambda leaf: (self.attacks[leaf].cost, leaf))

    @property
    def predictions(self) -> dict[str, float]:
        return {path: leaf.prediction for path, leaf in leaves(self.tree)}

    def ranked(self) -> list[str]:
        """The leaves in reach but for home: those that hurt most first, then the cheaper ones."""
        others = [leaf for leaf in self.attacks if leaf != self.home]
        return sorted(
            others, key=lambda leaf: (leaf not in self.worst, -self.losses[leaf], self.attacks[leaf].cost)
        )

    def crossings(self, leaf: str) -> tuple[Crossing, ...]:
        """The edges on the way to a leaf that must be bought."""
        known = dict(nodes(self.tree))
        above = [leaf[:i] for i in range(len(leaf)) if self.own[leaf[:i]] != leaf[i]]
        return tuple(Crossing(leaf[: len(u) + 1], known[u], self.columns[u]) for u in above)

    def coins(self, attack: Attack) -> dict[str, tuple[AppliedRule, ...]]:
        """By edge, the moves that buy it; what opens several edges is shown on the first of them."""
        out: dict[str, tuple[AppliedRule, ...]] = {}
        paid: set[int] = set()
        for edge, _, column in self.crossings(attack.leaf):
            if column not in paid:
                out[edge] = tuple(m for m in attack.moves if m.column == column)
            paid.add(column)
        return out


def ways(tree: Tree, x: Any, y: Any, attacker: Attacker, loss: str = "sse") -> RowAttacks:
    """All that an attacker can do with one row: exact, as what costs add up over the features of a leaf's
    box.
    """
    _checked(tree, attacker)
    row = one_row(x)
    form = common_form(tree, row, attacker)
    case = LabelledRows(form, row, [y], loss)
    walker = _Walker(tree, form.schema, form.matrix(row))
    attacks = {a.leaf: a for a in _attacks(form, row, attacker, walker)}
    paths, ends = zip(*((path, leaf.prediction) for path, leaf in leaves(tree)), strict=True)
    losses = (case.ell(np.array(ends), np.full(len(ends), case.y[0])) + 0.0).tolist()
    worst = worst_leaves(tree, row, y, attacker, loss)
    home, known = walker.leaf(walker.M), walker.answers()
    columns = {path: form.schema.index(node.feature) for path, node in nodes(tree)}
    return RowAttacks(
        tree,
        dict(zip(paths, losses, strict=True)),
        home,
        attacks,
        worst,
        known,
        columns,
        attacker.budget,
        loss,
        _values(form.schema, walker.M),
        y,
    )


def _values(schema: Schema, M: np.ndarray) -> dict[Any, Any]:
    """The values of a row by feature, as its table has them."""
    pairs = zip(schema.columns, M[0].tolist(), strict=True)
    return {c.name: v if c.categories is None else c.categories[int(v)] for c, v in pairs}


def _checked(tree: object, attacker: object) -> None:
    if not isinstance(tree, (Leaf, Node)):
        raise TypeError(f"tree: expected a Leaf or a Node, got {type(tree).__name__}")
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")


def label_of(x: Any) -> str:
    """What the row is called in its table, "x" if it has no name.

    >>> label_of(pd.Series({"p": 1}, name="x2")), label_of({"p": 1})
    ('x2', 'x')
    >>> label_of(pd.DataFrame({"p": [1]}, index=[7]))
    'row 7'
    """
    found = (
        x.name if isinstance(x, pd.Series) else x.index[0] if isinstance(x, pd.DataFrame) and len(x) else None
    )
    if found is None:
        return "x"
    return found if isinstance(found, str) else f"row {found}"


def _attacks(form: Ensemble, row: Any, attacker: Attacker, walker: _Walker) -> Iterator[Attack]:
    """The cheapest attack on each leaf in reach."""
    batch = batch_of_one(form, row, attacker)
    for leaf, cost in zip(batch.reached.leaf.tolist(), batch.reached.cost.tolist(), strict=True):
        found = batch.moves(0, batch.cells_in(np.array([leaf]))[0])
        moves = tuple(move_of(m, form.schema) for m in found)
        yield Attack(form.paths[leaf], cost, moves, tuple(walker.stops(moves)))


def move_of(step: attack_moves.Move, schema: Schema) -> AppliedRule:
    """A step of an attack in plain numbers."""
    column = schema.index(step.rule.feature)
    before, after = (v if step.rule.categorical else float(v) for v in (step.before, step.after))
    amount = None if step.amount is None else float(step.amount)
    return AppliedRule(
        column, schema.columns[column].name, before, after, amount, float(step.rule.cost), step.rule
    )


class _Walker:
    """Sends a row, or what an attack makes of it, down a tree."""

    def __init__(self, tree: Tree, schema: Schema, M: np.ndarray) -> None:
        self.tree, self.schema, self.M = tree, schema, M

    def leaf(self, M: np.ndarray) -> str:
        return next(path for path, _, rows in landing(self.tree, M, self.schema) if len(rows))

    def answers(self) -> dict[str, str]:
        """For every test the side that the row itself would take."""
        first = np.zeros(1, dtype=np.int64)
        left = {path: bool(goes_left(node, self.M, first, self.schema)[0]) for path, node in nodes(self.tree)}
        return {path: "l" if yes else "r" for path, yes in left.items()}

    def stops(self, moves: Sequence[AppliedRule]) -> Iterator[str]:
        """The leaf before the first move, and after each."""
        M = self.M.copy()
        yield self.leaf(M)
        for move in moves:
            categories = self.schema.columns[move.column].categories
            M[0, move.column] = move.after if categories is None else categories.index(move.after)
            yield self.leaf(M)


def replaced_leaf(before: Tree, after: Tree) -> str:
    """The path of the one leaf of a tree that has become a test in another, all else being the same."""
    old, new = dict(walk(before)), dict(walk(after))
    grown = [path for path, t in old.items() if isinstance(t, Leaf) and isinstance(new.get(path), Node)]
    if len(grown) == 1 and all(_alike(t, new.get(path)) for path, t in old.items() if path != grown[0]):
        return grown[0]
    raise ValueError(
        "after: expected the same tree with one leaf replaced by a test; these two differ in another way"
    )


def touched(tree: Tree, ends: Collection[str]) -> tuple[Tree, dict[str, Tree]]:
    """The ways to some leaves, a leaf in place of every part that branches off, and those parts by path."""
    hidden: dict[str, Tree] = {}

    def cut(t: Tree, path: str) -> Tree:
        if isinstance(t, Leaf):
            return t
        if not any(end.startswith(path) for end in ends):
            hidden[path] = t
            return Leaf(0.0)
        return Node(t.feature, t.threshold, cut(t.left, path + "l"), cut(t.right, path + "r"), t.test)

    return cut(tree, ""), hidden


def tree_of(model: Any, who: str = "model") -> Tree:
    """The tree of a fitted estimator, ours or scikit-learn's, which compares in 32 bits: its thresholds are
    moved to where that turns.
    """
    tree = getattr(model, "tree_", None)
    if isinstance(tree, (Leaf, Node)):
        return tree
    if not hasattr(tree, "children_left"):
        raise TypeError(f"{who}: expected a fitted tree with the attribute tree_, got {type(model).__name__}")
    return _exact(from_sklearn(model)[0])


def _exact(t: Tree) -> Tree:
    if isinstance(t, Leaf):
        return t
    return Node(t.feature, float(float64_cut(t.threshold)), _exact(t.left), _exact(t.right), t.test)


def _alike(a: Tree, b: Tree | None) -> bool:
    """The same leaf, or the same test."""
    if isinstance(a, Node) and isinstance(b, Node):
        return (a.feature, a.threshold, a.test) == (b.feature, b.threshold, b.test)
    return a == b


class WorstLeaves(NamedTuple):
    """A row's own leaf on a tree, and the leaves where the attacker hurts it most."""

    home: str
    worst: frozenset[str]


def invariance(before: RowAttacks | WorstLeaves, after: RowAttacks | WorstLeaves, leaf: str) -> Invariance:
    """Definition "Attack Invariance" for one row: do the new leaves hurt most, if the one that they replace
    did?

    It is silent on rows that the replaced leaf does not hurt most, and on those that stay at home in another
    leaf because that hurts as much.
    """
    if any(new.startswith(leaf) for new in after.worst):
        return "kept"
    elsewhere = leaf not in before.worst or (before.home in before.worst and before.home != leaf)
    return "silent" if elsewhere else "broken"


__all__ = [
    "AppliedRule",
    "Attack",
    "Invariance",
    "RowAttacks",
    "WorstLeaves",
    "invariance",
    "label_of",
    "replaced_leaf",
    "touched",
    "tree_of",
    "ways",
]

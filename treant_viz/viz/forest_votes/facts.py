"""What the trees of a forest or a booster say of one row as an attack goes on, and on which side that is.

A tree is on the side that the whole model would be on if all its trees said what this one says: for a forest,
above or below 1/2; for a booster, above or below 0. Trees of a regression have no sides: they only move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks import moves as attack_moves
from treant_viz.attacks.attack import AttackResult, attack_budgets
from treant_viz.attacks.cells import CellGrid
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.reachable_leaves import reachable_leaves
from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import Ensemble, identity
from treant_viz.viz.attack_path.facts import AppliedRule, move_of
from treant_viz.viz.attack_path.rows import PATIENCE
from treant_viz.viz.attack_path.words import label_text, spent

LESS = 1 - 1e-8  # a budget that just misses a cost; sums of costs are compared with a slack of 1e-9
LOOKED_AT = 200  # rows of a table, of which one is shown
Limits = tuple[float, float]


class VoteSides(NamedTuple):
    """Where a tree's vote turns, what the two sides are called, and whether a tie is the second one's."""

    threshold: float
    names: tuple[str, str]
    tie: bool

    def second(self, values: Any, threshold: float | None = None) -> np.ndarray:
        """Which values are on the second side?"""
        turn = self.threshold if threshold is None else threshold
        return np.asarray(values >= turn if self.tie else values > turn)


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """One row under an attack: `values[k, t]` is what tree t says after k moves, `scores[k]` and `losses[k]`
    are the model's. `exact`: no attack within the budget hurts more.
    """

    values: np.ndarray
    scores: tuple[float, ...]
    losses: tuple[float, ...]
    moves: tuple[AppliedRule, ...]
    exact: bool

    @property
    def cost(self) -> float:
        return spent(self.moves)


class KnownForm:
    """A model that is known in common form already."""

    def __init__(self, form: Ensemble) -> None:
        self.form = form

    def common_form(self, X: Any, attacker: Attacker | None = None) -> Ensemble:
        return self.form


class Voters:
    """A model of trees in common form, with rows and an attacker: it plays the attacks."""

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        attacker: Attacker,
        loss: str | None = None,
        node_limit: int | None = None,
    ) -> None:
        self.form = common_form(model, X, attacker)
        self.X, self.y, self.rows = X, y, LabelledRows(self.form, X, y, loss)
        self.attacker, self.loss, self.node_limit = attacker, loss, node_limit
        self.sides = sides_of(model, self.form, loss)
        self.averaged = self.form.link is identity and self.form.base == 0.0

    @property
    def trees(self) -> int:
        return len(self.form.nodes.roots)

    def attacked(self, at: Sequence[int], budgets: Iterable[float]) -> dict[float, AttackResult]:
        """The worst attack on each of the rows at these places, by budget."""
        known: Any = KnownForm(self.form)
        rows = some_rows(self.X, list(at)), [self.y[i] for i in at]
        return attack_budgets(known, *rows, self.attacker, budgets, self.loss, node_limit=self.node_limit)

    def votes(self, row: int, moves: Sequence[attack_moves.Move], exact: bool) -> Votes:
        """What the trees say as an attack on a row goes on."""
        made = tuple(move_of(m, self.form.schema) for m in moves)
        values = leaf_values(self.form, some_rows(self.X, [row]), made)
        scores = self.form.link(self.form.base + self.form.scale * values.sum(axis=1))
        losses = self.rows.ell(scores, np.full(len(scores), self.rows.y[row]))
        return Votes(values, tuple(map(float, scores)), tuple(map(float, losses)), made, exact)

    def attacks(self, at: Sequence[int]) -> dict[int, list[Votes]]:
        """By row: every attack that some budget buys, from none at all to the dearest and worst."""
        out: dict[int, list[Votes]] = {row: [] for row in at}
        todo = {self.attacker.budget: list(out)}
        while todo:
            rows = todo.pop(budget := max(todo))  # what is left is cheaper: each budget comes once
            result = self.attacked(rows, [budget])[budget]
            for row, moves, exact in zip(rows, result.moves, result.exact.tolist(), strict=True):
                found = self.votes(row, moves, exact)
                dearer = out[row]
                while dearer and dearer[-1].losses[-1] <= found.losses[-1]:  # a search was stopped early
                    dearer.pop()
                dearer.append(found)
                if moves:
                    todo.setdefault(found.cost * LESS, []).append(row)
        return {row: found[::-1] for row, found in out.items()}

    def predicts_second(self, score: float) -> bool:
        """Is the model itself on the second side?"""
        return self.sides is not None and bool(self.sides.second(np.float64(score), 0.5))


def leaf_values(form: Ensemble, row: Any, moves: Sequence[AppliedRule]) -> np.ndarray:
    """[moves applied, tree]: the value of the leaf that the row is in."""
    stages = [form.matrix(row)]
    for m in moves:
        known, M = form.schema.columns[m.column].categories, stages[-1].copy()
        M[0, m.column] = m.after if known is None else known.index(m.after)
        stages.append(M)
    grid = CellGrid(form, np.concatenate(stages))
    leaf = reachable_leaves(grid, [], grid.cells, 0.0).leaf  # without moves each row has one leaf a tree
    values = form.nodes.value[leaf].reshape(len(stages), -1)
    values.setflags(write=False)
    return values


def sides_of(model: Any, form: Ensemble, loss: str | None) -> VoteSides | None:
    """None without classes. A tie goes to the second class in our models, to the first elsewhere."""
    if form.classes is None and loss != "log":
        return None
    turn = 0.5 if form.link is identity else 0.0
    threshold = round((turn - form.base) / (form.scale * len(form.nodes.roots)), 12)
    first, second = form.classes or (0, 1)
    ours = type(model).__module__.partition(".")[0] == "treant_viz" or not hasattr(model, "fit")
    return VoteSides(threshold + 0.0, (label_text(first, 16), label_text(second, 16)), ours)


def most_informative_row(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> int:
    """Of the first rows of a table, the place of the one that tells most: the attack turns the prediction, by
    some of the trees and not by others, and hurts; the first row, if none can be hurt.
    """
    voters = Voters(model, X[:LOOKED_AT], y[:LOOKED_AT], attacker, loss, PATIENCE)
    at = range(len(voters.y))
    result = voters.attacked(at, [attacker.budget])[attacker.budget]

    def most_informative(i: int) -> tuple[float, ...]:
        if not result.moves[i]:
            return (0.0,)
        v = voters.votes(i, result.moves[i], bool(result.exact[i]))
        flips = len(turned(voters.sides, v.values[[0, -1]])[1])
        wrong = [voters.predicts_second(s) != (voters.rows.y[i] > 0.5) for s in (v.scores[0], v.scores[-1])]
        return 1.0, wrong == [False, True], 0 < flips < voters.trees, flips, v.losses[-1] - v.losses[0]

    return max(at, key=most_informative)


def turned(sides: VoteSides | None, values: np.ndarray) -> list[np.ndarray]:
    """[moves applied]: the trees that are on another side than one move before; none at first."""
    none = np.zeros(0, dtype=np.int64)
    if sides is None:
        return [none] * len(values)
    second = sides.second(values)
    return [none, *(np.flatnonzero(a != b) for a, b in pairwise(second))]


__all__ = ["VoteSides", "Voters", "Votes", "leaf_values", "most_informative_row", "sides_of", "turned"]

"""One row under attack on a forest or a booster: what every tree says before and after, and which trees
change sides.

A tree is on the side that the whole model would be on if all its trees said what this one says: for a forest,
above or below 1/2; for a booster, above or below 0. Trees of a regression have no sides: they only move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treant_viz.attacks.attack import attack_budgets
from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import identity
from treant_viz.viz.attack_path.facts import Move, label_of, move_of
from treant_viz.viz.attack_path.words import move_said, spent
from treant_viz.viz.display import Display
from treant_viz.viz.forest_votes.facts import KnownForm, Sides, label_said, leaf_values, sides_of
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number
from treant_viz.viz.tree.card import counted

LISTED = 8  # flipped trees that the summary names


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ForestVotesDisplay(Display):
    """One row and the worst attack on it. `values[k, t]` is what tree t says after k moves, `scores[k]` the
    model.

    `step`: so many moves are shown as applied; None is all of them, with the verdict.
    """

    label: str
    y: str
    values: np.ndarray
    scores: tuple[float, ...]
    losses: tuple[float, float]
    moves: tuple[Move, ...]
    budget: float
    sides: Sides | None
    averaged: bool
    exact: bool
    step: int | None = None

    @classmethod
    def from_model(
        cls,
        model: Any,
        x: Any,
        y: Any,
        attacker: Attacker,
        *,
        loss: str | None = None,
        label: str | None = None,
        node_limit: int | None = None,
    ) -> ForestVotesDisplay:
        """The row x (a mapping, a Series or a data frame of one row) with the label y, attacked on a model of
        trees.

        `model`: whatever `attack` takes; y is a label as the model knows it; `loss` and `node_limit` are
        those of `attack`. `label`: what the row is called; None is its name in the data.
        """
        found = cls.from_budgets(model, x, y, attacker, [], loss=loss, label=label, node_limit=node_limit)
        return found[attacker.budget]

    @classmethod
    def from_budgets(
        cls,
        model: Any,
        x: Any,
        y: Any,
        attacker: Attacker,
        budgets: Iterable[float],
        *,
        loss: str | None = None,
        label: str | None = None,
        node_limit: int | None = None,
    ) -> dict[float, ForestVotesDisplay]:
        """The same by budget, the attacker's own included, in one run."""
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        row, every = one_row(x), sorted({attacker.budget, *budgets})
        form = common_form(model, row, attacker.with_budget(every[-1]))
        results = attack_budgets(KnownForm(form), row, [y], attacker, every, loss, node_limit=node_limit)
        said = name(label_of(x) if label is None else label, 20)
        sides, steady = sides_of(model, form, loss), form.link is identity and form.base == 0.0
        out = {}
        for budget, r in results.items():
            moves = tuple(move_of(s, form.schema) for s in r.moves[0])
            values = leaf_values(form, row, moves)
            scores = tuple(map(float, form.link(form.base + form.scale * values.sum(axis=1))))
            losses = float(r.clean_losses[0]), float(r.losses[0])
            out[budget] = cls(
                said,
                label_said(y),
                values,
                scores,
                losses,
                moves,
                float(budget),
                sides,
                steady,
                bool(r.exact[0]),
            )
        return out

    @property
    def shown(self) -> int:
        """How many moves are shown as applied."""
        return len(self.moves) if self.step is None else min(self.step, len(self.moves))

    @property
    def before(self) -> np.ndarray:
        """What every tree says of the row itself."""
        return self.values[0]

    @property
    def after(self) -> np.ndarray:
        """What every tree says after the moves that are shown."""
        return self.values[self.shown]

    @property
    def score(self) -> float:
        """What the model says after the moves that are shown."""
        return self.scores[self.shown]

    @property
    def moved(self) -> np.ndarray:
        """The numbers of the trees that say something else than before."""
        return np.flatnonzero(self.before != self.after)

    @property
    def flipped(self) -> np.ndarray:
        """The numbers of the trees that have changed sides."""
        return self.flips(self.shown)

    def flips(self, moves: int) -> np.ndarray:
        """The numbers of the trees on another side after so many moves."""
        if self.sides is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.sides.second(self.values[0]) != self.sides.second(self.values[moves]))

    @property
    def order(self) -> np.ndarray:
        """The trees as they are drawn: by what they say before, then by what they say in the end."""
        return np.lexsort((self.values[-1], self.values[0]))

    @property
    def title(self) -> str:
        n, said = len(self.before), self.what
        start, end = number(self.scores[0], 3), number(self.score, 3)
        if self.step == 0:
            return f"By itself {self.label} has the {said} {start}{self._majority}"
        if not self.moves:
            return (
                f"No attack within the budget of {number(self.budget)} "
                f"hurts {self.label}: the {said} stays {start}"
            )
        did, who = ("flips", self.flipped) if self.sides is not None else ("moves", self.moved)
        trees, change = f"{len(who)} of {counted(n, 'tree')}", f"{said} {start} → {end}"
        if self.step is None:
            return f"The attack {did} {trees}: {change}"
        move = f"Move {self.shown} of {len(self.moves)}: {move_said(self.moves[self.shown - 1])}"
        return f"{move}; so far it {did} {trees}, {change}"

    @property
    def what(self) -> str:
        """What a model's word is called."""
        return "prediction" if self.sides is None else "score"

    @property
    def _majority(self) -> str:
        """How many trees are on the second side."""
        if self.sides is None:
            return ""
        return (
            f": {int(self.sides.second(self.before).sum())} of {len(self.before)} trees "
            f"say {self.sides.names[1]}"
        )

    @property
    def alt_text(self) -> str:
        n = len(self.before)
        said = (
            f"What each of {counted(n, 'tree')} says of {self.label}, label {self.y}, "
            "before and after the attack. "
        )
        said += f"The {self.what} goes from {number(self.scores[0], 4)} to {number(self.score, 4)}; "
        if self.sides is not None:
            said += f"{len(self.flipped)} change sides at {number(self.sides.threshold, 4)}, "
        said += f"{len(self.moved)} say something else than before."
        if self.shown:
            moves = "; ".join(map(move_said, self.moves[: self.shown]))
            paid = number(spent(self.moves[: self.shown]))
            said += f" The attack: {moves}; it spends {paid} of {number(self.budget)}."
        return said

    @property
    def summary(self) -> str:
        return "\n".join([self.title, *self._lines()])

    def _lines(self) -> Iterator[str]:
        """The numbers that are drawn: the score after each move, the trees that flip, the budget."""
        for k in range(self.shown + 1):
            what = f"after {move_said(self.moves[k - 1])}" if k else f"{self.label}, label {self.y}"
            flips = f", {len(self.flips(k))} flipped" if self.sides is not None else ""
            yield f"{what}: {self.what} {number(self.scores[k], 4)}{flips}"
        mean = f"mean of the trees {number(self.before.mean(), 4)} → {number(self.after.mean(), 4)}"
        at = "" if self.sides is None else f", threshold {number(self.sides.threshold, 4)}"
        yield f"{mean}{at}; {len(self.moved)} say something else"
        if len(self.flipped):
            trees = [
                f"{t} ({number(self.before[t], 3)} → {number(self.after[t], 3)})"
                for t in self.flipped[:LISTED]
            ]
            yield f"flipped trees: {', '.join(trees)}{', …' if len(self.flipped) > LISTED else ''}"
        paid = spent(self.moves[: self.shown])
        yield (
            f"budget {number(self.budget)}, spent {number(paid)}, "
            f"left {number(self.budget - paid)}{self.doubt}"
        )
        if self.step is None:
            yield f"loss {number(self.losses[0], 4)} → {number(self.losses[1], 4)}"

    @property
    def doubt(self) -> str:
        """Words for a search that was stopped early."""
        return "" if self.exact else "; the search was stopped early: there may be a worse attack"

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return 12.0, 6.2

    def frames(self) -> Sequence[Display]:
        """The row by itself, then the attack move by move, then the verdict."""
        return (*(replace(self, step=k) for k in range(len(self.moves) + 1)), self)

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.forest_votes.draw import draw_votes

        draw_votes(self, pen, target)


__all__ = ["ForestVotesDisplay"]

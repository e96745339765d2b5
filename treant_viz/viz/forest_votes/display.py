"""One row under attack on a forest or a booster: what every tree says before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.viz.attack_path.facts import AppliedRule, label_of
from treant_viz.viz.attack_path.rows import shown_row
from treant_viz.viz.attack_path.words import label_text, move_text, spent
from treant_viz.viz.display import Display
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.forest_votes.facts import Voters, Votes, VoteSides, most_informative_row, turned
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, name, number

LISTED = 8  # turned trees that the summary names


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ForestVotesDisplay(Display):
    """One row, `y` its label in words and `number` in numbers, and the worst attack on it.

    `averaged`: the model is the mean of its trees, and not a sum. `step`: how many moves are shown as
    applied; None is all of them, with the verdict.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> X, y = wine.X_train[:300], wine.y_train[:300]
    >>> attacker = wine.attacker.with_budget(60)
    >>> forest = tv.TreantForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    >>> display = tv.ForestVotesDisplay.from_model(forest, X, y, attacker)
    >>> display.title
    '6 of 7 trees change sides, and with them the prediction: score 0.29 → 0.849'
    """

    label: str
    y: str
    number: float
    votes: Votes
    budget: float
    sides: VoteSides | None
    averaged: bool
    step: int | None = None
    loss: str = "loss"
    source: Mapping[str, Any] | None = None

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

        x may be a table, with a label for each row in y: then one of its rows is shown, if possible one whose
        attack turns the prediction, by some of the trees and not by others. `model`: whatever `attack`
        takes; y is a label as the model knows it; `loss` and `node_limit` are those of `attack`. `label`:
        what the row is called; None is its name in the data.
        """
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        x, y = shown_row(x, y, lambda X, y: most_informative_row(model, X, y, attacker, loss))
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
        voters = Voters(model, row, [y], attacker.with_budget(every[-1]), loss, node_limit)
        results = voters.attacked([0], every)
        called = label_of(x) if label is None else label
        source = {"model": model, "x": x, "y": y, "loss": loss}
        return {
            budget: cls(
                label=name(called, 20),
                y=label_text(y),
                number=float(voters.rows.y[0]),
                votes=voters.votes(0, result.moves[0], bool(result.exact[0])),
                budget=float(budget),
                sides=voters.sides,
                averaged=voters.averaged,
                loss=LOSSES.get(voters.loss or voters.form.loss, "loss"),
                source=source | {"attacker": attacker.with_budget(budget)},
            )
            for budget, result in results.items()
        }

    # what is shown

    @property
    def values(self) -> np.ndarray:
        """[moves applied, tree]: what the tree says."""
        return self.votes.values

    @property
    def scores(self) -> tuple[float, ...]:
        """[moves applied]: what the model says."""
        return self.votes.scores

    @property
    def moves(self) -> tuple[AppliedRule, ...]:
        """The attack."""
        return self.votes.moves

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
        """The numbers of the trees whose score has changed."""
        return np.flatnonzero(self.before != self.after)

    @property
    def flipped(self) -> np.ndarray:
        """The numbers of the trees that have changed sides."""
        return self.flips(self.shown)

    def flips(self, moves: int) -> np.ndarray:
        """The numbers of the trees that have changed sides after this step."""
        return turned(self.sides, self.values[[0, moves]])[1]

    def turns(self, moves: int) -> np.ndarray:
        """The numbers of the trees that change sides with that move."""
        return turned(self.sides, self.values)[moves]

    @property
    def order(self) -> np.ndarray:
        """The trees as they are drawn: by what they say before, then by what they say in the end."""
        return np.lexsort((self.values[-1], self.values[0]))

    # words

    @property
    def what(self) -> str:
        """What a model's word is called."""
        return "prediction" if self.sides is None else "score"

    @property
    def _change(self) -> str:
        return f"{self.what} {number(self.scores[0])} → {number(self.score)}"

    @property
    def title(self) -> str:
        if self.step == 0:
            start = f"Without an attack, {self.label} has the {self.what} {number(self.scores[0])}"
            return f"{start}{self._majority}"
        if not self.moves:
            found = "hurts" if self.votes.exact else "was found that hurts"
            return (
                f"No attack for {number(self.budget)} {found} {self.label}: "
                f"the {self.what} stays {number(self.scores[0])}"
            )
        if self.step is not None:
            return self._step_title
        if self.sides is None:
            return f"The attack moves {self._of_all(len(self.moved))}: {self._change}"
        return f"{self._verdict(self.sides)}: {self._change}"

    def _of_all(self, n: int) -> str:
        return f"{n:,} of {counted(len(self.before), 'tree')}"

    def _verdict(self, sides: VoteSides) -> str:
        """How many trees change sides, and whether the model does."""
        n = len(self.flipped)
        trees = (
            f"{self._of_all(n)} {'changes' if n == 1 else 'change'} sides" if n else "No tree changes sides"
        )
        first, last = (bool(sides.second(np.float64(s), 0.5)) for s in (self.scores[0], self.score))
        if first != last:
            with_it = "with it" if n == 1 else "with them"
            return f"{trees}, and {with_it} the prediction" if n else f"{trees}, and yet the prediction does"
        if first != (self.number > 0.5):
            return f"{trees}; the prediction was wrong already"
        return f"{trees}, but the prediction stays {sides.names[last]}"

    @property
    def _step_title(self) -> str:
        k, n = self.shown, len(self.turns(self.shown))
        start, end = number(self.scores[k - 1]), number(self.score)
        change = f" {counted(n, 'tree') if n else 'no tree'} {'change' if n > 1 else 'changes'} sides,"
        does = change if self.sides is not None else ""
        move = f"Move {k} of {len(self.moves)}: {move_text(self.moves[k - 1])}"
        return f"{move},{does} {self.what} {start} → {end}"

    @property
    def _majority(self) -> str:
        """How many trees are on the second side."""
        if self.sides is None:
            return ""
        n = int(self.sides.second(self.before).sum())
        return f": {self._of_all(n)} {'says' if n == 1 else 'say'} {self.sides.names[1]}"

    @property
    def subtitle(self) -> str:
        verb = "votes" if self.averaged and self.sides is not None else "says" if self.averaged else "adds"
        sign, when = ("Arrows", " before and under attack") if len(self.moved) else ("Circles", "")
        decides = "mean" if self.averaged else "sum"
        return (
            f"{sign} show what each tree {verb}{when}; their {decides} decides. "
            f"The attacker may spend {number(self.budget)}."
        )

    @property
    def alt_text(self) -> str:
        n = len(self.before)
        phrase = (
            f"What each of {counted(n, 'tree')} says of {self.label}, true label {self.y}, "
            "before and after the attack. "
        )
        phrase += f"The {self.what} goes from {number(self.scores[0], 4)} to {number(self.score, 4)}; "
        if self.sides is not None:
            phrase += f"{len(self.flipped)} change sides at {number(self.sides.threshold, 4)}, "
        phrase += f"{len(self.moved)} say something else than before."
        if self.shown:
            moves = "; ".join(map(move_text, self.moves[: self.shown]))
            paid = number(spent(self.moves[: self.shown]))
            phrase += f" The attack: {moves}; they spend {paid} of {number(self.budget)}."
        return phrase

    @property
    def summary(self) -> str:
        return "\n".join([self.title, *self._lines()])

    def _lines(self) -> Iterator[str]:
        """The numbers that are drawn: the score after each move, the trees that turn, the budget."""
        for k in range(self.shown + 1):
            what = f"after {move_text(self.moves[k - 1])}" if k else f"{self.label}, true label {self.y}"
            turns = f", {len(self.flips(k))} on another side" if self.sides is not None else ""
            yield f"{what}: {self.what} {number(self.scores[k], 4)}{turns}"
        mean = f"mean of the trees {number(self.before.mean(), 4)} → {number(self.after.mean(), 4)}"
        at = "" if self.sides is None else f", threshold {number(self.sides.threshold, 4)}"
        yield f"{mean}{at}; {len(self.moved)} say something else"
        if len(self.flipped):
            trees = [
                f"{t} ({number(self.before[t])} → {number(self.after[t])})" for t in self.flipped[:LISTED]
            ]
            yield f"trees on another side: {', '.join(trees)}{', …' if len(self.flipped) > LISTED else ''}"
        paid = spent(self.moves[: self.shown])
        left = number(self.budget - paid)
        yield f"budget {number(self.budget)}, spent {number(paid)}, left {left}{self.doubt}"
        if self.step is None:
            yield f"{self.loss} {number(self.votes.losses[0], 4)} → {number(self.votes.losses[-1], 4)}"

    @property
    def doubt(self) -> str:
        """Words for a search that was stopped early."""
        return "" if self.votes.exact else "; the search was stopped early: there may be a worse attack"

    def frames(self) -> Sequence[Display]:
        """The row by itself, then the attack move by move, then the verdict."""
        return (*(replace(self, step=k) for k in range(len(self.moves) + 1)), self)

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.forest_votes.draw import draw_votes

        draw_votes(self, pen, target)


__all__ = ["ForestVotesDisplay"]

"""explore_forest: which trees of a forest an attack turns, move by move, and the mean that decides."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from traitlets import TraitError, TraitType, validate

from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.explore.attack import FEW_COINS, ROOM, VERDICT, a_budget, a_row, a_step, finite, labelled
from treant_viz.live.explore.base import LiveExplorer
from treant_viz.viz.forest_votes.display import ForestVotesDisplay
from treant_viz.viz.forest_votes.facts import Listed, votes_facts
from treant_viz.viz.forest_votes.votes import Voters, Votes, label_said

LISTED = 300  # rows that the picture knows by name: forests take longer to attack than trees
PLAYED = 40  # rows whose attacks a page holds, if there is room
NODES = 20_000  # where the search for an attack is stopped, and the picture says so


class ForestExplorer(LiveExplorer):
    """State: `row`, `budget`, `move` (how many moves of the attack are made; -1: all, with the verdict)."""

    picture = "votes"
    row: Any = TraitType(0).tag(state=True)
    budget: Any = TraitType(0.0).tag(state=True)
    move: Any = TraitType(VERDICT).tag(state=True)

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, **state: Any
    ) -> None:
        self.model, self.attacker, self.loss = model, finite(attacker), loss
        self.X, self.y, self._label = labelled(X, y)
        self._names: dict[int, str] = {}  # of rows that are called otherwise than in their table
        costs = [rule.cost for rule in attacker.rules]
        budget = a_budget(state.pop("budget", None), attacker.budget)
        self._reach(max(attacker.budget, FEW_COINS * min(costs, default=0.0), budget))
        self._look()
        self._made = lru_cache(maxsize=32)(self._make)
        row, late = state.pop("row", None), {k: state.pop(k) for k in ("move",) if k in state}
        super().__init__(row=self._order[0] if row is None else row, budget=budget, **state)
        for trait, value in late.items():  # checked when the row is known
            self.set_trait(trait, value)
        self.observe(self._follow, names=["row", "budget"])
        self._open()

    # what is worked out

    def _reach(self, top: float) -> None:
        """Attacks up to this budget; none has been played yet."""
        self.top, self._played = top, dict[int, list[Votes]]()
        self.voters = Voters(self.model, self.X, self.attacker.with_budget(top), self.loss, NODES)

    def _look(self) -> None:
        """What the model says of the first rows, by itself and under attack; those that change most first."""
        first = list(range(min(len(self.X), LISTED)))
        K = self.attacker.budget
        found = self.voters.attacked(some_rows(self.X, first), self.y[first], [K])[K]
        self.before, self.after = (dict(enumerate(s.tolist())) for s in (found.clean_scores, found.scores))
        rows = LabelledRows(self.voters.form, some_rows(self.X, first), self.y[first], self.loss)
        self.numbers = dict(enumerate(rows.y.tolist()))
        said = [self._change(r) for r in first]
        self._order = sorted(first, key=lambda r: said[r], reverse=True)

    def _change(self, row: int) -> tuple[bool, bool, float]:
        """How much a row has to show: does its prediction turn, was it right, how far does the score go?"""
        start, end = (self.voters.predicts_second(s[row]) for s in (self.before, self.after))
        right = start == (self.numbers[row] > 0.5)
        return start != end, right, abs(self.after[row] - self.before[row])

    def attacks(self, row: int) -> list[Votes]:
        """All attacks on a row that some budget buys, kept once played."""
        if row not in self._played:
            self._played[row] = self.voters.attacks(self._x(row), self.y[row])
        return self._played[row]

    def _learn(self, row: int) -> None:
        """A row beyond the list: what the model says of it."""
        if row not in self.before:
            K = self.attacker.budget
            found = self.voters.attacked(self._x(row), self.y[[row]], [K])[K]
            self.before[row], self.after[row] = float(found.clean_scores[0]), float(found.scores[0])
            self.numbers[row] = float(
                LabelledRows(self.voters.form, self._x(row), self.y[[row]], self.loss).y[0]
            )
            self._order.append(row)

    @property
    def moves(self) -> int:
        """How many moves the attack has."""
        return len(self._verdict().moves)

    def _verdict(self) -> ForestVotesDisplay:
        return self._made(self.row, self.budget)

    def _follow(self, change: Any) -> None:
        """Another attack: a move that it does not have becomes the verdict."""
        if self.budget > self.top:
            self._reach(self.budget)
            self.widget.facts = self.facts()
        if self.row not in {d["row"] for d in self.widget.facts["details"]}:
            self.widget.facts = self.facts()
        if self.move > self.moves:
            self.move = VERDICT

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        """All attacks on the present row, and on those that were asked for."""
        self._learn(self.row)
        self.attacks(self.row)
        return self._facts(self._order, list(self._played))

    def _facts(self, at: list[int], played: list[int]) -> dict[str, Any]:
        columns = [[column[r] for r in at] for column in (self.numbers, self.before, self.after)]
        y, before, after = columns
        said = [label_said(self.y[r]) for r in at]
        rows = Listed(at, [self.named(r) for r in at], y, said, before, after)
        details = {r: self.attacks(r) for r in played}
        return votes_facts(self.voters, rows, len(self.X), self.attacker.budget, details)

    def page_facts(self) -> dict[str, Any]:
        """The present row and as many others as a page should hold: those that change most."""
        self._learn(self.row)
        count = PLAYED
        while True:
            played = [self.row, *[r for r in self._order if r != self.row][: count - 1]]
            at = [r for r in self._order if r in played]
            facts = self._facts(at, played)
            size = len(json.dumps(facts, separators=(",", ":")))
            if size <= ROOM or count == 1:
                return facts
            count = max(1, int(0.9 * count * ROOM / size))

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """All attacks on one more row."""
        try:
            row = self._a_row({"value": question.get("row")})
        except TraitError as error:
            raise ValueError(str(error)) from None
        self._learn(row)
        self.attacks(row)
        return self.facts()

    def named(self, row: int) -> str:
        """What displays call the row."""
        name = self.X.index[row] if isinstance(self.X, pd.DataFrame) else row
        return self._names.get(row) or (name if isinstance(name, str) else f"row {name}")

    def _x(self, row: int) -> Any:
        return some_rows(self.X, [row])

    # what is refused

    @validate("row")
    def _a_row(self, proposal: Any) -> int:
        return a_row(proposal["value"], len(self.X))

    @validate("budget")
    def _checked(self, proposal: Any) -> float:
        return a_budget(proposal["value"])

    @validate("move")
    def _a_move(self, proposal: Any) -> int:
        return a_step("move", proposal["value"], self.moves)

    # what it leaves behind

    @property
    def display(self) -> ForestVotesDisplay:
        shown: Any = self._verdict()
        return shown if self.move == VERDICT else shown.frames()[self.move]

    def _make(self, row: int, budget: float) -> ForestVotesDisplay:
        A, label = self.attacker.with_budget(budget), self.named(row)
        options: dict[str, Any] = {"loss": self.loss, "label": label, "node_limit": NODES}
        return ForestVotesDisplay.from_model(self.model, self._x(row), self.y[row], A, **options)

    def code(self) -> str:
        frame = isinstance(self.X, pd.DataFrame)
        x = f"X.iloc[[{self.row}]]" if frame else f"X[{self.row}]"
        more = "" if self.loss is None else f", loss={self.loss!r}"
        more += "" if frame and not self._names else f", label={self.named(self.row)!r}"
        step = "" if self.move == VERDICT else f".frames()[{self.move}]"
        call = f"model, {x}, {self._label.format(self.row)}, A{more}, node_limit={NODES}"
        return (
            "# model, X, y, attacker: your model, rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"tv.ForestVotesDisplay.from_model({call}){step}"
        )


def explore_forest(
    model: Any, X: Any, y: Any, attacker: Attacker, *, loss: str | None = None, **state: Any
) -> ForestExplorer:
    """Play the attack on one row of a forest or a booster: which trees it turns, move by move.

    `model`: whatever `attack` takes. `loss`: None is the model's own. State to begin with: `row`, `budget`,
    `move` (so many moves of the attack are applied; -1 or None is all of them, with the verdict).
    """
    return ForestExplorer(model, X, y, attacker, loss, **state)


def of_display(display: ForestVotesDisplay) -> ForestExplorer:
    """The live sister of a static picture."""
    source = display.source
    if source is None:
        raise ValueError("display: expected one made by from_model or from_budgets, which knows its model")
    from treant_viz.attacks.tables import one_row

    explorer = ForestExplorer(
        source["model"], one_row(source["x"]), np.asarray([source["y"]]), source["attacker"], source["loss"]
    )
    explorer._names[0] = source["label"]
    explorer.move = VERDICT if display.step is None else display.step
    explorer.widget.facts = explorer.facts()
    return explorer


__all__ = ["ForestExplorer", "explore_forest", "of_display"]

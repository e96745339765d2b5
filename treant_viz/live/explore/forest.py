"""explore_forest: which trees of a forest an attack turns, move by move, and the mean that decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import pandas as pd
from traitlets import TraitType, validate

from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.explore.base import as_many_as_fit
from treant_viz.live.explore.row_explorer import (
    VERDICT,
    RowExplorer,
    a_budget,
    a_step,
    finite,
    labelled,
    made_from,
    most_coins,
)  # fmt: skip
from treant_viz.viz.attack_path.words import label_text
from treant_viz.viz.forest_votes.display import ForestVotesDisplay
from treant_viz.viz.forest_votes.facts import Voters, Votes
from treant_viz.viz.forest_votes.live_facts import ScoredRows, votes_facts

LISTED = 300  # rows that the picture knows by name: forests take longer to attack than trees
PLAYED = 40  # rows whose attacks a page holds, if there is room
NODES = 20_000  # where the search for an attack is stopped, and the picture says so


class ForestExplorer(RowExplorer):
    """State: `row`, `budget`, `move` (how many moves of the attack are made; -1: all, with the verdict)."""

    picture = "votes"
    move: Any = TraitType(VERDICT).tag(state=True)

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, **state: Any
    ) -> None:
        self.model, self.attacker, self.loss = model, finite(attacker), loss
        self.X, self.y, self._label = labelled(X, y)
        budget = a_budget(state.pop("budget", None), attacker.budget)
        self._reach(most_coins(attacker, budget))
        self.after: dict[int, float] = {}
        self._order: list[int] = []
        self._look(list(range(min(len(self.X), LISTED))))
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
        A = self.attacker.with_budget(top)
        self.top, self._played = top, dict[int, list[Votes]]()
        self.voters = Voters(self.model, self.X, self.y, A, self.loss, NODES)

    def _look(self, rows: list[int]) -> None:
        """What the attacker's budget makes of these rows; those whose predictions turn are listed first."""
        K = self.attacker.budget
        self.after |= dict(zip(rows, self.voters.attacked(rows, [K])[K].scores.tolist(), strict=True))
        self._order += sorted(rows, key=self._change, reverse=True)

    def _change(self, row: int) -> tuple[bool, bool, float]:
        """How much a row has to show: does its prediction turn, was it right, how far does the score go?"""
        scores = float(self.voters.rows.unattacked[row]), self.after[row]
        start, end = map(self.voters.predicts_second, scores)
        right = start == (self.voters.rows.y[row] > 0.5)
        return start != end, right, abs(scores[1] - scores[0])

    def attacks(self, rows: Iterable[int]) -> dict[int, list[Votes]]:
        """All attacks on these rows that some budget buys, kept once played."""
        if new := [row for row in rows if row not in self.after]:
            self._look(new)
        self._played |= self.voters.attacks([row for row in rows if row not in self._played])
        return {row: self._played[row] for row in rows}

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
            self._send(self.facts())
        if self.row not in {d["row"] for d in self.sent["details"]}:
            self._send(self.facts())
        if self.move > self.moves:
            self.move = VERDICT

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        """All attacks on the present row, and on those that were asked for."""
        played = self.attacks([*self._played, self.row])
        return self._facts(self._order, played)

    def _facts(self, at: list[int], played: dict[int, list[Votes]]) -> dict[str, Any]:
        y, before = (column[at].tolist() for column in (self.voters.rows.y, self.voters.rows.unattacked))
        words, after = [label_text(self.y[r]) for r in at], [self.after[r] for r in at]
        rows = ScoredRows(at, [self.named(r) for r in at], y, words, before, after)
        return votes_facts(self.voters, rows, self.attacker.budget, played)

    def page_facts(self) -> dict[str, Any]:
        """The present row and as many others as a page should hold: those that change most."""
        others = [r for r in self._order if r != self.row]

        def facts_of(count: int) -> dict[str, Any]:
            played = self.attacks([self.row, *others[: count - 1]])
            return self._facts([r for r in self._order if r in played], played)

        return as_many_as_fit(facts_of, PLAYED)[0]

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """All attacks on one more row."""
        self.attacks([self.asked_row(question)])
        return self.facts()

    def _x(self, row: int) -> Any:
        return some_rows(self.X, [row])

    # what is refused

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
        more = "" if self.loss is None else f", loss={self.loss!r}"
        more += "" if isinstance(self.X, pd.DataFrame) else f", label={self.named(self.row)!r}"
        step = "" if self.move == VERDICT else f".frames()[{self.move}]"
        call = f"model, {self.row_as_code}, {self._label.format(self.row)}, A{more}, node_limit={NODES}"
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
    `move` (how many moves of the attack are applied; -1 or None is all of them, with the verdict).
    """
    return ForestExplorer(model, X, y, attacker, loss, **state)


def of_display(display: ForestVotesDisplay) -> ForestExplorer:
    """The live sister of a static picture."""
    return ForestExplorer(move=display.step, **made_from(display))


__all__ = ["ForestExplorer", "explore_forest", "of_display"]

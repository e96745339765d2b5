"""explore_forest: which trees' votes an attack flips, move by move and budget by budget."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

import ipywidgets as widgets
from traitlets import validate

from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.rows import VERDICT, Checked, RowExplorer
from treant_viz.viz.forest_votes.display import ForestVotesDisplay
from treant_viz.viz.style.text import for_html, number, value

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the attacker's budget, for the table
LOOKED_AT = 20  # rows among which the first one is chosen: forests take longer to attack than trees
NODES = 20_000  # where the search for an attack is stopped, and the picture says so

Row = tuple[str, ...]


class ForestExplorer(RowExplorer):
    """State: `row`, `budget`, `move` (how many moves of the attack are made; -1: all, with the verdict)."""

    move = Checked(VERDICT).tag(state=True)
    _stepping: ClassVar[str] = "move"

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, **state: Any
    ) -> None:
        self._by_budget = lru_cache(maxsize=64)(self._attacks)
        late = {k: state.pop(k) for k in ("move",) if k in state}  # checked when row and budget are known
        super().__init__(model, X, y, attacker, loss, **state | late)
        self.table = widgets.HTML()
        steps = self._step_controls("moves of the attack")
        self._open_rows(self._row_controls(), steps)
        self.box.children = (*self.box.children[:-1], self.table, self.box.children[-1])

    @validate("move")
    def _a_move(self, proposal: Any) -> int:
        return self.checked_step(proposal["value"])

    def _looked_at(self) -> int:
        return min(len(self.X), LOOKED_AT)

    # picture and table

    def _attacks(self, row: int) -> dict[float, ForestVotesDisplay]:
        """By budget, for the table: all in one run."""
        budgets = [share * self.attacker.budget for share in SHARES]
        return ForestVotesDisplay.from_budgets(
            self.model, self.x(row), self.y[row], self.attacker, budgets, **self._options(row)
        )

    def _make(self, row: int, budget: float) -> ForestVotesDisplay:
        known = self._by_budget(row)
        if budget in known:
            return known[budget]
        A = self.attacker.with_budget(budget)
        return ForestVotesDisplay.from_model(self.model, self.x(row), self.y[row], A, **self._options(row))

    def _options(self, row: int) -> dict[str, Any]:
        return {"loss": self.loss, "label": self.called(row), "node_limit": NODES}

    def _draw(self) -> None:
        super()._draw()
        shown: Any = self._frames()[VERDICT]
        self.table.value = table({**self._by_budget(self.row), self.budget: shown}, self.budget)

    def code(self) -> str:
        x, y, more = self._given()
        return self._code(f"tv.ForestVotesDisplay.from_model(model, {x}, {y}, A{more}, node_limit={NODES})")


def table(found: dict[float, ForestVotesDisplay], budget: float) -> str:
    """Budget by budget: what the attack costs, what the model says, how many trees change; one is set off."""
    first = next(iter(found.values()))
    votes = first.sides is not None
    heads = ["budget", "spent", "moves", first.what, "trees flipped" if votes else "trees moved", "loss"]
    rows = [_cells(found[b], votes) for b in sorted(found)]
    marks = [b == budget for b in sorted(found)]
    head = "".join(
        f'<th scope="col" style="padding:0 0.8em;text-align:right">{for_html(h)}</th>' for h in heads
    )
    body = "".join(_tr(cells, chosen) for cells, chosen in zip(rows, marks, strict=True))
    caption = f"The worst attack on {for_html(first.label)}, budget by budget (in bold: the picture)"
    return f'<table><caption style="text-align:left">{caption}</caption><tr>{head}</tr>{body}</table>'


def _cells(d: ForestVotesDisplay, votes: bool) -> Row:
    trees = f"{len(d.flipped if votes else d.moved)} of {len(d.before)}"
    paid = value(sum(m.cost for m in d.moves))
    return value(d.budget), paid, str(len(d.moves)), number(d.score, 4), trees, number(d.losses[1], 4)


def _tr(cells: Row, chosen: bool) -> str:
    look = f"padding:0 0.8em;text-align:right{';font-weight:bold' * chosen}"
    data = "".join(f'<td style="{look}">{for_html(c)}</td>' for c in cells)
    return f"<tr>{data}</tr>"


def explore_forest(
    model: Any, X: Any, y: Any, attacker: Attacker, *, loss: str | None = None, **state: Any
) -> ForestExplorer:
    """Play the attack on one row of a forest or a booster: which trees' votes it flips, move by move.

    `model`: whatever `attack` takes. `loss`: None is the model's own. State to begin with: `row`, `budget`,
    `move` (so many moves of the attack are applied; -1 or None is all of them, with the verdict).
    """
    return ForestExplorer(model, X, y, attacker, loss, **state)


__all__ = ["ForestExplorer", "explore_forest"]

"""How safe is a row? The least cost at which the attacker changes what the model predicts of it.

>>> import pandas as pd
>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> from treant_viz.core.tree import Leaf, Node
>>> stump = Node("p", 1.0, Leaf(-1.0), Leaf(2.0))
>>> X = pd.DataFrame({"p": [-7.0, 0.5, 1.0, 3.0]})
>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=3)
>>> evasion_cost(stump, X, A)
array([inf,  1.,  1.,  2.])
>>> certify(stump, X, A)[["prediction", "safe_below", "changes_at", "becomes"]]
   prediction  safe_below  changes_at  becomes
0        -1.0         inf         inf     -1.0
1        -1.0         1.0         1.0      2.0
2        -1.0         1.0         1.0      2.0
3         2.0         2.0         2.0     -1.0
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.cell_costs import checked_attacker
from treant_viz.attacks.cheapest import Evasion, Goal, cheapest
from treant_viz.attacks.decisions import Decisions
from treant_viz.attacks.limits import Limits
from treant_viz.attacks.moves import Move
from treant_viz.attacks.row_problem import RowProblem, row_problem
from treant_viz.attacks.tables import moved, some_rows
from treant_viz.attacks.threads import one_thread
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.long_work import Progress


def evasion_cost(
    model: Any, X: Any, A: Attacker, *, tolerance: float = 0.0, progress: Progress = None
) -> np.ndarray:
    """Per row the least cost of an attack that changes the predicted class; no labels are needed.

    Infinite: no sequence of rules within `A.budget` does. What a row's class is, the model's own `predict`
    decides, ties included. Of a regressor, a bare tree or a list of them: the least cost of moving the
    prediction by more than `tolerance`, up or down. Models are those of `attack`; `progress` is as there.

    The attack is exact for every budget at once: below its cost nothing happens to a row, from it on it can.
    """
    found, _ = _least(model, X, A, tolerance, Limits.of(None, None, progress, len(X)))
    return found.cost


def certify(
    model: Any,
    X: Any,
    A: Attacker,
    *,
    tolerance: float = 0.0,
    time_limit: float | None = None,
    node_limit: int | None = None,
    progress: Progress = None,
) -> pd.DataFrame:
    """How much it takes to change each prediction, and the moves that do it: a line for each row of X.

    Columns: `prediction`; `safe_below`: no attack that costs less changes it (infinite: none within the
    budget does); `changes_at`: the cost of `moves`, which do change it (infinite: none are known); `becomes`:
    what the model then predicts; `moves`: the attacker's moves in order; `exact`: the two costs are one, and
    it is the least. `time_limit` (seconds, the whole call) and `node_limit` (combinations of cells looked at,
    per row) may stop a search early: where they do, the least cost lies between `safe_below` and
    `changes_at`. For `tolerance` see `evasion_cost`.
    """
    found, decisions = _least(model, X, A, tolerance, Limits.of(time_limit, node_limit, progress, len(X)))
    table = {
        "prediction": decisions.predictions(),
        "safe_below": found.at_least,
        "changes_at": found.cost,
        "becomes": _becomes(decisions, found.moves),
        "moves": pd.Series(found.moves, dtype=object).to_numpy(),
        "exact": found.at_least >= found.cost,
    }
    return pd.DataFrame(table, index=X.index if isinstance(X, pd.DataFrame) else None)


Cells = tuple[int, ...]


@dataclass(eq=False)
class Evasions:
    """By row: what no successful attack undercuts, what the cheapest known one costs, and its moves."""

    at_least: np.ndarray
    cost: np.ndarray
    moves: list[tuple[Move, ...]]

    @classmethod
    def nothing(cls, n: int) -> Evasions:
        return cls(np.full(n, math.inf), np.full(n, math.inf), [()] * n)

    def put(self, row: int, found: Evasion, moves: tuple[Move, ...]) -> None:
        """Two attempts on a row are as good as the better one."""
        self.at_least[row] = min(self.at_least[row], _plain(found.at_least))
        if found.cost < self.cost[row]:
            self.cost[row], self.moves[row] = _plain(found.cost), moves


def _plain(cost: float) -> float:
    """A sum of costs without what rounding did to it: 0.1 + 0.2 is 0.3."""
    return float(f"{cost:.12g}")


def _least(model: Any, X: Any, A: Attacker, tolerance: float, stop: Limits) -> tuple[Evasions, Decisions]:
    X = X if hasattr(X, "iloc") else np.asarray(X)
    form = common_form(model, X, checked_attacker(A))
    decisions, found = Decisions(form, X, tolerance), Evasions.nothing(len(X))
    if len(X):
        Search(decisions, AttackedModel(form, X, A), found, stop).run()
    return found, decisions


class Search:
    """Goes through the rows, many at a time: most need no search, because nothing in reach does it."""

    def __init__(self, decisions: Decisions, model: AttackedModel, found: Evasions, stop: Limits) -> None:
        self.decisions, self.model, self.found, self.stop = decisions, model, found, stop
        self.cheapest_move = min((r.cost for rules in model.rules.values() for r in rules), default=math.inf)

    def run(self) -> None:
        row, sign, border = self.decisions.attempts()
        for start in range(0, len(row), self.model.batch_size):
            part = slice(start, start + self.model.batch_size)
            batch = Batch(self.model, row[part], sign[part], self.model.limit)
            if self.model.n_trees == 1:
                self._leaves(batch, *self._goals(batch, border[part]))
            else:
                with one_thread():
                    self._rows(batch, *self._goals(batch, border[part]), start, len(row))
        self.stop.tick(1.0)

    def _goals(self, batch: Batch, border: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By row: from which sum on an attack may do it, and from which on it surely does."""
        sure = border + batch.tolerance
        return border - batch.tolerance if self.decisions.asks else sure, sure

    def _rows(self, batch: Batch, near: np.ndarray, sure: np.ndarray, start: int, total: int) -> None:
        can = (batch.counts > 1).any(axis=1) & (batch.best.sum(axis=1) >= near)
        for i in np.flatnonzero(can).tolist():
            if self.stop.struck:
                self.found.put(int(batch.rows[i]), Evasion(self.cheapest_move, math.inf, None), ())
                continue
            p = row_problem(batch, i, self.model.limit)
            goal = Goal(near[i] - p.rest, sure[i] - p.rest, partial(self._passes, batch, i, p))
            found = cheapest(p, self.model.limit, goal, self.stop.for_row(total - start - i))
            moves = () if found.cells is None else batch.moves(i, p.cells(found.cells))
            self.found.put(int(batch.rows[i]), found, moves)
            self.stop.tick((start + i + 1) / total)

    def _passes(
        self, batch: Batch, i: int, p: RowProblem, choices: Sequence[Cells], sums: Sequence[float]
    ) -> np.ndarray:
        """Which choices of cells change the decision: the model's own word."""
        moves = [batch.moves(i, p.cells(c)) for c in choices]
        return self.decisions.changed(int(batch.rows[i]), moves, batch.sign[i] * (p.rest + np.array(sums)))

    def _leaves(self, batch: Batch, near: np.ndarray, sure: np.ndarray) -> None:
        """A single tree: the cheapest of the leaves within reach that do it; of equals the farthest."""
        row, leaf, value = batch.reached.row, batch.reached.leaf, batch.value
        does = value >= sure[row]
        unsure = np.flatnonzero((value >= near[row]) & ~does)
        for u in np.unique(leaf[unsure]).tolist():
            here = unsure[leaf[unsure] == u]
            i = int(row[here[0]])
            moves = [batch.moves(i, batch.cells_in(np.full(len(batch.rows), u))[i])]
            second = self.decisions.second_after(int(batch.rows[i]), moves)[0]
            does[here] = second != self.decisions.second[batch.rows[row[here]]]
        order = np.flatnonzero(does)
        order = order[np.lexsort((-value[order], batch.reached.cost[order], row[order]))]
        first = order[np.r_[True, np.diff(row[order]) > 0]] if len(order) else order
        leaves = np.zeros(len(batch.rows), dtype=np.int64)
        leaves[row[first]] = leaf[first]
        cells = batch.cells_in(leaves)
        for k, i in zip(first.tolist(), row[first].tolist(), strict=True):
            cost = float(batch.reached.cost[k])
            self.found.put(int(batch.rows[i]), Evasion(cost, cost, ()), batch.moves(i, cells[i]))


def _becomes(decisions: Decisions, moves: Sequence[tuple[Move, ...]]) -> np.ndarray:
    """What the model itself says after the moves; where there are any, it must be something else."""
    hit = np.flatnonzero([len(path) > 0 for path in moves])
    second, scores = decisions.second.copy(), decisions.scores.copy()
    if len(hit):
        X = moved(
            some_rows(decisions.X, hit.tolist()), decisions.form.schema, [moves[i] for i in hit.tolist()]
        )
        scores[hit] = decisions.form.scores(X)
        if decisions.asks:
            second[hit] = decisions.form.second_class(X)
    same = second == decisions.second if decisions.asks else scores == decisions.scores
    if same[hit].any():
        row = int(hit[np.argmax(same[hit])])
        raise RuntimeError(
            f"model: by the sum of its trees, an attack changes what it predicts of row {row}, but it says "
            f"{scores[row]!r} as before: it cannot be attacked as it stands"
        )
    return decisions.labels(second, scores)


__all__ = ["certify", "evasion_cost"]

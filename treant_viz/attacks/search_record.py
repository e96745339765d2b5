"""What the search on one row did: every point that it looked at, and the bounds that cut the others off.

The search itself reports it, one point at a time (`search.Watcher`); here it is only written down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.combinations import count_affordable
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.limits import RowLimits
from treant_viz.attacks.row_problem import RowProblem, Solution, row_problem
from treant_viz.attacks.search import Descent, Partial, Watcher
from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form

Cells = tuple[int, ...]


class Look(NamedTuple):
    """A point that the search looked at: a cell for each of the first features in order.

    `bound`: no attack that begins so leads to a worse sum of leaves; of a whole combination it is the sum.
    `best` is the best sum known when it was looked at, or when it was cut; `kept` means the bound beats it.
    """

    cells: Cells
    cost: float
    bound: float
    best: float
    kept: bool


class SearchRecorder(Watcher):
    """Writes down the looks of each search, the first and perhaps a second one."""

    def __init__(self) -> None:
        self.searches: list[tuple[Descent, dict[Cells, Look]]] = []

    def begins(self, search: Descent) -> None:
        self.searches.append((search, {}))

    def branched(
        self, parents: Partial, i: np.ndarray, j: np.ndarray, cost: np.ndarray, bound: np.ndarray
    ) -> None:
        self._put(np.column_stack([parents.cells[i], j]), cost, bound)

    def dropped(self, layer: Partial, first: int) -> None:
        search, looks = self.searches[-1]
        for cells in map(tuple, layer.cells[first:].tolist()):
            if cells in looks:  # the root has no look
                looks[cells] = looks[cells]._replace(best=search.best.value, kept=False)

    def scored(self, points: Partial, cost: np.ndarray, score: np.ndarray) -> None:
        a, b = np.nonzero(score > -math.inf)
        tail = self.searches[-1][0].tail.cells
        if tail.shape[1]:
            self._put(np.column_stack([points.cells[a], tail[b]]), cost[a, b], score[a, b])

    def _put(self, cells: np.ndarray, cost: np.ndarray, bound: np.ndarray) -> None:
        search, looks = self.searches[-1]
        for c, k, b in zip(map(tuple, cells.tolist()), cost.tolist(), bound.tolist(), strict=True):
            looks[c] = Look(c, k, b, search.best.value, b > search.bar)


class Option(NamedTuple):
    """What a feature can be made: its new value (None: it stays as it is), and the least cost."""

    after: Any
    cost: float


@dataclass(frozen=True, eq=False)
class SearchRecord:
    """A search that is over. Features, options and cells are in the order in which they were settled.

    `looks` are those of the first search, in their order; `found` is the best that it came to. `again`
    counts the whole combinations of a second one, for an attack that does as much and costs less; `solution`
    is the last word. Sums of leaves become scores by `score`, and these losses by `loss`.
    """

    features: tuple[str | int, ...]
    before: tuple[Any, ...]
    options: tuple[tuple[Option, ...], ...]
    limit: float
    looks: tuple[Look, ...]
    found: Cells
    again: int
    solution: Solution
    unattacked: float
    root_bound: float
    rows: LabelledRows
    sign: float
    rest: float

    def score(self, total: float) -> float:
        """What the model says where the leaves that are searched for add up to this."""
        return float(self.rows.form.score(np.array([self.sign * (self.rest + total)]))[0])

    def loss(self, total: float) -> float:
        return float(self.rows.ell(np.array([self.score(total)]), self.rows.y)[0])

    @property
    def combinations(self) -> int:
        """How many there are, affordable or not."""
        return math.prod(map(len, self.options))

    @cached_property
    def affordable(self) -> int:
        """How many the budget can pay for."""
        return self.below((), 0.0)

    def below(self, cells: Cells, cost: float) -> int:
        """How many affordable combinations begin with these cells, which cost so much."""
        known, key = self._counted, (len(cells), cost)
        if key not in known:
            rest = [np.array([o.cost for o in options]) for options in self.options[len(cells) :]]
            known[key] = count_affordable(rest, self.limit - cost)
        return known[key]

    @cached_property
    def _counted(self) -> dict[tuple[int, float], int]:
        """How many combinations are affordable from a level on, after so much was spent."""
        return {}

    @property
    def visited(self) -> int:
        """Whole combinations that were looked at."""
        return sum(len(look.cells) == len(self.options) for look in self.looks)

    def cut(self) -> list[Look]:
        """The beginnings at which the search turned back."""
        return [look for look in self.looks if not look.kept and len(look.cells) < len(self.options)]


def record_search(model: Any, x: Any, y: Any, A: Attacker, loss: str | None = None) -> SearchRecord | None:
    """Search once more for the worst attack on a row x with the label y, point by point, and write it down.

    None: no search finds what hurts more than the row as it is. A row that a greater and a smaller score can
    hurt is searched both ways; the one that hurts more is handed back.
    """
    row = one_row(x)
    form = common_form(model, row, A)
    rows, attacked = LabelledRows(form, row, [y], loss), AttackedModel(form, row, A)
    signs = [s for s, yes in zip((1.0, -1.0), rows.directions(), strict=True) if yes[0]]
    found = [r for s in signs if (r := _searched(rows, attacked, s)) is not None]
    hurting = [r for r in found if r.loss(r.solution.value) >= r.loss(r.unattacked)]
    return max(hurting, key=lambda r: r.loss(r.solution.value), default=None)


def _searched(rows: LabelledRows, attacked: AttackedModel, sign: float) -> SearchRecord | None:
    batch = Batch(attacked, np.zeros(1, dtype=np.int64), np.array([sign]), attacked.limit)
    if not batch.open[0]:
        return None
    p, recorder = row_problem(batch, 0, attacked.limit), SearchRecorder()
    solution = Descent(p, attacked.limit, RowLimits(), watch=recorder, one_by_one=True).run()
    search, looks = recorder.searches[0]
    again = sum(len(c) == len(search.order) for _, more in recorder.searches[1:] for c in more)
    features, before, options = _options(batch, p, search.order)
    return SearchRecord(
        features=features,
        before=before,
        options=options,
        limit=attacked.limit,
        looks=tuple(looks.values()),
        found=tuple(search.best.cells[f] for f in search.order),
        again=again,
        solution=solution._replace(cells=tuple(solution.cells[f] for f in search.order)),
        unattacked=p.score(p.unattacked),
        root_bound=float(search._root_bound()[0]),
        rows=rows,
        sign=sign,
        rest=p.rest,
    )


def _options(batch: Batch, p: RowProblem, order: list[int]) -> tuple[Any, Any, Any]:
    """Of each feature in order: its name, its value, and what its runs of cells stand for."""
    names, before, options = [], [], []
    for place, runs in (p.features[f] for f in order):
        costs, now = batch.attacked[place].to_cells, int(batch.unattacked_cells[0, place])
        code = int(costs.codes[0])
        paths = [costs.path(code, runs.cell(r, now)) if cost > 0 else () for r, cost in enumerate(runs.costs)]
        names.append(costs.column.name)
        before.append(next((path[0].before for path in paths if path), None))
        options.append(
            tuple(
                Option(path[-1].after if path else None, float(cost))
                for path, cost in zip(paths, runs.costs, strict=True)
            )
        )
    return tuple(names), tuple(before), tuple(options)


__all__ = ["Look", "Option", "SearchRecord", "SearchRecorder", "record_search"]

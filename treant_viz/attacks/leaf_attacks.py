"""Every attack on a single tree: for each row the leaves in its reach, what each costs, and by which moves.

>>> import pandas as pd
>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> from treant_viz.core.tree import Leaf, Node
>>> stump = Node("p", 1.0, Leaf(-1.5), Leaf(1.6))
>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> found = LeafAttacks(stump, pd.DataFrame({"p": [1, 3]}), [0, 2], A, "sse")
>>> list(zip(found.row.tolist(), found.leaf.tolist(), found.cost.tolist()))
[(0, 0, 0.0), (0, 1, 1.0), (1, 1, 0.0)]
>>> print(*found.chains(1)[0])
p: 1 -> 2 (+1), cost 1
>>> [round(total, 9) for total in found.totals([0.0, 1.0])]
[2.41, 2.72]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treant_viz.attacks.batch import AttackedModel, Batch
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.moves import HAIR, Move
from treant_viz.attacks.reachable_leaves import CostsOfSides
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Tree, goes_left, landing, leaves, nodes
from treant_viz.ensembles.common_form import common_form

Chain = tuple[Move, ...]  # moves on one feature


class LeafAttacks:
    """Pairs of a row and a leaf in its reach, sorted by both; leaves are numbered from left to right.

    `home` is each row's leaf without an attack, `passes[row, test]` whether it passes each test then, and
    `losses[label, leaf]` what a leaf does to each of the labels `values`; `label` says whose is which.
    """

    def __init__(self, tree: Tree, X: Any, y: Any, attacker: Attacker, loss: str) -> None:
        form = common_form(tree, X, attacker)
        rows = LabelledRows(form, X, y, loss)
        self.tree, self.schema, self.M = tree, form.schema, form.matrix(X)
        self.ends = list(leaves(tree))
        self.number = {path: i for i, (path, _) in enumerate(self.ends)}
        self._model = AttackedModel(form, X, attacker)
        self._reach([self.number.get(path, -1) for path in form.paths])
        self.home = self._leaf_of(self.M)
        every = np.arange(len(self.M))
        passed = [goes_left(u, self.M, every, self.schema) for _, u in nodes(tree)]
        self.passes = np.array(passed, dtype=bool).reshape(len(passed), len(self.M)).T
        self.values, self.label = np.unique(rows.y, return_inverse=True)
        self._labelled = rows
        each = [rows.ell(self.predictions, np.full(len(self.ends), v)) + 0.0 for v in self.values]
        self.losses = np.array(each)

    def _reach(self, number: Sequence[int]) -> None:
        """All pairs, some rows at a time."""
        model, parts = self._model, []
        for start in range(0, len(self.M), model.batch_size):
            rows = np.arange(start, min(start + model.batch_size, len(self.M)))
            reached = Batch(model, rows, np.ones(len(rows)), model.limit).reached
            parts.append((rows[reached.row], reached.leaf, reached.cost))
        row, node, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        leaf = np.asarray(number, dtype=np.int64)[node]
        order = np.lexsort((leaf, row))
        self.row, self.leaf, self.cost, self._node = row[order], leaf[order], cost[order], node[order]
        self.start = np.searchsorted(self.row, np.arange(len(self.M) + 1))

    def _leaf_of(self, M: np.ndarray) -> np.ndarray:
        out = np.zeros(len(M), dtype=np.int64)
        for path, _, rows in landing(self.tree, M, self.schema):
            out[rows] = self.number[path]
        return out

    def pairs(self, row: int) -> range:
        """The places of a row's pairs."""
        return range(int(self.start[row]), int(self.start[row + 1]))

    # losses

    @property
    def unattacked(self) -> np.ndarray:
        """The loss of each row in its own leaf."""
        return np.asarray(self.losses[self.label, self.home])

    @property
    def predictions(self) -> np.ndarray:
        return np.array([leaf.prediction for _, leaf in self.ends])

    def worst(self, budget: float) -> np.ndarray:
        """The greatest loss that the attacker can cause to each row."""
        hurt = np.where(self.cost <= budget * HAIR, self._hurt(), -np.inf)
        return np.asarray(np.maximum.reduceat(hurt, self.start[:-1]))

    def best(self, budget: float) -> np.ndarray:
        """The place of each row's worst attack: of equals the cheapest one, then the leftmost leaf."""
        hurt = np.where(self.cost <= budget * HAIR, self._hurt(), -np.inf)
        most = np.maximum.reduceat(hurt, self.start[:-1])[self.row]
        with np.errstate(invalid="ignore"):
            near = np.where(np.isfinite(most), hurt >= most - 1e-9 * np.abs(most), hurt == most)
        tied = np.flatnonzero(near)
        order = tied[np.lexsort((self.leaf[tied], self.cost[tied], self.row[tied]))]
        return np.asarray(order[np.r_[True, np.diff(self.row[order]) > 0]])

    def _hurt(self) -> np.ndarray:
        return self.losses[self.label[self.row], self.leaf]

    def totals(self, budgets: Iterable[float]) -> list[float]:
        """The loss under attack by budget."""
        return [float(self.worst(b).sum()) for b in budgets]

    def total_with(self, predictions: Sequence[float], budget: float) -> float:
        """The loss under attack if the leaves, from left to right, predicted this instead."""
        says = np.asarray(predictions, dtype=float)[self.leaf]
        hurt = np.where(
            self.cost <= budget * HAIR, self._labelled.ell(says, self._labelled.y[self.row]), -np.inf
        )
        return float(np.maximum.reduceat(hurt, self.start[:-1]).sum())

    def totals_along(
        self, predictions: Sequence[float], leaf: int, points: np.ndarray, budget: float
    ) -> np.ndarray:
        """The loss under attack for each of the points that one leaf might predict instead."""
        says = np.asarray(predictions, dtype=float)[self.leaf]
        near, here = self.cost <= budget * HAIR, self.leaf == leaf
        hurt = self._labelled.ell(says, self._labelled.y[self.row])
        elsewhere = np.maximum.reduceat(np.where(near & ~here, hurt, -np.inf), self.start[:-1])
        rows = self.row[near & here]  # a row and a leaf are one pair at most
        own = self._labelled.ell(points[:, None], self._labelled.y[rows][None, :])
        fixed = np.delete(elsewhere, rows).sum()
        return np.asarray(np.maximum(own, elsewhere[rows][None, :]).sum(axis=1) + fixed)

    def worst_leaves(self, row: int, budget: float) -> frozenset[str]:
        """Lambda^A of a row: the paths of the leaves that hurt it most."""
        near = [p for p in self.pairs(row) if self.cost[p] <= budget * HAIR]
        hurt = {int(self.leaf[p]): float(self.losses[self.label[row], self.leaf[p]]) for p in near}
        most = max(hurt.values())
        least = most - 1e-9 * abs(most) if np.isfinite(most) else most
        return frozenset(self.ends[leaf][0] for leaf, loss in hurt.items() if loss >= least)

    # moves

    def chains_of(self, pairs: Sequence[int]) -> list[tuple[Chain, ...]]:
        """For each of these pairs the cheapest moves, feature by feature."""
        at = np.asarray(pairs, dtype=np.int64)
        out: list[list[Chain]] = [[] for _ in pairs]
        if len(at):
            rows = self.row[at]
            for sides in self._model.side_costs(rows):
                self._add(sides, rows, self._node[at], out)
        return [tuple(chains) for chains in out]

    def _add(self, sides: CostsOfSides, rows: np.ndarray, node: np.ndarray, out: list[list[Chain]]) -> None:
        costs = sides.to_cells
        cells, now = sides.nearest_cells(node), self._model.grid.cells[rows, costs.f]
        for i in np.flatnonzero(cells != now).tolist():
            out[i].append(costs.path(int(costs.codes[i]), int(cells[i])))

    def chains(self, pair: int) -> tuple[Chain, ...]:
        return self.chains_of([pair])[0]

    def stops_of(self, pairs: Sequence[int], chains: Sequence[tuple[Chain, ...]]) -> list[list[int]]:
        """For each pair the leaf that the row is in after each move but the last."""
        states, owner = [], []
        for k, (pair, found) in enumerate(zip(pairs, chains, strict=True)):
            now = self.M[self.row[pair]].copy()
            for move in [m for chain in found for m in chain][:-1]:
                column = self.schema.index(move.rule.feature)
                known = self.schema.columns[column].categories
                now[column] = move.after if known is None else known.index(move.after)
                states.append(now.copy())
                owner.append(k)
        out: list[list[int]] = [[] for _ in pairs]
        if states:
            for k, leaf in zip(owner, self._leaf_of(np.array(states)).tolist(), strict=True):
                out[k].append(leaf)
        return out


__all__ = ["Chain", "LeafAttacks"]

"""The search for the worst attack on one row as a tree that fits into a picture.

Whole combinations under one node stand together, and so do the branches that were cut there; of a large
search, what lies off the way to the best attack is folded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treant_viz.attacks.search_record import Cells, Look, SearchRecord, record_search
from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.viz.cells.facts import most_informative_rows

ENOUGH = 2  # cases that are tried, and as many that are skipped, to see what a bound does
TRIED = 30  # rows whose searches are looked at for one that is worth seeing


@dataclass(frozen=True, slots=True)
class SearchBranch:
    """What hangs below a node: a node of its own, some cut branches, or whole combinations.

    `combinations` are those that the budget can pay for; `bound` is the greatest bound among the branches,
    `best` the best sum known when the last of them was cut; `sums` are those of whole combinations.
    `folded`: a node with all that is below it.
    """

    kind: str  # "node", "cut", "whole" or "folded"
    cells: Cells
    branches: int
    combinations: int
    bound: float
    best: float
    cost: float = 0.0
    below: tuple[SearchBranch, ...] = ()
    sums: tuple[float, ...] = ()

    def walk(self) -> Iterator[SearchBranch]:
        """It and all below it, from the top."""
        yield self
        for b in self.below:
            yield from b.walk()

    def ends(self) -> Iterator[SearchBranch]:
        """What ends the drawing, from left to right."""
        for b in self.below:
            yield from b.ends()
        if not self.below:
            yield self


@dataclass(frozen=True, eq=False)
class SearchTree:
    """A recorded search, and its tree of branches."""

    record: SearchRecord

    @cached_property
    def _children(self) -> dict[Cells, list[Look]]:
        """By beginning: the looks one level further down, the most promising ones first."""
        out: dict[Cells, list[Look]] = {}
        for look in self.record.looks:
            out.setdefault(look.cells[:-1], []).append(look)
        return {cells: sorted(looks, key=lambda k: -k.bound) for cells, looks in out.items()}

    def drawn(self, lines: int) -> SearchBranch:
        """The tree in at most so many lines if it can be: every branch on its own; or those with the same end
        together; or folded below as few levels as it must be.
        """
        levels = len(self.record.options)
        made = self._node(None, levels, split=True)
        for depth in (levels, *reversed(range(1, levels))):
            if sum(1 for _ in made.walk()) <= lines:
                break
            made = self._node(None, depth)
        return made

    def folded(self, lines: int) -> bool:
        """Is anything folded away in so many lines?"""
        return any(b.kind == "folded" for b in self.drawn(lines).ends())

    def _node(self, look: Look | None, depth: int, split: bool = False) -> SearchBranch:
        """A node whose branches are drawn if it lies above `depth`, or on the way to the best attack."""
        r, cells = self.record, look.cells if look else ()
        bound, best, cost = (look.bound, look.best, look.cost) if look else (r.root_bound, r.unattacked, 0.0)
        fold = len(cells) >= depth and cells != r.found[: len(cells)]
        below = () if fold else tuple(self._below(cells, depth, split))
        kind, size = "folded" if fold else "node", r.below(cells, cost)
        return SearchBranch(kind, cells, 1, size, bound, best, cost, below)

    def _below(self, cells: Cells, depth: int, split: bool) -> Iterator[SearchBranch]:
        looks, last = self._children.get(cells, []), len(self.record.options) - 1
        if len(cells) == last:
            yield from self._ends("whole", cells, looks, split)
            return
        yield from (self._node(look, depth, split) for look in looks if look.kept)
        if cut := [look for look in looks if not look.kept]:
            yield from self._ends("cut", cells, cut, split)

    def _ends(self, kind: str, cells: Cells, looks: list[Look], split: bool) -> Iterator[SearchBranch]:
        """What ends here, together or one by one."""
        if split:
            yield from (self._together(kind, look.cells, [look]) for look in looks)
        else:
            yield self._together(kind, cells, looks)

    def _together(self, kind: str, cells: Cells, looks: list[Look]) -> SearchBranch:
        size = sum(self.record.below(k.cells, k.cost) for k in looks)
        bound, best = max(k.bound for k in looks), max(k.best for k in looks)
        sums = tuple(k.bound for k in looks) if kind == "whole" else ()
        return SearchBranch(kind, cells, len(looks), size, bound, best, sums=sums)

    @cached_property
    def cut_by_level(self) -> tuple[int, ...]:
        """For each feature: how many combinations were cut right after it was settled."""
        out = [0] * len(self.record.options)
        for look in self.record.cut():
            out[len(look.cells) - 1] += self.record.below(look.cells, look.cost)
        return tuple(out)


def most_informative_search(
    model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, lines: int
) -> tuple[int, int]:
    """Of the rows with most combinations, the place of the one that is hurt most, of those whose search
    tries some, skips some and has room; and how many rows there were if none of them has a search.
    """

    def richness(row: int) -> tuple[bool, bool, bool, int, float]:
        record = record_search(model, some_rows(X, [row]), y[row], attacker, loss)
        if record is None:
            return False, False, False, 0, 0.0
        fits = sum(1 for _ in SearchTree(record).drawn(lines).walk()) <= lines
        harm = record.loss(record.solution.value) - record.loss(record.unattacked)
        seen = min(record.visited, record.affordable - record.visited, ENOUGH)
        return True, harm > 0, fits, seen, harm

    rows = most_informative_rows(model, X, y, attacker, loss)[:TRIED]
    found = {row: richness(row) for row in rows}
    best = max(rows, key=lambda row: found[row])
    return best, 0 if found[best][0] else len(rows)


__all__ = ["SearchBranch", "SearchTree", "most_informative_search"]

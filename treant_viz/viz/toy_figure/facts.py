"""The numbers of the overview: for every panel where each row goes, what it costs there, and what the
attacker does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from treant_viz.attacks.attack import attack
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.constraints import feasible_set
from treant_viz.core.losses import SSE, Pieces
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Tree, landing, leaves, walk
from treant_viz.trace.trace import Trace
from treant_viz.viz.attack_path.words import rule_text
from treant_viz.viz.style.text import name, number
from treant_viz.viz.tree.facts import Flow, row_name


class Guest(NamedTuple):
    """A row in the leaf where the attacker leaves it: its name and label, whether it was moved there, its
    loss.
    """

    row: str
    y: float
    moved: bool
    loss: float


class TreeInput(NamedTuple):
    """A tree to be drawn, the trace that grew it, and whether to draw what is asked of its leaves."""

    name: str
    what: str
    tree: Tree
    trace: Trace
    constraints: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TreePanel:
    """A tree under attack: its guests by leaf after the attack, the rows on each way, and its L and L^A.

    The losses of the guests add up to `loss_under_attack`; `story` tells what becomes of the rows for which
    the attacker has a choice, and `spared` are coins that were not spent, by the branch to which they would
    have led.
    """

    name: str
    what: str
    tree: Tree
    guests: Mapping[str, tuple[Guest, ...]]
    flows: Mapping[str, Flow]
    feasible: Mapping[str, Pieces]
    story: tuple[str, ...]
    spared: Mapping[str, float]
    loss: float
    loss_under_attack: float

    @property
    def heading(self) -> str:
        return f"{self.name} {self.what}"

    @property
    def sum(self) -> str:
        """The losses of the leaves, from left to right, and what they add up to.

        With numbers as they are drawn: "0.5 + 3.2 = 3.7".
        """
        parts = [number(sum(g.loss for g in self.guests[path])) for path, _ in leaves(self.tree)]
        return f"{' + '.join(parts)} = {number(self.loss_under_attack)}"


class PushedRow(NamedTuple):
    """Where the attacker leaves a row, at what cost, and with what loss."""

    path: str
    cost: float
    loss: float


def panel(X: pd.DataFrame, y: np.ndarray, A: Attacker, given: TreeInput) -> TreePanel:
    """A tree, attacked exactly: every row stands where the attacker takes it.

    Where the algorithm's plan is as bad for us as the worst attack, the row stands where it was planned.
    """
    found, schema = attack(given.tree, X, y, A, "sse"), Schema.of(X)
    home, worst = (_places(given.tree, schema.matrix(table), schema) for table in (X, found.X_adv))
    planned = _planned(given, y)
    stands = {r: PushedRow(worst[r], float(found.costs[r]), float(found.losses[r])) for r in range(len(X))}
    stands |= {r: p for r, p in planned.items() if abs(p.loss - stands[r].loss) <= 1e-9 and p.path != home[r]}
    names = {r: row_name(X.index[r]) for r in stands}
    guests: dict[str, tuple[Guest, ...]] = {path: () for path, _ in leaves(given.tree)}
    for r, s in stands.items():
        guests[s.path] = (*guests[s.path], Guest(names[r], float(y[r]), home[r] != s.path, s.loss))
    spared = {_parting(home[r], p.path): p.cost for r, p in planned.items()
              if stands[r].path == home[r] != p.path}  # fmt: skip
    story = tuple(
        _story(names[r], float(found.clean_losses[r]), stands[r], home[r], planned.get(r)) for r in stands
    )
    feasible = _feasible(given) if given.constraints else {}
    flows = _flows(given.tree, home, stands, names)
    sums = float(found.clean_losses.sum()), float(found.losses.sum())
    told = tuple(filter(None, story))
    return TreePanel(given.name, given.what, given.tree, guests, flows, feasible, told, spared, *sums)


def _story(row: str, clean: float, stand: PushedRow, home: str, planned: PushedRow | None) -> str:
    """What becomes of a row for which the attacker has a choice, in one sentence; nothing for the others."""
    if stand.path != home and abs(stand.loss - clean) <= 1e-9:
        return f"{row} may be pushed, but loses {number(clean)} on either side"
    if stand.path != home:
        return f"{row} is pushed: its loss grows from {number(clean)} to {number(stand.loss)}"
    if planned is not None and planned.path != home:
        return (
            f"{row} stays and loses {number(clean)}: where it was planned, it would now lose only "
            f"{number(planned.loss)}"
        )
    return ""


def _planned(given: TreeInput, y: np.ndarray) -> dict[int, PushedRow]:
    """Where the algorithm put every row of a leaf, and what it counted for it."""
    out = {}
    for path, leaf in leaves(given.tree):
        split = given.trace.at(path[:-1]).split if path else None
        if split is not None:
            data = split.left if path[-1] == "l" else split.right
            for r, cost in zip(data.rows.tolist(), data.spent.tolist(), strict=True):
                out[r] = PushedRow(path, cost, float((leaf.prediction - y[r]) ** 2))
    return out


def _parting(home: str, other: str) -> str:
    """The branch by which a row would leave its natural way.

    >>> _parting("l", "rl")
    'r'
    """
    i = next(i for i, (a, b) in enumerate(zip(home, other, strict=False)) if a != b)
    return other[: i + 1]


def _places(tree: Tree, M: np.ndarray, schema: Schema) -> dict[int, str]:
    """The leaf of every row."""
    return {int(r): path for path, _, rows in landing(tree, M, schema) for r in rows}


def _flows(
    tree: Tree, home: Mapping[int, str], stands: Mapping[int, PushedRow], names: Mapping[int, str]
) -> dict[str, Flow]:
    """The rows on every way after the attack; a coin lies where a row leaves its natural way."""
    out = {}
    for path, _ in walk(tree):
        if path:
            here = [r for r, s in stands.items() if s.path.startswith(path)]
            moved = [r for r in here if not home[r].startswith(path)]
            pushed = [r for r in moved if home[r].startswith(path[:-1])]
            who = names[pushed[0]] if len(pushed) == 1 else ""
            paid = tuple(sorted({stands[r].cost for r in pushed}))
            away = sum(h.startswith(path) for h in home.values()) - (len(here) - len(moved))
            out[path] = Flow(len(here) - len(moved), len(moved), len(pushed), paid, who, away)
    return out


def _feasible(given: TreeInput) -> dict[str, Pieces]:
    """What the constraints that the trace hands to each leaf of the tree allow it to predict."""
    out = {}
    for path, t in walk(given.tree):
        split = given.trace.at(path[:-1]).split if path and isinstance(t, Leaf) else None
        if split is not None:
            mine = split.left_constraints if path[-1] == "l" else split.right_constraints
            if mine:
                out[path] = feasible_set([(c.sense, c.y, c.at) for c in mine], SSE)
    return out


def rule_lines(attacker: Attacker) -> list[str]:
    """The attacker's rules in words."""
    return [f"{name(r.feature)}: {rule_text(r)}" for r in attacker.rules]


__all__ = ["Guest", "TreeInput", "TreePanel", "panel", "rule_lines"]

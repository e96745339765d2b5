"""The paper's overview figure: a data set, and trees that are grown on it, panel by panel.

Panel (a) is the data as a table with the attacker's rules; every other panel is a tree whose leaves list the rows that
the algorithm put there, and say so where the attacker has something better to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from treant_viz.attacker import Attacker
from treant_viz.attacks import attack
from treant_viz.constraints import Constraint
from treant_viz.table import Schema
from treant_viz.trace import Trace
from treant_viz.tree import Leaf, Node, Tree, depth, landing, leaves, walk
from treant_viz.viz.canvas import BODY, Ink, Target, panels
from treant_viz.viz.card import Card, said_test
from treant_viz.viz.display import Display
from treant_viz.viz.text import name, number
from treant_viz.viz.tree_ink import draw_tree

MOST_ROWS = 12


class Guest(NamedTuple):
    """A row in a leaf: its name, whether the attacker has to bring it there, and its loss."""

    row: str
    moved: bool
    loss: float


class TreeInput(NamedTuple):
    """A tree to be drawn, the trace that grew it, and whether to write constraints at its leaves."""

    name: str
    what: str
    tree: Tree
    trace: Trace
    constraints: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TreePanel:
    """A tree with its guests by leaf, what the attacker likes better, what is asked of its leaves, its L and L^A."""

    name: str
    what: str
    tree: Tree
    guests: Mapping[str, tuple[Guest, ...]]
    better: Mapping[str, tuple[str, ...]]
    asked: Mapping[str, tuple[str, ...]]
    loss: float
    loss_under_attack: float

    @property
    def heading(self) -> str:
        return f"{self.name} {self.what}: L = {number(self.loss)}, L^A = {number(self.loss_under_attack)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToyFigureDisplay(Display):
    """A small data set and several trees side by side."""

    X: pd.DataFrame
    y: tuple[float, ...]
    attacker: Attacker
    trees: tuple[TreePanel, ...]

    size: ClassVar[tuple[float, float]] = (14.0, 12.0)

    @classmethod
    def from_trees(cls, X: pd.DataFrame, y: Any, attacker: Attacker, trees: Sequence[TreeInput]) -> ToyFigureDisplay:
        """The data, the attacker, and trees grown on the data (each may be an early one of its trace)."""
        if len(X) > MOST_ROWS:
            raise ValueError(f"X: expected a toy of at most {MOST_ROWS} rows, got {len(X)}")
        if not trees:
            raise ValueError("trees: expected at least one tree, got none")
        made = tuple(_panel(X, np.asarray(y, dtype=float), attacker, t) for t in trees)
        return cls(X, tuple(float(v) for v in y), attacker, made)

    @property
    def title(self) -> str:
        best = min(self.trees, key=lambda p: p.loss_under_attack)
        first = self.trees[0]
        return (f"Plan for the attacker: the loss under attack falls from {number(first.loss_under_attack)} in "
                f"{first.name} to {number(best.loss_under_attack)} in {best.name}")  # fmt: skip

    @property
    def alt_text(self) -> str:
        said = [f"(a) {len(self.y)} instances with {len(self.X.columns)} features; {_rules(self.attacker)}."]
        for p in self.trees:
            ends = "; ".join(f"{number(leaf.prediction)}: {_guests(p.guests[path])}" for path, leaf in leaves(p.tree))
            said.append(f"{p.heading}. Leaves: {ends}.")
        return " ".join(said)

    def _draw(self, ink: Ink, target: Target) -> None:
        deep = [max(depth(p.tree) for p in pair) for pair in _pairs(self.trees)]
        grid = panels(target, ink, [0.75, *(0.55 + 0.6 * d for d in deep)], (1.0, 1.0))
        for ax in grid[0]:
            ink.style(ax, spines=())
            ax.set(xticks=[], yticks=[])
        self._data(ink, grid[0][0])
        self._attacker(ink, grid[0][1])
        for ax, panel in zip([ax for row in grid[1:] for ax in row], self.trees, strict=False):
            _draw_panel(ink, ax, panel)

    def _data(self, ink: Ink, ax: Axes) -> None:
        """The table: a column an instance."""
        ink.keep("panel", ax.set_title(f"(a) {len(self.y)} instances", **_heading(ink)))
        lines = [("", [name(i, 6) for i in self.X.index])]
        lines += [(name(c, 10), [number(v) for v in self.X[c]]) for c in self.X.columns]
        lines.append(("y", [number(v) for v in self.y]))
        ax.set(xlim=(-1.2, len(self.y) - 0.4), ylim=(len(lines) - 0.4, -0.7))
        for i, (label, values) in enumerate(lines):
            weight = "bold" if i in (0, len(lines) - 1) else "normal"
            ink.text(ax, -0.75, i, label, "row name", ha="center", va="center", fontweight="bold")
            for j, value in enumerate(values):
                ink.text(ax, j, i, value, "datum", ha="center", va="center", fontweight=weight)
        for y in (0.5, len(lines) - 1.5):
            ink.keep("rule", ax.axhline(y, color=ink.palette.soft, linewidth=1.0))

    def _attacker(self, ink: Ink, ax: Axes) -> None:
        ink.keep("panel", ax.set_title(f"The attacker: budget {number(self.attacker.budget)}", **_heading(ink)))
        ax.set(xlim=(0, 1), ylim=(0, 1))
        for i, said in enumerate(_rule_lines(self.attacker)):
            ink.text(ax, 0.02, 0.80 - 0.2 * i, said, "attacker", va="center", fontsize=BODY)


def _pairs(trees: Sequence[TreePanel]) -> list[Sequence[TreePanel]]:
    return [trees[i : i + 2] for i in range(0, len(trees), 2)]


def _heading(ink: Ink) -> dict[str, Any]:
    return {"loc": "left", "fontsize": BODY + 1, "color": ink.palette.ink, "parse_math": False, "fontweight": "bold"}


def _rule_lines(attacker: Attacker) -> list[str]:
    lines = []
    for r in attacker.rules:
        if r.categorical:
            lines.append(f"{name(r.feature)} may become {name(r.becomes)}, cost {number(r.cost)}")
        else:
            low, high = (number(d) for d in r.delta)
            lines.append(f"{name(r.feature)} may change by {low} to +{high.lstrip('+')}, cost {number(r.cost)}")
    return [*lines, "* marks a row that the attacker brings to a leaf"]


def _rules(attacker: Attacker) -> str:
    return "; ".join(_rule_lines(attacker)[:-1]) + f"; budget {number(attacker.budget)}"


def _panel(X: pd.DataFrame, y: np.ndarray, A: Attacker, given: TreeInput) -> TreePanel:
    found, schema = attack(given.tree, X, y, A, "sse"), Schema.of(X)
    home, worst = (_places(given.tree, schema.matrix(table), schema) for table in (X, found.X_adv))
    ell = {path: (leaf.prediction - y) ** 2 for path, leaf in leaves(given.tree)}
    guests: dict[str, tuple[Guest, ...]] = {}
    better: dict[str, tuple[str, ...]] = {}
    for path in ell:
        here = sorted(_rows(given.trace, path).tolist())
        guests[path] = tuple(Guest(str(X.index[r]), home[r] != path, float(ell[path][r])) for r in here)
        for r in (r for r in here if found.losses[r] > ell[path][r] + 1e-9):
            said = f"attacker: {name(X.index[r], 8)}{'*' * (home[r] != worst[r])} here, loss {number(found.losses[r])}"
            better[worst[r]] = (*better.get(worst[r], ()), said)
    asked = _asked(given.tree, given.trace, X) if given.constraints else {}
    sums = float(found.clean_losses.sum()), float(found.losses.sum())
    return TreePanel(given.name, given.what, given.tree, guests, better, asked, *sums)


def _places(tree: Tree, M: np.ndarray, schema: Schema) -> dict[int, str]:
    """The leaf of every row."""
    return {int(r): path for path, _, rows in landing(tree, M, schema) for r in rows}


def _rows(trace: Trace, path: str) -> np.ndarray:
    """The rows that the algorithm put at a path."""
    if not path:
        return trace.at("").data.rows
    split = trace.at(path[:-1]).split
    if split is None:
        raise ValueError(f"trees: the trace has no split at {path[:-1]!r}, but its tree does")
    return (split.left if path[-1] == "l" else split.right).rows


def _asked(tree: Tree, trace: Trace, X: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """The constraints that the trace hands to each leaf of the tree."""
    out = {}
    for path, t in walk(tree):
        split = trace.at(path[:-1]).split if path and isinstance(t, Leaf) else None
        if split is not None:
            mine = split.left_constraints if path[-1] == "l" else split.right_constraints
            out[path] = tuple(_said(c, X) for c in mine)
    return out


def _said(c: Constraint, X: pd.DataFrame) -> str:
    sign = {"<=": "≤", ">=": "≥"}[c.sense]
    return f"{name(X.index[c.row], 8)}: (y - {number(c.y)})^2 {sign} {number(c.gamma)}"


def _guests(guests: Iterable[Guest]) -> str:
    return ", ".join(f"{name(g.row, 8)}{'*' if g.moved else ''}" for g in guests) or "nobody"


def _draw_panel(ink: Ink, ax: Axes, panel: TreePanel) -> None:
    ink.keep("panel", ax.set_title(panel.heading, **_heading(ink)))
    draw_tree(ink, ax, panel.tree, {path: _card(panel, path, t) for path, t in walk(panel.tree)})


def _card(panel: TreePanel, path: str, t: Tree) -> Card:
    if isinstance(t, Node):
        return Card(said_test(t))
    guests = panel.guests.get(path, ())
    loss = f"loss {number(sum(g.loss for g in guests))}"
    details = (_guests(guests), loss, *panel.better.get(path, ()), *panel.asked.get(path, ()))
    return Card((number(t.prediction),), details, "leaf")


__all__ = ["ToyFigureDisplay"]

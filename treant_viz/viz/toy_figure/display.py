"""The paper on one page: a data set and its attacker, and trees that are grown on it, panel by panel.

Panel (a) is the data on the line of the feature that the attacker moves; every other panel is a tree under
attack, all at one scale: its leaves hold the rows where the attacker leaves them, and their losses add up to
the number beside the panel's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import leaves
from treant_viz.viz.attack_path.words import rule_said
from treant_viz.viz.display import Display
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.toy_figure.draw import draw
from treant_viz.viz.toy_figure.facts import TreeInput, TreePanel, panel
from treant_viz.viz.tree.facts import row_name

MOST_ROWS = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToyFigureDisplay(Display):
    """A small data set and several trees side by side."""

    X: pd.DataFrame
    y: tuple[float, ...]
    attacker: Attacker
    trees: tuple[TreePanel, ...]

    size: ClassVar[tuple[float, float]] = (16.0, 9.0)

    @classmethod
    def from_trees(
        cls, X: pd.DataFrame, y: Any, attacker: Attacker, trees: Sequence[TreeInput]
    ) -> ToyFigureDisplay:
        """The data, the attacker, and trees grown on the data (each may be an early one of its trace)."""
        if len(X) > MOST_ROWS:
            raise ValueError(f"X: expected a toy of at most {MOST_ROWS} rows, got {len(X)}")
        if not trees:
            raise ValueError("trees: expected at least one tree, got none")
        made = tuple(panel(X, np.asarray(y, dtype=float), attacker, t) for t in trees)
        return cls(X, tuple(float(v) for v in y), attacker, made)

    @property
    def title(self) -> str:
        best = min(self.trees, key=lambda p: p.loss_under_attack)
        first = self.trees[0]
        if best.loss_under_attack >= first.loss_under_attack:
            return f"The loss under attack stays {number(first.loss_under_attack)} in all panels"
        return (
            f"Plan for the attacker: the loss under attack falls from {number(first.loss_under_attack)} in "
            f"{first.name} to {number(best.loss_under_attack)} in {best.name}"
        )

    @property
    def subtitle(self) -> str:
        words = "Circles are rows with their labels, where they end under attack; hatched: pushed there. "
        if any(p.spared for p in self.trees):
            words += "A pale coin is not spent. "
        if any(p.feasible for p in self.trees):
            words += "Green: what a leaf may predict. "
        return words + "Loss: squared error."

    @property
    def alt_text(self) -> str:
        words = [
            f"(a) {len(self.y)} rows with {len(self.X.columns)} features: {self._rows()}; "
            f"{'; '.join(rule_lines(self.attacker))}; budget {number(self.attacker.budget)}."
        ]
        for p in self.trees:
            ends = "; ".join(
                f"ŷ = {number(leaf.prediction)}: {_guests(p, path)}" for path, leaf in leaves(p.tree)
            )
            told = "".join(f" {line}." for line in p.story)
            words.append(f"{p.heading}: loss {number(p.loss)}, under attack {p.sum}.{told} Leaves: {ends}.")
        return " ".join(words)

    def _rows(self) -> str:
        columns: Mapping[str, Any] = {str(c): self.X[c].to_numpy() for c in self.X.columns}
        return ", ".join(
            f"{row_name(i)} ({', '.join(f'{name(c)} = {value(v[r])}' for c, v in columns.items())}, "
            f"y = {number(y)})"
            for r, (i, y) in enumerate(zip(self.X.index, self.y, strict=True))
        )

    def _draw(self, pen: Pen, target: Target) -> None:
        draw(self, pen, target)


def rule_lines(attacker: Attacker) -> list[str]:
    """The attacker's rules in words."""
    return [f"{name(r.feature)}: {rule_said(r)}" for r in attacker.rules]


def _guests(p: TreePanel, path: str) -> str:
    words = [f"{name(g.row, 8)}{' (pushed)' * g.moved}" for g in p.guests[path]]
    return (", ".join(words) or "no row") + f", loss {number(sum(g.loss for g in p.guests[path]))}"


__all__ = ["ToyFigureDisplay", "TreeInput", "TreePanel", "rule_lines"]

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
from treant_viz.viz.display import Display
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number, value
from treant_viz.viz.toy_figure.draw import draw
from treant_viz.viz.toy_figure.facts import TreeInput, TreePanel, panel, rule_lines
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
        first, best = self.trees[0], min(self.trees, key=lambda p: p.loss_under_attack)
        pairs = zip(self.trees, self.trees[1:], strict=False)
        spoilt = next((p for p in pairs if p[1].loss_under_attack > p[0].loss_under_attack + 1e-9), None)
        before, after = number(first.loss_under_attack), number(best.loss_under_attack)
        if best.loss_under_attack >= first.loss_under_attack:
            return f"The loss under attack stays {before} in all panels"
        if spoilt is None or not best.feasible or spoilt[1].feasible or spoilt[0] is first:
            falls = f"falls from {before} in {first.name} to {after} in {best.name}"
            return f"Expect the attacker: the loss under attack {falls}"
        planned, worse = (number(t.loss_under_attack) for t in spoilt)
        return (
            f"Under attack, a tree prepared for it loses {planned} instead of {before}; "
            f"grown on, it loses {worse} without constraints, {after} with them"
        )

    @property
    def subtitle(self) -> str:
        return (
            "Ribbons are rows on their way; a circle is a row with its label, in the leaf where the attacker "
            "lets it go or pushes it."
        )

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


def _guests(p: TreePanel, path: str) -> str:
    words = [f"{name(g.row, 8)}{' (pushed)' * g.moved}" for g in p.guests[path]]
    return (", ".join(words) or "no row") + f", loss {number(sum(g.loss for g in p.guests[path]))}"


__all__ = ["ToyFigureDisplay", "TreeInput", "TreePanel", "rule_lines"]

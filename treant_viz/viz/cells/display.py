"""Cells: what of each feature a model can tell apart, what each cell costs the attacker, and how many
combinations that makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.viz.attack_path.facts import label_of
from treant_viz.viz.attack_path.rows import shown_row
from treant_viz.viz.cells.draw import draw
from treant_viz.viz.cells.facts import RowCells, Strip, cells_of, most_informative_row
from treant_viz.viz.display import Display
from treant_viz.viz.forest_votes.facts import label_text
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, feature_name, name, names, number, value

FACTORS = 6  # that are written out


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellsDisplay(Display):
    """One row under attack: the cells of every attacked feature with their least costs.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> X, y = wine.X_train[:300], wine.y_train[:300]
    >>> attacker = wine.attacker.with_budget(60)
    >>> forest = tv.TreantForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    >>> display = tv.CellsDisplay.from_model(forest, X, y, attacker)
    >>> display.title
    '8 × 5 × 2 = 80 cases are all that the model can tell apart in row 56; a budget of 60 pays for 21'
    """

    label: str
    truth: str
    budget: float
    cells: RowCells

    @classmethod
    def from_model(
        cls, model: Any, x: Any, y: Any, attacker: Attacker, *, label: str | None = None
    ) -> CellsDisplay:
        """The cells around a row x with the label y, under a model of trees (whatever `attack` takes).

        `x`: a mapping, a Series or a table of one row; or a table with a label for each row: of the rows that
        the attacker hurts the one with most combinations in reach is shown. `label`: what the row is called;
        None is its name in the data.
        """
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
        row, its = shown_row(x, y, lambda X, y: most_informative_row(model, X, y, attacker))
        phrase = name(label_of(row) if label is None else label, 20)
        return cls(phrase, label_text(its), float(attacker.budget), cells_of(model, row, its, attacker))

    @property
    def title(self) -> str:
        """What has to be tried, and what of it the budget leaves."""
        cells, money = self.cells, number(self.budget)
        if not cells.strips:
            return f"A budget of {money} pays for no rule: there is nothing to try on {self.label}"
        if cells.product == 1:
            return f"A budget of {money} brings {self.label} into no other cell: there is nothing to try"
        factors = [n for n in cells.counts if n > 1]
        what = f"{count(cells.product)} cases are all that the model can tell apart in {self.label}"
        what = what if len(factors) == 1 else f"{_factors(factors)} = {what}"
        if cells.affordable == cells.product:
            return f"{what}; a budget of {money} pays for each of them"
        return f"{what}; a budget of {money} pays for {count(cells.affordable)}"

    @property
    def subtitle(self) -> str:
        if len(self.cells.moving) < 1:
            return "Between two thresholds of the model all values get the same answer."
        return (
            "Values between the same two thresholds get the same answer, the number in the box, "
            "so one try a box is enough. Coins are prices."
        )

    @property
    def alt_text(self) -> str:
        called = names([feature_name(s.feature) for s in self.cells.strips])
        words = [f"The cells around {self.label}, budget {number(self.budget)}."]
        for s in self.cells.strips:
            costs = ", ".join(number(s.costs[i]) for i in s.reach if i != s.own) or "none"
            words.append(
                f"{called[feature_name(s.feature)]}, now {_value(s)}: {counted(len(s.costs), 'cell')}, "
                f"{len(s.reach)} in reach, the others than its own for {costs}."
            )
        words.append(
            f"Combinations of all cells: {count(self.cells.every)}; in reach one by one: "
            f"{count(self.cells.product)}; within the budget: {count(self.cells.affordable)}."
        )
        if self.cells.moving:
            worst = self.cells.worst
            words.append(f"The worst of those drawn: {number(worst.score)} for {number(worst.cost)}.")
        return " ".join(words)

    def _draw(self, pen: Pen, target: Target) -> None:
        draw(self, pen, target)


def count(n: int) -> str:
    """A number of combinations: exact as long as it can be read.

    >>> count(3780), count(88_179_840_000_000)
    ('3,780', '8.82·10¹³')
    """
    return f"{n:,}" if n < 10**9 else number(float(n))


def _factors(factors: list[int]) -> str:
    """A product, written out if it is short.

    >>> _factors([6, 5, 2]), _factors([9, 8, 7, 6, 5, 4, 3])
    ('6 × 5 × 2', '9 × 8 × 7 × 6 × 5 × … × 3')
    """
    if len(factors) <= FACTORS:
        return " × ".join(map(str, factors))
    return " × ".join([*map(str, factors[: FACTORS - 1]), "…", str(factors[-1])])


def _value(s: Strip) -> str:
    return name(s.value, 20) if s.names is not None else value(s.value)


__all__ = ["CellsDisplay"]

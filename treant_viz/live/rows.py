"""What the explorers of attacks share: a row, a budget, and an attack that is played move by move.

Which frame is shown is a state of its own, called `step` or `move`: 0 is the row by itself, k the row after k
moves, and -1 (or None) the verdict at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import ipywidgets as widgets
import numpy as np
import pandas as pd
from traitlets import Float, Int, TraitError, TraitType, validate

from treant_viz.attacks.attack import attack
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.base import REFUSED, WIDE, Explorer, budget_controls
from treant_viz.live.entry import range_of
from treant_viz.live.stepper import Stepper
from treant_viz.viz.attack_path.facts import label_of
from treant_viz.viz.display import Display
from treant_viz.viz.forest_votes.facts import label_said
from treant_viz.viz.style.text import name

FEW = 30  # rows that a list can hold
VERDICT = -1
TIPS = {
    "First": "the row by itself",
    "Back": "one move back",
    "Next": "one move on",
    "Verdict": "the end of the attack",
}


class Checked(TraitType[Any, Any]):
    """A trait of any value, None included, that a @validate method looks at."""


class RowExplorer(Explorer):
    """State: `row` (its position), `budget`, and what `_stepping` names. Subclasses give `_make`, `_key`."""

    row = Checked(0).tag(state=True)
    budget = Float().tag(state=True)
    place = Int(0)  # the number of the frame that is shown
    _stepping: ClassVar[str] = "step"

    def __init__(
        self, model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None, **state: Any
    ) -> None:
        self.model, self.attacker, self.loss = model, _finite(attacker), loss
        self.X, self.y = X if isinstance(X, pd.DataFrame) else np.asarray(X), np.asarray(y)
        if self.y.shape != (len(self.X),) or not len(self.X):
            raise ValueError(
                f"y: expected one label per row of X ({len(self.X)}, at least 1), got {self.y.shape}"
            )
        self._label = "y.iloc[{}]" if isinstance(y, pd.Series) else "y[{}]"
        self._kept = lru_cache(maxsize=128)(lambda *key: self._make(*key).frames())
        self._last = 0
        row = self._telling(state.pop("row", None))
        super().__init__(**{"row": row, "budget": self.attacker.budget} | state)

    # what subclasses give

    def _key(self) -> tuple[Any, ...]:
        """What the frames depend on."""
        return self.row, self.budget

    def _make(self, *key: Any) -> Display:
        """The picture of the whole attack, with all its frames."""
        raise NotImplementedError

    # the row

    def x(self, row: int) -> Any:
        """One row as displays take it."""
        return self.X.iloc[[row]] if isinstance(self.X, pd.DataFrame) else self.X[row]

    def called(self, row: int) -> str | None:
        """What displays call the row: None is its name in the table."""
        return None if isinstance(self.X, pd.DataFrame) else f"row {row}"

    def _telling(self, given: Any) -> Any:
        """The row to begin with: of the first ones, that whose score the attack changes most.

        If no row is hurt, one whose score an attacker could change, if only for the better, tells more than
        others.
        """
        if given is not None:
            return given
        changes = self._changes(self.y)
        labels = np.unique(self.y)
        if not changes.any() and len(labels) == 2:
            changes = self._changes(np.where(self.y == labels[0], labels[1], labels[0]))
        return int(np.argmax(changes))

    def _changes(self, y: np.ndarray) -> np.ndarray:
        n = self._looked_at()
        found = attack(self.model, self.X[:n], y[:n], self.attacker, self.loss, node_limit=200)
        return np.abs(found.scores - found.clean_scores)

    def _looked_at(self) -> int:
        return min(len(self.X), 1000)

    def _row_controls(self) -> list[Any]:
        """A slider and a number box, and a list where the rows are few."""
        look = widgets.Layout(width="16em")
        bar = widgets.IntSlider(description="row (slider)", readout=False, **range_of(0, len(self.X) - 1, 1))
        box = widgets.IntText(description="row (number, from 0)", style=WIDE, layout=look)
        both = self.bind_number(box, bar, "row")
        if len(self.X) > FEW:
            return both
        names = [(self._named(i), i) for i in range(len(self.X))]
        return [self.bind(widgets.Dropdown(options=names, description="row", style=WIDE), "row"), *both]

    def _named(self, row: int) -> str:
        return f"{name(self.called(row) or label_of(self.x(row)))}, label {label_said(self.y[row])}"

    # the steps

    @property
    def moves(self) -> int:
        """How many moves the attack has."""
        return len(self._frames()) - 2

    def _frames(self) -> Sequence[Display]:
        return self._kept(*self._key())

    def _step_controls(self, what: str) -> list[Any]:
        """First, back, next, verdict; a slider over the moves, and a button that plays them."""
        look = widgets.Layout(width="22em")
        self._bar = widgets.IntSlider(description=what, min=0, max=1, readout=False, style=WIDE, layout=look)
        self._where = widgets.Label()
        steps = Stepper(
            TIPS,
            self._bar,
            lambda: self.place,
            lambda: self._last,
            lambda place: self.set_trait("place", place),
        )
        self._steps = steps
        return [*steps.controls, self._where]

    def _open_rows(self, *rows: Iterable[Any]) -> None:
        """Budget controls below the given ones; then follow every change."""
        purse = budget_controls(self, max(self.attacker.budget, self.budget, 1.0))
        self._follow()
        self.bind(self._bar, "place")
        self.observe(lambda change: self._follow(), names=self._followed())
        self.observe(lambda change: self._go(), names=self._stepping)
        self.observe(lambda change: self._went(), names="place")
        first, *others = rows
        self._open(first, purse, *others)

    def _followed(self) -> list[str]:
        return [t for t in self.trait_names(state=True) if t != self._stepping]

    def _follow(self) -> None:
        """Another attack: the slider ends where it ends, and a step it does not have becomes the verdict."""
        try:
            last = self.moves + 1
        except REFUSED:
            return  # will be explained when it is to be drawn
        step = getattr(self, self._stepping)
        self._last = last
        self._bar.max = last
        self.set_trait(self._stepping, step if step < last else VERDICT)
        self._go()

    def _go(self) -> None:
        step = getattr(self, self._stepping)
        self.place = self._last if step == VERDICT else step
        count = f"move {step} of {self._last - 1}"
        self._where.value = "verdict" if step == VERDICT else count if step else "by itself"

    def _went(self) -> None:
        self.set_trait(self._stepping, VERDICT if self.place == self._last else self.place)

    def checked_step(self, given: Any) -> int:
        """A step of the present attack, or the verdict."""
        if given is None:
            return VERDICT
        if _whole(given) and -1 <= given <= self.moves:
            return int(given)
        raise TraitError(
            f"{self._stepping}: expected a number from 0 to {self.moves}, or -1 (verdict), got {given!r}"
        )

    @validate("place")
    def _inside(self, proposal: Any) -> int:
        return min(max(proposal["value"], 0), self._last)

    @validate("row")
    def _a_row(self, proposal: Any) -> int:
        i = proposal["value"]
        if not _whole(i) or not 0 <= i < len(self.X):
            raise TraitError(f"row: expected a number from 0 to {len(self.X) - 1}, got {i!r}")
        return int(i)

    @validate("budget")
    def _a_budget(self, proposal: Any) -> float:
        budget = float(proposal["value"])
        if not 0 <= budget < math.inf:
            raise TraitError(f"budget: expected a finite number of at least 0, got {proposal['value']!r}")
        return budget

    # picture

    def _display(self) -> Display:
        shown = self._frames()
        return shown[getattr(self, self._stepping)]

    def _code(self, call: str) -> str:
        """The call that makes the display, with what has to be there before it, and the frame."""
        step = getattr(self, self._stepping)
        frame = "" if step == VERDICT else f".frames()[{step}]"
        return (
            "# model, X, y, attacker: your model, rows, labels and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"{call}{frame}"
        )

    def _given(self) -> tuple[str, str, str]:
        """The row, its label and further arguments, as code."""
        x = f"X.iloc[[{self.row}]]" if isinstance(self.X, pd.DataFrame) else f"X[{self.row}]"
        more = [f", loss={self.loss!r}"] * (self.loss is not None)
        more += [f", label={self.called(self.row)!r}"] * (self.called(self.row) is not None)
        return x, self._label.format(self.row), "".join(more)


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _finite(attacker: Any) -> Attacker:
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    if math.isinf(attacker.budget):
        raise ValueError(
            "attacker: expected a finite budget, as a slider has an end; see attacker.with_budget"
        )
    return attacker


__all__ = ["VERDICT", "Checked", "RowExplorer"]

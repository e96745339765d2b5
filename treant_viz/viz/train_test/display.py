"""Heat maps of training budget against test budget: which training helps against which attacker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.viz.display import Display
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number
from treant_viz.viz.train_test.draw import draw_maps
from treant_viz.viz.train_test.facts import Cost, Panel, checked, panel

CELL = 0.54  # inches at least


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainTestHeatmapDisplay(Display):
    """One heat map or several side by side, all on one colour scale.

    >>> import treant_viz as tv
    >>> rows = tv.load_results().rows
    >>> mine = rows.query("method == 'treant-none' and protocol == 'authors'")
    >>> mine = mine.assign(panel=mine["dataset"], value=mine["roc_auc"])
    >>> display = tv.TrainTestHeatmapDisplay.from_results(mine, model="RF-TREANT")
    >>> display.title.split(", ")[0]
    'Expecting too weak an attacker costs up to 0.18 ROC AUC (wine)'
    """

    panels: tuple[Panel, ...]
    measure: str
    model: str
    scale: tuple[float, float]
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_results(
        cls, frame: pd.DataFrame, *, model: str = "", measure: str = "ROC AUC",
        scale: tuple[float, float] | None = None,
    ) -> TrainTestHeatmapDisplay:  # fmt: skip
        """From rows with `train_budget`, `test_budget`, `value`; a column `panel` makes one map a value.

        `scale`: the least and the greatest value there is, so that several figures can share their colours:
        these tell what is lost, and are strongest for all that lies between; by default, in this figure.
        """
        table = checked(frame)
        panels = tuple(panel(str(p), rows) for p, rows in table.groupby("panel", sort=False))
        every = [v for p in panels for _, _, v in p.cells]
        if not every:
            raise ValueError("frame: expected at least one value, got none but nan")
        ends = (min(every), max(every)) if scale is None else (float(scale[0]), float(scale[1]))
        if not (ends[0] <= min(every) and max(every) <= ends[1]):
            raise ValueError(
                f"scale: expected ends around all values ({min(every)}, {max(every)}), got {scale!r}"
            )
        source = {"frame": table, "measure": measure, "model": model}
        return cls(panels, measure, model, ends, source)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        cells = sum(len(p.test) + 1.2 for p in self.panels)
        return max(12.8, CELL * cells + 1.6), max(7.2, 2.4 + 0.5 * max(len(p.train) for p in self.panels))

    @property
    def most(self) -> float:
        """The most that any wrong guess loses; 0 if none does."""
        return max((c.lost for p in self.panels for c in p.costs), default=0.0)

    @property
    def dearest(self) -> tuple[tuple[str, float, float], ...]:
        """The cells that the title tells of: panel, training and test budget."""
        found = (self._dearest(side) for side in (-1, 1))
        return tuple((p.title, c.train, c.test) for p, c in filter(None, found) if c.lost > 0)

    def _dearest(self, side: int) -> tuple[Panel, Cost] | None:
        """The dearest guess that is too little (-1), or too much (1)."""
        wrong = ((p, c) for p in self.panels for c in p.costs if side * (c.train - c.right) > 0)
        return max(wrong, key=lambda found: found[1].lost, default=None)

    @property
    def title(self) -> str:
        who = name(self.model, 40) if self.model else "The model"
        little, much = (self._dearest(side) for side in (-1, 1))
        if little is None or much is None:
            return self._least(who)
        sides = [("too weak", *little), ("too strong", *much)]
        (dear, p, most), (cheap, q, least) = sorted(sides, key=lambda side: -side[2].lost)
        if most.lost <= 0:
            return f"Expecting the wrong attacker costs no {self.measure} anywhere"
        rest = f"at most {_short(least.lost)}{_on(q)}" if least.lost > 0 else "nothing"
        what = f"{_short(most.lost)} {self.measure}{_on(p)}"
        return f"Expecting {dear} an attacker costs up to {what}, {cheap} an attacker {rest}"

    def _least(self, who: str) -> str:
        worst, where = min((v, p.title) for p in self.panels for _, _, v in p.cells)
        on = f" ({name(where)})" if where else ""
        return f"{who}: {self.measure} never falls below {number(worst)}{on}"

    @property
    def subtitle(self) -> str:
        if not any(p.costs for p in self.panels):
            return f"A number is the {self.measure} of a model against an attacker."
        whose = f"{name(self.model, 60)}. " if self.model else ""
        means = " (1 is perfect, 0.5 is guessing)" * (self.measure == "ROC AUC")
        return (
            f"{whose}In a frame: the {self.measure}{means} of the model trained for just enough. Below it "
            "those trained for too little, above it those trained for too much, and what that changes."
        )

    @property
    def alt_text(self) -> str:
        phrase = []
        for p in self.panels:
            values = np.array(p.values)
            phrase.append(
                f"{p.title or 'Heat map'}: {len(p.train)} training budgets by {len(p.test)} test budgets, "
                f"{self.measure} from {np.nanmin(values):.3f} to {np.nanmax(values):.3f}."
            )
        return (
            f"Heat map of {self.measure} by training and test budget for {self.model or 'a model'}. "
            + " ".join(phrase)
        )

    @property
    def summary(self) -> str:
        lines = [self.title]
        for p in self.panels:
            for k, row in zip(p.train, p.values, strict=True):
                phrase = ", ".join(f"{number(t)}: {v:.3f}" for t, v in zip(p.test, row, strict=True))
                lines.append(f"{p.title} train {number(k)}: {phrase}")
        return "\n".join(line.strip() for line in lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        draw_maps(self, pen, target)


def _short(lost: float) -> str:
    """A loss as the cells write it."""
    return f"{lost:.2f}" if lost >= 0.005 else number(lost, 1)


def _on(panel: Panel) -> str:
    return f" ({name(panel.title)})" if panel.title else ""


__all__ = ["TrainTestHeatmapDisplay"]

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
from treant_viz.viz.train_test.facts import Panel, checked, panel, price

CELL = 0.54  # inches at least


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainTestHeatmapDisplay(Display):
    """One heat map or several side by side, all on one colour scale."""

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

        `scale`: the least and the greatest value of the colours, so that several figures can share them; by
        default those of this figure.
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
        return max(12.8, CELL * cells + 1.6), max(5.6, 2.4 + 0.5 * max(len(p.train) for p in self.panels))

    @property
    def title(self) -> str:
        who, cost = name(self.model) if self.model else "The model", price(p.cells for p in self.panels)
        sides = [("too little", cost.too_little), ("too much", cost.too_much)]
        dear, cheap = sorted(sides, key=lambda side: -side[1])
        if not all(lost == lost for _, lost in sides):
            return self._least(who)
        if dear[1] <= 0:
            return f"{who}: to expect the wrong budget costs no {self.measure} anywhere"
        rest = f"at most {number(cheap[1], 2)}" if cheap[1] > 0 else "nothing"
        most = f"{number(dear[1], 2)} of {self.measure}"
        return f"{who}: to expect {dear[0]} costs up to {most}, {cheap[0]} {rest}"

    def _least(self, who: str) -> str:
        worst, where = min((v, p.title) for p in self.panels for _, _, v in p.cells)
        on = f" ({name(where)})" if where else ""
        return f"{who}: {self.measure} never falls below {number(worst)}{on}"

    @property
    def subtitle(self) -> str:
        same = any(k == t for p in self.panels for k, t, _ in p.cells)
        framed = " Framed: trained for just this attacker." if same else ""
        return f"A row is a model, trained for one budget and attacked with many.{framed}"

    @property
    def alt_text(self) -> str:
        said = []
        for p in self.panels:
            values = np.array(p.values)
            said.append(
                f"{p.title or 'Heat map'}: {len(p.train)} training budgets by {len(p.test)} test budgets, "
                f"{self.measure} from {np.nanmin(values):.3f} to {np.nanmax(values):.3f}."
            )
        return (
            f"Heat map of {self.measure} by training and test budget for {self.model or 'a model'}. "
            + " ".join(said)
        )

    @property
    def summary(self) -> str:
        lines = [self.title]
        for p in self.panels:
            for k, row in zip(p.train, p.values, strict=True):
                said = ", ".join(f"{number(t)}: {v:.3f}" for t, v in zip(p.test, row, strict=True))
                lines.append(f"{p.title} train {number(k)}: {said}")
        return "\n".join(line.strip() for line in lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        draw_maps(self, pen, target)


__all__ = ["TrainTestHeatmapDisplay"]

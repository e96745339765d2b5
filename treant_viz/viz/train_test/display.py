"""Heat maps of training budget against test budget: which training helps against which attacker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from treant_viz.viz.display import Display
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, panels
from treant_viz.viz.style.text import name, number

COLUMNS = ("train_budget", "test_budget", "value")


class Panel(NamedTuple):
    """One heat map: rows are training budgets, columns test budgets (nan: not measured)."""

    title: str
    train: tuple[float, ...]
    test: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainTestHeatmapDisplay(Display):
    """One heat map or several side by side, all on one colour scale."""

    panels: tuple[Panel, ...]
    measure: str
    model: str

    @classmethod
    def from_results(
        cls, frame: pd.DataFrame, *, model: str = "", measure: str = "ROC AUC"
    ) -> TrainTestHeatmapDisplay:
        """From rows with `train_budget`, `test_budget`, `value`; a column `panel` makes one map a value."""
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"frame: expected a data frame, got {type(frame).__name__}")
        if missing := [c for c in COLUMNS if c not in frame]:
            raise ValueError(f"frame: the columns {missing} are missing; expected {list(COLUMNS)}")
        if frame.empty:
            raise ValueError("frame: expected at least one row, got none")
        named = frame if "panel" in frame else frame.assign(panel="")
        return cls(
            tuple(_panel(str(p), rows) for p, rows in named.groupby("panel", sort=False)), measure, model
        )

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        cells = sum(len(p.test) + 1.2 for p in self.panels)
        return max(6.0, 0.72 * cells + 0.8), 1.6 + 0.58 * max(len(p.train) for p in self.panels)

    @property
    def title(self) -> str:
        worst, where = min((v, p.title) for p in self.panels for row in p.values for v in row if v == v)
        on = f" ({where})" if where else ""
        return f"{self.model or 'The model'}: {self.measure} never falls below {number(worst, 3)}{on}"

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
        [row] = panels(target, pen, (1.0,), [len(p.test) + 2.0 for p in self.panels])
        every = np.concatenate([np.ravel(p.values) for p in self.panels])
        low, high = float(np.nanmin(every)), float(np.nanmax(every))
        for i, (ax, panel) in enumerate(zip(row, self.panels, strict=True)):
            self._map(pen, ax, panel, low, max(high, low + 1e-9), first=i == 0)

    def _map(self, pen: Pen, ax: Axes, panel: Panel, low: float, high: float, *, first: bool) -> None:
        colors = colormaps[pen.palette.loss]
        for i, row in enumerate(panel.values):
            for j, value in enumerate(row):
                if value == value:
                    self._cell(pen, ax, panel, i, j, value, colors((value - low) / (high - low)))
        ax.set_xlim(-0.5, len(panel.test) - 0.5)
        ax.set_ylim(-0.5, len(panel.train) - 0.5)
        pen.style(ax, xlabel="test budget", ylabel="training budget" if first else "", spines=())
        pen.ticks(ax, "x", range(len(panel.test)), [number(b) for b in panel.test])
        pen.ticks(ax, "y", range(len(panel.train)), [number(b) for b in panel.train])
        if panel.title:
            pen.keep(
                "panel",
                ax.set_title(name(panel.title), fontsize=BODY, color=pen.palette.ink, parse_math=False),
            )

    def _cell(self, pen: Pen, ax: Axes, panel: Panel, i: int, j: int, value: float, color: Any) -> None:
        """A square in the colour of its value, with the number; trained for just this attacker: a frame."""
        same = panel.train[i] == panel.test[j]
        edge = pen.palette.ink if same else pen.palette.background
        look: dict[str, Any] = {"facecolor": color, "edgecolor": edge, "linewidth": 2.5 if same else 1.0}
        gid = f"cell-{panel.title}-{number(panel.train[i])}-{number(panel.test[j])}"
        pen.patch(ax, Rectangle((j - 0.5, i - 0.5), 1, 1, zorder=2 if same else 1, **look), "cell", gid)
        tone = "#000000" if _luminance(color) > 0.18 else "#FFFFFF"
        pen.text(
            ax,
            j,
            i,
            f"{value:.3f}".lstrip("0"),
            "value",
            ha="center",
            va="center",
            fontsize=SMALL,
            color=tone,
            zorder=3,
        )


def _panel(title: str, rows: pd.DataFrame) -> Panel:
    wide = (
        rows.pivot_table("value", "train_budget", "test_budget", aggfunc="mean")
        .sort_index()
        .sort_index(axis=1)
    )
    values = tuple(tuple(float(v) for v in row) for row in wide.to_numpy())
    return Panel(title, tuple(float(k) for k in wide.index), tuple(float(k) for k in wide.columns), values)


def _luminance(color: Any) -> float:
    """Relative luminance of an RGBA colour, as contrast is computed."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3])
    return float(0.2126 * r + 0.7152 * g + 0.0722 * b)


__all__ = ["TrainTestHeatmapDisplay"]

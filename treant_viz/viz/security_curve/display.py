"""Security evaluation curves: how measures fall as the attacker's budget rises (paper, figures of the
evaluation).

Rows are measures, columns data sets, a line is a model. The x-axis is normalised, with the real budgets
above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from treant_viz.viz.display import Display
from treant_viz.viz.style.palette import SERIES
from treant_viz.viz.style.pen import BODY, SMALL, Pen, Target, panels
from treant_viz.viz.style.text import name, number

COLUMNS = ("model", "budget", "metric", "value")
METRIC_NAMES = {"accuracy": "accuracy", "macro_f1": "macro F1", "roc_auc": "ROC AUC"}
END = 1.04  # where the names at the line ends begin
STEADY = 0.05  # a measure that moves no more than this over all budgets hardly moves


class Point(NamedTuple):
    """A measure at a budget, with the ends of its interval (nan: none)."""

    budget: float
    value: float
    low: float
    high: float


class Curve(NamedTuple):
    """One model on one data set by one measure, budgets ascending."""

    dataset: str
    metric: str
    model: str
    points: tuple[Point, ...]


class Printed(NamedTuple):
    """A number printed elsewhere, to be shown beside ours."""

    dataset: str
    metric: str
    model: str
    budget: float
    value: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SecurityCurveDisplay(Display):
    """Curves of several models, on one or several data sets, by one or several measures."""

    curves: tuple[Curve, ...]
    printed: tuple[Printed, ...]
    train_budgets: Mapping[str, float]
    x: str
    takeaway: str

    @classmethod
    def from_curve(
        cls, frame: pd.DataFrame, *, x: str = "test budget", train_budgets: Mapping[str, float] | None = None,
        paper: pd.DataFrame | None = None, takeaway: str = "",
    ) -> SecurityCurveDisplay:  # fmt: skip
        """From what `security_curve` returns; a column `dataset` makes a column of pictures for each.

        `train_budgets`: by data set, the budget the models were trained for (a vertical rule). `paper`: the
        same columns as `frame`, drawn as hollow markers. `takeaway`: a title of your own.
        """
        curves = tuple(_curves(_checked(frame, "frame")))
        printed = () if paper is None else tuple(_printed(_checked(paper, "paper")))
        return cls(curves, printed, dict(train_budgets or {}), x, takeaway)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return max(7.0, 0.8 + 4.4 * len(self.datasets)), 1.5 + 3.0 * len(self.metrics)

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.dataset for c in self.curves))

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.metric for c in self.curves))

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(c.model for c in self.curves))

    @property
    def title(self) -> str:
        if self.takeaway:
            return self.takeaway
        steady, span = self.steadiest()
        if span == 0:
            return f"{name(steady)} does not move at all as the {self.x} grows"
        if span <= STEADY:
            return f"{name(steady)} hardly moves (at most {number(span, 2)}) as the {self.x} grows"
        least = " least of all, but still" if len(self.models) > 1 else ""
        return f"{name(steady)} moves{least} by up to {number(span, 2)} as the {self.x} grows"

    def steadiest(self) -> tuple[str, float]:
        """The model whose measures move least over all budgets, and by how much."""
        spans = {m: max(_span(c) for c in self.curves if c.model == m) for m in self.models}
        best = min(spans, key=lambda m: spans[m])
        return best, spans[best]

    @property
    def alt_text(self) -> str:
        where = " and ".join(
            filter(None, [_list(self.datasets), _list(METRIC_NAMES.get(m, m) for m in self.metrics)])
        )
        ends = "; ".join(
            f"{c.model}{f' on {c.dataset}' if c.dataset else ''}, {METRIC_NAMES.get(c.metric, c.metric)}: "
            f"{number(c.points[0].value, 3)} to {number(c.points[-1].value, 3)}"
            for c in self.curves if c.metric == self.metrics[-1]
        )  # fmt: skip
        return (
            f"Line charts of {where} against the {self.x} for {_list(self.models)}. "
            f"From first to last budget: {ends}."
        )

    @property
    def summary(self) -> str:
        lines = [self.title]
        for c in self.curves:
            values = ", ".join(f"{number(p.budget)}: {p.value:.3f}" for p in c.points)
            lines.append(" ".join(filter(None, [c.dataset, c.metric, c.model, values])))
        return "\n".join(lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        grid = panels(target, pen, [1.0] * len(self.metrics), [1.0] * len(self.datasets))
        for i, metric in enumerate(self.metrics):
            for j, dataset in enumerate(self.datasets):
                self._panel(
                    pen, grid[i][j], metric, dataset, first=(i == 0, j == 0), last=i == len(self.metrics) - 1
                )
        self._legend(pen, target)

    def _panel(
        self, pen: Pen, ax: Axes, metric: str, dataset: str, *, first: tuple[bool, bool], last: bool
    ) -> None:
        mine = [c for c in self.curves if (c.metric, c.dataset) == (metric, dataset)]
        top = max((p.budget for c in mine for p in c.points), default=1.0) or 1.0
        for c in mine:
            self._line(pen, ax, c, top)
        for p in self.printed:
            if (p.metric, p.dataset) == (metric, dataset) and p.model in self.models:
                _hollow(pen, ax, p, top, SERIES[self.models.index(p.model) % len(SERIES)])
        if dataset in self.train_budgets:
            look: dict[str, Any] = {
                "color": pen.palette.soft,
                "linewidth": 1.2,
                "linestyle": (0, (2, 2)),
                "zorder": 0,
            }
            pen.keep("train budget", ax.axvline(self.train_budgets[dataset] / top, **look))
        label = METRIC_NAMES.get(metric, metric) if first[1] else ""
        pen.style(ax, xlabel=f"{self.x} / {number(top)}" if last else "", ylabel=label)
        ax.set_xlim(-0.03, 1.36)
        pen.ticks(ax, "x", [0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
        ax.grid(axis="y", color=pen.palette.faint, linewidth=0.8)
        ax.set_axisbelow(True)
        _ends(pen, ax, [(c.model, c.points[-1].value) for c in mine])
        if first[0]:
            _above(pen, ax, dataset, sorted({p.budget for c in mine for p in c.points}), top)

    def _line(self, pen: Pen, ax: Axes, c: Curve, top: float) -> None:
        color, marker, dash = SERIES[self.models.index(c.model) % len(SERIES)]
        x, y = [p.budget / top for p in c.points], [p.value for p in c.points]
        look: dict[str, Any] = {
            "color": color,
            "marker": marker,
            "linestyle": dash,
            "linewidth": 2.2,
            "markersize": 7,
        }
        gid = "-".join(filter(None, ["curve", c.dataset, c.metric, c.model]))
        pen.keep("curve", ax.plot(x, y, **look)[0], gid)
        if all(p.low == p.low for p in c.points):  # not nan
            low, high = [p.low for p in c.points], [p.high for p in c.points]
            pen.keep("band", ax.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0))

    def _legend(self, pen: Pen, target: Target) -> None:
        handles = [
            Line2D(
                [], [], color=s[0], marker=s[1], linestyle=s[2], linewidth=2.2, markersize=7, label=name(m)
            )
            for m, s in ((m, SERIES[i % len(SERIES)]) for i, m in enumerate(self.models))
        ]
        extra: dict[str, Any] = {"color": pen.palette.soft, "linestyle": "none", "markersize": 10}
        if self.printed:
            handles.append(
                Line2D([], [], marker="o", markerfacecolor="none", label="hollow: as printed", **extra)
            )
        if self.train_budgets:
            handles.append(Line2D([], [], color=pen.palette.soft, linestyle=(0, (2, 2)), label="trained for"))
        pen.key(target, handles)


def _checked(frame: Any, what: str) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            f"{what}: expected a data frame as `security_curve` returns it, got {type(frame).__name__}"
        )
    if missing := [c for c in COLUMNS if c not in frame]:
        raise ValueError(f"{what}: the columns {missing} are missing; expected {list(COLUMNS)} and more")
    if frame.empty:
        raise ValueError(f"{what}: expected at least one row, got none")
    optional: dict[str, Any] = {c: default for c, default in _OPTIONAL.items() if c not in frame}
    return frame.assign(**optional)


_OPTIONAL = {"dataset": "", "low": float("nan"), "high": float("nan")}


def _curves(frame: pd.DataFrame) -> Iterable[Curve]:
    for (dataset, metric, model), rows in frame.groupby(["dataset", "metric", "model"], sort=False):
        values = rows.sort_values("budget")[["budget", "value", "low", "high"]]
        yield Curve(
            str(dataset), str(metric), str(model), tuple(Point(*map(float, v)) for v in values.to_numpy())
        )


def _printed(frame: pd.DataFrame) -> Iterable[Printed]:
    for r in frame.to_dict("records"):
        yield Printed(r["dataset"], r["metric"], r["model"], float(r["budget"]), float(r["value"]))


def _span(curve: Curve) -> float:
    values = [p.value for p in curve.points]
    return max(values) - min(values)


def _list(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> _list(["RF", "GBDT", "AB"])
    'RF, GBDT and AB'
    """
    *most, end = [*words] or [""]
    return f"{', '.join(most)} and {end}" if most else end


def _hollow(pen: Pen, ax: Axes, p: Printed, top: float, series: tuple[Any, ...]) -> None:
    look: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": series[0], "markeredgewidth": 1.6}
    mark = ax.plot([p.budget / top], [p.value], marker=series[1], markersize=12, linestyle="none", **look)[0]
    pen.keep("printed", mark)


def _above(pen: Pen, ax: Axes, dataset: str, budgets: list[float], top: float) -> None:
    """The real budgets on an axis above, and the data set's name."""
    above = ax.secondary_xaxis("top")
    above.set_xticks([b / top for b in budgets], labels=[number(b) for b in budgets])
    above.tick_params(colors=pen.palette.soft, labelsize=SMALL)
    above.spines["top"].set_visible(False)
    if dataset:
        pen.keep(
            "dataset",
            ax.set_title(name(dataset), fontsize=BODY, color=pen.palette.ink, parse_math=False, pad=24),
        )


def _ends(pen: Pen, ax: Axes, ends: list[tuple[str, float]]) -> None:
    """The models' names at the ends of their lines, moved apart where they would overlap."""
    low, high = ax.get_ylim()
    step = 0.105 * (high - low)  # the height of a name, with room to breathe
    for (model, value), y in zip(ends, spread([v for _, v in ends], step, low, high), strict=True):
        ax.plot([1.0, END], [value, y], color=pen.palette.soft, linewidth=0.8, zorder=0)
        pen.text(ax, END, y, name(model, 16), "end", fontsize=SMALL, va="center")
    ax.set_ylim(low, high)


def spread(values: list[float], step: float, low: float, high: float) -> list[float]:
    """Places close to the values, at least `step` apart, inside [low, high] if there is room.

    >>> spread([0.5, 0.5, 0.9], 0.1, 0.0, 1.0)
    [0.45, 0.55, 0.9]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[tuple[float, int]] = []  # centre, how many
    for i in order:
        blocks.append((values[i], 1))
        while len(blocks) > 1 and blocks[-1][0] - blocks[-2][0] < step * (blocks[-1][1] + blocks[-2][1]) / 2:
            (c1, n1), (c2, n2) = blocks[-2:]
            blocks[-2:] = [((c1 * n1 + c2 * n2) / (n1 + n2), n1 + n2)]
    places = [c + step * (k - (n - 1) / 2) for c, n in blocks for k in range(n)]
    for i in reversed(range(len(places))):
        places[i] = min(places[i], places[i + 1] - step if i + 1 < len(places) else high)
    for i in range(len(places)):
        places[i] = max(places[i], places[i - 1] + step if i else low)
    return [round(places[order.index(i)], 12) for i in range(len(values))]


__all__ = ["SecurityCurveDisplay"]

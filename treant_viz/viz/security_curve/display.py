"""Security evaluation curves: how measures fall as the attacker's budget rises (paper, figures of the
evaluation).

Rows are measures and columns data sets; of one data set the measures stand side by side. A line is a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from treant_viz.viz.display import Display
from treant_viz.viz.security_curve.draw import draw_curves
from treant_viz.viz.security_curve.facts import (
    METRIC_NAMES,
    STEADY,
    Curve,
    Printed,
    checked,
    curves_of,
    faller,
    listed,
    printed_of,
    steadiest,
)
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, names, number

MEANS = {
    "test budget": "The test budget is what the attacker may spend",
    "training budget": "The training budget is what the learner expected them to spend",
}
ACROSS, DOWN = 4.27, 2.1  # inches of a panel, where there are more than fit into the usual figure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SecurityCurveDisplay(Display):
    """Curves of several models, on one or several data sets, by one or several measures.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> X, y = wine.X_train[:300], wine.y_train[:300]
    >>> attacker = wine.attacker.with_budget(60)
    >>> forest = tv.TreantForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    >>> robust = tv.TreantForestClassifier(7, attacker=attacker, max_depth=4, random_state=0).fit(X, y)
    >>> models = {"standard": forest, "TREANT": robust}
    >>> rows = wine.X_test[:200], wine.y_test[:200]
    >>> curve = tv.security_curve(models, *rows, wine.attacker, [0, 20, 40, 60])
    >>> auc = curve.query("metric == 'roc_auc'")
    >>> display = tv.SecurityCurveDisplay.from_curve(auc)
    >>> display.title
    'TREANT does not move at all as the test budget grows, while standard falls by 0.29'
    """

    curves: tuple[Curve, ...]
    printed: tuple[Printed, ...]
    train_budgets: Mapping[str, float]
    x: str
    takeaway: str
    note: str = ""
    focus: tuple[str, ...] = ()
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_curve(
        cls, frame: pd.DataFrame, *, x: str = "test budget", train_budgets: Mapping[str, float] | None = None,
        paper: pd.DataFrame | None = None, takeaway: str = "", note: str = "",
        focus: Sequence[str] | None = None,
    ) -> SecurityCurveDisplay:  # fmt: skip
        """From what `security_curve` returns; a column `dataset` makes a column of pictures for each.

        `train_budgets`: by data set, the budget the models were trained for (a dashed rule). `paper`: the
        same columns as `frame`, drawn as hollow markers. `takeaway`: a title of your own; `note`: words for
        the subtitle. `focus`: models whose bands are drawn; by default the one that moves least.
        """
        table = checked(frame, "frame")
        curves = tuple(curves_of(table))
        shown = {c.model for c in curves}
        printed = () if paper is None else tuple(printed_of(checked(paper, "paper")))
        if strange := sorted(set(focus or ()) - shown):
            raise ValueError(f"focus: expected models of the frame ({sorted(shown)}), got {strange}")
        lit = (steadiest(curves)[0],) if focus is None else tuple(focus)
        source = {"frame": table, "paper": paper, "train_budgets": train_budgets, "x": x}
        return cls(curves, printed, dict(train_budgets or {}), x, takeaway, note, lit, source)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        across, down = self.shape
        return max(12.8, ACROSS * across), max(7.2, 1.0 + DOWN * down)

    @property
    def shape(self) -> tuple[int, int]:
        """Panels across and down."""
        if len(self.datasets) == 1:
            return len(self.metrics), 1
        return len(self.datasets), len(self.metrics)

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
        short = names(self.models)
        steady, span = steadiest(self.curves)
        who, grows = short[steady], f"as the {self.x} grows"
        by = "by" if self.shape == (1, 1) else "by up to"
        if span > STEADY:
            least = " least of all, but still" if len(self.models) > 1 else ""
            return f"{who} moves{least} {by} {number(span, 2)} {grows}"
        other, fall = faller(self.curves, steady)
        head = f"{who} does not move at all" if span == 0 else f"{who} hardly moves"
        if fall > STEADY:
            return f"{head} {grows}, while {short[other]} falls {by} {number(fall, 2)}"
        return f"{head} {grows}"

    @property
    def subtitle(self) -> str:
        panels = {(c.dataset, c.metric, c.model) for c in self.curves}
        hollow = any((p.dataset, p.metric, p.model) in panels for p in self.printed)
        lit = [c for c in self.curves if c.model in self.focus and c.has_band]
        who = listed(names(dict.fromkeys(c.model for c in lit)).values())
        marks = [
            f"the band is the bootstrap interval of {who}" if lit else "",
            "hollow marks are printed in the paper" if hollow else "",
            "the dashed rule is the budget trained for" if any(map(self.rule, self.datasets)) else "",
        ]
        key = "; ".join(filter(None, marks))
        phrases = (self.note, MEANS.get(self.x, ""), self._behind(), key[:1].upper() + key[1:])
        return " ".join(f"{words}." for words in phrases if words)

    def _behind(self) -> str:
        """What the steadiest model costs while nobody attacks."""
        steady, span = steadiest(self.curves)
        start = {(c.dataset, c.metric, c.model): c.points[0] for c in self.curves}
        if span > STEADY or any(p.budget for p in start.values()):
            return ""
        gaps = (
            p.value - start[d, m, steady].value for (d, m, _), p in start.items() if (d, m, steady) in start
        )
        most = number(max(gaps, default=0.0), 2)
        up_to = "" if self.shape == (1, 1) and len(self.models) == 2 else "up to "
        return (
            ""
            if most == "0"
            else f"While nobody attacks, {names(self.models)[steady]} is {up_to}{most} behind"
        )

    def rule(self, dataset: str) -> bool:
        """Is the budget trained for drawn? (Where the axis ends anyway, the words above the panel do.)"""
        budgets = [p.budget for c in self.curves if c.dataset == dataset for p in c.points]
        return dataset in self.train_budgets and self.train_budgets[dataset] != max(budgets, default=None)

    @property
    def told_fall(self) -> Curve | None:
        """The curve whose fall stands in the title."""
        steady, span = steadiest(self.curves)
        other, fall = faller(self.curves, steady)
        if self.takeaway or span > STEADY or fall <= STEADY:
            return None
        return next(c for c in self.curves if c.model == other and c.fall == fall)

    @property
    def alt_text(self) -> str:
        where = " and ".join(
            filter(None, [listed(self.datasets), listed(METRIC_NAMES.get(m, m) for m in self.metrics)])
        )
        ends = "; ".join(
            f"{c.model}{f' on {c.dataset}' if c.dataset else ''}, {METRIC_NAMES.get(c.metric, c.metric)}: "
            f"{number(c.points[0].value, 3)} to {number(c.points[-1].value, 3)}"
            for c in self.curves if c.metric == self.metrics[-1]
        )  # fmt: skip
        return (
            f"Line charts of {where} against the {self.x} for {listed(self.models)}. "
            f"From first to last budget: {ends}."
        )

    @property
    def summary(self) -> str:
        lines = [self.title]
        for c in self.curves:
            values = ", ".join(f"{number(p.budget)}: {p.value:.3f}" for p in c.points)
            lines.append(" ".join(filter(None, [c.dataset, c.metric, c.model, values])))
        return "\n".join(lines)

    def heading(self, dataset: str, metric: str) -> tuple[str, str]:
        """What stands above a panel: bold and soft words."""
        measure = METRIC_NAMES.get(metric, metric)
        first = metric == self.metrics[0]
        if len(self.datasets) > 1:
            bold = name(dataset, 24) if first else ""
        else:
            bold = " · ".join(
                filter(None, [name(dataset, 24) if dataset and first else "", name(measure, 24)])
            )
        known = first and dataset in self.train_budgets
        return bold, f"trained for {number(self.train_budgets[dataset])}" if known else ""

    def _draw(self, pen: Pen, target: Target) -> None:
        draw_curves(self, pen, target)


__all__ = ["SecurityCurveDisplay"]

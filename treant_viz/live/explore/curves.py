"""explore_curves: interactive security curves: which data, trained for what, attacked with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from traitlets import Bool, TraitError, TraitType, Unicode, validate

from treant_viz.experiments.report.results import VIEWS, Results, paper_table
from treant_viz.live.explore.base import LiveExplorer
from treant_viz.viz.display import Display
from treant_viz.viz.security_curve.display import SecurityCurveDisplay
from treant_viz.viz.security_curve.facts import METRIC_NAMES, checked, curves_of, steadiest
from treant_viz.viz.security_curve.live_facts import complete, live_facts
from treant_viz.viz.train_test.display import TrainTestHeatmapDisplay

SHAPES = ("curves", "heat map")
USUAL = "RF-TREANT"  # the model in focus, where it is among them


class CurvesExplorer(LiveExplorer):
    """State: `reading` (of the paper, for its results), `dataset`, `measure`, `train` (the budget trained
    for, or None where none is known), `budget` (of the attacker), `methods` (those that are drawn), `focus`
    (the one that is emphasised, or None), `bands` (is its interval drawn?), and `view`: "curves" or "heat
    map".
    """

    picture = "curves"
    reading = Unicode().tag(state=True)
    dataset = Unicode().tag(state=True)
    measure = Unicode().tag(state=True)
    train: Any = TraitType(None).tag(state=True)
    budget: Any = TraitType(0.0).tag(state=True)
    methods: Any = TraitType(()).tag(state=True)
    focus: Any = TraitType(None).tag(state=True)
    bands = Bool(True).tag(state=True)
    view = Unicode("curves").tag(state=True)

    def __init__(
        self, table: pd.DataFrame, paper: pd.DataFrame | None, trained: Mapping[str, float], x: str, *,
        ours: bool, **state: Any,
    ) -> None:  # fmt: skip
        self.table, self.x, self._ours = complete(checked(table, "curve")), x, ours
        self._columns = list(table.columns)
        self.paper = complete(checked(paper, "paper")) if paper is not None else self.table.iloc[:0]
        self.trained = {d: float(b) for d, b in trained.items()}
        self._facts = live_facts(self.table, self.paper, self.trained, x)
        super().__init__(**(self._first(state) | state))
        self.observe(self._follow, names=["dataset", "reading"])
        self._open()

    def _first(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """What is shown where nothing else is asked for: all models, the strongest attacker, ROC AUC."""
        known = {c: self._known(c) for c in ("reading", "dataset", "model", "metric")}
        measure = "roc_auc" if "roc_auc" in known["metric"] else known["metric"][-1]
        first = {"reading": known["reading"][0], "dataset": known["dataset"][0], "measure": measure}
        picked = {c: _one_of(c, state.get(c, first[c]), known[c]) for c in ("reading", "dataset")}
        return first | self._strongest(**picked) | {"methods": known["model"], "focus": self._usual()}

    def _usual(self) -> str:
        """The paper's method, or else the one that moves least."""
        known = self._known("model")
        return USUAL if USUAL in known else steadiest(curves_of(self.table))[0]

    def _strongest(self, reading: str, dataset: str) -> dict[str, Any]:
        return {
            "train": max(self.trains(reading, dataset), default=None),
            "budget": max(self.budgets(reading, dataset), default=0.0),
        }

    def _known(self, column: str) -> list[str]:
        return list(dict.fromkeys(self.table[column]))

    # what there is

    def _at(self, reading: str | None, dataset: str | None) -> pd.DataFrame:
        t = self.table
        reading, dataset = (self.reading, self.dataset) if reading is None else (reading, dataset)
        return t[(t["reading"] == reading) & (t["dataset"] == dataset)]

    def trains(self, reading: str | None = None, dataset: str | None = None) -> list[float]:
        """The budgets that models were trained for (0 is that of models that know no attacker)."""
        found = {float(k) for k in self._at(reading, dataset)["train_budget"].dropna() if k > 0}
        return sorted(found)

    def budgets(self, reading: str | None = None, dataset: str | None = None) -> list[float]:
        """The budgets of the attacker."""
        return sorted({float(b) for b in self._at(reading, dataset)["budget"]})

    def _follow(self, change: Any) -> None:
        """Another data set has other budgets: a budget that it lacks becomes its largest."""
        largest = self._strongest(self.reading, self.dataset)
        if self.train not in self.trains():
            self.train = largest["train"]
        if self.budget not in self.budgets():
            self.budget = largest["budget"]

    def facts(self) -> dict[str, Any]:
        return self._facts

    # what is refused

    @validate("reading", "dataset", "measure", "view")
    def _a_name(self, proposal: Any) -> str:
        name, value = proposal["trait"].name, proposal["value"]
        known = SHAPES if name == "view" else self._known({"measure": "metric"}.get(name, name))
        if value == SHAPES[1] and name == "view" and not self.trains():
            raise TraitError("view: a heat map needs models that were trained for several budgets")
        return _one_of(name, value, known)

    @validate("train", "budget")
    def _a_budget(self, proposal: Any) -> float | None:
        name, value = proposal["trait"].name, proposal["value"]
        known: list[Any] = self.trains() or [None] if name == "train" else self.budgets()
        if isinstance(value, bool) or value not in known:
            raise TraitError(f"{name}: expected one of {known}, got {value!r}")
        return None if value is None else float(value)

    @validate("methods")
    def _some(self, proposal: Any) -> list[str]:
        value, known = proposal["value"], self._known("model")
        if not isinstance(value, (list, tuple)) or not value or not set(value) <= set(known):
            raise TraitError(f"methods: expected some of {known}, got {value!r}")
        return [m for m in known if m in value]

    @validate("focus")
    def _a_model(self, proposal: Any) -> str | None:
        value, known = proposal["value"], self._known("model")
        if value is not None and value not in known:
            raise TraitError(f"focus: expected None or one of {known}, got {value!r}")
        return None if value is None else str(value)

    # what it leaves behind

    def shown(self) -> pd.DataFrame:
        """The lines of the present state; a model that knows no attacker was trained for one budget only."""
        t = self._at(None, None)
        t = t[(t["metric"] == self.measure) & t["model"].isin(self.methods)]
        trains = t["train_budget"]
        return t[(trains == self.train) | trains.isna() | (trains == 0)]

    @property
    def display(self) -> Display:
        if self.view == SHAPES[1]:
            return self._map()
        p = self.paper
        there = p[p["train_budget"].isna() | (p["train_budget"] == self.train)]
        return SecurityCurveDisplay.from_curve(
            self.shown(), x=self.x, train_budgets=self._trained(), paper=there if len(there) else None,
            focus=self._lit(), note=self.reading.capitalize(),
        )  # fmt: skip

    def _trained(self) -> dict[str, float]:
        return self.trained if self.train is None else {self.dataset: self.train}

    def _lit(self) -> list[str]:
        """The models whose bands are drawn."""
        return [self.subject] if self.bands else []

    @property
    def subject(self) -> str:
        """The model that the heat map is of."""
        if self.focus in self.methods:
            return str(self.focus)
        return steadiest(curves_of(self.shown()))[0]

    def _map(self) -> TrainTestHeatmapDisplay:
        t = self._at(None, None)
        mine = t[(t["metric"] == self.measure) & (t["model"] == self.subject)]
        every = self.table[self.table["metric"] == self.measure]["value"]
        frame = mine.rename(columns={"budget": "test_budget"}).assign(panel=self.dataset)
        frame["train_budget"] = frame["train_budget"].fillna(0.0)
        measure = METRIC_NAMES.get(self.measure, self.measure)
        scale = (float(every.min()), float(every.max()))
        return TrainTestHeatmapDisplay.from_results(frame, model=self.subject, measure=measure, scale=scale)

    def code(self) -> str:
        wanted = {"dataset": [self.dataset], "metric": [self.measure], "model": self.methods}
        if self.view == SHAPES[1]:
            wanted["model"] = [self.subject]
        elif self.trains():
            wanted["train_budget"] = [0, self.train]
        kept = {c: v for c, v in wanted.items() if c in self._columns}
        lines = [f"curve = curve[curve[{c!r}].isin({v!r})]" for c, v in kept.items()]
        return "\n".join([*self._head(), *lines, self._call()])

    def _head(self) -> list[str]:
        """What the table is."""
        if not self._ours:
            head = [
                "# curve: your table; paper: the numbers to compare with"
                if len(self.paper)
                else "# curve: your table"
            ]
            return head + ([f"curve = curve[curve['reading'] == {self.reading!r}]"] if self.reading else [])
        at = [v.name for v in VIEWS].index(self.reading)
        return [
            "from treant_viz.experiments.report.results import VIEWS, paper_table",
            "",
            f"curve = tv.load_results().curves(VIEWS[{at}])",
            "paper = paper_table().rename(columns={'method': 'model'})",
            f"paper = paper[paper['budget'] == {self.train!r}]",
        ]

    def _call(self) -> str:
        if self.view == SHAPES[1]:
            made = self._map()
            end = f"model={self.subject!r}, measure={made.measure!r}, scale={made.scale!r}"
            frame = f"curve.rename(columns={{'budget': 'test_budget'}}).assign(panel={self.dataset!r})"
            return f"tv.TrainTestHeatmapDisplay.from_results({frame}, {end})"
        trained, paper = self._trained(), ", paper=paper" if len(self.paper) else ""
        end = f"train_budgets={trained!r}{paper}, focus={self._lit()!r}, note={self.reading.capitalize()!r}"
        return f"tv.SecurityCurveDisplay.from_curve(curve, x={self.x!r}, {end})"


def _one_of(name: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise TraitError(f"{name}: expected one of {list(known)}, got {value!r}")
    return str(value)


def of_display(display: SecurityCurveDisplay | TrainTestHeatmapDisplay) -> CurvesExplorer:
    """The live sister of curves, or of heat maps."""
    given = display.source
    assert given is not None
    if isinstance(display, SecurityCurveDisplay):
        focus = display.focus[0] if display.focus else None
        return explore_curves(
            given["frame"],
            paper=given["paper"],
            train_budgets=given["train_budgets"],
            x=given["x"],
            focus=focus,
        )
    columns = {"test_budget": "budget", "panel": "dataset"}
    cells = given["frame"].groupby(["panel", "train_budget", "test_budget"], sort=False)["value"].mean()
    frame = cells.reset_index().rename(columns=columns)
    model, measure = display.model or "the model", given["measure"]
    return explore_curves(frame.assign(model=model, metric=measure), view=SHAPES[1])


def explore_curves(
    curve_or_results: Any,
    *,
    paper: pd.DataFrame | None = None,
    train_budgets: Mapping[str, float] | None = None,
    x: str = "test budget",
    **state: Any,
) -> CurvesExplorer:
    """Security curves to be touched: choose data, measure and training budget, point at a budget for all
    numbers, at a model to see it stand out; or training against test budget as a heat map.

    `curve_or_results`: what `tv.security_curve` returns (with columns `dataset` and `train_budget`, if there
    are several), or `tv.load_results()`. `paper`: numbers to compare with, in the same columns, drawn hollow;
    `train_budgets`: by data set, the budget that all models were trained for. State to begin with: `dataset`,
    `measure` (such as "roc_auc"), `train`, `budget`, `methods` (some of the models), `focus` (one of them),
    `bands`, `view` ("curves" or "heat map"), and for results `reading` (such as "as published").
    """
    if isinstance(curve_or_results, Results):
        if paper is not None or train_budgets:
            raise TypeError("paper, train_budgets: expected none with results, which bring their own")
        tables = [
            curve_or_results.curves(v).assign(reading=v.name) for v in VIEWS if curve_or_results.ready(v)
        ]
        if not tables:
            raise ValueError(
                "results: expected all that the figures of one view show, for one data set at least"
            )
        printed = paper_table().rename(columns={"method": "model"})
        printed = printed.assign(train_budget=printed["budget"])
        return CurvesExplorer(pd.concat(tables), printed, {}, x, ours=True, **state)
    return CurvesExplorer(curve_or_results, paper, train_budgets or {}, x, ours=False, **state)


__all__ = ["CurvesExplorer", "explore_curves", "of_display"]

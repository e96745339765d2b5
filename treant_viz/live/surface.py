"""explore_surface: choose where SLSQP starts, and see on the loss surface where it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ipywidgets as widgets
import numpy as np
from traitlets import Any as AnyTrait
from traitlets import Bool, Float, TraitError, Unicode, validate

from treant_viz.core.solvers.slsqp import Run
from treant_viz.live.base import WIDE, slider
from treant_viz.live.entry import range_of
from treant_viz.live.problem import predictions, trace_of
from treant_viz.live.rule_words import typed
from treant_viz.live.surface_words import count, in_words, points
from treant_viz.live.traced import TraceExplorer
from treant_viz.trace.records import Candidates
from treant_viz.trace.replay import rerun
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay
from treant_viz.viz.loss_surface.facts import Surface
from treant_viz.viz.style.text import name


class SurfaceExplorer(TraceExplorer):
    """State: `path`, `feature`, `threshold` (a candidate there), `start_l`, `start_r`, `constrained`."""

    path = Unicode().tag(state=True)
    feature = AnyTrait().tag(state=True)
    threshold = AnyTrait().tag(state=True)
    start_l = Float().tag(state=True)
    start_r = Float().tag(state=True)
    constrained = Bool(True).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self.trace = trace = trace_of(what)
        self.tried = {
            s.path: s.candidates for s in trace.steps if s.candidates is not None and len(s.candidates)
        }
        if not self.tried:
            raise ValueError("model: no step of this tree has a candidate, so there is no surface to show")
        self.range = predictions(trace.y, trace.loss.binary)
        self.run: Run | None = None
        self._offering = False
        self._controls()
        super().__init__(what, **{"path": self._telling_path()} | state)
        self._offer_features(keep=True)
        self._first_start(set(state))
        self._follow("feature")
        self._follow("threshold")
        self.observe(lambda change: self._offer_features(), names="path")
        self.observe(lambda change: self._offer_thresholds(), names="feature")
        at = self._linked
        for trait in ("path", "constrained"):
            self.bind(at[trait], trait)
        rows = [
            [at["path"], at["feature"], at["threshold"]],
            self._start("start_l"),
            [*self._start("start_r"), self._home, at["constrained"]],
        ]
        self._open_above(rows, widgets.HTML(), widgets.HTML())

    def _controls(self) -> None:
        nodes = [(f"{p or 'root'}: {count(len(self.trace.at(p).data), 'row')}", p) for p in self.tried]
        self._linked: dict[str, Any] = {
            "path": widgets.Dropdown(options=nodes, description="node", style=WIDE),
            "feature": widgets.Dropdown(options=[], description="feature", style=WIDE),
            "threshold": slider("threshold", [0]),
            "start_l": widgets.FloatSlider(
                description="start of y_l", readout=False, **range_of(*self.range)
            ),
            "start_r": widgets.FloatSlider(
                description="start of y_r", readout=False, **range_of(*self.range)
            ),
            "constrained": widgets.Checkbox(description="obey the constraints", indent=False),
        }
        self._home = widgets.Button(
            description="start at the plain optimum", layout=widgets.Layout(width="auto")
        )
        self._home.on_click(lambda button: self._start_at(*self._plain()))

    def _start(self, trait: str) -> list[Any]:
        bar, look = self._linked[trait], widgets.Layout(width="19em")
        words = f"{bar.description} (number)"
        box = widgets.FloatText(description=words, step=self.range[2], style=WIDE, layout=look)
        return self.bind_number(box, bar, trait)

    # what there is to choose from

    def _telling_path(self) -> str:
        """A step where constraints forbid something; else the first."""
        bound = [p for p in self.tried if self.trace.at(p).constraints]
        cut = [p for p in bound if self.trace.at(p).split is not None and _gap(self._surface(p)) is not None]
        return (cut or bound or list(self.tried))[0]

    def _surface(self, path: str) -> Surface:
        return Surface.at(self.trace, path, *self._best(path))

    def _best(self, path: str, feature: Any = None) -> tuple[Any, Any]:
        """The chosen split of a step, or its best candidate; of a feature if one is given."""
        C, split = self.tried[path], self.trace.at(path).split
        if split is not None and feature in (None, split.feature):
            return split.feature, split.threshold
        mine = [i for i, f in enumerate(C.feature) if feature in (None, f)]
        i = min(mine, key=lambda i: (not C.admissible[i], C.loss_under_attack[i]))
        return C.feature[i], C.threshold[i]

    def _offer_features(self, *, keep: bool = False) -> None:
        """The features of this step's candidates; a new step starts at its chosen split."""
        features = list(dict.fromkeys(self.tried[self.path].feature))
        chosen = self.feature if keep and self.feature in features else self._best(self.path)[0]
        self._offer("feature", [(name(f), f) for f in features], chosen)
        self._offer_thresholds(keep=keep)

    def _offer_thresholds(self, *, keep: bool = False) -> None:
        """The thresholds of the feature's candidates; a new feature starts at its best one."""
        values = self._thresholds()
        chosen = (
            self.threshold if keep and self.threshold in values else self._best(self.path, self.feature)[1]
        )
        self._offer("threshold", [(_option(v), v) for v in values], chosen)

    def _offer(self, trait: str, options: list[tuple[str, Any]], chosen: Any) -> None:
        """New options for a control, without its passing choice of the first one getting into the state."""
        control, self._offering = self._linked[trait], True
        control.options, control.value = options, chosen
        self._offering = False
        setattr(self, trait, chosen)

    def _follow(self, trait: str) -> None:
        """State and control of a choice whose options change."""
        control = self._linked[trait]
        control.observe(
            lambda change: None if self._offering else setattr(self, trait, change["new"]), names="value"
        )
        self.observe(lambda change: setattr(control, "value", change["new"]), names=trait)

    def _thresholds(self) -> list[Any]:
        C = self.tried[self.path]
        return [v for f, v in zip(C.feature, C.threshold, strict=True) if f == self.feature]

    # where SLSQP starts

    def _first_start(self, given: set[str]) -> None:
        """The plain leaves, but on the wrong side of a gap if there is one: SLSQP will not come across."""
        y_l, y_r = self._plain()
        gap = _gap(
            Surface.at(self.trace, self.path, self.feature, self.threshold, constrained=self.constrained)
        )
        if gap is not None and gap[0] == "l":
            y_l = gap[1] - y_l
        elif gap is not None:
            y_r = gap[1] - y_r
        low, high, _ = self.range
        for trait, value in (("start_l", y_l), ("start_r", y_r)):
            if trait not in given:
                setattr(self, trait, min(max(value, low), high))

    def _plain(self) -> tuple[float, float]:
        C = self.tried[self.path]
        i = _place(C, self.feature, self.threshold)
        return float(C.plain_y_l[i]), float(C.plain_y_r[i])

    def _start_at(self, y_l: float, y_r: float) -> None:
        with self.hold_trait_notifications():
            self.start_l, self.start_r = y_l, y_r

    # what is refused

    @validate("path")
    def _known_path(self, proposal: Any) -> str:
        if proposal["value"] not in self.tried:
            raise TraitError(
                f"path: expected a step with candidates, {list(self.tried)}, got {proposal['value']!r}"
            )
        return str(proposal["value"])

    @validate("feature")
    def _known_feature(self, proposal: Any) -> Any:
        features = list(dict.fromkeys(self.tried[self.path].feature))
        if proposal["value"] not in features:
            raise TraitError(
                f"feature: expected one with candidates at {self.path or 'the root'!r}, {features}, "
                f"got {proposal['value']!r}"
            )
        return proposal["value"]

    @validate("threshold")
    def _known_threshold(self, proposal: Any) -> Any:
        value = proposal["value"].item() if isinstance(proposal["value"], np.generic) else proposal["value"]
        if self.feature is not None and value not in self._thresholds():
            raise TraitError(
                f"threshold: expected a candidate of {self.feature!r} at {self.path or 'the root'!r}, "
                f"got {value!r}"
            )
        return value

    @validate("start_l", "start_r")
    def _within(self, proposal: Any) -> float:
        value, (low, high, _) = proposal["value"], self.range
        if not low <= value <= high:
            raise TraitError(
                f"{proposal['trait'].name}: expected a number from {typed(low)} to {typed(high)}, "
                f"got {value!r}"
            )
        return float(value)

    # what is shown

    def _display(self) -> LossSurfaceDisplay:
        where = (self.trace, self.path, self.feature, self.threshold)
        self.run = rerun(*where, (self.start_l, self.start_r), constrained=self.constrained)
        return LossSurfaceDisplay.from_trace(*where, iterates=self.run.walk, constrained=self.constrained)

    def _notes(self) -> Iterable[str]:
        assert isinstance(self.display, LossSurfaceDisplay)
        assert self.run is not None
        return in_words(self.display, self.run), points(self.display)

    def code(self) -> str:
        where = f"trace, {self.path!r}, {self.feature!r}, {self.threshold!r}"
        bound = "" if self.constrained else ", constrained=False"
        return self._code(
            "from treant_viz.trace.replay import rerun\n"
            f"run = rerun({where}, start=({self.start_l!r}, {self.start_r!r}){bound})\n"
            f"tv.LossSurfaceDisplay.from_trace({where}, iterates=run.walk{bound})"
        )


def _gap(surface: Surface) -> tuple[str, float] | None:
    """The side whose allowed predictions are in parts, and the sum of the ends of its first gap."""
    for side, pieces in (("l", surface.allowed_l), ("r", surface.allowed_r)):
        if len(pieces) > 1:
            return side, pieces[0][1] + pieces[1][0]
    return None


def _option(threshold: Any) -> str:
    """A threshold as an option of a control: as one types it, and no two alike."""
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
        return name(threshold)
    return typed(threshold)


def _place(C: Candidates, feature: Any, threshold: Any) -> int:
    return list(zip(C.feature, C.threshold, strict=True)).index((feature, threshold))


def explore_surface(model_or_trace: Any, **state: Any) -> SurfaceExplorer:
    """Choose where SLSQP starts: on a surface that constraints cut in two, the start decides where it ends.

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `path`,
    `feature`, `threshold`, `start_l`, `start_r`, `constrained`.
    """
    return SurfaceExplorer(model_or_trace, **state)


__all__ = ["SurfaceExplorer", "explore_surface"]

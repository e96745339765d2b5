"""explore_surface: drag the start of SLSQP over the loss surface, and see where it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
from traitlets import Bool, Float, TraitError, TraitType, Unicode, validate

from treant_viz.core.solvers.slsqp import Run
from treant_viz.live.explore.base import ROOM, LiveExplorer, letters
from treant_viz.live.problem import predictions, trace_of
from treant_viz.trace.replay import solver
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import exact
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay
from treant_viz.viz.loss_surface.facts import misses
from treant_viz.viz.loss_surface.live_facts import run_columns, surface_facts, table, tests_at
from treant_viz.viz.style.text import number

Start = tuple[float, float]
STARTS = 17  # on a side of the grid of starts; as many as 9 where predictions end at 0 and 1


class SurfaceExplorer(LiveExplorer):
    """State: `path`, `feature`, `threshold` (a candidate there), `start_l`, `start_r`, `constrained`."""

    picture = "surface"
    path = Unicode().tag(state=True)
    feature: Any = TraitType(None).tag(state=True)
    threshold: Any = TraitType(None).tag(state=True)
    start_l = Float().tag(state=True)
    start_r = Float().tag(state=True)
    constrained = Bool(True).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self.trace = trace_of(what)
        self._given = "" if isinstance(what, Trace) else "trace = model.trace_\n"
        steps = [s for s in self.trace.steps if s.candidates is not None and len(s.candidates)]
        self.tried = {s.path: s.candidates for s in steps if s.candidates is not None}
        if not self.tried:
            raise ValueError("model: no step of this tree has a candidate, so there is no surface to show")
        self.range = predictions(self.trace.y, self.trace.loss.binary)
        self._surfaces: dict[tuple[str, int, bool], _Solved] = {}
        super().__init__(**{"path": self._most_informative_path()} | state)
        self.feature, self.threshold = self._first_test(self.feature, self.threshold)
        for trait, value in zip(("start_l", "start_r"), self._first_start(), strict=True):
            if trait not in state:
                setattr(self, trait, value)
        self.observe(self._another_path, names="path")
        self.observe(self._another_feature, names="feature")
        self._open()

    # what there is to choose from

    def _most_informative_path(self) -> str:
        """A step where constraints leave two parts; else the one with most unknown rows."""
        for path in self.tried:
            if self.trace.at(path).constraints and self._solved(path, self._best(path), True).gap:
                return path
        return max(self.tried, key=lambda path: self.tried[path].unknown[self._best(path)])

    def _best(self, path: str, feature: Any = None) -> int:
        """The place of a step's chosen split among its candidates, or of the best one (of a feature)."""
        C, split = self.tried[path], self.trace.at(path).split
        if split is not None and feature in (None, split.feature):
            return _place(C, split.feature, split.threshold)
        mine = [i for i, f in enumerate(C.feature) if feature in (None, f)]
        return min(mine, key=lambda i: (not C.admissible[i], C.loss_under_attack[i]))

    def _first_test(self, feature: Any, threshold: Any) -> tuple[Any, Any]:
        best = self._best(self.path, feature)
        C = self.tried[self.path]
        return C.feature[best], C.threshold[best] if threshold is None else self._value({"value": threshold})

    def _another_path(self, change: Any) -> None:
        """Another node opens at its chosen split."""
        self.feature = self.tried[self.path].feature[self._best(self.path)]
        self._another_feature(change)

    def _another_feature(self, change: Any) -> None:
        self.threshold = self.tried[self.path].threshold[self._best(self.path, self.feature)]

    def _thresholds(self) -> list[Any]:
        C = self.tried[self.path]
        return [v for f, v in zip(C.feature, C.threshold, strict=True) if f == self.feature]

    @property
    def _test(self) -> int:
        return _place(self.tried[self.path], self.feature, self.threshold)

    def _first_start(self) -> Start:
        """The standard leaves, but on the wrong side of a gap if there is one: SLSQP will not come across.

        From afar if they are the best ones under attack, too: there would be no walk to see.
        """
        here = self._solved(self.path, self._test, self.constrained)
        low, high, _ = self.range
        plain, best = here.display.plain, here.display.optimum
        if here.gap is None and best is not None and not misses(best.loss, plain.loss):
            return max(self._grid(), key=lambda s: math.dist(s, best[:2]))
        leaves = zip(plain[:2], ("l", "r"), strict=True)
        moved = [here.gap[1] - p if here.gap and here.gap[0] == side else p for p, side in leaves]
        y_l, y_r = (min(max(p, low), high) for p in moved)
        return y_l, y_r

    # what is worked out

    def _solved(self, path: str, test: int, constrained: bool) -> _Solved:
        """A surface and its solver, kept once made. Where there are no constraints, both are one."""
        key = path, test, constrained and bool(self.trace.at(path).constraints)
        if key not in self._surfaces:
            C = self.tried[path]
            self._surfaces[key] = _Solved(self.trace, path, C.feature[test], C.threshold[test], key[2])
        return self._surfaces[key]

    @property
    def run(self) -> Run:
        """What SLSQP does from the present start."""
        return self._solved(self.path, self._test, self.constrained).run((self.start_l, self.start_r))

    def _grid(self) -> list[Start]:
        """Starts all over the surface."""
        low, high, step = self.range
        if self.trace.loss.binary:
            side = [k / 10 for k in range(1, 10)]
        else:
            wide = step * math.ceil((high - low) / step / (STARTS - 1) - 1e-9)
            side = [float(f"{low + k * wide:.10g}") for k in range(STARTS) if low + k * wide <= high + 1e-9]
        return [(y_l, y_r) for y_l in side for y_r in side]

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        best = {path: self._best(path) for path in self.tried}
        facts = surface_facts(self.trace, best, self.range)
        return facts | self._about(self.path, self._test, self.constrained)

    def _about(self, path: str, test: int, constrained: bool) -> dict[str, Any]:
        """The tests of a node and the surface of one of them, by name."""
        solved = self._solved(path, test, constrained)
        name = f"{path}:{test}:{int(solved.constrained)}"
        starts = [*self._grid(), solved.home]
        if (path, test, constrained) == (self.path, self._test, self.constrained):
            starts.append((self.start_l, self.start_r))
        tables = {name: solved.table(self.range[:2], starts)}
        return {"tests": {path: tests_at(self.trace, self.tried[path])}, "tables": tables}

    def page_facts(self) -> dict[str, Any]:
        """The shown surface, and as many others as a page should hold: with and without constraints, the
        other nodes, the other tests."""
        facts = self.facts()
        paths = sorted(self.tried, key=lambda path: path != self.path)
        wanted = [(self.path, self._test), *((path, self._best(path)) for path in paths)]
        for path in paths:
            loss = self.tried[path].loss_under_attack
            wanted += [(path, i) for i in sorted(range(len(loss)), key=lambda i: loss[i])]
        room = ROOM - letters(facts)
        for path, test in dict.fromkeys(wanted):
            for constrained in {True, not self.trace.at(path).constraints}:
                more = self._about(path, test, constrained)
                if (size := letters(more)) > room:
                    return facts
                facts = facts | {k: facts[k] | more[k] for k in more}
                room -= size
        return facts

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """A run of SLSQP from a start, and if it is not known yet, the surface that it walks on."""
        path, test = self._asked(question)
        solved = self._solved(path, test, bool(question.get("constrained", True)))
        start = self._a_start(question.get("start_l"), question.get("start_r"))
        more = self._about(path, test, solved.constrained) if question.get("surface") else {}
        return more | {"ran": solved.columns(self.range[:2], [start])}

    def _a_start(self, y_l: Any, y_r: Any) -> Start:
        low, high, _ = self.range
        if not all(isinstance(p, (int, float)) and low <= p <= high for p in (y_l, y_r)):
            raise ValueError(
                f"start: expected two numbers from {number(low)} to {number(high)}, got {(y_l, y_r)}"
            )
        return y_l, y_r

    def _asked(self, state: Mapping[str, Any]) -> tuple[str, int]:
        """A node and the place of a test there, as the browser names them."""
        path, test = state.get("path"), state.get("test")
        if path not in self.tried:
            raise ValueError(f"path: expected a step with candidates, {list(self.tried)}, got {path!r}")
        if not isinstance(test, int) or not 0 <= test < len(self.tried[path]):
            raise ValueError(f"test: expected 0 to {len(self.tried[path]) - 1}, got {test!r}")
        return path, test

    def _to_browser(self) -> dict[str, Any]:
        rest = {name: getattr(self, name) for name in ("path", "start_l", "start_r", "constrained")}
        return rest | {"test": self._test}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        path, test = self._asked(state)
        C = self.tried[path]
        with self.widget.hold_sync() if self._watched else nullcontext():  # browsers hear of it all at once
            self.path = path
            self.feature = C.feature[test]
            self.threshold = C.threshold[test]
            for name in ("start_l", "start_r", "constrained"):
                self.set_trait(name, state.get(name))

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
            where = self.path or "the root"
            raise TraitError(
                f"feature: expected one with candidates at {where!r}, {features}, got {proposal['value']!r}"
            )
        return proposal["value"]

    @validate("threshold")
    def _value(self, proposal: Any) -> Any:
        value = proposal["value"].item() if isinstance(proposal["value"], np.generic) else proposal["value"]
        if self.feature is not None and value not in self._thresholds():
            where = self.path or "the root"
            raise TraitError(
                f"threshold: expected a candidate of {self.feature!r} at {where!r}, got {value!r}"
            )
        return value

    @validate("start_l", "start_r")
    def _within(self, proposal: Any) -> float:
        value, (low, high, _) = proposal["value"], self.range
        if not low <= value <= high:
            what = proposal["trait"].name
            raise TraitError(f"{what}: expected a number from {number(low)} to {number(high)}, got {value!r}")
        return float(value)

    # what it leaves behind

    @property
    def display(self) -> LossSurfaceDisplay:
        where = (self.trace, self.path, self.feature, self.threshold)
        walk = self.run.walk
        return LossSurfaceDisplay.from_trace(*where, iterates=walk, constrained=self.constrained)

    def code(self) -> str:
        where = f"trace, {self.path!r}, {self.feature!r}, {self.threshold!r}"
        bound = "" if self.constrained else ", constrained=False"
        head = "# model: your fitted tree\n" if self._given else "# trace: your trace\n"
        return (
            f"{head}{self._given}from treant_viz.trace.replay import rerun\n"
            f"run = rerun({where}, start=({self.start_l!r}, {self.start_r!r}){bound})\n"
            f"tv.LossSurfaceDisplay.from_trace({where}, iterates=run.walk{bound})"
        )


class _Solved:
    """The surface of a candidate, and SLSQP on it from any start: each run is made once."""

    def __init__(self, trace: Trace, path: str, feature: Any, threshold: Any, constrained: bool) -> None:
        where = trace, path, feature, threshold
        self.constrained = constrained
        self.display = LossSurfaceDisplay.from_trace(*where, constrained=constrained)
        self._solve: Callable[[Start | None], Run] = solver(*where, constrained=constrained)
        self._runs: dict[Start, Run] = {}

    def run(self, start: Start) -> Run:
        if start not in self._runs:
            self._runs[start] = self._solve(start)
        return self._runs[start]

    @property
    def gap(self) -> tuple[str, float] | None:
        """The side whose allowed predictions are in parts, and the sum of the ends of its first gap."""
        s = self.display.surface
        for side, pieces in (("l", s.allowed_l), ("r", s.allowed_r)):
            if len(pieces) > 1:
                return side, pieces[0][1] + pieces[1][0]
        return None

    @property
    def home(self) -> Start:
        """Where the paper starts, as the browser writes it: going home leads to this very run."""
        y_l, y_r = (exact(p) or 0.0 for p in self.display.plain[:2])
        return float(y_l), float(y_r)

    def table(self, span: Start, starts: list[Start]) -> dict[str, Any]:
        d = self.display
        return table(d.surface, d.optimum, d.plain, span, [self.run(s) for s in dict.fromkeys(starts)])

    def columns(self, span: Start, starts: list[Start]) -> dict[str, Any]:
        d = self.display
        return run_columns(d.surface, d.optimum, d.plain, span, [self.run(s) for s in starts])


def _place(C: Any, feature: Any, threshold: Any) -> int:
    return list(zip(C.feature, C.threshold, strict=True)).index((feature, threshold))


def of_display(display: LossSurfaceDisplay) -> SurfaceExplorer:
    """The live sister of a static picture, which starts where its run starts."""
    assert display.source is not None
    given = dict(display.source)
    ex = SurfaceExplorer(given.pop("trace"), **given)
    if display.start is not None:
        low, high, _ = ex.range
        ex.start_l, ex.start_r = (min(max(p, low), high) for p in display.start[:2])
    return ex


def explore_surface(model_or_trace: Any, **state: Any) -> SurfaceExplorer:
    """Drag the start of SLSQP: on a surface that constraints cut in two, the start decides where it ends.

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `path`,
    `feature`, `threshold`, `start_l`, `start_r`, `constrained`.
    """
    return SurfaceExplorer(model_or_trace, **state)


__all__ = ["SurfaceExplorer", "explore_surface", "of_display"]

"""The loss surface: L^A of a stump over its two leaves, what the constraints forbid, and how SLSQP walks on
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.core.tree import Leaf, Node
from treant_viz.trace.records import Candidates, Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.attack_path.words import condition
from treant_viz.viz.display import Display
from treant_viz.viz.loss_surface.facts import Point, Surface, misses
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LossSurfaceDisplay(Display):
    """Contours of L^A over (y_l, y_r), with the exact optimum, the plain optimum and a run of SLSQP."""

    path: str
    test: str
    surface: Surface
    optimum: Point | None
    plain: Point
    start: Point | None
    run: tuple[Point, ...]
    status: str
    segment: tuple[Point, Point] | None
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str = "",
        feature: Any = None,
        threshold: Any = None,
        *,
        slsqp: Trace | None = None,
        iterates: Sequence[tuple[float, float]] | None = None,
        start: tuple[float, float] | None = None,
        constrained: bool = True,
    ) -> LossSurfaceDisplay:
        """The surface of candidate (feature, threshold) at a step; of the chosen split if none is given.

        `slsqp`: a trace of the same problem recorded with solver="slsqp", whose run is shown; or give the
        points of a run as `iterates`. `start` marks a starting point if there is no run. `constrained=False`:
        as if nothing were forbidden.
        """
        step = _step(trace, path)
        i = _candidate(trace, step, feature, threshold)
        C = _candidates(step)
        surface = Surface.at(trace, path, C.feature[i], C.threshold[i], constrained=constrained)
        walked, status = _run(slsqp, iterates, path, C, i)
        run = tuple(surface.point(*p) for p in walked)
        exact = trace.options.get("solver") == "exact" and (constrained or not step.constraints)
        best = surface.point(C.y_l[i], C.y_r[i]) if exact and math.isfinite(C.y_l[i]) else surface.lowest()
        plain = surface.point(C.plain_y_l[i], C.plain_y_r[i])
        begin = run[0] if run else None if start is None else surface.point(*_pair(start, "start"))
        where = {"trace": trace, "path": path, "feature": C.feature[i], "threshold": C.threshold[i]}
        source = where | {"constrained": constrained}
        segment = surface.segment(best)
        return cls(path, _said(C, i), surface, best, plain, begin, run, status, segment, source)

    @property
    def frame(self) -> tuple[float, float]:
        """The range of both axes: labels, optima, and where the run starts and ends."""
        if self.surface.loss.binary:
            return 0.0, 1.0
        points = [p for p in (self.optimum, self.plain, self.start, *self.run[-1:]) if p is not None]
        marks = [*self.surface.span(), *(v for p in points for v in (p.y_l, p.y_r))]
        low, high = min(marks), max(marks)
        room = 0.22 * ((high - low) or 1.0)
        return low - room, high + room

    @property
    def stuck(self) -> bool:
        """Did the run end above the optimum?"""
        best = self.optimum
        return bool(self.run) and best is not None and misses(best.loss, self.run[-1].loss)

    @property
    def title(self) -> str:
        best = self.optimum
        if best is None:
            return f"At {self.test} no pair of leaves satisfies all constraints"
        if self.run:
            return self._run_title(best)
        if not self.surface.feasible(self.plain.y_l, self.plain.y_r):
            return (
                f"Without the attacker {_at(self.plain)} would be best, "
                f"but it is forbidden: {self._best(best)}"
            )
        if self.segment is not None:
            return f"Under attack {self._best(best)}, with loss {number(best.loss)}"
        if self.plain.loss <= best.loss * (1 + 1e-9):
            return (
                f"At {self.test} the leaves that are best without the attacker, "
                f"{_at(self.plain)}, stay best under attack"
            )
        return (
            f"Under attack {self._best(best)} with loss {number(best.loss)}; "
            f"{_at(self.plain)}, best without the attacker, "
            f"would lose {number(self.plain.loss)}"
        )

    def _best(self, best: Point) -> str:
        """Which leaves are best: a pair, or all pairs on a segment."""
        if self.segment is None:
            return f"{_at(best)} is best"
        (a, c, _), (b, d, _) = self.segment
        sides = (("ŷₗ", a, b), ("ŷᵣ", c, d))
        free = next(f"{n} from {number(u)} to {number(v)}" for n, u, v in sides if v > u)
        kept = next(f"{n} = {number(_rounded(u))}" for n, u, v in sides if v <= u)
        return f"every pair with {kept} and {free} is best"

    def _run_title(self, best: Point) -> str:
        first, last = self.run[0], self.run[-1]
        if self.stuck:
            where = f"at {_at(best)}" if self.segment is None else "along a whole segment"
            return (
                f"From {_at(first)} SLSQP stops at {_at(last)} with loss {number(last.loss)}; the optimum is "
                f"{number(best.loss)} {where}"
            )
        if self.segment is None:
            return f"From {_at(first)} SLSQP finds the optimum {_at(best)}: Lᴬ = {number(best.loss)}"
        return (
            f"From {_at(first)} SLSQP ends at {_at(last)}, "
            f"one of a segment of best pairs: Lᴬ = {number(best.loss)}"
        )

    @property
    def subtitle(self) -> str:
        s = self.surface
        crease = " Dashed creases: there an unknown row costs as much on either side." if s.creases() else ""
        everything = ((s.loss.low, s.loss.high),)
        cut = "" if s.allowed_l == s.allowed_r == everything else " Hatched: forbidden by a constraint."
        what = {"sse": "squared error", "log": "log-loss"}[s.loss.name]
        return (
            f"A point is a pair of predictions for the leaves of {self.test}; "
            "lines join pairs of equal loss under "
            f"attack ({what}).{crease}{cut}"
        )

    @property
    def alt_text(self) -> str:
        s = self.surface
        sizes = ", ".join(
            f"{number(g.w.sum())} {n}"
            for g, n in ((s.left, "left"), (s.unknown, "unknown"), (s.right, "right"))
        )
        folds = len(s.creases(10**9))
        bowl = f"a bowl with {folds} crease{'s' * (folds != 1)}" if folds else "a smooth bowl"
        best = (
            "No pair of leaves is legal."
            if self.optimum is None
            else f"The exact optimum {_costs(self.optimum)}."
            if self.segment is None
            else f"The optimum is a segment: {self._best(self.optimum)}, at {number(self.optimum.loss)}."
        )
        return (
            f"Contours of the loss under attack of the stump {self.test} over its leaves "
            f"ŷₗ, ŷᵣ: {bowl} ({sizes}). "
            f"{best} The optimum without the attacker {_costs(self.plain)}. "
            f"{self._allowed_said()}{self._run_said()}"
        )

    def _allowed_said(self) -> str:
        everything = ((self.surface.loss.low, self.surface.loss.high),)
        if self.surface.allowed_l == self.surface.allowed_r == everything:
            return "No constraint forbids anything."
        sides = (("ŷₗ", self.surface.allowed_l), ("ŷᵣ", self.surface.allowed_r))
        return "Allowed: " + "; ".join(f"{n} in {_pieces(p)}" for n, p in sides) + "."

    def _run_said(self) -> str:
        if not self.run:
            return ""
        away = sum(not self.surface.feasible(p.y_l, p.y_r) for p in self.run)
        note = f" Solver: {name(self.status, 80)}." if self.status else ""
        return (
            f" SLSQP makes {len(self.run) - 1} steps from {_at(self.run[0])} to {_at(self.run[-1])}, "
            "where the loss is "
            f"{number(self.run[-1].loss)}; {away} of its {len(self.run)} points break a constraint.{note}"
        )

    @property
    def summary(self) -> str:
        walk = [f"  {i}: {_costs(p)}" for i, p in enumerate(self.run)]
        return "\n".join([self.title, self.alt_text, *(["SLSQP:"] * bool(walk)), *walk])

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.loss_surface.draw import draw

        draw(self, pen, target)


def _step(trace: Trace, path: str) -> Step:
    if not isinstance(trace, Trace):
        raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
    return trace.at(path)


def _candidates(step: Step) -> Candidates:
    if step.candidates is None or not len(step.candidates):
        raise ValueError(f"path: no candidate was tried at {step.path or 'the root'!r}: {step.reason}")
    return step.candidates


def _candidate(trace: Trace, step: Step, feature: Any, threshold: Any) -> int:
    """The place of a candidate among those of a step."""
    C = _candidates(step)
    if feature is None and threshold is None:
        if step.split is not None:
            return _candidate(trace, step, step.split.feature, step.split.threshold)
        return int(np.argmin(np.where(C.admissible, C.loss_under_attack, math.inf)))
    if feature is None:
        raise ValueError(f"feature: a threshold needs its feature, got threshold={threshold!r} alone")
    column = trace.schema.columns[trace.schema.index(feature)].name
    mine = [i for i, f in enumerate(C.feature) if f == column]
    if threshold is None and mine:
        return min(mine, key=lambda i: float(C.loss_under_attack[i]))
    found = [i for i in mine if C.threshold[i] == threshold]
    if not found:
        tried = ", ".join(number(C.threshold[i]) for i in mine[:8]) or "none"
        raise ValueError(
            f"threshold: {threshold!r} was no candidate of feature {feature!r} "
            f"at {step.path or 'the root'!r}; tried: "
            f"{tried}{' and more' * (len(mine) > 8)}"
        )
    return found[0]


def _said(C: Candidates, i: int) -> str:
    """The test of a candidate in words that can be drawn."""
    return condition(Node(C.feature[i], C.threshold[i], Leaf(0.0), Leaf(0.0), C.test[i]))


def _run(
    slsqp: Trace | None, iterates: Sequence[tuple[float, float]] | None, path: str, C: Candidates, i: int
) -> tuple[list[tuple[float, float]], str]:
    """The points of a run, and what the solver said in the end."""
    if slsqp is not None and iterates is not None:
        raise ValueError("iterates: give either slsqp or iterates, not both")
    if iterates is not None:
        if not len(iterates):
            raise ValueError("iterates: expected at least one pair (y_l, y_r), got none")
        return [_pair(p, "iterates") for p in iterates], ""
    return ([], "") if slsqp is None else _recorded(slsqp, path, C, i)


def _recorded(slsqp: Trace, path: str, C: Candidates, i: int) -> tuple[list[tuple[float, float]], str]:
    found = _candidates(_step(slsqp, path))
    if found.iterates is None or found.status is None:
        raise ValueError("slsqp: expected a trace recorded with solver='slsqp', which has iterates")
    keys = list(zip(found.feature, found.threshold, strict=True))
    if (C.feature[i], C.threshold[i]) not in keys:
        raise ValueError(f"slsqp: this trace has no candidate {_said(C, i)} at {path or 'the root'!r}")
    j = keys.index((C.feature[i], C.threshold[i]))
    walked, end = list(found.iterates[j]), (float(found.y_l[j]), float(found.y_r[j]))
    moved = max(abs(a - b) for a, b in zip(walked[-1], end, strict=True)) > 1e-6
    return [*walked, end] if moved else walked, found.status[j]


def _pair(p: Any, who: str) -> tuple[float, float]:
    try:
        y_l, y_r = (float(v) for v in p)
    except (TypeError, ValueError):
        raise ValueError(f"{who}: expected pairs of numbers (y_l, y_r), got {p!r}") from None
    if not (math.isfinite(y_l) and math.isfinite(y_r)):
        raise ValueError(f"{who}: expected finite numbers, got {p!r}")
    return y_l, y_r


def _at(p: Point) -> str:
    return f"({number(_rounded(p.y_l))}, {number(_rounded(p.y_r))})"


def _costs(p: Point) -> str:
    return f"{_at(p)} costs {number(_rounded(p.loss))}"


def _rounded(x: float) -> float:
    """A solver's rounding is not worth showing."""
    return round(x, 6) if math.isfinite(x) else x


def _pieces(pieces: Sequence[tuple[float, float]]) -> str:
    return " or ".join(f"[{number(a)}, {number(b)}]" for a, b in pieces) or "nothing"


__all__ = ["LossSurfaceDisplay"]

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
from treant_viz.viz.loss_surface.facts import LeafPair, Span, Surface, misses
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number
from treant_viz.viz.ternary_partition.which_test import most_at_risk


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LossSurfaceDisplay(Display):
    """Contours of L^A over (y_l, y_r), with the exact optimum, the plain optimum and a run of SLSQP.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.LossSurfaceDisplay.from_trace(model.trace_)
    >>> display.title
    'At p ≤ 1 the leaves −1.5 and 1.6 lose 3.7 under attack; −1 and 2, best if nobody attacks, lose 5'
    """

    path: str
    test: str
    surface: Surface
    optimum: LeafPair | None
    plain: LeafPair
    start: LeafPair | None
    run: tuple[LeafPair, ...]
    status: str
    segment: tuple[LeafPair, LeafPair] | None
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str | None = None,
        feature: Any = None,
        threshold: Any = None,
        *,
        slsqp: Trace | None = None,
        iterates: Sequence[tuple[float, float]] | None = None,
        start: tuple[float, float] | None = None,
        constrained: bool = True,
    ) -> LossSurfaceDisplay:
        """The surface of candidate (feature, threshold) at a step; of the chosen split if none is given.

        If nothing is given: the test at which the attacker decides for most rows, of all that the tree has or
        that a learner who knows of no attacker would have chosen.

        `slsqp`: a trace of the same problem recorded with solver="slsqp", whose run is shown; or give the
        points of a run as `iterates`. `start` marks a starting point if there is no run. `constrained=False`:
        as if nothing were forbidden.
        """
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
        if path is None and feature is None and threshold is None:
            path, feature, threshold = most_at_risk(trace)
        path = path or ""
        step = trace.at(path)
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
        return cls(path, _test_of(C, i), surface, best, plain, begin, run, status, segment, source)

    @property
    def frame(self) -> tuple[Span, Span]:
        """The ranges of both axes, equally long: around the best pairs; all of the labels and of what is
        allowed where something is forbidden or a run is shown.
        """
        points = [p for p in (self.optimum, self.plain, self.start, *self.run[-1:]) if p is not None]
        sides = [[p.y_l for p in points], [p.y_r for p in points]]
        wide = self.cut or self.start is not None or self.segment is not None
        if wide and self.surface.loss.binary:
            return (0.0, 1.0), (0.0, 1.0)
        if wide:
            marks = [*self.surface.span(), *sides[0], *sides[1]]
            room = 0.22 * ((max(marks) - min(marks)) or 1.0)
            span = min(marks) - room, max(marks) + room
            return span, span
        low, high = self.surface.span()
        long = min(max(2.8 * max(max(side) - min(side) for side in sides), 0.25 * (high - low), 1e-6), 1e9)
        spans = [((max(side) + min(side) - long) / 2, (max(side) + min(side) + long) / 2) for side in sides]
        if self.surface.loss.binary:
            long = min(long, 1.0)
            spans = [_moved_in(span, long) for span in spans]
        return spans[0], spans[1]

    @property
    def cut(self) -> bool:
        """Do constraints forbid anything?"""
        everything = ((self.surface.loss.low, self.surface.loss.high),)
        return not self.surface.allowed_l == self.surface.allowed_r == everything

    @property
    def moves(self) -> bool:
        """Is another pair best under attack than if nobody attacks?"""
        (low, high), _ = self.frame
        return self.optimum is not None and math.dist(self.plain[:2], self.optimum[:2]) >= 0.02 * (high - low)

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
                f"{_at(self.plain)} would be best if nobody attacked, but it is forbidden: {self._best(best)}"
            )
        if self.segment is not None:
            return f"At {self.test} {self._best(best)} under attack, with loss {number(best.loss)}"
        if self.plain.loss <= best.loss * (1 + 1e-9):
            return (
                f"At {self.test} the leaves that are best if nobody attacks, {_both(self.plain)}, stay best"
            )
        if math.isclose(best.y_l, best.y_r, rel_tol=1e-6):
            return (
                f"Under attack the split {self.test} is worth nothing: both leaves say "
                f"{number(_rounded(best.y_l))}"
            )
        usual = f"{_both(self.plain)}, best if nobody attacks, lose {number(self.plain.loss)}"
        return f"At {self.test} the leaves {_both(best)} lose {number(best.loss)} under attack; {usual}"

    def _best(self, best: LeafPair) -> str:
        """Which leaves are best: a pair, or all pairs on a segment."""
        if self.segment is None:
            return f"{_at(best)} is best"
        (a, c, _), (b, d, _) = self.segment
        sides = (("ŷₗ", a, b), ("ŷᵣ", c, d))
        free = next(f"{n} from {number(u)} to {number(v)}" for n, u, v in sides if v > u)
        kept = next(f"{n} = {number(_rounded(u))}" for n, u, v in sides if v <= u)
        return f"every pair with {kept} and {free} is best"

    def _run_title(self, best: LeafPair) -> str:
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
        what = {"sse": "squared error", "log": "log-loss"}[self.surface.loss.name]
        cut = " Hatched: forbidden by a constraint." if self.cut else ""
        return (
            f"Every point of the map is a pair of predictions; along a thin line the {what} under attack "
            f"stays the same.{cut}{self._decided()}"
        )

    def _decided(self) -> str:
        """For how many rows the attacker decides."""
        n = float(self.surface.unknown.w.sum())
        return f" The attacker decides for {number(n)} row{'s' * (n != 1)}." if n else ""

    @property
    def alt_text(self) -> str:
        s = self.surface
        sizes = ", ".join(
            f"{number(g.w.sum())} {n}"
            for g, n in ((s.left, "left"), (s.unknown, "up to the attacker"), (s.right, "right"))
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
            f"{self._allowed_text()}{self._run_text()}"
        )

    def _allowed_text(self) -> str:
        if not self.cut:
            return "No constraint forbids anything."
        sides = (("ŷₗ", self.surface.allowed_l), ("ŷᵣ", self.surface.allowed_r))
        return "Allowed: " + "; ".join(f"{n} in {_pieces(p)}" for n, p in sides) + "."

    def _run_text(self) -> str:
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


def _moved_in(span: Span, long: float) -> Span:
    """A range of this length within 0 to 1, near the given one."""
    low = min(max((span[0] + span[1] - long) / 2, 0.0), 1.0 - long)
    return low, low + long


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


def _test_of(C: Candidates, i: int) -> str:
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
    found = _candidates(slsqp.at(path))
    if found.iterates is None or found.status is None:
        raise ValueError("slsqp: expected a trace recorded with solver='slsqp', which has iterates")
    keys = list(zip(found.feature, found.threshold, strict=True))
    if (C.feature[i], C.threshold[i]) not in keys:
        raise ValueError(f"slsqp: this trace has no candidate {_test_of(C, i)} at {path or 'the root'!r}")
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


def _at(p: LeafPair) -> str:
    return f"({number(_rounded(p.y_l))}, {number(_rounded(p.y_r))})"


def _both(p: LeafPair) -> str:
    return f"{number(_rounded(p.y_l))} and {number(_rounded(p.y_r))}"


def _costs(p: LeafPair) -> str:
    return f"{_at(p)} costs {number(_rounded(p.loss))}"


def _rounded(x: float) -> float:
    """A solver's rounding is not worth showing."""
    return round(x, 6) if math.isfinite(x) else x


def _pieces(pieces: Sequence[tuple[float, float]]) -> str:
    return " or ".join(f"[{number(a)}, {number(b)}]" for a, b in pieces) or "nothing"


__all__ = ["LossSurfaceDisplay"]

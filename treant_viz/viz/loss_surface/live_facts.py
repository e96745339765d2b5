"""The loss surface as plain JSON for the browser: contours as lines, creases, what is forbidden, the best
pairs, and where runs of SLSQP end.

Contours and walks are in thousandths of the frame; all that is read as a number is exact.

>>> _thinned(np.array([[0.0, 0], [1, 0.1], [2, 0], [2, 5]]), 0.5).tolist()
[[0.0, 0.0], [2.0, 0.0], [2.0, 5.0]]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from contourpy import contour_generator

from treant_viz.core.losses import Pieces
from treant_viz.trace.records import Candidates
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import LOSSES, exact, exacts, shown
from treant_viz.viz.loss_surface.facts import LeafPair, Span, Surface, contour_levels, misses

Json = dict[str, Any]
GRID, PARTS = 96, 1000  # cells of the grid behind the contours; parts of the frame
EDGE = 0.004  # log-loss is infinite at 0 and 1


def surface_facts(trace: Trace, best: dict[str, int], span: Sequence[float]) -> Json:
    """What is the same for all tests: nodes and features. Tests, surfaces and runs come by `tests_at` and
    `table`."""
    names = [column.name for column in trace.schema.columns]
    steps = [trace.at(path) for path in best]
    return {
        "picture": "surface",
        "loss": LOSSES[trace.loss.name],
        "features": [shown(n) for n in names],
        "range": exacts(span),  # of starts: the least, the greatest, a step
        "nodes": {
            "path": list(best),
            "rows": [len(step.data) for step in steps],
            "constraints": [len(step.constraints) for step in steps],
            "best": list(best.values()),
        },
        "tests": {},
        "tables": {},
    }


def tests_at(trace: Trace, C: Candidates) -> Json:
    """All candidates of a step, in their order."""
    place = {column.name: i for i, column in enumerate(trace.schema.columns)}
    return {
        "feature": [place[f] for f in C.feature],
        "sign": ["=" if t == "==" else "≤" for t in C.test],
        "threshold": [v if isinstance(v, str) else exact(v) for v in C.threshold],
    }


def table(s: Surface, best: LeafPair | None, plain: LeafPair, span: Span, runs: Iterable[Any]) -> Json:
    """One surface; `span` is where SLSQP may start, `runs` are what it did from there."""
    frame, ends = _frame(s, best, plain, span), s.segment(best)
    return {
        "frame": exacts(frame),
        "contours": _contours(s, frame),
        "creases": [None if c is None else exact(c) for c in s.creases()],
        "allowed": [_open_ends(pieces) for pieces in (s.allowed_l, s.allowed_r)],
        "optimum": None if best is None else exacts(best),
        "segment": None if ends is None else [exacts(p) for p in ends],
        "plain": exacts(plain),
        "runs": run_columns(s, best, plain, span, runs),
    }


def run_columns(s: Surface, best: LeafPair | None, plain: LeafPair, span: Span, runs: Iterable[Any]) -> Json:
    """Runs of SLSQP as columns: from where, to where, what it said, and its walk.

    Where no pair of leaves is allowed, there is nothing to end at, and no run is told.
    """
    frame = _frame(s, best, plain, span)
    columns: dict[str, list[Any]] = {name: [] for name in RUN}
    least = math.inf if best is None else best.loss
    for r in runs if best is not None else ():
        start = s.point(*r.iterates[0])
        missed, walk = misses(least, r.loss), np.array(r.walk)
        told = (*start, r.y_l, r.y_r, r.loss, max(r.loss - least, 0.0) if missed else 0.0)
        for name, x in zip(RUN, (*map(exact, told), int(missed), r.status, _parts(walk, frame)), strict=True):
            columns[name].append(x)
    words = list(dict.fromkeys(columns["status"]))
    return columns | {"status": [words.index(w) for w in columns["status"]], "words": words}


RUN = ("start_l", "start_r", "start_loss", "y_l", "y_r", "loss", "difference", "stuck", "status", "walk")


def _frame(s: Surface, best: LeafPair | None, plain: LeafPair, span: Span) -> Span:
    """The range of both axes: all starts, and the best pairs."""
    if s.loss.binary:
        return s.loss.low, s.loss.high
    marks = [*span, *plain[:2], *(best[:2] if best else ())]
    room = 0.03 * (max(marks) - min(marks))
    return min(marks) - room, max(marks) + room


def _contours(s: Surface, frame: Span) -> Json:
    """For each level the pairs that lose no more: one convex region, as L^A is convex; its border as x, y,
    x, y."""
    edge = EDGE if s.loss.binary else 0.0
    grid = np.linspace(frame[0] + edge, frame[1] - edge, GRID)
    values = s.value(grid, grid[:, None])
    levels = contour_levels(values)[1:]
    below = contour_generator(grid, grid, values, fill_type="OuterCode")
    floor = float(values.min()) - 1.0
    borders = [below.filled(floor, float(level))[0] for level in levels]
    slack = 0.0012 * (frame[1] - frame[0])
    lines = [[_parts(_thinned(p, slack), frame) for p in parts if p is not None] for parts in borders]
    return {"level": exacts(levels), "line": lines}


def _thinned(line: np.ndarray, slack: float) -> np.ndarray:
    """The points of a line that are needed, but for a little slack (Ramer, Douglas, Peucker)."""
    if len(line) < 3:
        return line
    (dx, dy), (ax, ay) = line[-1] - line[0], (line - line[0]).T
    long = math.hypot(dx, dy)
    away = np.hypot(ax, ay) if long == 0 else np.abs(dx * ay - dy * ax) / long
    i = int(np.argmax(away))
    if away[i] <= slack:
        return line[[0, -1]]
    return np.concatenate([_thinned(line[: i + 1], slack)[:-1], _thinned(line[i:], slack)])


def _parts(points: np.ndarray, frame: Span) -> list[int]:
    low, high = frame
    return np.round((points - low) / (high - low) * PARTS).astype(int).ravel().tolist()


def _open_ends(pieces: Pieces) -> list[Sequence[float | None]]:
    """Intervals; an end that is open to infinity is null."""
    return [exacts(piece) for piece in pieces]


__all__ = ["run_columns", "surface_facts", "table", "tests_at"]

"""A tree whose leaves may all say what they like: no test of it can be crossed, and one that could be."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.patches import Rectangle

from treant_viz.trace.trace import Trace
from treant_viz.viz.style.pen import BODY, HEAD, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.split_test import most_at_risk
from treant_viz.viz.style.text import counted, predicate
from treant_viz.viz.style.typeface import width

MOST, LINE, WIDTH = 7, 34.0, 905.0  # tests that are named; height of a line


class Crossable(NamedTuple):
    """A test: how many of the rows that come to it the attacker can push across."""

    words: str
    pushed: int
    rows: int


def tests_of(trace: Trace, paths: list[str]) -> tuple[Crossable, ...]:
    """The tests of a tree, as they were counted when it grew; the first ones first."""
    steps = [s for p in sorted(paths, key=lambda p: (len(p), p)) if (s := trace.at(p)).split is not None]
    return tuple(
        Crossable(
            predicate(s.split.feature, s.split.threshold, s.split.stump.test == "=="),
            len(s.split.partition.unknown),
            len(s.data),
        )
        for s in steps
        if s.split is not None
    )


def risky(trace: Trace) -> Crossable | None:
    """A test at which the attacker would decide for rows; none if there is no such test."""
    path, feature, threshold = most_at_risk(trace)
    step = trace.at(path)
    s, c = step.split, step.candidates
    if feature is None or c is None:
        return None
    categorical = "==" in {t for f, t in zip(c.feature, c.test, strict=True) if f == feature}
    words = predicate(feature, threshold, categorical)
    if s is not None and (s.feature, s.threshold) == (feature, threshold):
        return Crossable(words, len(s.partition.unknown), len(step.data))
    found = (int(n) for f, v, n in zip(c.feature, c.threshold, c.unknown, strict=True)
             if f == feature and v == threshold)  # fmt: skip
    return Crossable(words, next(found, 0), len(step.data))


def draw_free(tests: tuple[Crossable, ...], example: Crossable | None, pen: Pen, target: Target) -> None:
    """A bar for each test, as long as its rows; hatched are those that can be pushed across."""
    shown = tests[: MOST if len(tests) > MOST + 1 else len(tests)]
    lines = len(shown) + (len(tests) > len(shown)) + (2.6 if example and example.pushed else 0.0) + 1.4
    paper = sheet(target, pen, WIDTH, LINE * lines + 12.0, most=1.25)
    p, every = pen.palette, [*shown, *([example] if example else [])]
    left = max(width(t.words, BODY, bold=True) for t in every) + 44.0 if every else 44.0
    unit = (paper.width - left - 230.0) / max([1, *(t.rows for t in every)])
    y = paper.height - 24.0
    paper.text(22.0, y, "Tests of this tree", "column head", size=HEAD, bold=True)
    paper.text(left, y, "rows that come to the test; the attacker can push none of them across",
               "column head", size=BODY, color=p.soft)  # fmt: skip
    for t in shown:
        y -= LINE
        _bar(paper, t, left, y, unit)
    if len(tests) > len(shown):
        y -= LINE
        more = counted(len(tests) - len(shown), "more test")
        paper.text(34.0, y, f"… {more}, no row can be pushed across", "more tests", size=BODY, color=p.soft)
    if example is not None and example.pushed:
        y -= 1.6 * LINE
        paper.text(22.0, y, "A test where rows can be pushed", "column head", size=HEAD, bold=True)
        _bar(paper, example, left, y - LINE, unit)


def _bar(paper: Sheet, t: Crossable, left: float, y: float, unit: float) -> None:
    p, tall = paper.pen.palette, 15.0
    paper.text(34.0, y, t.words, "test words", size=BODY, bold=bool(t.pushed))
    for role, x, rows, look in (
        ("rows at home", 0, t.rows - t.pushed, {"facecolor": p.faint, "edgecolor": "none"}),
        ("rows pushed", t.rows - t.pushed, t.pushed, paper.pen.fill("unknown")),
    ):
        if rows:
            more: dict[str, Any] = look | {"zorder": 3}
            bar = Rectangle((left + unit * x, y - 2.5), unit * rows, tall, **more)
            paper.pen.patch(paper.ax, bar, role)
    words = f"{t.pushed:,} of {t.rows:,} can be pushed" if t.pushed else f"0 of {t.rows:,}"
    color = p.words("unknown") if t.pushed else p.soft
    paper.text(
        left + unit * t.rows + 10.0, y, words, "rows words", size=BODY, color=color, bold=bool(t.pushed)
    )


__all__ = ["Crossable", "draw_free", "risky", "tests_of"]

"""A tree whose leaves may all say what they like: no test of it can be crossed, and one that could be."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.patches import Rectangle

from treant_viz.trace.trace import Trace
from treant_viz.viz.style.pen import BODY, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.text import predicate
from treant_viz.viz.style.typeface import width, wrapped
from treant_viz.viz.ternary_partition.which_test import most_at_risk

MOST, WIDTH, EDGE = 6, 880.0, 22.0  # tests that are drawn; least width; margins


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


def draw_unbound(tests: tuple[Crossable, ...], example: Crossable | None, pen: Pen, target: Target) -> None:
    """A bar for each test, as long as its rows are many; at the foot one that could be crossed, and what a
    constraint is for.
    """
    seen = [example] if example is not None and example.pushed and example not in tests else []
    shown = tests[:MOST]
    lines = len(shown) + len(seen) + 1
    paper = sheet(target, pen, WIDTH, 34.0 * lines + 130.0, most=1.25)
    left = EDGE + max(width(t.words, BODY, bold=True) for t in (*shown, *seen)) + 18.0
    unit = (paper.width - left - EDGE - 240.0) / max(t.rows for t in (*shown, *seen))
    step = min(46.0, (paper.height - 120.0) / lines)
    y = paper.height - 0.7 * step
    for t in shown:
        _bar(paper, t, (left, y), unit, 0.55 * step)
        y -= step
    if more := len(tests) - len(shown):
        crossed = sum(t.pushed > 0 for t in tests[MOST:])
        words = f"and {more} more" + f", {crossed} of them crossed" * bool(crossed)
        paper.text(EDGE, y, words, "more tests", color=pen.palette.soft, va="center")
    y -= 0.9 * step
    for t in seen:
        paper.text(EDGE, y, "a test that the tree avoids:", "example", color=pen.palette.soft, va="center")
        y -= 0.8 * step
        _bar(paper, t, (left, y), unit, 0.55 * step)
    for k, line in enumerate(wrapped(_purpose(*seen), paper.width - 2 * EDGE, BODY)):
        paper.text(EDGE, 34.0 - 21.0 * k, line, "purpose", size=BODY)


def _purpose(seen: Crossable | None = None) -> str:
    """What a constraint is."""
    who = f"each of these {seen.pushed:,} rows" if seen else "each row that can be pushed across a test"
    return (
        f"A constraint is a promise about {who}: below the test, no leaf may say anything that would make "
        "the attacker send the row to another side than the split has planned for."
    )


def _bar(paper: Sheet, t: Crossable, corner: tuple[float, float], unit: float, tall: float) -> None:
    """All rows that come to a test, to scale; hatched are those that can be pushed across."""
    p, (left, y), stay = paper.pen.palette, corner, t.rows - t.pushed
    paper.text(EDGE, y, t.words, "test words", bold=True, va="center")
    for role, x, rows, fill in (
        ("rows at home", 0, stay, {"facecolor": p.faint, "edgecolor": "none"}),
        ("rows pushed", stay, t.pushed, paper.pen.fill("unknown")),
    ):
        if rows:
            more: dict[str, Any] = fill | {"zorder": 3}
            box = Rectangle((left + unit * x, y - tall / 2), unit * rows, tall, **more)
            paper.pen.patch(paper.ax, box, role)
    phrase = f"{f'{t.pushed:,}' if t.pushed else 'none'} of {t.rows:,} can be pushed across"
    look: dict[str, Any] = {"color": p.words("unknown") if t.pushed else p.soft, "va": "center"}
    paper.text(left + unit * t.rows + 10.0, y, phrase, "rows words", bold=t.pushed > 0, **look)


__all__ = ["Crossable", "draw_unbound", "risky", "tests_of"]

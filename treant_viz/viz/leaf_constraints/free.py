"""A tree whose leaves may all say what they like: no test of it can be crossed, and one that could be."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.patches import Rectangle

from treant_viz.trace.trace import Trace
from treant_viz.viz.style.pen import BODY, HEAD, Pen, Target
from treant_viz.viz.style.sheet import Sheet, sheet
from treant_viz.viz.style.split_test import most_at_risk
from treant_viz.viz.style.text import predicate
from treant_viz.viz.style.typeface import width, wrapped

MOST, WIDTH, EDGE, TALL = 5, 880.0, 22.0, 56.0  # tests that are named; margins; the height of the bar


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
    """The tests in one line; large, one where rows can be pushed; below, what a constraint would be for."""
    seen = example if example is not None and example.pushed else None
    paper = sheet(target, pen, WIDTH, 300.0 if seen else 150.0, most=1.25)
    wide, soft = paper.width - 2 * EDGE, pen.palette.soft
    y = paper.height - 30.0 if seen else paper.height / 2 + 60.0
    paper.text(EDGE, y, _verdict(tests), "verdict", size=HEAD, bold=True)
    names = ", ".join(t.words for t in tests[:MOST])
    names += f" and {len(tests) - MOST} more" * (len(tests) > MOST)
    paper.text(EDGE, y - 24.0, wrapped(names, wide, BODY)[0], "test words", size=BODY, color=soft)
    if seen is not None:
        said = f"The split {seen.words} would be different:"
        paper.text(EDGE, y - 84.0, said, "example", size=HEAD, bold=True)
        _bar(paper, seen, (EDGE, y - 164.0), wide)
        y -= 182.0
    for k, line in enumerate(wrapped(_purpose(seen), wide, BODY)):
        paper.text(EDGE, y - 62.0 - 22.0 * k, line, "purpose", size=BODY)


def _verdict(tests: tuple[Crossable, ...]) -> str:
    crossed = sum(t.pushed > 0 for t in tests)
    if len(tests) == 1:
        return f"The only test {'can' if crossed else 'cannot'} be crossed:"
    return f"{crossed or 'None'} of the {len(tests)} tests can be crossed:"


def _purpose(seen: Crossable | None) -> str:
    """What a constraint is."""
    who = f"each of these {seen.pushed:,} rows" if seen else "each row that can be pushed across a test"
    return (
        f"A constraint is a promise about {who}: below the test, no leaf may say anything that would make "
        "the attacker send the row to another side than the split has planned for."
    )


def _bar(paper: Sheet, t: Crossable, corner: tuple[float, float], wide: float) -> None:
    """All rows that come to a test, to scale; hatched are those that can be pushed across."""
    p, (left, y), unit = paper.pen.palette, corner, wide / t.rows
    stay = t.rows - t.pushed
    for role, x, rows, look in (
        ("rows at home", 0, stay, {"facecolor": p.faint, "edgecolor": "none"}),
        ("rows pushed", stay, t.pushed, paper.pen.fill("unknown")),
    ):
        if rows:
            more: dict[str, Any] = look | {"zorder": 3}
            paper.pen.patch(paper.ax, Rectangle((left + unit * x, y), unit * rows, TALL, **more), role)
    under: dict[str, Any] = {"size": HEAD, "va": "top"}
    said = f"{t.pushed:,} of {t.rows:,} rows can be pushed across"
    paper.text(left + wide, y - 8.0, said, "rows words", bold=True, color=p.words("unknown"), ha="right",
               **under)  # fmt: skip
    if stay and width(f"{stay:,} stay", HEAD) + width(said, HEAD, bold=True) + 30.0 < wide:
        paper.text(left, y - 8.0, f"{stay:,} stay", "stay words", color=p.soft, **under)


__all__ = ["Crossable", "draw_free", "risky", "tests_of"]

"""Which test a picture of a step is about: the one with most at risk, the best of a feature, or any named."""

from __future__ import annotations

from typing import Any, NamedTuple

from treant_viz.trace.records import Candidates, Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.split_search.facts import LossLine, choices_of, recorded_line
from treant_viz.viz.style.text import counted, predicate
from treant_viz.viz.ternary_partition.facts import NodeRows, threshold_in


class SplitTest(NamedTuple):
    """A test of a step: the rows before it, v as the user knows it and as a number, what the search saw of
    its feature.

    `leaves` are the best ones under attack, if the test was a candidate; `elsewhere` is a sentence that
    points to a test where the attacker has a say; `unaware`: the tree has another test, this is what a
    learner that knows of no attacker would have chosen.
    """

    path: str
    rows: NodeRows
    threshold: Any
    v: float | int
    line: LossLine | None
    leaves: tuple[float, float] | None
    elsewhere: str = ""
    unaware: bool = False

    @classmethod
    def of(
        cls, trace: Trace, path: str | None = None, feature: Any = None, threshold: Any = None
    ) -> SplitTest:
        """By default the chosen test; the best one of `feature` if no threshold is given.

        If nothing at all is given: the test that is most at risk in the whole trace.
        """
        if path is None and feature is None and threshold is None:
            path, feature, threshold = most_at_risk(trace)
        path = path or ""
        step = trace.at(path)
        if feature is None and step.split is not None:
            feature = step.split.feature
            threshold = step.split.threshold if threshold is None else threshold
        if feature is None:
            raise ValueError(
                f"path {path!r}: there is no split to draw ({step.reason}); give feature and threshold"
            )
        rows, c = NodeRows.at(trace, path, feature), step.candidates
        name, line = rows.column.name, None if c is None else recorded_line(c, rows.column.name)
        threshold, v = threshold_in(rows, _best(line, rows) if threshold is None else threshold)
        i, found = _unaware(step), _leaves(c, name, threshold)
        unaware = c is not None and i is not None and (c.feature[i], c.threshold[i]) == (name, threshold)
        return cls(path, rows, threshold, v, line, found, _elsewhere(trace, path), unaware)

    def robust_leaves(self) -> tuple[float, float]:
        """The best leaves under attack, or an error if the trace does not have them."""
        if self.leaves is None:
            raise ValueError(
                f"threshold: {self.threshold!r} was no candidate of {self.rows.column.name!r} in this "
                "step, so the trace has no robust leaves for it; give y_l and y_r, another threshold, "
                "or another mode"
            )
        return self.leaves


def most_at_risk(trace: Trace) -> tuple[str, Any, Any]:
    """Of all tests that either learner would choose at a node, the one at which the attacker decides for most
    rows: path, feature and threshold. The root's own if the attacker decides for nobody.
    """
    found: list[tuple[int, str, Any, Any]] = [(0, "", None, None)]
    for step in trace.steps:
        s, c = step.split, step.candidates
        if s is not None and step.taken:
            found.append((len(s.partition.unknown), step.path, s.feature, s.threshold))
        if c is not None and (i := _unaware(step)) is not None:
            found.append((int(c.unknown[i]), step.path, c.feature[i], c.threshold[i]))
    return max(found, key=lambda test: test[0])[1:]


def _unaware(step: Step) -> int | None:
    """The candidate that a learner who knows of no attacker would choose, if the tree has another test."""
    c, s = step.candidates, step.split
    if c is None or not len(c):
        return None
    i = choices_of(c)[0]
    return i if s is None or (s.feature, s.threshold) != (c.feature[i], c.threshold[i]) else None


def _elsewhere(trace: Trace, path: str) -> str:
    """The test of this step, or else the node, where most rows are the attacker's."""
    c = trace.at(path).candidates
    if c is not None and len(c) and c.unknown.max() > 0:
        i = int(c.unknown.argmax())
        test = predicate(c.feature[i], c.threshold[i], c.test[i] == "==")
        return f"At {test} the attacker would decide for {counted(int(c.unknown[i]), 'row')}."
    other, feature, threshold = most_at_risk(trace)
    if feature is None:
        return ""
    rows = NodeRows.at(trace, other, feature)
    n = int((rows.part(threshold_in(rows, threshold)[1]).side == 1).sum())
    where = f"path {other!r}" if other else "the root"
    return f"At {where} the attacker decides for {counted(n, 'row')}."


def _best(line: LossLine | None, rows: NodeRows) -> Any:
    if line is None or not line.admissible.any():
        raise ValueError(f"threshold: the step has no candidate on {rows.column.name!r}; give a threshold")
    return line.thresholds[line.best]


def _leaves(c: Candidates | None, feature: Any, threshold: Any) -> tuple[float, float] | None:
    """The best leaves under attack of a candidate, if the test was one."""
    tests = () if c is None else zip(c.feature, c.threshold, c.y_l, c.y_r, strict=True)
    return next(((float(a), float(b)) for f, v, a, b in tests if f == feature and v == threshold), None)


__all__ = ["SplitTest", "most_at_risk"]

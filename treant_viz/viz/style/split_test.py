"""Which test a picture of a step is about: the chosen one, the best of a feature, or any that is named."""

from __future__ import annotations

from typing import Any, NamedTuple

from treant_viz.trace.records import Candidates
from treant_viz.trace.trace import Trace
from treant_viz.viz.split_search.facts import LossLine, recorded_line
from treant_viz.viz.style.text import counted, predicate
from treant_viz.viz.ternary_partition.facts import Rows, threshold_in


class SplitTest(NamedTuple):
    """A test of a step: the rows before it, v as the user knows it and as a number, what the search saw of
    its feature.

    `leaves` are the best ones under attack, if the test was a candidate; `elsewhere` is a sentence that
    points to a test at which the attacker decides some rows.
    """

    rows: Rows
    threshold: Any
    v: float | int
    line: LossLine | None
    leaves: tuple[float, float] | None
    elsewhere: str = ""

    @classmethod
    def of(cls, trace: Trace, path: str, feature: Any = None, threshold: Any = None) -> SplitTest:
        """By default the chosen test; the best one of `feature` if no threshold is given."""
        step = trace.at(path)
        if feature is None and step.split is not None:
            feature = step.split.feature
            threshold = step.split.threshold if threshold is None else threshold
        if feature is None:
            raise ValueError(
                f"path {path!r}: there is no split to draw ({step.reason}); give feature and threshold"
            )
        rows, c = Rows.at(trace, path, feature), step.candidates
        line = None if c is None else recorded_line(c, rows.column.name)
        threshold, v = threshold_in(rows, _best(line, rows) if threshold is None else threshold)
        leaves = _leaves(c, rows.column.name, threshold)
        return cls(rows, threshold, v, line, leaves, _elsewhere(trace, path))

    def robust_leaves(self) -> tuple[float, float]:
        """The best leaves under attack, or an error if the trace does not have them."""
        if self.leaves is None:
            raise ValueError(
                f"threshold: {self.threshold!r} was no candidate of {self.rows.column.name!r} in this "
                "step, so the trace has no robust leaves for it; give y_l and y_r, another threshold, "
                "or another mode"
            )
        return self.leaves


def most_unknown(trace: Trace) -> str:
    """The node whose test leaves the attacker most rows to decide for; the root if there is none."""
    found = {s.path: len(s.split.partition.unknown) for s in trace.steps if s.split is not None and s.taken}
    return max(found, key=lambda path: found[path], default="") if any(found.values()) else ""


def _elsewhere(trace: Trace, path: str) -> str:
    """The test of this step, or else the node, where most rows are the attacker's."""
    c, other = trace.at(path).candidates, most_unknown(trace)
    if c is not None and len(c) and c.unknown.max() > 0:
        i = int(c.unknown.argmax())
        test = predicate(c.feature[i], c.threshold[i], c.test[i] == "==")
        return f"At {test} the attacker would decide for {counted(int(c.unknown[i]), 'row')}."
    split = trace.at(other).split
    if split is None or not len(split.partition.unknown):
        return ""
    where, n = f"path {other!r}" if other else "the root", len(split.partition.unknown)
    return f"At {where} the attacker decides for {counted(n, 'row')}."


def _best(line: LossLine | None, rows: Rows) -> Any:
    if line is None or not line.admissible.any():
        raise ValueError(f"threshold: the step has no candidate on {rows.column.name!r}; give a threshold")
    return line.thresholds[line.best]


def _leaves(c: Candidates | None, feature: Any, threshold: Any) -> tuple[float, float] | None:
    """The best leaves under attack of a candidate, if the test was one."""
    tests = () if c is None else zip(c.feature, c.threshold, c.y_l, c.y_r, strict=True)
    return next(((float(a), float(b)) for f, v, a, b in tests if f == feature and v == threshold), None)


__all__ = ["SplitTest", "most_unknown"]

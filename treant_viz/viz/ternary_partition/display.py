"""Ternary partitioning: which rows the attacker owns at a test, because it can take them across the line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.split_search.facts import (
    LossLine,
    LossSteps,
    robust_steps,
    standard_line,
    standard_steps,
)
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.split_test import SplitTest, most_unknown
from treant_viz.viz.style.text import counted, feature_name, names, number, predicate, value
from treant_viz.viz.ternary_partition.facts import (
    LOSSES,
    Intervals,
    Part,
    Rows,
    losses,
    standard_leaves,
    threshold_in,
)

Axis = Literal["auto", "linear", "even"]


class AtLine(NamedTuple):
    """What a learner finds at the test: the loss of its leaves."""

    loss: float
    leaves: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TernaryPartitionDisplay(Display):
    """Rows along a feature, what the attacker can make of each, and the test: only what crosses the line is
    unknown.

    `side` is 0 left, 1 unknown, 2 right; `loss` is each row's loss under attack of the stump with leaves
    `y_l` and `y_r`. `shown` are the places of the rows in the order of their values, `whiskers` what they
    reach. `steps` are L and Lᴬ over the threshold, `plain` the standard leaves at this one if nobody attacks.
    """

    feature: str | int
    threshold: Any
    categories: tuple[Any, ...] | None
    rows: np.ndarray
    value: np.ndarray
    y: np.ndarray
    side: np.ndarray
    loss: np.ndarray
    y_l: float
    y_r: float
    leaves: Literal["robust", "standard"]
    plain: AtLine
    budget: float
    rules: tuple[Rule, ...]
    shown: tuple[int, ...]
    whiskers: tuple[Intervals, ...]
    line: LossLine | None
    steps: LossSteps | None
    axis: Axis
    measure: str
    elsewhere: str
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str | None = None,
        feature: Any = None,
        threshold: Any = None,
        *,
        axis: Axis = "auto",
    ) -> TernaryPartitionDisplay:
        """The rows of a step under a test: by default the chosen one, or the best of `feature`.

        If nothing is asked for, the step is the one where most rows are unknown; else it is the root. What
        was spent to bring a row here is not left to spend. The leaves are the robust ones of the trace if the
        test was a candidate there, else the means of both sides. `axis="even"` gives all values the same
        room, "auto" does so where they are very uneven.
        """
        if path is None:
            path = most_unknown(trace) if feature is None and threshold is None else ""
        test = SplitTest.of(trace, path, feature, threshold)
        steps, line = None, test.line
        if not test.rows.column.categorical:
            robust = line is not None and test.leaves is not None
            steps = (
                robust_steps(test.rows, line, trace.at(path))
                if robust and line
                else standard_steps(test.rows)
            )
        elsewhere = _elsewhere(test.rows, test.v, steps) or test.elsewhere
        made = cls._made(
            test.rows,
            test.threshold,
            test.v,
            test.leaves,
            trace.attacker.budget,
            line,
            steps,
            axis,
            elsewhere,
        )
        return replace(made, source={"trace": trace, "path": path})

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        attacker: Attacker,
        feature: Any,
        threshold: Any,
        loss: str = "sse",
        *,
        axis: Axis = "auto",
    ) -> TernaryPartitionDisplay:
        """Data before anything is spent; leaves, L and Lᴬ are those of standard stumps (means of sides)."""
        rows = Rows.of(X, y, attacker, feature, loss)
        threshold, v = threshold_in(rows, threshold)
        steps = None if rows.column.categorical else standard_steps(rows)
        line, elsewhere = standard_line(rows, v), _elsewhere(rows, v, steps)
        made = cls._made(rows, threshold, v, None, attacker.budget, line, steps, axis, elsewhere)
        return replace(made, source={"X": X, "y": y, "attacker": attacker, "loss": loss})

    @classmethod
    def _made(
        cls,
        rows: Rows,
        threshold: Any,
        v: Any,
        robust: tuple[float, float] | None,
        budget: float,
        line: LossLine | None,
        steps: LossSteps | None,
        axis: Axis,
        elsewhere: str,
    ) -> TernaryPartitionDisplay:
        if axis not in get_args(Axis):
            raise ValueError(f"axis: expected 'auto', 'linear' or 'even', got {axis!r}")
        part: Part = rows.part(v)
        p_l, p_r = (float(p) for p in standard_leaves(rows, part.unattacked))
        plain = AtLine(float(losses(rows, part, p_l, p_r)[0].sum()), (p_l, p_r))
        y_l, y_r = robust or (p_l, p_r)
        worst = losses(rows, part, y_l, y_r)[1]
        categorical = rows.column.categorical
        shown = () if categorical else tuple(np.lexsort((rows.rows, rows.value)).tolist())
        pieces = rows.pieces(whole=len(rows) <= 50) if shown else []
        return cls(
            rows.column.name,
            threshold,
            rows.column.categories,
            frozen_array(rows.rows),
            frozen_array(rows.value),
            frozen_array(rows.y),
            frozen_array(part.side),
            frozen_array(worst),
            y_l,
            y_r,
            "standard" if robust is None else "robust",
            plain,
            budget,
            rows.rules,
            shown,
            tuple(pieces[i] for i in shown),
            line,
            steps,
            axis,
            LOSSES[rows.loss.name],
            elsewhere,
        )

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many rows are left, unknown, right."""
        left, unknown, right = np.bincount(self.side, minlength=3).tolist()
        return left, unknown, right

    @property
    def sums(self) -> tuple[float, float, float]:
        """The losses under attack of the rows that are left, unknown, right."""
        left, unknown, right = (float(self.loss[self.side == s].sum()) for s in range(3))
        return left, unknown, right

    @property
    def attacked(self) -> AtLine:
        """What the leaves of the picture lose under attack."""
        return AtLine(sum(self.sums), (self.y_l, self.y_r))

    @property
    def test(self) -> str:
        """The test in words."""
        return predicate(self.feature, self.threshold, self.categories is not None)

    @property
    def title(self) -> str:
        n, all_ = self.counts[1], len(self.rows)
        if n == 1 and all_ > 1:
            return f"The attacker decides for x{int(self.rows[self.side == 1][0])} alone"
        if n:
            who = f"all {counted(n, 'row')}" if n == all_ else f"{n:,} of {counted(all_, 'row')}"
            return f"The attacker decides for {who}"
        if not self.rules:
            why = f"No rule changes {feature_name(self.feature)}"
        elif self.categories is None:
            why = "No whisker crosses the line" if self._moves else "With this budget nothing moves"
        else:
            why = "No row can change its side"
        return f"{why}: the attacker decides for nobody"

    @property
    def _moves(self) -> bool:
        return any(len(found) > 1 or found[0][0] < found[0][1] for found in self.whiskers if found)

    @property
    def subtitle(self) -> str:
        if self.categories is None:
            how = (
                "A whisker is all that the budget can make of a row; "
                "only whiskers that cross the line are the attacker’s."
            )
        else:
            how = (
                "An arrow is a rule, with its cost. "
                "What can be brought to the other side of the line is the attacker’s."
            )
        return how if self.counts[1] or not self.elsewhere else f"{how} {self.elsewhere}"

    @property
    def alt_text(self) -> str:
        left, unknown, right = self.counts
        what = "the categories" if self.categories is not None else "the values"
        words = (
            f"{counted(len(self.rows), 'row')} by {feature_name(self.feature)}, with {what} "
            "that an attacker with "
            f"budget {number(self.budget)} can give them. "
            f"The test {self.test} leaves {left:,} surely left (L), "
            f"{unknown:,} unknown (U) and {right:,} surely right (R). "
            f"With the {self.leaves} leaves {number(self.y_l)} "
            f"and {number(self.y_r)} their losses under attack are {', '.join(map(number, self.sums))}: "
            f"in all Lᴬ = {number(self.attacked.loss)}."
        )
        if not unknown and self.elsewhere:
            words = f"{words} {self.elsewhere}"
        return words if self.line is None or not len(self.line) else f"{words} {_line_in_words(self.line)}"

    @property
    def summary(self) -> str:
        groups = zip(("left", "unknown", "right"), self.counts, self.sums, strict=True)
        lines = [f"{side}: {counted(n, 'row')}, loss {number(s)}" for side, n, s in groups]
        found = (
            f"{self.leaves} leaves {number(self.y_l)} and {number(self.y_r)}; "
            f"Lᴬ = {number(self.attacked.loss)}"
        )
        return "\n".join([self.title, f"test: {self.test}", *lines, found, *_line_lines(self.line)])

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.ternary_partition.draw import draw_partition

        draw_partition(self, pen, target)


def _elsewhere(rows: Rows, v: Any, steps: LossSteps | None) -> str:
    """The threshold of the same feature at which most rows are the attacker's, if it is not this one."""
    if steps is not None:
        k = int(np.argmax(steps.unknown))
        n, where = int(steps.unknown[k]), float(steps.at[k])
        t: Any = where
    else:
        sizes = [int((rows.part(k).side == 1).sum()) for k in range(len(rows.categories))]
        k = int(np.argmax(sizes))
        n, where, t = sizes[k], float(k), rows.categories[k]
    if not n or where == v:
        return ""
    test = predicate(rows.column.name, t, rows.column.categorical)
    return f"At {test} the attacker would decide for {n:,} of {counted(len(rows), 'row')}."


def _line_in_words(line: LossLine) -> str:
    k, j = line.best, line.standard
    return (
        f"Of {counted(len(line), 'threshold')}, "
        f"the least L is {number(line.plain[j])} at {_value(line, j)} and the "
        f"least Lᴬ is {number(line.attacked[k])} at {_value(line, k)}."
    )


def _value(line: LossLine, i: int) -> str:
    return names(line.thresholds, 24)[line.thresholds[i]] if line.categorical else value(line.thresholds[i])


def _line_lines(line: LossLine | None) -> list[str]:
    if line is None or not len(line):
        return []
    if len(line) > 12:
        return [_line_in_words(line)]
    pairs = zip(line.plain, line.attacked, strict=True)
    return [f"{line.predicate(i)}: L = {number(a)}, Lᴬ = {number(b)}" for i, (a, b) in enumerate(pairs)]


__all__ = ["AtLine", "TernaryPartitionDisplay"]

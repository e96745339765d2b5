"""Ternary partitioning: which rows the attacker owns at a test, because it can take them across the line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.split_search.facts import (
    LossLine,
    LossSteps,
    robust_steps,
    standard_line,
    standard_steps,
)
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import adding, counted, feature_name, number, predicate
from treant_viz.viz.ternary_partition.facts import (
    Intervals,
    NodeRows,
    Part,
    losses,
    standard_leaves,
    threshold_in,
    worse_left,
)
from treant_viz.viz.ternary_partition.which_test import SplitTest
from treant_viz.viz.ternary_partition.words import elsewhere_on, line_in_words, line_lines, rules_in_words

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
    `y_l` and `y_r`, `pushed` who is taken to the other side for it. `shown` are the places of the rows in the
    order of their values, `whiskers` what they reach. `steps` are L and Lᴬ over the threshold, `plain` the
    standard leaves at this one if nobody attacks; `unaware`: only a learner who knows of no attacker would
    choose this test.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.TernaryPartitionDisplay.from_trace(model.trace_)
    >>> display.title
    'At p ≤ 1 the attacker decides for x2 alone'
    """

    feature: str | int
    threshold: Any
    categories: tuple[Any, ...] | None
    rows: np.ndarray
    value: np.ndarray
    y: np.ndarray
    side: np.ndarray
    loss: np.ndarray
    pushed: np.ndarray
    y_l: float
    y_r: float
    leaves: Literal["robust", "standard"]
    plain: AtLine
    budget: float
    rules: tuple[Rule, ...]
    shown: tuple[int, ...]
    whiskers: tuple[Intervals, ...]
    measure: str
    line: LossLine | None = None
    steps: LossSteps | None = None
    axis: Axis = "auto"
    elsewhere: str = ""
    unaware: bool = False
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

        If nothing is asked for, it is the test at which the attacker decides for most rows, of all that the
        tree has or that a learner who knows of no attacker would have chosen. What was spent to bring a row
        here is not left to spend. The leaves are the robust ones of the trace if the test was a candidate
        there, else the means of both sides. `axis="even"` gives all values the same room, "auto" does so
        where they are very uneven.
        """
        test = SplitTest.of(trace, path, feature, threshold)
        steps, line = None, test.line
        if not test.rows.column.categorical:
            robust = line is not None and test.leaves is not None
            steps = (
                robust_steps(test.rows, line, trace.at(test.path))
                if robust and line
                else standard_steps(test.rows)
            )
        return replace(
            cls._made(test.rows, test.threshold, test.v, test.leaves, trace.attacker.budget),
            line=line,
            steps=steps,
            axis=_axis(axis),
            elsewhere=elsewhere_on(test.rows, test.v, steps) or test.elsewhere,
            unaware=test.unaware,
            source={"trace": trace, "path": test.path},
        )

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
        rows = NodeRows.of(X, y, attacker, feature, loss)
        threshold, v = threshold_in(rows, threshold)
        steps = None if rows.column.categorical else standard_steps(rows)
        return replace(
            cls._made(rows, threshold, v, None, attacker.budget),
            line=standard_line(rows, v),
            steps=steps,
            axis=_axis(axis),
            elsewhere=elsewhere_on(rows, v, steps),
            source={"X": X, "y": y, "attacker": attacker, "loss": loss},
        )

    @classmethod
    def _made(
        cls,
        rows: NodeRows,
        threshold: Any,
        v: Any,
        robust: tuple[float, float] | None,
        budget: float,
    ) -> TernaryPartitionDisplay:
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
            frozen_array(worse_left(rows, part, y_l, y_r) != part.unattacked),
            y_l,
            y_r,
            "standard" if robust is None else "robust",
            plain,
            budget,
            rows.rules,
            shown,
            tuple(pieces[i] for i in shown),
            LOSSES[rows.loss.name],
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
    def worthless(self) -> bool:
        """Are the best leaves under attack equal, so that the test tells nothing?"""
        return self.leaves == "robust" and math.isclose(self.y_l, self.y_r, rel_tol=1e-9)

    @property
    def test(self) -> str:
        """The test in words."""
        return predicate(self.feature, self.threshold, self.categories is not None)

    @property
    def title(self) -> str:
        n, all_ = self.counts[1], len(self.rows)
        if not n:
            return f"{self._why_none()}: the attacker decides for nobody"
        if n == 1 and all_ > 1:
            who = f"x{int(self.rows[self.side == 1][0])} alone"
        else:
            who = f"all {counted(n, 'row')}" if n == all_ else f"{n:,} of {counted(all_, 'row')}"
        if self.unaware:
            return f"A learner unaware of the attacker asks {self.test}, and the attacker decides for {who}"
        return f"At {self.test} the attacker decides for {who}"

    def _why_none(self) -> str:
        if not self.rules:
            return f"No rule changes {feature_name(self.feature)}"
        if self.categories is not None:
            return "No row can change its side"
        return "No bar crosses the line" if self._moves else "With this budget nothing moves"

    @property
    def _moves(self) -> bool:
        return any(len(found) > 1 or found[0][0] < found[0][1] for found in self.whiskers if found)

    @property
    def subtitle(self) -> str:
        budget = number(self.budget)
        if not self.rules:
            words = f"The attacker may spend {budget}, but not on {feature_name(self.feature)}."
        elif self.categories is not None:
            words = f"An arrow is a change that a budget of {budget} can buy, the coin its price."
        elif self._moves:
            words = f"A bar shows how far the attacker can move a row for {budget}. "
            words += rules_in_words(self.rules)
        else:
            words = f"The attacker may spend {budget}, for which {feature_name(self.feature)} stays as it is."
        if self.categories is None and self.stretched:
            words += " The axis is stretched: each value gets the same room."
        return words if self.counts[1] or not self.elsewhere else f"{words} {self.elsewhere}"

    @property
    def stretched(self) -> bool:
        """Does each value get the same room on the axis?"""
        from treant_viz.viz.ternary_partition.scale import scale_of

        return scale_of(self).knots is not None

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
        if self.worthless:
            words += " Both best leaves are equal: under attack the test is worthless."
        if self.rules and self.categories is None:
            words = f"{words} {rules_in_words(self.rules)}"
        if not unknown and self.elsewhere:
            words = f"{words} {self.elsewhere}"
        return words if self.line is None or not len(self.line) else f"{words} {line_in_words(self.line)}"

    @property
    def summary(self) -> str:
        sums, total = adding(self.sums)
        groups = zip(("left", "unknown", "right"), self.counts, sums, strict=True)
        lines = [f"{side}: {counted(n, 'row')}, loss {s}" for side, n, s in groups]
        found = (
            f"{self.leaves} leaves {number(self.y_l)} and {number(self.y_r)}; "
            f"L = {number(self.plain.loss)}, Lᴬ = {total}"
        )
        return "\n".join([self.title, f"test: {self.test}", *lines, found, *line_lines(self.line)])

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.ternary_partition.draw import draw_partition

        draw_partition(self, pen, target)


def _axis(axis: Axis) -> Axis:
    if axis not in get_args(Axis):
        raise ValueError(f"axis: expected 'auto', 'linear' or 'even', got {axis!r}")
    return axis


__all__ = ["AtLine", "TernaryPartitionDisplay"]

"""Ternary partitioning: which rows the attacker owns at a test, because what it can reach crosses the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from treant_viz.attacker import Attacker, Rule
from treant_viz.records import frozen_array
from treant_viz.trace import Trace
from treant_viz.viz.canvas import Ink, Target
from treant_viz.viz.display import Display
from treant_viz.viz.loss_lines import LossLine, feature_name, predicate, standard_line
from treant_viz.viz.sides import Part, Rows, losses, standard_leaves, threshold_in
from treant_viz.viz.split_test import SplitTest
from treant_viz.viz.text import name, number

MOST_ROWS = 40  # drawn one by one
SAMPLED = 9  # drawn one by one above a histogram

Intervals = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TernaryPartitionDisplay(Display):
    """Rows along a feature, what the attacker can make of each, and the test: only what crosses the line is unknown.

    `side` is 0 left, 1 unknown, 2 right; `loss` is each row's loss under attack of the stump with leaves `y_l` and
    `y_r`. `shown` are the places (among `rows`, by value) drawn one by one, `whiskers` what they reach.
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
    budget: float
    rules: tuple[Rule, ...]
    shown: tuple[int, ...]
    whiskers: tuple[Intervals, ...]
    line: LossLine | None

    @classmethod
    def from_trace(
        cls, trace: Trace, path: str = "", feature: Any = None, threshold: Any = None
    ) -> TernaryPartitionDisplay:
        """The rows of a step under a test: by default the chosen one, or the best of `feature`.

        What was spent to bring a row here is no longer in its purse. The leaves are the robust ones of the trace if
        the test was a candidate there, else the means of both sides.
        """
        test = SplitTest.of(trace, path, feature, threshold)
        part = test.rows.part(test.v)
        return cls._made(test.rows, test.threshold, part, test.leaves, trace.attacker.budget, test.line)

    @classmethod
    def from_data(
        cls, X: Any, y: Any, attacker: Attacker, feature: Any, threshold: Any, loss: str = "sse"
    ) -> TernaryPartitionDisplay:
        """Data before anything is spent; leaves, L and L^A are those of the standard stumps (means of both sides)."""
        rows = Rows.of(X, y, attacker, feature, loss)
        threshold, v = threshold_in(rows, threshold)
        return cls._made(rows, threshold, rows.part(v), None, attacker.budget, standard_line(rows, v))

    @classmethod
    def _made(
        cls, rows: Rows, threshold: Any, part: Part, robust: tuple[float, float] | None, budget: float,
        line: LossLine | None,
    ) -> TernaryPartitionDisplay:  # fmt: skip
        y_l, y_r = (float(p) for p in robust or standard_leaves(rows, part.home_left))
        worst, side = losses(rows, part, y_l, y_r)[1], part.side
        shown = () if rows.column.categorical else _shown(rows.value, side)
        whiskers = tuple(rows.pieces(list(shown))) if shown else ()
        return cls(
            rows.column.name, threshold, rows.column.categories, frozen_array(rows.rows), frozen_array(rows.value),
            frozen_array(rows.y), frozen_array(side), frozen_array(worst), y_l, y_r,
            "standard" if robust is None else "robust", budget, rows.rules, shown, whiskers, line,
        )  # fmt: skip

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """Taller for more rows, or categories."""
        return (13.0, 0.9 + self.main_height) if self.categories is not None else (11.0, 3.1 + self.main_height)

    @property
    def main_height(self) -> float:
        """Inches for the categories; or for the rows that are drawn one by one, and for the histogram of all."""
        if self.categories is not None:
            from treant_viz.viz.ternary_categories import drawn_categories

            return max(4.3, 1.2 + 0.36 * len(drawn_categories(self)))
        n, many = len(self.shown), len(self.rows) > len(self.shown)
        return 0.24 * n + 2.1 if many else max(2.7, (0.42 if n <= 12 else 0.22) * (n + 1))

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
    def test(self) -> str:
        """The test in words."""
        return predicate(self.feature, self.threshold, self.categories is not None)

    @property
    def title(self) -> str:
        n, all_ = self.counts[1], len(self.rows)
        if not n:
            return f"{self.test}: nothing crosses the line, so the attacker decides for nobody"
        who = f"x{int(self.rows[self.side == 1][0])} alone" if n == 1 else f"{n:,} of {all_:,} rows"
        return f"{self.test}: the attacker decides for {who}"

    @property
    def alt_text(self) -> str:
        left, unknown, right = self.counts
        what = "the categories" if self.categories is not None else "the values"
        said = (
            f"{len(self.rows):,} rows by {feature_name(self.feature)}, with {what} that an attacker with budget "
            f"{number(self.budget)} can give them. The test {self.test} leaves {left:,} left, {unknown:,} unknown and "
            f"{right:,} right. With the {self.leaves} leaves {number(self.y_l)} and {number(self.y_r)} their losses "
            f"under attack are {', '.join(map(number, self.sums))}: in all {number(sum(self.sums))}."
        )
        return said if self.line is None or not len(self.line) else f"{said} {_line_in_words(self.line)}"

    @property
    def summary(self) -> str:
        groups = zip(("left", "unknown", "right"), self.counts, self.sums, strict=True)
        lines = [f"{side}: {n} row{'s' * (n != 1)}, loss {number(s)}" for side, n, s in groups]
        leaves = f"{self.leaves} leaves {number(self.y_l)} and {number(self.y_r)}; L^A = {number(sum(self.sums))}"
        return "\n".join([self.title, *lines, leaves, *_line_lines(self.line)])

    def _draw(self, ink: Ink, target: Target) -> None:
        if self.categories is not None:
            from treant_viz.viz.ternary_categories import draw_categories

            draw_categories(self, ink, target)
        else:
            from treant_viz.viz.ternary_numbers import draw_numbers

            draw_numbers(self, ink, target)


def _shown(value: np.ndarray, side: np.ndarray) -> tuple[int, ...]:
    """Rows drawn one by one, by value: all if they are few, else some of each side, ends and middle."""
    order = np.argsort(value, kind="stable")
    if len(order) <= MOST_ROWS:
        return tuple(order.tolist())
    sides = [order[side[order] == s] for s in range(3)]
    picked = [s[np.linspace(0, len(s) - 1, n).astype(int)] for s, n in zip(sides, _shared(sides), strict=True)]
    chosen = np.concatenate(picked)
    return tuple(chosen[np.argsort(value[chosen], kind="stable")].tolist())


def _shared(sides: Sequence[np.ndarray]) -> list[int]:
    """How many rows of each side are drawn: alike, but as many in all for every test, so that pictures do not jump."""
    shares = [0] * len(sides)
    for _ in range(SAMPLED):
        free = [k for k, s in enumerate(sides) if len(s) > shares[k]]
        shares[min(free, key=lambda k: shares[k])] += 1
    return shares


def _line_in_words(line: LossLine) -> str:
    k, j = line.best, line.standard
    return (
        f"Of {len(line)} thresholds, the least L is {number(line.plain[j])} at {_value(line, j)} and the least L^A is "
        f"{number(line.attacked[k])} at {_value(line, k)}."
    )


def _value(line: LossLine, i: int) -> str:
    return name(line.thresholds[i], 24) if line.categorical else number(line.thresholds[i])


def _line_lines(line: LossLine | None) -> list[str]:
    if line is None or not len(line):
        return []
    if len(line) > 12:
        return [_line_in_words(line)]
    pairs = zip(line.plain, line.attacked, strict=True)
    return [f"{line.predicate(i)}: L = {number(a)}, L^A = {number(b)}" for i, (a, b) in enumerate(pairs)]


__all__ = ["TernaryPartitionDisplay"]

"""Robust splitting: the attacker sends each unknown row where it hurts more, so plan for it.

Three plans can be compared on the same test: "standard" (nobody fears the attacker: the leaves are plain
means), "four-case" (the heuristic of robust trees: the worst of nobody attacking, all unknown rows swapping
sides, all going left, all going right, each scored by the squared error around its own two means; its leaves
are plain means too), and "robust" (the leaves that are best under attack). Whatever the plan, the attacker
then sends each unknown row where it hurts more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.robust_split.facts import (
    CASES,
    Group,
    Mode,
    Plan,
    assigned,
    by_leaf,
    four_cases,
    groups_of,
    leaf,
    plans,
    worse_left,
)
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.split_test import SplitTest, most_unknown
from treant_viz.viz.style.text import counted, number, predicate
from treant_viz.viz.ternary_partition.facts import LOSSES, Part, losses, standard_leaves


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RobustSplitDisplay(Display):
    """A split before and after the attacker's choice: `side` is 0 left, 1 unknown, 2 right; `goes_left` is
    whom the plan expects left, `ends_left` whom the attacker leaves or sends there.
    """

    mode: Mode
    feature: str | int
    threshold: Any
    test: str
    rows: np.ndarray
    y: np.ndarray
    side: np.ndarray
    goes_left: np.ndarray
    ends_left: np.ndarray
    y_l: float
    y_r: float
    plain_loss: float
    loss_under_attack: float
    planned: tuple[float, float]
    leaf_losses: tuple[float, float]
    groups: tuple[Group, ...]
    plans: tuple[Plan, ...]
    by_hand: bool
    cases: tuple[float, ...] | None
    measure: str
    elsewhere: str
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str | None = None,
        mode: Mode = "robust",
        y_l: float | None = None,
        y_r: float | None = None,
        feature: Any = None,
        threshold: Any = None,
    ) -> RobustSplitDisplay:
        """A test of a step: by default the chosen one, or the best of `feature`. Other leaves may be tried.

        If no test is asked for, the step is the one where most rows are unknown; else it is the root. The
        mode's own leaves are means of both sides, or for "robust" what the trace has recorded of the
        candidate.
        """
        if mode not in get_args(Mode):
            raise ValueError(f"mode: expected 'standard', 'four-case' or 'robust', got {mode!r}")
        if path is None:
            path = most_unknown(trace) if feature is None and threshold is None else ""
        test = SplitTest.of(trace, path, feature, threshold)
        part = test.rows.part(test.v)
        own: tuple[Any, Any] = (y_l, y_r)
        if y_l is None or y_r is None:
            own = test.robust_leaves() if mode == "robust" else standard_leaves(test.rows, part.unattacked)
        leaves = (leaf(y_l, own[0], "y_l", trace.loss), leaf(y_r, own[1], "y_r", trace.loss))
        made = cls._made(test, part, mode, leaves, by_hand=y_l is not None or y_r is not None)
        return replace(made, source={"trace": trace, "path": path})

    @classmethod
    def _made(
        cls, test: SplitTest, part: Part, mode: Mode, leaves: tuple[float, float], *, by_hand: bool
    ) -> RobustSplitDisplay:
        rows, column = test.rows, test.rows.column
        worse = worse_left(rows, part, *leaves)
        cases = four_cases(rows, part) if mode == "four-case" else None
        expected = assigned(part)[0 if cases is None else int(np.argmax(cases))]
        sent = worse if mode == "robust" else expected
        plain, attacked = (float(x.sum()) for x in losses(rows, part, *leaves))
        planned, ended = (by_leaf(rows, left, leaves) for left in (sent, worse))
        return cls(
            mode,
            column.name,
            test.threshold,
            predicate(column.name, test.threshold, column.categorical),
            frozen_array(rows.rows),
            frozen_array(rows.y),
            frozen_array(part.side),
            frozen_array(sent),
            frozen_array(worse),
            leaves[0],
            leaves[1],
            plain,
            attacked,
            planned,
            ended,
            groups_of(test, part, sent, worse, leaves),
            plans(test, part, mode, leaves, by_hand=by_hand),
            by_hand,
            cases,
            LOSSES[rows.loss.name],
            test.elsewhere,
        )

    @property
    def title(self) -> str:
        if not self.groups:
            return "No row is unknown: the attacker has no choice here"
        attacked, sends = number(self.loss_under_attack), f"The attacker {self._sends()}"
        if self.by_hand:
            return f"{sends}: with these leaves that makes the loss {attacked}"
        if self.mode == "robust":
            standard = self.plans[0].loss_under_attack
            better = standard > self.loss_under_attack and number(standard) != attacked
            instead = f" instead of {number(standard)}" * better
            if all(g.worse == g.home for g in self.groups):
                return f"With these leaves no push gains anything: attacked, the loss is {attacked}{instead}"
            return f"{sends}; planned for, that costs {attacked}{instead}"
        if self.mode == "four-case":
            worst = CASES[int(np.argmax(self.cases or (0.0,)))]
            return (
                f"Of four cases the worst is that {worst}; "
                f"the attacker, row by row, makes the loss {attacked}"
            )
        if self.loss_under_attack <= self.plain_loss * (1 + 1e-9):
            return f"The attacker has a choice, but gains nothing by it: the loss stays {attacked}"
        return f"Planned without the attacker, a loss of {number(self.plain_loss)} becomes {attacked}"

    def _sends(self) -> str:
        """Whom the attacker sends away from home, and where to."""
        moved = [g for g in self.groups if g.worse != g.home]
        n, to = sum(g.size for g in moved), {g.worse for g in moved}
        if not moved:
            return "leaves all rows where they are"
        who = moved[0].label.split(" (")[0] if n == 1 and " (" in moved[0].label else counted(n, "row")
        return f"sends {who} {to.pop()}" if len(to) == 1 else f"sends {who} across"

    @property
    def subtitle(self) -> str:
        if not self.groups:
            return f"Ribbons are as wide as the rows they carry. {self.elsewhere}".strip()
        leaves = {
            "robust": "the best ones under attack",
            "standard": "the means of both sides, as if nobody attacked",
            "four-case": "the means of both sides",
        }[self.mode]
        if self.by_hand:
            leaves = "chosen by hand"
        way = "the plan expects them" if self.mode == "four-case" else "they go if nobody attacks"
        return f"Ribbons are as wide as their rows; dashed: where {way}. The leaves are {leaves}."

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many rows are left, unknown, right."""
        left, unknown, right = np.bincount(self.side, minlength=3).tolist()
        return left, unknown, right

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows end left and right."""
        return int(self.ends_left.sum()), int((~self.ends_left).sum())

    @property
    def alt_text(self) -> str:
        left, unknown, right = self.counts
        to_left, to_right = self.sizes
        words = (
            f"The test {self.test} with the leaves {number(self.y_l)} and {number(self.y_r)} "
            f"({'chosen by hand' if self.by_hand else f'{self.mode} plan'}): "
            f"{counted(left, 'row')} surely left (L), "
            f"{unknown:,} unknown (U), {right:,} surely right (R). "
            f"Under attack {counted(to_left, 'row')} end in the "
            f"left leaf with loss {number(self.leaf_losses[0])}, {to_right:,} in the right leaf with loss "
            f"{number(self.leaf_losses[1])}. L = {number(self.plain_loss)}, "
            f"Lᴬ = {number(self.loss_under_attack)}."
        )
        return " ".join([words, *(_in_words(g) for g in self.groups[:6])])

    @property
    def summary(self) -> str:
        lines = [self.title, f"test: {self.test}", *(_in_words(g) for g in self.groups)]
        for side, n, p, loss in zip(
            ("left", "right"), self.sizes, (self.y_l, self.y_r), self.leaf_losses, strict=True
        ):
            lines.append(f"{side} leaf: {counted(n, 'row')}, predicts {number(p)}, loss {number(loss)}")
        if self.cases is not None:
            lines += [f"{case}: squared error {number(x)}" for case, x in zip(CASES, self.cases, strict=True)]
        lines += [
            f"{p.name} leaves: L = {number(p.loss)}, Lᴬ = {number(p.loss_under_attack)}" for p in self.plans
        ]
        return "\n".join(lines)

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.robust_split.draw import draw_split

        draw_split(self, pen, target)


def _in_words(g: Group) -> str:
    losses = f"loss {number(g.hurt_l)} left, {number(g.hurt_r)} right"
    went = (
        f"the attacker sends {'it' if g.size == 1 else 'them'} {g.worse}"
        if g.worse != g.home
        else "left there"
    )
    return f"{g.label}, unattacked {g.home}: {losses}; {went}."


__all__ = ["Group", "RobustSplitDisplay", "four_cases"]

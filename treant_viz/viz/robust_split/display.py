"""Robust splitting: the attacker sends each unknown row where it hurts more, so plan for it.

Three plans can be compared on the same test: "standard" (nobody fears the attacker: the leaves are plain
means), "four-case" (the heuristic of robust trees: the worst of nobody attacking, all unknown rows swapping
sides, all going left, all going right, each scored by the squared error around its own two means; its leaves
are plain means too), and "robust" (the leaves that are best under attack). Whatever the plan, the attacker
then sends each unknown row where it hurts more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.robust_split.facts import (
    CASES,
    Mode,
    Plan,
    RibbonRows,
    assigned,
    by_leaf,
    four_cases,
    groups_of,
    leaf,
    plans,
)
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, number, predicate
from treant_viz.viz.ternary_partition.facts import Part, losses, standard_leaves, worse_left
from treant_viz.viz.ternary_partition.which_test import SplitTest


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RobustSplitDisplay(Display):
    """A split before and after the attacker's choice: `side` is 0 left, 1 unknown, 2 right; `goes_left` is
    whom the plan expects left, `ends_left` whom the attacker leaves or sends there.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.RobustSplitDisplay.from_trace(model.trace_)
    >>> display.title
    'With leaves that expect the attack, the squared error is 3.7 instead of 5; x2 is pushed right'
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
    groups: tuple[RibbonRows, ...]
    plans: tuple[Plan, ...]
    by_hand: bool
    cases: tuple[float, ...] | None
    measure: str
    elsewhere: str
    budget: float = 0.0
    unaware: bool = False
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str | None = None,
        mode: Mode | None = None,
        y_l: float | None = None,
        y_r: float | None = None,
        feature: Any = None,
        threshold: Any = None,
    ) -> RobustSplitDisplay:
        """A test of a step: by default the chosen one, or the best of `feature`. Other leaves may be tried.

        If nothing is asked for, it is the test at which the attacker decides for most rows, of all that the
        tree has or that a learner who knows of no attacker would have chosen. The mode's own leaves are means
        of both sides, or for "robust", the usual mode, what the trace has recorded of the candidate; where
        these are equal, so that nothing moves, the picture that is asked for nothing shows "standard".
        """
        if mode is not None and mode not in get_args(Mode):
            raise ValueError(f"mode: expected 'standard', 'four-case' or 'robust', got {mode!r}")
        test = SplitTest.of(trace, path, feature, threshold)
        if mode is None:
            open_ = path is None and feature is None and threshold is None and y_l is None and y_r is None
            useless = open_ and test.leaves is not None and math.isclose(*test.leaves, rel_tol=1e-9)
            mode = "standard" if useless else "robust"
        part = test.rows.part(test.v)
        own: tuple[Any, Any] = (y_l, y_r)
        if y_l is None or y_r is None:
            own = test.robust_leaves() if mode == "robust" else standard_leaves(test.rows, part.unattacked)
        leaves = (leaf(y_l, own[0], "y_l", trace.loss), leaf(y_r, own[1], "y_r", trace.loss))
        made = cls._made(test, part, mode, leaves, by_hand=y_l is not None or y_r is not None)
        made = replace(made, budget=trace.attacker.budget, unaware=test.unaware)
        return replace(made, source={"trace": trace, "path": test.path})

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
            return f"No row can cross {self.test}: the attacker has no choice here"
        attacked, pushes = number(self.loss_under_attack), self._pushes()
        if self.by_hand:
            return f"With these leaves {pushes}: that makes the loss {attacked}"
        if self.mode == "robust":
            standard = self.plans[0].loss_under_attack
            better = standard > self.loss_under_attack and number(standard) != attacked
            instead = f" instead of {number(standard)}" * better
            if all(g.worse == g.home for g in self.groups):
                return (
                    f"Against these leaves no push gains anything: the {self.measure} is {attacked}{instead}"
                )
            return f"With leaves that expect the attack, the {self.measure} is {attacked}{instead}; {pushes}"
        if self.mode == "four-case":
            worst = CASES[int(np.argmax(self.cases or (0.0,)))]
            return (
                f"Of four cases the worst is that {worst}; "
                f"the attacker, row by row, makes the loss {attacked}"
            )
        if self.loss_under_attack <= self.plain_loss * (1 + 1e-9):
            return f"The attacker has a choice, but gains nothing by it: the loss stays {attacked}"
        raises = f"{self._pushing()} raises the {self.measure} from {number(self.plain_loss)} to {attacked}"
        best = min(p.loss_under_attack for p in self.plans)
        none = f"; no split at all loses only {number(best)}"
        return raises + none * (self.worthless and best < self.loss_under_attack)

    def _pushes(self) -> str:
        """Whom the attacker pushes away from home, and where to."""
        who, n, where = self._moved()
        return f"{who} {'is' if n == 1 else 'are'} pushed {where}" if n else "the attacker pushes nobody"

    def _pushing(self) -> str:
        who, _, where = self._moved()
        return f"Pushing {who} {where}"

    def _moved(self) -> tuple[str, int, str]:
        """Who is pushed, how many they are, and where they are pushed."""
        moved = [g for g in self.groups if g.worse != g.home]
        n, to = sum(g.size for g in moved), {g.worse for g in moved}
        alone = n == 1 and " (" in moved[0].label
        who = moved[0].label.split(" (")[0] if alone else counted(n, "row")
        return who, n, to.pop() if len(to) == 1 else "across"

    @property
    def subtitle(self) -> str:
        if not self.groups:
            return f"Ribbons are as wide as the rows they carry. {self.elsewhere}".strip()
        budget = number(self.budget)
        spends = f"with a budget of {budget} the attacker pushes rows to the side where they lose more."
        if self.unaware:
            return f"A learner unaware of the attacker asks this test; {spends}"
        spends = spends[0].upper() + spends[1:]
        if self.by_hand:
            return f"{spends} The leaves are chosen by hand."
        if self.mode == "four-case":
            return (
                f"{spends} The leaves are the means of both sides; dashed: where the worst case expects rows."
            )
        return spends

    @property
    def worthless(self) -> bool:
        """Are the best leaves under attack equal, so that the test tells nothing?"""
        robust = next((p for p in self.plans if p.name == "robust"), None)
        return robust is not None and math.isclose(*robust.leaves, rel_tol=1e-9)

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
            f"{counted(left, 'row')} surely left, "
            f"{unknown:,} up to the attacker, {right:,} surely right. "
            f"Under attack {counted(to_left, 'row')} end in the "
            f"left leaf with loss {number(self.leaf_losses[0])}, {to_right:,} in the right leaf with loss "
            f"{number(self.leaf_losses[1])}. L = {number(self.plain_loss)}, "
            f"Lᴬ = {number(self.loss_under_attack)}."
        )
        if self.worthless:
            words += " The best leaves under attack are equal: the split is worthless."
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


def _in_words(g: RibbonRows) -> str:
    losses = f"loss {number(g.hurt_l)} left, {number(g.hurt_r)} right"
    went = (
        f"the attacker sends {'it' if g.size == 1 else 'them'} {g.worse}"
        if g.worse != g.home
        else "left there"
    )
    return f"{g.label}, unattacked {g.home}: {losses}; {went}."


__all__ = ["RibbonRows", "RobustSplitDisplay", "four_cases"]

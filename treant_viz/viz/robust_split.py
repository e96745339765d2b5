"""Robust splitting: the attacker sends each unknown row where it hurts more, so plan for it.

Three plans can be compared on the same test: "standard" (nobody fears the attacker: the leaves are plain means, unknown
rows stay at home), "four-case" (the heuristic of robust trees: the worst of nobody attacking, all unknown rows swapping
sides, all going left, all going right, each scored by the squared error around its own two means; its leaves are plain
means too), and "robust" (the leaves that are best under attack; each unknown row goes where it hurts more).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from treant_viz.losses import Loss
from treant_viz.records import frozen_array
from treant_viz.trace import Trace
from treant_viz.viz.canvas import Ink, Target
from treant_viz.viz.display import Display
from treant_viz.viz.loss_lines import predicate
from treant_viz.viz.sides import Part, Rows, losses, standard_leaves
from treant_viz.viz.split_test import SplitTest
from treant_viz.viz.text import number

Mode = Literal["standard", "four-case", "robust"]
Side = Literal["left", "right"]
MOST_RIBBONS = 12  # unknown rows with a ribbon each; more are drawn in groups
CASES = ("nobody attacks", "all unknown rows swap sides", "all unknown rows go left", "all unknown rows go right")


class Group(NamedTuple):
    """Unknown rows that share a ribbon: what they are called, how many, their home, the plan's side, their losses.

    `worse` is where the attacker sends them: the leaf that hurts more (home, if both hurt the same).
    """

    label: str
    size: int
    home: Side
    sent: Side
    worse: Side
    hurt_l: float
    hurt_r: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RobustSplitDisplay(Display):
    """A split before and after the attacker's choice: `side` is 0 left, 1 unknown, 2 right; `goes_left` the plan."""

    mode: Mode
    feature: str | int
    threshold: Any
    test: str
    rows: np.ndarray
    y: np.ndarray
    side: np.ndarray
    goes_left: np.ndarray
    y_l: float
    y_r: float
    plain_loss: float
    loss_under_attack: float
    planned: tuple[float, float]
    groups: tuple[Group, ...]
    cases: tuple[float, ...] | None

    @classmethod
    def from_trace(
        cls, trace: Trace, path: str = "", mode: Mode = "robust", y_l: float | None = None, y_r: float | None = None,
        feature: Any = None, threshold: Any = None,
    ) -> RobustSplitDisplay:  # fmt: skip
        """A test of a step: by default the chosen one, or the best of `feature`. Other leaves may be tried.

        The mode's own leaves are means of both sides, or for "robust" what the trace has recorded of the candidate.
        """
        if mode not in get_args(Mode):
            raise ValueError(f"mode: expected 'standard', 'four-case' or 'robust', got {mode!r}")
        test = SplitTest.of(trace, path, feature, threshold)
        part = test.rows.part(test.v)
        own: tuple[Any, Any] = (y_l, y_r)
        if y_l is None or y_r is None:
            own = test.robust_leaves() if mode == "robust" else standard_leaves(test.rows, part.home_left)
        leaves = (_leaf(y_l, own[0], "y_l", trace.loss), _leaf(y_r, own[1], "y_r", trace.loss))
        return cls._made(test, part, mode, leaves)

    @classmethod
    def _made(cls, test: SplitTest, part: Part, mode: Mode, leaves: tuple[float, float]) -> RobustSplitDisplay:
        rows, column = test.rows, test.rows.column
        y_l, y_r = leaves
        worse = _worse_left(rows, part, y_l, y_r)
        cases = four_cases(rows, part) if mode == "four-case" else None
        goes_left = {"standard": part.home_left, "robust": worse}.get(mode)
        if cases is not None:
            goes_left = _assigned(part)[int(np.argmax(cases))]
        assert goes_left is not None
        plain, attacked = (float(x.sum()) for x in losses(rows, part, y_l, y_r))
        hurt = rows.weight * rows.loss.ell(np.where(goes_left, y_l, y_r), rows.y)
        planned = (float(hurt[goes_left].sum()), float(hurt[~goes_left].sum()))
        groups = tuple(_groups(rows, part, goes_left, worse, leaves))
        return cls(
            mode, column.name, test.threshold, predicate(column.name, test.threshold, column.categorical),
            frozen_array(rows.rows), frozen_array(rows.y), frozen_array(part.side), frozen_array(goes_left),
            y_l, y_r, plain, attacked, planned, groups, cases,
        )  # fmt: skip

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """Taller for more ribbons."""
        from treant_viz.viz.robust_split_ink import heights

        return 12.0, 1.6 + heights(self)[-1]

    @property
    def title(self) -> str:
        attacked = number(self.loss_under_attack)
        if not self.groups:
            return f"{self.test}: no row is unknown, so the attacker has no choice here (L^A = {attacked})"
        if self.mode == "robust":
            return f"{self.test}: the attacker sends {self._movers()}; planned for, it costs {attacked}"
        if self.mode == "four-case":
            worst = int(np.argmax(self.cases or (0.0,)))
            return f'{self.test}: of four cases the worst is "{CASES[worst]}"; the attacker makes it L^A = {attacked}'
        return f"{self.test}: planned without the attacker, L = {number(self.plain_loss)} becomes L^A = {attacked}"

    def _movers(self) -> str:
        """Whom the attacker sends away from home."""
        moved = [g for g in self.groups if g.worse != g.home]
        n = sum(g.size for g in moved)
        if len(moved) == 1:
            return f"{moved[0].label.split(' (')[0]} {moved[0].worse}"
        return f"{n:,} row{'s' * (n != 1)} across" if n else "nobody across"

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many rows are left, unknown, right."""
        left, unknown, right = np.bincount(self.side, minlength=3).tolist()
        return left, unknown, right

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows the plan sends left and right."""
        return int(self.goes_left.sum()), int((~self.goes_left).sum())

    @property
    def alt_text(self) -> str:
        left, unknown, right = self.counts
        to_left, to_right = self.sizes
        said = (
            f"The test {self.test} in {self.mode} mode: {left:,} rows are left, {unknown:,} unknown, {right:,} right. "
            f"After the choice, D_L has {to_left:,} rows and predicts {number(self.y_l)}, D_R has {to_right:,} and "
            f"predicts {number(self.y_r)}. L = {number(self.plain_loss)}, L^A = {number(self.loss_under_attack)}."
        )
        few = [_in_words(g) for g in self.groups[:4]]
        return f"{said} {' '.join(few)}" if few else said

    @property
    def summary(self) -> str:
        lines = [self.title, *(_in_words(g) for g in self.groups)]
        for side, n, p, loss in zip("LR", self.sizes, (self.y_l, self.y_r), self.planned, strict=True):
            lines.append(f"D_{side}: {n} row{'s' * (n != 1)}, predicts {number(p)}, loss {number(loss)}")
        if self.cases is not None:
            lines += [f"{case}: {number(x)}" for case, x in zip(CASES, self.cases, strict=True)]
        return "\n".join([*lines, f"L = {number(self.plain_loss)}, L^A = {number(self.loss_under_attack)}"])

    def _draw(self, ink: Ink, target: Target) -> None:
        from treant_viz.viz.robust_split_ink import draw_split

        draw_split(self, ink, target)


def _in_words(g: Group) -> str:
    return f"{g.label}, at home {g.home}: loss {number(g.hurt_l)} left, {number(g.hurt_r)} right; sent {g.sent}."


def _leaf(given: float | None, own: Any, what: str, loss: Loss) -> float:
    """A prediction: the given one if it may be one, else the mode's own."""
    if given is None:
        return float(own)
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not math.isfinite(given):
        raise ValueError(f"{what}: expected a finite number, got {given!r}")
    if not loss.low <= given <= loss.high:
        raise ValueError(f"{what}: expected a prediction from {loss.low:g} to {loss.high:g}, got {given!r}")
    return float(given)


def _worse_left(rows: Rows, part: Part, y_l: float, y_r: float) -> np.ndarray:
    """Who ends left if the attacker does its worst; who is hurt the same by both leaves stays at home."""
    worse = rows.loss.worse_on_left(y_l, y_r, rows.y)
    chosen = np.where(worse == 0, part.home_left, worse > 0)
    return np.where(part.can_left & part.can_right, chosen, part.can_left)


def _assigned(part: Part) -> np.ndarray:
    """[case, row]: who is left in each of the four cases."""
    unknown = part.can_left & part.can_right
    sure, home = part.can_left & ~unknown, part.home_left
    return np.stack([home, sure | (unknown & ~home), sure | unknown, sure])


def four_cases(rows: Rows, part: Part) -> tuple[float, ...]:
    """The squared error of each case around its own two means."""
    y, w, out = rows.y, rows.weight, []
    for left in _assigned(part):
        means = standard_leaves(rows, left)
        out.append(float(w @ (y - np.where(left, *means)) ** 2))
    return tuple(out)


def _groups(
    rows: Rows, part: Part, goes_left: np.ndarray, worse: np.ndarray, leaves: tuple[float, float]
) -> list[Group]:
    """The ribbons: one a row if they are few, else one for each label (or destination) and home side."""
    unknown = np.flatnonzero(part.can_left & part.can_right)
    labels, few = np.unique(rows.y[unknown]), len(unknown) <= MOST_RIBBONS
    keys: dict[tuple[Any, ...], list[int]] = {}
    for i in unknown.tolist():
        what = i if few else float(rows.y[i]) if len(labels) <= 3 else "left" if worse[i] else "right"
        keys.setdefault((what, bool(part.home_left[i])), []).append(i)
    order = sorted(keys) if few else sorted(keys, key=lambda k: (not k[1], k[0]))
    made = (_group(rows, keys[k], _name(rows, keys[k], k[0], few), part, goes_left, worse, leaves) for k in order)
    return list(made)


def _name(rows: Rows, members: list[int], what: Any, few: bool) -> str:
    if few:
        return f"x{rows.rows[members[0]]} (y = {number(rows.y[members[0]], 4)})"
    kind = f"with y = {number(what, 4)}" if isinstance(what, float) else f"worse off {what}"
    return f"{len(members):,} row{'s' * (len(members) != 1)} {kind}"


def _group(
    rows: Rows, members: list[int], label: str, part: Part, goes_left: np.ndarray, worse: np.ndarray,
    leaves: tuple[float, float],
) -> Group:  # fmt: skip
    hurt_l, hurt_r = (float(rows.weight[members] @ rows.loss.ell(p, rows.y[members])) for p in leaves)
    home, sent, bad = (_side(mask[members[0]]) for mask in (part.home_left, goes_left, worse))
    return Group(label, len(members), home, sent, bad, hurt_l, hurt_r)


def _side(left: Any) -> Side:
    return "left" if left else "right"


__all__ = ["Group", "RobustSplitDisplay", "four_cases"]

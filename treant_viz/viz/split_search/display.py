"""Split search: L and Lᴬ of every candidate test, and whether both learners choose the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treant_viz.trace.records import Candidates
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.facts import LOSSES
from treant_viz.viz.split_search.facts import LossLine, LossSteps, choices_of, in_order, robust_steps
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, feature_name, number, predicate
from treant_viz.viz.ternary_partition.facts import NodeRows
from treant_viz.viz.tree.facts import attacked

MOST_FEATURES = 5
MOST_CATEGORIES = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """A test, its L (standard leaves), its Lᴬ (robust leaves), and for how many rows the attacker decides."""

    feature: str | int
    threshold: Any
    categorical: bool
    loss: float
    loss_under_attack: float
    unknown: int = 0

    def __str__(self) -> str:
        return predicate(self.feature, self.threshold, self.categorical)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitSearchDisplay(Display):
    """Every candidate of a step, feature by feature (that of the standard choice, then the best ones).

    `robust` and `standard` have the least Lᴬ and the least L; `ties` are the tests as good as `robust`;
    `steps` are both losses over the threshold, for the features that are drawn and hold numbers; `taken` and
    `reason` say what became of the node. If nobody attacks, Lᴬ is L: then `attacked` is False, and only L is
    shown.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.SplitSearchDisplay.from_trace(model.trace_)
    >>> display.title
    'p ≤ 1 stays the best test, though the attacker raises its loss from 2 to 3.7; then q ≤ 2 is as good'
    """

    path: str
    lines: tuple[LossLine, ...]
    steps: tuple[LossSteps | None, ...]
    robust: Choice | None
    standard: Choice
    ties: tuple[str, ...]
    leaf_loss: float
    measure: str
    taken: bool
    reason: str
    attacked: bool = True
    budget: float = 0.0
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(cls, trace: Trace, path: str = "") -> SplitSearchDisplay:
        step = trace.at(path)
        c = step.candidates
        if c is None or not len(c):
            raise ValueError(f"path {path!r}: no test was tried there ({step.reason})")
        first, tied = choices_of(c)
        standard = _choice(c, first)
        lines = tuple(sorted(in_order(c), key=lambda line: line.feature != standard.feature))
        robust = _choice(c, tied[0]) if tied else None
        ties = tuple(str(_choice(c, i)) for i in tied[1:])
        steps = tuple(
            None if x.categorical else robust_steps(NodeRows.at(trace, path, x.feature), x, step)
            for x in lines[:MOST_FEATURES]
        )
        end = LOSSES[trace.loss.name], step.taken, step.reason, attacked(trace), trace.attacker.budget
        source = {"trace": trace, "path": path}
        return cls(path, lines, steps, robust, standard, ties, step.leaf_loss, *end, source=source)

    @property
    def shown(self) -> tuple[LossLine, ...]:
        """The features that are drawn; fewer if the robust choice, on another one, needs more room."""
        apart = self.attacked and self.robust is not None and self.robust.feature != self.standard.feature
        return self.lines[: MOST_FEATURES - apart]

    @property
    def same(self) -> bool:
        """Do the standard and the robust learner choose the same test?"""
        r, s = self.robust, self.standard
        return r is not None and (r.feature, r.threshold) == (s.feature, s.threshold)

    @property
    def title(self) -> str:
        r, s, stays = self.robust, self.standard, "" if self.taken else ", but the node stays a leaf"
        if not self.attacked:
            return self._plain_title() + stays
        if r is None:
            return f"No test leaves rows on both sides under attack; if nobody attacks {s} is best"
        before, after, best = map(number, (s.loss, s.loss_under_attack, r.loss_under_attack))
        if self.same:
            ties = f"; then {_some(self.ties)} {_is(self.ties)} as good" * bool(self.ties)
            if before == after:
                return f"{r} is best with and without the attacker{ties}{stays}"
            raised = f"though the attacker raises its loss from {before} to {after}"
            return f"{r} stays the best test, {raised}{ties}{stays}"
        if math.isclose(s.loss_under_attack, r.loss_under_attack, rel_tol=1e-9):
            asked = f"{s} is best if nobody attacks ({before})"
            return f"{asked}; under attack {r} is as good ({best}) and comes first{stays}"
        asked = f"{s} is best if nobody attacks ({before}), but loses {after} under attack"
        return f"{asked}; {r} loses {best}{stays}"

    def _plain_title(self) -> str:
        """The takeaway if nobody attacks."""
        s, n = self.standard, sum(map(len, self.lines))
        if self.ties:
            return (
                f"{1 + len(self.ties)} of {n:,} tests share the least loss, {number(s.loss)}: "
                f"the first is {s}"
            )
        return f"The best of {counted(n, 'test')} is {s}, with a loss of {number(s.loss)}"

    @property
    def subtitle(self) -> str:
        shown, of = len(self.shown), len(self.lines)
        more = f" The {shown} best of {of} features are shown." if of > shown else ""
        if not self.attacked:
            return f"The loss after every test, feature by feature, on one scale.{more}"
        spends = f"and if the attacker may spend {number(self.budget)}"
        return f"What each test loses if nobody attacks, {spends}; the shaded gap is the damage.{more}"

    @property
    def alt_text(self) -> str:
        what = "L and Lᴬ" if self.attacked else "L"
        n, where = sum(map(len, self.lines)), f"path {self.path}" if self.path else "the root"
        words = [f"{what} of {counted(n, 'test')} on {counted(len(self.lines), 'feature')} at {where}."]
        words.append(f"{self.title}.")
        if self.attacked:
            words.append(f"If nobody attacks {self.standard} is best, with L = {number(self.standard.loss)}.")
        if self.attacked and self.robust is not None:
            words.append(
                f"Under attack {self.robust} is best, with Lᴬ = {number(self.robust.loss_under_attack)}."
            )
        if self.ties:
            words.append(f"Tied with it: {_some(self.ties)}.")
        words += [f"{feature_name(x.feature)}: {self._bests(x)}." for x in self.shown]
        return " ".join([*words, f"One leaf loses {number(self.leaf_loss)}."])

    @property
    def summary(self) -> str:
        lines = [
            f"{feature_name(x.feature)}: {counted(len(x), 'test')}, {self._bests(x)}" for x in self.lines
        ]
        best = "what is best under attack" if self.attacked else "the best test"
        ties = [f"tied with {best}: {_some(self.ties)}"] if self.ties else []
        return "\n".join([self.title, *lines, *ties, f"one leaf: {number(self.leaf_loss)}; {self.reason}"])

    def _bests(self, line: LossLine) -> str:
        """The least losses of a feature."""
        least = f"least L {number(line.plain[line.standard])}"
        return f"{least}, least Lᴬ {number(line.attacked[line.best])}" if self.attacked else least

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.split_search.panels import draw_search

        draw_search(self, pen, target)


def _choice(c: Candidates, i: int) -> Choice:
    numbers = (float(c.plain_loss[i]), float(c.loss_under_attack[i]), int(c.unknown[i]))
    return Choice(c.feature[i], c.threshold[i], c.test[i] == "==", *numbers)


def _is(tests: tuple[str, ...]) -> str:
    return "is" if len(tests) == 1 else "are"


def _some(tests: tuple[str, ...], most: int = 3) -> str:
    more = f" and {len(tests) - most} more" if len(tests) > most else ""
    return ", ".join(tests[:most]) + more


__all__ = ["MOST_CATEGORIES", "MOST_FEATURES", "Choice", "SplitSearchDisplay"]

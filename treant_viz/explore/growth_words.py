"""A step of the growth in words: what happens, what the attacker does, losses so far, constraints. Plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treant_viz.constraints import Constraint
from treant_viz.explore.traced import Section
from treant_viz.losses import Loss
from treant_viz.records import Candidates, SplitRecord, Step
from treant_viz.trace import Trace
from treant_viz.viz.card import counted
from treant_viz.viz.leaf_bounds import said_loss
from treant_viz.viz.loss_lines import predicate
from treant_viz.viz.robust_split import Group, RobustSplitDisplay
from treant_viz.viz.text import number

FEW = 4  # rows or constraints that are named one by one


class Losses(NamedTuple):
    """Of the tree so far: L (None if not known), L^A as the algorithm counts it, and that before the step.

    `true` is what the attacker can really cause; it is only worked out where the algorithm may be wrong.
    """

    plain: float | None
    attacked: float
    before: float
    true: float | None = None


def step_words(trace: Trace, i: int, losses: Losses) -> Iterator[Section]:
    """Everything there is to say of step i."""
    step = trace.steps[i]
    yield f"What happens at step {i + 1} of {len(trace)}", list(_happens(step))
    yield "What the attacker does", list(_attack(trace, step))
    yield "Losses of the tree so far", list(_losses(losses))
    yield "Constraints", list(_constraints(trace, step))


def place(path: str) -> str:
    """Where a step is."""
    return f"node {path}" if path else "the root"


def _chosen_test(split: SplitRecord) -> str:
    return predicate(split.feature, split.threshold, split.test == "==")


def candidate_test(c: Candidates, i: int) -> str:
    return predicate(c.feature[i], c.threshold[i], c.test[i] == "==")


def _happens(step: Step) -> Iterator[str]:
    rows = counted(len(step.data), "row")
    yield (
        f"{place(step.path).capitalize()} has {rows}. As a single leaf it would predict {number(step.leaf)} "
        f"and cost {number(step.leaf_loss)} under attack."
    )
    tried = 0 if step.candidates is None else len(step.candidates)
    if step.split is None or not step.taken:
        yield f"It stays a leaf: {_reason(step, tried)}."
        return
    s = step.split
    cost = number(s.loss_under_attack)
    yield f"Of {counted(tried, 'candidate test')}, {_chosen_test(s)} is chosen: L^A = {cost} here."
    if ties := tied_tests(step):
        yield f"Tied with {_some(ties)}: of equals the first is taken, in the order of features, then thresholds."
    left, right, unknown = (len(p) for p in s.partition)
    yield f"L: {counted(left, 'row')} surely left. U: {unknown} unknown. R: {counted(right, 'row')} surely right."
    yield (
        f"After the attack {counted(len(s.left), 'row')} left with the prediction {number(s.y_l)}, "
        f"{counted(len(s.right), 'row')} right with {number(s.y_r)}."
    )


def _reason(step: Step, tried: int) -> str:
    if step.split is None:
        return f"{step.reason} ({counted(tried, 'test')} tried)"
    cost = number(step.split.loss_under_attack)
    return f"{step.reason}; the best of {counted(tried, 'test')}, {_chosen_test(step.split)}, would cost {cost}"


def tied_tests(step: Step) -> list[str]:
    """The tests that are as good as the chosen one."""
    c, s = step.candidates, step.split
    if c is None or s is None:
        return []
    chosen = chosen_of(step)
    return [candidate_test(c, i) for i in c.tied.nonzero()[0].tolist() if i != chosen]


def chosen_of(step: Step) -> int | None:
    """The place of the best test among the candidates."""
    c, s = step.candidates, step.split
    if c is None or s is None:
        return None
    both = zip(c.feature, c.threshold, strict=True)
    return next(i for i, test in enumerate(both) if test == (s.feature, s.threshold))


def _attack(trace: Trace, step: Step) -> Iterator[str]:
    bought = [f"x{r} for {number(k)}" for r, k in zip(step.data.rows, step.data.spent, strict=True) if k > 0]
    if bought:
        yield f"To bring {counted(len(bought), 'row')} here the attacker has spent: {_some(bought)}."
    if not step.taken:
        yield "No test here, so no choice."
        return
    groups = RobustSplitDisplay.from_trace(trace, step.path).groups
    if not groups:
        yield "No row is unknown here, so no choice."
    yield from map(_group, groups)


def _group(g: Group) -> str:
    """What becomes of an unknown row, or of several that share their fate."""
    it, stays, costs = ("it", "stays", "costs") if g.size == 1 else ("they", "stay", "cost")
    hurt = f"{it} {costs} {number(g.hurt_l)} left, {number(g.hurt_r)} right"
    sent = f"the attacker sends {'it' if g.size == 1 else 'them'} {g.sent}"
    went = sent if g.sent != g.home else f"{it} {stays} {g.home}"
    return f"{g.label}, at home {g.home}: {hurt}; {went}."


def _losses(losses: Losses) -> Iterator[str]:
    yield "L is not known: rows have weights." if losses.plain is None else f"L = {number(losses.plain)}, unattacked."
    yield f"L^A = {number(losses.attacked)} under attack; before this step {number(losses.before)}."
    if losses.true is not None:
        yield f"Attack invariance is off: the algorithm counts this, the attacker can cause {number(losses.true)}."


def _constraints(trace: Trace, step: Step) -> Iterator[str]:
    yield f"Inherited by {place(step.path)}: {_listed(step.constraints, trace.loss)}"
    if step.split is None or not step.taken:
        return
    if not trace.options.get("attack_invariance", True):
        yield "Attack invariance is off: none are created."
        return
    for side, C in (("left", step.split.left_constraints), ("right", step.split.right_constraints)):
        new = [c for c in C if c.origin == step.path]
        old = [c for c in C if c.origin != step.path]
        yield f"Created here for the {side} child: {_listed(new, trace.loss, origin=False)}"
        if step.constraints:
            yield f"Handed down to the {side} child: {len(old)} of {len(step.constraints)} inherited."


def _listed(constraints: Sequence[Constraint], loss: Loss, *, origin: bool = True) -> str:
    """How many, and the first few."""
    if not constraints:
        return "none."
    return f"{len(constraints)}: {_some([said_constraint(c, loss, origin) for c in constraints], '; ')}."


def said_constraint(c: Constraint, loss: Loss, origin: bool = True) -> str:
    """A constraint, where it comes from, and what its row must spend to be here.

    >>> from treant_viz.losses import SSE
    >>> said_constraint(Constraint(2, 0.0, ">=", 2.25, -1.5, 1.0, ""), SSE)
    'x2: (ŷ−0)² ≥ 2.25 (from the root, reached for 1)'
    """
    sign = {"<=": "≤", ">=": "≥"}[c.sense]
    come = f"from {place(c.origin)}, " if origin else ""
    return f"x{c.row}: {said_loss(loss, c.y)} {sign} {number(c.gamma, 4)} ({come}reached for {number(c.spent)})"


def _some(words: Iterable[str], between: str = ", ") -> str:
    """The first few, and how many more."""
    said = list(words)
    more = f" and {len(said) - FEW} more" if len(said) > FEW else ""
    return between.join(said[:FEW]) + more


__all__ = ["Losses", "candidate_test", "chosen_of", "place", "said_constraint", "step_words", "tied_tests"]

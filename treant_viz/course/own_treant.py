"""Grows the toy with functions of the reader's own, inside the algorithm of `core/reference.py`.

The reader writes the heart of the paper: who is left, right or unknown, and the plan for an unknown row.
All the rest, the search for the best split and the recursion, is a fresh copy of the plain Python file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec, module_from_spec
from math import inf, sqrt
from typing import Any

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core import reference
from treant_viz.core.tree import Leaf, Node, Tree, leaves, to_text
from treant_viz.datasets import load_toy

Side = Callable[[float, float], Any]  # the least costs of getting left and right: "left", "right", "unknown"
Plan = Callable[[float, float, float, str], Any]  # y, y_l, y_r, unattacked: half, two senses, gamma
UNWRITTEN = "No tree yet: both functions have to be written first."
SIDES, HALVES, SENSES = ("left", "right", "unknown"), ("left", "right"), ("<=", ">=")


@dataclass(frozen=True)
class Grown:
    """A tree of the toy, what its leaves claim to lose under attack, and what they lose."""

    tree: Tree
    claimed: float
    true: float

    def __repr__(self) -> str:
        verdict = "The claim is true." if abs(self.claimed - self.true) < 1e-6 else "The claim is wrong."
        return f"{to_text(self.tree)}\nclaimed: {self.claimed:.4g}, true: {self.true:.4g}. {verdict}"


def grown_with(side: Side, plan: Plan) -> Grown | str:
    """The toy's tree, grown with these two functions in place of the paper's definitions."""
    toy = load_toy()
    try:
        tree = _with(side, plan).grow(toy.X, toy.y, toy.attacker)
    except Strange as strange:
        return str(strange)
    claimed = sum(leaf.loss or 0.0 for _, leaf in leaves(tree))
    return Grown(tree, claimed, loss_under_attack(tree, toy.X, toy.y, toy.attacker))


class Strange(Exception):  # noqa: N818
    """An answer with which no tree can be grown."""


def side_of(side: Side, to_left: float, to_right: float) -> str:
    """What the reader's first function says, if it is one of the three words."""
    found = side(to_left, to_right)
    if found is ...:
        raise Strange(UNWRITTEN)
    if not isinstance(found, str) or found not in SIDES:
        raise Strange(f'side({to_left:g}, {to_right:g}) is {found!r}: expected "left", "right" or "unknown".')
    return str(found)


def plan_of(plan: Plan, y: float, y_l: float, y_r: float, unattacked: str) -> tuple[str, str, str, float]:
    """What the reader's second function says, if it is a half, two senses and a number."""
    found = plan(y, y_l, y_r, unattacked)
    if found is ...:
        raise Strange(UNWRITTEN)
    try:
        half, sense_l, sense_r, gamma = found
        fits = half in HALVES and {sense_l, sense_r} <= set(SENSES) and 0 <= float(gamma) < inf
    except (TypeError, ValueError):
        fits = False
    if not fits:
        wanted = '("left" or "right", "<=" or ">=", "<=" or ">=", a number from 0 on)'
        raise Strange(f"plan({y:g}, {y_l:g}, {y_r:g}, {unattacked!r}) is {found!r}: expected {wanted}.")
    return half, sense_l, sense_r, float(gamma)


def _copy_of_the_reference() -> Any:
    spec: Any = find_spec(reference.__name__)
    paper = module_from_spec(spec)
    spec.loader.exec_module(paper)
    return paper


def _with(side: Side, plan: Plan) -> Any:
    """A fresh copy of the reference in which the reader's functions do their part."""
    paper = _copy_of_the_reference()
    propagate, grow_below = paper.split_constraints, paper.treant

    def ternary_partition(D: Any, A: Any, f: Any, v: Any) -> tuple[Any, ...]:
        told = [side_of(side, *paper.costs(A, f, v, i)) for i in D]
        return tuple([i for i, word in zip(D, told, strict=True) if word == wanted] for wanted in SIDES)

    def planned(i: Any, t: Any) -> tuple[str, str, str, float]:
        return plan_of(plan, i.y, t.y_l, t.y_r, "left" if paper.passes(i.x[t.f], t.v) else "right")

    def robust_split(D: Any, A: Any, t: Any, loss: str) -> tuple[Any, Any]:
        halves: dict[str, list[Any]] = {half: [] for half in HALVES}
        for i in D:
            to_left, to_right = paper.costs(A, t.f, t.v, i)
            word = side_of(side, to_left, to_right)
            half = planned(i, t)[0] if word == "unknown" else word
            halves[half].append(i._replace(k=to_left if half == "left" else to_right))
        return halves["left"], halves["right"]

    def split_constraints(D: Any, A: Any, C: Any, t: Any, loss: str) -> tuple[Any, Any]:
        C_L, C_R = propagate([], A, C, t, loss)
        for i in ternary_partition(D, A, t.f, t.v)[2]:
            _, sense_l, sense_r, gamma = planned(i, t)
            to_left, to_right = paper.costs(A, t.f, t.v, i)
            C_L.append(paper.LossBound(i.x, i.y, to_left, sense_l, i.y + sqrt(gamma)))
            C_R.append(paper.LossBound(i.x, i.y, to_right, sense_r, i.y + sqrt(gamma)))
        return C_L, C_R

    def treant(D: Any, A: Any, C: Any, options: Any, path: tuple[Any, ...] = ()) -> Tree:
        t: Tree = grow_below(D, A, C, options, path)
        if isinstance(t, Node):
            return t
        return Leaf(t.prediction, loss=sum(paper.ell(t.prediction, i.y, options.loss) for i in D))

    for function in (ternary_partition, robust_split, split_constraints, treant):
        setattr(paper, function.__name__, function)
    return paper


__all__ = ["Grown", "Strange", "grown_with", "plan_of", "side_of"]

"""Who is sent where by a split under attack, and what that costs: for the leaves of a plan, or any others."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from treant_viz.core.losses import Loss
from treant_viz.viz.style.text import counted, number
from treant_viz.viz.ternary_partition.facts import NodeRows, Part, losses, standard_leaves, worse_left
from treant_viz.viz.ternary_partition.which_test import SplitTest

Mode = Literal["standard", "four-case", "robust"]
Side = Literal["left", "right"]
MOST_RIBBONS = 4  # unknown rows with a ribbon each; more are drawn in groups
CASES = (
    "nobody attacks",
    "all unknown rows swap sides",
    "all unknown rows go left",
    "all unknown rows go right",
)


class RibbonRows(NamedTuple):
    """Unknown rows that share a ribbon: what they are called, how many, their home, the plan's side, their
    losses.

    `worse` is where the attacker sends them: the leaf that hurts more (home, if both hurt the same); `cost`
    the least and the most that crossing costs.
    """

    label: str
    size: int
    home: Side
    sent: Side
    worse: Side
    hurt_l: float
    hurt_r: float
    cost: tuple[float, float] = (0.0, 0.0)


class Plan(NamedTuple):
    """Leaves that one may choose at this test, and what they lose if nobody attacks, and under attack."""

    name: str
    loss: float
    loss_under_attack: float
    chosen: bool
    leaves: tuple[float, float] = (0.0, 0.0)


def assigned(part: Part) -> np.ndarray:
    """[case, row]: who is left in each of the four cases."""
    unknown = part.can_left & part.can_right
    sure, home = part.can_left & ~unknown, part.unattacked
    return np.stack([home, sure | (unknown & ~home), sure | unknown, sure])


def by_leaf(rows: NodeRows, left: np.ndarray, leaves: tuple[float, float]) -> tuple[float, float]:
    """The losses in either leaf, if these rows end left."""
    hurt = rows.weight * rows.loss.ell(np.where(left, *leaves), rows.y)
    return float(hurt[left].sum()), float(hurt[~left].sum())


def four_cases(rows: NodeRows, part: Part) -> tuple[float, ...]:
    """The squared error of each case around its own two means."""
    y, w, out = rows.y, rows.weight, []
    for left in assigned(part):
        means = standard_leaves(rows, left)
        out.append(float(w @ (y - np.where(left, *means)) ** 2))
    return tuple(out)


def leaf(given: float | None, own: Any, what: str, loss: Loss) -> float:
    """A prediction: the given one if it may be one, else the mode's own."""
    if given is None:
        return float(own)
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not math.isfinite(given):
        raise ValueError(f"{what}: expected a finite number, got {given!r}")
    if not loss.low <= given <= loss.high:
        raise ValueError(f"{what}: expected a prediction from {loss.low:g} to {loss.high:g}, got {given!r}")
    return float(given)


def plans(
    test: SplitTest, part: Part, mode: Mode, leaves: tuple[float, float], *, by_hand: bool
) -> tuple[Plan, ...]:
    """What the three plans lose at this test, and the leaves that were typed in."""
    means = standard_leaves(test.rows, part.unattacked)
    known: list[tuple[str, Any]] = [("standard", means), ("four-case", means)]
    known += [("robust", test.leaves)] if test.leaves is not None else []
    known += [("by hand", leaves)] if by_hand else []
    chosen = "by hand" if by_hand else mode
    made = []
    for name, (y_l, y_r) in known:
        plain, attacked = (float(x.sum()) for x in losses(test.rows, part, y_l, y_r))
        made.append(Plan(name, plain, attacked, name == chosen, (float(y_l), float(y_r))))
    return tuple(made)


def groups_of(
    test: SplitTest, part: Part, sent: np.ndarray, worse: np.ndarray, leaves: tuple[float, float]
) -> tuple[RibbonRows, ...]:
    """The ribbons: one a row if they are few, else one for each label (or destination) and home side."""
    rows, unknown = test.rows, np.flatnonzero(part.can_left & part.can_right)
    labels, few = np.unique(rows.y[unknown]), len(unknown) <= MOST_RIBBONS
    keys: dict[tuple[Any, ...], list[int]] = {}
    for i in unknown.tolist():
        what = i if few else float(rows.y[i]) if len(labels) <= 2 else "left" if worse[i] else "right"
        keys.setdefault((what, bool(part.unattacked[i])), []).append(i)
    order = sorted(keys) if few else sorted(keys, key=lambda k: (not k[1], k[0]))
    cost = rows.crossing(test.v)
    made = []
    for what, _ in order:
        members = keys[what, _]
        hurt = [float(rows.weight[members] @ rows.loss.ell(p, rows.y[members])) for p in leaves]
        home, planned, end = (_side(mask[members[0]]) for mask in (part.unattacked, sent, worse))
        spent = (float(cost[members].min()), float(cost[members].max()))
        made.append(
            RibbonRows(
                _name(rows, members, what, few), len(members), home, planned, end, hurt[0], hurt[1], spent
            )
        )
    return tuple(made)


def _side(left: Any) -> Side:
    return "left" if left else "right"


def _name(rows: NodeRows, members: list[int], what: Any, few: bool) -> str:
    if few:
        return f"x{rows.rows[members[0]]} (y = {number(rows.y[members[0]])})"
    kind = f"with y = {number(what)}" if isinstance(what, float) else f"worse off {what}"
    return f"{counted(len(members), 'row')} {kind}"


__all__ = [
    "CASES",
    "Mode",
    "Plan",
    "RibbonRows",
    "Side",
    "assigned",
    "by_leaf",
    "four_cases",
    "groups_of",
    "leaf",
    "plans",
    "worse_left",
]  # fmt: skip

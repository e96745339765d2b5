"""What it costs to change a prediction: one row with its attack, and how the score goes with each move.

>>> from treant_viz.core.attacker.rules import Rule
>>> from treant_viz.core.tree import Leaf, Node
>>> stump = Node("p", 1.0, Leaf(-1.0), Leaf(2.0))
>>> found = row_certificate(stump, {"p": 0.0}, Attacker([Rule("p", cost=1, delta=(0, 1))], budget=3))
>>> found.safe_below, found.changes_at, found.scores
(2.0, 2.0, (-1.0, -1.0, 2.0))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from treant_viz.attacks.attack import attack, attack_budgets
from treant_viz.attacks.batch import AttackedModel
from treant_viz.attacks.evasion import certify
from treant_viz.attacks.moves import Move
from treant_viz.attacks.tables import moved, one_row, some_rows
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import Ensemble
from treant_viz.viz.attack_path.facts import AppliedRule, move_of

ORDERED = 4  # features of an attack, of which every order is tried
STAGES = 60  # costs at which the worst score is looked up


@dataclass(frozen=True, slots=True, eq=False)
class RowCertificate:
    """One row: no attack that costs less than `safe_below` changes its prediction, and one for `changes_at`
    does; both are infinite where none within the budget does, and the second where none is known.

    `moves` are those of the attack for `changes_at`; where there is none to be had, those of the attack that
    takes the score farthest (`farthest`: no other takes it farther). `scores[k]` is the score after k moves.
    `classes` are None for a regressor, whose prediction changes where it moves by more than `tolerance`.
    `frontier`: costs, and the score that is farthest from the row's own class from there on; of a classifier,
    where all of it is known.
    """

    budget: float
    tolerance: float
    classes: tuple[Any, Any] | None
    prediction: Any
    becomes: Any
    safe_below: float
    changes_at: float
    scores: tuple[float, ...]
    moves: tuple[AppliedRule, ...]
    farthest: bool
    frontier: tuple[tuple[float, float], ...] = ()

    @property
    def exact(self) -> bool:
        """Is the least cost known, or that there is none?"""
        return self.safe_below >= self.changes_at

    @property
    def falls(self) -> bool:
        """Is an attack known that changes the prediction?"""
        return self.changes_at < math.inf

    @property
    def borders(self) -> tuple[float, ...]:
        """The scores at which the prediction counts as another one."""
        if self.classes is not None:
            return (0.5,)
        return tuple(sorted({self.scores[0] - self.tolerance, self.scores[0] + self.tolerance}))


def row_certificate(
    model: Any, x: Any, attacker: Attacker, tolerance: float = 0.0, node_limit: int | None = None
) -> RowCertificate:
    """The certificate of one row, and the attack to show for it."""
    row = one_row(x)
    told = certify(model, row, attacker, tolerance=tolerance, node_limit=node_limit).iloc[0]
    form = common_form(model, row, attacker)
    moves, farthest = told["moves"], True
    if told["safe_below"] == math.inf:
        moves, farthest = _farthest(model, form, row, told["prediction"], attacker, node_limit)
    moves = _in_order(form, row, moves)
    return RowCertificate(
        budget=float(attacker.budget),
        tolerance=float(tolerance),
        classes=form.classes,
        prediction=_plain(told["prediction"]),
        becomes=_plain(told["becomes"]),
        safe_below=float(told["safe_below"]),
        changes_at=float(told["changes_at"]),
        scores=_scores(form, row, moves),
        moves=tuple(move_of(m, form.schema) for m in moves),
        farthest=farthest,
        frontier=_frontier(model, form, row, told["prediction"], attacker, node_limit),
    )


def _frontier(
    model: Any, form: Ensemble, row: Any, prediction: Any, attacker: Attacker, node_limit: int | None
) -> tuple[tuple[float, float], ...]:
    """The worst score at every cost that any combination of cells has; nothing if these are too many."""
    if form.classes is None:
        return ()
    sums = {0.0}
    attacked = AttackedModel(form, row, attacker)
    for sides in attacked.side_costs(np.arange(1)):
        paid = sides.to_cells.cost[int(sides.to_cells.codes[0])]
        more = {float(c) for c in paid if c < math.inf}
        sums = {a + b for a in sums for b in more if a + b <= attacked.limit}
        if len(sums) > STAGES:
            return ()
    found = attack_budgets(model, row, [prediction], attacker, sorted(sums), "margin", node_limit=node_limit)
    if not all(result.exact[0] for result in found.values()):
        return ()
    scores = [(cost, float(result.scores[0])) for cost, result in found.items()]
    return tuple(s for k, s in enumerate(scores) if k == 0 or s[1] != scores[k - 1][1])


def _farthest(
    model: Any, form: Ensemble, row: Any, prediction: Any, attacker: Attacker, node_limit: int | None
) -> tuple[tuple[Move, ...], bool]:
    """The attack that takes the score farthest from the row's own, towards the other class if there is one;
    and whether that is certain.
    """
    loss = "sse" if form.classes is None else "margin"
    found = attack(model, row, [prediction], attacker, loss, node_limit=node_limit)
    return found.moves[0], bool(found.exact[0])


def _in_order(form: Ensemble, row: Any, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Feature by feature, in the order in which the money moves the score soonest: any order is the same
    attack, as a rule touches one feature only.
    """
    parts: dict[Any, list[Move]] = {}
    for m in moves:
        parts.setdefault(m.rule.feature, []).append(m)
    if not 1 < len(parts) <= ORDERED:
        return moves

    def soon(made: tuple[Move, ...]) -> float:
        scores = _scores(form, row, made)
        return sum(abs(s - scores[0]) * m.rule.cost for s, m in zip(scores, made, strict=False))

    orders = [tuple(m for part in order for m in part) for order in permutations(parts.values())]
    return max(orders, key=soon)


def _scores(form: Ensemble, row: Any, moves: tuple[Move, ...]) -> tuple[float, ...]:
    """The model's score before the first move and after each."""
    stages = [moves[:k] for k in range(len(moves) + 1)]
    scores = form.scores(moved(some_rows(row, [0] * len(stages)), form.schema, stages))
    return tuple(map(float, scores))


def _plain(v: Any) -> Any:
    return v.item() if isinstance(v, np.generic) else v


__all__ = ["RowCertificate", "row_certificate"]

"""The paper's plain enumeration of attacks ("Attack Generation"), for teaching and as a cross-check.

From a row, apply every rule that applies, again and again, until the budget is spent. A rule leads to an
interval of values; one representative for each sub-interval between the ensemble's thresholds is enough, if
the ends of the rules' preconditions count as thresholds too. With several rules on a feature that is not yet
all: a value may only be worth having because another rule takes it just where it matters. So every such mark
counts also as seen from before a rule: minus what the rule adds at least, and at most.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks.cells import ZERO_CUTS
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.limits import Limits
from treant_viz.attacks.moves import Move
from treant_viz.attacks.result import AttackResult, attack_result
from treant_viz.attacks.tables import moved, some_rows
from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.reach import without
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.ensembles.ensemble import BY_THRESHOLD


class Route(NamedTuple):
    """Moves on one feature or several, and what they cost."""

    cost: float
    moves: tuple[Move, ...]


def enumerate_all(rows: LabelledRows, A: Attacker, stop: Limits) -> AttackResult:
    """Try every attack on every row; the model itself scores them."""
    if A.budget == math.inf:
        raise ValueError("method: 'exhaustive' needs a finite budget")
    rules = rules_by_column(A, rows.form.schema)
    M = rows.form.matrix(rows.X)
    chosen = [Route(0.0, ())] * rows.n
    scores, exact = rows.unattacked.copy(), np.ones(rows.n, dtype=bool)
    for row in range(rows.n):
        routes = [_feature_routes(rows, M[row, f], f, rules[f], A.limit) for f in rules]
        most = 0 if stop.struck else stop.nodes
        tried = list(itertools.islice(attacks(routes, A.limit), int(min(most, 10**9)) + 1))
        exact[row] = len(tried) <= most
        if tried := tried[: int(min(most, len(tried)))]:
            chosen[row], scores[row] = _worst(rows, row, tried)
        stop.tick((row + 1) / rows.n)
    upper = np.max([rows.ell(np.full(rows.n, s), rows.y) for s in rows.range], axis=0)
    costs = np.array([route.cost for route in chosen])
    return attack_result(rows, [route.moves for route in chosen], scores, costs, exact, upper)


def _feature_routes(rows: LabelledRows, x: float, f: int, rules: Sequence[Rule], limit: float) -> list[Route]:
    categories, nodes = rows.form.schema.columns[f].categories, rows.form.nodes
    if math.isnan(x):
        return [Route(0.0, ())]
    if categories is not None:
        return categorical_routes(categories[int(x)], rules, limit)
    cuts = np.unique(np.concatenate([nodes.threshold[nodes.feature == f], _zero_cuts(rows)]))
    return numeric_routes(float(x), rules, cuts, limit)


def _zero_cuts(rows: LabelledRows) -> np.ndarray:
    return np.array(ZERO_CUTS if (rows.form.nodes.zero != BY_THRESHOLD).any() else ())


def _worst(rows: LabelledRows, row: int, tried: Sequence[Route]) -> tuple[Route, float]:
    """The greatest loss, among equals the least cost; and the score it comes from."""
    copies = some_rows(rows.X, [row] * len(tried))
    scores = rows.form.scores(moved(copies, rows.form.schema, [route.moves for route in tried]))
    losses, costs = rows.ell(scores, rows.y[row]), np.array([route.cost for route in tried])
    tied = np.flatnonzero(losses >= losses.max() - 1e-12 * (1.0 + np.abs(scores).max()))
    best = tied[np.argmin(costs[tied])]
    return tried[best], scores[best]


def attacks(routes: Sequence[Sequence[Route]], limit: float) -> Iterator[Route]:
    """All affordable combinations of one route per feature."""
    for combination in itertools.product(*routes):
        cost = sum(route.cost for route in combination)
        if cost <= limit:
            yield Route(cost, tuple(move for route in combination for move in route.moves))


def numeric_routes(x: float, rules: Sequence[Rule], cuts: np.ndarray, limit: float) -> list[Route]:
    """The cheapest route into each cell between the cuts."""
    marks = _marks(rules, cuts, int(limit / min(r.cost for r in rules)))

    def after(rule: Rule, z: float) -> list[float]:
        (a, b), (low, high) = rule.pre, (z + rule.delta[0], z + rule.delta[1])
        ends = [v for v in (low, high) if math.isfinite(v)]
        return [*ends, *marks[(marks >= low) & (marks <= high)].tolist()] if a <= z <= b else []

    return _routes(x, rules, after, lambda z: int(np.searchsorted(cuts, z)), limit)


def categorical_routes(x: Any, rules: Sequence[Rule], limit: float) -> list[Route]:
    """The cheapest route to each category."""
    return _routes(
        x, rules, lambda r, z: [r.becomes] if r.pre is None or z in r.pre else [], lambda z: z, limit
    )


def _marks(rules: Sequence[Rule], cuts: np.ndarray, applications: int) -> np.ndarray:
    ends = [e for r in rules for e in r.pre]
    marks = np.unique([m for m in (*cuts, *ends, max(cuts, default=0.0) + 1.0) if math.isfinite(m)])
    for _ in range(applications - 1):
        marks = np.unique([marks] + [marks - d for r in rules for d in r.delta if math.isfinite(d)])
    return marks


def _routes(x: Any, rules: Sequence[Rule], after: Any, cell: Any, limit: float) -> list[Route]:
    """Cheapest first, over all representatives; of each cell the first that comes up."""
    todo: list[Any] = [(0.0, 0, x, (), tuple(rules))]
    seen: set[Any] = set()
    found: dict[Any, Route] = {}
    ticket = itertools.count(1)
    while todo:
        cost, _, z, moves, left = heapq.heappop(todo)
        if (z, left) in seen:
            continue
        seen.add((z, left))
        found.setdefault(cell(z), Route(cost, moves))
        for rule in left:
            if cost + rule.cost <= limit:
                rest = without(left, rule) if rule.once else left
                for v in after(rule, z):
                    there = (v, (*moves, Move(rule, z, v)), rest)
                    heapq.heappush(todo, (cost + rule.cost, next(ticket), *there))
    return list(found.values())

"""The paper's plain enumeration of attacks ("Attack Generation"), for teaching and for cross-checks on small problems.

From a row, apply every rule that applies, again and again, until the budget is spent. A rule leads to an interval of
values; one representative for each sub-interval between the ensemble's thresholds is enough, if the ends of the rules'
preconditions count as thresholds too. With several rules on a feature that is not yet all: a value may only be worth
having because another rule takes it just where it matters. So every such mark counts also as seen from before a rule:
minus what the rule adds at least, and at most.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attack_case import Case, Found
from treant_viz.attack_cells import ZERO_CUTS
from treant_viz.attack_engine import Limits
from treant_viz.attack_moves import Step
from treant_viz.attack_rewrite import rewritten
from treant_viz.attacker import Attacker, Rule
from treant_viz.bound import rules_by_column
from treant_viz.ensembles import BY_THRESHOLD


class Way(NamedTuple):
    """Steps on one feature and what they cost."""

    cost: float
    steps: tuple[Step, ...]


def enumerate_all(case: Case, A: Attacker, stop: Limits) -> Found:
    """Try every attack on every row; the model itself scores them."""
    if A.budget == math.inf:
        raise ValueError("method: 'exhaustive' needs a finite budget")
    found = Found([()] * case.n, case.clean.copy(), np.zeros(case.n), np.zeros(case.n), np.ones(case.n, dtype=bool))
    rules = rules_by_column(A, case.form.schema)
    M = case.form.matrix(case.X)
    found.upper = np.max([case.ell(np.full(case.n, s), case.y) for s in case.range], axis=0)
    for row in range(case.n):
        ways = [_feature_ways(case, M[row, f], f, rules[f], A.limit) for f in rules]
        most = 0 if stop.struck else stop.nodes
        tried = list(itertools.islice(attacks(ways, A.limit), int(min(most, 10**9)) + 1))
        found.exact[row] = len(tried) <= most
        _keep_worst(case, row, tried[: int(min(most, len(tried)))], found)
        stop.tick((row + 1) / case.n)
    return found


def _feature_ways(case: Case, x: float, f: int, rules: Sequence[Rule], limit: float) -> list[Way]:
    categories, nodes = case.form.schema.columns[f].categories, case.form.nodes
    if math.isnan(x):
        return [Way(0.0, ())]
    if categories is not None:
        return categorical_ways(categories[int(x)], rules, limit)
    cuts = np.unique(np.concatenate([nodes.threshold[nodes.feature == f], _zero_cuts(case)]))
    return numeric_ways(float(x), rules, cuts, limit)


def _zero_cuts(case: Case) -> np.ndarray:
    return np.array(ZERO_CUTS if (case.form.nodes.zero != BY_THRESHOLD).any() else ())


def _keep_worst(case: Case, row: int, tried: Sequence[Way], found: Found) -> None:
    """The greatest loss, among equals the least cost."""
    if not tried:
        return
    changes: dict[int, dict[int, Any]] = {}
    for i, way in enumerate(tried):
        for step in way.steps:
            changes.setdefault(case.form.schema.index(step.rule.feature), {})[i] = step.after
    scores = case.form.scores(rewritten(case.rows([row] * len(tried)), changes))
    losses, costs = case.ell(scores, case.y[row]), np.array([way.cost for way in tried])
    tied = np.flatnonzero(losses >= losses.max() - 1e-12 * (1.0 + np.abs(scores).max()))
    best = tied[np.argmin(costs[tied])]
    found.steps[row], found.score[row], found.cost[row] = tried[best].steps, scores[best], costs[best]


def attacks(ways: Sequence[Sequence[Way]], limit: float) -> Iterator[Way]:
    """All affordable combinations of one way per feature."""
    for combination in itertools.product(*ways):
        cost = sum(way.cost for way in combination)
        if cost <= limit:
            yield Way(cost, tuple(step for way in combination for step in way.steps))


def numeric_ways(x: float, rules: Sequence[Rule], cuts: np.ndarray, limit: float) -> list[Way]:
    """The cheapest way into each cell between the cuts."""
    marks = _marks(rules, cuts, int(limit / min(r.cost for r in rules)))

    def after(rule: Rule, z: float) -> list[float]:
        (a, b), (low, high) = rule.pre, (z + rule.delta[0], z + rule.delta[1])
        ends = [v for v in (low, high) if math.isfinite(v)]
        return [*ends, *marks[(marks >= low) & (marks <= high)].tolist()] if a <= z <= b else []

    return _ways(x, rules, after, lambda z: int(np.searchsorted(cuts, z)), limit)


def categorical_ways(x: Any, rules: Sequence[Rule], limit: float) -> list[Way]:
    """The cheapest way to each category."""
    return _ways(x, rules, lambda r, z: [r.becomes] if r.pre is None or z in r.pre else [], lambda z: z, limit)


def _marks(rules: Sequence[Rule], cuts: np.ndarray, applications: int) -> np.ndarray:
    ends = [e for r in rules for e in r.pre]
    marks = np.unique([m for m in (*cuts, *ends, max(cuts, default=0.0) + 1.0) if math.isfinite(m)])
    for _ in range(applications - 1):
        marks = np.unique([marks] + [marks - d for r in rules for d in r.delta if math.isfinite(d)])
    return marks


def _ways(x: Any, rules: Sequence[Rule], after: Any, cell: Any, limit: float) -> list[Way]:
    """Cheapest first, over all representatives; of each cell the first that comes up."""
    todo: list[Any] = [(0.0, 0, x, ())]
    seen: set[Any] = set()
    found: dict[Any, Way] = {}
    ticket = itertools.count(1)
    while todo:
        cost, _, z, steps = heapq.heappop(todo)
        if z in seen:
            continue
        seen.add(z)
        found.setdefault(cell(z), Way(cost, steps))
        for rule in rules:
            if cost + rule.cost <= limit:
                for v in after(rule, z):
                    heapq.heappush(todo, (cost + rule.cost, next(ticket), v, (*steps, Step(rule, z, v))))
    return list(found.values())

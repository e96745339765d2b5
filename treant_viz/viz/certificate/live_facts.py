"""What the live picture of certificates shows, at every budget and for every row, as plain JSON.

Columns, not objects. What grows or falls with the budget is a step function, {at, value}: `value[k]` from the
budget `at[k]` on, up to the next one. Costs that are infinite are null.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treant_viz.attacks.cell_costs import affordable_rules, spending_limit
from treant_viz.attacks.moves import Move
from treant_viz.attacks.tables import moved, some_rows
from treant_viz.core.table import Schema
from treant_viz.viz.attack_path.facts import move_of
from treant_viz.viz.certificate.table_facts import Certified, RowGroup
from treant_viz.viz.certificate.words import labels_text
from treant_viz.viz.facts import Json, exact, exacts, shown


def top_budget(known: Certified) -> float:
    """The greatest budget that is known about: the attacker's, or, without limit, the dearest cost."""
    if math.isfinite(known.attacker.budget):
        return float(known.attacker.budget)
    every = known.groups[0]
    return max((c for c in (*every.safe_below, *every.changes_at) if c < math.inf), default=0.0)


def certificate_facts(known: Certified, at: Sequence[int], names: Sequence[str]) -> Json:
    """Facts for the browser: all rows as step functions of the budget, and some of them one by one."""
    groups, classes, top = known.groups, known.form.classes, top_budget(known)
    texts, columns = [] if classes is None else labels_text(classes), known.form.schema.columns
    kind = "label" if known.labelled else "predicted"
    label = dict(zip(classes or (), texts, strict=True))
    costs = [c for g in groups[:1] for c in (*g.safe_below, *g.changes_at) if c < math.inf]
    pool: dict[tuple[Any, ...], int] = {}
    payments = _payments(known)
    rows = _rows(known, list(at), groups, pool, list(payments))
    moves = zip(*pool, strict=True) if pool else ([], [], [], [])
    return {
        "picture": "certificate",
        "n": len(known.X),
        "budget": exact(known.attacker.budget),
        "tolerance": exact(known.options.get("tolerance", 0.0)),
        "labelled": known.labelled,
        "inexact": int((~known.table["exact"][known.at_stake]).sum()),
        "classes": texts,
        "levels": sorted({float(exact(c) or 0) for c in (0.0, top, *costs)}),
        "groups": [_group(g, f"{kind} {label[g.label]}" if k else "all rows") for k, g in enumerate(groups)],
        "features": [{"name": shown(columns[f].name), **_paid(found)} for f, found in payments.items()],
        "rows": {"at": list(at), "name": list(names), **rows},
        "moves": {
            k: list(v) for k, v in zip(("feature", "before", "after", "cost"), moves, strict=True)
        },
    }  # fmt: skip


def _payments(known: Certified) -> dict[int, list[tuple[float, float]]]:
    """By attacked feature, those on which most is spent first: for each attack on a row at stake that uses
    it, what the attack costs and how much of that goes into the feature; the cheapest attacks first.
    """
    schema, at_stake = known.form.schema, known.table[known.at_stake]
    rules = affordable_rules(known.attacker, schema, spending_limit(known.attacker))
    out: dict[int, list[tuple[float, float]]] = {f: [] for f in sorted(rules)}
    for cost, path in zip(at_stake["changes_at"].tolist(), at_stake["moves"], strict=True):
        paid: dict[int, float] = {}
        for m in path:
            column = schema.index(m.rule.feature)
            paid[column] = paid.get(column, 0.0) + m.rule.cost
        for column, spent in paid.items():
            out[column].append((cost, spent))
    order = sorted(out, key=lambda f: -sum(spent for _, spent in out[f]))
    return {f: sorted(out[f]) for f in order}


def _paid(found: list[tuple[float, float]]) -> Json:
    """By budget: what the attacks that it buys spend on a feature, and how many of them use it."""
    costs = np.array([cost for cost, _ in found])
    at = np.unique([0.0, *costs])
    end = np.searchsorted(costs, at, side="right")
    paid = np.concatenate([[0.0], np.cumsum([spent for _, spent in found])])
    return {"paid": _step(at, paid[end]), "uses": _step(at, end)}


def _step(at: np.ndarray, value: np.ndarray) -> Json:
    return {"at": exacts(at), "value": exacts(value)}


def _group(g: RowGroup, name: str) -> Json:
    """By budget: how many rows stay as they are, at least and at most."""
    low, high = (_safe(costs) for costs in (g.safe_below, g.changes_at))
    return {"name": name, "n": g.n, "stake": g.at_stake, "least": low, "most": high}


def _safe(costs: np.ndarray) -> Json:
    at = np.unique([0.0, *costs[costs < math.inf]])
    return _step(at, len(costs) - np.searchsorted(costs, at, side="right"))


def _rows(
    known: Certified,
    at: list[int],
    groups: Sequence[RowGroup],
    pool: dict[tuple[Any, ...], int],
    features: list[int],
) -> Json:
    table, stake, classes = known.table.iloc[at], known.at_stake, known.form.classes
    schema = known.form.schema
    labels = [g.label for g in groups]
    return {
        "group": [0 if known.labels is None else labels.index(known.labels[r]) for r in at],
        "stake": "".join("01"[int(stake[r])] for r in at),
        "safe_below": exacts(table["safe_below"]),
        "changes_at": exacts(table["changes_at"]),
        "second": "" if classes is None else "".join("01"[int(p == classes[1])] for p in table["prediction"]),
        "moves": [[_place(pool, m, schema, features) for m in path] for path in table["moves"]],
        "scores": _scores(known, at),
    }


def _place(pool: dict[tuple[Any, ...], int], step: Move, schema: Schema, features: list[int]) -> int:
    """The place of a move among all moves, each of which is written once."""
    m = move_of(step, schema)
    ends = [exact(v) if isinstance(v, float) else v for v in (m.before, m.after)]
    return pool.setdefault((features.index(m.column), *ends, exact(m.cost)), len(pool))


def _scores(known: Certified, at: list[int]) -> list[list[Any]]:
    """By row: the model's own score before the first move, and after each."""
    paths = [known.table["moves"][r] for r in at]
    stages = [path[:k] for path in paths for k in range(len(path) + 1)]
    rows = [r for r, path in zip(at, paths, strict=True) for _ in range(len(path) + 1)]
    scores = exacts(known.form.scores(moved(some_rows(known.X, rows), known.form.schema, stages)))
    ends = np.cumsum([len(path) + 1 for path in paths]).tolist()
    return [scores[a:b] for a, b in zip([0, *ends], ends, strict=False)]


__all__ = ["certificate_facts", "top_budget"]

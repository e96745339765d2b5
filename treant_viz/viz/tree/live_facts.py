"""What the picture of a tree's growth shows at every step, as plain JSON: nodes in columns, steps in columns.

A node is born as a leaf with its parent's step and waits; its own step makes it a test or a final leaf. All
that a reader can see at some step is looked up by these two numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.losses import Pieces
from treant_viz.trace.records import Candidates, SplitRecord, Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import LOSSES, exact, exacts, shown
from treant_viz.viz.tree.facts import FEW, Flow, Reader, attacked, row_name

Json = dict[str, Any]
SHOWN = 8  # candidates of a step in the picture
NUMBERS = ("y_l", "y_r", "loss", "loss_under_attack", "plain_loss", "plain_loss_under_attack")
COUNTS = ("left", "unknown", "right")
MANY = 200_000  # letters of facts from which on rows are not listed one by one


def growth_facts(trace: Trace) -> Json:
    """Facts for the browser, for every step of the growth."""
    reader = Reader(trace)
    nodes = list(grown_nodes(trace, reader))
    places = {node["path"]: i for i, node in enumerate(nodes)}
    facts = {
        "picture": "growth",
        "loss": LOSSES[trace.loss.name],
        "attacked": attacked(trace),
        "binary": trace.loss.binary,
        "ends": exacts(reader.ends),
        "labels": exacts((reader.low, reader.high)),
        "rows": len(trace.steps[0].data),
        "nodes": columns(nodes),
        "steps": {
            "node": [places[step.path] for step in trace.steps],
            "reason": [step.reason for step in trace.steps],
            **step_losses(trace),
        },
        "candidates": [candidates(step) for step in trace.steps],
    }
    ends, homes = _ends(trace, places)
    small = len(json.dumps(facts)) < MANY
    return facts | {"sent_to": ends if small else [], "at_home": homes if small else []}


# nodes


def columns(nodes: list[Json]) -> Json:
    """A list for each thing that is known of every node."""
    return {key: [node[key] for node in nodes] for key in nodes[0]}


def grown_nodes(trace: Trace, reader: Reader) -> Iterator[Json]:
    """Every node in the order of the steps: parents before children."""
    flows: dict[str, Flow] = {}
    born: dict[str, tuple[int, float, float]] = {
        "": (0, trace.steps[0].leaf, trace.steps[0].leaf_loss)
    }  # the step, what it predicts while it waits, its loss then
    for i, step in enumerate(trace.steps):
        split = step.split if step.taken else None
        if split is not None:
            flows |= dict(reader.flows(step, split))
            for side, p, data in (("l", split.y_l, split.left), ("r", split.y_r, split.right)):
                born[step.path + side] = i, p, reader.loss(p, data.rows)
        yield _node(trace, reader, step, i, born[step.path], flows.get(step.path))


def _node(
    trace: Trace, reader: Reader, step: Step, i: int, born: tuple[int, float, float], flow: Flow | None
) -> Json:
    facts = reader.as_leaf(
        reader.waiting(step.data, step.leaf, step.constraints), step.constraints, step.data
    )
    return {
        "path": step.path,
        "born": born[0],
        "step": i,
        "rows": len(step.data),
        "bought": int((step.data.spent > 0).sum()),
        "waiting": exact(born[1]),
        "waiting_loss": exact(born[2]),
        "leaf": exact(step.leaf),
        "leaf_loss": exact(step.leaf_loss),
        "mean": exact(np.average(trace.y[step.data.rows], weights=reader.weight[step.data.rows])),
        "constraints": len(step.constraints),
        "feasible": pieces_within(facts.feasible, reader.ends),
        "labels": None if facts.labels is None else list(facts.labels.counts),
        "few": _few(trace, step),
        "flow": None if flow is None else _flow(flow),
        "split": None if step.split is None or not step.taken else _split(step.split),
    }


def pieces_within(pieces: Pieces | None, ends: tuple[float, float]) -> list[list[float | None]] | None:
    """What a leaf may predict, as far as the number line goes; null if no constraint speaks of it."""
    if pieces is None:
        return None
    low, high = ends
    inside = [(max(a, low), min(b, high)) for a, b in pieces if b >= low and a <= high]
    return [exacts(piece) for piece in inside]


def _few(trace: Trace, step: Step) -> list[list[Any]]:
    """Name, place, label and cost of each row, if they are few."""
    if len(step.data) > FEW:
        return []
    rows = zip(step.data.rows.tolist(), step.data.spent.tolist(), strict=True)
    return [[row_name(trace.X.index[r]), r, exact(trace.y[r]), exact(cost)] for r, cost in rows]


def _flow(flow: Flow) -> Json:
    """How rows come to a node from its parent."""
    costs = [exact(c) for c in flow.costs]
    return {
        "sure": flow.sure,
        "unknown": flow.unknown,
        "pushed": flow.pushed,
        "costs": costs,
        "who": flow.who,
    }


def _split(split: SplitRecord) -> Json:
    """The test of a node, and where its rows stand."""
    parts = {name: len(getattr(split.partition, name)) for name in COUNTS}
    losses = {"loss": exact(split.loss), "loss_under_attack": exact(split.loss_under_attack)}
    return _test(split.feature, split.test, split.threshold) | parts | losses


def _test(feature: Any, sign: str, threshold: Any) -> Json:
    number = isinstance(threshold, (int, float)) and sign == "<="
    return {
        "feature": shown(feature),
        "sign": "≤" if sign == "<=" else "=",
        "threshold": exact(threshold) if number else str(threshold),
    }


def _ends(trace: Trace, places: dict[str, int]) -> tuple[list[int], list[int]]:
    """The final leaf of each row: where the attacker sends it, and where it is at home."""
    sent, home = (np.full(len(trace.y), -1) for _ in range(2))
    natural = {"": np.unique(trace.steps[0].data.rows)}
    for step in trace.steps:
        rows = natural.pop(step.path)
        if step.split is None or not step.taken:
            home[rows] = places[step.path]
            sent[step.data.rows] = places[step.path]
            continue
        left = goes_left(trace, step.split, rows)
        natural |= {step.path + "l": rows[left], step.path + "r": rows[~left]}
    return sent.tolist(), home.tolist()


def goes_left(trace: Trace, split: SplitRecord, rows: np.ndarray) -> np.ndarray:
    """Which of these rows answer the test with yes if nobody attacks."""
    column = trace.X.iloc[:, trace.schema.index(split.feature)].to_numpy()[rows]
    return np.asarray(column == split.threshold if split.test == "==" else column <= split.threshold)


# steps


def step_losses(trace: Trace) -> Json:
    """Of the tree after each step: L, L^A as the algorithm counts it, and before the first step.

    L is not known with weights. `true` is what the attacker can really cause; it is only worked out where
    the algorithm may be wrong (without attack invariance).
    """
    counted = [trace.steps[0].leaf_loss, *(loss for _, loss in trace.losses())]
    weighted = trace.options.get("weight") is not None
    sure = trace.options.get("attack_invariance", True)
    trees = [] if weighted else [tree for _, tree in trace.trees()]
    rows = trace.steps[0].data.rows
    X, y = trace.X.iloc[rows], trace.y[rows]

    def under(budget: float) -> list[float | None]:
        A = trace.attacker.with_budget(budget)
        return [exact(loss_under_attack(tree, X, y, A, trace.loss.name)) for tree in trees]

    return {
        "loss": under(0.0) or None,
        "loss_under_attack": exacts(counted),
        "true": None if sure or weighted else under(trace.attacker.budget),
    }


# candidates


def candidates(step: Step) -> Json | None:
    """The candidates of a step that are drawn: all, or the best of each feature, and those that are tied."""
    c = step.candidates
    if c is None or not len(c):
        return None
    chosen, places = chosen_of(step), picked(c, chosen_of(step))
    tests = [_test(c.feature[i], c.test[i], c.threshold[i]) for i in places]
    table: Json = {key: [test[key] for test in tests] for key in ("feature", "sign", "threshold")}
    table |= {key: [int(getattr(c, key)[i]) for i in places] for key in (*COUNTS, "tied", "admissible")}
    table |= {key: [_known(getattr(c, key)[i]) for i in places] for key in NUMBERS}
    at = -1 if chosen is None else places.index(chosen)
    return {"tried": len(c), "ties": int(c.tied.sum()), "order": places, "best": at, **table}


def _known(x: float) -> float | str | None:
    """A number; "none" where there is none to tell, null if it is infinite."""
    return "none" if np.isnan(x) else exact(x)


def chosen_of(step: Step) -> int | None:
    """The place of the best test among the candidates."""
    c, s = step.candidates, step.split
    if c is None or s is None:
        return None
    both = zip(c.feature, c.threshold, strict=True)
    return next(i for i, test in enumerate(both) if test == (s.feature, s.threshold))


def picked(c: Candidates, chosen: int | None) -> list[int]:
    """All if they are few; else the chosen one, tied ones, and the best of each feature, the best first."""
    if len(c) <= SHOWN:
        return list(range(len(c)))
    cost = np.where(np.isnan(c.loss_under_attack) | ~c.admissible, np.inf, c.loss_under_attack)
    order = np.argsort(cost, kind="stable").tolist()
    best: dict[Any, int] = {}
    for i in order:
        best.setdefault(c.feature[i], i)
    first = [] if chosen is None else [chosen]
    tied = [i for i in order if c.tied[i]]
    wanted = [*first, *(i for i in best.values() if not c.tied[i]), *tied]
    few = [*first, *tied[: SHOWN // 2], *sorted(best.values(), key=lambda i: (cost[i], i)), *wanted]
    return sorted(list(dict.fromkeys(few))[:SHOWN])


__all__ = [
    "candidates",
    "chosen_of",
    "columns",
    "grown_nodes",
    "growth_facts",
    "pieces_within",
    "step_losses",
]
